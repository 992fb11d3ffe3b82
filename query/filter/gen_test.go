package filter

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"turns/model"
	"turns/query"
	"turns/query/lang"
)

var (
	evalNow  = time.Date(2026, 2, 12, 9, 0, 0, 0, time.UTC)
	evalZone = time.FixedZone("UTC+1", 3600)
)

// words that filters and texts share: with letters whose case folding is not ASCII's, escapes, and
// what JSON writes differently.
var evalWords = []string{"timeout", "time\u200bout", "ta\u2060\u200dsk", "caf\u200b\u00e9", "Timeout", "task", "TASK", "ta\u017fk", "\u212aelvin", "kelvin", "caf\u00e9", "CAF\u00c9", "main.go", "src/main.go",
	`say "hi"`, `back\slash`, "tab\there", "two\nlines", "error: exit 1", "panic", "\u65e5\u672c", "x", "```", "a<b>&c", "\x00"}

func evalText(rnd *rand.Rand) string {
	var parts []string
	for range rnd.IntN(5) {
		parts = append(parts, evalWords[rnd.IntN(len(evalWords))])
	}
	return strings.Join(parts, []string{" ", "\n", ""}[rnd.IntN(3)])
}

func evalArgs(rnd *rand.Rand) string {
	args := map[string]any{"command": evalText(rnd)}
	if rnd.IntN(2) == 0 {
		args["file_path"] = []string{"/work/src/main.go", "Kelvin/\u212a.txt", "eval_test.go", `C:\x\main.go`}[rnd.IntN(4)]
	}
	return string(evalJSON(args))
}

func evalJSON(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimSpace(b.Bytes())
}

var evalTools = []string{"Bash", "Read", "mcp__git__log", "task", ""}

// evalConversation returns messages with calls, results in and out of order, orphans and other
// parts of a session.
func evalConversation(rnd *rand.Rand, n int) []model.Message {
	var msgs []model.Message
	var open []string
	calls := 0
	at := time.Date(2026, 2, 11, 21, 40, 0, 0, time.UTC).UnixMilli()
	outcomes := []model.Outcome{model.Unknown, model.Success, model.Failure, model.Denied, model.Stopped, model.Cancelled}
	result := func(id string) model.Content {
		c := model.Content{Kind: model.ToolResult, ID: id, Text: evalText(rnd), Outcome: outcomes[rnd.IntN(len(outcomes))]}
		if rnd.IntN(3) == 0 {
			c.Took = time.Duration(rnd.IntN(20_000)) * time.Millisecond
		}
		if rnd.IntN(2) == 0 {
			c.Name = evalTools[rnd.IntN(len(evalTools))]
		}
		return c
	}
	for range n {
		at += int64(rnd.IntN(400_000))
		m := model.Message{Time: at}
		if rnd.IntN(6) == 0 {
			m.Time = 0
		}
		if rnd.IntN(4) == 0 {
			m.Flags = []model.Flags{model.Injected, model.APIError, model.Interrupted, model.Superseded, model.Invalidated, model.Partial, model.Sidechain}[rnd.IntN(7)]
		}
		if rnd.IntN(3) > 0 {
			m.Blocks = append(m.Blocks, model.Content{Kind: model.Words, Text: evalText(rnd)})
		}
		if rnd.IntN(8) == 0 {
			m.Blocks = append(m.Blocks, model.Content{Kind: model.Media, Name: "image/png", Text: "timeout"})
		}
		if rnd.IntN(8) == 0 {
			m.Extra = []model.KeyValue{{Name: "interaction_id", Value: []string{"i-1", "i-2"}[rnd.IntN(2)]}}
		}
		switch rnd.IntN(6) {
		case 0:
			m.Role = model.User
		case 1:
			m.Role, m.Name = model.Other, "critic"
		case 2, 3:
			m.Role, m.Model = model.Assistant, []string{"gpt-5", "claude-4", ""}[rnd.IntN(3)]
			if rnd.IntN(3) == 0 {
				m.Blocks = append(m.Blocks, model.Content{Kind: model.Reasoning, Text: evalText(rnd)})
			}
			if rnd.IntN(3) == 0 {
				m.Usage = &model.Usage{Scope: model.Each, Input: 1, CacheRead: 9000 * int64(rnd.IntN(3)), CacheWrite: 5000 * int64(rnd.IntN(2)), Cost: float64(rnd.IntN(10)) / 10, HasCost: rnd.IntN(2) == 0}
			}
			for range rnd.IntN(4) {
				id := fmt.Sprintf("call_%d", calls)
				calls++
				m.Blocks = append(m.Blocks, model.Content{Kind: model.ToolCall, ID: id, Name: evalTools[rnd.IntN(len(evalTools))],
					Text: evalArgs(rnd), JSON: true, Outcome: outcomes[rnd.IntN(3)/2*5]})
				if rnd.IntN(8) == 0 { // with its result in the same message, like a server's tool
					m.Blocks = append(m.Blocks, result(id))
				} else {
					open = append(open, id)
				}
			}
		default:
			m.Role = model.Tool
			if rnd.IntN(2) == 0 {
				m.Blocks = nil
			}
			for range rnd.IntN(4) {
				id := fmt.Sprintf("orphan_%d", rnd.IntN(1000))
				if len(open) > 0 && rnd.IntN(6) > 0 {
					k := rnd.IntN(len(open))
					id = open[k]
					open = append(open[:k], open[k+1:]...)
				}
				m.Blocks = append(m.Blocks, result(id))
			}
		}
		msgs = append(msgs, m)
	}
	return msgs
}

var evalTerms = []string{"role:user", "role:tool,assistant", "role:critic", "role:nobody", "tool:Bash", "tool:mcp__*", "tool:/a.h/", "tool:*", "does:edit", "does:shell,read", "model:gpt-*",
	"name:critic", "is:error", "is:pending", "is:orphan", "is:denied", "is:interrupted", "is:cancelled", "is:prompt", "is:injected", "is:partial",
	"is:error,prompt", "is:superseded", "is:sidechain", "is:live", "is:unread", "is:parallel", "has:reasoning", "has:call", "has:result", "has:error", "has:code", "has:image", "has:usage",
	"kind:text", "kind:call", "kind:result,reasoning", "outcome:ok", "outcome:failed", "outcome:pending,interrupted", "validity:active", "validity:superseded,invalidated",
	"index:3..9", "index:>20", "turn:1..3", "step:0", "after:22:41", "on:2026-02-11", "before:2026-02-12", "after:10m", "until:22:50", "time:22:30..23:10", "dur:>5s", "dur:1m..5m",
	"cache:first", "cache:ttl,unexplained", "cache:null", "is:cache-miss", "is:cache-miss,error", "tokens:>5", "size:>30", "cost:>0.3", "subagent:main", "id:call_3", "id:call_1*", "id:msg-7", "interaction:i-1", "file:main.go", "file:*_test.go", `file:/x.main/`,
	"timeout", "TASK", "task", "kelvin", "\u212aelvin", "caf\u00c9", `"say \"hi"`, `"back\\slash"`, `"two lines"`, "main.go", "bash", "\u65e5\u672c", "text:panic", "content:timeout",
	"content:task", "reasoning:timeout", "reasoning:x", "args:timeout", "args:main.go", "result:panic", "result:/exit \\d/", "/time.?out/", "/task/i", "/^timeout$/", "/(?m)^lines/",
	"/kelvin|panic/i", "/[a-z]+\\.go/", "/x/", "/\\bexit\\b/", "text:timeout,panic", "args:/hi\"/", "result:task",
	"label:loop", "label:*", "-label:a", "note:wrong", `note:/wrong f/`, "verdict:good", "verdict:bad", "score:>2", "score:2.5", "is:labelled", "is:marked", "is:labelled,error"}

// evalFilter returns a filter of terms, groups, negations and alternatives.
func evalFilter(rnd *rand.Rand, depth int) string {
	var parts []string
	for range 1 + rnd.IntN(3) {
		part := evalTerms[rnd.IntN(len(evalTerms))]
		if depth > 0 && rnd.IntN(3) == 0 {
			part = "(" + evalFilter(rnd, depth-1) + ")"
		}
		if rnd.IntN(4) == 0 {
			part = "-" + part
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, []string{" ", " | ", " "}[rnd.IntN(3)])
}

// evalRecord is a message as recorded in the test's own format.
type evalRecord struct {
	Op     model.Op    `json:"op"`
	Key    string      `json:"key"`
	Blocks []evalBlock `json:"blocks"`
	Extra  []model.KeyValue
}

type evalBlock struct {
	Kind    model.BlockKind `json:"kind"`
	Outcome model.Outcome   `json:"outcome"`
	ID      string          `json:"id"`
	Name    string          `json:"name"`
	Took    time.Duration   `json:"took"`
	Text    json.RawMessage `json:"text"`
	JSON    bool            `json:"json"`
}

func evalParse(rec model.Record, facts *model.Facts) error {
	var r evalRecord
	if err := json.Unmarshal(rec.Data, &r); err != nil {
		return err
	}
	f := facts.Add(r.Op)
	f.Key = model.HashString(r.Key)
	for _, b := range r.Blocks {
		to := f.Add(b.Kind)
		to.Outcome, to.ID, to.Name, to.Took = b.Outcome, model.StringText(b.ID), model.StringText(b.Name), b.Took
		to.Text = model.ValueText(b.Text)
	}
	for _, kv := range r.Extra {
		f.Keep(kv.Name, model.StringText(kv.Value))
	}
	return nil
}

// evalSourced returns a snapshot of the same messages with their texts in a source.
func evalSourced(rnd *rand.Rand, s *model.Snapshot, msgs []model.Message) *model.Snapshot {
	var data bytes.Buffer
	ix := model.Index{Version: s.Version(), Names: s.Names(), Threads: s.Threads(), Sessions: s.Sessions(), Live: s.LiveIDs()}
	for i, m := range msgs {
		r := evalRecord{Op: m.Op, Key: fmt.Sprintf("msg-%d", i), Extra: m.Extra}
		for _, b := range m.Blocks {
			text := json.RawMessage(b.Text)
			if !b.JSON {
				text = evalJSON(b.Text)
			}
			r.Blocks = append(r.Blocks, evalBlock{b.Kind, b.Outcome, b.ID, b.Name, b.Took, text, b.JSON})
		}
		line := evalJSON(r)
		if rnd.IntN(4) == 0 { // some writers escape more than needed
			line = bytes.ReplaceAll(line, []byte("timeout"), []byte(`tim\u0065out`))
		}
		ref := model.Ref{Off: int64(data.Len()), Len: uint32(len(line))}
		data.Write(append(line, '\n'))
		h := s.Head(model.ID(i))
		h.Key = model.HashString(r.Key)
		h.LastPart = uint32(ix.Parts.Append(model.NewPart(ref, model.NoRow, model.ID(i), false)))
		if h.Usage != model.NoRow {
			u, _ := s.Tokens(model.ID(i))
			h.Usage = uint32(ix.Tokens.Append(u))
		}
		ix.Heads.Append(h)
	}
	for i := range s.CallCount() {
		ix.Calls.Append(*s.Call(model.CallID(i)))
	}
	ix.Grown = []model.Growth{{Version: s.Version(), Rows: len(msgs)}}
	ix.Sources = []model.Source{{Stream: evalStream{bytes.NewReader(data.Bytes())}, Path: "test", Parse: evalParse}}
	return model.NewSnapshot(ix, model.NewBodyCache(1<<20))
}

type evalStream struct{ *bytes.Reader }

func (s evalStream) Size() int64 { return s.Reader.Size() }

// evalTokens has counts for two of three messages.
type evalTokens struct{}

func (evalTokens) Message(id model.ID) (query.TextTokens, bool) {
	return query.TextTokens{Content: uint32(id)}, id%3 != 0
}

// TestEvalTermsHaveEachKey: the random filters have every key of the language, except those of
// sessions: the conversations here are one session.
func TestEvalTermsHaveEachKey(t *testing.T) {
	sessions := []lang.Key{lang.KeyAgent, lang.KeySession, lang.KeyTitle, lang.KeyProject, lang.KeyEnd}
	for _, key := range lang.Keys() {
		if slices.Contains(sessions, key.Key) {
			continue
		}
		if !slices.ContainsFunc(evalTerms, func(term string) bool { return strings.HasPrefix(strings.TrimPrefix(term, "-"), key.Name+":") }) {
			t.Errorf("no term has the key %q", key.Name)
		}
	}
}
