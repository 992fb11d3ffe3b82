package fork

import (
	"path/filepath"
	"slices"
	"strings"

	"turns/model/jsonspan"
)

// claude forks a session of Claude Code as its SDK does (claude-agent-sdk-python,
// _internal/session_mutations.py): all records get new uuids and the new session id, parents
// are mapped, forkedFrom names the original record, and the fork skips file snapshots, because
// their files are stored under the id of the original session.
type claude struct {
	p      *Plan
	open   map[string]*Closed
	uuids  map[string]string  // of the fork, by recorded uuid
	parent map[string]string  // recorded parent of each recorded uuid
	kept   map[string]bool    // recorded uuids that the fork has
	leaf   string             // recorded uuid of the last record of the main thread
	calls  map[string]*caller // records that made the open calls, by the ids of the calls
}

// caller is a record that made a call.
type caller struct {
	uuid   string
	fields []field // that are also in the record of its result
}

func newClaude(p *Plan) (lineWriter, error) {
	src := &p.snap.Sources()[p.stream]
	if strings.HasPrefix(filepath.Base(src.Path), "agent-") {
		return nil, refuse("fork the session that started the subagent", "%q is the transcript of a subagent, which Claude Code cannot resume", filepath.Base(src.Path))
	}
	p.ID = uuid4()
	return &claude{p: p, open: p.ids(), uuids: map[string]string{}, parent: map[string]string{}, kept: map[string]bool{}, calls: map[string]*caller{}}, nil
}

// claudeLeft are the records that apply to the original session only: file backups stored under
// its id, its continuation, its connections.
var claudeLeft = []string{"file-history-snapshot", "file-history-delta", "continued-in", "bridge-session"}

func (c *claude) leaves(line []byte) bool { return slices.Contains(claudeLeft, get(line, "type")) }

func (c *claude) see(line []byte, _ mark) {
	id := get(line, "uuid")
	if id == "" || c.leaves(line) {
		return
	}
	if c.uuids[id] == "" {
		c.uuids[id] = uuid4()
	}
	c.kept[id] = true
	c.parent[id] = get(line, "parentUuid")
	if string(jsonspan.Get(line, "isSidechain")) != "true" {
		c.leaf = id
	}
	for block := range jsonspan.List(jsonspan.Get(line, "message", "content")) {
		call := get(block, "id")
		if c.open[call] == nil || get(block, "type") == "tool_result" {
			continue
		}
		by := &caller{uuid: id}
		for _, name := range []string{"isSidechain", "agentId", "userType", "cwd", "version", "gitBranch", "entrypoint"} {
			if v := jsonspan.Get(line, name); v != nil {
				by.fields = append(by.fields, field{name, slices.Clone(v)})
			}
		}
		c.calls[call] = by
	}
}

// mapped returns the new id of a recorded parent. If the fork skips that parent, it is the
// nearest ancestor that the fork has, null without one.
func (c *claude) mapped(id string) []byte {
	for range len(c.parent) + 1 {
		if c.kept[id] {
			return quote(c.uuids[id])
		}
		before, ok := c.parent[id]
		if !ok {
			break
		}
		id = before
	}
	return []byte("null")
}

func (c *claude) line(line []byte, m mark) ([]byte, error) {
	if c.leaves(line) {
		return nil, nil
	}
	if leaf := get(line, "leafUuid"); leaf != "" && !c.kept[leaf] && get(line, "type") == "last-prompt" {
		return nil, nil // it points after the cut
	}
	id := get(line, "uuid")
	var more []field
	if id != "" {
		more = []field{{"forkedFrom", encode(map[string]string{"sessionId": get(line, "sessionId"), "messageUuid": id})}}
	}
	var inner error
	out, err := object(line, func(name string, v []byte) []byte {
		text := inside(v)
		switch name {
		case "sessionId":
			return quote(c.p.ID)
		case "uuid":
			if text != "" {
				return quote(c.uuids[text])
			}
		case "leafUuid":
			if c.kept[text] {
				return quote(c.uuids[text])
			}
		case "parentUuid", "logicalParentUuid", "sourceToolAssistantUUID":
			if text != "" {
				return c.mapped(text)
			}
		case "forkedFrom", "slug":
			return nil
		case "message":
			if m.later {
				v, inner = onlyResults(v)
			}
		}
		return v
	}, more...)
	if err == nil {
		err = inner
	}
	return out, err
}

// onlyResults returns a message without its text. A record with results and text is two
// messages, and the cut is between them.
func onlyResults(message []byte) ([]byte, error) {
	return object(message, func(name string, v []byte) []byte {
		if name != "content" {
			return v
		}
		v, err := array(v, func(_ int, block []byte) ([]byte, error) {
			if get(block, "type") != "tool_result" {
				return nil, nil
			}
			return block, nil
		})
		if err != nil {
			return nil
		}
		return v
	})
}

// interrupted is the result that Claude Code records for an unfinished call.
const interrupted = "Interrupted by user"

func (c *claude) end() (lines [][]byte, err error) {
	parent := []byte("null")
	if c.leaf != "" {
		parent = quote(c.uuids[c.leaf])
	}
	for _, call := range c.p.Closed {
		by := c.calls[call.ID]
		if by == nil {
			continue
		}
		id := quote(uuid4())
		result := []any{map[string]any{"type": "tool_result", "content": interrupted, "is_error": true, "tool_use_id": call.ID}}
		fields := []field{{"parentUuid", parent}}
		fields = append(fields, by.fields...)
		fields = append(fields, []field{
			{"sessionId", quote(c.p.ID)}, {"type", []byte(`"user"`)},
			{"message", encode(map[string]any{"role": "user", "content": result})},
			{"uuid", id}, {"timestamp", quote(iso(c.p.now))}, {"toolUseResult", quote(interrupted)},
			{"sourceToolAssistantUUID", quote(c.uuids[by.uuid])},
		}...)
		line, err := object([]byte("{}"), nil, fields...)
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
		parent = id
	}
	return lines, nil
}

func (c *claude) follows([]byte) bool { return false }

func (c *claude) file(path string) string { return sibling(path, c.p.ID+".jsonl") }
