package cli

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"turns/model"
	"turns/model/load"
)

// rowsOf gives a row for each conversation of the stores in a list, and keeps the
// order of time: those of a store come among what was written after the store was
// written last.
func rowsOf(list iter.Seq[load.Listed]) iter.Seq[load.Listed] {
	return func(yield func(load.Listed) bool) {
		var waiting []load.Listed // the newest first
		until := func(at int64) bool {
			n := 0
			for n < len(waiting) && waiting[n].Written >= at {
				n++
			}
			for _, l := range waiting[:n] {
				if !yield(l) {
					return false
				}
			}
			waiting = waiting[n:]
			return true
		}
		for l := range list {
			if l.Err == nil && !until(l.Written) {
				return
			}
			if len(l.Parts) == 0 {
				if !yield(l) {
					return
				}
				continue
			}
			waiting = append(waiting, partRows(&l)...)
			slices.SortStableFunc(waiting, func(a, b load.Listed) int { return cmp.Compare(b.Written, a.Written) })
		}
		until(-1 << 62)
	}
}

// partRows are the conversations of a store as rows of a list.
func partRows(l *load.Listed) []load.Listed {
	rows := make([]load.Listed, 0, len(l.Parts))
	for i := range l.Parts {
		p := l.Parts[i]
		s := p.Summary
		s.Path, s.Bytes, s.Written = partPath(l.Path, p.Number), 0, min(cmp.Or(s.Last, l.Written), l.Written)
		rows = append(rows, load.Listed{Summary: s, Store: true})
	}
	return rows
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

// row is what a list says of a transcript.
func (a *app) row(s *load.Summary) []string {
	when := s.Last
	if when == 0 {
		when = s.Written
	}
	project := "·"
	if s.Project != "" {
		project = model.CleanLine(filepath.Base(s.Project))
	}
	title := ansi.Truncate(model.CleanLine(s.Title), 60, "…")
	if title == "" {
		title = "·"
	}
	return []string{
		time.UnixMilli(when).In(a.zone()).Format("2006-01-02 15:04"), s.Format, project, title, messages(s), failures(s), ending(s), model.CleanLine(s.Path) + many(s),
	}
}
