package infer

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"turns/model/format/described"
	"turns/model/jsonspan"
)

// around is the group of the nearest object around a value.
func (f *search) around(v *value) *group {
	for p := v.parent; p != nil; p = p.parent {
		if g := f.owner[p]; g != nil {
			return g
		}
	}
	return nil
}

// speaker is the class of who says what the objects of a group stand in, by most.
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

// single reports whether the objects of a frame are not the elements of a list: they
// are parts of what stands around them.
func (fr *frame) single() bool { return fr.above != nil && !strings.HasSuffix(fr.at, "[]") }

// decide says of each group what it is and where its parts stand.
func (f *search) decide() {
	for _, fr := range f.frames {
		for _, g := range fr.groups {
			f.refine(g)
		}
	}
	for _, fr := range f.frames { // what is a result may need to know the calls
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
}

// demote sees to it that what stands around a conversation is no message of it.
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
			for _, g := range a.groups {
				g.class, g.role = described.NoClass, ""
			}
		}
	}
}

// drop forgets calls and results that stand apart from the conversation, if there is
// one: what a run was given to do, or its score.
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

// dropEchoes forgets calls without arguments where others have them: events that
// report on calls.
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

// isData reports whether a frame lies in the arguments of a call, or in its result.
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

// refine checks by what the objects hold what the words said of them.
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
		if callLike && (f.speaker(g) == described.Assistant || first > later) {
			g.class = described.Call
		}
		if g.frame.single() && first+later == 0 {
			g.class = described.NoClass
		}
	case described.Call:
		if g.role != "" && f.hasKinds(g) { // why it stopped: the calls stand inside
			for _, s := range g.signs {
				if s.path == g.role {
					g.class = s.class
				}
			}
			return
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

func lastKey(at string) string {
	at = strings.TrimSuffix(at, "[]")
	return at[strings.LastIndexByte(at, '.')+1:]
}

func lastValue(g *group) string {
	if len(g.signs) == 0 {
		return ""
	}
	return g.signs[len(g.signs)-1].value
}

// turn is how many objects of a group have an id that stands elsewhere for the first
// time, or again.
func (f *search) turn(g *group) (first, later int) {
	for _, o := range g.view.objs {
		isFirst, isLater := false, false
		f.eachID(o, 2, func(v *value, all []*value) {
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

// eachID gives the ids of an object, and where else each stands.
func (f *search) eachID(o *value, depth int, yield func(v *value, all []*value)) {
	for _, v := range o.list {
		switch v.kind {
		case jsonspan.String, jsonspan.Number:
			if all := f.ids[v.said()]; len(all) > 1 && len(all) <= 6 && (v.kind == jsonspan.Number || looksLikeID(v.text)) {
				yield(v, all)
			}
		case jsonspan.Object:
			if depth > 1 && !v.isMap() {
				f.eachID(v, depth-1, yield)
			}
		}
	}
}

// partner is a group in which an id stands besides the one that it is asked for: of
// one of these classes, if any are named.
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

// refineResult finds the results among what no word told.
func (f *search) refineResult(g *group) {
	isCall := func(h *group) bool { return h.class == described.Call }
	switch g.class {
	case described.NoClass, described.Text:
		if len(g.view.objs) == 0 || g.frame.above == nil && len(g.signs) == 0 {
			return
		}
		n := 0
		for _, o := range g.view.objs {
			found := false
			f.eachID(o, 2, func(v *value, all []*value) { found = found || all[0] != v && f.partner(g, v, all, isCall) != nil })
			if found {
				n++
			}
		}
		if n*2 > len(g.view.objs) && outOf(g, f.nameOf(g.view, g.signs...), nil) != nil {
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

// sameNames reports whether objects have the names of tools that calls have.
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

// textFrames reports whether the objects hold others that are parts of a message.
func (f *search) textFrames(g *group) bool {
	for _, fr := range f.frames {
		if fr.above == g.frame && strings.HasSuffix(fr.at, "[]") {
			return true
		}
	}
	return false
}

// nameOf is the field with the name of the tool.
func (f *search) nameOf(w *view, signs ...sign) *field { return f.nameBeside(w, nil, signs) }

// nameAndArgs are the fields with the name of the tool and the arguments of a call:
// they mostly stand side by side.
func (f *search) nameAndArgs(g *group) (name, args *field) {
	args = argsOf(g, nil)
	if name = f.nameBeside(g.view, args, g.signs); name != nil {
		args = argsOf(g, name)
	}
	return name, args
}

func beside(a, b *field) bool {
	return len(a.path) == len(b.path) && slices.Equal(a.path[:len(a.path)-1], b.path[:len(b.path)-1])
}

// holds reports whether an object is around what tells the kind of the objects.
func (g *group) holds(o *field) bool {
	return slices.ContainsFunc(g.signs, func(s sign) bool { return strings.HasPrefix(s.path, o.name()+".") })
}

func (f *search) nameBeside(w *view, args *field, signs []sign) *field {
	return best(w.scalars, func(s *field) float64 {
		if slices.ContainsFunc(signs, func(t sign) bool { return t.path == s.name() }) {
			return 0
		}
		if len(s.path) > 3 || !s.strings() || s.share(func(v *value) bool { return looksLikeName(v.text) }) < 0.8 || len(s.values)*2 < len(w.objs) {
			return 0
		}
		score := 1.0
		switch {
		case named(s, nameNames):
			score = 6
		case named(s, dullNames) || named(s, timeNames) || named(s, errorNames) || s.last() == "type" || s.last() == "role" || s.last() == "kind":
			return 0
		}
		told := func(v *value) bool {
			_, outcome := f.kit.Outcome([]byte(strings.ToLower(v.text)))
			return outcome || described.ClassOf(v.text) != described.NoClass
		}
		if score < 6 && (s.share(told) > 0.7 || s.share(func(v *value) bool {
			return looksLikeID(v.text) && len(f.ids[v.text]) > 0 && strings.ContainsAny(v.text, "0123456789")
		}) > 0.5) {
			return 0
		}
		if s.distinct() < len(s.values) {
			score *= 1.2
		}
		if args != nil && beside(s, args) {
			score *= 2.5
		}
		score *= 1 + 0.4*s.share(func(v *value) bool { return strings.Contains(v.text, "_") || strings.ToLower(v.text) != v.text })
		return score * math.Pow(0.85, float64(len(s.path)))
	})
}

// argsOf is the field with the arguments of a call.
func argsOf(g *group, name *field) *field {
	w := g.view
	score := func(o *field) float64 {
		if len(o.path) > 3 || len(o.values)*3 < len(w.objs) {
			return 0
		}
		s := math.Log(o.size() + 3)
		switch {
		case named(o, argsNames):
			s *= 4
		case named(o, usageNames) || named(o, dullNames) || o.last() == "metadata" || o.last() == "meta" || o.last() == "cachecontrol":
			s *= 0.05
		case named(o, outNames):
			s *= 0.3
		}
		if name != nil && beside(o, name) {
			s *= 2
		}
		return s * math.Pow(0.8, float64(len(o.path)))
	}
	return best(append(slices.Clone(w.objects), w.scalars...), func(o *field) float64 {
		if o.values[0].kind == jsonspan.Object {
			if name != nil && len(o.path) < len(name.path) && slices.Equal(o.path, name.path[:len(o.path)]) || g.holds(o) || wraps(w, o) {
				return 0
			}
			return score(o)
		}
		if !o.strings() || o == name {
			return 0
		}
		if o.share(func(v *value) bool { return v.packed }) > 0.5 {
			return 1.5 * score(o)
		}
		if named(o, argsNames) {
			return 0.5 * score(o)
		}
		return 0
	})
}

// wraps reports whether an object holds the text of arguments beside a name.
func wraps(w *view, o *field) bool {
	return slices.ContainsFunc(w.scalars, func(s *field) bool {
		return len(s.path) == len(o.path)+1 && slices.Equal(s.path[:len(o.path)], o.path) && s.strings() && s.share(func(v *value) bool { return v.packed }) > 0.5
	})
}

// outOf is the field with what a result says.
func outOf(g *group, name, args *field) *field {
	w := g.view
	all := append(append(slices.Clone(w.scalars), w.lists...), w.objects...)
	return best(all, func(o *field) float64 {
		if len(o.path) > 3 || o == name || o == args || g.isSign(o) || g.holds(o) || args != nil && strings.HasPrefix(args.name(), o.name()+".") || args != nil && o.name() == args.name() || name != nil && slices.Equal(o.path, name.path[:min(len(o.path), len(name.path))]) {
			return 0
		}
		s := math.Log(o.size()+2) * (0.2 + float64(len(o.values))/float64(len(w.objs)))
		switch {
		case named(o, outNames):
			s *= 4
		case named(o, dullNames) || named(o, timeNames) || named(o, usageNames) || named(o, errorNames) || strings.HasSuffix(o.last(), "id"):
			s *= 0.1
		case o.last() == "metadata" || o.last() == "meta" || o.last() == "details":
			s *= 0.3
		}
		if o.values[0].kind == jsonspan.String && o.share(func(v *value) bool { return looksLikeTime(v.text) || isUUID(v.text) || longID(v.text) }) > 0.5 {
			return 0
		}
		if o.values[0].kind == jsonspan.Number || o.values[0].kind == jsonspan.Bool {
			s *= 0.1
		}
		return s * math.Pow(0.7, float64(len(o.path)))
	})
}

func (g *group) isSign(o *field) bool {
	return slices.ContainsFunc(g.signs, func(s sign) bool { return s.path == o.name() })
}

// idOf is the field of a group whose values stand in groups of another kind, too.
func (f *search) idOf(g *group, is func(*group) bool) *field {
	return best(g.view.scalars, func(s *field) float64 {
		if len(s.path) > 3 {
			return 0
		}
		n := 0
		for _, v := range s.values {
			if all := f.ids[v.said()]; len(all) > 1 && f.partner(g, v, all, is) != nil && s.distinct()*2 >= len(s.values) {
				n++
			}
		}
		return float64(n) / float64(len(g.view.objs)) * math.Pow(0.95, float64(len(s.path)))
	})
}

// textOf is the field with what is said; those that others of the frame have are
// preferred.
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

// textPaths is the path of what is said that most messages of each frame have.
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
					weight = 3 // has little else
				}
				count[t.name()] += weight * len(t.values)
			}
		}
		most := 0
		for path, n := range count {
			if n > most || n == most && path < paths[fr] {
				paths[fr], most = path, n
			}
		}
	}
	return paths
}

// rule makes the rule of a group.
func (f *search) rule(g *group, paths map[*frame]string) {
	r := &g.rule
	for _, s := range g.signs {
		r.When = append(r.When, s.path+"="+s.value)
	}
	if g.frame.single() {
		if !isKind(g.class) || g.class == described.Reasoning || f.told(g) {
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
		f.messageRule(g, speaker, paths)
	case described.Text, described.NoClass:
		if speaker == described.NoClass || g.frame.above == nil || g.class == described.NoClass && len(g.signs) > 0 {
			return
		}
		t := f.textOf(g, paths)
		if t == nil || g.class == described.NoClass && (!isRole(f.around(g.view.objs[0]).class) || !sentences(t) && !named(t, textNames)) {
			return
		}
		r.As, r.Text, g.used = "text", t.name(), true
		if g.class == described.NoClass {
			if r.When = append(r.When, t.name()); speaker == described.Tool { // part of a result, which is kept as it is
				g.used = false
				return
			}
		}
		f.note(join(g.frame.at, t.name()), "text", 70, "texts of the %s around them", speakerName(speaker))
	}
	if g.used {
		f.rest(g)
	}
}

// told reports whether what stands around the objects of a group tells the same.
func (f *search) told(g *group) bool {
	a := f.around(g.view.objs[0])
	return a != nil && isKind(a.class) && a.used
}

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
	if name != nil {
		r.Tool = name.name()
		f.note(join(g.frame.at, r.Tool), "tool", 80, "%d short names, %d of them different", len(name.values), name.distinct())
	}
	if args != nil {
		r.Arguments = args.name()
		f.note(join(g.frame.at, r.Arguments), "arguments", 75, "an object, or the text of one, beside the name")
	}
	if id := f.idOf(g, func(h *group) bool { return h.class == described.Result }); id != nil {
		r.ID = id.name()
		f.note(join(g.frame.at, r.ID), "id", 90, "its values come again in results")
		return
	}
	id := f.namedID(g)
	r.ID = id
	if f.noResults() {
		if out := outOf(g, name, args); out != nil && (named(out, outNames) || out.size() > 12) {
			r.Result = out.name()
			f.note(join(g.frame.at, r.Result), "result", 60, "the largest field beside the arguments")
		}
	}
}

// noResults reports whether nothing else is a result.
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

// namedID is a field whose name says that it is the id of a call.
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
	id := f.idOf(g, func(h *group) bool { return h.class == described.Call })
	out := outOf(g, name, id)
	if out == nil {
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

// messageRule is that of a group whose speaker is known.
func (f *search) messageRule(g *group, around described.Class, paths map[*frame]string) {
	r := &g.rule
	t := f.textOf(g, paths)
	list := ""
	if t != nil && f.hasParts(g) && !sentences(t) && !named(t, textNames) && paths[g.frame] != t.name() {
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
		r.Role = g.role
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

// textList is the path of the elements of a list of texts.
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

// hasParts reports whether the objects hold others that are parts of messages.
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

// hasKinds reports whether the objects of a group hold lists of parts of some kind.
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

// rest finds what a rule says besides.
func (f *search) rest(g *group) {
	r := &g.rule
	taken := map[string]bool{}
	for _, path := range r.Paths() {
		taken[*path] = true
	}
	pick := func(part *string, label string, confidence int, why string, score func(s *field) float64, fields []*field) {
		s := best(fields, func(s *field) float64 {
			if taken[s.name()] || len(s.path) > 3 || g.isSign(s) {
				return 0
			}
			return score(s) * math.Pow(0.9, float64(len(s.path)))
		})
		if s != nil && *part == "" {
			*part = s.name()
			f.note(join(g.frame.at, s.name()), label, confidence, "%s", why)
		}
	}
	pick(&r.Time, "time", 85, "dates, or seconds since 1970", func(s *field) float64 {
		if s.share(func(v *value) bool {
			return v.kind == jsonspan.String && looksLikeTime(v.text) || v.kind == jsonspan.Number && timeNumber(string(v.raw))
		}) < 0.9 {
			return 0
		}
		if named(s, timeNames) {
			return 3
		}
		return 1
	}, g.view.scalars)
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

// groupsAround sees to it that the speaker of what stands around parts is known where
// the parts are messages.
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
