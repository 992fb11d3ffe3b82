package ui

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"turns/model"
)

// topLine: file, format, model, project; at the right what the run is doing or how it ended.
func (a *app) topLine() string {
	h := &a.h
	name := shortName(h.state.Path)
	left := []span{{text: " "}, {text: name, ink: inkBold}}
	if h.snap == nil {
		return h.styles.line(a.w, groundNone, left...)
	}
	ss := h.session()
	right := append(a.doingSpans(), span{text: " "})
	room := a.w - restWidth(left) - restWidth(right) - 1
	add := func(text string, i ink) {
		if text = oneLine(text); text == "" {
			return
		}
		if room -= 3 + width(text); room < 0 && room+width(text) < leastCut { // a letter of it says nothing
			return
		}
		left = append(left, span{text: "   "}, span{text: text, ink: i})
	}
	format := ""
	if src := h.snap.Sources(); len(src) > 0 {
		format = strings.TrimSuffix(src[0].Title, " session")
		if format == "" {
			format = src[0].Format
		}
	}
	if format == "" {
		format = ss.Field("agent")
	}
	if v := ss.Field("version"); v != "" && a.w >= 100 {
		format += " " + v
	}
	add(format, inkText)
	add(shortModel(a.modelName()), inkAssistant)
	if a.w >= 100 {
		cwd := tilde(ss.Field("cwd"), h.described.d.Home)
		if b := ss.Field("branch"); b != "" && cwd != "" {
			cwd += " (" + b + ")"
		}
		add(cwd, inkDim)
		add(ss.Field("title"), inkDim)
	}
	return h.styles.spread(a.w, groundNone, left, right)
}

// leastCut is how many cells of a text must be left for its beginning to say something.
const leastCut = 8

// modelName is the model of the last response.
func (a *app) modelName() string {
	s := a.h.snap
	for n := s.Len() - 1; n >= 0 && n > s.Len()-64; n-- {
		if h := s.HeadRow(s.At(n)); h.Role == model.Assistant && h.Name != 0 && h.Flags&(model.Synthetic|model.Sidechain) == 0 {
			return s.Name(h.Name)
		}
	}
	return a.h.session().Field("model")
}

func (a *app) doingSpans() []span {
	w := a.doing()
	if w.text == "" {
		return nil
	}
	text := w.text
	if w.moves && w.since != 0 {
		text += " " + age(a.h.opts.now().Sub(time.UnixMilli(w.since)))
	}
	if w.glyph != "" {
		text = w.glyph + " " + text
	}
	out := []span{{text: text, ink: w.ink}}
	if st := a.h.stats; st != nil && st.Context != nil && st.Context.Window > 0 && a.h.live {
		out = append(out, span{text: fmt.Sprintf("   %s of %s", percent(int(st.Context.Last), int(st.Context.Window)), short(st.Context.Window)), ink: inkDim})
	}
	return out
}

// filterLine is the filter with its counts; while it is edited, what drops down under it, and where the cursor stands.
func (a *app) filterLine() (line string, drop []string, cx int) {
	h := &a.h
	right := a.countSpans()
	if a.bar.active() && a.w < 60 { // room to type in
		right = nil
	}
	rw := restWidth(right)
	left, drop, cx := a.bar.render(max(a.w-rw-1, 10), a.w)
	if !a.bar.active() {
		cx = -1
	}
	return pad(left, max(a.w-rw-1, 0)) + h.styles.line(min(rw+1, a.w), groundNone, append([]span{{text: " "}}, right...)...), drop, cx
}

func (a *app) countSpans() []span {
	h := &a.h
	if h.snap == nil {
		return nil
	}
	plus := ""
	if h.state.Preview || h.state.Indexed < 1 {
		plus = "+"
	}
	if v := &h.view; v.on && v.result != nil {
		text := v.result.String(h.snap.Len()) + plus
		if v.result.Counting > 0 {
			text += ", counting"
		}
		if a.filtering.busy {
			text += " …"
		}
		return []span{{text: text + " ", ink: inkDim}}
	}
	if h.state.Preview {
		return []span{{text: "indexing ", ink: inkDim}}
	}
	out := []span{{text: plural(h.snap.Len(), "message", "messages") + plus, ink: inkDim}}
	errors := 0
	if h.tools != nil && !h.whole {
		errors = h.tools.All.Errors
	} else if a.list.outline.ready {
		errors = len(a.list.outline.errors)
	}
	if errors > 0 {
		out = append(out, span{text: "   "}, span{text: plural(errors, "error", "errors") + plus, ink: inkError})
	}
	return append(out, span{text: " "})
}

// statusLine: position at the left, what is said or typed; at the right what is hidden, unreadable, counted and followed.
func (a *app) statusLine() (line string, cx int) {
	h := &a.h
	st := h.styles
	if s := a.list.findings; s != nil && s.typing {
		left := []span{{text: "/", ink: inkKey}, {text: s.text}}
		status := a.list.searchStatus()
		line := st.spread(a.w, groundStatus, append(left, span{text: "  "}, span{text: status, ink: inkDim}), []span{{text: "tab makes it a filter ", ink: inkDim}})
		return line, min(1+width(s.text), a.w-1)
	}
	var left []span
	add := func(text string, i ink) {
		if text != "" {
			if len(left) > 0 {
				left = append(left, span{text: "   "})
			}
			left = append(left, span{text: text, ink: i})
		}
	}
	switch {
	case a.pending == "y":
		return st.line(a.w, groundStatus, copyHints(a.w)...), -1
	case a.pending != "" || a.count > 0:
		text := a.pending
		if a.count > 0 {
			text = strconv.Itoa(a.count) + text
		}
		add(" "+text, inkKey)
	case a.said != "":
		add(" "+a.said, a.sayInk)
	case len(a.dialogs) > 0 && a.dialogStatus() != "":
		return st.line(a.w, groundStatus, span{text: " " + a.dialogStatus(), ink: inkDim}), -1
	case a.listing() != nil && a.listing().count > 0:
		add(" "+strconv.Itoa(a.listing().count), inkKey)
	case a.listing() != nil:
		path := tilde(a.listing().path(), h.opts.Home)
		return st.line(a.w, groundStatus, span{text: " " + cutMiddle(oneLine(path), max(a.w-2, 0)), ink: inkDim}), -1
	case h.snap != nil:
		a.placeSpans(add)
	}
	var right []span
	if a.listing() == nil { // it is of no transcript
		right = a.stateSpans()
	}
	if a.said != "" && restWidth(left)+restWidth(right)+1 > a.w { // what is said matters more than what always stands there
		right = right[max(len(right)-2, 0):]
		if restWidth(left)+restWidth(right)+1 > a.w {
			right = nil
		}
	}
	for a.said == "" && len(left) > 2 && restWidth(left)+restWidth(right)+3 > a.w {
		left = left[:len(left)-2] // a piece of a time says nothing
	}
	return st.spread(a.w, groundStatus, left, right), -1
}

// dialogStatus is what the dialog on top says of the row under its cursor, "" where it says nothing.
func (a *app) dialogStatus() string {
	if d, ok := a.dialogs[len(a.dialogs)-1].(interface{ status() string }); ok {
		return d.status()
	}
	return ""
}

// listing is the list of sessions, where it lies over the screen.
func (a *app) listing() *sessions {
	if n := len(a.dialogs); n > 0 {
		d, _ := a.dialogs[n-1].(*sessions)
		return d
	}
	return nil
}

// placeSpans say where the cursor is.
func (a *app) placeSpans(add func(string, ink)) {
	h, l := &a.h, a.list
	it, ok := l.curItem()
	if !ok {
		return
	}
	n := h.snap.Pos(it.key.id)
	wide := a.w >= 100
	switch {
	case n < 0 && it.depth > 0 && it.index >= 0:
		text := fmt.Sprintf(" ·%d", it.index)
		if t := l.thread(it.thread); t != nil && wide {
			text += fmt.Sprintf(" of %s in the agent", thousands(t.Count))
		}
		add(text, inkText)
	case n < 0:
		add(" event", inkText)
	case wide && !l.view().on:
		add(fmt.Sprintf(" #%d of %s", n, thousands(h.snap.Len())), inkText)
	default:
		add(fmt.Sprintf(" #%d", n), inkText)
	}
	if l.view().on {
		add(fmt.Sprintf("%s of %s", thousands(l.cur.slot+1), plural(l.slots(), "message", "messages")), inkDim)
	}
	if ids := l.takenMessages(); l.taken != nil {
		add(plural(len(ids), "message", "messages")+" selected", inkMark)
	}
	if s := l.findings; s != nil && s.text != "" {
		add("/"+s.text+"  "+a.list.searchStatus(), inkWarning)
	}
	if n >= 0 && wide && !l.view().on {
		add(percent(n+1, h.snap.Len()), inkDim)
	}
	if h.turns != nil && wide {
		if t := h.turns.Turn(it.key.id); t >= 0 {
			add(fmt.Sprintf("turn %d", t), inkDim)
		}
	}
	if t := h.snap.HeadRow(it.key.id).Time; t != 0 {
		add(h.clock(t), inkDim)
	}
}

// stateSpans say what is hidden and what goes on.
func (a *app) stateSpans() []span {
	h := &a.h
	var out []span
	add := func(text string, i ink) {
		if text != "" {
			if len(out) > 0 {
				out = append(out, span{text: "   "})
			}
			out = append(out, span{text: text, ink: i})
		}
	}
	if s := h.snap; s != nil {
		if h.state.Bytes > 0 && a.w >= 100 {
			add(model.SizeOf(h.state.Bytes), inkDim)
		}
		i := inkDim
		if s.Unreadable() > 0 {
			i = inkError
		}
		if a.w >= 60 {
			add(thousands(s.Unreadable())+" unreadable", i)
		}
		if a.w >= 100 && s.Notes() > 0 {
			add(plural(s.Notes(), "event", "events")+[...]string{" folded", " in rows", " shown", " hidden"}[a.list.events], inkDim)
		}
		if a.w >= 100 && h.counts == "" && h.tokens != nil && h.opts.Encoding != "" {
			add("tokens "+strings.TrimSuffix(h.opts.Encoding, "_base"), inkDim)
		}
		if h.counts != "" && a.w >= 60 {
			add(fmt.Sprintf("counting %d %%", a.progress.Load()), inkDim)
		}
	}
	if h.snap != nil && h.live && h.state.Indexed >= 1 && h.snap.Tail().Len > 0 && a.w >= 80 { // before, it is where the index ends
		add("… a line is being written, "+model.SizeOf(h.snap.Tail().Len), inkDim)
	}
	if h.snap != nil && !h.live && h.state.Indexed >= 1 && !h.state.Preview && h.snap.Tail().Len > 0 && a.w >= 60 { // nobody writes it to its end
		add("last line cut off, "+model.SizeOf(h.snap.Tail().Len), inkWarning)
	}
	if h.state.Indexed < 1 && h.snap != nil {
		add(fmt.Sprintf("indexing %d %%", int(h.state.Indexed*100)), inkRunning)
	}
	switch {
	case h.state.Waiting != "":
		add("WAITING for "+oneLine(filepath.Base(h.state.Waiting)), inkWarning)
	case h.state.Newer != "" && !a.list.follow:
		add("NEWER "+cut(oneLine(filepath.Base(h.state.Newer)), 16)+", G goes there", inkWarning)
	case !h.live:
	case a.list.follow:
		add("FOLLOW", inkOK)
	default:
		text := "PAUSED"
		if a.list.fresh > 0 {
			text += " " + thousands(a.list.fresh) + " new"
		}
		if a.list.freshErrors > 0 {
			text += ", " + plural(a.list.freshErrors, "error", "errors")
		}
		add(text, inkWarning)
	}
	return append(out, span{text: " "})
}

// hints are the keys that can act now, and those that stand at the right end of the key line.
func (a *app) hints() (hints, last []hint) {
	switch n := len(a.dialogs); {
	case n > 0:
		hints = a.dialogs[n-1].Hints()
	case a.bar.active():
		hints = a.bar.hints()
	case a.list.findings != nil && a.list.findings.typing:
		hints = []hint{{"⏎", "done"}, {"tab", "filter"}, {"↑ ↓", "history"}, {"esc", "back"}}
	case a.h.focus != paneNone:
		hints = a.panes[a.h.focus].Hints()
		if sideWidth(a.w) > 0 {
			hints = append(hints, hint{"Z", "zoom"})
		}
		hints = append(hints, hint{"tab", "next pane"})
	case a.list.taken != nil:
		hints = []hint{{"j k", "extend"}, {"y", "copy"}, {"x", "export"}, {"|", "pipe"}, {"esc", "give up"}}
	default:
		hints = a.timelineHints()
	}
	if d := a.listing(); d != nil && d.typing == lineNone {
		last = []hint{{"?", "help"}, {"q", "close"}}
		if d.quits() {
			last[1].text = "quit"
		}
	} else if len(a.dialogs) == 0 && !a.bar.active() {
		last = []hint{{"?", "help"}, {"q", a.quitWord()}}
	}
	return hints, last
}

// quitWord says what q does.
func (a *app) quitWord() string {
	if a.full || a.h.focus != paneNone || a.side != paneNone || len(a.returnTo) > 0 || a.fromSessions && a.h.opts.List != nil {
		return "back"
	}
	return "quit"
}

// keyLine are the keys that can act now, as many as have room.
func (a *app) keyLine() string {
	hints, last := a.hints()
	var spans []span
	w := 1
	gap := "   "
	if a.w < 100 {
		gap = "  "
	}
	spans = append(spans, span{text: " "})
	lw := 0
	for _, t := range last {
		lw += width(t.key) + 1 + width(t.text) + width(gap)
	}
	for _, t := range hints {
		n := width(t.key) + 1 + width(t.text) + width(gap)
		if w+n+lw > a.w {
			break
		}
		w += n
		spans = append(spans, span{text: t.key, ink: inkKey}, span{text: " " + t.text + gap, ink: inkDim})
	}
	var right []span
	for i, t := range last {
		right = append(right, span{text: t.key, ink: inkKey}, span{text: " " + t.text, ink: inkDim})
		if i+1 < len(last) {
			right = append(right, span{text: gap})
		}
	}
	return a.h.styles.spread(a.w, groundNone, spans, append(right, span{text: " "}))
}

// timelineHints are the hints of the key table that can act on the row of the cursor.
func (a *app) timelineHints() []hint {
	order := [...]string{"next-error", "next-prompt", "next-call", "search", "filter", "open", "detail", "select", "export", "tools", "stats", "turns"}
	var out []hint
	for _, name := range order {
		c := a.keys.named(name)
		if c == nil || c.hint == "" || c.why != nil && c.why(a) != "" {
			continue
		}
		if name == "next-error" && a.list.outline.ready && len(a.list.outline.errors) == 0 {
			continue
		}
		key := keyLabel(c.keys[0])
		text := c.hint
		if name == "open" {
			key, text = "l h", "open fold"
		}
		out = append(out, hint{key, text})
	}
	return out
}

func (a *app) windowTitle() string {
	if a.h.snap == nil {
		return "turns"
	}
	return oneLine("turns " + filepath.Base(a.h.state.Path))
}
