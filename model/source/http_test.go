package source

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"turns/model"
)

func serve(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

func TestURL(t *testing.T) {
	var mu sync.Mutex
	seen := map[string]string{}
	note := func(r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		seen[r.Host+r.URL.Path] = r.Header.Get("X-Api-Key") + r.Header.Get("Authorization")
	}
	other := serve(t, func(w http.ResponseWriter, r *http.Request) {
		note(r)
		fmt.Fprint(w, two)
	})
	var server *httptest.Server
	stop := make(chan struct{})
	server = serve(t, func(w http.ResponseWriter, r *http.Request) {
		note(r)
		switch r.URL.Path {
		case "/ok":
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, two)
		case "/gz":
			fmt.Fprint(w, gzipped(two))
		case "/near":
			http.Redirect(w, r, "/ok", http.StatusFound)
		case "/far":
			http.Redirect(w, r, other.URL+"/there", http.StatusTemporaryRedirect)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/file":
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		case "/html":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, "<html>")
		case "/500":
			http.Error(w, "boom", http.StatusInternalServerError)
		case "/empty":
			w.Header().Set("Content-Type", "application/json")
		case "/empty-stream":
			w.Header().Set("Content-Type", "application/x-ndjson")
		case "/422":
			w.WriteHeader(http.StatusUnprocessableEntity)
			fmt.Fprint(w, `{"detail":[{"loc":["query","limit"],"msg":"value is not a valid integer"}]}`)
		case "/401":
			http.Error(w, "no", http.StatusUnauthorized)
		case "/broken":
			w.Header().Set("Content-Length", "1000")
			fmt.Fprint(w, two)
		case "/slow":
			fmt.Fprint(w, two)
			w.(http.Flusher).Flush()
			<-stop
		case "/silent":
			<-stop
		case "/big":
			fmt.Fprint(w, strings.Repeat(two, 100))
		default:
			http.NotFound(w, r)
		}
	})
	t.Cleanup(func() { close(stop) })
	header := http.Header{"X-Api-Key": {"secret"}, "Authorization": {"token"}}
	tests := []struct{ path, want, err string }{
		{"/ok", two, ""},
		{"/gz", two, ""},
		{"/near", two, ""},
		{"/far", two, ""},
		{"/none", "", `/none": the server answered 404 Not Found`},
		{"/500", "", "500 Internal Server Error"},
		{"/empty", "", "the answer is empty"},
		{"/empty-stream", "", ""},
		{"/422", "", `422 Unprocessable Entity: "value is not a valid integer"`},
		{"/401", "", "give credentials with -H"},
		{"/html", "", `type "text/html", which is no transcript`},
		{"/loop", "", "more than 10 redirects"},
		{"/file", "", "redirected to"},
		{"/broken", two, "the answer broke off after 16 bytes: unexpected EOF"},
		{"/slow", two, "the answer stopped after 16 bytes"},
		{"/silent", "", "no answer in time"},
		{"/big", strings.Repeat(two, 100)[:1000], "beyond the limit of 1.0 kB"},
	}
	for _, test := range tests {
		opts := Options{Header: header, Limits: model.Limits{Response: 1000}}
		if test.path == "/slow" || test.path == "/silent" {
			opts.Timeout = 50 * time.Millisecond
		}
		s, err := Open(t.Context(), server.URL+test.path, opts)
		got := ""
		if err == nil {
			equal(t, "name", s.Name(), test.path[1:])
			got, err = drain(t, s)
			s.Close()
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q", test.path, got, test.want)
		}
		if test.err == "" && err != nil || test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)) {
			t.Errorf("%s: error %v, want %q", test.path, err, test.err)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the error tells a header", test.path)
		}
	}
	host := func(s *httptest.Server) string { return strings.TrimPrefix(s.URL, "http://") }
	equal(t, "headers to the host", seen[host(server)+"/ok"], "secrettoken")
	equal(t, "headers to another host", seen[host(other)+"/there"], "")
}

func TestURLErrors(t *testing.T) {
	gone := serve(t, nil)
	gone.Close()
	if _, err := Open(t.Context(), gone.URL+"/x", Options{}); err == nil || !strings.Contains(err.Error(), "get \"http://127.0.0.1") {
		t.Errorf("no server listens: %v", err)
	}
	tls := httptest.NewUnstartedServer(http.NotFoundHandler())
	tls.Config.ErrorLog = log.New(io.Discard, "", 0)
	tls.StartTLS()
	defer tls.Close()
	if _, err := Open(t.Context(), tls.URL, Options{}); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("an unknown certificate: %v", err)
	}
	_, err := Open(t.Context(), strings.Replace(gone.URL, "http://", "http://user:secret@", 1), Options{})
	if err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("the error tells a password: %v", err)
	}
}
