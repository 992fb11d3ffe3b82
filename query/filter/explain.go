package filter

import (
	"fmt"
	"strings"

	"turns/query/human"
)

// Steps is how the matches of a filter were found: what heads, recorded bytes and texts decided.
type Steps struct {
	Looked   int  // messages of the selection
	Heads    int  // of those, decided by their heads alone
	Searched bool // the recorded bytes were searched for the literals of the filter
	// messages whose texts were read; what is neither Heads nor Texts the recorded bytes ruled out
	Texts int
}

// String is the steps, a line each.
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

// Explain is the tree of the filter, a line for each part, and what each of its terms needs. It is
// empty for a filter that lets everything through.
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

// needs says from what a term is decided.
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
