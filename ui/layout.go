package ui

// side says what stands beside the timeline.
type layout struct {
	w, h      int
	tiny      bool // under 20×5: one line that says so
	top       bool // top line
	filter    bool // filter line
	head      bool // heads of the columns
	keys      bool // key line
	list      rect
	side      rect // w is 0: there is none
	sideLine  bool // a line between timeline and side column
	sideSplit int  // lines of the upper of two panes; 0: one pane
}

type rect struct{ x, y, w, h int }

func (r rect) contains(x, y int) bool { return x >= r.x && x < r.x+r.w && y >= r.y && y < r.y+r.h }

// sideWidth is the width of the side column on a screen; that of texts takes what room the rows of
// the timeline leave.
func sideWidth(w int, texts bool) int {
	switch {
	case w >= 150 && texts:
		return max(50, min(w*2/5, w-101))
	case w >= 150:
		return max(50, min(w*3/10, 59))
	case w >= 120 && texts:
		return max(40, min(w*2/5, w-77))
	case w >= 120:
		return 40
	}
	return 0
}

// layOut cuts the screen into its parts. side: there is something for the side column; texts: it is
// read rather than looked up; full: a pane has the whole middle.
func layOut(w, h int, side, texts, full bool, split int) layout {
	l := layout{w: w, h: h}
	if w < 20 || h < 5 {
		l.tiny = true
		return l
	}
	small := w < 40 || h < 10
	l.keys = !small && h >= 16
	l.top = !small && h >= 12
	l.filter = !small
	y, bottom := 0, h
	if l.top {
		y++
	}
	if l.filter {
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
