package query

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"turns/model"
)

// TestWindowFor: the transcript has priority over the list, and the list over similar names.
func TestWindowFor(t *testing.T) {
	for _, c := range []struct {
		name, recorded string
		given          int64
		seen           Evidence
		want           Window
	}{
		{"gpt-4.1-mini", "", 0, Evidence{}, Window{1_047_576, 0, "listed"}},
		{"gpt-4.1-mini", "", 5000, Evidence{}, Window{5000, 0, "given"}},
		{"gpt-4.1-mini", "272000", 0, Evidence{}, Window{272_000, 0, "recorded"}},
		{"openai/gpt-4o", "", 0, Evidence{}, Window{128_000, 0, "listed"}},
		{"gpt-4", "", 0, Evidence{}, Window{8192, 0, "listed"}},
		{"claude-sonnet-4-5[1m]", "", 0, Evidence{}, Window{1_000_000, 0, "from model name"}},
		{"us.anthropic.claude-opus-4-6-20260205-v1:0", "", 0, Evidence{}, Window{1_000_000, 200_000, "listed"}},
		{"claude-opus-4-6", "", 0, Evidence{Largest: 420_000}, Window{1_000_000, 0, "largest request and list"}},
		{"claude-opus-4-6", "", 0, Evidence{Largest: 170_251, Compacted: 170_251}, Window{200_000, 0, "compacted at 170251"}},
		{"claude-opus-4-6", "", 0, Evidence{Largest: 30_000, Compacted: 30_000}, Window{1_000_000, 200_000, "listed"}},
		{"claude-opus-4-6", "", 0, Evidence{Largest: 119_999, Compacted: 119_999}, Window{1_000_000, 200_000, "listed"}},
		{"claude-opus-4-6", "", 0, Evidence{Largest: 120_000, Compacted: 120_000}, Window{200_000, 0, "compacted at 120000"}}, // three fifths of the smaller window
		{"claude-opus-4-6", "200000", 0, Evidence{Largest: 420_000}, Window{1_000_000, 0, "largest request and list"}},
		{"claude-opus-4-6", "", 0, Evidence{Largest: 200_000}, Window{1_000_000, 200_000, "listed"}},
		{"claude-opus-4-6", "200000", 0, Evidence{Largest: 200_000}, Window{200_000, 0, "recorded"}},
		{"gpt-4o", "", 0, Evidence{Largest: 128_000}, Window{128_000, 0, "listed"}},
		{"gpt-4o", "", 0, Evidence{Largest: 130_000}, Window{130_000, 0, "largest request"}},
		{"claude-opus-9", "", 0, Evidence{}, Window{1_000_000, 200_000, "of related models"}},
		{"nobody-knows", "", 0, Evidence{}, Window{}},
		{"nobody-knows", "", 0, Evidence{Largest: 9000}, Window{}},
		{"", "", 0, Evidence{}, Window{}},
	} {
		se := &model.Session{}
		if c.recorded != "" {
			se.Fields = []model.KeyValue{{Name: "window", Value: c.recorded}}
		}
		if got := WindowFor(se, c.name, c.given, c.seen); got != c.want {
			t.Errorf("%q, recorded %q, %+v: %+v, want %+v", c.name, c.recorded, c.seen, got, c.want)
		}
	}
}

// TestListedWindows: the windows of every model in public lists, including undated names. Rows that
// these models do not need are errors.
func TestListedWindows(t *testing.T) {
	text, err := os.ReadFile("testdata/windows.golden")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		fields := strings.Split(strings.TrimRight(line, "\n"), "\t")
		names[fields[0]] = true
		w, ok := windowListed(fields[0])
		got := fmt.Sprintf("%s\t%d\t%d", fields[0], w.window, w.smaller)
		if want := strings.TrimSuffix(strings.TrimRight(line, "\n"), "\t"); !ok || strings.TrimSuffix(got, "\t0") != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	for name := range listedWindows() {
		if !names[name] {
			t.Errorf("%s is not among the names that are tested", name)
		}
	}
}

// TestEvidenceIn: the last request before a compaction is evidence for the size of the window;
// requests of other threads and erased ones are not.
func TestEvidenceIn(t *testing.T) {
	asked := func(tokens int64) model.Message {
		return model.Message{Role: model.Assistant, Blocks: []model.Content{{Kind: model.Words, Text: "ok"}},
			Usage: &model.Usage{Input: tokens, CacheRead: -1, CacheWrite: -1, Output: 1, Reasoning: -1}}
	}
	recap := model.Message{Role: model.User, Flags: model.Recap, Blocks: []model.Content{{Kind: model.Words, Text: "so far"}}}
	s := model.FromMessages([]model.Message{asked(90), asked(170), recap, asked(20), asked(200)})
	if got, want := EvidenceIn(s, 0), (Evidence{Largest: 200, Compacted: 170}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := EvidenceIn(s, 1); got != (Evidence{}) {
		t.Errorf("another thread: %+v", got)
	}
}
