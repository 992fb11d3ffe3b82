package cli

import (
	"bytes"
	"strings"
	"testing"
)

// The help of the program lists all of its commands, but those that are for who makes it.
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
