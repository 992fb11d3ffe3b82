package fork

import (
	"crypto/sha256"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"turns/model"
	"turns/model/load"
)

// store is a folder with the files of an agent.
type store struct {
	name  string
	files map[string]string
	open  string // the transcript
	at    int
	path  string // path of the fork, as a regular expression
	tools []string
}

// stores are small sessions of each agent, with calls that the cut leaves without a result.
var stores = []store{
	{
		name: "claude-code", open: "projects/-w/0a.jsonl", at: 1, path: `^projects/-w/[0-9a-f-]{36}\.jsonl$`, tools: []string{"Bash", "Read"},
		files: map[string]string{"projects/-w/0a.jsonl": `{"type":"file-history-snapshot","messageId":"u1","snapshot":{}}
{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"0a","cwd":"/w","version":"2.1.0","timestamp":"2026-11-01T10:00:00Z","message":{"role":"user","content":"look"}}
{"type":"progress","uuid":"p1","parentUuid":"u1","sessionId":"0a","data":{"type":"hook_progress"},"timestamp":"2026-11-01T10:00:01Z"}
{"type":"assistant","uuid":"a1","parentUuid":"p1","sessionId":"0a","cwd":"/w","timestamp":"2026-11-01T10:00:02Z","message":{"role":"assistant","id":"m1","model":"x","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}],"usage":{"input_tokens":5,"output_tokens":2}}}
{"type":"user","uuid":"r1","parentUuid":"a1","sessionId":"0a","timestamp":"2026-11-01T10:00:03Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"a.go"}]}}
{"type":"assistant","uuid":"a2","parentUuid":"r1","sessionId":"0a","cwd":"/w","timestamp":"2026-11-01T10:00:04Z","message":{"role":"assistant","id":"m1","model":"x","content":[{"type":"tool_use","id":"t2","name":"Read","input":{"file_path":"a.go"}}],"usage":{"input_tokens":5,"output_tokens":9}}}
{"type":"user","uuid":"r2","parentUuid":"a2","sessionId":"0a","timestamp":"2026-11-01T10:00:05Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t2","content":"package a"}]}}
{"type":"last-prompt","leafUuid":"r2","sessionId":"0a"}
`},
	},
	{
		name: "codex", open: "sessions/2026/11/01/rollout-2026-11-01T10-00-00-0199aaaa-0000-7000-8000-000000000001.jsonl", at: 1,
		path: `^sessions/2026/11/20/rollout-2026-11-20T\d\d-30-45-[0-9a-f-]{36}\.jsonl$`, tools: []string{"shell", "apply_patch"},
		files: map[string]string{"sessions/2026/11/01/rollout-2026-11-01T10-00-00-0199aaaa-0000-7000-8000-000000000001.jsonl": `{"timestamp":"2026-11-01T10:00:00.000Z","ordinal":0,"type":"session_meta","payload":{"id":"0199aaaa-0000-7000-8000-000000000001","timestamp":"2026-11-01T10:00:00.000Z","cwd":"/w","originator":"codex-tui","cli_version":"0.150.0","source":"cli"}}
{"timestamp":"2026-11-01T10:00:01.000Z","ordinal":1,"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"look"}]}}
{"timestamp":"2026-11-01T10:00:02.000Z","ordinal":2,"type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":[\"ls\"]}","call_id":"c1"}}
{"timestamp":"2026-11-01T10:00:02.000Z","ordinal":3,"type":"response_item","payload":{"type":"custom_tool_call","name":"apply_patch","input":"*** Begin Patch","call_id":"c2","status":"completed"}}
{"timestamp":"2026-11-01T10:00:02.500Z","ordinal":4,"type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":9,"output_tokens":3,"total_tokens":12},"last_token_usage":{"input_tokens":9,"output_tokens":3,"total_tokens":12}}}}
{"timestamp":"2026-11-01T10:00:03.000Z","ordinal":5,"type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"a.go"}}
{"timestamp":"2026-11-01T10:00:04.000Z","ordinal":6,"type":"response_item","payload":{"type":"custom_tool_call_output","call_id":"c2","output":"done"}}
`},
	},
	{
		name: "pi", open: "sessions/--w--/2026_s1.jsonl", at: 1, path: `^sessions/--w--/2026-11-20T12-30-45-000Z_[0-9a-f-]{36}\.jsonl$`, tools: []string{"bash"},
		files: map[string]string{"sessions/--w--/2026_s1.jsonl": `{"type":"session","version":3,"id":"s1","timestamp":"2026-11-01T10:00:00.000Z","cwd":"/w"}
{"type":"message","id":"00000001","parentId":null,"timestamp":"2026-11-01T10:00:01.000Z","message":{"role":"user","content":[{"type":"text","text":"look"}]}}
{"type":"message","id":"00000002","parentId":"00000001","timestamp":"2026-11-01T10:00:02.000Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"k1","name":"bash","arguments":{"command":"ls"}}],"usage":{"input":3,"output":4},"stopReason":"toolUse"}}
{"type":"message","id":"00000003","parentId":"00000002","timestamp":"2026-11-01T10:00:03.000Z","message":{"role":"toolResult","toolCallId":"k1","toolName":"bash","content":[{"type":"text","text":"a.go"}],"isError":false}}
`},
	},
	{
		name: "gemini-cli", open: "chats/session-2026-11-01T10-00-g1.jsonl", at: 1, path: `^chats/session-2026-11-20T12-30-[0-9a-f]{8}\.jsonl$`, tools: []string{"list"},
		files: map[string]string{"chats/session-2026-11-01T10-00-g1.jsonl": `{"sessionId":"g1","projectHash":"h","startTime":"2026-11-01T10:00:00.000Z","lastUpdated":"2026-11-01T10:00:00.000Z","kind":"main"}
{"id":"1","timestamp":"2026-11-01T10:00:01.000Z","type":"user","content":[{"text":"look"}]}
{"id":"2","timestamp":"2026-11-01T10:00:02.000Z","type":"gemini","content":"","toolCalls":[{"id":"x1","name":"list","args":{},"status":"executing"}],"model":"g"}
{"id":"3","timestamp":"2026-11-01T10:00:03.000Z","type":"user","content":[{"text":"stop"}]}
{"$set":{"lastUpdated":"2026-11-01T10:00:04.000Z"}}
`},
	},
	{
		name: "opencode", open: "storage", at: 1, path: `^storage/session/p/ses_[0-9a-f]{12}[0-9A-Za-z]{14}\.json$`, tools: []string{"bash"},
		files: map[string]string{
			"storage/session/p/ses_1.json":     `{"id":"ses_1","projectID":"p","directory":"/w","title":"Look","version":"1.0.0","time":{"created":1793527200000,"updated":1793527200000},"share":{"url":"u"}}`,
			"storage/message/ses_1/msg_1.json": `{"id":"msg_1","sessionID":"ses_1","role":"user","time":{"created":1793527201000}}`,
			"storage/part/msg_1/prt_1.json":    `{"id":"prt_1","sessionID":"ses_1","messageID":"msg_1","type":"text","text":"look"}`,
			"storage/message/ses_1/msg_2.json": `{"id":"msg_2","sessionID":"ses_1","role":"assistant","parentID":"msg_1","modelID":"x","time":{"created":1793527202000}}`,
			"storage/part/msg_2/prt_2.json":    `{"id":"prt_2","sessionID":"ses_1","messageID":"msg_2","type":"step-start"}`,
			"storage/part/msg_2/prt_3.json":    `{"id":"prt_3","sessionID":"ses_1","messageID":"msg_2","type":"tool","callID":"o1","tool":"bash","state":{"status":"running","input":{"command":"ls"},"time":{"start":1793527202000}}}`,
			"storage/message/ses_1/msg_3.json": `{"id":"msg_3","sessionID":"ses_1","role":"user","time":{"created":1793527203000}}`,
			"storage/part/msg_3/prt_4.json":    `{"id":"prt_4","sessionID":"ses_1","messageID":"msg_3","type":"text","text":"stop"}`,
		},
	},
}

// lay writes the files of a store to a new folder.
func (s *store) lay(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range s.files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// hashes returns the hashes of all files below a folder.
func hashes(t *testing.T, dir string) map[string][32]byte {
	t.Helper()
	sums := map[string][32]byte{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		sums[filepath.ToSlash(rel)] = sha256.Sum256(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return sums
}

// TestForkInTheAgentsFolder: a fork is a new session in the folder of its agent that reads back
// equal, with the open calls closed, and no other file changes.
func TestForkInTheAgentsFolder(t *testing.T) {
	for _, s := range stores {
		t.Run(s.name, func(t *testing.T) {
			dir := s.lay(t)
			path := filepath.Join(dir, filepath.FromSlash(s.open))
			before := hashes(t, dir)
			snap := opened(t, path, nil)
			p, err := New(t.Context(), snap, Options{Path: path, At: s.at, Now: now})
			if err != nil {
				t.Fatal(err)
			}
			if after := hashes(t, dir); !maps.Equal(before, after) {
				t.Fatal("planning a fork wrote files")
			}
			var tools []string
			for _, c := range p.Closed {
				tools = append(tools, c.Tool)
			}
			if !slices.Equal(tools, s.tools) {
				t.Errorf("open calls: %v, want %v", tools, s.tools)
			}
			if err := p.Write(true); err != nil { // force never overwrites a store
				t.Fatal(err)
			}
			after := hashes(t, dir)
			for name, sum := range before {
				if after[name] != sum {
					t.Errorf("%s changed", name)
				}
			}
			rel, _ := filepath.Rel(dir, p.Path)
			if rel = filepath.ToSlash(rel); !regexp.MustCompile(s.path).MatchString(rel) {
				t.Errorf("the fork is %s, want %s", rel, s.path)
			}
			if len(after) != len(before)+len(p.Files()) {
				t.Errorf("%d files, want %d and %d", len(after), len(before), len(p.Files()))
			}
			if err := p.Write(true); !errors.Is(err, os.ErrExist) {
				t.Errorf("a file of the store was replaced: %v", err)
			}
			sameUpTo(t, snap, forkOf(t, dir, p), p)
			if rules := readerRules[s.name]; rules != nil {
				rules(t, p, p.Path)
			}
		})
	}
}

// forkOf loads the fork of a plan.
func forkOf(t *testing.T, dir string, p *Plan) *model.Snapshot {
	t.Helper()
	if p.Format != "opencode" {
		return opened(t, p.Path, nil)
	}
	for part := range 2 {
		snap := opened(t, filepath.Join(dir, "storage"), &part)
		if snap.Sessions()[0].Field("session") == p.ID {
			return snap
		}
	}
	t.Fatal("the store has no such session")
	return nil
}

// TestForkElsewhere: a fork may have a path outside the store, and does not overwrite a file
// without force.
func TestForkElsewhere(t *testing.T) {
	for _, s := range stores {
		dir := s.lay(t)
		path := filepath.Join(dir, filepath.FromSlash(s.open))
		before := hashes(t, dir)
		into := filepath.Join(t.TempDir(), "fork"+filepath.Ext(path))
		if s.name == "opencode" {
			into += ".json"
		}
		snap := opened(t, path, nil)
		p, err := New(t.Context(), snap, Options{Path: path, At: s.at, Into: into, Now: now})
		if err == nil {
			err = p.Write(false)
		}
		if err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		if err := p.Write(false); !errors.Is(err, os.ErrExist) {
			t.Errorf("%s: an existing file was replaced: %v", s.name, err)
		}
		if err := p.Write(true); err != nil {
			t.Errorf("%s: %v", s.name, err)
		}
		if !maps.Equal(before, hashes(t, dir)) {
			t.Errorf("%s: the store changed", s.name)
		}
		sameUpTo(t, snap, opened(t, into, nil), p)
	}
}

// TestWhatCannotBeForked: each refusal has a reason and an alternative.
func TestWhatCannotBeForked(t *testing.T) {
	claude := stores[0].lay(t)
	path := filepath.Join(claude, "projects/-w/0a.jsonl")
	agent := filepath.Join(claude, "projects/-w/agent-1.jsonl")
	if err := os.WriteFile(agent, []byte(stores[0].files["projects/-w/0a.jsonl"]), 0o600); err != nil {
		t.Fatal(err)
	}
	chat := filepath.Join(claude, "chat.json")
	if err := os.WriteFile(chat, []byte(`[{"role":"user","content":"hello"}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path, named string
		at          int
		why, hint   string
	}{
		{path, path, 99, "no message 99", "0 to 3"},
		{path, path, -1, "no message -1", "0 to 3"},
		{agent, agent, 0, "of a subagent", "fork the session"},
		{chat, chat, 0, "cannot write sessions in the format", "--to"},
		{path, "-", 0, "from a pipe", "-o FILE"},
		{path, "https://host/a.jsonl", 0, "not on this machine", "-o FILE"},
	} {
		_, err := New(t.Context(), opened(t, c.path, nil), Options{Path: c.named, At: c.at, Now: now})
		no := (*Refusal)(nil)
		if !errors.As(err, &no) || !strings.Contains(no.Why, c.why) || !strings.Contains(no.Hint, c.hint) {
			t.Errorf("%s at %d: %v %+v, want %q %q", c.named, c.at, err, no, c.why, c.hint)
		}
	}
}

// TestFilesTooLargeToFork: a document of Gemini CLI has at most 256 MiB, and the file of a session
// of OpenCode 16 MiB.
func TestFilesTooLargeToFork(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "s1.json")
	if err := os.WriteFile(path, []byte(`{"id":"s1"}`+strings.Repeat(" ", 16<<20-11)), 0o600); err != nil {
		t.Fatal(err)
	}
	if sessionFile(dir, "s1") == nil {
		t.Error("a session of 16 MiB is missing")
	}
	if err := os.Truncate(path, 16<<20+1); err != nil {
		t.Fatal(err)
	}
	if sessionFile(dir, "s1") != nil {
		t.Error("a session of more than 16 MiB was read")
	}
	if err := os.Truncate(path, 256<<20+1); err != nil {
		t.Skipf("the file system has no sparse files: %v", err)
	}
	err := gemini(t.Context(), &Plan{snap: model.FromMessages(nil)}, Options{Path: path})
	if err == nil || !strings.Contains(err.Error(), "the most is 268435456") {
		t.Errorf("a document of more than 256 MiB: %v", err)
	}
}

// TestEveryWriterIsAFormat: the table names formats that exist.
func TestEveryWriterIsAFormat(t *testing.T) {
	for _, name := range Formats() {
		if _, err := load.Open(t.Context(), "-", load.Options{Format: name, Stdin: strings.NewReader("{}\n")}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !slices.ContainsFunc(stores, func(s store) bool { return s.name == name }) {
			t.Errorf("%s has no sample", name)
		}
	}
}
