package source

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"turns/model"
	"turns/model/jsonspan"
)

// script is a server that answers with one body after another, the last one for
// ever.
type script struct {
	bodies []string
	asked  int
}

func (s *script) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	w.Header().Set("Content-Type", "application/json")
	w.WriteString(s.bodies[min(s.asked, len(s.bodies)-1)])
	s.asked++
	resp := w.Result()
	resp.Request = r
	return resp, nil
}

// readPages is what is read from a server that answers so.
func readPages(t testing.TB, s *script, limits model.Limits) ([]byte, error) {
	t.Helper()
	g := newGetter(Options{Limits: limits})
	g.client.Transport = s
	const address = "http://example.test/api/dialogs/d7/history"
	first, err := g.get(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	kept := NewSpool(limits, "")
	defer kept.Close()
	return io.ReadAll(&pager{ctx: t.Context(), get: g, address: address, first: first, kept: pageStore{spool: kept}})
}

// FuzzPages reads the answers of whatever server: an answer that is no page comes
// out as it is, pages become one document with the events of the newest at its
// end, and nothing makes more of it than the limits allow.
func FuzzPages(f *testing.F) {
	d := &dialog{rows: 12}
	f.Add(strings.Join([]string{d.page(12, 4), d.page(8, 4), d.page(4, 4)}, "\x00"))
	f.Add(strings.Join([]string{d.page(12, 4), d.page(10, 4), "nope"}, "\x00"))
	f.Add(strings.Join([]string{d.page(12, 4), `{"dialog_id":"other","events":[],"has_more":true,"first_idx":1}`}, "\x00"))
	for _, s := range []string{
		"", "{", "[1]", `{"a":1}`, `{"dialog_id":1,"events":[],"has_more":true}`, `{"dialog_id":1,"events":[],"has_more":true,"first_idx":9e99}`,
		`{"dialog_id":1,"events":[{"idx":1}],"has_more":true,"first_idx":-5}`, `{"dialog_id":1,"events":[1,1,1],"events":[2],"has_more":true,"first_idx":5}`,
		`{"dialog_id":"\ud800","x\n":1,"events":[1,1,1],"has_more":true,"first_idx":5}` + "\x00" + `{"dialog_id":"\ud800","events":[1,1,1],"has_more":false}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, answers string) {
		s := &script{bodies: strings.Split(answers, "\x00")}
		limits := model.Limits{Response: 16 << 10, Record: 8 << 10}
		got, err := readPages(t, s, limits)
		if n := int64(len(got)); n > 2*limits.Response {
			t.Fatalf("%d bytes came of %q", n, answers)
		}
		if s.asked > maxPages {
			t.Fatalf("%d requests", s.asked)
		}
		newest, page := parsePage([]byte(s.bodies[0]))
		if s.asked == 1 || !page || !newest.more {
			if want := s.bodies[0]; err == nil && string(got) != want {
				t.Fatalf("%q became %q", want, got)
			}
			return
		}
		whole, ok := parsePage(got)
		if !ok || len(whole.events) < len(newest.events) {
			t.Fatalf("%q became %q", answers, got)
		}
		for i, v := range newest.events {
			if at := len(whole.events) - len(newest.events) + i; !bytes.Equal(whole.events[at], v) {
				t.Fatalf("event %d became %q", i, whole.events[at])
			}
		}
	})
}

// TestOverlapIsLinear: a server that repeats one event without end costs what it
// sends.
func TestOverlapIsLinear(t *testing.T) {
	list := func(n int, v string) (out [][]byte) {
		for range n {
			out = append(out, []byte(v))
		}
		return out
	}
	const many = 300_000
	one, last := list(many, "1"), append(list(many, "1"), []byte("2"))
	if n := overlap(one, one); n != 0 { // none has a number
		t.Errorf("%d events are the same", n)
	}
	if n := overlap(one, last); n != 0 {
		t.Errorf("%d events are the same", n)
	}
	numbered := list(many, `{"idx":1}`)
	if n := overlap(numbered, append(numbered[:many-1:many-1], []byte("2"))); n != many-1 {
		t.Errorf("%d events are the same", n)
	}
	if n := overlap(numbered, numbered); n != many {
		t.Errorf("%d events are the same", n)
	}
}

// FuzzOverlap compares with the slow way.
func FuzzOverlap(f *testing.F) {
	for _, s := range []string{"", "aab|aab", "1ab1|ab1x", "aaaa|aaa1", "1a1a|1a1a1"} {
		older, newer, _ := strings.Cut(s, "|")
		f.Add(older, newer)
	}
	f.Fuzz(func(t *testing.T, older, newer string) {
		events := func(s string) (out [][]byte) {
			for _, c := range []byte(s) {
				if c%4 == 1 {
					out = append(out, []byte(`{"idx":1}`))
				} else {
					out = append(out, []byte{'0' + c%4})
				}
			}
			return out
		}
		a, b := events(older), events(newer)
		want := 0
		for n := min(len(a), len(b)); n > 0 && want == 0; n-- {
			numbered, same := false, true
			for i := range n {
				same = same && bytes.Equal(a[len(a)-n+i], b[i])
				numbered = numbered || jsonspan.KindOf(jsonspan.Get(b[i], "idx")) == jsonspan.Number
			}
			if same && numbered {
				want = n
			}
		}
		if got := overlap(a, b); got != want {
			t.Errorf("%q and %q: %d, not %d", older, newer, got, want)
		}
	})
}

// FuzzArchive packs whatever text under whatever name, in each container, and
// spoils a byte of it: whole containers give their text back, spoiled ones are an
// error or a text, and nothing grows beyond the limit.
func FuzzArchive(f *testing.F) {
	for _, m := range sampleMembers {
		f.Add(m.name, m.data, uint8(m.method), uint16(0), uint8(0))
		f.Add(m.name, m.data, uint8(m.method), uint16(7), uint8(0xff))
	}
	for i := range uint8(6) {
		f.Add("../a\x1b[31m.jsonl", strings.Repeat(two, 300), i, uint16(20), i)
		f.Add("conversations-000.json", "[{}]", i, uint16(0), uint8(0))
	}
	f.Fuzz(func(t *testing.T, name, data string, how uint8, at uint16, xor uint8) {
		packed := []byte(packedAs(t, name, data, how))
		if len(packed) > 0 {
			packed[int(at)%len(packed)] ^= xor
		}
		limits := model.Limits{Unpacked: 64 << 10, Ratio: 1}
		sp := NewSpool(limits, t.TempDir())
		defer sp.Close()
		err := unpackAll(t.Context(), packed, sp, limits)
		got := content(t, sp)
		most := limits.MayGrow(int64(len(packed))) + window // a read goes beyond it
		if how%6 == 0 {
			most += int64(len(data))
		}
		if int64(len(got)) > most+int64(len(name)+2)*int64(strings.Count(got, "\n")+1) {
			t.Fatalf("%d bytes came out", len(got))
		}
		if int64(len(data)) > most && xor == 0 && !limited(err, "unpacked") {
			t.Fatalf("%d bytes: %v", len(data), err)
		}
		if how%6 >= 3 && xor == 0 && int64(len(data)) <= limits.Unpacked && magic([]byte(data)) == plainBytes && got != data {
			t.Fatalf("%q became %q (%v)", data, got, err)
		}
	})
}

// packedAs is data in a container.
func packedAs(t *testing.T, name, data string, how uint8) string {
	if strings.HasSuffix(name, "/") {
		name += "x" // else it is a folder
	}
	switch how % 6 {
	case 0:
		return zipped(t, member{name, data, zip.Store})
	case 1:
		return zipped(t, member{name, data, zip.Deflate}, member{name, data, zip.Store})
	case 2:
		return zipped(t, member{name, data, zstd.ZipMethodWinZip})
	case 3:
		return gzipped(data)
	case 4:
		return gzipped(gzipped(data))
	}
	w, err := zstd.NewWriter(nil)
	must(t, err)
	defer w.Close()
	return string(w.EncodeAll([]byte(data), nil))
}

// unpackAll unpacks a container the way a source does, an archive or a stream.
func unpackAll(ctx context.Context, packed []byte, sp *Spool, limits model.Limits) error {
	defer sp.Commit()
	m := newMeter(limits)
	m.in.Add(int64(len(packed)))
	if a, err := openArchive(bytes.NewReader(packed), int64(len(packed)), "x", m); err == nil {
		u := unroller{set: a, pick: func(names []string) []string { return names }, meter: m}
		return u.unroll(ctx, newSink(sp, nil))
	}
	return copyDecoded(ctx, bytes.NewReader(packed), sp, m)
}

// limited reports whether an error is of the limit with that name.
func limited(err error, name string) bool {
	var limit *model.LimitError
	return errors.As(err, &limit) && limit.Name == name
}
