// Package infer derives a description of an unknown format from its transcript: the fields for the
// speaker or the kind, and the paths of the text, calls and results. It trusts values more than
// names, because names can be anything: words like "assistant" or "tool_call" that repeat, ids that
// occur in pairs, long texts. The result is a description like one that a user would write.
package infer

import (
	"fmt"
	"slices"
	"strings"

	"turns/model"
	"turns/model/format/described"
	"turns/model/jsonspan"
)

// Name is the name of inferred formats.
const Name = "inferred"

// Evidence is the reason for the interpretation of a field.
type Evidence struct {
	Field      string // path
	Part       string // interpretation of the field
	Confidence int    // of 100
	Why        string
}

// Found is an inferred format.
type Found struct {
	Format     *described.Format
	Evidence   []Evidence
	Confidence int
	Reason     string
	Left       []string // unread lists of messages, with the number of messages in each
	Sessions   int      // number of conversations that a field of the rows distinguishes; 0: none
	Several    bool     // the file has several lists of messages under different names
	Merged     bool     // lists that each repeat the one before are one conversation
	counts     *Counts
}

// Exceeds reports whether f understands more messages, and no fewer calls and results, than another
// format.
func (f *Found) Exceeds(o *Found) bool { return f.counts.Exceeds(o.counts) }

// search is the search for the structure of a sample.
type search struct {
	kit      described.Kit
	frames   []*frame
	owner    map[*value]*group // groups by their objects
	ids      map[string][]*value
	evidence []Evidence
	listed   bool // a request to a model is a list of messages
	apart    bool // each such list begins a conversation
	lone     bool // the answer is one message, which may precede the question in a record
	turned   bool // each record is a turn
	worded   bool // the kinds name results with ids of calls
}

// Find infers the format of a sample; nil if the sample does not seem to be a conversation.
func Find(s *model.Sample, kit described.Kit) *Found {
	var texts [][]byte
	switch s.Shape {
	case model.Lines:
		texts = s.Records
	case model.Document:
		texts = [][]byte{s.Doc}
	}
	b := &builder{}
	var roots []*value
	for _, t := range texts {
		c := jsonspan.New(t)
		if v := b.build(&c, nil, 0); v != nil {
			roots = append(roots, v)
		}
	}
	at, lists := "", false
	if s.Shape == model.Document && len(roots) > 0 && roots[0].kind == jsonspan.Array {
		lists, roots = true, roots[0].list
	}
	if objects := only(roots, jsonspan.Object); !mostOf(len(objects), len(roots)) || !lists {
		roots = inLists(roots, 0)
	}
	roots = only(roots, jsonspan.Object)
	if len(roots) == 0 {
		return nil
	}
	f := &search{kit: kit, owner: map[*value]*group{}, ids: map[string][]*value{}}
	for _, v := range roots {
		f.index("", v)
	}
	f.open(at, roots, nil, 0)
	f.decide()
	plain := f.judge(f.describe(s.Shape == model.Document, lists, len(roots)), s)
	f.evidence = nil
	if !f.exchange() || plain != nil && !f.listed {
		return plain
	}
	found := f.judge(f.describe(s.Shape == model.Document, lists, len(roots)), s)
	if found == nil || plain != nil && !found.counts.Surpasses(plain.counts) && !(f.lone && found.counts.Equals(plain.counts)) {
		return plain
	}
	return found
}

// maxLists limits the depth of lists to search for records.
const maxLists = 3

// inLists returns values, with the elements of lists among them.
func inLists(list []*value, depth int) (all []*value) {
	for _, v := range list {
		if v.kind == jsonspan.Array && depth < maxLists {
			all = append(all, inLists(v.list, depth+1)...)
		} else {
			all = append(all, v)
		}
	}
	return all
}

func only(list []*value, kind jsonspan.Kind) []*value {
	return slices.DeleteFunc(slices.Clone(list), func(v *value) bool { return v.kind != kind })
}

// index records the occurrences of values that may be ids, in the value of a key.
func (f *search) index(key string, v *value) {
	switch v.kind {
	case jsonspan.String:
		if looksLikeID(v.text) && v.size <= 128 {
			f.ids[v.text] = append(f.ids[v.text], v)
		}
	case jsonspan.Number:
		if n := string(v.raw); len(n) >= 4 && isNumber(n) && !timeNumber(n) && !isMeasure(key) {
			f.ids[n] = append(f.ids[n], v)
		}
	default:
		for i, e := range v.list {
			if i < len(v.keys) {
				key = v.keys[i]
			}
			f.index(key, e)
		}
	}
}

// isMeasure reports whether the numbers of a key measure something: equal lengths of two models
// are no id that both name.
func isMeasure(key string) bool {
	name := plain(key)
	return slices.ContainsFunc(measures, func(unit string) bool { return strings.HasSuffix(name, unit) })
}

// measures are the last words of names of lengths, durations and counts.
var measures = []string{"length", "limit", "size", "tokens", "timeout", "count", "bytes", "seconds", "millis", "duration", "latency", "width", "height", "budget"}

// maxFrames limits the places to check.
const maxFrames = 60

// open analyses the objects at a place, and those inside of them.
func (f *search) open(at string, objs []*value, above *frame, depth int) {
	if len(f.frames) >= maxFrames || depth > 5 || len(objs) == 0 {
		return
	}
	fr := &frame{at: at, objs: objs, above: above}
	f.frames = append(f.frames, fr)
	fr.divide()
	for _, g := range fr.groups {
		for _, o := range g.view.objs {
			f.owner[o] = g
		}
	}
	w := viewOf(objs)
	for _, l := range w.lists {
		var inner []*value
		for _, v := range l.values {
			inner = append(inner, only(v.list, jsonspan.Object)...)
		}
		f.open(join(at, l.name()+"[]"), inner, fr, depth+1)
		if len(inner) == 0 { // of lists of lists
			for _, v := range l.values {
				for _, e := range only(v.list, jsonspan.Array) {
					inner = append(inner, only(e.list, jsonspan.Object)...)
				}
			}
			f.open(join(at, l.name()+"[][]"), inner, fr, depth+1)
		}
	}
	for _, o := range w.objects {
		if f.isPart(o) {
			f.open(join(at, o.name()), o.values, fr, depth+1)
		}
	}
}

func join(at, path string) string {
	if at == "" {
		return path
	}
	return at + "." + path
}

// isPart reports whether inner objects may be separate calls or results, by their name or their
// content.
func (f *search) isPart(o *field) bool {
	c := described.ClassOf(o.path[len(o.path)-1])
	if named(o, argsNames) && c != described.Call || named(o, usageNames) {
		return false
	}
	if isKind(c) && c != described.Reasoning || c == described.Tool {
		w := viewOf(o.values)
		return f.nameOf(w) != nil || f.pairs(w) > 0
	}
	w := viewOf(o.values)
	return mostOf(f.pairs(w), len(o.values)) || f.nameOf(w) != nil && len(w.objects)+packed(w) > 0
}

func packed(w *view) (n int) {
	for _, s := range w.scalars {
		if s.strings() && s.packed() {
			n++
		}
	}
	return n
}

// pairs returns the number of objects with an id that also occurs elsewhere.
func (f *search) pairs(w *view) int {
	most := 0
	for _, s := range w.scalars {
		if len(s.path) > 1 {
			continue
		}
		n := 0
		for _, v := range s.values {
			if k := len(f.ids[v.scalarText()]); k > 1 && k <= 4 {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

func (f *search) note(field, part string, confidence int, format string, args ...any) {
	f.evidence = append(f.evidence, Evidence{field, part, confidence, fmt.Sprintf(format, args...)})
}

// describe makes a description of the decisions; nil if there are none.
func (f *search) describe(document, lists bool, roots int) *described.Format {
	d := &described.Format{Name: Name, Title: "Inferred from what it holds"}
	var main *frame
	most := 0
	for _, fr := range f.frames {
		n := 0
		for _, g := range fr.groups {
			if g.used && (g.rule.As == "message" || g.rule.As == "exchange" || fr.at == "") {
				n += len(g.view.objs)
			}
		}
		if n > most {
			main, most = fr, n
		}
	}
	if main == nil {
		return nil
	}
	prefix := ""
	if document {
		switch i := strings.Index(main.at, "[]"); {
		case lists:
			d.List = []string{"[]"}
		case i > 0 && !strings.ContainsAny(main.at[:i], `"{`): // plain keys split records
			prefix = main.at[:i+2]
			d.List = []string{main.at[:i]}
		}
	}
	inside := strings.Contains(strings.TrimPrefix(main.at, prefix), "[]") && (roots > 1 || prefix != "") && main.groups[0].rule.As != "exchange"
	if inside && !f.turned || f.apart {
		d.Each = "conversation"
	}
	for _, fr := range f.frames {
		if !strings.HasPrefix(fr.at, prefix) {
			continue
		}
		at := strings.TrimPrefix(strings.TrimPrefix(fr.at, prefix), ".")
		for _, g := range fr.groups {
			if g.used {
				r := g.rule
				r.At = at
				d.Rules = append(d.Rules, r)
			}
		}
	}
	d.Rules = merge(d.Rules)
	records := f.frames[0].objs
	if prefix != "" {
		for _, fr := range f.frames {
			if fr.at == prefix {
				records = fr.objs
			}
		}
	}
	d.Match = commonKeys(records)
	return d
}

// commonKeys returns a few keys of nearly all records.
func commonKeys(records []*value) (keys []string) {
	count := map[string]int{}
	for _, r := range records {
		for _, k := range r.keys {
			count[k]++
		}
	}
	for _, k := range records[0].keys {
		if count[k]*10 >= len(records)*9 && len(keys) < 3 && writable(k) {
			keys = append(keys, described.Quoted(k))
		}
	}
	return keys
}

// merge combines rules that differ only in the values of one condition.
func merge(rules []described.Rule) []described.Rule {
	var merged []described.Rule
	for _, r := range rules {
		i := slices.IndexFunc(merged, func(m described.Rule) bool { return sameRule(m, r) })
		if i < 0 {
			r.When = slices.Clone(r.When)
			merged = append(merged, r)
			continue
		}
		for j, c := range r.When {
			_, values, _ := strings.Cut(c, "=")
			_, has, _ := strings.Cut(merged[i].When[j], "=")
			if !slices.Contains(strings.Split(has, "|"), values) {
				merged[i].When[j] += "|" + values
			}
		}
	}
	return merged
}

func sameRule(a, b described.Rule) bool {
	if a.At != b.At || a.As != b.As || a.Joins != b.Joins || a.Replaces != b.Replaces || len(a.When) != len(b.When) {
		return false
	}
	x, y := a.Paths(), b.Paths()
	for i := range x {
		if *x[i] != *y[i] {
			return false
		}
	}
	differ := 0
	for i := range a.When {
		p, _, ok1 := strings.Cut(a.When[i], "=")
		q, _, ok2 := strings.Cut(b.When[i], "=")
		if p != q || ok1 != ok2 {
			return false
		}
		if a.When[i] != b.When[i] {
			differ++
		}
	}
	return differ <= 1
}

// namesAssistant reports whether a role is certainly that of a language model. Bots and agents are
// the authors of many other things.
func namesAssistant(role string) bool {
	role = strings.ToLower(role)
	return slices.ContainsFunc([]string{"assistant", "gemini", "claude", "chatgpt", "gpt", "llm"}, func(name string) bool { return strings.Contains(role, name) })
}

// judge reads the sample with the description, and returns nil if the result is not a conversation.
func (f *search) judge(d *described.Format, s *model.Sample) *Found {
	if d == nil {
		return nil
	}
	format, err := described.Compile(d, f.kit)
	if err != nil {
		return nil
	}
	match := model.Match{}
	if s.Shape == model.Lines {
		match.Variant = 1
	}
	counts := Read(format, match, s)
	counts.named = slices.ContainsFunc(f.frames, func(fr *frame) bool {
		return slices.ContainsFunc(fr.groups, func(g *group) bool {
			return g.used && g.class == described.Assistant && (g.rule.As == "exchange" && f.listed || slices.ContainsFunc(g.signs, func(s sign) bool { return s.path == g.role && namesAssistant(s.value) }))
		})
	})
	if !counts.Conversation() {
		return nil
	}
	sum := 0
	for _, e := range f.evidence {
		sum += e.Confidence
	}
	found := &Found{Format: d, Evidence: f.evidence, Confidence: sum / max(1, len(f.evidence)), counts: counts}
	found.Reason = fmt.Sprintf("%d messages, %d calls and %d results were inferred from what the fields hold", counts.words, counts.calls, counts.results)
	return found
}
