package transcripts

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPartOf(t *testing.T) {
	dir := t.TempDir()
	odd := filepath.Join(dir, "odd#3")
	if err := os.WriteFile(odd, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for arg, want := range map[string]int{
		"log.json#3": 3, "log.json#0": 0, "log.json": -1, "log.json#x": -1, "log.json#-1": -1, "#3": -1, "-": -1, odd: -1,
		"http://host/history#2": 2,
	} {
		path, part := PartOf(arg)
		if want < 0 && (part != nil || path != arg) || want >= 0 && (part == nil || *part != want || PartPath(path, want) != arg) {
			t.Errorf("%q: %q, %v; want %d", arg, path, part, want)
		}
	}
}

// TestConversationsOfAStoreWarn: in a list of one store's conversations, a row warns of the table
// that no parser reads.
func TestConversationsOfAStoreWarn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "chat.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Exec(`create table message_store(id integer primary key, session_id, message); create table novel_turns(id); insert into novel_turns values(1);
		insert into message_store values(1, 'a', '{"type":"human","data":{"content":"hi","type":"human"}}'), (2, 'b', '{"type":"human","data":{"content":"ho","type":"human"}}')`)
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	l := New(Options{})
	defer l.Close()
	feed, err := l.Watch(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := feed.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	if rows := l.parts.list(t.Context(), l); len(rows) != 2 || rows[0].Unread != "table novel_turns: 1 row" || rows[1].Unread != "" {
		t.Errorf("rows %+v", rows)
	}
}

// TestScreenListsTheConversationsOfAFile opens a file of many conversations, and one of them, like
// the screen.
func TestScreenListsTheConversationsOfAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "many.jsonl")
	lines := ""
	for _, n := range []string{"one", "two", "three"} {
		lines += `{"messages":[{"role":"user","content":"what is ` + n + `?"},{"role":"assistant","content":"it is ` + n + `"}]}` + "\n"
	}
	if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	l := New(Options{})
	defer l.Close()
	if rows := l.parts.list(t.Context(), l); rows != nil {
		t.Errorf("rows of nothing: %v", rows)
	}
	feed, err := l.Watch(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := feed.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	rows := l.parts.list(t.Context(), l)
	if len(rows) != 3 || rows[1].Title != "what is two?" || rows[1].Path != path+"#1" || rows[1].Messages != 2 || rows[1].Live {
		t.Fatalf("rows %+v", rows)
	}
	one, err := l.Watch(t.Context(), rows[1].Path)
	if err != nil {
		t.Fatal(err)
	}
	u, err := one.Next(t.Context())
	if err != nil || u.Snap == nil || u.Snap.Len() != 2 || len(u.Snap.Sessions()) != 1 || !strings.HasSuffix(u.Path, "#1") {
		t.Errorf("one of many: %+v, %v", u, err)
	}
	if again := l.parts.list(t.Context(), l); len(again) != 3 {
		t.Errorf("in one of many the list has %d rows", len(again))
	}
}
