package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
)

// An invalid line is answered with an error, and the next one is answered as usual.
func TestGarbageEndsNothing(t *testing.T) {
	for name, line := range map[string]string{
		"no JSON": "what", "half an object": `{"jsonrpc":"2.0",`, "a number": "7", "a string": `"x"`, "null": "null", "a list": "[]",
		"a list of a message": `[{"jsonrpc":"2.0","id":9,"method":"ping"}]`, "no version": `{"id":1,"method":"ping"}`, "another version": `{"jsonrpc":"1.0","id":1,"method":"ping"}`,
		"an id that is an object": `{"jsonrpc":"2.0","id":{},"method":"ping"}`, "a method that is a number": `{"jsonrpc":"2.0","id":1,"method":1}`,
		"neither method nor result": `{"jsonrpc":"2.0","id":1}`, "two values": `{"jsonrpc":"2.0","id":1,"method":"ping"} {}`, "bytes": "\xff\xfe\x00", "NUL": "\x00\x00",
		"deep JSON": strings.Repeat("[", 100_000), "5 MB": `{"x":"` + strings.Repeat("y", 5<<20) + `"}`, "a blank line": "   ",
		"control characters": "\x1b]0;x\a",
	} {
		t.Run(name, func(t *testing.T) {
			in, send := io.Pipe()
			answers, out := io.Pipe()
			done := make(chan error, 1)
			go func() {
				done <- Serve(t.Context(), Options{Roots: []string{t.TempDir()}, Run: func(context.Context, []string, io.Writer, io.Writer) int { return 0 }}, in, out)
				out.Close()
			}()
			go func() {
				init := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
				for _, l := range []string{init, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, line, `{"jsonrpc":"2.0","id":77,"method":"ping"}`} {
					if _, err := io.WriteString(send, l+"\n"); err != nil {
						return
					}
				}
			}()
			answered, r := false, bufio.NewReader(answers)
			for !answered {
				text, err := r.ReadString('\n')
				if err != nil {
					t.Fatalf("no answer after it: %v", err)
				}
				var m struct{ ID any }
				if json.Unmarshal([]byte(text), &m) != nil {
					t.Fatalf("no JSON in the answer: %q", text)
				}
				answered = m.ID == 77.0
			}
			go func() { _, _ = io.Copy(io.Discard, r) }()
			send.Close()
			if err := <-done; err != nil {
				t.Errorf("the end: %v", err)
			}
		})
	}
}
