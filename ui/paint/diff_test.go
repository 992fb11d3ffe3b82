package paint

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"turns/themes"
)

// A diff of code keeps its letters, its signs and its numbers in every theme and width, with
// colours and without; a wrapped line repeats its sign.
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

// Keywords, strings and comments in a diff have the colours of code, on the background of added
// lines; changes are marked.
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

// Words in a comment over several lines have the colour of comments, not of keywords, even if the
// comment begins above the diff; the code after it has its own.
func TestCommentsOverLines(t *testing.T) {
	st := NewStyles(themes.Builtin()[0], false, 0)
	text := "+/**\n+ * return the new value\n+ */ var x = 1\n  * if it is new\n  */\n-/* a new\n-   var */\n"
	d := Doc{Parts: DiffParts(text, "a.js"), W: 60, St: st, Wrap: true}
	lines := d.Lines(0)
	for _, c := range []struct {
		line   int
		want   Span
		ground Ground
	}{
		{1, Span{" * return the new value", inkComment, 0}, groundAdd}, {2, Span{" */", inkComment, 0}, groundAdd}, {2, Span{"var", inkKeyword, 0}, groundAdd},
		{3, Span{" * if it is new", inkComment, 0}, GroundNone}, {5, Span{"/* a new", inkComment, 0}, groundDel}, {6, Span{"   var */", inkComment, 0}, groundDel},
	} {
		var b strings.Builder
		st.Put(&b, c.want, c.ground)
		if !strings.Contains(lines[c.line], b.String()) {
			t.Errorf("%q is not drawn as %q in %q", c.want.Text, b.String(), lines[c.line])
		}
	}
}

// A line of a diff wraps between words; it splits a word only if that is wider than the line.
func TestDiffsWrapBetweenWords(t *testing.T) {
	for _, c := range []struct {
		text string
		w    int
		want string
	}{
		{"the watcher debounces events", 12, "the watcher |debounces |events"},
		{"    indented words", 10, "    |indented |words"},
		{"abcdefghijklmnop qr", 8, "abcdefgh|ijklmnop| qr"},
		{"世界世界 ab", 5, "世界|世界 |ab"},
		{"fits", 8, "fits"},
	} {
		var got []string
		for _, line := range wrapSpans([]Span{{Text: c.text[:3]}, {Text: c.text[3:]}}, c.w) {
			text := ""
			for _, s := range line {
				text += s.Text
			}
			got = append(got, text)
		}
		if s := strings.Join(got, "|"); s != c.want {
			t.Errorf("%q in %d cells: %q, want %q", c.text, c.w, s, c.want)
		}
	}
}
