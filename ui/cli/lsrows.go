package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"turns/model"
	"turns/query/session"
)

// sessionRows writes sessions as a table, or a line of JSON each.
type sessionRows struct {
	app   *app
	w     io.Writer
	table columns
	cols  []session.Column
	view  session.View
	shown int
}

func newSessionRows(a *app, w io.Writer, before func()) *sessionRows {
	return &sessionRows{
		app: a, w: w, table: columns{w: w, before: before}, cols: session.Columns(len(a.labels().Now().Said()) > 0, a.config().Columns...),
		view: session.View{Now: time.Now(), Zone: a.zone(), When: "2006-01-02 15:04"},
	}
}

// cellsMost is how wide a cell is at most.
const cellsMost = 60

func (r *sessionRows) add(s *session.Session) error {
	r.shown++
	if r.app.json {
		if err := writeJSONLine(r.w, s); err != nil {
			return err
		}
		return flushed(r.w)
	}
	cells := make([]string, 0, len(r.cols)+1)
	for i := range r.cols {
		c := r.cols[i].Cell(s, &r.view)
		text := ansi.Truncate(model.CleanLine(c.Text+c.More), cellsMost, "…")
		if text == "" {
			text = "·"
		}
		cells = append(cells, text)
	}
	return r.table.add(append(cells, model.CleanLine(s.Path))...)
}

// end writes what is left.
func (r *sessionRows) end() error {
	if r.shown == 0 {
		return errNoMatch
	}
	return r.table.flush()
}

// Columns of a list are as wide as the first page of rows needs; what comes later
// widens them from there on, so that a list of thousands begins at once.
const (
	pageRows = 50
	pageWait = 250 * time.Millisecond
)

// columns writes rows as a table, page by page.
type columns struct {
	w      io.Writer
	widths []int
	rows   [][]string
	begun  time.Time
	before func() // called before a page
}

// add takes a row; a page of them is written.
func (c *columns) add(cells ...string) error {
	c.rows = append(c.rows, cells)
	now := time.Now()
	if c.begun.IsZero() {
		c.begun = now
	}
	if len(c.rows) < pageRows && now.Sub(c.begun) < pageWait {
		return nil
	}
	return c.flush()
}

// flush writes what is there.
func (c *columns) flush() error {
	c.before()
	for _, cells := range c.rows {
		for len(c.widths) < len(cells) {
			c.widths = append(c.widths, 0)
		}
		for i, text := range cells {
			c.widths[i] = max(c.widths[i], ansi.StringWidth(text))
		}
	}
	for _, cells := range c.rows {
		var line strings.Builder
		for i, text := range cells {
			line.WriteString(text)
			if i < len(cells)-1 {
				line.WriteString(strings.Repeat(" ", c.widths[i]-ansi.StringWidth(text)+2))
			}
		}
		if _, err := fmt.Fprintln(c.w, line.String()); err != nil {
			return err
		}
	}
	c.rows, c.begun = c.rows[:0], time.Now()
	return flushed(c.w)
}

// flushed sends what was written to w on its way.
func flushed(w io.Writer) error {
	if f, ok := w.(interface{ Flush() error }); ok {
		return f.Flush()
	}
	return nil
}
