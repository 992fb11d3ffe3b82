package themes

import (
	"embed"
	"sync"
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
		"catppuccin", "catppuccin-latte",
		"gruvbox", "gruvbox-light",
		"tokyonight", "tokyonight-day",
		"nord",
		"solarized", "solarized-light",
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

// builtins reads each built-in theme once: every change of the background and every new part of the
// screen requests a theme.
var builtins = func() map[string]func() Theme {
	readers := make(map[string]func() Theme)
	for _, name := range Names() {
		readers[name] = sync.OnceValue(func() Theme { return readBuiltin(name) })
	}
	return readers
}()

func builtin(name string) (Theme, bool) {
	read, ok := builtins[name]
	if !ok {
		return Theme{}, false
	}
	return read(), true
}

// readBuiltin reads a built-in theme. A test reads all of them, so it cannot fail.
func readBuiltin(name string) Theme {
	data, _ := files.ReadFile("builtin/" + name + ".toml")
	t, _ := parse(name, data, func(string) (Theme, error) { return Theme{}, nil })
	return t
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
