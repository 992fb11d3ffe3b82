package described

import (
	"fmt"
	"strings"

	"turns/model"
	"turns/model/jsonspan"
)

// parser reads the records of a description.
type parser struct {
	desc  *Format
	kit   Kit
	match []condition
	has   []condition
	joins bool // a rule does
	roles map[string]model.Role
	root  *frame
	tally *Tally // nil: nobody counts
}

// frame is the objects at one place: what of them is looked at, the rules that may
// take them, and the objects inside of them that have rules of their own.
type frame struct {
	at    string
	path  []string // from the frame above
	slot  int      // in the frame above, of what holds its objects
	tail  []string // from there on
	tree  tree
	slots int
	rules []*rule
	under []*frame
}

// tree is the keys that are looked at.
type tree struct {
	slot int // 1 and more: the value is kept
	next map[string]*tree
}

// spot is where a part of a rule stands: a slot of the frame, and a way from there.
type spot struct {
	slot int
	tail []string
}

// rule is a compiled rule.
type rule struct {
	*Rule
	index int
	when  []condition
	fixed model.Role // of role = "=user"
	parts [partCount][]spot
}

// The parts of a rule.
const (
	partRole = iota
	partText
	partReasoning
	partTool
	partArguments
	partResult
	partID
	partError
	partTime
	partModel
	partUsage
	partKey
	partParent
	partSession
	partStatus
	partCount
)

// PartNames are the names of what a rule says, as descriptions have them.
var PartNames = [partCount]string{"role", "text", "reasoning", "tool", "arguments", "result", "id", "error", "time", "model", "usage", "key", "parent", "session", "status"}

// Paths are where the parts of a rule stand, in the order of PartNames.
func (r *Rule) Paths() [partCount]*string {
	return [...]*string{&r.Role, &r.Text, &r.Reasoning, &r.Tool, &r.Arguments, &r.Result, &r.ID, &r.Error, &r.Time, &r.Model, &r.Usage,
		&r.Key, &r.Parent, &r.Session, &r.Status}
}

// kinds are what a rule can make of an object.
const kinds = " message text reasoning call result note about group skip "

func compile(d *Format, kit Kit) (*parser, error) {
	p := &parser{desc: d, kit: kit, roles: map[string]model.Role{}, root: &frame{slots: 1}}
	for _, said := range []struct {
		texts []string
		into  *[]condition
	}{{d.Match, &p.match}, {d.Has, &p.has}} {
		for _, text := range said.texts {
			c, err := parseCondition(text)
			if err != nil {
				return nil, err
			}
			*said.into = append(*said.into, c)
		}
	}
	for name, role := range d.Roles {
		r, ok := model.ParseRole(role)
		if !ok {
			return nil, &pathError{role, fmt.Sprintf("there is no role %q", role)}
		}
		p.roles[name] = r
	}
	all := append(append([]Rule{}, d.Rules...), d.Rule)
	for i := range all {
		all[i].inherit(&d.Rule)
		if i == len(d.Rules) && all[i].empty() && i > 0 {
			break
		}
		if i == len(d.Rules) && all[i].At == "" && all[i].empty() {
			break
		}
		if err := p.add(&all[i], i); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// inherit takes over what the description says of all records.
func (r *Rule) inherit(base *Rule) {
	if r.At != "" {
		return
	}
	for _, part := range []struct{ own, all *string }{
		{&r.Time, &base.Time}, {&r.Model, &base.Model}, {&r.Usage, &base.Usage}, {&r.Key, &base.Key}, {&r.Parent, &base.Parent},
		{&r.Session, &base.Session}, {&r.Status, &base.Status},
	} {
		if *part.own == "" {
			*part.own = *part.all
		}
	}
}

func (r *Rule) empty() bool {
	for _, path := range r.Paths() {
		if *path != "" {
			return false
		}
	}
	return r.As == ""
}

// add compiles a rule into its frame.
func (p *parser) add(d *Rule, index int) error {
	if d.As != "" && !strings.Contains(kinds, " "+d.As+" ") {
		return &pathError{d.As, fmt.Sprintf("a record cannot be read as %q; it is one of%s", d.As, strings.TrimRight(kinds, " "))}
	}
	f := p.frameAt(d.At)
	r := &rule{Rule: d, index: index}
	for _, text := range d.When {
		c, err := parseCondition(text)
		if err != nil {
			return err
		}
		s := f.spot(c.path)
		c.slot, c.path = s.slot, s.tail
		r.when = append(r.when, c)
	}
	for i, path := range r.Rule.Paths() {
		if fixed, ok := strings.CutPrefix(*path, "="); ok && i == partRole {
			if r.fixed, ok = model.ParseRole(fixed); !ok {
				return &pathError{*path, fmt.Sprintf("there is no role %q", fixed)}
			}
			continue
		}
		for way := range strings.SplitSeq(*path, "|") {
			if way = strings.TrimSpace(way); way != "" {
				r.parts[i] = append(r.parts[i], f.spot(steps(way)))
			}
		}
	}
	f.rules = append(f.rules, r)
	p.joins = p.joins || d.Joins
	return nil
}

// frameAt is the frame of a place, which lies in that of the nearest place above.
func (p *parser) frameAt(at string) *frame {
	f := p.root
	way := steps(at)
	for len(way) > 0 {
		next := (*frame)(nil)
		for _, u := range f.under {
			if len(u.path) <= len(way) && equal(u.path, way[:len(u.path)]) && (next == nil || len(u.path) > len(next.path)) {
				next = u
			}
		}
		if next == nil {
			next = &frame{at: at, path: way, slots: 1}
			s := f.spot(way)
			next.slot, next.tail = s.slot, s.tail
			f.under = append(f.under, next)
		}
		way, f = way[len(next.path):], next
	}
	return f
}

func equal(a, b []string) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return len(a) == len(b)
}

// spot makes a slot for a path. Of a path with lists it is what holds the first.
func (f *frame) spot(path []string) spot {
	t := &f.tree
	for i, key := range path {
		if key == "" {
			return spot{t.keep(f), path[i:]}
		}
		if t.next == nil {
			t.next = map[string]*tree{}
		}
		if t.next[key] == nil {
			t.next[key] = &tree{}
		}
		t = t.next[key]
	}
	return spot{t.keep(f), nil}
}

func (t *tree) keep(f *frame) int {
	if t.slot == 0 {
		t.slot = f.slots
		f.slots++
	}
	return t.slot
}

// maxSlots is how many values of an object are held without allocating.
const maxSlots = 32

// walk reads an object once and keeps what is looked at; other receives the fields of
// the object itself that nobody asked for.
func (t *tree) walk(c *jsonspan.Cursor, kept [][]byte, other func(name, v []byte)) {
	for c.Object(); c.Key(); {
		next := t.next[string(c.Name)]
		if next == nil {
			name := c.Name
			if v := c.Skip(); other != nil && len(v) > 0 {
				other(name, v)
			}
			continue
		}
		kind := c.Kind()
		from := c.Pos
		switch {
		case next.next == nil || kind == jsonspan.Array:
			c.Skip()
		case kind == jsonspan.Object:
			next.walk(c, kept, nil)
		default:
			v := c.Skip()
			if inner := opened(v); inner != nil {
				sub := jsonspan.New(inner)
				next.walk(&sub, kept, nil)
			}
		}
		if next.slot > 0 && c.Err == nil && kept[next.slot] == nil {
			kept[next.slot] = c.Buf[from:c.Pos]
		}
	}
}

// parse gives the facts of a record.
func (p *parser) parse(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	kind := c.Kind()
	r := reader{parser: p, fs: fs, fact: -1}
	if p.desc.Each == "conversation" {
		r.session = model.HashNumber("conversation", rec.Ref.Off)
	}
	if len(p.desc.List) > 0 && rec.Variant == variantDocument && rec.List == "" {
		f := fs.Add(model.About)
		for c.Object(); c.Key(); {
			keep(f, c.Name, c.Skip())
		}
		return c.Err
	}
	if kind != jsonspan.Object {
		v := c.Skip()
		if c.Err == nil {
			r.note(v)
		}
		return done(&c, fs)
	}
	r.object(&c, p.root, model.NoRole)
	if c.Err == nil && fs.Len() == 0 {
		r.note(rec.Data[:c.Pos])
	}
	return done(&c, fs)
}

func done(c *jsonspan.Cursor, fs *model.Facts) error {
	if c.Err != nil {
		return c.Err
	}
	if !c.Done() {
		fs.Rest = len(c.Buf) - c.Pos
	}
	return nil
}

// reader is the reading of one record.
type reader struct {
	*parser
	fs      *model.Facts
	fact    int // what blocks are added to; -1: none
	session model.Key
	time    model.Moment // of what stands around
}

func (r *reader) note(v []byte) {
	f := r.fs.Add(model.Note)
	f.Name, f.Session, f.Time = model.StringText("record"), r.session, r.time
	f.AddText(model.OtherBlock, model.ValueText(v))
}

// object reads an object of a frame.
func (r *reader) object(c *jsonspan.Cursor, f *frame, role model.Role) {
	var few [maxSlots][]byte
	kept := few[:f.slots:maxSlots]
	if f.slots > maxSlots {
		kept = make([][]byte, f.slots)
	}
	start := c.Pos
	var others []model.Field
	var other func(name, v []byte)
	if f == r.root {
		other = func(name, v []byte) {
			if v[0] != 'n' {
				others = append(others, model.Field{Name: r.fs.Name(name), Value: model.ValueText(v)})
			}
		}
	}
	f.tree.walk(c, kept, other)
	if c.Err != nil {
		return
	}
	for _, rule := range f.rules {
		if rule.takes(kept) {
			r.count(rule, kept)
			o := object{reader: r, frame: f, rule: rule, kept: kept, whole: c.Buf[start:c.Pos], others: others}
			o.read(role)
			return
		}
	}
	r.countLeft(f, c.Buf[start:c.Pos])
	before := r.fs.Len()
	if len(f.under) > 0 || f == r.root { // only what is inside counts
		blocks := r.blocksOf()
		o := object{reader: r, frame: f, rule: noRule, kept: kept, whole: c.Buf[start:c.Pos], others: others}
		if o.inside(role); r.fs.Len() > before || r.blocksOf() > blocks {
			return
		}
	}
	if r.fact >= 0 && len(f.rules) > 0 {
		r.fs.At(r.fact).AddText(model.OtherBlock, model.ValueText(c.Buf[start:c.Pos]))
	}
}

// blocksOf is how many blocks the message has that parts are added to.
func (r *reader) blocksOf() int {
	if r.fact < 0 {
		return 0
	}
	return len(r.fs.At(r.fact).Blocks)
}

var noRule = &rule{Rule: &Rule{As: "group"}}

// takes reports whether the conditions of the rule hold.
func (r *rule) takes(kept [][]byte) bool {
	for i := range r.when {
		c := &r.when[i]
		v := kept[c.slot]
		holds := false
		if len(c.path) == 0 {
			holds = c.has(v)
		} else if v != nil {
			each(v, c.path, func(v []byte) { holds = holds || c.has(v) })
		}
		if holds == c.not {
			return false
		}
	}
	return true
}
