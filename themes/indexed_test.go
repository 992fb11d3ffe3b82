package themes

import (
	"strings"
	"testing"
)

// TestIndexed: on a terminal with 256 colours every text stays readable, the sixteen colours of the
// user stay as they are, and greys stay grey.
func TestIndexed(t *testing.T) {
	for _, th := range Builtin() {
		for _, th := range []Theme{th, th.Grounded()} {
			in := th.Indexed()
			if th.ANSI && in != th {
				t.Errorf("%s in 256 colours differs, want the user's palette as it is", th.Name)
			}
			for _, f := range in.Check() {
				t.Errorf("%s in 256 colours: %s", th.Name, f)
			}
			for _, k := range tokens {
				if was, is := k.Get(th), k.Get(in); strings.HasPrefix(is, "#") || (was == "") != (is == "") {
					t.Errorf("%s: %s %q is %q in 256 colours, want an entry of the palette", th.Name, k.Name, was, is)
				}
			}
		}
	}
	dark, light := Default(true).Indexed(), Default(false).Indexed()
	for _, c := range []struct{ what, got, want string }{
		{"secondary text", dark.Dim, "247"}, {"the row of the cursor", dark.CursorBg, "236"}, {"the status line", dark.StatusBg, "236"},
		{"a comment", dark.SyntaxComment, "247"}, {"an error", dark.Error, "210"}, {"text on light", light.Fg, "235"}, {"the cursor on light", light.CursorBg, "255"},
	} {
		if c.got != c.want {
			t.Errorf("%s is entry %s of the palette, want %s", c.what, c.got, c.want)
		}
	}
}

// TestIndexedFaults: a theme with bad contrast does not have to get better.
func TestIndexedFaults(t *testing.T) {
	th := Theme{Dark: true, Backdrop: "#000000", Fg: "#303030"}
	if got := th.Indexed().Fg; got != "236" {
		t.Errorf("dark grey on black is entry %s, want 236, the same grey", got)
	}
}

func TestNearest(t *testing.T) {
	for token, want := range map[string]string{"": "", "7": "7", "#ff0000": "196", "#808080": "244", "#5f87af": "67", "#949cb0": "247"} {
		if got := Nearest(token); got != want {
			t.Errorf("nearest to %q is %q, want %q", token, got, want)
		}
	}
}
