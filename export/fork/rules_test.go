package fork

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// jsonLines returns the objects of a file of JSON lines.
func jsonLines(t *testing.T, path string) (lines []map[string]any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	scan := bufio.NewScanner(bytes.NewReader(data))
	scan.Buffer(nil, 64<<20)
	for scan.Scan() {
		var v map[string]any
		if err := json.Unmarshal(scan.Bytes(), &v); err != nil {
			t.Fatalf("%s: %v in %.200s", path, err, scan.Text())
		}
		lines = append(lines, v)
	}
	return lines
}

// text returns the string at a path of keys.
func text(v any, path ...string) string {
	for _, key := range path {
		m, _ := v.(map[string]any)
		v = m[key]
	}
	s, _ := v.(string)
	return s
}

// readerRules check the requirements of each agent's reader for a resumed session.
var readerRules = map[string]func(t *testing.T, p *Plan, path string){
	"claude-code": claudeRules, "codex": codexRules, "pi": piRules, "gemini-cli": geminiRules,
}

// claudeRules: one session id, unique uuids, parents before their children.
func claudeRules(t *testing.T, p *Plan, path string) {
	seen := map[string]bool{}
	for i, l := range jsonLines(t, path) {
		if id := text(l, "sessionId"); l["sessionId"] != nil && id != p.ID {
			t.Errorf("line %d is of session %q, want %q", i, id, p.ID)
		}
		for _, name := range []string{"parentUuid", "sourceToolAssistantUUID"} {
			if parent := text(l, name); parent != "" && !seen[parent] {
				t.Errorf("line %d: %s %q is not before it", i, name, parent)
			}
		}
		id := text(l, "uuid")
		if id != "" && seen[id] {
			t.Errorf("line %d: the uuid %q was there before", i, id)
		}
		seen[id] = true
		if id != "" && (text(l, "forkedFrom", "messageUuid") == "") == (text(l, "toolUseResult") != interrupted) {
			t.Errorf("line %d does not name its original", i)
		}
		if text(l, "toolUseResult") == interrupted && text(l, "parentUuid") == "" {
			t.Errorf("line %d closes a call and has no parent, so it is outside the conversation", i)
		}
		if strings.HasPrefix(text(l, "type"), "file-history") {
			t.Errorf("line %d names backups of another session", i)
		}
	}
}

// codexRules: the first line describes the fork, ordinals do not fall, outputs follow their calls.
func codexRules(t *testing.T, p *Plan, path string) {
	calls := map[string]bool{}
	last := -1.0
	for i, l := range jsonLines(t, path) {
		payload, _ := l["payload"].(map[string]any)
		if payload == nil {
			payload = l
		}
		if i == 0 && text(payload, "id") != p.ID {
			t.Errorf("the first line has the id %q, want %q", text(payload, "id"), p.ID)
		}
		if i == 0 && text(l, "type") == "session_meta" && text(payload, "forked_from_id") != p.From {
			t.Errorf("the fork names %q as its original, want %q", text(payload, "forked_from_id"), p.From)
		}
		if n, ok := l["ordinal"].(float64); ok {
			if n < last {
				t.Errorf("line %d: ordinal %v after %v", i, n, last)
			}
			last = n
		}
		switch kind := text(payload, "type"); {
		case strings.HasSuffix(kind, "_call_output") && !calls[text(payload, "call_id")] && payload["output"] == aborted:
			t.Errorf("line %d is the output of no call", i)
		case strings.HasSuffix(kind, "_call"):
			calls[text(payload, "call_id")] = true
		}
	}
}

// piRules: a header with the id, unique ids, parents before their children.
func piRules(t *testing.T, p *Plan, path string) {
	seen, headers := map[string]bool{}, 0
	for i, l := range jsonLines(t, path) {
		if text(l, "type") == "session" {
			if headers++; text(l, "id") != p.ID || text(l, "parentSession") == "" {
				t.Errorf("the header is %v", l)
			}
			continue
		}
		if parent := text(l, "parentId"); parent != "" && !seen[parent] {
			t.Errorf("line %d: the parent %q is not before it", i, parent)
		}
		id := text(l, "id")
		if id != "" && seen[id] {
			t.Errorf("line %d: the id %q was there before", i, id)
		}
		seen[id] = true
	}
	if headers != 1 {
		t.Errorf("%d headers", headers)
	}
}

// geminiRules: the id of the fork, no call that still runs.
func geminiRules(t *testing.T, p *Plan, path string) {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(data, []byte(p.ID)) || p.From != "" && bytes.Contains(data, []byte(`"sessionId":"`+p.From)) {
		t.Errorf("the fork does not have its id")
	}
	for _, status := range []string{"executing", "scheduled", "validating", "awaiting_approval"} {
		if bytes.Contains(data, []byte(`"status":"`+status)) {
			t.Errorf("a call of the fork is %s", status)
		}
	}
	if filepath.Ext(path) == ".jsonl" {
		jsonLines(t, path)
	}
}

// TestOnlyResults: of a record with results and text, the results are one message.
func TestOnlyResults(t *testing.T) {
	for message, want := range map[string]string{
		`{"role":"user","content":[{"type":"tool_result","content":"a"},{"type":"text","text":"b"}]}`: `{"role":"user","content":[{"type":"tool_result","content":"a"}]}`,
		`{"role":"user","content":[{"type":"text","text":"b"}]}`:                                      `{"role":"user","content":[]}`,
	} {
		if got, err := onlyResults([]byte(message)); string(got) != want || err != nil {
			t.Errorf("%s: %s (%v), want %s", message, got, err, want)
		}
	}
}
