package format

import (
	"bytes"

	"turns/model"
	"turns/model/jsonspan"
)

// langchainFormat is LangChain's messages in their three serialisations (stored,
// constructor, flat), the state, the streams and the checkpoints of LangGraph that
// hold them, and the table of SQLChatMessageHistory.
func langchainFormat() *model.Format {
	return &model.Format{
		Name:   "langchain",
		Deltas: true,
		Title:  "LangChain and LangGraph messages",
		Detect: langchainDetect,
		Lists:  langchainKind.lists,
		Unroll: &model.Unroll{Queries: append(langgraphQueries(), model.Query{
			Name:  "message",
			SQL:   `SELECT id, session_id, message FROM message_store ORDER BY id`,
			Needs: []string{"message_store.session_id", "message_store.message"},
		})},
		Parse: langchainParse,
	}
}

var langchainKind = &frameKind{
	paths: []string{wholeList, "messages", "values.messages", "channel_values.messages", "checkpoint.channel_values.messages", "state.messages",
		"state.values.messages", "output.messages", "outputs.messages", "history"},
	marks:  []string{`"lc"`, `"additional_kwargs"`, `"response_metadata"`, `"data"`},
	judge:  langchainJudge,
	score:  86,
	reason: "messages as LangChain serialises them",
}

func langchainDetect(s *model.Sample) model.Match {
	if rowsHave(s, "message_store", "session_id", "message") {
		return model.Match{Score: 80, Reason: "a table message_store as SQLChatMessageHistory makes it"}
	}
	if rowsHave(s, "checkpoints", "thread_id", "checkpoint_ns", "checkpoint_id", "checkpoint") {
		return model.Match{Score: 88, Reason: "a table checkpoints as LangGraph's checkpointer makes it"}
	}
	return langchainKind.detect(s)
}

func langchainJudge(v []byte) int {
	if jsonspan.KindOf(v) == jsonspan.Array { // a stream of LangGraph: mode and payload
		if bytes.Contains(v, []byte(`"lc"`)) && bytes.Contains(v, []byte(`"kwargs"`)) || bytes.Contains(v, []byte(`"langgraph_`)) {
			return 1
		}
		if e := elements(v, wholeList, 2); len(e) == 2 && isString(e[0]) {
			return 0
		}
		return -1
	}
	if jsonspan.KindOf(jsonspan.Get(v, "kwargs")) == jsonspan.Object && hasKey(v, "lc") {
		return 1
	}
	typ := jsonspan.GetString(v, "type")
	if langchainRole(typ) == model.NoRole {
		return -1
	}
	if data := jsonspan.Get(v, "data"); jsonspan.KindOf(data) == jsonspan.Object && (hasKey(data, "content") || hasKey(data, "additional_kwargs")) {
		return 1
	}
	if hasKey(v, "additional_kwargs") || hasKey(v, "response_metadata") {
		return 1
	}
	return 0
}

// langchainRole is who speaks in a message of that type or class.
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
	p := langchainParser{fs: fs}
	switch {
	case rec.List == "message":
		return langchainRow(&c, fs)
	case rec.List == langgraphCheckpoint:
		return langgraphState(&c, fs)
	case rec.List == langgraphWrite:
		return langgraphPending(&c, fs)
	case rec.List == rowsRemoved:
		rowsRetract(&c, fs, "message")
	case frameRest(rec):
		if c.Kind() == jsonspan.Object {
			frameAbout(&c, fs, 0)
		} else {
			c.Skip()
			fs.Add(model.About)
		}
	default:
		p.value(&c)
	}
	if fs.Len() == 0 {
		note(fs, "empty")
	}
	return finish(&c, fs)
}

// langchainRow reads a row of message_store.
func langchainRow(c *jsonspan.Cursor, fs *model.Facts) error {
	var id, session, message []byte
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "id":
			id = c.Skip()
		case "session_id":
			session = c.Skip()
		case "message":
			message = rowsJSON(c.Skip())
		default:
			c.Skip()
		}
	}
	if c.Err != nil {
		return c.Err
	}
	p := langchainParser{fs: fs, session: hashValue(session), key: hashValue(id)}
	in := jsonspan.New(message)
	if in.Kind() == jsonspan.Object {
		p.value(&in)
	}
	if fs.Len() == 0 {
		note(fs, "empty").Session = p.session
	}
	return in.Err
}

// langchainParser says what a value of any serialisation holds.
type langchainParser struct {
	fs           *model.Facts
	session, key model.Key // key: of the one message there is
	depth        int
	stream       bool // messages are known by their ids
	chunks       bool // and come in chunks
	state        bool // what is said is the whole state: its messages were said before
	at           int  // in the state
}

func (p *langchainParser) value(c *jsonspan.Cursor) {
	p.depth++
	defer func() { p.depth-- }()
	switch k := c.Kind(); {
	case p.depth > chatMaxDepth:
		c.Skip()
	case k == jsonspan.Array:
		p.list(c)
	case k == jsonspan.Object:
		p.object(c)
	default:
		v := c.Skip()
		if p.depth == 1 && c.Err == nil {
			note(p.fs, "value").AddText(model.OtherBlock, model.ValueText(v))
		}
	}
}

// list reads a list of messages, or what LangGraph streams: the mode and its
// payload, with the path of a subgraph before them.
func (p *langchainParser) list(c *jsonspan.Cursor) {
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
			at := p.fs.Len()
			if mode == "messages" && c.Kind() == jsonspan.Array { // the chunk, and where it comes from
				c.Array()
				for j := 0; c.More(); j++ {
					if j == 0 {
						p.value(c)
					} else {
						c.Skip()
					}
				}
			} else {
				p.value(c)
			}
			if mode != "" && p.fs.Len() == at && c.Err == nil {
				note(p.fs, mode)
			}
		default:
			v := c.Skip()
			note(p.fs, mode).AddText(model.OtherBlock, model.ValueText(v))
		}
	}
}

// object reads a message, or what holds messages.
func (p *langchainParser) object(c *jsonspan.Cursor) {
	if langchainBegins(*c) {
		before, from := *c, p.fs.Len()
		p.holder(c)
		if one, ok := readAgain(c, before, p.fs, from); ok {
			p.holder(&one)
		}
		return
	}
	start := c.Pos
	f := p.fs.Add(model.Say)
	var h langchainHead
	h.read(c, f, 0)
	if c.Err != nil {
		p.fs.Drop()
		return
	}
	role := langchainRole(h.typ)
	switch {
	case role != model.NoRole && (h.content != nil || h.toolCalls != nil || role == model.Other):
		h.say(p, role)
	case h.typ == nil && h.role != nil && h.content != nil: // OpenAI's shape is accepted as state
		p.fs.Drop()
		in := jsonspan.New(c.Buf[start:c.Pos])
		chat := chatParser{fs: p.fs, session: p.session}
		chat.value(&in, model.NoRole)
	default:
		p.fs.Drop()
		in := jsonspan.New(c.Buf[start:c.Pos])
		p.holder(&in)
	}
}

// langchainBegins reports whether an object begins as only those do that hold
// messages: they need not be read as a message first.
func langchainBegins(c jsonspan.Cursor) bool {
	if !c.Object() || !c.Key() {
		return false
	}
	return string(c.Name) == "messages" || string(c.Name) == "generations"
}

// holder reads an object that holds messages: a state, a node's update.
func (p *langchainParser) holder(c *jsonspan.Cursor) {
	at, start := p.fs.Len(), c.Pos
	for c.Object(); c.Key(); {
		name := string(c.Name)
		if name == "__interrupt__" {
			note(p.fs, "interrupt").AddText(model.OtherBlock, model.ValueText(c.Skip()))
			continue
		}
		if k := c.Kind(); k == jsonspan.Object || k == jsonspan.Array && langchainHolds(name) {
			if p.depth == 1 && name == "values" {
				p.at = 0
			}
			p.value(c)
		} else {
			c.Skip()
		}
	}
	if p.fs.Len() == at && p.depth <= 2 {
		f := note(p.fs, "record")
		f.Session = p.session
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
