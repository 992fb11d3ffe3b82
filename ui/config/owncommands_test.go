package config

import (
	"strings"
	"testing"
)

// TestCommandMistakes reports each mistake in a [[command]] with its line.
func TestCommandMistakes(t *testing.T) {
	head := "[[command]]\nname = \"gist\"\n"
	for _, c := range []struct{ name, text, want string }{
		{"no list", "command = 3", "1:1: command is a list of tables: [[command]]"},
		{"no name", "[[command]]\nrun = [\"a\"]", "1:1: command: name is missing"},
		{"two words", "[[command]]\nname = \"a b\"\nrun = [\"a\"]", `2:1: command a b: name: "a b" is not one word`},
		{"no run", head, "1:1: command gist: run: is missing"},
		{"empty list", head + "run = []", "3:1: command gist: run: names no program"},
		{"empty text", head + "run = \" \"", "3:1: command gist: run: names no program"},
		{"a number", head + "run = 3", "3:1: command gist: run: want a text in quotes, not 3"},
		{"unknown setting", head + "run = [\"a\"]\nkeys = \"x\"", `4:1: command gist: unknown setting "keys"`},
		{"unknown context", head + "run = [\"a\"]\ncontext = \"rwo\"", `4:1: command gist: context: unknown "rwo", did you mean "row"?`},
		{"unknown output", head + "run = [\"a\"]\noutput = \"file\"", `4:1: command gist: output: unknown "file"; valid: pane, status, none, terminal`},
		{"confirm", head + "run = [\"a\"]\nconfirm = \"yes\"", "4:1: command gist: confirm: want true or false, not yes"},
		{"unknown key", head + "run = [\"a\"]\nkey = \"kontrol\"", `4:1: command gist: key: unknown key "kontrol"`},
		{"a chord in the list", head + "run = [\"a\"]\nkey = \"z x\"\ncontext = \"list\"", `4:1: command gist: key: the session list allows only single keys, not "z x"`},
		{"a key of turns", head + "run = [\"a\"]\nkey = \"f\"", `4:1: command gist: turns uses the key "f": edit the filter`},
		{"the first of two keys", head + "run = [\"a\"]\nkey = \"y\"", `4:1: command gist: turns uses the key "y": copy`},
		{"a chord of turns", head + "run = [\"a\"]\nkey = \"z o\"", `4:1: command gist: turns uses the key "z o": open whole`},
		{"a key of a list", head + "run = [\"a\"]\nkey = \"I\"", `4:1: command gist: turns uses the key "I": repeated calls`},
		{"a key that [keys] gave away", "[keys]\nfilter = \"F\"\n" + head + "run = [\"a\"]\nkey = \"F\"", `6:1: command gist: turns uses the key "F"`},
		{"a name of turns", "[[command]]\nname = \"filter\"\nrun = [\"a\"]", "2:1: command filter: turns has a command with this name"},
		{"one key twice", head + "run = [\"a\"]\nkey = \"alt+g\"\n[[command]]\nname = \"b\"\nrun = [\"b\"]\nkey = \"alt+g\"\ncontext = \"session\"", `8:1: command b: the key "alt+g" is that of gist`},
		{"one name twice", head + "run = [\"a\"]\n[[command]]\nname = \"gist\"\nrun = [\"b\"]", "5:1: command gist: another command has this name"},

		{"unknown value", head + "run = [\"a\", \"{pth}\"]", `3:1: command gist: run: {pth}: unknown "pth", did you mean "path"?`},
		{"a value as program", head + "run = [\"{file}\"]", `the program cannot come from a transcript`},
		{"a value in a word", head + "run = [\"a\", \"see {text}\"]", `"see {text}": {text} must be a separate word in the list`},
		{"a script in a list", head + "run = [\"sh\", \"-c\", \"echo {text}\"]", `{text} must be a separate word`},
		{"a value as script", head + "run = [\"sh\", \"-c\", \"{text}\"]", "sh would run what {text} says"},
		{"a value as script of an interpreter", head + "run = [\"/usr/bin/python3\", \"-c\", \"{text}\"]", "would run what {text} says"},
		{"a value on another machine", head + "run = [\"ssh\", \"host\", \"cat\", \"{file}\"]", "ssh would run what {file} says"},
		{"a shell behind another program", head + "run = [\"env\", \"A=1\", \"bash\", \"-lc\", \"{text}\"]", "would run what {text} says"},
		{"python with a version", head + "run = [\"python3.12\", \"-c\", \"{text}\"]", "would run what {text} says"},
		{"an option and its script in a word", head + "run = [\"perl\", \"-e{text}\"]", "would run what {text} says"},
		{"a long option with its script", head + "run = [\"node\", \"--eval={text}\"]", "would run what {text} says"},
		{"a shell that is told by =", head + "run = [\"fish\", \"--command={text}\"]", "would run what {text} says"},
		{"awk", head + "run = [\"awk\", \"{text}\"]", "would run what {text} says"},
		{"sed with an option", head + "run = [\"sed\", \"-n\", \"-e\", \"{text}\"]", "would run what {text} says"},
		{"an editor", head + "run = [\"nvim\", \"-c\", \"{text}\", \"x\"]", "would run what {text} says"},
		{"env that splits", head + "run = [\"env\", \"-S\", \"{command}\"]", "would run what {command} says"},
		{"a terminal", head + "run = [\"tmux\", \"new-window\", \"{command}\"]", "would run what {command} says"},
		{"find", head + "run = [\"find\", \".\", \"-exec\", \"{file}\", \";\"]", "would run what {file} says"},
		{"a setting of git", head + "run = [\"git\", \"-c\", \"{text}\", \"log\"]", "would run what {text} says"},
		{"a transport", head + "run = [\"rsync\", \"-e\", \"{text}\", \"a:\", \"b\"]", "would run what {text} says"},
		{"an action of tar", head + "run = [\"tar\", \"--to-command={text}\", \"-xf\", \"x\"]", "would run what {text} says"},
		{"a database", head + "run = [\"psql\", \"-c\", \"{text}\"]", "would run what {text} says"},
		{"an attached script in a script", head + "run = 'python3 -c{text}'", "would run what {text} says"},
		{"awk in a script", head + "run = 'ls | awk {text}'", "would run what {text} says"},
		{"single quotes", head + "run = \"echo '{text}'\"", "{text} is in quotes"},
		{"double quotes", head + `run = 'echo "see {text}"'`, "{text} is in quotes"},
		{"backticks", head + "run = 'echo `cat {file}`'", "{file} is in quotes"},
		{"eval", head + "run = 'eval {command}'", "eval would run what {command} says"},
		{"eval after another command", head + "run = 'cd /tmp; eval {command}'", "eval would run what {command} says"},
		{"a shell in a script", head + "run = 'bash -lc {text}'", "bash would run what {text} says"},
		{"an unknown value in a script", head + "run = 'echo {pth}'", `{pth}: unknown "pth"`},
	} {
		got := written(t, c.text)
		if len(got.Problems) != 1 || !strings.Contains(got.Problems[0].Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, got.Problems, c.want)
		}
	}
}

// TestCommandsAreRead: a valid command survives next to an invalid one, and its script reads
// variables.
func TestCommandsAreRead(t *testing.T) {
	c := written(t, `
[keys]
filter = "F"
[[command]]
name = "wrong"
run = 3
[[command]]
name = "gist"
key = "f"
context = "selection"
run = 'gh gist create --desc {session} -f "a\"b".md - # {text}'
output = "status"
confirm = true
[[command]]
name = "edit"
run = ["code", "-g", "{file}:{line}", "--log={path}", "{}", "{\"a\":1}"]
[[command]]
name = "arguments"
run = ["sh", "-c", "printf '%s' \"$1\"", "_", "{text}"]
[[command]]
name = "readers"
run = 'grep -e {text} x; awk NF {file}; sed -n 5p {file}; git log --grep={text}; psql -v x={text} db; tar -xf {file}; find {folder} -name {text}; vim {file}; node x.js {text}'
[[command]]
name = "listed"
key = "alt+l"
context = "list"
run = ["a"]
[[command]]
name = "row"
key = "alt+l"
run = 'head -c {index} ${path} \{text} {}'
`)
	if len(c.Problems) != 1 || len(c.Commands) != 6 {
		t.Fatalf("%v %+v", c.Problems, c.Commands)
	}
	gist, edit, row := &c.Commands[0], &c.Commands[1], &c.Commands[5]
	if want := `gh gist create --desc "$TURNS_SESSION" -f "a\"b".md - # "$TURNS_TEXT"`; gist.Script != want || gist.Key != "f" || gist.Output != ToStatus || !gist.Confirm {
		t.Errorf("%+v, want the script %s", gist, want)
	}
	if want := `head -c "$TURNS_INDEX" ${path} \{text} {}`; row.Script != want {
		t.Errorf("%s, want %s", row.Script, want)
	}
	if edit.Context != OnRow || edit.Output != ToPane || !edit.Uses("file") || edit.Uses("text") || !gist.Uses("text") {
		t.Errorf("%+v", edit)
	}
	if got := ReplaceValues(edit.Argv[2], func(name string) string { return "<" + name + "{text}>" }); got != "<file{text}>:<line{text}>" {
		t.Errorf("a value was expanded twice: %s", got)
	}
}
