package kiro

import (
	"cmp"
	"slices"
	"time"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// Version 3 of Kiro CLI, and the IDE since 1.0, store a session in
// sessions/<workspace>/<session>/messages.jsonl: one line for each message or action, with its data
// in the payload. Costs are in credits, not in money.

// The files of a session's folder: its messages, and its description with title, folder and model.
const (
	kiroSession  = "session.json"
	kiroMessages = "messages.jsonl"
)

// kiroMembers returns the files of a session; nil if names are not those of a session's folder.
func kiroMembers(names []string) []string {
	if !slices.Contains(names, kiroSession) || !slices.Contains(names, kiroMessages) {
		return nil
	}
	return []string{kiroSession, kiroMessages}
}

var kiroSessionNames = kit.Names{
	"id": "session", "title": "title", "description": "description", "agentMode": "mode", "status": "status", "parentSessionId": "parent", "schemaVersion": "format version",
}

// kiroParseSession reads the description of a session. It skips the model "auto", because Kiro then
// chooses a model for each request.
func kiroParseSession(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	if !kit.StartObject(&c, fs) {
		return kit.Finish(&c, fs)
	}
	f := fs.Add(model.About)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "createdAt":
			f.Time = kit.ReadMoment(&c)
		case "workspacePaths", "rootPaths":
			for v := range jsonspan.List(c.Skip()) {
				kit.Keep(f, "cwd", v)
				break
			}
		case "modelId":
			if v := c.Skip(); string(kit.Inside(v)) != "auto" {
				kit.Keep(f, "model", v)
			}
		default:
			kiroSessionNames.KeepOnly(f, &c)
		}
	}
	return kit.Finish(&c, fs)
}

// kiroV3 is the variant of version 3.
const kiroV3 = 3

// kiroPayload holds the raw values of a line's payload.
type kiroPayload struct {
	kind, operation, status                 []byte // without quotes
	content, id, name, args, model, success []byte
	execution, key, value, summaries, took  []byte
	from                                    []byte // the first message that is not summarised
}

func kiroParseV3(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	if !kit.StartObject(&c, fs) {
		return kit.Finish(&c, fs)
	}
	f := fs.Add(model.Say)
	var p kiroPayload
	fields := kit.Fields{kit.Key("id", &f.Key), kit.Time("timestamp", &f.Time)}
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "payload":
			p.read(&c, f)
		default:
			fields.ReadOrKeep(f, &c)
		}
	}
	if c.Err != nil {
		fs.Drop()
		return c.Err
	}
	p.emit(f, fs)
	return kit.Finish(&c, fs)
}

var kiroPayloadFields = kit.TableOf(func(p *kiroPayload) kit.Fields {
	return kit.Fields{
		kit.Word("type", &p.kind), kit.Word("operationType", &p.operation),
		kit.Raw("content", &p.content), kit.Raw("toolCallId", &p.id), kit.Raw("toolName", &p.name),
		kit.Raw("args", &p.args), kit.Raw("success", &p.success), kit.Word("status", &p.status),
		kit.Raw("reasoningModelId", &p.model), kit.Raw("modelId", &p.model),
		kit.Raw("executionId", &p.execution), kit.Raw("key", &p.key), kit.Raw("value", &p.value),
		kit.Raw("promptTurnSummaries", &p.summaries), kit.Raw("effectiveFromMessageId", &p.from), kit.Raw("elapsedTime", &p.took),
	}
})

func (p *kiroPayload) read(c *jsonspan.Cursor, f *model.Fact) {
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "reasoningSignature":
			c.Skip()
		default:
			kiroPayloadFields.ReadOrKeep(c, p, f)
		}
	}
}

func (p *kiroPayload) emit(f *model.Fact, fs *model.Facts) {
	f.Interaction = kit.HashValue(p.execution)
	switch string(p.kind) {
	case "user":
		f.Role = model.User
		kit.AddContent(f, p.content)
		kit.SplitUserRecord(fs)
	case "assistant":
		f.Role, f.Join, f.Aside, f.Key = model.Assistant, model.Extend, true, 0 // a piece of an answer
		f.Model = model.ValueText(p.model)
		if string(p.operation) == "Summary" {
			f.Op, f.Name, f.Join, f.Aside = model.Note, model.StringText("summary"), model.Union, false
		}
		if string(p.operation) == "Reasoning" {
			text := model.ValueText(p.content)
			if text.Is("...") { // the thinking was removed
				text = model.Text{}
			}
			f.AddText(model.Reasoning, text)
			return
		}
		kit.AddContent(f, p.content)
	case "tool_call":
		f.Role, f.Join, f.Aside, f.Key = model.Assistant, model.Extend, true, 0
		b := f.Add(model.ToolCall)
		b.ID, b.Name, b.Text = model.ValueText(p.id), model.ValueText(p.name), model.ValueText(p.args)
		b.Key = b.ID.Hash()
		kit.Keep(f, "status", p.quoted(p.status))
	case "tool_result":
		f.Role = model.Tool
		outcome := model.Unknown
		switch {
		case kit.IsTrue(p.success):
			outcome = model.Success
		case len(p.success) > 0 && p.success[0] == 'f':
			outcome = model.Failure
		}
		if code, ok := kiroV3Exit(p.content); ok && code != 0 && outcome == model.Success {
			outcome = model.Failure // a command that ran counts as a success
		}
		kit.AddResult(f, model.ValueText(p.id), model.ValueText(p.name), p.content, outcome)
	case "usage_summary":
		p.emitEnd(f)
	case "tombstone":
		f.Op, f.Key, f.Name = model.Compact, 0, model.EscapedText(p.kind)
		f.Target = kit.HashValue(p.from)
	case "session_metadata":
		f.Op, f.Key = model.About, 0
		name := cmp.Or(string(kit.Inside(p.key)), "metadata")
		kit.KeepNamed(f, []byte(name), p.value)
	default:
		f.Op, f.Key, f.Name = model.Note, 0, model.EscapedText(p.kind)
		kit.Keep(f, "executionId", p.execution)
		if p.content != nil {
			f.AddText(model.OtherBlock, model.ValueText(p.content))
		}
	}
}

// emitEnd records the outcome and the cost of a turn.
func (p *kiroPayload) emitEnd(f *model.Fact) {
	f.Op, f.Key, f.Name = model.End, 0, model.EscapedText(p.kind)
	f.Outcome, _ = kit.OutcomeOfStatus(p.status)
	if len(p.status) > 0 && f.Outcome != model.Success {
		f.Name = model.EscapedText(p.status)
	}
	kit.Keep(f, "promptTurnSummaries", p.summaries)
	if n, ok := jsonspan.ParseInt(p.took); ok && n > 0 {
		f.Keep("elapsed", model.StringText((time.Duration(n) * time.Millisecond).String()))
	}
}

// quoted returns in between double quotes; nil if it is empty.
func (p *kiroPayload) quoted(in []byte) []byte {
	if len(in) == 0 {
		return nil
	}
	return append(append([]byte{'"'}, in...), '"')
}

// kiroV3Exit finds "Exit Code: N" at the end of a command's output.
func kiroV3Exit(v []byte) (code int, ok bool) {
	text := model.ValueText(v)
	raw := text.Raw()
	const mark = "Exit Code: "
	tail := raw[max(0, len(raw)-64):]
	for i := len(tail) - len(mark); i >= 0; i-- {
		if kit.HasPrefix(tail[i:], mark) {
			return kit.LeadingInt(tail[i+len(mark):])
		}
	}
	return 0, false
}
