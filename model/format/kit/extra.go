package kit

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"turns/model"
	"turns/model/jsonspan"
)

// Keep adds an Extra field unless its value is empty.
func Keep(f *model.Fact, name string, v []byte) {
	if len(v) > 0 { // most fields of most records are absent
		keep(f, name, v)
	}
}

func keep(f *model.Fact, name string, v []byte) {
	if !IsEmpty(v) {
		f.Keep(name, model.ValueText(v))
	}
}

// KeepField adds the field at the cursor as an Extra field.
func KeepField(f *model.Fact, c *jsonspan.Cursor) { KeepNamed(f, c.Name, c.Skip()) }

// KeepNamed adds a value without a field in the model as an Extra field under its own name. It
// renames fields whose names have another meaning in an About fact.
func KeepNamed(f *model.Fact, name, v []byte) {
	switch {
	case IsEmpty(v):
	case aboutByChance(name) != "":
		f.Keep(aboutByChance(name), model.ValueText(v))
	default:
		f.KeepNamed(name, model.ValueText(v))
	}
}

// aboutByChance returns another name for a recorded field whose name has a meaning in an About
// fact; "" for all others.
func aboutByChance(name []byte) string {
	for i, about := range model.AboutNames {
		if string(name) == about {
			return recordedNames[i]
		}
	}
	return ""
}

var recordedNames = func() (names [len(model.AboutNames)]string) {
	for i, name := range model.AboutNames {
		names[i] = "recorded " + name
	}
	return names
}()

// Names maps recorded names of fields to the names that turns uses.
type Names map[string]string

// Keep adds the field at the cursor as an Extra field: under its mapped name, or under its own.
func (names Names) Keep(f *model.Fact, c *jsonspan.Cursor) {
	if name := names[string(c.Name)]; name != "" {
		Keep(f, name, c.Skip())
	} else {
		KeepField(f, c)
	}
}

// KeepOnly is like Keep, but skips fields without a mapped name.
func (names Names) KeepOnly(f *model.Fact, c *jsonspan.Cursor) {
	name := names[string(c.Name)]
	if v := c.Skip(); name != "" {
		Keep(f, name, v)
	}
}

// HasExtra reports whether a fact has an Extra field of that name.
func HasExtra(f *model.Fact, name string) bool {
	for i := range f.Extra {
		if f.Extra[i].Name == name {
			return true
		}
	}
	return false
}

// KeepNumbered adds a field of a block as an Extra field. If several blocks of a message have the
// field, it numbers the later ones.
func KeepNumbered(f *model.Fact, name string, v []byte) {
	if IsEmpty(v) {
		return
	}
	f.Keep(nextName(f, cmp.Or(aboutByChance([]byte(name)), name)), model.ValueText(v))
}

// nextName returns a name with the next free number. It searches from the end, because blocks are
// similar and the last field with the name is near.
func nextName(f *model.Fact, name string) string {
	for i := range slices.Backward(f.Extra) {
		rest, ok := strings.CutPrefix(f.Extra[i].Name, name)
		if !ok {
			continue
		}
		if rest == "" {
			return name + " 2"
		}
		if n, err := strconv.Atoi(strings.TrimPrefix(rest, " ")); err == nil && rest[0] == ' ' {
			return name + " " + strconv.Itoa(n+1)
		}
	}
	return name
}

// KeepRest adds the fields of a block as Extra fields, except those in the list.
func KeepRest(f *model.Fact, block []byte, known ...string) {
	c := jsonspan.New(block)
	for c.Object(); c.Key(); {
		if slices.Contains(known, string(c.Name)) {
			c.Skip()
			continue
		}
		name := string(c.Name)
		KeepNumbered(f, name, c.Skip())
	}
}

// KeepOf adds a field of one part of a message as an Extra field, for formats in which each part is
// a separate record and all may have a field of that name.
func KeepOf(f *model.Fact, name string, of, v []byte) {
	if len(of) == 0 {
		KeepNamed(f, []byte(name), v)
		return
	}
	if !IsEmpty(v) {
		f.Keep(name+" of "+string(of), model.ValueText(v))
	}
}

// Kept collects fields that a parser reads before their fact exists. The first few need no
// allocation.
type Kept struct {
	few  [10]model.Field
	n    int
	more []model.Field
}

// Take collects the field at the cursor.
func (k *Kept) Take(c *jsonspan.Cursor, fs *model.Facts) {
	if f, ok := TakeField(c, fs); ok {
		k.Add(f)
	}
}

// Add collects a field from an earlier read.
func (k *Kept) Add(f model.Field) {
	if k.n < len(k.few) {
		k.few[k.n] = f
		k.n++
		return
	}
	k.more = append(k.more, f)
}

// Give adds the fields to a fact.
func (k *Kept) Give(f *model.Fact) {
	f.Extra = append(f.Extra, k.few[:k.n]...)
	f.Extra = append(f.Extra, k.more...)
}

// TakeField returns the field at the cursor; ok is false if its value is empty.
func TakeField(c *jsonspan.Cursor, fs *model.Facts) (f model.Field, ok bool) {
	name := c.Name
	v := c.Skip()
	if IsEmpty(v) {
		return f, false
	}
	f = model.Field{Name: aboutByChance(name), Value: model.ValueText(v)}
	if f.Name == "" {
		f.Name = fs.Name(name)
	}
	return f, true
}

// KeepOthers adds the fields of an object as Extra fields, except those in the list.
func KeepOthers(f *model.Fact, object []byte, known ...string) {
	c := jsonspan.New(object)
	for c.Object(); c.Key(); {
		if slices.Contains(known, string(c.Name)) {
			c.Skip()
		} else {
			KeepField(f, &c)
		}
	}
}

// ClaudeKeep adds the inside of a string as an Extra field unless it is empty.
func ClaudeKeep(f *model.Fact, name string, inside []byte) {
	if len(inside) > 0 {
		f.Keep(name, model.EscapedText(inside))
	}
}

// ClaudeText returns the text between the quotes of a string, absent if inside is nil.
func ClaudeText(inside []byte) model.Text {
	if inside == nil {
		return model.Text{}
	}
	return model.EscapedText(inside)
}
