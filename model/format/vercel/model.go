package vercel

import (
	"bytes"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// ModelFormat reads the ModelMessages (CoreMessages) of Vercel's AI SDK, version 4 and later.
func ModelFormat() *model.Format {
	return &model.Format{
		Name:    "vercel-model",
		Highest: 85,
		Title:   "Vercel AI SDK model messages",
		Detect:  vercelModelKind.Detect,
		Lists:   vercelModelKind.Lists,
		Parse:   vercelModelParse,
	}
}

var vercelModelKind = &kit.FrameKind{
	Paths:  []string{kit.WholeList, "messages", "model", "prompt", "history", "responseMessages", "response.messages"},
	Marks:  []string{`"tool-call"`, `"tool-result"`, `"mediaType"`, `"tool-approval`, `"redacted-reasoning"`, `"mimeType"`, `"reasoning-file"`},
	Judge:  vercelModelJudge,
	Score:  83,
	Reason: "content parts tool-call and tool-result, as ModelMessage has them",

	ReadsBack: true, // an answer to a request for approval is no result
}

var vercelModelJudge = kit.Judge(
	"- !role:string",
	"- parts|toolCalls",
	"+ content[].type=tool-call|tool-result|tool-approval-request|tool-approval-response|redacted-reasoning|reasoning-file",
	"+ content[](type=file|image & mediaType)",
	"+ content[](type=file|image & mimeType & filename)",
	"- content[].type=tool_use|tool_result|image_url|input_text|output_text",
	"~ role",
)

func vercelModelParse(rec model.Record, fs *model.Facts) error {
	return vercelParse(rec, fs, vercelModelKind.Paths[1:], VercelModelMessage)
}

// VercelModelMessage reads a ModelMessage. A function_call next to calls in the content repeats
// one of them.
func VercelModelMessage(c *jsonspan.Cursor, fs *model.Facts, session model.Key) {
	start := c.Pos
	f := fs.Add(model.Say)
	f.Session = session
	var role, content, call, name []byte
	var plain kit.PlainFields
	fields := kit.Fields{
		kit.Word("role", &role), kit.Raw("content", &content), kit.Raw("function_call", &call),
		kit.Raw("name", &name), kit.Time("createdAt", &f.Time), kit.Time("timestamp", &f.Time),
	}
	for c.Object(); c.Key(); {
		if fields.Take(c) {
			continue
		}
		switch string(c.Name) {
		case "id":
			kit.Keep(f, "id", c.Skip())
		default:
			if !plain.Take(c) {
				kit.KeepField(f, c)
			}
		}
	}
	if c.Err != nil {
		fs.Drop()
		return
	}
	if role == nil {
		kit.FrameOther(fs, nil, bytes.TrimSpace(c.Buf[start:c.Pos]))
		return
	}
	kit.SetRole(f, role)
	plain.AddReasoning(f)
	switch {
	case plain.Answers(f, name, content):
		return
	case string(role) == "function":
		kit.AddResult(f, model.Text{}, model.ValueText(name), content, model.Unknown)
	case jsonspan.KindOf(content) == jsonspan.Array:
		for v := range jsonspan.List(content) {
			vercelModelPart(f, v)
		}
		kit.Keep(f, "name", name)
	default:
		kit.AddContent(f, content)
		kit.Keep(f, "name", name)
	}
	kit.AddToolCalls(f, plain.Calls)
	if !kit.IsEmpty(call) && !vercelHas(f, model.ToolCall) {
		kit.AddToolCalls(f, call)
	}
	if whole := plain.ReadBack(f); !whole && f.Role == model.User {
		kit.SplitUser(fs)
	}
	plain.AddFacts(fs)
}

func vercelModelPart(f *model.Fact, v []byte) {
	switch typ := jsonspan.GetString(v, "type"); string(typ) {
	case "tool-call":
		c := jsonspan.New(v)
		kit.ReadCall(f, &c)
		kit.KeepRest(f, v, "type", "toolCallId", "toolName", "args", "input")
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
		kit.AddBlock(f, v)
	}
}

// vercelText returns the text of a result's content: its text part if there is only one (the
// files follow as blocks), otherwise the list as recorded.
func vercelText(content []byte) model.Text {
	text, texts, others := model.Text{}, 0, 0
	for v := range jsonspan.List(content) {
		switch string(jsonspan.GetString(v, "type")) {
		case "text":
			text = model.ValueText(jsonspan.Get(v, "text"))
			texts++
		case "media", "file", "file-data", "file-url", "file-id", "image-data", "image-url", "image-file-id":
		default:
			others++
		}
	}
	if texts == 1 && others == 0 {
		return text
	}
	text, _ = kit.SoleText(content)
	return text
}

// vercelModelResult adds a result: version 4 has result and isError, later versions a typed output.
func vercelModelResult(f *model.Fact, v []byte) {
	var id, name, result, output, failed, content []byte
	c := jsonspan.New(v)
	fields := kit.Fields{
		kit.Raw("toolCallId", &id), kit.Raw("toolName", &name), kit.Raw("result", &result),
		kit.Raw("output", &output), kit.Raw("isError", &failed),
		kit.Raw("experimental_content", &content),
	}
	for c.Object(); c.Key(); {
		if fields.Take(&c) {
			continue
		}
		switch string(c.Name) {
		case "type":
			c.Skip()
		default:
			name := string(c.Name)
			kit.KeepNumbered(f, name, c.Skip())
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
		case kit.HasPrefix(typ, "error"):
			outcome = kit.FailureOf(text)
		case string(typ) == "execution-denied":
			text, outcome = model.ValueText(jsonspan.Get(output, "reason")), model.Denied
		case string(typ) == "content":
			content = jsonspan.Get(output, "value")
			text = vercelText(content)
		}
	} else if kit.IsTrue(failed) {
		outcome = kit.FailureOf(text)
	}
	if outcome == model.Unknown {
		outcome = kit.OutcomeOfText(text)
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
