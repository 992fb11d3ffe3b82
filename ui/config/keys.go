package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"turns/themes/tomlfile"
)

// Command is a command with keys.
type Command struct {
	Name string
	Keys []string // in the program's spelling: "j", "ctrl+e", "z t"
	Help string
}

// Keys maps pressed keys to the default keys they stand for, so that every part of the screen only
// handles the default keys.
type Keys struct {
	means map[string]string // pressed key → default key, "" for none
	shows map[string]string // default key → key to press, "" for none
}

// Means returns the default key for a pressed key after the pending ones; "" if it has no meaning.
func (k *Keys) Means(pending, key string) string {
	if pending != "" {
		key = pending + " " + key
	}
	if k == nil {
		return key
	}
	if meant, ok := k.means[key]; ok {
		return meant
	}
	return key
}

// Press returns the key to press for a default key; "" for none.
func (k *Keys) Press(meant string) string {
	if k == nil {
		return meant
	}
	if first, any := strings.CutSuffix(meant, " *"); any {
		if key := k.Press(first); key != "" {
			return key + " *"
		}
		return ""
	}
	if key, ok := k.shows[meant]; ok {
		return key
	}
	return meant
}

// Bound returns the rebound default keys, sorted.
func (k *Keys) Bound() []string {
	if k == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(k.shows))
}

// Changed reports whether any key is rebound.
func (k *Keys) Changed() bool { return k != nil && len(k.means) > 0 }

// Bind makes the key map from the configuration.
func (c *Config) Bind(commands []Command) *Keys {
	if len(c.Keys) == 0 {
		return nil
	}
	k := &Keys{map[string]string{}, map[string]string{}}
	for _, cmd := range commands { // unbind the default keys of a rebound command
		if _, ok := c.Keys[cmd.Name]; ok {
			for _, was := range cmd.Keys {
				was = strings.TrimSuffix(was, " *")
				k.means[was], k.shows[was] = "", ""
			}
		}
	}
	for _, cmd := range commands {
		for i, key := range c.Keys[cmd.Name] {
			meant := strings.TrimSuffix(cmd.Keys[0], " *") // the second key is asked for
			k.means[key] = meant
			if i == 0 {
				k.shows[meant] = key
			}
			if slices.Contains(cmd.Keys, key) {
				k.shows[key] = key
			}
		}
	}
	for key, meant := range k.means {
		if _, taken := k.shows[key]; !taken && meant != key {
			k.shows[key] = "" // another command uses it now
		}
	}
	return k
}

// takeKeys reads the keys of commands. It reports a command that loses all its keys to others.
func (c *Config) takeKeys(k *Known, table map[string]any, fail func(name, msg string)) {
	names := make([]string, len(k.Commands))
	for i := range k.Commands {
		names[i] = k.Commands[i].Name
	}
	c.Keys = map[string][]string{}
	has := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(table)) {
		full := "keys." + name
		if err := oneOf(name, names); err != nil {
			fail(full, fmt.Sprintf("unknown command %q%s", name, nearHint(name, names)))
			continue
		}
		keys, err := textsOf(table[name])
		if err == nil {
			err = checkKeys(keys)
		}
		if err != nil {
			fail(full, name+": "+err.Error())
			continue
		}
		keys = slices.DeleteFunc(keys, func(key string) bool {
			other, taken := has[key]
			if taken {
				fail(full, fmt.Sprintf("%s: the key %q is that of %s", name, key, other))
			}
			return taken
		})
		for _, key := range keys {
			has[key] = name
		}
		c.Keys[name] = keys
	}
	for i := range k.Commands {
		c.lost(&k.Commands[i], has, fail)
	}
}

// lost reports a command whose keys were all given to others.
func (c *Config) lost(cmd *Command, has map[string]string, fail func(name, msg string)) {
	if _, own := c.Keys[cmd.Name]; own {
		return
	}
	taker := ""
	for _, key := range cmd.Keys {
		if taker = has[key]; taker == "" {
			return
		}
	}
	fail("keys."+taker, fmt.Sprintf("%s: the key %q belonged to %s, which now has no key", taker, cmd.Keys[0], cmd.Name))
}

func nearHint(name string, names []string) string {
	if near := tomlfile.Nearest(name, names); near != "" {
		return fmt.Sprintf(", did you mean %q?", near)
	}
	return "; turns config lists them"
}

// named are the keys with a name instead of a letter.
var named = map[string]bool{
	"enter": true, "tab": true, "space": true, "up": true, "down": true, "left": true, "right": true, "home": true, "end": true,
	"pgup": true, "pgdown": true, "backspace": true, "delete": true, "insert": true, "esc": true,
	"f1": true, "f2": true, "f3": true, "f4": true, "f5": true, "f6": true, "f7": true, "f8": true, "f9": true, "f10": true, "f11": true, "f12": true,
}

// chordKey is the only possible first key of a chord.
const chordKey = "z"

func checkKeys(keys []string) error {
	for _, key := range keys {
		first, second, chord := strings.Cut(key, " ")
		switch {
		case chord && first != chordKey:
			return fmt.Errorf("of two keys the first is z: %q", key)
		case chord && !isKey(second), !chord && !isKey(key):
			return fmt.Errorf("unknown key %q; valid: letters and signs, ctrl+x, alt+x, enter, tab, space, f5, z x …", key)
		case len(key) == 1 && key[0] >= '0' && key[0] <= '9':
			return fmt.Errorf("%q is a digit of a count", key)
		}
	}
	return nil
}

func isKey(key string) bool {
	for _, mod := range [...]string{"ctrl+", "alt+", "shift+"} {
		key = strings.TrimPrefix(key, mod)
	}
	return named[key] || utf8.RuneCountInString(key) == 1 && key > " "
}
