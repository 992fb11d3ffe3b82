package timeline

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"turns/model"
	"turns/query/describe"
	"turns/query/human"
	"turns/query/session"
	"turns/ui/paint"
	"turns/ui/screen"
)

// drawnKey is the state that a drawn row depends on, in addition to its line.
type drawnKey struct {
	key   screen.RowKey
	gen   int
	mark  rune
	flags uint16
}

type drawnRow struct {
	line *describe.Line // the drawn line; a different one means that the message was amended
	text string
}

const (
	drawnCursor = 1 << iota
	drawnTaken
	drawnOpen
	drawnClosed
	drawnSticky
	drawnFocus
	drawnTop
	drawnBottom
	drawnFirst
	drawnGoesOn
)

// Render draws the lines of the timeline, exactly l.Rows of them, each l.w cells wide.
func (l *List) Render(focus bool) []string {
	places := l.OnScreen()
	bar := l.scrollBar(places)
	sticky := l.StickyPlaces()
	out := make([]string, 0, l.Rows)
	for i := range l.Rows {
		switch {
		case i < len(sticky) && i < len(places):
			it, _ := l.item(sticky[i])
			out = append(out, l.drawRow(&it, focus, true)+bar[i])
		case i < len(places):
			out = append(out, l.drawLine(places[i], focus)+bar[i])
		case i == 0:
			out = append(out, l.h.Styles.Line(l.w, paint.GroundNone, paint.Span{Text: "  " + l.emptyText(), Ink: paint.InkDim}))
		case i == len(places) && l.partial() != "":
			out = append(out, l.drawPartial()+bar[i])
		default:
			out = append(out, paint.Blanks(l.w))
		}
	}
	return out
}

func (l *List) emptyText() string {
	if !l.View().On {
		text := "no messages"
		if n := l.h.Snap.Notes(); n > 0 {
			text += ", " + human.Plural(n, "event", "events") + ": " + l.h.Key("i") + " shows them"
		}
		return text
	}
	return fmt.Sprintf("0 of %s match; %s shows all, %s edits", human.Count(l.h.Snap.Len()), l.h.Key("&"), l.h.Key("f"))
}

// drawLine draws one line without its cell of the scroll bar.
func (l *List) drawLine(p place, focus bool) string {
	it, ok := l.item(p)
	if !ok {
		return paint.Blanks(l.w - 1)
	}
	if p.Chunk == 0 {
		return l.drawRow(&it, focus, false)
	}
	d := l.docOf(&it)
	if d != nil && d.Waits {
		p.Chunk, p.line = 1, 0
	}
	if d == nil || p.Chunk > d.Len() {
		return paint.Blanks(l.w - 1)
	}
	lines := d.Lines(p.Chunk - 1)
	if p.line >= len(lines) {
		return paint.Blanks(l.w - 1)
	}
	at := l.bodyAt(&it)
	guide := paint.InkFaint
	if it.Key == l.CurKey {
		guide = paint.InkBorderFocus
	}
	text := l.Highlight(lines[p.line], l.isShownHit(p, &it))
	var b strings.Builder
	b.WriteString(paint.Blanks(at - 2))
	l.h.Styles.Put(&b, paint.Span{Text: "│ ", Ink: guide}, paint.GroundNone)
	b.WriteString(text)
	b.WriteString(paint.Blanks(l.w - 1 - at - paint.Width(text)))
	return b.String()
}

// Indent returns the indentation of a row for its depth in subagents. It leaves room for the text
// of the row.
func (l *List) Indent(it *item) int {
	return min(int(it.Depth)*3, max(l.Col.w-l.Col.about-24, 0))
}

// drawRow draws the row of an item, or returns it from the cache.
func (l *List) drawRow(it *item, focus, sticky bool) string {
	cursor := it.Key == l.CurKey && !sticky
	key := drawnKey{key: it.Key, gen: l.gen, mark: l.h.Glyph(it.Key, it.Call)}
	set := func(on bool, flag uint16) {
		if on {
			key.flags |= flag
		}
	}
	set(cursor, drawnCursor)
	set(l.isTaken(it), drawnTaken)
	set(l.IsOpen(it), drawnOpen)
	set(l.Opened[it.Key].State == OpenClosed, drawnClosed)
	set(sticky, drawnSticky)
	set(cursor && focus, drawnFocus)
	set(it.bracket == bracketTop || it.bracket == bracketMiddle, drawnTop)
	set(it.bracket == bracketBottom || it.bracket == bracketMiddle, drawnBottom)
	set(it.first, drawnFirst)
	set(it.goesOn, drawnGoesOn)
	line, _ := l.lineOf(it)
	live := line != nil && l.running(line)
	if !live {
		if d, ok := l.drawn.Get(key); ok && d.line == line {
			return d.text
		}
	}
	l.Renders++
	base := paint.GroundNone
	switch {
	case key.flags&drawnTaken != 0:
		base = paint.GroundSelected
	case cursor:
		base = paint.GroundCursor
	}
	var text string
	switch it.Key.Kind {
	case screen.RowLine, screen.RowNote, screen.RowStep:
		text = l.drawCells(it, line, base, cursor, key.mark, sticky)
	default:
		text = l.drawRule(it, base, cursor)
	}
	if !live {
		l.drawn.PutSized(key, drawnRow{line, text}, int64(len(text)+128))
	}
	return text
}

// running reports whether a line shows a changing age.
func (l *List) running(line *describe.Line) bool {
	return line.Kind == describe.LineCall && (line.State == model.Running || line.State == model.Unknown) && l.h.WaitsFor(line) != session.Unknown
}

// drawCells draws a row in columns.
func (l *List) drawCells(it *item, line *describe.Line, base paint.Ground, cursor bool, mark rune, sticky bool) string {
	c := &l.Col
	x := l.cellsOf(it, line)
	in := l.Indent(it)
	spans := l.margin(make([]paint.Span, 0, 24), it, in, cursor, mark, it.first || sticky)
	add := func(text string, i paint.Ink) { spans = append(spans, paint.Span{Text: text, Ink: i}) }
	if it.bracket == bracketNone {
		add(paint.Fit(x.fold, 1), paint.InkDim)
	} else {
		add([...]string{bracketTop: "┌", bracketMiddle: "├", bracketBottom: "└"}[it.bracket], paint.InkDim)
	}
	add(x.glyph+" ", x.glyphInk)
	outcome := x.outcome
	if !c.always && !x.failed {
		outcome = ""
	}
	room := c.end - c.about - in
	if c.word > 0 {
		word, w := x.word, c.word
		if x.about == "" { // a long word may use the empty room
			more := max(min(paint.Width(word)+1-w, room-paint.Width(outcome)-2), 0)
			w, room = w+more, room-more
		}
		if paint.Width(word) > w-1 {
			word = paint.CutMiddle(word, w-1)
		}
		add(paint.Fit(word, w), x.wordInk)
	}
	outcome = x.outcomeIn(outcome, room)
	ow := paint.Width(outcome)
	about := room - ow
	if ow > 0 {
		about -= 2
	}
	left := about
	for _, sp := range l.aboutSpans(it, line, &x, about) {
		spans = append(spans, sp)
		left -= paint.Width(sp.Text)
	}
	add(paint.Blanks(left), paint.InkText)
	if ow > 0 {
		add("  ", paint.InkText)
		add(outcome, x.outcomeInk)
	}
	if c.dur {
		add(paint.FitRight(x.dur, 7), paint.InkDim)
	}
	if c.tok {
		add(paint.FitRight(x.tok, 6), paint.InkDim)
	}
	add(" ", paint.InkText)
	var b strings.Builder
	b.Grow(l.w * 3)
	l.h.Styles.LineTo(&b, l.w-1, base, spans)
	return b.String()
}

// margin adds the cells before a row: cursor, mark, number and time, which only the first row of a
// message has, and the indent.
func (l *List) margin(spans []paint.Span, it *item, in int, cursor bool, mark rune, first bool) []paint.Span {
	add := func(text string, i paint.Ink) { spans = append(spans, paint.Span{Text: text, Ink: i}) }
	if cursor {
		add("›", paint.InkAccent)
	} else {
		add(" ", paint.InkText)
	}
	if mark != 0 {
		add(string(mark), paint.InkMark)
	} else {
		add(" ", paint.InkText)
	}
	if w := l.Col.index; w > 0 {
		text := ""
		if first && it.Index >= 0 {
			text = strconv.Itoa(int(it.Index))
			if it.Depth > 0 {
				text = "·" + text
			}
		}
		add(paint.FitRight(text, w)+" ", paint.InkDim)
	}
	if l.Col.time {
		text := ""
		if first {
			text = l.timeOf(it)
		}
		add(paint.Fit(text, 8)+" ", paint.InkDim)
	}
	add(paint.Blanks(in), paint.InkText)
	return spans
}

// outcomeIn cuts the outcome of a call to its share of the room: half of it, more for a failure,
// less with a search hit, and all the room left by the text.
func (x *cells) outcomeIn(outcome string, room int) string {
	if room < 24 && !x.failed {
		return ""
	}
	most := room / 2
	switch {
	case x.hit != nil:
		most = room / 3 // the hit matters more than the outcome
	case x.failed:
		most = max(room*6/10, room-2-paint.Width(x.about)-5)
	default:
		most = max(most, room-2-paint.Width(x.about)-5) // 5: the sign for further lines
	}
	for _, shorter := range x.shorter {
		if paint.Width(outcome) > most {
			outcome = shorter
		}
	}
	return paint.Cut(outcome, most)
}

// aboutSpans returns the text of a row in at most w cells; a path loses folders in its middle
// first.
func (l *List) aboutSpans(it *item, line *describe.Line, x *cells, w int) []paint.Span {
	if x.hit != nil && w >= 12 {
		return hitSpans(line, x, w)
	}
	text := x.about
	more := ""
	if line != nil && line.Lines > 1 && line.Kind == describe.LineCall {
		more = " ⏎" + strconv.Itoa(line.Lines)
	}
	if line != nil && line.Path[1] > line.Path[0] && line.Path[1] <= len(text) && paint.Width(text)+paint.Width(more) > w {
		from, to := line.Path[0], line.Path[1]
		rest := paint.Width(text) + paint.Width(more) - paint.Width(text[from:to])
		if short := describe.ShortenPath(text[from:to], max(w-rest, 8)); short != "" {
			text = text[:from] + short + text[to:]
		}
	}
	if paint.Width(text)+paint.Width(more) > w {
		text = paint.Cut(text, max(w-paint.Width(more), 0))
	}
	spans := l.matchSpans(text, x.aboutInk, it.Key == l.CurKey)
	if more != "" && paint.Width(text)+paint.Width(more) <= w {
		spans = append(spans, paint.Span{Text: more, Ink: paint.InkDim})
	}
	return spans
}

// hitSpans returns the shortened text of a row and the line that matches the filter, after » with
// its number.
func hitSpans(line *describe.Line, x *cells, w int) []paint.Span {
	text, ranges, front, back := x.hit.Around(max(w, 40))
	var spans []paint.Span
	left := w
	put := func(s string, i paint.Ink, g paint.Ground) {
		s = paint.Cut(paint.PartOfLine(s), left)
		left -= paint.Width(s)
		spans = append(spans, paint.Span{Text: s, Ink: i, Ground: g})
	}
	if line.Call != screen.NoCall {
		put(paint.Cut(x.about, min(w/3, 24)), x.aboutInk, paint.GroundNone)
		put(fmt.Sprintf(" » %d: ", x.hit.Line), paint.InkDim, paint.GroundNone)
	} else if x.hit.Line > 1 {
		put(fmt.Sprintf("» %d: ", x.hit.Line), paint.InkDim, paint.GroundNone)
	}
	trimmed := strings.TrimLeft(text, " \t")
	off := len(text) - len(trimmed)
	// A hit late in its line must be visible, so the text before it is cut.
	at := off
	if len(ranges) > 0 && paint.Width(text[at:min(ranges[0][1], len(text))]) > left {
		at = max(ranges[0][0]-left/3, at)
		for at < len(text) && text[at]&0xc0 == 0x80 {
			at++
		}
		front = true
	}
	if front {
		put("…", paint.InkDim, paint.GroundNone)
	}
	for _, r := range ranges {
		if r[0] < at || r[1] > len(text) {
			continue
		}
		put(text[at:r[0]], x.aboutInk, paint.GroundNone)
		put(text[r[0]:r[1]], x.aboutInk, paint.GroundMatch)
		at = r[1]
	}
	put(text[at:], x.aboutInk, paint.GroundNone)
	if back {
		put("…", paint.InkDim, paint.GroundNone)
	}
	return spans
}

// drawRule draws a rule.
func (l *List) drawRule(it *item, base paint.Ground, cursor bool) string {
	text, i, heavy := l.ruleText(it)
	dash := "─"
	if heavy {
		dash = "━"
	}
	lead := dash + dash
	if cursor {
		lead = "›" + dash
	}
	if it.Key.Kind == screen.RowSkipped {
		text = strings.TrimSpace(text)
		return l.h.Styles.Line(l.w-1, base, paint.Span{Text: "   ┄┄┄┄ " + text + " ┄┄┄┄", Ink: paint.InkDim})
	}
	text = paint.Cut(text, max(l.w-6, 0))
	rest := max(l.w-2-paint.Width(lead)-2-paint.Width(text), 0)
	return l.h.Styles.Line(l.w-1, base, paint.Span{Text: lead + " ", Ink: i}, paint.Span{Text: text, Ink: i}, paint.Span{Text: " " + strings.Repeat(dash, rest), Ink: i})
}

// ruleText returns the text of a rule.
func (l *List) ruleText(it *item) (text string, i paint.Ink, heavy bool) {
	h := l.h.Snap.HeadRow(it.Key.ID)
	switch it.Key.Kind {
	case screen.RowRead:
		text, i, heavy = l.newSince(it.Key.ID), paint.InkMark, true
	case screen.RowGap:
		i = paint.InkDim
		if before, ok := l.messageBefore(int(it.slot)); ok {
			b := l.h.Snap.HeadRow(before)
			text = human.Took(time.Duration(h.Time-b.Time)*time.Millisecond) + " later"
			if l.day(b.Time) != l.day(h.Time) {
				text += ", " + time.UnixMilli(h.Time).In(l.h.Zone).Format("Mon 2 Jan 2006")
			}
		}
	case screen.RowModel:
		i = paint.InkDim
		before, _ := l.modelBefore(int(it.slot))
		text = "model " + screen.ShortModel(l.h.Snap.Name(before)) + " → " + screen.ShortModel(l.h.Snap.Name(h.Name))
	case screen.RowSession:
		i = paint.InkAccent
		text = l.sessionWord(it.Key.ID)
	case screen.RowRestart:
		text, i, heavy = l.restarted, paint.InkWarning, true
	case screen.RowAgent:
		i = paint.InkAccent
		text = "subagent in a separate file, started by no call · " + human.Plural(len(l.threadIDs(h.Thread)), "message")
	case screen.RowBranch:
		i = paint.InkAccent
		text = l.branchWord(it.Key.ID)
	case screen.RowSkipped:
		n := l.rowsBetween(int(it.slot))
		text = human.Plural(n, "message", "messages")
	case screen.RowRule:
		i = paint.InkAccent
		m := l.h.Bodies.Get(it.Key.ID)
		if m == nil {
			text = "…"
			break
		}
		ln := l.h.Described.D.Rule(l.h.Snap, m)
		text = ln.About
		text = cmp.Or(text, fallbackRule(m))
		switch {
		case m.Op == model.Compact:
			text = "≡ " + text
		case m.Op != model.End:
		case ln.State == model.Failure || ln.State == model.TimedOut:
			text, i = "✗ "+text, paint.InkError
		case ln.State.Failed():
			text, i = "■ "+text, paint.InkWarning
		case ln.State == model.Success:
			text, i = "✓ "+text, paint.InkOK
		default:
			i = paint.InkDim
		}
	}
	return text, i, heavy
}

// newSince describes since when the rows are new, and how many messages they have.
func (l *List) newSince(id model.ID) string {
	text, since, s := "new", cmp.Or(l.readSince, l.h.Snap.HeadRow(id).Time), l.h.Snap
	if since != 0 {
		layout := "15:04"
		if l.day(since) != l.day(l.h.Opts.Time().UnixMilli()) {
			layout = "Mon 2 Jan 15:04"
		}
		text += " since " + time.UnixMilli(since).In(l.h.Zone).Format(layout)
	}
	if at := s.Pos(id); at >= 0 {
		text += ", " + human.Plural(s.Len()-at, "message")
	}
	return text
}

func (l *List) timeOf(it *item) string {
	h := l.h.Snap.HeadRow(it.Key.ID)
	if h.Time == 0 {
		return ""
	}
	switch l.timeMode {
	case timeSinceStart:
		if s := l.h.Snap.Len(); s > 0 {
			if t := l.h.Snap.HeadRow(l.h.Snap.At(0)).Time; t != 0 {
				return paint.FitRight("+"+human.Clock(time.Duration(h.Time-t)*time.Millisecond), 8)
			}
		}
	case timeSinceRow:
		if id, ok := l.messageBefore(int(it.slot)); ok {
			if t := l.h.Snap.HeadRow(id).Time; t != 0 {
				return paint.FitRight("+"+human.Took(time.Duration(h.Time-t)*time.Millisecond), 8)
			}
		}
		return ""
	}
	return l.h.Clock(h.Time)
}

// Heads is the line with the column heads.
func (l *List) Heads() string {
	c := &l.Col
	left := "  " + paint.FitRight("#", c.index) + " "
	if c.time {
		left += "time"
	}
	right := "outcome"
	if c.dur {
		right += paint.FitRight("dur", 7)
	}
	if c.tok {
		right += paint.FitRight("tok", 6)
	}
	return l.h.Styles.Spread(l.w, paint.GroundNone, []paint.Span{{Text: left, Ink: paint.InkDim}}, []paint.Span{{Text: right + "  ", Ink: paint.InkDim}})
}

// matchSpans splits a text of a row into search hits and the rest.
func (l *List) matchSpans(text string, i paint.Ink, current bool) []paint.Span {
	if l.find.Text == "" {
		return []paint.Span{{Text: text, Ink: i}}
	}
	p := l.find.pat
	g := paint.GroundMatch
	if current {
		g = paint.GroundMatchCurrent
	}
	var spans []paint.Span
	at := 0
	for {
		from, to := p.In(text, at)
		if from < 0 || to == from {
			break
		}
		if from > at {
			spans = append(spans, paint.Span{Text: text[at:from], Ink: i})
		}
		spans = append(spans, paint.Span{Text: text[from:to], Ink: i, Ground: g})
		at = to
	}
	return append(spans, paint.Span{Text: text[at:], Ink: i})
}

// Highlight marks the search hits in a styled line of a body.
func (l *List) Highlight(line string, current bool) string {
	if l.find.Text == "" {
		return line
	}
	return l.HighlightOf(l.find.pat, line, current)
}

// Sought returns the pattern of the search; false for none.
func (l *List) Sought() (screen.Pattern, bool) {
	if l.find.Text == "" {
		return screen.Pattern{}, false
	}
	return l.find.pat, true
}

// HighlightOf marks a pattern in a styled line of a body.
func (l *List) HighlightOf(p screen.Pattern, line string, current bool) string {
	plain := paint.Stripped(line)
	from, to := p.In(plain, 0)
	if from < 0 {
		return line
	}
	g := paint.GroundMatch
	if current {
		g = paint.GroundMatchCurrent
	}
	var b strings.Builder
	at := 0
	for from >= 0 && to > from {
		a, z := paint.Width(plain[:from]), paint.Width(plain[:to])
		b.WriteString(ansi.Cut(line, at, a))
		b.WriteString("\x1b[m")
		l.h.Styles.Put(&b, paint.Span{Text: plain[from:to]}, g)
		at = z
		from, to = p.In(plain, to)
	}
	b.WriteString(ansi.Cut(line, at, paint.Width(plain)))
	b.WriteString("\x1b[m")
	return b.String()
}

// isShownHit reports whether a line of a body has the current hit of n and N.
func (l *List) isShownHit(p place, it *item) bool {
	if it.Key != l.CurKey {
		return false
	}
	return l.find.shown.Chunk == 0 || l.find.shown == p
}
