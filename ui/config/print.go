package config

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"turns/model"
)

// Print writes a complete file: the set values, and all others as comments with their defaults.
func (c *Config) Print(out io.Writer, k *Known) error {
	w := bufio.NewWriter(out)
	if c.Found {
		fmt.Fprintf(w, "# Settings of turns, in %s.\n", c.Path)
	} else {
		fmt.Fprintf(w, "# Settings of turns. To change them, create %s.\n", c.Path)
	}
	fmt.Fprintln(w, "# Lines starting with # are comments and show the defaults.")
	for _, s := range settings() {
		help, normal := s.help, s.normal
		if s.name == "columns" {
			help, normal = help+"\nThere are "+strings.Join(k.Columns, ", ")+".", inTOML(k.Columns)
		}
		comment(w, help)
		if v, ok := c.set[s.name]; ok {
			fmt.Fprintf(w, "%s = %s\n", s.name, inTOML(v))
		} else {
			fmt.Fprintf(w, "# %s = %s\n", s.name, normal)
		}
	}
	c.printKeys(w, k)
	c.printCommands(w)
	c.printModels(w)
	return w.Flush()
}

func comment(w io.Writer, text string) {
	fmt.Fprintln(w)
	for line := range strings.SplitSeq(text, "\n") {
		fmt.Fprintln(w, "# "+line)
	}
}

// printKeys writes the commands with their names and keys.
func (c *Config) printKeys(w io.Writer, k *Known) {
	comment(w, "Keys of the screen: a letter or sign, ctrl+x, alt+x, enter, tab, space, f5, or z and another key; several in [ ]. New keys replace\n"+
		"the command's default keys.")
	fmt.Fprintln(w, "[keys]")
	set, _ := c.set["keys"].(map[string]any)
	for _, cmd := range k.Commands {
		if slices.ContainsFunc(cmd.Keys, func(key string) bool { return strings.HasSuffix(key, " *") }) && set[cmd.Name] == nil {
			cmd.Keys = []string{strings.TrimSuffix(cmd.Keys[0], " *")}
		}
		sign, value := "# ", any(cmd.Keys)
		if len(cmd.Keys) == 1 {
			value = cmd.Keys[0]
		}
		if v, ok := set[cmd.Name]; ok {
			sign, value = "", v
		}
		line := fmt.Sprintf("%s%s = %s", sign, cmd.Name, inTOML(value))
		fmt.Fprintf(w, "%-42s # %s\n", line, cmd.Help)
	}
}

func (c *Config) printCommands(w io.Writer) {
	comment(w, "Programs that a key or the palette starts, with values of the row, the selection, the session or the session list.\n"+
		"turns help commands explains them.")
	if list, ok := c.set["command"]; ok {
		fmt.Fprint(w, inTables(map[string]any{"command": list}))
		return
	}
	fmt.Fprint(w, "# [[command]]\n# name = \"edit\"\n# key = \"alt+e\"\n# context = \"row\" # row, selection, session, list\n"+
		"# run = [\"code\", \"-g\", \"{file}:{line}\"]\n# output = \"none\" # pane, status, none, terminal\n# confirm = false\n")
}

func (c *Config) printModels(w io.Writer) {
	comment(w, "Prices in dollars per million tokens, for all models whose names start with the name. Without prices above, turns also reads prices.toml\n"+
		"(the same tables) and prices.json (LiteLLM's or models.dev's) in the folder of this file.")
	if models, ok := c.set["models"]; ok {
		fmt.Fprint(w, inTables(map[string]any{"models": models}))
		return
	}
	fmt.Fprint(w, "# [models.\"claude-opus-4\"]\n# input = 15.0\n# output = 75.0\n# cache_read = 1.5\n# cache_write = 18.75\n# cache_write_1h = 30.0\n")
}

// inTOML formats a value on one line.
func inTOML(v any) string {
	_, text, _ := strings.Cut(inTables(map[string]any{"v": v}), " = ")
	return strings.TrimSuffix(text, "\n")
}

func inTables(v any) string {
	var b strings.Builder
	enc := toml.NewEncoder(&b)
	enc.Indent = ""
	if err := enc.Encode(v); err != nil {
		return err.Error() + "\n"
	}
	return escaped(b.String())
}

// escaped writes characters that hide or reorder text as escapes of TOML: a setting may be copied
// from another person.
func escaped(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r != '\n' && r != '\t' && (r >= 0x7f && r <= 0x9f || model.Invisible(r)) {
			fmt.Fprintf(&b, `\U%08x`, r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
