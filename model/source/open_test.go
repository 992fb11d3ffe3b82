package source

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"github.com/klauspost/compress/zstd"

	"turns/model"
	"turns/model/source/disk"
)

func gzipped(s string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte(s))
	z.Close()
	return b.String()
}

func zstded(s string) string {
	z, _ := zstd.NewWriter(nil)
	return string(z.EncodeAll([]byte(s), nil))
}

func utf16ed(s string, big bool) string {
	var b []byte
	for _, c := range utf16.Encode([]rune("\ufeff" + s)) {
		if big {
			b = append(b, byte(c>>8), byte(c))
		} else {
			b = append(b, byte(c), byte(c>>8))
		}
	}
	return string(b)
}

const two = "{\"a\":1}\n{\"b\":2}\n"

func TestShapes(t *testing.T) {
	long := `{"text":"` + strings.Repeat("x", 300_000) + `"}`
	tests := []struct {
		name, data string
		shape      model.Shape
		records    int
		bad        int
		doc, whole bool
	}{
		{"empty", "", model.Lines, 0, 0, false, false},
		{"blank", " \n\n", model.Lines, 0, 0, false, false},
		{"lines", two, model.Lines, 2, 0, false, false},
		{"lines with BOM and CRLF", "\ufeff{\"a\":1}\r\n{\"b\":2}\r\n", model.Lines, 2, 0, false, false},
		{"one line", `{"a":1}`, model.Lines, 1, 0, true, true},
		{"one line and newline", "{\"a\":1}\n", model.Lines, 1, 0, true, true},
		{"one line with a NUL tail", "{\"a\":1}\n\x00\x00\x00", model.Lines, 1, 0, true, true},
		{"indented document", "{\n \"a\": 1\n}\n", model.Document, 0, 0, true, true},
		{"list", `[{"a":1}]`, model.Document, 0, 0, true, true},
		{"list over lines", "[\n{\"a\":1},\n{\"b\":2}\n]", model.Document, 0, 0, true, true},
		{"lists a line each", "[{\"a\":1}]\n[{\"b\":1}]\n", model.Lines, 2, 0, false, false},
		{"empty list", "[]", model.Document, 0, 0, true, true},
		{"two documents", "{\n\"a\":1\n}\n{\n\"a\":2\n}", model.Document, 0, 0, true, false},
		{"cut document", "{\n \"a\": [1,\n", model.Document, 0, 0, true, false},
		{"cut last line", "{\"a\":1}\n{\"b\":", model.Lines, 1, 1, false, false},
		{"cut only line", "{\"a\":1,\"b\":", model.Lines, 0, 1, true, false},
		{"damaged first line", "{\"a\":\"x\n{\"b\":1}\n{\"c\":1}\n", model.Lines, 2, 1, false, false},
		{"garbage between", "{\"a\":1}\n!!!\n{\"b\":1}\n", model.Lines, 2, 1, false, false},
		{"glued objects", "{\"a\":1}{\"b\":2}\n{\"c\":1}\n", model.Lines, 2, 0, false, false},
		{"comments first", "// Source: x\n// y\n{\"a\":1}\n{\"b\":1}\n", model.Lines, 2, 0, false, false},
		{"log prefix", "2026-01-01T00:00:00Z {\"a\":1}\n2026-01-01T00:00:01Z text\n[pod-1] {\"b\":[{}]} \x1b[0m\n", model.Lines, 2, 1, false, false},
		{"time in brackets", "[12:00:01] {\"a\":1}\n[12:00:02] {\"b\":1}\n", model.Lines, 2, 0, false, false},
		{"prose", "# aider chat started at 2026\n\n#### hello\n\ntext {not json}\n", model.Prose, 0, 3, false, false},
		{"prose with one record", strings.Repeat("text\n", 20) + "{\"a\":1}\n", model.Prose, 1, 20, false, false},
		{"text in brackets", "[note] some text\n", model.Prose, 0, 1, false, false},
		{"binary", "\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\xff\xfe", model.Binary, 0, 1, false, false},
		{"not UTF-8", strings.Repeat("\xff\xfa\xfb", 100), model.Binary, 0, 1, false, false},
		{"long one-line document", long, model.Lines, 1, 0, true, true},
		{"long first line", long + "\n" + two, model.Lines, 3, 0, false, false},
		{"text before a late record", strings.Repeat("a line of text\n", 20_000) + two, model.Prose, 2, 20_000, false, false},
	}
	for _, test := range tests {
		path := write(t, filepath.Join(t.TempDir(), "f"), test.data)
		for _, how := range []string{"file", "pipe"} {
			arg, opts := path, Options{}
			if how == "pipe" {
				arg, opts.Stdin = "-", io.NopCloser(strings.NewReader(test.data))
			}
			s := open(t, arg, opts)
			if how == "pipe" { // a pipe is judged by the bytes that have arrived
				must2(s.fed.Wait(t.Context(), int64(len(test.data))))
			}
			v := s.Sample()
			if v.Shape != test.shape || len(v.Records) != test.records || v.Bad != test.bad || (v.Doc != nil) != test.doc || v.Whole != test.whole {
				t.Errorf("%s, %s: shape %d, %d records, %d bad, doc %t, whole %t", test.name, how, v.Shape, len(v.Records), v.Bad, v.Doc != nil, v.Whole)
			}
			if got, err := drain(t, s); got != test.data || err != nil {
				t.Errorf("%s, %s: other bytes, %v", test.name, how, err)
			}
			s.Close()
		}
	}
}

func must2(_ int64, _ bool, err error) {
	if err != nil {
		panic(err)
	}
}

func TestHugeFirstLine(t *testing.T) {
	huge := `{"text":"` + strings.Repeat("x", maxWindow+1000) + `"}`
	s := open(t, write(t, filepath.Join(t.TempDir(), "f"), huge), Options{})
	equal(t, "a document of one line", s.Shape(), model.Document)
	s = open(t, write(t, filepath.Join(t.TempDir(), "f"), huge+"\n"+two), Options{})
	equal(t, "the first of many", s.Shape(), model.Lines)
	equal(t, "its neighbours", len(s.Sample().Records), 2)
	s = open(t, write(t, filepath.Join(t.TempDir(), "f"), huge+"\n"+huge+"\n"), Options{})
	equal(t, "as long as the next", s.Shape(), model.Lines)
	if r := s.Sample().Records; len(r) != 1 || !json.Valid(r[0]) {
		t.Errorf("%d records of lines that are all huge, want the first, closed", len(r))
	}
}

func TestDecoding(t *testing.T) {
	text := two + "{\"c\":\"é😀\"}\n"
	tests := []struct{ name, data, want, err string }{
		{"gzip", gzipped(text), text, ""},
		{"gzip members", gzipped(two) + gzipped(text), two + text, ""},
		{"zstd", zstded(text), text, ""},
		{"zstd frames", zstded(two) + zstded(text), two + text, ""},
		{"gzip in zstd", zstded(gzipped(text)), text, ""},
		{"UTF-16 little", utf16ed(text, false), text, ""},
		{"UTF-16 big", utf16ed(text, true), text, ""},
		{"UTF-16 cut", utf16ed(text, true) + "\xd8\x3d", text + "\ufffd", ""},
		{"JSON string", `"{\"a\":[\"\\u00e9 \u00e9 \\\"b\\\" \\\\ \/\"],\n\"c\":\u0022\"}"` + "\n", `{"a":["\u00e9 \u00e9 \"b\" \\ /"],` + "\n" + `"c":""}` + "\n", ""},
		{"lines of JSON strings", `"{\"a\":1}"` + "\n" + `{"b":"\n"}` + "\n" + `"{\"c\":2`, `{"a":1}` + "\n" + `{"b":"\n"}` + "\n" + `{"c":2`, ""},
		{"gzip cut", gzipped(text)[:30], "{\"a\":1}\n{\"", "unpack gzip: unexpected EOF"},
		{"gzip damaged", "\x1f\x8b\x09\x00", "", "unpack gzip"},
		{"zstd cut", zstded(text)[:30], "", "unpack zstd"},
	}
	for _, test := range tests {
		path := write(t, filepath.Join(t.TempDir(), "f"), test.data)
		for _, how := range []string{"file", "pipe", "slow pipe"} {
			arg, opts := path, Options{Follow: true}
			switch how {
			case "pipe":
				arg, opts.Stdin = "-", io.NopCloser(strings.NewReader(test.data))
			case "slow pipe":
				arg, opts.Stdin = "-", io.NopCloser(iotest.OneByteReader(strings.NewReader(test.data)))
			}
			s, err := Open(t.Context(), arg, opts)
			got := ""
			if err == nil {
				got, err = drain(t, s)
				s.Close()
			}
			if !strings.HasPrefix(got, test.want[:min(len(got), len(test.want))]) || test.err == "" && got != test.want {
				t.Errorf("%s, %s: %q", test.name, how, got)
			}
			if test.err == "" && err != nil || test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)) {
				t.Errorf("%s, %s: error %v, want %q", test.name, how, err, test.err)
			}
		}
	}
}

func TestBomb(t *testing.T) {
	bomb := strings.Repeat(two, 50_000)
	for _, data := range []string{gzipped(bomb), zstded(bomb)} {
		s := open(t, write(t, filepath.Join(t.TempDir(), "f"), data), Options{Limits: model.Limits{Unpacked: 100_000, Ratio: 1}})
		got, err := drain(t, s)
		if len(got) < 100_000 || len(got) > 250_000 || !limited(err, "unpacked") || !strings.Contains(err.Error(), "limit of 100 kB") {
			t.Errorf("%d bytes, %v", len(got), err)
		}
	}
}

func TestPipeInAnyChunks(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 20 {
		pr, pw := io.Pipe()
		var want strings.Builder
		done := make(chan struct{})
		data := []byte(strings.Repeat(two, 1+rng.IntN(20_000)))
		want.Write(data)
		go func() {
			defer close(done)
			for len(data) > 0 {
				n := 1 + rng.IntN(min(len(data), 50_000))
				pw.Write(data[:n])
				data = data[n:]
			}
			pw.Close()
		}()
		s := open(t, "-", Options{Stdin: pr, Limits: model.Limits{Spool: 10_000}, TempDir: t.TempDir()})
		equal(t, "name", s.Name(), "stdin")
		got, err := drain(t, s)
		must(t, err)
		if got != want.String() {
			t.Fatalf("%d bytes, want %d", len(got), want.Len())
		}
		<-done
		s.Close()
	}
}

// TestPipeOpensAtFirstRecord opens a pipe whose writer is still writing.
func TestPipeOpensAtFirstRecord(t *testing.T) {
	pr, pw := io.Pipe()
	go pw.Write([]byte("{\"a\":1}\n"))
	s := open(t, "-", Options{Stdin: pr})
	equal(t, "records", len(s.Sample().Records), 1)
	ev, err := s.Next(t.Context())
	must(t, err)
	equal(t, "event", fmt.Sprint(ev.Kind, ev.Size), "grown 8")
	go func() { pw.Write([]byte("{\"b\":1}\n")); pw.CloseWithError(errors.New("torn")) }()
	got, err := drain(t, s)
	if got != "{\"a\":1}\n{\"b\":1}\n" || err == nil || err.Error() != "torn" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestOpenIsCancelled(t *testing.T) {
	pr, pw := io.Pipe()
	defer pw.Close()
	ctx, cancel := context.WithCancel(t.Context())
	go func() { pw.Write([]byte("{\"half")); cancel() }()
	if _, err := Open(ctx, "-", Options{Stdin: pr}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	tests := []struct{ arg, want string }{
		{"", "open: no file was named"},
		{filepath.Join(dir, "no"), "no such file or directory"},
		{"ftp://host/x", "only http and https"},
		{"http://", "not a valid address"},
		{write(t, filepath.Join(dir, "z.zip"), "PK\x03\x04junk"), "open archive"},
		{write(t, filepath.Join(dir, "d.db"), sqliteMagic+"junk"), "open database"},
	}
	if _, err := os.Stat("/dev/zero"); err == nil {
		tests = append(tests, struct{ arg, want string }{"/dev/zero", "is a device"})
	}
	for _, test := range tests {
		s, err := Open(t.Context(), test.arg, Options{})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %v, want %q", test.arg, err, test.want)
		}
		if s != nil {
			s.Close()
		}
	}
}

func TestSizelessFile(t *testing.T) {
	if _, err := os.Stat("/proc/self/status"); err != nil {
		return
	}
	got, err := drain(t, open(t, "/proc/self/status", Options{}))
	if !strings.HasPrefix(got, "Name:") || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

func TestFollowLateFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "late.jsonl")
	c := newClock()
	s := open(t, path, Options{Follow: true, System: disk.System{Tick: c.tick}})
	equal(t, "nothing yet", s.Stream().Size(), 0)
	write(t, path, two)
	equal(t, "event", c.next(t, s).Kind, Appeared)
	equal(t, "event", c.next(t, s).Kind, Grown)
	equal(t, "records", len(s.Sample().Records), 2)
	grow(t, path, "{\"c\":1}\n")
	equal(t, "event", c.next(t, s).Size, 24)
	old := s.Stream()
	write(t, path+".new", "{}\n")
	must(t, os.Rename(path+".new", path))
	equal(t, "event", c.next(t, s).Kind, Replaced)
	ev := c.next(t, s)
	equal(t, "new stream", content(t, ev.Stream), "{}\n")
	equal(t, "old stream", content(t, old), two+"{\"c\":1}\n")
}

func TestDocuments(t *testing.T) {
	doc := `{"id":1,"messages":[{"n":1},{"n":2}]}`
	want := "|{\"id\":1,\"messages\":[]}\nmessages|{\"n\":1}\nmessages|{\"n\":2}"
	path := write(t, filepath.Join(t.TempDir(), "f"), doc)
	for _, opts := range []Options{{}, {Stdin: io.NopCloser(iotest.OneByteReader(strings.NewReader(doc)))}} {
		arg := path
		if opts.Stdin != nil {
			arg = "-"
		}
		s := open(t, arg, opts)
		must(t, s.Unroll(Plan{Lists: []string{"messages"}}))
		if !s.Framed() || s.Unroll(Plan{}) == nil {
			t.Error("it can be unrolled twice")
		}
		got, err := drain(t, s)
		must(t, err)
		equal(t, arg, lines(got), want)
	}
	s := open(t, write(t, path, `{"messages":[1,`), Options{})
	must(t, s.Unroll(Plan{Lists: []string{"messages"}}))
	got, err := drain(t, s)
	equal(t, "cut", lines(got), "|{\"messages\":[]}\nmessages|1")
	if err == nil || !strings.Contains(err.Error(), "byte 15") {
		t.Errorf("cut: %v", err)
	}
}

func TestReplay(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "ops"), two)
	replay := func(r io.Reader, w io.Writer) error {
		b, err := io.ReadAll(r)
		fmt.Fprintf(w, `{"requests":[%s]}`, bytes.ReplaceAll(bytes.TrimSpace(b), []byte("\n"), []byte(",")))
		return err
	}
	s := open(t, path, Options{})
	must(t, s.Unroll(Plan{Lists: []string{"requests"}, Unroll: &model.Unroll{Replay: replay}}))
	got, err := drain(t, s)
	must(t, err)
	equal(t, "records", lines(got), "|{\"requests\":[]}\nrequests|{\"a\":1}\nrequests|{\"b\":2}")
}

// TestFollowDocument writes a document again and again.
func TestFollowDocument(t *testing.T) {
	steps := []struct {
		doc   string
		kinds string
		want  string // content of the stream afterwards
	}{
		{`{"m":[{"id":"a","x":1}]}`, "grown", "|{\"m\":[]}\nm|{\"id\":\"a\",\"x\":1}"},
		{`{"m":[{"id":"a","x":1},{"id":"b"}]}`, "grown", "|{\"m\":[]}\nm|{\"id\":\"a\",\"x\":1}\nm|{\"id\":\"b\"}"},
		{`{"t":"new","m":[{"id":"a","x":1},{"id":"b"}]}`, "grown", "|{\"m\":[]}\nm|{\"id\":\"a\",\"x\":1}\nm|{\"id\":\"b\"}\n|{\"t\":\"new\",\"m\":[]}"},
		{`{"m":[{"id":"a","x":1},{"id":"b"},{"id":`, "trouble", ""},
		{`{"m":[{"id":"a","x":2},{"id":"b"}]}`, "replaced grown", "|{\"m\":[]}\nm|{\"id\":\"a\",\"x\":2}\nm|{\"id\":\"b\"}"},
		{`{"m":[{"id":"a","x":2}]}`, "replaced grown", "|{\"m\":[]}\nm|{\"id\":\"a\",\"x\":2}"},
	}
	path := write(t, filepath.Join(t.TempDir(), "doc.json"), steps[0].doc)
	c := newClock()
	s := open(t, path, Options{Follow: true, System: disk.System{Tick: c.tick}})
	must(t, s.Unroll(Plan{Lists: []string{"m"}}))
	for i, step := range steps {
		if i > 0 {
			write(t, path+".tmp", step.doc)
			must(t, os.Rename(path+".tmp", path))
		}
		equal(t, fmt.Sprint("step ", i), kindsUntil(t, c, s, step.kinds, step.want), step.kinds)
	}
}

// kindsUntil receives events until the last of kinds has arrived and the stream has the wanted
// content.
func kindsUntil(t *testing.T, c *clock, s *Source, kinds, want string) string {
	t.Helper()
	var got []string
	for {
		ev := c.next(t, s)
		if len(got) == 0 && ev.Kind == Grown && !strings.HasPrefix(kinds, "grown") {
			continue // a change of the rest is written before a change in the middle is detected
		}
		if k := ev.Kind.String(); len(got) == 0 || got[len(got)-1] != k {
			got = append(got, k)
		}
		now := strings.Join(got, " ")
		if now == kinds && (want == "" || lines(content(t, s.Stream())) == want) {
			return now
		}
		if len(got) > 5 || len(now) > len(kinds) {
			return now + ": " + lines(content(t, s.Stream()))
		}
	}
}

func TestFollowedDocumentIsDeleted(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "doc.json"), `{"m":[{"id":"a"}]}`)
	c := newClock()
	s := open(t, path, Options{Follow: true, System: disk.System{Tick: c.tick}})
	must(t, s.Unroll(Plan{Lists: []string{"m"}}))
	equal(t, "first", kindsUntil(t, c, s, "grown", "|{\"m\":[]}\nm|{\"id\":\"a\"}"), "grown")
	must(t, os.Remove(path))
	equal(t, "deleted", kindsUntil(t, c, s, "gone", ""), "gone")
}
