package keep

import (
	"database/sql"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	_ "modernc.org/sqlite"
)

// opened opens the archive in dir with a hook that wraps each writer to the disk.
func opened(t *testing.T, dir string, through through) *Store {
	t.Helper()
	s, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.through = through
	return s
}

// TestSourceChangesMeanwhile changes files after they are listed, or while they are copied.
func TestSourceChangesMeanwhile(t *testing.T) {
	src, dir := t.TempDir(), t.TempDir()
	text := strings.Repeat("{\"role\":\"user\"}\n", 50)
	var files []File
	for i, name := range []string{"gone", "cut", "anew", "grows", "stays"} {
		path := filepath.Join(src, name)
		write(t, path, name+text, i)
		files = append(files, File{Path: path})
	}
	if err := os.Remove(files[0].Path); err != nil {
		t.Fatal(err)
	}
	s := opened(t, dir, func(path string, to io.Writer) io.Writer {
		switch filepath.Base(path) {
		case "cut":
			write(t, path, "cut", 10)
		case "anew":
			write(t, path, "ANEW"+text, 10)
		case "grows":
			write(t, path, "grows"+text+"more\n", 10)
		}
		return to
	})
	said := map[string]string{}
	s.All(t.Context(), files, func(f File, _ Change, _ *Entry, err error) {
		said[filepath.Base(f.Path)] = fmt.Sprint(err)
	})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"gone": "no such file", "cut": "it changed", "anew": "it changed", "grows": "<nil>", "stays": "<nil>"} {
		if !strings.Contains(said[name], want) {
			t.Errorf("%s: said %q, want %q", name, said[name], want)
		}
	}
	for _, name := range []string{"grows", "stays"} {
		if got := restored(t, dir, filepath.Join(src, name)); got != name+text {
			t.Errorf("%s came back as %d bytes, want %d", name, len(got), len(name+text))
		}
	}
	if got := kept(t, dir, false, files[1].Path, files[2].Path, files[3].Path); fmt.Sprint(got) != fmt.Sprint([]Change{New, New, Grown}) {
		t.Errorf("the next time: %d", got)
	}
}

// disk is a writer with room for that many more bytes; further writes fail with ENOSPC.
type disk struct {
	to   io.Writer
	room *int
}

func (d disk) Write(p []byte) (int, error) {
	n, err := d.to.Write(p[:min(len(p), *d.room)])
	if *d.room -= n; err == nil && n < len(p) {
		err = syscall.ENOSPC
	}
	return n, err
}

// TestFullDisk fills the disk after a varying number of bytes, for new files and then for grown
// and rewritten ones. Every entry restores as one of its versions, and the next run completes the
// archive.
func TestFullDisk(t *testing.T) {
	src, base := memory(t), memory(t)
	a, b := filepath.Join(src, "a.jsonl"), filepath.Join(src, "b.jsonl")
	encoders := &sync.Pool{} // creating an encoder takes longer than all the writes
	keep := func(dir string, room int) (failed int, end error) {
		s := opened(t, dir, func(_ string, to io.Writer) io.Writer { return disk{to, &room} })
		s.encoders = encoders
		for _, path := range []string{a, b} {
			if _, _, err := s.Keep(t.Context(), path, false); err != nil {
				if failed++; strings.Count(err.Error(), "no space") != 1 {
					t.Errorf("the missing space is not reported once: %v", err)
				}
			}
		}
		return failed, s.Close()
	}
	times := []map[string]string{{a: "one\n", b: "uno\n"}, {a: "one\ntwo\n", b: "dos, y nada de lo de antes\n"}, {a: "one\ntwo\n3\n", b: "tres\n"}}
	for room, ended := 0, false; !ended; room += 13 {
		dir := filepath.Join(base, fmt.Sprint(room))
		for i, texts := range times {
			for path, text := range texts {
				write(t, path, text, i)
			}
			failed, err := keep(dir, room)
			if err == nil && failed == 0 {
				ended = i == len(times)-1
			} else if err != nil && failed == 0 {
				t.Fatalf("%d bytes: only the end reported the missing space: %v", room, err)
			}
			comesBack(t, dir, times[:i+1])
			if i == 1 { // so the third run follows two failed ones
				continue
			}
			if failed, err := keep(dir, 1<<20); failed != 0 || err != nil {
				t.Fatalf("%d bytes, time %d: the next run: %d failed, %v", room, i, failed, err)
			}
			comesBack(t, dir, times[i:i+1])
		}
		if found := contentsOf(t, dir); room > 1000 || ended && !strings.Contains(found, times[1][b]) {
			t.Fatalf("%d bytes: what was there between is gone: %q", room, found)
		}
	}
}

// memory returns a temporary folder in memory if the system has /dev/shm, to avoid disk waits.
func memory(t *testing.T) string {
	dir, err := os.MkdirTemp("/dev/shm", "turns")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// comesBack fails if an entry does not restore as one of the given versions of its file.
func comesBack(t *testing.T, dir string, times []map[string]string) {
	t.Helper()
	s, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	into := filepath.Join(dir, "back")
	for e := range s.Entries() {
		if _, err := s.Restore(t.Context(), e, into, true); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(into, place(e.Path, true)))
		once := false
		for _, texts := range times {
			once = once || texts[e.Path] == string(got)
		}
		if err != nil || !once {
			t.Fatalf("%q came back as %q, %v", e.Path, got, err)
		}
	}
}

// contentsOf returns the texts of all replaced versions that the archive stores.
func contentsOf(t *testing.T, dir string) (all string) {
	t.Helper()
	found, _ := filepath.Glob(filepath.Join(dir, OwnDir, oldDir, "*"))
	for _, path := range found {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		from, done, err := (&Entry{Kept: path}).content(f)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(from)
		if done(); err != nil {
			t.Fatal(err)
		}
		all += string(text)
		f.Close()
	}
	return all
}

// TestKilledBeforeTheIndex: a file that a killed run stored without its index line does not hide
// the indexed version, and the next run moves it to the replaced versions instead of losing it.
func TestKilledBeforeTheIndex(t *testing.T) {
	src := t.TempDir()
	a := filepath.Join(src, "a.jsonl")
	for _, second := range []string{"one\ntwo\n", "another\n"} {
		dir := t.TempDir()
		index := filepath.Join(dir, OwnDir, indexName)
		write(t, a, "one\n", 1)
		kept(t, dir, false, a)
		lines, err := os.ReadFile(index)
		if err != nil {
			t.Fatal(err)
		}
		write(t, a, second, 2)
		kept(t, dir, false, a)
		if err := os.WriteFile(index, append(lines, `{"path":"`...), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := restored(t, dir, a); got != "one\n" {
			t.Errorf("%q: came back as %q", second, got)
		}
		write(t, a, "third\n", 3)
		kept(t, dir, false, a)
		if got := restored(t, dir, a); got != "third\n" || !strings.Contains(contentsOf(t, dir), second) {
			t.Errorf("%q: came back as %q, and what was there before is %q", second, got, contentsOf(t, dir))
		}
	}
}

// TestDatabaseWrittenMeanwhile inserts rows while a database and its log are copied, and later
// removes the log: the archive holds a consistent snapshot of the database.
func TestDatabaseWrittenMeanwhile(t *testing.T) {
	dir, path := t.TempDir(), filepath.Join(t.TempDir(), "runs.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	at, rows := 0, 0
	run := func(queries ...string) {
		t.Helper()
		for _, q := range queries {
			if _, err := db.Exec(q); err != nil {
				t.Fatal(err)
			}
		}
		at++ // each write gets its own time; without a checkpoint it changes only the log
		when := time.Unix(1_772_000_000+int64(at), 0)
		if os.Chtimes(path+"-wal", when, when) != nil || strings.Contains(queries[0], "checkpoint") {
			if err := os.Chtimes(path, when, when); err != nil {
				t.Fatal(err)
			}
		}
	}
	more := func() {
		rows++
		run(fmt.Sprintf("insert into a values (%d, hex(randomblob(3000)))", rows), fmt.Sprintf("insert into b values (%d)", rows))
	}
	run("pragma journal_mode=wal", "create table a (n int, t text)", "create table b (n int)")
	more()
	keep := func(writes int) (Change, error) {
		s := opened(t, dir, func(of string, to io.Writer) io.Writer {
			if of == path && writes > 0 {
				writes--
				more()
				if writes%2 == 0 {
					run("pragma wal_checkpoint(truncate)")
				}
			}
			return to
		})
		defer s.Close()
		c, _, err := s.KeepDatabase(t.Context(), path)
		return c, err
	}
	holds := func(want int) {
		t.Helper()
		into := t.TempDir()
		s, err := Read(dir)
		if err != nil {
			t.Fatal(err)
		}
		for e := range s.Entries() {
			if _, err := s.Restore(t.Context(), e, into, false); err != nil {
				t.Fatal(err)
			}
		}
		back, err := sql.Open("sqlite", filepath.Join(into, place(path, true)))
		if err != nil {
			t.Fatal(err)
		}
		defer back.Close()
		var ok string
		var a, b int
		if err := back.QueryRow("select (select integrity_check from pragma_integrity_check), (select count(*) from a), (select count(*) from b)").Scan(&ok, &a, &b); err != nil || ok != "ok" || a != want || b != want {
			t.Errorf("it came back as %s with %d and %d rows, want %d: %v", ok, a, b, want, err)
		}
	}
	for _, step := range []struct {
		writes int
		want   Change
	}{{1, New}, {0, Same}, {3, Rewritten}} {
		if step.want == Rewritten {
			more()
		}
		if got, err := keep(step.writes); got != step.want || err != nil {
			t.Errorf("%d writes meanwhile: %d, %v", step.writes, got, err)
		}
		holds(rows)
	}
	was := rows
	more()
	if _, err := keep(4); err == nil || !strings.Contains(err.Error(), "runs.db") {
		t.Errorf("written all the time: %v", err)
	}
	holds(was)
	more()
	if _, err := keep(0); err != nil {
		t.Error(err)
	}
	db.Close() // removes the log
	for _, want := range []Change{Rewritten, Same} {
		if got, err := keep(0); got != want || err != nil {
			t.Errorf("without its log: %d, %v, want %d", got, err, want)
		}
		holds(rows)
	}
	if exists, _ := filepath.Glob(filepath.Join(dir, place(path, true)) + "*"); len(exists) != 1 {
		t.Errorf("an old log is next to the database: %q", exists)
	}
}

// TestBothNames: a file and a compressed file of the same name are archived separately.
func TestBothNames(t *testing.T) {
	src, dir := t.TempDir(), t.TempDir()
	a, z := filepath.Join(src, "a.jsonl"), filepath.Join(src, "a.jsonl.zst")
	write(t, a, "native\n", 1)
	write(t, z, "compressed by somebody else\n", 2)
	for range 2 {
		s := opened(t, dir, nil)
		s.All(t.Context(), []File{{Path: z, Plain: true}, {Path: a}}, func(_ File, _ Change, _ *Entry, err error) {
			if err != nil {
				t.Error(err)
			}
		})
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if got := restored(t, dir, a) + restored(t, dir, z); got != "native\ncompressed by somebody else\n" {
			t.Errorf("they came back as %q", got)
		}
	}
}
