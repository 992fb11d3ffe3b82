package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"turns/model"
	"turns/query/answer"
	"turns/query/human"
	"turns/query/label"
	"turns/ui/transcripts"
)

// listLabels lists labels, in one of the forms of labelTables.
func (a *app) listLabels(ctx context.Context, args []string) error {
	write := labelTables[cmp.Or(a.to, map[bool]string{true: "json", false: "text"}[a.json])]
	rows, err := a.labelRows(ctx, args)
	if err != nil {
		return err
	}
	if len(rows) == 0 {
		return nothing("no labels found")
	}
	a.asData = a.to != "" && a.to != "text"
	rows = firstRows(a, rows)
	return a.write(func(w io.Writer) error { return write(a, w, rows) })
}

// listedLabel is a label and its current message.
type listedLabel struct {
	*label.Line
	lost bool
	now  int    // index of its message; -1: unknown
	id   string // recorded id of its message
}

// labelRows lists the labels of the store, or of some transcripts.
func (a *app) labelRows(ctx context.Context, args []string) ([]listedLabel, error) {
	set, bad, err := a.labels().Read()
	if err != nil {
		return nil, err
	}
	if bad > 0 {
		a.complain(fmt.Errorf("%s of %q could not be read and stay there", human.Plural(bad, "line"), a.labels().Path))
	}
	if len(args) == 0 {
		rows := make([]listedLabel, len(set.Current()))
		for i, l := range set.Current() {
			rows[i] = listedLabel{Line: l, now: -1}
			if l.At != nil {
				rows[i].now = l.At.Index
			}
		}
		return rows, nil
	}
	c, err := a.crowd(ctx, args)
	if err != nil {
		return nil, err
	}
	defer c.lib.Close()
	var rows []listedLabel
	for got := range transcripts.Map(ctx, c.lib, c.paths, transcripts.Query[[]listedLabel]{
		Ask: func(ctx context.Context, t *transcripts.Loaded) ([]listedLabel, error) {
			return labelsIn(ctx, set, t.Chosen.Snap, t.Path)
		},
	}) {
		if took(c, &got) {
			rows = append(rows, got.Answer...)
			c.runs += len(got.Answer)
		}
	}
	if err := c.end(ctx, nil); !isNothing(err) {
		return rows, err
	}
	return rows, nil
}

// labelsIn returns the labels of one transcript.
func labelsIn(ctx context.Context, set *label.Set, snap *model.Snapshot, path string) ([]listedLabel, error) {
	h, err := set.Find(ctx, snap, transcripts.SourceOf(path))
	if err != nil {
		return nil, err
	}
	var rows []listedLabel
	for i := range h.Placed {
		p := &h.Placed[i]
		row := listedLabel{Line: &p.Line, now: -1}
		if p.ID != model.NoID {
			row.now, row.id = snap.Pos(p.ID), label.RecordedID(ctx, snap, p.ID)
		}
		rows = append(rows, row)
	}
	for i := range h.Lost {
		rows = append(rows, listedLabel{Line: &h.Lost[i], lost: true, now: -1})
	}
	return rows, nil
}

// labelTables write a list of labels in each form.
var labelTables = map[string]func(*app, io.Writer, []listedLabel) error{
	"text": (*app).labelText, "json": (*app).labelJSON, "csv": (*app).labelCSV,
	"scout": scoutTable("target", label.Verdict), "scout-labels": scoutTable("label_", label.Label), "scout-scores": scoutTable("target_", label.Score),
}

// cells returns the cells of a row of the table.
func (r *listedLabel) cells(a *app) []string {
	at, text := "session", ""
	if p := r.At; p != nil {
		text = p.Text
		at = cmp.Or(human.Place(r.now), human.Zero)
		if r.Scope != label.OfMessage {
			at = string(r.Scope) + " " + at
		}
	}
	if r.lost {
		at = "lost"
	}
	return []string{r.Time.In(a.zone()).Format("2006-01-02 15:04"), r.By, cmp.Or(r.Run.Session, r.Run.Path), at, r.Words(), text}
}

func (a *app) labelText(w io.Writer, rows []listedLabel) error {
	t := answer.NewTable("=when", "by", "session", "at", "label", "text").Cut(cellsMost, 0, 1, 2, 3, 4, 5)
	t.Bare = true
	for i := range rows {
		cells := rows[i].cells(a)
		for j, c := range cells {
			cells[j] = cmp.Or(c, human.Zero)
		}
		t.Add(cells...)
	}
	return a.draw(w, answer.Alone(t))
}

// labelRow is a line of the label store in JSON, and where it is now.
type labelRow struct {
	*label.Line
	Now  *int `json:"now"`  // position of its message now; null: not known, or it is about the session
	Lost bool `json:"lost"` // its message is no longer in the transcript
}

func (a *app) labelJSON(w io.Writer, rows []listedLabel) error {
	for i := range rows {
		r := labelRow{Line: rows[i].Line, Lost: rows[i].lost}
		if rows[i].now >= 0 {
			r.Now = &rows[i].now
		}
		if err := writeJSONLine(w, r); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) labelCSV(w io.Writer, rows []listedLabel) error {
	line := human.AppendCSV(nil, "time", "by", "session", "path", "scope", "index", "message", "call", "kind", "name", "value", "note", "lost", "text")
	for i := range rows {
		r := &rows[i]
		at := label.Place{}
		if r.At != nil {
			at = *r.At
		}
		index := ""
		if r.now >= 0 {
			index = strconv.Itoa(r.now)
		}
		scope := cmp.Or(string(r.Scope), "message")
		cells := []string{r.Time.UTC().Format("2006-01-02T15:04:05.000Z"), r.By, r.Run.Session, r.Run.Path, scope, index,
			cmp.Or(r.id, at.Message), at.Call, string(r.Kind), r.Name, string(r.Value), r.Text, strconv.FormatBool(r.lost), at.Text}
		for i := range cells {
			cells[i] = human.CSVCell(model.Clean(cells[i]))
		}
		line = human.AppendCSV(line, cells...)
	}
	_, err := w.Write(line)
	return err
}

// scoutTable returns a writer of validation sets for Inspect Scout: the id of a transcript or
// message, and the value that its scanner should find.
func scoutTable(column string, kind label.Kind) func(*app, io.Writer, []listedLabel) error {
	return func(_ *app, w io.Writer, rows []listedLabel) error {
		set := newTargets(rows, kind)
		head := []string{"id"}
		for _, name := range set.names {
			head = append(head, strings.TrimSuffix(column, "_")+map[bool]string{true: "_" + name}[column != "target"])
		}
		line := human.AppendCSV(nil, head...)
		for _, id := range set.ids {
			cells := []string{id}
			for _, name := range set.names {
				cells = append(cells, set.value(id, name, kind))
			}
			line = human.AppendCSV(line, cells...)
		}
		_, err := w.Write(line)
		return err
	}
}

// targets are the values of a validation set, by id and name. The last value applies.
type targets struct {
	ids, names []string
	values     map[[2]string]string
}

func newTargets(rows []listedLabel, kind label.Kind) *targets {
	t := &targets{values: map[[2]string]string{}}
	owners := idOwners(rows)
	for i := range rows {
		r := &rows[i]
		id := r.target()
		if r.At == nil && owners[id] != r.Run.Path {
			id = r.Run.Path
		}
		if r.Kind != kind || r.lost || id == "" {
			continue
		}
		name, value := r.Name, cmp.Or(string(r.Value), r.Text, "true")
		if kind == label.Verdict {
			name, value = "", strconv.FormatBool(r.Name == label.Good)
		}
		if !slices.Contains(t.ids, id) {
			t.ids = append(t.ids, id)
		}
		if !slices.Contains(t.names, name) {
			t.names = append(t.names, name)
		}
		t.values[[2]string{id, name}] = value
	}
	slices.Sort(t.names)
	return t
}

// idOwners maps ids to the paths of their sessions. Subagents share the id of their session, whose
// own file has the id in its name. Other files are identified by path.
func idOwners(rows []listedLabel) map[string]string {
	owners := map[string]string{}
	for i := range rows {
		id, path := rows[i].target(), rows[i].Run.Path
		if have, ok := owners[id]; !ok || !strings.Contains(have, id) && strings.Contains(path, id) {
			owners[id] = path
		}
	}
	return owners
}

// value returns the value of a case; a missing label is false.
func (t *targets) value(id, name string, kind label.Kind) string {
	v, ok := t.values[[2]string{id, name}]
	if !ok && kind == label.Label {
		return "false"
	}
	return v
}

// target returns the id of a row in a validation set.
func (r *listedLabel) target() string {
	if r.At != nil {
		return cmp.Or(r.id, r.At.Call, r.At.Message)
	}
	return cmp.Or(r.Run.Session, r.Run.Path)
}
