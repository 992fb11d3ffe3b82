package runs

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"turns/query"
	"turns/query/human"
)

// ManyDiff is more than two runs side by side, as columns.
type ManyDiff struct {
	Version int          `json:"version"`
	Paths   []string     `json:"paths"`
	Runs    []DiffTotals `json:"sessions"`
	Same    int          `json:"same"` // rows that all runs have alike
	Rows    []ManyRow    `json:"rows"`
	pairs   []*DiffAnswer
}

// ManyRow is the matching items of the sessions; nil for a session without one.
type ManyRow struct {
	Same  bool        `json:"same"`
	Sides []*DiffSide `json:"sides"`
}

// DiffMany aligns sessions with the first of them. Items that the first lacks share a row if they
// are the same at the same place.
func DiffMany(ctx context.Context, paths []string, list []DiffRun) (*ManyDiff, error) {
	d := &ManyDiff{Version: human.AnswerVersion, Paths: paths, Rows: []ManyRow{}}
	// added are the items of each run that the first has not, by how many of the first
	// stand before them.
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

// part takes items out of a row that stand for the first run's there only for want of
// another, where other runs have the same behind it.
func (r *ManyRow) part(added []map[int][]*DiffSide, behind int) {
	for k := range added {
		side := r.Sides[k+1]
		if side == nil || side.alike(r.Sides[0]) {
			continue
		}
		for j := range added {
			if j != k && slices.ContainsFunc(added[j][behind], side.alike) {
				r.Sides[k+1] = nil
				added[k][behind] = append([]*DiffSide{side}, added[k][behind]...)
				break
			}
		}
	}
}

// alike reports whether two items say the same, however they ended.
func (s *DiffSide) alike(o *DiffSide) bool {
	return s.Kind == o.Kind && s.Tool == o.Tool && s.Text == o.Text
}

// insert adds the rows of what others than the first have in one place.
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

// takes reports whether a row has room for an item that it has of another run.
func (r *ManyRow) takes(run int, side *DiffSide) bool {
	if r.Sides[run] != nil {
		return false
	}
	for _, other := range r.Sides {
		if other != nil {
			return other.alike(side)
		}
	}
	return false
}

// Differs reports whether one of the runs differs from the first, as [DiffAnswer.Differs] does.
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

// letter is what a run is called in the tables.
func letter(run int) string {
	if run < 26 {
		return string(rune('a' + run))
	}
	return fmt.Sprint(run + 1)
}

// tables are the numbers of the runs, and the rows that differ, of so many columns or, for 0,
// of any number.
func (d *ManyDiff) tables(columns int) (numbers, rows *human.Table) {
	heads, cut := []string{""}, max(16, 100/len(d.Runs))
	const names = 10 // of the numbers, with a gap
	if columns > 0 {
		cut = max(4, (columns-names)/len(d.Runs)-2)
	}
	for i := range d.Runs {
		heads = append(heads, ">"+letter(i))
	}
	numbers = human.NewTable(heads...)
	line := func(name string, say func(*DiffTotals) string) {
		cells, said := []string{name}, false
		for i := range d.Runs {
			cells = append(cells, say(&d.Runs[i]))
			said = said || cells[i+1] != "" && cells[i+1] != human.NotSaid
		}
		if said {
			numbers.Add(cells...)
		}
	}
	line("outcome", func(t *DiffTotals) string { return t.Outcome.String() })
	line("score", func(t *DiffTotals) string { return scoreText(t.Score) })
	line("model", func(t *DiffTotals) string { return human.OneLine(string(t.Model), cut) })
	line("messages", func(t *DiffTotals) string { return human.Count(t.Messages) })
	line("turns", func(t *DiffTotals) string { return human.Count(t.Turns) })
	line("calls", func(t *DiffTotals) string { return human.Count(t.Calls) })
	line("errors", func(t *DiffTotals) string { return human.Count(t.Errors) })
	line("tokens", func(t *DiffTotals) string { return human.Count(t.Tokens) })
	line("time", func(t *DiffTotals) string { return t.Took.String() })
	line("cost", func(t *DiffTotals) string { return t.WhatItCost().String() })
	for i := range heads {
		heads[i] = strings.TrimPrefix(heads[i], ">")
	}
	rows = human.NewTable(heads[1:]...)
	for i := range d.Rows {
		r := &d.Rows[i]
		if r.Same {
			continue
		}
		var cells []string
		for _, side := range r.Sides {
			if side == nil {
				cells = append(cells, human.NotSaid)
			} else {
				cells = append(cells, human.CutText(side.line(), cut))
			}
		}
		rows.Add(cells...)
	}
	return numbers, rows
}

// String is what Print writes where lines are as long as they are.
func (d *ManyDiff) String() string { return human.Text(d) }

// Print writes the numbers of the sessions, then one row per difference.
func (d *ManyDiff) Print(b *human.Page) {
	for i, path := range d.Paths {
		fmt.Fprintf(b, "%s  %s\n", letter(i), human.OneLine(path, max(60, len(path))))
	}
	b.WriteByte('\n')
	numbers, rows := d.tables(b.Columns)
	numbers.Write(b)
	fmt.Fprintf(b, "\n%s equal in all sessions, %d different\n", human.Plural(d.Same, "item"), len(d.Rows)-d.Same)
	if len(d.Rows) > d.Same {
		b.WriteByte('\n')
		rows.Write(b)
	}
}

// WriteMarkdown writes the same as Markdown.
func (d *ManyDiff) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	for i, path := range d.Paths {
		fmt.Fprintf(&b, "- %s: %s\n", letter(i), human.MarkdownLine(human.OneLine(path, max(60, len(path)))))
	}
	b.WriteByte('\n')
	numbers, rows := d.tables(0)
	numbers.WriteMarkdown(&b)
	fmt.Fprintf(&b, "\n%s equal in all sessions, %d different.\n\n", human.Plural(d.Same, "item"), len(d.Rows)-d.Same)
	rows.WriteMarkdown(&b)
	_, err := io.WriteString(w, b.String())
	return err
}
