package described

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"turns/model"
	"turns/model/jsonspan"
)

// parser reads the records of a description.
type parser struct {
	desc  *Format
	kit   Kit
	match []condition
	any   [][]condition
	has   [][]condition
	marks []mark
	usage func(v []byte) model.Usage
	joins bool // a rule has Joins
	spans bool // a rule is about spans
	keyed bool // a rule uses the keys of objects
	tells bool // a rule reads the rest of a document
	idle  sync.Pool
	roles map[string]model.Role
	root  *frame
	tally *Tally // nil: no counting
}

// frame is the objects at one place: the parts of them to read, the rules for them, and the objects
// inside that have separate rules.
type frame struct {
	path  []string // from the frame above
	slot  int      // in the frame above: the value that contains the objects
	tail  []string // path from there
	tree  tree
	slots int
	rules []*rule
	under []*frame
	lists bool // a rule uses the object itself, which may be a list
}

// tree has the keys to read.
type tree struct {
	slot  int // 1 and more: the value is stored
	next  []*tree
	key   string
	as    string // new name of an extra field
	inner bool   // its other fields become extra fields
}

// mark is a compiled Mark.
type mark struct {
	rule
	flags model.Flags
}

// The slots for values other than fields: the object itself, and its key.
const (
	slotWhole = -1 - iota
	slotKey
)

// spot is the place of a part of a rule: a slot of the frame, and a path from there.
type spot struct {
	slot int
	tail []string
}

// rule is a compiled rule.
type rule struct {
	*Rule
	index int
	when  []condition
	fixed model.Role // for role = "=user"
	parts [partCount][]spot
	keeps []keeping
	// a condition asks for the field with the tool
	kindly bool
	// true in the error field means success: "success"
	asserts bool
}

// keeping is a field that a rule stores under another name.
type keeping struct {
	name  string
	spots []spot
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
	partKind
	partStop
	partRecord
	partTarget
	partRequest
	partReply
	partEnd
	partCount
)

// PartNames are the names of the parts of a rule in descriptions.
var PartNames = [partCount]string{"role", "text", "reasoning", "tool", "arguments", "result", "id", "error", "time", "model", "usage", "key", "parent", "session", "status",
	"kind", "stop", "record", "target", "request", "reply", "end"}

// Paths returns the paths of the parts of a rule, in the order of PartNames.
func (r *Rule) Paths() [partCount]*string {
	return [...]*string{&r.Role, &r.Text, &r.Reasoning, &r.Tool, &r.Arguments, &r.Result, &r.ID, &r.Error, &r.Time, &r.Model, &r.Usage,
		&r.Key, &r.Parent, &r.Session, &r.Status, &r.Name, &r.Stop, &r.Record, &r.Target, &r.Request, &r.Reply, &r.End}
}

// walk reads an object once and stores the values to read. The reader receives the renamed fields
// in the order of the record and, if all, the fields without a use.
func (t *tree) walk(c *jsonspan.Cursor, kept [][]byte, r *reader, all bool) {
	for c.Object(); c.Key(); {
		next := t.under(c.Name)
		if next == nil {
			name := c.Name
			if v := c.Skip(); all {
				r.others = append(r.others, other{name, v, ""})
			}
			continue
		}
		kind := c.Kind()
		from := c.Pos
		switch {
		case next.next == nil && !next.inner:
			c.Skip()
		case kind == jsonspan.Object:
			next.walk(c, kept, r, all && next.inner)
		case kind == jsonspan.Array:
			first := *c
			if one := next.under(nil); one != nil && first.Array() && first.More() && first.Kind() == jsonspan.Object {
				one.walk(&first, kept, r, false)
			}
			c.Skip()
		default:
			v := c.Skip()
			if inner := opened(v); inner != nil {
				sub := jsonspan.New(inner)
				next.walk(&sub, kept, nil, false)
			}
		}
		if next.as != "" && r != nil && c.Err == nil {
			r.others = append(r.others, other{nil, c.Buf[from:c.Pos], next.as})
		}
		if c.Err == nil && kept[next.slot] == nil { // slot 0 is not read
			kept[next.slot] = c.Buf[from:c.Pos]
		}
	}
}

// fileKey is the field by which conditions ask for the file of a folder that a record is from.
const fileKey = "@file"

// parse adds the facts of a record.
func (p *parser) parse(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	kind := c.Kind()
	r, _ := p.idle.Get().(*reader)
	if r == nil {
		r = &reader{parser: p}
	}
	defer p.idle.Put(r)
	r.fs, r.fact, r.session, r.time, r.others, r.key, r.file = fs, -1, 0, model.Moment{}, r.others[:0], nil, rec.List
	if p.desc.Each == "conversation" {
		r.session = model.HashNumber("conversation", rec.Ref.Off)
	}
	if len(p.desc.List) > 0 && rec.Variant == variantDocument && rec.List == "" && !p.tells {
		return p.about(&c, fs)
	}
	switch {
	case kind == jsonspan.Array && len(p.desc.Columns) > 0:
		r.rows(c.Skip())
	case kind == jsonspan.Array:
		r.list(&c, 0)
	case kind == jsonspan.Object:
		r.object(&c, p.root, model.NoRole)
	default:
		c.Skip()
	}
	if c.Err == nil && fs.Len() == 0 {
		r.note(rec.Data[:c.Pos])
	}
	return done(&c, fs)
}

// about adds a document's data other than its records.
func (p *parser) about(c *jsonspan.Cursor, fs *model.Facts) error {
	f := fs.Add(model.About)
	c.Kind()
	whole, role := c.Buf[c.Pos:], " "
	for _, name := range slices.Sorted(maps.Keys(p.desc.About)) {
		var v []byte
		for path := range strings.SplitSeq(p.desc.About[name], "|") {
			if v = jsonspan.Get(whole, steps(path)...); v != nil {
				role += path + " "
				break
			}
		}
		if v == nil || isEmpty(v) {
			continue
		}
		switch name {
		case "time":
			f.Time = p.kit.Moment(v)
		case "of":
			f.Session = hash(v)
		default:
			f.Keep(name, model.ValueText(v))
		}
	}
	for c.Object(); c.Key(); {
		name, v := c.Name, c.Skip()
		switch {
		case isEmpty(v) || strings.Contains(role, " "+string(name)+" "):
		case p.desc.About == nil:
			f.KeepNamed(name, model.ValueText(v))
		default:
			p.kit.Keep(f, name, v)
		}
	}
	return c.Err
}

// maxLists limits the depth of lists in a record that is a list.
const maxLists = 3

// list reads the objects of a record that is a list, such as a name with its object.
func (r *reader) list(c *jsonspan.Cursor, depth int) {
	for c.Array(); c.More(); {
		switch kind := c.Kind(); {
		case kind == jsonspan.Object:
			r.object(c, r.root, model.NoRole)
		case kind == jsonspan.Array && depth < maxLists:
			r.list(c, depth+1)
		default:
			c.Skip()
		}
	}
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
	file    string // file of the record
	fact    int    // number of the fact that blocks are added to; -1: none
	session model.Key
	time    model.Moment // of the surrounding object
	others  []other      // of the record
	held    [][]byte     // stored values of the objects in progress
	key     []byte       // key of the object in progress, or of the nearest around it
}

// other is a field that no rule uses.
type other struct {
	name, value []byte
	as          string // its new name
}

// rows reads a record that is a row, or a list of rows.
func (r *reader) rows(v []byte) {
	c := jsonspan.New(v)
	if c.Array(); !c.More() || c.Kind() != jsonspan.Array {
		r.row(v, r.root, model.NoRole)
		return
	}
	c = jsonspan.New(v)
	for c.Array(); c.More(); {
		if e := c.Skip(); len(e) > 0 {
			r.row(e, r.root, model.NoRole)
		}
	}
}

// row reads a list as an object whose fields are the columns. A list of another length becomes a
// note.
func (r *reader) row(v []byte, f *frame, role model.Role) {
	object := r.desc.rowObject(v)
	if object == nil {
		r.note(v)
		return
	}
	c := jsonspan.New(object)
	r.object(&c, f, role)
}

// rowObject returns a list as an object whose fields are the columns; nil for a list of another
// length.
func (d *Format) rowObject(v []byte) []byte {
	object, n := []byte{'{'}, 0
	c := jsonspan.New(v)
	for c.Array(); c.More(); n++ {
		e := c.Skip()
		if n < len(d.Columns) {
			if n > 0 {
				object = append(object, ',')
			}
			object = append(append(model.AppendQuoted(object, []byte(d.Columns[n])), ':'), e...)
		}
	}
	if c.Err != nil || n != len(d.Columns) {
		return nil
	}
	return append(object, '}')
}

func (r *reader) note(v []byte) {
	f := r.fs.Add(model.Note)
	f.Name, f.Session, f.Time = model.StringText("record"), r.session, r.time
	f.AddText(model.OtherBlock, model.ValueText(v))
}

// object reads an object of a frame.
func (r *reader) object(c *jsonspan.Cursor, f *frame, role model.Role) {
	before := len(r.held)
	defer func() { r.held = r.held[:before] }()
	r.held = slices.Grow(r.held, f.slots)[:before+f.slots]
	kept := r.held[before:]
	clear(kept)
	start := c.Pos
	var record *reader
	if f == r.root {
		record = r
	}
	f.tree.walk(c, kept, record, record != nil)
	if c.Err != nil {
		return
	}
	if n := f.tree.under([]byte(fileKey)); record != nil && n != nil {
		kept[n.slot] = model.AppendQuoted(nil, []byte(r.file))
	}
	kept[f.tree.slot] = c.Buf[start:c.Pos] // for keys with the same prefix
	for _, rule := range f.rules {
		if rule.takes(kept) {
			r.count(rule, kept)
			o := object{reader: r, frame: f, rule: rule, kept: kept, whole: c.Buf[start:c.Pos]}
			o.read(role)
			return
		}
	}
	r.countLeft(f, c.Buf[start:c.Pos])
	first := r.fs.Len()
	blocks := r.blocksOf()
	o := object{reader: r, frame: f, rule: noRule, kept: kept, whole: c.Buf[start:c.Pos]}
	if o.inside(role); r.fs.Len() > first || r.blocksOf() > blocks { // only the contents count
		return
	}
	if r.fact >= 0 {
		r.fs.At(r.fact).AddText(model.OtherBlock, model.ValueText(c.Buf[start:c.Pos]))
	}
}

// blocksOf returns the number of blocks of the message that parts are added to.
func (r *reader) blocksOf() int {
	if r.fact < 0 {
		return 0
	}
	return len(r.fs.At(r.fact).Blocks)
}

var noRule = &rule{Rule: &Rule{As: "group"}}

// takes reports whether the conditions of the rule are true.
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
