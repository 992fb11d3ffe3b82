package ui

import (
	"strings"

	"turns/query/describe"
	"turns/ui/paint"
	"turns/ui/screen"
)

// unrecognised reports whether the file has records but no messages.
func unrecognised(h *screen.Host) bool {
	return !h.State.Preview && describe.Unread(h.Snap) != ""
}

// unrecognisedLine explains why no session was recognised, and which commands help.
func unrecognisedLine(h *screen.Host, w int) string {
	why, _ := strings.CutPrefix(describe.Unread(h.Snap), "no conversation was recognised: ")
	right := []paint.Span{{Text: "turns formats --infer", Ink: paint.InkKey}, {Text: " or ", Ink: paint.InkDim}, {Text: "--from FORMAT ", Ink: paint.InkKey}}
	left := []paint.Span{{Text: " not read: " + why, Ink: paint.InkWarning}}
	if room := w - paint.RestWidth(right) - 2; paint.RestWidth(left) > room {
		left[0].Text = paint.Cut(left[0].Text, max(room, 0))
	}
	return h.Styles.Spread(w, paint.GroundNone, left, right)
}
