package kit

import (
	"unsafe"

	"turns/model"
	"turns/model/jsonspan"
)

// Field is a name in an object and the target for its value.
type Field struct {
	name string
	as   fieldKind
	to   unsafe.Pointer // its type depends on the kind
}

// fieldKind is the kind of a field's value and of its target.
type fieldKind uint8

const (
	rawField fieldKind = iota
	wordField
	idField
	textField
	timeField
	countField
	flagField
	keyField
	costField
	intField
	rowsField
	objectField
)

// Raw returns a field with any value, stored as its raw bytes.
func Raw(name string, to *[]byte) Field { return Field{name, rawField, unsafe.Pointer(to)} }

// Word returns a field with a string, stored as the bytes between its quotes; nil for other values.
func Word(name string, to *[]byte) Field { return Field{name, wordField, unsafe.Pointer(to)} }

// ID returns a field with an identifier: a string or a number.
func ID(name string, to *[]byte) Field { return Field{name, idField, unsafe.Pointer(to)} }

// Text returns a field whose value becomes a text of the model.
func Text(name string, to *model.Text) Field { return Field{name, textField, unsafe.Pointer(to)} }

// Time returns a field with a moment.
func Time(name string, to *model.Moment) Field { return Field{name, timeField, unsafe.Pointer(to)} }

// Count returns a field with a number from zero on. Other values leave the target unchanged.
func Count(name string, to *int64) Field { return Field{name, countField, unsafe.Pointer(to)} }

// Flag returns a field with a boolean.
func Flag(name string, to *bool) Field { return Field{name, flagField, unsafe.Pointer(to)} }

// Key returns a field whose value is stored as its hash.
func Key(name string, to *model.Key) Field { return Field{name, keyField, unsafe.Pointer(to)} }

// Cost returns a field with the cost of a usage. Other values leave the usage unchanged.
func Cost(name string, to *model.Usage) Field { return Field{name, costField, unsafe.Pointer(to)} }

// Int returns a field with an integer or a string with one; zero for other values.
func Int(name string, to *int64) Field { return Field{name, intField, unsafe.Pointer(to)} }

// Rows returns a field with a value that may be JSON in a string, stored as that JSON.
func Rows(name string, to *[]byte) Field { return Field{name, rowsField, unsafe.Pointer(to)} }

// Within returns a field with an object that has these fields.
func Within(name string, fields ...Field) Field {
	return Field{name, objectField, unsafe.Pointer(&fields)}
}

// read consumes the value of a field.
func (kind fieldKind) read(c *jsonspan.Cursor, to unsafe.Pointer) {
	switch kind {
	case rawField:
		*(*[]byte)(to) = c.Skip()
	case wordField:
		*(*[]byte)(to) = c.String()
	case idField:
		*(*[]byte)(to) = c.ID()
	case textField:
		*(*model.Text)(to) = model.ValueText(c.Skip())
	case timeField:
		*(*model.Moment)(to) = ReadMoment(c)
	case countField:
		ReadCount(c, (*int64)(to))
	case flagField:
		*(*bool)(to) = c.Bool()
	case keyField:
		*(*model.Key)(to) = HashValue(c.Skip())
	case intField:
		*(*int64)(to), _ = jsonspan.ParseInt(c.Skip())
	case rowsField:
		*(*[]byte)(to) = RowsJSON(c.Skip())
	case objectField:
		ReadFields(c, *(*[]Field)(to)...)
	case costField:
		if x, ok := c.Float(); ok {
			u := (*model.Usage)(to)
			u.Cost, u.HasCost = x, true
		}
	}
}

// Fields are the fields to read from an object, the most frequent first.
type Fields []Field

// Take consumes the value at the cursor if it belongs to one of the fields.
func (fields Fields) Take(c *jsonspan.Cursor) bool {
	for i := range fields {
		if f := &fields[i]; f.name == string(c.Name) {
			f.as.read(c, f.to)
			return true
		}
	}
	return false
}

// Read consumes the value at the cursor, and skips it if it belongs to none of the fields.
func (fields Fields) Read(c *jsonspan.Cursor) {
	if !fields.Take(c) {
		c.Skip()
	}
}

// ReadOrKeep is like Read, but adds values of other fields to f as Extra fields.
func (fields Fields) ReadOrKeep(f *model.Fact, c *jsonspan.Cursor) {
	if !fields.Take(c) {
		KeepField(f, c)
	}
}

// ReadFields consumes an object and reads only these fields.
func ReadFields(c *jsonspan.Cursor, fields ...Field) {
	for c.Object(); c.Key(); {
		Fields(fields).Read(c)
	}
}

// ReadObject is ReadFields for a value.
func ReadObject(v []byte, fields ...Field) {
	c := jsonspan.New(v)
	ReadFields(&c, fields...)
}

// Table reads the fields of a struct. It computes their offsets once and finds a field by the
// ends, the middle and the length of its name. That is nearly as fast as a switch over the names;
// Fields is slower.
type Table[T any] struct{ slots [128]slot[T] }

type slot[T any] struct {
	name string
	as   fieldKind
	at   uintptr
	in   *Table[T] // of an object
}

// TableOf makes the table for the fields of a struct that a function lists. It panics unless all of
// them are in the struct itself and fewer than the slots.
func TableOf[T any](fields func(*T) Fields) *Table[T] {
	of := new(T)
	return tableOf(of, fields(of))
}

func tableOf[T any](of *T, list Fields) *Table[T] {
	t := &Table[T]{}
	if len(list) >= len(t.slots) {
		panic("too many fields for a table")
	}
	for _, f := range list {
		s := slot[T]{name: f.name, as: f.as}
		if f.as == objectField {
			s.in = tableOf(of, *(*[]Field)(f.to))
		} else if s.at = uintptr(f.to) - uintptr(unsafe.Pointer(of)); s.at >= unsafe.Sizeof(*of) {
			panic("field " + f.name + " lies outside of its struct")
		}
		n := slotOf([]byte(f.name))
		for t.slots[n].name != "" {
			n = nextSlot(n)
		}
		t.slots[n] = s
	}
	return t
}

// slotOf returns the preferred slot of a name; on a collision, the name is in the next free slot.
func slotOf(name []byte) uint {
	if len(name) == 0 {
		return 0
	}
	return (uint(len(name)) + 3*uint(name[0]) + 5*uint(name[len(name)-1]) + 7*uint(name[len(name)/2])) % 128
}

func nextSlot(n uint) uint { return (n + 1) % 128 }

// Take consumes the value at the cursor if it belongs to one of the fields.
func (t *Table[T]) Take(c *jsonspan.Cursor, to *T) bool {
	n := slotOf(c.Name)
	for t.slots[n].name != "" && t.slots[n].name != string(c.Name) {
		n = nextSlot(n)
	}
	s := &t.slots[n]
	if s.name == "" {
		return false
	}
	switch at := unsafe.Add(unsafe.Pointer(to), s.at); s.as {
	case rawField: // the most frequent kinds
		*(*[]byte)(at) = c.Skip()
	case wordField:
		*(*[]byte)(at) = c.String()
	case idField:
		*(*[]byte)(at) = c.ID()
	case countField:
		ReadCount(c, (*int64)(at))
	case objectField:
		s.in.ReadAll(c, to)
	default:
		s.as.read(c, at)
	}
	return true
}

// Set stores the value of a name, and reports whether it belongs to one of the fields.
func (t *Table[T]) Set(name, value []byte, to *T) bool {
	c := jsonspan.New(value)
	c.Name = name
	return t.Take(&c, to)
}

// Read consumes the value at the cursor, and skips it if it belongs to none of the fields.
func (t *Table[T]) Read(c *jsonspan.Cursor, to *T) {
	if !t.Take(c, to) {
		c.Skip()
	}
}

// ReadOrKeep is like Read, but adds values of other fields to f as Extra fields.
func (t *Table[T]) ReadOrKeep(c *jsonspan.Cursor, to *T, f *model.Fact) {
	if !t.Take(c, to) {
		KeepField(f, c)
	}
}

// ReadAll consumes an object and reads only these fields.
func (t *Table[T]) ReadAll(c *jsonspan.Cursor, to *T) {
	for c.Object(); c.Key(); {
		t.Read(c, to)
	}
}
