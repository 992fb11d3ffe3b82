package described

import (
	"bytes"
	"net/url"
	"slices"

	"turns/model"
	"turns/model/jsonspan"
)

// object is an object that a rule took.
type object struct {
	*reader
	frame *frame
	rule  *rule
	kept  [][]byte
	whole []byte
}

// first is the first value of a part; nil where there is none.
func (o *object) first(part int) []byte { return o.at(o.rule.parts[part]) }

// at is the first value of some places.
func (o *object) at(spots []spot) []byte {
	for _, s := range spots {
		v := o.slot(s.slot)
		if v == nil {
			continue
		}
		if len(s.tail) == 0 {
			if v[0] != 'n' {
				return v
			}
			continue
		}
		var found []byte
		each(v, s.tail, func(v []byte) {
			if found == nil && v[0] != 'n' {
				found = v
			}
		})
		if found != nil {
			return found
		}
	}
	return nil
}

// slot is what stands in a slot of the object; nil for nothing.
func (o *object) slot(n int) []byte {
	switch n {
	case slotWhole:
		return o.whole
	case slotKey:
		return o.reader.key
	}
	return o.kept[n]
}

// role is who the object says that it is from.
func (o *object) role() (role model.Role, recorded []byte) {
	if o.rule.fixed != model.NoRole {
		return o.rule.fixed, nil
	}
	v := o.first(partRole)
	if len(v) == 0 {
		return model.NoRole, nil
	}
	if v[0] == '"' {
		v = v[1 : len(v)-1]
	}
	if role, ok := o.roles[string(v)]; ok {
		if ClassOf(string(v)) != NoClass && !bytes.ContainsAny(v, "_- ") {
			v = nil // says the role, and names nobody
		}
		return role, v
	}
	if role, ok := model.ParseRole(string(v)); ok {
		return role, nil
	}
	if role, ok := o.roles["*"]; ok {
		return role, v
	}
	if role := ClassOf(string(v)).Role(); role != model.NoRole {
		return role, nil
	}
	return model.Other, v
}

// read makes facts of the object; role is that of what stands around it.
func (o *object) read(role model.Role) {
	own, recorded := o.role()
	if own == model.NoRole {
		own = role
	}
	switch o.rule.As {
	case "skip":
		return
	case "note":
		o.noteOf(recorded)
		return
	case "exchange":
		first := o.fs.Len()
		o.exchange()
		if o.spans && o.fs.Len() > first {
			o.fs.At(first).By = o.fs.At(first).Session
		}
		return
	case "dialogue":
		o.dialogue()
		return
	case "span":
		o.span()
		return
	case "group":
		o.others = nil
		o.inside(own)
		return
	case "about":
		o.sayOf(model.About)
		o.inside(own)
		return
	case "compact":
		o.values(partText, func(v []byte) { o.kit.Content(o.sayOf(model.Compact), v) })
		return
	case "meter":
		if f := o.sayOf(model.Meter); f.Usage.Scope != model.NoUsage {
			f.Usage.Scope = model.Total
		}
		return
	case "retract":
		o.others = nil
		o.values(partKey, func(v []byte) {
			f := o.fs.Add(model.Retract)
			f.Session, f.Target = o.session, hash(v)
		})
		return
	case "text", "reasoning", "call", "result":
		o.part(own)
		return
	}
	o.message(own, recorded)
}

func (o *object) noteOf(kind []byte) {
	if o.rule.Text == "" { // all of it is the text
		o.others = nil
	}
	f := o.sayOf(model.Note)
	if f.Record = o.hash(partRecord); f.Record != 0 {
		f.Key = 0
	}
	f.Target = o.hash(partTarget)
	switch {
	case !f.Name.Absent():
	case kind != nil:
		f.Name = model.EscapedText(kind)
	default:
		f.Name = model.StringText("record")
	}
	switch {
	case o.rule.Text == "":
		f.AddText(model.OtherBlock, model.ValueText(o.whole))
	case o.rule.Text != "=":
		o.values(partText, func(v []byte) { o.kit.Content(f, v) })
	}
}

// tell says of a message what is said of all of them.
func (o *object) tell(f, about *model.Fact) {
	f.Extra = append(f.Extra, about.Extra...)
	if f.Model.IsNull() {
		f.Model = about.Model
	}
	if f.Usage.Scope == model.NoUsage {
		f.Usage = about.Usage
	}
	f.Usage.Key = about.Key
	f.Flags |= about.Flags
}

// unpacked is the list that a string is the text of; other values are themselves.
func unpacked(v []byte) []byte {
	if v[0] != '"' {
		return v
	}
	// "[1] says the manual" is no list
	if inner := opened(v); inner != nil && inner[0] == '[' && bytes.HasPrefix(bytes.TrimSpace(inner[1:]), []byte("{")) {
		return inner
	}
	return v
}

// sayOf begins a fact that is no message.
func (o *object) sayOf(op model.Op) *model.Fact {
	f := o.fs.Add(op)
	if v := o.first(partKind); v != nil {
		f.Name = model.ValueText(v)
	}
	o.head(f)
	return f
}

// head sets what a fact says besides its blocks.
func (o *object) head(f *model.Fact) {
	f.Session = o.session
	if v := o.first(partSession); v != nil {
		f.Session = o.sessionOf(v)
	}
	if f.Time = o.kit.Moment(o.first(partTime)); f.Time.Ms == 0 {
		f.Time = o.time
	}
	if v := o.first(partModel); v != nil {
		f.Model = model.ValueText(v)
	}
	if v := o.first(partUsage); v != nil {
		if inner := opened(v); inner != nil { // the column of a row may hold JSON as text
			v = inner
		}
		f.Usage = o.usage(v)
	}
	if v := o.first(partStop); len(v) > 2 && v[0] == '"' {
		o.kit.Stop(f, v[1:len(v)-1])
	}
	f.Key, f.Record, f.Parent = o.hash(partKey), o.hash(partRecord), o.hash(partParent)
	f.Flags |= statusFlags(o.first(partStatus))
	for i := range o.marks {
		if o.frame == o.root && o.marks[i].takes(o.kept) {
			f.Flags |= o.marks[i].flags
		}
	}
	o.keep(f)
}

// sessionOf is the session that a value names. Keys are those of one record: another may have
// the same.
func (o *object) sessionOf(v []byte) model.Key {
	if spots := o.rule.parts[partSession]; len(spots) == 1 && spots[0].slot == slotKey && o.session != 0 {
		return hash(v).Join(o.session)
	}
	return hash(v)
}

// keep keeps fields that have no place of their own.
func (o *object) keep(f *model.Fact) {
	for _, other := range o.others {
		switch {
		case other.as != "":
			if !isEmpty(other.value) {
				f.Keep(other.as, model.ValueText(other.value))
			}
		case f.Op == model.About && len(o.rule.keeps) == 0:
			f.KeepNamed(other.name, model.ValueText(other.value))
		default:
			o.kit.Keep(f, other.name, other.value)
		}
	}
	o.others = o.others[:0] // of several messages in a record the first has them
	for _, k := range o.rule.keeps {
		for i := range k.spots {
			if v := o.at(k.spots[i : i+1]); v != nil && !isEmpty(v) {
				f.Keep(k.name, fileOf(model.ValueText(v)))
			}
		}
	}
}

// isEmpty reports whether a value says nothing.
func isEmpty(v []byte) bool { return v[0] == 'n' || len(v) == 2 && (v[0] < '0' || v[0] > '9') }

// hash is the key that a part names; 0 where there is none.
func (o *object) hash(part int) model.Key {
	if v := o.first(part); v != nil {
		return hash(v)
	}
	return 0
}

func hash(v []byte) model.Key {
	if v[0] == '"' {
		v = v[1 : len(v)-1]
	}
	return model.Hash(v)
}

// statusFlags are what a source says of the state of a message.
func statusFlags(v []byte) model.Flags {
	if len(v) < 2 || v[0] != '"' {
		return 0
	}
	switch string(bytes.ToLower(v[1 : len(v)-1])) {
	case "compacted", "summarized", "condensed", "observed":
		return model.Compacted
	case "rewound", "reverted", "invalid", "invalidated", "rolled_back", "deleted":
		return model.Invalidated
	case "superseded", "edited", "replaced":
		return model.Superseded
	case "archived", "inactive":
		return model.Archived
	case "redacted":
		return model.Redacted
	}
	return 0
}

// message says a message.
func (o *object) message(role model.Role, recorded []byte) {
	before := o.fact
	if o.rule.Last {
		o.fact = -1
		o.inside(model.NoRole)
	}
	o.fact = o.fs.Len()
	f := o.fs.Add(model.Say)
	f.Role, f.Join, f.Aside = role, o.join(), o.rule.Aside
	if recorded != nil {
		f.Name = model.EscapedText(recorded)
	}
	o.head(f)
	if role == model.Tool && (o.rule.Result != "" || o.rule.Text != "") {
		o.result(f)
	} else {
		o.blocks(role)
	}
	o.callOf(role)
	f = o.fs.At(o.fact)
	if f.Aside && f.Key != 0 {
		for i := range f.Blocks { // said again, they take their own places
			if b := &f.Blocks[i]; b.Key == 0 {
				b.Key = f.Key.Join(model.Key(i + 1))
			}
		}
	}
	if role == model.User && f.Flags&model.Injected == 0 && o.fs.Len() == o.fact+1 && o.kit.Split != nil {
		o.kit.Split(o.fs)
		f = o.fs.At(o.fact)
	}
	own := o.resultOf(f)
	if o.failed() && f.Role == model.Assistant && o.rule.Tool == "" && !own {
		f.Flags |= model.APIError
		f.Outcome = model.Failure
	}
	if len(f.Blocks) == 0 && o.fs.Len() == o.fact+1 && o.first(partText) == nil { // it says nothing
		f.Op, f.Role = model.Note, model.NoRole
		f.Name = model.StringText("record")
		f.AddText(model.OtherBlock, model.ValueText(o.whole))
	}
	o.fact = before
}

func (o *object) join() model.Join {
	switch {
	case o.rule.Joins:
		return model.Extend
	case o.rule.Replaces:
		return model.Replace
	}
	return model.Union
}

// part says a part of a message, or alone a message that has no other.
func (o *object) part(role model.Role) {
	before := o.fact
	defer func() { o.fact = before }()
	result := o.rule.As == "result"
	if o.fact < 0 || result && o.fs.At(o.fact).Role == model.User {
		o.fact = o.fs.Len()
		f := o.fs.Add(model.Say)
		f.Role, f.Join, f.Aside = role, o.join(), o.rule.Aside
		switch {
		case result:
			f.Role = model.Tool
		case o.rule.As != "text" || role == model.NoRole:
			f.Role = model.Assistant
		}
		o.head(f)
	}
	f := o.fs.At(o.fact)
	switch o.rule.As {
	case "text":
		o.blocks(f.Role)
	case "reasoning":
		o.values(partText, func(v []byte) { f.AddText(model.Reasoning, model.ValueText(v)) })
		o.values(partReasoning, func(v []byte) { f.AddText(model.Reasoning, model.ValueText(v)) })
	case "call":
		if o.rule.Text != "" || o.rule.Reasoning != "" {
			o.blocks(f.Role)
		}
		o.call(f)
	case "result":
		o.result(f)
	}
	if o.rule.As == "call" {
		o.inside(f.Role)
	}
	if f = o.fs.At(o.fact); len(f.Blocks) == 0 && before < 0 && o.fs.Len() == o.fact+1 {
		f.AddText(model.OtherBlock, model.ValueText(o.whole))
	}
}

// values gives all values of a part that are something: of alternatives the first.
func (o *object) values(part int, yield func(v []byte)) {
	for _, s := range o.rule.parts[part] {
		v, found := o.slot(s.slot), false
		if v == nil {
			continue
		}
		each(v, s.tail, func(v []byte) {
			if v[0] != 'n' {
				found = true
				yield(v)
			}
		})
		if found {
			return
		}
	}
}

// blocks adds reasoning, the text and what is inside.
func (o *object) blocks(role model.Role) {
	at := o.fact
	o.values(partReasoning, func(v []byte) { o.fs.At(at).AddText(model.Reasoning, model.ValueText(v)) })
	o.values(partText, func(v []byte) {
		switch {
		case v[0] == '"' || v[0] != '{' && v[0] != '[':
			if len(v) > 2 || o.rule.Tool == "" && len(o.frame.under) == 0 {
				o.fs.At(at).AddText(model.Words, model.ValueText(v))
			}
		case !o.hasUnder():
			o.kit.Content(o.fs.At(at), v)
		}
	})
	if !o.rule.Last {
		o.inside(role)
	}
}

// hasUnder reports whether the objects in the text have rules of their own.
func (o *object) hasUnder() bool {
	for _, u := range o.frame.under {
		if o.says(u.slot) {
			return true
		}
	}
	return false
}

// says reports whether the text stands in a slot.
func (o *object) says(slot int) bool {
	for _, s := range o.rule.parts[partText] {
		if s.slot == slot {
			return true
		}
	}
	return false
}

// inside reads the objects inside that have rules of their own.
func (o *object) inside(role model.Role) {
	for _, u := range o.frame.under {
		v := o.kept[u.slot]
		if v == nil || v[0] == '"' && o.says(u.slot) { // what was said is not read once more
			continue
		}
		key := o.reader.key
		if o.keyed {
			eachMember(v, u.tail, key, u.key(key), func(key, v []byte) {
				o.reader.key = key
				o.under(u, v, role)
			})
		} else {
			each(v, u.tail, func(v []byte) { o.under(u, v, role) })
		}
		o.reader.key = key
	}
}

// key is the key of the objects of a frame, which a path without lists leads to; around is that
// of what stands around them.
func (f *frame) key(around []byte) []byte {
	if last := f.path[len(f.path)-1]; last != "" && !isPrefix(last) && last != Pairs {
		return model.AppendQuoted(nil, []byte(last))
	}
	return around
}

// eachMember is each for paths of which the keys matter: it gives the key of the innermost
// member of an object that "[]" stands for, or else the key that is at hand.
func eachMember(v []byte, path []string, around, key []byte, yield func(key, v []byte)) {
	at := slices.Index(path, "")
	if at < 0 {
		each(v, path, func(v []byte) { yield(key, v) })
		return
	}
	each(v, path[:at], func(v []byte) {
		if v = opened(v); v == nil {
			return
		}
		c := jsonspan.New(v)
		if c.Kind() != jsonspan.Object {
			for c.Array(); c.More(); {
				if e := rest(&c); len(e) > 0 {
					eachMember(e, path[at+1:], around, around, yield)
				}
			}
			return
		}
		for c.Object(); c.Key(); {
			name := slices.Concat([]byte{'"'}, c.Name, []byte{'"'})
			if e := rest(&c); len(e) > 0 {
				eachMember(e, path[at+1:], name, name, yield)
			}
		}
	})
}

func (o *object) under(u *frame, v []byte, role model.Role) {
	list := v[0] != '{'
	if v[0] == '"' && !u.lists {
		inner := opened(v)
		if inner == nil || inner[0] != '{' {
			if o.fact >= 0 && len(u.tail) > 0 { // a string among the parts
				o.fs.At(o.fact).AddText(model.Words, model.ValueText(v))
			}
			return
		}
		v, list = inner, false
	}
	if list && !u.lists && (len(o.desc.Columns) == 0 || v[0] != '[') {
		return
	}
	time, session := o.time, o.session
	if m := o.kit.Moment(o.first(partTime)); m.Ms != 0 {
		o.time = m
	}
	if v := o.first(partSession); v != nil {
		o.session = o.sessionOf(v)
	}
	c := jsonspan.New(v)
	switch {
	case list && u.lists:
		sub := object{reader: o.reader, frame: u, rule: u.rules[0], kept: make([][]byte, u.slots), whole: v}
		sub.read(role)
	case list:
		o.row(v, u, role)
	default:
		o.reader.object(&c, u, role)
	}
	o.time, o.session = time, session
}

// fileOf is the path of a file URI, and other texts as they are.
func fileOf(t model.Text) model.Text {
	if !t.HasPrefix("file://") {
		return t
	}
	u, err := url.Parse(t.String())
	if err != nil || u.Path == "" {
		return t
	}
	return model.StringText(u.Path)
}
