package sessions

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"turns/query/many"
	"turns/query/session"
	"turns/ui/config"
	"turns/ui/screen"
)

// Over is a table that covers the list and follows it.
type Over interface {
	screen.Dialog
	List() *List
}

// paneFailures and paneLoops name the tables of Troubles in views; the tables of Sums have the
// names of their commands.
const (
	paneFailures = "failures"
	paneLoops    = "loops"
)

// View returns the current filter, order and columns of the list as a view, with the table over
// it.
func (d *List) View() config.View {
	v := config.View{Of: config.ViewOfList, Filter: d.Filter.Text, Find: d.Title.Text}
	for _, c := range d.columns {
		if c.Name != "labels" || len(d.H.Opts.Columns) > 0 {
			v.Columns = append(v.Columns, c.Name)
		}
	}
	v.Sort, v.Desc = d.Table.SortColumn()
	switch over := d.over.(type) {
	case *Sums:
		v.Pane, v.Group = sumNames[over.kind], many.Names()[over.by[over.kind]]
	case *Troubles:
		v.Pane = paneFailures
		if over.loops {
			v.Pane = paneLoops
		}
	}
	return v
}

// Take applies a view to the list. It closes a table over the list.
func (d *List) Take(v *config.View) tea.Cmd {
	d.Filter.Set(v.Filter)
	d.Title.Set(v.Find)
	known := session.ColumnNames()
	names := slices.DeleteFunc(slices.Clone(v.Columns), func(name string) bool { return !slices.Contains(known, name) })
	d.H.Opts.Columns = names
	d.makeColumns(len(d.H.Labelled.Set.Current()) > 0)
	cmds := []tea.Cmd{d.Table.SortByName(v.Sort, v.Desc), d.filterTyped()}
	if kind := slices.Index(sumNames[:], v.Pane); kind >= 0 {
		s := newSums(d, sumKind(kind))
		if by := slices.Index(many.Names(), v.Group); by >= 0 {
			s.by[kind] = by
		}
		cmds = append(cmds, d.lay(s))
	} else if v.Pane == paneFailures || v.Pane == paneLoops {
		cmds = append(cmds, d.troubles(v.Pane == paneLoops))
	}
	return tea.Batch(cmds...)
}
