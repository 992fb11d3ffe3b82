package dialect_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"turns/export"
	"turns/export/exporttest"
)

// settingsOf lists, for each body, a setting of a request and the body's field for it, or "" if
// requests of other APIs do not pass it on. A name with a dot is the path to a nested field.
var settingsOf = map[string][]struct{ field, value, as string }{
	"openai": {
		{"temperature", `0.5`, "temperature"}, {"top_p", `0.5`, "top_p"}, {"topP", `0.5`, "top_p"},
		{"max_completion_tokens", `9`, "max_completion_tokens"}, {"max_output_tokens", `9`, "max_completion_tokens"},
		{"maxOutputTokens", `9`, "max_completion_tokens"}, {"max_tokens", `9`, "max_completion_tokens"},
		{"stop", `["x"]`, "stop"}, {"stop_sequences", `["x"]`, "stop"}, {"stopSequences", `["x"]`, "stop"}, {"stop", `"x"`, "stop"},
		{"seed", `7`, "seed"}, {"presence_penalty", `1`, "presence_penalty"}, {"presencePenalty", `1`, "presence_penalty"},
		{"frequency_penalty", `1`, "frequency_penalty"}, {"frequencyPenalty", `1`, "frequency_penalty"},
		{"reasoning_effort", `"low"`, "reasoning_effort"}, {"parallel_tool_calls", `true`, "parallel_tool_calls"},
		{"verbosity", `"low"`, ""}, {"response_format", `{"a":1}`, ""}, {"modalities", `["a"]`, ""}, {"audio", `{"a":1}`, ""}, {"logprobs", `true`, ""},
		{"top_logprobs", `2`, ""}, {"logit_bias", `{"a":1}`, ""}, {"store", `true`, ""}, {"service_tier", `"a"`, ""},
	},
	"openai-responses": {
		{"temperature", `0.5`, "temperature"}, {"top_p", `0.5`, "top_p"}, {"topP", `0.5`, "top_p"}, {"max_output_tokens", `9`, "max_output_tokens"},
		{"max_completion_tokens", `9`, "max_output_tokens"}, {"maxOutputTokens", `9`, "max_output_tokens"}, {"max_tokens", `9`, "max_output_tokens"},
		{"parallel_tool_calls", `false`, "parallel_tool_calls"}, {"reasoning", `{"a":1}`, ""}, {"text", `{"a":1}`, ""}, {"include", `["a"]`, ""},
		{"truncation", `"a"`, ""}, {"store", `true`, ""}, {"service_tier", `"a"`, ""}, {"max_tool_calls", `2`, ""},
	},
	"anthropic": {
		{"max_tokens", `9`, "max_tokens"}, {"max_completion_tokens", `9`, "max_tokens"}, {"max_output_tokens", `9`, "max_tokens"},
		{"maxOutputTokens", `9`, "max_tokens"}, {"stop_sequences", `["x"]`, "stop_sequences"}, {"stop", `["x"]`, "stop_sequences"},
		{"stopSequences", `["x"]`, "stop_sequences"}, {"temperature", `0.5`, ""}, {"top_p", `0.5`, ""}, {"top_k", `5`, ""}, {"thinking", `{"a":1}`, ""},
		{"service_tier", `"a"`, ""}, {"output_config", `{"a":1}`, ""}, {"container", `{"a":1}`, ""}, {"mcp_servers", `[{"a":1}]`, ""},
	},
	"gemini": {
		{"temperature", `0.5`, "generationConfig.temperature"}, {"topP", `0.5`, "generationConfig.topP"}, {"top_p", `0.5`, "generationConfig.topP"},
		{"topK", `5`, "generationConfig.topK"}, {"top_k", `5`, "generationConfig.topK"}, {"maxOutputTokens", `9`, "generationConfig.maxOutputTokens"},
		{"max_output_tokens", `9`, "generationConfig.maxOutputTokens"}, {"max_completion_tokens", `9`, "generationConfig.maxOutputTokens"},
		{"max_tokens", `9`, "generationConfig.maxOutputTokens"}, {"stopSequences", `["x"]`, "generationConfig.stopSequences"},
		{"stop", `["x"]`, "generationConfig.stopSequences"}, {"stop_sequences", `["x"]`, "generationConfig.stopSequences"}, {"seed", `7`, "generationConfig.seed"},
		{"presencePenalty", `1`, "generationConfig.presencePenalty"}, {"presence_penalty", `1`, "generationConfig.presencePenalty"},
		{"frequencyPenalty", `1`, "generationConfig.frequencyPenalty"}, {"frequency_penalty", `1`, "generationConfig.frequencyPenalty"},
		{"generationConfig", `{"a":1}`, ""}, {"safetySettings", `[{"a":1}]`, ""}, {"cachedContent", `"a"`, ""}, {"labels", `{"a":"b"}`, ""},
	},
}

// theirs lists, for each API, the format of its request and the beginning of one, to which a test
// adds a field.
var theirs = map[string][2]string{
	"openai":           {"openai", `{"messages":[{"role":"user","content":"hi"}],`},
	"openai-responses": {"openai-responses", `{"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}],`},
	"anthropic":        {"anthropic", `{"messages":[{"role":"user","content":"hi"}],`},
	"gemini":           {"gemini", `{"contents":[{"role":"user","parts":[{"text":"hi"}]}],`},
}

// TestSettingsOfRequests: a body has the settings of a request to another API under its own names,
// and those of a request to the same API unchanged. It omits settings that only the other API has.
func TestSettingsOfRequests(t *testing.T) {
	for to, settings := range settingsOf {
		for _, c := range settings {
			for from, request := range theirs {
				name, want := c.as, c.value
				if to == from {
					name = c.field // unchanged
				}
				body := bodyOf(t, request[0], request[1]+fmt.Sprintf("%q:%s}", c.field, c.value), to)
				got := valueAt(body, name)
				switch {
				case to == from && (strings.Contains(c.as, ".") || c.as != "" && c.as != c.field):
					continue // the setting does not belong to this API
				case to != from && c.as == "":
					got, want = valueAt(body, c.field), ""
				case strings.HasSuffix(name, "top_sequences") && c.value[0] == '"':
					want = "[" + c.value + "]"
				}
				if got != want {
					t.Errorf("%s of a request to %s is %q in the body for %s, want %q", c.field, from, got, to, want)
				}
			}
		}
	}
}

// TestModelsOfRequests: a body has the model of the conversation if its provider has that model.
func TestModelsOfRequests(t *testing.T) {
	for to, models := range map[string][]string{
		"openai":           {"gpt-5.2", "o1-mini", "o3", "o4-mini", "chatgpt-4o-latest", "codex-mini"},
		"openai-responses": {"gpt-5.2", "o1-mini", "o3", "o4-mini", "chatgpt-4o-latest", "codex-mini"},
		"anthropic":        {"claude-opus-4-6"},
	} {
		for _, name := range append(models, "gemini-3-pro", "llama3", "my-gpt") {
			want := fmt.Sprintf("%q", name)
			if !slices.Contains(models, name) {
				want = ""
			}
			chat := `{"model":"` + name + `","messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"yes"}]}`
			if got := valueAt(bodyOf(t, "openai", chat, to), "model"); got != want {
				t.Errorf("the body for %s has the model %s of a conversation with %s, want %s", to, got, name, want)
			}
		}
	}
}

func bodyOf(t *testing.T, format, text, to string) map[string]any {
	t.Helper()
	out, _ := written(t, to, exporttest.Everything(exporttest.FromBytes(t, text, format)), export.Options{Indent: -1})
	var body map[string]any
	if err := json.Unmarshal([]byte(out), &body); err != nil {
		t.Fatalf("%s: %v\n%s", to, err, out)
	}
	return body
}

// valueAt returns the value at a path in an object as JSON, or "" if it is absent.
func valueAt(body map[string]any, path string) string {
	var v any = body
	for name := range strings.SplitSeq(path, ".") {
		o, _ := v.(map[string]any)
		if v = o[name]; v == nil {
			return ""
		}
	}
	text, _ := json.Marshal(v)
	return string(text)
}
