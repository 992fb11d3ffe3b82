package opencode

import (
	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// openParser adds the facts of a record, in the session of its root; a subagent's session is a
// thread of it.
type openParser struct {
	fs       *model.Facts
	variant  uint8
	root, id []byte // of the root session and of the session, without quotes
	role     []byte
	time     model.Moment
}

// addToMessage adds a part of a message.
func (p *openParser) addToMessage(message []byte) *model.Fact {
	f := p.fs.Add(model.Say)
	f.Key = model.Hash(message)
	f.Time = p.time
	p.place(f)
	kit.SetRole(f, p.role)
	return f
}

func (p *openParser) place(f *model.Fact) {
	f.Session = model.Hash(p.root)
	if p.root == nil {
		f.Session = model.Hash(p.id)
	} else if string(p.root) != string(p.id) {
		f.Thread = model.Hash(p.id)
		f.Flags |= model.Sidechain
	}
}

var openParserFields = kit.TableOf(func(p *openParser) kit.Fields {
	return kit.Fields{
		kit.Word("root", &p.root), kit.ID("session_id", &p.id), kit.Word("role", &p.role),
		kit.Time("time_created", &p.time),
	}
})

// row reads a row of the database.
func (p *openParser) row(c *jsonspan.Cursor, list string) {
	if list == secondMessage || list == secondRevert {
		p.secondRow(c, list)
		return
	}
	var id, messageID, message, part, kind, data []byte
	whole := c.Buf
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "id":
			if id = c.ID(); list == "session" {
				p.id = id
			}
		case "message_id":
			messageID = c.ID()
		case "message":
			message = c.Skip()
		case "part":
			part = c.Skip()
		case "type":
			kind = c.String()
		case "data":
			data = c.Skip()
		default:
			openParserFields.Read(c, p)
		}
	}
	if c.Err != nil {
		return
	}
	switch list {
	case "session":
		p.session(whole)
	case "switch":
		p.change(kind, data)
	default:
		p.time = model.Moment{} // the row's time; the message has its own
		if !kit.IsNull(message) {
			p.message(kit.RowsJSON(message), messageID)
		}
		if !kit.IsNull(part) {
			p.part(kit.RowsJSON(part), messageID, id)
		}
	}
}

// change adds a note about a change of agent or model, or another event between the messages.
func (p *openParser) change(kind, data []byte) {
	f := p.fs.Add(model.Note)
	f.Name, f.Time = model.EscapedText(kind), p.time
	p.place(f)
	f.AddText(model.OtherBlock, model.PlainText(kit.RowsJSON(data)))
}

// element reads an element of a list: a message with its parts, or a row of a table.
func (p *openParser) element(c *jsonspan.Cursor) {
	var info, parts, id, messageID, kind, data []byte
	fields := kit.Fields{
		kit.Raw("info", &info), kit.Raw("parts", &parts), kit.ID("id", &id), kit.ID("message_id", &messageID), kit.Word("type", &kind),
		kit.Raw("data", &data),
	}
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "session_id":
			p.id = c.ID()
		default:
			fields.Read(c)
		}
	}
	switch {
	case c.Err != nil:
	case data != nil && kind != nil:
		p.change(kind, data)
	case data != nil && messageID != nil:
		p.part(kit.RowsJSON(data), messageID, id)
	case data != nil:
		p.message(kit.RowsJSON(data), id)
	case info != nil:
		if p.variant == openExport {
			p.root, p.id = nil, nil
		}
		p.message(info, nil)
		id = jsonspan.GetString(info, "id")
		for v := range jsonspan.List(parts) {
			p.part(v, id, nil)
		}
	}
}

// file reads a file of a storage tree.
func (p *openParser) file(c *jsonspan.Cursor, name string) {
	v := c.Skip()
	kind, folder := openPath(name)
	switch kind {
	case "session":
		p.id = jsonspan.GetString(v, "id")
		p.session(v)
	case "message":
		p.id = jsonspan.GetString(v, "sessionID")
		if p.id == nil {
			p.id = []byte(folder)
		}
		p.message(v, nil)
	case "part":
		p.id = jsonspan.GetString(v, "sessionID")
		message := jsonspan.GetString(v, "messageID")
		if message == nil {
			message = []byte(folder)
		}
		p.part(v, message, nil)
	}
}

// openPath returns the kind of a tree's file and the name of its folder.
func openPath(name string) (kind, folder string) {
	slash := [2]int{-1, -1}
	n := 0
	for i := 0; i < len(name) && n < 2; i++ {
		if name[i] == '/' {
			slash[n] = i
			n++
		}
	}
	if n == 0 {
		return "", ""
	}
	if n == 2 {
		folder = name[slash[0]+1 : slash[1]]
	}
	return name[:slash[0]], folder
}

var openSessionNames = kit.Names{
	"id": "session", "directory": "cwd", "version": "version", "agent": "agent",
	"parent_id": "parent", "parentID": "parent", "slug": "slug", "revert": "revert",
}

// session reads the description of a session. For a subagent it is a note in its thread, because
// the conversation has another title.
func (p *openParser) session(v []byte) {
	var title []byte
	sub := p.root != nil && string(p.root) != string(p.id)
	op := model.About
	if sub {
		op = model.Note
	}
	f := p.fs.Add(op)
	p.place(f)
	f.Time = p.time
	c := jsonspan.New(v)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "title":
			title = c.Skip()
		case "time":
			f.Time = kit.MomentOf(jsonspan.Get(c.Skip(), "created"))
		case "model":
			if m := openModel(kit.RowsJSON(c.Skip())); !m.Empty() && !sub {
				f.Model = m
			}
		default:
			openSessionNames.KeepOnly(f, &c)
		}
	}
	if !sub {
		kit.Keep(f, "title", title)
		return
	}
	f.Name = openSessionName
	f.Extra = f.Extra[:0]
	if !kit.IsEmpty(title) {
		f.AddText(model.Words, model.ValueText(title))
	}
}

var openSessionName = model.StringText("session")

// openModel returns the name of a model, which is an object or a string.
func openModel(v []byte) model.Text {
	if jsonspan.KindOf(v) == jsonspan.Object {
		for _, name := range [...]string{"modelID", "id"} {
			if s := jsonspan.Get(v, name); kit.IsString(s) {
				return model.ValueText(s)
			}
		}
		return model.Text{}
	}
	if kit.IsString(v) {
		return model.ValueText(v)
	}
	return model.Text{}
}

// message reads the data of a message without its parts. id is its default id.
func (p *openParser) message(v, id []byte) {
	f := p.fs.Add(model.Say)
	var failure, finish, tokens, cost, mode []byte
	c := jsonspan.New(v)
	fields := kit.Fields{
		kit.ID("id", &id), kit.Word("role", &p.role), kit.Within("time", kit.Time("created", &f.Time)), kit.Text("modelID", &f.Model),
		kit.Raw("cost", &cost), kit.Raw("tokens", &tokens), kit.Raw("agent", &mode), kit.Raw("finish", &finish), kit.Raw("error", &failure),
	}
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "sessionID":
			if s := c.ID(); p.id == nil && p.variant != openExport {
				p.id = s
			}
		case "model":
			if m := openModel(c.Skip()); f.Model.Empty() {
				f.Model = m
			}
		case "mode":
			if v := c.Skip(); mode == nil {
				mode = v
			}
		case "path":
			openFolder(f, &c)
		case "summary":
			if v := c.Skip(); kit.IsTrue(v) {
				f.Flags |= model.Recap
			}
		case "variant":
			kit.Keep(f, "variant", c.Skip())
		default:
			fields.Read(&c)
		}
	}
	kit.SetRole(f, p.role)
	kit.Keep(f, "mode", mode)
	f.Key = model.Hash(id)
	p.place(f)
	f.Usage = openUsage(tokens, cost)
	if f.Role != model.Assistant {
		f.Usage = model.Usage{}
	}
	if !kit.IsEmpty(finish) {
		kit.SetStop(f, kit.Inside(finish))
	}
	if !kit.IsEmpty(failure) {
		openFailure(f, failure)
	}
}

// openFolder adds the folder of a message: a path, or an object that contains it.
func openFolder(f *model.Fact, c *jsonspan.Cursor) {
	if c.Kind() != jsonspan.Object {
		kit.Keep(f, "cwd", c.Skip())
		return
	}
	for c.Object(); c.Key(); {
		if string(c.Name) == "cwd" {
			kit.Keep(f, "cwd", c.Skip())
		} else {
			c.Skip()
		}
	}
}

// openFailure adds the reason why a message was cut off.
func openFailure(f *model.Fact, v []byte) {
	name := jsonspan.GetString(v, "name")
	text := jsonspan.Get(v, "data", "message")
	if text == nil {
		text = jsonspan.Get(v, "message")
	}
	switch string(name) {
	case "MessageAbortedError":
		f.Flags |= model.Interrupted
		f.Outcome, f.Stop = model.Stopped, model.StopAborted
		kit.Keep(f, "error", text)
		return
	case "MessageOutputLengthError":
		f.Flags |= model.Truncated
		f.Stop = model.StopLength
	default:
		f.Flags |= model.APIError
		f.Outcome, f.Stop = model.Failure, model.StopError
	}
	kit.Keep(f, "error", jsonspan.Get(v, "name"))
	b := f.Add(model.Words)
	b.Key = openErrorKey
	b.Text = model.ValueText(v)
	if !kit.IsEmpty(text) {
		b.Text = model.ValueText(text)
	}
}

var openErrorKey = model.HashString("error")

// openUsage reads tokens. The input excludes cached tokens. Whether the output includes the
// reasoning depends on the version; the total shows it if present.
func openUsage(tokens, cost []byte) model.Usage {
	if jsonspan.KindOf(tokens) != jsonspan.Object {
		return model.Usage{}
	}
	u, total := kit.NoUsage(model.Each), int64(-1)
	kit.ReadObject(tokens,
		kit.Count("input", &u.Input), kit.Count("output", &u.Output), kit.Count("reasoning", &u.Reasoning), kit.Count("total", &total),
		kit.Within("cache", kit.Count("read", &u.CacheRead), kit.Count("write", &u.CacheWrite)),
	)
	if u.Reasoning > 0 && total == max(u.Input, 0)+max(u.Output, 0)+u.Reasoning+max(u.CacheRead, 0)+max(u.CacheWrite, 0) ||
		u.Reasoning > u.Output {
		u.Output = max(u.Output, 0) + u.Reasoning
	}
	if jsonspan.KindOf(cost) == jsonspan.Number {
		in := jsonspan.New(cost)
		u.Cost, u.HasCost = in.Float()
	}
	return u
}

// openPart holds the fields of a part: raw values, except the type.
type openPart struct {
	kind                                         []byte
	id, text, tool, callID, state, mime, url     []byte
	filename, tokens, cost, synthetic, reason, v []byte
	messageID, snapshot                          []byte
}

var openPartFields = kit.TableOf(func(r *openPart) kit.Fields {
	return kit.Fields{
		kit.Word("type", &r.kind), kit.Raw("id", &r.id), kit.ID("messageID", &r.messageID), kit.Raw("text", &r.text),
		kit.Raw("tool", &r.tool), kit.Raw("callID", &r.callID), kit.Raw("state", &r.state), kit.Raw("mime", &r.mime),
		kit.Raw("url", &r.url), kit.Raw("filename", &r.filename), kit.Raw("tokens", &r.tokens), kit.Raw("cost", &r.cost),
		kit.Raw("synthetic", &r.synthetic), kit.Raw("reason", &r.reason), kit.Raw("snapshot", &r.snapshot),
	}
})

func readOpenPart(v []byte) (r openPart) {
	r.v = v
	c := jsonspan.New(v)
	openPartFields.ReadAll(&c, &r)
	return r
}

// part reads a part of a message.
func (p *openParser) part(v, message, id []byte) {
	r := readOpenPart(v)
	message = kit.Or(message, r.messageID)
	key := model.Hash(id)
	if r.id != nil {
		key = kit.HashValue(r.id)
	}
	if string(r.kind) == "compaction" {
		f := p.fs.Add(model.Compact)
		p.place(f)
		f.Time = p.time
		f.Target = kit.HashValue(jsonspan.Get(v, "tail_start_id"))
		kit.Keep(f, "auto", jsonspan.Get(v, "auto"))
		return
	}
	f := p.addToMessage(message)
	if kit.IsTrue(r.synthetic) && f.Role == model.User {
		f.Key = f.Key.With([]byte("synthetic"))
		f.Flags |= model.Injected
	}
	p.addPart(f, &r, key)
}

// addPart adds the blocks of a part to its message.
func (p *openParser) addPart(f *model.Fact, r *openPart, key model.Key) {
	n := len(f.Blocks)
	switch string(r.kind) {
	case "text":
		f.AddText(model.Words, model.ValueText(r.text))
	case "reasoning":
		f.AddText(model.Reasoning, model.ValueText(r.text))
	case "tool":
		p.tool(f, r, key)
		return
	case "file":
		kit.AddMedia(f, model.Text{}, model.ValueText(r.mime), r.url)
		kit.Keep(f, "filename", r.filename)
	case "step-start", "step-finish", "snapshot":
		kit.Keep(f, "snapshot", r.snapshot)
		return
	default:
		kit.AddOther(f, r.kind, r.v)
	}
	f.Blocks[n].Key = key
}
