package infer

import (
	"math"
	"slices"
	"strings"

	"turns/model/format/described"
	"turns/model/jsonspan"
)

// nameOf returns the field with the name of the tool.
func (f *search) nameOf(w *view, signs ...sign) *field { return f.nameNear(w, nil, signs) }

// nameAndArgs returns the fields with the name of the tool and the arguments of a call. They are
// usually next to each other.
func (f *search) nameAndArgs(g *group) (name, args *field) {
	args = argsOf(g, nil)
	if name = f.nameNear(g.view, args, g.signs); name != nil {
		args = argsOf(g, name)
	}
	if args == nil && name == nil && g.class == described.Call && g.kindPath() != "" {
		args = f.steady(g)
	}
	return name, args
}

// steady returns the text that describes an unnamed call: it stays the same in all records about
// the call.
func (f *search) steady(g *group) *field {
	id := f.stateID(g, nil, nil)
	if id == nil {
		return nil
	}
	return best(g.view.scalars, func(s *field) float64 {
		if !s.strings() || s == id || g.isSign(s) || s.isKindLike() || s.most(func(v *value) bool { return looksLikeID(v.text) || isWord(v) }) {
			return 0
		}
		was := map[string]string{}
		for _, o := range g.view.objs {
			v, of := o.at(s.path), o.at(id.path)
			if v == nil || of == nil || len(v.text) < 2 {
				return 0
			}
			if before, ok := was[of.scalarText()]; ok && before != v.text {
				return 0
			}
			was[of.scalarText()] = v.text
		}
		return s.size()
	})
}

// grown returns the field with the result: it has more content in later records about a call.
func (g *group) grown(id, name, args *field) *field {
	w := g.view
	return best(slices.Concat(w.scalars, w.lists, w.objects), func(s *field) float64 {
		kind := s.values[0].kind
		if s == id || s == name || s == args || g.isSign(s) || g.holds(s) || kind == jsonspan.Number || kind == jsonspan.Bool || s.isKindLike() ||
			s.any(func(v *value) bool { return looksLikeTime(v.text) || slices.Contains(stateWords, v.text) }) {
			return 0
		}
		was := map[string]int{}
		more := 0
		for _, o := range w.objs {
			size, of := 2, o.at(id.path)
			if v := o.at(s.path); v != nil {
				size = len(v.raw)
			}
			// of null, or an empty string
			if before, ok := was[of.scalarText()]; ok && before <= 4 && size > 4 {
				more += size
			}
			was[of.scalarText()] = size
		}
		return float64(more) * math.Pow(0.7, float64(len(s.path)))
	})
}

func siblings(a, b *field) bool {
	return len(a.path) == len(b.path) && slices.Equal(a.path[:len(a.path)-1], b.path[:len(b.path)-1])
}

// holds reports whether an object contains the signs of the group.
func (g *group) holds(o *field) bool {
	return slices.ContainsFunc(g.signs, func(s sign) bool { return strings.HasPrefix(s.path, o.name()+".") })
}

func (f *search) nameNear(w *view, args *field, signs []sign) *field {
	return best(w.scalars, func(s *field) float64 {
		if slices.ContainsFunc(signs, func(t sign) bool { return t.path == s.name() }) {
			return 0
		}
		if s.depth() > 3 || !s.strings() || s.share(func(v *value) bool { return looksLikeName(v.text) }) < 0.8 || !halfOf(len(s.values), len(w.objs)) {
			return 0
		}
		score := 1.0
		switch {
		case named(s, nameNames):
			score = 6
		case named(s, dullNames) || named(s, timeNames) || named(s, errorNames) || s.last() == "type" || s.last() == "role" || s.last() == "kind":
			return 0
		}
		known := func(v *value) bool {
			_, outcome := f.kit.Outcome([]byte(strings.ToLower(v.text)))
			return outcome || described.ClassOf(v.text) != described.NoClass
		}
		if score < 6 && (s.share(known) > 0.7 || s.most(func(v *value) bool {
			return looksLikeID(v.text) && len(f.ids[v.text]) > 0 && strings.ContainsAny(v.text, "0123456789")
		})) {
			return 0
		}
		if s.distinct() < len(s.values) {
			score *= 1.2
		}
		if s.distinct() == 1 && len(s.values) > 1 && strings.ContainsAny(s.values[0].text, "/:") {
			score *= 0.2 // the name of a method
		}
		if args != nil && siblings(s, args) {
			score *= 2.5
		}
		score *= 1 + 0.4*s.share(func(v *value) bool { return strings.Contains(v.text, "_") || strings.ToLower(v.text) != v.text })
		return score * math.Pow(0.85, float64(len(s.path)))
	})
}

// argsOf returns the field with the arguments of a call.
func argsOf(g *group, name *field) *field {
	w := g.view
	score := func(o *field) float64 {
		if o.depth() > 3 || len(o.values)*3 < len(w.objs) {
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
		if name != nil && siblings(o, name) {
			s *= 2
		}
		return s * math.Pow(0.8, float64(len(o.path)))
	}
	args := best(append(slices.Clone(w.objects), w.scalars...), func(o *field) float64 {
		if name != nil && len(o.path) < len(name.path) && slices.Equal(o.path, name.path[:len(o.path)]) {
			return 0 // the name is inside
		}
		if o.values[0].kind == jsonspan.Object {
			if g.holds(o) || wraps(w, o) {
				return 0
			}
			return score(o)
		}
		if !o.strings() || o == name {
			return 0
		}
		if o.packed() {
			return 1.5 * score(o)
		}
		if named(o, argsNames) {
			return 0.5 * score(o)
		}
		return 0
	})
	if args != nil {
		return args
	}
	return best(w.scalars, func(o *field) float64 {
		if o == name || !o.strings() || !named(o, workNames) {
			return 0
		}
		return score(o)
	})
}

// wraps reports whether an object contains the text of arguments next to a name, or the arguments
// next to the state of the call.
func wraps(w *view, o *field) bool {
	inside := func(s *field) bool { return len(s.path) == len(o.path)+1 && slices.Equal(s.path[:len(o.path)], o.path) }
	if slices.ContainsFunc(w.objects, func(s *field) bool { return inside(s) && (named(s, argsNames) || mostOf(len(s.values), len(o.values))) }) &&
		slices.ContainsFunc(w.scalars, func(s *field) bool {
			return inside(s) && s.strings() && s.share(func(v *value) bool { return slices.Contains(stateWords, strings.ToLower(v.text)) }) > 0.8
		}) {
		return true
	}
	return slices.ContainsFunc(w.scalars, func(s *field) bool {
		return len(s.path) == len(o.path)+1 && slices.Equal(s.path[:len(o.path)], o.path) && s.strings() && s.packed()
	})
}

// outOf returns the field with the result.
func outOf(g *group, name, args *field) *field {
	w := g.view
	all := append(append(slices.Clone(w.scalars), w.lists...), w.objects...)
	return best(all, func(o *field) float64 {
		if o.depth() > 3 || o == name || o == args || g.isSign(o) || g.holds(o) || args != nil && strings.HasPrefix(args.name(), o.name()+".") || args != nil && o.name() == args.name() || name != nil && slices.Equal(o.path, name.path[:min(len(o.path), len(name.path))]) {
			return 0
		}
		if o.all((*value).blank) {
			return 0
		}
		s := math.Log(o.size()+2) * (0.2 + float64(len(o.values))/float64(len(w.objs)))
		switch {
		case o.isOut():
			s *= 4
		case o.isKindLike() && !named(o, textNames) || o.last() == "type" || o.last() == "kind":
			s *= 0.1
		case named(o, dullNames) || named(o, timeNames) || named(o, usageNames) || named(o, errorNames) || strings.HasSuffix(o.last(), "id"):
			s *= 0.1
		case o.last() == "metadata" || o.last() == "meta" || o.last() == "details":
			s *= 0.3
		}
		if o.values[0].kind == jsonspan.String && o.most(func(v *value) bool {
			return looksLikeTime(v.text) || isUUID(v.text) || longID(v.text) || plainID(v.text)
		}) {
			return 0
		}
		if o.values[0].kind == jsonspan.Number || o.values[0].kind == jsonspan.Bool {
			s *= 0.1
		}
		return s * math.Pow(0.7, float64(len(o.path)))
	})
}

func (g *group) isSign(o *field) bool {
	return slices.ContainsFunc(g.signs, func(s sign) bool { return s.path == o.name() && s.value != "" })
}

// idOf returns the field of a group whose values also occur in groups of another kind.
func (f *search) idOf(g *group, is func(*group) bool) *field {
	return best(g.view.scalars, func(s *field) float64 {
		if s.depth() > 3 || !halfOf(s.distinct(), len(s.values)) {
			return 0
		}
		n := 0
		for _, v := range s.values {
			if all := f.ids[v.scalarText()]; len(all) > 1 && f.partner(g, v, all, is) != nil {
				n++
			}
		}
		return float64(n) / float64(len(g.view.objs)) * math.Pow(0.95, float64(len(s.path)))
	})
}
