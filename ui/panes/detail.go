package panes

import (
	"cmp"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/query/label"
	"turns/ui/paint"
	"turns/ui/screen"
)

// Detail is the pane that shows one item whole: what it is, everything that was recorded with it,
// its texts.
type Detail struct {
	h    *screen.Host
	l    timeline
	row  screen.Row // that is shown
	body *paint.Doc
	made detailKey
	top  spot
	h0   int
	// whole shows long arguments and all fields; fold is the part that a click opens them on.
	read   reading
	flat   []string   // the lines of flatOf
	flatOf *paint.Doc // that was numbered last
	whole  bool
	folded bool // some of it is not shown
	cut    bool // the arguments are
	goFold bool // the fields were unfolded: they come onto the screen
	fold   int
}

// timeline is what the detail needs of the list of rows.
type timeline interface {
	// Current is the row the cursor is on.
	Current() (screen.Row, bool)
	// SetMode chooses what the body of a row is shown as.
	SetMode(screen.RowKey, screen.BodyMode)
	// Highlight marks what the search found in a line.
	Highlight(line string, current bool) string
	// HighlightOf marks another pattern in a line.
	HighlightOf(p screen.Pattern, line string, current bool) string
	// Sought is what the search of the timeline looks for; false for nothing.
	Sought() (screen.Pattern, bool)
	// Wraps reports whether long lines are wrapped.
	Wraps() bool
}

// spot is a line of a doc.
type spot struct{ part, line int }

type detailKey struct {
	key     screen.RowKey
	w, gen  int
	version uint64
	mode    screen.BodyMode
	wrap    bool
	ready   bool
	fetched int
	whole   bool
	rows    int // of the pane
	said    *label.Here
	counted bool // the tokens are
}

func newDetail(h *screen.Host, l timeline) *Detail {
	return &Detail{h: h, l: l, read: reading{found: -1}}
}

// Name is what a configuration and a layout call the pane.
func (d *Detail) Name() string { return "detail" }

// Refresh has nothing to ask for: the pane draws the message at the cursor.
func (d *Detail) Refresh() tea.Cmd { return nil }

// follow shows the item the cursor is on, from its beginning if it is another one; ok is false for
// none.
func (d *Detail) follow() (ok bool) {
	r, ok := d.l.Current()
	if ok && r.Key != d.row.Key {
		d.top, d.read = spot{}, reading{find: d.read.find, found: -1}
	}
	d.row = r
	return ok
}

// Hints are the keys that the footer shows while the pane has the focus.
func (d *Detail) Hints() []screen.Hint {
	return append(screen.HintsOf(d.Keys()), screen.Hint{Key: "J K", Text: "next item"}, screen.Hint{Key: "%", Text: "other end"}, screen.Hint{Key: "y", Text: "copy"}, screen.Hint{Key: "Ctrl-g", Text: "editor"}, screen.Hint{Key: "x", Text: "export"})
}

// Key scrolls; everything else is the timeline's.
func (d *Detail) Key(key string, n int) (bool, tea.Cmd) {
	if d.read.marked {
		switch key {
		case "y":
			return true, d.copyLines()
		case "esc":
			d.Untake()
			return true, nil
		}
	}
	return screen.Pressed(d.Keys(), key, n)
}

// Keys are those that only the detail takes.
func (d *Detail) Keys() []screen.Key {
	page, half := max(d.h0-1, 1), max(d.h0/2, 1)
	scroll := func(lines int) func(int, string) tea.Cmd {
		return func(n int, _ string) tea.Cmd { d.move(max(n, 1) * lines); return nil }
	}
	return []screen.Key{
		{Keys: []string{"j", "down", "ctrl+e"}, Label: "j k", Hint: "scroll", Help: "scroll one line", Do: scroll(1)},
		{Keys: []string{"k", "up", "ctrl+y"}, Help: "scroll one line back", Do: scroll(-1)},
		{Keys: []string{"ctrl+d"}, Help: "half a page on", Do: scroll(half)},
		{Keys: []string{"ctrl+u"}, Help: "half a page back", Do: scroll(-half)},
		{Keys: []string{"space", "ctrl+f", "pgdown"}, Help: "a page on", Do: scroll(page)},
		{Keys: []string{"b", "ctrl+b", "pgup"}, Help: "a page back", Do: scroll(-page)},
		{Keys: []string{"g", "home"}, Help: "the beginning", Do: func(int, string) tea.Cmd { d.goTo(1); return nil }},
		{Keys: []string{"G", "end"}, Help: "the end; 312G goes to line 312", Do: func(n int, _ string) tea.Cmd {
			if n == 0 && !d.read.marked {
				d.toEnd()
				return nil
			}
			if n == 0 {
				n = flatLimit
			}
			d.goTo(n)
			return nil
		}},
		{Keys: []string{"/"}, Hint: "find", Help: "find in this item", Do: func(int, string) tea.Cmd { return d.openFind() }},
		{Keys: []string{"n"}, Help: "next search hit in this item", Do: func(n int, _ string) tea.Cmd { return d.hit(max(n, 1)) }},
		{Keys: []string{"N"}, Help: "previous search hit in this item", Do: func(n int, _ string) tea.Cmd { return d.hit(-max(n, 1)) }},
		{Keys: []string{"v", "V"}, Hint: "select lines", Help: "select lines; j and k extend, y copies them", Do: func(int, string) tea.Cmd { return d.mark() }},
		{Keys: []string{"enter", "l", "right"}, Hint: "all", Help: "open long arguments and all fields; again folds them", Do: func(int, string) tea.Cmd { return d.unfold() }},
		{Keys: []string{"r"}, Hint: "source", Help: "as rendered, as source text, as raw record", Do: func(int, string) tea.Cmd { d.nextMode(); return nil }},
		{Keys: []string{"h", "left"}, Help: "back to the timeline", Do: func(int, string) tea.Cmd { d.h.Ask(screen.ClosePane{}); return nil }},
	}
}

// unfold shows long arguments and all fields, or folds them again.
func (d *Detail) unfold() tea.Cmd {
	if !d.whole && !d.folded {
		return d.h.Complain("nothing is folded here")
	}
	d.whole = !d.whole
	d.goFold = d.whole && !d.cut
	return nil
}

// nextMode shows the texts in the next form.
func (d *Detail) nextMode() {
	d.l.SetMode(d.row.Key, (d.row.Mode+1)%3)
	d.top = spot{}
}

// Click on the line that stands for the fields shows them.
func (d *Detail) Click(_, y int, _ bool) tea.Cmd {
	s, ok := d.top, d.body != nil && y >= 2
	for ; ok && y > 2; y-- {
		s, ok = d.next(s)
	}
	if ok && s.part == d.fold {
		return d.unfold()
	}
	return nil
}

// Wheel scrolls by n rows.
func (d *Detail) Wheel(n int) { d.scroll(n) }

func (d *Detail) scroll(n int) {
	if d.body == nil {
		return
	}
	for ; n > 0; n-- {
		s, ok := d.next(d.top)
		if !ok || !d.fills(s) {
			return
		}
		d.top = s
	}
	for ; n < 0; n++ {
		s, ok := d.prev(d.top)
		if !ok {
			return
		}
		d.top = s
	}
}

// fills reports whether from a spot on there are lines for the whole pane.
func (d *Detail) fills(s spot) bool {
	for range d.h0 - 1 {
		n, ok := d.next(s)
		if !ok {
			return false
		}
		s = n
	}
	return true
}

func (d *Detail) next(s spot) (spot, bool) {
	s.line++
	for s.part < d.body.Len() {
		if s.line < len(d.body.Lines(s.part)) {
			return s, true
		}
		s.part, s.line = s.part+1, 0
	}
	return s, false
}

func (d *Detail) prev(s spot) (spot, bool) {
	if s.line > 0 {
		s.line--
		return s, true
	}
	for s.part > 0 {
		s.part--
		if n := len(d.body.Lines(s.part)); n > 0 {
			s.line = n - 1
			return s, true
		}
	}
	return s, false
}

func (d *Detail) toEnd() {
	if d.body == nil || d.body.Len() == 0 {
		return
	}
	s := spot{d.body.Len() - 1, max(len(d.body.Lines(d.body.Len()-1))-1, 0)}
	for range d.h0 - 1 {
		p, ok := d.prev(s)
		if !ok {
			break
		}
		s = p
	}
	d.top = s
}

// Render draws the pane: where the item stands, a rule, its texts.
func (d *Detail) Render(w, h int, full, focus bool) []string {
	if ok := d.follow(); !ok || h < 3 {
		return nil
	}
	st := d.h.Styles
	i := paint.InkBorder
	if focus {
		i = paint.InkBorderFocus
	}
	d.h0 = h - 2
	d.prepare(w - 2)
	title, place := d.title(true), []paint.Span(nil)
	if text := d.position(); text != "" && focus {
		place = []paint.Span{{Text: text + " ", Ink: paint.InkDim}}
	}
	if paint.RestWidth(title)+paint.RestWidth(place) > w {
		title = d.title(false)
	}
	lines := []string{st.Spread(w, paint.GroundNone, title, place), st.Paint(i, strings.Repeat("─", w))}
	if d.goFold && d.fold < d.body.Len() {
		d.goFold = false
		if d.top = (spot{d.fold, 0}); !d.fills(d.top) {
			d.toEnd()
		}
	}
	s := d.top
	if s.part < d.body.Len() && s.line >= len(d.body.Lines(s.part)) {
		s, _ = d.next(s)
	}
	n := -1
	if d.read.marked || d.read.found >= 0 {
		n = d.number(s)
	}
	for range d.h0 {
		if s.part >= d.body.Len() {
			break
		}
		part := d.body.Lines(s.part)
		if s.line < len(part) {
			lines = append(lines, d.drawLine(part[s.line], n, w))
			if n >= 0 {
				n++
			}
		}
		next, ok := d.next(s)
		if !ok {
			break
		}
		s = next
	}
	return lines
}

// drawLine draws a line: with the mark of the selection, and with what was found.
func (d *Detail) drawLine(line string, n, w int) string {
	lead := " "
	if first, last := d.selected(); d.read.marked && n >= first && n <= last {
		return d.h.Styles.Line(w-1, paint.GroundSelected, paint.Span{Text: "▌", Ink: paint.InkMark}, paint.Span{Text: paint.Cut(paint.Stripped(line), w-2)})
	}
	if d.read.find != "" {
		return lead + d.l.HighlightOf(screen.NewPattern(d.read.find), line, n == d.read.found)
	}
	return lead + d.l.Highlight(line, n == d.read.found)
}

// title says where the item stands, from the file on or, where that has no room, within it.
func (d *Detail) title(file bool) []paint.Span {
	r := &d.row
	s := d.h.Snap
	var out []paint.Span
	add := func(text string, i paint.Ink) {
		if len(out) > 0 {
			out = append(out, paint.Span{Text: " › ", Ink: paint.InkFaint}, paint.Span{Text: text, Ink: i})
		} else {
			out = append(out, paint.Span{Text: " " + text, Ink: i})
		}
	}
	if file {
		add(paint.Cut(paint.ShortName(d.h.State.Path), 24), paint.InkDim)
	}
	if d.h.Turns != nil {
		if t := d.h.Turns.Turn(r.Key.ID); t >= 0 {
			add(fmt.Sprintf("turn %d", t), paint.InkDim)
		}
	}
	if th := &s.Threads()[s.HeadRow(r.Key.ID).Thread]; !th.Main {
		add(paint.Cut(cmp.Or(model.CleanLine(th.Name), "subagent"), 24), paint.InkDim)
	}
	if n := s.Pos(r.Key.ID); n >= 0 {
		add(fmt.Sprintf("#%d", n), paint.InkText)
	}
	if line := r.Line; line != nil {
		add(line.Word, paint.InkBold)
		if line.Call != screen.NoCall {
			if calls := s.Calls(r.Key.ID); len(calls) > 1 {
				for n := range calls {
					if calls[n].ID == line.Call {
						out = append(out, paint.Span{Text: fmt.Sprintf("   call %d of %d in its message", n+1, len(calls)), Ink: paint.InkDim})
					}
				}
			}
		}
	}
	return out
}

// cutRows are the lines that long arguments leave themselves, so that the result is on the screen
// too.
func (d *Detail) cutRows() int { return max(d.h0*2/5, 4) }

// prepare makes the body of the item, unless it is there already.
func (d *Detail) prepare(w int) {
	r := &d.row
	key := detailKey{r.Key, w, d.h.Styles.Gen, d.h.Snap.Version(), r.Mode, d.l.Wraps(), true, d.h.Fetches.Gen, d.whole, d.h0, d.h.Said.Here, d.h.Tokens != nil && d.h.Counts == ""}
	if d.body != nil && d.made == key {
		return
	}
	c := d.content(w)
	doc := func(parts []paint.Part) *paint.Doc {
		return &paint.Doc{Parts: parts, W: max(w, 8), St: d.h.Styles, Wrap: d.l.Wraps(), Md: d.h.Markdown}
	}
	given, rest := doc(c.given), doc(append(c.rest, d.fieldRows(c.notable, w)...))
	room := given.Room(rest.Room(d.h0))
	d.cut = room < 0 && c.answered && given.Room(d.cutRows()+paint.Slack) < 0
	d.folded = d.cut
	if d.cut && !d.whole {
		given.Shorten(d.cutRows(), d.cutRows(), d.h.Key("enter"))
	}
	fields := doc(d.fieldParts(c.fields, d.whole, w))
	if !d.whole && len(c.fields) > 0 {
		if all := doc(d.fieldParts(c.fields, true, w)); all.Room(room) >= 0 {
			fields = all
		} else {
			d.folded = true
		}
	}
	d.body = given
	d.body.Append(rest)
	d.fold = d.body.Len()
	d.body.Append(fields)
	key.ready = c.ready
	d.made = key
}
