package paint

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"turns/themes"
)

// A diff of code keeps its letters, its signs and its numbers in every theme and width, with colour
// and without; a line that wraps repeats its sign.
func TestDiffsOfCode(t *testing.T) {
	long := strings.Repeat("abc 世界 ", 20)
	text := "@@ -8,3 +8,3 @@\n func f() {\n-\tx := \"old\" // why\n+\tx := \"new\" // why\n+\ty := 1 + " + long + "\n }\n"
	for _, th := range themes.Builtin() {
		for _, plain := range []bool{false, true} {
			for _, w := range [...]int{20, 60, 200} {
				st := NewStyles(th, plain, 0)
				var whole, signs strings.Builder
				d := Doc{Parts: DiffParts(text, "new a.go"), W: w, St: st, Wrap: true}
				for i := range d.Parts {
					for _, line := range d.Lines(i) {
						bare := ansi.Strip(line)
						if Width(bare) > w {
							t.Fatalf("%s, width %d: %q is %d cells wide", th.Name, w, bare, Width(bare))
						}
						whole.WriteString(bare + "\n")
						if len(bare) > gutterWidth {
							signs.WriteString(bare[gutterWidth : gutterWidth+1])
						}
					}
				}
				if n, which := lostLetters(text, whole.String()); n > 0 {
					t.Errorf("%s, width %d: %q is lost in\n%s", th.Name, w, which, whole.String())
				}
				if w == 200 && signs.String() != ", -+++ " {
					t.Errorf("%s: the signs are %q in\n%s", th.Name, signs.String(), whole.String())
				}
			}
		}
	}
}

// Keywords, strings and comments of a diff have the colours that they have in code, on the ground
// of what was added; what changed is marked.
func TestDiffsHaveTheColoursOfCode(t *testing.T) {
	st := NewStyles(themes.Builtin()[0], false, 0)
	d := Doc{Parts: DiffParts("-\tvar x = \"old\" // why\n+\tvar x = \"new\" // why\n", "a.go"), W: 60, St: st, Wrap: true}
	added := d.Lines(0)[1]
	for _, want := range []Span{{"var", inkKeyword, 0}, {"// why", inkComment, 0}, {"new", inkAddWord, 0}, {"+ ", InkAdd, 0}} {
		var b strings.Builder
		st.Put(&b, want, groundAdd)
		if !strings.Contains(added, b.String()) {
			t.Errorf("%q is not drawn as %q in %q", want.Text, b.String(), added)
		}
	}
}
