package ui

import (
	"image/color"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"

	"turns/model/modeltest"
	"turns/themes"
	"turns/ui/transcripts"
)

// groundsOf counts the cells of a frame by their background in a terminal; "" is the terminal's
// own.
func groundsOf(b *bench) map[string]int {
	em := vt.NewEmulator(b.a.w, b.a.h0)
	_, _ = em.Write([]byte(strings.ReplaceAll(b.frame(), "\n", "\r\n")))
	n := map[string]int{}
	for y := range b.a.h0 {
		for x := range b.a.w {
			bg := ""
			if c := em.CellAt(x, y); c != nil && c.Style.Bg != nil {
				r, g, bl, _ := c.Style.Bg.RGBA()
				bg = ansi.HexColor(hexOf(r, g, bl)).Hex()
			}
			n[bg]++
		}
	}
	return n
}

func hexOf(r, g, b uint32) string {
	const digits = "0123456789abcdef"
	out := []byte{'#'}
	for _, v := range [...]uint32{r >> 8, g >> 8, b >> 8} {
		out = append(out, digits[v>>4], digits[v&15])
	}
	return string(out)
}

// A theme selected by name paints every cell if the terminal's background differs from its own;
// auto only paints cells with a ground.
func TestThemeOnAnotherGround(t *testing.T) {
	modeltest.Long(t, "it draws every theme")
	dark, light := color.RGBA{0x1a, 0x1b, 0x26, 255}, color.RGBA{0xfa, 0xfa, 0xfa, 255}
	keys := []string{"", "e l", "x", "?", "t Z", "S", "f i s :", "v j j"}
	for _, th := range themes.Builtin() {
		for name, back := range map[string]color.Color{"dark": dark, "light": light} {
			o := paneOptions()
			o.Theme = th.Name
			b := newBench(t, priced(), o, 100, 30)
			b.send(tea.BackgroundColorMsg{Color: back})
			paints := th.Bg != "" || th.Dark != (name == "dark")
			for _, k := range keys {
				b.press(k)
				checkFrame(t, b, th.Name+" "+k)
				if own := groundsOf(b)[""]; paints && own > 0 {
					t.Errorf("%s on %s, after %q: %d cells have the terminal's background", th.Name, name, k, own)
				} else if !paints && own == 0 {
					t.Errorf("%s on %s, after %q: no cell has the terminal's background", th.Name, name, k)
				}
				b.press("esc esc esc")
			}
		}
	}
	o := testOptions()
	o.Theme = "auto"
	b := newBench(t, sample(), o, 100, 30)
	for _, back := range []color.Color{dark, light} {
		b.send(tea.BackgroundColorMsg{Color: back})
		if groundsOf(b)[""] == 0 || b.a.h.Styles.Theme.Dark != (back == dark) {
			t.Errorf("auto on %v: theme %s, %d cells with the terminal's background", back, b.a.h.Styles.Theme.Name, groundsOf(b)[""])
		}
	}
}

// TestThemeIn256Colours: a terminal with 256 colours gets entries of the palette, on tinted grounds
// too, and true colours once it reports them.
func TestThemeIn256Colours(t *testing.T) {
	b := newBench(t, priced(), paneOptions(), 100, 30)
	for _, c := range []struct {
		profile colorprofile.Profile
		want    string
		indexed bool
	}{{colorprofile.ANSI256, "38;5;247m", true}, {colorprofile.TrueColor, "38;2;148;156;176m", false}} {
		b.send(tea.ColorProfileMsg{Profile: c.profile})
		for _, k := range []string{"", "x", "?", "t Z", "f i s :", "v j j"} {
			b.press(k)
			if frame := b.frame(); c.indexed && (strings.Contains(frame, "38;2;") || strings.Contains(frame, "48;2;")) {
				t.Errorf("%v, after %q: the frame has true colours", c.profile, k)
			}
			b.press("esc esc esc")
		}
		if !strings.Contains(b.frame(), c.want) {
			t.Errorf("%v: the frame has no %q, the secondary text", c.profile, c.want)
		}
	}
}

// The terminal may be resized before the file is read.
func TestResizeBeforeAnythingIsRead(t *testing.T) {
	a := newApp(t.Context(), transcripts.StaticFeed("", sample()), testOptions())
	for _, size := range [...][2]int{{100, 30}, {60, 20}, {19, 4}, {120, 40}} {
		a.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
	}
	if text := ansi.Strip(a.View().Content); !strings.Contains(text, "reading …") {
		t.Errorf("the screen shows\n%s", text)
	}
}
