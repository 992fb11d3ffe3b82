package themes

import (
	"image/color"
	"testing"
)

// Text is readable on any terminal background: a theme leaves the background unchanged only if its
// texts have a contrast of at least 4.5:1 to it.
func TestReadableOnEveryGround(t *testing.T) {
	grounds := map[string]color.RGBA{
		"black": {A: 255}, "white": {255, 255, 255, 255}, "solarized dark": {0, 0x2b, 0x36, 255}, "solarized light": {0xfd, 0xf6, 0xe3, 255},
		"gruvbox": {0x28, 0x28, 0x28, 255}, "grey": {0x80, 0x80, 0x80, 255}, "dark grey": {0x3c, 0x38, 0x36, 255}, "blue": {0, 0, 0xee, 255},
	}
	for _, th := range Builtin() {
		for name, back := range grounds {
			drawn := th
			if !th.ReadableOn(back) {
				drawn = th.Grounded()
				if drawn.Bg == "" || drawn.Fg == "" {
					t.Errorf("%s on %s: paints %q on %q", th.Name, name, drawn.Fg, drawn.Bg)
				}
			} else if drawn.Bg == "" && !th.ANSI {
				drawn.Backdrop = hex(back)
			}
			for _, f := range drawn.Check() {
				if f.Want >= 4.5 {
					t.Errorf("%s on %s: %v", th.Name, name, f)
				}
			}
		}
	}
}

func hex(c color.RGBA) string {
	const digits = "0123456789abcdef"
	out := []byte{'#'}
	for _, v := range []uint8{c.R, c.G, c.B} {
		out = append(out, digits[v>>4], digits[v&15])
	}
	return string(out)
}

func TestReadableOn(t *testing.T) {
	dark, light := color.RGBA{0x1a, 0x1b, 0x26, 255}, color.RGBA{0xfa, 0xfa, 0xfa, 255}
	for _, th := range Builtin() {
		own := th.Bg != ""
		if got, want := th.ReadableOn(dark), th.Dark || own; got != want {
			t.Errorf("%s can be read on a dark background: %v, want %v", th.Name, got, want)
		}
		if got, want := th.ReadableOn(light), !th.Dark || own; got != want {
			t.Errorf("%s can be read on a light background: %v, want %v", th.Name, got, want)
		}
	}
}
