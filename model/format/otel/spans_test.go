package otel

import (
	"fmt"
	"strings"
	"testing"

	"turns/model"
	"turns/model/format/kit"
)

// TestNumbersOfAttributes: messages and calls in the names of attributes have numbers up to 4,095.
func TestNumbersOfAttributes(t *testing.T) {
	for n, want := range map[int]bool{-1: false, 0: true, 4095: true, 4096: false} {
		for _, name := range []string{"gen_ai.prompt.%d.content", "gen_ai.completion.0.tool_calls.%d.name", "llm.input_messages.%d.message.content",
			"llm.input_messages.0.message.contents.%d.message_content.text"} {
			var m otelNumbered
			if got := m.set(fmt.Appendf(nil, name, n), []byte(`"a"`)); got != want {
				t.Errorf(name+" is taken: %v", n, got)
			}
		}
	}
}

// TestMarkedSpans: one attribute of any convention is enough to recognise a span of a model.
func TestMarkedSpans(t *testing.T) {
	for attribute, want := range map[string]bool{
		"gen_ai.system": true, "ai.operationId": true, "openinference.span.kind": true, "traceloop.span.kind": true, "langsmith.span.kind": true,
		"llm.model_name": true, "llm.input_messages.0.message.role": true, "claude_code.version": true, "codex.version": true, "http.method": false,
	} {
		span := fmt.Appendf(nil, `{"traceId":"1","attributes":{%q:"x"}}`, attribute)
		if got := Format().Detect(&model.Sample{Shape: model.Lines, Records: [][]byte{span}}).Score > 0; got != want {
			t.Errorf("a span with %s is recognised: %v", attribute, got)
		}
	}
}

// TestUsageOfALog: the input or the output of a request is enough for its usage, even if it is 0.
func TestUsageOfALog(t *testing.T) {
	zero, none := []byte(`"0"`), kit.NoUsage(model.Each)
	in, out := none, none
	in.Input, out.Output = 0, 0
	for name, c := range map[string]struct {
		log  agentLog
		want model.Usage
	}{"input": {agentLog{input: zero}, in}, "output": {agentLog{output: zero}, out}, "only the cache": {agentLog{cached: zero}, model.Usage{}}} {
		if got := c.log.usage(); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// TestKindsOfSpans: other conventions have their own words for the operation of a span, which
// matters less than the standard attribute.
func TestKindsOfSpans(t *testing.T) {
	for op, kinds := range map[string]string{"chat": "LLM llm", "execute_tool": "TOOL tool", "invoke_agent": "AGENT agent", "invoke_workflow": "CHAIN chain workflow task", "": "RETRIEVER"} {
		for kind := range strings.FieldsSeq(kinds) {
			var s otelSpanFields
			s.vendor.kind = []byte(kind)
			if s.settle(); string(s.op) != op {
				t.Errorf("%s is %q, want %q", kind, s.op, op)
			}
			s.op = []byte("embeddings")
			if s.settle(); string(s.op) != "embeddings" {
				t.Errorf("%s replaces embeddings by %q", kind, s.op)
			}
		}
	}
}
