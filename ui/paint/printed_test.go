package paint

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"turns/model"
	"turns/themes"
)

func TestPrintedKeepsColoursOnly(t *testing.T) {
	text := "\x1b[1;32mPASS\x1b[0m a\r\n\x1b]0;title\x07\x1b[2J\x1b[38;5;208morange\x1b[0m \x1b[48;2;1;2;3m\x1b[38;2;0;0;1mdark\x1b[m \x1b[7mrev\x1b[27m\n" +
		strings.Repeat("\x1b[31mred \x1b[39m", 40) + "\nprogress\rdone"
	for _, th := range themes.Builtin() {
		for _, plain := range []bool{false, true} {
			for _, w := range []int{8, 33, 80} {
				d := Doc{Parts: PrintedParts(text), W: w, St: NewStyles(th, plain, 0), Wrap: true}
				var lines []string
				for i := range d.Parts {
					lines = append(lines, d.Lines(i)...)
				}
				for _, line := range lines {
					if onlyColours(line) != line || Width(line) > w {
						t.Errorf("%s: %q", th.Name, line)
					}
				}
				got := strings.Join(strings.Fields(ansi.Strip(strings.Join(lines, " "))), "")
				if want := strings.Join(strings.Fields(model.Printed(text)), ""); got != want {
					t.Errorf("%s: got %q, want %q", th.Name, got, want)
				}
				if all := strings.Join(lines, ""); !plain && !strings.Contains(all, NewStyles(th, false, 0).lookOf(look{bold: true, colour: "2"})) {
					t.Errorf("%s: no green in %q", th.Name, all)
				}
			}
		}
	}
}

func TestColoursOfProgramsAreReadable(t *testing.T) {
	for _, th := range themes.Builtin() {
		st := NewStyles(th, false, 0)
		for _, c := range []string{"#000000", "#ffffff", "#ff0000", "#0000ff", "#010203", "208", "232", "255", "0", "7", "15"} {
			if got := st.shown(c); th.Bg != "" && !th.ANSI && themes.Contrast(got, th.Bg) < 3 {
				t.Errorf("%s shows %s as %s: contrast %.1f", th.Name, c, got, themes.Contrast(got, th.Bg))
			}
		}
	}
}
