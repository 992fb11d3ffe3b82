package ui

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"turns/query"
)

// day is the heading of a session's day.
func (d *sessions) day(row int) string {
	s := &d.all[d.shown[row]]
	if s.When.IsZero() {
		return "no time recorded"
	}
	when, now := s.When.In(d.h.zone), d.h.opts.now().In(d.h.zone)
	text := when.Format("Mon 2 Jan")
	if when.Year() != now.Year() {
		text = when.Format("Mon 2 Jan 2006")
	}
	switch {
	case sameDate(when, now, d.h.zone):
		return "today, " + text
	case sameDate(when, now.AddDate(0, 0, -1), d.h.zone):
		return "yesterday, " + text
	}
	return text
}

func (d *sessions) cells(row int, out []tableCell) {
	s := &d.all[d.shown[row]]
	mark := span{text: "  "}
	if s.Live {
		mark = span{text: "● ", ink: inkRunning}
	}
	if slices.Contains(d.pick.marked, s.Path) {
		mark = span{text: "• ", ink: inkMark}
	}
	when := ""
	if !s.When.IsZero() {
		when = s.When.In(d.h.zone).Format("15:04")
		if d.table.sortBy >= 0 && !sameDate(s.When, d.h.opts.now(), d.h.zone) {
			when = s.When.In(d.h.zone).Format("02.01")
		}
	}
	out[sessWhen] = tableCell{text: when, lead: mark, ink: inkDim}
	out[sessAgent] = tableCell{text: oneLine(s.Agent), ink: inkAssistant}
	out[sessProject] = tableCell{text: oneLine(s.Project)}
	out[sessTitle] = tableCell{text: oneLine(s.Title)}
	if hit, ok := d.hitOf(s); ok {
		out[sessTitle] = d.hitCell(s, hit)
	}
	more := ""
	if s.Partial {
		more = "+"
	}
	unknown := tableCell{text: query.NotSaid, ink: inkDim}
	out[sessMessages], out[sessTokens], out[sessErrors] = unknown, unknown, numberCell(s.Errors, inkError)
	switch {
	case s.Messages > 0 && s.Partial:
		out[sessMessages] = tableCell{text: "~" + short(int64(s.Messages)), ink: inkDim}
	case !s.Partial:
		out[sessMessages] = tableCell{text: short(int64(s.Messages)), ink: inkDim}
	}
	if s.Tokens > 0 {
		out[sessTokens] = tableCell{text: short(s.Tokens) + more, ink: inkDim}
	}
	switch {
	case s.Errors > 0:
		out[sessErrors].text += more
	case s.Partial:
		out[sessErrors] = unknown
	}
	out[sessDur] = tableCell{text: query.NotSaid, ink: inkDim}
	if s.Took > 0 {
		out[sessDur] = tableCell{text: took(s.Took), ink: inkDim}
	}
	k := inkDim
	switch endOf(s) {
	case "failed":
		k = inkError
	case "interrupted":
		k = inkWarning
	case "open":
		k = inkRunning
	}
	out[sessEnd] = tableCell{text: oneLine(s.End), ink: k}
	switch {
	case s.Judged > 1:
		out[sessEnd] = tableCell{text: thousands(s.Passed) + " of " + thousands(s.Judged), ink: inkDim}
		if w := d.table.widthOf(sessEnd); w == 0 || w >= width(out[sessEnd].text+" pass") {
			out[sessEnd].text += " pass"
		}
	case s.End == "":
		out[sessEnd] = unknown
	case !s.Since.IsZero():
		text := out[sessEnd].text + " " + age(d.h.opts.now().Sub(s.Since))
		if w := d.table.widthOf(sessEnd); w == 0 || w >= width(text) {
			out[sessEnd].text = text
		}
	}
}

// hitCell is the line that the filter found in a session, after the beginning of its title.
func (d *sessions) hitCell(s *SessionInfo, hit SessionHit) tableCell {
	h := query.Hit{Text: hit.Line, Ranges: hit.Ranges}
	w := d.table.widthOf(sessTitle)
	title := ""
	if w >= 40 { // else what was found has no room beside it
		title = cut(oneLine(s.Title), w/3) + " "
	}
	title += "» "
	text, ranges, front, _ := h.Around(max(w-width(title), 16))
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
	cell := tableCell{lead: span{text: title, ink: inkDim}, text: " "}
	at := 0
	for _, r := range ranges {
		if r[0] < at || r[1] > len(text) {
			continue
		}
		cell.parts = append(cell.parts, span{text: partOfLine(text[at:r[0]])}, span{text: partOfLine(text[r[0]:r[1]]), ground: groundMatch})
		at = r[1]
	}
	cell.parts = append(cell.parts, span{text: partOfLine(text[at:])})
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
func scoreOf(s *SessionInfo) float64 {
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
	st := d.h.styles
	live := 0
	for i := range d.all {
		if d.all[i].Live {
			live++
		}
	}
	text := plural(len(d.all), "session", "sessions")
	if !d.loaded && len(d.all) > 0 {
		text += " so far"
	}
	if n := d.news; n.Counting > n.Counted {
		text += "   counting " + percent(n.Counted, n.Counting)
	}
	right := []span{{text: text, ink: inkDim}}
	if d.table.sortBy >= 0 {
		right = append([]span{{text: "by " + d.table.sortName() + "   ", ink: inkDim}}, right...)
	}
	if live > 0 {
		right = append(right, span{text: fmt.Sprintf("   %d live", live), ink: inkRunning})
	}
	out := []string{st.spread(w, groundNone, []span{{text: " "}, {text: d.pick.title(), ink: inkAccent}, {text: "   " + d.folders(), ink: inkDim}}, append(right, span{text: " "}))}
	out = append(out, d.filterLine(w))
	if d.typing == lineTitle || d.title.text != "" {
		spans, _ := d.title.spans(w-12, inkText, d.typing == lineTitle)
		out = append(out, st.line(w, groundNone, append([]span{{text: " title   ", ink: inkDim}}, spans...)...))
	}
	switch {
	case d.err != nil:
		out = append(out, st.line(w, groundNone, span{text: " " + oneLine(d.err.Error()), ink: inkError}))
	case d.h.opts.List == nil:
		out = append(out, st.line(w, groundNone, span{text: " there is no list of sessions here", ink: inkDim}))
	case !d.loaded && len(d.all) == 0:
		out = append(out, st.line(w, groundNone, span{text: " looking for sessions …", ink: inkDim}))
	case len(d.all) == 0:
		out = append(out, st.line(w, groundNone, span{text: " no sessions found", ink: inkDim}))
	case len(d.shown) == 0 && d.bodies.running:
		out = append(out, st.line(w, groundNone, span{text: " none so far", ink: inkDim}))
	case len(d.shown) == 0:
		out = append(out, st.line(w, groundNone, span{text: " none of them matches: f edits the filter, esc takes it away", ink: inkDim}))
	}
	d.above = len(out)
	room := max(w-120, 0) // what a wide screen has more, shared with the titles
	d.table.cols[sessAgent].width, d.table.cols[sessProject].width = agentWidth+min(room/10, 6), projectWidth+min(room/5, 12)
	out = append(out, d.table.render(st, w, h-len(out), true)...)
	return fill(out, w, h)
}

// folders are where the sessions lie, the first few; of one place the whole folder that all of them lie in.
func (d *sessions) folders() string {
	var names []string
	common := ""
	for i := range d.all {
		path := tilde(d.all[i].Path, d.h.opts.Home)
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
		return cutMiddle(oneLine(common), 60)
	}
	text := strings.Join(names[:min(len(names), 3)], " ")
	if n := len(names) - 3; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return oneLine(text)
}

func (d *sessions) filterLine(w int) string {
	st := d.h.styles
	left := []span{{text: filterLabel, ink: inkDim}}
	if d.typing == lineFilter {
		spans, _ := d.filter.spans(w-40, inkText, true)
		left = append(left, spans...)
		if _, err := query.Parse(d.filter.text); err != nil {
			left = append(left, span{text: "  " + oneLine(err.Error()), ink: inkError})
		}
	} else if d.filter.text == "" {
		left = append(left, span{text: "f", ink: inkKey})
	} else {
		left = append(left, span{text: d.filter.text})
	}
	var right []span
	if len(d.shown) < len(d.all) {
		text := thousands(len(d.shown)) + " of " + thousands(len(d.all))
		if d.bodies.running || d.bodies.halted {
			text += ", " + d.bodies.part()
		}
		if d.bodies.halted {
			text += " searched"
		}
		right = []span{{text: text + " ", ink: inkDim}}
	}
	return st.spread(w, groundNone, left, right)
}
