package cache

import (
	"encoding/json"
	"reflect"
	"strings"

	"turns/model"
)

// minimums are the lengths of the shortest cacheable prompts, by the beginning of the model's name
// without that of a gateway:
// platform.claude.com/docs/en/build-with-claude/prompt-caching#cache-limitations, and for the
// models of 2026 "Lower prompt cache minimum" in the notes on each of them
// (platform.claude.com/docs/en/about-claude/models). A copy of that table of July 2026 agrees
// (dev.to/creeta/claudes-prompt-cache-fails-silently-below-1024-tokens-1ch1), and so does the
// migration guide to Opus 5; one guide of June has 2,048 for Fable 5. OpenAI caches prompts from
// 1,024 tokens on: platform.openai.com/docs/guides/prompt-caching.
var minimums = []struct {
	name   string
	tokens int64
}{
	{"claude-opus-4-5", 4096}, {"claude-opus-4-6", 4096}, {"claude-opus-4-7", 2048}, {"claude-haiku-4-5", 4096},
	{"claude-opus-5", 512}, {"claude-fable-5", 512}, {"claude-mythos-5", 512},
	{"claude-3-5-haiku", 2048}, {"claude-3-haiku", 2048},
}

// minimumTokens is the minimum of all other models.
const minimumTokens = 1024

func minimumOf(name string) int64 {
	name = strings.ToLower(name[strings.LastIndexAny(name, "/:")+1:])
	for _, m := range minimums {
		if strings.HasPrefix(name, m.name) {
			return m.tokens
		}
	}
	return minimumTokens
}

// prompt is the recorded beginning of a request: a prompt_snapshot of Claude Code.
type prompt struct {
	System any `json:"systemPrompt"`
	Tools  any `json:"tools"`
}

func promptOf(m *model.Message) (p prompt, ok bool) {
	for i := range m.Blocks {
		if json.Unmarshal([]byte(m.Blocks[i].Text), &p) == nil {
			return p, true
		}
	}
	return p, false
}

// changed compares two recorded prompts. In a prompt, the tools are before the system prompt.
func changed(was, is *model.Message) Cause {
	before, ok := promptOf(was)
	now, also := promptOf(is)
	switch {
	case !ok || !also:
		return None
	case !reflect.DeepEqual(before.Tools, now.Tools):
		return Tools
	case !reflect.DeepEqual(before.System, now.System):
		return System
	}
	return None
}
