package compare

import (
	"fmt"
	"sort"
	"strconv"
	"strings"

	"turns/query/answer"
	"turns/query/changes"
	"turns/query/human"
	"turns/query/runs"
	"turns/query/summary"
	"turns/ui/paint"
	"turns/ui/screen"
)

// compareSplit is the least screen width with two columns.
const compareSplit = 100

// Render draws the summary and the aligned rows over the full screen.
func (d *Runs) Render(w, h int) []string {
	st := d.H.Styles
	d.W = w
	out := []string{d.title(w)}
	if d.Answer == nil {
		doing := " reading"
		switch {
		case d.job != nil && d.job.Percent >= 90:
			doing = " comparing …"
		case d.job != nil:
			doing = fmt.Sprintf(" reading %s, %d %%", d.Names[paint.BoolInt(d.job.Percent >= 45)], d.job.Percent)
		}
		return d.Waiting(out, doing, w, h)
	}
	if split := w >= compareSplit; split != d.split || d.Shown == nil {
		d.split = split
		d.fold()
	}
	out = append(out, d.heads(w))
	lower := d.texts.height(h)
	d.Above, d.Page = len(out), max(h-len(out)-lower, 1)
	head := d.Summary(w)
	d.reveal(len(head))
	for line := d.Top; line < len(head)+len(d.Shown) && len(out) < d.Above+d.Page; line++ {
		if line < len(head) {
			out = append(out, st.Line(w, paint.GroundNone, head[line]...))
			continue
		}
		out = append(out, d.line(line-len(head), w))
	}
	out = paint.Fill(out, w, d.Above+d.Page)
	if lower > 0 {
		out = append(out, d.texts.render(d, w, h-len(out))...)
	}
	return paint.Fill(out, w, h)
}

// reveal scrolls until the cursor is visible; head is the number of lines of the summary.
func (d *Runs) reveal(head int) {
	line := head + d.Cur
	if line < d.Top {
		d.Top = line
	}
	if line >= d.Top+d.Page {
		d.Top = line - d.Page + 1
	}
	d.Top = max(min(d.Top, head+len(d.Shown)-d.Page), 0)
}

// title shows the names of the sessions, and at the right the difference at the cursor.
func (d *Runs) title(w int) string {
	left := []paint.Span{{Text: " "}, {Text: "Compare", Ink: paint.InkAccent}, {Text: "   " + d.Names[0]}, {Text: " → ", Ink: paint.InkDim}, {Text: d.Names[1]}}
	var right []paint.Span
	switch {
	case d.Answer == nil:
	case d.find != "":
		right = []paint.Span{{Text: "/" + d.find + " ", Ink: paint.InkWarning}}
	case len(d.Diffs) == 0:
		right = []paint.Span{{Text: "the same ", Ink: paint.InkOK}}
	default:
		text := human.Plural(len(d.Diffs), "difference", "differences")
		if n := d.difference(); n > 0 {
			text = fmt.Sprintf("difference %s of %s", human.Count(n), human.Count(len(d.Diffs)))
		}
		right = []paint.Span{{Text: text + " ", Ink: paint.InkDim}}
	}
	return d.H.Styles.Spread(w, paint.GroundNone, left, right)
}

// difference returns the number of the difference at the cursor, from 1; 0 if the row is the same
// in both.
func (d *Runs) difference() int {
	row := d.row()
	if row < 0 || d.Answer.Rows[row].How == runs.DiffSame {
		return 0
	}
	return sort.Search(len(d.Diffs), func(i int) bool { return d.Diffs[i] > row })
}

// heads draws the names above the columns and marks the side that Enter opens.
func (d *Runs) heads(w int) string {
	inks := [2]paint.Ink{paint.InkDim, paint.InkDim}
	inks[d.Side] = paint.InkHeading
	marks := [2]string{"  ", "  "}
	marks[d.Side] = "▸ "
	if !d.split {
		return d.H.Styles.Line(w, paint.GroundNone, paint.Span{Text: " - " + marks[0] + d.Names[0], Ink: inks[0]}, paint.Span{Text: "   + " + marks[1] + d.Names[1], Ink: inks[1]})
	}
	col := d.column(w)
	return d.H.Styles.Line(w, paint.GroundNone, paint.Span{Text: " " + paint.Fit(marks[0]+d.Names[0], col), Ink: inks[0]}, paint.Span{Text: "   "}, paint.Span{Text: paint.Fit(marks[1]+d.Names[1], col), Ink: inks[1]})
}

func (d *Runs) column(w int) int { return (w - 5) / 2 }

// Summary compares the numbers of both sessions.
func (d *Runs) Summary(w int) [][]paint.Span {
	name, col := 10, min(max((w-12)/4, 8), 30)
	var out [][]paint.Span
	for _, row := range d.Answer.Summary().Rows {
		label, a, b, difference := row.Cells[0].Text, row.Cells[1].Text, row.Cells[2].Text, row.Cells[3]
		out = append(out, []paint.Span{{Text: " " + paint.Fit(label, name), Ink: paint.InkDim}, {Text: " " + paint.FitRight(paint.CutMiddle(a, col), col)}, {Text: " " + paint.FitRight(paint.CutMiddle(b, col), col)},
			{Text: "  " + paint.FitRight(difference.Text, 9), Ink: screen.ToneInks[difference.Tone]}})
	}
	out = append(out, nil)
	out = append(out, paint.Flow(w, screen.Facts(d.Answer.Counts()...))...)
	out = append(out, paint.Flow(w, screen.Facts(d.Answer.ToolCounts()...))...)
	out = append(out, paint.Flow(w, screen.Facts(d.fileCounts()...))...)
	return append(out, nil)
}

// fileCounts returns a line that counts the files that the sessions changed, then a line for
// each of the first files that differ.
func (d *Runs) fileCounts() []answer.Line {
	all := d.Answer.Files
	if len(all) == 0 {
		return nil
	}
	out := []answer.Line{{Label: changes.PairedHeadline(all)}}
	more := 0
	for i := range all {
		f := &all[i]
		switch {
		case f.How == changes.BothSame:
		case len(out) > filesShown:
			more++
		default:
			out = append(out, answer.Line{Label: paint.ShortName(f.Path), Number: f.Lines()})
		}
	}
	if more > 0 {
		out = append(out, answer.Line{Number: human.Count(more), Note: "more"})
	}
	return out
}

// filesShown is the most files in the summary.
const filesShown = 6

// Status describes the row under the cursor in words.
func (d *Runs) Status() string {
	row := d.row()
	if row < 0 || d.Answer == nil {
		return ""
	}
	if d.ShownFold() {
		return "the same in both: " + d.H.Key("l") + " shows them"
	}
	r := &d.Answer.Rows[row]
	turn := func(s *runs.DiffSide) string {
		if s == nil {
			return human.NotSaid
		}
		return human.Place(int(s.Index)) + " of turn " + strconv.Itoa(s.Turn)
	}
	what := "the same"
	switch r.How {
	case runs.DiffAdded:
		what = "only in " + d.Names[1]
	case runs.DiffMissing:
		what = "only in " + d.Names[0]
	case runs.DiffOutcome:
		what = string("another outcome: " + r.A.Outcome + " → " + r.B.Outcome)
	case runs.DiffArgs:
		what = "text changed"
		if r.A.Kind == runs.DiffCall {
			what = "other arguments"
			if r.A.Outcome != r.B.Outcome {
				what += ", " + string(r.A.Outcome+" → "+r.B.Outcome)
			}
		}
	}
	return turn(r.A) + "   " + turn(r.B) + "   " + what
}

// signOf returns the sign for how a row differs.
func signOf(how string) (string, paint.Ink) {
	switch how {
	case runs.DiffAdded:
		return "+", paint.InkAdd
	case runs.DiffMissing:
		return "-", paint.InkDel
	case runs.DiffArgs:
		return "~", paint.InkWarning
	case runs.DiffOutcome:
		return "!", paint.InkWarning
	}
	return " ", paint.InkDim
}

// line draws a line of Shown.
func (d *Runs) line(i, w int) string {
	st, l := d.H.Styles, d.Shown[i]
	d.Drawn++
	base, lead := paint.GroundNone, paint.Span{Text: " "}
	if i == d.Cur {
		base, lead = paint.GroundCursor, paint.Span{Text: "›", Ink: paint.InkAccent}
	}
	if l.fold > 0 {
		return st.Line(w, base, lead, paint.Span{Text: " ⋯ " + runs.SameItems(int(l.fold)), Ink: paint.InkDim})
	}
	r := &d.Answer.Rows[l.row]
	if d.split {
		col := d.column(w)
		sign, k := signOf(r.How)
		spans := append([]paint.Span{lead}, paint.FitSpans(d.item(r, 0, col), col)...)
		spans = append(spans, paint.Span{Text: " " + sign + " ", Ink: k})
		return st.Line(w, base, append(spans, paint.FitSpans(d.item(r, 1, col), col)...)...)
	}
	side := int(l.side)
	if side < 0 {
		side = paint.BoolInt(r.A == nil)
	}
	sign, k := signOf(r.How)
	mark := sign + " "
	if r.How == runs.DiffArgs {
		mark = sign + [2]string{"-", "+"}[side]
	}
	spans := []paint.Span{lead, {Text: mark, Ink: k}}
	room := w - 4
	return st.Line(w, base, append(spans, paint.FitSpans(d.item(r, side, room), room)...)...)
}

// item draws one side of a row in w cells: place, sign, text, and the outcome if it is not ok.
func (d *Runs) item(r *runs.DiffRow, side, w int) []paint.Span {
	it, other := r.A, r.B
	if side == 1 {
		it, other = other, it
	}
	if it == nil || w < 12 {
		return nil
	}
	k := paint.InkText
	if r.How == runs.DiffSame {
		k = paint.InkDim
	}
	glyph, gk := itemGlyph(it)
	spans := []paint.Span{{Text: paint.FitRight(human.Place(int(it.Index)), 6) + " ", Ink: paint.InkDim}, {Text: glyph + " ", Ink: gk}}
	outcome := ""
	if it.Kind == runs.DiffCall && (it.Outcome != summary.WorkSuccess || r.How == runs.DiffOutcome) {
		outcome = string("  " + it.Outcome)
	}
	if !d.split && r.How == runs.DiffOutcome && other != nil {
		outcome = string("  " + it.Outcome + " → " + other.Outcome)
	}
	room := w - 9 - paint.Width(outcome)
	text := paint.OneLine(it.Text)
	if r.How == runs.DiffArgs && other != nil {
		spans = append(spans, paint.FitSpans(markChange(text, paint.OneLine(other.Text), [2]paint.Ink{paint.InkDel, paint.InkAdd}[side], room), room)...)
	} else {
		spans = append(spans, paint.Span{Text: paint.Fit(text, room), Ink: k})
	}
	ok := paint.InkDim
	switch it.Outcome {
	case summary.WorkFailure:
		ok = paint.InkError
	case summary.WorkPartial:
		ok = paint.InkWarning
	}
	return append(spans, paint.Span{Text: outcome, Ink: ok})
}

func itemGlyph(it *runs.DiffSide) (string, paint.Ink) {
	switch {
	case it.Kind == runs.DiffPrompt:
		return "❯", paint.InkUser
	case it.Kind == runs.DiffText:
		return "●", paint.InkAssistant
	}
	return screen.OutcomeGlyph(it.State)
}

// markChange colours the part of a line that the other lacks. It shortens the common beginning if
// the change would be cut off.
func markChange(text, other string, k paint.Ink, room int) []paint.Span {
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
	if over := paint.Width(before) + min(paint.Width(changed), room/2) - room; over > 0 && paint.Width(before) > 4 {
		before = human.CutFront(before, max(paint.Width(before)-over, 2))
	}
	return []paint.Span{{Text: before}, {Text: changed, Ink: k}, {Text: after}}
}

// aroundText describes the selection of key a.
func (d *Runs) aroundText() string {
	switch n := compareAround[d.around]; n {
	case -1:
		return "all rows"
	case 0:
		return "only rows that differ"
	default:
		return human.Plural(n, "row", "rows") + " around each difference"
	}
}
