package cli

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"

	"turns/model"
	"turns/query/human"
	"turns/query/session"
)

// sessionRows writes sessions as a table, or a line of JSON each.
type sessionRows struct {
	app       *app
	w         io.Writer
	table     columns
	cols      []session.Column
	view      session.View
	shown     int
	sorted    bool              // by when they were, not as they come
	titleMost int               // of the title, on a narrow terminal; 0: as any cell
	found     []session.Session // of a table, to be sorted by when they were
}

func newSessionRows(a *app, w io.Writer, before func()) *sessionRows {
	return &sessionRows{
		app: a, w: w, table: columns{w: w, before: before},
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
	r.found = append(r.found, *s)
	return nil
}

// row writes a row of the table.
func (r *sessionRows) row(s *session.Session) error {
	cells := make([]string, 0, len(r.cols)+1)
	for i := range r.cols {
		c := r.cols[i].Cell(s, &r.view)
		most := cellsMost
		if r.cols[i].Flex > 1 && r.titleMost > 0 {
			most = r.titleMost
		}
		text := human.CutText(model.CleanLine(c.Text+c.More), most)
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
	if r.sorted {
		slices.SortStableFunc(r.found, func(a, b session.Session) int { return b.When().Compare(a.When()) })
	}
	r.cols = session.Columns(r.app.labels().Digest().Len() > 0, r.app.config().Columns...)
	if r.app.Terminal && r.app.out == "" {
		r.onTerminal()
	}
	for i := range r.found {
		if err := r.row(&r.found[i]); err != nil {
			return err
		}
	}
	return r.table.flush()
}

// titleLeast is how narrow a title becomes before a column is left out.
const titleLeast = 24

// onTerminal puts a head over the table, and leaves out the columns for which a terminal has no
// room: those first that a screen leaves out first.
func (r *sessionRows) onTerminal() {
	width := 80
	if f, ok := r.app.Out.(*os.File); ok {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
			width = w
		}
	}
	r.table.most = width
	widths := make([]int, len(r.cols))
	path := 0
	for i := range r.found {
		for n := range r.cols {
			c := r.cols[n].Cell(&r.found[i], &r.view)
			widths[n] = min(max(widths[n], human.Width(c.Text+c.More), human.Width(r.cols[n].Head)), cellsMost)
		}
		path = max(path, human.Width(r.found[i].Path))
	}
	title := slices.IndexFunc(r.cols, func(c session.Column) bool { return c.Flex > 1 })
	need := func() (sum int) {
		for _, w := range widths {
			sum += w + 2
		}
		return sum + min(path, width/4)
	}
	for over := need() - width; over > 0; over = need() - width {
		if title >= 0 && widths[title] > titleLeast {
			widths[title] = max(widths[title]-over, titleLeast)
			r.titleMost = widths[title]
			continue
		}
		drop := -1
		for n := range r.cols {
			if r.cols[n].Drop > 0 && (drop < 0 || r.cols[n].Drop > r.cols[drop].Drop) {
				drop = n
			}
		}
		if drop < 0 {
			break
		}
		r.cols, widths = slices.Delete(r.cols, drop, drop+1), slices.Delete(widths, drop, drop+1)
		title = slices.IndexFunc(r.cols, func(c session.Column) bool { return c.Flex > 1 })
	}
	heads := make([]string, 0, len(r.cols)+1)
	for _, c := range r.cols {
		heads = append(heads, strings.TrimSpace(c.Head))
	}
	_ = r.table.add(append(heads, "path")...)
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
	most   int    // of a line; its last cell is cut in front; 0: as long as it is
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
			c.widths[i] = max(c.widths[i], human.Width(text))
		}
	}
	for _, cells := range c.rows {
		var line strings.Builder
		used := 0
		for i, text := range cells {
			if i == len(cells)-1 && c.most > 0 {
				if over := used + human.Width(text) - c.most; over > 0 {
					text = ansi.TruncateLeft(text, over+1, "…")
				}
			}
			used += c.widths[i] + 2
			line.WriteString(text)
			if i < len(cells)-1 {
				line.WriteString(strings.Repeat(" ", c.widths[i]-human.Width(text)+2))
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
