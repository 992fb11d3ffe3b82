package infer

import (
	"slices"
	"strings"

	"turns/model"
	"turns/model/format/described"
	"turns/model/jsonspan"
)

// Start returns the draft of a description for records without a recognised conversation: the
// field with the longest texts as the text, and a field with a few repeated words as the role.
// The user must correct it. It returns nil if no field has texts.
func Start(s *model.Sample) *described.Format {
	t := &talk{document: s.Shape == model.Document}
	t.gather(s)
	var most *field
	var at *place
	for _, p := range t.places {
		if p.lists || len(p.rows) == 0 || p.rows[0].kind != jsonspan.Object {
			continue
		}
		w := viewOf(p.rows)
		text := best(w.scalars, func(f *field) float64 {
			if !f.texts() || f.depth() > 2 {
				return 0
			}
			return f.saying() * f.size() * float64(len(f.values))
		})
		if text != nil && (most == nil || float64(len(text.values))*text.size() > float64(len(most.values))*most.size()) {
			most, at = text, p
		}
	}
	if most == nil {
		return nil
	}
	w := viewOf(at.rows)
	d := &described.Format{Name: "mine", Title: "A start: put it right", Match: commonKeys(at.rows)}
	rule := described.Rule{At: at.at, As: "message", Role: "=assistant", Text: most.name(), When: []string{most.name()}}
	if role := roleLike(w, most); role != nil {
		rule.Role, d.Roles = role.name(), map[string]string{}
		for _, v := range role.values {
			d.Roles[v.text] = "assistant"
		}
	}
	if times := timeField(w); times != nil {
		rule.Time = times.name()
	}
	if t.document {
		list, inner, ok := strings.Cut(at.at, "[]")
		if t.listed {
			list, inner = "[]", at.at
		}
		if ok || t.listed {
			d.List, rule.At = []string{list}, strings.TrimPrefix(inner, ".")
		}
	}
	d.Rules = []described.Rule{rule}
	return d
}

// maxStartRoles limits the speakers in the draft of a description.
const maxStartRoles = 24

// roleLike returns the field next to a text with repeated words, which may be the speaker.
func roleLike(w *view, text *field) *field {
	return best(w.scalars, func(f *field) float64 {
		if f == text || !f.strings() || !siblings(f, text) || !halfOf(len(f.values), len(text.values)) || f.distinct() < 2 || f.distinct() > maxStartRoles ||
			mostOf(f.distinct(), len(f.values)) || slices.ContainsFunc(f.values, func(v *value) bool { return !writable(v.text) || looksLikeTime(v.text) || v.size > 80 }) {
			return 0
		}
		if !isSpeakerKey(f.path[len(f.path)-1]) {
			return 0
		}
		return 1 / float64(f.distinct())
	})
}
