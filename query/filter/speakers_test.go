package filter_test

import (
	"testing"

	"turns/model"
)

// TestRolesByTheNamesOfFormats: role: finds messages by each format's name for a speaker.
func TestRolesByTheNamesOfFormats(t *testing.T) {
	for name, want := range map[string]model.Role{
		"nikita": model.Assistant, "human": model.User, "ai": model.Assistant, "agent": model.Assistant, "gpt": model.Assistant,
		"model": model.Assistant, "bot": model.Assistant, "Human": model.User, "USER": model.User, "function": model.Tool, "toolResult": model.Tool,
		"model-text-response": model.Assistant, "model-structured-response": model.Assistant, "tool-return": model.Tool,
		"retry-prompt": model.NoRole, "nobody": model.NoRole,
	} {
		if got, ok := model.RoleNamed(name); got != want || ok != (want != model.NoRole) {
			t.Errorf("%s is %v, %v", name, got, ok)
		}
	}
}
