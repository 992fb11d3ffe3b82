package ui

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"turns/model"
	"turns/model/load"
)

// treeOf loads a session of Claude Code whose lines name their parents.
func treeOf(t *testing.T, lines [][3]string) *model.Snapshot {
	t.Helper()
	var b strings.Builder
	for i, l := range lines {
		kind, text := "assistant", l[2]
		message := map[string]any{"role": "assistant", "id": "m" + l[0], "type": "message", "model": "claude-opus-4-6", "content": []any{map[string]any{"type": "text", "text": text}}}
		if text, ok := strings.CutPrefix(text, "> "); ok {
			kind, message = "user", map[string]any{"role": "user", "content": text}
		}
		parent := any(l[1])
		if l[1] == "" {
			parent = nil
		}
		record := map[string]any{
			"parentUuid": parent, "isSidechain": false, "type": kind, "sessionId": "s", "cwd": "/work", "version": "2.1.39", "uuid": l[0],
			"timestamp": sampleStart.Add(1e9*60*1).Format("2006-01-02T15:04:") + string(rune('0'+i/10)) + string(rune('0'+i%10)) + "Z", "message": message,
		}
		data, err := json.Marshal(record)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(data, '\n'))
	}
	path := filepath.Join(t.TempDir(), "run.jsonl")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := load.Open(t.Context(), path, load.Options{})
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

func TestBranchesAreChosen(t *testing.T) {
	snap := treeOf(t, [][3]string{
		{"u1", "", "> plan the work"}, {"a1", "u1", "here is the plan"},
		{"u2", "a1", "> do it in one step"}, {"a2", "u2", "done in one step"}, {"u3", "a2", "> now test it"}, {"a3", "u3", "the tests fail"},
		{"u4", "a1", "> do it in two steps"}, {"a4", "u4", "the first step is done"},
		{"u5", "a1", "> do it in three steps"}, {"a5", "u5", "one of three"},
	})
	b := newBench(t, snap, testOptions(), 100, 30)
	text := func() string { return ansi.Strip(b.frame()) }
	if s := text(); !strings.Contains(s, "do it in three steps") || strings.Contains(s, "do it in one step") {
		t.Fatalf("the live branch is not what is shown first:\n%s", s)
	}
	b.press("B")
	checkFrame(t, b, "branches")
	golden(t, "frames/branches.golden", text()+"\n")
	b.press("j enter")
	if s := text(); !strings.Contains(s, "do it in one step") || !strings.Contains(s, "the tests fail") || !strings.Contains(s, "plan the work") || strings.Contains(s, "three steps") {
		t.Errorf("the first branch shows\n%s", s)
	}
	b.press("B j enter")
	if s := text(); !strings.Contains(s, "the first step is done") || strings.Contains(s, "the tests fail") || strings.Contains(s, "three steps") {
		t.Errorf("the second branch shows\n%s", s)
	}
	b.press("B G enter")
	if s := text(); !strings.Contains(s, "the first step is done") || !strings.Contains(s, "the tests fail") || !strings.Contains(s, "three steps") {
		t.Errorf("all branches show\n%s", s)
	}
	b.press("B g enter")
	if s := text(); strings.Contains(s, "the first step is done") || !strings.Contains(s, "three steps") {
		t.Errorf("the live branch shows\n%s", s)
	}
	b.press("f")
	typeIn(b, "role:user")
	b.press("enter B")
	if !strings.Contains(b.a.said, "& switches it off") {
		t.Errorf("B under a filter says %q", b.a.said)
	}
}

func TestNoBranches(t *testing.T) {
	b := newBench(t, sample(), testOptions(), 100, 30)
	b.press("B")
	if b.a.said != "no other branch in this conversation" {
		t.Errorf("B says %q", b.a.said)
	}
}
