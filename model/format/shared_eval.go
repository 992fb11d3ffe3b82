package format

import (
	"strconv"
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

// evalEach parses a record of a format whose documents may be a list of
// conversations: the record is one, or what is left of the list. conversation
// reads the object that the cursor is before.
func evalEach(rec model.Record, fs *model.Facts, conversation func(c *jsonspan.Cursor, session model.Key, fs *model.Facts)) error {
	c := jsonspan.New(rec.Data)
	session := evalSession(rec)
	switch {
	case c.Kind() == jsonspan.Array:
		n := int64(0)
		for c.Array(); c.More(); n++ {
			if v := c.Skip(); c.Err == nil {
				one := jsonspan.New(v)
				conversation(&one, session.Join(model.HashNumber("conversation", n)), fs)
			}
		}
		if fs.Len() == 0 {
			fs.Add(model.About) // what is left of the list
		}
	case startObject(&c, fs):
		conversation(&c, session, fs)
		if c.Err == nil || rec.Variant == evalDoc && rec.List == "" {
			return evalCut(&c, fs)
		}
	}
	if c.Err != nil {
		fs.Clear()
	}
	return finish(&c, fs)
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

// evalMessage says a message of OpenAI's shape; what came of it are the facts from
// the given number on. Nothing is lost of what is no message.
func evalMessage(v []byte, session model.Key, fs *model.Facts) (from int) {
	from = fs.Len()
	p := chatParser{fs: fs, session: session}
	c := jsonspan.New(v)
	p.value(&c, model.NoRole)
	if c.Err != nil || fs.Len() == from {
		for fs.Len() > from {
			fs.Drop()
		}
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

// evalRest is what a conversation carries besides its messages and the model has no
// place for. It becomes a note, so that nothing of it is held in memory.
type evalRest []model.Field

func (r *evalRest) keep(name, v []byte) {
	if !isEmpty(v) {
		*r = append(*r, model.Field{Name: extraName(name), Value: model.ValueText(v)})
	}
}

// note adds the note, if there is anything to tell.
func (r evalRest) note(fs *model.Facts, session model.Key, kind string) {
	if len(r) == 0 {
		return
	}
	f := note(fs, kind)
	f.Session = session
	f.Extra = append(f.Extra, r...)
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

// evalNumber is a number as people write it.
func evalNumber(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }

// evalTotal adds usage of a whole conversation, if something is known of it.
func evalTotal(fs *model.Facts, session model.Key, u model.Usage) {
	if max(u.Input, u.CacheRead, u.CacheWrite, u.Output) <= 0 && !(u.HasCost && u.Cost > 0) {
		return
	}
	f := fs.Add(model.Meter)
	f.Session, f.Usage = session, u
	f.Usage.Scope = model.Total
}
