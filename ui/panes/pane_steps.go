package panes

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"turns/query/answer"
	"turns/query/human"
	"turns/query/summary"
	"turns/ui/paint"
	"turns/ui/screen"
)

// steps lists the requests of a turn.
type steps struct {
	h     *screen.Host
	turn  int
	rows  []summary.Request
	cost  summary.Cost
	Table screen.Table
}

func newSteps(h *screen.Host, t *summary.Turn) *steps {
	v := &steps{h: h, turn: t.Number}
	v.Table.SortBy = -1
	columns := answer.Pick(summary.RequestColumns(h.Zone), "step", "message", "time", "response", "calls", "new", "cached", "output", "cache", "cost")
	screen.Describe(&v.Table, columns, func(row int) *summary.Request { return &v.rows[row] })
	fill, response := v.Table.Cells, v.Table.Column("response")
	v.Table.Cells = func(row int, out []screen.Cell) {
		fill(row, out)
		out[response].Text = h.FirstText(v.rows[row].ID)
	}
	v.refresh(t)
	return v
}

// refresh updates the steps of a turn and the cost of their requests.
func (v *steps) refresh(t *summary.Turn) tea.Cmd {
	v.rows, v.cost = t.Requests(v.h.Snap, v.h.Turns, v.h.Cost), summary.Cost{}
	for i := range v.rows {
		v.rows[i].Miss = v.h.Cached.Miss(v.rows[i].ID) != ""
		v.cost.Add(v.rows[i].Cost)
	}
	v.Table.Hide(!v.cost.Known(), "cost")
	return v.Table.Reset(len(v.rows))
}

func (v *steps) render(w, h int, focus bool, prompt string) []string {
	about := human.Plural(len(v.rows), "request", "requests")
	if v.cost.Known() {
		about += titleGap + v.cost.String()
	}
	name := fmt.Sprintf("Turn %d", v.turn)
	if room := w - paint.Width(name+about) - 26; room >= 10 && prompt != "" {
		name += " › " + paint.Cut(paint.OneLine(prompt), room)
	}
	out := []string{paneTitle(v.h, w, focus, name, about, v.Table.SortName())}
	if len(v.rows) == 0 {
		return append(out, v.h.Styles.Line(w, paint.GroundNone, paint.Span{Text: " no requests", Ink: paint.InkDim}))
	}
	return append(out, v.Table.Render(v.h.Styles, w, h-1, focus)...)
}

func (v *steps) key(key string, n int) (bool, tea.Cmd) {
	if handled, cmd := screen.Pressed(v.Keys(), key, n); handled {
		return true, cmd
	}
	return v.Table.Key(v.h, key, n)
}

// Keys returns the keys of this table only.
func (v *steps) Keys() []screen.Key {
	return []screen.Key{
		{Keys: []string{"enter", "l", "right"}, Hint: "jump", Help: "go to the request and its cost", Do: v.Table.OnRow(v.h, v.enter)},
		{Keys: []string{"x"}, Hint: "export", Help: "export the table", Do: func(int, string) tea.Cmd {
			return v.h.Ask(v.Table.Export(fmt.Sprintf("turn-%d", v.turn)))
		}},
	}
}

func (v *steps) enter(row int, _ string) tea.Cmd {
	v.h.Ask(screen.GoTo{ID: v.rows[row].ID, Call: screen.NoCall})
	return nil
}
