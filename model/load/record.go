package load

import (
	"bytes"
	"fmt"

	"turns/model"
	"turns/model/source"
)

// reader reads the lines of a stream as records of a format. The index and the bodies share it, so
// that both interpret a line equally.
type reader struct {
	format  *model.Format
	variant uint8
	framed  bool
	base    bool // a base: its data about itself does not apply to the conversation
	prose   bool // the format splits its own records, which are not JSON
	maxSize int64
	blocks  int64 // of one record; 0: no limit
}

// parse adds the facts of a record. Data is a line of JSON, perhaps after a prefix of a log
// collector; a line without any JSON is a row of the log, not a damaged record. If a parser panics
// on unexpected bytes, that is one unreadable record, not the end of the viewer.
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
	// trailing blanks belong to the rest of the line
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

// finish ensures that every record has a fact.
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

// inherit marks a base's facts as inherited. It drops the base's fields: the conversation has its
// own.
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

// logRow adds a folded row for a line of text between records.
func logRow(line []byte, fs *model.Facts) {
	f := fs.Add(model.Note)
	f.Name = model.PlainText(logName)
	f.AddText(model.Words, model.PlainText(line))
}

var bom = []byte("\xef\xbb\xbf")

// blank has the bytes that may surround a record.
const blank = " \t\r\n\x00"

// trimLine returns a line without surrounding white space, NUL bytes and a byte order mark.
func trimLine(line []byte) []byte {
	line = bytes.Trim(line, blank)
	if bytes.HasPrefix(line, bom) {
		line = bytes.Trim(line[len(bom):], blank)
	}
	return line
}
