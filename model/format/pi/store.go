package pi

import (
	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// The lists of the database of each OpenClaw agent since 2026.8 (openclaw-agent-schema.sql): the
// windows of conversations, and the entries of each, which are lines of Pi.
const (
	storeWindows = "session_windows"
	storeEvents  = "transcript_events"
	storeLeaf    = "session_transcript_index_state"
	storeLeft    = "left"
)

var storeNeeds = []string{"session_windows.session_key", "transcript_events.event_json"}

// storeSessions uses the name of a window's node, which several windows may share.
var storeSessions = model.Query{
	Name: storeWindows,
	SQL: `SELECT w.session_id AS id, w.session_id, COALESCE(NULLIF(n.label, ''), NULLIF(n.display_name, ''), w.display_name) AS title,
		w.session_key AS key, w.reason, w.previous_session_id AS previous, COALESCE(w.spawned_by, w.parent_session_key) AS parent, w.model, w.channel, w.created_at
		FROM session_windows w LEFT JOIN session_nodes n ON n.session_key = w.session_key ORDER BY w.created_at, w.session_id`,
	Needs: append([]string{"session_nodes.label"}, storeNeeds...),
}

// storeQueries sort the entries by number, because rows are unordered.
var storeQueries = []model.Query{
	storeSessions,
	{
		Name: storeEvents,
		SQL: `SELECT e.session_id || ':' || e.seq AS id, e.session_id, e.event_json AS event FROM transcript_events e
			LEFT JOIN session_windows w ON w.session_id = e.session_id ORDER BY w.created_at, e.session_id, e.seq`,
		Needs: storeNeeds,
	},
	{
		Name:  storeLeaf,
		SQL:   `SELECT session_id AS id, session_id, leaf_event_id AS leaf FROM session_transcript_index_state WHERE leaf_event_id IS NOT NULL`,
		Needs: append([]string{"session_transcript_index_state.leaf_event_id"}, storeNeeds...),
	},
	{ // messages dropped by a rewind
		Name: storeLeft,
		SQL: `SELECT i.session_id || ':' || i.seq AS id, i.session_id, i.event_id AS leaf FROM transcript_event_identities i
			JOIN session_transcript_index_state t ON t.session_id = i.session_id AND t.needs_rebuild = 0 AND i.seq <= t.indexed_seq
			WHERE i.event_type = 'message' AND NOT EXISTS (SELECT 1 FROM session_transcript_active_events a WHERE a.session_id = i.session_id AND a.event_seq = i.seq)
			ORDER BY i.session_id, i.seq`,
		Needs: append([]string{
			"session_transcript_active_events.event_seq", "transcript_event_identities.event_type",
			"session_transcript_index_state.indexed_seq", "session_transcript_index_state.needs_rebuild",
		}, storeNeeds...),
	},
}

// storeParse reads a row of OpenClaw's database.
func storeParse(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	var id, session, event, leaf, title, parent, name []byte
	var at model.Moment
	kit.ReadFields(&c, kit.Raw("id", &id), kit.Raw("session_id", &session), kit.Raw("event", &event), kit.Raw("leaf", &leaf),
		kit.Raw("title", &title), kit.Raw("parent", &parent), kit.Raw("model", &name), kit.Time("created_at", &at))
	if c.Err != nil {
		return c.Err
	}
	switch rec.List {
	case storeWindows:
		f := fs.Add(model.About)
		f.Time = at
		kit.Keep(f, "session", id)
		kit.Keep(f, "title", title)
		kit.Keep(f, "parent", parent)
		kit.Keep(f, "model", name)
	case storeLeaf:
		fs.Add(model.Leaf).Target = kit.HashValue(leaf)
	case storeLeft:
		fs.Add(model.Retract).Target = kit.HashValue(leaf)
	default:
		if err := piParse(model.Record{Ref: rec.Ref, Data: kit.RowsJSON(event)}, fs); err != nil {
			return err
		}
	}
	for i := range fs.Len() {
		fs.At(i).Session = kit.HashValue(session)
	}
	return kit.Finish(&c, fs)
}
