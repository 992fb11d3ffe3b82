package codex

import (
	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// ExecFormat reads the output of codex exec --json: events of a thread, its turns and its items. An
// item may appear several times with the same id; the last version is complete.
func ExecFormat() *model.Format {
	return &model.Format{
		Name:  "codex-exec",
		Title: "Codex exec --json",
		Detect: kit.Clues(
			kit.Clue{Score: 90, Reason: "events of type thread.…, turn.… and item.…", Is: kit.Signs{
				"type=thread.* & thread_id", "type=item.* & item:object", "type=turn.started|turn.completed|turn.failed"}},
		),
		Parse: codexExecParse,
	}
}

func codexExecParse(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	l := codexLine{fs: fs}
	c.Kind()
	from := c.Pos
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "type":
			l.kind = c.String()
		case "item":
			l.readPayload(&c)
		case "timestamp":
			l.time = kit.ReadMoment(&c)
		default:
			name := c.Name
			l.add(name, c.Skip(), true)
		}
	}
	if c.Err != nil {
		return c.Err
	}
	if l.payload == nil {
		l.payload = c.Buf[from:c.Pos]
	}
	l.execEvent()
	return kit.Finish(&c, fs)
}

func (l *codexLine) execEvent() {
	switch string(l.kind) {
	case "thread.started":
		kit.Keep(l.fact(model.About, l.kind), "session", l.get("thread_id"))
	case "turn.completed":
		f := l.fact(model.End, l.kind)
		f.Outcome = model.Success
		if v := l.get("usage"); !kit.IsEmpty(v) {
			f := l.fact(model.Meter, l.kind)
			codexUsage(v, &f.Usage)
			f.Usage.Scope = model.Counter
		}
	case "turn.failed":
		f := l.addMessage(model.Assistant)
		f.Join = model.Union
		f.Flags |= model.APIError | model.Synthetic
		f.Outcome = model.Failure
		f.Stop = model.StopError
		f.AddText(model.Words, model.ValueText(jsonspan.Get(l.get("error"), "message")))
		f = l.fact(model.End, l.kind)
		f.Outcome = model.Failure
	case "error":
		f := l.note(l.kind)
		f.Flags |= model.APIError
		f.Outcome = model.Failure
	case "item.started", "item.updated", "item.completed":
		l.execItem()
	default:
		l.note(l.kind)
	}
}

// execItem adds an item. A call and its result are one item and become one message.
func (l *codexLine) execItem() {
	switch string(l.item) {
	case "agent_message", "assistant_message":
		l.execText(model.Assistant, model.Words)
	case "user_message":
		l.execText(model.User, model.Words)
	case "reasoning":
		l.execText(model.Assistant, model.Reasoning)
	case "command_execution":
		l.execCall(l.item, l.get("command"), l.get("aggregated_output"))
	case "file_change":
		l.execCall(l.item, l.get("changes"), nil)
	case "mcp_tool_call":
		l.execCall(l.str("tool"), l.get("arguments"), l.get("result"))
	case "web_search":
		args := l.get("action")
		if kit.IsNull(args) {
			args = l.get("query")
		}
		l.execCall(l.item, args, nil)
	case "collab_tool_call":
		l.execCall(l.str("tool"), l.get("prompt"), l.get("agents_states"))
	case "error":
		f := l.note([]byte("error"))
		f.Outcome = model.Failure
	default:
		l.note(l.item)
	}
}

func (l *codexLine) execMessage(role model.Role) *model.Fact {
	f := l.addMessage(role)
	f.Key = model.Hash(l.str("id"))
	f.Join = model.Replace
	if f.Key == 0 {
		f.Join = model.Union
	}
	if string(l.kind) != "item.completed" {
		f.Flags |= model.Partial
	}
	return f
}

func (l *codexLine) execText(role model.Role, kind model.BlockKind) {
	f := l.execMessage(role)
	codexText(f, kind, l.get("text"))
	l.keepOthers(f, "text")
}

func (l *codexLine) execCall(name, args, output []byte) {
	f := l.execMessage(model.Assistant)
	f.Flags &^= model.Partial // the call is complete; only its result is missing
	id := l.str("id")
	b := f.Add(model.ToolCall)
	b.ID, b.Name, b.Text = model.EscapedText(id), model.EscapedText(name), model.ValueText(args)
	b.Key = model.Hash(id)
	l.keepOthers(f, "tool", "arguments", "command", "changes", "aggregated_output", "result", "prompt", "agents_states", "action", "error", "exit_code")
	status, known := kit.OutcomeOfStatus(l.str("status"))
	if known && status == model.Running || !known && string(l.kind) != "item.completed" {
		return
	}
	r := f.Add(model.ToolResult)
	r.ID, r.Name = model.EscapedText(id), model.EscapedText(name)
	r.Key = model.Hash(id).With([]byte("output"))
	r.Text = codexResultText(output)
	r.Outcome = model.Success
	if known {
		r.Outcome = status
	}
	if msg := l.get("error"); !kit.IsNull(msg) {
		if text := jsonspan.Get(msg, "message"); text != nil {
			msg = text
		}
		r.Text = model.ValueText(msg)
		r.Outcome = kit.FailureOf(r.Text)
	}
	if code, ok := jsonspan.ParseInt(l.get("exit_code")); ok {
		if code != 0 && !r.Outcome.Failed() {
			r.Outcome = model.Failure
		}
		kit.Keep(f, "exit_code", l.get("exit_code"))
	}
}

// codexResultText returns the text of a result: the only text of a list of contents, otherwise the
// JSON.
func codexResultText(v []byte) model.Text {
	if jsonspan.KindOf(v) != jsonspan.Object {
		return model.ValueText(v)
	}
	var text []byte
	n := 0
	c := jsonspan.New(jsonspan.Get(v, "content"))
	for c.Array(); c.More(); n++ {
		text = jsonspan.Get(c.Skip(), "text")
	}
	if n == 1 && kit.IsString(text) {
		return model.ValueText(text)
	}
	return model.ValueText(v)
}
