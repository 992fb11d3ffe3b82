package query

import (
	"cmp"
	"strconv"
	"strings"

	"turns/model"
)

// modelWindow is how many tokens the models whose names begin so take.
type modelWindow struct {
	prefix string
	window int64
}

// modelWindows are the context windows of known models. The longest prefix wins;
// what a transcript records, or a person gives, beats the table.
var modelWindows = []modelWindow{
	{"claude-instant", 100_000}, {"claude-2.0", 100_000}, {"claude", 200_000}, {"opus", 200_000}, {"sonnet", 200_000}, {"haiku", 200_000},
	{"gpt-3.5", 16_385}, {"gpt-4", 8_192}, {"gpt-4-32k", 32_768}, {"gpt-4-turbo", 128_000}, {"gpt-4-1106", 128_000}, {"gpt-4-0125", 128_000},
	{"gpt-4o", 128_000}, {"chatgpt-4o", 128_000}, {"gpt-4.1", 1_047_576}, {"gpt-4.5", 128_000}, {"gpt-5", 400_000}, {"gpt-5-chat", 128_000},
	{"gpt-oss", 131_072}, {"o1", 200_000}, {"o1-mini", 128_000}, {"o1-preview", 128_000}, {"o3", 200_000}, {"o4", 200_000},
	{"codex-mini", 200_000}, {"gemini-1.0", 32_768}, {"gemini", 1_048_576}, {"gemini-1.5-pro", 2_097_152}, {"gemma-3", 131_072},
	{"deepseek", 131_072}, {"deepseek-coder", 128_000}, {"qwen", 131_072}, {"qwen3", 262_144}, {"qwen3-coder", 262_144}, {"qwen3-coder-plus", 1_000_000},
	{"kimi-k2", 262_144}, {"kimi", 131_072}, {"moonshot", 131_072}, {"glm-4.5", 131_072}, {"glm-4.6", 204_800}, {"glm", 131_072},
	{"grok-2", 131_072}, {"grok-3", 131_072}, {"grok-4", 262_144}, {"grok-4-fast", 2_000_000}, {"grok-code", 262_144},
	{"mistral", 131_072}, {"codestral", 262_144}, {"devstral", 131_072}, {"magistral", 131_072}, {"llama-3", 131_072}, {"llama-4", 1_048_576},
	{"command-r", 131_072}, {"command-a", 262_144}, {"minimax", 1_000_000}, {"nova", 300_000},
}

// windowOf is how many tokens a model takes by the table of known models; ok is
// false for one that is not known. Names of gateways before the model's own
// (anthropic/claude-…, us.anthropic.claude-…) are passed over.
func windowOf(name string) (window int64, ok bool) {
	name = strings.ToLower(strings.TrimSpace(name))
	if strings.HasSuffix(name, "[1m]") || strings.HasSuffix(name, "-1m") {
		return 1_000_000, true
	}
	for {
		best := ""
		for _, m := range modelWindows {
			if strings.HasPrefix(name, m.prefix) && len(m.prefix) > len(best) {
				best, window = m.prefix, m.window
			}
		}
		if best != "" {
			return window, true
		}
		i := strings.IndexAny(name, "/:.")
		if i < 0 {
			return 0, false
		}
		name = name[i+1:]
	}
}

// WindowFor returns the context window of a session and its source: given, recorded, or known for
// its model.
func WindowFor(se *model.Session, name string, given int64) (window int64, from string) {
	if given > 0 {
		return given, "given"
	}
	if n, err := strconv.ParseInt(se.Field("window"), 10, 64); err == nil && n > 0 {
		return n, "recorded"
	}
	name = cmp.Or(name, se.Field("model"))
	if n, ok := windowOf(name); ok {
		return n, "from model name"
	}
	return 0, ""
}
