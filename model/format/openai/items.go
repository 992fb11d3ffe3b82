package openai

import (
	"bytes"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// responsesItem holds the fields of an item.
type responsesItem struct {
	typ, role                                     []byte // without quotes
	content, id, callID, name, args, output       []byte
	summary, encrypted, status, failure, server   []byte
	action, code, queries, results, outputs, tool []byte
}

var responsesItemFields = kit.TableOf(func(i *responsesItem) kit.Fields {
	return kit.Fields{
		kit.Word("type", &i.typ), kit.Word("role", &i.role), kit.Raw("content", &i.content),
		kit.Raw("id", &i.id), kit.Raw("call_id", &i.callID), kit.Raw("callId", &i.callID), kit.Raw("name", &i.name),
		kit.Raw("arguments", &i.args), kit.Raw("input", &i.args), kit.Raw("output", &i.output),
		kit.Raw("summary", &i.summary), kit.Raw("encrypted_content", &i.encrypted),
		kit.Raw("status", &i.status), kit.Raw("error", &i.failure),
		kit.Raw("server_label", &i.server), kit.Raw("action", &i.action),
		kit.Raw("operation", &i.action), kit.Raw("code", &i.code), kit.Raw("queries", &i.queries),
		kit.Raw("results", &i.results), kit.Raw("result", &i.results),
		kit.Raw("outputs", &i.outputs), kit.Raw("tools", &i.tool),
	}
})

func readResponsesItem(v []byte, f *model.Fact) (i responsesItem) {
	c := jsonspan.New(v)
	for c.Object(); c.Key(); {
		if !responsesItemFields.Take(&c, &i) {
			name := c.Name
			if v := c.Skip(); !kit.HasExtra(f, string(name)) {
				kit.KeepNamed(f, name, v)
			}
		}
	}
	return i
}

// item adds an item of a conversation.
func (p *responsesParser) item(v []byte) {
	if jsonspan.KindOf(v) != jsonspan.Object {
		kit.Note(p.fs, "value").AddText(model.OtherBlock, model.ValueText(v))
		p.fs.Last().Session = p.session
		return
	}
	f := p.fs.Add(model.Say)
	f.Role, f.Session, f.Key = model.Assistant, p.session, p.key
	i := readResponsesItem(v, f)
	if string(i.typ) == "function_call_result" { // so the Agents SDK for JavaScript calls it
		i.typ = []byte("function_call_output")
	}
	base := bytes.TrimSuffix(i.typ, []byte("_output"))
	switch {
	case i.role != nil && (i.typ == nil || string(i.typ) == "message"):
		i.message(p.fs)
	case string(i.typ) == "reasoning":
		i.reasoning(f)
	case string(i.typ) == "compaction" || string(i.typ) == "compaction_summary" || string(i.typ) == "context_compaction":
		f.Op, f.Role, f.Key = model.Compact, model.NoRole, 0
		if len(f.Extra) == 0 && !kit.IsEmpty(i.summary) {
			kit.AddContent(f, i.summary)
		}
	case len(base) < len(i.typ) && (i.callID != nil || i.id != nil) && responsesIsCall(i.typ):
		f.Key = 0
		i.result(f)
	case string(i.typ) == "mcp_approval_request" || string(i.typ) == "mcp_approval_response":
		kit.TurnToNote(f, i.typ, v)
	case bytes.HasSuffix(i.typ, []byte("_call")):
		i.call(f)
	default: // item_reference, mcp_list_tools, program …
		kit.TurnToNote(f, i.typ, v)
	}
}

func (i *responsesItem) message(fs *model.Facts) {
	f := fs.Last()
	f.Role = model.NoRole
	kit.SetRole(f, i.role)
	if f.Role != model.Assistant {
		f.Key = 0
	}
	if f.Key == 0 {
		kit.Keep(f, "id", i.id)
	}
	kit.AddContent(f, i.content)
	if s := kit.Inside(i.status); string(s) == "incomplete" {
		f.Flags |= model.Truncated
	}
	if f.Role == model.User {
		kit.SplitUser(fs)
	}
}

// reasoning adds the texts of the summary, or those of the content; encrypted reasoning becomes a
// block without text.
func (i *responsesItem) reasoning(f *model.Fact) {
	at := len(f.Blocks)
	for _, list := range [...][]byte{i.summary, i.content} {
		if kit.IsEmpty(list) {
			continue
		}
		b := kit.BlockFields{Reasoning: list}
		kit.AddReasoning(f, &b)
	}
	if len(f.Blocks) == at {
		b := f.Add(model.Reasoning)
		if !kit.IsEmpty(i.encrypted) {
			b.Name = ResponsesEncrypted
		}
	}
}

// ResponsesEncrypted names reasoning whose only record is encrypted.
var ResponsesEncrypted = model.StringText("encrypted")

// callName returns the recorded name of the tool, or that of the API's tool.
func (i *responsesItem) callName() model.Text {
	if !kit.IsEmpty(i.name) {
		return model.ValueText(i.name)
	}
	return model.EscapedText(bytes.TrimSuffix(bytes.TrimSuffix(i.typ, []byte("_output")), []byte("_call")))
}

// callKey returns the id that pairs call and result: call_id, otherwise the item's id.
func (i *responsesItem) callKey() model.Text {
	if !kit.IsNull(i.callID) {
		return model.ValueText(i.callID)
	}
	return model.ValueText(i.id)
}

// call adds a call. Items of the API's own tools contain the result as well.
func (i *responsesItem) call(f *model.Fact) {
	kit.Keep(f, "server_label", i.server)
	id, name := i.callKey(), i.callName()
	b := f.Add(model.ToolCall)
	b.ID, b.Name = id, name
	for _, v := range [...][]byte{i.args, i.action, i.code, i.queries} {
		if v != nil {
			b.Text = model.ValueText(v)
			break
		}
	}
	outcome, known := kit.OutcomeOfStatus(kit.Inside(i.status))
	switch string(i.typ) {
	case "function_call", "custom_tool_call", "local_shell_call", "shell_call", "apply_patch_call", "computer_call", "tool_search_call":
		if kit.IsNull(i.output) {
			if outcome.Failed() {
				b.Outcome = outcome
			}
			return // its result is a separate item
		}
	}
	text := i.output
	for _, v := range [...][]byte{i.results, i.outputs, i.failure} {
		if kit.IsNull(text) {
			text = v
		}
	}
	switch {
	case !kit.IsEmpty(i.failure):
		outcome = model.Failure
		text = i.failure
	case !known && kit.IsNull(text):
		return
	case outcome == model.Running:
		b.Outcome = outcome
		return
	}
	if string(i.typ) == "image_generation_call" && kit.IsString(text) {
		r := f.Add(model.ToolResult)
		r.ID, r.Name, r.Outcome = id, name, outcome
		kit.AddMedia(f, id, kit.MediaType("image"), text)
		return
	}
	kit.AddResult(f, id, name, text, outcome)
}

// result adds a result that is a separate item.
func (i *responsesItem) result(f *model.Fact) {
	f.Role = model.Tool
	outcome, _ := kit.OutcomeOfStatus(kit.Inside(i.status))
	if !kit.IsEmpty(i.failure) {
		outcome = model.Failure
	} else if outcome == model.Success && !kit.HasPrefix(i.typ, "apply_patch") {
		outcome = model.Unknown // the item was completed; the tool's outcome is unknown
	}
	text := kit.Or(i.output, i.tool)
	name := model.Text{}
	if !kit.IsEmpty(i.name) || !kit.HasPrefix(i.typ, "function") && !kit.HasPrefix(i.typ, "custom") {
		name = i.callName()
	}
	kit.AddResult(f, i.callKey(), name, text, outcome)
	kit.Keep(f, "error", i.failure)
}
