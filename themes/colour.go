package themes

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
)

// The 16 colours as xterm has them, and as GitHub's light theme has them for
// terminals with a light background. A terminal's own may be anything, so they
// serve only to measure.
var xterm16 = [16]uint32{
	0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5,
	0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
}

var light16 = [16]uint32{
	0x24292f, 0xcf222e, 0x116329, 0x4d2d00, 0x0969da, 0x8250df, 0x1b7c83, 0x6e7781,
	0x57606a, 0xa40e26, 0x1a7f37, 0x633c01, 0x218bff, 0xa475f9, 0x3192aa, 0xffffff,
}

// normal returns the value of a token in its one spelling: "#rrggbb" in lower
// case, a number without leading zeros, or "".
func normal(s string) (string, error) {
	if s == "" {
		return "", nil
	}
	if s[0] != '#' {
		if n, err := strconv.ParseUint(s, 10, 8); err == nil {
			return strconv.Itoa(int(n)), nil
		}
		return "", fmt.Errorf(`%q is not a colour: want "#rrggbb", "#rgb", "0" to "255", or "" for the terminal's own`, s)
	}
	hex := s[1:]
	if len(hex) == 3 {
		hex = string([]byte{hex[0], hex[0], hex[1], hex[1], hex[2], hex[2]})
	}
	n, err := strconv.ParseUint(hex, 16, 32)
	if err != nil || len(hex) != 6 {
		return "", fmt.Errorf(`%q is not a colour: want 3 or 6 hexadecimal digits after the "#"`, s)
	}
	return fmt.Sprintf("#%06x", n), nil
}

// RGBA returns the colour of a token, with palette entries as in xterm; false for "" and for
// invalid tokens.
func RGBA(token string) (color.RGBA, bool) { return rgba(token, &xterm16) }

func rgba(token string, palette *[16]uint32) (color.RGBA, bool) {
	s, err := normal(token)
	if err != nil || s == "" {
		return color.RGBA{}, false
	}
	var v uint32
	if s[0] == '#' {
		n, _ := strconv.ParseUint(s[1:], 16, 32)
		v = uint32(n)
	} else {
		n, _ := strconv.Atoi(s)
		v = indexed(n, palette)
	}
	return color.RGBA{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v), A: 255}, true
}

// indexed returns an entry of the 256-colour palette: 16, a cube of 6×6×6, 24 greys.
func indexed(n int, palette *[16]uint32) uint32 {
	switch {
	case n < 16:
		return palette[n]
	case n >= 232:
		g := uint32(8 + 10*(n-232))
		return g<<16 | g<<8 | g
	}
	level := func(i int) uint32 {
		if i == 0 {
			return 0
		}
		return uint32(55 + 40*i)
	}
	n -= 16
	return level(n/36)<<16 | level(n/6%6)<<8 | level(n%6)
}

// Contrast returns the contrast ratio of two tokens as WCAG 2 defines it, from 1 to 21, or 0 if one
// of them is not a known colour.
func Contrast(a, b string) float64 { return contrast(a, b, &xterm16) }

func contrast(a, b string, palette *[16]uint32) float64 {
	ca, ok1 := rgba(a, palette)
	cb, ok2 := rgba(b, palette)
	if !ok1 || !ok2 {
		return 0
	}
	la, lb := luminance(ca), luminance(cb)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

func luminance(c color.RGBA) float64 {
	return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
}

func linear(v uint8) float64 {
	f := float64(v) / 255
	if f <= 0.04045 {
		return f / 12.92
	}
	return math.Pow((f+0.055)/1.055, 2.4)
}

// Fault is a token with too little contrast to its background.
type Fault struct {
	Token, On string  // On is "backdrop" or the token of the background
	Ratio     float64 // measured
	Want      float64 // required for its kind
}

// String describes the fault in one line.
func (f Fault) String() string {
	return fmt.Sprintf("%s on %s has a contrast of %.1f:1, want %.1f:1", f.Token, f.On, f.Ratio, f.Want)
}

// Check measures every text and shape of the theme against its background: the theme's own,
// otherwise the backdrop and the cursor line. It assumes xterm's palette for the terminal's
// colours, or that of a usual light terminal. It accepts empty tokens.
func (t Theme) Check() []Fault {
	var faults []Fault
	for _, k := range tokens {
		faults = append(faults, t.faults(k)...)
	}
	return faults
}

// faults measures one token.
func (t Theme) faults(k Token) (faults []Fault) {
	want := map[Kind]float64{Text: 4.5, Shape: 3}[k.Kind]
	fg := k.Get(t)
	if want == 0 || fg == "" {
		return nil
	}
	behind := map[string]string{"backdrop": cmp.Or(t.Bg, t.Backdrop)}
	if k.On != "" {
		on, _ := t.Get(k.On)
		behind = map[string]string{k.On: on}
	} else if k.Kind == Text {
		behind["cursor.bg"] = t.CursorBg
	}
	for _, on := range []string{"backdrop", "cursor.bg", k.On} {
		bg := behind[on]
		if bg == "" {
			continue
		}
		if r := contrast(fg, bg, t.palette()); r < want {
			faults = append(faults, Fault{k.Name, on, r, want})
		}
	}
	return faults
}

// palette returns the probable first sixteen entries of the terminal's palette.
func (t Theme) palette() *[16]uint32 {
	if t.Dark {
		return &xterm16
	}
	return &light16
}

// ReadableOn reports whether the theme's texts are readable on the background of a terminal: 4.5:1
// for all of them. For a theme in the terminal's palette, it can only judge whether the background
// is dark or light. A theme that paints its own background is always readable.
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
	return !slices.ContainsFunc(t.Check(), func(f Fault) bool { return f.Want >= 4.5 })
}

// Grounded returns the theme for a background that it was not made for: it paints its backdrop. The
// palette of such a terminal suits the other kind of background, so palette entries become fixed
// colours, those that Check assumes.
func (t Theme) Grounded() Theme {
	if t.Bg != "" {
		return t
	}
	for _, k := range tokens {
		p := k.field(&t)
		if *p == "" || (*p)[0] == '#' {
			continue
		}
		if c, ok := rgba(*p, t.palette()); ok {
			*p = fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B)
		}
	}
	t.Bg, t.ANSI = t.Backdrop, false
	if t.Bg == "" { // a user's theme without a backdrop
		t.Bg = Default(t.Dark).Backdrop
	}
	t.Fg = cmp.Or(t.Fg, Default(t.Dark).Fg)
	return t
}
