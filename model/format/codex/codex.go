package codex

import (
	"bytes"
	"slices"
	"strings"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// Format reads rollouts of all versions of Codex (CLI, desktop, editor): bare response items (to
// September 2025), items in an envelope, and the paginated history of 2026. A rollout records most
// content twice, for the model (response_item) and for the screen (event_msg): such facts carry an
// Echo.
//
// A response has no id, and Codex writes it item by item. Its items become facts of the assistant
// that extend the previous assistant message. Each block has a Block.Key, so that blocks are added
// and their texts are not joined.
func Format() *model.Format {
	return &model.Format{
		Name:   "codex",
		Resume: "codex resume ID",
		Deltas: true,
		Title:  "Codex rollout",
		Where: []string{
			"~/.codex/sessions/*/*/*/rollout-*.jsonl", "~/.codex/sessions/*/*/*/rollout-*.jsonl.zst",
			"~/.codex/archived_sessions/rollout-*.jsonl", "~/.codex/archived_sessions/rollout-*.jsonl.zst",
		},
		Detect: kit.Clues(
			kit.Clue{Score: 92, Reason: "lines with a payload of type session_meta, response_item, event_msg, …", Is: kit.Signs{
				"type=session_meta|response_item|event_msg|turn_context|compacted|world_state & payload:object",
				"type=inter_agent_* & payload:object & timestamp:string"}},
			kit.Clue{Score: 86, Reason: "response items with state records, or after a line of id, timestamp and instructions", Is: kit.Signs{
				"+ !type & record_type=state", "+ !type & id & timestamp:string & instructions|git",
				"~ type=message|reasoning|function_call|function_call_output|local_shell_call|custom_tool_call|custom_tool_call_output|web_search_call"}},
		),
		Parse:    codexParse,
		Base:     codexBase,
		Rewrites: codexRewrites,
		Starter: func(_ string, s *model.Session) string {
			if s.Field("thread_source") != "subagent" && !strings.Contains(s.Field("source"), `"subagent"`) {
				return "" // a fork made by a person is a separate session
			}
			return s.Field("parent")
		},
		Bases: []string{
			"*{id}.jsonl", "*{id}.jsonl.zst",
			"../[0-9][0-9]/*{id}.jsonl", "../[0-9][0-9]/*{id}.jsonl.zst",
			"../../[0-9][0-9]/[0-9][0-9]/*{id}.jsonl", "../../[0-9][0-9]/[0-9][0-9]/*{id}.jsonl.zst",
			"../../../[0-9][0-9][0-9][0-9]/[0-9][0-9]/[0-9][0-9]/*{id}.jsonl", "../../../[0-9][0-9][0-9][0-9]/[0-9][0-9]/[0-9][0-9]/*{id}.jsonl.zst",
			"../../../../archived_sessions/*{id}.jsonl", "../../../../archived_sessions/*{id}.jsonl.zst",
			"../sessions/[0-9][0-9][0-9][0-9]/[0-9][0-9]/[0-9][0-9]/*{id}.jsonl", "../sessions/[0-9][0-9][0-9][0-9]/[0-9][0-9]/[0-9][0-9]/*{id}.jsonl.zst",
		},
	}
}

// codexFields holds the fields of an item. There are some forty kinds of small items; each is
// scanned once, and the code of its kind looks up the fields it needs.
type codexFields struct {
	n    int
	list [40]codexField
}

type codexField struct {
	name, value []byte
	outside     bool // next to the payload, in the line
}

func (fields *codexFields) add(name, value []byte, outside bool) {
	if fields.n < len(fields.list) {
		fields.list[fields.n] = codexField{name, value, outside}
		fields.n++
	}
}

// get returns the raw value of a field, or nil if it is absent.
func (fields *codexFields) get(name string) []byte {
	for i := range fields.list[:fields.n] {
		if string(fields.list[i].name) == name {
			return fields.list[i].value
		}
	}
	return nil
}

// str returns the contents of a string field without the quotes.
func (fields *codexFields) str(name string) []byte { return kit.Inside(fields.get(name)) }

// codexLine is a line of a rollout.
type codexLine struct {
	time    model.Moment
	kind    []byte // type of the line
	item    []byte // type of its item
	payload []byte
	fs      *model.Facts
	off     int64
	// events mirror the items of enveloped lines; the first format had no events
	enveloped bool
	codexFields
}

// codexItemKind is the type of the untyped lines of the first format.
var codexItemKind = []byte("response_item")

func codexParse(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	l := codexLine{fs: fs, off: rec.Ref.Off}
	c.Kind()
	from := c.Pos
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "timestamp":
			l.time = kit.ReadMoment(&c)
		case "type":
			l.kind = c.String()
		case "payload":
			l.readPayload(&c)
		default:
			name := c.Name
			l.add(name, c.Skip(), true)
		}
	}
	if c.Err != nil {
		return c.Err
	}
	if l.enveloped = l.payload != nil; !l.enveloped { // first format: the line is the item
		l.payload = c.Buf[from:c.Pos]
		l.item, l.kind = l.kind, codexItemKind
	}
	l.emit()
	if l.enveloped {
		l.keepOutside()
	}
	return kit.Finish(&c, fs)
}

// keepOutside adds the fields next to the payload, such as the ordinal of the paginated history, to
// the payload's fact.
func (l *codexLine) keepOutside() {
	f := l.fs.At(0)
	for i := range l.n {
		if x := &l.list[i]; x.outside {
			l.keepPart(f, x.name, x.value)
			if n, ok := jsonspan.ParseInt(x.value); ok && f.Op == model.Say && string(x.name) == "ordinal" {
				f.Seq = n + 1
			}
		}
	}
}

// keepPart adds a field of an item. All items of a response share one message, so their fields are
// named after the item there.
func (l *codexLine) keepPart(f *model.Fact, name, v []byte) {
	if f.Join != model.Extend {
		kit.KeepNamed(f, name, v)
		return
	}
	of := l.str("call_id")
	if len(of) == 0 {
		of = l.str("id")
	}
	if len(of) == 0 || string(name) == "id" && bytes.Equal(of, kit.Inside(v)) {
		of = l.item
	}
	kit.KeepOf(f, string(name), of, v)
}

func (l *codexLine) readPayload(c *jsonspan.Cursor) {
	c.Kind()
	from := c.Pos
	for c.Object(); c.Key(); {
		if string(c.Name) == "type" {
			l.item = c.String()
			continue
		}
		name := c.Name
		l.add(name, c.Skip(), false)
	}
	l.payload = c.Buf[from:c.Pos]
}

// addMessage adds a message or part of one.
func (l *codexLine) addMessage(role model.Role) *model.Fact {
	f := l.fs.Add(model.Say)
	f.Time = l.time
	f.Role = role
	if role == model.Assistant {
		f.Join = model.Extend
	}
	return f
}

// note adds a note with the complete payload as its text.
func (l *codexLine) note(kind []byte) *model.Fact {
	f := l.fs.Add(model.Note)
	f.Time = l.time
	f.Name = model.EscapedText(kind)
	f.Target = model.Hash(l.str("call_id"))
	b := f.Add(model.OtherBlock)
	b.Name = f.Name
	b.Text = model.ValueText(l.payload)
	return f
}

// fact adds a fact of another kind.
func (l *codexLine) fact(op model.Op, name []byte) *model.Fact {
	f := l.fs.Add(op)
	f.Time = l.time
	f.Name = model.EscapedText(name)
	return f
}

func (l *codexLine) emit() {
	switch string(l.kind) {
	case "response_item":
		l.emitItem()
	case "event_msg":
		l.emitEvent()
	case "session_meta":
		l.emitMeta()
	case "turn_context":
		l.emitContext()
	case "compacted":
		f := l.fact(model.Compact, l.kind)
		if v := l.get("message"); !kit.IsEmpty(v) {
			f.AddText(model.Words, model.ValueText(v))
		}
		if v := l.get("replacement_history"); !kit.IsEmpty(v) {
			b := f.Add(model.OtherBlock)
			b.Name = model.StringText("replacement_history")
			b.Text = model.ValueText(v)
		}
	default:
		l.note(l.kind)
	}
}

// emitMeta adds the session's metadata from the first line. A fork or a subagent may repeat its
// parent's line after its own; the first one counts.
func (l *codexLine) emitMeta() {
	f := l.fact(model.About, []byte("session_meta"))
	kit.Keep(f, "session", l.get("id"))
	kit.Keep(f, "cwd", l.get("cwd"))
	kit.Keep(f, "version", l.get("cli_version"))
	kit.Keep(f, "branch", jsonspan.Get(l.get("git"), "branch"))
	parent := l.get("parent_thread_id")
	source := jsonspan.Get(l.get("source"), "subagent", "thread_spawn")
	if kit.IsEmpty(parent) {
		parent = jsonspan.Get(source, "parent_thread_id")
	}
	if kit.IsEmpty(parent) {
		parent = l.get("forked_from_id")
	}
	if kit.IsEmpty(parent) {
		parent = jsonspan.Get(l.get("history_base"), "thread_id")
	}
	kit.Keep(f, "parent", parent)
	l.emitOrigin(f, parent)
	kit.Keep(f, "agent", jsonspan.Get(source, "agent_nickname"))
	for _, name := range []string{"source", "originator", "thread_source", "history_mode", "forked_from_id", "history_base",
		"model_provider", "git", "context_window"} {
		kit.Keep(f, name, l.get(name))
	}
	l.keepOthers(f, "id", "cwd", "cli_version", "parent_thread_id", "source", "originator", "thread_source", "history_mode", "forked_from_id",
		"history_base", "model_provider", "git", "context_window", "instructions", "base_instructions")
	for _, name := range []string{"instructions", "base_instructions"} {
		v := l.get(name)
		if text := jsonspan.Get(v, "text"); kit.IsString(text) {
			v = text
		}
		if !kit.IsEmpty(v) {
			b := f.Add(model.OtherBlock)
			b.Name = model.StringText(name)
			b.Text = model.ValueText(v)
		}
	}
	if base := l.get("history_base"); !kit.IsEmpty(base) {
		n := l.fact(model.Note, []byte("history_base"))
		n.AddText(model.Words, model.StringText("the conversation begins in the thread "+string(jsonspan.GetString(base, "thread_id"))))
	}
}

// emitContext adds the settings of a turn, the only source of the model of its responses.
func (l *codexLine) emitContext() {
	f := l.fact(model.About, []byte("turn_context"))
	f.Model = model.ValueText(l.get("model"))
	f.N, f.Record = l.turn()
	kit.Keep(f, "model", l.get("model"))
	kit.Keep(f, "cwd", l.get("cwd"))
	l.keepOthers(f, "model", "cwd")
}

// keepOthers adds the fields of the payload except those named in told, which are recorded
// elsewhere.
func (l *codexLine) keepOthers(f *model.Fact, known ...string) {
	for i := range l.n {
		if x := &l.list[i]; (!l.enveloped || !x.outside) && !slices.Contains(known, string(x.name)) {
			l.keepPart(f, x.name, x.value)
		}
	}
}
