package infer

import (
	"slices"

	"turns/model/format/described"
)

// turns finds records that are one turn each, without named speakers: a list of parts with calls is
// the assistant's answer, and the text next to the list is the question.
func (f *search) turns() {
	for _, fr := range f.frames {
		if slices.ContainsFunc(fr.groups, func(g *group) bool { return isRole(g.class) }) {
			return
		}
	}
	for _, fr := range f.frames {
		if fr.above == nil || fr.single() || !slices.ContainsFunc(fr.groups, func(g *group) bool { return g.class == described.Call }) {
			continue
		}
		asked := &group{frame: fr.above, view: viewOf(fr.above.objs), class: described.User}
		text := f.wordsOf(asked)
		if text == nil || !halfOf(len(text.values), len(asked.view.objs)) || !fr.answer() {
			continue
		}
		asked.rule, asked.used = described.Rule{As: "message", Role: "=user", Text: text.name()}, true
		fr.above.groups, f.turned = []*group{asked}, true
		f.note(join(fr.above.at, text.name()), "text", 60, "what was asked, beside a list of calls and texts")
		f.rest(asked)
		return
	}
}

// wordsOf returns the field with sentences that differ between objects.
func (f *search) wordsOf(g *group) *field {
	return best(g.view.scalars, func(s *field) float64 {
		if !sentences(s) || named(s, dullNames) || !mostOf(s.distinct(), len(s.values)) && len(s.values) > 1 {
			return 0
		}
		return textScore(s, len(g.view.objs))
	})
}

// answer makes the parts of a list messages of the assistant: the texts without a kind, and the
// calls. It reports whether there are texts.
func (fr *frame) answer() (hasText bool) {
	for _, g := range fr.groups {
		if g.used && g.class == described.Call {
			g.rule.As, g.rule.Role = "message", "=assistant"
		}
		if len(g.signs) > 0 || g.class != described.NoClass {
			continue
		}
		text := best(g.view.scalars, func(s *field) float64 {
			if !sentences(s) {
				return 0
			}
			return textScore(s, len(g.view.objs))
		})
		if text != nil {
			g.class, g.used, hasText = described.Assistant, true, true
			g.rule = described.Rule{As: "message", When: []string{text.name()}, Role: "=assistant", Text: text.name()}
		}
	}
	return hasText
}
