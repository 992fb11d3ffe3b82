package ui

// layout is the division of the screen.
type layout struct {
	w, h      int
	tiny      bool // under 20×5: only one line, "too small"
	top       bool // top line
	filter    bool // filter line
	second    bool // the reason in the filter line has a second line
	head      bool // column heads
	keys      bool // key line
	list      rect
	side      rect // w is 0: no side column
	sideLine  bool // a line separates timeline and side column
	sideSplit int  // lines of the upper of two panes; 0: one pane
}

type rect struct{ x, y, w, h int }

func (r rect) contains(x, y int) bool { return x >= r.x && x < r.x+r.w && y >= r.y && y < r.y+r.h }

// columnFrom is the least screen width with a column next to the timeline.
const columnFrom = 120

// sideWidth returns the width of the side column, 0 if the screen is too narrow; with texts, it is
// the room that the rows of the timeline leave. It never grows faster than the screen, so a wider
// screen never makes the timeline narrower.
func sideWidth(w int, texts bool) int {
	switch {
	case w < columnFrom:
		return 0
	case !texts:
		return max(40, min(w*3/10, 59))
	case w >= 150:
		return max(50, min(w*2/5, w-101))
	}
	return max(40, min(w*2/5, w-77))
}

// widthClass returns the least width of the screen's class. Opening or closing a column applies to
// all screens of a class.
func widthClass(w int) int {
	for _, least := range [...]int{200, 160, columnFrom} {
		if w >= least {
			return least
		}
	}
	return 0
}

// layOut divides the screen. side: the side column has content; texts: it shows texts, so it is
// wider; full: a pane fills the middle; second: the filter line needs a second line.
func layOut(w, h int, side, texts, full, second bool, split int) layout {
	l := layout{w: w, h: h}
	if w < 20 || h < 5 {
		l.tiny = true
		return l
	}
	small := w < 40 || h < 10
	l.keys = !small && h >= 16
	l.top = !small && h >= 12
	l.filter = !small
	l.second = l.keys && second
	y, bottom := 0, h
	if l.top {
		y++
	}
	if l.filter {
		y++
	}
	if l.second {
		y++
	}
	if l.keys {
		bottom--
	}
	bottom--
	l.list = rect{0, y, w, bottom - y}
	if sw := sideWidth(w, texts); side && sw > 0 {
		l.side = rect{w - sw, y, sw, bottom - y}
		l.list.w = w - sw - 1
		l.sideLine = true
		if split > 0 && l.side.h >= 20 {
			l.sideSplit = min(split, l.side.h*2/5)
		}
	} else if side || full {
		l.side = rect{0, y, w, bottom - y}
	}
	if full {
		l.side, l.sideLine, l.sideSplit = rect{0, y, w, bottom - y}, false, 0
	}
	l.head = w >= 100 && l.list.h > 8
	if l.head {
		l.list.y++
		l.list.h--
	}
	return l
}
