package listen

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"turns/model/load"
	"turns/query"
	"turns/query/summary"
)

// The traces of the SDKs are a session, with each message, call and token counted once, even if
// they are sent again in other batches.
func TestBodiesOfSDKs(t *testing.T) {
	for _, c := range []struct {
		file                             string
		messages, calls, errors, in, out int
	}{
		{"genai-1.jsonl", 4, 1, 0, 75, 11},
		{"genai-2-logs.jsonl", 4, 1, 0, 75, 11},
		{"genai-3.jsonl", 4, 1, 0, 75, 11},
		{"genai-untold.jsonl", 3, 1, 0, 75, 11},
		{"openinference.jsonl", 5, 1, 0, 170, 24},
		{"langsmith.jsonl", 4, 1, 0, 120, 14},
		{"traceloop.jsonl", 4, 1, 0, 75, 11},
		{"vercel-otlp.jsonl", 4, 1, 0, 75, 11},
		{"claude-code-logs.jsonl", 5, 1, 1, 32, 130},
		{"codex-logs.jsonl", 4, 1, 0, 200, 90},
	} {
		data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "formats", "otel", c.file))
		if err != nil {
			t.Fatal(err)
		}
		r, path := open(t, "")
		r.most, r.pieces = maxBody, maxPieces
		lines := bytes.Split(bytes.TrimSpace(data), []byte("\n"))
		for _, line := range append(lines, resent(t, lines)...) {
			if w := send(r, "POST", pathOf(line), string(line)); w.Code != 200 {
				t.Fatalf("%s: %d %s", c.file, w.Code, w.Body)
			}
		}
		got, err := load.Open(t.Context(), path, load.Options{})
		if err != nil {
			t.Fatal(err)
		}
		snap, err := got.Load(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		s, err := load.Summarise(t.Context(), path)
		if err != nil || s.Format != "otel" || s.Messages != c.messages || s.Calls != c.calls || s.Errors != c.errors {
			t.Errorf("%s: %v %s with %d messages, %d calls, %d errors; want %d, %d, %d", c.file, err, s.Format, s.Messages, s.Calls, s.Errors, c.messages, c.calls, c.errors)
		}
		stats, err := summary.Stats(t.Context(), query.Everything(snap), nil)
		if err != nil {
			t.Fatal(err)
		}
		if u := stats.Usage; u.Input == nil || u.Output == nil || *u.Input != int64(c.in) || *u.Output != int64(c.out) {
			t.Errorf("%s: %+v; want %d tokens in, %d out", c.file, stats.Usage, c.in, c.out)
		}
		got.Close()
	}
}

// pathOf returns the path for a request.
func pathOf(body []byte) string {
	if bytes.Contains(body, []byte("resourceLogs")) {
		return "/v1/logs"
	}
	return "/v1/traces"
}

// resent returns one batch of each kind with the content of all.
func resent(t *testing.T, lines [][]byte) (again [][]byte) {
	whole := map[string][]any{}
	for _, line := range lines {
		var body map[string][]any
		if err := json.Unmarshal(line, &body); err != nil {
			t.Fatal(err)
		}
		for name, list := range body {
			whole[name] = append(whole[name], list...)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(whole)) {
		list := whole[name]
		body, err := json.Marshal(map[string]any{name: list})
		if err != nil {
			t.Fatal(err)
		}
		again = append(again, body)
	}
	return again
}
