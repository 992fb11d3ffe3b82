package ui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"turns/model"
	"turns/query/human"
)

// % goes through the versions of a replaced message, and the detail names them.
func TestChainsAreFollowed(t *testing.T) {
	key := func(m model.Message, id, by string) model.Message {
		if m.Key = fmt.Sprintf("%016x", uint64(model.HashString(id))); by != "" {
			m.Flags |= model.Superseded
			m.By = by
		}
		return m
	}
	b := newBench(t, model.FromMessages([]model.Message{
		say(model.User, 0, words("Count the files")),
		key(say(model.Assistant, 1, words("Twelve.")), "m1", "m2"),
		key(say(model.Assistant, 2, words("Eleven.")), "m2", "m3"),
		key(say(model.Assistant, 3, words("Ten.")), "m3", ""),
	}), paneOptions(), 120, 40)
	b.press("1 G d")
	for _, want := range []struct{ at, told string }{{"#1", "replaced by"}, {"#2", "replaces"}, {"#3", "replaces"}, {"#1", "replaced by"}} {
		id, _ := b.a.h.Rows.Selected()
		if got := human.Place(b.a.h.Snap.Pos(id)); got != want.at {
			t.Fatalf("at %s, want %s", got, want.at)
		}
		if frame := ansi.Strip(b.frame()); !strings.Contains(frame, want.told) {
			t.Errorf("the detail of %s does not say %q:\n%s", want.at, want.told, frame)
		}
		b.press("%")
	}
}
