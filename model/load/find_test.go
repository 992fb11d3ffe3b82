package load

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"turns/model"
)

// TestFindTakesStoresAsAWhole: Find returns a folder that a format recognises by its names as one
// transcript, and the transcripts next to it.
func TestFindTakesStoresAsAWhole(t *testing.T) {
	for _, test := range []struct {
		name  string
		files []string
		want  []string
	}{
		{"plain files", []string{"a/1.jsonl", "a/2.json", "b/state.db", "b/notes.txt", "node_modules/x.json", ".turns-keep/index.jsonl"}, []string{"a/1.jsonl", "a/2.json", "b/state.db"}},
		{"a storage tree beside its database",
			[]string{"opencode.db", "storage/session/p/s.json", "storage/message/s/m.json", "storage/part/m/1.json", "log/x.jsonl"},
			[]string{"log/x.jsonl", "opencode.db", "storage"}},
		{"the folder itself", []string{"session/p/s.json", "message/s/m.json", "part/m/1.json"}, []string{"."}},
		{"a folder of sessions that are folders",
			[]string{"one/base_state.json", "one/events/event-00000-a.json", "two/base_state.json", "two/events/event-00000-b.json", "two/events/event-00001-c.json"},
			[]string{"one", "two"}},
		{"a session with subagents", []string{"s/chat_history.jsonl", "s/summary.json", "s/subagents/a/chat_history.jsonl"}, []string{"s"}},
		{"a session and what describes it", []string{"x/messages.jsonl", "x/meta.json", "y/messages.jsonl"}, []string{"x", "y/messages.jsonl"}},
		{"sessions with folders of agents",
			[]string{"s/session.json", "s/agents/agent_a/agent.json", "s/agents/agent_a/messages/message_0.json", "s/agents/agent_a/messages/message_1.json",
				"t/session.json", "t/agents/agent_a/agent.json", "t/agents/agent_a/messages/message_0.json", "t/agents/agent_b/agent.json", "t/agents/agent_b/messages/message_0.json"},
			[]string{"s", "t"}},
		{"a history alone", []string{"s/chat_history.jsonl"}, []string{"s/chat_history.jsonl"}},
		{"a task that is written twice", []string{"1/api_conversation_history.json", "1/ui_messages.json", "2/ui_messages.json"},
			[]string{"1/api_conversation_history.json", "2/ui_messages.json"}},
	} {
		dir := t.TempDir()
		for _, name := range test.files {
			path := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var got []string
		for _, p := range found(t, dir) {
			rel, err := filepath.Rel(dir, p)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, filepath.ToSlash(rel))
		}
		slices.Sort(got)
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: found %q, want %q", test.name, got, test.want)
		}
	}
}

// TestPatternsFindFolders: a pattern may match folders.
func TestPatternsFindFolders(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"sessions/a/x.jsonl", "sessions/b.jsonl"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{filepath.Join(dir, "sessions", "a", "x.jsonl"), filepath.Join(dir, "sessions", "b.jsonl")}
	if got := found(t, filepath.Join(dir, "sessions", "*")); !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}

// TestAStoreIsListedWithItsConversations lists a database of two conversations, and a folder of
// one.
func TestAStoreIsListedWithItsConversations(t *testing.T) {
	dir := t.TempDir()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "sessions.db"))
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		`CREATE TABLE sessions (id TEXT, name TEXT, description TEXT, working_dir TEXT, created_at TEXT, updated_at TEXT, model_config_json TEXT)`,
		`CREATE TABLE messages (id INTEGER PRIMARY KEY, message_id TEXT, session_id TEXT, role TEXT, content_json TEXT, created_timestamp INTEGER, metadata_json TEXT)`,
		`INSERT INTO sessions VALUES ('a','first','','/w','2026-01-01 10:00:00','',NULL), ('b','second','','/w','2026-01-02 10:00:00','',NULL)`,
		`INSERT INTO messages VALUES (1,'m1','a','user','[{"type":"text","text":"hello"}]',1767261600,NULL), (2,'m2','b','user','[{"type":"text","text":"bye"}]',1767348000,NULL)`,
	} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"tree/session/p/s.json": `{"id":"s","title":"in a tree","time":{"created":1767261600000}}`,
		"tree/message/s/m.json": `{"id":"m","sessionID":"s","role":"user","time":{"created":1767261600000}}`,
		"tree/part/m/p.json":    `{"id":"p","messageID":"m","sessionID":"s","type":"text","text":"hi"}`,
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	stores := map[string]Listed{}
	for l := range List(context.Background(), found(t, dir), ListOptions{}) {
		if l.Err != nil || !l.Store || l.Bytes == 0 || l.Written == 0 {
			t.Errorf("listed %+v", l)
		}
		stores[filepath.Base(l.Path)] = l
	}
	base, tree := stores["sessions.db"], stores["tree"]
	if len(stores) != 2 || len(base.Parts) != 2 || base.Parts[0].Title != "first" || base.Parts[1].Session != "b" || base.Parts[1].Messages != 1 {
		t.Errorf("of the database: %+v", base)
	}
	if tree.Title != "in a tree" || tree.Messages != 1 || len(tree.Parts) != 0 || tree.Partial {
		t.Errorf("of the folder: %+v", tree)
	}
}

// TestUsualPlacesThatAreFolders: a session of Mistral Vibe or Grok is a folder, with its data next
// to its messages, even if those are too large to read. Other files in it are not sessions.
func TestUsualPlacesThatAreFolders(t *testing.T) {
	home := t.TempDir()
	const vibe, grok = ".vibe/logs/session/", ".grok/sessions/p/"
	for name, text := range map[string]string{
		vibe + "a/messages.jsonl":     `{"role":"user","content":"hello","message_id":"1","injected":false}` + "\n" + `{"role":"assistant","content":"hi","message_id":"2","injected":false}` + "\n",
		vibe + "a/meta.json":          `{"session_id":"sa","title":"Greeting","start_time":"2026-01-01T10:00:00+00:00","environment":{"working_directory":"/w/p"},"stats":{"session_prompt_tokens":3,"session_completion_tokens":4}}`,
		vibe + "b/messages.jsonl":     `{"role":"user","content":"no description","message_id":"1","injected":false}` + "\n",
		grok + "g/chat_history.jsonl": `{"type":"user","content":[{"type":"text","text":"count"}],"prompt_index":0}` + "\n" + `{"type":"assistant","content":"two"}` + "\n",
		grok + "g/summary.json":       `{"info":{"id":"sg","cwd":"/w/g"},"session_summary":"Counting","generated_title":"Counting","chat_format_version":1,"created_at":"2026-01-01T10:00:00Z"}`,
		grok + "g/updates.jsonl":      `{"role":"user","content":"count"}` + "\n" + `{"role":"assistant","content":"two"}` + "\n",
	} {
		path := filepath.Join(home, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	l := newLister(&Hints{})
	for _, path := range found(t, Usual(home, noVariables)...) {
		s := l.summarised(t.Context(), byAge(t.Context(), []string{path})[0], nil)
		name, _ := filepath.Rel(home, path)
		got = append(got, fmt.Sprint(filepath.ToSlash(name), " ", s.Title, " ", s.Project, " ", s.Session, " ", s.Messages, s.Started))
	}
	want := []string{grok + "g Counting /w/g sg 2 1767261600000", vibe + "a Greeting /w/p sa 2 1767261600000", vibe + "b/messages.jsonl no description   1 0"}
	if !slices.Equal(got, want) {
		t.Errorf("listed %q, want %q", got, want)
	}
	l.storeLimit = 0
	for name, title := range map[string]string{vibe + "a": "Greeting", grok + "g": "Counting"} {
		s := l.summarised(t.Context(), byAge(t.Context(), []string{filepath.Join(home, filepath.FromSlash(name))})[0], nil)
		if s.Err != nil || s.Title != title || !s.Partial || len(s.Parts) != 0 {
			t.Errorf("%s over the limit: %+v, %v", name, s, s.Err)
		}
	}
}

// TestCopiesOpenTheirSession finds one session of fx, because its log repeats the session. A log
// without its session is the session.
func TestCopiesOpenTheirSession(t *testing.T) {
	home := t.TempDir()
	dir := filepath.Join(home, ".fx", "sessions", "1791")
	log, err := os.ReadFile("../../testdata/formats/fx/events.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"1791/session.json":    `{"id":"1791","created_at_ms":1791000000000,"workspace_root":"/src/app","preferences":{"model":"glm-5.2"}}`,
		"1791/checkpoint.json": `{"session_id":"1791","state":{"history":[{"kind":"assistant","user":{"text":"Only in the checkpoint"},"assistant":"Yes.","execution":{"tool_steps":[]}}]}}`,
		"1791/events.jsonl":    string(log),
		"1792/events.jsonl":    string(log),
	} {
		path := filepath.Join(home, ".fx", "sessions", filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	alone := filepath.Join(home, ".fx", "sessions", "1792", "events.jsonl")
	if paths := found(t, home); len(paths) != 2 || !slices.Contains(paths, dir) || !slices.Contains(paths, alone) {
		t.Errorf("found %q", paths)
	}
	for path, want := range map[string]string{filepath.Join(dir, "events.jsonl"): "Only in the checkpoint", alone: "List the files"} {
		snap := loadFile(t, path, Options{})
		if title := model.NewTitles(snap, nil).Whole(t.Context()); snap.Format() != "fx" || title != want {
			t.Errorf("%s is %s, %q; want %q", path, snap.Format(), title, want)
		}
	}
}

// found returns the transcripts under some places, without those that Find cannot list.
func found(t *testing.T, places ...string) []string {
	t.Helper()
	paths, _ := Find(t.Context(), places)
	return paths
}

// TestFindSaysWhatItCannotList: Find reports an unreadable folder and a missing name as errors and
// returns all other transcripts; a cancelled search returns none.
func TestFindSaysWhatItCannotList(t *testing.T) {
	dir := t.TempDir()
	if err := errors.Join(
		os.WriteFile(filepath.Join(dir, "a.jsonl"), nil, 0o600), os.Mkdir(filepath.Join(dir, "closed"), 0o000),
		os.Symlink(dir, filepath.Join(dir, "loop")), os.Symlink("gone", filepath.Join(dir, "gone.txt")),
		os.Symlink("nowhere", filepath.Join(dir, "lost.jsonl")), os.Symlink("round", filepath.Join(dir, "round")),
	); err != nil {
		t.Fatal(err)
	}
	paths, err := Find(t.Context(), []string{dir, filepath.Join(dir, "missing")})
	if !slices.Equal(paths, []string{filepath.Join(dir, "a.jsonl")}) {
		t.Errorf("found %q", paths)
	}
	for _, name := range []string{"lost.jsonl", "round"} {
		if strings.Count(fmt.Sprint(err), filepath.Join(dir, name)) != 1 {
			t.Errorf("the link %s has the error %v", name, err)
		}
	}
	// three links and folders, and the missing name
	if n := strings.Count(fmt.Sprint(err), "\n"); n > 3 {
		t.Errorf("more is reported: %v", err)
	}
	if !errors.Is(err, fs.ErrNotExist) || os.Getuid() != 0 && !errors.Is(err, fs.ErrPermission) {
		t.Errorf("said %v", err)
	}
	over, stop := context.WithCancel(t.Context())
	stop()
	if paths, err := Find(over, []string{dir}); len(paths) > 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("found %q, %v after the end", paths, err)
	}
}

// The extension of VS Code writes the same events as the command line, so only the first event
// shows which of the two wrote them.
func TestAgentThatWroteTheEvents(t *testing.T) {
	t.Parallel()
	for more, want := range map[string]string{``: "GitHub Copilot CLI", `,"vscodeVersion":"1.104.0"`: "VS Code Copilot Chat"} {
		path := filepath.Join(t.TempDir(), "s.jsonl")
		if err := os.WriteFile(path, []byte(`{"type":"session.start","data":{"sessionId":"s","producer":"copilot-agent"`+more+`},"id":"1","parentId":null}
{"type":"user.message","data":{"content":"hi"},"id":"2","parentId":"1"}
`), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := Summarise(t.Context(), path)
		if err != nil || got.Agent != want || got.Format != "copilot-cli" {
			t.Errorf("%s: %q %q %v, want %q", more, got.Agent, got.Format, err, want)
		}
	}
}

func TestAgentOfExport(t *testing.T) {
	for name, want := range map[string]string{
		"out/messages/day=2026-01-02/agent=Codex/part-A.parquet":                      "Codex",
		"out/messages/day=2026-01-02/agent=a%2Fb/part-A.parquet":                      "a/b",
		"out/messages/day=2026-01-02/agent=__HIVE_DEFAULT_PARTITION__/part-A.parquet": "title",
		"out/agent=Codex/a.jsonl":                                                     "title",
	} {
		if got := agentOf(name, "title"); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
