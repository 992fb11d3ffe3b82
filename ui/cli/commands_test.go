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
		if listed := strings.Contains(out.String(), "\n    "+c.Name()+" "); listed == c.Hidden {
			t.Errorf("%s is listed: %v", c.Name(), listed)
		}
	}
}
