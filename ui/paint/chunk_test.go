package paint

import (
	"strings"
	"testing"
)

// TestRenderable checks the limits beyond which rendering a block of Markdown would take too long.
func TestRenderable(t *testing.T) {
	for name, c := range map[string]struct {
		most, more string // a block within the limit, and one beyond it
	}{
		"quotes":     {strings.Repeat("> ", 8) + "x", strings.Repeat("> ", 9) + "x"},
		"lists":      {strings.Repeat("- ", 8) + "x", strings.Repeat("- ", 9) + "x"},
		"numbers":    {strings.Repeat("12. ", 8) + "x", strings.Repeat("1) ", 9) + "x"},
		"indent":     {strings.Repeat(" ", 60) + "x", strings.Repeat("\t", 61) + "x"},
		"brackets":   {strings.Repeat("[", 200), strings.Repeat("[", 201)},
		"stars":      {"x" + strings.Repeat("*", 400), "x" + strings.Repeat("*", 401)},
		"dashes":     {"x" + strings.Repeat("- ", 100), "x" + strings.Repeat("- ", 101)},
		"backquotes": {strings.Repeat("`", 400), strings.Repeat("`", 401)},
		"line":       {strings.Repeat("x", chunkBytes), strings.Repeat("x", chunkBytes+1)},
		"block":      {strings.Repeat("x\n", 5*chunkBytes/2), strings.Repeat("x\n", 5*chunkBytes/2+1)},
	} {
		if !renderable("before\n" + c.most[:min(len(c.most), 5*chunkBytes-14)] + "\nafter") {
			t.Errorf("%s within the limit is not rendered", name)
		}
		if renderable("before\n" + c.more + "\nafter") {
			t.Errorf("%s beyond the limit is rendered", name)
		}
	}
}
