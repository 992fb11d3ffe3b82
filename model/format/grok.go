package format

import (
	"bytes"
	"slices"
	"strings"

	"turns/model"
	"turns/model/jsonspan"
)

// grokFormat is a session of Grok CLI: a folder with chat_history.jsonl, a
// summary, and the same again for each subagent. Each of the files can be read on
// its own.
func grokFormat() *model.Format {
	return &model.Format{
		Name:   "grok",
		Title:  "Grok CLI session",
		Where:  []string{"~/.grok/sessions/*/*"},
		Detect: grokDetect,
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

// grokBrief is what is known of the session without its messages.
func grokBrief(names []string) []string {
	return slices.DeleteFunc(grokMembers(names), func(name string) bool { return name != grokSummary })
}

func grokDetect(s *model.Sample) model.Match {
	if s.Shape == model.Folder {
		history, summary := false, false
		for _, name := range s.Names {
			history = history || name == grokHistory
			summary = summary || name == grokSummary
		}
		if history {
			m := model.Match{Score: 70, Reason: "a folder with chat_history.jsonl"}
			if summary {
				m = model.Match{Score: 90, Reason: "a folder with chat_history.jsonl and summary.json"}
			}
			return m
		}
		return model.Match{}
	}
	if doc := sampleDocument(s); doc != nil && hasKey(doc, "session_summary") && hasKey(doc, "chat_format_version") {
		return model.Match{Score: 85, Reason: "a session's summary with session_summary and chat_format_version"}
	}
	marks := 0
	m := mostLines(s, 90, "lines of type user, assistant, tool_result with content beside it", func(line []byte) bool {
		switch string(jsonspan.GetString(line, "type")) {
		case "system":
			return hasKey(line, "content")
		case "user":
			if hasKey(line, "prompt_index") || hasKey(line, "synthetic_reason") {
				marks++
			}
			return hasKey(line, "content") && !hasKey(line, "role") && !hasKey(line, "uuid")
		case "assistant":
			if hasKey(line, "model_id") || hasKey(line, "model_fingerprint") {
				marks++
			}
			return hasKey(line, "content") && !hasKey(line, "role") && !hasKey(line, "uuid")
		case "tool_result":
			return hasKey(line, "tool_call_id")
		case "reasoning":
			return hasKey(line, "summary") || hasKey(line, "encrypted_content")
		case "backend_tool_call":
			marks++
			return true
		}
		return false
	})
	if marks == 0 {
		return model.Match{}
	}
	return m
}

// grokLine is a line: raw values, nil where absent.
type grokLine struct {
	kind, content, calls, callID, synthetic, summary, status []byte
	id, name, args, result, isError, encrypted               []byte
}

func grokParse(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	if !startObject(&c, fs) {
		return finish(&c, fs)
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
		return finish(&c, fs)
	}
	l.tell(fs)
	if agent, _, ok := strings.Cut(strings.TrimPrefix(rec.List, grokSubagents), "/"); ok {
		for i := range fs.Len() {
			fs.At(i).Thread = model.HashString(agent)
			fs.At(i).Flags |= model.Sidechain
		}
	}
	return finish(&c, fs)
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
		case "encrypted_content":
			l.encrypted = c.Skip()
		case "status":
			l.status = c.Skip()
		case "id":
			l.id = c.Skip()
		case "name":
			l.name = c.Skip()
		case "arguments", "input":
			l.args = c.Skip()
		case "result":
			l.result = c.Skip()
		case "is_error":
			l.isError = c.Skip()
		case "model_id":
			f.Model = model.ValueText(c.Skip())
		case "timestamp", "created_at":
			f.Time = readMoment(c)
		case "usage":
			f.Usage = readUsage(c)
		default:
			keepField(f, c)
		}
	}
}

// grokAbout makes of the summary of a session what is known of it.
func grokAbout(fs *model.Facts, v []byte) {
	fs.Drop()
	f := fs.Add(model.About)
	c := jsonspan.New(v)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "info":
			v := c.Skip()
			keep(f, "session", jsonspan.Get(v, "id"))
			keep(f, "cwd", jsonspan.Get(v, "cwd"))
		case "generated_title", "session_summary":
			keep(f, "title", c.Skip())
		case "current_model_id":
			keep(f, "model", c.Skip())
		case "head_branch":
			keep(f, "branch", c.Skip())
		case "agent_name":
			keep(f, "agent", c.Skip())
		case "created_at":
			f.Time = readMoment(&c)
		default:
			keepField(f, &c)
		}
	}
}

func (l *grokLine) tell(fs *model.Facts) {
	f := fs.Last()
	switch string(l.kind) {
	case "system":
		f.Role = model.System
		addContent(f, l.content)
	case "user":
		f.Role = model.User
		addContent(f, l.content)
		if !isEmpty(l.synthetic) {
			f.Flags |= model.Injected
			keep(f, "synthetic_reason", l.synthetic)
			return
		}
		splitUserRecord(fs)
	case "assistant":
		f.Role = model.Assistant
		if !isEmpty(l.content) {
			addContent(f, l.content)
		}
		addToolCalls(f, l.calls)
	case "reasoning":
		f.Role = model.Assistant
		b := blockFields{reasoning: l.summary, content: l.content}
		addReasoning(f, &b)
		keep(f, "id", l.id)
	case "tool_result":
		f.Role = model.Tool
		outcome, _ := outcomeOfStatus(inside(l.status))
		if isTrue(l.isError) {
			outcome = model.Failure
		}
		addResult(f, model.ValueText(l.callID), model.ValueText(l.name), l.content, outcome)
	case "backend_tool_call":
		l.tellBackend(f)
	default:
		addContent(f, l.content)
		turnToNote(f, l.kind, nil)
	}
}

// tellBackend says a call that the server ran itself, with what is known of its
// result.
func (l *grokLine) tellBackend(f *model.Fact) {
	f.Role = model.Assistant
	id := l.id
	if id == nil {
		id = l.callID
	}
	call := f.Add(model.ToolCall)
	call.ID, call.Name, call.Text = model.ValueText(id), model.ValueText(l.name), model.ValueText(l.args)
	result := l.result
	if result == nil {
		result = l.content
	}
	outcome, known := outcomeOfStatus(bytes.ToLower(inside(l.status)))
	if result == nil && (!known || outcome == model.Running) {
		return
	}
	addResult(f, model.ValueText(id), model.ValueText(l.name), result, outcome)
}
