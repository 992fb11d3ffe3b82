package dialect

import (
	"bytes"
	"strings"

	"turns/model"
	"turns/model/jsonspan"
)

// recordedBlocks returns the content blocks of a message as recorded: from its object own if known,
// otherwise from its records.
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

// blockNames are the first names of blockPaths in quotes, as in JSON.
var blockNames = func() (names [len(blockPaths)][]byte) {
	for i, path := range blockPaths {
		names[i] = []byte(`"` + path[0] + `"`)
	}
	return names
}()

func blocksIn(v []byte, list [][]byte) [][]byte {
	switch string(jsonspan.GetString(v, "type")) {
	case "reasoning", "function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output", "compaction":
		return append(list, v) // an item that is itself a block
	}
	if bytes.Contains(v, []byte(`"tool_calls"`)) {
		list = appendObjects(list, jsonspan.Get(v, "tool_calls"))
	}
	for i, path := range blockPaths {
		if !bytes.Contains(v, blockNames[i]) {
			continue // a search is faster than walking the fields
		}
		blocks := jsonspan.Get(v, path...)
		if jsonspan.KindOf(blocks) != jsonspan.Array {
			continue
		}
		return appendObjects(list, blocks)
	}
	return list
}

func appendObjects(list [][]byte, v []byte) [][]byte {
	c := jsonspan.New(v)
	if c.Kind() != jsonspan.Array {
		return list
	}
	for c.Array(); c.More(); {
		if b := c.Skip(); jsonspan.KindOf(b) == jsonspan.Object {
			list = append(list, b)
		}
	}
	return list
}

// ownItems returns the items of a Responses request or response with more data than their blocks:
// reasoning, and calls of tools with text input.
func ownItems(v []byte) [][]byte {
	var list [][]byte
	for _, path := range [...][]string{{"input"}, {"output"}, {"items"}, {"response", "output"}} {
		items := jsonspan.Get(v, path...)
		if jsonspan.KindOf(items) != jsonspan.Array {
			continue
		}
		c := jsonspan.New(items)
		for c.Array(); c.More(); {
			item := c.Skip()
			switch string(jsonspan.GetString(item, "type")) {
			case "reasoning", "custom_tool_call":
				list = append(list, item)
			}
		}
	}
	return list
}

// kindOf returns the kind of a recorded block, in the notations of all providers.
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
	case typ == "function" || typ == "custom" || typ == "dynamic-tool" || strings.HasPrefix(typ, "tool-") && jsonspan.Get(raw, "toolCallId") != nil && jsonspan.Get(raw, "toolName") == nil:
		return model.ToolCall, typ
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

// firstString returns the first of the fields that is a string.
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

// serves reports whether a recorded block belongs to a tool that the provider runs itself.
func (s *spec) serves(raw []byte) bool {
	return raw != nil && s.served != nil && s.served(raw) && s.native(raw)
}

// isCustom reports whether a call is of a tool with text input.
func isCustom(raw []byte) bool {
	switch string(jsonspan.GetString(raw, "type")) {
	case "custom_tool_call", "custom":
		return true
	}
	return false
}
