package changes

import "testing"

// TestVendorsOfModels names the vendor of a model of each vendor.
func TestVendorsOfModels(t *testing.T) {
	for model, want := range map[string]string{
		"claude-opus-4-6": "anthropic/claude-opus-4-6", "gpt-5": "openai/gpt-5", "o1-mini": "openai/o1-mini", "o3": "openai/o3", "o4-mini": "openai/o4-mini",
		"codex-mini": "openai/codex-mini", "gemini-3": "google/gemini-3", "grok-4": "xai/grok-4", "kimi-k2": "kimi-k2", "my-gpt": "my-gpt", "": "",
	} {
		if got := modelID(model); got != want {
			t.Errorf("%q is %q, want %q", model, got, want)
		}
	}
}
