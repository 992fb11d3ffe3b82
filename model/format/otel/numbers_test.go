package otel

import (
	"fmt"
	"testing"
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
