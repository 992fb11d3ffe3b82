package codex

import (
	"testing"

	"turns/model"
	"turns/model/format/formattest"
)

// TestLines reads lines of a rollout: images, contexts, outputs of calls, items with their times.
func TestLines(t *testing.T) { formattest.Lines(t, "testdata/lines.jsonl", codexParse) }

// TestExec reads lines of codex exec.
func TestExec(t *testing.T) { formattest.Lines(t, "testdata/exec.jsonl", codexExecParse) }

// TestForks finds the transcript that a fork continues, and its part of it.
func TestForks(t *testing.T) {
	for _, c := range []struct {
		record string
		id     string
		copied bool
		past   string // the first of the ordinals 4, 5 and 6 of the fork itself
	}{
		{`{"type":"session_meta","payload":{"id":"a"}}`, "", false, ""},
		{`{"type":"turn_context","payload":{"history_base":{"thread_id":"p"}}}`, "", false, ""},
		{`{"type":"session_meta","payload":{"id":"a","history_base":{"thread_id":"p"}}}`, "p", false, ""},
		{`{"type":"session_meta","payload":{"id":"a","history_base":{"thread_id":"p","end_ordinal_exclusive":5}}}`, "p", false, "5"},
		{`{"type":"session_meta","payload":{"id":"a","history_base":{"thread_id":"p","end_ordinal_exclusive":5,"end_byte_offset":0}}}`, "p", false, "5"},
		{`{"type":"session_meta","payload":{"id":"a","history_base":{"thread_id":"p","end_ordinal_exclusive":5,"end_byte_offset":9}}}`, "p", false, ""},
		{`{"type":"session_meta","payload":{"id":"a","forked_from_id":"p"}}`, "p", true, ""},
		{`{"type":"session_meta","payload":{"id":"01890a5d-ac96-774b-bcce-b302099a8057","forked_from_id":"p"}}`, "", false, ""},
	} {
		b, ok := codexBase([]byte(c.record))
		past := ""
		for _, n := range []string{"6", "5", "4"} {
			if b.Past != nil && b.Past([]byte(`{"ordinal":`+n+`}`)) {
				past = n
			}
		}
		if b.ID != c.id || ok != (c.id != "") || b.Copied != c.copied || past != c.past {
			t.Errorf("%s: %q %v, copied %v, past %q", c.record, b.ID, ok, b.Copied, past)
		}
		if b.Is == nil {
			continue
		}
		for record, want := range map[string]bool{`{"type":"session_meta","payload":{"id":"p"}}`: true, `{"type":"session_meta","payload":{"id":"q"}}`: false, `{"type":"event_msg","payload":{"id":"p"}}`: false} {
			if got := b.Is([]byte(record)); got != want {
				t.Errorf("%s begins the parent: %v", record, got)
			}
		}
	}
	if !codexRewrites([]byte(`{"payload":{"history_mode":"paginated"}}`)) || codexRewrites([]byte(`{"payload":{"history_mode":"full"}}`)) {
		t.Error("only a paginated history has completed items")
	}
	for source, want := range map[string]string{`"cli"`: "", `{"subagent":"review"}`: "p"} {
		s := &model.Session{Fields: []model.KeyValue{{Name: "parent", Value: "p"}, {Name: "source", Value: source}}}
		if got := Format().Starter("", s); got != want {
			t.Errorf("the starter of a session from %s is %q, want %q", source, got, want)
		}
	}
}
