package ui

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"turns/model"
	"turns/query"
)

// drawnKey is what the picture of a row depends on besides the line it shows.
type drawnKey struct {
	key   itemKey
	gen   int
	mark  rune
	flags uint16
}

type drawnRow struct {
	line *query.Line // the row was drawn from it; another one means that the message was amended
	text string
}

const (
	drawnCursor = 1 << iota
	drawnTaken
	drawnOpen
	drawnSticky
	drawnFocus
	drawnTop
	drawnBottom
	drawnFirst
	drawnGoesOn
)

// render draws the lines of the timeline, exactly l.rows of them, each l.w cells wide.
func (l *list) render(focus bool) []string {
	places := l.onScreen()
	bar := l.scrollBar(places)
	sticky := l.stickyPlaces()
	out := make([]string, 0, l.rows)
	for i := range l.rows {
		switch {
		case i < len(sticky) && i < len(places):
			it, _ := l.item(sticky[i])
			out = append(out, l.drawRow(&it, focus, true)+bar[i])
		case i < len(places):
			out = append(out, l.drawLine(places[i], focus)+bar[i])
		case i == 0:
			out = append(out, l.h.styles.line(l.w, groundNone, span{text: "  " + l.emptyText(), ink: inkDim}))
		case i == len(places) && l.partial() != "":
			out = append(out, l.drawPartial()+bar[i])
		default:
			out = append(out, blanks(l.w))
		}
	}
	return out
}

func (l *list) emptyText() string {
	if !l.view().on {
		text := "no messages"
		if n := l.h.snap.Notes(); n > 0 {
			text += ", " + plural(n, "event", "events") + ": i shows them"
		}
		return text
	}
	return fmt.Sprintf("0 of %s match; & shows all, f edits", thousands(l.h.snap.Len()))
}

// drawLine draws one line without its cell of the scroll bar.
func (l *list) drawLine(p place, focus bool) string {
	it, ok := l.item(p)
	if !ok {
		return blanks(l.w - 1)
	}
	if p.chunk == 0 {
		return l.drawRow(&it, focus, false)
	}
	d := l.docOf(&it)
	if d == nil || p.chunk > d.len() {
		return blanks(l.w - 1)
	}
	lines := d.lines(p.chunk - 1)
	if p.line >= len(lines) {
		return blanks(l.w - 1)
	}
	at := l.col.about + l.indent(&it)
	guide := inkFaint
	if it.key == l.curKey {
		guide = inkBorderFocus
	}
	text := l.Highlight(lines[p.line], it.key == l.curKey)
	var b strings.Builder
	b.WriteString(blanks(at - 2))
	l.h.styles.put(&b, span{text: "│ ", ink: guide}, groundNone)
	b.WriteString(text)
	b.WriteString(blanks(l.w - 1 - at - width(text)))
	return b.String()
}

func (l *list) indent(it *item) int {
	return min(int(it.depth)*3, max(l.col.w-l.col.about-24, 0))
}

// drawRow draws the row of an item, from the cache if it was drawn before.
func (l *list) drawRow(it *item, focus, sticky bool) string {
	cursor := it.key == l.curKey && !sticky
	key := drawnKey{key: it.key, gen: l.gen, mark: l.markOf(it.key)}
	set := func(on bool, flag uint16) {
		if on {
			key.flags |= flag
		}
	}
	set(cursor, drawnCursor)
	set(l.isTaken(it), drawnTaken)
	set(l.isOpen(it), drawnOpen)
	set(sticky, drawnSticky)
	set(cursor && focus, drawnFocus)
	set(it.bracket == bracketTop || it.bracket == bracketMiddle, drawnTop)
	set(it.bracket == bracketBottom || it.bracket == bracketMiddle, drawnBottom)
	set(it.first, drawnFirst)
	set(it.goesOn, drawnGoesOn)
	line, _ := l.lineOf(it)
	live := line != nil && l.running(line)
	if !live {
		if d, ok := l.drawn.get(key); ok && d.line == line {
			return d.text
		}
	}
	l.renders++
	base := groundNone
	switch {
	case key.flags&drawnTaken != 0:
		base = groundSelected
	case cursor:
		base = groundCursor
	}
	var text string
	switch it.key.kind {
	case rowLine, rowNote, rowStep:
		text = l.drawCells(it, line, base, cursor, key.mark, sticky)
	default:
		text = l.drawRule(it, base, cursor)
	}
	if !live {
		l.drawn.putSized(key, drawnRow{line, text}, int64(len(text)+128))
	}
	return text
}

// running reports whether a line shows an age that moves.
func (l *list) running(line *query.Line) bool {
	return line.Kind == query.LineCall && (line.State == model.Running || line.State == model.Unknown) && l.h.live && l.h.pending(line.Call)
}

// drawCells draws a row in columns.
func (l *list) drawCells(it *item, line *query.Line, base ground, cursor bool, mark rune, sticky bool) string {
	c := &l.col
	x := l.cellsOf(it, line)
	spans := make([]span, 0, 24)
	add := func(text string, i ink) { spans = append(spans, span{text: text, ink: i}) }
	if cursor {
		add("›", inkAccent)
	} else {
		add(" ", inkText)
	}
	if mark != 0 {
		add(string(mark), inkMark)
	} else {
		add(" ", inkText)
	}
	first := it.first || sticky
	if c.index > 0 {
		text := ""
		if first && it.index >= 0 {
			text = strconv.Itoa(int(it.index))
			if it.depth > 0 {
				text = "·" + text
			}
		}
		add(fitRight(text, c.index)+" ", inkDim)
	}
	if c.time {
		text := ""
		if first {
			text = l.timeOf(it)
		}
		add(fit(text, 8)+" ", inkDim)
	}
	in := l.indent(it)
	add(blanks(in), inkText)
	switch it.bracket {
	case bracketTop:
		add("┌", inkDim)
	case bracketMiddle:
		add("├", inkDim)
	case bracketBottom:
		add("└", inkDim)
	default:
		add(fit(x.fold, 1), inkDim)
	}
	add(x.glyph+" ", x.glyphInk)
	if c.word > 0 {
		word := x.word
		if width(word) > c.word-1 {
			word = cutMiddle(word, c.word-1)
		}
		add(fit(word, c.word), x.wordInk)
	}
	outcome := x.outcome
	if !c.always && !x.failed {
		outcome = ""
	}
	room := c.end - c.about - in
	most := room / 2
	if x.failed {
		most = room * 6 / 10
	}
	if x.hit != nil {
		most = room / 3 // what was looked for matters more than how it ended
	}
	if room < 24 && !x.failed {
		outcome = ""
	}
	if width(outcome) > most {
		outcome = cut(outcome, most)
	}
	ow := width(outcome)
	about := room - ow
	if ow > 0 {
		about -= 2
	}
	left := about
	for _, sp := range l.aboutSpans(it, line, &x, about) {
		spans = append(spans, sp)
		left -= width(sp.text)
	}
	add(blanks(left), inkText)
	if ow > 0 {
		add("  ", inkText)
		add(outcome, x.outcomeInk)
	}
	if c.dur {
		add(fitRight(x.dur, 7), inkDim)
	}
	if c.tok {
		add(fitRight(x.tok, 6), inkDim)
	}
	add(" ", inkText)
	var b strings.Builder
	b.Grow(l.w * 3)
	l.h.styles.lineTo(&b, l.w-1, base, spans)
	return b.String()
}

// aboutSpans is what a row is about, in at most w cells: a path loses folders in its middle before anything else is cut.
func (l *list) aboutSpans(it *item, line *query.Line, x *cells, w int) []span {
	if x.hit != nil && w >= 12 {
		return hitSpans(line, x, w)
	}
	text := x.about
	more := ""
	if line != nil && line.Lines > 1 && line.Kind == query.LineCall {
		more = " ⏎" + strconv.Itoa(line.Lines)
	}
	if line != nil && line.Path[1] > line.Path[0] && line.Path[1] <= len(text) && width(text)+width(more) > w {
		from, to := line.Path[0], line.Path[1]
		rest := width(text) + width(more) - width(text[from:to])
		if short := query.ShortenPath(text[from:to], max(w-rest, 8), width); short != "" {
			text = text[:from] + short + text[to:]
		}
	}
	if width(text)+width(more) > w {
		text = cut(text, max(w-width(more), 0))
	}
	spans := l.matchSpans(text, x.aboutInk, it.key == l.curKey)
	if more != "" && width(text)+width(more) <= w {
		spans = append(spans, span{text: more, ink: inkDim})
	}
	return spans
}

// hitSpans is what a row is about, in short, and the line in which the filter's text was found, after » with its number.
func hitSpans(line *query.Line, x *cells, w int) []span {
	text, ranges, front, back := x.hit.Around(max(w, 40))
	var spans []span
	left := w
	put := func(s string, i ink, g ground) {
		s = cut(partOfLine(s), left)
		left -= width(s)
		spans = append(spans, span{text: s, ink: i, ground: g})
	}
	if line.Call != noCall {
		put(cut(x.about, min(w/3, 24)), x.aboutInk, groundNone)
		put(fmt.Sprintf(" » %d: ", x.hit.Line), inkDim, groundNone)
	} else if x.hit.Line > 1 {
		put(fmt.Sprintf("» %d: ", x.hit.Line), inkDim, groundNone)
	}
	trimmed := strings.TrimLeft(text, " \t")
	off := len(text) - len(trimmed)
	// A hit far back in its line must be seen: what is before it is cut.
	at := off
	if len(ranges) > 0 && width(text[at:min(ranges[0][1], len(text))]) > left {
		at = max(ranges[0][0]-left/3, at)
		for at < len(text) && text[at]&0xc0 == 0x80 {
			at++
		}
		front = true
	}
	if front {
		put("…", inkDim, groundNone)
	}
	for _, r := range ranges {
		if r[0] < at || r[1] > len(text) {
			continue
		}
		put(text[at:r[0]], x.aboutInk, groundNone)
		put(text[r[0]:r[1]], x.aboutInk, groundMatch)
		at = r[1]
	}
	put(text[at:], x.aboutInk, groundNone)
	if back {
		put("…", inkDim, groundNone)
	}
	return spans
}

// drawRule draws a row that goes across.
func (l *list) drawRule(it *item, base ground, cursor bool) string {
	text, i, heavy := l.ruleText(it)
	dash := "─"
	if heavy {
		dash = "━"
	}
	lead := dash + dash
	if cursor {
		lead = "›" + dash
	}
	if it.key.kind == rowSkipped {
		text = strings.TrimSpace(text)
		return l.h.styles.line(l.w-1, base, span{text: "   ┄┄┄┄ " + text + " ┄┄┄┄", ink: inkDim})
	}
	text = cut(text, max(l.w-6, 0))
	rest := max(l.w-2-width(lead)-2-width(text), 0)
	return l.h.styles.line(l.w-1, base, span{text: lead + " ", ink: i}, span{text: text, ink: i}, span{text: " " + strings.Repeat(dash, rest), ink: i})
}

// ruleText is what a rule says.
func (l *list) ruleText(it *item) (text string, i ink, heavy bool) {
	h := l.h.snap.HeadRow(it.key.id)
	switch it.key.kind {
	case rowRead:
		text, i, heavy = "read up to here", inkMark, true
		if h.Time != 0 {
			text += " " + l.h.clock(h.Time)
		}
	case rowGap:
		i = inkDim
		if before, ok := l.messageBefore(int(it.slot)); ok {
			b := l.h.snap.HeadRow(before)
			text = took(time.Duration(h.Time-b.Time)*time.Millisecond) + " later"
			if l.day(b.Time) != l.day(h.Time) {
				text += ", " + time.UnixMilli(h.Time).In(l.h.zone).Format("Mon 2 Jan 2006")
			}
		}
	case rowModel:
		i = inkDim
		before, _ := l.modelBefore(int(it.slot))
		text = "model " + shortModel(l.h.snap.Name(before)) + " → " + shortModel(l.h.snap.Name(h.Name))
	case rowSession:
		i = inkAccent
		text = l.sessionWord(it.key.id)
	case rowRestart:
		text, i, heavy = l.restarted, inkWarning, true
	case rowBranch:
		i = inkAccent
		text = l.branchWord(it.key.id)
	case rowSkipped:
		n := l.rowsBetween(int(it.slot))
		text = plural(n, "message", "messages")
	case rowRule:
		i = inkAccent
		m := l.h.bodies.get(it.key.id)
		if m == nil {
			text = "…"
			break
		}
		ln := l.h.described.d.Rule(l.h.ctx, l.h.snap, m)
		text = ln.About
		if text == "" {
			text = fallbackRule(m)
		}
		switch {
		case m.Op == model.Compact:
			text = "≡ " + text
		case m.Op != model.End:
		case ln.State == model.Failure || ln.State == model.TimedOut:
			text, i = "✗ "+text, inkError
		case ln.State.Failed():
			text, i = "■ "+text, inkWarning
		case ln.State == model.Success:
			text, i = "✓ "+text, inkOK
		default:
			i = inkDim
		}
	}
	return text, i, heavy
}

func (l *list) timeOf(it *item) string {
	h := l.h.snap.HeadRow(it.key.id)
	if h.Time == 0 {
		return ""
	}
	switch l.timeMode {
	case timeSinceStart:
		if s := l.h.snap.Len(); s > 0 {
			if t := l.h.snap.HeadRow(l.h.snap.At(0)).Time; t != 0 {
				return fitRight("+"+age(time.Duration(h.Time-t)*time.Millisecond), 8)
			}
		}
	case timeSinceRow:
		if id, ok := l.messageBefore(int(it.slot)); ok {
			if t := l.h.snap.HeadRow(id).Time; t != 0 {
				return fitRight("+"+took(time.Duration(h.Time-t)*time.Millisecond), 8)
			}
		}
		return ""
	}
	return l.h.clock(h.Time)
}

// heads is the line with the heads of the columns.
func (l *list) heads() string {
	c := &l.col
	left := "  " + fitRight("#", c.index) + " "
	if c.time {
		left += "time"
	}
	right := "outcome"
	if c.dur {
		right += fitRight("dur", 7)
	}
	if c.tok {
		right += fitRight("tok", 6)
	}
	return l.h.styles.spread(l.w, groundNone, []span{{text: left, ink: inkDim}}, []span{{text: right + "  ", ink: inkDim}})
}
