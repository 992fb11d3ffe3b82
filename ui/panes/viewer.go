package panes

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"turns/query/human"
	"turns/ui/paint"
	"turns/ui/screen"
)

// readState is the state of reading a text line by line: its search and the selected lines. Lines
// are numbered from 0, as the pane draws them.
type readState struct {
	find     string // "": the timeline's search
	at       int    // displayed occurrence
	found    int    // its line, -1 for none
	marked   bool   // lines are selected
	from, to int    // both ends of the selection; moving changes to
	asked    int    // text line that was gone to, plus one, while the top is askedTop
	askedTop spot
}

// flatLimit is the most numbered lines of a text.
const flatLimit = 200_000

// viewer shows a long text: it scrolls, finds, selects and copies.
type viewer struct {
	h    *screen.Host
	l    timeline
	what string // name of the text: "this item"
	body *paint.Doc
	top  spot
	h0   int // number of lines it has room for
	read readState
	// range of the parts with numbered lines, from and before; both 0: all
	text   [2]int
	flat   []string   // lines of flatOf
	flatOf *paint.Doc // last numbered body
}

// lines returns all lines of the text. It renders them once.
func (d *viewer) lines() []string {
	if d.flatOf == d.body {
		return d.flat
	}
	d.flat, d.flatOf = d.flat[:0], d.body
	for c := 0; c < d.body.Len() && len(d.flat) < flatLimit; c++ {
		d.flat = append(d.flat, d.body.Lines(c)...)
	}
	return d.flat
}

// number returns the number of a line.
func (d *viewer) number(s spot) (n int) {
	for c := range min(s.part, d.body.Len()) {
		n += len(d.body.Lines(c))
	}
	return n + s.line
}

// spotOf returns the spot of a line number.
func (d *viewer) spotOf(n int) spot {
	for c := range d.body.Len() {
		lines := len(d.body.Lines(c))
		if n < lines {
			return spot{c, n}
		}
		n -= lines
	}
	return d.top
}

// show scrolls until a line is visible.
func (d *viewer) show(n int) {
	top := d.number(d.top)
	if n >= top && n < top+d.h0 {
		return
	}
	d.top = d.spotOf(max(n-d.h0/2, 0))
	if !d.fills(d.top) {
		d.toEnd()
	}
}

// pattern returns the pattern to find in the pane.
func (d *viewer) pattern() (screen.Pattern, bool) {
	if d.read.find != "" {
		return screen.NewPattern(d.read.find), true
	}
	return d.l.Sought()
}

// openFind asks for a text, and goes to its first occurrence after the top of the pane.
func (d *viewer) openFind() tea.Cmd {
	was := d.read
	return d.h.Ask(screen.Show{Dialog: &screen.Prompt{H: d.h, Title: "Find in " + d.what, Label: "/", Help: "n and N go on", Live: func(text string) {
		d.read.find = text
		d.first()
	}, Done: func(text string, ok bool) tea.Cmd {
		switch {
		case !ok:
			d.read = was
		case text == "":
			d.read.find = was.find
			return d.hit(1)
		case !d.first():
			return d.h.Complain("no " + text + " in " + d.what)
		default:
			return d.showHit(len(d.occurrences()), "")
		}
		return nil
	}}})
}

// first goes to the first occurrence after the top of the pane; false for none.
func (d *viewer) first() bool {
	all := d.occurrences()
	top := d.number(d.top)
	d.read.found = -1
	for i, line := range all {
		if d.read.found < 0 || line >= top {
			d.read.at, d.read.found = i, line
		}
		if line >= top {
			break
		}
	}
	if d.read.found >= 0 {
		d.show(d.read.found)
	}
	return d.read.found >= 0
}

// occurrences returns the line of each occurrence.
func (d *viewer) occurrences() (all []int) {
	p, ok := d.pattern()
	if !ok || d.body == nil {
		return nil
	}
	for n, line := range d.lines() {
		for range p.Times(paint.Stripped(line)) {
			all = append(all, n)
		}
	}
	return all
}

// hit moves n occurrences forward, or back, wrapping around.
func (d *viewer) hit(n int) tea.Cmd {
	if _, ok := d.pattern(); !ok {
		return d.h.Complain("no search: " + d.h.Key("/") + " begins one")
	}
	all := d.occurrences()
	if len(all) == 0 {
		return d.h.Complain("no match in " + d.what)
	}
	if d.read.found < 0 {
		d.first()
		return d.showHit(len(all), "")
	}
	wrapped := ""
	if d.read.at += n; d.read.at < 0 || d.read.at >= len(all) {
		d.read.at, wrapped = (d.read.at%len(all)+len(all))%len(all), ", wrapped"
	}
	d.read.found = all[d.read.at]
	d.show(d.read.found)
	return d.showHit(len(all), wrapped)
}

func (d *viewer) showHit(of int, wrapped string) tea.Cmd {
	d.h.ShowStatus(fmt.Sprintf("%s of %s%s", human.Count(d.read.at+1), human.Count(of), wrapped))
	return nil
}

// position describes the current line of the text: "line 312 of 900". It is the last line found,
// gone to or selected, otherwise the first visible one.
func (d *viewer) position() string {
	if d.body == nil || d.body.Len() > positionParts || len(d.lines()) <= d.h0 {
		return ""
	}
	from, to := d.numbered()
	all := d.body.TextLines(from, to)
	at, top := d.top, d.number(d.top)
	switch {
	case d.read.marked:
		at = d.spotOf(d.read.to)
	case d.read.found >= top && d.read.found < top+d.h0:
		at = d.spotOf(d.read.found)
	case d.read.asked > 0 && d.read.askedTop == d.top:
		return fmt.Sprintf("line %s of %s", human.Count(min(d.read.asked, all)), human.Count(all))
	}
	return fmt.Sprintf("line %s of %s", human.Count(d.textLine(at)+1), human.Count(all))
}

// numbered returns the range of the parts with numbered lines.
func (d *viewer) numbered() (from, to int) {
	if d.text == [2]int{} {
		return 0, d.body.Len()
	}
	return d.text[0], min(d.text[1], d.body.Len())
}

// textLine returns the text line at a spot, from 0; before or after the text the nearest one.
func (d *viewer) textLine(s spot) int {
	from, to := d.numbered()
	switch {
	case s.part < from || to == from:
		return 0
	case s.part >= to:
		return max(d.body.TextLines(from, to)-1, 0)
	}
	return d.body.TextLines(from, s.part) + d.body.TextLine(s.part, s.line)
}

// textSpot returns the spot of a line of the text, from 0.
func (d *viewer) textSpot(n int) spot {
	from, to := d.numbered()
	for part := from; part < to; part++ {
		lines := d.body.TextLines(part, part+1)
		if n < lines || part == to-1 {
			return spot{part, d.body.DrawnLine(part, n)}
		}
		n -= lines
	}
	return d.top
}

// positionParts is the most parts of a text for which position counts the lines.
const positionParts = 256

// goTo goes to a line of the text by its number, from 1.
func (d *viewer) goTo(n int) {
	if d.body == nil {
		return
	}
	s := d.textSpot(max(n-1, 0))
	if d.read.marked {
		d.read.to = d.number(s)
		d.show(d.read.to)
		return
	}
	d.read.found = -1
	if d.top = s; !d.fills(d.top) {
		d.toEnd()
	}
	d.read.asked, d.read.askedTop = n, d.top
}

// goToEnd goes to the beginning or the end of the text.
func (d *viewer) goToEnd(last bool) {
	switch {
	case d.read.marked && last:
		d.read.to = max(len(d.lines())-1, 0)
		d.show(d.read.to)
	case d.read.marked:
		d.read.to = 0
		d.show(0)
	case last:
		d.toEnd()
	default:
		d.top = spot{}
	}
}

// mark starts or ends the selection of lines.
func (d *viewer) mark() tea.Cmd {
	if d.read.marked = !d.read.marked; d.read.marked && d.body != nil {
		d.read.from = d.number(d.top)
		if d.read.found >= d.read.from && d.read.found < d.read.from+d.h0 {
			d.read.from = d.read.found
		}
		d.read.to = d.read.from
	}
	return nil
}

// move scrolls, or moves the end of the selection.
func (d *viewer) move(n int) {
	if !d.read.marked || d.body == nil {
		d.scroll(n)
		return
	}
	d.read.to = min(max(d.read.to+n, 0), max(len(d.lines())-1, 0))
	d.show(d.read.to)
}

// selected returns the first and the last selected line.
func (d *viewer) selected() (first, last int) {
	return min(d.read.from, d.read.to), max(d.read.from, d.read.to)
}

// copyLines copies the selected lines without colours; a wrapped line is copied as one.
func (d *viewer) copyLines() tea.Cmd {
	first, last := d.selected()
	var text []string
	for part, n := 0, 0; part < d.body.Len() && n <= last; part++ {
		lines := len(d.body.Lines(part))
		if from, to := max(first-n, 0), min(last-n, lines-1); from <= to {
			text = append(text, d.body.Texts(part, from, to)...)
		}
		n += lines
	}
	d.read.marked = false
	return d.h.Ask(screen.Copied{Text: strings.Join(text, "\n"), What: human.Plural(len(text), "line")})
}

// place is the pane's position in the text, independent of its width and wrapping.
type place struct{ top, found, from, to int }

// place returns the current position.
func (d *viewer) place() place {
	at := func(n int) int { return d.textLine(d.spotOf(n)) }
	return place{d.textLine(d.top), at(max(d.read.found, 0)), at(d.read.from), at(d.read.to)}
}

// back restores a position after the text was wrapped again.
func (d *viewer) back(p place) {
	if from, to := d.numbered(); d.top.part >= from && d.top.part < to {
		if d.top = d.textSpot(p.top); !d.fills(d.top) {
			d.toEnd()
		}
	}
	if d.read.found >= 0 {
		d.read.found = d.number(d.textSpot(p.found))
	}
	d.read.from, d.read.to = d.number(d.textSpot(p.from)), d.number(d.textSpot(p.to))
}

// Untake ends the selection of lines, and reports whether there was one.
func (d *viewer) Untake() bool {
	was := d.read.marked
	d.read.marked = false
	return was
}

// Wheel scrolls by n rows.
func (d *viewer) Wheel(n int) { d.scroll(n) }

func (d *viewer) scroll(n int) {
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

// fills reports whether the lines from a spot on fill the pane.
func (d *viewer) fills(s spot) bool {
	for range d.h0 - 1 {
		n, ok := d.next(s)
		if !ok {
			return false
		}
		s = n
	}
	return true
}

func (d *viewer) next(s spot) (spot, bool) {
	s.line++
	for s.part < d.body.Len() {
		if s.line < len(d.body.Lines(s.part)) {
			return s, true
		}
		s.part, s.line = s.part+1, 0
	}
	return s, false
}

func (d *viewer) prev(s spot) (spot, bool) {
	if s.line > 0 {
		s.line--
		return s, true
	}
	s.part = min(s.part, d.body.Len()) // its text may have become unread
	for s.part > 0 {
		s.part--
		if n := len(d.body.Lines(s.part)); n > 0 {
			s.line = n - 1
			return s, true
		}
	}
	return s, false
}

func (d *viewer) toEnd() {
	if d.body.Len() == 0 {
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

// drawLine draws a line with the marks of the selection and of the search.
func (d *viewer) drawLine(line string, n, w int) string {
	lead := " "
	if first, last := d.selected(); d.read.marked && n >= first && n <= last {
		return d.h.Styles.Line(w-1, paint.GroundSelected, paint.Span{Text: "▌", Ink: paint.InkMark}, paint.Span{Text: paint.Cut(paint.Stripped(line), w-2)})
	}
	if d.read.find != "" {
		return lead + d.l.HighlightOf(screen.NewPattern(d.read.find), line, n == d.read.found)
	}
	return lead + d.l.Highlight(line, n == d.read.found)
}

func newViewer(h *screen.Host, l timeline, what string) viewer {
	return viewer{h: h, l: l, what: what, read: readState{found: -1}}
}

// scrollKeys returns the keys of all texts.
func (d *viewer) scrollKeys() []screen.Key {
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
		{Keys: []string{"g", "home"}, Help: "the beginning", Do: func(int, string) tea.Cmd { d.goToEnd(false); return nil }},
		{Keys: []string{"G", "end"}, Help: "the end; 312G goes to line 312", Do: func(n int, _ string) tea.Cmd {
			if n == 0 {
				d.goToEnd(true)
			} else {
				d.goTo(n)
			}
			return nil
		}},
		{Keys: []string{"/"}, Hint: "find", Help: "find in this text", Do: func(int, string) tea.Cmd { return d.openFind() }},
		{Keys: []string{"n"}, Help: "next search hit in this text", Do: func(n int, _ string) tea.Cmd { return d.hit(max(n, 1)) }},
		{Keys: []string{"N"}, Help: "previous search hit in this text", Do: func(n int, _ string) tea.Cmd { return d.hit(-max(n, 1)) }},
		{Keys: []string{"v", "V"}, Hint: "select lines", Help: "select lines; j and k extend, y copies them", Do: func(int, string) tea.Cmd { return d.mark() }},
	}
}

// marking handles the keys that end a selection of lines.
func (d *viewer) marking(key string) (handled bool, cmd tea.Cmd) {
	switch {
	case !d.read.marked:
		return false, nil
	case key == "y":
		return true, d.copyLines()
	case key == "esc":
		d.Untake()
		return true, nil
	}
	return false, nil
}
