package lanes

import (
	"cmp"
	"strings"

	"turns/query/answer"
	"turns/query/human"
)

// paper is the width of the text if the output is not a terminal.
const paper = 120

// stackedMost is the maximum number of rows of parallel calls below a lane in text.
const stackedMost = 3

// names is the width of the names of lanes.
const (
	namesLeast = 10
	namesMost  = 24
)

// Doc describes the lanes. Their chart is as wide as the terminal.
func (a *Answer) Doc() *answer.Doc {
	d := &answer.Doc{}
	head := "Lanes"
	if a.Format != "" {
		head += "   " + human.OneLine(a.Format, 40)
	}
	if a.From == 0 {
		d.AddText(head)
		d.AddText("no message has a time")
		return d
	}
	d.AddText(head + "   " + human.DayAndTime(int64(a.From), a.Zone) + "   " + human.Millis(a.To-a.From).String())
	d.Add(answer.Section{Chart: a.chart})
	d.AddText(Legend, a.Shares(), a.Critical.Line())
	d.AddTable("", a.table())
	return d
}

// chart draws the lanes in the columns of a terminal.
func (a *Answer) chart(columns int) string {
	width := cmp.Or(columns, paper)
	names := a.nameWidth(width)
	x := a.Axis(max(width-names-1, 1), 0, 0)
	var b strings.Builder
	line := func(name string, cells []rune) {
		text := human.CutText(name, names)
		b.WriteString(strings.TrimRight(text+strings.Repeat(" ", names-human.Width(text)+1)+string(cells), " ") + "\n")
	}
	line("", x.Labels(func(at human.Stamp) string { return human.StampIn(int64(at), a.Zone, x.Clock()) }))
	for i := range a.Lanes {
		lane := &a.Lanes[i]
		line(a.Label(i), glyphs(x.Cells(lane)))
		for _, row := range x.Stacked(lane, stackedMost) {
			line("", glyphs(row))
		}
	}
	if len(a.Context) > 0 {
		line("context", x.Fill(a))
	}
	return b.String()
}

// Legend explains the signs.
const Legend = "▓ model   █ tool   · waits for a person   blank: idle   ✗ error   ⋯ a gap of over a minute, folded"

func glyphs(cells []Cell) []rune {
	out := make([]rune, len(cells))
	for i, c := range cells {
		out[i] = c.Glyph()
	}
	return out
}

// nameWidth returns the width of the column of names.
func (a *Answer) nameWidth(width int) int {
	most := namesLeast
	for i := range a.Lanes {
		most = max(most, human.Width(a.Label(i)))
	}
	return min(most, namesMost, max(width/4, namesLeast))
}

// Label returns the name of a lane below its parent, in one line.
func (a *Answer) Label(i int) string {
	lane := &a.Lanes[i]
	name := human.OneLine(lane.Name, 60)
	if lane.Main() {
		if a.mains > 1 {
			name = human.SessionOf(lane.Session)
		}
		return name
	}
	return strings.Repeat("  ", max(lane.Depth-1, 0)) + "└ " + name
}

// Shares returns the share of each kind in the time of the main lanes.
func (a *Answer) Shares() string {
	t := &a.Time
	whole := int64(t.Whole())
	share := func(name string, took human.Millis) string {
		return name + " " + human.Percent(int64(took), whole)
	}
	return strings.Join([]string{share("model", t.Model), share("tools", t.Tools), share("waiting", t.Asked+t.User), share("idle", t.Idle)}, "   ")
}

// savedLeast is the shortest saving that Line reports.
const savedLeast = human.Millis(100)

// Line returns the critical path in one line.
func (c *Critical) Line() string {
	if c.Calls == 0 {
		return "critical path: the end waited for no tool call"
	}
	var parts []string
	for i, t := range c.Tools {
		if i == 3 && len(c.Tools) > 4 {
			var rest human.Millis
			for _, t := range c.Tools[i:] {
				rest += t.Time
			}
			parts = append(parts, rest.String()+" of other tools")
			break
		}
		parts = append(parts, t.Time.String()+" of "+human.OneLine(t.Tool, 24))
	}
	line := "critical path: " + strings.Join(parts, ", ")
	if c.Saved >= savedLeast {
		return line + "; " + c.Saved.String() + " could run in parallel"
	}
	return line + "; nothing more could run in parallel"
}

// table returns a table with a row for each lane.
func (a *Answer) table() *answer.Table {
	t := answer.NewTable("lane", ">model", ">tools", ">waiting?", ">idle??", ">calls", ">errors?")
	took := func(m human.Millis) string {
		return human.OrDot(int64(m), func(n int64) string { return human.Millis(n).String() })
	}
	for i := range a.Lanes {
		lane := &a.Lanes[i]
		t.Add(a.Label(i), took(lane.Time.Model), took(lane.Time.Tools), took(lane.Time.Asked+lane.Time.User), took(lane.Time.Idle),
			human.OrDot(lane.Made, human.Count[int]), human.OrDot(lane.Errors, human.Count[int]))
	}
	return t
}
