package prose

import (
	"bytes"
	"encoding/json"
	"hash/fnv"
	"strconv"

	"turns/model"
)

// tool is a call found in a text, with its result.
type tool struct {
	id, name, args, result string
	answered, failed       bool
}

// appendMessage appends a message, with the calls in its text.
func appendMessage(dst []byte, w who, text []byte) []byte {
	if w.role != model.Assistant && w.role != model.Tool {
		return appendParts(dst, w, text, nil)
	}
	if name, result, ok := adkResult(text); ok {
		return namedTool(dst, name, result)
	}
	text, tools := toolsIn(text)
	return appendParts(dst, w, text, tools)
}

// namedTool appends the result of a tool identified by its name.
func namedTool(dst, name, result []byte) []byte {
	dst = field(append(dst, '{'), []byte("role"), []byte("tool"))
	dst = field(dst, []byte("name"), name)
	return append(field(dst, []byte("content"), result), '}')
}

// appendParts appends a message; it returns dst unchanged if the message is empty.
func appendParts(dst []byte, w who, text []byte, tools []tool) []byte {
	if text = bytes.TrimSpace(text); len(text) == 0 && len(tools) == 0 {
		return dst
	}
	dst = field(append(dst, '{'), []byte("role"), []byte(w.role.String()))
	for _, f := range [...]struct{ name, value string }{{"name", w.name}, {"model", w.model}, {"timestamp", w.time}} {
		if f.value != "" {
			dst = field(dst, []byte(f.name), []byte(f.value))
		}
	}
	if w.usage != "" {
		dst = append(key(dst, []byte("usage")), w.usage...)
	}
	if w.thinks {
		dst = append(key(dst, []byte("content")), `[{"type":"thinking"`...)
		return append(field(dst, []byte("thinking"), text), `}]}`...)
	}
	thoughts := [][]int(nil)
	if w.role == model.Assistant && bytes.Contains(text, []byte("<think>")) {
		thoughts = thought().FindAllSubmatchIndex(text, -1)
	}
	if len(tools) == 0 && len(thoughts) == 0 {
		return append(field(dst, []byte("content"), text), '}')
	}
	dst = append(key(dst, []byte("content")), '[')
	from := 0
	for _, at := range thoughts {
		dst = appendPart(dst, "text", text[from:at[0]])
		dst = appendPart(dst, "thinking", text[at[2]:at[3]])
		from = at[1]
	}
	dst = appendPart(dst, "text", text[from:])
	for _, t := range tools {
		dst = t.append(dst)
	}
	return append(dst, ']', '}')
}

// thought matches the thoughts of a model, also in the fold that SpecStory writes.
var thought = lazy(`(?sm)^<think>(?:\s*<details>\s*<summary>[^<\n]*</summary>)?(.*?)(?:</details>\s*)?</think>`)

// appendPart appends a part of a message with text.
func appendPart(dst []byte, kind string, text []byte) []byte {
	if text = bytes.TrimSpace(withoutRules(text)); len(text) == 0 {
		return dst
	}
	return append(field(field(append(nextPart(dst), '{'), []byte("type"), []byte(kind)), []byte(kind), text), '}')
}

// nextPart appends the comma before a part, except for the first.
func nextPart(dst []byte) []byte {
	if dst[len(dst)-1] != '[' {
		dst = append(dst, ',')
	}
	return dst
}

// append appends a call as parts of a message.
func (t *tool) append(dst []byte) []byte {
	dst = nextPart(dst)
	dst = field(append(dst, '{'), []byte("type"), []byte("tool_use"))
	if t.id != "" {
		dst = field(dst, []byte("id"), []byte(t.id))
	}
	dst = field(dst, []byte("name"), []byte(t.name))
	dst = key(dst, []byte("input"))
	if json.Valid([]byte(t.args)) && t.args[0] == '{' {
		dst = append(dst, t.args...)
	} else {
		dst = append(field(append(dst, '{'), []byte("text"), []byte(t.args)), '}')
	}
	if dst = append(dst, '}'); !t.answered {
		return dst
	}
	return appendResult(append(dst, ','), t.id, t.result, t.failed)
}

// appendResult appends a call's result as a part of a message.
func appendResult(dst []byte, id, result string, failed bool) []byte {
	dst = field(append(dst, '{'), []byte("type"), []byte("tool_result"))
	dst = field(dst, []byte("tool_use_id"), []byte(id))
	dst = field(dst, []byte("content"), []byte(result))
	if failed {
		dst = append(key(dst, []byte("is_error")), "true"...)
	}
	return append(dst, '}')
}

// idOf returns an id for a call from its text; n is its number in the text.
func idOf(text []byte, n int) string {
	h := fnv.New64a()
	h.Write(text)
	return "call_" + strconv.FormatUint(h.Sum64()+uint64(n), 36)
}

var (
	// SpecStory: https://docs.specstory.com, <tool-use data-tool-type="shell" data-tool-name="Bash">
	toolUse  = lazy(`(?s)<tool-use\b([^>]*)>(.*?)</tool-use>`)
	toolName = lazy(`data-tool-name="([^"]+)"`)
	markup   = lazy(`</?(?:details|summary)>`)
	fenced   = lazy("(?s)```[^\n]*\n(.*?)\n?```")
	// google/adk-samples: function call: "name"\nargs: {…}
	adkCall     = lazy("(?s)^\\s*(?:```\\w*\n)?function call: \"([^\"]+)\"\\s*args: (\\{.*?\\})\\s*(?:```)?\\s*$")
	adkResponse = lazy("(?s)^\\s*(?:```\\w*\n)?Response from: \"([^\"]+)\"\\s*response: (.*?)\\s*(?:```)?\\s*$")
)

// toolsIn extracts the calls from a text.
func toolsIn(text []byte) (rest []byte, tools []tool) {
	if m := adkCall().FindSubmatch(text); m != nil {
		return nil, []tool{{name: string(m[1]), args: string(m[2])}}
	}
	if !bytes.Contains(text, []byte("<tool-use")) {
		return text, nil
	}
	for i, m := range toolUse().FindAllSubmatch(text, -1) {
		name := toolName().FindSubmatch(m[1])
		if name == nil {
			continue
		}
		body := bytes.TrimSpace(markup().ReplaceAll(m[2], nil))
		t := tool{id: idOf(text, i), name: string(name[1]), args: string(body)}
		if out := fenced().FindSubmatchIndex(body); out != nil {
			t.args, t.result, t.answered = string(bytes.TrimSpace(body[:out[0]])), string(bytes.TrimSpace(bytes.TrimSuffix(body[out[2]:], []byte("```")))), true
		}
		tools = append(tools, t)
	}
	return toolUse().ReplaceAll(text, nil), tools
}

// adkResult returns the tool's result if a section consists only of that.
func adkResult(text []byte) (name, result []byte, ok bool) {
	m := adkResponse().FindSubmatch(text)
	if m == nil {
		return nil, nil, false
	}
	return m[1], m[2], true
}
