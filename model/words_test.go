package model

import (
	"slices"
	"strings"
	"testing"
)

// TestWordsOfConstants: each constant has one word, which reads back as the constant. The words are
// in answers and exports, so they never change.
func TestWordsOfConstants(t *testing.T) {
	for i, want := range strings.Fields("unknown system developer user assistant tool other") {
		if got := Role(i).String(); got != want {
			t.Errorf("role %d is %s, want %s", i, got, want)
		}
	}
	for i, want := range strings.Fields("unknown success failure denied interrupted cancelled timeout partial pending background") {
		var back Outcome
		if got := Outcome(i).String(); got != want || back.UnmarshalText([]byte(want)) != nil || back != Outcome(i) {
			t.Errorf("outcome %d is %s and %d, want %s", i, got, back, want)
		}
	}
	for i, want := range strings.Fields("text reasoning call result media other") {
		if got := BlockKind(i).String(); got != want {
			t.Errorf("kind %d is %s, want %s", i, got, want)
		}
	}
	for i, want := range []string{"", "end", "tool", "length", "refusal", "error", "aborted"} {
		if got := Stop(i).String(); got != want || ParseStop(want) != Stop(i) {
			t.Errorf("stop %d is %s, want %s", i, got, want)
		}
	}
	flags := strings.Fields("injected synthetic partial sidechain truncated refused interrupted api-error invalidated superseded archived redacted compacted summary queued hidden parallel inherited")
	for i, want := range flags {
		if got := Flags(1 << i).Names(); !slices.Equal(got, []string{want}) || ParseFlag(want) != 1<<i {
			t.Errorf("flag %d is %q, want %s", i, got, want)
		}
	}
	for i, want := range strings.Fields("unknown finished unfinished interrupted failed") {
		var back RunState
		if got := RunState(i).String(); got != want || back.UnmarshalText([]byte(want)) != nil || back != RunState(i) {
			t.Errorf("state %d is %s and %d, want %s", i, got, back, want)
		}
	}
	for i, want := range strings.Fields("nothing answer result") {
		var back Due
		if got, _ := Due(i).MarshalText(); string(got) != want || back.UnmarshalText([]byte(want)) != nil || back != Due(i) {
			t.Errorf("due %d is %s and %d, want %s", i, got, back, want)
		}
	}
	if got := strings.Join(AboutNames[:], " "); got != "title session cwd agent version branch model window parent source" {
		t.Errorf("the fields of a session are %s", got)
	}
}
