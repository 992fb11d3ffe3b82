package load

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"turns/model"
)

// database creates a database with some statements.
func database(t *testing.T, path string, statements ...string) string {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// agentDatabases creates databases of the agents. In each, the order of conversations by time
// differs from that by name, one belongs to a subagent if the agent has subagents, one has no
// messages, and some texts are larger than a page.
func agentDatabases(t *testing.T) map[string]string {
	dir := t.TempDir()
	long := strings.Repeat("x", 9000)
	say := func(text string) string { return `[{"type":"text","text":"` + text + `"}]` }
	part := func(text string) string { return `[{"type":"text","data":{"text":"` + text + `"}}]` }
	q := func(format string, args ...any) string { return fmt.Sprintf(format, args...) }
	return map[string]string{
		"opencode": database(t, filepath.Join(dir, "opencode.db"),
			`CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, title TEXT, time_created INTEGER, time_updated INTEGER)`,
			`CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT)`,
			`CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, data TEXT)`,
			`INSERT INTO session VALUES ('z', NULL, '/w/z', 'first', 1767261600000, 1767261700000), ('a', NULL, '/w/a', 'second', 1767261650000, 1767261660000),
				('k', 'z', '/w/z', 'explore', 1767261655000, 1767261670000), ('e', NULL, '/w/e', 'empty', 1767261690000, 1767261690000)`,
			q(`INSERT INTO message VALUES ('m1', 'z', 0, 0, '{"role":"user","time":{"created":1767261600000},"summary":{"diffs":"%s"}}'), ('m2', 'z', 0, 0, '{"role":"assistant","time":{"created":1767261700000}}'),
				('m3', 'a', 0, 0, '{"role":"user","time":{"created":1767261660000}}'), ('m4', 'k', 0, 0, '{"role":"user","time":{"created":1767261670000}}')`, long),
			q(`INSERT INTO part VALUES ('p1', 'm1', 'z', '{"type":"text","text":"%s"}'), ('p2', 'm2', 'z', '{"type":"text","text":"yes"}'), ('p3', 'm2', 'z', '{"type":"text","text":"and"}'),
				('p4', 'm4', 'k', '{"type":"text","text":"look"}')`, long)),
		"crush": database(t, filepath.Join(dir, "crush.db"),
			`CREATE TABLE sessions (id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT, prompt_tokens INTEGER, updated_at INTEGER, created_at INTEGER)`,
			`CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT, role TEXT, parts TEXT, model TEXT, created_at INTEGER)`,
			`INSERT INTO sessions VALUES ('z', NULL, 'first', 0, 1767261700000, 1767261600000), ('a', NULL, 'second', 0, 1767261660000, 1767261650000), ('k', 'z', 'task', 0, 1767261670000, 1767261655000)`,
			q(`INSERT INTO messages VALUES ('m1', 'z', 'user', '%s', NULL, 1767261600000), ('m2', 'z', 'assistant', '%s', 'gpt', 1767261700000), ('m3', 'a', 'user', '%s', NULL, 1767261660000), ('m4', 'k', 'user', '%s', NULL, 1767261670000)`,
				part(long), part("yes"), part("hi"), part("look"))),
		"goose": database(t, filepath.Join(dir, "sessions.db"),
			`CREATE TABLE sessions (id TEXT, name TEXT, description TEXT, working_dir TEXT, created_at TEXT, updated_at TEXT, model_config_json TEXT)`,
			`CREATE TABLE messages (id INTEGER PRIMARY KEY, message_id TEXT, session_id TEXT, role TEXT, content_json TEXT, created_timestamp INTEGER, metadata_json TEXT)`,
			`INSERT INTO sessions VALUES ('z','first','','/w','2026-01-01 10:00:00','2026-01-01 10:01:40','{"model_name":"gpt"}'), ('a','','','/w','2026-01-02 10:00:00','2026-01-02 10:00:00',NULL)`,
			q(`INSERT INTO messages VALUES (1,'m1','z','user','%s',1767261600,NULL), (2,'m2','a','user','%s',1767348000,NULL), (3,'m3','z','assistant','%s',1767261700,NULL), (4,'m4','a','user','%s',1767348000,NULL)`,
				say(long), say("a question"), say("yes"), say("another"))),
		"hermes": database(t, filepath.Join(dir, "state.db"),
			`CREATE TABLE sessions (id TEXT, source TEXT, model TEXT, title TEXT, system_prompt TEXT, started_at REAL, ended_at REAL, end_reason TEXT, input_tokens INTEGER)`,
			`CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content TEXT, tool_call_id TEXT, tool_calls TEXT, timestamp REAL)`,
			`INSERT INTO sessions VALUES ('z','cli','gpt','first','be good',1767261600,1767261710,'completed',7), ('a','cli','gpt',NULL,NULL,1767348000,NULL,NULL,NULL)`,
			q(`INSERT INTO messages VALUES (1,'z','user','%s',NULL,NULL,1767261600), (2,'a','user','a question',NULL,NULL,1767348000), (3,'z','assistant','yes',NULL,NULL,1767261700), (4,'a','assistant','no',NULL,NULL,1767348100)`, long)),
		"zed": database(t, filepath.Join(dir, "threads.db"),
			`CREATE TABLE threads (id TEXT, summary TEXT, updated_at TEXT, data_type TEXT, data BLOB)`,
			q(`INSERT INTO threads VALUES ('z','first','2026-01-01T10:00:00Z','json','{"messages":[{"User":{"id":"u","content":[{"Text":"%s"}]}}]}'), ('a','second','2026-01-02T10:00:00Z','json','{"messages":[{"User":{"id":"v","content":[{"Text":"hi"}]}}]}')`, long)),
		"kiro": database(t, filepath.Join(dir, "data.sqlite3"),
			`CREATE TABLE conversations_v2 (key TEXT, conversation_id TEXT, value TEXT, created_at INTEGER, updated_at INTEGER)`,
			q(`INSERT INTO conversations_v2 VALUES ('/w/z','z','{"history":[{"user":{"content":{"Prompt":{"prompt":"first"}}},"assistant":{"Response":{"content":"%s"}}}]}',1767261600000,1767261700000),
				('/w/a','a','{"history":[{"user":{"content":{"Prompt":{"prompt":"second"}}},"assistant":{"Response":{"content":"no"}}},{"user":{"content":{"Prompt":{"prompt":"more"}}},"assistant":{"Response":{"content":"no"}}}]}',1767348000000,1767348100000)`, long)),
		"cursor": database(t, filepath.Join(dir, "state.vscdb"),
			`CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)`,
			q(`INSERT INTO cursorDiskKV VALUES
				('composerData:z', CAST('{"name":"named","createdAt":1767261600000,"lastUpdatedAt":1767261700000,"workspaceIdentifier":{"uri":{"fsPath":"/w/z"}},"text":"%s","fullConversationHeadersOnly":[{"bubbleId":"b1","type":1},{"bubbleId":"b2","type":2}]}' AS BLOB)),
				('composerData:a', CAST('{"createdAt":1767348000000,"lastUpdatedAt":1767348002000,"fullConversationHeadersOnly":[{"bubbleId":"c0","type":2},{"bubbleId":"c1","type":1},{"bubbleId":"c2","type":1}]}' AS BLOB)),
				('composerData:k', CAST('{"conversation":[{"type":1,"bubbleId":"d","text":"an old one"},{"type":2,"bubbleId":"e","text":"Hello"}]}' AS BLOB)),
				('composerData:e', CAST('{"createdAt":1767348000000,"fullConversationHeadersOnly":[]}' AS BLOB)), ('composerData:gone', NULL),
				('bubbleId:z:b1', CAST('{"type":1,"bubbleId":"b1","createdAt":"2026-01-01T10:00:01Z","text":"%s"}' AS BLOB)), ('bubbleId:z:b2', CAST('{"type":2,"createdAt":"2026-01-01T10:01:40Z","text":"yes"}' AS BLOB)),
				('bubbleId:a:c0', CAST('{"type":2,"createdAt":"2026-01-02T10:00:00Z","text":"welcome"}' AS BLOB)), ('bubbleId:a:c1', CAST('{"type":1,"createdAt":"2026-01-02T10:00:01Z","text":"a question"}' AS BLOB)),
				('bubbleId:a:c2', CAST('{"type":1,"createdAt":"2026-01-02T10:00:02Z","text":"%s"}' AS BLOB))`, long, long, long)),
	}
}

// TestALargeStoreHasARowForEachConversation compares the list's rows for a store over the limit
// with those of a complete read, for stores of the agents and samples of the corpus.
func TestALargeStoreHasARowForEachConversation(t *testing.T) {
	stores := agentDatabases(t)
	tree := filepath.Join(t.TempDir(), "storage")
	for name, text := range map[string]string{
		"session/p/z.json": `{"id":"z","title":"first","directory":"/w/z","time":{"created":1767261600000}}`,
		"session/p/a.json": `{"id":"a","title":"second","directory":"/w/a","time":{"created":1767261650000}}`,
		"message/z/m.json": `{"id":"m","sessionID":"z","role":"user","time":{"created":1767261600000}}`,
		"message/z/n.json": `{"id":"n","sessionID":"z","role":"assistant","time":{"created":1767261700000}}`,
		"message/a/o.json": `{"id":"o","sessionID":"a","role":"user","time":{"created":1767261650000}}`,
		"part/m/p.json":    `{"id":"p","messageID":"m","sessionID":"z","type":"text","text":"hi"}`,
	} {
		path := filepath.Join(tree, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	stores["opencode, a folder"] = tree
	if corpus := os.Getenv("TURNS_CORPUS"); corpus != "" {
		stores["a sample of crush"] = filepath.Join(corpus, "agents/crush/dbos_crush.db")
		stores["a sample of opencode"] = filepath.Join(corpus, "agents/opencode/derived_sqlite/opencode.db")
		stores["a sample of cursor"] = filepath.Join(corpus, "agents/cursor/cursor-history/composer-global-state.vscdb")
		stores["a store of cursor"] = filepath.Join(corpus, "agents/cursor/agent-sessions/test-store.db")
	} else {
		t.Log("TURNS_CORPUS is not set: no samples are compared")
	}
	for name, path := range stores {
		t.Run(name, func(t *testing.T) {
			file := byAge(t.Context(), []string{path})[0]
			reader := newLister(&Hints{})
			reader.wholly = true
			whole := reader.summarised(t.Context(), file, nil)
			if whole.Err != nil {
				t.Fatal(whole.Err)
			}
			l := newLister(&Hints{})
			l.storeLimit = 0
			got := l.summarised(t.Context(), file, nil)
			if got.Err != nil || !got.Store || !got.Partial || got.Sessions != whole.Sessions || got.Format != whole.Format || len(got.Parts) != len(whole.Parts) {
				t.Fatalf("as a list has it: %+v, %v; as a whole: %+v", got, got.Err, whole)
			}
			if len(whole.Parts) == 0 {
				got.Parts, whole.Parts = []Part{{0, got.Summary}}, []Part{{0, whole.Summary}}
			}
			for i := range whole.Parts {
				p, want := got.Parts[i], whole.Parts[i]
				counted := p.Estimate == want.Messages && p.Last == want.Last
				switch {
				// a value contains the messages with their texts
				case name == "zed" || name == "kiro":
					counted = p.Estimate <= want.Messages && p.Last >= want.Last && want.Last != 0
				case strings.HasPrefix(name, "a sample"):
					// the conversation's row has a later time of writing, or more messages
					counted = p.Estimate >= want.Messages && p.Last >= want.Last
				}
				if p.Number != want.Number || p.Session != want.Session || p.Title != want.Title || p.Project != want.Project || p.Started != want.Started ||
					!counted || !p.Partial || p.Errors != 0 || p.State == model.RunOpen {
					t.Errorf("conversation %d:\n list  %+v\n whole %+v", i, p, want)
				}
			}
		})
	}
}

// TestSlowDatabaseKeepsItsSessions: if turns ends the queries of a slow database before their last
// row, the list warns and still has a row for each session, from a query without messages.
func TestSlowDatabaseKeepsItsSessions(t *testing.T) {
	stores := agentDatabases(t)
	for _, s := range storeScripts(t) {
		stores[s.name] = s.write(t, t.TempDir())
	}
	for _, chat := range []string{"cursor", "antigravity"} {
		delete(stores, chat) // its database has one conversation
	}
	for name, path := range stores {
		file := byAge(t.Context(), []string{path})[0]
		want := newLister(&Hints{}).summarised(t.Context(), file, nil)
		got := model.Summary{Path: path, Bytes: want.Bytes, Unread: slowWords}
		parts := newLister(&Hints{}).named(t.Context(), &got, nil)
		if got.Sessions < 2 { // the database itself is the only row
			continue
		}
		if got.Unread != slowWords || !got.Partial || len(parts) == 0 || parts[0].Unread != slowWords {
			t.Errorf("%s does not warn: %+v", name, got)
		}
		for i, p := range parts {
			if w := want.Parts[i]; p.Session != w.Session || p.Title != w.Title {
				t.Errorf("%s: session %d is %q %q, in time %q %q", name, i, p.Session, p.Title, w.Session, w.Title)
			}
		}
	}
}

// TestEndlessQueryKeepsSessions lists a database with a query that never ends, because a message is
// its own parent.
func TestEndlessQueryKeepsSessions(t *testing.T) {
	for _, s := range storeScripts(t) {
		if s.name != "llm" {
			continue
		}
		path := s.write(t, t.TempDir())
		file := byAge(t.Context(), []string{path})[0]
		want := newLister(&Hints{}).summarised(t.Context(), file, nil)
		execute(t, path, "UPDATE messages SET parent_hash = hash")
		l := newLister(&Hints{})
		l.limits.Queries = 200 * time.Millisecond
		got := l.summarised(t.Context(), file, nil)
		if got.Err != nil || !got.Partial || got.Sessions != want.Sessions || len(got.Parts) != len(want.Parts) || got.Parts[0].Unread != slowWords {
			t.Errorf("%d sessions, %d rows, %+v, %v; in time %d and %d", got.Sessions, len(got.Parts), got.Summary, got.Err, want.Sessions, len(want.Parts))
		}
	}
}
