package fork

import (
	"slices"
	"strings"
)

// pi forks a session of Pi as its session manager branches one: the header gets a new id and names
// the original in parentSession. Open calls get the result that Pi adds for calls without one
// (packages/ai/src/providers/transform-messages.ts).
type pi struct {
	p    *Plan
	path string
	leaf string // id of the last entry, "" in the first version of the format
}

func newPi(p *Plan) (lineWriter, error) {
	p.ID = uuid4()
	return &pi{p: p, path: p.snap.Sources()[p.stream].Path}, nil
}

func (w *pi) see(line []byte, _ mark) {
	if id := get(line, "id"); id != "" && get(line, "type") != "session" {
		w.leaf = id
	}
}

func (w *pi) line(line []byte, _ mark) ([]byte, error) {
	if get(line, "type") != "session" {
		return slices.Clone(line), nil
	}
	return object(line, func(name string, v []byte) []byte {
		switch name {
		case "id":
			return quote(w.p.ID)
		case "timestamp":
			return quote(iso(w.p.now))
		case "parentSession", "branchedFrom":
			return nil
		}
		return v
	}, field{"parentSession", quote(w.path)})
}

func (w *pi) end() (lines [][]byte, err error) {
	parent := w.leaf
	for _, call := range w.p.Closed {
		var fields []field
		if parent != "" {
			id := short(4)
			fields = []field{{"id", quote(id)}, {"parentId", quote(parent)}}
			parent = id
		}
		text := []any{map[string]string{"type": "text", "text": "No result provided"}}
		fields = append(fields, field{"timestamp", quote(iso(w.p.now))}, field{"message", encode(map[string]any{
			"role": "toolResult", "toolCallId": call.ID, "toolName": call.Tool, "content": text, "isError": true, "timestamp": w.p.now.UnixMilli(),
		})})
		line, err := object([]byte("{}"), nil, append([]field{{"type", []byte(`"message"`)}}, fields...)...)
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	return lines, nil
}

func (w *pi) follows([]byte) bool { return false }

func (w *pi) file(path string) string {
	stamp := strings.NewReplacer(":", "-", ".", "-").Replace(iso(w.p.now))
	return sibling(path, stamp+"_"+w.p.ID+".jsonl")
}
