package filter

import (
	"slices"

	"turns/model"
	"turns/query/label"
	"turns/query/lang"
)

// labelled has the places of the annotations that match a term.
type labelled struct {
	messages map[model.ID]bool
	calls    map[model.CallID]bool
	sessions map[uint32]bool
	turns    map[int]bool
}

// labelTest returns a function that reports whether a mark matches a term about annotations.
func labelTest(t *lang.Term) (func(*label.Mark) bool, error) {
	switch t.Key {
	case lang.KeyNote:
		texts, err := newTexts(t)
		return func(m *label.Mark) bool { return m.Kind == label.Note && texts.match(m.Text) }, err
	case lang.KeyScore:
		return func(m *label.Mark) bool {
			n, ok := m.Number()
			return ok && t.HoldsNum(n)
		}, nil
	}
	kind := label.Label
	if t.Key == lang.KeyVerdict {
		kind = label.Verdict
	}
	w, err := newWholeValues(t)
	return func(m *label.Mark) bool { return m.Kind == kind && w.match(m.Name) }, err
}

// AsksLabels reports whether a filter needs annotations.
func AsksLabels(f *lang.Filter) bool {
	if f.Uses(lang.KeyLabel, lang.KeyNote, lang.KeyVerdict, lang.KeyScore) {
		return true
	}
	for t := range f.Terms {
		if t.Key == lang.KeyIs && slices.ContainsFunc(t.Values, func(v lang.Value) bool { return v.Text == "marked" || v.Text == "labelled" }) {
			return true
		}
	}
	return false
}

// LabelTest returns a function that reports whether the annotations of a session match a term.
func LabelTest(t *lang.Term) func([]label.Mark) bool {
	test, err := labelTest(t)
	return func(marks []label.Mark) bool {
		for i := range marks {
			if err == nil && test(&marks[i]) {
				return true
			}
		}
		return false
	}
}

// labelLeaf compiles a term about annotations. Those of a turn or a session match all its messages.
func (c *compiler) labelLeaf(l *leaf) error {
	test, err := labelTest(l.term)
	if err != nil {
		return err
	}
	where := c.labelled(func(p *label.Placed) bool { return test(&p.Mark) })
	threads := c.snap.Threads()
	inTurn := func(model.ID) bool { return false }
	if len(where.turns) > 0 {
		turns := c.turns()
		inTurn = func(id model.ID) bool { return where.turns[turns.Turn(id)] }
	}
	l.unit = func(st *state, call int) marks {
		if where.sessions[threads[st.head.Thread].Session] || inTurn(st.id) {
			return unitMark(call)
		}
		return where.unit(st, call)
	}
	return nil
}

// unit marks the unit if the message itself or the call has a matching annotation.
func (w *labelled) unit(st *state, call int) marks {
	if w.messages[st.id] || call >= 0 && w.calls[st.calls[call].id] {
		return unitMark(call)
	}
	return 0
}

func (c *compiler) labelled(test func(*label.Placed) bool) *labelled {
	w := &labelled{map[model.ID]bool{}, map[model.CallID]bool{}, map[uint32]bool{}, map[int]bool{}}
	all := c.env.Labels.All()
	for i := range all {
		p := &all[i]
		switch {
		case !test(p):
		case p.ID == model.NoID:
			w.sessions[p.Session] = true
		case p.Scope == label.OfTurn:
			w.messages[p.ID] = true
			if n := c.turns().Turn(p.ID); n >= 0 {
				w.turns[n] = true
			}
		case p.Call != model.CallID(model.NoRow):
			w.calls[p.Call] = true
		default:
			w.messages[p.ID] = true
		}
	}
	return w
}

// isLabelled compiles is:labelled and is:marked: annotations of the message, turn or call itself,
// but not of the session.
func (c *compiler) isLabelled(name string) func(*state, int) bool {
	where := c.labelled(func(p *label.Placed) bool {
		_, letter := p.Letter()
		return letter || name == "labelled"
	})
	return func(st *state, call int) bool { return where.unit(st, call) != 0 }
}
