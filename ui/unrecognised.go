package ui

import (
	"turns/ui/paint"
)

// rawRecords is the format of a file in which no conversation was recognised.
const rawRecords = "records"

// unrecognised reports whether the file has records, and none of them is a message.
func (a *app) unrecognised() bool {
	s := a.h.Snap
	return s != nil && s.Format() == rawRecords && s.Len() == 0 && s.Rows() > 0 && !a.h.State.Preview
}

// unrecognisedLine says so, and which command tells why.
func (a *app) unrecognisedLine() string {
	name := paint.ShortName(a.h.State.Path)
	left := []paint.Span{{Text: " no conversation recognised", Ink: paint.InkWarning}}
	right := []paint.Span{{Text: "turns formats --explain " + name, Ink: paint.InkKey}, {Text: " says why ", Ink: paint.InkDim}}
	if paint.RestWidth(left)+paint.RestWidth(right)+2 > a.w {
		right = []paint.Span{{Text: "turns formats --explain", Ink: paint.InkKey}, {Text: " says why ", Ink: paint.InkDim}}
	}
	return a.h.Styles.Spread(a.w, paint.GroundNone, left, right)
}
