package kit

import (
	"slices"

	"turns/model"
	"turns/model/jsonspan"
)

// Common code for formats of evaluations, chat exports and training data: one document has an
// entire conversation, or many.

// The variants of such formats.
const (
	EvalDoc   = iota // a document with one conversation, or with a wrapped list of them
	EvalLines        // a conversation on each line
	EvalList         // a document whose top level is a list of conversations
	EvalOther        // a format's own variants start here
)

// EvalVariant looks for conversations in a sample. It calls fits with a document, with the
// first elements of a top-level list, or with the lines; each may be cut off. ok is false if
// most do not fit. Every match has one of keys: if the sample has none, EvalVariant does not
// call fits.
func EvalVariant(s *model.Sample, keys []string, fits func(v []byte) bool) (variant uint8, ok bool) {
	if len(keys) > 0 && !slices.ContainsFunc(keys, func(key string) bool { return !s.Lacks(`"` + key + `"`) }) {
		return 0, false
	}
	switch {
	case s.Shape == model.Document && jsonspan.KindOf(s.Doc) == jsonspan.Array:
		first := EvalFirst(s.Doc)
		return EvalList, first != nil && fits(first)
	case s.Shape == model.Document, s.Shape == model.Lines && len(s.Records) == 0 && s.Doc != nil:
		return EvalDoc, fits(s.Doc)
	case s.Shape == model.Lines && len(s.Records) == 1 && s.Whole:
		return EvalDoc, fits(s.Records[0])
	case s.Shape == model.Lines:
		return EvalLines, MostFit(s, fits)
	}
	return 0, false
}

// EvalFirst returns a list from its first element on, which may be cut off; nil if there is none.
func EvalFirst(list []byte) []byte {
	c := jsonspan.New(list)
	if c.Kind() != jsonspan.Array || !c.Array() || !c.More() || c.Kind() == jsonspan.End {
		return nil
	}
	return list[c.Pos:]
}

// EvalHas reports whether an object has all these keys (or keys joined by dots), even if it is cut
// off after them.
func EvalHas(v []byte, paths ...string) bool {
	if jsonspan.KindOf(v) != jsonspan.Object {
		return false
	}
	for _, path := range paths {
		if _, ok := Seek(v, path); !ok {
			return false
		}
	}
	return true
}

// EvalAt returns the value at a path, which may be cut off; nil if there is none.
func EvalAt(v []byte, path string) []byte {
	if c, ok := Seek(v, path); ok && c.Kind() != jsonspan.End {
		return c.Buf[c.Pos:]
	}
	return nil
}

// EvalString returns the inside of the string at a path.
func EvalString(v []byte, path string) []byte {
	c, ok := Seek(v, path)
	if !ok {
		return nil
	}
	return c.String()
}

// EvalSession returns the session of a record with a complete conversation: the zero key if the
// source has only this one.
func EvalSession(rec model.Record) model.Key {
	if rec.Variant == EvalDoc {
		return 0
	}
	return model.HashNumber("conversation", rec.Ref.Off)
}

// evalReader iterates over the conversations of a record, for formats whose documents may be a list
// of them. The record is one conversation, or the rest of the list.
//
//	for r := evalOpen(rec); r.Next(fs); {
//		… r.C is before the object
//	}
//	return r.Close(fs)
type evalReader struct {
	C       jsonspan.Cursor // before the conversation
	Session model.Key       // of the conversation
	rec     model.Record
	list    jsonspan.Cursor // of the conversations, if the record is a list
	n       int64           // number of conversations so far
}

// EvalLists returns the list of a document with conversations.
func EvalLists(m model.Match) []string {
	if m.Variant == EvalList {
		return []string{WholeList}
	}
	return nil
}

// EvalEach reads each conversation of a record.
func EvalEach(rec model.Record, fs *model.Facts, one func(*jsonspan.Cursor, model.Key, *model.Facts)) error {
	r := evalOpen(rec)
	for r.Next(fs) {
		one(&r.C, r.Session, fs)
	}
	return r.Close(fs)
}

func evalOpen(rec model.Record) evalReader {
	return evalReader{C: jsonspan.New(rec.Data), Session: EvalSession(rec), rec: rec}
}

// Next moves to the next conversation.
func (r *evalReader) Next(fs *model.Facts) bool {
	r.n++
	if r.n == 1 {
		if r.C.Kind() != jsonspan.Array {
			return StartObject(&r.C, fs)
		}
		r.list = r.C
		r.list.Array()
	}
	if r.list.Buf == nil || !r.list.More() {
		return false
	}
	v := r.list.Skip()
	if r.list.Err != nil {
		return false
	}
	r.C = jsonspan.New(v)
	r.Session = EvalSession(r.rec).Join(model.HashNumber("conversation", r.n-1))
	return true
}

// Close ends the parsing of the record.
func (r *evalReader) Close(fs *model.Facts) error {
	switch {
	case r.list.Buf != nil:
		r.C = r.list
		if fs.Len() == 0 {
			fs.Add(model.About) // the rest of the list
		}
	case r.C.Err == nil || r.rec.Variant == EvalDoc && r.rec.List == "":
		return EvalCut(&r.C, fs)
	}
	if r.C.Err != nil {
		fs.Clear()
	}
	return Finish(&r.C, fs)
}

// EvalValue consumes a value and returns it; at the cut end of a sample, it returns the part
// before the cut.
func EvalValue(c *jsonspan.Cursor) []byte {
	c.Kind() // skip white space
	from := c.Pos
	if v := c.Skip(); c.Err == nil {
		return v
	}
	return c.Buf[min(from, len(c.Buf)):]
}

// EvalAgain recovers from a failure to read the messages of a conversation in place. It removes
// the facts from number from on, skips the value, and returns its available bytes to be read
// separately, so that text after broken messages is not lost. It returns nil if no error
// occurred.
func EvalAgain(c *jsonspan.Cursor, before jsonspan.Cursor, fs *model.Facts, from int) []byte {
	if c.Err == nil {
		return nil
	}
	fs.Cut(from)
	*c = before
	return EvalValue(c)
}

// EvalCut ends the parsing of a document that may be cut off. Facts from before the cut remain, and
// a note marks the cut. Without any facts the document is unreadable.
func EvalCut(c *jsonspan.Cursor, fs *model.Facts) error {
	if c.Err == nil {
		return Finish(c, fs)
	}
	for i := range fs.Len() {
		if fs.At(i).Op == model.Say {
			Note(fs, "cut off").AddText(model.Words, model.StringText(c.Err.Error()))
			return nil
		}
	}
	fs.Clear()
	return c.Err
}

// EvalMessage adds the message of OpenAI's shape at the cursor. Its facts are those from the
// returned number on. A value that is not a message becomes a note.
func EvalMessage(c *jsonspan.Cursor, session model.Key, fs *model.Facts) (from int) {
	from = fs.Len()
	before := *c
	p := ChatParser{Fs: fs, Session: session}
	p.Value(c, model.NoRole)
	if c.Err == nil && fs.Len() > from {
		return from
	}
	fs.Cut(from)
	*c = before
	if v := c.Skip(); c.Err == nil {
		EvalNote(fs, session, "message", v)
	}
	return from
}

// EvalNote adds a note with the recorded value.
func EvalNote(fs *model.Facts, session model.Key, kind string, v []byte) *model.Fact {
	f := Note(fs, kind)
	f.Session = session
	if !IsEmpty(v) {
		f.AddText(model.OtherBlock, model.ValueText(v))
	}
	return f
}

// EvalHead adds the two facts that precede a conversation: its description, and a note with the
// other values of the record that the model has no field for, which therefore need no memory. Both
// pointers are valid until the next fact is added; EvalHeadAt returns them again by the number of
// the first. Call EvalHeadDone at the end of the record.
func EvalHead(fs *model.Facts, session model.Key, kind string) (about, rest *model.Fact) {
	at := fs.Len()
	fs.Add(model.About)
	Note(fs, kind)
	about, rest = EvalHeadAt(fs, at)
	about.Session, rest.Session = session, session
	return about, rest
}

// EvalHeadAt returns the two facts of EvalHead by the number of the first.
func EvalHeadAt(fs *model.Facts, at int) (about, rest *model.Fact) { return fs.At(at), fs.At(at + 1) }

// EvalHeadDone removes the note of EvalHead if it is empty.
func EvalHeadDone(fs *model.Facts, at int) {
	if len(fs.At(at+1).Extra) == 0 {
		fs.Move(at+1, fs.Len()-1)
		fs.Drop()
	}
}

// EvalOutcome returns the outcome of a session with a score between 0 and 1, and Unknown for a
// score outside this range.
func EvalOutcome(score float64) model.Outcome {
	switch {
	case score == 1:
		return model.Success
	case score == 0:
		return model.Failure
	case score > 0 && score < 1:
		return model.Half
	}
	return model.Unknown
}

// EvalFloat returns the number in a raw value; ok is false for other values and for numbers that
// are not finite.
func EvalFloat(v []byte) (x float64, ok bool) {
	if IsNull(v) {
		return 0, false
	}
	c := jsonspan.New(v)
	x, ok = c.Float()
	return x, ok && x-x == 0
}

// EvalReason returns the reason for the end of a session, cut to the length of a name.
func EvalReason(s string) model.Text {
	const most = 300
	if len(s) > most {
		s = model.CutWords(s, most) + "…"
	}
	return model.StringText(s)
}

// EvalTotal adds usage of an entire conversation, if it is known.
func EvalTotal(fs *model.Facts, session model.Key, u model.Usage) {
	if max(u.Input, u.CacheRead, u.CacheWrite, u.Output) <= 0 && !(u.HasCost && u.Cost > 0) {
		return
	}
	f := fs.Add(model.Meter)
	f.Session, f.Usage = session, u
	f.Usage.Scope = model.Total
}
