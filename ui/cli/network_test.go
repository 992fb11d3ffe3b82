package cli

import (
	"io"
	"io/fs"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"turns/model/modeltest"
)

// TestCertificatesAreVerified: a server with an untrusted certificate gets no request.
func TestCertificatesAreVerified(t *testing.T) {
	asked := false
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	code, _, errs := run(t, "", "stats", server.URL+"/x.jsonl", "-H", "Authorization: secret")
	if code == 0 || asked || !strings.Contains(errs, "certificate") {
		t.Errorf("exit %d, asked %v: %s", code, asked, errs)
	}
}

// TestWhatAProxySees: for an https address its host and port, for an http one everything.
func TestWhatAProxySees(t *testing.T) {
	var seen []string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.Method+" "+r.RequestURI+" "+r.Header.Get("Authorization"))
		w.WriteHeader(http.StatusTeapot)
	}))
	defer proxy.Close()
	for _, address := range []string{"https://example.test/secret", "http://example.test/open"} {
		cmd := exec.Command("turns", "stats", address, "-H", "Authorization: token")
		cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "HTTPS_PROXY="+proxy.URL, "HTTP_PROXY="+proxy.URL, "NO_PROXY=")
		if out, err := cmd.CombinedOutput(); err == nil {
			t.Errorf("%s: %s", address, out)
		}
	}
	if got := strings.Join(seen, "|"); got != "CONNECT example.test:443 |GET http://example.test/open token" {
		t.Errorf("the proxy has seen %q", got)
	}
}

// TestNobodyElseAsksServers: two packages open connections, to URLs and to buckets, and only to the
// given ones. One command waits for connections.
func TestNobodyElseAsksServers(t *testing.T) {
	modeltest.Long(t, "it reads every file of ours")
	opens := regexp.MustCompile(`\b(net\.(Dial\w*|Listen\w*|Lookup\w*|Resolver)|http\.(Client|DefaultClient|Get|Head|Post|NewRequest|NewRequestWithContext|Transport|ListenAndServe|Serve))\b`)
	found := 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		src, err := os.ReadFile(path)
		if !opens.Match(src) {
			return err
		}
		found++
		listens := filepath.Base(path) == "listen.go" && !regexp.MustCompile(`net\.Dial|net\.Lookup|http\.(Client|DefaultClient|Get|Head|Post|NewRequest|Transport)\b`).Match(src)
		asks := strings.HasPrefix(filepath.ToSlash(path), "../../model/source/web/") || strings.HasPrefix(filepath.ToSlash(path), "../../model/source/bucket/")
		if !asks && !listens {
			t.Errorf("%s opens connections", path)
		}
		return err
	})
	if err != nil || found == 0 {
		t.Errorf("%d files, %v", found, err)
	}
}
