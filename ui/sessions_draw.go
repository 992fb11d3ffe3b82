package ui

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"turns/query/filter"
	"turns/query/human"
	"turns/query/lang"
	"turns/ui/paint"
	"turns/ui/screen"
)

// day is the heading of a session's day.
func (d *sessions) day(row int) string {
	s := &d.all[d.shown[row]]
	if s.When.IsZero() {
		return "no time recorded"
	}
	when, now := s.When.In(d.h.Zone), d.h.Opts.Time().In(d.h.Zone)
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
	mark := paint.Span{Text: "  "}
	if s.Live {
		mark = paint.Span{Text: "● ", Ink: paint.InkRunning}
	}
	if slices.Contains(d.pick.marked, s.Path) {
		mark = paint.Span{Text: "• ", Ink: paint.InkMark}
	}
	when := ""
	if !s.When.IsZero() {
		when = s.When.In(d.h.Zone).Format("15:04")
		if d.table.SortBy >= 0 && !sameDate(s.When, d.h.Opts.Time(), d.h.Zone) {
			when = s.When.In(d.h.Zone).Format("02.01")
		}
	}
	out[sessWhen] = screen.Cell{Text: when, Lead: mark, Ink: paint.InkDim}
	out[sessAgent] = screen.Cell{Text: paint.OneLine(s.Agent), Ink: paint.InkAssistant}
	out[sessProject] = screen.Cell{Text: paint.OneLine(s.Project)}
	out[sessTitle] = screen.Cell{Text: paint.OneLine(s.Title)}
	if hit, ok := d.hitOf(s); ok {
		out[sessTitle] = d.hitCell(s, hit)
	}
	more := ""
	if s.Partial {
		more = "+"
	}
	unknown := screen.Cell{Text: human.NotSaid, Ink: paint.InkDim}
	out[sessMessages], out[sessTokens], out[sessErrors] = unknown, unknown, screen.NumberCell(s.Errors, paint.InkError)
	switch {
	case s.Messages > 0 && s.Partial:
		out[sessMessages] = screen.Cell{Text: "~" + paint.Short(int64(s.Messages)), Ink: paint.InkDim}
	case !s.Partial:
		out[sessMessages] = screen.Cell{Text: paint.Short(int64(s.Messages)), Ink: paint.InkDim}
	}
	if s.Tokens > 0 {
		out[sessTokens] = screen.Cell{Text: paint.Short(s.Tokens) + more, Ink: paint.InkDim}
	}
	switch {
	case s.Errors > 0:
		out[sessErrors].Text += more
	case s.Partial:
		out[sessErrors] = unknown
	}
	out[sessDur] = screen.Cell{Text: human.NotSaid, Ink: paint.InkDim}
	if s.Took > 0 {
		out[sessDur] = screen.Cell{Text: paint.Took(s.Took), Ink: paint.InkDim}
	}
	k := paint.InkDim
	switch endOf(s) {
	case "failed":
		k = paint.InkError
	case "interrupted":
		k = paint.InkWarning
	case "open":
		k = paint.InkRunning
	}
	out[sessEnd] = screen.Cell{Text: paint.OneLine(s.End), Ink: k}
	switch {
	case s.Judged > 1:
		out[sessEnd] = screen.Cell{Text: paint.Thousands(s.Passed) + " of " + paint.Thousands(s.Judged), Ink: paint.InkDim}
		if w := d.table.WidthOf(sessEnd); w == 0 || w >= paint.Width(out[sessEnd].Text+" pass") {
			out[sessEnd].Text += " pass"
		}
	case s.End == "":
		out[sessEnd] = unknown
	case !s.Since.IsZero():
		text := out[sessEnd].Text + " " + paint.Age(d.h.Opts.Time().Sub(s.Since))
		if w := d.table.WidthOf(sessEnd); w == 0 || w >= paint.Width(text) {
			out[sessEnd].Text = text
		}
	}
}

// hitCell is the line that the filter found in a session, after the beginning of its title.
func (d *sessions) hitCell(s *screen.SessionInfo, hit screen.SessionHit) screen.Cell {
	h := filter.Hit{Text: hit.Line, Ranges: hit.Ranges}
	w := d.table.WidthOf(sessTitle)
	title := ""
	if w >= 40 { // else what was found has no room beside it
		title = paint.Cut(paint.OneLine(s.Title), w/3) + " "
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
	a, b := &d.all[d.shown[i]], &d.all[d.shown[j]]
	switch col {
	case sessWhen:
		return a.When.Compare(b.When)
	case sessAgent:
		return strings.Compare(a.Agent, b.Agent)
	case sessProject:
		return strings.Compare(a.Project, b.Project)
	case sessTitle:
		return strings.Compare(strings.ToLower(a.Title), strings.ToLower(b.Title))
	case sessMessages:
		return a.Messages - b.Messages
	case sessTokens:
		return cmp.Compare(a.Tokens, b.Tokens)
	case sessErrors:
		return a.Errors - b.Errors
	case sessDur:
		return cmp.Compare(a.Took, b.Took)
	}
	return cmp.Or(strings.Compare(endOf(a), endOf(b)), cmp.Compare(scoreOf(a), scoreOf(b)), strings.Compare(a.End, b.End))
}

// scoreOf is what a session was judged, the share that did well of a file of many, and less than any score where it was not.
func scoreOf(s *screen.SessionInfo) float64 {
	switch {
	case s.Judged > 1:
		return float64(s.Passed) / float64(s.Judged)
	case s.Scored:
		return s.Score
	}
	return math.Inf(-1)
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
	case d.h.Opts.List == nil:
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
	room := max(w-120, 0) // what a wide screen has more, shared with the titles
	d.table.Cols[sessAgent].Width, d.table.Cols[sessProject].Width = agentWidth+min(room/10, 6), projectWidth+min(room/5, 12)
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
