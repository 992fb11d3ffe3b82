package fork

import (
	"path/filepath"
	"slices"
	"strings"

	"turns/model/jsonspan"
)

// codex forks a rollout of Codex: its session_meta gets a new id and names the original in
// forked_from_id, as codex fork does; open calls get the output that Codex adds for calls without
// one (codex-rs/core/src/context_manager/normalize.rs).
type codex struct {
	p       *Plan
	open    map[string]*Closed
	kinds   map[string]string // types of the items that made the open calls
	ordinal int64             // the highest one, -1 for none
	bare    bool              // a rollout of the first era: items without an envelope
	first   []byte            // the first line: the session_meta of this session
}

func newCodex(p *Plan) (lineWriter, error) {
	session := &p.snap.Sessions()[0]
	if session.Field("thread_source") == "subagent" || strings.Contains(session.Field("source"), `"subagent"`) {
		return nil, refuse("fork the session that started the subagent", "the transcript is of a subagent")
	}
	p.ID = uuid7(p.now)
	return &codex{p: p, open: p.ids(), kinds: map[string]string{}, ordinal: -1}, nil
}

func (c *codex) see(line []byte, _ mark) {
	if c.first == nil {
		c.first = slices.Clone(line)
		c.bare = jsonspan.Get(line, "payload") == nil
	}
	if n, ok := jsonspan.ParseInt(jsonspan.Get(line, "ordinal")); ok {
		c.ordinal = max(c.ordinal, n)
	}
	item := jsonspan.Get(line, "payload")
	if c.bare {
		item = line
	} else if get(line, "type") != "response_item" {
		return
	}
	if call := get(item, "call_id"); c.open[call] != nil && strings.HasSuffix(get(item, "type"), "_call") {
		c.kinds[call] = get(item, "type")
	}
}

// codexIDs are the fields of rollout records that contain the id of the session.
var codexIDs = []string{"thread_id", "session_id", "root_thread_id", "sender_thread_id", "conversation_id"}

func (c *codex) line(line []byte, _ mark) ([]byte, error) {
	if string(line) == string(c.first) {
		return c.header(line)
	}
	var inner error
	out, err := object(line, func(name string, v []byte) []byte {
		if name == "payload" && get(line, "type") == "event_msg" || name == "payload" && strings.HasSuffix(get(line, "type"), "_record") {
			v, inner = c.renamed(v, 2)
		}
		return v
	})
	if err == nil {
		err = inner
	}
	return out, err
}

// renamed returns an event with the id of the fork.
func (c *codex) renamed(raw []byte, depth int) ([]byte, error) {
	var inner error
	out, err := object(raw, func(name string, v []byte) []byte {
		switch {
		case slices.Contains(codexIDs, name) && inside(v) == c.p.From && c.p.From != "":
			return quote(c.p.ID)
		case name == "item" && depth > 1 && jsonspan.KindOf(v) == jsonspan.Object:
			v, inner = c.renamed(v, depth-1)
		}
		return v
	})
	if err == nil {
		err = inner
	}
	return out, err
}

// header returns the first line of the fork.
func (c *codex) header(line []byte) ([]byte, error) {
	own := func(name string, v []byte) []byte {
		switch name {
		case "id", "session_id":
			return quote(c.p.ID)
		case "timestamp":
			return quote(iso(c.p.now))
		case "forked_from_id", "forked_from_ordinal_exclusive", "parent_thread_id":
			return nil
		}
		return v
	}
	if c.bare {
		return object(line, own)
	}
	if get(line, "type") != "session_meta" {
		return object(line, func(_ string, v []byte) []byte { return v })
	}
	meta, err := object(jsonspan.Get(line, "payload"), own, field{"forked_from_id", quote(c.p.From)})
	if err != nil {
		return nil, err
	}
	return object(line, func(name string, v []byte) []byte {
		switch name {
		case "timestamp":
			return quote(iso(c.p.now))
		case "payload":
			return meta
		}
		return v
	})
}

// aborted is the output that Codex records for a call without one.
const aborted = "aborted"

func (c *codex) end() (lines [][]byte, err error) {
	for _, call := range c.p.Closed {
		item := map[string]any{"call_id": call.ID}
		switch c.kinds[call.ID] {
		case "":
			continue // the item of another service, which answers itself
		case "custom_tool_call":
			item["type"], item["output"] = "custom_tool_call_output", aborted
		case "tool_search_call":
			item["type"], item["status"], item["execution"], item["tools"] = "tool_search_output", "completed", "client", []any{}
		default:
			item["type"], item["output"] = "function_call_output", aborted
		}
		if c.bare {
			lines = append(lines, encode(item))
			continue
		}
		line := map[string]any{"timestamp": iso(c.p.now), "type": "response_item", "payload": item}
		if c.ordinal >= 0 {
			c.ordinal++
			line["ordinal"] = c.ordinal
		}
		lines = append(lines, encode(line))
	}
	return lines, nil
}

// follows accepts the usage of the last response.
func (c *codex) follows(line []byte) bool {
	return get(line, "type") == "token_usage_record" || get(line, "payload", "type") == "token_count"
}

// file returns a path in the folder of the day, below the folder of sessions that contains the
// transcript.
func (c *codex) file(path string) string {
	at := c.p.now.Local()
	name := "rollout-" + at.Format("2006-01-02T15-04-05") + "-" + c.p.ID + ".jsonl"
	dir := filepath.Dir(path)
	day := filepath.Join(at.Format("2006"), at.Format("01"), at.Format("02"))
	switch {
	case filepath.Base(dir) == "archived_sessions":
		return filepath.Join(filepath.Dir(dir), "sessions", day, name)
	case filepath.Base(filepath.Join(dir, "../../..")) == "sessions":
		return filepath.Join(dir, "../../..", day, name)
	}
	return filepath.Join(dir, name)
}
