package themes

import (
	"fmt"
	"image/color"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"turns/model/modeltest"
)

// Every text of a theme has a contrast of at least 4.5:1 to its background, by default the theme's
// backdrop, in the high contrast themes 7:1.
func TestContrast(t *testing.T) {
	for _, th := range Builtin() {
		if th.Backdrop == "" {
			t.Errorf("%s: names no backdrop", th.Name)
		}
		for _, f := range th.Check() {
			t.Errorf("%s: %v", th.Name, f)
		}
		if !strings.HasPrefix(th.Name, "high-contrast") {
			continue
		}
		for _, k := range tokens {
			on := th.Backdrop
			if k.On != "" {
				on, _ = th.Get(k.On)
			}
			if r := Contrast(k.Get(th), on); k.Kind == Text && r < 7 {
				t.Errorf("%s: %s on %s has %.1f:1, want 7:1", th.Name, k.Name, on, r)
			}
		}
	}
}

// Only the terminal's own colours may be left unset.
func TestComplete(t *testing.T) {
	for _, th := range Builtin() {
		data, err := files.ReadFile("builtin/" + th.Name + ".toml")
		if _, bad := Parse(th.Name, data); err != nil || bad != nil {
			t.Errorf("%s: %v, %v", th.Name, err, bad)
		}
		for _, k := range tokens {
			v := k.Get(th)
			if n, err := normal(v); err != nil || n != v {
				t.Errorf("%s: %s is %q, normal %q, %v", th.Name, k.Name, v, n, err)
			}
			if v == "" && !th.ANSI && k.Name != "bg" {
				t.Errorf("%s: %s is empty", th.Name, k.Name)
			}
		}
		if th.ANSI != th.onlyANSI() {
			t.Errorf("%s: ANSI is %v", th.Name, th.ANSI)
		}
		got, err := Find(th.Name)
		if err != nil || got != th {
			t.Errorf("Find(%q) = %v, %v", th.Name, got.Name, err)
		}
		if d, _ := RGBA(th.Backdrop); th.Dark != (luminance(d) < 0.2) {
			t.Errorf("%s: Dark is %v on %s", th.Name, th.Dark, th.Backdrop)
		}
	}
	if got, err := Find("color-blind"); err != nil || got.Name != "colour-blind" {
		t.Errorf("Find(color-blind) = %q, %v", got.Name, err)
	}
	if !Default(true).Dark || Default(false).Dark {
		t.Error("Default does not follow the background")
	}
}

// Token names are a contract with theme files, and none may be the prefix of another.
func TestTokenNames(t *testing.T) {
	seen := map[string]bool{}
	fields := map[*string]string{}
	var th Theme
	for _, k := range tokens {
		if seen[k.Name] {
			t.Errorf("%s is there twice", k.Name)
		}
		seen[k.Name] = true
		if p := k.field(&th); fields[p] != "" {
			t.Errorf("%s and %s are the same field", k.Name, fields[p])
		} else {
			fields[p] = k.Name
		}
		for _, o := range tokens {
			if strings.HasPrefix(o.Name, k.Name+".") {
				t.Errorf("%s and %s cannot both be written in TOML", k.Name, o.Name)
			}
		}
	}
}

// Neighbouring colours with opposite meanings must also differ for people with deuteranopia and
// protanopia.
func TestColourBlind(t *testing.T) {
	opposite := [][2]string{
		{"ok", "error"}, {"diff.add", "diff.del"}, {"warning", "error"}, {"ok", "warning"},
		{"role.user", "role.assistant"}, {"bar.input", "bar.output"}, {"bar.tools", "bar.model"},
	}
	for _, name := range []string{"colour-blind", "colour-blind-light"} {
		th, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, pair := range opposite {
			a, _ := th.Get(pair[0])
			b, _ := th.Get(pair[1])
			for eye, m := range eyes {
				if d := deltaE(seen(a, m), seen(b, m)); d < 20 {
					t.Errorf("%s: %s and %s differ by %.0f with %s, want 20", name, pair[0], pair[1], d, eye)
				}
			}
		}
	}
}

// Machado, Oliveira and Fernandes 2009, severity 1, on linear RGB.
var eyes = map[string][9]float64{
	"all cones":    {1, 0, 0, 0, 1, 0, 0, 0, 1},
	"deuteranopia": {0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881},
	"protanopia":   {0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998},
}

func seen(token string, m [9]float64) [3]float64 {
	c, _ := RGBA(token)
	r, g, b := linear(c.R), linear(c.G), linear(c.B)
	row := func(i int) float64 { return min(1, max(0, m[i]*r+m[i+1]*g+m[i+2]*b)) }
	return [3]float64{row(0), row(3), row(6)}
}

// deltaE returns the distance in CIE L*a*b* (1976), white at D65.
func deltaE(a, b [3]float64) float64 {
	lab := func(c [3]float64) [3]float64 {
		f := func(v float64) float64 {
			if v > 216.0/24389 {
				return math.Cbrt(v)
			}
			return (v*24389/27 + 16) / 116
		}
		x := f((0.4124*c[0] + 0.3576*c[1] + 0.1805*c[2]) / 0.9505)
		y := f(0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2])
		z := f((0.0193*c[0] + 0.1192*c[1] + 0.9505*c[2]) / 1.089)
		return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
	}
	p, q := lab(a), lab(b)
	return math.Sqrt((p[0]-q[0])*(p[0]-q[0]) + (p[1]-q[1])*(p[1]-q[1]) + (p[2]-q[2])*(p[2]-q[2]))
}

func TestRGBA(t *testing.T) {
	for _, c := range []struct {
		token string
		want  color.RGBA
		ok    bool
	}{
		{"#1a2B3c", color.RGBA{0x1a, 0x2b, 0x3c, 255}, true},
		{"#fa0", color.RGBA{0xff, 0xaa, 0x00, 255}, true},
		{"9", color.RGBA{0xff, 0, 0, 255}, true},
		{"16", color.RGBA{0, 0, 0, 255}, true},
		{"231", color.RGBA{255, 255, 255, 255}, true},
		{"208", color.RGBA{255, 135, 0, 255}, true},
		{"244", color.RGBA{128, 128, 128, 255}, true},
		{"", color.RGBA{}, false},
		{"256", color.RGBA{}, false},
		{"#12345", color.RGBA{}, false},
		{"#+1234f", color.RGBA{}, false},
		{"red", color.RGBA{}, false},
	} {
		if got, ok := RGBA(c.token); got != c.want || ok != c.ok {
			t.Errorf("RGBA(%q) = %v, %v, want %v, %v", c.token, got, ok, c.want, c.ok)
		}
	}
	if r := Contrast("#000", "#ffffff"); math.Abs(r-21) > 1e-9 {
		t.Errorf("black on white is %v, want 21", r)
	}
}

func TestGoldenList(t *testing.T) {
	var b strings.Builder
	fmt.Fprintf(&b, "%-20s", "")
	for _, th := range Builtin() {
		fmt.Fprintf(&b, " %-19s", th.Name)
	}
	for _, k := range tokens {
		fmt.Fprintf(&b, "\n%-20s", k.Name)
		for _, th := range Builtin() {
			fmt.Fprintf(&b, " %-19s", k.Get(th))
		}
	}
	got := trimLines(b.String())
	path := filepath.Join("testdata", "builtin.golden")
	modeltest.Golden(t, path, got)
}

func trimLines(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

func TestFindUnknown(t *testing.T) {
	_, err := Find("drak\x1b[2J")
	if err == nil {
		t.Fatal("found a theme that does not exist")
	}
	for _, name := range Names() {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("%v: does not list %s", err, name)
		}
	}
	if strings.ContainsRune(err.Error(), 0x1b) {
		t.Errorf("an escape sequence reached the message %q", err)
	}
	if _, err = Find("drak"); err == nil || !strings.Contains(err.Error(), `did you mean "dark"?`) {
		t.Errorf("Find(drak): %v", err)
	}
	if !slices.Contains(Names(), "ansi") {
		t.Error("no ansi theme")
	}
}
