package infer

import (
	"slices"
	"strings"

	"turns/model/format/described"
	"turns/model/jsonspan"
)

// around returns the group of the nearest object around a value.
func (f *search) around(v *value) *group {
	for p := v.parent; p != nil; p = p.parent {
		if g := f.owner[p]; g != nil {
			return g
		}
	}
	return nil
}

// speaker returns the class of the speaker around a group's objects, by majority.
func (f *search) speaker(g *group) described.Class {
	var count [described.Tool + 1]int
	for _, o := range g.view.objs {
		for a := f.around(o); a != nil; a = f.around(a.view.objs[0]) {
			c := a.class
			switch c {
			case described.Call, described.Reasoning:
				c = described.Assistant
			case described.Result:
				c = described.Tool
			}
			if isRole(c) {
				count[c]++
				break
			}
		}
	}
	most := described.NoClass
	for c := range count {
		if count[c] > count[most] {
			most = described.Class(c)
		}
	}
	return most
}

// single reports whether the objects of a frame are parts of the surrounding object rather than
// elements of a list.
func (fr *frame) single() bool { return fr.above != nil && !strings.HasSuffix(fr.at, "[]") }

// decide determines the kind of each group and the paths of its parts.
func (f *search) decide() {
	for _, fr := range f.frames {
		for _, g := range fr.groups {
			f.refine(g)
		}
	}
	f.worded = f.hasWordedResults()
	for _, fr := range f.frames { // recognising results may require the calls
		for _, g := range fr.groups {
			f.refineResult(g)
		}
	}
	f.demote()
	f.drop()
	f.dropEchoes()
	paths := f.textPaths()
	for _, fr := range f.frames {
		if fr.data = f.isData(fr); fr.data {
			continue
		}
		for _, g := range fr.groups {
			f.rule(g, paths)
		}
		slices.SortStableFunc(fr.groups, func(a, b *group) int { return len(b.rule.When) - len(a.rule.When) })
	}
	f.groupsAround()
	f.turns()
}

// hasWordedResults reports whether the kinds of objects name them as results with ids of calls:
// then no other objects are results.
func (f *search) hasWordedResults() bool {
	isCall := func(h *group) bool { return h.class == described.Call }
	for _, fr := range f.frames {
		for _, g := range fr.groups {
			if g.class == described.Result && g.names(described.Result) && f.idOf(g, isCall) != nil {
				return true
			}
		}
	}
	return false
}

// demote removes the roles of objects around a conversation, which are not messages of it.
func (f *search) demote() {
	for _, fr := range f.frames {
		roles := map[described.Class]bool{}
		for _, g := range fr.groups {
			if g.role != "" && !fr.single() {
				roles[g.class] = true
			}
		}
		if !roles[described.User] || !roles[described.Assistant] {
			continue
		}
		for a := fr.above; a != nil; a = a.above {
			if a.hasTurns() && len(a.objs) > len(fr.objs) { // the state so far, a repeat
				fr.forget()
				break
			}
			a.forget()
		}
	}
}

// forget marks objects as not part of the conversation.
func (fr *frame) forget() {
	for _, g := range fr.groups {
		g.class, g.role = described.NoClass, ""
	}
}

// drop forgets calls and results apart from the conversation, if there is one: the input of a run,
// or its score.
func (f *search) drop() {
	if !slices.ContainsFunc(f.frames, (*frame).hasTurns) {
		return
	}
	for _, fr := range f.frames {
		if slices.ContainsFunc(fr.groups, func(g *group) bool { return isRole(g.class) }) {
			continue
		}
		for _, g := range fr.groups {
			if isKind(g.class) && f.speaker(g) == described.NoClass {
				g.class = described.NoClass
			}
		}
	}
}

// hasTurns reports whether a user and an assistant speak in a frame.
func (fr *frame) hasTurns() bool {
	user, assistant := false, false
	for _, g := range fr.groups {
		user = user || g.class == described.User
		assistant = assistant || g.class == described.Assistant
	}
	return user && assistant && !fr.single()
}

// dropEchoes forgets calls without arguments if others have them: these are events about calls.
func (f *search) dropEchoes() {
	var bare []*group
	whole := false
	for _, fr := range f.frames {
		for _, g := range fr.groups {
			if g.class != described.Call {
				continue
			}
			if _, args := f.nameAndArgs(g); args == nil {
				bare = append(bare, g)
			} else {
				whole = true
			}
		}
	}
	for _, g := range bare {
		if whole {
			g.class = described.NoClass
		}
	}
}

// isData reports whether a frame is in the arguments of a call, or in its result.
func (f *search) isData(fr *frame) bool {
	for a := fr.above; a != nil; a = a.above {
		if a.data {
			return true
		}
		for _, g := range a.groups {
			for _, path := range []string{g.rule.Arguments, g.rule.Result} {
				if path = join(a.at, path); g.used && path != a.at && (fr.at == path || strings.HasPrefix(fr.at, path+".") || strings.HasPrefix(fr.at, path+"[]")) &&
					f.around(fr.objs[0]) == g {
					return true
				}
			}
		}
	}
	return false
}

// refine corrects the class of a group by the content of its objects.
func (f *search) refine(g *group) {
	name, args := f.nameAndArgs(g)
	callLike := name != nil && args != nil
	if g.class == described.NoClass || g.class == described.Tool || g.class == described.Result && len(g.signs) == 0 {
		if c := described.ClassOf(lastKey(g.frame.at)); g.class == described.NoClass && g.frame.above != nil && (c == described.Call || c == described.Result && g.frame.single()) {
			g.class = c
		}
	}
	first, later := f.turn(g)
	switch g.class {
	case described.Tool:
		g.class = described.Result
		if callLike && (f.speaker(g) == described.Assistant || g.names(described.Assistant) || first > later || first+later == 0 && answers(g, name, args)) {
			g.class = described.Call
		}
		if g.frame.single() && first+later == 0 {
			g.class = described.NoClass
		}
	case described.Call:
		if g.role != "" && f.hasKinds(g) { // a reason for stopping: the calls are inside
			for _, s := range g.signs {
				if s.path == g.role {
					g.class = s.class
				}
			}
			return
		}
		if args == nil && later > first {
			if out := outOf(g, name, nil); out != nil && (out.isOut() || out.strings() && out.share(notText) < 0.5 && !named(out, dullNames)) {
				g.class = described.Result // the progress of a call
				return
			}
		}
		if name == nil && args == nil {
			g.class = described.NoClass
			if strings.EqualFold(lastValue(g), "request") {
				g.class = described.User
			}
		}
	case described.NoClass, described.Text:
		speaker := f.speaker(g)
		switch {
		case g.class == described.Text && f.textOf(g, nil) != nil && !callLike:
		case callLike && first > later, callLike && first == later && speaker == described.Assistant && f.textOf(g, nil) == nil,
			name != nil && first > 0 && later == 0 && speaker == described.Assistant:
			g.class = described.Call
		}
	}
}

// answers reports whether results are next to the arguments of calls.
func answers(g *group, name, args *field) bool {
	out := outOf(g, name, args)
	return out != nil && siblings(out, args) && (out.isOut() || out.size() > 12)
}

// names reports whether a sign of a group names a speaker.
func (g *group) names(c described.Class) bool {
	return slices.ContainsFunc(g.signs, func(s sign) bool { return s.class == c })
}

func lastKey(at string) string {
	at = strings.TrimSuffix(at, "[]")
	if key, quoted := strings.CutSuffix(at, `"`); quoted {
		return key[strings.LastIndexByte(key, '"')+1:]
	}
	return at[strings.LastIndexByte(at, '.')+1:]
}

func lastValue(g *group) string {
	if len(g.signs) == 0 {
		return ""
	}
	return g.signs[len(g.signs)-1].value
}

// turn counts the objects of a group with an id that also occurs elsewhere: as its first
// occurrence, or a later one.
func (f *search) turn(g *group) (first, later int) {
	for _, o := range g.view.objs {
		isFirst, isLater := false, false
		f.eachID(o, 3, func(v *value, all []*value) {
			if f.partner(g, v, all, nil) == nil {
				return
			}
			if all[0] == v {
				isFirst = true
			} else {
				isLater = true
			}
		})
		switch {
		case isLater:
			later++
		case isFirst:
			first++
		}
	}
	return first, later
}

// eachID yields the ids of an object, with all occurrences of each.
func (f *search) eachID(o *value, depth int, yield func(v *value, all []*value)) {
	for _, v := range o.list {
		switch v.kind {
		case jsonspan.String, jsonspan.Number:
			if all := f.ids[v.scalarText()]; len(all) > 1 && len(all) <= 6 && (v.kind == jsonspan.Number || looksLikeID(v.text)) {
				yield(v, all)
			}
		case jsonspan.Object:
			if depth > 1 && !v.isMap() {
				f.eachID(v, depth-1, yield)
			}
		}
	}
}

// partner returns another group in which an id occurs, nil if there is none. With is, it must be
// one that is accepts.
func (f *search) partner(g *group, v *value, all []*value, is func(*group) bool) *group {
	for _, other := range all {
		if other == v {
			continue
		}
		h := f.around(other)
		if h == nil || h == g || h.frame == g.frame && sameSigns(h, g) {
			continue
		}
		if is == nil || is(h) {
			return h
		}
	}
	return nil
}

func sameSigns(a, b *group) bool {
	return slices.EqualFunc(a.signs, b.signs, func(x, y sign) bool { return x == y })
}

// refineResult finds results among groups without a telling word.
func (f *search) refineResult(g *group) {
	isCall := func(h *group) bool { return h.class == described.Call }
	switch g.class {
	case described.NoClass, described.Text:
		if f.worded || len(g.view.objs) == 0 || g.frame.above == nil && len(g.signs) == 0 || slices.ContainsFunc(g.signs, sign.ofUser) {
			return
		}
		n := 0
		for _, o := range g.view.objs {
			found := false
			f.eachID(o, 3, func(v *value, all []*value) { found = found || all[0] != v && f.partner(g, v, all, isCall) != nil })
			if found {
				n++
			}
		}
		if mostOf(n, len(g.view.objs)) && outOf(g, f.nameOf(g.view, g.signs...), nil) != nil {
			g.class = described.Result
			return
		}
		if s := f.speaker(g); g.frame.single() && s != described.Assistant && f.sameNames(g) && outOf(g, f.nameOf(g.view, g.signs...), nil) != nil {
			g.class = described.Result
		}
	case described.Result:
		if f.idOf(g, isCall) == nil && len(g.signs) > 0 && strings.EqualFold(lastValue(g), "response") && f.textFrames(g) {
			g.class = described.Assistant
		}
	}
}

// ofUser reports whether a kind begins with the user: a user's action on a call, such as confirming
// it, is not a result.
func (s sign) ofUser() bool {
	first, _, _ := strings.Cut(strings.ReplaceAll(s.value, "_", "."), ".")
	return described.ClassOf(first) == described.User
}

// sameNames reports whether objects have the same tool names as calls.
func (f *search) sameNames(g *group) bool {
	name := f.nameOf(g.view, g.signs...)
	if name == nil {
		return false
	}
	called := map[string]bool{}
	for _, fr := range f.frames {
		for _, h := range fr.groups {
			if h.class != described.Call || h == g {
				continue
			}
			if n := f.nameOf(h.view, h.signs...); n != nil {
				for _, v := range n.values {
					called[v.text] = true
				}
			}
		}
	}
	return name.share(func(v *value) bool { return called[v.text] }) > 0.7
}

// textFrames reports whether the objects contain parts of a message.
func (f *search) textFrames(g *group) bool {
	return slices.ContainsFunc(f.frames, func(fr *frame) bool { return fr.above == g.frame && strings.HasSuffix(fr.at, "[]") })
}

// textOf returns the field with the text. It prefers the path that is usual in the frame.
func (f *search) textOf(g *group, paths map[*frame]string) *field {
	return best(g.view.scalars, func(s *field) float64 {
		if g.isSign(s) {
			return 0
		}
		score := textScore(s, len(g.view.objs))
		if paths != nil && paths[g.frame] == s.name() {
			score *= 4
		}
		return score
	})
}

// textPaths returns the path of the text in most messages of each frame.
func (f *search) textPaths() map[*frame]string {
	paths := map[*frame]string{}
	for _, fr := range f.frames {
		count := map[string]int{}
		for _, g := range fr.groups {
			if !isRole(g.class) && g.class != described.Text {
				continue
			}
			if t := f.textOf(g, nil); t != nil {
				weight := 1
				if g.class == described.User {
					weight = 3 // has few other fields
				}
				count[t.name()] += weight * len(t.values)
			}
		}
		most := 0
		for path := range count {
			count[path] *= fr.sharing(path)
		}
		for path, n := range count {
			if n > most || n == most && path < paths[fr] {
				paths[fr], most = path, n
			}
		}
	}
	return paths
}

// sharing returns the number of speakers with a field.
func (fr *frame) sharing(path string) (n int) {
	var seen [described.Tool + 1]bool
	for _, g := range fr.groups {
		if !seen[g.class] && slices.ContainsFunc(g.view.scalars, func(s *field) bool { return s.name() == path }) {
			seen[g.class] = true
			n++
		}
	}
	return n
}
