package format

import (
	"slices"
	"strconv"

	"turns/model"
	"turns/model/jsonspan"
)

// keep adds an Extra field unless its value says nothing.
func keep(f *model.Fact, name string, v []byte) {
	if !isEmpty(v) {
		f.Keep(name, model.ValueText(v))
	}
}

// keepField keeps the field that the cursor has come to.
func keepField(f *model.Fact, c *jsonspan.Cursor) { keepNamed(f, c.Name, c.Skip()) }

// keepNamed keeps a value that the model has no place for under its own name. Names
// by which an About fact describes the conversation mean something else where
// they are met by chance.
func keepNamed(f *model.Fact, name, v []byte) {
	if !isEmpty(v) {
		f.Keep(extraName(name), model.ValueText(v))
	}
}

// extraName is the name that a recorded field is kept under.
func extraName(name []byte) string {
	s, ok := extraNames[string(name)]
	if !ok {
		s = string(name)
	}
	if slices.Contains(model.AboutNames[:], s) {
		return "recorded " + s
	}
	return s
}

// extraNames are names that many records have, so that keeping them costs no memory.
var extraNames = func() map[string]string {
	names := map[string]string{}
	for _, s := range [...]string{
		"provider", "details", "thinkingLevel", "turnId", "toolName", "action", "origin", "kind", "thinkingEffort", "finishReason", "messageId",
		"llmFirstTokenLatencyMs", "llmStreamDurationMs", "llmRequestBuildMs", "llmServerFirstTokenMs", "llmServerDecodeMs", "llmClientConsumeMs",
		"description", "sessionApprovalRule", "maxTokens", "toolSelect", "systemPromptHash", "toolsHash", "messageCount", "turnStep", "thinkingKeep",
		"surfaceOp", "model_fingerprint", "reasoning_effort", "prompt_index", "truncated_fields", "reasoning_message_id", "pinned", "projectHash",
		"annotations", "injected", "message_id", "prefix", "extra_content", "thought_signature", "index", "logprobs", "object",
		"system_fingerprint", "service_tier", "weight", "native_finish_reason", "stop_sequence", "container",
	} {
		names[s] = s
	}
	return names
}()

// hasExtra reports whether a fact keeps a field of that name.
func hasExtra(f *model.Fact, name string) bool {
	for i := range f.Extra {
		if f.Extra[i].Name == name {
			return true
		}
	}
	return false
}

// keepNumbered keeps a field of a block: where several blocks of a message have it,
// the later ones are numbered.
func keepNumbered(f *model.Fact, name string, v []byte) {
	if isEmpty(v) {
		return
	}
	full := name
	for n := 2; hasExtra(f, full); n++ {
		full = name + " " + strconv.Itoa(n)
	}
	f.Keep(full, model.ValueText(v))
}

// kept are fields that are read before the fact is there that is to keep them.
type kept []model.Field

// take keeps the field that the cursor has come to.
func (k *kept) take(c *jsonspan.Cursor) {
	name := c.Name
	if v := c.Skip(); !isEmpty(v) {
		*k = append(*k, model.Field{Name: extraName(name), Value: model.ValueText(v)})
	}
}

// keepOthers keeps the fields of an object but for those that are told otherwise.
func keepOthers(f *model.Fact, object []byte, told ...string) {
	c := jsonspan.New(object)
	for c.Object(); c.Key(); {
		if slices.Contains(told, string(c.Name)) {
			c.Skip()
		} else {
			keepField(f, &c)
		}
	}
}
