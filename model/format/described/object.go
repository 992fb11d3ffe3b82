package described

import (
	"bytes"
	"net/url"
	"slices"

	"turns/model"
	"turns/model/jsonspan"
)

// object is an object that a rule matched.
type object struct {
	*reader
	frame *frame
	rule  *rule
	kept  [][]byte
	whole []byte
}

// first returns the first value of a part; nil if there is none.
func (o *object) first(part int) []byte { return o.at(o.rule.parts[part]) }

// at returns the first value at some places.
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

// slot returns the value in a slot of the object; nil if there is none.
func (o *object) slot(n int) []byte {
	switch n {
	case slotWhole:
		return o.whole
	case slotKey:
		return o.reader.key
	}
	return o.kept[n]
}

// role returns the recorded speaker of the object.
func (o *object) role() (role model.Role, recorded []byte) {
	if o.rule.fixed != model.NoRole {
		return o.rule.fixed, nil
	}
	v := o.first(partRole)
	if len(v) == 0 {
		return model.NoRole, nil
	}
	flag := v[0] != '"' // true, false or a number: no name
	if !flag {
		v = v[1 : len(v)-1]
	}
	if role, ok := o.roles[string(v)]; ok {
		if flag || ClassOf(string(v)) != NoClass && !bytes.ContainsAny(v, "_- ") {
			v = nil // it has the role, but no name
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

// read adds the object's facts; role is that of the surrounding object.
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
		if o.spans {
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
		o.emitOf(model.About)
		o.inside(own)
		return
	case "compact":
		o.values(partText, func(v []byte) { o.kit.Content(o.emitOf(model.Compact), v) })
		return
	case "meter":
		f := o.emitOf(model.Meter)
		if f.Usage.Scope != model.NoUsage {
			f.Usage.Scope = model.Total
		} else if o.frame != o.root {
			o.fs.Drop()
		}
		return
	case "end":
		o.others = nil
		o.inside(own)
		if f := o.emitOf(model.End); o.failed() {
			f.Outcome = model.Failure
		} else {
			f.Outcome = model.Success
		}
		return
	case "retract":
		o.others = nil
		o.values(partKey, func(v []byte) {
			f := o.fs.Add(model.Retract)
			f.Session, f.Target = o.session, hash(v)
		})
		return
	case "text", "reasoning", "call", "result", "block":
		o.part(own)
		return
	}
	o.message(own, recorded)
}

func (o *object) noteOf(kind []byte) {
	if o.rule.Text == "" { // the text is the complete object
		o.others = nil
	}
	f := o.emitOf(model.Note)
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

// addCommon adds to a message the data common to all messages of the object.
func (o *object) addCommon(f, about *model.Fact) {
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

// unpacked returns the list of objects in a string; other values unchanged.
func unpacked(v []byte) []byte {
	if v[0] != '"' {
		return v
	}
	// "[1] says the manual" is not a list
	if inner := opened(v); inner != nil && inner[0] == '[' && bytes.HasPrefix(bytes.TrimSpace(inner[1:]), []byte("{")) {
		return inner
	}
	return v
}

// emitOf adds a fact that is not a message.
func (o *object) emitOf(op model.Op) *model.Fact {
	f := o.fs.Add(op)
	if v := o.first(partKind); v != nil {
		f.Name = model.ValueText(v)
	}
	o.head(f)
	return f
}

// head sets the data of a fact except its blocks.
func (o *object) head(f *model.Fact) {
	f.Session = o.session
	if v := o.first(partSession); v != nil {
		f.Session = o.sessionOf(v)
	}
	if f.Time = o.kit.Moment(o.first(partTime)); f.Time.Ms == 0 && o.rule.Time != "=" {
		f.Time = o.time
	}
	if v := o.first(partModel); v != nil {
		f.Model = model.ValueText(v)
	}
	if v := o.first(partUsage); v != nil {
		if inner := opened(v); inner != nil { // a row's column may contain JSON as text
			v = inner
		}
		f.Usage = o.usage(v)
	}
	if v := o.first(partStop); bytes.HasPrefix(v, []byte{'"'}) {
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

// sessionOf returns the session that a value names. Keys belong to one record: another may have the
// same.
func (o *object) sessionOf(v []byte) model.Key {
	if spots := o.rule.parts[partSession]; len(spots) == 1 && spots[0].slot == slotKey && o.session != 0 {
		return hash(v).Join(o.session)
	}
	return hash(v)
}

// keep adds the remaining fields as extra fields.
func (o *object) keep(f *model.Fact) {
	for _, other := range o.others {
		switch {
		case other.as != "":
			if !isEmpty(other.value) {
				f.Keep(other.as, fileOf(model.ValueText(other.value)))
			}
		case f.Op == model.About && len(o.rule.keeps) == 0:
			f.KeepNamed(other.name, model.ValueText(other.value))
		default:
			o.kit.Keep(f, other.name, other.value)
		}
	}
	o.others = o.others[:0] // they go to the record's first message
	for _, k := range o.rule.keeps {
		for i := range k.spots {
			if v := o.at(k.spots[i : i+1]); v != nil && !isEmpty(v) {
				f.Keep(k.name, fileOf(model.ValueText(v)))
			}
		}
	}
}

// hash returns the key in a part; 0 if there is none.
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

// statusFlags returns the flags for a source's status of a message.
func statusFlags(v []byte) model.Flags {
	switch string(bytes.ToLower(bytes.Trim(v, `"`))) {
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

// message adds a message.
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
		for i := range f.Blocks { // a repeat keeps the places of the blocks
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
	if len(f.Blocks) == 0 && o.fs.Len() == o.fact+1 && o.first(partText) == nil { // it is empty
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

// part adds a part to the current message, or as a separate message if there is none.
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
	case "block":
		if o.rule.Result == "" {
			o.kit.Content(f, o.whole)
		} else {
			o.result(f)
		}
	}
	if o.rule.As == "call" {
		o.inside(f.Role)
	}
	if f = o.fs.At(o.fact); len(f.Blocks) == 0 && before < 0 && o.fs.Len() == o.fact+1 {
		f.AddText(model.OtherBlock, model.ValueText(o.whole))
	}
}

// values yields all non-null values of a part, from the first alternative that has any.
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

// blocks adds reasoning, the text and the objects inside.
func (o *object) blocks(role model.Role) {
	at := o.fact
	o.values(partReasoning, func(v []byte) {
		if !isEmpty(v) {
			o.fs.At(at).AddText(model.Reasoning, model.ValueText(v))
		}
	})
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

// hasUnder reports whether the objects in the text have separate rules.
func (o *object) hasUnder() bool {
	return slices.ContainsFunc(o.frame.under, func(u *frame) bool { return o.isIn(u.slot) })
}

// isIn reports whether the text is in a slot.
func (o *object) isIn(slot int) bool {
	return slices.ContainsFunc(o.rule.parts[partText], func(s spot) bool { return s.slot == slot })
}

// inside reads the objects inside that have separate rules. They have the time and the session of
// the object unless they have their own.
func (o *object) inside(role model.Role) {
	if len(o.frame.under) == 0 {
		return
	}
	time, session := o.time, o.session
	if m := o.kit.Moment(o.first(partTime)); m.Ms != 0 {
		o.time = m
	}
	if v := o.first(partSession); v != nil {
		o.session = o.sessionOf(v)
	}
	for _, u := range o.frame.under {
		v := o.kept[u.slot]
		if v == nil || v[0] == '"' && o.isIn(u.slot) { // already read as text
			continue
		}
		key := o.reader.key
		switch {
		case o.keyed:
			eachMember(v, u.tail, key, u.key(key), func(key, v []byte) {
				o.reader.key = key
				o.under(u, v, role)
			})
		case len(u.tail) == 1 && u.tail[0] == "" && v[0] == '[':
			o.elements(u, v, role)
		default:
			each(v, u.tail, func(v []byte) { o.under(u, v, role) })
		}
		o.reader.key = key
	}
	o.time, o.session = time, session
}

// elements reads the objects of a list, each once.
func (o *object) elements(u *frame, list []byte, role model.Role) {
	c := jsonspan.New(list)
	for c.Array(); c.More(); {
		if c.Kind() == jsonspan.Object {
			o.reader.object(&c, u, role)
		} else if v := rest(&c); len(v) > 0 {
			o.under(u, v, role)
		}
	}
}

// key returns the key of a frame's objects if its path has no lists, otherwise that of the
// surrounding object.
func (f *frame) key(around []byte) []byte {
	if last := f.path[len(f.path)-1]; last != "" && !isPrefix(last) && last != Pairs {
		return model.AppendQuoted(nil, []byte(last))
	}
	return around
}

// eachMember is each with the key of the innermost member of an object that "[]" matched, or
// otherwise the current key.
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
}

// fileOf returns the path of a file URI, and other texts unchanged.
func fileOf(t model.Text) model.Text {
	if !t.HasPrefix("file://") {
		return t
	}
	if t.HasPrefix("file:///") && !bytes.ContainsAny(t.Raw(), `%#?\`) {
		return t.Cut(len("file://"), len(t.Raw()))
	}
	u, err := url.Parse(t.String())
	if err != nil || u.Path == "" {
		return t
	}
	return model.StringText(u.Path)
}
