package ui

import (
	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/query/session"
	"turns/ui/paint"
	"turns/ui/screen"
)

// verdictInks are the colours of the states of a session.
var verdictInks = map[model.RunState]paint.Ink{
	model.RunFailed: paint.InkError, model.RunInterrupted: paint.InkWarning, model.RunOpen: paint.InkWarning,
}

// judged returns how the session ended; ok is false if that is unknown or a filter uses the line.
func (a *app) judged() (v *session.Judgement, ok bool) {
	v = &a.answers.verdict
	return v, a.h.Snap != nil && !a.h.State.Preview && a.h.State.Indexed >= 1 && v.Why != "" && !a.bar.Active() && a.bar.Field.Text == ""
}

// why is the line that explains how the session ended, cut to fit next to the counts.
type why struct {
	left, right   []paint.Span
	first, second string
	command       string // command of the key at the right end; "" for none
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
		// the status line shows the place among the messages
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

// whySecond reports whether the reason needs a second line. It has none over a pane that fills the
// screen, nor while a session runs: the reason changes often and the rows would jump.
func (a *app) whySecond() bool {
	v, ok := a.judged()
	if !ok || a.side != screen.PaneNone && (a.full || sideWidth(a.w, false) == 0) || a.h.Doing().Live() {
		return false
	}
	return a.whyOf(v).second != ""
}

// verdictLine shows why the session ended, or the part that fits its first line.
func (a *app) verdictLine(v *session.Judgement) string {
	y := a.whyOf(v)
	y.left[1].Text = y.first
	if !a.lay.second && y.second != "" {
		room := a.w - paint.RestWidth(y.right) - paint.Width(y.left[0].Text) - 2
		y.left[1].Text = paint.Cut(paint.OneLine(v.Why), max(room, 0))
	}
	return a.h.Styles.Spread(a.w, paint.GroundNone, y.left, y.right)
}

// whySecondLine shows the rest of the reason.
func (a *app) whySecondLine() string {
	v, ok := a.judged()
	if !ok {
		return paint.Blanks(a.w)
	}
	y := a.whyOf(v)
	indent := paint.Width(y.left[0].Text)
	return a.h.Styles.Line(a.w, paint.GroundNone, paint.Span{Text: paint.Blanks(indent)}, paint.Span{Text: paint.Cut(y.second, max(a.w-indent-1, 0)), Ink: verdictInks[v.State]})
}

// clickedWhy runs the command at the right end of the reason; false for another cell.
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

// goToVerdict goes to the place that shows why the session ended.
func (a *app) goToVerdict() tea.Cmd {
	v := &a.answers.verdict
	cmd := a.list.GoTo(v.At, v.Call)
	a.uncover()
	return cmd
}

// whyNoVerdict returns why there is no such place, "" if there is one.
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
