package load

import (
	"bytes"
	"fmt"

	"turns/model"
	"turns/model/source"
)

// reader reads the lines of a stream as records of a format: what it makes of a
// line is the same for the index and for a body, so both call it.
type reader struct {
	format  *model.Format
	variant uint8
	framed  bool
	base    bool // what the stream says of itself is not said of the conversation
	prose   bool // the format cuts its own records; they are no JSON
	maxSize int64
	blocks  int64 // of one record; 0: as many as there are
}

// parse says what a record holds. Data is a line of JSON, perhaps behind a
// prefix that a log collector wrote; a line without any JSON is a row of the
// log, not a damaged record. A parser that panics has met bytes that nobody
// thought of: that is one unreadable record, and not the end of a viewer.
func (r *reader) parse(rec model.Record, fs *model.Facts) (err error) {
	defer func() {
		switch mistake := recover(); mistake {
		case nil:
		case model.ErrParts:
			fs.Clear()
			err = model.Limits{Blocks: r.blocks}.WithDefaults().Beyond("blocks", "the record is left out, as "+model.ErrParts.Error())
		default:
			fs.Clear()
			err = fmt.Errorf("the parser of %s failed: %v", r.format.Name, mistake)
		}
	}()
	rec.Variant = r.variant
	fs.Limit(int(r.blocks))
	if r.prose {
		return r.finish(fs, r.format.Parse(rec, fs))
	}
	if len(rec.Data) > 0 && rec.Data[0] == '{' { // nearly every line
		return r.finish(fs, r.format.Parse(rec, fs))
	}
	data := trimLine(rec.Data)
	if len(data) == 0 {
		return nil
	}
	// belongs to what is left of the line
	trailing := len(rec.Data) - len(bytes.TrimRight(rec.Data, blank))
	if data[0] == '{' || data[0] == '[' {
		rec.Data = data
		err := r.finish(fs, r.format.Parse(rec, fs))
		if fs.Rest > 0 {
			fs.Rest += trailing
		}
		return err
	}
	start, end := source.FindJSON(data)
	if start < 0 || end <= start {
		logRow(data, fs)
		return nil
	}
	rec.Data = data[start:end]
	if err := r.format.Parse(rec, fs); err != nil {
		fs.Clear()
		logRow(data, fs)
		return nil
	}
	if rest := data[end:]; fs.Rest == 0 && len(trimLine(rest)) > 0 && bytes.IndexByte(rest, '{') >= 0 {
		fs.Rest = len(rest) + trailing
	}
	return r.finish(fs, nil)
}

// finish sees to it that every record says something.
func (r *reader) finish(fs *model.Facts, err error) error {
	if err != nil {
		return err
	}
	if r.base {
		inherit(fs)
	}
	if fs.Len() == 0 {
		fs.Add(model.Note).Name = model.PlainText(recordName)
	}
	return nil
}

// inherit makes what a base says a part of a conversation that goes on from it:
// the conversation says of itself what it is called.
func inherit(fs *model.Facts) {
	for i := range fs.Len() {
		if f := fs.At(i); f.Op == model.About {
			f.Extra = f.Extra[:0]
		} else {
			f.Flags |= model.Inherited
		}
	}
}

var recordName, logName = []byte("record"), []byte("log")

// logRow makes a line of text between records a folded row.
func logRow(line []byte, fs *model.Facts) {
	f := fs.Add(model.Note)
	f.Name = model.PlainText(logName)
	f.AddText(model.Words, model.PlainText(line))
}

var bom = []byte("\xef\xbb\xbf")

// blank is what may stand around a record.
const blank = " \t\r\n\x00"

// trimLine is a line without white space, NUL bytes and a byte order mark around
// it.
func trimLine(line []byte) []byte {
	line = bytes.Trim(line, blank)
	if bytes.HasPrefix(line, bom) {
		line = bytes.Trim(line[len(bom):], blank)
	}
	return line
}
