package load

import (
	"path/filepath"
	"testing"
	"time"

	"turns/model"
)

// TestTimesOfFormats: formats record times as seconds, milliseconds or dates, with or without a
// zone.
func TestTimesOfFormats(t *testing.T) {
	const moment = "2026-02-11T22:00:05Z"
	tests := []struct{ name, file, text string }{
		{"Claude Code: a date", "c.jsonl", `{"type":"user","uuid":"u","sessionId":"s","timestamp":"2026-02-11T22:00:05.000Z","message":{"role":"user","content":"hi"}}`},
		{"Codex: a date", "x.jsonl", `{"timestamp":"2026-02-11T22:00:05.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}}`},
		{"Antigravity: a date without fractions", "t.jsonl", `{"step_index":0,"source":"USER_EXPLICIT","type":"USER_INPUT","status":"DONE","created_at":"2026-02-11T22:00:05Z","content":"hi"}`},
		{"another zone", "t.jsonl", `{"step_index":0,"source":"USER_EXPLICIT","type":"USER_INPUT","status":"DONE","created_at":"2026-02-12T00:00:05+02:00","content":"hi"}`},
		{"OpenCode: milliseconds", "o.json", `{"info":{"id":"s"},"messages":[{"info":{"id":"m","role":"user","sessionID":"s","time":{"created":1770847205000}},"parts":[{"id":"p","type":"text","text":"hi"}]}]}`},
		{"VS Code: milliseconds", "s.json", `{"version":3,"sessionId":"s","requests":[{"requestId":"r","message":{"text":"hi"},"response":[],"timestamp":1770847205000}]}`},
		{"Kimi: milliseconds", "wire.jsonl", `{"type":"context.append_message","time":1770847205000,"message":{"role":"user","content":[{"type":"text","text":"hi"}]}}`},
		{"Cline: milliseconds", "ui_messages.json", `[{"ts":1770847205000,"type":"say","say":"task","text":"hi"}]`},
		{"Kiro: seconds", "k.jsonl", `{"version":"v1","kind":"Prompt","data":{"message_id":"m","content":[{"kind":"text","data":"hi"}],"meta":{"timestamp":1770847205}}}`},
		{"ChatGPT: seconds with a fraction", "conversations.json", `[{"title":"T","mapping":{"a":{"id":"a","parent":null,"children":[],"message":{"id":"a","author":{"role":"user"},"content":{"content_type":"text","parts":["hi"]},"create_time":1770847205.0}}},"current_node":"a"}]`},
		{"Hermes: no zone", "s.jsonl", `{"role":"session_meta","model":"m"}` + "\n" + `{"role":"user","content":"hi","timestamp":"2026-02-11T22:00:05"}`},
		{"OpenHands: no zone", "e.jsonl", `{"id":"e","timestamp":"2026-02-11T22:00:05.000000","source":"user","kind":"MessageEvent","llm_message":{"role":"user","content":[{"type":"text","text":"hi"}]}}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), test.file)
			write(t, path, test.text+"\n")
			s := loadFile(t, path, Options{})
			for _, id := range s.LiveIDs() {
				if h := s.HeadRow(id); h.Role == model.User {
					if got := time.UnixMilli(h.Time).UTC().Format(time.RFC3339); got != moment {
						t.Errorf("%s: the prompt was said at %s, want %s", s.Format(), got, moment)
					}
					return
				}
			}
			t.Errorf("%s: there is no prompt", s.Format())
		})
	}
}
