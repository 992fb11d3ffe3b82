package web

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"turns/model"
	"turns/model/source/spool"
)

// TestAnswersToSending: Send returns the first 64 kB of an answer.
func TestAnswersToSending(t *testing.T) {
	for size, want := range map[int]int{64 << 10: 64 << 10, 64<<10 + 1: 64 << 10} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, strings.Repeat("x", size)) }))
		s, err := NewSender(server.URL, "text/plain", Options{})
		if err != nil {
			t.Fatal(err)
		}
		if answer, err := s.Send(t.Context(), nil); len(answer) != want || err != nil {
			t.Errorf("%d of %d bytes, want %d (%v)", len(answer), size, want, err)
		}
		s.Close()
		server.Close()
	}
}

// TestSizeOfAListOfDialogs: a list of dialogs has at most 16 MiB.
func TestSizeOfAListOfDialogs(t *testing.T) {
	list := make([]byte, 16<<20+1)
	for size, want := range map[int]string{len(list) - 1: "is not a list of dialogs", len(list): "beyond the limit of 17 MB"} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(list[:size]) }))
		if _, err := Dialogs(t.Context(), server.URL, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a list of %d bytes: %v, want %q", size, err, want)
		}
		server.Close()
	}
}

// TestRedirects: a request follows ten redirects.
func TestRedirects(t *testing.T) {
	for n, want := range map[int]bool{10: true, 11: false} {
		left := n
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if left--; left >= 0 {
				http.Redirect(w, r, fmt.Sprint("/", left), http.StatusFound)
			}
		}))
		g := newGetter(Options{})
		body, err := g.get(t.Context(), server.URL)
		if (err == nil) != want {
			t.Errorf("%d redirects: %v", n, err)
		}
		if err == nil {
			body.Close()
		}
		g.cancel()
		server.Close()
	}
}

// TestPatience: a server has half a minute to begin its answer and ten minutes to finish it.
func TestPatience(t *testing.T) {
	for answer, want := range map[string]time.Duration{"": 30 * time.Second, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[": 10 * time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			g := newGetter(Options{})
			defer g.cancel()
			g.client.Transport.(inflating).RoundTripper.(*http.Transport).DialContext = func(context.Context, string, string) (net.Conn, error) {
				client, server := net.Pipe()
				go func() {
					defer server.Close()
					if _, err := http.ReadRequest(bufio.NewReader(server)); err == nil {
						_, _ = io.WriteString(server, answer)
						_, _ = io.Copy(io.Discard, server)
					}
				}()
				return client, nil
			}
			start := time.Now()
			b, err := g.get(t.Context(), "http://a/b")
			if err == nil {
				_, err = io.ReadAll(b.r)
				b.r.Close()
			}
			if got := time.Since(start); err == nil || got != want {
				t.Errorf("a server that sends %q has %v: %v", answer, got, err)
			}
		})
	}
}

// TestPagesOfAHistory: a history has at most 10,000 pages.
func TestPagesOfAHistory(t *testing.T) {
	for earlier, want := range map[int]int{9_998: 1, 9_999: 0} {
		s := &script{bodies: []string{`{"dialog_id":1,"events":[],"has_more":true,"first_idx":5}`}}
		g := newGetter(Options{})
		g.client.Transport = s
		kept := &pageStore{spool: spool.New(model.Limits{}, ""), ends: make([]int64, earlier)}
		p := &pager{ctx: t.Context(), get: g, address: "http://example.test/history"}
		_, err := p.older(&page{dialog: []byte("1"), more: true, cursor: true, first: 9}, kept)
		if s.asked != want || err == nil || !strings.Contains(err.Error(), "more than 10000 pages") {
			t.Errorf("after %d pages: %d more requests, %v", earlier, s.asked, err)
		}
		kept.spool.Close()
	}
}

// TestSizeOfAPage: an earlier page of a history has at most 32 MiB.
func TestSizeOfAPage(t *testing.T) {
	for size, want := range map[int]string{32 << 20: "is not a page of a history", 32<<20 + 1: "larger than the limit of 34 MB"} {
		g := newGetter(Options{})
		g.client.Transport = &script{bodies: []string{strings.Repeat("x", size)}}
		p := &pager{ctx: t.Context(), get: g, address: "http://example.test/history"}
		if _, err := p.before(5, 1<<40); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a page of %d bytes: %v, want %q", size, err, want)
		}
		g.cancel()
	}
}

// TestPeekedBytes: 256 bytes of an object show whether it is a page, and 4 kB whether it is one.
func TestPeekedBytes(t *testing.T) {
	for _, test := range []struct {
		text string
		want int
	}{
		{"{" + strings.Repeat("x", 1000), 256},
		{strings.Repeat(" ", 100) + "{" + strings.Repeat("x", 1000), 356},
		{strings.Repeat(" ", 10_000), 4096},
		{strings.Repeat(" ", 4095), 4095},
	} {
		r := io.NopCloser(iotest.OneByteReader(strings.NewReader(test.text)))
		p := &pager{address: "http://example.test/x", first: &body{r: r, left: 1 << 20}}
		if head, err := p.peek(); len(head) != test.want || err != nil {
			t.Errorf("%d bytes read of %.110q, want %d (%v)", len(head), test.text, test.want, err)
		}
	}
}
