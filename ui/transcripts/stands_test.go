package transcripts_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"turns/query/session"
)

// TestStandsAsItsAgentRecords: the states of sessions whose agent records their state itself.
func TestStandsAsItsAgentRecords(t *testing.T) {
	const (
		codex = `{"timestamp":"2026-01-01T10:00:00Z","type":"session_meta","payload":{"id":"s","cwd":"/src","cli_version":"0.147.0"}}
{"timestamp":"2026-01-01T10:00:01Z","type":"event_msg","payload":{"type":"user_message","message":"Fix it."}}
`
		copilot = `{"type":"session.start","data":{"sessionId":"s","copilotVersion":"1.0.78"},"id":"e1","timestamp":"2026-01-01T10:00:00Z","parentId":null}
{"type":"user.message","data":{"content":"Fix it."},"id":"e2","timestamp":"2026-01-01T10:00:01Z","parentId":"e1"}
{"type":"assistant.message","data":{"messageId":"m1","content":"","toolRequests":[{"toolCallId":"call_0123456789ab","name":"bash","arguments":{"command":"make"}}]},"id":"e3","timestamp":"2026-01-01T10:00:02Z","parentId":"e2"}
{"type":"tool.execution_start","data":{"toolCallId":"call_0123456789ab","toolName":"bash","arguments":{"command":"make"}},"id":"e4","timestamp":"2026-01-01T10:00:02Z","parentId":"e3"}
`
		asks = `{"type":"permission.requested","data":{"requestId":"r1","permissionRequest":{"kind":"shell","toolCallId":"call_0123456789ab","fullCommandText":"make"}},"id":"e5","timestamp":"2026-01-01T10:00:03Z","parentId":"e4"}
`
		goesOn = `{"type":"assistant.message","data":{"messageId":"m2","content":"One is done."},"id":"e7","timestamp":"2026-01-01T10:00:05Z","parentId":"e6"}
{"type":"assistant.turn_end","data":{"turnId":"0"},"id":"e8","timestamp":"2026-01-01T10:00:05Z","parentId":"e7"}
{"type":"user.message","data":{"content":"","transformedContent":"Go on.","isAutopilotContinuation":true},"id":"e9","timestamp":"2026-01-01T10:00:06Z","parentId":"e8"}
{"type":"assistant.turn_start","data":{"turnId":"0"},"id":"e10","timestamp":"2026-01-01T10:00:06Z","parentId":"e9"}
`
		gemini = `{"sessionId":"s","projectHash":"h","startTime":"2026-01-01T10:00:00Z","lastUpdated":"2026-01-01T10:00:00Z","kind":"main"}
{"id":"u1","timestamp":"2026-01-01T10:00:01Z","type":"user","content":[{"text":"Read it."}]}
{"id":"g1","timestamp":"2026-01-01T10:00:02Z","type":"gemini","content":"I will read it.","model":"gemini-3","toolCalls":[{"id":"read_1","name":"read_file","args":{"path":"a"},"status":"success","result":[{"functionResponse":{"id":"read_1","name":"read_file","response":{"output":"text"}}}],"timestamp":"2026-01-01T10:00:02Z"}]}
`
		pi = `{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T10:00:00Z","cwd":"/src"}
{"type":"message","id":"aaaaaaa1","parentId":null,"timestamp":"2026-01-01T10:00:01Z","message":{"role":"user","content":[{"type":"text","text":"Fix it."}]}}
{"type":"message","id":"aaaaaaa2","parentId":"aaaaaaa1","timestamp":"2026-01-01T10:00:02Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"call_1","name":"edit","arguments":{"path":"a"}}],"stopReason":"toolUse"}}
`
	)
	for _, c := range []struct {
		name, text string
		later      time.Duration
		want       session.Doing
	}{
		{"a turn of Codex that ends with an error",
			codex + `{"timestamp":"2026-01-01T10:00:02Z","type":"event_msg","payload":{"type":"error","message":"stream disconnected"}}
{"timestamp":"2026-01-01T10:00:02Z","type":"event_msg","payload":{"type":"task_complete","turn_id":"t","last_agent_message":null}}
`, time.Minute, session.Failed},
		{"a call of Copilot", copilot, 30 * time.Second, session.Running},
		{"that asks for leave", copilot + asks, 30 * time.Second, session.Approval},
		{"and has it", copilot + asks +
			`{"type":"permission.completed","data":{"requestId":"r1","toolCallId":"call_0123456789ab","result":{"kind":"approved"}},"id":"e6","timestamp":"2026-01-01T10:00:04Z","parentId":"e5"}
`, 30 * time.Second, session.Running},
		{"or that a hook allowed", copilot + strings.Replace(asks, `"requestId"`, `"resolvedByHook":true,"requestId"`, 1), 30 * time.Second, session.Running},
		{"an autopilot that goes on by itself", copilot[:strings.Index(copilot, `{"type":"assistant.message"`)] + goesOn, 30 * time.Second, session.Thinking},
		{"results in the message of their calls", gemini, 30 * time.Second, session.Thinking},
		{"of long ago", gemini, 48 * time.Hour, session.Open},
		{"an edit of an agent that asks for no leave", pi, 30 * time.Second, session.Running},
	} {
		path := filepath.Join(t.TempDir(), "run.jsonl")
		st := standsAt(t, path, &cut{lines: bytes.Split(bytes.TrimSpace([]byte(c.text)), []byte("\n")), later: c.later})
		if st.Doing != c.want {
			t.Errorf("%s: %v (%v), want %v", c.name, st, st.Doing, c.want)
		}
	}
}

// TestACircleIsSeenFromTheEnd: enough of the end of a long transcript is read to detect repeated
// calls, however long their results are.
func TestACircleIsSeenFromTheEnd(t *testing.T) {
	lines := []string{`{"type":"user","uuid":"u","sessionId":"s","timestamp":"2026-01-01T10:00:00Z","message":{"role":"user","content":"Fix it."}}`}
	for i := range 80 {
		at := fmt.Sprintf("2026-01-01T10:%02d:%02dZ", (i+1)/60, (i+1)%60)
		lines = append(lines,
			fmt.Sprintf(`{"type":"assistant","uuid":"a%d","sessionId":"s","timestamp":%q,"message":{"id":"m%d","role":"assistant","content":[{"type":"tool_use","id":"toolu_%012d","name":"Bash","input":{"command":"make"}}],"stop_reason":"tool_use"}}`, i, at, i, i),
			fmt.Sprintf(`{"type":"user","uuid":"r%d","sessionId":"s","timestamp":%q,"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_%012d","content":%q}]}}`, i, at, i, strings.Repeat("no ", 1200)))
	}
	path := filepath.Join(t.TempDir(), "run.jsonl")
	st := standsAt(t, path, &cut{lines: bytes.Split([]byte(strings.Join(lines, "\n")), []byte("\n")), later: time.Second})
	if info, err := os.Stat(path); err != nil || info.Size() < 130<<10 || st.Doing != session.Looping {
		t.Errorf("%v (%v)", st, err)
	}
}
