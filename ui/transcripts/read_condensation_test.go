package transcripts_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"turns/model"
	"turns/model/load"
	"turns/query/describe"
	"turns/query/window"
)

// TestCondensationForgetsWhatItNames: after a condensation the model no longer sees the events that
// it names; before, it saw all.
func TestCondensationForgetsWhatItNames(t *testing.T) {
	const events = `{"id":"e1","timestamp":"2026-02-11T22:00:01.1","source":"agent","kind":"SystemPromptEvent","system_prompt":{"type":"text","text":"sys"},"tools":[]}
{"id":"e2","timestamp":"2026-02-11T22:00:02.1","source":"user","kind":"MessageEvent","llm_message":{"role":"user","content":[{"type":"text","text":"task"}]}}
{"id":"e3","timestamp":"2026-02-11T22:00:03.1","source":"agent","kind":"ActionEvent","tool_call_id":"c1","tool_name":"terminal","action":{"command":"ls"},"thought":[]}
{"id":"e4","timestamp":"2026-02-11T22:00:04.1","source":"environment","kind":"ObservationEvent","tool_call_id":"c1","tool_name":"terminal","observation":{"content":[{"type":"text","text":"a long listing of the folder, with all its files"}]}}
{"id":"e5","timestamp":"2026-02-11T22:00:05.1","source":"agent","kind":"ActionEvent","tool_call_id":"c2","tool_name":"terminal","action":{"command":"pwd"},"thought":[]}
{"id":"e6","timestamp":"2026-02-11T22:00:06.1","source":"environment","kind":"ObservationEvent","tool_call_id":"c2","tool_name":"terminal","observation":{"content":[{"type":"text","text":"/src"}]}}
{"id":"e7","timestamp":"2026-02-11T22:00:07.1","source":"environment","kind":"Condensation","forgotten_event_ids":["e3","e4"],"summary":"listed"}
{"id":"e8","timestamp":"2026-02-11T22:00:08.1","source":"agent","kind":"MessageEvent","llm_message":{"role":"assistant","content":[{"type":"text","text":"done"}]}}
`
	old := strings.NewReplacer(
		`{"id":"e7","timestamp":"2026-02-11T22:00:07.1","source":"environment","kind":"Condensation","forgotten_event_ids":["e3","e4"],"summary":"listed"}`,
		`{"id":7,"timestamp":"2026-02-11T22:00:07.1","source":"agent","action":"condensation","args":{"forgotten_events_start_id":3,"forgotten_events_end_id":4,"summary":"listed"}}`,
		`"id":"e`, `"id":"`,
	).Replace(events)
	for name, text := range map[string]string{"named": events, "a range": old} {
		t.Run(name, func(t *testing.T) {
			s := loaded(t, "events.jsonl", text)
			var marked []int
			for pos := range s.Len() {
				if s.HeadRow(s.At(pos)).Flags&model.Compacted != 0 {
					marked = append(marked, pos)
				}
			}
			if !slices.Equal(marked, []int{2, 3}) {
				t.Errorf("marked as compacted are %v", marked)
			}
			x := window.NewIndex(s, nil)
			positions := func(at int) (pos []int) {
				for _, id := range x.Seen(s.At(at)) {
					pos = append(pos, s.Pos(id))
				}
				return pos
			}
			if got := positions(4); !slices.Equal(got, []int{0, 1, 2, 3}) {
				t.Errorf("before it the model saw %v", got)
			}
			if got := positions(6); !slices.Equal(got, []int{0, 1, 4, 5}) {
				t.Errorf("after it the model saw %v", got)
			}
			a, err := x.Context(s.At(4), window.Options{})
			if err != nil || a.Tokens.Results == 0 {
				t.Errorf("before it the result had %d tokens, %v", a.Tokens.Results, err)
			}
			saysTwoReplaced(t, s)
		})
	}
}

// loaded returns the snapshot of a transcript.
func loaded(t *testing.T, name, text string) *model.Snapshot {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := load.Open(context.Background(), path, load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	s, err := c.Load(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestRuleCountsWhatWasReplaced: a compaction does not replace the messages that it preserves.
func TestRuleCountsWhatWasReplaced(t *testing.T) {
	const entries = `{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T10:00:00.000Z","cwd":"/src"}
{"type":"message","id":"00000001","parentId":null,"timestamp":"2026-01-01T10:00:01.000Z","message":{"role":"user","content":"one"}}
{"type":"message","id":"00000002","parentId":"00000001","timestamp":"2026-01-01T10:00:02.000Z","message":{"role":"assistant","content":[{"type":"text","text":"first"}]}}
{"type":"message","id":"00000003","parentId":"00000002","timestamp":"2026-01-01T10:00:03.000Z","message":{"role":"user","content":"two"}}
{"type":"compaction","id":"00000004","parentId":"00000003","timestamp":"2026-01-01T10:00:04.000Z","summary":"so far","firstKeptEntryId":"00000003","tokensBefore":900}
{"type":"message","id":"00000005","parentId":"00000004","timestamp":"2026-01-01T10:00:05.000Z","message":{"role":"assistant","content":[{"type":"text","text":"second"}]}}
`
	s := loaded(t, "session.jsonl", entries)
	saysTwoReplaced(t, s)
}

// saysTwoReplaced checks that the rule of the compaction counts two messages.
func saysTwoReplaced(t *testing.T, s *model.Snapshot) {
	t.Helper()
	for n := range s.Rows() {
		id := s.Row(n)
		if s.HeadRow(id).Op != model.Compact {
			continue
		}
		m, err := s.Body(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if got := (describe.Describer{Zone: time.UTC}).Rule(s, m).About; !strings.Contains(got, "2 messages replaced") {
			t.Errorf("the rule says %q", got)
		}
		return
	}
	t.Error("there is no compaction")
}
