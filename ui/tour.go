package ui

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"turns/ui/paint"
	"turns/ui/screen"
)

// touring is the progress of the guided tour. Its box covers the lower right corner; all keys work
// as usual.
type touring struct {
	h    *screen.Host
	step int  // current step
	over bool // the box is closed
}

// Tour returns the steps of the tour through a session.
func Tour() []screen.TourStep {
	return []screen.TourStep{
		{Key: "j", Text: "goes to the next row, k back. A row is a prompt, an answer, or a call with its result."},
		{Key: "l", Text: "opens the row: on a call its arguments and the result. h folds it again."},
		{Key: "e", Text: "jumps to the next error, E to the previous one."},
		{Key: "!", Text: "jumps to the place that explains how the session ended."},
		{Key: "enter", Text: "shows the detail of a row: times, tokens, ids, every recorded field."},
		{Key: "esc", Text: "goes one layer back: it closes panes, dialogs and filters."},
		{Key: "/", Text: "searches. Type a word, such as cent; ⏎ goes to the first hit, n to the next, Esc ends it."},
		{Key: "t", Text: "lists the tools: calls, errors and time of each. s shows the stats of the session."},
		{Key: "w", Text: "charts how full the context window was, and what filled it."},
		{Key: "?", Text: "lists all keys, and : finds a command by its name. Esc closes the list."},
	}
}

// pressed advances the tour if the key is that of its step. typing means the key went into a line
// of text.
func (t *touring) pressed(name string, typing bool) {
	steps := t.h.Opts.Tour
	if len(steps) == 0 || t.over {
		return
	}
	if t.step == len(steps) {
		t.over = !typing
		return
	}
	if text := len([]rune(name)) == 1; name == steps[t.step].Key && !(text && typing) {
		t.step++
	}
}

// draw draws the current step over the lower right corner of lines of a width.
func (t *touring) draw(lines []string, width int) {
	steps, at := t.h.Opts.Tour, t.step
	w := min(width-2, 50)
	if len(steps) == 0 || t.over || w < 20 || len(lines) < 8 {
		return
	}
	title, text := "Tour", "That was the tour. q leaves; turns shows your own sessions."
	if at < len(steps) {
		title = fmt.Sprintf("Tour: step %d of %d", at+1, len(steps))
		text = t.h.Key(steps[at].Key) + "  " + steps[at].Text
	}
	var body []string
	for i, line := range strings.Split(ansi.Wordwrap(text, w-4, ""), "\n") {
		key, rest := "", line
		if i == 0 && at < len(steps) {
			key = t.h.Key(steps[at].Key)
			rest = strings.TrimPrefix(line, key)
		}
		body = append(body, t.h.Styles.Line(w-4, paint.GroundNone, paint.Span{Text: key, Ink: paint.InkKey}, paint.Span{Text: rest, Ink: paint.InkText}))
	}
	box := paint.FrameBox(t.h.Styles, w, title, "q leaves", slices.Clip(body))
	top := max(len(lines)-len(box), 0)
	for i, s := range box {
		lines[top+i] = paint.LaidOver(lines[top+i], s, width-w-1, w, width)
	}
}
