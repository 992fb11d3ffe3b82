package load

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// If a subagent in a store waits, its own conversation waits, and no other.
func TestAConversationWaitsForWhatItsSubagentsWaitFor(t *testing.T) {
	part := func(tool, status string) string {
		return `{"type":"tool","callID":"c","tool":"` + tool + `","state":{"status":"` + status + `","input":{}}}`
	}
	path := database(t, filepath.Join(t.TempDir(), "opencode.db"),
		`CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, title TEXT, time_created INTEGER, time_updated INTEGER)`,
		`CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT)`,
		`CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, data TEXT)`,
		`INSERT INTO session VALUES ('a', NULL, '/w', 'asks below', 1, 9), ('k', 'a', '/w', 'explore', 4, 9), ('b', NULL, '/w', 'runs', 2, 9), ('c', NULL, '/w', 'thinks', 3, 9)`,
		`INSERT INTO message VALUES ('m1', 'a', 0, 0, '{"role":"user"}'), ('m2', 'b', 0, 0, '{"role":"user"}'), ('m3', 'c', 0, 0, '{"role":"user"}'),
			('m4', 'a', 0, 0, '{"role":"assistant"}'), ('m5', 'k', 0, 0, '{"role":"user"}'), ('m6', 'b', 0, 0, '{"role":"assistant"}'), ('m7', 'k', 0, 0, '{"role":"assistant"}')`,
		`INSERT INTO part VALUES ('p1', 'm1', 'a', '{"type":"text","text":"do"}'), ('p2', 'm2', 'b', '{"type":"text","text":"run"}'), ('p3', 'm3', 'c', '{"type":"text","text":"think"}'),
			('p4', 'm4', 'a', '`+part("task", "running")+`'), ('p5', 'm5', 'k', '{"type":"text","text":"look"}'), ('p6', 'm6', 'b', '`+part("bash", "running")+`'),
			('p7', 'm7', 'k', '`+part("question", "running")+`')`)
	want := map[string]struct {
		tools string
		at    int
	}{"asks below": {"question\ntask", 3}, "runs": {"bash", 5}, "thinks": {"", 6}}
	for l := range List(t.Context(), []string{path}, ListOptions{}) {
		if l.Err != nil || len(l.Parts) != len(want) {
			t.Fatalf("%d conversations, %v", len(l.Parts), l.Err)
		}
		for _, p := range l.Parts {
			if w := want[p.Title]; p.Tools != w.tools || p.At != w.at {
				t.Errorf("%q runs %q at %d, want %q at %d", p.Title, p.Tools, p.At, w.tools, w.at)
			}
		}
	}
}

// A subagent's transcript names its parent session; a fork by a user is not a subagent's.
func TestStarter(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	claude := func(more string) string {
		return `{"type":"user","uuid":"u1","sessionId":"main",` + more + `"timestamp":"2026-01-01T10:00:00Z","message":{"role":"user","content":"look"}}`
	}
	codex := func(meta string) string {
		return `{"timestamp":"2026-01-01T10:00:00Z","type":"session_meta","payload":{"id":"own",` + meta + `"cwd":"/w"}}`
	}
	for _, c := range []struct{ name, text, want string }{
		{"main.jsonl", claude(""), ""},
		{"main/subagents/agent-1.jsonl", claude(`"isSidechain":true,"agentId":"1",`), "main"},
		{"main/subagents/workflows/w/agent-2.jsonl", claude(`"isSidechain":true,"agentId":"2",`), "main"},
		{"rollout-1.jsonl", codex(`"source":"cli",`), ""},
		{"rollout-2.jsonl", codex(`"source":"cli","forked_from_id":"main",`), ""},
		{"rollout-3.jsonl", codex(`"source":{"subagent":{"thread_spawn":{"parent_thread_id":"main","depth":1}}},`), "main"},
		{"rollout-4.jsonl", codex(`"thread_source":"subagent","forked_from_id":"main","parent_thread_id":"main",`), "main"},
	} {
		s, err := Summarise(t.Context(), write(c.name, c.text))
		if err != nil || s.Starter != c.want || s.Sessions != 1 || s.Format == "" {
			t.Errorf("%s is started by %q, want %q (%s, %v)", c.name, s.Starter, c.want, s.Format, err)
		}
	}
}

// TestStarterInStores: a conversation of a database names the session whose subagent it is; a fork
// is not a subagent.
func TestStarterInStores(t *testing.T) {
	for _, s := range storeScripts(t) {
		starters := func(path string) (all []string) {
			l := newLister(&Hints{}).summarised(t.Context(), byAge(t.Context(), []string{path})[0], nil)
			for _, p := range append(l.Parts, Part{Summary: l.Summary}) {
				if p.Starter != "" {
					all = append(all, p.Starter)
				}
			}
			return all
		}
		spawn := map[string][2]string{
			"antigravity": {`update trajectory_metadata_blob set data = data || x'2a046d61696e'`, "main"},
			"omnigent": {`insert into conversations values(x'0b', 1790000002, 'Look', x'0a000000000000000000000000000001', '{}');
				insert into omnigent_conversation_metadata values(x'0b', 2, 'explore', null, '/src/app', 'main');
				insert into conversation_items values(x'08', x'0b', 1790000003, 1, 1, '{"role":"user","content":[{"type":"input_text","text":"Look"}]}')`,
				"0a000000000000000000000000000001"},
		}[s.name]
		if spawn[0] == "" {
			continue
		}
		path := s.write(t, t.TempDir())
		if got := starters(path); got != nil {
			t.Errorf("%s: a session is started by %q", s.name, got)
		}
		execute(t, path, spawn[0])
		if got := starters(path); !slices.Equal(got, []string{spawn[1]}) {
			t.Errorf("%s: a subagent is started by %q, want %q", s.name, got, spawn[1])
		}
	}
}

// turns links a subagent to the call that names it, even if it reads the call later: here a
// subagent that another one of a workflow started.
func TestASubagentIsTiedToTheCallThatNamesItLater(t *testing.T) {
	dir := t.TempDir()
	line := func(kind, id, agent, message, more string) string {
		return `{"type":"` + kind + `","uuid":"` + id + `","isSidechain":true,"agentId":"` + agent + `","sessionId":"s","version":"2.1.0",` + more +
			`"timestamp":"2026-01-01T10:00:00Z","message":` + message + "}\n"
	}
	for name, text := range map[string]string{
		"s.jsonl":                       `{"type":"user","uuid":"u","isSidechain":false,"sessionId":"s","version":"2.1.0","timestamp":"2026-01-01T10:00:00Z","message":{"role":"user","content":"go"}}` + "\n",
		"s/subagents/agent-below.jsonl": line("user", "b1", "below", `{"role":"user","content":"look"}`, ""),
		"s/subagents/workflows/w/agent-top.jsonl": line("assistant", "t1", "top", `{"id":"m","type":"message","role":"assistant","content":[{"type":"tool_use","id":"c","name":"Agent","input":{}}]}`, "") +
			line("user", "t2", "top", `{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"ok"}]}`, `"toolUseResult":{"status":"completed","agentId":"below"},`),
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	snap := loadFile(t, filepath.Join(dir, "s.jsonl"), Options{})
	threads := snap.Threads()
	if len(threads) != 3 || snap.CallCount() != 1 {
		t.Fatalf("%d threads, %d calls", len(threads), snap.CallCount())
	}
	below, top := threads[1], threads[2]
	if below.Call != 0 || below.Parent != 2 || !below.Apart || top.Call != noCall || top.Parent != 0 || !top.Apart || snap.Call(0).Child != 1 {
		t.Errorf("below %+v, top %+v, call %+v", below, top, snap.Call(0))
	}
}
