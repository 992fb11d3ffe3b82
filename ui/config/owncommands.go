package config

import (
	"cmp"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unicode"
)

// OwnCommand is a program that the user starts with a key or from the palette: a [[command]] of the
// file. Exactly one of Argv and Script is set.
type OwnCommand struct {
	Name    string
	Key     string // "": only in the palette
	Context string // one of commandContexts
	Output  string // one of commandOutputs
	Confirm bool
	Argv    []string // the program and its arguments; values replace {name}
	Script  string   // for sh; it reads the values from the environment
	Run     string   // as in the file, for people
}

// The contexts of own commands: the thing on which a command acts.
const (
	OnRow       = "row"
	OnSelection = "selection"
	OnSession   = "session"
	OnList      = "list"
)

// The places for the output of own commands.
const (
	ToPane     = "pane"
	ToStatus   = "status"
	ToNone     = "none"
	ToTerminal = "terminal"
)

// commandContexts are the values of context.
func commandContexts() []string { return []string{OnRow, OnSelection, OnSession, OnList} }

// commandOutputs are the values of output.
func commandOutputs() []string { return []string{ToPane, ToStatus, ToNone, ToTerminal} }

// CommandValues returns the values for own commands: each as {name} in run, and as an
// environment variable (ValueVariable).
func CommandValues() []string {
	return []string{"path", "id", "index", "text", "file", "line", "session", "command", "folder"}
}

// ValueVariable is the environment variable of a value: TURNS_PATH for path.
func ValueVariable(name string) string { return "TURNS_" + strings.ToUpper(name) }

// InList reports whether the command acts on the session list.
func (c *OwnCommand) InList() bool { return c.Context == OnList || c.Context == OnSession }

// InSession reports whether the command acts on an open session.
func (c *OwnCommand) InSession() bool { return c.Context != OnList }

// Uses reports whether the command uses a value, as a placeholder or as its variable.
func (c *OwnCommand) Uses(value string) bool {
	if slices.ContainsFunc(c.Argv, func(word string) bool { return strings.Contains(word, "{"+value+"}") }) {
		return true
	}
	return strings.Contains(c.Script, ValueVariable(value))
}

// commandSettings are the settings of a [[command]].
var commandSettings = []string{"name", "key", "context", "run", "output", "confirm"}

// takeCommands reads the [[command]] tables. It skips a command with a mistake and reports it.
func (c *Config) takeCommands(k *Known, fail func(name, msg string)) {
	list, ok := c.set["command"].([]map[string]any)
	if !ok {
		if c.set["command"] != nil {
			fail("command", "command is a list of tables: [[command]]")
		}
		return
	}
	keys := c.Bind(k.Commands)
	for i, table := range list {
		at := fmt.Sprintf("command.%d", i)
		mistakes := len(c.Problems)
		named, _ := table["name"].(string)
		wrong := func(name, msg string) { fail(at+"."+name, strings.TrimSpace("command "+named)+": "+msg) }
		cmd := c.ownCommand(table, wrong)
		c.clash(&cmd, k, keys, wrong)
		if len(c.Problems) == mistakes {
			c.Commands = append(c.Commands, cmd)
		}
	}
}

// ownCommand parses one table.
func (c *Config) ownCommand(table map[string]any, fail func(name, msg string)) OwnCommand {
	for name := range table {
		if !slices.Contains(commandSettings, name) {
			fail(name, fmt.Sprintf("unknown setting %q; valid: %s", name, strings.Join(commandSettings, ", ")))
		}
	}
	cmd := OwnCommand{Context: OnRow, Output: ToPane}
	for _, s := range []struct {
		name string
		into *string
		of   []string
	}{{"name", &cmd.Name, nil}, {"key", &cmd.Key, nil}, {"context", &cmd.Context, commandContexts()}, {"output", &cmd.Output, commandOutputs()}} {
		v, set := table[s.name]
		if !set {
			continue
		}
		text, err := textOf(v)
		if err == nil && s.of != nil {
			err = oneOf(text, s.of)
		}
		if err != nil {
			fail(s.name, s.name+": "+err.Error())
			continue
		}
		*s.into = text
	}
	if v, set := table["confirm"]; set {
		on, ok := v.(bool)
		if !ok {
			fail("confirm", fmt.Sprintf("confirm: want true or false, not %v", v))
		}
		cmd.Confirm = on
	}
	switch {
	case cmd.Name == "":
		fail("name", `name is missing: name = "gist"`)
	case strings.ContainsFunc(cmd.Name, func(r rune) bool { return r == ' ' || !unicode.IsPrint(r) }):
		fail("name", fmt.Sprintf("name: %q is not one word", cmd.Name))
	}
	if cmd.Key != "" {
		if err := checkKeys([]string{cmd.Key}); err != nil {
			fail("key", "key: "+err.Error())
			cmd.Key = ""
		} else if strings.Contains(cmd.Key, " ") && cmd.InList() {
			fail("key", fmt.Sprintf("key: the session list allows only single keys, not %q", cmd.Key))
		}
	}
	if err := cmd.takeRun(table["run"], runtime.GOOS); err != nil {
		fail("run", "run: "+err.Error())
	}
	return cmd
}

// clash reports a problem if another command has the same name or key.
func (c *Config) clash(cmd *OwnCommand, k *Known, keys *Keys, fail func(name, msg string)) {
	for i := range c.Commands {
		other := &c.Commands[i]
		if other.Name == cmd.Name {
			fail("name", "another command has this name")
		}
		if cmd.Key != "" && cmd.Key == other.Key && (cmd.InList() && other.InList() || cmd.InSession() && other.InSession()) {
			fail("key", fmt.Sprintf("the key %q is that of %s", cmd.Key, other.Name))
		}
	}
	if slices.ContainsFunc(k.Commands, func(own Command) bool { return own.Name == cmd.Name }) {
		fail("name", "turns has a command with this name")
	}
	if cmd.Key == "" {
		return
	}
	meant := keys.Means("", cmd.Key)
	if meant == "" { // [keys] gave its command another key
		return
	}
	for _, own := range slices.Concat(k.Commands, k.Others) {
		for _, key := range own.Keys {
			first, _, chord := strings.Cut(key, " ")
			if key == meant || chord && first == meant {
				fail("key", fmt.Sprintf("turns uses the key %q: %s", cmd.Key, own.Help))
				return
			}
		}
	}
}

// takeRun parses run: a list is a program with its arguments, a text a script for sh.
func (c *OwnCommand) takeRun(v any, goos string) error {
	switch v := v.(type) {
	case nil:
		return fmt.Errorf(`is missing: run = ["code", "-g", "{file}:{line}"]`)
	case string:
		if goos == "windows" {
			return fmt.Errorf("no sh on Windows: write a list, [\"program\", \"{path}\"]")
		}
		script, err := scriptOf(v)
		c.Script, c.Run = script, v
		return err
	}
	words, err := textsOf(v)
	if err != nil {
		return err
	}
	if len(words) == 0 || words[0] == "" {
		return fmt.Errorf("names no program")
	}
	c.Argv, c.Run = words, strings.Join(words, " ")
	return checkArgv(words)
}

// checkArgv rejects words in which a value could become part of a program. It accepts a value as a
// separate word, after an option (--file={path}) or next to another value ({file}:{line}).
func checkArgv(words []string) error {
	for i, word := range words {
		if strings.ContainsRune(word, 0) {
			return fmt.Errorf("word %d has a NUL byte", i+1)
		}
		names, rest, err := placeholders(word)
		switch {
		case err != nil:
			return err
		case len(names) == 0:
		case i == 0:
			return fmt.Errorf("%q: the program cannot come from a transcript", word)
		case strings.ContainsFunc(rest, func(r rune) bool { return !isOptionSign(r) }):
			return fmt.Errorf("%q: {%s} must be a separate word in the list", word, names[0])
		case runsNext(words[:i], word[:strings.IndexByte(word, '{')]) && slices.ContainsFunc(names, isWords):
			return fmt.Errorf("%s would run what {%s} says: write run as a text with \"$%s\" in it if you mean it", words[0], names[0], ValueVariable(names[0]))
		}
	}
	return nil
}

// isWords reports whether a value is text of the transcript rather than a number.
func isWords(value string) bool { return value != "index" && value != "line" }

// runner is a group of programs that run words as code.
type runner struct{ names, options string }

// runners are programs that run words as code: the word after one of these options, or with * all
// words. The option ! stands for the first word that is not an option.
var runners = []runner{
	{"eval ssh mosh xargs parallel watch trap source . cmd powershell pwsh wsl adb entr tmux screen at batch expect", "*"},
	{"sh bash dash zsh ksh mksh fish busybox rbash ash csh tcsh su runuser script flock pkexec sg nu elvish xonsh", "c command init-command init-file rcfile"},
	{"python pypy", "c"},
	{"perl raku", "e E"},
	{"ruby lua luajit rscript julia elixir erl osascript gnuplot groovy scala ghc php node nodejs deno bun tsx ts-node irb jshell r emacs emacsclient", "e r p E eval print run evaluate"},
	{"awk gawk mawk nawk sed gsed", "! e source expression"},
	{"vi vim nvim view ex gvim", "c cmd S"},
	{"gdb lldb", "ex o eval-command one-line"},
	{"psql sqlite sqlcmd mysql mariadb duckdb", "! c e cmd command execute init-command"},
	{"nix nix-shell nix-env guix", "run command c E expr"},
	{"env", "S split-string"},
	{"git", "c exec-path upload-pack receive-pack"},
	{"tar bsdtar", "I to-command checkpoint-action use-compress-program"},
	{"rsync", "e rsh"},
	{"find fd fdfind", "exec execdir ok x X exec-batch"},
	{"docker podman nerdctl", "entrypoint"},
	{"systemd-run make just", "! E eval"},
}

// runsNext reports whether a command runs its next word as code. begun is the part of that word
// before a value.
func runsNext(words []string, begun string) bool {
	for i, word := range words {
		name := cmp.Or(strings.TrimRight(strings.TrimSuffix(strings.ToLower(filepath.Base(word)), ".exe"), "0123456789."), word)
		for _, r := range runners {
			if slices.Contains(strings.Fields(r.names), name) && r.takes(words[i+1:], begun) {
				return true
			}
		}
	}
	return false
}

// takes reports whether a program with these arguments runs the next one as code.
func (r *runner) takes(words []string, begun string) bool {
	options := strings.Fields(r.options)
	if slices.Contains(options, "*") {
		return true
	}
	option, last := begun, ""
	if len(words) > 0 {
		last = words[len(words)-1]
	}
	option = cmp.Or(option, last)
	name := strings.TrimRight(strings.TrimLeft(option, "-+"), "=:")
	switch {
	case !strings.HasPrefix(option, "-"):
		free := !slices.ContainsFunc(words, func(w string) bool { return !strings.HasPrefix(w, "-") })
		return slices.Contains(options, "!") && begun == "" && free
	case strings.HasPrefix(option, "--") || slices.Contains(options, name):
		return slices.Contains(options, name)
	case name == "":
		return false
	}
	// short options in one word: -lc
	return slices.Contains(options, name[len(name)-1:])
}

// isOptionSign reports whether a word may contain a rune next to a value.
func isOptionSign(r rune) bool {
	return r == '-' || r == '_' || r == '=' || r == ':' || r == '+' || r == ',' || r == '@' || r == '.' || r == '/' ||
		r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}

// placeholders returns the values used in a word, and the word without them.
func placeholders(word string) (names []string, rest string, err error) {
	var b strings.Builder
	for word != "" {
		i := strings.IndexByte(word, '{')
		if i < 0 {
			break
		}
		name, after, closed := strings.Cut(word[i+1:], "}")
		b.WriteString(word[:i])
		if !closed || !isName(name) { // {} and {"json":1} belong to the program
			b.WriteByte('{')
			word = word[i+1:]
			continue
		}
		if err := oneOf(name, CommandValues()); err != nil {
			return nil, "", fmt.Errorf("{%s}: %w", name, err)
		}
		names, word = append(names, name), after
	}
	return names, b.String() + word, nil
}

func isName(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r < 'a' || r > 'z' })
}

// ReplaceValues returns a word with its values inserted. It replaces once: a value that contains
// {path} is not expanded.
func ReplaceValues(word string, value func(name string) string) string {
	var b strings.Builder
	for {
		i := strings.IndexByte(word, '{')
		if i < 0 {
			return b.String() + word
		}
		name, after, closed := strings.Cut(word[i+1:], "}")
		if b.WriteString(word[:i]); closed && slices.Contains(CommandValues(), name) {
			b.WriteString(value(name))
			word = after
			continue
		}
		b.WriteByte('{')
		word = word[i+1:]
	}
}

// scriptOf replaces each value in a script with a quoted variable, so that text of a transcript
// never becomes part of the script, and the shell never splits or expands it.
func scriptOf(text string) (string, error) {
	if strings.ContainsRune(text, 0) {
		return "", fmt.Errorf("has a NUL byte")
	}
	if strings.TrimSpace(text) == "" {
		return "", fmt.Errorf("names no program")
	}
	var b strings.Builder
	quote := byte(0)
	for i := 0; i < len(text); i++ {
		ch := text[i]
		switch {
		case ch == '\\' && quote != '\'' && i+1 < len(text):
			b.WriteString(text[i : i+2])
			i++
			continue
		case quote != 0 && ch == quote:
			quote = 0
		case quote == 0 && (ch == '\'' || ch == '"' || ch == '`'):
			quote = ch
		case ch == '{':
			name, _, closed := strings.Cut(text[i+1:], "}")
			if !closed || !isName(name) || i > 0 && text[i-1] == '$' { // ${name} is for the shell
				break
			}
			if err := oneOf(name, CommandValues()); err != nil {
				return "", fmt.Errorf("{%s}: %w", name, err)
			}
			if quote != 0 {
				return "", fmt.Errorf("{%s} is in quotes: write it without them, turns adds its own", name)
			}
			if before, begun := simpleCommand(text[:i]); runsNext(before, begun) && isWords(name) {
				return "", fmt.Errorf("%s would run what {%s} says: write \"$%s\" if you mean it", before[0], name, ValueVariable(name))
			}
			b.WriteString(`"$` + ValueVariable(name) + `"`)
			i += len(name) + 1
			continue
		}
		b.WriteByte(ch)
	}
	return b.String(), nil
}

// simpleCommand returns the complete words of the last command of a script, and the word in which
// the script ends.
func simpleCommand(script string) (words []string, begun string) {
	script = script[strings.LastIndexAny(script, ";|&\n({`")+1:]
	words = strings.Fields(script)
	if n := len(words); n > 0 && strings.HasSuffix(script, words[n-1]) {
		return words[:n-1], words[n-1]
	}
	return words, ""
}
