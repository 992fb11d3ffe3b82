package langchain

import (
	"bytes"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// Format reads LangChain's messages in their three serialisations (stored, constructor, flat),
// the state, the streams and the checkpoints of LangGraph with such messages, and the table of
// SQLChatMessageHistory.
func Format() *model.Format {
	return &model.Format{
		Name:    "langchain",
		Highest: 88,
		Deltas:  true,
		Title:   "LangChain and LangGraph messages",
		Detect:  langchainDetect,
		Lists:   langchainKind.Lists,
		Unroll: &model.Unroll{Queries: append(langgraphQueries(), model.Query{
			Name:  "message",
			SQL:   `SELECT id, session_id, message FROM message_store ORDER BY id`,
			Needs: []string{"message_store.session_id", "message_store.message"},
		})},
		Parse: langchainParse,
	}
}

var langchainKind = &kit.FrameKind{
	Paths: []string{kit.WholeList, "messages", "values.messages", "channel_values.messages", "checkpoint.channel_values.messages", "state.messages",
		"state.values.messages", "output.messages", "outputs.messages", "history", "steps", "events", "updates", "chunks"},
	Marks:  []string{`"lc"`, `"additional_kwargs"`, `"response_metadata"`, `"data"`, `"messages"`},
	Judge:  langchainJudge,
	Score:  86,
	Reason: "messages as LangChain serialises them",
}

func langchainDetect(s *model.Sample) model.Match {
	if m := langchainTables(s); m.Score > 0 {
		return m
	}
	return langchainKind.Detect(s)
}

var langchainTables = kit.Clues(
	kit.Clue{In: kit.InTables, Score: 80, Reason: "a table message_store as SQLChatMessageHistory makes it", Is: kit.Signs{"message_store: session_id, message"}},
	kit.Clue{In: kit.InTables, Score: 88, Reason: "a table checkpoints as LangGraph's checkpointer makes it",
		Is: kit.Signs{"checkpoints: thread_id, checkpoint_ns, checkpoint_id, checkpoint"}},
)

func langchainJudge(v []byte) int {
	if jsonspan.KindOf(v) == jsonspan.Array { // an event of a LangGraph stream: mode and payload
		if bytes.Contains(v, []byte(`"lc"`)) && bytes.Contains(v, []byte(`"kwargs"`)) || bytes.Contains(v, []byte(`"langgraph_`)) {
			return 1
		}
		if e := kit.Elements(v, kit.WholeList, 2); len(e) == 2 && kit.IsString(e[0]) {
			return 0
		}
		return -1
	}
	if jsonspan.KindOf(jsonspan.Get(v, "kwargs")) == jsonspan.Object && kit.HasKey(v, "lc") {
		return 1
	}
	typ := jsonspan.GetString(v, "type")
	if langchainRole(typ) == model.NoRole {
		return langgraphUpdate(v)
	}
	if data := jsonspan.Get(v, "data"); jsonspan.KindOf(data) == jsonspan.Object && (kit.HasKey(data, "content") || kit.HasKey(data, "additional_kwargs")) {
		return 1
	}
	if kit.HasKey(v, "additional_kwargs") || kit.HasKey(v, "response_metadata") {
		return 1
	}
	return 0
}

// langchainRole returns the role for a message type or class.
func langchainRole(typ []byte) model.Role {
	typ = bytes.TrimSuffix(typ, []byte("Chunk"))
	switch string(bytes.TrimSuffix(typ, []byte("Message"))) {
	case "human", "Human":
		return model.User
	case "ai", "AI":
		return model.Assistant
	case "system", "System":
		return model.System
	case "tool", "Tool", "function", "Function":
		return model.Tool
	case "chat", "Chat", "generic", "Generic", "remove", "Remove":
		return model.Other
	}
	return model.NoRole
}

func langchainParse(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	p := LangchainParser{Fs: fs}
	switch {
	case rec.List == "message":
		return langchainRow(&c, fs)
	case rec.List == langgraphCheckpoint:
		return langgraphState(&c, fs)
	case rec.List == langgraphWrite:
		return langgraphPending(&c, fs)
	case kit.FrameRest(rec):
		if c.Kind() == jsonspan.Object {
			kit.FrameAbout(&c, fs, 0)
		} else {
			c.Skip()
			fs.Add(model.About)
		}
	default:
		p.Value(&c)
	}
	if fs.Len() == 0 {
		kit.Note(fs, "empty")
	}
	return kit.Finish(&c, fs)
}

// langchainRow reads a row of message_store.
func langchainRow(c *jsonspan.Cursor, fs *model.Facts) error {
	var id, session, message []byte
	kit.ReadFields(c, kit.Raw("id", &id), kit.Raw("session_id", &session), kit.Rows("message", &message))
	if c.Err != nil {
		return c.Err
	}
	p := LangchainParser{Fs: fs, Session: kit.HashValue(session), Key: kit.HashValue(id)}
	in := jsonspan.New(message)
	if in.Kind() == jsonspan.Object {
		p.Value(&in)
	}
	if fs.Len() == 0 {
		kit.Note(fs, "empty").Session = p.Session
	}
	return in.Err
}

// LangchainParser adds the messages in a value of any serialisation.
type LangchainParser struct {
	Fs           *model.Facts
	Session, Key model.Key // Key is the key of the only message, if there is one
	depth        int
	stream       bool // messages are identified by their ids
	chunks       bool // messages arrive in chunks
	state        bool // each value is the full state, which repeats earlier messages
	at           int  // number of the message in the state
}

// Value adds the messages in the value at the cursor. It descends into wrappers and lists, at
// most ChatMaxDepth deep.
func (p *LangchainParser) Value(c *jsonspan.Cursor) {
	p.depth++
	defer func() { p.depth-- }()
	switch k := c.Kind(); {
	case p.depth > kit.ChatMaxDepth:
		c.Skip()
	case k == jsonspan.Array:
		p.list(c)
	case k == jsonspan.Object:
		p.object(c)
	default:
		v := c.Skip()
		if p.depth == 1 && c.Err == nil {
			kit.Note(p.Fs, "value").AddText(model.OtherBlock, model.ValueText(v))
		}
	}
}

// list reads a list of messages, or an event of a LangGraph stream: the mode and its payload, with
// the path of a subgraph before them.
func (p *LangchainParser) list(c *jsonspan.Cursor) {
	mode := ""
	for i := 0; ; i++ {
		if i == 0 {
			c.Array()
		}
		if !c.More() {
			return
		}
		switch {
		case c.Kind() == jsonspan.String && i < 2:
			mode = string(c.String())
			p.chunks, p.state = mode == "messages", mode == "values"
			p.stream = p.chunks || mode == "updates"
			p.at = 0
		case mode == "messages" || mode == "values" || mode == "updates" || mode == "":
			at := p.Fs.Len()
			// the chunk, and its origin
			if mode == "messages" && c.Kind() == jsonspan.Array {
				c.Array()
				for j := 0; c.More(); j++ {
					if j == 0 {
						p.Value(c)
					} else {
						c.Skip()
					}
				}
			} else {
				p.Value(c)
			}
			if mode != "" && p.Fs.Len() == at && c.Err == nil {
				kit.Note(p.Fs, mode)
			}
		default:
			v := c.Skip()
			kit.Note(p.Fs, mode).AddText(model.OtherBlock, model.ValueText(v))
		}
	}
}

// object reads a message, or an object that contains messages.
func (p *LangchainParser) object(c *jsonspan.Cursor) {
	if langchainBegins(*c) {
		before, from := *c, p.Fs.Len()
		p.holder(c)
		if one, ok := kit.ReadAgain(c, before, p.Fs, from); ok {
			p.holder(&one)
		}
		return
	}
	start := c.Pos
	f := p.Fs.Add(model.Say)
	var h langchainHead
	h.read(c, f, 0)
	if c.Err != nil {
		p.Fs.Drop()
		return
	}
	role := langchainRole(h.typ)
	switch {
	case role != model.NoRole && (h.content != nil || h.toolCalls != nil || role == model.Other):
		h.readMessage(p, role)
	case h.typ == nil && h.role != nil && h.content != nil: // OpenAI's form, as in LangGraph states
		p.Fs.Drop()
		in := jsonspan.New(c.Buf[start:c.Pos])
		chat := kit.ChatParser{Fs: p.Fs, Session: p.Session}
		chat.Value(&in, model.NoRole)
	default:
		p.Fs.Drop()
		in := jsonspan.New(c.Buf[start:c.Pos])
		p.holder(&in)
	}
}

// langchainBegins reports whether the first field of an object occurs only in objects that contain
// messages, so that it need not be read as a message first.
func langchainBegins(c jsonspan.Cursor) bool {
	if !c.Object() || !c.Key() {
		return false
	}
	return string(c.Name) == "messages" || string(c.Name) == "generations"
}

// holder reads an object that contains messages: a state, or a node's update.
func (p *LangchainParser) holder(c *jsonspan.Cursor) {
	at, start := p.Fs.Len(), c.Pos
	for c.Object(); c.Key(); {
		name := string(c.Name)
		if name == "__interrupt__" {
			kit.Note(p.Fs, "interrupt").AddText(model.OtherBlock, model.ValueText(c.Skip()))
			continue
		}
		if k := c.Kind(); k == jsonspan.Object || k == jsonspan.Array && langchainHolds(name) {
			if p.depth == 1 && name == "values" {
				p.at = 0
			}
			p.Value(c)
		} else {
			c.Skip()
		}
	}
	if p.Fs.Len() == at && p.depth <= 2 {
		f := kit.Note(p.Fs, "record")
		f.Session = p.Session
		f.AddText(model.OtherBlock, model.ValueText(bytes.TrimSpace(c.Buf[start:c.Pos])))
	}
}

func langchainHolds(name string) bool {
	switch name {
	case "messages", "values", "output", "outputs", "input", "inputs", "generations", "channel_values", "history":
		return true
	}
	return false
}
