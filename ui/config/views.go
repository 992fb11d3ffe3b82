package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/BurntSushi/toml"

	"turns/export/outfile"
	"turns/themes/tomlfile"
)

// View is a named filter and arrangement of a screen: a [[view]] of views.toml.
type View struct {
	Name    string   `toml:"name"`
	Of      string   `toml:"of"` // ViewOfList or ViewOfSession
	Filter  string   `toml:"filter,omitempty"`
	Find    string   `toml:"find,omitempty"`    // search of the list
	Columns []string `toml:"columns,omitempty"` // of the list
	Sort    string   `toml:"sort,omitempty"`    // column of the list or pane; "": natural order
	Desc    bool     `toml:"descending,omitempty"`
	Group   string   `toml:"group,omitempty"` // of turns, steps, rows or bodies; or of totals
	Pane    string   `toml:"pane,omitempty"`
	Focus   bool     `toml:"focus,omitempty"` // the pane is focused
	Full    bool     `toml:"full,omitempty"`  // the pane has the full screen
	Around  int      `toml:"around,omitzero"` // rows around each match
	Time    string   `toml:"time,omitempty"`  // time column of a session
}

// The screens that a view can restore.
const (
	ViewOfList    = "list"
	ViewOfSession = "session"
)

// maxViews is the most views.
const maxViews = 500

// ViewsPath returns the file of views in the configuration folder.
func ViewsPath(configHome string) string { return filepath.Join(configHome, "turns", "views.toml") }

// ViewKey returns the key after ' for the view at an index: 1 to 9, then A to Z, "" for others.
func ViewKey(place int) string {
	const keys = "123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	if place >= len(keys) {
		return ""
	}
	return keys[place : place+1]
}

// ViewNamed finds a view, nil for none.
func ViewNamed(views []View, name string) *View {
	if i := slices.IndexFunc(views, func(v View) bool { return v.Name == name }); i >= 0 {
		return &views[i]
	}
	return nil
}

// LoadViews reads the views in their order. It returns none without a file.
func LoadViews(path string) ([]View, error) {
	if path == "" {
		return nil, nil
	}
	text, err := outfile.Read(path, maxFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("reading views: %w", err)
	}
	var file struct {
		View []View `toml:"view"`
	}
	if _, err := tomlfile.Decode(string(text), &file); err != nil {
		at, msg := tomlfile.Syntax(string(text), err)
		return nil, fmt.Errorf("%s:%d:%d: %s", path, at.Line, at.Col, msg)
	}
	views := slices.DeleteFunc(file.View, func(v View) bool { return checkViewName(v.Name) != nil })
	for i := range views {
		views[i].repair()
	}
	return views, nil
}

// maxAround bounds the rows around each match.
const maxAround = 1000

// repair bounds the values of a file, which may come from another person.
func (v *View) repair() {
	v.Around = min(max(v.Around, 0), maxAround)
	seen := map[string]bool{}
	v.Columns = slices.DeleteFunc(v.Columns, func(name string) bool {
		again := seen[name]
		seen[name] = true
		return again
	})
}

func checkViewName(name string) error {
	if name == "" || len(name) > 80 || name != strings.TrimSpace(name) || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return fmt.Errorf("a view cannot be named %q: a name needs 1 to 80 printable characters", name)
	}
	return nil
}

// SaveView adds a view, or replaces the one with its name, and returns all views. Other
// programs may save at the same time. It replaces the file atomically.
func SaveView(path string, v View) ([]View, error) {
	if err := checkViewName(v.Name); err != nil {
		return nil, err
	}
	return changeViews(path, func(views []View) ([]View, error) {
		if old := ViewNamed(views, v.Name); old != nil {
			*old = v
			return views, nil
		}
		if len(views) >= maxViews {
			return nil, fmt.Errorf("there are %d views: delete one first", len(views))
		}
		return append(views, v), nil
	})
}

// DeleteView removes a view and returns the others. It fails if there is no view with the name.
func DeleteView(path, name string) ([]View, error) {
	return changeViews(path, func(views []View) ([]View, error) {
		if ViewNamed(views, name) == nil {
			return nil, fmt.Errorf("no view is called %q", name)
		}
		return slices.DeleteFunc(views, func(v View) bool { return v.Name == name }), nil
	})
}

// changeViews reads, changes and replaces the file, with a lock against other programs.
func changeViews(path string, change func([]View) ([]View, error)) ([]View, error) {
	if path == "" {
		return nil, errors.New("no folder for the configuration: set $XDG_CONFIG_HOME or $HOME")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("saving views: %w", err)
	}
	free, err := outfile.Lock(path + ".lock")
	if err != nil {
		return nil, fmt.Errorf("saving views: %w", err)
	}
	defer free()
	views, err := LoadViews(path)
	if err == nil {
		views, err = change(views)
	}
	if err != nil {
		return nil, err
	}
	_, err = outfile.Write(path, 0o600, true, func(w io.Writer) error {
		if _, err := io.WriteString(w, "# Views of turns: :save NAME on the screen writes them, ' and --view NAME show them.\n\n"); err != nil {
			return err
		}
		enc := toml.NewEncoder(w)
		enc.Indent = ""
		return enc.Encode(map[string][]View{"view": views})
	})
	if err != nil {
		return nil, fmt.Errorf("saving views: %w", err)
	}
	return views, nil
}
