package cli

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"turns/model"
	"turns/model/load"
)

// history serves the endpoints: generations with messages, and two pages of events.
func history(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	switch r.URL.Path {
	case "/api/dialogs":
		fmt.Fprint(w, `{"current_dialog_id":"b","dialogs":[{"id":"b","title":"Reading a file","created_at":"2026-01-02T10:00:00Z","updated_at":"2026-01-03T10:00:00Z"},
			{"title":"no id"},{"id":"c d","title":null}]}`)
	case "/api/other/dialogs":
		fmt.Fprint(w, `{"detail":"none"}`)
	case "/api/dialogs/b/history":
		fmt.Fprint(w, `{"dialog_id":"b","messages":[
			{"type":"human","content":"Read file.py","index":0,"timestamp":null,"tool_calls":null,"reasoning_id":null,"model_name":null},
			{"type":"reasoning","content":"Let me see","index":1,"timestamp":"2025-10-15T20:00:01Z","tool_calls":null,"reasoning_id":1,"model_name":"gpt-4o"},
			{"type":"ai","content":"Reading","index":2,"timestamp":null,"tool_calls":[{"id":"call_1","name":"read_file","args":{"path":"file.py"}}],"reasoning_id":null,"model_name":null}],
			"tool_calls":[{"tool_call_id":"call_1","tool_name":"read_file","args":{},"result_preview":"short...","has_full_result":true,"timestamp":null,"message_index":-1}],
			"total_messages":3,"total_reasoning":1,"total_tool_calls":1}`)
	case "/api/dialogs/c/history":
		fmt.Fprint(w, `{"dialog_id":"c","messages":[{"type":"human","content":"Read file.py"},{"type":"tool_call","tool_name":"read_file","args":{"path":"file.py"},"result_preview":"short"}],"total_messages":2}`)
	case "/api/dialogs/d/history":
		if r.URL.Query().Get("before") == "2" {
			fmt.Fprint(w, `{"dialog_id":"d","events":[{"type":"user","idx":0,"content":"first words"},{"type":"chat","idx":1,"content":"first answer"}],"total_events":5,"has_more":false,"first_idx":0,"last_idx":1}`)
			return
		}
		fmt.Fprint(w, `{"dialog_id":"d","events":[{"type":"user","idx":2,"content":"last words"},{"type":"tool_call","id":"call_1","name":"read_file","args":{"path":"file.py"}},{"type":"chat","idx":3,"content":"last answer"}],"total_events":5,"has_more":true,"first_idx":2,"last_idx":3}`)
	case "/api/dialogs/half/history":
		if r.URL.Query().Get("before") != "" {
			w.WriteHeader(http.StatusInternalServerError)
			fmt.Fprint(w, `{"detail":"disk full"}`)
			return
		}
		fmt.Fprint(w, `{"dialog_id":"half","events":[{"type":"user","idx":2,"content":"last words"}],"has_more":true,"first_idx":2}`)
	case "/api/dialogs/broken/history":
		fmt.Fprint(w, `{"dialog_id":"broken","messages":[{"type":"human","content":"whole","index":0},{"type":"ai","cont`)
	case "/api/dialogs/secret/history":
		if r.Header.Get("Authorization") != "Bearer t" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		fmt.Fprint(w, `{"dialog_id":"secret","messages":[{"type":"human","content":"hidden words","index":0}]}`)
	case "/page":
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<html>")
	case "/api/dialogs/b/tool-results/call_1":
		fmt.Fprint(w, `{"tool_call_id":"call_1","tool_name":"read_file","args":{"path":"file.py"},"result":{"content":"the whole file"}}`)
	default:
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"detail":"Dialog not found"}`)
	}
}

func TestHistoryOfAServer(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(history))
	defer server.Close()
	tests := []struct {
		path   string
		header string
		code   int
		out    []string // in this order
		errs   []string
	}{
		{"/api/dialogs/b/history", "", exitOK, []string{"Read file.py", "Let me see", "Reading", "read_file", "file.py  · 1 line"}, nil},
		{"/api/dialogs/c/history", "", exitOK, []string{"Read file.py", "read_file"}, nil},
		{"/api/dialogs/d/history", "", exitOK, []string{"first words", "first answer", "last words", "read_file", "last answer"}, nil},
		{"/api/dialogs/half/history", "", exitError, []string{"last words"}, []string{"the messages before 2 are missing", "500", "disk full"}},
		{"/api/dialogs/broken/history", "", exitError, []string{"whole"}, []string{"breaks off"}},
		{"/api/dialogs/secret/history", "Authorization: Bearer t", exitOK, []string{"hidden words"}, nil},
		{"/api/dialogs/secret/history", "", exitError, nil, []string{"401 Unauthorized", "turns: hint: turns -H"}},
		{"/api/dialogs/none/history", "", exitError, nil, []string{`404 Not Found: "Dialog not found"`, "turns: hint: check the address"}},
		{"/page", "", exitError, nil, []string{`type "text/html"`, "turns: hint: give the address of the data"}},
	}
	for _, test := range tests {
		args := []string{"show", server.URL + test.path}
		if test.header != "" {
			args = append(args, "-H", test.header)
		}
		code, out, errs := run(t, "", args...)
		if code != test.code {
			t.Errorf("%s: exit code %d, want %d", test.path, code, test.code)
		}
		at := 0
		for _, want := range test.out {
			i := strings.Index(out[at:], want)
			if i < 0 {
				t.Errorf("%s: no %q behind byte %d of\n%s", test.path, want, at, out)
				break
			}
			at += i
		}
		for _, want := range test.errs {
			if !strings.Contains(errs, want) {
				t.Errorf("%s: stderr has no %q: %s", test.path, want, errs)
			}
		}
		if test.errs == nil && errs != "" {
			t.Errorf("%s: stderr %q", test.path, errs)
		}
	}
	code, _, errs := run(t, "", "show", "http://127.0.0.1:1/api/dialogs/x/history")
	if code != exitError || !strings.Contains(errs, "turns: hint: is the server running") {
		t.Errorf("no server listens: %d, %q", code, errs)
	}
}

// TestDialogsOfAServer lists them, each with the address that opens it.
func TestDialogsOfAServer(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(history))
	defer server.Close()
	tests := []struct {
		args      []string
		code      int
		out, errs string // patterns; "": empty
	}{
		{
			[]string{"/api/dialogs", "--utc"}, exitError,
			`^2026-01-03 10:00  AgentSmithy .*  Reading a file .*/api/dialogs/b/history\n· .*/api/dialogs/c%20d/history\n$`, "dialog 2 has no id",
		},
		{[]string{"/api/dialogs", "-q", "title:reading", "--json"}, exitError, `^{"path":"http.*/dialogs/b/history",.*"session_id":"b"[^\n]*\n$`, "dialog 2"},
		{[]string{"/api/dialogs", "-q", "tool:read_file"}, exitError, `^[^\n]*/dialogs/b/history\n$`, `c%20d/history.*404 Not Found: "Dialog not found"`},
		{[]string{"/api/other/dialogs"}, exitError, "", "the answer is not a list of dialogs"},
		{[]string{"/api/none/dialogs"}, exitError, "", `404 Not Found: "Dialog not found"`},
		{[]string{"/api/dialogs/b/history"}, exitError, "", "hint: turns show URL shows a conversation"},
	}
	for _, test := range tests {
		code, out, errs := run(t, "", append([]string{"ls", server.URL + test.args[0]}, test.args[1:]...)...)
		if code != test.code || !regexp.MustCompile(test.out).MatchString(out) || test.out == "" && out != "" || !regexp.MustCompile(test.errs).MatchString(errs) {
			t.Errorf("ls %s: exit code %d, %q, %q", test.args, code, out, errs)
		}
	}
}

// TestFullResultIsFetchedFromTheServer follows each address in the transcript.
func TestFullResultIsFetchedFromTheServer(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(history))
	defer server.Close()
	c, err := load.Open(t.Context(), server.URL+"/api/dialogs/b/history", load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	snap, err := c.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	places := 0
	for n := range snap.Rows() {
		m, err := snap.Body(t.Context(), model.ID(n))
		if err != nil {
			t.Fatal(err)
		}
		for i := range m.Blocks {
			b := &m.Blocks[i]
			if b.Elsewhere == "" {
				continue
			}
			places++
			text, err := c.FetchText(t.Context(), b)
			if want := "{\n  \"content\": \"the whole file\"\n}"; err != nil || text != want {
				t.Errorf("%s: %q, %v; want %q", b.Elsewhere, text, err, want)
			}
		}
	}
	if places == 0 {
		t.Error("no place is named")
	}
}

// TestServerWritesNothingOnTheScreen: if a server continues after its response, the HTTP library
// must not log to the screen.
func TestServerWritesNothingOnTheScreen(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			if _, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
				const answer = `{"messages":[{"role":"user","content":"seen"}]}`
				fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%sowned owned owned\r\n", len(answer), answer)
			}
			c.Close()
		}
	}()
	cmd := exec.Command("turns", "show", "http://"+l.Addr().String()+"/x")
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil || !strings.Contains(out.String(), "seen") || errs.Len() > 0 {
		t.Errorf("%v, %q, on the screen %q", err, out.String(), errs.String())
	}
}
