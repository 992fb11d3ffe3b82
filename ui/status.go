package ui

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"turns/model"
	"turns/query/human"
	"turns/ui/config"
	"turns/ui/paint"
	"turns/ui/screen"
	"turns/ui/sessions"
	"turns/ui/take"
)

// filterLine returns the filter with its counts; during editing, also the dropdown and the cursor
// position.
func (a *app) filterLine() (line string, drop []string, cx int) {
	h := a.h
	if line, ok := a.verdict.line(); ok {
		return line, nil, -1
	}
	if unrecognised(h) && !a.bar.Active() && a.bar.Field.Text == "" {
		return unrecognisedLine(h, a.w), nil, -1
	}
	right := a.filtering.counts()
	if a.bar.Active() && a.w < 60 { // more room for typing
		right = nil
	}
	rw := paint.RestWidth(right)
	left, drop, cx := a.bar.Render(max(a.w-rw-1, 10), a.w)
	if !a.bar.Active() {
		cx = -1
	}
	return paint.Pad(left, max(a.w-rw-1, 0)) + h.Styles.Line(min(rw+1, a.w), paint.GroundNone, append([]paint.Span{{Text: " "}}, right...)...), drop, cx
}

// statusLine shows the position and a message or the typed text at the left; at the right the
// number of hidden and unreadable rows, counts and the follow state.
func (a *app) statusLine() (line string, cx int) {
	h := a.h
	st := h.Styles
	if a.list.Searching() {
		status := a.list.SearchStatus()
		typed, cursor := a.list.SearchLine(max(a.w-paint.Width(status)-5, 8))
		left := append([]paint.Span{{Text: "/", Ink: paint.InkKey}}, typed...)
		line := st.Spread(a.w, paint.GroundStatus, append(left, paint.Span{Text: "  "}, paint.Span{Text: status, Ink: paint.InkDim}), []paint.Span{{Text: "tab makes it a filter ", Ink: paint.InkDim}})
		return line, min(1+cursor, a.w-1)
	}
	var left []paint.Span
	add := apart(&left)
	switch {
	case a.pending == "y":
		return st.Line(a.w, paint.GroundStatus, take.CopyHints(a.w)...), -1
	case a.pending == "I":
		add(" "+take.ImageHints, paint.InkText)
	case a.pending != "" && a.count == 0:
		first, _ := chordLines(a.chordHints(a.pending), a.w)
		return st.Line(a.w, paint.GroundStatus, first...), -1
	case a.pending != "" || a.count > 0:
		text := a.pending
		if a.count > 0 {
			text = strconv.Itoa(a.count) + text
		}
		add(" "+text, paint.InkKey)
	case a.status != "":
		add(" "+a.status, a.statusInk)
	case len(a.dialogs) > 0 && a.dialogStatus() != "":
		return st.Line(a.w, paint.GroundStatus, paint.Span{Text: " " + a.dialogStatus(), Ink: paint.InkDim}), -1
	case a.listing() != nil && a.listing().Count > 0:
		add(" "+strconv.Itoa(a.listing().Count), paint.InkKey)
	case a.listing() != nil:
		path := paint.Tilde(a.listing().Path(), h.Opts.Home)
		return st.Line(a.w, paint.GroundStatus, paint.Span{Text: " " + paint.CutMiddle(paint.OneLine(path), max(a.w-2, 0)), Ink: paint.InkDim}), -1
	case h.Snap != nil && !a.overList():
		a.placeSpans(add)
	}
	var right []paint.Span
	if !a.overList() {
		right = a.stateSpans()
	}
	if a.status != "" && paint.RestWidth(left)+paint.RestWidth(right)+1 > a.w {
		// the message matters more than the permanent parts
		right = right[max(len(right)-2, 0):]
		if paint.RestWidth(left)+paint.RestWidth(right)+1 > a.w {
			right = nil
		}
	}
	for a.status == "" && len(left) > 2 && paint.RestWidth(left)+paint.RestWidth(right)+3 > a.w {
		left = left[:len(left)-2] // a truncated time is useless
	}
	return st.Spread(a.w, paint.GroundStatus, left, right), -1
}

// dialogStatus returns the top dialog's text about its row, "" for none.
func (a *app) dialogStatus() string {
	if d, ok := a.dialogs[len(a.dialogs)-1].(screen.Teller); ok {
		return d.Status()
	}
	return ""
}

// listing returns the session list on top, nil if it is not.
func (a *app) listing() *sessions.List { return listOnTop(a.dialogs) }

// overList reports whether a session list is open: then the session under it is not shown.
func (a *app) overList() bool {
	return slices.ContainsFunc(a.dialogs, func(d screen.Dialog) bool { _, ok := d.(*sessions.List); return ok })
}

func listOnTop(dialogs []screen.Dialog) *sessions.List {
	if n := len(dialogs); n > 0 {
		d, _ := dialogs[n-1].(*sessions.List)
		return d
	}
	return nil
}

// placeSpans show the position of the cursor.
func (a *app) placeSpans(add func(string, paint.Ink)) {
	h, l := a.h, a.list
	it, ok := l.CurItem()
	if !ok {
		return
	}
	n := h.Snap.Pos(it.Key.ID)
	wide := a.w >= 100
	switch {
	case n < 0 && it.Depth > 0 && it.Index >= 0:
		text := fmt.Sprintf(" ·%d", it.Index)
		if t := l.Thread(it.Thread); t != nil && wide {
			text += fmt.Sprintf(" of %s in the agent", human.Count(t.Count))
		}
		add(text, paint.InkText)
	case n < 0 && h.Snap.HeadRow(it.Key.ID).Op == model.Say:
		add(" subagent", paint.InkText)
	case n < 0:
		add(" event", paint.InkText)
	case a.w >= 60 && !l.View().On:
		add(fmt.Sprintf(" #%d of %s", n, human.Count(h.Snap.Len())), paint.InkText)
		add(human.Percent(n+1, h.Snap.Len()), paint.InkDim)
	default:
		add(fmt.Sprintf(" #%d", n), paint.InkText)
	}
	if l.View().On {
		add(human.Percent(l.Cur.Slot+1, l.Slots()), paint.InkDim) // the scroll bar shows the total
	}
	if ids := l.TakenMessages(); l.Taking() {
		add(human.Plural(len(ids), "message", "messages")+" selected", paint.InkMark)
	}
	if text := l.SearchText(); text != "" {
		add("/"+text+"  "+l.SearchStatus(), paint.InkWarning)
	}
	if h.Turns != nil && wide {
		if t := h.Turns.Turn(it.Key.ID); t >= 0 {
			add(fmt.Sprintf("turn %d", t), paint.InkDim)
		}
	}
	if t := h.Snap.HeadRow(it.Key.ID).Time; t != 0 {
		add(h.Clock(t), paint.InkDim)
	}
}

// stateSpans show what is hidden and the running background work.
func (a *app) stateSpans() []paint.Span {
	h := a.h
	var out []paint.Span
	add := apart(&out)
	if s := h.Snap; s != nil {
		if h.State.Bytes > 0 && a.w >= 100 {
			add(model.SizeOf(h.State.Bytes), paint.InkDim)
		}
		if n := s.Unreadable(); n > 0 && a.w >= 60 {
			add(human.Plural(n, "line")+" unreadable", paint.InkError)
		}
		if hidden := a.list.Hidden(); a.w >= 100 && hidden != "" {
			add(hidden+" ("+h.Key("i")+")", paint.InkDim)
		}
		if h.Counts != "" && a.w >= 60 {
			add(fmt.Sprintf("counting %d %%", a.answers.progress.Load()), paint.InkDim)
		}
	}
	if h.Snap != nil && h.Live && h.State.Indexed >= 1 && h.Snap.Tail().Len > 0 && a.w >= 80 {
		// until then, the tail is just the end of the index
		add("… a line is being written, "+model.SizeOf(h.Snap.Tail().Len), paint.InkDim)
	}
	if h.Snap != nil && !h.Live && h.State.Indexed >= 1 && !h.State.Preview && h.Snap.Tail().Len > 0 && a.w >= 60 {
		// the line will not be completed
		add("last line cut off, "+model.SizeOf(h.Snap.Tail().Len), paint.InkWarning)
	}
	if h.State.Indexed < 1 && h.Snap != nil {
		add(fmt.Sprintf("indexing %d %%", int(h.State.Indexed*100)), paint.InkRunning)
	}
	switch {
	case h.State.Waiting != "":
		add("WAITING for "+paint.OneLine(filepath.Base(h.State.Waiting)), paint.InkWarning)
	case h.State.Newer != "" && !a.list.Follow:
		add("NEWER "+paint.Cut(paint.OneLine(filepath.Base(h.State.Newer)), 16)+", "+a.h.Key("G")+" opens it", paint.InkWarning)
	case !h.Live:
	case a.list.Follow:
		add("FOLLOW", paint.InkOK)
	default:
		text := "PAUSED"
		if a.list.Fresh > 0 {
			text += " " + human.Count(a.list.Fresh) + " new"
		}
		if a.list.FreshErrors > 0 {
			text += ", " + human.Plural(a.list.FreshErrors, "error", "errors")
		}
		add(text, paint.InkWarning)
	}
	return append(out, paint.Span{Text: " "})
}

// hints returns the keys that can act now, and those at the right end of the key line.
func (a *app) hints() (hints, last []screen.Hint) {
	switch n := len(a.dialogs); {
	case n == 0 && a.pending != "" && a.pending != "y" && a.pending != "I":
		_, hints = chordLines(a.chordHints(a.pending), a.w)
		return hints, nil
	case n > 0:
		hints, last = apartLast(a.dialogs[n-1].Hints())
	case a.bar.Active():
		hints = a.bar.Hints()
	case a.list.Searching():
		hints = []screen.Hint{{Key: "⏎", Text: "done"}, {Key: "tab", Text: "filter"}, {Key: "↑ ↓", Text: "history"}, {Key: "Ctrl-r", Text: a.list.OtherForm()}, {Key: "esc", Text: "back"}}
	case a.h.Focus != screen.PaneNone:
		hints = a.panes[a.h.Focus].Hints()
		if sideWidth(a.w, false) > 0 {
			hints = append(hints, screen.Hint{Key: "Z", Text: "zoom"})
		}
		hints = append(hints, screen.Hint{Key: "tab", Text: "next pane"})
	case a.list.Taking():
		hints = []screen.Hint{{Key: "j k", Text: "extend"}, {Key: "y", Text: "copy"}, {Key: "x", Text: "export"}, {Key: "|", Text: "pipe"}, {Key: "esc", Text: "cancel"}}
	default:
		hints = a.timelineHints()
	}
	if d := a.listing(); d != nil && d.Typing == sessions.LineNone {
		last = []screen.Hint{{Key: "?", Text: "help"}, {Key: "q", Text: "close"}}
		if d.Quits() {
			last[1].Text = "quit"
		}
	} else if len(a.dialogs) == 0 && !a.bar.Active() {
		last = []screen.Hint{{Key: "?", Text: "help"}, {Key: "q", Text: a.quitWord()}}
	}
	return hints, last
}

// apartLast splits the hints of a page into those that a narrow screen may leave out, and help and
// quit, which stay at the right end.
func apartLast(all []screen.Hint) (hints, last []screen.Hint) {
	for _, key := range []string{"?", "q"} {
		if i := slices.IndexFunc(all, func(t screen.Hint) bool { return t.Key == key }); i >= 0 {
			last = append(last, all[i])
		}
	}
	hints = slices.DeleteFunc(slices.Clone(all), func(t screen.Hint) bool { return slices.Contains(last, t) })
	return hints, last
}

// quitWord describes what q does.
func (a *app) quitWord() string {
	if a.full || a.h.Focus != screen.PaneNone || a.side != screen.PaneNone || len(a.returnTo) > 0 || a.fromSessions && a.h.Opts.Store != nil {
		return "back"
	}
	return "quit"
}

// keyLine shows the keys that can act now, as far as there is room.
func (a *app) keyLine() string {
	hints, last := a.hints()
	if !a.typing() {
		hints, last = screen.Chosen(hints, a.h.Opts.Keys), screen.Chosen(last, a.h.Opts.Keys)
	}
	hints, last = screen.Spelled(hints, a.h.Opts.ASCII), screen.Spelled(last, a.h.Opts.ASCII)
	var spans []paint.Span
	w := 1
	gap := "   "
	if a.w < 100 {
		gap = "  "
	}
	spans = append(spans, paint.Span{Text: " "})
	lw := 0
	for _, t := range last {
		lw += paint.Width(t.Key) + 1 + paint.Width(t.Text) + paint.Width(gap)
	}
	for _, t := range hints {
		n := paint.Width(t.Key) + 1 + paint.Width(t.Text) + paint.Width(gap)
		if w+n+lw > a.w {
			break
		}
		w += n
		spans = append(spans, paint.Span{Text: t.Key, Ink: paint.InkKey}, paint.Span{Text: " " + t.Text + gap, Ink: paint.InkDim})
	}
	var right []paint.Span
	for i, t := range last {
		right = append(right, paint.Span{Text: t.Key, Ink: paint.InkKey}, paint.Span{Text: " " + t.Text, Ink: paint.InkDim})
		if i+1 < len(last) {
			right = append(right, paint.Span{Text: gap})
		}
	}
	return a.h.Styles.Spread(a.w, paint.GroundNone, spans, append(right, paint.Span{Text: " "}))
}

// timelineHints returns the hints of the key table that can act on the cursor's row.
func (a *app) timelineHints() []screen.Hint {
	order := [...]string{"next-error", "next-prompt", "next-call", "search", "filter", "open", "close", "detail", "reading", "context", "files", "select", "export", "tools", "stats", "turns"}
	var out []screen.Hint
	for _, name := range order {
		c := a.keys.named(name)
		if c == nil || c.hint == "" || c.why != nil && c.why(a) != "" {
			continue
		}
		if name == "next-error" && a.list.Outline.Ready && len(a.list.Outline.Errors) == 0 {
			continue
		}
		key := screen.KeyLabel(c.keys[0])
		text := c.hint
		out = append(out, screen.Hint{Key: key, Text: text})
	}
	return out
}

func (a *app) windowTitle() string {
	if a.h.Snap == nil {
		return "turns"
	}
	return paint.OneLine("turns " + filepath.Base(a.h.State.Path))
}

// apart returns a function that adds parts to a line, separated by blanks.
func apart(line *[]paint.Span) func(text string, i paint.Ink) {
	return func(text string, i paint.Ink) {
		if text == "" {
			return
		}
		if len(*line) > 0 {
			*line = append(*line, paint.Span{Text: "   "})
		}
		*line = append(*line, paint.Span{Text: text, Ink: i})
	}
}

// chordHints returns the keys that may follow the first key of a chord.
func (a *app) chordHints(first string) (hints []screen.Hint) {
	switch first {
	case "m":
		return []screen.Hint{{Key: "a … z", Text: "marks this row with the letter"}, {Key: "esc", Text: "cancel"}}
	case "'":
		letters := a.h.Letters()
		for _, r := range slices.Sorted(maps.Keys(letters)) {
			hints = append(hints, screen.Hint{Key: string(r), Text: cmp.Or(human.Place(a.h.Snap.Pos(letters[r].ID)), "mark")})
		}
		if len(a.h.Opts.Views) > 0 {
			hints = append(hints, screen.ViewHints(a.h.Opts.Views, config.ViewOfSession)...)
		}
		return append(hints, screen.Hint{Key: "'", Text: "back to before the jump"}, screen.Hint{Key: "esc", Text: "cancel"})
	}
	for i := range a.keys.table {
		c := &a.keys.table[i]
		for _, k := range c.keys {
			if one, two, chord := strings.Cut(k, " "); chord && one == first && c.hint != "" {
				hints = append(hints, screen.Hint{Key: two, Text: c.hint})
			}
		}
	}
	return append(hints, screen.Hint{Key: "esc", Text: "cancel"})
}

// chordLines splits hints into those that fit on the status line, and the rest for the key line.
func chordLines(hints []screen.Hint, w int) (first []paint.Span, rest []screen.Hint) {
	room := w - 1
	for i, h := range hints {
		if room -= paint.Width(h.Key+h.Text) + 3; room < 0 {
			return first, hints[i:]
		}
		first = append(first, paint.Span{Text: " "}, paint.Span{Text: h.Key, Ink: paint.InkKey}, paint.Span{Text: " " + h.Text + " ", Ink: paint.InkText})
	}
	return first, nil
}
