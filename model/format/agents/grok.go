package agents

import (
	"bytes"
	"slices"
	"strings"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// GrokFormat reads a session of Grok CLI: a folder with chat_history.jsonl, a summary, and the same
// files for each subagent. Each of the files can also be opened separately.
func GrokFormat() *model.Format {
	return &model.Format{
		Name:    "grok",
		Highest: 90,
		Title:   "Grok CLI session",
		Where:   []string{"~/.grok/sessions/*/*"},
		Detect: kit.Clues(
			kit.Clue{In: kit.InFiles, Score: 90, Reason: "a folder with chat_history.jsonl and summary.json", Is: kit.Signs{grokHistory, grokSummary}},
			kit.Clue{In: kit.InFiles, Score: 70, Reason: "a folder with chat_history.jsonl", Is: kit.Signs{grokHistory}},
			kit.Clue{In: kit.InDocument, Score: 85, Reason: "a session's summary with session_summary and chat_format_version",
				Is: kit.Signs{"session_summary & chat_format_version"}},
			kit.Clue{Score: 90, Reason: "lines of type user, assistant, tool_result with content beside it", Is: kit.Signs{
				"+ type=user & content & prompt_index|synthetic_reason & !role & !uuid",
				"+ type=assistant & content & model_id|model_fingerprint & !role & !uuid",
				"+ type=backend_tool_call",
				"~ type=user|assistant & content & !role & !uuid",
				"~ type=system & content",
				"~ type=tool_result & tool_call_id",
				"~ type=reasoning & summary|encrypted_content"}},
		),
		Unroll: &model.Unroll{Members: grokMembers, BriefMembers: grokBrief},
		Parse:  grokParse,
	}
}

const (
	grokHistory   = "chat_history.jsonl"
	grokSummary   = "summary.json"
	grokSubagents = "subagents/"
)

func grokMembers(names []string) []string {
	var out []string
	for _, name := range names {
		switch {
		case name == grokSummary:
			out = append([]string{name}, out...)
		case name == grokHistory, strings.HasPrefix(name, grokSubagents) && strings.HasSuffix(name, "/"+grokHistory):
			out = append(out, name)
		}
	}
	return out
}

// grokBrief returns the files about the session without its messages.
func grokBrief(names []string) []string {
	return slices.DeleteFunc(grokMembers(names), func(name string) bool { return name != grokSummary })
}

// grokLine holds the raw values of a line; nil where absent.
type grokLine struct {
	kind, content, calls, callID, synthetic, summary, status []byte
	id, name, args, result, isError                          []byte
}

func grokParse(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	if !kit.StartObject(&c, fs) {
		return kit.Finish(&c, fs)
	}
	c.Kind()
	from := c.Pos
	f := fs.Add(model.Say)
	var l grokLine
	l.read(&c, f)
	if c.Err != nil {
		fs.Drop()
		return c.Err
	}
	if l.kind == nil {
		grokAbout(fs, c.Buf[from:c.Pos])
		return kit.Finish(&c, fs)
	}
	l.emit(fs)
	if agent, _, ok := strings.Cut(strings.TrimPrefix(rec.List, grokSubagents), "/"); ok {
		for i := range fs.Len() {
			fs.At(i).Thread = model.HashString(agent)
			fs.At(i).Flags |= model.Sidechain
		}
	}
	return kit.Finish(&c, fs)
}

func (l *grokLine) read(c *jsonspan.Cursor, f *model.Fact) {
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "type":
			l.kind = c.String()
		case "content", "output":
			l.content = c.Skip()
		case "tool_calls":
			l.calls = c.Skip()
		case "tool_call_id":
			l.callID = c.Skip()
		case "synthetic_reason":
			l.synthetic = c.Skip()
		case "summary":
			l.summary = c.Skip()
		case "status":
			l.status = c.Skip()
		case "id":
			l.id = c.Skip()
		case "name":
			l.name = c.Skip()
		case "arguments", "input":
			l.args = c.Skip()
		case "encrypted_content":
			c.Skip()
		case "result":
			l.result = c.Skip()
		case "is_error":
			l.isError = c.Skip()
		case "model_id":
			f.Model = model.ValueText(c.Skip())
		case "timestamp", "created_at":
			f.Time = kit.ReadMoment(c)
		case "usage":
			f.Usage = kit.ReadUsage(c)
		default:
			kit.KeepField(f, c)
		}
	}
}

var grokAboutNames = kit.Names{
	"generated_title": "title", "session_summary": "title", "current_model_id": "model",
	"head_branch": "branch", "agent_name": "agent",
}

// grokAbout reads the summary of a session.
func grokAbout(fs *model.Facts, v []byte) {
	fs.Drop()
	f := fs.Add(model.About)
	c := jsonspan.New(v)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "info":
			v := c.Skip()
			kit.Keep(f, "session", jsonspan.Get(v, "id"))
			kit.Keep(f, "cwd", jsonspan.Get(v, "cwd"))
		case "created_at":
			f.Time = kit.ReadMoment(&c)
		default:
			grokAboutNames.Keep(f, &c)
		}
	}
}

func (l *grokLine) emit(fs *model.Facts) {
	f := fs.Last()
	switch string(l.kind) {
	case "system":
		f.Role = model.System
		kit.AddContent(f, l.content)
	case "user":
		f.Role = model.User
		kit.AddContent(f, l.content)
		if !kit.IsEmpty(l.synthetic) {
			f.Flags |= model.Injected
			kit.Keep(f, "synthetic_reason", l.synthetic)
			return
		}
		kit.SplitUserRecord(fs)
	case "assistant":
		f.Role = model.Assistant
		if !kit.IsEmpty(l.content) {
			kit.AddContent(f, l.content)
		}
		kit.AddToolCalls(f, l.calls)
	case "reasoning":
		f.Role = model.Assistant
		b := kit.BlockFields{Reasoning: l.summary, Content: l.content}
		kit.AddReasoning(f, &b)
		kit.Keep(f, "id", l.id)
	case "tool_result":
		f.Role = model.Tool
		outcome, _ := kit.OutcomeOfStatus(kit.Inside(l.status))
		if kit.IsTrue(l.isError) {
			outcome = model.Failure
		}
		kit.AddResult(f, model.ValueText(l.callID), model.ValueText(l.name), l.content, outcome)
	case "backend_tool_call":
		l.emitBackend(f)
	default:
		kit.AddContent(f, l.content)
		kit.TurnToNote(f, l.kind, nil)
	}
}

// emitBackend adds a call that the server ran itself, with its result if it is known.
func (l *grokLine) emitBackend(f *model.Fact) {
	f.Role = model.Assistant
	id := kit.Or(l.id, l.callID)
	call := f.Add(model.ToolCall)
	call.ID, call.Name, call.Text = model.ValueText(id), model.ValueText(l.name), model.ValueText(l.args)
	result := kit.Or(l.result, l.content)
	outcome, known := kit.OutcomeOfStatus(bytes.ToLower(kit.Inside(l.status)))
	if result == nil && (!known || outcome == model.Running) {
		return
	}
	kit.AddResult(f, model.ValueText(id), model.ValueText(l.name), result, outcome)
}
