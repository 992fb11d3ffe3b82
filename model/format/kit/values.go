package kit

import (
	"bytes"
	"slices"
	"time"

	"turns/model"
	"turns/model/jsonspan"
)

// Finish ends a Parse: it returns the cursor's error, or counts the bytes of another record.
func Finish(c *jsonspan.Cursor, fs *model.Facts) error {
	if c.Err != nil {
		return c.Err
	}
	if !c.Done() {
		fs.Rest = len(c.Buf) - c.Pos
	}
	for i := range fs.Len() {
		aboutConversation(fs, i)
	}
	return nil
}

// aboutConversation adds message i's data about the conversation.
func aboutConversation(fs *model.Facts, i int) {
	f := fs.At(i)
	k := slices.IndexFunc(f.Extra, func(x model.Field) bool { return x.Name == model.ConversationField })
	if k < 0 || f.Op != model.Say || jsonspan.KindOf(f.Extra[k].Value.Raw()) != jsonspan.Object {
		return
	}
	in := jsonspan.New(f.Extra[k].Value.Raw())
	f.Extra = slices.Delete(f.Extra, k, k+1)
	FrameAbout(&in, fs, f.Session)
}

// Note adds a note of a kind that the record itself does not name.
func Note(fs *model.Facts, kind string) *model.Fact {
	f := fs.Add(model.Note)
	f.Name = model.StringText(kind)
	return f
}

// SetRole sets the role from its recorded name, the inside of a string. An unknown name means Other
// and is stored in Name.
func SetRole(f *model.Fact, name []byte) {
	if name == nil {
		return
	}
	role, ok := model.ParseRole(string(name))
	if !ok {
		role = model.Other
		f.Name = model.EscapedText(name)
	}
	f.Role = role
}

var unknownRole = model.StringText("unknown")

// SetRoleValue is SetRole for a raw value that may not be a name.
func SetRoleValue(f *model.Fact, role []byte) {
	if name := Inside(role); len(name) > 0 {
		SetRole(f, name)
		return
	}
	SetUnknown(f, role)
}

// SetUnknown sets the role of a message without a known speaker, and stores the recorded value of
// the role as an Extra field.
func SetUnknown(f *model.Fact, role []byte) {
	f.Role, f.Name = model.Other, unknownRole
	Keep(f, "role", role)
}

// IsNull reports whether a raw value is absent or null.
func IsNull(v []byte) bool { return len(v) == 0 || v[0] == 'n' }

// IsString reports whether a raw value is a string.
func IsString(v []byte) bool { return len(v) >= 2 && v[0] == '"' }

// Inside returns the bytes between the quotes of a raw string; nil for other values.
func Inside(v []byte) []byte {
	if IsString(v) {
		return v[1 : len(v)-1]
	}
	return nil
}

// IsEmpty reports whether a raw value is empty: absent, null, "", [] or {}.
func IsEmpty(v []byte) bool {
	if IsNull(v) {
		return true
	}
	if len(v) < 2 { // a digit, or a bracket of a cut text
		return false
	}
	switch v[0] {
	case '"':
		return len(v) == 2
	case '[', '{':
		return len(bytes.TrimSpace(v[1:len(v)-1])) == 0
	}
	return false
}

// IsTrue reports whether a raw value is true.
func IsTrue(v []byte) bool { return len(v) == 4 && v[0] == 't' }

// HashValue returns the key of a recorded identifier: the inside of a string, or the bytes of a
// number. Other values return zero.
func HashValue(v []byte) model.Key {
	switch jsonspan.KindOf(v) {
	case jsonspan.String:
		return model.Hash(Inside(v))
	case jsonspan.Number:
		return model.Hash(v)
	}
	return 0
}

// MomentOfMs converts Unix milliseconds to a moment.
func MomentOfMs(ms int64) model.Moment { return model.Moment{Ms: ms, Zoned: true} }

// momentOfSeconds converts Unix seconds with a fraction.
func momentOfSeconds(s float64) model.Moment {
	if s != s || s < -1e11 || s > 1e11 {
		return model.Moment{}
	}
	return MomentOfMs(int64(s*1000 + 0.5))
}

// momentOfNumber converts seconds, milliseconds, microseconds or nanoseconds. The size of the
// number shows its unit (1973 to 5138 in each).
func momentOfNumber(x float64) model.Moment {
	switch {
	case x < 1e8 || x != x:
		return model.Moment{}
	case x < 1e11:
		return momentOfSeconds(x)
	case x < 1e14:
		return MomentOfMs(int64(x))
	case x < 1e17:
		return MomentOfMs(int64(x / 1e3))
	case x < 1e20:
		return MomentOfMs(int64(x / 1e6))
	}
	return model.Moment{}
}

// MomentOf returns the moment in a raw JSON value: a string with an ISO 8601 date or one as people
// write it, a number (seconds to nanoseconds), or a string with such a number. It returns zero for
// other values.
func MomentOf(v []byte) model.Moment {
	if IsNull(v) {
		return model.Moment{}
	}
	if s := Inside(v); s != nil {
		if m := ParseISO(s); m.Ms != 0 {
			return m
		}
		if m := parseWritten(s); m.Ms != 0 {
			return m
		}
	}
	if n, ok := Digits(v); ok && len(v) < 18 {
		return momentOfNumber(float64(n))
	}
	c := jsonspan.New(v)
	if x, ok := c.Float(); ok {
		return momentOfNumber(x)
	}
	return model.Moment{}
}

// ReadMoment consumes a value and returns its moment.
func ReadMoment(c *jsonspan.Cursor) model.Moment { return MomentOf(c.Skip()) }

// ParseISO reads 2006-01-02T15:04:05.999999Z and its relatives: a blank instead of the T, seconds
// and fraction optional, zone Z, +01:00, +0100, +01 or none, white space before the zone. It
// returns the zero Moment for text in any other form, and for the year 1: programs write their
// unset times as its first day.
func ParseISO(b []byte) model.Moment {
	if len(b) < 10 || b[4] != '-' || b[7] != '-' {
		return model.Moment{}
	}
	year, ok1 := Digits(b[:4])
	month, ok2 := Digits(b[5:7])
	day, ok3 := Digits(b[8:10])
	if !ok1 || !ok2 || !ok3 || year <= 1 || month < 1 || month > 12 || day < 1 || day > 31 {
		return model.Moment{}
	}
	ms := DaysOf(year, month, day) * 86_400_000
	if len(b) == 10 {
		return model.Moment{Ms: ms}
	}
	if b[10] != 'T' && b[10] != ' ' && b[10] != 't' {
		return model.Moment{}
	}
	clock, b, ok := parseClock(b[11:])
	if !ok {
		return model.Moment{}
	}
	offset, zoned, ok := parseZone(b)
	if !ok {
		return model.Moment{}
	}
	return model.Moment{Ms: ms + clock - offset, Zoned: zoned}
}

// parseClock parses 15:04, 15:04:05 or 15:04:05.999 and returns milliseconds and the rest.
func parseClock(b []byte) (ms int64, rest []byte, ok bool) {
	if len(b) < 5 || b[2] != ':' {
		return 0, b, false
	}
	h, ok1 := Digits(b[:2])
	m, ok2 := Digits(b[3:5])
	if !ok1 || !ok2 || h > 24 || m > 59 {
		return 0, b, false
	}
	ms = h*3_600_000 + m*60_000
	b = b[5:]
	if len(b) < 3 || b[0] != ':' {
		return ms, b, true
	}
	s, ok := Digits(b[1:3])
	if !ok || s > 60 {
		return 0, b, false
	}
	ms += s * 1000
	b = b[3:]
	if len(b) > 1 && (b[0] == '.' || b[0] == ',') {
		b = b[1:]
		for unit := int64(100); len(b) > 0 && b[0] >= '0' && b[0] <= '9'; unit /= 10 {
			ms += int64(b[0]-'0') * unit
			b = b[1:]
		}
	}
	return ms, b, true
}

// parseZone parses a zone at the end of a timestamp and returns its offset in milliseconds; zoned
// is false if there is none.
func parseZone(b []byte) (offset int64, zoned, ok bool) {
	for len(b) > 0 && b[0] == ' ' {
		b = b[1:]
	}
	if len(b) == 0 {
		return 0, false, true
	}
	if b[0] == 'Z' || b[0] == 'z' || string(b) == "UTC" {
		return 0, true, true
	}
	if b[0] != '+' && b[0] != '-' || len(b) < 3 {
		return 0, false, false
	}
	h, ok1 := Digits(b[1:3])
	m, ok2 := int64(0), true
	switch rest := b[3:]; {
	case len(rest) >= 3 && rest[0] == ':':
		m, ok2 = Digits(rest[1:3])
	case len(rest) >= 2:
		m, ok2 = Digits(rest[:2])
	}
	if !ok1 || !ok2 {
		return 0, false, false
	}
	offset = h*3_600_000 + m*60_000
	if b[0] == '-' {
		offset = -offset
	}
	return offset, true, true
}

// Digits reads a number that consists only of digits; ok is false for an empty text. Too many
// digits overflow: the caller must limit the length.
func Digits(b []byte) (n int64, ok bool) {
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, len(b) > 0
}

// DaysOf returns the number of days from 1970-01-01 in the Gregorian calendar (Howard Hinnant's
// days_from_civil, public domain).
func DaysOf(y, m, d int64) int64 {
	if m <= 2 {
		y--
		m += 12
	}
	era := y / 400
	yoe := y - era*400
	doy := (153*(m-3)+2)/5 + d - 1
	doe := yoe*365 + yoe/4 - yoe/100 + doy
	return era*146_097 + doe - 719_468
}

// TookMs returns a duration recorded as a number of milliseconds.
func TookMs(v []byte) time.Duration { return tookOf(v, time.Millisecond) }

// TookSeconds returns a duration recorded as a number of seconds.
func TookSeconds(v []byte) time.Duration { return tookOf(v, time.Second) }

func tookOf(v []byte, unit time.Duration) time.Duration {
	if IsNull(v) {
		return 0
	}
	c := jsonspan.New(v)
	x, ok := c.Float()
	if x *= float64(unit); !ok || !(x > 0 && x < 1e18) {
		return 0
	}
	return time.Duration(x)
}

// StartObject starts a record that must be an object. For any other value it adds a note and
// returns false.
func StartObject(c *jsonspan.Cursor, fs *model.Facts) bool {
	if c.Kind() == jsonspan.Object {
		return true
	}
	v := c.Skip()
	if c.Err == nil {
		Note(fs, "value").AddText(model.OtherBlock, model.ValueText(v))
	}
	return false
}

// LookAt returns the inside of the string under a key of the object at the cursor, without moving
// the cursor; nil if there is none.
func LookAt(c jsonspan.Cursor, name string) []byte {
	for c.Object(); c.Key(); {
		if string(c.Name) == name {
			return c.String()
		}
		c.Skip()
	}
	return nil
}

// LookFor returns the first key of the object at the cursor among names; "" if it has none of
// them.
func LookFor(c jsonspan.Cursor, names ...string) string {
	for c.Object(); c.Key(); {
		for _, name := range names {
			if string(c.Name) == name {
				return name
			}
		}
		c.Skip()
	}
	return ""
}

// ReadAgain recovers from a failure to read the elements of a list in place. It removes the
// facts since from and returns a cursor for the failed element, so that invalid JSON inside the
// element does not cost the elements after it. ok is false if no error occurred, or if the
// element is cut off.
func ReadAgain(list *jsonspan.Cursor, before jsonspan.Cursor, fs *model.Facts, from int) (one jsonspan.Cursor, ok bool) {
	if list.Err == nil {
		return one, false
	}
	fs.Cut(from)
	return SkipBroken(list, before)
}

// SkipBroken recovers after a failure: it returns to the position before the failed value, skips
// the value, and returns a cursor for it. ok is false if no error occurred, or if the value is cut
// off.
func SkipBroken(c *jsonspan.Cursor, before jsonspan.Cursor) (one jsonspan.Cursor, ok bool) {
	if c.Err == nil {
		return one, false
	}
	*c = before
	v := c.Skip()
	return jsonspan.New(v), c.Err == nil
}

// ReadSince returns the value read since the cursor was at start, or all bytes from there on if
// reading it failed.
func ReadSince(c *jsonspan.Cursor, start int) []byte {
	if c.Err != nil {
		return c.Buf[min(start, len(c.Buf)):]
	}
	return c.Buf[start:c.Pos]
}

// mark records the size of a fact, to remove later additions.
type mark struct{ blocks, extra int }

// MarkOf records the current size of a fact.
func MarkOf(f *model.Fact) mark { return mark{len(f.Blocks), len(f.Extra)} }

// TakeBack removes the additions to the fact since the mark.
func (m mark) TakeBack(f *model.Fact) { f.Blocks, f.Extra = f.Blocks[:m.blocks], f.Extra[:m.extra] }

// TurnToNote turns a fact of another kind into a note whose text is the rest of the record.
func TurnToNote(f *model.Fact, kind []byte, raw []byte) {
	f.Op, f.Role, f.Key, f.Join = model.Note, model.NoRole, 0, model.Union
	f.Name = model.EscapedText(kind)
	if len(kind) == 0 {
		f.Name = RecordName
	}
	if len(f.Blocks) == 0 && raw != nil {
		f.AddText(model.OtherBlock, model.ValueText(raw))
	}
}

// RecordName is the kind of a note for a record without a kind.
var RecordName = model.StringText("record")

// AgentCRedacted names reasoning that the provider encrypted for safety (redacted_thinking).
var AgentCRedacted = model.StringText("redacted_thinking")

// Or returns the first of the raw values other than nil.
func Or(values ...[]byte) []byte {
	for _, v := range values {
		if v != nil {
			return v
		}
	}
	return nil
}
