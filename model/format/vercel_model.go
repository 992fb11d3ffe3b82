package format

import (
	"bytes"

	"turns/model"
	"turns/model/jsonspan"
)

// vercelModelFormat is the ModelMessages (CoreMessages) of Vercel's AI SDK, version
// 4 and later.
func vercelModelFormat() *model.Format {
	return &model.Format{
		Name:   "vercel-model",
		Title:  "Vercel AI SDK model messages",
		Detect: vercelModelKind.detect,
		Lists:  vercelModelKind.lists,
		Parse:  vercelModelParse,
	}
}

var vercelModelKind = &frameKind{
	paths:  []string{wholeList, "messages", "model", "prompt", "history", "responseMessages", "response.messages"},
	marks:  []string{`"tool-call"`, `"tool-result"`, `"mediaType"`, `"tool-approval`, `"redacted-reasoning"`, `"mimeType"`, `"reasoning-file"`},
	judge:  vercelModelJudge,
	score:  83,
	reason: "content parts tool-call and tool-result, as ModelMessage has them",
}

func vercelModelJudge(v []byte) int {
	if jsonspan.GetString(v, "role") == nil || hasKey(v, "parts") || hasKey(v, "toolCalls") {
		return -1
	}
	for _, p := range elements(v, "content", 20) {
		switch string(jsonspan.GetString(p, "type")) {
		case "tool-call", "tool-result", "tool-approval-request", "tool-approval-response", "redacted-reasoning", "reasoning-file":
			return 1
		case "file", "image":
			if hasKey(p, "mediaType") || hasKey(p, "mimeType") && hasKey(p, "filename") {
				return 1
			}
		case "tool_use", "tool_result", "image_url", "input_text", "output_text":
			return -1
		}
	}
	return 0
}

func vercelModelParse(rec model.Record, fs *model.Facts) error {
	return vercelParse(rec, fs, vercelModelKind.paths[1:], vercelModelMessage)
}

// vercelModelMessage reads a ModelMessage. A function_call beside calls in the
// content is one of them again.
func vercelModelMessage(c *jsonspan.Cursor, fs *model.Facts, session model.Key) {
	start := c.Pos
	f := fs.Add(model.Say)
	f.Session = session
	var role, content, call, name []byte
	var plain plainFields
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "role":
			role = c.String()
		case "content":
			content = c.Skip()
		case "function_call":
			call = c.Skip()
		case "name":
			name = c.Skip()
		case "id":
			keep(f, "id", c.Skip())
		case "createdAt", "timestamp":
			f.Time = readMoment(c)
		default:
			if !plain.take(c) {
				keepField(f, c)
			}
		}
	}
	if c.Err != nil {
		fs.Drop()
		return
	}
	if role == nil {
		frameOther(fs, nil, bytes.TrimSpace(c.Buf[start:c.Pos]))
		return
	}
	setRole(f, role)
	plain.addReasoning(f)
	switch {
	case plain.answers(f, name, content):
	case string(role) == "function":
		addResult(f, model.Text{}, model.ValueText(name), content, model.Unknown)
	case jsonspan.KindOf(content) == jsonspan.Array:
		in := jsonspan.New(content)
		for in.Array(); in.More(); {
			vercelModelPart(f, in.Skip())
		}
		keep(f, "name", name)
	default:
		addContent(f, content)
		keep(f, "name", name)
	}
	addToolCalls(f, plain.calls)
	if !isEmpty(call) && !vercelSays(f, model.ToolCall) {
		addToolCalls(f, call)
	}
	if f.Role == model.User {
		splitUser(fs)
	}
}

func vercelModelPart(f *model.Fact, v []byte) {
	switch typ := jsonspan.GetString(v, "type"); string(typ) {
	case "tool-call":
		c := jsonspan.New(v)
		readCall(f, &c)
		keepRest(f, v, "type", "toolCallId", "toolName", "args", "input")
	case "tool-result":
		vercelModelResult(f, v)
	case "text", "reasoning", "redacted-reasoning":
		vercelUIPart(f, v)
	case "file", "image", "reasoning-file":
		vercelFile(f, v)
	case "tool-approval-request", "tool-approval-response":
		b := f.Add(model.OtherBlock)
		b.ID = model.ValueText(jsonspan.Get(v, "toolCallId"))
		b.Name, b.Text = model.EscapedText(typ), model.ValueText(v)
	default:
		addBlock(f, v)
	}
}

// vercelModelResult adds a result: result with isError in version 4, output with a
// type of its own since.
func vercelModelResult(f *model.Fact, v []byte) {
	var id, name, result, output, failed, content []byte
	c := jsonspan.New(v)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "toolCallId":
			id = c.Skip()
		case "toolName":
			name = c.Skip()
		case "result":
			result = c.Skip()
		case "output":
			output = c.Skip()
		case "isError":
			failed = c.Skip()
		case "experimental_content":
			content = c.Skip()
		case "type":
			c.Skip()
		default:
			name := string(c.Name)
			keepNumbered(f, name, c.Skip())
		}
	}
	text, outcome := model.ValueText(result), model.Unknown
	if output != nil {
		text = model.ValueText(output)
		typ := jsonspan.GetString(output, "type")
		if value := jsonspan.Get(output, "value"); value != nil {
			text = model.ValueText(value)
		}
		switch {
		case hasPrefix(typ, "error"):
			outcome = failureOf(text)
		case string(typ) == "execution-denied":
			text, outcome = model.ValueText(jsonspan.Get(output, "reason")), model.Denied
		case string(typ) == "content":
			content = jsonspan.Get(output, "value")
			text, _ = soleText(content)
		}
	} else if isTrue(failed) {
		outcome = failureOf(text)
	}
	if outcome == model.Unknown {
		outcome = outcomeOfText(text)
	}
	b := f.Add(model.ToolResult)
	b.ID, b.Name, b.Text, b.Outcome = model.ValueText(id), model.ValueText(name), text, outcome
	callID := b.ID
	if jsonspan.KindOf(content) != jsonspan.Array {
		return
	}
	in := jsonspan.New(content)
	for in.Array(); in.More(); {
		if item := in.Skip(); string(jsonspan.GetString(item, "type")) != "text" {
			vercelFile(f, item)
			f.Blocks[len(f.Blocks)-1].ID = callID
		}
	}
}
