package ui

import (
	"testing"

	"turns/themes"
	"turns/ui/paint"
)

// All text on the status line or the thumb of the scroll bar is readable.
func TestInksAreReadable(t *testing.T) {
	for _, th := range themes.Builtin() {
		for _, g := range []struct {
			name, other, ground string
			least               float64
		}{{"status line", th.StatusFg, th.StatusBg, paint.TextContrast}, {"thumb", th.SelectionFg, th.SelectionBg, paint.ShapeContrast}} {
			for _, color := range []string{th.Dim, th.Fg, th.Accent, th.OK, th.Error, th.Warning, th.Running, th.Mark, th.RoleUser, th.RoleReasoning} {
				if got := paint.Readable(&th, color, g.other, g.ground, g.least); themes.Contrast(got, g.ground) < g.least {
					t.Errorf("%s: %s on the %s has %.1f:1", th.Name, got, g.name, themes.Contrast(got, g.ground))
				}
			}
		}
	}
	th, err := themes.Find("high-contrast")
	if err != nil {
		t.Fatal(err)
	}
	if th.Dim == paint.Readable(&th, th.Dim, th.StatusFg, th.StatusBg, paint.TextContrast) {
		t.Error("dim text stays dim on the white status line")
	}
}
