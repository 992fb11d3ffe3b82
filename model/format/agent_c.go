package format

import (
	"bytes"

	"turns/model"
	"turns/model/jsonspan"
)

// agentCFormat is what Agent C writes: CommonChatMessages of both forms, exports of
// sessions with their interactions, saved sessions in the vendor's format, the
// work log's report, and the event log of a session.
func agentCFormat() *model.Format {
	return &model.Format{
		Name:   "agent-c",
		Deltas: true,
		Title:  "Agent C messages, sessions and logs",
		Where:  []string{"agent_c_config/saved_sessions/*/*.json", "logs/sessions/*/*.jsonl"},
		Detect: agentCDetect,
		Lists:  agentCLists,
		Parse:  agentCParse,
	}
}

// The variants above those of agentCKind.
const (
	agentCExport  = 50 + iota // interactions with their messages
	agentCSession             // messages in the vendor's format
	agentCLegacy              // the same under legacy_messages
	agentCLog                 // the event log
)

var agentCKind = &frameKind{
	paths:  []string{wholeList, "messages", "entries", "history"},
	marks:  []string{`"provider_metadata"`, `"validity_state"`, `"interaction_id"`, `"tool_id"`, `"thought"`},
	judge:  agentCJudge,
	score:  87,
	reason: "the fields of CommonChatMessage or of the work log",
}

func agentCDetect(s *model.Sample) model.Match {
	if doc := sampleDocument(s); doc != nil {
		session := hasKey(doc, "session_id")
		interactions := jsonspan.Get(doc, "interactions")
		switch { // a session that could not be migrated has its messages beside no interactions
		case session && jsonspan.KindOf(interactions) == jsonspan.Object && (!isEmpty(interactions) || isEmpty(jsonspan.Get(doc, "legacy_messages")) && isEmpty(jsonspan.Get(doc, "messages"))):
			return model.Match{Score: 92, Variant: agentCExport, Reason: "a session_id with its interactions"}
		case session && hasKey(doc, "agent_config") && hasKey(doc, "messages"):
			return model.Match{Score: 92, Variant: agentCSession, Reason: "a session_id with agent_config and messages"}
		case session && hasKey(doc, "legacy_messages") && hasKey(doc, "migration_status"):
			return model.Match{Score: 92, Variant: agentCLegacy, Reason: "a session_id with legacy_messages"}
		case session && hasKey(doc, "messages") && hasKey(doc, "migration_status"):
			return model.Match{Score: 92, Variant: agentCSession, Reason: "a session_id with messages and migration_status"}
		}
	}
	if mostFit(s, agentCIsEvent) {
		return model.Match{Score: 88, Variant: agentCLog, Reason: "lines with a timestamp and an event of Agent C"}
	}
	return agentCKind.detect(s)
}

func agentCLists(m model.Match) []string {
	switch m.Variant {
	case agentCExport:
		return []string{"interactions.*.messages"}
	case agentCSession:
		return []string{"messages"}
	case agentCLegacy:
		return []string{"legacy_messages"}
	}
	return agentCKind.lists(m)
}

func agentCJudge(v []byte) int {
	if hasKey(v, "entry_id") && hasKey(v, "action_category") {
		return 1
	}
	if hasKey(v, "work_log_summary") && hasKey(v, "execution_summary") { // what its library says of a message
		return 1
	}
	if jsonspan.GetString(v, "role") == nil {
		return -1
	}
	if hasKey(v, "validity_state") || hasKey(v, "interaction_id") || hasKey(v, "provider_metadata") && hasKey(v, "created_at") {
		return 1
	}
	for _, b := range elements(v, "content", 20) {
		switch string(jsonspan.GetString(b, "type")) {
		case "tool_use", "tool_result":
			if hasKey(b, "tool_id") && hasKey(b, "tool_name") {
				return 1
			}
		case "thinking":
			if hasKey(b, "thought") {
				return 1
			}
		}
	}
	return 0
}

func agentCParse(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	switch {
	case rec.Variant == agentCLog:
		agentCEvent(&c, fs)
	case frameRest(rec) && c.Kind() == jsonspan.Object:
		agentCAbout(&c, fs)
	case frameRest(rec):
		frameHolder(&c, fs)
	case rec.Variant == agentCSession || rec.Variant == agentCLegacy:
		p := chatParser{fs: fs}
		p.value(&c, model.NoRole)
		if fs.Len() == 0 {
			note(fs, "empty")
		}
	case startObject(&c, fs):
		agentCMessage(&c, fs)
	}
	return finish(&c, fs)
}

// agentCAbout says what stands around the messages of a session, and what is known
// of each interaction.
func agentCAbout(c *jsonspan.Cursor, fs *model.Facts) {
	f := fs.Add(model.About)
	var interactions []byte
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "interactions":
			interactions = c.Skip()
		case "agent_config":
			v := c.Skip()
			keep(f, "agent", jsonspan.Get(v, "name"))
			keep(f, "model", jsonspan.Get(v, "model_id"))
			keep(f, "agent_config", v)
		default:
			frameField(f, c)
		}
	}
	if jsonspan.KindOf(interactions) != jsonspan.Object || c.Err != nil {
		return
	}
	in := jsonspan.New(interactions)
	for in.Object(); in.Key(); {
		n := note(fs, "interaction")
		n.Interaction = model.Hash(in.Name)
		n.Keep("interaction_id", model.EscapedText(in.Name))
		for in.Object(); in.Key(); {
			switch string(in.Name) {
			case "interaction_id", "messages":
				in.Skip()
			case "interaction_start":
				n.Time = readMoment(&in)
			case "validity_state":
				v := in.Skip()
				n.Flags |= agentCValidity(inside(v))
				keep(n, "validity_state", v)
			default:
				name := in.Name
				keepNamed(n, name, in.Skip())
			}
		}
	}
}

func agentCValidity(state []byte) model.Flags {
	switch string(state) {
	case "invalidated":
		return model.Invalidated
	case "superseded":
		return model.Superseded
	case "archived":
		return model.Archived
	}
	return 0
}

// agentCMessage reads a CommonChatMessage, or an entry of the work log.
func agentCMessage(c *jsonspan.Cursor, fs *model.Facts) {
	start := c.Pos
	f := fs.Add(model.Say)
	var content, name []byte
	var plain plainFields
	entry, said := false, false
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "id":
			v := c.Skip()
			f.Key, f.Join = hashValue(v), model.Apart
			keep(f, "id", v)
		case "role":
			said = true
			setSaid(f, c.Skip())
		case "content":
			content = c.Skip()
		case "created_at":
			f.Time = readMoment(c)
		case "interaction_id":
			v := c.Skip()
			f.Interaction = hashValue(v)
			keep(f, "interaction_id", v)
		case "validity_state":
			v := c.Skip()
			f.Flags |= agentCValidity(inside(v))
			keep(f, "validity_state", v)
		case "provider_metadata":
			agentCProvider(f, c)
		case "entry_id":
			entry = true
			c.Skip()
		case "name":
			name = c.Skip()
		default:
			if !plain.take(c) {
				keepField(f, c)
			}
		}
	}
	raw := bytes.TrimSpace(c.Buf[start:c.Pos])
	switch {
	case c.Err != nil:
		fs.Drop()
	case entry && !said:
		agentCEntry(f, raw)
	case !said && content == nil:
		frameOther(fs, nil, raw)
	case plain.answers(f, name, content):
	default:
		if !said {
			setUnknown(f, nil)
		}
		keep(f, "name", name)
		plain.addReasoning(f)
		agentCContent(f, content)
		addToolCalls(f, plain.calls)
		if f.Role == model.User {
			splitUser(fs)
		}
	}
}

// agentCProvider reads what the provider said of the response. The vendor's whole
// message, which repeats what is said already, is left in the record.
func agentCProvider(f *model.Fact, c *jsonspan.Cursor) {
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "model":
			f.Model = model.ValueText(c.Skip())
		case "usage":
			f.Usage = readUsage(c)
		case "stop_info":
			v := c.Skip()
			if reason := jsonspan.GetString(v, "reason"); reason != nil {
				setStop(f, reason)
			}
		case "provider_name":
			keep(f, "provider_name", c.Skip())
		case "additional_data":
			keep(f, "additional_data", c.Skip())
		default:
			c.Skip()
		}
	}
}
