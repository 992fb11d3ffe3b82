package ui

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"turns/query"
)

// compareSplit is the width from which the runs stand in two columns.
const compareSplit = 100

// Render draws the summary and the aligned rows over the whole screen.
func (d *comparison) Render(w, h int) []string {
	st := d.h.styles
	d.w = w
	out := []string{d.title(w)}
	if d.answer == nil {
		text, k := " reading", inkDim
		switch {
		case d.err != nil:
			text, k = " "+oneLine(d.err.Error()), inkError
		case d.job != nil && d.job.percent >= 90:
			text = " comparing …"
		case d.job != nil:
			text = fmt.Sprintf(" reading %s, %d %%", d.names[b2i(d.job.percent >= 45)], d.job.percent)
		}
		return fill(append(out, st.line(w, groundNone, span{text: text, ink: k})), w, h)
	}
	if split := w >= compareSplit; split != d.split || d.shown == nil {
		d.split = split
		d.fold()
	}
	out = append(out, d.heads(w))
	lower := d.texts.height(h)
	d.above, d.page = len(out), max(h-len(out)-lower, 1)
	head := d.summary(w)
	d.reveal(len(head))
	for line := d.top; line < len(head)+len(d.shown) && len(out) < d.above+d.page; line++ {
		if line < len(head) {
			out = append(out, st.line(w, groundNone, head[line]...))
			continue
		}
		out = append(out, d.line(line-len(head), w))
	}
	out = fill(out, w, d.above+d.page)
	if lower > 0 {
		out = append(out, d.texts.render(d, w, h-len(out))...)
	}
	return fill(out, w, h)
}

// reveal moves the first line so that the cursor is on the screen; head is how many lines the summary has.
func (d *comparison) reveal(head int) {
	line := head + d.cur
	if line < d.top {
		d.top = line
	}
	if line >= d.top+d.page {
		d.top = line - d.page + 1
	}
	d.top = max(min(d.top, head+len(d.shown)-d.page), 0)
}

// title names the runs, and at the right the difference that the cursor is in.
func (d *comparison) title(w int) string {
	left := []span{{text: " "}, {text: "Compare", ink: inkAccent}, {text: "   " + d.names[0]}, {text: " → ", ink: inkDim}, {text: d.names[1]}}
	var right []span
	switch {
	case d.answer == nil:
	case d.find != "":
		right = []span{{text: "/" + d.find + " ", ink: inkWarning}}
	case len(d.diffs) == 0:
		right = []span{{text: "the same ", ink: inkOK}}
	default:
		text := plural(len(d.diffs), "difference", "differences")
		if n := d.difference(); n > 0 {
			text = fmt.Sprintf("difference %s of %s", thousands(n), thousands(len(d.diffs)))
		}
		right = []span{{text: text + " ", ink: inkDim}}
	}
	return d.h.styles.spread(w, groundNone, left, right)
}

// difference is the number of the one that the row under the cursor is in, from 1; 0: it is the same in both.
func (d *comparison) difference() int {
	row := d.row()
	if row < 0 || d.answer.Rows[row].How == query.DiffSame {
		return 0
	}
	return sort.Search(len(d.diffs), func(i int) bool { return d.diffs[i] > row })
}

// heads are the names over the columns; that of the side that Enter opens is marked.
func (d *comparison) heads(w int) string {
	inks := [2]ink{inkDim, inkDim}
	inks[d.side] = inkHeading
	marks := [2]string{"  ", "  "}
	marks[d.side] = "▸ "
	if !d.split {
		return d.h.styles.line(w, groundNone, span{text: " - " + marks[0] + d.names[0], ink: inks[0]}, span{text: "   + " + marks[1] + d.names[1], ink: inks[1]})
	}
	col := d.column(w)
	return d.h.styles.line(w, groundNone, span{text: " " + fit(marks[0]+d.names[0], col), ink: inks[0]}, span{text: "   "}, span{text: fit(marks[1]+d.names[1], col), ink: inks[1]})
}

func (d *comparison) column(w int) int { return (w - 5) / 2 }

// summary is what differs in numbers.
func (d *comparison) summary(w int) [][]span {
	a, b := &d.answer.A, &d.answer.B
	name, col := 10, min(max((w-12)/4, 8), 30)
	var out [][]span
	row := func(what, x, y, diff string, k ink) {
		out = append(out, []span{{text: " " + fit(what, name), ink: inkDim}, {text: " " + fitRight(cutMiddle(x, col), col)}, {text: " " + fitRight(cutMiddle(y, col), col)},
			{text: "  " + fitRight(diff, 9), ink: k}})
	}
	number := func(what string, x, y int64, say func(int64) string, bad bool) {
		diff, k := query.Zero, inkDim
		switch {
		case y > x:
			diff, k = "+"+say(y-x), inkWarning
			if bad {
				k = inkError
			}
		case y < x:
			diff, k = "-"+say(x-y), inkWarning
			if bad {
				k = inkOK
			}
		}
		row(what, say(x), say(y), diff, k)
	}
	text := func(what, x, y string) {
		diff, k := "", inkDim
		if x != y {
			diff, k = "changed", inkWarning
		}
		row(what, orNotSaid(x), orNotSaid(y), diff, k)
	}
	whole := func(n int64) string { return thousands(int(n)) }
	text("outcome", a.Outcome, b.Outcome)
	if a.Score != nil || b.Score != nil {
		text("score", scoreText(a.Score), scoreText(b.Score))
	}
	text("model", oneLine(shortModel(a.Model)), oneLine(shortModel(b.Model)))
	number("messages", int64(a.Messages), int64(b.Messages), whole, false)
	number("turns", int64(a.Turns), int64(b.Turns), whole, false)
	number("calls", int64(a.Calls), int64(b.Calls), whole, false)
	number("errors", int64(a.Errors), int64(b.Errors), whole, true)
	number("tokens", a.Tokens, b.Tokens, short, false)
	if a.Measured > 0 || b.Measured > 0 {
		number("usage", a.Measured, b.Measured, short, false)
	}
	number("time", int64(a.Took), int64(b.Took), func(n int64) string { return took(time.Duration(n) * time.Millisecond) }, false)
	if a.Cost != nil && b.Cost != nil {
		text("cost", query.Money(*a.Cost), query.Money(*b.Cost))
	}
	out = append(out, nil)
	out = append(out, flow(w, d.counts())...)
	if tools := d.toolCounts(); len(tools) > 0 {
		out = append(out, flow(w, tools)...)
	}
	return append(out, nil)
}

func orNotSaid(s string) string {
	if s == "" {
		return query.NotSaid
	}
	return oneLine(s)
}

func scoreText(s *float64) string {
	if s == nil {
		return ""
	}
	return trimFloat(*s)
}

// counts are what differs, and where the runs part.
func (d *comparison) counts() [][]span {
	n := d.answer
	out := [][]span{{{text: thousands(n.Same)}, {text: " the same", ink: inkDim}}}
	add := func(k int, one, many string, i ink) {
		if k > 0 {
			what, _ := strings.CutPrefix(plural(k, one, many), thousands(k))
			out = append(out, []span{{text: thousands(k), ink: i}, {text: what, ink: inkDim}})
		}
	}
	add(n.Added, "call added", "calls added", inkAdd)
	add(n.Missing, "call missing", "calls missing", inkDel)
	add(n.Args, "with other arguments", "with other arguments", inkWarning)
	add(n.Flips, "with another outcome", "with another outcome", inkWarning)
	add(n.Texts, "other text", "other texts", inkWarning)
	if n.Part >= 0 {
		r := &n.Rows[n.Part]
		at := func(s *query.DiffSide) string {
			if s == nil {
				return query.NotSaid
			}
			return placeOf(s.Index)
		}
		out = append(out, []span{{text: "they part at ", ink: inkDim}, {text: at(r.A)}, {text: " and ", ink: inkDim}, {text: at(r.B)}})
	}
	return out
}

// toolCounts are the tools that were not called equally often.
func (d *comparison) toolCounts() [][]span {
	var out [][]span
	for i := range d.answer.Tools {
		if t := &d.answer.Tools[i]; t.CallsA != t.CallsB {
			out = append(out, []span{{text: oneLine(t.Tool) + " ", ink: inkDim}, {text: count(t.CallsA) + " → " + count(t.CallsB)}})
		}
	}
	return out
}

// status says in words what the row under the cursor is.
func (d *comparison) status() string {
	row := d.row()
	if row < 0 || d.answer == nil {
		return ""
	}
	if d.shownFold() {
		return "the same in both: l shows them"
	}
	r := &d.answer.Rows[row]
	turn := func(s *query.DiffSide) string {
		if s == nil {
			return query.NotSaid
		}
		return placeOf(s.Index) + " of turn " + strconv.Itoa(s.Turn)
	}
	what := "the same"
	switch r.How {
	case query.DiffAdded:
		what = "only in " + d.names[1]
	case query.DiffMissing:
		what = "only in " + d.names[0]
	case query.DiffOutcome:
		what = "another outcome: " + r.A.Outcome + " → " + r.B.Outcome
	case query.DiffArgs:
		what = "other words"
		if r.A.Kind == query.DiffCall {
			what = "other arguments"
			if r.A.Outcome != r.B.Outcome {
				what += ", " + r.A.Outcome + " → " + r.B.Outcome
			}
		}
	}
	return turn(r.A) + "   " + turn(r.B) + "   " + what
}

// signOf is what stands for the way in which a row differs.
func signOf(how string) (string, ink) {
	switch how {
	case query.DiffAdded:
		return "+", inkAdd
	case query.DiffMissing:
		return "-", inkDel
	case query.DiffArgs:
		return "~", inkWarning
	case query.DiffOutcome:
		return "!", inkWarning
	}
	return " ", inkDim
}

// line draws a line of shown.
func (d *comparison) line(i, w int) string {
	st, l := d.h.styles, d.shown[i]
	d.drawn++
	base, lead := groundNone, span{text: " "}
	if i == d.cur {
		base, lead = groundCursor, span{text: "›", ink: inkAccent}
	}
	if l.fold > 0 {
		return st.line(w, base, lead, span{text: " ⋯ " + plural(int(l.fold), "row", "rows") + " the same", ink: inkDim})
	}
	r := &d.answer.Rows[l.row]
	if d.split {
		col := d.column(w)
		sign, k := signOf(r.How)
		spans := append([]span{lead}, fitSpans(d.item(r, 0, col), col)...)
		spans = append(spans, span{text: " " + sign + " ", ink: k})
		return st.line(w, base, append(spans, fitSpans(d.item(r, 1, col), col)...)...)
	}
	side := int(l.side)
	if side < 0 {
		side = b2i(r.A == nil)
	}
	sign, k := signOf(r.How)
	mark := sign + " "
	if r.How == query.DiffArgs {
		mark = sign + [2]string{"-", "+"}[side]
	}
	spans := []span{lead, {text: mark, ink: k}}
	room := w - 4
	return st.line(w, base, append(spans, fitSpans(d.item(r, side, room), room)...)...)
}

// item is one side of a row in w cells: place, sign, what it is about, and how it ended where that is not well.
func (d *comparison) item(r *query.DiffRow, side, w int) []span {
	it, other := r.A, r.B
	if side == 1 {
		it, other = other, it
	}
	if it == nil || w < 12 {
		return nil
	}
	k := inkText
	if r.How == query.DiffSame {
		k = inkDim
	}
	glyph, gk := itemGlyph(it)
	spans := []span{{text: fitRight(placeOf(it.Index), 6) + " ", ink: inkDim}, {text: glyph + " ", ink: gk}}
	outcome := ""
	if it.Kind == query.DiffCall && (it.Outcome != query.WorkSuccess || r.How == query.DiffOutcome) {
		outcome = "  " + it.Outcome
	}
	if !d.split && r.How == query.DiffOutcome && other != nil {
		outcome = "  " + it.Outcome + " → " + other.Outcome
	}
	room := w - 9 - width(outcome)
	text := oneLine(it.Text)
	if r.How == query.DiffArgs && other != nil {
		spans = append(spans, fitSpans(markChange(text, oneLine(other.Text), [2]ink{inkDel, inkAdd}[side], room), room)...)
	} else {
		spans = append(spans, span{text: fit(text, room), ink: k})
	}
	ok := inkDim
	switch it.Outcome {
	case query.WorkFailure:
		ok = inkError
	case query.WorkPartial:
		ok = inkWarning
	}
	return append(spans, span{text: outcome, ink: ok})
}

func itemGlyph(it *query.DiffSide) (string, ink) {
	switch {
	case it.Kind == query.DiffPrompt:
		return "❯", inkUser
	case it.Kind == query.DiffText:
		return "●", inkAssistant
	case it.Outcome == query.WorkFailure:
		return "✗", inkError
	case it.Outcome == query.WorkPartial:
		return "■", inkWarning
	case it.Outcome == query.WorkPending:
		return "◌", inkDim
	}
	return "✓", inkOK
}

// markChange colours the part of a line that another does not have. Where it would be cut off, what both begin with is shortened.
func markChange(text, other string, k ink, room int) []span {
	x, y := strings.Fields(text), strings.Fields(other)
	head, tail := 0, 0
	for head < min(len(x), len(y)) && x[head] == y[head] {
		head++
	}
	for tail < min(len(x), len(y))-head && x[len(x)-1-tail] == y[len(y)-1-tail] {
		tail++
	}
	join := func(words []string) string { return strings.Join(words, " ") }
	before, changed, after := join(x[:head]), join(x[head:len(x)-tail]), join(x[len(x)-tail:])
	if before != "" && len(x) > head {
		before += " "
	}
	if after != "" && changed != "" {
		after = " " + after
	}
	if over := width(before) + min(width(changed), room/2) - room; over > 0 && width(before) > 4 {
		before = "…" + ansi.TruncateLeft(before, min(over+1, width(before)-1), "")
	}
	return []span{{text: before}, {text: changed, ink: k}, {text: after}}
}

// aroundText says what key a has chosen.
func (d *comparison) aroundText() string {
	switch n := compareAround[d.around]; n {
	case -1:
		return "all rows"
	case 0:
		return "only rows that differ"
	default:
		return plural(n, "row", "rows") + " around each difference"
	}
}
