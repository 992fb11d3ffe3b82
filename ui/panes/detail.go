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

// Detail is the pane that shows one row in full: its texts and everything recorded about it.
type Detail struct {
	viewer
	row  screen.Row // displayed row
	made detailKey
	// whole shows long arguments and all fields; a click on the part fold turns it on.
	whole  bool
	folded bool // some of the content is hidden
	cut    bool // the arguments are cut
	goFold bool // after unfolding the fields: scroll to them
	fold   int
}

// timeline is the interface of the row list that panes use.
type timeline interface {
	// Current returns the row of the cursor.
	Current() (screen.Row, bool)
	// SetMode sets the form of a row's body.
	SetMode(screen.RowKey, screen.BodyMode)
	// Highlight marks the search hits in a line.
	Highlight(line string, current bool) string
	// HighlightOf marks the hits of another pattern in a line.
	HighlightOf(p screen.Pattern, line string, current bool) string
	// Sought returns the pattern of the timeline's search; false for none.
	Sought() (screen.Pattern, bool)
	// Wraps reports whether long lines are wrapped.
	Wraps() bool
}

// spot is a line of a Doc.
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
	rows    int // height of the pane
	labels  *label.Here
	counted bool // tokens are counted
	split   any  // *content.Split of the cost
}

func newDetail(h *screen.Host, l timeline) *Detail {
	return &Detail{viewer: newViewer(h, l, "this item")}
}

// Name returns the pane's name in configurations and layouts.
func (d *Detail) Name() string { return "detail" }

// Refresh does nothing: the pane draws the message at the cursor.
func (d *Detail) Refresh() tea.Cmd { return nil }

// follow updates the row to that of the cursor, from its beginning if it is another one; ok is
// false for none.
func (d *Detail) follow() (ok bool) {
	r, ok := d.l.Current()
	if ok && r.Key != d.row.Key {
		d.top, d.read = spot{}, readState{find: d.read.find, found: -1}
	}
	d.row = r
	return ok
}

// Hints returns the keys for the key line while the pane has the focus.
func (d *Detail) Hints() []screen.Hint {
	return append(screen.HintsOf(d.Keys()), screen.Hint{Key: "J K", Text: "next item"}, screen.Hint{Key: "%", Text: "other end"}, screen.Hint{Key: "y", Text: "copy"}, screen.Hint{Key: "Ctrl-g", Text: "editor"}, screen.Hint{Key: "x", Text: "export"})
}

// Key scrolls; the timeline handles all other keys.
func (d *Detail) Key(key string, n int) (bool, tea.Cmd) {
	if handled, cmd := d.marking(key); handled {
		return true, cmd
	}
	return screen.Pressed(d.Keys(), key, n)
}

// Keys returns the detail's own keys.
func (d *Detail) Keys() []screen.Key {
	return append(d.scrollKeys(), []screen.Key{
		{Keys: []string{"enter", "l", "right"}, Hint: "all", Help: "open long arguments and all fields; again folds them", Do: func(int, string) tea.Cmd { return d.unfold() }},
		{Keys: []string{"r"}, Hint: "source", Help: "as rendered, as source text, as raw record", Do: func(int, string) tea.Cmd { d.nextMode(); return nil }},
		{Keys: []string{"h", "left"}, Help: "back to the timeline", Do: func(int, string) tea.Cmd { d.h.Ask(screen.ClosePane{}); return nil }},
	}...)
}

// unfold shows long arguments and all fields, or folds them again.
func (d *Detail) unfold() tea.Cmd {
	if !d.whole && !d.folded {
		return d.h.Complain("no folded text here")
	}
	d.whole = !d.whole
	d.goFold = d.whole && !d.cut
	return nil
}

// nextMode switches the texts to the next form.
func (d *Detail) nextMode() {
	d.l.SetMode(d.row.Key, (d.row.Mode+1)%3)
	d.top = spot{}
}

// Click on the line of the folded fields unfolds them.
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

// Render draws the pane: the place of the row, a rule, its texts.
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
	if d.goFold && d.fold < d.body.Len() {
		d.goFold = false
		if d.top = (spot{d.fold, 0}); !d.fills(d.top) {
			d.toEnd()
		}
	}
	title, place := d.title(true), []paint.Span(nil)
	if text := d.position(); text != "" && focus {
		place = []paint.Span{{Text: text + " ", Ink: paint.InkDim}}
	}
	if paint.RestWidth(title)+paint.RestWidth(place) > w {
		title = d.title(false)
	}
	lines := []string{st.Spread(w, paint.GroundNone, title, place), st.Paint(i, strings.Repeat("─", w))}
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

// title shows the place of the row: from the file on, or only within it if there is less room.
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

// cutRows returns the most lines for long arguments, so that the result is visible as well.
func (d *Detail) cutRows() int { return max(d.h0*2/5, 4) }

// prepare builds the body unless it is current.
func (d *Detail) prepare(w int) {
	r := &d.row
	key := detailKey{r.Key, w, d.h.Styles.Gen, d.h.Snap.Version(), r.Mode, d.l.Wraps(), true, d.h.Fetches.Gen, d.whole, d.h0, d.h.Labelled.Here, d.h.Tokens != nil && d.h.Counts == "", d.h.Split}
	if d.body != nil && d.made == key {
		return
	}
	rewrapped := d.body != nil && key.key == d.made.key && key.mode == d.made.mode && (key.w != d.made.w || key.wrap != d.made.wrap)
	var was place
	if rewrapped {
		was = d.place()
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
	d.text = [2]int{0, given.Len()}
	if c.answered {
		d.text = [2]int{given.Len() + c.result[0], given.Len() + c.result[1]}
	}
	d.body = given
	d.body.Append(rest)
	d.fold = d.body.Len()
	d.body.Append(fields)
	key.ready = c.ready
	d.made = key
	if rewrapped {
		d.back(was)
	}
	if !d.fills(d.top) { // the fields are folded again, or the pane is higher
		d.toEnd()
	}
}
