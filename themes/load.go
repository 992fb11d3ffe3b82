package themes

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"turns/export/outfile"
	"turns/themes/tomlfile"
)

// maxFile limits the size of a theme file: every token set once, with room for comments.
const maxFile = 256 << 10

// file is a theme as the user writes it:
//
//	extends = "dark"            # built-in theme it starts from; without, dark
//	backdrop = "#002b36"        # background of the terminal it is meant for
//
//	[colors]
//	accent = "#b58900"
//	role.user = "6"             # or [colors.role] with user = "6"
//	"match.bg" = ""             # the terminal's own
type file struct {
	Extends  string         `toml:"extends"`
	Dark     *bool          `toml:"dark"`
	Backdrop string         `toml:"backdrop"`
	Colors   map[string]any `toml:"colors"`
}

// Dir returns the folder of the user's themes below the configuration folder
// ($XDG_CONFIG_HOME or ~/.config).
func Dir(configHome string) string { return filepath.Join(configHome, "turns", "themes") }

// List returns the names of the user's themes, sorted; none if the folder does not exist.
func List(configHome string) ([]string, error) {
	entries, err := os.ReadDir(Dir(configHome))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("listing themes: %w", err)
	}
	var names []string
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".toml")
		if ok && checkName(name) == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// Open returns the theme for --theme: a file if the name has a slash or ends in .toml, otherwise a
// theme of the user, otherwise a built-in one. A user's theme replaces a built-in one of the same
// name.
func Open(name, configHome string) (Theme, error) {
	if strings.ContainsRune(name, os.PathSeparator) || strings.HasSuffix(name, ".toml") {
		return Load(name)
	}
	if err := checkName(name); err != nil {
		return Theme{}, err
	}
	if configHome != "" {
		t, err := Load(filepath.Join(Dir(configHome), name+".toml"))
		if !errors.Is(err, os.ErrNotExist) {
			return t, err
		}
	}
	t, err := Find(name)
	if err == nil || configHome == "" {
		return t, err
	}
	own, _ := List(configHome) // for the error message only
	return Theme{}, unknown(name, append(Names(), own...))
}

// Load reads a theme file. The theme has the name of the file.
func Load(path string) (Theme, error) {
	data, err := outfile.Read(path, maxFile)
	if err != nil {
		return Theme{}, fmt.Errorf("reading theme: %w", err)
	}
	t, err := Parse(strings.TrimSuffix(filepath.Base(path), ".toml"), data)
	if err != nil {
		return Theme{}, fmt.Errorf("reading theme %q: %w", path, err)
	}
	return t, nil
}

// Parse parses a theme file. It reports all errors together, each with its line.
func Parse(name string, data []byte) (Theme, error) { return parse(name, data, Find) }

// parse parses a theme that may extend one known to find.
func parse(name string, data []byte, find func(string) (Theme, error)) (Theme, error) {
	if err := checkName(name); err != nil {
		return Theme{}, err
	}
	var f file
	meta, err := tomlfile.Decode(string(data), &f)
	if err != nil {
		place, msg := tomlfile.Syntax(string(data), err)
		return Theme{}, fmt.Errorf("line %d: not TOML: %s", place.Line, msg)
	}
	p := parser{places: tomlfile.Places(string(data))}
	t, err := find(cmp.Or(f.Extends, "dark"))
	if err != nil {
		p.fail("extends", "extends: %v", err)
	}
	t.Name = name
	if f.Dark != nil {
		t.Dark = *f.Dark
	}
	if meta.IsDefined("backdrop") {
		p.set("backdrop", &t.Backdrop, f.Backdrop)
	}
	p.colours(&t, "", f.Colors)
	for _, k := range meta.Undecoded() {
		if len(k) == 1 || k[0] != "colors" { // colors is a map, so all of it decodes
			p.fail(k.String(), "unknown key %q, want extends, dark, backdrop or [colors]", k.String())
		}
	}
	t.ANSI = t.onlyANSI()
	if len(p.errs) > 0 {
		slices.SortStableFunc(p.errs, func(a, b lineError) int { return a.line - b.line })
		return Theme{}, p.join()
	}
	return t, nil
}

type lineError struct {
	line int
	err  error
}

type parser struct {
	places map[string]tomlfile.Place
	errs   []lineError
}

// fail records an error about a key, or about its table if the line of the key is unknown (inline
// tables).
func (p *parser) fail(key, format string, args ...any) {
	line := 0
	for k := key; k != "" && line == 0; {
		line = p.places[k].Line
		i := strings.LastIndexByte(k, '.')
		k = k[:max(i, 0)]
	}
	p.errs = append(p.errs, lineError{line, fmt.Errorf(format, args...)})
}

func (p *parser) join() error {
	var errs []error
	for _, e := range p.errs {
		if e.line > 0 {
			e.err = fmt.Errorf("line %d: %w", e.line, e.err)
		}
		errs = append(errs, e.err)
	}
	return errors.Join(errs...)
}

func (p *parser) set(key string, dst *string, value string) {
	v, err := normal(value)
	if err != nil {
		p.fail(key, "%s: %w", strings.TrimPrefix(key, "colors."), err)
		return
	}
	*dst = v
}

// colours sets tokens from a table and the tables in it, so that role.user,
// "role.user" and [colors.role] user are the same.
func (p *parser) colours(t *Theme, prefix string, table map[string]any) {
	for _, k := range slices.Sorted(maps.Keys(table)) {
		name := prefix + k
		switch v := table[k].(type) {
		case map[string]any:
			p.colours(t, name+".", v)
		case string:
			i := slices.IndexFunc(tokens, func(k Token) bool { return k.Name == name })
			if i < 0 {
				p.unknownToken(name)
				continue
			}
			p.set("colors."+name, tokens[i].field(t), v)
		case int64:
			p.fail("colors."+name, `%q: a colour of the palette is written in quotes: "%d"`, name, v)
		default:
			p.fail("colors."+name, "%q: a colour is a text, not %T", name, v)
		}
	}
}

func (p *parser) unknownToken(name string) {
	var names, inside []string
	for _, k := range tokens {
		names = append(names, k.Name)
		if strings.HasPrefix(k.Name, name+".") {
			inside = append(inside, k.Name)
		}
	}
	switch n := tomlfile.Nearest(name, names); {
	case len(inside) > 0:
		p.fail("colors."+name, "unknown colour %q, want one of %s", name, strings.Join(inside, ", "))
	case n != "":
		p.fail("colors."+name, "unknown colour %q, did you mean %q?", name, n)
	default:
		p.fail("colors."+name, "unknown colour %q", name)
	}
}

func (t Theme) onlyANSI() bool {
	return !slices.ContainsFunc(tokens, func(k Token) bool {
		v := k.Get(t)
		return len(v) > 2 || v > "15" && len(v) == 2
	})
}

// checkName rejects names that cannot be displayed or would leave the folder.
func checkName(name string) error {
	bad := func(r rune) bool { return !unicode.IsPrint(r) || r == '/' || r == '\\' }
	if name == "" || name[0] == '.' || len(name) > 100 || strings.ContainsFunc(name, bad) {
		return fmt.Errorf("%q cannot be the name of a theme", name)
	}
	return nil
}
