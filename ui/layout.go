package ui

// side says what stands beside the timeline.
type layout struct {
	w, h      int
	tiny      bool // under 20×5: one line that says so
	top       bool // top line
	filter    bool // filter line
	second    bool // the reason that stands in place of the filter has a second line
	head      bool // heads of the columns
	keys      bool // key line
	list      rect
	side      rect // w is 0: there is none
	sideLine  bool // a line between timeline and side column
	sideSplit int  // lines of the upper of two panes; 0: one pane
}

type rect struct{ x, y, w, h int }

func (r rect) contains(x, y int) bool { return x >= r.x && x < r.x+r.w && y >= r.y && y < r.y+r.h }

// columnFrom is the least width of a screen that has room for a column beside the timeline.
const columnFrom = 120

// sideWidth is the width of the side column on a screen, 0 where it has no room; a column of texts
// takes what room the rows of the timeline leave. It never grows faster than the screen, so that a
// wider screen does not make the timeline narrower.
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

// widthClass is the least width of the class that a screen belongs to: what the reader opens or
// closes on one screen holds on all screens of its class.
func widthClass(w int) int {
	for _, least := range [...]int{200, 160, columnFrom} {
		if w >= least {
			return least
		}
	}
	return 0
}

// layOut cuts the screen into its parts. side: there is something for the side column; texts: it is
// read rather than looked up; full: a pane has the whole middle; second: the filter line would like
// a second line.
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
