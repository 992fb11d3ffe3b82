package source

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"turns/model"
	"turns/model/modeltest"
	"turns/model/source/spool"
)

// small reads in pieces of n bytes, as a window that ends anywhere.
type small struct {
	s string
	n int
}

func (r small) ReadAt(p []byte, off int64) (int, error) {
	return strings.NewReader(r.s).ReadAt(p[:min(len(p), r.n)], off)
}

func unrolled(t *testing.T, doc string, lists []string, piece int) (string, error) {
	t.Helper()
	sp := spool.New(model.Limits{Spool: 64}, t.TempDir())
	defer sp.Close()
	err := unrollDocument(t.Context(), small{doc, piece}, lists, newSink(sp, nil))
	return lines(content(t, sp)), err
}

func TestUnrollDocument(t *testing.T) {
	tests := []struct {
		name, doc, lists, want, err string
	}{
		{"list", `[{"a":1}, {"b":[2]} ,3]`, "[]", "|[]\n[]|{\"a\":1}\n[]|{\"b\":[2]}\n[]|3", ""},
		{"messages", `{"id":1,"messages":[{"x":"]}"},{"y":2}],"end":{"z":null}}`, "messages",
			"|{\"id\":1,\"messages\":[],\"end\":{\"z\":null}}\nmessages|{\"x\":\"]}\"}\nmessages|{\"y\":2}", ""},
		{"nested", `{"sessions":[{"t":1,"messages":[1,2]},{"messages":[3]}],"k":{"messages":[9]}}`, "sessions.*.messages",
			"|{\"sessions\":[{\"t\":1,\"messages\":[]},{\"messages\":[]}],\"k\":{\"messages\":[9]}}\nsessions.*.messages|1\nsessions.*.messages|2\nsessions.*.messages|3", ""},
		{"object as list", `{"mapping":{"k1":{"id":1},"k2":{"id":2}}}`, "mapping", "|{\"mapping\":{}}\nmapping|{\"id\":1}\nmapping|{\"id\":2}", ""},
		{"two lists", `{"a":[1],"b":{"c":[2]}}`, "b.c a", "|{\"a\":[],\"b\":{\"c\":[]}}\na|1\nb.c|2", ""},
		{"no list", "{\n  \"a\": [1,\n 2]\n}\n", "", "|{ \"a\": [1, 2] }", ""},
		{"list absent", `{"b":1}`, "a", `|{"b":1}`, ""},
		{"list null", `{"a":null}`, "a", `|{"a":null}`, ""},
		{"empty", ``, "a", ``, ""},
		{"empty lists", `{"a":[],"b":{}}`, "a b", `|{"a":[],"b":{}}`, ""},
		{"scalar", ` 12 `, "a", `|12`, ""},
		{"object for a list", `{"a":1}`, "[]", `|{"a":1}`, ""},
		{"many documents", "\ufeff// note\n{\"a\":[1]}\n\n{\"a\":[2]}\x00", "a", "|{\"a\":[]}\na|1\n|{\"a\":[]}\na|2", ""},
		{"cut in an element", `{"id":7,"messages":[{"a":1},{"b":`, "messages", "|{\"id\":7,\"messages\":[]}\nmessages|{\"a\":1}", "byte 33: unexpected end"},
		{"cut in a string", `[{"a":1},{"b":"xx`, "[]", "|[]\n[]|{\"a\":1}", "byte 17: unterminated string"},
		{"cut after the list", `{"messages":[1],"x":{"y":`, "messages", "|{\"messages\":[]}\nmessages|1", "byte 25: unexpected end"},
		{"cut before the list", `{"a":1,"b"`, "messages", `|{"a":1}`, "expected"},
		{"cut without lists", `{"a":1,"b`, "", `|{"a":1,"b`, "unterminated string"},
		{"damaged", `{"a":[1,2},"b":3}`, "a", "|{\"a\":[]}\na|1\na|2", `expected a comma, found '}'`},
		{"raw newline in a string", "[\"a\nb\",1]", "[]", "|[]\n[]|\"a\\nb\"\n[]|1", ""},
		{"trailing comma", `{"a":[1,2,],}`, "a", "|{\"a\":[]}\na|1\na|2", ""},
		{"deep", strings.Repeat("[", 200_000), "a", "", "unexpected end"},
		{"brackets of both kinds", `[1,` + strings.Repeat(`[{"":`, 40) + "[]" + strings.Repeat("}]", 40) + `,{"a":[]}]`, "[]",
			"|[]\n[]|1\n[]|" + strings.Repeat(`[{"":`, 40) + "[]" + strings.Repeat("}]", 40) + "\n[]|{\"a\":[]}", ""},
		{"not JSON", `}`, "a", "", `unexpected '}'`},
	}
	for _, test := range tests {
		for _, piece := range []int{1, 3, 7, 1 << 20} {
			if piece < 1<<20 && len(test.doc) > 10_000 {
				continue
			}
			var lists []string
			if test.lists != "" {
				lists = strings.Fields(test.lists)
			}
			got, err := unrolled(t, test.doc, lists, piece)
			if test.name == "deep" {
				got = ""
				if err == nil {
					t.Error("deep nesting gives no error")
				}
				continue
			}
			if strings.TrimPrefix(got, "|") != strings.TrimPrefix(test.want, "|") {
				t.Errorf("%s, pieces of %d:\n got %s\nwant %s", test.name, piece, got, test.want)
			}
			if test.err == "" && err != nil || test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)) {
				t.Errorf("%s, pieces of %d: error %v, want %q", test.name, piece, err, test.err)
			}
			var de *documentError
			if err != nil && !errors.As(err, &de) {
				t.Errorf("%s: error of type %T", test.name, err)
			}
		}
	}
}

// value makes random JSON.
func value(rng *rand.Rand, depth int) any {
	switch n := rng.IntN(8); {
	case n < 2 && depth > 0:
		list := []any{}
		for range rng.IntN(4) {
			list = append(list, value(rng, depth-1))
		}
		return list
	case n < 5 && depth > 0:
		m := map[string]any{}
		for range rng.IntN(4) {
			m[string(rune('a'+rng.IntN(4)))] = value(rng, depth-1)
		}
		return m
	case n == 5:
		return "q\"\\\n\té}]" + strings.Repeat("\\", rng.IntN(5))
	case n == 6:
		return nil
	}
	return float64(rng.IntN(1000))
}

// TestUnrollLosesNothing reassembles unrolled documents.
func TestUnrollLosesNothing(t *testing.T) {
	modeltest.Long(t, "it takes many documents apart")
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range 500 {
		doc := map[string]any{"a": value(rng, 5), "b": map[string]any{"c": value(rng, 3), "d": value(rng, 3)}, "e": value(rng, 2)}
		compact, _ := json.Marshal(doc)
		indented, _ := json.MarshalIndent(doc, "", "  ")
		one, err := unrolled(t, string(compact), []string{"a", "b.c", "e.*"}, 1+rng.IntN(9))
		must(t, err)
		two, err := unrolled(t, string(indented), []string{"a", "b.c", "e.*"}, 1+rng.IntN(9))
		must(t, err)
		one, two = squeeze(t, one), squeeze(t, two)
		if one != two {
			t.Fatalf("document %d: indenting changes the records:\n%s\n%s", i, one, two)
		}
		n := 0
		for _, list := range []any{doc["a"], doc["b"].(map[string]any)["c"]} {
			n += size(list)
		}
		switch e := doc["e"].(type) {
		case []any:
			for _, v := range e {
				n += size(v)
			}
		case map[string]any:
			for _, v := range e {
				n += size(v)
			}
		}
		if got := strings.Count(one, "\n"); got != n {
			t.Fatalf("document %d: %d elements, want %d", i, got, n)
		}
	}
}

func size(v any) int {
	switch v := v.(type) {
	case []any:
		return len(v)
	case map[string]any:
		return len(v)
	}
	return 0
}

// squeeze checks that each record is JSON, and compacts it.
func squeeze(t *testing.T, records string) string {
	t.Helper()
	var out []string
	for line := range strings.SplitSeq(records, "\n") {
		list, data, _ := strings.Cut(line, "|")
		var b bytes.Buffer
		if err := json.Compact(&b, []byte(data)); err != nil {
			t.Fatalf("record %q: %v", data, err)
		}
		out = append(out, list+"|"+b.String())
	}
	return strings.Join(out, "\n")
}

func FuzzUnrollDocument(f *testing.F) {
	for _, s := range []string{`{"a":[1,{"b":2}]}`, `[[]]`, `{"a":{"x":"\\\""}}`, `{"a":[1`, "\ufeff//x\n{}{}", `{"a":1,}`, `{"a" 1}`} {
		f.Add([]byte(s), uint8(3))
	}
	f.Fuzz(func(t *testing.T, doc []byte, piece uint8) {
		sp := spool.New(model.Limits{}, "")
		defer sp.Close()
		err := unrollDocument(t.Context(), small{string(doc), int(piece)%9 + 1}, []string{"a", "*.b"}, newSink(sp, nil))
		if json.Valid(doc) && err != nil {
			t.Errorf("valid JSON refused: %v", err)
		}
		b, rerr := io.ReadAll(io.NewSectionReader(sp, 0, sp.Size()))
		must(t, rerr)
		for line := range bytes.Lines(b) {
			if _, data := CutRecord(line); json.Valid(doc) && !json.Valid(data) {
				t.Errorf("record %q is not JSON", data)
			}
		}
	})
}

func BenchmarkUnrollDocument(b *testing.B) {
	var doc bytes.Buffer
	doc.WriteString(`{"messages":[`)
	for i := range 20_000 {
		fmt.Fprintf(&doc, `%s{"id":%d,"role":"user","content":[{"type":"text","text":"%s"}]}`, strings.Repeat(",", min(i, 1)), i, strings.Repeat("some text \\n", 40))
	}
	doc.WriteString(`]}`)
	b.SetBytes(int64(doc.Len()))
	for b.Loop() {
		sp := spool.New(model.Limits{Spool: 1 << 30}, "")
		if err := unrollDocument(b.Context(), bytes.NewReader(doc.Bytes()), []string{"messages"}, newSink(sp, nil)); err != nil {
			b.Fatal(err)
		}
		sp.Close()
	}
}

// TestLimitsOfDocuments: values nest up to 100,000, and keys have up to 64 kB with their quotes.
// Brackets are checked in values that nest up to 64.
func TestLimitsOfDocuments(t *testing.T) {
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for _, test := range []struct{ name, doc, want string }{
		{"100,000 lists", `{"a":[` + nested(99_999) + `]}`, ""},
		{"100,001 lists", `{"a":[` + nested(100_000) + `]}`, "nested too deeply"},
		{"a long key", `{"` + strings.Repeat("k", 64<<10-2) + `":1,"a":[1]}`, ""},
		{"a longer key", `{"` + strings.Repeat("k", 64<<10-1) + `":1,"a":[1]}`, "a key is too long"},
		{"another bracket", `{"a":[` + strings.Repeat("[", 64) + "}" + strings.Repeat("]", 63) + `]}`, "unexpected '}'"},
		{"another bracket of a deep value", `{"a":[` + strings.Repeat("[", 65) + "}" + strings.Repeat("]", 64) + `]}`, ""},
	} {
		if _, err := unrolled(t, test.doc, []string{"a"}, 1<<20); (err != nil) != (test.want != "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}
