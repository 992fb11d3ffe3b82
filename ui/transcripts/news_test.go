package transcripts

import (
	"database/sql"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"turns/query/session"
)

// listed collects the reports of a lister by path.
type listed struct {
	*sessionLister
	sessions map[string]session.Session
	last     Update
}

func listerOf(t *testing.T, dirs ...string) *listed {
	t.Helper()
	cache := t.TempDir()
	return listerWith(t, cache, dirs...)
}

func listerWith(t *testing.T, cache string, dirs ...string) *listed {
	t.Helper()
	return listerBy(t, Options{Dirs: dirs, Cache: cache})
}

func listerBy(t *testing.T, o Options) *listed {
	t.Helper()
	got := &listed{sessions: map[string]session.Session{}}
	l, err := New(o).newLister(t.Context(), func(news Update) {
		got.last = news
		for _, s := range news.Sessions {
			got.sessions[s.Path] = s
		}
		for _, path := range news.Gone {
			delete(got.sessions, path)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	got.sessionLister = l
	if err := l.list(t.Context()); err != nil {
		t.Fatal(err)
	}
	return got
}

// looks checks for changes, and returns the report.
func (l *listed) looks(t *testing.T) Update {
	t.Helper()
	l.last = Update{}
	l.look(t.Context())
	return l.last
}

func (l *listed) paths() []string { return slices.Sorted(maps.Keys(l.sessions)) }

// says appends lines of a user to a session of Claude Code.
func says(t *testing.T, path string, at time.Time, lines ...string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range lines {
		fmt.Fprintf(f, `{"type":"user","sessionId":"s","uuid":"%s-%d","timestamp":%q,"message":{"role":"user","content":%q}}`+"\n", line, i, at.Format(time.RFC3339), line)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// Partly read sessions are counted, and their counts are cached.
func TestLongSessionsAreCounted(t *testing.T) {
	dir, cache := t.TempDir(), t.TempDir()
	begin := time.Date(2026, 2, 11, 21, 0, 0, 0, time.UTC)
	long := claudeFile(t, dir, "long", "a question", strings.Repeat("word ", 100_000), begin)
	says(t, long, begin, slices.Repeat([]string{"again"}, 400)...)
	claudeFile(t, dir, "short", "one", "two", begin.Add(time.Hour))

	l := listerWith(t, cache, dir)
	if !l.last.Listed || l.last.Counting != 1 || !l.sessions[long].Partial || len(l.sessions) != 2 {
		t.Fatalf("got %+v, %+v", l.last, l.sessions)
	}
	l.count(t.Context())
	if s := l.sessions[long]; l.last.Counted != 1 || len(l.last.Sessions) != 1 || s.Partial || s.Messages != 402 || s.Title != "a question" {
		t.Errorf("counted %+v", l.last)
	}
	if again := listerWith(t, cache, dir); again.last.Counting != 0 || again.sessions[long].Messages != 402 {
		t.Errorf("the next time %+v", again.sessions[long])
	}
}

// While the list is open, it reports new, changed and removed transcripts, and is silent without a
// change.
func TestTheListGoesOn(t *testing.T) {
	dir := t.TempDir()
	begin := time.Date(2026, 2, 11, 21, 0, 0, 0, time.UTC)
	one := claudeFile(t, dir, "one", "first", "answer", begin)
	two := claudeFile(t, dir, "two", "second", "answer", begin.Add(time.Minute))
	l := listerOf(t, dir)
	if news := l.looks(t); len(news.Sessions)+len(news.Gone) != 0 {
		t.Errorf("nothing changed, and %+v is reported", news)
	}
	three := claudeFile(t, dir, "three", "third", "answer", begin.Add(time.Hour))
	asked := time.Now().Truncate(time.Second)
	says(t, one, asked, "and now?")
	if err := os.Remove(two); err != nil {
		t.Fatal(err)
	}
	news := l.looks(t)
	if got, want := l.paths(), []string{one, three}; !slices.Equal(got, want) || !slices.Equal(news.Gone, []string{two}) || len(news.Sessions) != 2 {
		t.Errorf("got %+v; there are %q, want %q", news, got, want)
	}
	if s := l.sessions[one]; s.Messages != 3 || !s.Live || s.State().Words() != "thinking" || !s.State().Since.Equal(asked) {
		t.Errorf("of the one that is being written %+v", s)
	}
	long := time.Now().Add(-time.Hour)
	s := l.live[one]
	s.Written = long.UnixMilli()
	l.live[one] = s
	if news := l.looks(t); len(news.Sessions) != 1 || news.Sessions[0].Live || len(l.live) != 0 {
		t.Errorf("nothing is written for a while, and %+v is reported", news)
	}
}

// Conversations of a database appear and disappear like those in files, even if only in its log.
func TestTheListGoesOnInAStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "opencode.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	do := func(statements ...string) {
		t.Helper()
		for _, s := range statements {
			if _, err := db.Exec(s); err != nil {
				t.Fatal(err)
			}
		}
	}
	say := func(n int) []string {
		return []string{
			fmt.Sprintf(`insert into session values ('s%d','p',null,'/work/p','title %d',1767261600000,1767261600000)`, n, n),
			fmt.Sprintf(`insert into message values ('m%d','s%d',1767261600000,1767261600000,'{"role":"user","time":{"created":1767261600000}}')`, n, n),
			fmt.Sprintf(`insert into part values ('p%d','m%d','s%d',1767261600000,1767261600000,'{"type":"text","text":"hello %d"}')`, n, n, n, n),
		}
	}
	do(`pragma journal_mode=wal`,
		`create table session (id text, project_id text, parent_id text, directory text, title text, time_created integer, time_updated integer)`,
		`create table message (id text, session_id text, time_created integer, time_updated integer, data text)`,
		`create table part (id text, message_id text, session_id text, time_created integer, time_updated integer, data text)`)
	do(append(say(0), say(1)...)...)
	l := listerOf(t, path)
	if got, want := l.paths(), []string{path + "#0", path + "#1"}; !slices.Equal(got, want) {
		t.Fatalf("there are %q, want %q", got, want)
	}
	do(say(2)...)
	l.looks(t)
	if got := l.paths(); len(got) != 3 {
		t.Errorf("with a third one there are %q", got)
	}
	do(`delete from session where id='s1'`, `delete from message where session_id='s1'`, `delete from part where session_id='s1'`)
	l.looks(t)
	if got := l.paths(); len(got) != 2 {
		t.Errorf("without the second one there are %q", got)
	}
	if news := l.looks(t); len(news.Sessions)+len(news.Gone) != 0 {
		t.Errorf("nothing changed, and %+v is reported", news)
	}
}

// TestNewsOfWhatCannotBeRead: a damaged file and a dead link are counted until they are deleted.
func TestNewsOfWhatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	noise, lost := filepath.Join(dir, "noise.jsonl"), filepath.Join(dir, "lost.jsonl")
	for path, text := range map[string]string{filepath.Join(dir, "a.jsonl"): `{"role":"user","content":"hi"}`, noise: "garbage {{{\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("gone", lost); err != nil {
		t.Skipf("no dead link can be made, so that none is looked at: %v", err)
	}
	l := listerOf(t, dir)
	if l.last.Unread != 2 || !strings.Contains(fmt.Sprint(l.last.Why), lost) || len(l.paths()) != 1 {
		t.Errorf("of %q %d could not be read: %v", l.paths(), l.last.Unread, l.last.Why)
	}
	if err := os.Remove(lost); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(noise); err != nil {
		t.Fatal(err)
	}
	if l.looks(t); l.last.Unread != 0 || l.last.Why != nil {
		t.Errorf("%d cannot be read still: %v", l.last.Unread, l.last.Why)
	}
}

// A clock jump makes a session old, or dates it in the future: none is lost, each line counts once,
// and the right state returns with the right time.
func TestClockOfTheListJumps(t *testing.T) {
	dir := t.TempDir()
	begin := time.Date(2026, 2, 11, 21, 0, 0, 0, time.UTC)
	path := claudeFile(t, dir, "a", "question", "answer", begin)
	now := begin.Add(10 * time.Second)
	l := listerBy(t, Options{Dirs: []string{dir}, Cache: t.TempDir(), Now: func() time.Time { return now }})
	looks := func() {
		var news Update
		l.grow(t.Context(), &news)
		l.report(news)
		l.looks(t)
	}
	check := func(step string, live bool, messages int) {
		t.Helper()
		s, ok := l.sessions[path]
		if s.At(now); !ok || s.Live != live || s.Messages != messages {
			t.Errorf("%s: listed %v, live %v, %d messages, want live %v with %d", step, ok, s.Live, s.Messages, live, messages)
		}
	}
	check("at first", true, 2)
	for i, jump := range []time.Duration{24 * time.Hour, -24 * time.Hour, 400 * 24 * time.Hour, time.Unix(0, 0).Sub(begin), time.Minute} {
		now = begin.Add(jump)
		looks()
		check(fmt.Sprint("after a jump of ", jump), jump <= time.Minute, 2+2*i)
		says(t, path, begin.Add(time.Duration(i+1)*time.Second), fmt.Sprint("one-", i), fmt.Sprint("two-", i))
		written := begin.Add(time.Duration(i+1) * time.Second)
		if err := os.Chtimes(path, written, written); err != nil {
			t.Fatal(err)
		}
		looks()
		check(fmt.Sprint("after growth at ", jump), jump <= time.Minute, 4+2*i)
	}
	now = begin.Add(20 * time.Second)
	looks()
	check("with the right time", true, 12)
}
