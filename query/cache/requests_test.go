package cache_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"turns/model"
	"turns/model/load"
	"turns/model/modeltest"
	"turns/query/cache"
)

// session writes a Claude Code session whose cache behaves as the provider documents it.
type session struct {
	lines  []string
	at     time.Time
	n      int
	parent string
	model  string
	prefix int64 // tokens of tools and system prompt
	cached int64
	hour   bool // cache entries live for an hour
	wants  []cache.Cause
}

func newSession() *session {
	return &session{at: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC), model: "claude-sonnet-4-5", prefix: 12_000}
}

func (s *session) line(kind string, fields map[string]any) {
	s.n++
	id := fmt.Sprintf("u%d", s.n)
	fields["type"], fields["uuid"], fields["sessionId"], fields["isSidechain"] = kind, id, "s", false
	fields["timestamp"] = s.at.Format(time.RFC3339Nano)
	fields["parentUuid"] = s.parent
	if s.parent == "" {
		fields["parentUuid"] = nil
	}
	s.parent = id
	text, err := json.Marshal(fields)
	if err != nil {
		panic(err)
	}
	s.lines = append(s.lines, string(text))
}

func (s *session) prompt(after time.Duration) {
	s.at = s.at.Add(after)
	s.line("user", map[string]any{"message": map[string]any{"role": "user", "content": fmt.Sprintf("prompt %d", s.n)}})
}

// snapshot records the system prompt and the tools.
func (s *session) snapshot(system, tool string) {
	s.line("attachment", map[string]any{"attachment": map[string]any{
		"type": "prompt_snapshot", "systemPrompt": []string{system}, "tools": []any{map[string]any{"name": tool}},
	}})
}

// ask adds a request that reads and writes some cached tokens.
func (s *session) ask(read, write int64, want cache.Cause) {
	s.at = s.at.Add(3 * time.Second)
	written := map[string]any{"ephemeral_5m_input_tokens": write}
	if s.hour {
		written = map[string]any{"ephemeral_1h_input_tokens": write}
	}
	s.line("assistant", map[string]any{"requestId": fmt.Sprintf("r%d", s.n), "message": map[string]any{
		"id": fmt.Sprintf("m%d", s.n), "role": "assistant", "model": s.model, "content": []any{map[string]any{"type": "text", "text": "done"}}, "stop_reason": "end_turn",
		"usage": map[string]any{"input_tokens": 3, "cache_read_input_tokens": read, "cache_creation_input_tokens": write, "cache_creation": written, "output_tokens": 9},
	}})
	s.cached = read + write
	s.wants = append(s.wants, want)
}

// hit adds a request that reads the entire cached prompt of the previous one.
func (s *session) hit() { s.ask(s.cached, 500, cache.None) }

// warm returns a session with a first request and some hits.
func warm(hits int) *session {
	s := newSession()
	s.snapshot("You are careful.", "Bash")
	s.prompt(0)
	s.ask(s.prefix, 9_000, cache.First)
	for range hits {
		s.prompt(20 * time.Second)
		s.hit()
	}
	return s
}

// synthetic builds sessions with known causes.
var synthetic = map[string]func() *session{
	"ttl": func() *session {
		s := warm(3)
		s.prompt(6 * time.Minute)
		s.ask(0, s.cached+200, cache.TTL)
		s.prompt(4 * time.Minute) // shorter than the time to live
		s.hit()
		s.prompt(90 * time.Minute)
		s.ask(s.prefix, s.cached-s.prefix, cache.TTL)
		s.hit()
		return s
	},
	"model": func() *session {
		s := warm(3)
		s.model = "claude-haiku-4-5"
		s.prompt(10 * time.Second)
		s.ask(0, s.cached+100, cache.Model)
		s.hit()
		s.model = "claude-sonnet-4-5"
		s.prompt(10 * time.Second)
		s.ask(s.prefix, s.cached-s.prefix, cache.Model)
		s.hit()
		return s
	},
	"tools": func() *session {
		s := warm(3)
		s.snapshot("You are careful.", "Bash and Edit")
		s.prompt(10 * time.Second)
		s.ask(0, s.cached+300, cache.Tools)
		s.hit()
		s.snapshot("You are careful.", "Bash and Edit") // unchanged
		s.prompt(10 * time.Second)
		s.hit()
		s.hit()
		return s
	},
	"system": func() *session {
		s := warm(3)
		s.snapshot("You are quick.", "Bash")
		s.prompt(10 * time.Second)
		s.ask(4_000, s.cached-4_000, cache.System)
		s.hit()
		s.hit()
		return s
	},
	"compaction": func() *session {
		s := warm(4)
		s.line("system", map[string]any{"subtype": "compact_boundary", "content": "Conversation compacted", "compactMetadata": map[string]any{"trigger": "auto", "preTokens": 23_000}})
		s.line("user", map[string]any{"isCompactSummary": true, "message": map[string]any{"role": "user", "content": "Summary"}})
		s.ask(s.prefix, 3_000, cache.Compaction)
		s.prompt(10 * time.Second)
		s.hit()
		s.hit()
		return s
	},
	"edited": func() *session {
		s := warm(3)
		s.prompt(10 * time.Second)
		s.ask(s.prefix, s.cached-s.prefix, cache.Edited)
		s.hit()
		s.prompt(10 * time.Second)
		s.ask(s.prefix+1_000, s.cached-s.prefix, cache.Edited)
		s.hit()
		return s
	},
	"too short": func() *session {
		s := newSession()
		s.prompt(0)
		s.ask(0, 0, cache.First)
		for range 4 { // below 1,024 tokens the provider caches no prompt
			s.prompt(10 * time.Second)
			s.ask(0, 0, cache.TooShort)
		}
		s.ask(0, 9_000, cache.TooShort) // the previous prompt was too short for the cache
		s.hit()
		return s
	},
	"unexplained": func() *session {
		s := warm(3)
		s.prompt(10 * time.Second)
		s.ask(0, s.cached, cache.Unexplained)
		s.hit()
		s.ask(s.cached-900, 1_400, cache.None) // less than a cache block
		s.hit()
		return s
	},
}

func open(t *testing.T, lines []string) *model.Snapshot {
	t.Helper()
	c, err := load.Open(t.Context(), "-", load.Options{Stdin: strings.NewReader(strings.Join(lines, "\n") + "\n")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	snap, err := c.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

// TestKnownCauses finds the cause of every request of the synthetic sessions.
func TestKnownCauses(t *testing.T) {
	all := 0
	for name, build := range synthetic {
		t.Run(name, func(t *testing.T) {
			s := build()
			all += len(s.wants)
			list, err := cache.Requests(t.Context(), open(t, s.lines))
			if err != nil || len(list) != len(s.wants) {
				t.Fatalf("%d requests for %d, %v", len(list), len(s.wants), err)
			}
			for i, want := range s.wants {
				if got := list[i]; got.Cause != want || got.Cause.Missed() != (got.Again > 0) {
					t.Errorf("request %d: %q with %d tokens again, want %q", i, got.Cause, got.Again, want)
				}
			}
		})
	}
	if all < 60 {
		t.Errorf("%d requests, want at least 60", all)
	}
}

// TestLimitsOfCauses: the time to live, and in how many blocks the provider looks for a cached
// prefix.
func TestLimitsOfCauses(t *testing.T) {
	for _, c := range []struct {
		rule string
		hour bool
		gap  time.Duration // between the previous prompt and that of the miss
		more int           // prompts between two requests
		want cache.Cause
	}{
		{"an entry lives for five minutes", false, 5*time.Minute - time.Millisecond, 0, cache.Unexplained},
		{"an entry lives for five minutes", false, 5 * time.Minute, 0, cache.TTL},
		{"an entry for an hour lives for an hour", true, time.Hour - time.Millisecond, 0, cache.Unexplained},
		{"an entry for an hour lives for an hour", true, time.Hour, 0, cache.TTL},
		{"twenty blocks are looked through", false, time.Minute, 19, cache.Edited},
		{"twenty blocks are looked through", false, time.Minute, 20, cache.Unexplained},
	} {
		s := newSession()
		s.hour = c.hour
		s.prompt(0)
		s.ask(s.prefix, 9_000, cache.First)
		s.prompt(c.gap - 3*time.Second) // the answer took three seconds
		read := int64(0)
		if c.more > 0 {
			read = s.prefix
			for range c.more - 1 {
				s.prompt(0)
			}
		}
		s.ask(read, s.cached-read, c.want)
		list, err := cache.Requests(t.Context(), open(t, s.lines))
		if err != nil || list[1].Cause != c.want {
			t.Errorf("%s: %v and %d prompts later: %+v, %v; want %v", c.rule, c.gap, c.more, list[1], err, c.want)
		}
		if list[1].Again != 21_000-read {
			t.Errorf("%s: %d tokens again, want %d", c.rule, list[1].Again, 21_000-read)
		}
	}
}

// TestWhatIsKnown: cache use is known if the read tokens and a prompt are recorded.
func TestWhatIsKnown(t *testing.T) {
	for _, c := range []struct {
		r     cache.Request
		known bool
		share float64
	}{
		{cache.Request{Read: 0, Total: 1}, true, 0}, {cache.Request{Read: 3, Total: 4}, true, 0.75},
		{cache.Request{Read: -1, Total: 4}, false, 0}, {cache.Request{Read: 0, Total: 0}, false, 0},
	} {
		if share, ok := c.r.Share(); c.r.Known() != c.known || ok != c.known || share != c.share {
			t.Errorf("%+v: known %v, share %v %v", c.r, c.r.Known(), share, ok)
		}
	}
}

// TestLastMiss: how many tokens the last request rewrote, if the previous one wrote to the cache.
func TestLastMiss(t *testing.T) {
	for _, c := range []struct {
		last, before model.CacheUse
		want         int64
	}{
		{model.CacheUse{Total: 12_000}, model.CacheUse{Read: 2_000, Write: 8_000}, 10_000},
		{model.CacheUse{Total: 12_000, Read: 10_000}, model.CacheUse{Read: 2_000, Write: 8_000}, 0},
		{model.CacheUse{Total: 12_000}, model.CacheUse{Read: 10_000}, 0},
		{model.CacheUse{}, model.CacheUse{Read: 2_000, Write: 8_000}, 0},
	} {
		if got := cache.LastMiss([2]model.CacheUse{c.last, c.before}); got != c.want {
			t.Errorf("%+v after %+v: %d, want %d", c.last, c.before, got, c.want)
		}
	}
}

// TestNoUsage: a response without usage has no cause.
func TestNoUsage(t *testing.T) {
	list, err := cache.Requests(t.Context(), model.FromMessages([]model.Message{{Role: model.User}, {Role: model.Assistant}}))
	if err != nil || len(list) != 1 || list[0].Known() || list[0].Cause != cache.None {
		t.Errorf("%+v, %v", list, err)
	}
}

// TestRecordedReasons: the derived reasons agree with those that providers recorded, and few
// rewrites in real sessions stay unexplained.
func TestRecordedReasons(t *testing.T) {
	root := modeltest.Corpus(t)
	files, err := filepath.Glob(filepath.Join(root, "agents", "claude_code", "*", "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no sessions below %q, %v", root, err)
	}
	recorded, missed, unexplained := 0, 0, 0
	for _, file := range files {
		c, err := load.Open(t.Context(), file, load.Options{})
		if err != nil {
			t.Fatal(err)
		}
		snap, err := c.Load(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		list, err := cache.Requests(t.Context(), snap)
		if err != nil {
			t.Fatal(err)
		}
		for i := range list {
			r := &list[i]
			if r.Cause.Missed() {
				missed++
			}
			if r.Cause == cache.Unexplained {
				unexplained++
				t.Logf("%s: %d of %d tokens read", file, r.Read, r.Total)
			}
			if r.Recorded == "" {
				continue
			}
			recorded++
			if r.Cause != r.Worked {
				t.Errorf("%s: %q is recorded, %q is worked out", file, r.Recorded, r.Worked)
			}
		}
		c.Close()
	}
	if recorded == 0 || missed < 13 || unexplained > 3 {
		t.Errorf("%d recorded reasons, %d misses, %d unexplained", recorded, missed, unexplained)
	}
}
