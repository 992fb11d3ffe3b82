package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// The help of the program lists all commands except those for its developers.
func TestHelpListsAllCommands(t *testing.T) {
	var out bytes.Buffer
	if code := Run(t.Context(), []string{"--help"}, IO{Out: &out, Err: &out, Env: func(string) string { return "" }}); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	root, _ := newRoot(IO{})
	for _, c := range root.Commands() {
		if listed := strings.Contains(out.String(), "\n  "+c.Name()+" "); listed == c.Hidden {
			t.Errorf("%s is listed: %v", c.Name(), listed)
		}
	}
}

// Former names, and words that people try first, call the commands.
func TestAliasesCallTheirCommands(t *testing.T) {
	for alias, name := range map[string]string{
		"list": "ls", "sessions": "ls", "view": "open", "cat": "show", "grep": "search", "compare": "diff", "lint": "check", "calls": "log", "worklog": "log",
		"groups": "failures", "threads": "recap", "keep": "archive", "labels": "label",
	} {
		root, _ := newRoot(IO{})
		cmd, _, err := root.Find([]string{alias})
		if err != nil || cmd.Name() != name {
			t.Errorf("%s calls %s, error %v", alias, cmd.Name(), err)
		}
	}
}

// Every command is in a group of the help, in the order of the table.
func TestHelpHasSixGroups(t *testing.T) {
	var out bytes.Buffer
	Run(t.Context(), []string{"--help"}, IO{Out: &out, Err: &out, Env: func(string) string { return "" }})
	at := 0
	for _, want := range []string{"\nBROWSE\n  ls ", "\n  show ", "\n  search ", "\nANALYZE\n  stats ", "\nANNOTATE\n  label ", "\nSHARE\n  export ", "\nAUTOMATE\n  check ", "\nSETUP\n  filter "} {
		i := strings.Index(out.String()[at:], want)
		if i < 0 {
			t.Fatalf("%q is not where it is expected in\n%s", want, out.String())
		}
		at += i
	}
}

// On a terminal an answer without rows is a line, in a pipe it is empty. The exit code is 1 only if
// the answer to a question is no.
func TestEmptyAnswersSayWhy(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	t.Setenv("XDG_CONFIG_HOME", dir)
	for _, name := range []string{"a.jsonl", "b.jsonl"} {
		line := `{"role":"user","content":"hello"}` + "\n" + `{"role":"assistant","content":"good day"}` + "\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(line), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"check a.jsonl b.jsonl", exitOK, "turns: no problems found\n"},
		{"loops a.jsonl", exitOK, "turns: no loops found\n"},
		{"failures a.jsonl", exitOK, "turns: no failures found\n"},
		{"log a.jsonl b.jsonl", exitOK, "turns: no tool calls\n"},
		{"ls . --where title:nowhere", exitOK, "turns: no sessions match\n"},
		{"stats . --where title:nowhere", exitOK, "turns: no sessions match\n"},
		{"label --list", exitOK, "turns: no labels found\n"},
		{"show a.jsonl --slice 900:1000", exitNoMatch, "turns: no message matches\n"},
		{"search a.jsonl nowhere", exitNoMatch, "turns: no message matches\n"},
		{"search a.jsonl b.jsonl nowhere", exitNoMatch, "turns: no message matches\n"},
		{"stats --by model", exitError, "turns: error: no sessions on this machine\n"},
	} {
		for _, terminal := range []bool{true, false} {
			var out, errs bytes.Buffer
			code := Run(t.Context(), strings.Fields(c.args), IO{Out: &out, Err: &errs, Terminal: terminal, Env: func(string) string { return "" }})
			if code != c.code {
				t.Errorf("%s: exit code %d, want %d", c.args, code, c.code)
			}
			if said := errs.String(); terminal && !strings.HasPrefix(said, c.want) || !terminal && said != "" && code != exitError {
				t.Errorf("%s: terminal %v: %q, want %q", c.args, terminal, said, c.want)
			}
		}
	}
}

// The error of an older version on a host, which lacks a flag, is recognised.
func TestOlderVersionsAreRecognised(t *testing.T) {
	for _, args := range [][]string{{"stats", "x.jsonl", "--no-such-flag"}, {"no-such-command", "x.jsonl"}} {
		if _, _, said := run(t, "", args...); !olderThere(said) {
			t.Errorf("%q is not recognised", said)
		}
	}
	if _, _, said := run(t, "", "stats", "x.jsonl"); olderThere(said) {
		t.Errorf("%q is not an older version", said)
	}
}

// Each command and flag passed on to a host exists in the program.
func TestHostsAreAskedInTheWordsOfToday(t *testing.T) {
	root, _ := newRoot(IO{Env: func(string) string { return "" }})
	flags := map[string]bool{}
	for name := range strings.FieldsSeq(askedThere) {
		cmd := root
		if name != "turns" {
			found, _, err := root.Find([]string{name})
			if err != nil || found.Name() != name {
				t.Errorf("there is no command %s", name)
				continue
			}
			cmd = found
		}
		cmd.InheritedFlags()
		cmd.Flags().VisitAll(func(f *pflag.Flag) { flags[f.Name] = true })
	}
	for name := range strings.FieldsSeq(flagsThere) {
		if !flags[name] {
			t.Errorf("no command takes --%s", name)
		}
	}
}
