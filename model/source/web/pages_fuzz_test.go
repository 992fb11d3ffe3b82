package web

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"turns/model"
	"turns/model/jsonspan"
	"turns/model/modeltest"
	"turns/model/source/spool"
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

// readPages returns the content read from a server with these answers.
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
	kept := spool.New(limits, "")
	defer kept.Close()
	return io.ReadAll(&pager{ctx: t.Context(), get: g, address: address, first: first, kept: pageStore{spool: kept}})
}

// FuzzPages reads answers of any server: an answer that is not a page stays unchanged, pages become
// one document that ends with the events of the newest, and no answer exceeds the limits.
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

// TestOverlapIsLinear: for a server that repeats one event endlessly, the cost is linear in the
// bytes sent.
func TestOverlapIsLinear(t *testing.T) {
	list := func(n int, v string) (out [][]byte) {
		for range n {
			out = append(out, []byte(v))
		}
		return out
	}
	many := modeltest.Fewer(300_000, 300_000)
	one, last := list(many, "1"), append(list(many, "1"), []byte("2"))
	if n := overlap(one, one); n != 0 { // without numbers
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
