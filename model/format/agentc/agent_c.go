package agentc

import (
	"bytes"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// Format reads the files of Agent C: CommonChatMessages of both forms, exports of sessions with
// their interactions, saved sessions in the vendor's format, the work log's report, and the event
// log of a session.
func Format() *model.Format {
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

var agentCKind = &kit.FrameKind{
	Paths:  []string{kit.WholeList, "messages", "entries", "history"},
	Marks:  []string{`"provider_metadata"`, `"validity_state"`, `"interaction_id"`, `"tool_id"`, `"thought"`},
	Judge:  agentCJudge,
	Score:  87,
	Reason: "the fields of CommonChatMessage or of the work log",

	ReadsBack: true,
}

func agentCDetect(s *model.Sample) model.Match {
	if m := agentCDocument(s); m.Score > 0 {
		return m
	}
	if kit.MostFit(s, agentCIsEvent) {
		return model.Match{Score: 88, Variant: agentCLog, Reason: "lines with a timestamp and an event of Agent C"}
	}
	return agentCKind.Detect(s)
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
	return agentCKind.Lists(m)
}

var agentCDocument = kit.Clues(
	kit.Clue{In: kit.InDocument, Score: 92, Variant: agentCExport, Reason: "a session_id with its interactions", Is: kit.Signs{
		"session_id & interactions:object & interactions:filled",
		// a session that could not be migrated has messages and empty interactions
		"session_id & interactions:object & !legacy_messages:filled & !messages:filled"}},
	kit.Clue{In: kit.InDocument, Score: 92, Variant: agentCSession, Reason: "a session_id with agent_config and messages",
		Is: kit.Signs{"session_id & agent_config & messages"}},
	kit.Clue{In: kit.InDocument, Score: 92, Variant: agentCLegacy, Reason: "a session_id with legacy_messages",
		Is: kit.Signs{"session_id & legacy_messages & migration_status"}},
	kit.Clue{In: kit.InDocument, Score: 92, Variant: agentCSession, Reason: "a session_id with messages and migration_status",
		Is: kit.Signs{"session_id & messages & migration_status"}},
)

var agentCJudge = kit.Judge(
	"+ entry_id & action_category",
	"+ work_log_summary & execution_summary", // fields that its library adds to a message
	"- !role:string",
	"+ validity_state|interaction_id",
	"+ provider_metadata & created_at",
	"+ content[](type=tool_use|tool_result & tool_id & tool_name)",
	"+ content[](type=thinking & thought)",
	"~ role",
)

func agentCParse(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	switch {
	case rec.Variant == agentCLog:
		agentCEvent(&c, fs)
	case kit.FrameRest(rec) && c.Kind() == jsonspan.Object:
		agentCAbout(&c, fs)
	case kit.FrameRest(rec):
		kit.FrameHolder(&c, fs)
	case rec.Variant == agentCSession || rec.Variant == agentCLegacy:
		p := kit.ChatParser{Fs: fs}
		p.Value(&c, model.NoRole)
		if fs.Len() == 0 {
			kit.Note(fs, "empty")
		}
	case kit.StartObject(&c, fs):
		agentCMessage(&c, fs)
	}
	return kit.Finish(&c, fs)
}

// agentCAbout reads the fields around the messages of a session, and the facts of each interaction.
func agentCAbout(c *jsonspan.Cursor, fs *model.Facts) {
	f := fs.Add(model.About)
	var interactions []byte
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "interactions":
			interactions = c.Skip()
		case "agent_config":
			v := c.Skip()
			kit.Keep(f, "agent", jsonspan.Get(v, "name"))
			kit.Keep(f, "model", jsonspan.Get(v, "model_id"))
			kit.Keep(f, "agent_config", v)
		default:
			kit.FrameField(f, c)
		}
	}
	if jsonspan.KindOf(interactions) != jsonspan.Object || c.Err != nil {
		return
	}
	in := jsonspan.New(interactions)
	for in.Object(); in.Key(); {
		n := kit.Note(fs, "interaction")
		n.Interaction = model.Hash(in.Name)
		n.Keep("interaction_id", model.EscapedText(in.Name))
		for in.Object(); in.Key(); {
			switch string(in.Name) {
			case "interaction_id", "messages":
				in.Skip()
			case "interaction_start":
				n.Time = kit.ReadMoment(&in)
			case "validity_state":
				v := in.Skip()
				n.Flags |= agentCValidity(kit.Inside(v))
				kit.Keep(n, "validity_state", v)
			default:
				name := in.Name
				kit.KeepNamed(n, name, in.Skip())
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
	var plain kit.PlainFields
	entry, hasText := false, false
	fields := kit.Fields{
		kit.Raw("content", &content), kit.Time("created_at", &f.Time), kit.Raw("name", &name),
	}
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "id":
			v := c.Skip()
			f.Key, f.Join = kit.HashValue(v), model.Apart
			kit.Keep(f, "id", v)
		case "role":
			hasText = true
			kit.SetRoleValue(f, c.Skip())
		case "interaction_id":
			v := c.Skip()
			f.Interaction = kit.HashValue(v)
			kit.Keep(f, "interaction_id", v)
		case "validity_state":
			v := c.Skip()
			f.Flags |= agentCValidity(kit.Inside(v))
			kit.Keep(f, "validity_state", v)
		case "provider_metadata":
			agentCProvider(f, c)
		case "entry_id":
			entry = true
			c.Skip()
		default:
			if !fields.Take(c) && !plain.Take(c) {
				kit.KeepField(f, c)
			}
		}
	}
	raw := bytes.TrimSpace(c.Buf[start:c.Pos])
	switch {
	case c.Err != nil:
		fs.Drop()
	case entry && !hasText:
		agentCEntry(f, raw)
	case !hasText && content == nil:
		kit.FrameOther(fs, nil, raw)
	case plain.Answers(f, name, content):
		plain.AddFacts(fs)
	default:
		if !hasText {
			kit.SetUnknown(f, nil)
		}
		kit.Keep(f, "name", name)
		plain.AddReasoning(f)
		agentCContent(f, content)
		kit.AddWholeCalls(f, plain.Calls)
		if whole := plain.ReadBack(f); !whole && f.Role == model.User {
			kit.SplitUser(fs)
		}
		plain.AddFacts(fs)
	}
}

// agentCProvider reads the provider's data about the response. It skips the vendor's full message,
// which repeats the content and remains in the record.
func agentCProvider(f *model.Fact, c *jsonspan.Cursor) {
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "model":
			f.Model = model.ValueText(c.Skip())
		case "usage":
			f.Usage = kit.ReadUsage(c)
		case "stop_info":
			v := c.Skip()
			if reason := jsonspan.GetString(v, "reason"); reason != nil {
				kit.SetStop(f, reason)
			}
		case "provider_name":
			kit.Keep(f, "provider_name", c.Skip())
		case "additional_data":
			kit.Keep(f, "additional_data", c.Skip())
		default:
			c.Skip()
		}
	}
}
