//go:build unix

package listen

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

const received = `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"1"}]}]}]}`

// A file of other content than received requests is not changed, whatever it looks like.
func TestOtherFilesAreNotTouched(t *testing.T) {
	for name, text := range map[string]string{
		"JSON of a line without an end":   `{"name":"app","version":"1.0.0"}`,
		"JSON of a line":                  `{"name":"app"}` + "\n",
		"JSON of several lines":           "{\n  \"name\": \"app\"\n}\n",
		"a session":                       `{"type":"user","message":{}}` + "\n" + `{"type":"assistant","message":{}}`,
		"a session that names requests":   `{"type":"user","text":"\"resourceSpans\":[]"}` + "\n",
		"half an object":                  `{"name":"ap`,
		"requests, then something else":   received + "\n" + `{"type":"user"}` + "\n",
		"requests, then a value":          received + "\n" + `{"type":"user"}`,
		"requests, then text":             received + "\n" + "what is this\n",
		"a list":                          "[" + received + "]",
		"text":                            "notes",
		"an empty line":                   "\n",
		"bytes":                           "\x00\x01\x02",
		"an object without a list":        `{"resourceSpans":{}}` + "\n",
		"a request after a broken one":    `{"resourceSpans":[` + "\n" + received + "\n",
		"a request behind blanks":         "  " + received + "\n",
		"metrics, which are not received": `{"resourceMetrics":[]}` + "\n",
	} {
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if s, err := OpenSpool(path); err == nil {
			s.Close()
			t.Errorf("%s: received into it", name)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("%s: was %q, is %q, %v", name, text, got, err)
		}
	}
}

// No request is lost: a last line without a line feed gets one, an incomplete line is removed.
func TestEndOfASpool(t *testing.T) {
	for text, want := range map[string]string{
		received:                                received + "\n",
		received + "\n" + received[:30]:         received + "\n",
		received[:30]:                           "",
		received + "\n":                         received + "\n",
		"":                                      "",
		received + "\n" + `{"resourceLogs":[]}`: received + "\n" + `{"resourceLogs":[]}` + "\n",
		`{"resourceLogs":[]}` + "\n" + `{"schema":1`: `{"resourceLogs":[]}` + "\n",
		received + "\r\n" + received[:30]:            received + "\r\n",
		received + "\n" + received[:len(received)-1]: received + "\n",
		received + "\n" + received[:1]:               received + "\n",
	} {
		path := filepath.Join(t.TempDir(), "spool.jsonl")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := OpenSpool(path)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		s.Close()
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%q became %q, want %q, %v", text, got, want, err)
		}
	}
}

// A second program cannot write to the same spool until the first one has ended.
func TestOneReceiverToASpool(t *testing.T) {
	path := filepath.Join(t.TempDir(), "spool.jsonl")
	first, err := OpenSpool(path)
	if err != nil {
		t.Fatal(err)
	}
	link := path + ".link"
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path, link} {
		if _, err := OpenSpool(name); err == nil || !strings.Contains(err.Error(), "another turns listen") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := first.add([]byte(received)); err != nil {
		t.Fatal(err)
	}
	first.Close()
	second, err := OpenSpool(path)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, []byte(received+"\n")) {
		t.Errorf("%q, %v", got, err)
	}
}

// A pipe or a device instead of the file is rejected immediately.
func TestSpoolIsARegularFile(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	socket := filepath.Join(dir, "s")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	links := []string{}
	for i, to := range []string{pipe, "/dev/zero", dir, socket} {
		link := filepath.Join(dir, fmt.Sprint("link", i))
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
		links = append(links, link)
	}
	for _, path := range append(links, pipe, "/dev/null", "/dev/zero", dir, socket, "/dev/full", filepath.Join(pipe, "below")) {
		if s, err := OpenSpool(path); err == nil {
			s.Close()
			t.Errorf("received into %s", path)
		}
	}
}
