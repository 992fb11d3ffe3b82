package ui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"turns/model"
	"turns/ui/screen"
	"turns/ui/transcripts"
)

// typeIn presses the keys of a text.
func typeIn(b *bench, text string) {
	for _, r := range text {
		name := string(r)
		if r == ' ' {
			name = "space"
		}
		b.send(keyPress(name))
	}
}

func TestFilterBarFrames(t *testing.T) {
	var all strings.Builder
	for _, c := range []string{"", "is:error tool:", "is:error tool:Bash dur:>5x", "ro", "role:", "-to", "(", "outcome:zzz", "is:error tool:Bash", "nothing-has-this"} {
		for _, w := range []int{40, 80} {
			b := newBench(t, priced(), paneOptions(), w, 16)
			b.press("f")
			typeIn(b, c)
			checkFrame(t, b, c)
			fmt.Fprintf(&all, "== %s, %d\n", c, w)
			for i, line := range strings.Split(ansi.Strip(b.frame()), "\n") {
				if i >= 1 && i < 12 {
					all.WriteString(strings.TrimRight(line, " ") + "\n")
				}
			}
		}
	}
	golden(t, "panes/filterbar.golden", all.String())
}

func TestFilterBarEdits(t *testing.T) {
	b := newBench(t, priced(), paneOptions(), 100, 24)
	b.press("f")
	typeIn(b, "is:error")
	b.press("enter")
	if !b.a.h.View.On || b.a.h.View.Text != "is:error" || b.a.bar.Active() {
		t.Fatalf("applied %q, on %v", b.a.h.View.Text, b.a.h.View.On)
	}
	good := b.a.h.View.Result.Rows
	b.press("f space")
	typeIn(b, "dur:>5x")
	if b.a.bar.Err == nil || b.a.h.View.Result == nil || b.a.h.View.Result.Rows != good {
		t.Errorf("a mistake does not leave the last good filter in place")
	}
	b.press("enter")
	if !b.a.bar.Active() {
		t.Errorf("a filter with a mistake was applied")
	}
	b.press("esc")
	if b.a.bar.Active() || b.a.h.View.Text != "is:error" || b.a.bar.Field.Text != "is:error" {
		t.Errorf("esc restores %q in the bar and %q on the screen", b.a.bar.Field.Text, b.a.h.View.Text)
	}
	b.press("&")
	if b.a.h.View.On || !strings.Contains(ansi.Strip(b.frame()), "is:error  (off)") {
		t.Errorf("& does not switch the filter off:\n%s", ansi.Strip(b.frame()))
	}
	b.press("f ctrl+u")
	typeIn(b, "role:user")
	b.press("enter f ctrl+u up up")
	if b.a.bar.Field.Text != "is:error" {
		t.Errorf("the history has %q", b.a.bar.Field.Text)
	}
	b.press("down enter")
	if b.a.h.View.Text != "role:user" {
		t.Errorf("the history applied %q", b.a.h.View.Text)
	}
}

func TestFilterBarCompletes(t *testing.T) {
	for _, c := range []struct{ typed, keys, want string }{
		{"to", "tab", "tool:"},
		{"tool:B", "tab", "tool:Bash "},
		{"is:error tool:", "down tab", "is:error tool:Edit "},
		{"is:error tool:", "down enter", "is:error tool:Edit"},
		{"is:err", "tab enter", "is:error"},
	} {
		b := newBench(t, priced(), paneOptions(), 100, 24)
		b.press("f")
		typeIn(b, c.typed)
		b.press(c.keys)
		if got := b.a.bar.Field.Text; got != c.want {
			t.Errorf("%q and %s result in %q, want %q (list %+v)", c.typed, c.keys, got, c.want, b.a.bar.List.Candidates)
		}
	}
}

// The filter line of the session list completes like that of a session, with counts of sessions,
// and explains a mistake under its place.
func TestFilterLineOfTheListCompletes(t *testing.T) {
	for _, c := range []struct{ typed, keys, want string }{
		{"ag", "tab", "agent:"},
		{"agent:", "tab", `agent:"Claude Code" `},
		{"agent:", "down tab", "agent:OpenCode "},
		{"agent:Cl", "tab", `agent:"Claude Code" `},
		{"agent:OpenCode project:", "tab", "agent:OpenCode project:runbook "},
		{"is:err", "tab enter", "is:error"},
		{"end:fa", "tab", "end:failed "},
		{"model:", "esc", ""},
	} {
		b := newBench(t, priced(), paneOptions(), 100, 24)
		b.press("S f")
		typeIn(b, c.typed)
		b.press(c.keys)
		if got := b.a.listing().Filter.Text; got != c.want {
			t.Errorf("%q and %s result in %q, want %q (list %+v)", c.typed, c.keys, got, c.want, b.a.listing().Bar.List.Candidates)
		}
	}
	b := newBench(t, priced(), paneOptions(), 60, 20)
	b.press("S f")
	typeIn(b, "agent:")
	if frame := seen(b); !strings.Contains(frame, `› "Claude Code"  2`) {
		t.Errorf("no candidates:\n%s", frame)
	}
	b.press("ctrl+u")
	typeIn(b, "is:error after:yesterdax")
	if line := frameLine(b, 2) + frameLine(b, 3); !strings.Contains(line, "^") || !strings.Contains(seen(b), "yesterday") {
		t.Errorf("the mistake is not explained:\n%s", seen(b))
	}
}

func TestField(t *testing.T) {
	for _, c := range []struct{ text, keys, want string }{
		{"one two", "ctrl+w", "one "}, {"one two", "ctrl+a x", "xone two"}, {"one two", "left left backspace", "one wo"[:4] + "wo"},
		{"one two", "ctrl+u", ""}, {"one two", "ctrl+a ctrl+k", ""}, {"añb", "left backspace", "ab"}, {"one", "ctrl+a right ctrl+d", "oe"},
	} {
		f := screen.Field{}
		f.Set(c.text)
		for k := range strings.FieldsSeq(c.keys) {
			f.Key(keyPress(k))
		}
		if f.Text != c.want {
			t.Errorf("%q and %s result in %q, want %q", c.text, c.keys, f.Text, c.want)
		}
	}
	f := screen.Field{}
	f.Insert("a\x1b[2J\nb\tc\x00")
	if f.Text != "a[2J b c" {
		t.Errorf("pasted %q", f.Text)
	}
	f.Set("")
	f.Insert("is:error\rtool:Bash\r\nrole:tool")
	if f.Text != "is:error tool:Bash role:tool" {
		t.Errorf("pasted three lines as %q", f.Text)
	}
}

// A filter on tokens has no matches until they are counted, and is then applied again.
func TestFilterOnTokens(t *testing.T) {
	b := newBench(t, priced(), paneOptions(), 100, 24)
	b.press("f")
	typeIn(b, "tokens:>500")
	b.press("enter")
	counted := b.a.h.View.Result.Rows
	if counted == 0 {
		t.Fatal("no message has more than 500 tokens")
	}
	o := paneOptions()
	count := o.Counter
	o.Counter = nil
	b = newBench(t, priced(), o, 100, 24)
	b.press("f")
	typeIn(b, "tokens:>500")
	b.press("enter")
	if r := b.a.h.View.Result; r.Rows != 0 || r.Counting == 0 {
		t.Fatalf("without counts %d rows, %d undecided", r.Rows, r.Counting)
	}
	b.a.h.Opts.Counter = count
	for _, m := range b.run(b.a.answers.countTokens()) {
		b.send(m)
	}
	if r := b.a.h.View.Result; r.Rows != counted || r.Counting != 0 {
		t.Errorf("counted, the filter leaves %d rows, %d undecided; want %d", r.Rows, r.Counting, counted)
	}
}

// If a preview is replaced while its filter is computed, the filter applies to the new session, and
// the old result is dropped.
func TestFilterOfAPreviewHoldsForTheWhole(t *testing.T) {
	whole := sample()
	part := model.FromMessages([]model.Message{{Role: model.User, Blocks: []model.Content{{Kind: model.Words, Text: "hi"}}}})
	b := newBench(t, part, paneOptions(), 120, 30)
	b.send(updateMsg{b.a.feed, transcripts.State{Snap: part, Preview: true, Path: "/tmp/8463c716.jsonl"}, nil})
	late, err := b.a.filtering.apply("is:error")
	if err != nil {
		t.Fatal(err)
	}
	done := late() // for the preview
	b.send(updateMsg{b.a.feed, transcripts.State{Snap: whole, Indexed: 1, Path: "/tmp/8463c716.jsonl"}, nil})
	b.send(done)
	v := b.a.h.View
	if !v.On || v.Version != whole.Version() || v.Result == nil || v.Result.Messages == 0 {
		t.Errorf("the view is %v of version %d, with %+v", v.On, v.Version, v.Result)
	}
}
