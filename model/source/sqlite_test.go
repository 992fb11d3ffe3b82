package source

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"io"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"testing"

	"turns/model"
	"turns/model/source/disk"
	"turns/model/source/spool"
)

// writer returns a connection that stays open, as in another program.
func writer(t *testing.T, path string, statements ...string) *sql.DB {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	db, err := sql.Open("sqlite", "file:"+path)
	must(t, err)
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	exec(t, db, statements...)
	return db
}

func exec(t *testing.T, db *sql.DB, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// folderState is names, sizes, times and contents of a folder.
func folderState(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range entries {
		info, err := e.Info()
		must(t, err)
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		must(t, err)
		fmt.Fprintf(&b, "%s %d %v %v %x\n", e.Name(), info.Size(), info.Mode(), info.ModTime(), sha256.Sum256(data))
	}
	return b.String()
}

var messages = []model.Query{
	{Name: "message", SQL: "SELECT id, body FROM message ORDER BY id", Needs: []string{"message.body"}},
	{Name: "newer", SQL: "SELECT * FROM absent", Needs: []string{"absent"}},
	{Name: "column", SQL: "SELECT other FROM message", Needs: []string{"message.other"}},
}

// otherProcess is a writer in another process: within one process SQLite shares mapped memory, so
// that a read-only reader could write.
func otherProcess(t *testing.T, path string, statements ...string) {
	t.Helper()
	cmd := osexec.Command(os.Args[0], "-test.run=^TestWriterProcess$")
	cmd.Env = append(os.Environ(), "TURNS_TEST_WRITER="+path, "TURNS_TEST_SQL="+strings.Join(statements, ";"))
	in, err := cmd.StdinPipe()
	must(t, err)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() { in.Close(); _ = cmd.Wait() })
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "ready\n" {
		t.Fatalf("writer process: %q %v", line, err)
	}
}

// TestWriterProcess is the body of that process, and does nothing as a test.
func TestWriterProcess(t *testing.T) {
	path := os.Getenv("TURNS_TEST_WRITER")
	if path == "" {
		return
	}
	writer(t, path, strings.Split(os.Getenv("TURNS_TEST_SQL"), ";")...)
	fmt.Println("ready")
	_, _ = io.Copy(io.Discard, os.Stdin) // until the parent has looked
}

func copyAll(t *testing.T, from, to string, suffixes ...string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(to), 0o755))
	for _, suffix := range suffixes {
		data, err := os.ReadFile(from + suffix)
		must(t, err)
		must(t, os.WriteFile(to+suffix, data, 0o644))
	}
}

func TestDatabaseIsLeftAlone(t *testing.T) {
	create := []string{"CREATE TABLE message(id INTEGER PRIMARY KEY, body TEXT)", "INSERT INTO message(body) VALUES ('one'), ('two')"}
	wal := append([]string{"PRAGMA journal_mode=WAL", "PRAGMA wal_autocheckpoint=0"}, create...)
	tests := []struct {
		name string
		make func(path string)
	}{
		{"rollback journal, closed", func(path string) { writer(t, path, create...).Close() }},
		{"rollback journal, open", func(path string) { writer(t, path, create...) }},
		{"WAL, closed", func(path string) { writer(t, path, wal...).Close() }},
		{"WAL, live", func(path string) { otherProcess(t, path, wal...) }},
		{"WAL, checkpointed", func(path string) { exec(t, writer(t, path, wal...), "PRAGMA wal_checkpoint(TRUNCATE)") }},
		{"WAL without shared memory", func(path string) {
			other := filepath.Join(t.TempDir(), "db")
			writer(t, other, wal...)
			copyAll(t, other, path, "", "-wal")
		}},
		{"WAL and shared memory of a program that crashed", func(path string) {
			other := filepath.Join(t.TempDir(), "db")
			writer(t, other, wal...)
			copyAll(t, other, path, "", "-wal", "-shm")
		}},
		{"journal of a transaction that was cut short", func(path string) {
			other := filepath.Join(t.TempDir(), "db")
			db := writer(t, other, append([]string{"PRAGMA cache_size=1"}, create...)...)
			tx, err := db.Begin()
			must(t, err)
			for range 300 { // more than the cache, so that the file is written before the end
				_, err = tx.Exec("INSERT INTO message(body) VALUES (hex(randomblob(500)))")
				must(t, err)
			}
			_, err = tx.Exec("UPDATE message SET body = 'changed'")
			must(t, err)
			copyAll(t, other, path, "", "-journal")
			must(t, tx.Rollback())
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir, temp := t.TempDir(), t.TempDir()
			path := filepath.Join(dir, "a ?#%20b.db")
			test.make(filepath.Join(dir, "db"))
			if !strings.Contains(test.name, "open") && !strings.Contains(test.name, "live") && !strings.Contains(test.name, "checkpointed") {
				for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
					_ = os.Rename(filepath.Join(dir, "db"+suffix), path+suffix)
				}
			} else {
				path = filepath.Join(dir, "db")
			}
			before := folderState(t, dir)
			link := filepath.Join(t.TempDir(), "link.db") // there is no log next to it
			must(t, os.Symlink(path, link))
			for _, arg := range []string{path, link} {
				s := open(t, arg, Options{TempDir: temp})
				sample := s.Sample()
				equal(t, "tables", sample.Tables, map[string][]string{"message": {"id", "body"}})
				equal(t, "shape", sample.Shape, model.Database)
				must(t, s.Unroll(Plan{Unroll: &model.Unroll{Queries: messages}}))
				got, err := drain(t, s)
				must(t, err)
				equal(t, "rows", lines(got), "message|{\"id\":1,\"body\":\"one\"}\nmessage|{\"id\":2,\"body\":\"two\"}")
				must(t, s.Close())
				equal(t, "the folder", folderState(t, dir), before)
				equal(t, "the temporary folder", folderState(t, temp), "")
			}
		})
	}
}

func TestDatabaseValues(t *testing.T) {
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	w.Write([]byte(`{"z":"lib"}`))
	w.Close()
	path := filepath.Join(t.TempDir(), "db")
	db := writer(t, path, "CREATE TABLE v(k TEXT, a DATETIME, b BOOLEAN, c, d BLOB)")
	for i, row := range [][]any{
		{"2026-01-02 03:04:05", true, 1.5, z.Bytes()},
		{"not a date", int64(7), "say \"x\"\n\x01\\é", []byte(`{"json":1}`)},
		{nil, nil, int64(1) << 60, []byte{0, 1, 2, 0xff}},
		{int64(1_700_000_000), false, "\xff\xfe", []byte(gzipped("text"))},
		{1e300, nil, "", []byte{}},
		{"2026-01-02T03:04:05+02:00", nil, `{"nested":true}`, []byte(zstded("frame"))},
	} {
		if _, err := db.Exec("INSERT INTO v VALUES (?, ?, ?, ?, ?)", append([]any{fmt.Sprint(i)}, row...)...); err != nil {
			t.Fatal(err)
		}
	}
	must(t, db.Close())
	sp := spool.New(model.Limits{}, "")
	defer sp.Close()
	must(t, readDatabase(t.Context(), path, []model.Query{{Name: "v", SQL: "SELECT k, a, b, c, d FROM v ORDER BY k DESC;"}}, newSink(sp, nil), nil, Options{}))
	equal(t, "rows", lines(content(t, sp)), strings.Join([]string{
		`v|{"k":"5","a":"2026-01-02T03:04:05+02:00","b":null,"c":"{\"nested\":true}","d":"frame"}`,
		`v|{"k":"4","a":1e+300,"b":null,"c":"","d":""}`,
		`v|{"k":"3","a":1700000000,"b":0,"c":"` + "\ufffd\ufffd" + `","d":"text"}`,
		`v|{"k":"2","a":null,"b":null,"c":1152921504606846976,"d":{"$blob":{"bytes":4}}}`,
		`v|{"k":"1","a":"not a date","b":7,"c":"say \"x\"\n\u0001\\é","d":"{\"json\":1}"}`,
		`v|{"k":"0","a":"2026-01-02 03:04:05","b":1,"c":1.5,"d":"{\"z\":\"lib\"}"}`,
	}, "\n"))
}

func TestDatabaseErrors(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "db")
	writer(t, path, "CREATE TABLE message(id, body)", "INSERT INTO message VALUES (1, hex(zeroblob(100000)))").Close()
	data, err := os.ReadFile(path)
	must(t, err)
	cut := write(t, filepath.Join(dir, "cut"), string(data[:len(data)/2]))
	s, err := Open(t.Context(), cut, Options{})
	if err == nil {
		must(t, s.Unroll(Plan{Unroll: &model.Unroll{Queries: messages}}))
		_, err = drain(t, s)
		s.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "malformed") {
		t.Errorf("a database that was cut: %v", err)
	}
	sp := spool.New(model.Limits{}, "")
	defer sp.Close()
	queries := append([]model.Query{{Name: "bad", SQL: "SELECT nonsense FROM message"}, {Name: "write", SQL: "DELETE FROM message"}}, messages...)
	if err = readDatabase(t.Context(), path, queries, newSink(sp, nil), nil, Options{}); err == nil || !strings.Contains(err.Error(), "read bad of") || !strings.Contains(err.Error(), "read write of") {
		t.Errorf("a query that fails: %v", err)
	}
	equal(t, "the other queries run", bytes.Count([]byte(content(t, sp)), []byte("message\t")), 1)
	s = open(t, path, Options{})
	if err := s.Unroll(Plan{}); err == nil {
		t.Error("a database without queries is unrolled")
	}
}

func TestDatabaseFromPipe(t *testing.T) {
	temp := t.TempDir()
	path := filepath.Join(t.TempDir(), "db")
	writer(t, path, "CREATE TABLE message(id, body)", "INSERT INTO message VALUES (1, 'x')").Close()
	data, err := os.ReadFile(path)
	must(t, err)
	s := open(t, "-", Options{Stdin: io.NopCloser(strings.NewReader(gzipped(string(data)))), TempDir: temp})
	must(t, s.Unroll(Plan{Unroll: &model.Unroll{Queries: messages}}))
	got, err := drain(t, s)
	must(t, err)
	equal(t, "rows", lines(got), `message|{"id":1,"body":"x"}`)
	must(t, s.Close())
	equal(t, "the temporary folder", folderState(t, temp), "")
}

// TestFollowDatabase changes rows while the database is followed.
func TestFollowDatabase(t *testing.T) {
	for _, mode := range []string{"DELETE", "WAL"} {
		t.Run(mode, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "db")
			db := writer(t, path, "PRAGMA journal_mode="+mode, "CREATE TABLE message(id INTEGER PRIMARY KEY, body TEXT)", "INSERT INTO message(body) VALUES ('one'), ('two')")
			c := newClock()
			s := open(t, path, Options{Follow: true, System: disk.System{Tick: c.tick}})
			must(t, s.Unroll(Plan{Unroll: &model.Unroll{Queries: messages}}))
			want := "message|{\"id\":1,\"body\":\"one\"}\nmessage|{\"id\":2,\"body\":\"two\"}"
			equal(t, "at first", kindsUntil(t, c, s, "grown", want), "grown")
			for _, step := range []struct{ sql, kind, rows string }{
				{"INSERT INTO message(body) VALUES ('three')", "grown", want + "\n" + `message|{"id":3,"body":"three"}`},
				{"UPDATE message SET body = 'TWO' WHERE id = 2", "grown", want + "\n" + `message|{"id":3,"body":"three"}` + "\n" + `message|{"id":2,"body":"TWO"}`},
				{"DELETE FROM message WHERE id = 1", "replaced", `message|{"id":2,"body":"TWO"}` + "\n" + `message|{"id":3,"body":"three"}`},
				{"INSERT INTO message(body) VALUES ('four')", "grown", `message|{"id":2,"body":"TWO"}` + "\n" + `message|{"id":3,"body":"three"}` + "\n" + `message|{"id":4,"body":"four"}`},
			} {
				exec(t, db, step.sql)
				equal(t, step.sql, kindsUntil(t, c, s, step.kind, step.rows), step.kind)
			}
			must(t, s.Close())
		})
	}
}

// TestDatabaseUnderWrites follows a database during constant writes.
func TestDatabaseUnderWrites(t *testing.T) {
	for _, mode := range []string{"DELETE", "WAL"} {
		path := filepath.Join(t.TempDir(), "db")
		db := writer(t, path, "PRAGMA journal_mode="+mode, "PRAGMA synchronous=OFF", "PRAGMA busy_timeout=20000", "CREATE TABLE message(id INTEGER PRIMARY KEY, body TEXT)")
		c := newClock()
		s := open(t, path, Options{Follow: true, System: disk.System{Tick: c.tick}})
		must(t, s.Unroll(Plan{Unroll: &model.Unroll{Queries: messages}}))
		const total = 200
		done := make(chan error, 1)
		go func() {
			for i := range total {
				if _, err := db.ExecContext(context.Background(), "INSERT INTO message(body) VALUES (?)", fmt.Sprint("row ", i)); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
		var want strings.Builder
		for i := range total {
			fmt.Fprintf(&want, "message\t{\"id\":%d,\"body\":\"row %d\"}\n", i+1, i)
		}
		for s.Stream().Size() < int64(want.Len()) {
			if ev := c.next(t, s); ev.Kind == Failed {
				t.Fatal(ev.Err)
			}
		}
		must(t, <-done)
		equal(t, mode, content(t, s.Stream()), want.String())
		must(t, s.Close())
	}
}
