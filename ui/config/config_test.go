package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
)

func known() Known {
	return Known{
		Columns: []string{"when", "title", "cost"},
		Commands: []Command{
			{"down", []string{"j", "down"}, "next row"}, {"copy", []string{"y *"}, "copy"}, {"next-hit", []string{"n"}, "next hit"},
			{"filter", []string{"f"}, "edit the filter"}, {"open-whole", []string{"z o"}, "open whole"},
		},
		Others: []Command{{Keys: []string{"I"}, Help: "repeated calls"}},
		Theme: func(name string) error {
			if name == "dark" {
				return nil
			}
			return errors.New("unknown theme")
		},
	}
}

// written loads a file with a text.
func written(t *testing.T, text string) *Config {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return Load(path, known())
}

func TestMistakesAreToldWithTheirPlace(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"not TOML", "theme = \"dark\"\ntime = clock\n", "2:8: not TOML"},
		{"a text that does not end", "theme = \"dark\n", "1:14: not TOML"},
		{"unknown setting", "\nfolow = true", `2:1: unknown setting "folow", did you mean "follow"?`},
		{"unknown theme", "theme = \"drak\"", "1:1: theme: unknown theme"},
		{"no text", "  theme = 3", "1:3: theme: want a text in quotes, not 3"},
		{"unknown time", "time = \"strat\"", `1:1: time: unknown "strat", did you mean "start"?`},
		{"unknown column", "columns = [\"when\", \"weight\"]", `1:1: columns: unknown "weight"; valid: when, title, cost`},
		{"no truth", "follow = \"yes\"", "1:1: follow: want true or false, not yes"},
		{"no table", "keys = 4", "1:1: keys is a table: [keys]"},
		{"unknown command", "[keys]\nfliter = \"F\"", `2:1: unknown command "fliter", did you mean "filter"?`},
		{"unknown key", "[keys]\nfilter = \"kontrol\"", `2:1: filter: unknown key "kontrol"`},
		{"a chord of anything", "[keys]\nfilter = \"a b\"", `2:1: filter: of two keys the first is z: "a b"`},
		{"a digit", "[keys]\nfilter = \"4\"", `2:1: filter: "4" is a digit of a count`},
		{"one key twice", "[keys]\nfilter = \"F\"\nnext-hit = \"F\"", `3:1: next-hit: the key "F" is that of filter`},
		{"the last key of another", "[keys]\nfilter = \"n\"", `2:1: filter: the key "n" belonged to next-hit, which now has no key`},
		{"unknown field of a price", "[models.\"gpt\"]\ninput = 1\noutptu = 2", `3:1: unknown field "outptu" of a price`},
		{"a price that is none", "[models.\"gpt\"]\ninput = \"x\"", "2:1: models.gpt.input: incompatible types"},
	} {
		got := written(t, c.text)
		if len(got.Problems) != 1 || !strings.Contains(got.Problems[0].Error(), "config.toml:"+c.want) {
			t.Errorf("%s: %v, want %s", c.name, got.Problems, c.want)
		}
	}
}

// Valid settings apply despite mistakes in others.
func TestTheRestHolds(t *testing.T) {
	c := written(t, "time = \"start\"\ntheme = 1\ncolumns = [\"title\"]\nfollow = true\nprices = \"mine.toml\"\n[models.\"GPT\"]\ninput = 1\n[keys]\nfilter = 3\ndown = \"e\"\n")
	if len(c.Problems) != 2 || c.Time != "start" || c.Theme != "auto" || len(c.Columns) != 1 || !c.Follow || len(c.Keys["down"]) != 1 || c.Models["gpt"].Input != 1e-6 {
		t.Errorf("%+v", c)
	}
	if want := filepath.Join(filepath.Dir(c.Path), "mine.toml"); c.Prices != want {
		t.Errorf("prices are in %q, want %q", c.Prices, want)
	}
}

func TestKeysMeanOthers(t *testing.T) {
	c := written(t, "[keys]\ndown = [\"n\", \"down\"]\nnext-hit = \"z n\"\ncopy = \"c\"\nopen-whole = \"o\"\n")
	k := c.Bind(known().Commands)
	for _, c := range []struct{ pending, pressed, meant string }{
		{"", "n", "j"}, {"", "down", "j"}, {"", "j", ""}, {"z", "n", "n"}, {"", "c", "y"}, {"", "y", ""}, {"", "o", "z o"}, {"z", "o", ""}, {"", "f", "f"}, {"z", "x", "z x"},
	} {
		if got := k.Means(c.pending, c.pressed); got != c.meant {
			t.Errorf("%s%s means %q, want %q", c.pending, c.pressed, got, c.meant)
		}
	}
	for meant, press := range map[string]string{"j": "n", "down": "down", "n": "z n", "y *": "c *", "z o": "o", "f": "f"} {
		if got := k.Press(meant); got != press {
			t.Errorf("for %q press %q, want %q", meant, got, press)
		}
	}
	var none *Keys
	if none.Changed() || none.Means("z", "o") != "z o" || none.Press("j") != "j" {
		t.Error("without a file keys do not mean themselves")
	}
}

// TestPrintedSettingsHideNothing prints settings that hide or reorder text: as escapes, which mean
// the same.
func TestPrintedSettingsHideNothing(t *testing.T) {
	for _, odd := range []string{"\u202e", "\u2066", "\u200b", "\ufeff", "\u00ad", "\u061c", "\u2028", "\U000e0041", "\u009b", "\x7f"} {
		c := Default()
		c.set = map[string]any{"theme": "a" + odd, "command": []map[string]any{{"name": odd}}, "models": map[string]any{odd: map[string]any{"input": 1.0}}}
		var out strings.Builder
		if err := c.Print(&out, &Known{}); err != nil || strings.Contains(out.String(), odd) {
			t.Errorf("%q: %q, %v", odd, out.String(), err)
		}
		var again map[string]any
		if _, err := toml.Decode(out.String(), &again); err != nil || again["theme"] != "a"+odd {
			t.Errorf("%q is read as %v, %v", odd, again["theme"], err)
		}
	}
}

// The printed file has the same settings.
func TestPrintedIsRead(t *testing.T) {
	k := known()
	for _, text := range []string{"", "time = \"start\"\ncolumns = [\"title\", \"when\"]\n[keys]\nfilter = [\"F\", \"z f\"]\n[models.\"gpt\"]\ninput = 1.5\n"} {
		c := written(t, text)
		var b strings.Builder
		if err := c.Print(&b, &k); err != nil {
			t.Fatal(err)
		}
		again := written(t, b.String())
		var second strings.Builder
		if err := again.Print(&second, &k); err != nil {
			t.Fatal(err)
		}
		_, one, _ := strings.Cut(b.String(), "\n") // the first line contains the path
		_, two, _ := strings.Cut(second.String(), "\n")
		if len(again.Problems) > 0 || one != two {
			t.Errorf("of %q is printed\n%s\nand of that\n%s\n%v", text, one, two, again.Problems)
		}
		uncommented := strings.NewReplacer("\n# [", "\n[", "# theme =", "theme =", "# time =", "time =", "# down", "down", "# input", "input", "# name =", "name =", "# run =", "run =").Replace(b.String())
		if all := written(t, uncommented); text == "" && len(all.Problems) > 0 && !strings.Contains(all.Problems[0].Text, "unknown theme") {
			t.Errorf("defaults are not settings: %v", all.Problems)
		}
	}
}
