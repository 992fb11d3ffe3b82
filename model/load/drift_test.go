package load

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"turns/model"
	"turns/model/format"
	"turns/model/modeltest"
)

// smallStores are minimal contents of the other databases.
var smallStores = []storeScript{
	{"agents-sdk-sessions", "a.db", []string{`create table agent_sessions(session_id, created_at, updated_at);
		create table agent_messages(id integer primary key, session_id, message_data, created_at);
		insert into agent_messages values(1, 's', '{"role":"user","content":"hi"}', '2026-01-01 00:00:00')`}},
	{"agentsmithy", "journal.sqlite", []string{`create table sessions(id, name); create table message_store(id integer primary key, session_id, message);
		create table dialog_reasoning(id integer primary key, dialog_id, content, created_at, message_index, model_name);
		create table tool_results(tool_call_id, dialog_id, tool_name, args_json, result_json, timestamp, size_bytes, summary, error);
		insert into message_store values(1, 's', '{"type":"human","data":{"content":"hi","type":"human"}}')`}},
	{"crush", "crush.db", []string{`create table sessions(id, parent_session_id, title, prompt_tokens, updated_at, created_at);
		create table messages(id, session_id, role, parts, model, created_at, updated_at);
		insert into sessions values('s', null, 't', 0, 1, 1); insert into messages values('m', 's', 'user', '[{"type":"text","data":{"text":"hi"}}]', '', 1, 1)`}},
	{"dexto", "dexto.db", []string{`create table kv_store(key, value); create table list_store(key, value, sequence integer);
		insert into kv_store values('session:s', '{"id":"s","createdAt":1}');
		insert into list_store values('messages:s', '{"id":"m","role":"user","content":[{"type":"text","text":"hi"}]}', 1)`}},
	{"goose", "sessions.db", []string{`create table sessions(id, name, working_dir, created_at, updated_at);
		create table messages(id integer primary key, session_id, role, content_json, created_timestamp);
		insert into sessions values('s', 't', '/w', '2026-01-01', '2026-01-01'); insert into messages values(1, 's', 'user', '[{"type":"text","text":"hi"}]', 1)`}},
	{"hermes", "state.db", []string{`create table sessions(id, source, model, started_at, ended_at, end_reason);
		create table messages(id integer primary key, session_id, role, content, tool_call_id, tool_calls, tool_name, timestamp);
		insert into sessions values('s', 'cli', 'm', 1, null, null); insert into messages values(1, 's', 'user', 'hi', null, null, null, 1)`}},
	{"kiro", "data.sqlite3", []string{`create table conversations_v2(key, conversation_id, value, created_at, updated_at);
		insert into conversations_v2 values('/w', 's', '{"conversation_id":"s","history":[{"user":{"content":{"Prompt":{"prompt":"hi"}}},"assistant":{"Response":{"message_id":"a","content":"ho"}}}]}', 1, 1)`}},
	{"langchain", "chat.db", []string{`create table message_store(id integer primary key, session_id, message);
		insert into message_store values(1, 's', '{"type":"human","data":{"content":"hi","type":"human"}}')`}},
	{"zed", "threads.db", []string{`create table threads(id, summary, updated_at, data_type, data);
		insert into threads values('s', 't', '2026-01-01T00:00:00Z', 'json', '{"version":"0.3.0","messages":[{"User":{"id":"u","content":[{"Text":"hi"}]}}]}')`}},
}

// TestUnreadTables: each database format warns of a filled table that no parser reads, by name
// and count, but not before the table is filled.
func TestUnreadTables(t *testing.T) {
	left := map[string]bool{}
	for _, f := range format.All() {
		if f.Unroll != nil && f.Unroll.Queries != nil {
			left[f.Name] = true
		}
	}
	for _, s := range slices.Concat(storeScripts(t), smallStores) {
		path := s.write(t, t.TempDir())
		if l, err := Summarise(t.Context(), path); err != nil {
			t.Errorf("%s: %v", s.name, err)
		} else {
			delete(left, l.Format)
		}
		if words := unreadWords(t, path); words != "" {
			t.Errorf("%s: %s", s.name, words)
		}
		execute(t, path, "create table novel_turns(id, text); create table novel_empty(id); insert into novel_turns values(1,'a'),(2,'b')")
		if words := unreadWords(t, path); words != "table novel_turns: 2 rows" {
			t.Errorf("%s with another table: %q", s.name, words)
		}
		l, err := Summarise(t.Context(), path)
		if words := l.Unread; err != nil || words != "table novel_turns: 2 rows" {
			t.Errorf("%s in a list: %q, %v", s.name, words, err)
		}
	}
	for name := range left {
		t.Errorf("no database of %s is tested", name)
	}
	for _, f := range format.All() {
		if f.Unroll != nil && f.Unroll.Queries != nil && format.ReadsTable(f, "novel_turns") {
			t.Errorf("%s reads any table", f.Name)
		}
	}
}

// TestUnreadRecords adds a record of an unknown type to a sample of each agent with a list of
// record types.
func TestUnreadRecords(t *testing.T) {
	for sample, record := range map[string]string{
		"claude-code/session.jsonl": `{"type":"novel-record","sessionId":"s","uuid":"9","timestamp":"2026-01-01T00:00:00Z"}`,
		"codex/searches.jsonl":      `{"timestamp":"2026-01-01T00:00:00Z","type":"novel-record","payload":{"a":1}}`,
		"copilot-cli/session.jsonl": `{"type":"novel-record","id":"9","parentId":null,"timestamp":"2026-01-01T00:00:00Z","data":{}}`,
		"kiro/messages.jsonl":       `{"id":"9","timestamp":"2026-01-01T00:00:00Z","payload":{"type":"novel-record","content":"x"}}`,
		"acp2/wire.jsonl":           `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"novel-record"}}}`,
		"acp/log.jsonl":             `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"sess_01","update":{"sessionUpdate":"novel-record"}}}`,
		"verifiers/traces.jsonl":    `{"type":"novel-record","value":1}`,
		"fx/events.jsonl":           `{"seq":9,"kind":"novel-record","payload":{"a":1}}`,
		"gemini-cli/log.jsonl":      `{"id":"9","type":"novel-record","timestamp":"2026-01-01T00:00:00Z","content":"x"}`,
	} {
		data, err := os.ReadFile(filepath.Join("../../testdata/formats", sample))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "session.jsonl")
		if err := os.WriteFile(path, append(data, record+"\n"...), 0o600); err != nil {
			t.Fatal(err)
		}
		l, err := Summarise(t.Context(), path)
		if words := l.Unread; err != nil || !strings.Contains(words, "record type novel-record: 1 record") {
			t.Errorf("%s: %q, %v", sample, words, err)
		}
	}
}

// TestHooksAreNotUnread: Claude Code's records of hooks, and its summary for a returning user, have
// no part of the conversation.
func TestHooksAreNotUnread(t *testing.T) {
	data, err := os.ReadFile("../../testdata/formats/claude-code/session.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"hook_additional_context", "hook_cancelled", "hook_non_blocking_error", "hook_success", "hook_system_message", "away_summary"} {
		record := `{"type":"attachment","attachment":{"type":"` + kind + `","hookName":"Stop","content":"x"},"sessionId":"5e55","uuid":"9","timestamp":"2026-01-01T00:00:00Z"}`
		if kind == "away_summary" {
			record = `{"type":"system","subtype":"away_summary","content":"x","sessionId":"5e55","uuid":"9","timestamp":"2026-01-01T00:00:00Z"}`
		}
		path := filepath.Join(t.TempDir(), "session.jsonl")
		write(t, path, string(data)+record+"\n")
		if words := unreadWords(t, path); words != "record type brand-new-thing: 1 record" { // of the sample
			t.Errorf("%s: %q is reported", kind, words)
		}
	}
}

// TestUnreadRows adds a row of an unknown type to each database whose rows have types.
func TestUnreadRows(t *testing.T) {
	novel := map[string]string{
		"antigravity": "insert into steps values(99, 7777, 3, x'0a00')",
		"devin":       `insert into message_nodes values(99, 'calm-fox', 99, 12, '{"message_id":"n","role":"7777","content":"x","metadata":{"created_at":"2026-09-21T10:00:10Z"}}', 1790000099, null)`,
		"llm":         "insert into parts values(99, 'b2:4', 99, '7777', null, '{}')",
		"omnigent":    "insert into conversation_items select x'99', conversation_id, created_at, 99, 7777, '{}' from conversation_items limit 1",
		"openclaw":    `insert into transcript_events(session_id, seq, event_json) select session_id, 99, '{"type":"7777","id":"9"}' from transcript_events limit 1`,
		"opencode":    "insert into session_message select 'msg_99', session_id, '7777', 99, 1, 1, '{}' from session_message limit 1",
	}
	for _, s := range storeScripts(t) {
		insert, ok := novel[s.name]
		if !ok {
			continue
		}
		delete(novel, s.name)
		path := s.write(t, t.TempDir())
		execute(t, path, insert)
		if words := unreadWords(t, path); words != "record type 7777: 1 record" {
			t.Errorf("%s: %q", s.name, words)
		}
	}
	for name := range novel {
		t.Errorf("there is no store of %s", name)
	}
}

// TestNothingUnreadInTheCorpus: agents' transcripts have no unknown parts.
func TestNothingUnreadInTheCorpus(t *testing.T) {
	modeltest.Long(t, "it reads the whole corpus")
	corpus := modeltest.Corpus(t)
	for _, part := range []string{"agents", "frameworks"} {
		err := filepath.WalkDir(filepath.Join(corpus, part), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			if l, err := Summarise(t.Context(), path); err == nil && l.Unread != "" {
				t.Errorf("%s (%s): %s", path, l.Format, l.Unread)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// unreadWords opens a transcript and returns the parts that no parser reads.
func unreadWords(t *testing.T, path string) string {
	t.Helper()
	c, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	snap, err := c.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return model.UnreadWords(c.Unread(t.Context(), snap))
}
