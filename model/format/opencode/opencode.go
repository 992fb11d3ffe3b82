package opencode

import (
	"slices"
	"strings"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// The variants of opencode.
const (
	openRows   = iota // a database, or rows of one
	openTree          // the folder of files before the database
	openExport        // the output of opencode export: a document with messages
	openList          // a list of messages with parts, or of rows
	openLines         // events: of opencode run, of the server, or bare parts
)

// Format reads the sessions of OpenCode and its forks: messages and their parts as separate
// JSON objects, in a database, a tree of files, an exported document or a stream of events. A
// tool's part contains its call and its result.
func Format() *model.Format {
	return &model.Format{
		Name:   "opencode",
		Resume: "opencode --session ID",
		Deltas: true,
		Title:  "OpenCode",
		Where: []string{
			"~/.local/share/opencode/opencode.db", "~/.local/share/opencode/opencode-*.db", "~/.local/share/opencode/storage",
			"~/AppData/Local/opencode/opencode.db", "~/.local/share/kilo/kilo.db",
		},
		Detect: openDetect,
		Lists: func(m model.Match) []string {
			switch m.Variant {
			case openExport:
				return []string{"messages"}
			case openList:
				return []string{kit.WholeList}
			}
			return nil
		},
		Unroll: &model.Unroll{Queries: openQueries, Brief: openBrief, Members: openMembers, BriefMembers: openBriefMembers},
		Parse:  openParse,
	}
}

// openFamily finds the root session of each session.
const openFamily = `WITH RECURSIVE family(id, root) AS (
	SELECT id, id FROM session WHERE parent_id IS NULL OR parent_id NOT IN (SELECT id FROM session)
	UNION ALL SELECT s.id, f.root FROM session s JOIN family f ON s.parent_id = f.id) `

// openSessions selects the sessions, each with the root of its family.
var openSessions = model.Query{
	Name:  "session",
	SQL:   openFamily + `SELECT s.*, COALESCE(f.root, s.id) AS root FROM session s LEFT JOIN family f ON f.id = s.id ` + unmoved + ` ORDER BY s.time_created, s.id`,
	Needs: []string{"session.parent_id", "session.time_created"},
}

// openBrief selects messages without their data, because it contains the changes that a prompt
// caused, and an index can count them. The session's own row has the time of the last change.
var openBrief = slices.Concat(secondBrief, eachGeneration(
	openSessions,
	model.Query{
		Name: "part",
		SQL: openFamily + `SELECT m.id AS id, m.id AS message_id, m.session_id, COALESCE(f.root, m.session_id) AS root, '{}' AS message, NULL AS part
			FROM message m LEFT JOIN family f ON f.id = m.session_id ` + unmoved + ` ORDER BY m.id`,
		Needs: []string{"message.data", "part.data", "session.parent_id"},
	},
	model.Query{
		Name: "session",
		SQL: openFamily + `SELECT COALESCE(f.root, s.id) AS id, max(s.time_updated) AS time_created, COALESCE(f.root, s.id) AS root
			FROM session s LEFT JOIN family f ON f.id = s.id ` + unmoved + ` GROUP BY 1`,
		Needs: []string{"session.parent_id", "session.time_updated"},
	},
))

// openQueries select a row for each part, in the order of their ids, which begin with the time. The
// first part has the data of its message, each part has its role.
var openQueries = slices.Concat(secondQueries, eachGeneration(
	openSessions,
	model.Query{
		Name: "switch",
		SQL: openFamily + `SELECT n.*, COALESCE(f.root, n.session_id) AS root FROM session_message n
			LEFT JOIN family f ON f.id = n.session_id ` + unmoved + ` ORDER BY n.id`,
		Needs: []string{"session_message.session_id", "session.parent_id"},
	},
	model.Query{
		Name: "part",
		SQL: openFamily + `SELECT m.id AS message_id, COALESCE(p.id, m.id) AS id, m.session_id, COALESCE(f.root, m.session_id) AS root,
			CASE WHEN json_valid(m.data) THEN json_extract(m.data, '$.role') END AS role,
			CASE WHEN p.id IS a.first THEN m.data END AS message, p.data AS part
			FROM message m LEFT JOIN part p ON p.message_id = m.id
			LEFT JOIN (SELECT message_id, min(id) AS first FROM part GROUP BY message_id) a ON a.message_id = m.id
			LEFT JOIN family f ON f.id = m.session_id ` + unmoved + ` ORDER BY m.id, p.id`,
		Needs: []string{"message.data", "part.data", "session.parent_id"},
	},
))

func openDetect(s *model.Sample) model.Match {
	if s.Shape == model.Folder && len(openMembers(s.Names)) > 0 {
		return model.Match{Score: 92, Variant: openTree, Reason: "files message/SESSION/… and part/MESSAGE/…"}
	}
	if m := openClues(s); m.Score > 0 || !kit.MostFit(s, openIsEvent) {
		return m
	}
	return model.Match{Score: 90, Variant: openLines, Reason: "events or parts of OpenCode: text, tool, step-start, step-finish"}
}

// openIsEvent reports whether a line is an event of opencode run, of its server, or a part with a
// role.
func openIsEvent(line []byte) bool {
	if p := jsonspan.Get(line, "payload"); jsonspan.KindOf(p) == jsonspan.Object && kit.HasKey(p, "properties") {
		line = p
	}
	return openVote(line)
}

const openParts = "type=step_start|step_finish|text|tool_use|reasoning|error"

var openVote = kit.Meets(
	openParts+" & sessionID & error",
	openParts+" & sessionID & part:object",
	openParts+"|tool|step-start|step-finish|file|patch|snapshot|compaction|agent|subtask|retry & _role",
	"- "+openParts+"|tool|step-start|step-finish|file|patch|snapshot|compaction|agent|subtask|retry",
	"properties:object & type=message.*|session.*|server.*|permission.*|file.*|todo.*|lsp.*",
)

var openClues = kit.Clues(
	kit.Clue{In: kit.InTables, Score: 95, Variant: openRows, Reason: "tables session_v2 and session_message",
		Is: kit.Signs{"session_message: session_id, type, seq, data", "session_v2: id"}},
	kit.Clue{In: kit.InTables, Score: 95, Variant: openRows, Reason: "tables session, message and part with their data in JSON",
		Is: kit.Signs{"message: session_id, data", "part: message_id, data", "session: parent_id"}},
	kit.Clue{In: kit.InDocument, Score: 93, Variant: openExport, Reason: "messages with info and parts", Is: kit.Signs{"messages[0](info & parts)"}},
	kit.Clue{In: kit.InDocument, Score: 93, Variant: openList, Reason: "a list of messages with info and parts", Is: kit.Signs{"[0](info.sessionID & parts)"}},
	kit.Clue{In: kit.InDocument, Score: 88, Variant: openList, Reason: "rows of the table message or part with their data in JSON",
		Is: kit.Signs{"[0](id=msg_*|prt_* & session_id:string & data:string)"}},
)

// openMembers returns the files of a storage tree: the sessions, then each message with the parts
// in the folder with its name, then the remaining parts.
func openMembers(names []string) []string {
	var sessions, messages []string
	parts := map[string][]string{}
	for _, name := range names {
		at := strings.TrimPrefix(name, "storage/")
		kind, rest, ok := strings.Cut(at, "/")
		if !ok || !strings.HasSuffix(name, ".json") {
			continue
		}
		switch folder, _, deep := strings.Cut(rest, "/"); {
		case kind == "session" && deep && folder != "message" && folder != "part" && folder != "info":
			sessions = append(sessions, name)
		case kind == "message" && deep:
			messages = append(messages, name)
		case kind == "part":
			if !deep {
				folder = ""
			}
			parts[folder] = append(parts[folder], name)
		}
	}
	if len(messages) == 0 || len(sessions)+len(parts) == 0 {
		return nil
	}
	slices.Sort(sessions)
	slices.Sort(messages)
	chosen := sessions
	for _, name := range messages {
		chosen = append(chosen, name)
		id := strings.TrimSuffix(name[strings.LastIndexByte(name, '/')+1:], ".json")
		slices.Sort(parts[id])
		chosen = append(chosen, parts[id]...)
		delete(parts, id)
	}
	var left []string
	for _, names := range parts {
		left = append(left, names...)
	}
	slices.Sort(left)
	return append(chosen, left...)
}

// openBriefMembers returns the files of openMembers without the parts, which are most of them.
func openBriefMembers(names []string) []string {
	return slices.DeleteFunc(openMembers(names), func(name string) bool {
		return strings.HasPrefix(strings.TrimPrefix(name, "storage/"), "part/")
	})
}

func openParse(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	if !kit.StartObject(&c, fs) {
		if rec.List == "" && rec.Variant == openList {
			fs.Clear()
			fs.Add(model.About)
		}
		return kit.Finish(&c, fs)
	}
	p := openParser{fs: fs, variant: rec.Variant}
	switch {
	case rec.Variant == openRows:
		p.row(&c, rec.List)
	case rec.Variant == openTree:
		p.file(&c, strings.TrimPrefix(rec.List, "storage/"))
	case rec.Variant == openExport && rec.List == "":
		for c.Object(); c.Key(); {
			if string(c.Name) == "info" {
				p.session(c.Skip())
			} else {
				c.Skip()
			}
		}
	case rec.Variant == openExport || rec.Variant == openList:
		p.element(&c)
	default:
		p.event(&c)
	}
	if c.Err == nil && fs.Len() == 0 {
		kit.Note(fs, "record")
	}
	return kit.Finish(&c, fs)
}
