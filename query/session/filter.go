package session

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"turns/query/filter"
	"turns/query/lang"
)

// Verdict is the answer of a filter about a session, as far as is known.
type Verdict uint8

// The verdicts, from false to true.
const (
	No Verdict = iota
	Unsure
	Yes
)

func verdictOf(ok bool) Verdict {
	if ok {
		return Yes
	}
	return No
}

// Filter is a query over sessions. A term about messages matches a session if it matches one of
// its messages.
type Filter struct {
	source *lang.Filter
	ref    lang.TimeRef
	holds  func(*Session, InMessages) Verdict
}

// InMessages reports whether a term matches a message of a session.
type InMessages func(*lang.Term, *Session) Verdict

// NewFilter prepares a query. ref resolves its times.
func NewFilter(f *lang.Filter, ref lang.TimeRef) *Filter {
	x := &Filter{source: f, ref: ref}
	if f.Empty() {
		x.holds = func(*Session, InMessages) Verdict { return Yes }
	} else {
		x.holds = x.node(f.Root())
	}
	return x
}

// Holds reports whether a session matches the filter. It calls in for terms that need the messages;
// nil means that the messages are unknown.
func (x *Filter) Holds(s *Session, in InMessages) Verdict {
	if in == nil {
		in = func(*lang.Term, *Session) Verdict { return No }
	}
	return x.holds(s, in)
}

// Unanswered returns the terms that require a search in the messages of sessions.
func (x *Filter) Unanswered() (terms []*lang.Term) {
	for t := range x.source.Terms {
		if t.Key == lang.KeyAny || !Answers(t) {
			terms = append(terms, t)
		}
	}
	return terms
}

// counted are the values of is: and has: that are counts. For a partly read session they are lower
// bounds.
var counted = map[string]bool{"error": true, "pending": true}

// Counts reports whether the filter needs numbers that only a complete read of a session has.
func (x *Filter) Counts() bool {
	for t := range x.source.Terms {
		switch t.Key {
		case lang.KeyTokens, lang.KeyCost:
			return true
		case lang.KeyIs, lang.KeyHas:
			if slices.ContainsFunc(t.Values, func(v lang.Value) bool { return counted[v.Text] }) {
				return true
			}
		}
	}
	return false
}

// node compiles a part of the query.
func (x *Filter) node(n lang.Node) func(*Session, InMessages) Verdict {
	switch n := n.(type) {
	case *lang.And:
		return x.fold(n.Kids, Yes, func(a, b Verdict) Verdict { return min(a, b) })
	case *lang.Or:
		return x.fold(n.Kids, No, func(a, b Verdict) Verdict { return max(a, b) })
	case *lang.Not:
		kid := x.node(n.Kid)
		return func(s *Session, in InMessages) Verdict { return Yes - kid(s, in) }
	case *lang.Term:
		return x.term(n)
	}
	return func(*Session, InMessages) Verdict { return Yes }
}

func (x *Filter) fold(kids []lang.Node, v Verdict, join func(a, b Verdict) Verdict) func(*Session, InMessages) Verdict {
	all := make([]func(*Session, InMessages) Verdict, len(kids))
	for i, k := range kids {
		all[i] = x.node(k)
	}
	return func(s *Session, in InMessages) Verdict {
		out := v
		for _, kid := range all {
			out = join(out, kid(s, in))
		}
		return out
	}
}

func (x *Filter) term(t *lang.Term) func(*Session, InMessages) Verdict {
	test := x.test(t)
	switch {
	case test == nil:
		return func(s *Session, in InMessages) Verdict { return in(t, s) }
	case t.Key == lang.KeyAny: // in the list first, then in the messages
		return func(s *Session, in InMessages) Verdict {
			if test(s) {
				return Yes
			}
			return in(t, s)
		}
	}
	return func(s *Session, _ InMessages) Verdict { return verdictOf(test(s)) }
}

// Answers reports whether a session without its messages decides a term. A word without a key does
// not suffice: it may appear in the messages.
func Answers(t *lang.Term) bool { return (&Filter{}).test(t) != nil }

// texts maps keys to their texts in a session and how to match them.
var texts = map[lang.Key]func(*Session, value) bool{
	lang.KeyTitle:   func(s *Session, v value) bool { return v.in(s.Name()) },
	lang.KeyProject: func(s *Session, v value) bool { return v.path(s.Project) },
	lang.KeyModel:   func(s *Session, v value) bool { return v.in(s.Model) },
	lang.KeySession: func(s *Session, v value) bool { return v.in(s.Session) },
	lang.KeyID:      func(s *Session, v value) bool { return v.in(s.Session) },
	lang.KeyFile:    func(s *Session, v value) bool { return v.path(s.Path) },
	lang.KeyAgent:   func(s *Session, v value) bool { return v.in(s.AgentName()) || v.in(s.Format) },
	lang.KeyEnd:     func(s *Session, v value) bool { return s.State().ends(v.Text) },
	lang.KeyAny: func(s *Session, v value) bool {
		return v.in(s.Name() + " " + s.Project + " " + s.AgentName() + " " + s.Model + " " + filepath.Base(s.Path))
	},
}

// flags are the values of is: and has: that a session decides.
var flags = map[string]func(*Session) bool{
	"error":   func(s *Session) bool { return s.AllErrors() > 0 },
	"pending": func(s *Session) bool { return s.Pending > 0 },
	"live":    func(s *Session) bool { return s.Live },
	"unread":  func(s *Session) bool { return s.New },

	"labelled": func(s *Session) bool { return len(s.Labels) > 0 },
}

// test compiles a term, nil if sessions do not decide it.
func (x *Filter) test(t *lang.Term) func(*Session) bool {
	switch t.Key {
	case lang.KeyTime:
		return func(s *Session) bool { return !s.When().IsZero() && t.HoldsTime(s.When(), x.ref) }
	case lang.KeyTokens:
		return func(s *Session) bool { return t.HoldsNum(float64(s.Tokens)) }
	case lang.KeyCost: // 0: unknown
		return func(s *Session) bool { return s.Cost != 0 && t.HoldsNum(s.Cost) }
	case lang.KeySize: // a session in a database has no size
		return func(s *Session) bool { return s.Bytes != 0 && t.HoldsNum(float64(s.Bytes)) }
	case lang.KeyDur:
		return func(s *Session) bool { return s.Started != 0 && t.HoldsDur(s.Took()) }
	case lang.KeyLabel, lang.KeyNote, lang.KeyVerdict, lang.KeyScore:
		test := filter.LabelTest(t)
		return func(s *Session) bool { return test(s.Labels) }
	case lang.KeyIs, lang.KeyHas:
		for i := range t.Values {
			if flags[t.Values[i].Text] == nil {
				return nil
			}
		}
		return func(s *Session) bool {
			return slices.ContainsFunc(t.Values, func(v lang.Value) bool { return flags[v.Text](s) })
		}
	}
	text := texts[t.Key]
	if text == nil {
		return nil
	}
	values := make([]value, len(t.Values))
	for i := range t.Values {
		values[i] = newValue(&t.Values[i])
	}
	return func(s *Session) bool {
		return slices.ContainsFunc(values, func(v value) bool { return text(s, v) })
	}
}

// value is a value of a term for searches in texts.
type value struct {
	*lang.Value
	pattern *regexp.Regexp
	lower   string
}

func newValue(v *lang.Value) value {
	x := value{Value: v, lower: strings.ToLower(v.Text)}
	if v.Form == lang.FormRegex {
		x.pattern, _ = regexp.Compile(v.Pattern()) // the parsed query has only valid patterns
	}
	return x
}

// in searches for the value in a text, ignoring case.
func (v value) in(s string) bool {
	switch v.Form {
	case lang.FormRegex:
		return v.pattern != nil && v.pattern.MatchString(s)
	case lang.FormGlob:
		return v.MatchWhole(s)
	}
	return strings.Contains(strings.ToLower(s), v.lower)
}

// path searches for the value in a path, and matches it as a path.
func (v value) path(s string) bool { return v.MatchPath(s) || v.in(s) }
