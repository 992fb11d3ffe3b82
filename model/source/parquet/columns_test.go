package parquet

import (
	"fmt"
	"testing"
)

// TestColumnsOfRuns: rows are messages of sessions if they have a role and one of these columns; the
// likeliest of several counts.
func TestColumnsOfRuns(t *testing.T) {
	names := []string{"transcript_id", "conversation_id", "session_id", "trajectory_id", "dialog_id", "thread_id", "chat_id"}
	for i, name := range names {
		if got := runOf([]string{"role", "content", name}); got != name {
			t.Errorf("with %s: %q", name, got)
		}
		if i > 0 && runOf([]string{"role", name, names[i-1]}) != names[i-1] {
			t.Errorf("%s is likelier than %s", name, names[i-1])
		}
		if got := runOf([]string{"content", name}) + runOf([]string{"role", "messages", name}); got != "" {
			t.Errorf("rows without messages have the session %q", got)
		}
	}
}

// TestColumnsOfUsage: the numbers of a row become the usage of its message.
func TestColumnsOfUsage(t *testing.T) {
	for column, want := range map[string]string{"input_tokens": "input_tokens", "output_tokens": "output_tokens", "reasoning_tokens": "reasoning_tokens",
		"input_tokens_cache_read": "cache_read_input_tokens", "input_tokens_cache_write": "cache_creation_input_tokens"} {
		row := map[string]any{column: int64(7)}
		asChat(row)
		if got := fmt.Sprint(row["usage"]); got != "map["+want+":7]" {
			t.Errorf("%s is %s", column, got)
		}
	}
}

// TestColumnsOfJSON: texts in these columns are JSON, in others they are texts.
func TestColumnsOfJSON(t *testing.T) {
	for _, column := range []string{"messages", "tool_calls", "tools", "conversations", "trajectory", "events", "metadata", "agent_args", "model_options", "score"} {
		if got := fmt.Sprintf("%T", tidy(`{"a":1}`, column)); got == "string" {
			t.Errorf("%s is a text", column)
		}
	}
	if got := fmt.Sprintf("%T", tidy(`{"a":1}`, "content")); got != "string" {
		t.Errorf("content is a %s", got)
	}
}
