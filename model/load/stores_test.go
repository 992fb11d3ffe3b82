package load

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"turns/model"
	"turns/model/modeltest"
)

// storeScript is a database made by a script in testdata/stores. Its first line has the usual path
// of the database, below the home; the part after a line "-- later" runs while it is followed.
type storeScript struct {
	name, place string
	steps       []string
}

func storeScripts(t *testing.T) (all []storeScript) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "stores", "*.sql"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts of stores: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		first, rest, _ := strings.Cut(string(text), "\n")
		all = append(all, storeScript{strings.TrimSuffix(filepath.Base(file), ".sql"), strings.TrimPrefix(first, "-- "), strings.Split(rest, "-- later\n")})
	}
	return all
}

// write creates the database below a home, without the later part.
func (s *storeScript) write(t *testing.T, home string) (path string) {
	t.Helper()
	path = filepath.Join(home, filepath.FromSlash(s.place))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	execute(t, path, s.steps[0])
	return path
}

func execute(t *testing.T, path, script string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(script); err != nil {
		t.Fatalf("%s: %v", filepath.Base(path), err)
	}
}

// TestStores reads each store, and reads it again when it has grown.
func TestStores(t *testing.T) {
	for _, s := range storeScripts(t) {
		t.Run(s.name, func(t *testing.T) {
			path := s.write(t, t.TempDir())
			got := storeTold(t, path)
			for _, later := range s.steps[1:] {
				execute(t, path, later)
			}
			got += "later\n" + storeTold(t, path)
			golden := filepath.Join("testdata", "stores", s.name+".golden")
			modeltest.Golden(t, golden, got)
		})
	}
}

// storeTold returns the content of a store, one line per conversation and message.
func storeTold(t *testing.T, path string) string {
	t.Helper()
	c, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	snap, err := c.Load(t.Context())
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	f, _ := c.Format()
	return f.Name + "\n" + snapTold(t.Context(), snap)
}

func snapTold(ctx context.Context, snap *model.Snapshot) string {
	var lines []string
	for _, p := range Parts(ctx, snap) {
		lines = append(lines, fmt.Sprintf("%s: %q in %q, %s, %d messages, %d output tokens", p.Session, p.Title, p.Project, p.Model, p.Messages, p.Tokens))
	}
	for i := range snap.Len() {
		id := snap.At(i)
		h := snap.HeadRow(id)
		m, err := snap.Body(ctx, id)
		if err != nil {
			lines = append(lines, err.Error())
			continue
		}
		session := snap.Sessions()[snap.Threads()[h.Thread].Session].Field("session")
		line := fmt.Sprintf("%s %s %s", session, h.Role, time.UnixMilli(h.Time).UTC().Format(time.DateTime))
		for _, b := range m.Blocks {
			line += fmt.Sprintf(" | %s %s %s %q", b.Kind, b.Name, b.ID, b.Text)
		}
		for _, call := range snap.Calls(id) {
			line += fmt.Sprintf(" | %s ended: %s", snap.Name(call.Tool), call.Outcome)
			if maker, ok := call.Parent(); ok {
				line += " inside of " + snap.Name(snap.Call(maker).Tool)
			}
		}
		lines = append(lines, line)
	}
	for _, total := range snap.Totals() {
		lines = append(lines, fmt.Sprintf("in all: %d input, %d output tokens", total.Usage.Input, total.Usage.Output))
	}
	return strings.Join(lines, "\n") + "\n"
}

// TestHomeOfManyAgents: a home with the stores of all these agents lists each of them.
func TestHomeOfManyAgents(t *testing.T) {
	home := t.TempDir()
	want := map[string]bool{}
	for _, s := range storeScripts(t) {
		want[s.write(t, home)] = true
	}
	for place, sample := range map[string]string{
		".kiro/sessions/00ff/sess_1/messages.jsonl":                                                "kiro/messages.jsonl",
		".kiro/sessions/00ff/sess_1/session.json":                                                  "",
		".fx/sessions/1791/checkpoint.json":                                                        "",
		".fx/sessions/1791/session.json":                                                           "",
		".claude/projects/-src-app/s.jsonl":                                                        "claude-code/session.jsonl",
		".codex/sessions/2026/10/20/rollout-2026-10-20.jsonl":                                      "codex/searches.jsonl",
		".config/Code - Insiders/User/workspaceStorage/0f/GitHub.copilot-chat/transcripts/s.jsonl": "copilot-cli/session.jsonl",
	} {
		text := []byte(`{"id":"one","state":{"history":[]}}`)
		if sample != "" {
			var err error
			if text, err = os.ReadFile(filepath.Join("..", "..", "testdata", "formats", filepath.FromSlash(sample))); err != nil {
				t.Fatal(err)
			}
		}
		path := filepath.Join(home, filepath.FromSlash(place))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		switch {
		case strings.HasPrefix(place, ".kiro"), strings.HasPrefix(place, ".fx"):
			want[filepath.Dir(path)] = true
		default:
			want[path] = true
		}
	}
	got, _ := Find(t.Context(), Usual(home, noVariables)) // the error names the agents that are not installed
	for _, path := range got {
		if !want[path] {
			t.Errorf("%s is listed", path)
		}
		delete(want, path)
	}
	for path := range want {
		t.Errorf("%s is not listed", path)
	}
}
