package infer

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"turns/model"
	"turns/model/format/described"
	"turns/model/jsonspan"
)

// Talk finds conversations in layouts that people invent, in any list and under any key: records of
// questions and answers, rows with a speaker and a text, and lists of messages under names. It
// returns nil if there are none.
func Talk(s *model.Sample, kit described.Kit) *Found {
	t := &talk{kit: kit, document: s.Shape == model.Document, recorded: namesChat(s.Path)}
	if !t.gather(s) {
		return nil
	}
	var all []*account
	for _, p := range t.places {
		if a := t.account(p); a != nil {
			all = append(all, a)
		}
	}
	all = withoutParts(all)
	if len(all) == 0 {
		return nil
	}
	slices.SortStableFunc(all, func(a, b *account) int { return b.messages - a.messages })
	main := all[0]
	d := t.describe(main)
	if d == nil {
		return nil
	}
	format, err := described.Compile(d, kit)
	if err != nil {
		return nil
	}
	match := model.Match{}
	if s.Shape == model.Lines {
		match.Variant = 1
	}
	counts := Read(format, match, s)
	if counts.words == 0 || mostOf(counts.blank, counts.messages) {
		return nil
	}
	sum := 0
	for _, e := range main.evidence {
		sum += e.Confidence
	}
	found := &Found{Format: d, Evidence: main.evidence, Confidence: sum / max(1, len(main.evidence)), counts: counts, Left: t.left(main, all[1:]), Merged: main.merged, Several: main.several() || main.place.at == "[]" && !t.listed, Sessions: main.sessions}
	found.Reason = fmt.Sprintf("%d messages were inferred from %s", counts.messages, main.what)
	return found
}

// talk is the search for conversations in a sample.
type talk struct {
	kit      described.Kit
	document bool
	listed   bool // the document is a list of records
	recorded bool // the name of the file suggests a conversation
	places   []*place
}

// place has objects or rows that may be messages.
type place struct {
	at     string // path from the record, as descriptions have it
	above  *place // place with its lists; nil at the top
	rows   []*value
	groups [][]*value // the rows, by list
	named  bool       // the rows are members of an object whose keys are names
	lists  bool       // the rows are lists
	inner  bool       // the rows are single members of objects
	texts  bool       // the rows are texts
}

// account is a reading of a place as a conversation.
type account struct {
	place    *place
	messages int
	rules    []described.Rule
	roles    map[string]string
	columns  []string
	fields   *view // of the rows
	what     string
	evidence []Evidence
	sessions int
	apart    bool // each row is a conversation
	merged   bool // the lists of the place repeat one conversation
}

// several reports whether the messages are in lists under names, or in several lists.
func (a *account) several() bool {
	for p := a.place; p != nil; p = p.above {
		if p.named {
			return true
		}
	}
	return len(a.rules) > 1 && a.rules[0].Request == "."
}

func (a *account) note(field, part string, confidence int, format string, args ...any) {
	a.evidence = append(a.evidence, Evidence{strings.TrimSuffix(join(a.place.at, field), "."), part, confidence, fmt.Sprintf(format, args...)})
}

// gather reads the sample and lists the places in it.
func (t *talk) gather(s *model.Sample) bool {
	texts := s.Records
	if t.document {
		texts = [][]byte{s.Doc}
	} else if s.Shape != model.Lines {
		return false
	}
	b := &builder{}
	var roots []*value
	for _, text := range texts {
		c := jsonspan.New(text)
		if v := b.build(&c, nil, 0); v != nil {
			roots = append(roots, v)
		}
	}
	if t.document && len(roots) == 1 && roots[0].kind == jsonspan.Array {
		t.listed, roots = true, roots[0].list
	}
	lists, objects := only(roots, jsonspan.Array), only(roots, jsonspan.Object)
	switch {
	case len(objects) == 1 && len(roots) == 1 && !t.listed && objects[0].isNumbered():
		t.list("[]", [][]*value{objects[0].list}, nil, 0)
	case mostOf(len(objects), len(roots)) && len(objects) == 1 && !t.listed && objects[0].isNamed():
		t.members("", objects, nil, 0)
	case mostOf(len(objects), len(roots)):
		t.walk(&place{rows: objects, groups: [][]*value{objects}}, 0)
	case mostOf(len(lists), len(roots)) && (t.listed || len(roots) > 1):
		t.list("", [][]*value{lists}, nil, 0)
	case mostOf(len(only(roots, jsonspan.String)), len(roots)) && (t.listed || len(roots) > 1):
		t.places = append(t.places, &place{rows: only(roots, jsonspan.String), texts: true})
	case len(lists) == 1: // a one-line list
		t.list("", [][]*value{lists[0].list}, nil, 0)
	}
	return len(t.places) > 0
}

// The limits of the search.
const (
	maxTalkPlaces = 80
	maxTalkDepth  = 6
)

// walk analyses the objects of a place, and those inside of them.
func (t *talk) walk(p *place, depth int) {
	if len(t.places) >= maxTalkPlaces || depth > maxTalkDepth || len(p.rows) == 0 {
		return
	}
	t.places = append(t.places, p)
	lists, objects := map[string][]*value{}, map[string][]*value{}
	var keys []string
	for _, o := range p.rows {
		for i, k := range o.keys {
			v := o.list[i]
			if v.inner != nil {
				v = v.inner
			}
			if !writable(k) || v.kind != jsonspan.Array && v.kind != jsonspan.Object {
				continue
			}
			if lists[k] == nil && objects[k] == nil {
				keys = append(keys, k)
			}
			if v.kind == jsonspan.Array {
				lists[k] = append(lists[k], v)
			} else {
				objects[k] = append(objects[k], v)
			}
		}
	}
	for _, k := range keys {
		at := join(p.at, described.Quoted(k))
		if len(lists[k]) > 0 {
			var groups [][]*value
			for _, l := range lists[k] {
				groups = append(groups, l.list)
			}
			t.list(at+"[]", groups, p, depth+1)
		}
		switch all := objects[k]; {
		case len(all) == 0:
		case !slices.ContainsFunc(all, func(v *value) bool { return !v.isNumbered() }):
			var groups [][]*value
			for _, v := range all {
				groups = append(groups, v.list)
			}
			t.list(at+"[]", groups, p, depth+1)
		case !slices.ContainsFunc(all, func(v *value) bool { return !v.isNamed() }):
			t.members(at, all, p, depth+1)
		default:
			t.walk(&place{at: at, above: p.above, rows: all, groups: [][]*value{all}, inner: true}, depth+1)
		}
	}
}

// list analyses the elements of lists.
func (t *talk) list(at string, groups [][]*value, above *place, depth int) {
	p := &place{at: at, above: above}
	var lists []*value
	var deeper [][]*value
	for _, g := range groups {
		objects := only(g, jsonspan.Object)
		if len(objects) > 0 {
			p.groups = append(p.groups, objects)
			p.rows = append(p.rows, objects...)
		}
		rows := only(g, jsonspan.Array)
		lists = append(lists, rows...)
		if len(rows) > 0 {
			deeper = append(deeper, rows)
		}
	}
	if len(p.rows) >= len(lists) {
		t.walk(p, depth)
		return
	}
	if len(t.places) >= maxTalkPlaces || depth > maxTalkDepth {
		return
	}
	p = &place{at: at, above: above, rows: lists, groups: deeper, lists: true}
	t.places = append(t.places, p)
	if slices.ContainsFunc(lists, func(v *value) bool { return len(v.list) > 0 && v.list[0].kind != jsonspan.String }) {
		var groups [][]*value
		for _, l := range lists {
			groups = append(groups, l.list)
		}
		t.list(step(at, "[]"), groups, p, depth+1)
	}
}

// members analyses the values under keys that are names.
func (t *talk) members(at string, objects []*value, above *place, depth int) {
	p := &place{at: step(at, "[]"), above: above, named: true}
	for _, o := range objects {
		p.groups, p.rows = append(p.groups, o.list), append(p.rows, o.list...)
	}
	if p.rows[0].kind == jsonspan.Object {
		t.walk(p, depth)
		return
	}
	p.lists = true
	t.places = append(t.places, p)
	var groups [][]*value
	for _, l := range p.rows {
		groups = append(groups, l.list)
	}
	t.list(p.at+"[]", groups, p, depth+1)
}

func step(at, lists string) string { return at + lists }

// isNamed reports whether the keys of an object are names of similar values: ids of conversations,
// or names of lists of messages.
func (v *value) isNamed() bool {
	if v.kind != jsonspan.Object || len(v.list) == 0 || len(v.list) == 1 && !namesOne(v.keys[0]) {
		return false
	}
	first := v.list[0].shape()
	if first == "" {
		return false
	}
	return !slices.ContainsFunc(v.list, func(m *value) bool { return m.kind != v.list[0].kind || m.shape() != first && !m.empty() }) && !v.repeats()
}

// turnKey matches keys that count messages: "1", "turn_2", "round 3".
var turnKey = regexp.MustCompile(`^(?i:turns?|rounds?|steps?|messages?|msg|exchange|qa|interaction|entry)?[_ -]?\d+$`)

// isNumbered reports whether an object is a list of messages under numbered keys.
func (v *value) isNumbered() bool {
	if v.kind != jsonspan.Object {
		return false
	}
	n := 0
	for i, m := range v.list {
		switch {
		case m.kind == jsonspan.Array || m.kind == jsonspan.Object && (!turnKey.MatchString(v.keys[i]) || len(v.keys[i]) > 20 || !m.talks()):
			return false
		case m.kind == jsonspan.Object:
			n++
		}
	}
	return n > 1
}

// namesOne reports whether a single key is a name: an id, a number or an address.
func namesOne(key string) bool { return looksLikeID(key) || strings.Contains(key, "@") }

func (v *value) empty() bool { return len(v.list) == 0 }

// shape returns the kind of an object or list by its contents: messages, pairs, or objects with
// lists of them. It returns "" for others.
func (v *value) shape() string {
	switch {
	case v.kind == jsonspan.Array && v.messageCount() > 0:
		return "messages"
	case v.kind == jsonspan.Array && len(v.list) > 0 && v.list[0].isPair():
		return "pairs"
	case v.kind == jsonspan.Array && len(v.list) > 0 && v.list[0].kind == jsonspan.Object && v.list[0].talks():
		return "records"
	case v.kind == jsonspan.Object:
		for _, m := range v.list {
			if s := m.shape(); s == "messages" || s == "pairs" || s == "records" {
				return "object of " + s
			}
		}
	}
	return ""
}

// talks reports whether the keys of an object name two sides, or a speaker.
func (v *value) talks() bool {
	asks, replies, speaks := false, false, false
	for _, k := range v.keys {
		side, _ := sideOf([]string{k})
		asks, replies = asks || side == described.User, replies || side == described.Assistant
		speaks = speaks || isSpeakerKey(k)
	}
	return asks && replies || speaks
}

// repeats reports whether the two members of an object are nearly equal: a conversation in its
// original form and as displayed.
func (v *value) repeats() bool {
	if len(v.list) != 2 || v.list[0].kind != jsonspan.Array || len(v.list[0].list) < 2 {
		return false
	}
	a, b, same := v.list[0].list, v.list[1].list, 0
	for i := range min(len(a), len(b)) {
		if string(a[i].raw) == string(b[i].raw) {
			same++
		}
	}
	return halfOf(same, max(len(a), len(b)))
}

// isPair reports whether a list has exactly two texts.
func (v *value) isPair() bool {
	return v.kind == jsonspan.Array && len(v.list) == 2 && (v.list[0].kind == jsonspan.String || v.list[0].kind == jsonspan.Null) && (v.list[1].kind == jsonspan.String || v.list[1].kind == jsonspan.Null)
}

// account reads a place in the way that finds the most.
func (t *talk) account(p *place) *account {
	if p.texts {
		return t.dialogues(p)
	}
	if p.lists {
		if a := t.pairs(p); a != nil {
			return a
		}
		return t.messages(p)
	}
	var most *account
	for _, a := range []*account{t.exchanges(p), t.messages(p), t.speakers(p), t.parallel(p)} {
		if a != nil && (most == nil || a.messages > most.messages) {
			most = a
		}
	}
	if most == nil {
		most = t.bots(p)
	}
	if most == nil {
		most = t.dialogues(p)
	}
	return most
}

// withoutParts removes accounts inside of others.
func withoutParts(all []*account) []*account {
	return slices.DeleteFunc(slices.Clone(all), func(a *account) bool {
		return slices.ContainsFunc(all, func(b *account) bool {
			return a != b && (a.place.at != b.place.at && inPath(a.place.at, b.place.at) && b.messages >= a.messages)
		})
	})
}

// inPath reports whether a path continues another.
func inPath(path, from string) bool {
	return from == "" && path != "" || strings.HasPrefix(path, from) && len(path) > len(from) && strings.ContainsRune(".[", rune(path[len(from)]))
}

// left describes the unread messages of other places.
func (t *talk) left(main *account, others []*account) (list []string) {
	for _, a := range others {
		if !inPath(a.place.at, main.place.at) && !inPath(main.place.at, a.place.at) {
			list = append(list, fmt.Sprintf("%s (%d messages)", a.place.at, a.messages))
		}
	}
	return list
}

// describe makes a description of an account.
func (t *talk) describe(a *account) *described.Format {
	d := &described.Format{Name: Name, Title: "Inferred from what it holds", Roles: a.roles, Columns: a.columns}
	prefix := ""
	if t.document {
		i := strings.Index(a.place.at, "[]")
		switch {
		case t.listed:
			d.List = []string{"[]"}
		case i > 0 && !t.byName(a.place, a.place.at[:i+2]) && !strings.ContainsAny(a.place.at[:i], `"{`):
			prefix = a.place.at[:i+2]
			d.List = []string{a.place.at[:i]}
		}
	}
	cut := func(at string) string { return strings.TrimPrefix(strings.TrimPrefix(at, prefix), ".") }
	session := t.session(a, d, prefix)
	for i := range a.rules {
		r := a.rules[i]
		r.At = cut(r.At)
		r.Session = cmp.Or(r.Session, session)
		d.Rules = append(d.Rules, r)
	}
	for p := a.place.above; p != nil && strings.HasPrefix(p.at, prefix) && !a.merged; p = p.above {
		if r := t.container(p, cut(p.at)); r != nil { // surrounding objects first
			d.Rules = slices.Insert(d.Rules, 0, *r)
		}
	}
	if len(a.place.rows) > 0 && a.place.rows[0].kind == jsonspan.Object && cut(a.place.at) == "" {
		d.Match = commonKeys(a.place.rows)
	}
	return d
}

// scalar returns the objects' own field with a name; nil if there is none.
func (w *view) scalar(name string) *field {
	i := slices.IndexFunc(w.scalars, func(f *field) bool { return len(f.path) == 1 && f.last() == name })
	if i < 0 {
		return nil
	}
	return w.scalars[i]
}

// byName reports whether a place, or one above it, is under keys that are names.
func (t *talk) byName(p *place, at string) bool {
	for ; p != nil; p = p.above {
		if p.named && p.at == at {
			return true
		}
	}
	return false
}

// session returns the path that distinguishes the conversations of the rows, if a field does. If
// the rows are in separate lists, each list is a conversation.
func (t *talk) session(a *account, d *described.Format, prefix string) string {
	if a.fields != nil && !a.merged {
		if f := sessionField(a.fields, a.place.rows); f != nil {
			a.sessions = f.distinct()
			a.note(f.name(), "session", 85, "%d values tell the conversations apart", f.distinct())
			if times := timeField(a.fields); times != nil && !inOrder(a.place.rows, f, times) {
				d.Order = "time"
			}
			return f.name()
		}
		if times := timeField(a.fields); times != nil && !inOrder(a.place.rows, nil, times) {
			d.Order = "time"
		}
	}
	if a.apart && len(a.place.rows) > 1 {
		d.Each = "conversation"
	}
	if strings.Contains(strings.TrimPrefix(a.place.at, prefix), "[]") && !a.merged && (prefix != "" || t.listed || !t.document) {
		d.Each = "conversation"
	}
	if above := a.place.above; !a.merged && (a.place.named || above != nil && above.named && above.lists) {
		return "@" // key of the object, or of its list
	}
	return ""
}

// container returns the rule for the objects around the conversations; nil if they have no data.
func (t *talk) container(p *place, at string) *described.Rule {
	r := &described.Rule{At: at, As: "about", Keep: map[string]string{}}
	if p.named {
		r.Session = "@"
		r.Keep["title"] = "@"
	}
	if p.lists {
		r.As = "group"
		return nil
	}
	w := viewOf(p.rows)
	for _, s := range w.scalars {
		if len(s.path) > 1 || !s.strings() {
			continue
		}
		switch s.last() {
		case "title", "name", "topic", "subject":
			r.Keep["title"] = s.name()
		}
	}
	if f := sessionField(w, p.rows); f != nil && r.Session == "" {
		r.Session = f.name()
	} else if id := w.scalar("id"); r.Session == "" && id != nil && id.distinct() == len(id.values) && strings.Contains(at, "[]") {
		r.Session = id.name()
	}
	if len(r.Keep) == 0 && r.Session == "" {
		return nil
	}
	return r
}
