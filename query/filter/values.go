package filter

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"turns/model"
	"turns/query"
	"turns/query/human"
	"turns/query/lang"
)

func sortRanges(all [][2]int) {
	slices.SortFunc(all, func(a, b [2]int) int { return cmp.Or(a[0]-b[0], a[1]-b[1]) })
}

// Values returns the values of a key in a session, with the number of messages or calls that each
// would match together with rest, the filter without the term at the cursor. [Complete] needs it.
// It returns nil for keys whose values are in the texts.
func Values(ctx context.Context, sel query.Selection, key lang.Key, rest *lang.Filter, env Env) ([]lang.Candidate, error) {
	m, err := NewMatcher(rest, sel.Snap, env)
	if err != nil {
		return nil, err
	}
	switch key {
	case lang.KeyTool, lang.KeyRole, lang.KeyModel, lang.KeyName, lang.KeyThread, lang.KeyIs, lang.KeyHas, lang.KeyKind, lang.KeyOutcome, lang.KeyValidity, lang.KeyCache:
	default:
		return nil, nil
	}
	r, err := m.Apply(ctx, sel.IDs)
	if err != nil {
		return nil, err
	}
	switch key {
	case lang.KeyTool:
		return toolValues(sel, &r, rest), nil
	case lang.KeyIs, lang.KeyHas, lang.KeyKind, lang.KeyOutcome, lang.KeyValidity, lang.KeyCache:
		return m.enumValues(&r, key)
	}
	return messageValues(sel.Snap, &r, key), nil
}

// toolValues counts calls.
func toolValues(sel query.Selection, r *Result, rest *lang.Filter) []lang.Candidate {
	s := sel.Snap
	counts, totals := make([]int, len(s.Names())), make([]int, len(s.Names()))
	selected := newBitset(s.Rows())
	for _, id := range sel.IDs {
		selected.add(uint32(id))
	}
	for i := range s.CallCount() {
		c := s.Call(model.CallID(i))
		if c.Tool == 0 || (c.Msg == model.NoID || !selected.has(uint32(c.Msg))) && (c.Result == model.NoID || !selected.has(uint32(c.Result))) {
			continue
		}
		totals[c.Tool]++
		if r.HasCall(model.CallID(i)) {
			counts[c.Tool]++
		}
	}
	what := "calls"
	for t, negated := range rest.Terms {
		if t.Key == lang.KeyIs && !negated && len(t.Values) == 1 && t.Values[0].Text == "error" {
			what = "calls that failed"
		}
	}
	var out []lang.Candidate
	for n, total := range totals {
		if total > 0 {
			out = append(out, lang.Candidate{Text: s.Name(uint16(n)), Count: counts[n], Note: fmt.Sprintf("%s of %s", human.Count(counts[n]), human.Count(total))})
		}
	}
	sortCandidates(out)
	if rest.Empty() {
		for i := range out {
			out[i].Note = ""
		}
		if len(out) > 0 {
			out[0].Note = what
		}
	} else if len(out) > 0 && out[0].Count > 0 {
		out[0].Note = what + ", " + out[0].Note
	}
	return out
}

func sortCandidates(out []lang.Candidate) {
	slices.SortStableFunc(out, func(a, b lang.Candidate) int { return cmp.Or(b.Count-a.Count, cmp.Compare(a.Text, b.Text)) })
}

// messageValues counts messages.
func messageValues(s *model.Snapshot, r *Result, key lang.Key) []lang.Candidate {
	counts := map[string]int{}
	threads := s.Threads()
	for _, id := range r.IDs {
		h := s.HeadRow(id)
		name := ""
		switch {
		case key == lang.KeyRole && h.Role == model.Other && h.Name != 0, key == lang.KeyModel && h.Role == model.Assistant,
			key == lang.KeyName && h.Role != model.Assistant:
			name = s.Name(h.Name)
		case key == lang.KeyRole && h.Role != model.NoRole:
			name = h.Role.String()
		case key == lang.KeyThread && threads[h.Thread].Main:
			name = "main"
		case key == lang.KeyThread:
			name = threads[h.Thread].Name
		}
		if name != "" {
			counts[name]++
		}
	}
	var out []lang.Candidate
	for name, n := range counts {
		out = append(out, lang.Candidate{Text: name, Count: n})
	}
	sortCandidates(out)
	return out
}

// enumValues counts calls for names about calls and messages for others, in the order of the list.
func (m *Matcher) enumValues(r *Result, key lang.Key) ([]lang.Candidate, error) {
	type counter struct {
		leaf  *leaf
		calls *bitset
		n     int
	}
	values := lang.LangLookup(key.String()).Values
	c := &compiler{snap: m.snap, env: &m.env}
	counters := make([]counter, len(values))
	for i, v := range values {
		l, err := c.leaf(&lang.Term{Key: key, Values: []lang.Value{{Form: lang.FormEnum, Text: v.Name}}}, false)
		if err != nil {
			return nil, err
		}
		counters[i] = counter{leaf: l, calls: newBitset(m.snap.CallCount())}
	}
	st := state{snap: m.snap}
	for at, id := range r.IDs {
		st.load(id)
		for i := range counters {
			k := &counters[i]
			switch {
			case k.leaf.msg != nil:
				k.n += int(k.leaf.msg(&st)) / int(yes)
			case k.leaf.unit != nil:
				if r.Blocks[at] != 0 && k.leaf.unit(&st, -1) != 0 {
					k.n++
				}
				for u := range st.calls {
					if call := uint32(st.calls[u].id); r.calls.has(call) && !k.calls.has(call) && k.leaf.unit(&st, u) != 0 {
						k.calls.add(call)
						k.n++
					}
				}
			}
		}
	}
	out := make([]lang.Candidate, len(values))
	for i, v := range values {
		out[i] = lang.Candidate{Text: v.Name, Count: counters[i].n, Note: v.Help}
	}
	return out, nil
}
