package filter

import (
	"fmt"
	"strings"

	"turns/query/human"
)

// Steps counts how the matches of a filter were found: by heads, recorded bytes and texts.
type Steps struct {
	Looked   int  // messages of the selection
	Heads    int  // of those, decided by their heads
	Searched bool // the recorded bytes were searched for the literals of the filter
	// messages whose texts the filter read; recorded bytes ruled out the rest
	Texts int
}

// String returns the steps, one per line.
func (s Steps) String() string {
	var b strings.Builder
	line := func(n int, what string) {
		fmt.Fprintf(&b, "%9s  %s\n", human.Count(n), what)
	}
	line(s.Looked, "looked at")
	line(s.Heads, "decided by heads")
	if s.Searched {
		line(s.Looked-s.Heads-s.Texts, "ruled out by recorded bytes")
	}
	line(s.Texts, "decided by texts")
	return b.String()
}

// Explain returns the tree of the filter, one line per part, with the data that each term needs.
// It is empty for an empty filter.
func (m *Matcher) Explain() string {
	var b strings.Builder
	if m.root != nil {
		m.root.explain(&b, 0)
	}
	return b.String()
}

var opWords = [...]string{nodeAnd: "and", nodeOr: "or", nodeNot: "not"}

func (n *node) explain(b *strings.Builder, depth int) {
	indent := strings.Repeat("  ", depth)
	if n.op != nodeLeaf {
		b.WriteString(indent + opWords[n.op])
		if n.scoped {
			b.WriteString(" of one call")
		}
		b.WriteByte('\n')
		for _, k := range n.kids {
			k.explain(b, depth+1)
		}
		return
	}
	fmt.Fprintf(b, "%-40s  %s\n", indent+n.leaf.term.Filter().String(), n.leaf.needs())
}

// needs returns the data that decides a term.
func (l *leaf) needs() string {
	if l.body == nil {
		return "heads"
	}
	if len(l.lits) == 0 {
		return "texts"
	}
	quoted := make([]string, len(l.lits))
	for i, lit := range l.lits {
		quoted[i] = fmt.Sprintf("%q", lit)
	}
	return "texts of records that hold " + strings.Join(quoted, " or ")
}
