package cli

import (
	"bufio"
	"bytes"
	"strings"
	"testing"

	"turns/model"
	"turns/query/session"
	"turns/ui/config"

	"github.com/charmbracelet/x/ansi"
)

// TestRowsAreWrittenAsTheyAreFound: as JSON, each row is flushed before the list is complete.
func TestRowsAreWrittenAsTheyAreFound(t *testing.T) {
	var out bytes.Buffer
	w := bufio.NewWriterSize(&out, 1<<16)
	a := &lsCommand{app: newApp(IO{Env: func(string) string { return "" }})}
	a.app.json = true
	s := session.Session{Summary: model.Summary{Path: "a.jsonl"}}
	if err := a.newRows(w).add(&s); err != nil {
		t.Fatal(err)
	}
	if line := out.String(); !strings.Contains(line, `"path":"a.jsonl"`) || !strings.HasSuffix(line, "\n") {
		t.Errorf("of a row of JSON there is %q", line)
	}
}

// On a terminal the table has a head and fits: first the title shrinks, then columns are dropped in
// the same order as on the screen.
func TestListFitsATerminal(t *testing.T) {
	var out strings.Builder
	a := &lsCommand{app: newApp(IO{Out: &out, Terminal: true, Env: func(string) string { return "" }})}
	a.app.settings = config.Default
	rows := a.newRows(&out)
	rows.sorted = true
	for i, title := range []string{"Fix the flaky watcher test and keep the public API as it is, please", "Release"} {
		s := session.Session{Summary: model.Summary{Path: "/home/ada/.claude/projects/a-long-folder/8463c716.jsonl", Title: title, Agent: "Claude Code session",
			Project: "/home/ada/watch", Last: int64(i+1) * 86_400_000, Messages: 12, Sessions: 1}}
		if err := rows.add(&s); err != nil {
			t.Fatal(err)
		}
	}
	if err := rows.end(); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) != 3 || !strings.HasPrefix(lines[0], "when ") || !strings.HasSuffix(lines[0], "path") || !strings.Contains(lines[1], "Release") || !strings.Contains(lines[2], "Fix the flaky watcher") {
		t.Errorf("the table is\n%s", out.String())
	}
	for _, line := range lines {
		if w := ansi.StringWidth(line); w > 80 {
			t.Errorf("a line of %d cells: %q", w, line)
		}
	}
}
