package ui

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"turns/query/filter"
	"turns/query/lang"
	"turns/query/session"
	"turns/ui/library"
	"turns/ui/paint"
	"turns/ui/screen"
)

// day is the heading of a session's day.
func (d *sessions) day(row int) string {
	s := &d.all[d.shown[row]]
	if s.When().IsZero() {
		return "no time recorded"
	}
	when, now := s.When().In(d.h.Zone), d.h.Opts.Time().In(d.h.Zone)
	text := when.Format("Mon 2 Jan")
	if when.Year() != now.Year() {
		text = when.Format("Mon 2 Jan 2006")
	}
	switch {
	case sameDate(when, now, d.h.Zone):
		return "today, " + text
	case sameDate(when, now.AddDate(0, 0, -1), d.h.Zone):
		return "yesterday, " + text
	}
	return text
}

func (d *sessions) cells(row int, out []screen.Cell) {
	s := &d.all[d.shown[row]]
	view := session.View{Now: d.h.Opts.Time(), Zone: d.h.Zone, When: "15:04"}
	if d.table.SortBy >= 0 && !sameDate(s.When(), view.Now, d.h.Zone) {
		view.When = "02.01"
	}
	for i := range d.columns {
		c := d.columns[i].Cell(s, &view)
		if w := d.table.WidthOf(i); w == 0 || w >= paint.Width(c.Text+c.More) {
			c.Text += c.More
		}
		out[i] = screen.Cell{Text: paint.OneLine(c.Text), Ink: toneInks[c.Tone]}
	}
	out[0].Lead = paint.Span{Text: "  "}
	if s.Live {
		out[0].Lead = paint.Span{Text: "● ", Ink: paint.InkRunning}
	}
	if slices.Contains(d.pick.marked, s.Path) {
		out[0].Lead = paint.Span{Text: "• ", Ink: paint.InkMark}
	}
	if hit, ok := d.hitOf(s); ok {
		title := d.column("title")
		out[title] = d.hitCell(s, hit, d.table.WidthOf(title))
	}
}

// column is the place of a column.
func (d *sessions) column(name string) int {
	return slices.IndexFunc(d.columns, func(c session.Column) bool { return c.Name == name })
}

// hitCell is the line that the filter found in a session, after the beginning of its title.
func (d *sessions) hitCell(s *session.Session, hit library.Hit, w int) screen.Cell {
	h := filter.Hit{Text: hit.Line, Ranges: hit.Ranges}
	title := ""
	if w >= 40 { // else what was found has no room beside it
		title = paint.Cut(s.Name(), w/3) + " "
	}
	title += "» "
	text, ranges, front, _ := h.Around(max(w-paint.Width(title), 16))
	if !front {
		trimmed := strings.TrimLeft(text, " \t")
		off := len(text) - len(trimmed)
		text = trimmed
		for i := range ranges {
			ranges[i] = [2]int{max(ranges[i][0]-off, 0), max(ranges[i][1]-off, 0)}
		}
	} else {
		title += "…"
	}
	cell := screen.Cell{Lead: paint.Span{Text: title, Ink: paint.InkDim}, Text: " "}
	at := 0
	for _, r := range ranges {
		if r[0] < at || r[1] > len(text) {
			continue
		}
		cell.Parts = append(cell.Parts, paint.Span{Text: paint.PartOfLine(text[at:r[0]])}, paint.Span{Text: paint.PartOfLine(text[r[0]:r[1]]), Ground: paint.GroundMatch})
		at = r[1]
	}
	cell.Parts = append(cell.Parts, paint.Span{Text: paint.PartOfLine(text[at:])})
	return cell
}

func (d *sessions) compare(col, i, j int) int {
	return d.columns[col].Order(&d.all[d.shown[i]], &d.all[d.shown[j]])
}

// Render draws the list over the whole screen.
func (d *sessions) Render(w, h int) []string {
	st := d.h.Styles
	live := 0
	for i := range d.all {
		if d.all[i].Live {
			live++
		}
	}
	text := paint.Plural(len(d.all), "session", "sessions")
	if !d.loaded && len(d.all) > 0 {
		text += " so far"
	}
	if n := d.news; n.Counting > n.Counted {
		text += "   counting " + paint.Percent(n.Counted, n.Counting)
	}
	right := []paint.Span{{Text: text, Ink: paint.InkDim}}
	if d.table.SortBy >= 0 {
		right = append([]paint.Span{{Text: "by " + d.table.SortName() + "   ", Ink: paint.InkDim}}, right...)
	}
	if live > 0 {
		right = append(right, paint.Span{Text: fmt.Sprintf("   %d live", live), Ink: paint.InkRunning})
	}
	out := []string{st.Spread(w, paint.GroundNone, []paint.Span{{Text: " "}, {Text: d.pick.title(), Ink: paint.InkAccent}, {Text: "   " + d.folders(), Ink: paint.InkDim}}, append(right, paint.Span{Text: " "}))}
	out = append(out, d.filterLine(w))
	if d.typing == lineTitle || d.title.Text != "" {
		spans, _ := d.title.Spans(w-12, paint.InkText, d.typing == lineTitle)
		out = append(out, st.Line(w, paint.GroundNone, append([]paint.Span{{Text: " title   ", Ink: paint.InkDim}}, spans...)...))
	}
	switch {
	case d.err != nil:
		out = append(out, st.Line(w, paint.GroundNone, paint.Span{Text: " " + paint.OneLine(d.err.Error()), Ink: paint.InkError}))
	case d.h.Opts.Library == nil:
		out = append(out, st.Line(w, paint.GroundNone, paint.Span{Text: " there is no list of sessions here", Ink: paint.InkDim}))
	case !d.loaded && len(d.all) == 0:
		out = append(out, st.Line(w, paint.GroundNone, paint.Span{Text: " looking for sessions …", Ink: paint.InkDim}))
	case len(d.all) == 0:
		out = append(out, st.Line(w, paint.GroundNone, paint.Span{Text: " no sessions found", Ink: paint.InkDim}))
	case len(d.shown) == 0 && d.bodies.running:
		out = append(out, st.Line(w, paint.GroundNone, paint.Span{Text: " none so far", Ink: paint.InkDim}))
	case len(d.shown) == 0:
		out = append(out, st.Line(w, paint.GroundNone, paint.Span{Text: " none of them matches: f edits the filter, esc takes it away", Ink: paint.InkDim}))
	}
	d.above = len(out)
	for i, c := range d.columns { // what a wide screen has more is shared with the titles
		if d.table.Cols[i].Width = c.Width; c.Most > c.Width {
			d.table.Cols[i].Width += min(max(w-120, 0)*(c.Most-c.Width)/60, c.Most-c.Width)
		}
	}
	out = append(out, d.table.Render(st, w, h-len(out), true)...)
	return paint.Fill(out, w, h)
}

// folders are where the sessions lie, the first few; of one place the whole folder that all of them lie in.
func (d *sessions) folders() string {
	var names []string
	common := ""
	for i := range d.all {
		path := paint.Tilde(d.all[i].Path, d.h.Opts.Home)
		if common == "" {
			common = filepath.Dir(path)
		}
		for common != filepath.Dir(common) && !strings.HasPrefix(path, common+"/") {
			common = filepath.Dir(common)
		}
		parts := strings.SplitN(path, "/", 4)
		n := 2
		if len(parts) > 1 && (parts[1] == ".local" || parts[1] == ".config" || parts[0] == "") {
			n = 3
		}
		name := strings.Join(parts[:min(n, max(len(parts)-1, 1))], "/")
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 1 {
		return paint.CutMiddle(paint.OneLine(common), 60)
	}
	text := strings.Join(names[:min(len(names), 3)], " ")
	if n := len(names) - 3; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return paint.OneLine(text)
}

func (d *sessions) filterLine(w int) string {
	st := d.h.Styles
	left := []paint.Span{{Text: screen.FilterLabel, Ink: paint.InkDim}}
	if d.typing == lineFilter {
		spans, _ := d.filter.Spans(w-40, paint.InkText, true)
		left = append(left, spans...)
		if _, err := lang.Parse(d.filter.Text); err != nil {
			left = append(left, paint.Span{Text: "  " + paint.OneLine(err.Error()), Ink: paint.InkError})
		}
	} else if d.filter.Text == "" {
		left = append(left, paint.Span{Text: "f", Ink: paint.InkKey})
	} else {
		left = append(left, paint.Span{Text: d.filter.Text})
	}
	var right []paint.Span
	if len(d.shown) < len(d.all) {
		text := paint.Thousands(len(d.shown)) + " of " + paint.Thousands(len(d.all))
		if d.bodies.running || d.bodies.halted {
			text += ", " + d.bodies.part()
		}
		if d.bodies.halted {
			text += " searched"
		}
		right = []paint.Span{{Text: text + " ", Ink: paint.InkDim}}
	}
	return st.Spread(w, paint.GroundNone, left, right)
}
