package ui

import (
	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/query/session"
	"turns/ui/paint"
	"turns/ui/screen"
)

// verdictInks are the colours in which a state of a run is told.
var verdictInks = map[model.RunState]paint.Ink{
	model.RunFailed: paint.InkError, model.RunInterrupted: paint.InkWarning, model.RunOpen: paint.InkWarning,
}

// judged is how the run ended, where that is known and no filter takes its place.
func (a *app) judged() (v *session.Judgement, ok bool) {
	v = &a.answers.verdict
	return v, a.h.Snap != nil && !a.h.State.Preview && a.h.State.Indexed >= 1 && v.Why != "" && !a.bar.Active() && a.bar.Field.Text == ""
}

// why is the line that says why the run ended, cut into what fits beside the counts and the rest.
type why struct {
	left, right   []paint.Span
	first, second string
	command       string // whose key the right ends with; "" for none
}

// whyOf fits the reason into the width of the screen.
func (a *app) whyOf(v *session.Judgement) (y why) {
	lead := " why  "
	if a.h.Doing().Live() {
		lead = " now  "
	}
	text := paint.OneLine(v.Why)
	y.left = []paint.Span{{Text: lead, Ink: paint.InkDim}, {Text: text, Ink: verdictInks[v.State]}}
	counts := a.countSpans()
	y.right = append([]paint.Span{}, counts...)
	hint := func(command, text string) {
		keys := screen.Labels(a.keys.named(command).keys[:1], a.h.Opts.Keys)
		y.command = command
		y.right = append(y.right, paint.Span{Text: "  "}, paint.Span{Text: keys, Ink: paint.InkKey}, paint.Span{Text: text, Ink: paint.InkDim})
	}
	switch {
	case v.Several > 0:
		hint("sessions", " lists them ")
	case v.At != model.NoID:
		hint("verdict", " jump ")
	}
	if a.w < 100 && len(counts) > 0 && paint.RestWidth(y.left)+paint.RestWidth(y.right)+2 > a.w {
		// the status line has the place among the messages
		y.right, y.command = []paint.Span{counts[max(len(counts)-2, 0)], {Text: " "}}, ""
	}
	room := a.w - paint.RestWidth(y.right) - paint.Width(lead) - 2
	if room < 20 {
		y.right, y.command, room = nil, "", a.w-paint.Width(lead)-1
	}
	if y.first = text; paint.Width(text) <= room {
		return y
	}
	y.first, y.second = paint.BreakLine(text, max(room, 1))
	return y
}

// whySecond reports whether the reason wants a second line: not over a pane that fills the screen,
// and not while a session runs, since it changes all the time and the rows would jump.
func (a *app) whySecond() bool {
	v, ok := a.judged()
	if !ok || a.side != screen.PaneNone && (a.full || sideWidth(a.w, false) == 0) || a.h.Doing().Live() {
		return false
	}
	return a.whyOf(v).second != ""
}

// verdictLine says why the run ended, or the part of it that its first line has room for.
func (a *app) verdictLine(v *session.Judgement) string {
	y := a.whyOf(v)
	y.left[1].Text = y.first
	if !a.lay.second && y.second != "" {
		room := a.w - paint.RestWidth(y.right) - paint.Width(y.left[0].Text) - 2
		y.left[1].Text = paint.Cut(paint.OneLine(v.Why), max(room, 0))
	}
	return a.h.Styles.Spread(a.w, paint.GroundNone, y.left, y.right)
}

// whySecondLine is the rest of the reason.
func (a *app) whySecondLine() string {
	v, ok := a.judged()
	if !ok {
		return paint.Blanks(a.w)
	}
	y := a.whyOf(v)
	indent := paint.Width(y.left[0].Text)
	return a.h.Styles.Line(a.w, paint.GroundNone, paint.Span{Text: paint.Blanks(indent)}, paint.Span{Text: paint.Cut(y.second, max(a.w-indent-1, 0)), Ink: verdictInks[v.State]})
}

// clickedWhy does what the key at the right end of the reason does; false for another cell.
func (a *app) clickedWhy(x int) (bool, tea.Cmd) {
	v, ok := a.judged()
	if !ok {
		return false, nil
	}
	y := a.whyOf(v)
	if n := len(y.right); y.command == "" || x < a.w-paint.RestWidth(y.right[max(n-2, 0):]) {
		return false, nil
	}
	return true, a.keys.named(y.command).do(a, 0, "")
}

// goToVerdict leads to the place that shows why the run ended.
func (a *app) goToVerdict() tea.Cmd {
	v := &a.answers.verdict
	cmd := a.list.GoTo(v.At, v.Call)
	a.uncover()
	return cmd
}

// whyNoVerdict says why there is no such place.
func (a *app) whyNoVerdict() string {
	switch v := &a.answers.verdict; {
	case v.Several > 0:
		return "each of the sessions in this file ended in its own way: " + a.h.Key("S") + " lists them"
	case v.Why == "":
		return "how the session ended is not known yet"
	case v.At == model.NoID:
		return "no message explains why the session ended"
	}
	return ""
}
