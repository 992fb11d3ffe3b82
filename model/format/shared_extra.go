package format

import (
	"slices"
	"strconv"
	"strings"

	"turns/model"
	"turns/model/jsonspan"
)

// keep adds an Extra field unless its value says nothing.
func keep(f *model.Fact, name string, v []byte) {
	if !isEmpty(v) {
		f.Keep(name, model.ValueText(v))
	}
}

// keepField keeps the field that the cursor has come to.
func keepField(f *model.Fact, c *jsonspan.Cursor) { keepNamed(f, c.Name, c.Skip()) }

// keepNamed keeps a value that the model has no place for under its own name. Names
// by which an About fact describes the conversation mean something else where
// they are met by chance.
func keepNamed(f *model.Fact, name, v []byte) {
	switch {
	case isEmpty(v):
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

// hasExtra reports whether a fact keeps a field of that name.
func hasExtra(f *model.Fact, name string) bool {
	for i := range f.Extra {
		if f.Extra[i].Name == name {
			return true
		}
	}
	return false
}

// keepNumbered keeps a field of a block: where several blocks of a message have it,
// the later ones are numbered.
func keepNumbered(f *model.Fact, name string, v []byte) {
	if isEmpty(v) {
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

// keepRest keeps the fields of a block but for those that are told otherwise.
func keepRest(f *model.Fact, block []byte, told ...string) {
	c := jsonspan.New(block)
	for c.Object(); c.Key(); {
		if slices.Contains(told, string(c.Name)) {
			c.Skip()
			continue
		}
		name := string(c.Name)
		keepNumbered(f, name, c.Skip())
	}
}

// keepOf keeps a field of one part of a message, where the parts of a message are
// records of their own and may all have one of that name.
func keepOf(f *model.Fact, name string, of, v []byte) {
	if len(of) == 0 {
		keepNamed(f, []byte(name), v)
		return
	}
	if !isEmpty(v) {
		f.Keep(name+" of "+string(of), model.ValueText(v))
	}
}

// kept are fields that are read before the fact is there that is to keep them. The
// first of them need no memory.
type kept struct {
	few  [10]model.Field
	n    int
	more []model.Field
}

// take keeps the field that the cursor has come to.
func (k *kept) take(c *jsonspan.Cursor, fs *model.Facts) {
	if f, ok := takeField(c, fs); ok {
		k.add(f)
	}
}

func (k *kept) add(f model.Field) {
	if k.n < len(k.few) {
		k.few[k.n] = f
		k.n++
		return
	}
	k.more = append(k.more, f)
}

// give adds the fields to a fact.
func (k *kept) give(f *model.Fact) {
	f.Extra = append(f.Extra, k.few[:k.n]...)
	f.Extra = append(f.Extra, k.more...)
}

// takeField gives the field that the cursor has come to; ok is false where it says
// nothing.
func takeField(c *jsonspan.Cursor, fs *model.Facts) (f model.Field, ok bool) {
	name := c.Name
	v := c.Skip()
	if isEmpty(v) {
		return f, false
	}
	f = model.Field{Name: aboutByChance(name), Value: model.ValueText(v)}
	if f.Name == "" {
		f.Name = fs.Name(name)
	}
	return f, true
}

// keepOthers keeps the fields of an object but for those that are told otherwise.
func keepOthers(f *model.Fact, object []byte, told ...string) {
	c := jsonspan.New(object)
	for c.Object(); c.Key(); {
		if slices.Contains(told, string(c.Name)) {
			c.Skip()
		} else {
			keepField(f, &c)
		}
	}
}

// claudeKeep keeps the inside of a string that is not empty.
func claudeKeep(f *model.Fact, name string, inside []byte) {
	if len(inside) > 0 {
		f.Keep(name, model.EscapedText(inside))
	}
}

// claudeText is the text between the quotes of a string, absent where that is.
func claudeText(inside []byte) model.Text {
	if inside == nil {
		return model.Text{}
	}
	return model.EscapedText(inside)
}
