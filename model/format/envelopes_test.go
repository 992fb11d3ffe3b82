package format

import (
	"strings"
	"testing"

	"turns/model"
	"turns/model/format/infer"
)

// TestContentOfEnvelopes recognises records by the contents of envelopes: records that are lists,
// and messages of no known format, which count only if they name a speaker.
func TestContentOfEnvelopes(t *testing.T) {
	const event = `{"id":"e2","processed_at":"2026-07-06T16:26:34Z","type":"user.message","content":[{"type":"text","text":"date?"}]}`
	const pair = `["client.beta.sessions.events.stream",` + event + `]`
	for _, c := range []struct {
		name, line, format, inside string
		words                      int // in three lines
	}{
		{"a pair", pair, "managed-agents", "", 3},
		{"a pair in an event", `{"at":"2026-07-06T16:26:34Z","event":` + pair + `}`, "managed-agents", "event", 3},
		{"a list with a pair", `[` + pair + `]`, "managed-agents", "[]", 3},
		{"a row with pairs", `{"instance_id":"t-1","history":[` + pair + `,` + pair + `],"score":1,"metadata":{"model":"m"}}`, "managed-agents", "history", 6},
		{"a narrator in an event", `{"at":"2026-07-06T16:26:34Z","event":{"role":"narrator","parts":[{"text":"It was a dark night."}]}}`, "generic", "event", 0},
		{"prompts in an event", `{"at":"2026-07-06T16:26:34Z","event":{"prompt":"Name a river.","response":"The Rhine."}}`, "pairs", "event", 6},
		{"commits in an event", `{"at":"2026-07-06T16:26:34Z","event":{"author":"ada","message":"Fix the build"}}`, "records", "", 0},
	} {
		s := &model.Sample{Path: "x.jsonl", Records: [][]byte{[]byte(c.line), []byte(c.line), []byte(c.line)}}
		f, m := Detect(s)
		_, inside, _ := strings.Cut(m.Reason, ", inside of ")
		if f.Name != c.format || inside != c.inside {
			t.Errorf("%s is read as %s inside of %q (%s), want %s inside of %q", c.name, f.Name, inside, m.Reason, c.format, c.inside)
		}
		if told := infer.Read(f, m, s); told.Words() != c.words {
			t.Errorf("%s: %d messages have words, want %d", c.name, told.Words(), c.words)
		}
	}
}
