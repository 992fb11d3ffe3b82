package claude

import (
	"bytes"
	"cmp"
	"path/filepath"
	"strings"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// CodeFormat reads sessions of Claude Code under ~/.claude/projects: a JSON object per line, a
// response spread over several lines (one per block), and many other records between them.
func CodeFormat() *model.Format {
	return &model.Format{
		Name:   "claude-code",
		Resume: "claude --resume ID",
		Title:  "Claude Code session",
		Where:  []string{"~/.claude/projects/*/*.jsonl", "~/.claude/projects/*/*/subagents/*.jsonl"},
		Detect: claudeCodeDetect,
		Children: []string{
			"{stem}/subagents/agent-{id}.jsonl", "{stem}/subagents/workflows/*/agent-{id}.jsonl", "agent-{id}.jsonl",
		},
		// A subagent's lines have the id of the session that started it.
		Starter: func(path string, s *model.Session) string {
			if !strings.HasPrefix(filepath.Base(path), "agent-") {
				return ""
			}
			return s.Field("session")
		},
		Moved: claudeMoved,
		Parse: func(rec model.Record, fs *model.Facts) error {
			return ClaudeParse(rec, fs, false)
		},
	}
}

// claudeMoved reads the last line of a session that was sent to the background: its new transcript
// begins with a copy of all its lines (continued-in, since 2.1.261).
func claudeMoved(record []byte) (m model.Moved) {
	switch string(jsonspan.GetString(record, "type")) {
	case "continued-in":
		m.To = string(jsonspan.GetString(record, "continuedInSessionId"))
	case "user", "assistant":
		m.ID = string(jsonspan.GetString(record, "uuid"))
	}
	return m
}

// claudeCodeDetect counts the lines with the envelope of a session line. The first lines may be any
// other records, so the whole sample is examined.
func claudeCodeDetect(s *model.Sample) model.Match {
	if s.Shape != model.Lines {
		return model.Match{}
	}
	typed, words, linked := 0, 0, 0
	for _, line := range s.Records {
		p := claudeLook(line)
		switch {
		case p.foreign:
			return model.Match{}
		case !p.known || !p.camel || p.snake:
			continue
		}
		typed++
		if p.message {
			words++
		}
		if kit.HasKey(line, "parentUuid") && kit.HasKey(line, "isSidechain") {
			linked++
		}
	}
	switch {
	case typed == 0 || typed*2 < len(s.Records):
		return model.Match{}
	case words > 0:
		return model.Match{Score: 90, Reason: "lines of type user, assistant, … with uuid or sessionId"}
	case linked*2 > typed: // a file that begins in the middle of a subagent's work
		return model.Match{Score: 90, Reason: "bookkeeping lines with parentUuid and isSidechain, no message yet"}
	}
	return model.Match{Score: 75, Reason: "bookkeeping lines with uuid or sessionId, no message yet"}
}

// claudePeek holds the features of a line that detection uses.
type claudePeek struct {
	known   bool // its type is one of Claude Code's
	camel   bool // it has an id in the spelling of session files
	snake   bool // it has session_id or parent_tool_use_id: a stream
	message bool
	foreign bool // Qwen Code: the same envelope around Gemini's parts
	stream  bool // its type exists only in a stream
}

func claudeLook(line []byte) (p claudePeek) {
	c := jsonspan.New(line)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "type":
			p.known, p.stream = claudeTypes(c.String())
		case "uuid", "sessionId", "leafUuid", "messageId":
			p.camel = p.camel || c.Kind() == jsonspan.String
			c.Skip()
		case "session_id", "parent_tool_use_id":
			p.snake = true
			c.Skip()
		case "message":
			for c.Object(); c.Key(); {
				switch string(c.Name) {
				case "parts":
					p.foreign = true
				case "content":
					p.message = true
				}
				c.Skip()
			}
		default:
			c.Skip()
		}
	}
	return p
}

func claudeTypes(name []byte) (known, stream bool) {
	switch string(name) {
	case "user", "assistant", "system", "attachment", "progress", "summary", "queue-operation",
		"file-history-snapshot", "permission-mode", "ai-title", "custom-title", "last-prompt", "mode", "agent-name",
		"worktree-state", "atis-latch", "pr-link", "frame-link", "bridge-session", "relocated", "cost-state":
		return true, false
	case "result", "stream_event", "rate_limit_event", "control_request", "control_response", "tool_progress":
		return true, true
	}
	return false, false
}

// claudeLine is the envelope of a line, without the message: its blocks are added to the fact
// directly, as the type may follow them.
type claudeLine struct {
	// stream-json: other fields distinguish sessions and subagents
	stream, lone                           bool // lone: a result without its stream
	side, meta, summary, apiError, hidden  bool
	partial, isError, hasMessage           bool
	kind, subtype, uuid, parent, session   []byte
	agent, request, version, cwd, branch   []byte
	toolUse, parentToolUse, operation      []byte
	dataKind, dataAgent, source, mode      []byte
	messageID, role, model, stop           []byte
	content, payload, title, compact, took []byte
	origin                                 []byte // source session of a record copied by a fork
	time                                   model.Moment
	usage                                  model.Usage
	result                                 claudeResult
}

// ClaudeParse parses session files and streams.
func ClaudeParse(rec model.Record, fs *model.Facts, stream bool) error {
	c := jsonspan.New(rec.Data)
	if kind := c.Kind(); kind != jsonspan.Object {
		if c.Skip(); c.Err != nil {
			return c.Err
		}
		if rec.Variant == claudeStreamList && stream {
			kit.Note(fs, "list") // the document without its elements
			return kit.Finish(&c, fs)
		}
		kit.Note(fs, "value").AddText(model.OtherBlock, model.ValueText(bytes.TrimSpace(rec.Data[:c.Pos])))
		return kit.Finish(&c, fs)
	}
	l := claudeLine{stream: stream, lone: stream && rec.Variant == claudeResults}
	first := fs.Len()
	f := fs.Add(model.Say)
	l.walk(&c, f)
	if c.Err != nil {
		fs.Drop()
		return c.Err
	}
	l.envelope(f)
	l.emit(fs, f)
	if l.origin != nil && !bytes.Equal(l.origin, l.session) {
		l.inherit(fs, first)
	}
	if stream {
		l.streamed(fs, first)
	}
	return kit.Finish(&c, fs)
}

// walk reads the line; unknown fields are added to the fact under their own names.
func (l *claudeLine) walk(c *jsonspan.Cursor, f *model.Fact) {
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "type":
			l.kind = c.String()
		case "subtype":
			l.subtype = c.String()
		case "uuid":
			l.uuid = c.ID()
		case "parentUuid":
			l.parent = c.ID()
		case "sessionId", "session_id":
			l.session = c.ID()
		case "timestamp":
			l.time = kit.ParseISO(c.String())
		case "requestId", "request_id":
			l.request = c.ID()
		case "agentId":
			l.agent = c.ID()
		case "version", "claude_code_version":
			l.version = c.String()
		case "cwd":
			l.cwd = c.String()
		case "gitBranch":
			l.branch = c.String()
		case "isSidechain":
			l.side = c.Bool()
		case "isMeta":
			l.meta = c.Bool()
		case "isCompactSummary":
			l.summary = c.Bool()
		case "isVisibleInTranscriptOnly":
			l.hidden = c.Bool()
		case "isApiErrorMessage":
			l.apiError = c.Bool()
		case "message":
			l.message(c, f)
		case "toolUseResult", "tool_use_result":
			l.result.walk(c, f)
		case "userType": // on each line, with the slug
			kit.Keep(f, "userType", c.Skip())
		case "slug":
			kit.Keep(f, "slug", c.Skip())
		case "entrypoint":
			kit.Keep(f, "entrypoint", c.Skip())
		default:
			l.rest(c, f)
		}
	}
}

// rest reads the fields of other record types.
func (l *claudeLine) rest(c *jsonspan.Cursor, f *model.Fact) {
	switch string(c.Name) {
	case "isSynthetic":
		l.meta = c.Bool() || l.meta
	case "is_partial":
		l.partial = c.Bool()
	case "is_error":
		l.isError = c.Bool()
	case "toolUseID", "tool_use_id":
		l.toolUse = c.ID()
	case "parentToolUseID", "parent_tool_use_id":
		l.parentToolUse = c.ID()
	case "operation":
		l.operation = c.String()
	case "promptSource":
		l.source = c.String()
	case "content":
		l.content = c.Skip()
	case "summary", "aiTitle", "customTitle":
		l.title = c.Skip()
	case "compactMetadata", "compact_metadata":
		l.compact = c.Skip()
	case "durationMs":
		l.took = c.Skip()
	case "forkedFrom":
		v := c.Skip()
		l.origin = jsonspan.GetString(v, "sessionId")
		kit.Keep(f, "forkedFrom", v)
	case "data", "attachment", "event":
		l.walkPayload(c)
	default:
		name := c.Name
		if v := c.Skip(); !kit.IsEmpty(v) && c.Err == nil {
			f.KeepNamed(name, model.ValueText(v))
		}
	}
}

// walkPayload reads the payload of a progress, an attachment or a stream event.
func (l *claudeLine) walkPayload(c *jsonspan.Cursor) {
	c.Kind()
	from := c.Pos
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "type":
			l.dataKind = c.String()
		case "agentId":
			l.dataAgent = c.ID()
		case "toolUseID":
			if v := c.ID(); l.toolUse == nil {
				l.toolUse = v
			}
		case "commandMode":
			l.mode = c.String()
		case "prompt":
			l.content = c.Skip()
		default:
			c.Skip()
		}
	}
	l.payload = c.Buf[from:c.Pos]
}

// claudeLostAgent is the thread of subagent lines without an agent id, which versions before 2
// wrote.
var claudeLostAgent = model.HashString("sidechain")

// envelope sets the fields that all facts of a line share.
func (l *claudeLine) envelope(f *model.Fact) {
	f.Time = l.time
	f.Record = model.Hash(l.uuid)
	f.Parent = model.Hash(l.parent)
	if l.side {
		f.Flags |= model.Sidechain
		if f.Thread = model.Hash(l.agent); f.Thread == 0 {
			f.Thread = claudeLostAgent
		}
	}
	kit.ClaudeKeep(f, "session", l.session)
	kit.ClaudeKeep(f, "cwd", l.cwd)
	kit.ClaudeKeep(f, "version", l.version)
	kit.ClaudeKeep(f, "branch", l.branch)
}

// inherit marks records that a fork copied from another session: forkedFrom names their origin
// (anthropics/claude-code, 2.1.219).
func (l *claudeLine) inherit(fs *model.Facts, first int) {
	kit.ClaudeKeep(fs.At(first), "parent", l.origin)
	for i := first; i < fs.Len(); i++ {
		fs.At(i).Flags |= model.Inherited
	}
}

// emit completes the first fact according to the line's type and adds other facts.
func (l *claudeLine) emit(fs *model.Facts, f *model.Fact) {
	switch string(l.kind) {
	case "assistant":
		l.emitAssistant(f)
	case "user":
		l.emitUser(fs, f)
	case "system":
		l.emitSystem(f)
	case "attachment":
		l.emitAttachment(f)
	case "progress":
		l.emitProgress(fs, f)
	case "queue-operation":
		l.emitNote(f)
		kit.ClaudeKeep(f, "operation", l.operation)
	case "summary", "ai-title", "custom-title":
		f.Op = model.About
		f.Name = model.EscapedText(l.kind)
		title, name := model.ValueText(l.title), "title"
		if title.HasPrefix("API Error") {
			name = "summary" // the request for a summary failed, not the session
		}
		f.Keep(name, title)
	case "cost-state":
		l.emitNote(f)
		claudeCost(fs, f)
	case "agent-name":
		f.Op = model.About
		f.Name = model.EscapedText(l.kind)
		for _, e := range f.Extra {
			if e.Name == "agentName" {
				f.Keep("agent", e.Value)
			}
		}
	default:
		l.emitUnknown(fs, f)
	}
}

// emitUnknown adds a line with a new or missing type, as a message if it has one.
func (l *claudeLine) emitUnknown(fs *model.Facts, f *model.Fact) {
	switch {
	case l.hasMessage && string(l.role) == "assistant":
		l.emitAssistant(f)
	case l.hasMessage && string(l.role) == "user":
		l.emitUser(fs, f)
	default:
		l.emitNote(f)
	}
}

// emitAssistant adds a part of a response. All lines with its id are one message; each repeats the
// usage, with growing output.
func (l *claudeLine) emitAssistant(f *model.Fact) {
	f.Role = model.Assistant
	f.Key = cmp.Or(model.Hash(l.messageID), f.Record)
	kit.ClaudeKeep(f, "requestId", l.request)
	if string(l.model) == "<synthetic>" {
		f.Flags |= model.Synthetic
	} else {
		f.Model = kit.ClaudeText(l.model)
		f.Usage = l.usage
		f.Usage.Missed = claudeMissed(f)
		if f.Usage.Scope != model.NoUsage {
			f.Usage.Key = f.Key.With(l.request)
		}
	}
	if l.stop != nil {
		kit.SetStop(f, l.stop)
	}
	if l.apiError {
		f.Flags |= model.APIError
		f.Outcome = model.Failure
		f.Stop = model.StopError
	}
	if l.partial {
		f.Flags |= model.Partial
	}
}
