package take

import (
	"testing"

	"turns/model"
)

// TestAskedFor: the copy of a call is its readable form, not JSON with escapes.
func TestAskedFor(t *testing.T) {
	for _, tt := range []struct{ tool, args, want string }{
		{"Bash", `{"command":"cat > a.go <<E\nx\nE","timeout":5}`, "cat > a.go <<E\nx\nE"},
		{"ExitPlanMode", `{"allowedPrompts":[{"tool":"Bash"}],"plan":"# Plan\n\n1. Read\n2. Write\n"}`, "# Plan\n\n1. Read\n2. Write"},
		{"Edit", `{"file_path":"/a.go","old_string":"x","new_string":"y"}`, "/a.go\n-x\n+y"},
		{"Read", `{"file_path":"/a.go"}`, "{\n  \"file_path\": \"/a.go\"\n}"},
	} {
		if got := askedFor(&model.Content{Kind: model.ToolCall, Name: tt.tool, Text: tt.args}); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.tool, got, tt.want)
		}
	}
}
