package themes

import (
	"embed"
	"slices"
)

// The built-in themes are theme files like a user's own.
//
//go:embed builtin
var files embed.FS

// Names returns the names of the built-in themes, the default ones first.
func Names() []string {
	return []string{
		"dark", "light",
		"high-contrast", "high-contrast-light",
		"colour-blind", "colour-blind-light",
		"ansi", "ansi-light",
	}
}

// Builtin returns the themes that need no file, in the order of Names.
func Builtin() []Theme {
	var all []Theme
	for _, name := range Names() {
		t, _ := builtin(name)
		all = append(all, t)
	}
	return all
}

// builtin reads a built-in theme. A test reads all of them, so an error of theirs never gets here.
func builtin(name string) (Theme, bool) {
	if !slices.Contains(Names(), name) {
		return Theme{}, false
	}
	data, _ := files.ReadFile("builtin/" + name + ".toml")
	t, _ := parse(name, data, func(string) (Theme, error) { return Theme{}, nil })
	return t, true
}

// Default returns the theme for a terminal with a dark or a light background.
func Default(isDark bool) Theme {
	name := "light"
	if isDark {
		name = "dark"
	}
	t, _ := builtin(name)
	return t
}
