package transcripts

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"turns/model"
	"turns/query/label"
)

// Imported is a row of labels from another program. IDs are its ids of sessions and messages, the
// narrowest last.
type Imported struct {
	IDs  []string
	Line label.Line // one per mark, with the place if the row has more than ids
}

// Imports reads labels from other programs: CSV with a head (or an id and a value per row, as in
// some validation sets of Inspect Scout), JSON or JSON lines. The JSON may be that of a store of
// labels, of validation sets, or of scores of Langfuse.
func Imports(data []byte) ([]Imported, error) {
	data = bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\ufeff")))
	if len(data) == 0 {
		return nil, errors.New("the file is empty")
	}
	if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		return nil, errors.New("the file is not text in UTF-8")
	}
	if data[0] != '{' && data[0] != '[' {
		return importCSV(data)
	}
	var rows []Imported
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	for n := 1; d.More(); n++ {
		var v any
		if err := d.Decode(&v); err != nil {
			return nil, fmt.Errorf("value %d: %w", n, err)
		}
		list, ok := v.([]any)
		if !ok {
			list = []any{v}
		}
		if o, ok := v.(map[string]any); ok && o["data"] != nil { // a page of scores
			list, _ = o["data"].([]any)
		}
		for _, v := range list {
			cells, ok := v.(map[string]any)
			if !ok {
				return nil, fmt.Errorf("value %d is not an object", n)
			}
			more, err := importRow(flat(cells))
			if err != nil {
				return nil, fmt.Errorf("value %d: %w", n, err)
			}
			rows = append(rows, more...)
		}
	}
	return rows, nil
}

func importCSV(data []byte) ([]Imported, error) {
	r := csv.NewReader(bytes.NewReader(data))
	r.TrimLeadingSpace = true
	r.FieldsPerRecord = -1
	records, err := r.ReadAll()
	if err != nil {
		return nil, err
	}
	head := records[0]
	if slices.ContainsFunc(head, known) {
		records = records[1:]
	} else if head = []string{"id", "target"}; len(records[0]) != 2 {
		return nil, errors.New("its first row names no known column: id, session, path, transcript_id, index, message, label, verdict, note, score, target …")
	}
	var rows []Imported
	for i, record := range records {
		cells := map[string]string{}
		for j, v := range record {
			if j < len(head) {
				cells[strings.TrimSpace(head[j])] = strings.TrimSpace(v)
			}
		}
		more, err := importRow(cells)
		if err != nil {
			return nil, fmt.Errorf("row %d: %w", i+1, err)
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// known reports whether a name is that of a column with data.
func known(name string) bool {
	name = strings.TrimSpace(name)
	return slices.Contains([]string{"id", "session", "path", "transcript_id", "target", "label", "labels", "verdict", "note", "traceId", "sessionId", "kind"}, name) ||
		strings.HasPrefix(name, "label_") || strings.HasPrefix(name, "target_")
}

// flat returns an object as the cells of a table: run.session, at.index, labels.loop.
func flat(o map[string]any) map[string]string {
	out := map[string]string{}
	for k, v := range o {
		switch v := v.(type) {
		case map[string]any:
			for name, cell := range flat(v) {
				out[k+"."+name] = cell
			}
		case []any:
			var texts []string
			for _, e := range v {
				texts = append(texts, fmt.Sprint(e))
			}
			out[k] = strings.Join(texts, ",")
		case nil:
		default:
			out[k] = fmt.Sprint(v)
		}
	}
	return out
}

// importRow reads a row, which may have several marks for one place.
func importRow(c map[string]string) ([]Imported, error) {
	marks, err := importMarks(c)
	if err != nil || len(marks) == 0 {
		return nil, err
	}
	base := label.Line{By: cmp.Or(c["by"], c["author"], c["authorUserId"], "import")}
	base.Time, _ = time.Parse(time.RFC3339Nano, cmp.Or(c["time"], c["timestamp"], c["createdAt"]))
	base.Run = label.Run{Session: cmp.Or(c["run.session"], c["session"], c["sessionId"]), Opens: c["run.opens"], Path: cmp.Or(c["run.path"], c["path"])}
	base.Run.Number, _ = strconv.Atoi(c["run.number"])
	base.Scope = label.Scope(c["scope"])
	if base.Scope == "message" {
		base.Scope = label.OfMessage
	}
	base.At = importPlace(c)
	var ids []string
	for _, name := range [...]string{"sessionId", "traceId", "observationId", "transcript_id", "id"} {
		if v := c[name]; v != "" && (name != "id" || c["kind"] == "" && c["traceId"] == "") {
			for id := range strings.SplitSeq(v, ",") {
				ids = append(ids, strings.TrimSpace(id))
			}
		}
	}
	if base.Run.Session == "" && base.Run.Path == "" && len(ids) > 0 {
		base.Run.Session = ids[0]
	}
	if base.Run == (label.Run{}) {
		return nil, errors.New("it names neither a session nor a path")
	}
	rows := make([]Imported, len(marks))
	for i, m := range marks {
		rows[i] = Imported{IDs: ids, Line: base}
		rows[i].Line.Mark = m
		rows[i].Line.ID = lineID(c, &rows[i].Line)
	}
	return rows, nil
}

// lineID returns the id of a line of a store, otherwise a hash of the label, so that importing a
// file twice adds no duplicates.
func lineID(c map[string]string, l *label.Line) string {
	if c["kind"] != "" && c["id"] != "" {
		return c["id"]
	}
	data, _ := json.Marshal(l) // has only strings and numbers
	return fmt.Sprintf("import-%x", sha256.Sum256(data))[:31]
}

// importPlace returns the message that a row names, nil for a session.
func importPlace(c map[string]string) *label.Place {
	at := &label.Place{Index: -1}
	cell := func(name string) string { return cmp.Or(c["at."+name], c[name]) }
	if n, err := strconv.Atoi(cell("index")); err == nil {
		at.Index = n
	}
	if at.Message = cell("message"); at.Message != "" && !isKey(at.Message) {
		at.Message = fmt.Sprintf("%x", uint64(model.HashString(at.Message)))
	}
	at.Call, at.Hash, at.Before, at.After = cell("call"), c["at.hash"], c["at.before"], c["at.after"]
	at.Text = cell("text")
	if at.Index < 0 && at.Message == "" && at.Call == "" && at.Hash == "" {
		return nil
	}
	return at
}

// isKey reports whether a text is the hash of an id, not an id.
func isKey(s string) bool {
	_, err := strconv.ParseUint(s, 16, 64)
	return err == nil && len(s) > 12
}

// importMarks returns the marks of a row.
func importMarks(c map[string]string) (marks []label.Mark, err error) {
	if c["kind"] != "" && c["undo"] == "" && c["data"] == "" { // from a store
		m := label.Mark{Kind: label.Kind(c["kind"]), Name: c["name"], Value: json.Number(c["value"]), Text: c["note"]}
		return []label.Mark{m}, (&label.Line{ID: "new", Mark: m}).Valid()
	}
	for _, name := range slices.Sorted(maps.Keys(c)) {
		m, ok, err := markOf(c, name)
		if err != nil {
			return nil, err
		}
		if ok {
			marks = append(marks, m...)
		}
	}
	return marks, nil
}

// markOf returns the marks of a cell; ok is false if there are none.
func markOf(c map[string]string, column string) (marks []label.Mark, ok bool, err error) {
	v := c[column]
	one := func(m label.Mark, err error) ([]label.Mark, bool, error) { return []label.Mark{m}, err == nil, err }
	prefix, name, _ := strings.Cut(column, "_")
	if dotted, rest, found := strings.Cut(column, "."); found {
		prefix, name = dotted, rest
	}
	switch {
	case v == "":
		return nil, false, nil
	case column == "verdict":
		return one(label.VerdictOf(v))
	case column == "target":
		if m, err := label.VerdictOf(v); err == nil && v != "0" && v != "1" {
			return one(m, nil)
		}
		return one(label.ScoreOf("target", v), nil)
	case column == "label", column == "labels":
		for _, name := range strings.FieldsFunc(v, func(r rune) bool { return r == ',' || r == ' ' || r == ';' }) {
			m, err := label.LabelOf(name)
			if err != nil {
				return nil, false, err
			}
			marks = append(marks, m)
		}
		return marks, true, nil
	case column == "value" && c["transcript_id"] != "" && c["name"] == "": // a result of a scanner of Inspect Scout
		if m, err := label.VerdictOf(v); err == nil && v != "0" && v != "1" {
			return one(m, nil)
		}
		return one(label.ScoreOf("value", v), nil)
	case column == "note", column == "comment", column == "explanation":
		return one(label.Mark{Kind: label.Note, Text: v}, nil)
	case column == "value" && c["name"] != "", column == "stringValue" && c["value"] == "":
		return one(label.ScoreOf(strings.ReplaceAll(c["name"], " ", "-"), v), nil)
	case name != "" && (prefix == "label" || prefix == "labels"):
		if yes, err := label.VerdictOf(v); err == nil && yes.Name == label.Bad {
			return nil, false, nil
		}
		return one(label.LabelOf(name))
	case name != "" && (prefix == "target" || prefix == "score"):
		return one(label.ScoreOf(name, v), nil)
	}
	return nil, false, nil
}

// Placed is a row whose session was found in a transcript.
type Placed struct {
	Line  label.Line
	Wrong string // why the message is not that of the row; "": Line has its place
}

// Resolve returns the rows that name a session or message of a transcript, by the ids of
// another program or by session and number. A number would mean another message as soon as one
// is added or cut, so Resolve replaces it with the hash of the message's words.
func Resolve(ctx context.Context, rows []Imported, s *model.Snapshot, path string) (found []Placed) {
	keys := map[model.Key]model.ID{}
	for n := range s.Rows() {
		if k := s.HeadRow(model.ID(n)).Key; k != 0 {
			keys[k] = model.ID(n)
		}
	}
	sessions := map[string]uint32{}
	for i := range s.Sessions() {
		if id := s.Sessions()[i].Field("session"); id != "" {
			sessions[id] = uint32(i)
		}
	}
	at := SourceOf(path)
	for i := range rows {
		l := rows[i].Line
		for _, id := range slices.Backward(append([]string{l.Run.Session}, rows[i].IDs...)) {
			if id == "" {
				continue
			}
			if row, ok := keys[model.HashString(id)]; ok {
				l.At = label.PlaceOf(ctx, s, row, model.CallID(model.NoRow))
				l.Run = label.RunOf(ctx, s, s.Threads()[s.HeadRow(row).Thread].Session, at)
				found = append(found, Placed{Line: l})
				break
			}
			if n, ok := sessions[id]; ok {
				l.Run = label.RunOf(ctx, s, n, at)
				found = append(found, anchored(ctx, s, l))
				break
			}
		}
	}
	return found
}

// ByNumber reports whether a place is only the number of a message.
func ByNumber(at *label.Place) bool {
	return at != nil && at.Index >= 0 && at.Message == "" && at.Call == "" && at.Hash == ""
}

// anchored adds the hash of the message's words to a row that names its message by number. The
// result has a reason if the number is too large, or if the row's text is not that of the
// message.
func anchored(ctx context.Context, s *model.Snapshot, l label.Line) Placed {
	if !ByNumber(l.At) {
		return Placed{Line: l}
	}
	n, text := l.At.Index, l.At.Text
	if n >= s.Len() {
		return Placed{l, fmt.Sprintf("the session has %d messages", s.Len())}
	}
	l.At = label.PlaceOf(ctx, s, s.At(n), model.CallID(model.NoRow))
	words := func(t string) string { return strings.TrimRight(strings.Join(strings.Fields(t), " "), "….") }
	if a, b := words(text), words(l.At.Text); text != "" && !strings.HasPrefix(a, b) && !strings.HasPrefix(b, a) {
		return Placed{l, fmt.Sprintf("message %d begins with %q", n, l.At.Text)}
	}
	return Placed{Line: l}
}
