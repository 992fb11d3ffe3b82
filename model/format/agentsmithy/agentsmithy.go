package agentsmithy

import (
	"bytes"
	"slices"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// Format reads dialogs of AgentSmithy: answers of its history endpoint, of all four
// generations, and the journal database on disk.
func Format() *model.Format {
	return &model.Format{
		Name:   "agentsmithy",
		Title:  "AgentSmithy history and journal",
		Where:  []string{".agentsmithy/dialogs/*/journal.sqlite"},
		Detect: agentsmithyDetect,
		Lists:  agentsmithyLists,
		Unroll: &model.Unroll{Queries: agentsmithyQueries},
		Parse:  agentsmithyParse,
		Order:  model.BySeq,
	}
}

// The variants: the generation of the endpoint, or the database. The bit agentsmithyAlone means
// that no message makes a call.
const (
	agentsmithyEvents   = 1 + iota // D: events
	agentsmithyMessages            // A to C: messages
	agentsmithyBlocks              // A, with a separate list of reasoning
	agentsmithyJournal
	agentsmithyRefusal // the server's answer if there is no history

	agentsmithyAlone = 32 // the list of calls is the only record of calls
)

func agentsmithyDetect(s *model.Sample) model.Match {
	if s.Shape == model.Database {
		if kit.RowsHave(s, "message_store", "session_id", "message") && (s.Tables["tool_results"] != nil || s.Tables["dialog_reasoning"] != nil || s.Tables["dialog_usage"] != nil) {
			return model.Match{Score: 93, Variant: agentsmithyJournal, Reason: "the tables message_store and tool_results of a journal"}
		}
		return model.Match{}
	}
	doc := kit.SampleDocument(s)
	if agentsmithyRefuses(doc) {
		return model.Match{Score: 60, Variant: agentsmithyRefusal, Reason: "the detail of an error, and nothing else"}
	}
	if doc == nil || !kit.HasKey(doc, "dialog_id") {
		return agentsmithyBare(s, doc)
	}
	switch {
	case kit.HasKey(doc, "events"):
		return model.Match{Score: 92, Variant: agentsmithyEvents, Reason: "a dialog_id with events"}
	case kit.HasKey(doc, "messages"):
		m := model.Match{Score: 92, Variant: agentsmithyMessages, Reason: "a dialog_id with messages"}
		list := kit.Elements(doc, "messages", 1000)
		if kit.HasKey(doc, "reasoning_blocks") {
			m.Variant = agentsmithyBlocks
			m.Reason += " and reasoning_blocks"
		}
		if kit.HasKey(doc, "tool_calls") && !slices.ContainsFunc(list, agentsmithyCalls) {
			m.Variant |= agentsmithyAlone
			m.Reason += " and calls apart from them"
		}
		return m
	}
	return model.Match{}
}

// agentsmithyRefuses reports whether a document contains only the reason why there is no history.
func agentsmithyRefuses(doc []byte) bool {
	c := jsonspan.New(doc)
	if c.Kind() != jsonspan.Object || !c.Object() || !c.Key() || string(c.Name) != "detail" {
		return false
	}
	v := c.Skip()
	return !kit.IsEmpty(v) && jsonspan.KindOf(v) == jsonspan.String && !c.Key() && c.Err == nil
}

// agentsmithyBare recognises lines or a list of the endpoint's messages or events.
func agentsmithyBare(s *model.Sample, doc []byte) model.Match {
	if s.Shape == model.Document && jsonspan.KindOf(doc) != jsonspan.Array {
		return model.Match{}
	}
	list := s.Records
	if s.Shape == model.Document {
		list = kit.Elements(doc, kit.WholeList, kit.SampleLimit)
	}
	fit := 0
	for _, v := range list {
		switch string(jsonspan.GetString(v, "type")) {
		case "human", "ai", "system", "tool", "reasoning":
			if kit.HasKey(v, "index") && kit.HasKey(v, "content") && !kit.HasKey(v, "additional_kwargs") && !kit.HasKey(v, "delta") {
				fit++
			}
		case "user", "chat":
			if kit.HasKey(v, "idx") {
				fit++
			}
		}
	}
	if fit == 0 || fit*2 < len(list) {
		return model.Match{}
	}
	return model.Match{Score: 80, Reason: "messages with type and index, or events with type and idx, of AgentSmithy"}
}

// agentsmithyCalls reports whether a message makes calls.
func agentsmithyCalls(v []byte) bool {
	switch string(jsonspan.GetString(v, "type")) {
	case "tool":
		return false
	case "tool_call":
		return true
	}
	return !kit.IsEmpty(jsonspan.Get(v, "tool_calls"))
}

func agentsmithyLists(m model.Match) []string {
	switch m.Variant &^ agentsmithyAlone {
	case agentsmithyEvents:
		return []string{"events"}
	case agentsmithyMessages, agentsmithyBlocks:
		return []string{"messages", "tool_calls", "reasoning_blocks"}
	}
	return nil
}

func agentsmithyParse(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	if rec.Variant == agentsmithyJournal {
		return agentsmithyRow(rec, fs)
	}
	switch {
	case rec.Variant == agentsmithyRefusal:
		f := fs.Add(model.Say) // like any failed request
		f.Role, f.Flags = model.Assistant, model.APIError|model.Synthetic
		f.Outcome, f.Stop = model.Failure, model.StopError
		f.AddText(model.Words, model.ValueText(jsonspan.Get(rec.Data, "detail")))
		c.Skip()
	case kit.FrameRest(rec) && c.Kind() == jsonspan.Object:
		agentsmithyAbout(&c, fs)
	case c.Kind() == jsonspan.Array: // a list that was not split
		for c.Array(); c.More(); {
			agentsmithyItem(&c, fs)
		}
		if fs.Len() == 0 {
			kit.Note(fs, "empty")
		}
	case !kit.StartObject(&c, fs):
	case rec.List == "tool_calls":
		agentsmithyPreview(&c, fs, rec.Variant&agentsmithyAlone != 0)
	default:
		agentsmithyItem(&c, fs)
		switch rec.Variant &^ agentsmithyAlone {
		case agentsmithyMessages, agentsmithyBlocks:
			if c.Err == nil {
				agentsmithyOrder(fs.Last(), rec.Variant&agentsmithyAlone != 0)
			}
		}
	}
	return kit.Finish(&c, fs)
}

// agentsmithyOrder puts a message at its index, and a block from the list of reasoning before its
// message. If named is set, calls refer to their message by index, so the index becomes its key.
func agentsmithyOrder(f *model.Fact, named bool) {
	for _, x := range f.Extra {
		switch n, ok := jsonspan.ParseInt(x.Value.Raw()); {
		case !ok:
		case x.Name == "index":
			f.Seq = n*agentsmithyStep + 2
			if named && f.Op == model.Say {
				f.Key, f.Join = agentsmithyIndex(n), model.Apart
			}
		case x.Name == "message_index" && n >= 0:
			f.Seq = n*agentsmithyStep + 1
		}
	}
}

func agentsmithyIndex(n int64) model.Key { return model.HashString("index").Join(model.Key(n + 1)) }

func agentsmithyAbout(c *jsonspan.Cursor, fs *model.Facts) {
	f := fs.Add(model.About)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "messages", "events", "tool_calls", "reasoning_blocks":
			c.Skip()
		default:
			kit.FrameField(f, c)
		}
	}
}

// agentsmithyFields holds the fields of a message or event.
type agentsmithyFields struct {
	typ                                                  []byte // without quotes
	content, model, time, calls, name, args, preview, id []byte
	file, diff, role                                     []byte
}

// agentsmithyItem reads a message of the generations A to C, or an event of D.
func agentsmithyItem(c *jsonspan.Cursor, fs *model.Facts) {
	start := c.Pos
	f := fs.Add(model.Say)
	var m agentsmithyFields
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "type":
			m.typ = c.String()
		case "role":
			m.role = c.Skip()
		case "content":
			m.content = c.Skip()
		case "model_name":
			m.model = c.Skip()
		case "timestamp", "created_at":
			m.time = c.Skip()
		case "tool_calls":
			m.calls = c.Skip()
		case "name", "tool_name":
			m.name = c.Skip()
		case "args":
			m.args = c.Skip()
		case "result_preview":
			m.preview = c.Skip()
		case "id", "tool_call_id":
			m.id = c.Skip()
		case "file":
			m.file = c.Skip()
		case "diff":
			m.diff = c.Skip()
		default:
			kit.KeepField(f, c)
		}
	}
	if c.Err != nil {
		fs.Drop()
		return
	}
	f.Time, f.Model = kit.MomentOf(m.time), model.ValueText(m.model)
	m.emitMessage(f, bytes.TrimSpace(c.Buf[start:c.Pos]))
}

func (m *agentsmithyFields) emitMessage(f *model.Fact, raw []byte) {
	if m.typ == nil && m.content != nil && (m.role != nil || !agentsmithyThinks(f)) {
		m.plain(f)
		return
	}
	switch string(m.typ) {
	case "human", "user", "ai", "chat", "system":
		role, ok := model.ParseRole(string(m.typ))
		if f.Role = role; !ok {
			f.Role = model.Assistant // chat
		}
		if f.Role != model.Assistant || !kit.IsEmpty(m.content) || kit.IsEmpty(m.calls) {
			kit.AddContent(f, m.content)
		}
		kit.AddToolCalls(f, m.calls)
	case "reasoning", "": // without a type: a reasoning block of generation A
		if m.typ == nil && m.content == nil {
			kit.TurnToNote(f, nil, raw)
			return
		}
		kit.Keep(f, "id", m.id)
		f.Role = model.Assistant
		f.AddText(model.Reasoning, model.ValueText(m.content))
	case "tool": // without an id it answers the oldest call
		f.Role = model.Tool
		kit.AddResult(f, model.ValueText(m.id), model.ValueText(m.name), m.content, model.Unknown)
	case "tool_call":
		f.Role = model.Assistant
		call := f.Add(model.ToolCall)
		call.ID, call.Name, call.Text = model.ValueText(m.id), model.ValueText(m.name), model.ValueText(m.args)
		if !kit.IsNull(m.preview) {
			id, name := call.ID, call.Name
			kit.AddResult(f, id, name, m.preview, model.Unknown)
		} else if !kit.IsEmpty(m.id) {
			call.Elsewhere = agentsmithyPlace(kit.Inside(m.id))
		}
	case "file_edit":
		kit.TurnToNote(f, m.typ, nil)
		kit.Keep(f, "file", m.file)
		f.AddText(model.Words, model.ValueText(m.diff))
	default:
		kit.TurnToNote(f, m.typ, raw)
	}
}

// plain reads a message with a role, as other formats have, or without any sign of its kind.
func (m *agentsmithyFields) plain(f *model.Fact) {
	kit.SetRoleValue(f, m.role)
	if f.Role == model.Tool {
		kit.AddResult(f, model.ValueText(m.id), model.ValueText(m.name), m.content, model.Unknown)
		return
	}
	kit.AddContent(f, m.content)
	kit.AddToolCalls(f, m.calls)
}

// agentsmithyThinks reports whether an entry without a type is a reasoning block of generation A.
func agentsmithyThinks(f *model.Fact) bool {
	return kit.HasExtra(f, "message_index") || kit.HasExtra(f, "reasoning_id") || kit.HasExtra(f, "index")
}

// agentsmithyPlace returns the server's path of a call's full result.
func agentsmithyPlace(id []byte) model.Text {
	return model.StringText("/tool-results/" + string(id))
}

// agentsmithyPreview reads an entry of the list of calls: the result of its call or, if a message
// is the result, a note on it. It is the call also if no message makes it, as with alone. Both
// belong to the message with the call, or follow all messages if the entry does not refer to one.
func agentsmithyPreview(c *jsonspan.Cursor, fs *model.Facts, alone bool) {
	f := fs.Add(model.Say)
	var id, name, args, preview, full, index, when []byte
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "message_index":
			index = c.Skip()
		case "tool_call_id", "id":
			id = c.Skip()
		case "tool_name", "name":
			name = c.Skip()
		case "args":
			args = c.Skip()
		case "result_preview":
			preview = c.Skip()
		case "has_full_result":
			full = c.Skip()
		case "timestamp":
			when = c.Skip()
			f.Time = kit.MomentOf(when)
		default:
			kit.KeepField(f, c)
		}
	}
	kit.Keep(f, "has_full_result", full)
	kit.Keep(f, "message_index", index)
	kit.Keep(f, "timestamp", when) // a block stores these fields
	f.Seq = agentsmithyLast
	at, known := jsonspan.ParseInt(index)
	if known = known && at >= 0; known {
		f.Seq = at*agentsmithyStep + 3
	}
	place := model.Text{}
	if kit.IsTrue(full) {
		place = agentsmithyPlace(kit.Inside(id))
	}
	call, tool := model.ValueText(id), model.ValueText(name)
	f.Role = model.Assistant
	if !alone {
		f.Join, f.Flags, f.Name = model.Answers, model.SpanTold, agentsmithyPreviewName
	} else if known {
		f.Key = agentsmithyIndex(at)
	}
	made := f.Add(model.ToolCall)
	made.ID, made.Name, made.Text = call, tool, model.ValueText(args)
	outcome := model.Unknown
	if kit.IsEmpty(preview) && !kit.IsTrue(full) && kit.IsEmpty(when) {
		outcome = model.Running // a stored result has a time
	}
	kit.AddResult(f, call, tool, preview, outcome)
	result := &f.Blocks[len(f.Blocks)-1]
	result.Elsewhere, result.Extra, f.Extra = place, slices.Clone(f.Extra), f.Extra[:0]
}

// agentsmithyLast sorts entries without a place after all others.
const agentsmithyLast = 1 << 40

var agentsmithyPreviewName = model.StringText("result preview")
