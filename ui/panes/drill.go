package panes

import (
	tea "charm.land/bubbletea/v2"

	"turns/query/lang"
	"turns/ui/screen"
)

// drill is a table of tools or files with the calls of one row as a second table, and the keys and
// mouse of both.
type drill struct {
	h     *screen.Host
	Table screen.Table
	Calls *Calls // of the entered row; nil: the first table is shown

	row, rows string                // the word for a row, also its key in a filter, and its plural
	name      func(row int) string  // of a row
	apart     func(row int) bool    // distinguishes two rows with one name; nil: not needed
	open      func(row int) tea.Cmd // opens the calls of a row

	partial bool // the rows cover only the part of the session read so far
}

// Message passes background results to the list of calls.
func (d *drill) Message(msg tea.Msg) tea.Cmd {
	if d.Calls == nil {
		return nil
	}
	switch m := msg.(type) {
	case screen.SortedMsg:
		d.Calls.Table.Sorted(m)
	case callTextMsg:
		d.Calls.read(m)
	}
	return nil
}

// reset sets n new rows and keeps the cursor on the same row. While the session is still being
// read, a cursor at the top stays at the top.
func (d *drill) reset(n int, same rowName) tea.Cmd {
	first := d.partial && d.Table.Cur == 0
	d.partial = d.h.More() != ""
	cmd := d.Table.Reset(n)
	if first {
		d.Table.MoveTo(0)
		return cmd
	}
	for i := range n {
		if d.nameOf(i) == same {
			d.Table.SelectRow(i)
			break
		}
	}
	return cmd
}

// rowName identifies a row.
type rowName struct {
	name  string
	apart bool
}

func (d *drill) nameOf(row int) rowName { return rowName{d.name(row), d.apart != nil && d.apart(row)} }

// named returns the name of the row under the cursor, empty for none.
func (d *drill) named() rowName {
	if row := d.Table.Row(); row >= 0 {
		return d.nameOf(row)
	}
	return rowName{}
}

// Key moves, sorts, enters a row or adds it to the filter.
func (d *drill) Key(key string, n int) (bool, tea.Cmd) {
	if d.Calls != nil {
		if ok, cmd := screen.Pressed(d.LeaveKeys(), key, n); ok {
			return true, cmd
		}
		ok, cmd := d.Calls.key(key, n)
		return ok, tea.Batch(cmd, d.Calls.fetch())
	}
	if handled, cmd := screen.Pressed(d.Keys(), key, n); handled {
		return true, cmd
	}
	return d.Table.Key(d.h, key, n)
}

// Keys returns the keys of this pane only.
func (d *drill) Keys() []screen.Key {
	export := func(int, string) tea.Cmd { return d.h.Ask(d.Table.Export(d.rows)) }
	return []screen.Key{
		{Keys: []string{"enter", "l", "right"}, Hint: "calls", Help: "the calls of the " + d.row, Do: d.Table.OnRow(d.h, func(row int, _ string) tea.Cmd { return d.open(row) })},
		{Keys: []string{"+"}, Hint: "include", Help: "only calls of the " + d.row, Do: d.Table.OnRow(d.h, d.like)},
		{Keys: []string{"-"}, Hint: "exclude", Help: "without calls of the " + d.row, Do: d.Table.OnRow(d.h, d.like)},
		{Keys: []string{"x"}, Hint: "export", Help: "export the table", Do: export},
	}
}

// LeaveKeys returns the keys that lead from the calls back to the table.
func (d *drill) LeaveKeys() []screen.Key {
	back := func(int, string) tea.Cmd { d.Calls = nil; return nil }
	return []screen.Key{{Keys: []string{"h", "left", "esc", "q"}, Help: "back to the " + d.rows, Do: back}}
}

func (d *drill) like(row int, key string) tea.Cmd {
	return d.h.Ask(screen.AddTerm{Term: d.row + ":" + lang.Quote(d.name(row)), Negate: key == "-"})
}

// Hints returns the keys of the pane.
func (d *drill) Hints() []screen.Hint {
	if d.Calls != nil {
		return screen.TableHints(&d.Calls.Table, d.Calls.Keys())
	}
	return append(screen.TableHints(&d.Table, d.Keys()), screen.Hint{Key: "=", Text: "scope"})
}

// Click selects a row or sorts; a double click enters.
func (d *drill) Click(x, y int, double bool) tea.Cmd {
	hit, cmd := d.shown().Click(x, y-1)
	if hit && double {
		_, cmd = d.Key("enter", 0)
	}
	return cmd
}

func (d *drill) Wheel(n int) { d.shown().Scroll(n) }

// Sorted returns the table of the pane, also while a list of calls covers it.
func (d *drill) Sorted() *screen.Table { return &d.Table }

// shown returns the visible table.
func (d *drill) shown() *screen.Table {
	if d.Calls != nil {
		return &d.Calls.Table
	}
	return &d.Table
}
