package themes

import (
	"fmt"
	"image/color"
)

// ReadableOn reports whether the theme's texts can be read on the background of
// a terminal: 4.5:1 for all of them. Of a theme that takes the terminal's palette
// only the kind of background can be judged, and one that paints its own
// background can be read anywhere.
func (t Theme) ReadableOn(back color.Color) bool {
	if t.Bg != "" {
		return true
	}
	r, g, b, _ := back.RGBA()
	t.Backdrop = fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
	if t.ANSI {
		d, _ := RGBA(t.Backdrop)
		return t.Dark == (luminance(d) < 0.2)
	}
	for _, f := range t.Check() {
		if f.Want >= 4.5 {
			return false
		}
	}
	return true
}

// Grounded is the theme as it is drawn on a background that it was not made for:
// it paints its backdrop. The palette of such a terminal suits the other kind of
// background, so entries of it become the colours that they are measured as.
func (t Theme) Grounded() Theme {
	if t.Bg != "" {
		return t
	}
	palette := &xterm16
	if !t.Dark {
		palette = &light16
	}
	for _, k := range tokens {
		p := k.field(&t)
		if *p == "" || (*p)[0] == '#' {
			continue
		}
		if c, ok := rgba(*p, palette); ok {
			*p = fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B)
		}
	}
	t.Bg, t.ANSI = t.Backdrop, false
	if t.Bg == "" { // a user's theme that names none
		t.Bg = Default(t.Dark).Backdrop
	}
	if t.Fg == "" {
		t.Fg = Default(t.Dark).Fg
	}
	return t
}
