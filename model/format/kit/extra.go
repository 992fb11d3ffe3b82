package kit

import (
	"slices"
	"strconv"
	"strings"

	"turns/model"
	"turns/model/jsonspan"
)

// Keep adds an Extra field unless its value says nothing.
func Keep(f *model.Fact, name string, v []byte) {
	if !IsEmpty(v) {
		f.Keep(name, model.ValueText(v))
	}
}

// KeepField keeps the field that the cursor has come to.
func KeepField(f *model.Fact, c *jsonspan.Cursor) { KeepNamed(f, c.Name, c.Skip()) }

// KeepNamed keeps a value that the model has no place for under its own name. Names
// by which an About fact describes the conversation mean something else where
// they are met by chance.
func KeepNamed(f *model.Fact, name, v []byte) {
	switch {
	case IsEmpty(v):
	case aboutByChance(name) != "":
		f.Keep(aboutByChance(name), model.ValueText(v))
	default:
		f.KeepNamed(name, model.ValueText(v))
	}
}

// aboutByChance is what a recorded field is kept as whose name has a meaning in an
// About fact; "" for all others.
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

// Names say as what fields are kept that go by other names with us.
type Names map[string]string

// Keep keeps the field that the cursor has come to: under our name, or under its own.
func (names Names) Keep(f *model.Fact, c *jsonspan.Cursor) {
	if name := names[string(c.Name)]; name != "" {
		Keep(f, name, c.Skip())
	} else {
		KeepField(f, c)
	}
}

// KeepOnly is Keep that passes what has no name of ours.
func (names Names) KeepOnly(f *model.Fact, c *jsonspan.Cursor) {
	name := names[string(c.Name)]
	if v := c.Skip(); name != "" {
		Keep(f, name, v)
	}
}

// HasExtra reports whether a fact keeps a field of that name.
func HasExtra(f *model.Fact, name string) bool {
	for i := range f.Extra {
		if f.Extra[i].Name == name {
			return true
		}
	}
	return false
}

// KeepNumbered keeps a field of a block: where several blocks of a message have it,
// the later ones are numbered.
func KeepNumbered(f *model.Fact, name string, v []byte) {
	if IsEmpty(v) {
		return
	}
	f.Keep(nextName(f, name), model.ValueText(v))
}

// nextName is a name with the next free number. Blocks are much alike, so that the
// last field of the name is near the end.
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

// KeepRest keeps the fields of a block but for those that are told otherwise.
func KeepRest(f *model.Fact, block []byte, told ...string) {
	c := jsonspan.New(block)
	for c.Object(); c.Key(); {
		if slices.Contains(told, string(c.Name)) {
			c.Skip()
			continue
		}
		name := string(c.Name)
		KeepNumbered(f, name, c.Skip())
	}
}

// KeepOf keeps a field of one part of a message, where the parts of a message are
// records of their own and may all have one of that name.
func KeepOf(f *model.Fact, name string, of, v []byte) {
	if len(of) == 0 {
		KeepNamed(f, []byte(name), v)
		return
	}
	if !IsEmpty(v) {
		f.Keep(name+" of "+string(of), model.ValueText(v))
	}
}

// Kept are fields that are read before the fact is there that is to keep them. The
// first of them need no memory.
type Kept struct {
	few  [10]model.Field
	n    int
	more []model.Field
}

// Take keeps the field that the cursor has come to.
func (k *Kept) Take(c *jsonspan.Cursor, fs *model.Facts) {
	if f, ok := TakeField(c, fs); ok {
		k.Add(f)
	}
}

// Add keeps a field that was read already.
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

// TakeField gives the field that the cursor has come to; ok is false where it says
// nothing.
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

// KeepOthers keeps the fields of an object but for those that are told otherwise.
func KeepOthers(f *model.Fact, object []byte, told ...string) {
	c := jsonspan.New(object)
	for c.Object(); c.Key(); {
		if slices.Contains(told, string(c.Name)) {
			c.Skip()
		} else {
			KeepField(f, &c)
		}
	}
}

// ClaudeKeep keeps the inside of a string that is not empty.
func ClaudeKeep(f *model.Fact, name string, inside []byte) {
	if len(inside) > 0 {
		f.Keep(name, model.EscapedText(inside))
	}
}

// ClaudeText is the text between the quotes of a string, absent where that is.
func ClaudeText(inside []byte) model.Text {
	if inside == nil {
		return model.Text{}
	}
	return model.EscapedText(inside)
}
