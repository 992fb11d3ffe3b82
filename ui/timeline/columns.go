package timeline

import (
	"turns/model"
	"turns/query/describe"
	"turns/ui/paint"
)

// columns are the places of the parts of a row, in cells from the left of the timeline.
type columns struct {
	w      int
	index  int // width of the index; 0: none
	time   bool
	Fold   int // place of the fold sign or bracket; the glyph follows
	word   int // width of the word and what separates it; 0: none
	about  int // where the text begins
	end    int // where the outcome ends
	dur    bool
	tok    bool
	always bool // outcomes are shown for successes too
}

// columnsFor fits the columns of a row into w cells of a screen; digits is how many the largest
// index has, word the width of the longest name of a tool.
func columnsFor(w, screen, digits, word int) columns {
	c := columns{w: w, always: true}
	x := 2
	right := 2 // space and scroll bar
	switch {
	case w >= 60:
		c.index, c.dur, c.word = max(4, digits), true, 10
		c.time = w >= 90 && screen >= 100
		c.tok = w >= 76 && screen >= 100
		if c.time {
			c.word = 11
		}
		if w >= 76 {
			c.word = max(c.word, min(word+1, wordMost))
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

// wordMost is the widest that the column of words becomes for the sake of long names of tools.
const wordMost = 15

// allWordsFrom is how wide a timeline is that has room for the names of all its tools.
const allWordsFrom = 90

// longestWord is the width of the longest name among the tools that are called often, as far as the
// first calls tell; all counts those that are called seldom too.
func (l *List) longestWord(all bool) int {
	if l.h.Snap == nil {
		return 0
	}
	calls := min(l.h.Snap.CallCount(), 256)
	often := map[uint16]int{}
	for n := range calls {
		often[l.h.Snap.Call(model.CallID(n)).Tool]++
	}
	longest := 0
	for tool, n := range often {
		if all || n*20 >= calls {
			_, word, _ := describe.FamilyOf(l.h.Snap.Name(tool))
			longest = max(longest, paint.Width(paint.OneLine(word)))
		}
	}
	return longest
}
