package ui

import (
	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/query/session"
	"turns/ui/paint"
	"turns/ui/screen"
	"turns/ui/timeline"
)

// verdictInks are the colours of the states of a session.
var verdictInks = map[model.RunState]paint.Ink{
	model.RunFailed: paint.InkError, model.RunInterrupted: paint.InkWarning, model.RunOpen: paint.InkWarning,
}

// verdictLine is the line that explains how the session ended, in place of an unused filter line.
type verdictLine struct {
	h         *screen.Host
	list      *timeline.List
	stage     *stage
	answers   *answers
	filtering *filtering
	keyOf     func(command string) string // the key of a command, for people
}

// judged returns how the session ended; ok is false if that is unknown or a filter uses the line.
func (l *verdictLine) judged() (v *session.Judgement, ok bool) {
	v = &l.answers.verdict
	bar := l.filtering.bar
	return v, l.h.Snap != nil && !l.h.State.Preview && l.h.State.Indexed >= 1 && v.Why != "" && !bar.Active() && bar.Field.Text == ""
}

// why returns the explanation that agrees with the state in the top line.
func (l *verdictLine) why(v *session.Judgement) string {
	if v.Running != "" && l.h.Doing().Doing == session.Thinking {
		return paint.OneLine(v.Running)
	}
	return paint.OneLine(v.Why)
}

// reason is the explanation, cut to fit next to the counts.
type reason struct {
	left, right   []paint.Span
	first, second string
	command       string // command of the key at the right end; "" for none
}

// fit fits the reason into the width of the screen.
func (l *verdictLine) fit(v *session.Judgement) (r reason) {
	w := l.stage.w
	lead := " why  "
	if l.h.Doing().Live() {
		lead = " now  "
	}
	text := l.why(v)
	r.left = []paint.Span{{Text: lead, Ink: paint.InkDim}, {Text: text, Ink: verdictInks[v.State]}}
	counts := l.filtering.counts()
	r.right = append([]paint.Span{}, counts...)
	hint := func(command, text string) {
		r.command = command
		r.right = append(r.right, paint.Span{Text: "  "}, paint.Span{Text: l.keyOf(command), Ink: paint.InkKey}, paint.Span{Text: text, Ink: paint.InkDim})
	}
	switch {
	case v.Several > 0:
		hint("sessions", " lists them ")
	case v.At != model.NoID:
		hint("verdict", " jump ")
	}
	if w < 100 && len(counts) > 0 && paint.RestWidth(r.left)+paint.RestWidth(r.right)+2 > w {
		// the status line shows the place among the messages
		r.right, r.command = []paint.Span{counts[max(len(counts)-2, 0)], {Text: " "}}, ""
	}
	room := w - paint.RestWidth(r.right) - paint.Width(lead) - 2
	if room < 20 {
		r.right, r.command, room = nil, "", w-paint.Width(lead)-1
	}
	if r.first = text; paint.Width(text) <= room {
		return r
	}
	r.first, r.second = paint.BreakLine(text, max(room, 1))
	return r
}

// needsSecond reports whether the reason needs a second line. It has none over a pane that fills
// the screen, nor while a session runs: the reason changes often and the rows would jump.
func (l *verdictLine) needsSecond() bool {
	v, ok := l.judged()
	s := l.stage
	if !ok || s.side != screen.PaneNone && (s.full || sideWidth(s.w, false) == 0) || l.h.Doing().Live() {
		return false
	}
	return l.fit(v).second != ""
}

// line shows why the session ended, or the part that fits the first line; ok is false if the line
// is the filter's.
func (l *verdictLine) line() (line string, ok bool) {
	v, ok := l.judged()
	if !ok {
		return "", false
	}
	r, w := l.fit(v), l.stage.w
	r.left[1].Text = r.first
	if !l.stage.lay.second && r.second != "" {
		room := w - paint.RestWidth(r.right) - paint.Width(r.left[0].Text) - 2
		r.left[1].Text = paint.Cut(l.why(v), max(room, 0))
	}
	return l.h.Styles.Spread(w, paint.GroundNone, r.left, r.right), true
}

// secondLine shows the rest of the reason.
func (l *verdictLine) secondLine() string {
	w := l.stage.w
	v, ok := l.judged()
	if !ok {
		return paint.Blanks(w)
	}
	r := l.fit(v)
	indent := paint.Width(r.left[0].Text)
	return l.h.Styles.Line(w, paint.GroundNone, paint.Span{Text: paint.Blanks(indent)}, paint.Span{Text: paint.Cut(r.second, max(w-indent-1, 0)), Ink: verdictInks[v.State]})
}

// commandAt returns the name of the command at a cell of the line, "" for none.
func (l *verdictLine) commandAt(x int) string {
	v, ok := l.judged()
	if !ok {
		return ""
	}
	r := l.fit(v)
	if n := len(r.right); r.command == "" || x < l.stage.w-paint.RestWidth(r.right[max(n-2, 0):]) {
		return ""
	}
	return r.command
}

// goTo goes to the place that shows why the session ended.
func (l *verdictLine) goTo() tea.Cmd {
	v := &l.answers.verdict
	cmd := l.list.GoTo(v.At, v.Call)
	l.stage.uncover()
	return cmd
}

// missing returns why there is no such place, "" if there is one.
func (l *verdictLine) missing() string {
	switch v := &l.answers.verdict; {
	case v.Several > 0:
		return "each of the sessions in this file ended in its own way: " + l.h.Key("S") + " lists them"
	case v.Why == "":
		return "how the session ended is not known yet"
	case v.At == model.NoID:
		return "no message explains why the session ended"
	}
	return ""
}
