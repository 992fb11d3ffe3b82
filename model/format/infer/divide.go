package infer

import (
	"slices"
	"strings"
	"unicode/utf8"

	"turns/model"
	"turns/model/format/described"
	"turns/model/jsonspan"
)

// sign is a field that distinguishes kinds of objects, with one of its values; "" is any.
type sign struct {
	path  string
	value string
	class described.Class
}

// condition returns the sign in the syntax of a rule.
func (s sign) condition() string {
	if s.value == "" {
		return s.path
	}
	return s.path + "=" + s.value
}

// group contains the objects of one kind.
type group struct {
	frame *frame
	signs []sign
	view  *view
	class described.Class // kind of the objects
	role  string          // path of the role
	rule  described.Rule
	used  bool
}

// frame contains the objects at one place.
type frame struct {
	at     string
	objs   []*value
	groups []*group
	above  *frame
	data   bool // inside the arguments of a call, or its result
}

// divide splits the objects of a frame into groups.
func (f *frame) divide() { f.split(f.objs, nil, 0) }

// maxSigns limits the fields that distinguish kinds.
const maxSigns = 3

func (f *frame) split(objs []*value, signs []sign, depth int) {
	w := viewOf(objs)
	if depth < maxSigns {
		if by := w.discriminator(signs); by != nil {
			kinds := map[string][]*value{}
			var order []string
			for _, o := range objs {
				kind := ""
				if v := end(o.at(by.path)); v != nil && v.kind == jsonspan.String {
					kind = v.text
				}
				if kinds[kind] == nil {
					order = append(order, kind)
				}
				kinds[kind] = append(kinds[kind], o)
			}
			for _, kind := range order {
				s := sign{by.name(), kind, described.ClassOf(kind)}
				if by.ends {
					s.path += "[]"
				}
				if kind == "" {
					f.split(kinds[kind], signs, depth+1)
					continue
				}
				f.split(kinds[kind], append(slices.Clip(signs), s), depth+1)
			}
			return
		}
		if keys := w.variants(); keys != nil {
			for _, key := range keys {
				kind := slices.DeleteFunc(slices.Clone(objs), func(o *value) bool { return o.at([]string{key}) == nil })
				f.split(kind, append(slices.Clip(signs), sign{path: described.Quoted(key), class: described.ClassOf(key)}), maxSigns)
			}
			return
		}
	}
	g := &group{frame: f, signs: signs, view: w}
	g.classify()
	f.groups = append(f.groups, g)
}

// variants returns keys of which each object has exactly one, with an object or a text that is its
// content: {"text": "…"}, {"functionCall": {…}}.
func (w *view) variants() (keys []string) {
	has := map[string][]*value{}
	var names []string
	for _, o := range w.objs {
		for i, k := range o.keys {
			if kind := o.list[i].kind; writable(k) && (kind == jsonspan.Object || kind == jsonspan.String) {
				if has[k] == nil {
					names = append(names, k)
				}
				has[k] = append(has[k], o)
			}
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return len(has[b]) - len(has[a]) })
	taken, objects := map[*value]bool{}, false
	for _, k := range names {
		if slices.ContainsFunc(has[k], func(o *value) bool { return taken[o] }) {
			continue
		}
		for _, o := range has[k] {
			taken[o] = true
		}
		keys, objects = append(keys, k), objects || has[k][0].at([]string{k}).kind == jsonspan.Object
	}
	if len(keys) < 2 || len(keys) > maxVariants || len(taken) < len(w.objs) || !objects {
		return nil
	}
	return keys
}

// maxVariants limits the kinds of objects distinguished by their keys.
const maxVariants = 6

// weights are the significance of each class.
var weights = [...]float64{described.User: 3, described.Assistant: 3, described.System: 2, described.Developer: 2, described.Text: 1,
	described.Reasoning: 4, described.Call: 4, described.Result: 4, described.Tool: 3}

// discriminator returns the field that best distinguishes the kinds of objects and adds to the
// existing signs.
func (w *view) discriminator(signs []sign) *field {
	var role, kind, tool bool
	for _, s := range signs {
		role = role || isRole(s.class)
		tool = tool || s.class == described.Tool
		kind = kind || isKind(s.class)
	}
	return best(slices.Concat(w.scalars, w.ends()), func(f *field) float64 {
		if !f.strings() || slices.ContainsFunc(signs, func(s sign) bool { return strings.TrimSuffix(s.path, "[]") == f.name() }) {
			return 0
		}
		if f.depth() > 3 || f.last() == "id" && !f.ends || w.isAccount(f) {
			return 0 // of another object
		}
		distinct, n := f.distinct(), len(f.values)
		if n*10 < len(w.objs)*4 && len(signs) > 0 && len(f.path) > 1 || distinct > max(6, min(30, n/2+1)) && !f.kinds() ||
			f.most(func(v *value) bool { return looksLikeID(v.text) }) {
			return 0
		}
		classes, sum, known := map[described.Class]bool{}, 0.0, 0
		for _, v := range f.values {
			if len(v.text) > 48 || strings.Count(v.text, " ") > 2 || looksLikeModel(v.text) || strings.ContainsAny(v.text, "|=\"\\") || !utf8.ValidString(v.text) {
				return 0
			}
			c := described.ClassOf(v.text)
			if c == described.NoClass {
				continue
			}
			known++
			if tool && c == described.Tool || role && !isKind(c) && c != described.Tool && c != described.System || kind && (!isRole(c) || c == described.Tool) {
				continue // nothing new
			}
			if len(signs) > 0 && c == described.Text {
				continue
			}
			sum += weights[c]
			classes[c] = true
		}
		if sum == 0 || known*3 < n && len(classes) < 2 || len(signs) > 0 && known*10 < n*7 && len(classes) < 2 {
			return 0
		}
		if len(classes) == 1 && n > 1 && f.depth() > 1 && f.all(programName) {
			return 0
		}
		if len(classes) == 1 && known < n && classes[described.Tool] && w.hasSibling(f) {
			return 0 // name of a tool, one of which has such a name
		}
		if f.any(func(v *value) bool { return slices.Contains(stopWords, v.text) }) {
			return 0 // a reason for stopping
		}
		if f.most(func(v *value) bool { return slices.Contains(stateWords, strings.ToLower(v.text)) }) {
			return 0 // a state
		}
		if named(f, nameNames) && !named(f, []string{"name"}) || named(f, []string{"status", "state", "model"}) {
			sum *= 0.1
		}
		if exact(f) {
			sum *= 3
		}
		return sum / float64(len(w.objs)) * (1 + 0.2*float64(len(classes)))
	})
}

// isAccount reports whether a field is the kind of an account, because the object has a login
// as well. Such an account writes to people, even if its kind is User.
func (w *view) isAccount(f *field) bool {
	return f.last() == "type" && slices.ContainsFunc(w.scalars, func(s *field) bool { return s.last() == "login" && siblings(s, f) })
}

// end returns the last element of a list of words, such as the name of a class; other values
// unchanged.
func end(v *value) *value {
	if v != nil && v.kind == jsonspan.Array && len(v.list) > 1 && len(v.list) < 8 {
		return v.list[len(v.list)-1]
	}
	return v
}

// ends returns the fields with lists of words, with their last words as values.
func (w *view) ends() (list []*field) {
	for _, l := range w.lists {
		f := &field{path: l.path, ends: true}
		for _, v := range l.values {
			if last := end(v); last != v && last.kind == jsonspan.String && v.list[0].kind == jsonspan.String {
				f.values = append(f.values, last)
			}
		}
		if len(f.values) == len(l.values) {
			list = append(list, f)
		}
	}
	return list
}

// hasSibling reports whether an object, or JSON of one, is next to most values of a field.
func (w *view) hasSibling(f *field) bool {
	return slices.ContainsFunc(slices.Concat(w.objects, w.scalars), func(o *field) bool {
		return o != f && siblings(o, f) && mostOf(len(o.values), len(f.values)) &&
			(o.values[0].kind == jsonspan.Object || o.packed())
	})
}

// kinds reports whether values are kinds although there are many: single words, several of which
// name speakers, or calls and results.
func (f *field) kinds() bool {
	var has [described.Tool + 1]bool
	for _, v := range f.values {
		if strings.Contains(v.text, " ") {
			return false
		}
		has[described.ClassOf(v.text)] = true
	}
	return has[described.User] && has[described.Assistant] || has[described.Call] && has[described.Result] ||
		has[described.Call] && has[described.Assistant] && has[described.Reasoning]
}

// stopWords are reasons why models stop: a field with one has no other meaning.
var stopWords = []string{"stop", "end_turn", "length", "max_tokens", "stop_sequence", "STOP", "MAX_TOKENS", "aborted", "tool_calls", "tool-calls"}

// stateWords are states of progress, or outcomes.
var stateWords = []string{"completed", "complete", "done", "success", "succeeded", "finished", "failed", "failure", "error", "ok", "pending", "running",
	"in_progress", "started", "result", "output-available", "call", "incomplete", "none", "default"}

// exact reports whether all values are the names of roles.
func exact(f *field) bool {
	return f.all(func(v *value) bool { _, ok := model.ParseRole(strings.ToLower(v.text)); return ok })
}

// programName reports whether a value may be the name of a program that does not speak: "agent", or
// a name with another word.
func programName(v *value) bool {
	c := described.ClassOf(v.text)
	return c == described.NoClass || isRole(c) && (roleOf(v.text) == model.NoRole || v.text == "agent")
}

func isRole(c described.Class) bool {
	return c == described.User || c == described.Assistant || c == described.System || c == described.Developer || c == described.Tool
}

func isKind(c described.Class) bool {
	return c == described.Call || c == described.Result || c == described.Reasoning
}

// classify combines the classes of the signs.
func (g *group) classify() {
	for _, s := range g.signs {
		switch {
		case isKind(s.class):
			g.class = s.class
		case isRole(s.class):
			if g.class == described.System && s.class == described.Assistant {
				continue // of the agent, but still a system message
			}
			if !isKind(g.class) {
				g.class = s.class
			}
			g.role = s.path
		case s.class == described.Text && g.class == described.NoClass:
			g.class = described.Text
		}
	}
}
