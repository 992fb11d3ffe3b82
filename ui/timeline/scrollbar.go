package timeline

import (
	"slices"
	"sort"

	"turns/query/label"
	"turns/ui/paint"
)

// scrollBar returns the last cell of each line of the timeline: the position of the screen and of
// important rows. It measures in slots instead of lines, so the position costs nothing to compute.
func (l *List) scrollBar(places []place) []string {
	out := make([]string, l.Rows)
	st := l.h.Styles
	n := l.Slots()
	if l.w < 20 || l.Rows < 3 {
		return slices.Repeat([]string{" "}, l.Rows)
	}
	_, above := l.up(l.Top)
	below := false
	if len(places) > 0 {
		_, below = l.down(places[len(places)-1])
	}
	if n == 0 || !above && !below {
		return slices.Repeat([]string{" "}, l.Rows)
	}
	lines := l.Rows
	from, to := l.Top.Slot, l.Top.Slot
	if len(places) > 0 {
		to = places[len(places)-1].Slot
	}
	size := max((to-from+1)*lines/max(n, 1), 1)
	at := 0
	if n > 1 {
		at = from * lines / n
	}
	if !above {
		at = 0
	}
	at = min(at, lines-size)
	if !below {
		at = lines - size
	} else if at+size == lines && lines > size {
		at--
	}
	tick := l.ticks(lines, n)
	for i := range out {
		thumb := i >= at && i < at+size
		i0, text := paint.InkTrack, "│"
		if thumb {
			i0, text = paint.InkThumb, "█"
		}
		g := paint.GroundNone
		if t := tick[i]; t.Text != "" {
			if text, i0 = t.Text, t.Ink; thumb {
				g = paint.GroundThumb
			}
		}
		out[i] = st.Line(1, g, paint.Span{Text: text, Ink: i0})
	}
	return out
}

// ticks returns the signs next to the lines of the scroll bar, the most important one per line.
func (l *List) ticks(lines, n int) []paint.Span {
	out := make([]paint.Span, lines)
	put := func(slot int, text string, i paint.Ink) {
		at := min(slot*lines/max(n, 1), lines-1)
		if at >= 0 {
			out[at] = paint.Span{Text: text, Ink: i}
		}
	}
	if l.errorsReady() {
		if prompts := l.Outline.prompts; !l.View().On && len(prompts)*3 <= lines {
			for _, row := range prompts {
				put(int(row), "❯", paint.InkUser)
			}
		}
		rows := l.errorRows()
		for i := range lines {
			// The first error at or after the start of this line of the bar, if it is in the line:
			// one lookup per line.
			lo, hi := (i*n+lines-1)/lines, ((i+1)*n+lines-1)/lines
			k := sort.Search(len(rows), func(k int) bool { return int(rows[k]) >= lo })
			if k < len(rows) && int(rows[k]) < hi {
				out[i] = paint.Span{Text: "✗", Ink: paint.InkError}
			}
		}
	}
	for _, slot := range l.hitSlots(lines, n) {
		put(slot, "◦", paint.InkWarning)
	}
	for _, p := range l.h.Labelled.Here.All() {
		if int(p.ID) < l.h.Snap.Rows() {
			put(l.slotOf(l.hostOf(p.ID)), string(label.Glyph([]label.Mark{p.Mark})), paint.InkMark)
		}
	}
	return out
}

// errorRows returns the slots with errors; errorsReady reports whether they are known.
func (l *List) errorRows() []int32 {
	if l.View().On {
		return l.View().Errors
	}
	return l.Outline.Errors
}

func (l *List) errorsReady() bool { return l.View().On || l.Outline.Ready }
