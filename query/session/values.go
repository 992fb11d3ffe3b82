package session

import (
	"cmp"
	"slices"

	"turns/model"
	"turns/query/label"
	"turns/query/lang"
)

// Values returns the values of a key of the filter language in sessions, with the number of
// sessions that match the rest of the filter, most frequent first. It is nil for keys whose values
// are only in messages.
func Values(sessions []Session, key lang.Key, rest *lang.Filter, ref lang.TimeRef) []lang.Candidate {
	of := valuesOf(key)
	if of == nil {
		return nil
	}
	keep, counts := NewFilter(rest, ref), map[string]int{}
	for i := range sessions {
		s := &sessions[i]
		n := 0
		if keep.Holds(s, nil) == Yes {
			n = 1
		}
		for _, value := range of(s) {
			if value != "" {
				counts[value] += n
			}
		}
	}
	var out []lang.Candidate
	for text, n := range counts {
		out = append(out, lang.Candidate{Text: text, Count: n})
	}
	slices.SortFunc(out, func(a, b lang.Candidate) int { return cmp.Or(b.Count-a.Count, cmp.Compare(a.Text, b.Text)) })
	return out
}

// valuesOf returns a function for the values of a key in a session, nil for a key without
// values.
func valuesOf(key lang.Key) func(*Session) []string {
	switch key {
	case lang.KeyAgent:
		return func(s *Session) []string { return []string{s.AgentName()} }
	case lang.KeyProject:
		return func(s *Session) []string { return []string{s.Folder()} }
	case lang.KeyModel:
		return func(s *Session) []string { return []string{model.CleanLine(s.Model)} }
	case lang.KeyEnd:
		return func(s *Session) []string { return []string{s.State().Key()} }
	case lang.KeyLabel:
		return func(s *Session) (names []string) {
			for _, m := range s.Labels {
				if m.Kind == label.Label {
					names = append(names, m.Name)
				}
			}
			slices.Sort(names)
			return slices.Compact(names)
		}
	case lang.KeyIs, lang.KeyHas:
		return func(s *Session) (names []string) {
			for name, holds := range flags {
				if holds(s) {
					names = append(names, name)
				}
			}
			return names
		}
	}
	return nil
}
