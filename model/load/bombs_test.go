package load

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"turns/model"
	"turns/model/modeltest"
)

const claudeSays = `{"type":"user","uuid":"u%d","sessionId":"s","version":"2.1.0","timestamp":"2026-02-11T22:00:01Z","message":{"role":"user","content":"%s"}}` + "\n"

// bombs are small files with large contents, each with the limits for the test. The cost of reading
// them grows only with the limits.
func bombs(t *testing.T) []bomb {
	line := fmt.Sprintf(claudeSays, 1, "seen")
	many := claudeLines(0, 1500)
	return []bomb{
		{"lines.jsonl", []byte(claudeLines(0, 40) + strings.Repeat(`{"a":1}`+"\n"+`{"a":2}`+"\n", 3000)), model.Limits{Records: 100}, "records", 40},
		{"gzip.jsonl.gz", gzipOf(t, many), model.Limits{Unpacked: 10_000, Ratio: 1}, "unpacked", 10},
		{"gzip of gzip.jsonl.gz", gzipOf(t, string(gzipOf(t, many))), model.Limits{Unpacked: 10_000, Ratio: 1}, "unpacked", 10},
		{"zstd.jsonl.zst", zstdOf(t, many), model.Limits{Unpacked: 10_000, Ratio: 1}, "unpacked", 10},
		{"records.jsonl.gz", gzipOf(t, many+many), model.Limits{Records: 50}, "records", 50},
		{"overlap.zip", overlapping(t, line, 3000), model.Limits{Unpacked: 10_000, Ratio: 1}, "unpacked", 0},
		{"members.zip", members(t, 3000), model.Limits{Members: 2500}, "members", 0},
		{"directory.zip", members(t, 15_000), model.Limits{Members: 10}, "members", -1},
		{"calls.json", callsOf(3000), model.Limits{Blocks: 1000}, "blocks", 0},
		{"calls.jsonl", claudeCallsOf(3000), model.Limits{Blocks: 1000}, "blocks", 0},
		{"wrapped.json", fmt.Appendf(nil, `{"result":%s}`, callsOf(3000)), model.Limits{Blocks: 1000}, "blocks", 0},
		{"parts.json", []byte(`{"messages":[{"role":"user","content":""}` + strings.Repeat(",1", 70_000) + `]}`), model.Limits{}, "blocks", 0},
		{"elements.json", []byte(`{"messages":[{"role":"user","content":"seen"},` + strings.Repeat("1,", 3000) + `1]}`), model.Limits{Records: 100}, "records", 1},
		{"wide.db", gooseDB(t, false, `INSERT INTO messages VALUES(2, 's', 'user', 2, zeroblob(3000000))`), model.Limits{Value: 1_000_000}, "value", 1},
		{"inflated.db", gooseDB(t, true, `WITH RECURSIVE r(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM r WHERE i < 500)
			INSERT INTO messages SELECT i, 's', 'user', i, ? FROM r`), model.Limits{Unpacked: 500_000, Ratio: 1}, "unpacked", 1},
		{"generated.db", gooseDB(t, false, `ALTER TABLE messages DROP COLUMN content_json`,
			`ALTER TABLE messages ADD COLUMN content_json TEXT GENERATED ALWAYS AS (hex(zeroblob(450000000))) VIRTUAL`), model.Limits{}, "", -2},
		{"recursive.db", gooseDB(t, false, `DROP TABLE messages`, `CREATE VIEW messages AS WITH RECURSIVE r(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM r)
			SELECT id, 's' AS session_id, 'user' AS role, 1 AS created_timestamp, '[]' AS content_json FROM r`), model.Limits{}, "", -2},
	}
}

// bomb is such a file. messages is the minimum number of visible messages; -1 means that it does
// not open, -2 that a row has the reason why none are visible.
type bomb struct {
	name     string
	data     []byte
	limits   model.Limits
	limit    string // expected limit
	messages int
}

// TestBombsAreLeft reads each of them: the allowed part is present, and a row and the error
// describe the rest.
func TestBombsAreLeft(t *testing.T) {
	modeltest.Long(t, "it unpacks what is large")
	dir := t.TempDir()
	for _, b := range bombs(t) {
		path := filepath.Join(dir, b.name)
		if err := os.WriteFile(path, b.data, 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := Open(t.Context(), path, Options{Limits: b.limits})
		if b.messages == -1 {
			wantLimit(t, b, err)
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", b.name, err)
			continue
		}
		snap, err := c.Load(t.Context())
		if b.limit != "blocks" { // a record with too many blocks has its own row
			wantLimit(t, b, err)
		}
		if snap.Len() < b.messages || snap.Unreadable() == 0 || snap.Rows() > 4000 {
			t.Errorf("%s: %d messages of %d rows, %d unreadable", b.name, snap.Len(), snap.Rows(), snap.Unreadable())
		}
		if b.limit != "" && !strings.Contains(whyUnreadable(t, snap), "limit") {
			t.Errorf("%s: the row says %q", b.name, whyUnreadable(t, snap))
		}
		c.Close()
		s, err := Summarise(t.Context(), path)
		if err != nil || s.Messages > 4000 {
			t.Errorf("%s: listed as %+v, %v", b.name, s, err)
		}
	}
}

func wantLimit(t *testing.T, b bomb, err error) {
	t.Helper()
	var limit *model.LimitError
	if errors.As(err, &limit) != (b.limit != "") || limit != nil && limit.Name != b.limit || err == nil {
		t.Errorf("%s: error %v, want the limit %s", b.name, err, b.limit)
	}
}

// TestRowsInProportion: the limits for the growth of containers do not apply to the rows of a
// database.
func TestRowsInProportion(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sessions.db")
	if err := os.WriteFile(path, gooseDB(t, false), 0o600); err != nil {
		t.Fatal(err)
	}
	snap := loadFile(t, path, Options{Limits: model.Limits{Unpacked: 1, Ratio: 1}})
	if snap.Len() != 1 || snap.Unreadable() > 0 {
		t.Errorf("%d messages, %d unreadable", snap.Len(), snap.Unreadable())
	}
}

// TestEqualLinesCostOnce: equal lines are compared once, even if each of them counts, as messages
// do. They may cost four times the CPU time of different lines; comparing each with all before it
// costs more than ten times as much.
func TestEqualLinesCostOnce(t *testing.T) {
	const n = 150_000
	cost := func(text func(i int) string) time.Duration {
		var lines strings.Builder
		for i := range n {
			lines.WriteString(`{"role":"user","content":"` + text(i) + "\"}\n")
		}
		path := filepath.Join(t.TempDir(), "lines.jsonl")
		write(t, path, lines.String())
		before := cpuTime()
		if rows := loadFile(t, path, Options{}).Rows(); rows != n {
			t.Errorf("%d rows of %d", rows, n)
		}
		return cpuTime() - before
	}
	different := cost(strconv.Itoa)
	if equal := cost(func(int) string { return "" }); equal > 4*different {
		t.Errorf("equal lines take %v, different ones %v", equal, different)
	}
}

// whyUnreadable returns the text of the last unreadable row.
func whyUnreadable(t *testing.T, snap *model.Snapshot) string {
	for id := snap.Rows() - 1; id >= 0; id-- {
		if snap.HeadRow(model.ID(id)).Op != model.Unreadable {
			continue
		}
		m, err := snap.Body(t.Context(), model.ID(id))
		if err == nil {
			err = m.Err
		}
		return fmt.Sprint(err)
	}
	return ""
}

// TestEndlessQuery interrupts a query that would never end because of the contents of a table.
func TestEndlessQuery(t *testing.T) {
	path := filepath.Join(t.TempDir(), "opencode.db")
	db := databaseAt(t, path, `CREATE TABLE session(id TEXT, parent_id TEXT, title TEXT, directory TEXT, time_created INT, time_updated INT)`,
		`CREATE TABLE message(id TEXT, session_id TEXT, data TEXT, time_created INT)`, `CREATE TABLE part(id TEXT, message_id TEXT, session_id TEXT, data TEXT)`,
		`INSERT INTO session VALUES('a', NULL, '', '', 1, 1)`, `WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 64)
			INSERT INTO session SELECT CASE i % 2 WHEN 0 THEN 'b' ELSE 'a' END, CASE i % 2 WHEN 0 THEN 'a' ELSE 'b' END, '', '', 1, 1 FROM r`)
	db.Close()
	// The list of tables has the same limit, and a busy machine needs 80 ms for it.
	c, err := Open(t.Context(), path, Options{Limits: model.Limits{Queries: time.Second}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	snap, err := c.Load(t.Context())
	wantLimit(t, bomb{name: "endless", limit: "queries"}, err)
	if snap.Unreadable() == 0 {
		t.Error("no row says so")
	}
}

// TestEqualLinesAreShared: a run of equal lines is one row, whatever surrounds it, and exports
// contain all of it.
func TestEqualLinesAreShared(t *testing.T) {
	before, after := claudeLines(0, 60), claudeLines(60, 1)
	for _, unit := range []string{"1\n", "{}\n", `{"type":"ping"}` + "\n", "some words\n"} {
		path := filepath.Join(t.TempDir(), "x.jsonl")
		run := strings.Repeat(unit, 100_000)
		if err := os.WriteFile(path, []byte(before+run+after), 0o600); err != nil {
			t.Fatal(err)
		}
		snap := loadFile(t, path, Options{})
		if snap.Len() != 61 || snap.Rows() > 80 {
			t.Errorf("%q: %d messages, %d rows", unit, snap.Len(), snap.Rows())
		}
		size, times := 0, 0
		for id := range snap.Rows() {
			m, err := snap.Body(t.Context(), model.ID(id))
			if err != nil {
				t.Fatal(err)
			}
			var n int
			if _, after, ok := strings.Cut(m.Name, ", "); ok {
				fmt.Sscanf(after, "%d times", &n)
			}
			times += max(n, 1)
			for _, r := range m.Records {
				size += int(r.Ref.Len) + 1
			}
		}
		if want := len(before + run + after); size != want || times != 100_061 {
			t.Errorf("%q: %d bytes of %d, said %d times", unit, size, want, times)
		}
	}
}

func claudeLines(from, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, claudeSays, from+i, "seen")
	}
	return b.String()
}

func gzipOf(t *testing.T, s string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(s)); err != nil {
		t.Fatal(err)
	}
	w.Close()
	return b.Bytes()
}

func zstdOf(t *testing.T, s string) []byte {
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	return w.EncodeAll([]byte(s), nil)
}

// inspected is the name of a member that a format reads.
func inspected(i int) string { return fmt.Sprintf("samples/%d_epoch_1.json", i) }

// overlapping returns an archive whose members all share the same bytes.
func overlapping(t *testing.T, data string, n int) []byte {
	var b, directory bytes.Buffer
	name := inspected(0)
	header := func(w *bytes.Buffer, fields ...any) {
		for _, f := range fields {
			if err := binary.Write(w, binary.LittleEndian, f); err != nil {
				t.Fatal(err)
			}
		}
	}
	crc, size := crc32.ChecksumIEEE([]byte(data)), uint32(len(data))
	header(&b, uint32(0x04034b50), [3]uint16{20}, [2]uint16{}, crc, size, size, uint16(len(name)), uint16(0))
	b.WriteString(name + data)
	names := []string{"_journal/start.json", "header.json"}
	for i := range n {
		names = append(names, inspected(i))
	}
	for _, name := range names {
		header(&directory, uint32(0x02014b50), [4]uint16{20, 20}, [2]uint16{}, crc, size, size, uint16(len(name)), [8]uint16{})
		directory.WriteString(name)
	}
	off := uint32(b.Len())
	b.Write(directory.Bytes())
	header(&b, uint32(0x06054b50), uint32(0), uint16(len(names)), uint16(len(names)), uint32(directory.Len()), off, uint16(0))
	return b.Bytes()
}

func members(t *testing.T, n int) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := range n {
		name := inspected(i)
		if i < 2 {
			name = [...]string{"_journal/start.json", "header.json"}[i]
		}
		f, err := w.CreateHeader(&zip.FileHeader{Name: name})
		if err == nil {
			_, err = f.Write([]byte("{}"))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	w.Close()
	return b.Bytes()
}

func callsOf(n int) []byte {
	calls := make([]string, n)
	for i := range calls {
		calls[i] = fmt.Sprintf(`{"id":"call_%07d","type":"function","function":{"name":"f","arguments":"{}"}}`, i)
	}
	return []byte(`{"messages":[{"role":"user","content":"seen"},{"role":"assistant","content":null,"tool_calls":[` + strings.Join(calls, ",") + `]}]}`)
}

func claudeCallsOf(n int) []byte {
	calls := make([]string, n)
	for i := range calls {
		calls[i] = fmt.Sprintf(`{"type":"tool_use","id":"toolu_%07d","name":"f","input":{}}`, i)
	}
	return []byte(`{"type":"assistant","uuid":"a","sessionId":"s","version":"2.1.0","timestamp":"2026-02-11T22:00:01Z","message":{"id":"m","type":"message","role":"assistant","content":[` +
		strings.Join(calls, ",") + "]}}\n")
}

// gooseDB returns a known agent's database with a message, after these statements. packed adds a
// value that inflates to the last one.
func gooseDB(t *testing.T, packed bool, statements ...string) []byte {
	path := filepath.Join(t.TempDir(), "db")
	db := databaseAt(t, path, `CREATE TABLE sessions(id TEXT, description TEXT, working_dir TEXT, updated_at TEXT)`,
		`CREATE TABLE messages(id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, created_timestamp INT, content_json TEXT)`,
		`INSERT INTO sessions VALUES('s', 'd', '/w', '2026')`, `INSERT INTO messages VALUES(1, 's', 'user', 1, '[{"type":"text","text":"seen"}]')`)
	for i, s := range statements {
		var args []any
		if packed && i == len(statements)-1 {
			args = append(args, gzipOf(t, strings.Repeat("x", 100_000)))
		}
		if _, err := db.Exec(s, args...); err != nil {
			t.Fatal(err)
		}
	}
	db.Close()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func databaseAt(t *testing.T, path string, statements ...string) *sql.DB {
	db, err := sql.Open("sqlite", path+"?_pragma=synchronous(0)&_pragma=journal_mode(off)")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	return db
}

// TestLongLinesOfABase: only the beginning of a very long line stays in memory, and turns finds the
// lines after it.
func TestLongLinesOfABase(t *testing.T) {
	text := "short\n" + strings.Repeat("x", 3*longestLine) + "\nlast\n" + strings.Repeat("y", 2*longestLine)
	r := newLineReader(strings.NewReader(text))
	for _, want := range []struct {
		off   int64
		begin string
	}{{0, "short"}, {6, "xxx"}, {int64(7 + 3*longestLine), "last"}, {int64(12 + 3*longestLine), "yyy"}} {
		off, line, err := r.next()
		if off != want.off || !strings.HasPrefix(string(line), want.begin) || len(line) > 2*longestLine || err != nil && !errors.Is(err, io.EOF) {
			t.Errorf("%d: %d bytes at %d, %v", want.off, len(line), off, err)
		}
	}
}

// TestLongNamesAreNotHeld: the names of models and tools stay in memory while a transcript is open.
func TestLongNamesAreNotHeld(t *testing.T) {
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, `{"type":"assistant","uuid":"a%d","sessionId":"s","version":"2.1.0","timestamp":"2026-02-11T22:00:01Z","message":{"id":"m%d","type":"message","role":"assistant","model":"%d%s","content":[]}}`+"\n", i, i, i, strings.Repeat("n", 100_000))
	}
	path := filepath.Join(t.TempDir(), "names.jsonl")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	snap := loadFile(t, path, Options{})
	for n := range snap.Rows() {
		if name := snap.Name(snap.HeadRow(model.ID(n)).Name); len(name) > 20_000 {
			t.Fatalf("a name of %d bytes is held", len(name))
		}
	}
	if snap.Len() != 40 {
		t.Errorf("%d messages", snap.Len())
	}
}
