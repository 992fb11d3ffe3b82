package parquet

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	pq "github.com/parquet-go/parquet-go"

	"turns/model"
)

// call and said are nested columns as in data sets.
type call struct {
	Name string `parquet:"name"`
}

type said struct {
	Role    string  `parquet:"role"`
	Content *string `parquet:"content,optional"`
	Calls   []call  `parquet:"tool_calls,list"`
}

type runRow struct {
	ID       string  `parquet:"transcript_id"`
	Messages []said  `parquet:"messages,list"`
	Score    float64 `parquet:"score,optional"`
}

type textRow struct {
	ID       string `parquet:"transcript_id"`
	Messages string `parquet:"messages"`
	Raw      []byte `parquet:"raw,optional"`
}

type messageRow struct {
	Run       string `parquet:"conversation_id,dict"`
	Role      string `parquet:"role"`
	Content   string `parquet:"content,optional"`
	Reasoning string `parquet:"reasoning,optional"`
	Error     string `parquet:"tool_call_error,optional"`
	Output    int64  `parquet:"output_tokens,optional"`
}

func file[T any](t testing.TB, rows ...T) []byte {
	t.Helper()
	var b bytes.Buffer
	w := pq.NewGenericWriter[T](&b, pq.Compression(&pq.Zstd))
	for some := range slices.Chunk(rows, 2) { // of three the library writes zeros for nulls
		if _, err := w.Write(some); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func read(data []byte, limits model.Limits) (string, error) {
	r, err := Open(bytes.NewReader(data), int64(len(data)), limits)
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(r)
	return string(text), err
}

func TestRowsAreLines(t *testing.T) {
	hello := "hello"
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"a run a row": {
			file(t, runRow{ID: "r1", Messages: []said{{Role: "user", Content: &hello}, {Role: "assistant", Calls: []call{{"Bash"}}}}, Score: 0.5}, runRow{ID: "r2"}),
			`{"messages":[{"content":"hello","role":"user","tool_calls":[]},{"role":"assistant","tool_calls":[{"name":"Bash"}]}],"score":0.5,"transcript_id":"r1"}` + "\n" +
				`{"messages":[],"transcript_id":"r2"}` + "\n",
		},
		"messages as text": {
			file(t, textRow{ID: "r1", Messages: `[{"role": "user","content":"hi"}]`, Raw: []byte{0xff, 0}}, textRow{ID: "r2"}),
			`{"messages":[{"role":"user","content":"hi"}],"raw":{"$blob":{"bytes":2}},"transcript_id":"r1"}` + "\n" + `{"messages":"","transcript_id":"r2"}` + "\n",
		},
		"a message a row": {
			file(t, messageRow{Run: "a", Role: "user", Content: "one"}, messageRow{Run: "a", Role: "assistant", Content: "two", Reasoning: "hm", Output: 3},
				messageRow{Run: "b", Role: "tool", Content: "no", Error: "no"}, messageRow{Run: "b", Role: "user"}, messageRow{Run: "b", Role: "user"}),
			`{"transcript_id":"a","messages":[{"content":"one","role":"user"},{"content":"two","output_tokens":3,"reasoning_content":"hm","role":"assistant",` +
				`"usage":{"output_tokens":3}}]}` + "\n" +
				`{"transcript_id":"b","messages":[{"content":"no","is_error":true,"role":"tool","tool_call_error":"no"},{"role":"user"},{"role":"user"}]}` + "\n",
		},
		"other columns": {file(t, call{"x"}), `{"name":"x"}` + "\n"},
		"no rows":       {file[call](t), ""},
	} {
		if got, err := read(c.data, model.Limits{}); err != nil || got != c.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, got, c.want)
		}
	}
}

type roleless struct {
	Run     string `parquet:"session_id"`
	Content string `parquet:"content"`
}

type numbered struct {
	Run     string `parquet:"session_id"`
	Role    int64  `parquet:"role"`
	Content string `parquet:"content"`
	Calls   bool   `parquet:"tool_calls"`
}

type counts struct {
	Messages int32 `parquet:"messages"`
}

type hollow struct {
	Run  string `parquet:"session_id"`
	Role string `parquet:"role"`
}

// TestColumnsThatAreNone has tables with missing columns or columns of other types: Open returns
// the readable lines, and then an error with the reason.
func TestColumnsThatAreNone(t *testing.T) {
	for name, c := range map[string]struct {
		data  []byte
		lines int
		want  string
	}{
		"no role":         {file(t, roleless{"r", "hello"}), 1, `there is no column "role" nor "messages", and the rows are no messages`},
		"nothing said":    {file(t, hollow{"r", "user"}), 1, `there is no column "content" nor "tool_calls", and the messages are empty`},
		"numbers":         {file(t, numbered{"r", 1, "hello", true}), 1, `column "role" is int64, and no message has a role` + "\n" + `column "tool_calls" is boolean, and no message has calls`},
		"a count":         {file(t, counts{3}), 1, `column "messages" is int32, and no row has messages`},
		"messages cut":    {file(t, textRow{ID: "r1", Messages: "[]"}, textRow{ID: "r2", Messages: "[cut"}, textRow{ID: "r3", Messages: "{"}), 3, `column "messages" is no JSON in 2 of the rows, the first of them row 2`},
		"something other": {file(t, call{"x"}), 1, ""},
	} {
		text, err := read(c.data, model.Limits{})
		got := strings.TrimPrefix(fmt.Sprint(err), "reading Parquet: ")
		if c.want == "" {
			c.want = fmt.Sprint(nil)
		}
		if got != c.want || strings.Count(text, "\n") != c.lines {
			t.Errorf("%s: %s\n%s", name, got, text)
		}
	}
}

// Declared sizes of a file are not trusted.
func TestHostileFiles(t *testing.T) {
	rows := make([]textRow, 100)
	for i := range rows {
		rows[i] = textRow{ID: fmt.Sprint(i), Messages: strings.Repeat(fmt.Sprint(i), 5000)}
	}
	good := file(t, rows...)
	huge := bytes.Clone(good)
	binary.LittleEndian.PutUint32(huge[len(huge)-8:], 1<<31)
	for name, c := range map[string]struct {
		data   []byte
		limits model.Limits
		want   string
	}{
		"cut off":      {good[:len(good)/2], model.Limits{}, "has no end"},
		"nothing":      {[]byte(Magic), model.Limits{}, "cut off"},
		"huge footer":  {huge, model.Limits{}, "footer is said to have"},
		"large footer": {good, model.Limits{Value: 16}, "the limit is"},
		"large page":   {good, model.Limits{Value: 100_000}, "a page is said to have"},
	} {
		if _, err := read(c.data, c.limits); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzRows(f *testing.F) {
	f.Add(file(f, textRow{ID: "r1", Messages: `[{"role":"user"}]`}))
	f.Add(file(f, messageRow{Run: "a", Role: "user", Content: "one"}))
	f.Add(file(f, runRow{ID: "r"}))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Open(bytes.NewReader(data), int64(len(data)), model.Limits{Value: 1 << 20})
		if err != nil {
			return
		}
		_, _ = io.Copy(io.Discard, io.LimitReader(r, 1<<20))
	})
}

// BenchmarkFirstRow measures the time to the first of many rows.
func BenchmarkFirstRow(b *testing.B) {
	rows := make([]messageRow, 1_000_000)
	for i := range rows {
		rows[i] = messageRow{Run: fmt.Sprint(i / 100), Role: "user", Content: fmt.Sprint("message ", i)}
	}
	data := file(b, rows...)
	for b.Loop() {
		r, err := Open(bytes.NewReader(data), int64(len(data)), model.Limits{})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := r.Read(make([]byte, 4096)); err != nil {
			b.Fatal(err)
		}
	}
}
