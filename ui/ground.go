package ui

import (
	"image/color"

	"turns/themes"
	"turns/ui/screen"
)

// ground describes the colours of the terminal.
type ground struct {
	isDark bool
	behind color.Color // its background; nil until it reports it

	indexed bool // it has 256 colours
}

// theme returns the theme to draw. The automatic theme leaves the terminal its background. A theme
// selected by name must be readable on any: it paints its own background if the terminal's differs
// or is unknown.
func (g *ground) theme(o *screen.Options) themes.Theme {
	t := o.ThemeFor(g.isDark)
	if auto := o.Theme == "" || o.Theme == "auto"; !auto && (g.behind == nil && !t.ANSI || g.behind != nil && !t.ReadableOn(g.behind)) {
		t = t.Grounded()
	}
	if g.indexed {
		return t.Indexed()
	}
	return t
}
