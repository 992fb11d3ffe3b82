package langchain

import (
	"bytes"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// LangGraph stores the state of a graph after each step in a table of checkpoints by thread and,
// for subgraphs, namespace. The last checkpoint of a thread has all its messages; earlier ones
// repeat them. The table of writes has the output of later steps until the next checkpoint.

// The lists of its rows.
const (
	langgraphCheckpoint = "checkpoint"
	langgraphWrite      = "write"
)

// langgraphLatest selects the last checkpoint of each thread: its ids are sortable.
const langgraphLatest = ` JOIN (SELECT thread_id AS t, checkpoint_ns AS n, max(checkpoint_id) AS last FROM checkpoints GROUP BY thread_id, checkpoint_ns) latest
	ON x.thread_id = latest.t AND x.checkpoint_ns = latest.n AND x.checkpoint_id = latest.last `

func langgraphQueries() []model.Query {
	return []model.Query{{
		Name: langgraphCheckpoint,
		SQL: `SELECT x.thread_id || '|' || x.checkpoint_ns AS place, x.thread_id, x.checkpoint_ns, x.checkpoint_id, x.checkpoint, x.metadata
			FROM checkpoints x` + langgraphLatest + `ORDER BY x.thread_id, x.checkpoint_ns`,
		Needs:  []string{"checkpoints.thread_id", "checkpoints.checkpoint_ns", "checkpoints.checkpoint_id", "checkpoints.checkpoint", "checkpoints.metadata"},
		Packed: []string{"checkpoint", "metadata"},
	}, {
		Name: langgraphWrite,
		SQL: `SELECT x.thread_id || '|' || x.checkpoint_ns || '|' || x.task_id || '|' || x.idx AS place, x.thread_id, x.checkpoint_ns, x.channel, x.value
			FROM writes x` + langgraphLatest + `WHERE x.channel IN ('messages', '__interrupt__', '__error__')
			ORDER BY x.thread_id, x.checkpoint_ns, x.task_id, x.idx`,
		Needs:  []string{"writes.task_id", "writes.idx", "writes.channel", "writes.value", "checkpoints.checkpoint_ns"},
		Packed: []string{"value"},
	}}
}

// langgraphUpdate judges an object as the messages that a step of a graph adds: under the name of
// the node ({"tools": {"messages": […]}}) or next to it ({"node": "tools", "state": {"messages":
// […]}}). Messages that begin with a user's may be a full conversation under its name.
func langgraphUpdate(v []byte) int {
	c, verdict := jsonspan.New(v), -1
	named := kit.HasKey(v, "node") || kit.HasKey(v, "node_name") || kit.HasKey(v, "langgraph_node")
	for c.Object(); c.Key(); {
		node := c.Skip()
		if kit.IsNull(node) {
			continue
		}
		list := kit.Elements(node, "messages", 1)
		if len(list) == 0 && named {
			continue
		}
		if len(list) == 0 {
			return -1
		}
		role := langchainRole(jsonspan.GetString(list[0], "type"))
		if role == model.NoRole {
			role, _ = model.ParseRole(string(jsonspan.GetString(list[0], "role")))
		}
		switch role {
		case model.Assistant, model.Tool:
			verdict = 1
		case model.User, model.System:
			verdict = max(verdict, 0)
		default:
			return -1
		}
	}
	return verdict
}

// langgraphPlace is the position of a row.
type langgraphPlace struct {
	thread, space, id []byte
}

// set adds the session to the facts of a row; a subgraph becomes a thread. It also adds both to the
// keys, because the key of a message without an id is only its place in the state.
func (p *langgraphPlace) set(fs *model.Facts, from int) {
	session := kit.HashValue(p.thread)
	space := kit.HashValue(p.space)
	for i := from; i < fs.Len(); i++ {
		f := fs.At(i)
		f.Session = session
		if space != 0 {
			f.Thread = session.Join(space)
			f.Flags |= model.Sidechain
		}
		if f.Key != 0 {
			f.Key = session.Join(space).Join(f.Key)
		}
	}
}

// langgraphState adds the messages of a checkpoint, and the rest of its state as fields.
func langgraphState(c *jsonspan.Cursor, fs *model.Facts) error {
	var at langgraphPlace
	var checkpoint, metadata []byte
	kit.ReadFields(c, kit.Raw("thread_id", &at.thread), kit.Raw("checkpoint_ns", &at.space), kit.Raw("checkpoint_id", &at.id),
		kit.Rows("checkpoint", &checkpoint), kit.Rows("metadata", &metadata))
	if c.Err != nil {
		return c.Err
	}
	f := fs.Add(model.About)
	f.Time = kit.MomentOf(jsonspan.Get(checkpoint, "ts"))
	kit.Keep(f, "session", at.thread)
	kit.Keep(f, "checkpoint_ns", at.space)
	kit.Keep(f, "checkpoint_id", at.id)
	for _, name := range []string{"source", "step", "writes", "parents"} {
		if v := jsonspan.Get(metadata, name); !kit.IsEmpty(v) {
			kit.KeepNamed(f, []byte(name), v)
		}
	}
	var messages []byte
	channels := jsonspan.New(jsonspan.Get(checkpoint, "channel_values"))
	for channels.Object(); channels.Key(); {
		name := channels.Name
		v := channels.Skip()
		switch {
		case string(name) == "messages":
			messages = v
		case !kit.HasPrefix(name, "__") && !bytes.Contains(name, []byte(":")):
			kit.KeepNamed(f, name, v)
		}
	}
	return langgraphMessages(&at, messages, fs, 0)
}

// langgraphMessages adds a list of messages, or a single one.
func langgraphMessages(at *langgraphPlace, messages []byte, fs *model.Facts, from int) error {
	p := LangchainParser{Fs: fs, state: true}
	in := jsonspan.New(messages)
	if k := in.Kind(); k == jsonspan.Array || k == jsonspan.Object {
		p.Value(&in)
	}
	at.set(fs, from)
	return in.Err
}

// langgraphPending adds the output of a step after the last checkpoint.
func langgraphPending(c *jsonspan.Cursor, fs *model.Facts) error {
	var at langgraphPlace
	var channel, value []byte
	kit.ReadFields(c, kit.Raw("thread_id", &at.thread), kit.Raw("checkpoint_ns", &at.space),
		kit.Word("channel", &channel), kit.Rows("value", &value))
	switch {
	case c.Err != nil:
		return c.Err
	case string(channel) == "messages" && len(value) > 0:
		if err := langgraphMessages(&at, value, fs, 0); err != nil || fs.Len() > 0 {
			for i := range fs.Len() {
				if f := fs.At(i); !hasMessageID(f) {
					f.Key = 0 // its place in the state is not known yet
				}
			}
			return err
		}
	}
	f := kit.Note(fs, string(bytes.Trim(channel, "_")))
	if string(channel) == "__error__" {
		f.Outcome = model.Failure
	}
	if value != nil {
		f.AddText(model.OtherBlock, model.ValueText(value))
	}
	at.set(fs, 0)
	return nil
}

// hasMessageID reports whether a message was recorded with an id.
func hasMessageID(f *model.Fact) bool {
	for i := range f.Extra {
		if f.Extra[i].Name == "id" {
			return true
		}
	}
	return false
}
