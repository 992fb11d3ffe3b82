package fork

import (
	"context"
	"io"
	"os"
	"strings"

	"turns/export/outfile"
	"turns/model"
	"turns/model/jsonspan"
)

// geminiCLI forks a session of Gemini CLI: a log of lines, or the document of versions before 0.40.
// There, calls and results are in one message; a call that was still running is cancelled in it, as
// Gemini CLI does when its user stops it.
type geminiCLI struct {
	p     *Plan
	kept  map[model.Key]bool // messages of the fork, by id
	later map[model.Key]bool // messages after the cut
}

// mostOfADocument limits the size of an old version's document, because turns reads it into
// memory.
const mostOfADocument = 256 << 20

func gemini(ctx context.Context, p *Plan, o Options) error {
	g := &geminiCLI{p: p, kept: map[model.Key]bool{}, later: map[model.Key]bool{}}
	for pos := range p.snap.Len() {
		key := p.snap.HeadRow(p.snap.At(pos)).Key
		if pos <= p.at {
			g.kept[key] = true
		} else {
			g.later[key] = true
		}
	}
	p.ID = uuid4()
	if !strings.HasSuffix(o.Path, ".json") {
		p.text = func() (io.ReadCloser, error) { return os.Open(o.Path) }
		marks, end, err := g.marks(ctx)
		if err != nil {
			return err
		}
		return p.copyLines(ctx, o, g, marks, end)
	}
	doc, err := outfile.Read(o.Path, mostOfADocument)
	if err != nil {
		return err
	}
	if doc, err = g.session(doc); err != nil {
		return err
	}
	if p.Path = o.Into; p.Path == "" {
		p.Path = g.file(o.Path)
	}
	p.pieces = []piece{{p.Path, func(w io.Writer) error {
		_, err := w.Write(append(doc, '\n'))
		return err
	}}}
	return nil
}

// marks returns the marks of a log's lines, by the ids of their messages, and the end of the
// last line of the fork.
func (g *geminiCLI) marks(ctx context.Context) (marks map[int64]mark, end int64, err error) {
	marks = map[int64]mark{}
	err = g.p.eachLine(ctx, func(off int64, line []byte) error {
		var m mark
		g.count(&m, get(line, "id"))
		for _, list := range [][]byte{jsonspan.Get(line, "messages"), jsonspan.Get(line, "$set", "messages")} {
			for e := range jsonspan.List(list) {
				g.count(&m, get(e, "id"))
			}
		}
		if marks[off] = m; m.kept {
			end = off + int64(len(line))
		}
		return nil
	})
	return marks, end, err
}

func (g *geminiCLI) count(m *mark, id string) {
	if key := model.Hash([]byte(id)); id != "" {
		m.kept, m.later = m.kept || g.kept[key], m.later || g.later[key] && !g.kept[key]
	}
}

func (g *geminiCLI) see([]byte, mark) {}

func (g *geminiCLI) line(line []byte, _ mark) ([]byte, error) {
	set := jsonspan.Get(line, "$set")
	switch {
	case set != nil:
		set, err := g.session(set)
		if err != nil {
			return nil, err
		}
		return object(line, func(name string, v []byte) []byte {
			if name == "$set" {
				return set
			}
			return v
		})
	case jsonspan.Get(line, "sessionId") != nil || jsonspan.Get(line, "messages") != nil:
		return g.session(line)
	}
	return g.message(line)
}

// session returns a document, a header or a change of them, with the id of the fork and the
// messages up to the cut.
func (g *geminiCLI) session(raw []byte) ([]byte, error) {
	var inner error
	out, err := object(raw, func(name string, v []byte) []byte {
		switch name {
		case "sessionId":
			return quote(g.p.ID)
		case "lastUpdated":
			return quote(iso(g.p.now))
		case "messages":
			v, inner = g.messages(v)
		}
		return v
	})
	if err == nil {
		err = inner
	}
	return out, err
}

// messages drops the messages after the cut, and the records after the last message.
func (g *geminiCLI) messages(raw []byte) ([]byte, error) {
	last, n := -1, 0
	for m := range jsonspan.List(raw) {
		if key := model.Hash([]byte(get(m, "id"))); g.kept[key] && key != 0 {
			last = n
		}
		n++
	}
	return array(raw, func(i int, m []byte) ([]byte, error) {
		key := model.Hash([]byte(get(m, "id")))
		if i > last || g.later[key] && !g.kept[key] {
			g.p.Left++
			return nil, nil
		}
		return g.message(m)
	})
}

// message returns a message with its unfinished calls cancelled.
func (g *geminiCLI) message(raw []byte) ([]byte, error) {
	var inner error
	out, err := object(raw, func(name string, v []byte) []byte {
		if name == "toolCalls" && jsonspan.KindOf(v) == jsonspan.Array {
			v, inner = array(v, func(_ int, call []byte) ([]byte, error) { return g.call(call) })
		}
		return v
	})
	if err == nil {
		err = inner
	}
	return out, err
}

func (g *geminiCLI) call(raw []byte) ([]byte, error) {
	switch get(raw, "status") {
	case "validating", "scheduled", "executing", "awaiting_approval":
	default:
		return raw, nil
	}
	const cancelled = "[Operation Cancelled] Reason: User cancelled the operation."
	result := encode([]any{map[string]any{"functionResponse": map[string]any{
		"id": get(raw, "id"), "name": get(raw, "name"), "response": map[string]string{"error": cancelled},
	}}})
	return object(raw, func(name string, v []byte) []byte {
		switch name {
		case "status":
			return []byte(`"cancelled"`)
		case "result":
			return nil
		}
		return v
	}, field{"result", result})
}

func (g *geminiCLI) end() ([][]byte, error) { return nil, nil }

func (g *geminiCLI) follows([]byte) bool { return false }

func (g *geminiCLI) file(path string) string {
	ext := ".jsonl"
	if strings.HasSuffix(path, ".json") {
		ext = ".json"
	}
	return sibling(path, "session-"+g.p.now.UTC().Format("2006-01-02T15-04")+"-"+g.p.ID[:8]+ext)
}
