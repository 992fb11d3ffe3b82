package source

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFetchStaysBelowTheAddress(t *testing.T) {
	var asked []string
	other := serve(t, func(w http.ResponseWriter, r *http.Request) { asked = append(asked, "other"); fmt.Fprint(w, "secret") })
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.EscapedPath()+" "+r.Header.Get("X-Key"))
		switch {
		case strings.HasSuffix(r.URL.Path, "/away"):
			http.Redirect(w, r, other.URL, http.StatusFound)
		case strings.HasSuffix(r.URL.Path, "/none"):
			http.NotFound(w, r)
		case strings.HasSuffix(r.URL.Path, "/history"):
			fmt.Fprint(w, `{"dialog_id":"d7","messages":[]}`)
		default:
			fmt.Fprint(w, `{"result":"whole"}`)
		}
	})
	s, err := Open(t.Context(), server.URL+"/api/dialogs/d7/history?limit=5", Options{Header: http.Header{"X-Key": {"k"}}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	asked = nil
	tests := []struct{ place, want, path, err string }{
		{"/tool-results/call_1", `{"result":"whole"}`, "/api/dialogs/d7/tool-results/call_1 k", ""},
		{"/tool-results/a b?x#y", `{"result":"whole"}`, "/api/dialogs/d7/tool-results/a%20b%3Fx%23y k", ""},
		{"/tool-results/none", "", "/api/dialogs/d7/tool-results/none k", "404 Not Found"},
		{"/tool-results/away", "", "/api/dialogs/d7/tool-results/away k", "redirected to another server"},
		{"/tool-results/../../secrets", "", "", "only what lies below"},
		{"//evil.example/x", "", "", "only what lies below"},
		{"http://evil.example/x", "", "", "only what lies below"},
		{"file:///etc/passwd", "", "", "only what lies below"},
		{"", "", "", "no place"},
	}
	for _, test := range tests {
		asked = nil
		got, err := s.Fetch(t.Context(), test.place)
		if string(got) != test.want || strings.Join(asked, " ") != test.path {
			t.Errorf("%q: %q from %q, want %q from %q", test.place, got, asked, test.want, test.path)
		}
		if test.err == "" && err != nil || test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)) {
			t.Errorf("%q: error %v, want %q", test.place, err, test.err)
		}
	}
}

func TestFetchStaysInTheFolder(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "project")
	if err := os.MkdirAll(filepath.Join(dir, "run", "tool-results"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"secret": "secret", "project/run.jsonl": two, "project/run/tool-results/a.txt": "spilled"} {
		if err := os.WriteFile(filepath.Join(top, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(top, "secret"), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), filepath.Join(dir, "run.jsonl"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for place, want := range map[string]string{
		filepath.Join(dir, "run", "tool-results", "a.txt"):    "spilled",
		"/home/ada/.claude/projects/p/run/tool-results/a.txt": "spilled", // moved here
		"run/tool-results/a.txt":                              "spilled",
		filepath.Join(top, "secret"):                          "",
		"../secret":                                           "",
		"/etc/passwd":                                         "",
		"link":                                                "",
		"run":                                                 "",
		"/x/run/../../secret":                                 "",
	} {
		got, err := s.Fetch(t.Context(), place)
		if string(got) != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v; want %q", place, got, err, want)
		}
	}
}

// TestFetchLeavesLargeFiles: Fetch reads a file of 16 MiB, and reports one with a byte more.
func TestFetchLeavesLargeFiles(t *testing.T) {
	dir := t.TempDir()
	path, large := filepath.Join(dir, "run.jsonl"), filepath.Join(dir, "large")
	for _, name := range []string{path, large} {
		if err := os.WriteFile(name, []byte(two), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for size, want := range map[int64]string{16 << 20: "", 16<<20 + 1: "larger than the limit of 17 MB"} {
		if err := os.Truncate(large, size); err != nil { // grows
			t.Fatal(err)
		}
		got, err := s.Fetch(t.Context(), "large")
		if want == "" && (err != nil || int64(len(got)) != size) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%d bytes: read %d, %v; expected the error %q", size, len(got), err, want)
		}
	}
}
