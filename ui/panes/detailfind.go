package panes

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"turns/query/human"
	"turns/ui/paint"
	"turns/ui/screen"
)

// reading is how the detail is read line by line: what is looked for in it, and the lines that are
// selected. Lines are numbered from 0, as the pane draws them.
type reading struct {
	find     string // "": what the timeline looks for
	at       int    // occurrence that is shown
	found    int    // its line, -1 for none
	marked   bool   // lines are selected
	from, to int    // both ends of the selection; to moves
}

// flatLimit is how many lines of an item are numbered.
const flatLimit = 200_000

// lines are all lines of the item. They are rendered once.
func (d *Detail) lines() []string {
	if d.flatOf == d.body {
		return d.flat
	}
	d.flat, d.flatOf = d.flat[:0], d.body
	for c := 0; c < d.body.Len() && len(d.flat) < flatLimit; c++ {
		d.flat = append(d.flat, d.body.Lines(c)...)
	}
	return d.flat
}

// number is the number of a line.
func (d *Detail) number(s spot) (n int) {
	for c := range min(s.part, d.body.Len()) {
		n += len(d.body.Lines(c))
	}
	return n + s.line
}

// spotOf is the place of a line.
func (d *Detail) spotOf(n int) spot {
	for c := range d.body.Len() {
		lines := len(d.body.Lines(c))
		if n < lines {
			return spot{c, n}
		}
		n -= lines
	}
	return d.top
}

// show scrolls so that a line is in the pane.
func (d *Detail) show(n int) {
	top := d.number(d.top)
	if n >= top && n < top+d.h0 {
		return
	}
	d.top = d.spotOf(max(n-d.h0/2, 0))
	if !d.fills(d.top) {
		d.toEnd()
	}
}

// pattern is what is looked for in the pane.
func (d *Detail) pattern() (screen.Pattern, bool) {
	if d.read.find != "" {
		return screen.NewPattern(d.read.find), true
	}
	return d.l.Sought()
}

// openFind asks for a text, and goes to its first occurrence from the top of the pane on.
func (d *Detail) openFind() tea.Cmd {
	was := d.read
	return d.h.Ask(screen.Show{Dialog: &screen.Prompt{H: d.h, Title: "Find in this item", Label: "/", Help: "n and N go on, also to other items", Live: func(text string) {
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
			return d.h.Complain("no " + text + " in this item")
		default:
			return d.sayHit(len(d.occurrences()), "")
		}
		return nil
	}}})
}

// first goes to the first occurrence from the top of the pane on; false for none.
func (d *Detail) first() bool {
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

// occurrences are the lines of all occurrences.
func (d *Detail) occurrences() (all []int) {
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

// hit goes n occurrences on, or back. Behind the last one the search of the timeline goes on.
func (d *Detail) hit(n int) tea.Cmd {
	if _, ok := d.pattern(); !ok {
		return d.h.Complain("no search: " + d.h.Key("/") + " begins one")
	}
	all := d.occurrences()
	if len(all) == 0 {
		return d.h.Complain("no match in this item")
	}
	if d.read.found < 0 {
		d.first()
		return d.sayHit(len(all), "")
	}
	wrapped := ""
	if d.read.at += n; d.read.at < 0 || d.read.at >= len(all) {
		d.read.at, wrapped = (d.read.at%len(all)+len(all))%len(all), ", wrapped"
	}
	d.read.found = all[d.read.at]
	d.show(d.read.found)
	return d.sayHit(len(all), wrapped)
}

func (d *Detail) sayHit(of int, wrapped string) tea.Cmd {
	d.h.Say(fmt.Sprintf("%s of %s%s", human.Count(d.read.at+1), human.Count(of), wrapped))
	return nil
}

// position says which lines the pane shows: "line 312 of 900".
func (d *Detail) position() string {
	if d.body == nil || d.body.Len() > positionParts {
		return ""
	}
	all := len(d.lines())
	if all <= d.h0 {
		return ""
	}
	at := min(d.number(d.top)+d.h0, all)
	if d.read.marked {
		at = d.read.to + 1
	}
	return fmt.Sprintf("line %s of %s", human.Count(at), human.Count(all))
}

// positionParts is how many parts an item has at most whose lines are counted for its head.
const positionParts = 256

// goTo shows a line by its number, from 1.
func (d *Detail) goTo(n int) {
	n = min(max(n-1, 0), max(len(d.lines())-1, 0))
	if d.read.marked {
		d.read.to = n
		d.show(n)
		return
	}
	if d.top = d.spotOf(n); !d.fills(d.top) {
		d.toEnd()
	}
}

// mark begins or ends the selection of lines.
func (d *Detail) mark() tea.Cmd {
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
func (d *Detail) move(n int) {
	if !d.read.marked || d.body == nil {
		d.scroll(n)
		return
	}
	d.read.to = min(max(d.read.to+n, 0), max(len(d.lines())-1, 0))
	d.show(d.read.to)
}

// selected are the first and the last selected line.
func (d *Detail) selected() (first, last int) {
	return min(d.read.from, d.read.to), max(d.read.from, d.read.to)
}

// copyLines copies the selected lines as they are shown, without colours.
func (d *Detail) copyLines() tea.Cmd {
	first, last := d.selected()
	var text []string
	for _, line := range d.lines()[first : last+1] {
		text = append(text, strings.TrimRight(paint.Stripped(line), " "))
	}
	d.read.marked = false
	return d.h.Ask(screen.Copied{Text: strings.Join(text, "\n"), What: human.Plural(len(text), "line")})
}

// Untake ends the selection of lines, if there is one.
func (d *Detail) Untake() bool {
	was := d.read.marked
	d.read.marked = false
	return was
}
