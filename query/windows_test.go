package query

import (
	"testing"

	"turns/model"
)

// TestWindowFor: what the transcript tells beats the list, and the list beats names alike.
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
		{"claude-opus-4-6", "200000", 0, Evidence{Largest: 420_000}, Window{1_000_000, 0, "largest request and list"}},
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

// TestListedWindows: each line of the list is a name and one or two windows.
func TestListedWindows(t *testing.T) {
	list := listedWindows()
	if len(list) < 200 {
		t.Errorf("the list has %d models", len(list))
	}
	for name, w := range list {
		if w.window < 4096 || w.window > 20_000_000 || w.smaller >= w.window || w.smaller < 0 {
			t.Errorf("%s: %+v", name, w)
		}
	}
}
