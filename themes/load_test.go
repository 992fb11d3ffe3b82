package themes

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
)

func TestParse(t *testing.T) {
	th, err := Parse("mine", []byte(`
extends = "light"   # comment
backdrop = "#FDF6E3"

[colors]
accent = "#B58"
role.user = "6"
"role.tool" = ""

[colors.match]
bg = "11"
current.fg = "#000000"
`))
	if err != nil {
		t.Fatal(err)
	}
	want := Default(false)
	want.Name, want.Backdrop = "mine", "#fdf6e3"
	want.Accent, want.RoleUser, want.RoleTool = "#bb5588", "6", ""
	want.MatchBg, want.MatchCurrentFg = "11", "#000000"
	if th != want {
		t.Errorf("got %+v\nwant %+v", th, want)
	}
	if th, err = Parse("bare", nil); err != nil || th.Fg != Default(true).Fg {
		t.Errorf("an empty file is %+v, %v; want the dark theme", th, err)
	}
	if th, err = Parse("a", []byte("extends=\"ansi\"\ndark=false\ncolors.dim=\"7\"")); err != nil || !th.ANSI || th.Dark || th.Dim != "7" {
		t.Errorf("got %+v, %v", th, err)
	}
}

var badFiles = []struct {
	name, text string
	want       []string
}{
	{"unknown token", "[colors]\naccent = \"1\"\nacent = \"2\"\n", []string{"line 3", `"acent"`, `did you mean "accent"?`}},
	{"token of a table", "[colors.role]\n\nusr = \"2\"\n", []string{"line 3", `"role.usr"`, `"role.user"`}},
	{"dotted", "[colors]\n\n\nrole.usr = \"2\"\n", []string{"line 4", `"role.usr"`}},
	{"quoted", "[colors]\n\"role.usr\" = \"2\"\n", []string{"line 2", `"role.usr"`}},
	{"inline", "\n[colors]\nrole = { usr = \"2\" }\n", []string{"line 3", `"role.usr"`}},
	{"table as colour", "[colors]\nborder = \"2\"\n", []string{"line 2", "border.plain, border.focus"}},
	{"no colour", "[colors]\nok = \"green\"\n", []string{"line 2", `ok: "green" is not a colour`}},
	{"number", "[colors]\nok = 2\n", []string{"line 2", `in quotes: "2"`}},
	{"list", "[colors]\nok = [1]\n", []string{"line 2", "not []"}},
	{"range", "[colors]\nok = \"256\"\n", []string{"line 2", `"256"`}},
	{"digits", "[colors]\nok = \"#12345\"\n", []string{"line 2", "hexadecimal"}},
	{"unknown key", "extend = \"dark\"\n", []string{"line 1", `unknown key "extend"`}},
	{"unknown table", "\n[colours]\nok = \"1\"\n", []string{"line 2", `unknown key "colours"`}},
	{"unknown base", "\nextends = \"drak\"\n", []string{"line 2", `did you mean "dark"?`, "high-contrast"}},
	{"backdrop", "backdrop = \"black\"\n", []string{"line 1", `backdrop: "black"`}},
	{"syntax", "extends = \"dark\"\n[colors\n", []string{"line 2", "not TOML"}},
	{"no value", "extends =\nok = \"2\"\n", []string{"line 1", "not TOML"}},
	{"no equals", "# one\nextends\nok = \"2\"\n", []string{"line 2", "not TOML"}},
	{"no quote", "extends = \"dark\nok = 2\n", []string{"line 1", "not TOML"}},
	{"type", "extends = 3\n", []string{"line 1", "extends"}},
	{"two errors", "[colors]\nnope = \"1\"\nok = \"x\"\n", []string{"line 2", "line 3"}},
	{"duplicate", "[colors]\nok = \"1\"\nok = \"2\"\n", []string{"line 3"}},
	{"escape", "[colors]\n\"a\\u001b[2J\" = \"\\u0007\"\n", []string{"line 2"}},
	{"escape in syntax", "a = \x1b]0;x\x07\n", []string{"line 1"}},
}

func TestParseErrors(t *testing.T) {
	for _, c := range badFiles {
		_, err := Parse("mine", []byte(c.text))
		if err == nil {
			t.Errorf("%s: no error", c.name)
			continue
		}
		for _, w := range c.want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %q does not say %q", c.name, err, w)
			}
		}
		checkPrintable(t, err)
	}
}

func checkPrintable(t *testing.T, err error) {
	t.Helper()
	if i := strings.IndexFunc(err.Error(), func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }); i >= 0 {
		t.Errorf("control character at %d in %q", i, err)
	}
}

func TestNames(t *testing.T) {
	for _, name := range []string{"", ".hidden", "../x", `a\b`, "a\x1b[2J", "a\nb", "a\u202eb", strings.Repeat("x", 101)} {
		_, err := Parse(name, nil)
		if err == nil {
			t.Errorf("%q is taken as a name", name)
			continue
		}
		checkPrintable(t, err)
	}
	if _, err := Parse("Sonnenaufgang über Köln", nil); err != nil {
		t.Error(err)
	}
}

func TestFolder(t *testing.T) {
	home := t.TempDir()
	if names, err := List(home); names != nil || err != nil {
		t.Errorf("no folder: %v, %v", names, err)
	}
	write := func(name, text string) string {
		path := filepath.Join(Dir(home), name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	path := write("sea.toml", "extends = \"light\"\ncolors.accent = \"#00f\"\n")
	write("dark.toml", "colors.accent = \"#123456\"\n")
	write("bad.toml", "[colors]\nacent = \"1\"\n")
	write("big.toml", "#"+strings.Repeat("x", maxFile))
	write("notes.txt", "")
	if names, err := List(home); err != nil || !slices.Equal(names, []string{"bad", "big", "dark", "sea"}) {
		t.Errorf("List = %q, %v", names, err)
	}
	for name, accent := range map[string]string{"sea": "#0000ff", path: "#0000ff", "dark": "#123456", "light": Default(false).Accent} {
		th, err := Open(name, home)
		if err != nil || th.Accent != accent {
			t.Errorf("Open(%q) has accent %q, %v; want %q", name, th.Accent, err, accent)
		}
	}
	for name, want := range map[string]string{
		"bad": "line 2", "big": "the most is 262144", "see": `did you mean "sea"?`, "../sea": "no such file", "nope.toml": "no such file",
	} {
		if _, err := Open(name, home); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Open(%q): %v, want %q", name, err, want)
		}
	}
	if th, err := Open("ansi", ""); err != nil || !th.ANSI {
		t.Errorf("Open without a folder: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	for _, c := range badFiles {
		f.Add(c.name, c.text)
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		th, err := Parse(name, []byte(text))
		if err != nil {
			checkPrintable(t, err)
			return
		}
		for _, k := range tokens {
			if v := k.Get(th); v != "" {
				if _, ok := RGBA(v); !ok {
					t.Errorf("%s is %q", k.Name, v)
				}
			}
		}
	})
}
