package ui

import (
	"strings"

	"turns/query/describe"
	"turns/ui/paint"
)

// unrecognised reports whether the file has records but no messages.
func (a *app) unrecognised() bool {
	return !a.h.State.Preview && describe.Unread(a.h.Snap) != ""
}

// unrecognisedLine explains why no session was recognised, and which commands help.
func (a *app) unrecognisedLine() string {
	why, _ := strings.CutPrefix(describe.Unread(a.h.Snap), "no conversation was recognised: ")
	right := []paint.Span{{Text: "turns formats --infer", Ink: paint.InkKey}, {Text: " or ", Ink: paint.InkDim}, {Text: "--from FORMAT ", Ink: paint.InkKey}}
	left := []paint.Span{{Text: " not read: " + why, Ink: paint.InkWarning}}
	if room := a.w - paint.RestWidth(right) - 2; paint.RestWidth(left) > room {
		left[0].Text = paint.Cut(left[0].Text, max(room, 0))
	}
	return a.h.Styles.Spread(a.w, paint.GroundNone, left, right)
}
