package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// clientTexts steer a terminal, each in a different way.
var clientTexts = []string{
	"\x1b]0;evil\a", "\x1b[31m", "\x1b]52;c;ZXZpbA==\a", "\u009b31m", "\u202e", "\x1b[?1049h", "\r\x1b[2K", "\a", "\b\b\b", "\u2066", "\x1bP1$r\x1b\\", "\x7f",
}

// TestSendersSteerNoTerminal uses each text as the name and value of attributes, resources, scopes,
// spans and events of a trace: no command writes it to a terminal.
func TestSendersSteerNoTerminal(t *testing.T) {
	dir := t.TempDir()
	for n, text := range clientTexts {
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		x := strings.Trim(string(quoted), `"`)
		trace := strings.ReplaceAll(`{"resourceSpans":[{"resource":{"attributes":[{"key":"service.nameX","value":{"stringValue":"X"}},{"key":"service.name","value":{"stringValue":"sX"}}]},`+
			`"scopeSpans":[{"scope":{"name":"sX","attributes":[{"key":"X","value":{"stringValue":"y"}}]},"spans":[{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b7ad6b7169203331","name":"chat X",`+
			`"startTimeUnixNano":"1760000000000000000","endTimeUnixNano":"1760000001000000000","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},`+
			`{"key":"gen_ai.systemX","value":{"stringValue":"vX"}},{"key":"gen_ai.request.model","value":{"stringValue":"mX"}},{"key":"mcp.client.name","value":{"stringValue":"cX"}},`+
			`{"key":"gen_ai.prompt.0.role","value":{"stringValue":"user"}},{"key":"gen_ai.prompt.0.content","value":{"stringValue":"hiX"}},{"key":"gen_ai.completion.0.content","value":{"stringValue":"yo"}}],`+
			`"events":[{"name":"eX","attributes":[{"key":"kX","value":{"stringValue":"z"}}]}]}]}]}]}`, "X", x)
		path := filepath.Join(dir, fmt.Sprintf("trace%d.jsonl", n))
		if err := os.WriteFile(path, []byte(trace+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, command := range []string{"show", "stats", "tools", "timeline", "ls", "read", "recap"} {
			var out, errs strings.Builder
			Run(t.Context(), []string{command, path}, IO{In: strings.NewReader(""), Out: &out, Err: &errs, Terminal: true, Env: noEnv})
			if strings.Contains(out.String(), text) || unfit(errs.String()) != "" {
				t.Errorf("%q: %s prints %q %q", text, command, out.String(), errs.String())
			}
		}
	}
}

// TestRefusedRequestsSteerNoTerminal sends each text wherever turns listen repeats it: in the path,
// the media type, the encoding and the body.
func TestRefusedRequestsSteerNoTerminal(t *testing.T) {
	told, complaints := io.Pipe()
	ended := make(chan int, 1)
	ctx := t.Context()
	spool := filepath.Join(t.TempDir(), "spool.jsonl")
	go func() {
		ended <- Run(ctx, []string{"listen", "127.0.0.1:0", "-o", spool}, IO{In: strings.NewReader(""), Out: io.Discard, Err: complaints, Env: noEnv})
		complaints.Close()
	}()
	line := make([]byte, 64<<10)
	next := func() string {
		n, err := told.Read(line)
		if err != nil {
			t.Fatal(err)
		}
		return string(line[:n])
	}
	_, after, _ := strings.Cut(next(), "http://")
	address, _, _ := strings.Cut(after, ",")
	for _, text := range clientTexts {
		escaped := ""
		for _, b := range []byte(text) {
			escaped += fmt.Sprintf("%%%02x", b)
		}
		quoted, _ := json.Marshal(text)
		body := `{"resourceSpans":` + string(quoted) + `,"X` + text + `":1`
		for _, request := range []string{
			"POST /v1/" + escaped + " HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: 0\r\n\r\n",
			"POST /v1/traces HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: " + fmt.Sprint(len(body)) + "\r\n\r\n" + body,
		} {
			c, err := net.Dial("tcp", address)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.WriteString(c, request); err != nil {
				t.Fatal(err)
			}
			if said := next(); unfit(said) != "" || !strings.Contains(said, "refused") {
				t.Errorf("%q: %q", text, said)
			}
			c.Close()
		}
	}
}

// TestClientsSteerNoTerminal uses each text as the name of a client, its version, a tool and an
// argument: turns answers all requests, and neither the answers nor the error messages contain
// it.
func TestClientsSteerNoTerminal(t *testing.T) {
	for _, text := range clientTexts {
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		in := strings.ReplaceAll(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":X,"title":X,"version":X}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":X,"arguments":{}}}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"sessions","arguments":{X:X}}}
{"jsonrpc":"2.0","id":4,"method":X,"params":{}}
`, "X", string(quoted))
		hold, send := io.Pipe()
		answers, out := io.Pipe()
		var errs strings.Builder
		ended := make(chan int, 1)
		go func() {
			ended <- Run(t.Context(), []string{"mcp", t.TempDir()}, IO{In: hold, Out: out, Err: &errs, Terminal: true, Env: noEnv})
			out.Close()
		}()
		go func() { _, _ = io.WriteString(send, in) }()
		lines := bufio.NewScanner(answers)
		lines.Buffer(nil, 1<<20)
		seen := 0
		for seen < 4 && lines.Scan() {
			var answer struct{ ID int }
			if json.Unmarshal(lines.Bytes(), &answer) == nil && answer.ID > 0 {
				seen++
			}
			if strings.ContainsAny(lines.Text(), "\x1b\a\b\r\x7f") {
				t.Errorf("%q: %q", text, lines.Text())
			}
		}
		send.Close()
		go func() { _, _ = io.Copy(io.Discard, answers) }()
		<-ended
		if why := unfit(errs.String()); why != "" || seen < 4 {
			t.Errorf("%q: %s, %d of 4 answers, %v", text, why, seen, lines.Err())
		}
	}
}
