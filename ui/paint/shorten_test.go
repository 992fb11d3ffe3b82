package paint

import (
	"image"
	"strings"
	"testing"

	"turns/themes"
)

// A limit never cuts a picture, and does not cut to hide only a few lines.
func TestShorten(t *testing.T) {
	text := func(n int) Part { return Part{Kind: PartPlain, Text: strings.Repeat("x\n", n)} }
	picture := Part{Kind: partPicture, picture: image.NewRGBA(image.Rect(0, 0, 36, 36))} // 18 lines
	for _, c := range []struct {
		parts         []Part
		n, room, want int
		says          string
	}{
		{[]Part{text(13)}, 10, 10, 13, ""},
		{[]Part{text(9), text(2), text(2)}, 10, 10, 13, ""},
		{[]Part{text(14)}, 10, 10, 11, "first 10 of 14 lines"},
		{[]Part{text(9), text(2), text(3)}, 10, 10, 11, "first 10 of 14 lines"},
		{[]Part{text(9), picture, text(1)}, 20, 40, 28, ""},
		{[]Part{text(9), picture, text(9)}, 20, 40, 28, "first 27 of 36 lines"},
		{[]Part{text(9), picture, text(9)}, 20, 26, 10, "first 9 of 19 lines"},
		{[]Part{text(9), picture}, 20, 26, 10, "zo draws the picture"},
	} {
		d := &Doc{Parts: c.parts, W: 60, St: NewStyles(themes.Builtin()[0], false, 0), Wrap: true}
		d.Shorten(c.n, c.room, "zo")
		var lines []string
		for i := range d.Parts {
			lines = append(lines, d.Lines(i)...)
		}
		if len(lines) != c.want || !strings.Contains(strings.Join(lines, "\n"), c.says) {
			t.Errorf("%d lines, want %d and %q: %q", len(lines), c.want, c.says, lines)
		}
	}
}
