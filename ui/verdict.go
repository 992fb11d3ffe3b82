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
	return v, a.h.Snap != nil && v.Why != "" && !a.bar.active() && a.bar.field.Text == "" && len(a.h.Snap.Sessions()) == 1
}

// verdictLine says why the run ended. The reason goes before everything that may stand beside it.
func (a *app) verdictLine(v *session.Judgement) string {
	why := paint.OneLine(v.Why)
	left := []paint.Span{{Text: " why  ", Ink: paint.InkDim}, {Text: why, Ink: verdictInks[v.State]}}
	counts := a.countSpans()
	right := append([]paint.Span{}, counts...)
	if v.At != model.NoID {
		right = append(right, paint.Span{Text: "  "}, paint.Span{Text: screen.Labels(a.keys.named("verdict").keys, a.h.Opts.Keys), Ink: paint.InkKey}, paint.Span{Text: " goes there ", Ink: paint.InkDim})
	}
	if a.w < 100 && len(counts) > 0 && paint.RestWidth(left)+paint.RestWidth(right)+2 > a.w {
		right = []paint.Span{counts[0], {Text: " "}}
	}
	room := a.w - paint.RestWidth(right) - paint.RestWidth(left[:1]) - 2
	if room < 20 {
		right, room = nil, a.w-paint.RestWidth(left[:1])-1
	}
	left[1].Text = paint.Cut(why, max(room, 0))
	return a.h.Styles.Spread(a.w, paint.GroundNone, left, right)
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
	case a.h.Snap != nil && len(a.h.Snap.Sessions()) > 1:
		return "of many conversations each ended in its own way"
	case v.Why == "":
		return "it is not known yet how the run ended"
	case v.At == model.NoID:
		return "no message says why the run ended"
	}
	return ""
}
