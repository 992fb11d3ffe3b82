package load

import "testing"

// TestEvents checks the words of each event, and after which ones the conversation is another one.
func TestEvents(t *testing.T) {
	for _, c := range []struct {
		event        Event
		words        string
		fresh, known bool // restarts without and with a conversation before
	}{
		{Event{}, "", false, false},
		{Event{Kind: Truncated}, "TRUNCATED, read again", true, true},
		{Event{Kind: Replaced}, "REPLACED, read again", true, true},
		{Event{Kind: Recognised, Format: "Claude Code session"}, "RECOGNISED AS Claude Code session, read again", true, true},
		{Event{Kind: Appeared}, "APPEARED", false, true},
		{Event{Kind: Gone}, "GONE, what was read stays", false, false},
		{Event{Kind: Lost}, "PERMISSION LOST", false, false},
		{Event{Kind: Regained}, "READABLE AGAIN", false, false},
	} {
		if got := c.event.String(); got != c.words {
			t.Errorf("event %d is %q, want %q", c.event.Kind, got, c.words)
		}
		if c.event.Restarts(false) != c.fresh || c.event.Restarts(true) != c.known {
			t.Errorf("%q restarts %v and %v, want %v and %v", c.words, c.event.Restarts(false), c.event.Restarts(true), c.fresh, c.known)
		}
	}
}
