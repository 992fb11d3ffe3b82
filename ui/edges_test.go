package ui

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"turns/model"
	"turns/model/load"
	"turns/model/modeltest"
	"turns/ui/sessions"
)

// agentRun returns a session whose subagent runs a command.
func agentRun(t *testing.T) *model.Snapshot {
	t.Helper()
	f := modeltest.NewGrowingRun(t, filepath.Join(t.TempDir(), "run.jsonl"))
	aside := func(line string) string {
		return strings.Replace(line, `"isSidechain":false`, `"isSidechain":true`, 1)
	}
	task := strings.Replace(f.Bash("task", "find it"), `"name":"Bash","input":{"command":"find it"}`, `"name":"Task","input":{"description":"look around","prompt":"find it","subagent_type":"Explore"}`, 1)
	first := strings.Replace(aside(f.User("find it")), `"parentUuid":"u1"`, `"parentUuid":null`, 1)
	f.Add(f.User("go"), task, first, aside(f.Reply("I look.")), aside(f.Bash("in", "grep -rn it .")), aside(f.Result("in", "it.go:1", false)), f.Result("task", "it.go", false))
	c, err := load.Open(t.Context(), f.Path, load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	snap, err := c.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

// The detail of a subagent's row shows its place, like that of any other.
func TestDetailOfAnAgentSaysWhereItStands(t *testing.T) {
	b := newBench(t, agentRun(t), testOptions(), 160, 48)
	b.send(keyPress("/"))
	for _, r := range "grep" {
		b.send(keyPress(string(r)))
	}
	b.press("enter enter")
	frame := ansi.Strip(b.frame())
	if !strings.Contains(frame, "8463c716.jsonl › turn 0 › subagent › #4 › Bash") {
		t.Errorf("the detail does not show its place:\n%s", frame)
	}
}

// The line of a compaction has its text as soon as it is drawn.
func TestRulesSayWhatTheyAre(t *testing.T) {
	messages := sampleMessages()
	b := newBench(t, model.FromMessages(messages), testOptions(), 80, 12)
	seen := false
	for range len(messages) + 10 {
		for line := range strings.Lines(ansi.Strip(b.frame())) {
			if strings.Contains(line, "─ … ─") {
				t.Fatalf("a line across says nothing:\n%s", ansi.Strip(b.frame()))
			}
			seen = seen || strings.Contains(line, "─ ≡ ")
		}
		b.press("j")
	}
	if !seen {
		t.Error("no compaction was seen")
	}
}

// The filter of the list accepts regular expressions as people type them.
func TestListTakesRegularExpressions(t *testing.T) {
	b := newBench(t, priced(), paneOptions(), 120, 30)
	for filter, want := range map[string]int{`title:/bead spot+er/`: 1, `title:/^(work|count)/i`: 2, `title:/^(work|count)/`: 0, `project:/^spot|^pony/`: 2, `/segfaults? .*matching/`: 1, `title:/(/`: 5} {
		d := sessions.New(b.a.h, b.a.listed)
		if !d.Loaded {
			for msgs := b.run(d.Begin()); len(msgs) > 0; {
				msgs = b.run(d.Message(msgs[0]))
			}
		}
		d.Filter.Set(filter)
		d.Narrow()
		if len(d.Shown) != want {
			t.Errorf("%s leaves %d sessions, want %d", filter, len(d.Shown), want)
		}
	}
}
