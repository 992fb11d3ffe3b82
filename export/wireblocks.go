package export

import (
	"bytes"
	"slices"
	"strings"

	"turns/model"
	"turns/model/jsonspan"
)

// recordedBlocks are the content blocks of a message as they were recorded: own
// is its object where it is known, else its records are searched.
func recordedBlocks(own []byte, m *model.Message) [][]byte {
	if own != nil {
		return blocksIn(own, nil)
	}
	var list [][]byte
	for i := range m.Records {
		if data := bytes.TrimSpace(m.Records[i].Data); len(data) > 0 && data[0] == '{' {
			list = blocksIn(data, list)
		}
	}
	return list
}

var blockPaths = [...][]string{{"content"}, {"parts"}, {"message", "content"}, {"message", "parts"}, {"data", "content"}, {"kwargs", "content"}}

func blocksIn(v []byte, list [][]byte) [][]byte {
	switch string(jsonspan.GetString(v, "type")) {
	case "reasoning", "function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output", "compaction":
		return append(list, v) // an item that is a block itself
	}
	for _, path := range blockPaths {
		blocks := jsonspan.Get(v, path...)
		if jsonspan.KindOf(blocks) != jsonspan.Array {
			continue
		}
		c := jsonspan.New(blocks)
		for c.Array(); c.More(); {
			if b := c.Skip(); jsonspan.KindOf(b) == jsonspan.Object {
				list = append(list, b)
			}
		}
		return list
	}
	return list
}

// reasoningItems are the items of a Responses request or response that are
// reasoning.
func reasoningItems(v []byte) [][]byte {
	var list [][]byte
	for _, path := range [...][]string{{"input"}, {"output"}, {"items"}, {"response", "output"}} {
		items := jsonspan.Get(v, path...)
		if jsonspan.KindOf(items) != jsonspan.Array {
			continue
		}
		c := jsonspan.New(items)
		for c.Array(); c.More(); {
			if item := c.Skip(); string(jsonspan.GetString(item, "type")) == "reasoning" {
				list = append(list, item)
			}
		}
	}
	return list
}

// kindOf is what a recorded block is, in the spellings of all providers.
func kindOf(raw []byte) (kind model.BlockKind, typ string) {
	typ = string(jsonspan.GetString(raw, "type"))
	if typ == "" {
		typ = string(jsonspan.GetString(raw, "part_kind"))
	}
	switch {
	case typ == "" && jsonspan.Get(raw, "functionCall") != nil:
		return model.ToolCall, typ
	case typ == "" && jsonspan.Get(raw, "functionResponse") != nil:
		return model.ToolResult, typ
	case typ == "" && (jsonspan.Get(raw, "inlineData") != nil || jsonspan.Get(raw, "fileData") != nil):
		return model.Media, typ
	case typ == "" && string(jsonspan.Get(raw, "thought")) == "true":
		return model.Reasoning, typ
	case strings.HasSuffix(typ, "tool_result") || strings.HasSuffix(typ, "tool-result") || strings.HasSuffix(typ, "-return") || strings.HasSuffix(typ, "_output") || typ == "retry-prompt":
		return model.ToolResult, typ
	case strings.HasSuffix(typ, "tool_use") || strings.HasSuffix(typ, "tool-call") || typ == "function_call" || typ == "custom_tool_call":
		return model.ToolCall, typ
	case strings.Contains(typ, "thinking") || strings.Contains(typ, "reasoning"):
		return model.Reasoning, typ
	case typ == "" || typ == "text" || typ == "input_text" || strings.HasSuffix(typ, "-prompt"):
		return model.Words, typ
	}
	switch typ {
	case "output_text":
		return model.Words, typ
	case "image", "document", "file", "image_url", "input_image", "input_audio", "input_file", "audio":
		return model.Media, typ
	}
	return model.OtherBlock, typ
}

// firstString is the first field that is there and a string.
func firstString(raw []byte, names ...string) string {
	if raw == nil {
		return ""
	}
	for _, name := range names {
		if v := jsonspan.Get(raw, name); jsonspan.KindOf(v) == jsonspan.String {
			return model.ValueText(v).String()
		}
	}
	return ""
}

// blockTexts are the texts of a list of content blocks; ok is false where the
// list is none.
func blockTexts(list []byte) (texts []string, ok bool) {
	c := jsonspan.New(list)
	for c.Array(); c.More(); {
		v := c.Skip()
		switch jsonspan.KindOf(v) {
		case jsonspan.String:
			return nil, false
		case jsonspan.Object:
			if jsonspan.Get(v, "type") == nil {
				return nil, false
			}
			if text := jsonspan.Get(v, "text"); jsonspan.KindOf(text) == jsonspan.String {
				texts = append(texts, model.ValueText(text).String())
			}
		default:
			return nil, false
		}
	}
	return texts, c.Err == nil && len(texts) > 0
}

// nativeKeys are the blocks of each provider: their types and the fields that
// they may have. What is recorded so is written as it was.
var nativeKeys = map[string]map[string][]string{
	"anthropic": {
		"text":              {"type", "text", "citations", "cache_control"},
		"image":             {"type", "source", "cache_control"},
		"document":          {"type", "source", "title", "context", "citations", "cache_control"},
		"search_result":     {"type", "source", "title", "content", "citations", "cache_control"},
		"thinking":          {"type", "thinking", "signature"},
		"redacted_thinking": {"type", "data"},
		"tool_use":          {"type", "id", "name", "input", "cache_control", "caller"},
		"tool_result":       {"type", "tool_use_id", "content", "is_error", "cache_control"},
		"server_tool_use":   {"type", "id", "name", "input", "cache_control", "caller"},
		"mcp_tool_use":      {"type", "id", "name", "input", "server_name", "cache_control"},
		"mcp_tool_result":   {"type", "tool_use_id", "content", "is_error", "cache_control"},
		"container_upload":  {"type", "file_id", "cache_control"},
	},
	"openai-responses": {
		"reasoning": {"type", "id", "summary", "content", "encrypted_content", "status"},
	},
	"vercel": {
		"text":        {"type", "text", "providerOptions"},
		"reasoning":   {"type", "text", "providerOptions"},
		"file":        {"type", "data", "filename", "mediaType", "providerOptions"},
		"image":       {"type", "image", "mediaType", "providerOptions"},
		"tool-call":   {"type", "toolCallId", "toolName", "input", "providerOptions", "providerExecuted"},
		"tool-result": {"type", "toolCallId", "toolName", "output", "providerOptions"},
	},
	"gemini": {
		"": {"text", "thought", "thoughtSignature", "functionCall", "functionResponse", "inlineData", "fileData", "videoMetadata", "executableCode", "codeExecutionResult"},
	},
	"pydantic-ai": {
		"thinking":     {"content", "id", "signature", "provider_name", "provider_details", "part_kind"},
		"text":         {"content", "id", "provider_name", "provider_details", "part_kind"},
		"tool-call":    {"tool_name", "args", "tool_call_id", "id", "provider_name", "provider_details", "part_kind"},
		"retry-prompt": {"content", "tool_name", "tool_call_id", "timestamp", "part_kind"},
		"tool-return":  {"tool_name", "content", "tool_call_id", "tool_kind", "metadata", "timestamp", "outcome", "part_kind"},
		"user-prompt":  {"content", "timestamp", "part_kind"},
	},
}

// native reports whether a recorded block is one of the provider's own.
func native(provider string, raw []byte) bool {
	if raw == nil || jsonspan.KindOf(raw) != jsonspan.Object {
		return false
	}
	_, typ := kindOf(raw)
	keys, ok := nativeKeys[provider][typ]
	if !ok {
		if provider == "anthropic" && serverResult(raw) {
			keys = nativeKeys[provider]["mcp_tool_result"]
		} else {
			return false
		}
	}
	if typ == "image" && provider == "anthropic" || typ == "document" {
		if jsonspan.KindOf(jsonspan.Get(raw, "source")) != jsonspan.Object {
			return false
		}
	}
	c := jsonspan.New(raw)
	for c.Object(); c.Key(); {
		if !slices.Contains(keys, string(c.Name)) {
			return false
		}
		c.Skip()
	}
	return c.Err == nil
}

// signed reports whether the provider will know its reasoning again.
func signed(provider string, raw []byte) bool {
	if !native(provider, raw) {
		return false
	}
	names := [...]string{"signature", "data", "thoughtSignature"}
	if provider == "openai-responses" {
		names = [...]string{"id", "encrypted_content", "id"}
	}
	for _, name := range names {
		if len(jsonspan.GetString(raw, name)) > 0 {
			return true
		}
	}
	return false
}

func serverCall(raw []byte) bool {
	switch string(jsonspan.GetString(raw, "type")) {
	case "server_tool_use", "mcp_tool_use":
		return native("anthropic", raw)
	}
	return false
}

func serverResult(raw []byte) bool {
	typ := jsonspan.GetString(raw, "type")
	return bytes.HasSuffix(typ, []byte("_tool_result"))
}
