package format

import (
	"strings"

	"turns/model"
	"turns/model/jsonspan"
)

// What the formats of evaluations, chat exports and training data have in
// common: one document holds a whole conversation, or many.

// The variants of such formats.
const (
	evalDoc   = iota // a document that is a conversation, or wraps a list of them
	evalLines        // a conversation on each line
	evalList         // a document that is a list of conversations
	evalOther        // from here on a format's own
)

// evalVariant looks for conversations in a sample: fits is asked about a document,
// about the first elements of one that is a list, or about the lines. What it is
// given may be cut off. ok is false where most do not fit.
func evalVariant(s *model.Sample, fits func(v []byte) bool) (variant uint8, ok bool) {
	switch {
	case s.Shape == model.Document && jsonspan.KindOf(s.Doc) == jsonspan.Array:
		first := evalFirst(s.Doc)
		return evalList, first != nil && fits(first)
	case s.Shape == model.Document, s.Shape == model.Lines && len(s.Records) == 0 && s.Doc != nil:
		return evalDoc, fits(s.Doc)
	case s.Shape == model.Lines && len(s.Records) == 1 && s.Whole:
		return evalDoc, fits(s.Records[0])
	case s.Shape == model.Lines:
		return evalLines, mostFit(s, fits)
	}
	return 0, false
}

// evalFirst is a list from its first element on, which may be cut off; nil where
// there is none.
func evalFirst(list []byte) []byte {
	c := jsonspan.New(list)
	if c.Kind() != jsonspan.Array || !c.Array() || !c.More() || c.Kind() == jsonspan.End {
		return nil
	}
	return list[c.Pos:]
}

// evalHas reports whether an object has all these keys (or keys joined by dots),
// even where it is cut off behind them.
func evalHas(v []byte, paths ...string) bool {
	if jsonspan.KindOf(v) != jsonspan.Object {
		return false
	}
	for _, path := range paths {
		if _, ok := seek(v, path); !ok {
			return false
		}
	}
	return true
}

// evalAt is what lies under a path, perhaps cut off; nil where there is nothing.
func evalAt(v []byte, path string) []byte {
	if c, ok := seek(v, path); ok && c.Kind() != jsonspan.End {
		return c.Buf[c.Pos:]
	}
	return nil
}

// evalString is the inside of the string under a path.
func evalString(v []byte, path string) []byte {
	c, ok := seek(v, path)
	if !ok {
		return nil
	}
	return c.String()
}

// evalSession is the session of a record that holds a whole conversation: none
// where the source holds no other.
func evalSession(rec model.Record) model.Key {
	if rec.Variant == evalDoc {
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
	c       jsonspan.Cursor // before the conversation
	session model.Key       // of the conversation
	rec     model.Record
	list    jsonspan.Cursor // of the conversations, where the record is a list
	n       int64           // how many were given
}

func evalOpen(rec model.Record) evalReader {
	return evalReader{c: jsonspan.New(rec.Data), session: evalSession(rec), rec: rec}
}

// next moves to the next conversation.
func (r *evalReader) next(fs *model.Facts) bool {
	r.n++
	if r.n == 1 {
		if r.c.Kind() != jsonspan.Array {
			return startObject(&r.c, fs)
		}
		r.list = r.c
		r.list.Array()
	}
	if r.list.Buf == nil || !r.list.More() {
		return false
	}
	v := r.list.Skip()
	if r.list.Err != nil {
		return false
	}
	r.c = jsonspan.New(v)
	r.session = evalSession(r.rec).Join(model.HashNumber("conversation", r.n-1))
	return true
}

// close ends the parsing of the record.
func (r *evalReader) close(fs *model.Facts) error {
	switch {
	case r.list.Buf != nil:
		r.c = r.list
		if fs.Len() == 0 {
			fs.Add(model.About) // what is left of the list
		}
	case r.c.Err == nil || r.rec.Variant == evalDoc && r.rec.List == "":
		return evalCut(&r.c, fs)
	}
	if r.c.Err != nil {
		fs.Clear()
	}
	return finish(&r.c, fs)
}

// evalValue consumes a value; of one that is cut off it gives what there is.
func evalValue(c *jsonspan.Cursor) []byte {
	c.Kind() // past white space
	from := c.Pos
	if v := c.Skip(); c.Err == nil {
		return v
	}
	return c.Buf[min(from, len(c.Buf)):]
}

// evalAgain is for the messages of a conversation that are read where they stand: if
// that failed, it takes back what was said from a fact on, passes the value, and gives
// what there is of it, to be read on its own. So nothing of what stands behind broken
// messages is lost. It is nil where nothing failed.
func evalAgain(c *jsonspan.Cursor, before jsonspan.Cursor, fs *model.Facts, from int) []byte {
	if c.Err == nil {
		return nil
	}
	fs.Cut(from)
	*c = before
	return evalValue(c)
}

// evalCut ends the parsing of a document that may be cut off. What was said before
// the cut stands, and a note says where it is; if that is nothing, the document is
// unreadable.
func evalCut(c *jsonspan.Cursor, fs *model.Facts) error {
	if c.Err == nil {
		return finish(c, fs)
	}
	for i := range fs.Len() {
		if fs.At(i).Op == model.Say {
			note(fs, "cut off").AddText(model.Words, model.StringText(c.Err.Error()))
			return nil
		}
	}
	fs.Clear()
	return c.Err
}

// evalMessage says the message of OpenAI's shape that the cursor is before; what
// came of it are the facts from the given number on. Nothing is lost of what is no
// message.
func evalMessage(c *jsonspan.Cursor, session model.Key, fs *model.Facts) (from int) {
	from = fs.Len()
	before := *c
	p := chatParser{fs: fs, session: session}
	p.value(c, model.NoRole)
	if c.Err == nil && fs.Len() > from {
		return from
	}
	fs.Cut(from)
	*c = before
	if v := c.Skip(); c.Err == nil {
		evalNote(fs, session, "message", v)
	}
	return from
}

// evalNote adds a note with what was recorded.
func evalNote(fs *model.Facts, session model.Key, kind string, v []byte) *model.Fact {
	f := note(fs, kind)
	f.Session = session
	if !isEmpty(v) {
		f.AddText(model.OtherBlock, model.ValueText(v))
	}
	return f
}

// evalHead begins what is told of a conversation with two facts: the description of
// it, and a note of what it carries besides its messages and the model has no place
// for, so that nothing of that is held in memory. Both are valid until the next fact
// is added; evalHeadAt gives them again by the number of the first. When the record is
// read, evalHeadDone ends them.
func evalHead(fs *model.Facts, session model.Key, kind string) (about, rest *model.Fact) {
	at := fs.Len()
	fs.Add(model.About)
	note(fs, kind)
	about, rest = evalHeadAt(fs, at)
	about.Session, rest.Session = session, session
	return about, rest
}

func evalHeadAt(fs *model.Facts, at int) (about, rest *model.Fact) { return fs.At(at), fs.At(at + 1) }

// evalHeadDone takes the note back if there is nothing to tell.
func evalHeadDone(fs *model.Facts, at int) {
	if len(fs.At(at+1).Extra) == 0 {
		fs.Move(at+1, fs.Len()-1)
		fs.Drop()
	}
}

// evalOutcome is what a score between 0 and 1 means for a run; one outside of it
// is of a scale that nobody knows.
func evalOutcome(score float64) model.Outcome {
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

// evalFloat is the number that a raw value holds; what is not finite is none.
func evalFloat(v []byte) (x float64, ok bool) {
	if isNull(v) {
		return 0, false
	}
	c := jsonspan.New(v)
	x, ok = c.Float()
	return x, ok && x-x == 0
}

// evalReason is why a run ended, short enough to be a name.
func evalReason(s string) model.Text {
	const most = 300
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return model.StringText(s)
}

// evalTotal adds usage of a whole conversation, if something is known of it.
func evalTotal(fs *model.Facts, session model.Key, u model.Usage) {
	if max(u.Input, u.CacheRead, u.CacheWrite, u.Output) <= 0 && !(u.HasCost && u.Cost > 0) {
		return
	}
	f := fs.Add(model.Meter)
	f.Session, f.Usage = session, u
	f.Usage.Scope = model.Total
}
