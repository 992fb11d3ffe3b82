package infer

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"turns/model"
	"turns/model/format/described"
	"turns/model/jsonspan"
)

// rule makes the rule of a group.
func (f *search) rule(g *group, paths map[*frame]string) {
	r := &g.rule
	for _, s := range g.signs {
		r.When = append(r.When, s.condition())
	}
	if g.frame.single() {
		if !isKind(g.class) || g.class == described.Reasoning || f.known(g) {
			return
		}
	}
	speaker := f.speaker(g)
	switch g.class {
	case described.Call:
		f.callRule(g)
	case described.Result:
		f.resultRule(g)
	case described.Reasoning:
		if t := f.textOf(g, paths); t != nil {
			r.As, r.Text, g.used = "reasoning", t.name(), true
			f.note(join(g.frame.at, t.name()), "reasoning", 80, "texts where the kind is %q", lastValue(g))
		} else if l := textList(g); l != "" {
			r.As, r.Text, g.used = "reasoning", l, true
		}
	case described.User, described.Assistant, described.System, described.Developer:
		f.messageRule(g, paths)
	case described.Text, described.NoClass:
		if f.systemRule(g) {
			break
		}
		if speaker == described.NoClass && g.class == described.Text && g.frame.above == nil {
			f.loneText(g, paths)
			break
		}
		if speaker == described.NoClass || g.frame.above == nil || g.class == described.NoClass && slices.ContainsFunc(g.signs, func(s sign) bool { return s.value != "" }) {
			return
		}
		t := f.textOf(g, paths)
		if t == nil || g.class == described.NoClass && (!isRole(f.around(g.view.objs[0]).class) || !sentences(t) && !named(t, textNames)) {
			return
		}
		r.As, r.Text, g.used = "text", t.name(), true
		if g.class == described.NoClass {
			if r.When = append(r.When, t.name()); speaker == described.Tool {
				// part of a result, stored unchanged
				g.used = false
				return
			}
		}
		f.note(join(g.frame.at, t.name()), "text", 70, "texts of the %s around them", speakerName(speaker))
	}
	if g.used {
		f.rest(g)
		r.Joins = (r.As == "message" || r.As == "reasoning") && f.goesOn(g)
	}
}

// goesOn reports whether the texts of a group are pieces: most of them continue a sentence of the
// previous record.
func (f *search) goesOn(g *group) bool {
	if g.frame.above != nil || g.rule.Text == "" || strings.Contains(g.rule.Text, "[]") {
		return false
	}
	path := g.at(g.rule.Text)
	if path == nil {
		return false
	}
	pieces, all := 0, 0
	for i, o := range g.frame.objs[1:] {
		before := g.frame.objs[i]
		if f.owner[o] != g || f.owner[before] != g {
			continue
		}
		a, b := before.at(path), o.at(path)
		if a == nil || b == nil || a.text == "" || b.text == "" || a.size > maxText {
			continue
		}
		if all++; midSentence(a.text, b.text) {
			pieces++
		}
	}
	spoken := slices.ContainsFunc(g.signs, func(s sign) bool { return pieceOf(s.value) }) ||
		slices.ContainsFunc(g.view.scalars, func(s *field) bool { return pieceOf(s.last()) && !s.strings() })
	return pieces*10 >= all*7 && (pieces > 4 || spoken && pieces > 0)
}

// at returns the path of a scalar by its name.
func (g *group) at(name string) []string {
	i := slices.IndexFunc(g.view.scalars, func(s *field) bool { return s.name() == name })
	if i < 0 {
		return nil
	}
	return g.view.scalars[i].path
}

// pieceOf reports whether a word means a piece of a text.
func pieceOf(word string) bool {
	word = strings.ToLower(word)
	return strings.Contains(word, "delta") || strings.Contains(word, "chunk") || strings.Contains(word, "partial")
}

// midSentence reports whether the second text continues the first.
func midSentence(before, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(after)
	return first == ' ' || unicode.IsLower(first) && !strings.ContainsRune(".!?:\n", last) || last == ' ' || unicode.IsPunct(first) && unicode.IsLetter(last)
}

// loneText makes a rule for texts without a speaker. Next to the model's reasoning, they are the
// model's; otherwise they have no speaker.
func (f *search) loneText(g *group, paths map[*frame]string) {
	t := f.textOf(g, paths)
	if t == nil || len(g.signs) == 0 || !sentences(t) && !named(t, textNames) {
		return
	}
	calls, thinks, speaks := false, false, false
	n := len(g.signs) - 1
	for _, h := range g.frame.groups {
		speaks = speaks || isRole(h.class) && h.class != described.System
		calls = calls || h.class == described.Call
		thinks = thinks || h.class == described.Reasoning && len(h.signs) == n+1 && n > 0 && slices.Equal(h.signs[:n], g.signs[:n])
	}
	if !thinks && (speaks || !calls) {
		return
	}
	r := &g.rule
	r.As, r.Text, g.used = "message", t.name(), true
	if thinks {
		r.Role = "=assistant"
	}
	f.note(t.name(), "text", 50, "texts where the kind is %q", lastValue(g))
}

// systemRule makes a rule for records that are not messages but have a system text, by the name of
// a field or the beginning of the text.
func (f *search) systemRule(g *group) bool {
	if g.class != described.NoClass || g.frame.above != nil {
		return false
	}
	text := best(g.view.scalars, func(s *field) float64 {
		c := described.ClassOf(s.path[len(s.path)-1])
		sentences := s.strings() && s.most(func(v *value) bool { return strings.Count(v.text, " ") >= 2 })
		switch {
		case !sentences || s.depth() > 2:
			return 0
		case c == described.System || c == described.Developer:
			return 2
		case s.most(func(v *value) bool { return strings.HasPrefix(v.text, "You are ") }):
			return 1
		}
		return 0
	})
	if text == nil {
		return false
	}
	r := &g.rule
	r.As, r.Role, r.Text, g.used = "message", "=system", text.name(), true
	r.When = append(r.When, r.Text)
	f.note(r.Text, "text", 70, "what the system says")
	return true
}

// known reports whether the objects around those of a group have the same data.
func (f *search) known(g *group) bool {
	a := f.around(g.view.objs[0])
	return a != nil && isKind(a.class) && a.used
}

// isWord reports whether a value is a word for a kind.
func isWord(v *value) bool { return described.ClassOf(v.text) != described.NoClass }

// sentences reports whether there are spaces in some of the texts.
func sentences(s *field) bool {
	return s.share(func(v *value) bool { return strings.ContainsAny(v.text, " \n") || !isASCII(v.text) }) > 0.1
}

func speakerName(c described.Class) string { return c.Role().String() }

func (f *search) callRule(g *group) {
	r := &g.rule
	name, args := f.nameAndArgs(g)
	if name == nil && args == nil {
		return
	}
	r.As, g.used = "call", true
	if name == nil {
		r.Tool = g.kindPath()
	} else {
		r.Tool = name.name()
		f.note(join(g.frame.at, r.Tool), "tool", 80, "%d short names, %d of them different", len(name.values), name.distinct())
	}
	if args != nil {
		r.Arguments = args.name()
		f.note(join(g.frame.at, r.Arguments), "arguments", 75, "an object, or the text of one, next to the name")
	}
	if id := f.idOf(g, func(h *group) bool { return h.class == described.Result }); id != nil {
		r.ID = id.name()
		f.note(join(g.frame.at, r.ID), "id", 90, "its values come again in results")
		return
	}
	r.ID = f.namedID(g)
	if id := f.stateID(g, name, args); id != nil {
		r.ID, r.Key, r.Replaces = id.name(), id.name(), true
		f.note(join(g.frame.at, r.ID), "key", 80, "the same calls come again, as they go on")
		if out := g.grown(id, name, args); out != nil {
			r.Result = out.name()
			f.note(join(g.frame.at, r.Result), "result", 75, "there when a call is told of again, and not before")
			return
		}
	}
	if out := outOf(g, name, args); out != nil && (out.isOut() || out.size() > 12) {
		if f.noResults() || args != nil && siblings(out, args) && out.isOut() && !f.holdsResults(g) {
			r.Result = out.name()
			f.note(join(g.frame.at, r.Result), "result", 60, "the largest field beside the arguments")
		}
	}
}

// stateID returns the id that several records about one call share: the name and arguments for an
// id do not change.
func (f *search) stateID(g *group, name, args *field) *field {
	if g.frame.above != nil {
		return nil
	}
	return best(g.view.scalars, func(s *field) float64 {
		if !s.strings() || s.depth() > 3 || s.distinct() == len(s.values) || s.distinct()*4 < len(s.values) ||
			s.share(func(v *value) bool { return looksLikeID(v.text) }) < 0.9 {
			return 0
		}
		first := map[string]*value{}
		for _, o := range g.view.objs {
			id := o.at(s.path)
			if id == nil {
				return 0
			}
			before := first[id.scalarText()]
			if before == nil {
				first[id.scalarText()] = o
				continue
			}
			for _, part := range []*field{name, args} {
				if part == nil {
					continue
				}
				if v, was := o.at(part.path), before.at(part.path); v != nil && was != nil && len(was.raw) > 2 && string(v.raw) != string(was.raw) {
					return 0
				}
			}
		}
		return float64(s.distinct()) * math.Pow(0.95, float64(len(s.path)))
	})
}

// kindPath returns the path of the objects' kind, if calls have no names: their kinds replace them.
func (g *group) kindPath() string {
	for _, s := range g.signs {
		if described.ToolOfKind(s.value) != s.value || s.class == described.Call && !strings.EqualFold(s.value, "tool_call") && !strings.EqualFold(s.value, "tool_use") {
			return s.path
		}
	}
	return ""
}

// noResults reports whether no group has results.
func (f *search) noResults() bool {
	for _, fr := range f.frames {
		for _, h := range fr.groups {
			if h.class == described.Result {
				return false
			}
		}
	}
	return true
}

// ofCalls returns the field of results with the ids of calls.
func (f *search) ofCalls(g *group) *field {
	return f.idOf(g, func(h *group) bool { return h.class == described.Call })
}

// holdsResults reports whether a group contains the results of calls.
func (f *search) holdsResults(g *group) bool {
	for _, fr := range f.frames {
		for _, h := range fr.groups {
			if h.class == described.Result && fr.above == g.frame && f.around(h.view.objs[0]) == g && (g.class == described.Call || f.ofCalls(h) != nil) {
				return true
			}
		}
	}
	return false
}

// namedID returns the field whose name is that of a call's id.
func (f *search) namedID(g *group) string {
	for _, s := range g.view.scalars {
		switch s.last() {
		case "callid", "toolcallid", "tooluseid", "calluuid":
			return s.name()
		}
	}
	for _, s := range g.view.scalars {
		if s.last() == "id" && len(s.path) == 1 && s.distinct() == len(s.values) && g.frame.above != nil {
			return s.name()
		}
	}
	return ""
}

func (f *search) resultRule(g *group) {
	r := &g.rule
	name := f.nameOf(g.view, g.signs...)
	if name != nil && !named(name, nameNames) && !f.sameNames(g) {
		name = nil
	}
	id := f.ofCalls(g)
	out := outOf(g, name, id)
	if out == nil {
		return
	}
	if id == nil && f.namedID(g) == "" && f.holdsResults(g) {
		r.As, r.Role, g.used = "message", "=tool", true
		return
	}
	r.As, r.Result, g.used = "result", out.name(), true
	f.note(join(g.frame.at, r.Result), "result", 75, "the largest field of results")
	if id != nil {
		r.ID = id.name()
		f.note(join(g.frame.at, r.ID), "id", 90, "its values are those of calls")
	} else {
		r.ID = f.namedID(g)
	}
	if name != nil {
		r.Tool = name.name()
	}
}

// messageRule makes the rule of a group with a known speaker.
func (f *search) messageRule(g *group, paths map[*frame]string) {
	r := &g.rule
	t := f.textOf(g, paths)
	list := ""
	if t != nil && (t.listing(model.User) > 0 || t.listing(model.Assistant) > 0) {
		return // an exchange
	}
	if t != nil && g.role == "" && f.hasSpeakers(g) {
		t = nil // the speakers are inside
	}
	if t != nil && f.hasParts(g) && !sentences(t) && !named(t, textNames) && (paths[g.frame] != t.name() || t.any(isWord)) {
		t = nil
	}
	if t == nil {
		list = textList(g)
	}
	if t == nil && list == "" && !f.hasParts(g) && len(g.view.lists) == 0 {
		if name, args := f.nameAndArgs(g); name == nil || args == nil {
			return
		}
	}
	r.As, g.used = "message", true
	switch {
	case t != nil:
		r.Text = t.name()
		f.note(join(g.frame.at, r.Text), "text", 80, "the longest texts where the speaker is the %s", speakerName(g.class))
	case list != "":
		r.Text = list
	}
	if g.role != "" {
		if r.Role = g.role; strings.HasSuffix(g.role, "[]") {
			r.Role = "=" + speakerName(g.class)
		}
		f.note(join(g.frame.at, r.Role), "role", 90, "its values name who speaks: %s", strings.Join(valuesOf(g.frame, g.role), ", "))
	} else {
		r.Role = "=" + speakerName(g.class)
	}
	for _, s := range g.view.scalars {
		if named(s, thinkNames) && s.strings() && s.name() != r.Text {
			r.Reasoning = s.name()
		}
	}
}

func valuesOf(fr *frame, path string) (list []string) {
	for _, g := range fr.groups {
		for _, s := range g.signs {
			if s.path == path && !slices.Contains(list, s.value) && len(list) < 6 {
				list = append(list, s.value)
			}
		}
	}
	return list
}

// textList returns the path of the elements of a list of texts.
func textList(g *group) string {
	for _, l := range g.view.lists {
		if named(l, dullNames) {
			continue
		}
		texts, others := 0, 0
		for _, v := range l.values {
			for _, e := range v.list {
				if e.kind == jsonspan.String && v.kind == jsonspan.Array && !notText(e) {
					texts++
				} else {
					others++
				}
			}
		}
		if texts > others {
			return l.name() + "[]"
		}
	}
	return ""
}

// hasParts reports whether the objects contain parts of messages.
func (f *search) hasParts(g *group) bool {
	for _, fr := range f.frames {
		if fr.above == g.frame {
			for _, h := range fr.groups {
				if h.class != described.NoClass {
					return true
				}
			}
		}
	}
	return false
}

// hasSpeakers reports whether the objects contain others with a speaker.
func (f *search) hasSpeakers(g *group) bool {
	for _, fr := range f.frames {
		if fr.above == g.frame && slices.ContainsFunc(fr.groups, func(h *group) bool { return isRole(h.class) && h.role != "" && f.around(h.view.objs[0]) == g }) {
			return true
		}
	}
	return false
}

// hasKinds reports whether the objects of a group contain lists of parts with kinds.
func (f *search) hasKinds(g *group) bool {
	for _, fr := range f.frames {
		if fr.above != g.frame || fr.single() {
			continue
		}
		for _, h := range fr.groups {
			if (isKind(h.class) || h.class == described.Text) && f.around(h.view.objs[0]) == g {
				return true
			}
		}
	}
	return false
}

// rest adds the remaining paths of a rule.
func (f *search) rest(g *group) {
	r := &g.rule
	taken := map[string]bool{}
	for _, path := range r.Paths() {
		taken[*path] = true
	}
	pick := func(part *string, label string, confidence int, why string, score func(s *field) float64, fields []*field) {
		s := best(fields, func(s *field) float64 {
			if taken[s.name()] || s.depth() > 3 || g.isSign(s) {
				return 0
			}
			return score(s) * math.Pow(0.9, float64(len(s.path)))
		})
		if s != nil && *part == "" {
			*part = s.name()
			f.note(join(g.frame.at, s.name()), label, confidence, "%s", why)
		}
	}
	pick(&r.Time, "time", 85, "dates, or seconds since 1970", (*field).timeScore, g.view.scalars)
	pick(&r.Model, "model", 80, "names of models", func(s *field) float64 {
		if s.strings() {
			if share := s.share(func(v *value) bool { return looksLikeModel(v.text) }); share > 0.8 {
				return share
			}
		}
		return 0
	}, g.view.scalars)
	if g.class == described.Assistant {
		pick(&r.Usage, "usage", 80, "numbers of tokens", func(s *field) float64 {
			if named(s, usageNames) && f.kit.Usage(s.values[0].raw).Scope != 0 {
				return 1
			}
			return 0
		}, g.view.objects)
	}
	if r.As == "result" || r.Result != "" {
		pick(&r.Error, "error", 75, "says how a call ended", func(s *field) float64 { return f.errorScore(s) }, g.view.scalars)
	}
}

func (f *search) errorScore(s *field) float64 {
	status := s.strings() && s.share(func(v *value) bool { _, ok := f.kit.Outcome([]byte(strings.ToLower(v.text))); return ok }) > 0.9
	switch last := s.last(); {
	case last == "success" || last == "ok":
		return 0
	case last == "iserror" || last == "failed" || last == "error" || last == "exitcode":
		return 3
	case status:
		return 1
	}
	return 0
}

// groupsAround makes rules for the speakers around parts that are messages.
func (f *search) groupsAround() {
	for _, fr := range f.frames {
		for _, g := range fr.groups {
			if g.used || g.class != described.User && g.class != described.Assistant || g.frame.single() || !f.textFrames(g) {
				continue
			}
			g.rule.As, g.rule.Role, g.used = "message", fmt.Sprintf("=%s", speakerName(g.class)), true
		}
	}
}
