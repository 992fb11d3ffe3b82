package dump

import (
	"strings"
	"testing"

	"turns/model"
)

// line returns the printed form of a fact.
func line(fill func(*model.Fact)) string {
	var fs model.Facts
	fill(fs.Add(model.Say))
	var b strings.Builder
	if err := Write(&b, &fs); err != nil {
		return err.Error()
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// TestWords prints each constant as one word.
func TestWords(t *testing.T) {
	for op, want := range strings.Fields("say note unreadable reset rewind retract compact life leaf child meter about end") {
		if op == int(model.Say) {
			want = "say unknown"
		}
		if got := line(func(f *model.Fact) { f.Op = model.Op(op) }); got != want {
			t.Errorf("operation %d is %q, want %q", op, got, want)
		}
	}
	for join, word := range strings.Fields("union replace extend apart answers nested stand-in in-text") {
		want := "say unknown " + word
		if join == int(model.Union) {
			want = "say unknown"
		}
		if got := line(func(f *model.Fact) { f.Join = model.Join(join) }); got != want {
			t.Errorf("join %d is %q, want %q", join, got, want)
		}
	}
	for scope, want := range map[model.Scope]string{model.Each: "each", model.Counter: "counter", model.Total: "total"} {
		got := line(func(f *model.Fact) {
			f.Usage = model.Usage{Scope: scope, Input: 3, CacheRead: -1, CacheWrite: 0, Output: -1, Reasoning: -1}
		})
		if got != "say unknown\n  usage "+want+" input=3 write=0" {
			t.Errorf("scope %d is %q", scope, got)
		}
	}
	for nesting, want := range map[model.Nesting]string{0: "", model.Script: " script"} {
		got := line(func(f *model.Fact) { f.Add(model.ToolCall).Nesting = nesting })
		if got != "say unknown\n  call"+want {
			t.Errorf("nesting %d is %q", nesting, got)
		}
	}
}

// TestLongTexts: dump prints up to 160 bytes of a text and the number of the other bytes, and does
// not cut a character.
func TestLongTexts(t *testing.T) {
	said := func(text string) string {
		return line(func(f *model.Fact) { f.AddText(model.Words, model.StringText(text)) })
	}
	x := strings.Repeat("x", 159)
	for text, want := range map[string]string{x + "y": `"` + x + `y"`, x + "yz": `"` + x + `y"+1`, x + "é": `"` + x + `"+2`} {
		if got := said(text); got != "say unknown\n  text "+want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}
