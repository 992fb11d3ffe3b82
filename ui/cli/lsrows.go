package cli

import (
	"io"
	"iter"
	"slices"
	"strings"
	"time"

	"turns/model"
	"turns/query/human"
	"turns/query/session"
)

// sessionRows writes sessions as a table, or a line of JSON each.
type sessionRows struct {
	app    *app
	w      io.Writer
	shown  int
	sorted bool               // by when they were, not as they come
	found  []*session.Session // of a table, to be sorted by when they were
}

func newSessionRows(a *app, w io.Writer) *sessionRows { return &sessionRows{app: a, w: w} }

// cellsMost is how wide a cell is at most where no terminal shows it.
const cellsMost = 60

// add keeps s until the end, where it is for a table.
func (r *sessionRows) add(s *session.Session) error {
	r.shown++
	if r.app.json {
		if err := writeJSONLine(r.w, s); err != nil {
			return err
		}
		return flushed(r.w)
	}
	r.found = append(r.found, s)
	return nil
}

// end writes what is left.
// all adds rows as they come, and says what could not be read.
func (r *sessionRows) all(rows iter.Seq2[session.Session, error], p *progress) error {
	for s, err := range rows {
		if err != nil {
			p.done()
			r.app.complain(err)
		} else if err := r.add(&s); err != nil {
			return err
		}
	}
	return nil
}

func (r *sessionRows) end() error {
	if r.shown == 0 {
		return errNoMatch
	}
	if r.sorted {
		slices.SortStableFunc(r.found, func(a, b *session.Session) int { return b.When().Compare(a.When()) })
	}
	if err := r.app.page(r.w, r.print); err != nil {
		return err
	}
	return flushed(r.w)
}

// print writes the table. On a terminal it has a head, and columns for which there is no room are
// left out in the order in which the screen leaves them out.
func (r *sessionRows) print(p *human.Page) {
	cols := session.Columns(r.app.labels().Digest().Len() > 0, r.app.config().Columns...)
	view := session.View{Now: time.Now(), Zone: r.app.zone(), When: "2006-01-02 15:04"}
	heads := make([]string, 0, len(cols)+1)
	for _, c := range cols {
		side := ""
		switch {
		case c.Right && p.Columns > 0:
			side = ">"
		case c.Flex == 0:
			side = "="
		}
		heads = append(heads, side+strings.TrimSpace(c.Head)+strings.Repeat("?", c.Drop))
	}
	t := human.NewTable(append(heads, "<path")...)
	if p.Columns == 0 {
		t.Rows, t.Width = nil, nil
	}
	for _, s := range r.found {
		cells := make([]string, 0, len(heads))
		for _, c := range cols {
			cell := c.Cell(s, &view)
			text := human.CutText(model.CleanLine(cell.Text+cell.More), p.Room(cellsMost))
			if text == "" {
				text = "·"
			}
			cells = append(cells, text)
		}
		t.Add(append(cells, model.CleanLine(s.Path))...)
	}
	t.Write(p)
}

// flushed sends what was written to w on its way.
func flushed(w io.Writer) error {
	if f, ok := w.(interface{ Flush() error }); ok {
		return f.Flush()
	}
	return nil
}
