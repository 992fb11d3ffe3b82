package pi

import (
	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// The variants of pi.
const (
	piLines uint8 = iota
	piStore       // the database of an OpenClaw agent
)

// Format reads sessions of Pi and its family (OpenClaw, OMP) in lines or a database: entries that
// form a tree since version 2, previously a list.
func Format() *model.Format {
	return &model.Format{
		Name:   "pi",
		Resume: "pi --session FILE",
		Title:  "Pi session",
		Where: []string{
			"~/.pi/agent/sessions/*/*.jsonl", "~/.omp/agent/sessions/*/*.jsonl", "~/.openclaw/agents/*/sessions/*.jsonl",
			"~/.openclaw/agents/*/agent/openclaw-agent.sqlite",
		},
		Detect: kit.Clues(
			kit.Clue{In: kit.InTables, Score: 95, Variant: piStore, Reason: "tables session_windows and transcript_events",
				Is: kit.Signs{"transcript_events: session_id, seq, event_json", "session_windows: session_id, session_key"}},
			kit.Clue{Score: 92, Reason: "entries after a line of type session with cwd",
				Is: kit.Signs{"x type=session_start", "+ type=session & cwd & timestamp", "~ type=message & message.role:string", piEntries}},
			kit.Clue{Score: 75, Reason: "entries of type message with parentId",
				Is: kit.Signs{"x type=session_start", "+ type=message & message.role:string & parentId",
					"+ type=message & message(role=toolResult & toolCallId)", "~ type=message & message.role:string", piEntries}},
		),
		Unroll: &model.Unroll{Queries: storeQueries, Brief: storeQueries[:1]},
		Parse: func(rec model.Record, fs *model.Facts) error {
			if rec.Variant == piStore {
				return storeParse(rec, fs)
			}
			return piParse(rec, fs)
		},
		Order: model.Tree,
	}
}

// piEntries lists the types of entries that are not messages.
const piEntries = "~ type=model_change|thinking_level_change|compaction|branch_summary|custom|custom_message|label|session_info|child_usage_attributed|title"

// piEntry holds the raw values of an entry, nil if absent.
type piEntry struct {
	kind, id, parent, name, title []byte
	summary, kept, content        []byte
	display, customType           []byte
	message                       piMessage
}

func piParse(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	if !kit.StartObject(&c, fs) {
		return kit.Finish(&c, fs)
	}
	f := fs.Add(model.Say)
	var e piEntry
	e.read(&c, f)
	if c.Err != nil {
		fs.Drop()
		return c.Err
	}
	e.emit(fs)
	return kit.Finish(&c, fs)
}

var piEntryFields = kit.TableOf(func(e *piEntry) kit.Fields {
	return kit.Fields{
		kit.Word("type", &e.kind), kit.Raw("id", &e.id), kit.Raw("parentId", &e.parent),
		kit.Raw("summary", &e.summary), kit.Raw("firstKeptEntryId", &e.kept),
		kit.Raw("content", &e.content), kit.Raw("display", &e.display),
		kit.Raw("customType", &e.customType), kit.Raw("name", &e.name), kit.Raw("title", &e.title),
	}
})

func (e *piEntry) read(c *jsonspan.Cursor, f *model.Fact) {
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "timestamp":
			f.Time = kit.ReadMoment(c)
		case "message":
			e.message.read(c, f)
		case "cwd":
			kit.Keep(f, "cwd", c.Skip())
		case "modelId":
			kit.Keep(f, "model", c.Skip())
		case "version":
			kit.Keep(f, "format version", c.Skip())
		case "parentSession", "branchedFrom":
			kit.Keep(f, "parent", c.Skip())
		default:
			piEntryFields.ReadOrKeep(c, e, f)
		}
	}
}

func (e *piEntry) emit(fs *model.Facts) {
	f := fs.Last()
	f.Record, f.Parent = kit.HashValue(e.id), kit.HashValue(e.parent)
	switch string(e.kind) {
	case "session":
		f.Op = model.About
		f.Name = model.EscapedText(e.kind)
		kit.Keep(f, "session", e.id)
	case "title", "session_info":
		f.Op = model.About
		f.Name = model.EscapedText(e.kind)
		kit.Keep(f, "title", e.title)
		kit.Keep(f, "title", e.name)
	case "message":
		f.Key = f.Record
		e.message.entry = e.id
		e.message.emit(fs)
		e.detach(fs, &e.message)
	case "compaction":
		f.Op = model.Compact
		f.Target = kit.HashValue(e.kept)
		f.AddText(model.Words, model.ValueText(e.summary))
	case "branch_summary":
		f.Key, f.Role = f.Record, model.User
		f.Flags |= model.Injected // from an abandoned branch: nothing before it is removed
		f.AddText(model.Words, model.ValueText(e.summary))
	case "custom_message":
		f.Key, f.Role = f.Record, model.User
		f.Flags |= model.Injected
		if string(e.display) == "false" {
			f.Flags |= model.Hidden
		}
		kit.Keep(f, "customType", e.customType)
		kit.AddContent(f, e.content)
	default:
		kit.Keep(f, "customType", e.customType)
		kit.Keep(f, "name", e.name)
		if !kit.IsEmpty(e.summary) {
			f.AddText(model.Words, model.ValueText(e.summary))
		}
		kit.AddContent(f, e.content)
		kit.TurnToNote(f, e.kind, nil)
	}
}

// detach marks a result that names its call instead of an entry as its parent, as some relatives of
// Pi do: without a key it is not a branch, but belongs to the response with the call.
func (e *piEntry) detach(fs *model.Facts, m *piMessage) {
	if f := fs.Last(); f.Role == model.Tool && m.callID != nil && f.Parent == kit.HashValue(m.callID) {
		f.Key = 0
	}
}
