package runs

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"

	"turns/model"
	"turns/query"
	"turns/query/answer"
	"turns/query/human"
)

// ManyDiff has more than two sessions side by side, as columns.
type ManyDiff struct {
	Version int          `json:"version"`
	Paths   []string     `json:"paths"`
	Runs    []DiffTotals `json:"sessions"`
	Same    int          `json:"same"` // rows that are equal in all sessions
	Rows    []ManyRow    `json:"rows"`
	pairs   []*DiffAnswer
}

// ManyRow is the matching items of the sessions; nil for a session without one.
type ManyRow struct {
	Same  bool        `json:"same"`
	Sides []*DiffSide `json:"sides"`
}

// DiffMany aligns sessions with the first of them. Items missing in the first share a row if they
// are equal and at the same place.
func DiffMany(ctx context.Context, paths []string, list []DiffRun) (*ManyDiff, error) {
	d := &ManyDiff{Version: human.AnswerVersion, Paths: paths, Rows: []ManyRow{}}
	// added has the items of each session missing in the first, by the number of items of the first
	// before them.
	var added []map[int][]*DiffSide
	var kept []ManyRow // a row for each item of the first
	for k := 1; k < len(list); k++ {
		pair, err := Diff(ctx, list[0], list[k])
		if err != nil {
			return nil, err
		}
		if k == 1 {
			d.Runs = append(d.Runs, pair.A)
		}
		d.Runs, d.pairs = append(d.Runs, pair.B), append(d.pairs, pair)
		more, at := map[int][]*DiffSide{}, 0
		for i := range pair.Rows {
			r := &pair.Rows[i]
			if r.A == nil {
				more[at] = append(more[at], r.B)
				continue
			}
			if k == 1 {
				kept = append(kept, ManyRow{true, make([]*DiffSide, len(list))})
				kept[at].Sides[0] = r.A
			}
			kept[at].Sides[k], kept[at].Same = r.B, kept[at].Same && r.How == DiffSame
			at++
		}
		added = append(added, more)
	}
	for at := range kept {
		kept[at].part(added, at+1)
	}
	for at := 0; at <= len(kept); at++ {
		d.insert(added, at, len(list))
		if at < len(kept) {
			d.Rows = append(d.Rows, kept[at])
			if kept[at].Same {
				d.Same++
			}
		}
	}
	return d, nil
}

// part removes items from a row that are paired with the first session only for lack of a better
// match, if other sessions have an equal item after the row.
func (r *ManyRow) part(added []map[int][]*DiffSide, behind int) {
	for k := range added {
		side := r.Sides[k+1]
		if side == nil || side.sameText(r.Sides[0]) {
			continue
		}
		for j := range added {
			if j != k && slices.ContainsFunc(added[j][behind], side.sameText) {
				r.Sides[k+1] = nil
				added[k][behind] = append([]*DiffSide{side}, added[k][behind]...)
				break
			}
		}
	}
}

// sameText reports whether two items are equal apart from their outcomes.
func (s *DiffSide) sameText(o *DiffSide) bool {
	return s.Kind == o.Kind && s.Tool == o.Tool && s.Text == o.Text
}

// insert adds the rows of items at one place that are missing in the first session.
func (d *ManyDiff) insert(added []map[int][]*DiffSide, at, runs int) {
	first := len(d.Rows)
	for k, more := range added {
		from := first
		for _, side := range more[at] {
			to := from
			for to < len(d.Rows) && !d.Rows[to].takes(k+1, side) {
				to++
			}
			if to == len(d.Rows) {
				d.Rows = append(d.Rows, ManyRow{Sides: make([]*DiffSide, runs)})
			}
			d.Rows[to].Sides[k+1] = side
			from = to + 1
		}
	}
}

// takes reports whether a row can include an item: its session has none there, and the others an
// equal one.
func (r *ManyRow) takes(run int, side *DiffSide) bool {
	if r.Sides[run] != nil {
		return false
	}
	for _, other := range r.Sides {
		if other != nil {
			return other.sameText(side)
		}
	}
	return false
}

// Differs reports whether one of the sessions differs from the first, like [DiffAnswer.Differs].
func (d *ManyDiff) Differs(by string) (bool, error) {
	for _, pair := range d.pairs {
		if differs, err := pair.Differs(by); differs || err != nil {
			return differs, err
		}
	}
	return false, nil
}

// WriteJSON writes the answer.
func (d *ManyDiff) WriteJSON(_ context.Context, w io.Writer) error { return query.WriteJSON(w, d) }

// letter returns the name of a session in the tables.
func letter(run int) string {
	if run < 26 {
		return string(rune('a' + run))
	}
	return fmt.Sprint(run + 1)
}

// Doc describes the numbers of the sessions, then one row per difference.
func (d *ManyDiff) Doc() *answer.Doc {
	doc := &answer.Doc{}
	names := make([]string, len(d.Paths))
	for i, path := range d.Paths {
		names[i] = letter(i) + "  " + model.CleanLine(path)
	}
	doc.Add(answer.Section{Text: names, List: true})
	doc.AddTable("", d.numbers())
	doc.AddText(human.Plural(d.Same, "item") + " equal in all sessions, " + strconv.Itoa(len(d.Rows)-d.Same) + " different")
	rows := d.table("")
	for i := range d.Rows {
		if d.Rows[i].Same {
			continue
		}
		cells := make([]string, len(d.Runs))
		for k, side := range d.Rows[i].Sides {
			if cells[k] = human.NotSaid; side != nil {
				cells[k] = side.line()
			}
		}
		rows.Add(cells...)
	}
	doc.AddTable("", rows)
	return doc
}

// table returns a table with a column for each session, after others. mark sets their kind.
func (d *ManyDiff) table(mark string, others ...string) *answer.Table {
	t := answer.NewTable(others...)
	for i := range d.Runs {
		t.Columns = append(t.Columns, answer.NewTable(mark+letter(i)).Cut(max(16, 100/len(d.Runs)), 0).Columns[0])
	}
	return t
}

// numbers returns a table with a row for each number of a session.
func (d *ManyDiff) numbers() *answer.Table {
	t := d.table(">", "")
	for _, row := range [...]struct {
		name string
		text func(*DiffTotals) string
	}{
		{"outcome", func(t *DiffTotals) string { return t.Outcome.String() }},
		{"score", func(t *DiffTotals) string { return scoreText(t.Score) }},
		{"model", func(t *DiffTotals) string { return string(t.Model) }},
		{"messages", func(t *DiffTotals) string { return human.Count(t.Messages) }},
		{"turns", func(t *DiffTotals) string { return human.Count(t.Turns) }},
		{"calls", func(t *DiffTotals) string { return human.Count(t.Calls) }},
		{"errors", func(t *DiffTotals) string { return human.Count(t.Errors) }},
		{"tokens", func(t *DiffTotals) string { return human.Count(t.Tokens) }},
		{"time", func(t *DiffTotals) string { return t.Took.String() }},
		{"cost", func(t *DiffTotals) string { return t.TotalCost().String() }},
	} {
		cells, known := []string{row.name}, false
		for i := range d.Runs {
			cell := row.text(&d.Runs[i])
			cells, known = append(cells, cell), known || cell != "" && cell != human.NotSaid
		}
		if known {
			t.Add(cells...)
		}
	}
	return t
}
