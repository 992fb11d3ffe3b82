package human

import (
	"slices"
	"strings"
	"testing"

	"turns/model"
)

func TestStatesAreWords(t *testing.T) {
	if got := len(States()); got != 7 {
		t.Errorf("%d states, want 7", got)
	}
	seen := map[string]bool{}
	for _, w := range Endings() {
		for _, name := range append([]string{w.Name}, w.Aliases...) {
			if seen[name] {
				t.Errorf("%q means two states", name)
			}
			seen[name] = true
		}
		if w.Help == "" {
			t.Errorf("%q has no help", w.Name)
		}
	}
	for i := range states {
		var read State
		text, err := State(i).MarshalText()
		if err != nil || read.UnmarshalText(text) != nil || read != State(i) {
			t.Errorf("%s is read as %s", text, read)
		}
	}
	var s State
	if err := s.UnmarshalText([]byte("works")); err == nil || err.Error() != `unknown state "works"` {
		t.Errorf("works is read as %s, %v", s, err)
	}
	for old, want := range map[string]State{"working": Running, "gone": Idle, "Done": Finished} {
		if got, ok := ParseState(old); !ok || got != want {
			t.Errorf("%q is %s, want %s", old, got, want)
		}
	}
}

// TestRecordsUseTheWords compares the glossary with the endings of package model, which may not
// import this package.
func TestRecordsUseTheWords(t *testing.T) {
	var words []string
	for _, w := range Endings() {
		words = append(words, w.Name)
	}
	for s := model.RunUnknown; s <= model.RunFailed; s++ {
		if !slices.Contains(words, s.String()) {
			t.Errorf("a transcript ends %q, which the glossary does not have", s)
		}
	}
}

// TestWordsOfStates: the state of each name and alias.
func TestWordsOfStates(t *testing.T) {
	for want, words := range map[State][]string{
		Unknown: {"unknown"}, Waiting: {"waiting"}, Stuck: {"stuck"}, Running: {"running", "working", "live"},
		Failed: {"failed", "error", "failure"}, Idle: {"idle", "gone"}, Finished: {"finished", "ok", "success", "done"},
	} {
		for _, word := range words {
			if got, ok := ParseState(word); !ok || got != want || want.String() != words[0] {
				t.Errorf("%q is %v, want %v", word, got, want)
			}
		}
	}
}

// TestNouns: the nouns for sessions and their parts, and the words that they replace.
func TestNouns(t *testing.T) {
	var got []string
	for _, n := range Nouns() {
		got = append(got, strings.Join(append([]string{n.One, n.Many}, n.Not...), " "))
	}
	want := []string{
		"session sessions run dialog", "transcript transcripts log", "trial trials", "conversation conversations", "turn turns interaction exchange",
		"step steps", "message messages", "call calls", "result results", "row rows", "record records", "event events", "subagent subagents agent thread",
		"error errors", "label labels mark",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
