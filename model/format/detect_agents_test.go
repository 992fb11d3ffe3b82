package format

import "testing"

// TestDetectAgents checks that turns recognises the transcripts of coding agents, whatever their
// first lines are, and does not mistake similar records for them.
func TestDetectAgents(t *testing.T) {
	const claude = `{"type":"user","uuid":"u","sessionId":"s","timestamp":"2026-02-11T22:00:01.000Z","message":{"role":"user","content":"hi"}}`
	const codex = `{"timestamp":"2026-02-11T22:00:01.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[]}}`
	const pi = `{"type":"message","id":"00000001","parentId":null,"timestamp":"2026-01-01T10:00:01.000Z","message":{"role":"user","content":"hi"}}`
	tests := []struct{ name, data, want string }{
		{"Codex: response_item", codex, "codex"},
		{"Codex: event_msg", `{"timestamp":"2026-02-11T22:00:01.000Z","type":"event_msg","payload":{"type":"token_count"}}`, "codex"},
		{"Codex: world_state", `{"timestamp":"2026-02-11T22:00:01.000Z","type":"world_state","payload":{"a":1}}`, "codex"},
		{"Codex: inter_agent_*", `{"timestamp":"2026-02-11T22:00:01.000Z","type":"inter_agent_message","payload":{"a":1}}`, "codex"},
		{"Codex: an unknown type before", `{"timestamp":"2026-02-11T22:00:01.000Z","type":"new","payload":{}}` + "\n" + codex, "codex"},
		{"Codex: bare header", `{"id":"x","timestamp":"2025-08-01T00:00:00.000Z","instructions":null,"git":{}}` + "\n" + `{"type":"function_call","name":"shell","arguments":"{}","call_id":"c"}`, "codex"},
		{"Codex: bare state", `{"record_type":"state"}` + "\n" + `{"type":"reasoning","summary":[]}`, "codex"},
		{"Codex exec", `{"type":"thread.started","thread_id":"t"}`, "codex-exec"},
		{"Codex exec: items only", `{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"a"}}`, "codex-exec"},
		{"Copilot CLI", `{"type":"session.start","data":{"sessionId":"s"},"id":"1","timestamp":"2026-01-01T00:00:00Z","parentId":null}`, "copilot-cli"},
		{"Copilot CLI: tools only", `{"type":"tool.execution_start","data":{"toolCallId":"c"},"id":"1","parentId":"0"}`, "copilot-cli"},
		{"Antigravity", `{"step_index":0,"source":"USER_EXPLICIT","type":"USER_INPUT","status":"DONE","content":"a"}`, "antigravity"},
		{"Kiro CLI", `{"version":"v1","kind":"Prompt","data":{"message_id":"m","content":[{"kind":"text","data":"a"}]}}`, "kiro"},
		{"Kimi", `{"type":"metadata","protocol_version":"1"}` + "\n" + `{"type":"context.append_message","time":1,"message":{"role":"user","content":"a"}}`, "kimi"},
		{"Kimi: no metadata", `{"type":"context.append_loop_event","time":1,"event":{"type":"step.begin"}}`, "kimi"},
		{"Kimi: from the middle", `{"type":"runtime.set_binding","runtimeId":"local","agentId":"main","time":1}` + "\n" + `{"type":"token_counting.measured","agentId":"main","length":3,"tokens":23,"time":2}`, "kimi"},
		{"Claude Code: from the middle of a subagent", `{"parentUuid":"a","isSidechain":false,"sessionId":"s","uuid":"u1","timestamp":"2026-01-01T10:00:00Z","type":"progress","data":{"type":"agent_progress","prompt":"Look.","message":{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"Read","input":{"file_path":"a"}}]}}}}` + "\n" +
			`{"parentUuid":"u1","isSidechain":false,"sessionId":"s","uuid":"u2","timestamp":"2026-01-01T10:00:01Z","type":"progress","data":{"type":"agent_progress","prompt":"Look.","message":{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"b"}]}}}}`, "claude-code"},
		{"Gemini: header", `{"sessionId":"s","projectHash":"h","startTime":"2026-01-01T10:00:00.000Z"}`, "gemini-cli"},
		{"Gemini: $set", `{"$set":{"messages":[]}}`, "gemini-cli"},
		{"Gemini: $rewindTo", `{"id":"1","type":"user","content":"a","timestamp":"2026-01-01T10:00:00.000Z"}` + "\n" + `{"$rewindTo":"1"}`, "gemini-cli"},
		{"Gemini stream", `{"type":"init","session_id":"s","timestamp":"2026-01-01T10:00:00.000Z","model":"m"}`, "gemini-stream"},
		{"Gemini stream: tools", `{"type":"tool_use","tool_id":"t","tool_name":"f","parameters":{}}`, "gemini-stream"},
		{"Pi", `{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T10:00:00.000Z","cwd":"/"}` + "\n" + pi, "pi"},
		{"Pi: a title before (OhMyPi)", `{"type":"title","title":"a"}` + "\n" + `{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T10:00:00.000Z","cwd":"/"}` + "\n" + pi, "pi"},
		{"Droid", `{"type":"session_start","id":"s","title":"a"}` + "\n" + `{"type":"message","id":"m","timestamp":"2026-01-01T10:00:01.000Z","parentId":null,"message":{"role":"user","content":[{"type":"text","text":"a"}]}}`, "factory-droid"},
		{"Qwen Code", `{"uuid":"u","parentUuid":null,"sessionId":"s","timestamp":"2026-01-01T10:00:00.000Z","type":"user","message":{"role":"user","parts":[{"text":"a"}]}}`, "qwen-code"},
		{"Claude Code", claude, "claude-code"},
		{"Claude Code: a summary before", `{"type":"summary","summary":"a","leafUuid":"l"}` + "\n" + claude, "claude-code"},
		{"Claude Code: a snapshot before", `{"type":"file-history-snapshot","messageId":"m","snapshot":{}}` + "\n" + claude, "claude-code"},
		{"Claude Code: comments before", "// shared\n" + claude + "\n" + claude, "claude-code"},
		{"Claude Code: only bookkeeping", `{"type":"queue-operation","operation":"enqueue","sessionId":"s","timestamp":"2026-01-01T10:00:00.000Z"}`, "claude-code"},
		{"Claude stream", `{"type":"system","subtype":"init","session_id":"s","model":"m"}`, "claude-stream"},
		{"Claude stream: a result alone", `{"type":"result","subtype":"success","session_id":"s","result":"a"}`, "claude-stream"},
		{"Cursor", `{"role":"user","message":{"content":[{"type":"text","text":"<user_query>a</user_query>"}]}}`, "cursor"},
		{"Cursor: an end between", `{"role":"assistant","message":{"content":[]}}` + "\n" + `{"type":"turn_ended","status":"completed"}`, "cursor"},
		{"OpenHands SDK", `{"kind":"MessageEvent","id":"1","timestamp":"2026-06-16T05:39:48.1","source":"user","llm_message":{"role":"user","content":[]}}`, "openhands"},
		{"OpenHands V0", `{"id":1,"timestamp":"2025-06-16T05:39:48.1","source":"agent","action":"run","args":{}}`, "openhands"},
		{"fine-tuning", `{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}`, "openai"},
		{"ShareGPT", `{"conversations":[{"from":"human","value":"a"},{"from":"gpt","value":"b"}]}`, "sharegpt"},
		{"OTLP", `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"t","spanId":"s","name":"chat","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}}]}]}]}]}`, "otel"},
		{"Hermes", `{"role":"session_meta","model":"m"}` + "\n" + `{"role":"user","content":"a"}` + "\n" + `{"role":"assistant","content":"b","finish_reason":"stop"}`, "hermes"},
		{"Vibe", `{"role":"user","content":"a","injected":false,"message_id":"m"}`, "mistral-vibe"},
		{"OpenAI's messages on lines", `{"role":"user","content":"a"}` + "\n" + `{"role":"assistant","content":"b"}`, "openai"},

		{"no Codex: a queue with payloads", `{"timestamp":"2026-02-11T22:00:01.000Z","type":"order_created","payload":{"id":1}}`, "records"},
		{"no Copilot: analytics", `{"type":"page.view","data":{"url":"/"},"id":"1","timestamp":"2026-01-01T00:00:00Z"}`, "records"},
		{"no Copilot: data is a text", `{"type":"session.start","data":"x","id":"1"}`, "records"},
		{"no Claude: types without ids", `{"type":"user","name":"ada"}`, "records"},
		{"no Claude: ids of other types", `{"type":"click","uuid":"u","sessionId":"s"}`, "records"},
		{"no Pi: a session of a server", `{"type":"session","id":"s","user":"ada"}`, "records"},
		{"no Kimi: metadata of a build", `{"type":"metadata","version":"1"}`, "records"},
		{"no Gemini: settings", `{"$schema":"https://x","sessionId":"s"}`, "records"},
		{"no Gemini stream: init of a system", `{"type":"init","pid":1}`, "records"},
		{"no Antigravity: steps of a job", `{"step_index":0,"name":"build"}`, "records"},
		{"no Cursor: speakers of a chat", `{"role":"admin","message":"hello"}`, "generic"},
		{"no Kiro: versions", `{"version":"v1","kind":"Pod","metadata":{}}`, "records"},
		{"no OpenHands: events of a cluster", `{"kind":"Event","source":{"component":"kubelet"},"message":"a"}`, "records"},
		{"no ShareGPT: a mailbox", `{"conversations":3,"from":"ada"}`, "records"},
		{"no OTLP: metrics", `{"resourceMetrics":[]}`, "records"},
		{"no spans of a model", `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"t","spanId":"s","name":"GET /","attributes":[]}]}]}]}`, "records"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := sampleOf("x.jsonl", []byte(test.data+"\n"))
			if f, m := Detect(s); f.Name != test.want {
				t.Errorf("detected as %s (%d: %s), want %s", f.Name, m.Score, m.Reason, test.want)
			}
			underCeilings(t, s)
		})
	}
}
