package load

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"turns/model/source/disk"
)

// TestLastMessageOfAText follows a text whose last message has no end. An old file shows it; if
// the message continues, turns reads the file again. In a new file more of it may follow.
func TestLastMessageOfAText(t *testing.T) {
	const chat = "User: When does the museum open?\nAssistant: It opens at ten.\nUser: And on Sunday?\nAssistant: It opens at noon.\n"
	path := filepath.Join(t.TempDir(), "chat.txt")
	if err := os.WriteFile(path, []byte(chat), 0o600); err != nil {
		t.Fatal(err)
	}
	open := func() *Conversation {
		c, err := Open(t.Context(), path, Options{Follow: true, system: disk.System{Deaf: true, Tick: fastTick}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		return c
	}
	next := func(c *Conversation) Update {
		u, err := c.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	fresh := next(open()).Snap
	if fresh.Len() != 3 || fresh.Tail().Len == 0 {
		t.Errorf("a file that may grow has %d messages and %d more bytes", fresh.Len(), fresh.Tail().Len)
	}

	then := time.Now().Add(-2 * settledAfter)
	if err := os.Chtimes(path, then, then); err != nil {
		t.Fatal(err)
	}
	c := open()
	u := next(c)
	if u.Snap.Tail().Len > 0 {
		u = next(c)
	}
	if u.Snap.Len() != 4 || u.Snap.Tail().Len > 0 {
		t.Fatalf("an old file has %d messages and %d more bytes", u.Snap.Len(), u.Snap.Tail().Len)
	}

	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	grow := func(text string, want Event, messages int) {
		t.Helper()
		if err := os.Chtimes(path, then, then); err != nil {
			t.Fatal(err)
		}
		for u.Snap.Tail().Len > 0 {
			u = next(c)
		}
		if _, err := file.WriteString(text); err != nil {
			t.Fatal(err)
		}
		if u = next(c); u.Event != want {
			t.Errorf("after %q the event is %q", text, u.Event)
		}
		if u.Snap.Len() != messages {
			t.Errorf("after %q there are %d messages, want %d", text, u.Snap.Len(), messages)
		}
	}
	grow("But not in winter.\nUser: Thank you!\n", Event{Kind: Continued}, 4)
	grow("\nAssistant: You are welcome.\n", Event{}, 5)
	grow("User: One more thing.\n", Event{}, 6)
	if !(Event{Kind: Continued}).Restarts(true) {
		t.Error("the rows of a message that continues stay")
	}
	m, err := u.Snap.Body(t.Context(), u.Snap.At(3))
	if err != nil || m.Blocks[0].Text != "It opens at noon.\nBut not in winter." {
		t.Errorf("the message that continues is %+v, %v", m, err)
	}
}
