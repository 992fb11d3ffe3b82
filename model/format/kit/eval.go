package kit

import (
	"slices"

	"turns/model"
	"turns/model/jsonspan"
)

// What the formats of evaluations, chat exports and training data have in
// common: one document holds a whole conversation, or many.

// The variants of such formats.
const (
	EvalDoc   = iota // a document that is a conversation, or wraps a list of them
	EvalLines        // a conversation on each line
	EvalList         // a document that is a list of conversations
	EvalOther        // from here on a format's own
)

// EvalVariant looks for conversations in a sample: fits is asked about a document,
// about the first elements of one that is a list, or about the lines. What it is
// given may be cut off. ok is false where most do not fit. What fits has one of the keys:
// where the sample lacks them all nothing is asked.
func EvalVariant(s *model.Sample, keys []string, fits func(v []byte) bool) (variant uint8, ok bool) {
	if !slices.ContainsFunc(keys, func(key string) bool { return !s.Lacks(`"` + key + `"`) }) {
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

// EvalFirst is a list from its first element on, which may be cut off; nil where
// there is none.
func EvalFirst(list []byte) []byte {
	c := jsonspan.New(list)
	if c.Kind() != jsonspan.Array || !c.Array() || !c.More() || c.Kind() == jsonspan.End {
		return nil
	}
	return list[c.Pos:]
}

// EvalHas reports whether an object has all these keys (or keys joined by dots),
// even where it is cut off behind them.
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

// EvalAt is what lies under a path, perhaps cut off; nil where there is nothing.
func EvalAt(v []byte, path string) []byte {
	if c, ok := Seek(v, path); ok && c.Kind() != jsonspan.End {
		return c.Buf[c.Pos:]
	}
	return nil
}

// EvalString is the inside of the string under a path.
func EvalString(v []byte, path string) []byte {
	c, ok := Seek(v, path)
	if !ok {
		return nil
	}
	return c.String()
}

// EvalSession is the session of a record that holds a whole conversation: none
// where the source holds no other.
func EvalSession(rec model.Record) model.Key {
	if rec.Variant == EvalDoc {
		return 0
	}
	return model.HashNumber("conversation", rec.Ref.Off)
}

// evalReader gives the conversations of a record of a format whose documents may be
// a list of them: the record is one, or what is left of the list.
//
//	for r := evalOpen(rec); r.next(fs); {
//		… r.c is before the object
//	}
//	return r.close(fs)
type evalReader struct {
	C       jsonspan.Cursor // before the conversation
	Session model.Key       // of the conversation
	rec     model.Record
	list    jsonspan.Cursor // of the conversations, where the record is a list
	n       int64           // how many were given
}

// EvalLists is the list of a document that is one of conversations.
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
			fs.Add(model.About) // what is left of the list
		}
	case r.C.Err == nil || r.rec.Variant == EvalDoc && r.rec.List == "":
		return EvalCut(&r.C, fs)
	}
	if r.C.Err != nil {
		fs.Clear()
	}
	return Finish(&r.C, fs)
}

// EvalValue consumes a value; of one that is cut off it gives what there is.
func EvalValue(c *jsonspan.Cursor) []byte {
	c.Kind() // past white space
	from := c.Pos
	if v := c.Skip(); c.Err == nil {
		return v
	}
	return c.Buf[min(from, len(c.Buf)):]
}

// EvalAgain is for the messages of a conversation that are read where they stand: if
// that failed, it takes back what was said from a fact on, passes the value, and gives
// what there is of it, to be read on its own. So nothing of what stands behind broken
// messages is lost. It is nil where nothing failed.
func EvalAgain(c *jsonspan.Cursor, before jsonspan.Cursor, fs *model.Facts, from int) []byte {
	if c.Err == nil {
		return nil
	}
	fs.Cut(from)
	*c = before
	return EvalValue(c)
}

// EvalCut ends the parsing of a document that may be cut off. What was said before
// the cut stands, and a note says where it is; if that is nothing, the document is
// unreadable.
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

// EvalMessage says the message of OpenAI's shape that the cursor is before; what
// came of it are the facts from the given number on. Nothing is lost of what is no
// message.
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

// EvalNote adds a note with what was recorded.
func EvalNote(fs *model.Facts, session model.Key, kind string, v []byte) *model.Fact {
	f := Note(fs, kind)
	f.Session = session
	if !IsEmpty(v) {
		f.AddText(model.OtherBlock, model.ValueText(v))
	}
	return f
}

// EvalHead begins what is told of a conversation with two facts: the description of
// it, and a note of what it carries besides its messages and the model has no place
// for, so that nothing of that is held in memory. Both are valid until the next fact
// is added; EvalHeadAt gives them again by the number of the first. When the record is
// read, EvalHeadDone ends them.
func EvalHead(fs *model.Facts, session model.Key, kind string) (about, rest *model.Fact) {
	at := fs.Len()
	fs.Add(model.About)
	Note(fs, kind)
	about, rest = EvalHeadAt(fs, at)
	about.Session, rest.Session = session, session
	return about, rest
}

// EvalHeadAt gives the two facts of EvalHead by the number of the first.
func EvalHeadAt(fs *model.Facts, at int) (about, rest *model.Fact) { return fs.At(at), fs.At(at + 1) }

// EvalHeadDone takes the note back if there is nothing to tell.
func EvalHeadDone(fs *model.Facts, at int) {
	if len(fs.At(at+1).Extra) == 0 {
		fs.Move(at+1, fs.Len()-1)
		fs.Drop()
	}
}

// EvalOutcome is what a score between 0 and 1 means for a run; one outside of it
// is of a scale that nobody knows.
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

// EvalFloat is the number that a raw value holds; what is not finite is none.
func EvalFloat(v []byte) (x float64, ok bool) {
	if IsNull(v) {
		return 0, false
	}
	c := jsonspan.New(v)
	x, ok = c.Float()
	return x, ok && x-x == 0
}

// EvalReason is why a run ended, short enough to be a name.
func EvalReason(s string) model.Text {
	const most = 300
	if len(s) > most {
		s = model.CutWords(s, most) + "…"
	}
	return model.StringText(s)
}

// EvalTotal adds usage of a whole conversation, if something is known of it.
func EvalTotal(fs *model.Facts, session model.Key, u model.Usage) {
	if max(u.Input, u.CacheRead, u.CacheWrite, u.Output) <= 0 && !(u.HasCost && u.Cost > 0) {
		return
	}
	f := fs.Add(model.Meter)
	f.Session, f.Usage = session, u
	f.Usage.Scope = model.Total
}
