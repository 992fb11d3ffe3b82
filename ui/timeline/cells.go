package timeline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"turns/model"
	"turns/query"
	"turns/query/changes"
	"turns/query/describe"
	"turns/query/filter"
	"turns/query/human"
	"turns/query/session"
	"turns/query/summary"
	"turns/ui/paint"
	"turns/ui/screen"
)

// cells are the texts of a row before they are fitted into its columns.
type cells struct {
	fold, glyph, word, about, outcome, dur, tok string
	// the line that matches the filter's text
	hit                                     *filter.Hit
	glyphInk, wordInk, aboutInk, outcomeInk paint.Ink
	failed                                  bool
	shorter                                 []string // the outcome in less room, the longest first
}

// cellsOf returns the texts of a row.
func (l *List) cellsOf(it *item, line *describe.Line) cells {
	x := cells{wordInk: paint.InkText, aboutInk: paint.InkText, outcomeInk: paint.InkDim}
	switch {
	case it.Key.Kind == screen.RowNote:
		l.noteCells(it, &x)
	case it.Key.Kind == screen.RowStep:
		l.stepCells(it, &x)
	case line == nil:
		x.glyph, x.glyphInk = "·", paint.InkDim
	default:
		l.lineCells(it, line, &x)
	}
	return x
}

func (l *List) lineCells(it *item, line *describe.Line, x *cells) {
	h := l.h.Snap.HeadRow(it.Key.ID)
	x.word, x.about, x.outcome = line.Word, line.About, line.Outcome
	x.failed = line.State.Failed()
	if l.IsOpen(it) {
		x.fold = "▾"
	}
	switch line.Kind {
	case describe.LineUser:
		x.glyph, x.glyphInk, x.wordInk = "❯", paint.InkUser, paint.InkUser
		if h.Flags&model.Prompt != 0 && it.Depth == 0 {
			l.promptCells(it, x)
		}
	case describe.LineAssistant:
		x.glyph, x.glyphInk, x.wordInk = "●", paint.InkAssistant, paint.InkAssistant
	case describe.LineReasoning:
		x.glyph, x.glyphInk, x.wordInk, x.aboutInk = "~", paint.InkReasoning, paint.InkReasoning, paint.InkDim
	case describe.LineSystem:
		x.glyph, x.glyphInk, x.wordInk = "▪", paint.InkSystem, paint.InkSystem
	case describe.LineInjected:
		x.glyph, x.glyphInk, x.wordInk, x.aboutInk = "◦", paint.InkInjected, paint.InkInjected, paint.InkDim
	case describe.LineCall:
		l.callCells(it, line, x)
	case describe.LineOrphan:
		x.glyph, x.glyphInk, x.wordInk = line.Glyph(), paint.InkError, paint.InkTool
		if line.Again && !line.State.Failed() {
			x.glyphInk = paint.InkOK
		}
	case describe.LineUnreadable:
		x.glyph, x.glyphInk, x.wordInk = "?", paint.InkError, paint.InkError
	case describe.LineMedia:
		x.glyph, x.glyphInk, x.wordInk = "▣", paint.InkSystem, paint.InkSystem
	default:
		x.glyph, x.glyphInk, x.wordInk, x.aboutInk = "·", paint.InkEvent, paint.InkEvent, paint.InkDim
	}
	if x.failed && line.Kind != describe.LineCall {
		x.outcomeInk = paint.InkWarning
		if line.State == model.Failure {
			x.glyph, x.glyphInk, x.outcomeInk, x.wordInk = "✗", paint.InkError, paint.InkError, paint.InkError
		}
	}
	l.tokenCells(it, line, x)
	if l.View().On && l.View().Finder != nil {
		x.hit = l.textHit(it, line)
	}
}

// textHit finds the line of a row's text that matches the filter's text.
func (l *List) textHit(it *item, line *describe.Line) *filter.Hit {
	m := l.h.Bodies.Get(it.Key.ID)
	if m == nil {
		return nil
	}
	find := l.View().Finder
	if line.Block >= 0 && line.Block < len(m.Blocks) {
		if h, ok := find.Block(&m.Blocks[line.Block]); ok {
			return &h
		}
	}
	result, _ := l.h.ResultOf(line, m)
	if result == nil {
		return nil
	}
	if h, ok := find.Block(result); ok {
		return &h
	}
	return nil
}

// callCells sets the cells for the outcome of a call.
func (l *List) callCells(it *item, line *describe.Line, x *cells) {
	x.wordInk = paint.InkTool
	state := l.h.StateOf(line)
	x.glyph, x.glyphInk = screen.OutcomeGlyph(state)
	x.outcomeInk = paint.InkDim
	switch state {
	case model.Failure, model.Denied, model.Stopped, model.Cancelled, model.TimedOut:
		x.outcomeInk = x.glyphInk
	case model.Running:
		if waits := l.h.WaitsFor(line); waits != session.Unknown {
			x.glyphInk, x.outcomeInk = paint.InkRunning, paint.InkRunning
			if x.outcome == "" || x.outcome == "no result" || waits != session.Running {
				x.outcome = waits.CallWords()
			}
		} else if x.outcome == "" || x.outcome == "running" {
			x.outcome = "no result"
		}
	}
	if line.Call == screen.NoCall {
		return
	}
	c := l.h.Snap.Call(line.Call)
	if d, ok := c.Duration(); ok {
		x.dur = human.Took(d) // no room for the sign of an upper bound, which the open call has
	} else if l.running(line) {
		if t := l.h.Snap.HeadRow(it.Key.ID).Time; t != 0 {
			age := l.h.Opts.Time().Sub(time.UnixMilli(t))
			if x.dur = human.Clock(age); age >= time.Hour {
				x.dur = human.Took(age) // seconds would not fit the column
			}
		}
	}
	if l.isScript(it) {
		x.aboutInk, x.outcomeInk = paint.InkDim, paint.InkDim
		x.fold = "▾"
		if l.Opened[it.Key].State == OpenClosed {
			x.fold = "▸"
			x.outcome = strings.TrimSuffix(human.Plural(l.madeBy(it), "call")+" · "+x.outcome, " · ")
		}
	} else if c.Child != 0 && !l.View().On {
		x.fold = "▸"
		if l.Opened[it.Key].State >= openShort {
			x.fold = "▾"
		}
	}
}

// wideTurns is the least width of rows that show the number and the net change of their turn.
const wideTurns = 90

// ShowsTurn reports whether a row on the screen has room for the net changes of its turn.
func (l *List) ShowsTurn() bool {
	if l.Col.w < wideTurns {
		return false
	}
	prompt := func(p place) bool {
		it, ok := l.item(p)
		return ok && it.Kind == describe.LineUser && it.Depth == 0 && l.h.Snap.HeadRow(it.Key.ID).Flags&model.Prompt != 0
	}
	return slices.ContainsFunc(l.StickyPlaces(), prompt) || slices.ContainsFunc(l.OnScreen(), prompt)
}

// promptCells adds the data of a turn to the first row of its prompt.
func (l *List) promptCells(it *item, x *cells) {
	x.aboutInk = paint.InkBold
	if it.goesOn {
		return
	}
	prompt := it.Key.ID
	x.fold = "▾"
	if closed, steps := l.turnClosed(prompt); closed || steps {
		x.fold = "▸"
		if steps {
			x.fold = "▾"
		}
	}
	t, tokens, ok := l.h.TurnOf(prompt)
	if !ok {
		return
	}
	net := ""
	if n := l.h.TurnNets[t.Number]; n.Added+n.Removed > 0 && l.Col.w >= wideTurns { // 0: unknown or undone
		net = changes.PlusMinus(n.Added, n.Removed)
	}
	x.outcome, x.shorter = turnWords("", t, net, true), []string{turnWords("", t, "", true)}
	if l.Col.w >= wideTurns {
		name := fmt.Sprintf("turn %d", t.Number)
		x.shorter = append([]string{turnWords(name, t, net, true), x.outcome}, x.shorter...)
		x.outcome = turnWords(name, t, net, false)
	}
	if t.Took > 0 {
		x.dur = human.Took(t.Took.Duration())
	}
	if tokens > 0 {
		x.tok = human.Short(tokens)
	}
}

// turnWords describes a turn; short replaces the word for errors by their sign.
func turnWords(name string, t *summary.Turn, net string, short bool) string {
	counts, copied, mark := t.MainCounts(), "", t.Mark().Text
	if t.Errors > 0 && short {
		counts[len(counts)-1] = human.Count(t.Errors) + " ✗"
	}
	if t.Failed {
		mark = "failed" // its sign counts errors here
	}
	if t.Copied > 0 {
		copied = human.Count(t.Copied) + " copied"
	}
	words := slices.Concat([]string{name}, counts, []string{net, copied, mark})
	return strings.Join(slices.DeleteFunc(words, func(s string) bool { return s == "" }), " · ")
}

// tokenCells fills the token column with counted tokens.
func (l *List) tokenCells(it *item, line *describe.Line, x *cells) {
	t := l.h.Tokens
	if t == nil || x.tok != "" || it.goesOn {
		return
	}
	n, ok := int64(0), false
	switch line.Kind {
	case describe.LineCall, describe.LineOrphan:
		if line.Call != screen.NoCall {
			var c query.CallTokens
			if c, ok = t.Call(line.Call); ok {
				n = int64(c.Result)
				if line.Family == describe.FamilyWrite {
					n += int64(c.Args)
				}
			}
		}
	case describe.LineReasoning:
		var m query.TextTokens
		if m, ok = t.Message(it.Key.ID); ok {
			n = int64(m.Reasoning)
		}
	default:
		var m query.TextTokens
		if m, ok = t.Message(it.Key.ID); ok {
			n = int64(m.Content)
		}
	}
	switch {
	case !ok:
	case n == 0:
		x.tok = "·"
	default:
		x.tok = human.Short(n)
	}
}

// noteCells sets the cells of a note, a run of notes or an unreadable record.
func (l *List) noteCells(it *item, x *cells) {
	x.glyph, x.glyphInk, x.wordInk, x.aboutInk, x.word = "·", paint.InkEvent, paint.InkEvent, paint.InkDim, "event"
	if it.Kind == describe.LineUnreadable {
		x.glyph, x.glyphInk, x.wordInk, x.word, x.outcomeInk = "?", paint.InkError, paint.InkError, "unreadable", paint.InkDim
		m := l.h.Bodies.Get(it.Key.ID)
		if m == nil {
			return
		}
		ln := l.h.Described.D.Note(m)
		x.about, x.outcome = ln.About, ln.Outcome
		if x.about == "" && m.Err != nil {
			x.about = paint.OneLine(m.Err.Error())
		}
		x.outcome = cmp.Or(x.outcome, model.SizeOf(int64(len(m.Raw())))+", "+l.h.Key("r")+" shows it")
		return
	}
	if it.run == 1 {
		if m := l.h.Bodies.Get(it.Key.ID); m != nil {
			ln := l.h.Described.D.Note(m)
			x.about, x.outcome = ln.About, ln.Outcome
			if ln.Word != "" {
				x.word = ln.Word
			}
		}
		x.about = cmp.Or(x.about, paint.OneLine(l.h.Snap.Name(l.h.Snap.HeadRow(it.Key.ID).Name)))
	} else {
		x.about = l.runText(it)
	}
	if l.IsOpen(it) {
		x.fold = "▾"
	}
}

// runText lists the kinds of a run of notes with their counts, the most frequent first.
func (l *List) runText(it *item) string {
	var names []string
	counts := map[string]int{}
	for n := range int(it.run) {
		slot := int(it.slot) + n
		if slot >= l.Slots() {
			break
		}
		name := cmp.Or(paint.OneLine(l.h.Snap.Name(l.h.Snap.HeadRow(l.SlotID(slot)).Name)), "event")
		if counts[name] == 0 {
			names = append(names, name)
		}
		counts[name]++
	}
	for i, name := range names {
		names[i] = human.Count(counts[name]) + " " + name
	}
	return strings.Join(names, ", ")
}

// stepCells sets the cells of a response at outline level 2: its first words, then its calls.
func (l *List) stepCells(it *item, x *cells) {
	x.glyph, x.glyphInk, x.word, x.wordInk = "●", paint.InkAssistant, "assistant", paint.InkAssistant
	if l.IsOpen(it) {
		x.fold = "▾"
	}
	lines, _ := l.h.Described.Lines(it.Key.ID)
	var text, calls string
	last := ""
	for i := range lines {
		ln := &lines[i]
		switch ln.Kind {
		case describe.LineCall:
			if ln.Word != last {
				if calls != "" {
					calls += " "
				}
				calls += ln.Word + " "
				last = ln.Word
			}
			c := cells{}
			l.callCells(it, ln, &c)
			calls += c.glyph
		case describe.LineAssistant, describe.LineReasoning:
			if text == "" || ln.Kind == describe.LineAssistant {
				text = ln.About
			}
		}
	}
	x.about, x.outcome = text, calls
	if text == "" {
		x.about, x.outcome = calls, ""
	}
	if screen.HasFailedCall(l.h.Snap, it.Key.ID) {
		x.failed, x.outcomeInk = true, paint.InkError
	}
	if l.h.Tokens != nil {
		if m, ok := l.h.Tokens.Message(it.Key.ID); ok {
			x.tok = human.Short(m.Sum())
		}
	}
}

// fallbackRule is the text of a rule for which the format records none.
func fallbackRule(m *model.Message) string {
	switch m.Op {
	case model.Compact:
		return "compacted"
	case model.Rewind:
		return "rewound"
	case model.Reset:
		return "begun again"
	case model.End:
		return "ended"
	}
	return paint.OneLine(m.Name)
}

// columns are the positions of the parts of a row, in cells from the left of the timeline.
type columns struct {
	w      int
	index  int // width; 0: none
	time   bool
	Fold   int // position of the fold sign or bracket; the glyph follows
	word   int // width with separator; 0: none
	about  int // start of the text
	end    int // end of the outcome
	dur    bool
	tok    bool
	always bool // outcomes are shown even for successes
}

// columnsFor fits the columns of a row into w cells. digits is the number of digits of the largest
// index. A wider timeline never has less room for texts: before a new column appears, its cells go
// to the tool names.
func columnsFor(w, digits int, word nameWidths) columns {
	c := columnsAt(w, digits, word)
	room := c.end - c.about
	if w >= 60 {
		for more := 1; more <= widestColumns; more++ {
			next := columnsAt(w+more, digits, word)
			room = min(room, next.end-next.about)
		}
	}
	c.word += c.end - c.about - room
	c.about = c.end - room
	return c
}

// widestColumns is more than the total width of columns that appear at one width.
const widestColumns = 16

// columnsAt returns the columns that fit into w cells.
func columnsAt(w, digits int, word nameWidths) columns {
	c := columns{w: w, always: true}
	x := 2
	right := 2 // blank and scroll bar
	switch {
	case w >= 60:
		c.index, c.dur, c.word = max(4, digits), true, 10
		c.time = w >= 90
		c.tok = w >= 100
		if c.time {
			c.word = 11
		}
		if w >= 76 {
			longest := word.often
			if w >= allWordsFrom {
				longest = word.all
			}
			c.word = max(c.word, min(longest+1, wordMost))
		}
	case w >= 40:
		c.index, c.dur, c.always = max(4, digits), w >= 50, false
	default:
		c.always = false
	}
	x += c.index
	if c.index > 0 {
		x++
	}
	if c.time {
		x += 9
	}
	c.Fold = x
	c.about = x + 3 + c.word
	if c.dur {
		right += 7
	}
	if c.tok {
		right += 6
	}
	c.end = w - right
	return c
}

// wordMost is the greatest width of the word column, reached only for long tool names.
const wordMost = 15

// allWordsFrom is the least width of a timeline with room for all tool names.
const allWordsFrom = 90

// nameWidths are the widths of the longest tool name: among the frequent tools, and among all.
type nameWidths struct{ often, all int }

// longestNames returns these widths, from the first calls only.
func (l *List) longestNames() (w nameWidths) {
	if l.h.Snap == nil {
		return w
	}
	calls := min(l.h.Snap.CallCount(), 256)
	often := map[uint16]int{}
	for n := range calls {
		often[l.h.Snap.Call(model.CallID(n)).Tool]++
	}
	for tool, n := range often {
		width := paint.Width(describe.ToolWord(l.h.Snap.Name(tool)))
		w.all = max(w.all, width)
		if n*20 >= calls {
			w.often = max(w.often, width)
		}
	}
	return w
}
