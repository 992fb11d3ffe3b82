package label

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"turns/model"
	"turns/model/jsonspan"
	"turns/query/human"
)

// A print is a short hash of the content of a message, which identifies it in other formats as
// well: of its words, of each block, and the ids of its calls.
const printLen = 12

func printOf(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write([]byte(p))
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil))[:printLen]
}

// prints computes the prints of a snapshot's messages on demand.
type prints struct {
	ctx   context.Context
	snap  *model.Snapshot
	known map[model.ID][]string
}

func newPrints(ctx context.Context, s *model.Snapshot) *prints {
	return &prints{ctx: ctx, snap: s, known: map[model.ID][]string{}}
}

// of returns the prints of a message; the first is that of the complete message.
func (p *prints) of(id model.ID) []string {
	if have, ok := p.known[id]; ok {
		return have
	}
	m, err := p.snap.Body(p.ctx, id)
	if err != nil {
		return nil // an unreadable message has no prints
	}
	have := printsOf(m)
	p.known[id] = have
	return have
}

// ofMessage returns the print of the complete message, "" if there is none.
func (p *prints) ofMessage(id model.ID) string {
	if all := p.of(id); id != model.NoID && len(all) > 0 {
		return all[0]
	}
	return ""
}

func printsOf(m *model.Message) []string {
	var words, blocks, calls []string
	for i := range m.Blocks {
		b := &m.Blocks[i]
		switch b.Kind {
		case model.Words:
			if text := strings.TrimSpace(b.Text); text != "" {
				words = append(words, text)
			}
		case model.ToolCall:
			blocks = append(blocks, printOf("call", b.Name, plainJSON(b.Text)))
			if b.ID != "" {
				calls = append(calls, callPrint(b.ID))
			}
		case model.ToolResult:
			blocks = append(blocks, printOf("result", strings.TrimSpace(b.Text)))
		}
	}
	role := roleOf(m)
	var all []string
	if len(words) > 0 {
		all = append(all, printOf(role, strings.Join(words, "\n")))
	}
	all = append(all, blocks...)
	if len(words) > 1 {
		for _, w := range words {
			all = append(all, printOf(role, w))
		}
	}
	if len(all) == 0 { // the blocks of reasoning, an image, a note
		for i := range m.Blocks {
			b := &m.Blocks[i]
			all = append(all, printOf(role, strconv.Itoa(int(b.Kind)), b.Name, strings.TrimSpace(b.Text), strconv.FormatInt(b.Size, 10)))
		}
	}
	if len(all) == 0 {
		all = append(all, printOf(role, "empty", m.Name))
	}
	return append(all, calls...)
}

func callPrint(id string) string { return "call " + id }

// roleOf returns a role that all formats share: some have no developer, and in others results are
// the user's.
func roleOf(m *model.Message) string {
	switch m.Role {
	case model.Developer:
		return model.System.String()
	case model.Tool:
		return model.User.String()
	}
	return m.Role.String()
}

// plainJSON returns a value in a canonical form: without blanks and with sorted names.
func plainJSON(text string) string {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return strings.TrimSpace(text)
	}
	plain, err := model.JSONOf(v)
	if err != nil {
		return strings.TrimSpace(text)
	}
	return string(plain)
}

// near returns the message before (-1) or after (1) a row in its thread, NoID if there is none.
func near(s *model.Snapshot, id model.ID, dir int) model.ID {
	thread := s.HeadRow(id).Thread
	for n := s.RowNumber(id) + dir; n >= 0 && n < s.Rows(); n += dir {
		if o := s.Row(n); s.HeadRow(o).Thread == thread && s.HeadRow(o).IsMessage() {
			return o
		}
	}
	return model.NoID
}

// opening is the number of messages that identify a session.
const opening = 3

// opens identifies a conversation of a snapshot by its beginning. It skips system messages, which
// are the same in many sessions and missing in some formats.
func (p *prints) opens(session uint32) string {
	s := p.snap
	threads := s.Threads()
	var out []string
	for _, id := range s.LiveIDs() {
		h := s.HeadRow(id)
		if th := &threads[h.Thread]; th.Session != session || !th.Main {
			continue
		}
		if h.Role != model.User && h.Role != model.Assistant || h.Flags&model.HasResults != 0 {
			continue
		}
		if w := p.ofMessage(id); w != "" {
			out = append(out, w)
		}
		if len(out) == opening {
			break
		}
	}
	return strings.Join(out, ".")
}

// RunOf returns the names of a conversation of a snapshot. at is the file, and which of its
// conversations was opened.
func RunOf(ctx context.Context, s *model.Snapshot, session uint32, at Source) Run {
	r := at.run(s, session)
	r.Opens = newPrints(ctx, s).opens(session)
	return r
}

// Source is the place of a snapshot.
type Source struct {
	Path string
	Part int // from 1, the opened conversation of a file with many; 0: all
}

func (at Source) run(s *model.Snapshot, session uint32) Run {
	r := Run{Session: s.Sessions()[session].Field("session"), Path: at.Path, Number: at.Part}
	if r.Number == 0 && len(s.Sessions()) > 1 {
		r.Number = int(session) + 1
	}
	return r
}

// PlaceOf identifies a message, or a call of it if call is not NoRow.
func PlaceOf(ctx context.Context, s *model.Snapshot, id model.ID, call model.CallID) *Place {
	p := newPrints(ctx, s)
	at := &Place{Index: s.Pos(id), Hash: p.ofMessage(id)}
	for dir, to := range map[int]*string{-1: &at.Before, 1: &at.After} {
		if o := near(s, id, dir); o != model.NoID {
			*to = p.ofMessage(o)
		}
	}
	m, err := s.Body(ctx, id)
	if err != nil {
		return at
	}
	at.Message = m.Key
	at.Text = begin(m)
	if call == model.CallID(model.NoRow) {
		return at
	}
	c := s.Call(call)
	if calls := m.Calls(); c.Msg == id && int(c.Block) < len(calls) {
		b := &calls[c.Block]
		at.Call, at.Hash, at.Text = b.ID, printOf("call", b.Name, plainJSON(b.Text)), excerpt(b.Name+" "+b.Text)
	}
	return at
}

// begin returns the beginning of a message.
func begin(m *model.Message) string {
	at := slices.IndexFunc(m.Blocks, func(b model.Content) bool { return strings.TrimSpace(b.Text) != "" && b.Kind == model.Words })
	if at < 0 {
		at = slices.IndexFunc(m.Blocks, func(b model.Content) bool { return b.Kind == model.ToolCall || strings.TrimSpace(b.Text) != "" })
	}
	if at < 0 {
		return m.Role.String()
	}
	b := &m.Blocks[at]
	if b.Kind == model.ToolCall {
		return excerpt(b.Name + " " + b.Text)
	}
	return excerpt(b.Text)
}

const excerptLen = 80

// excerpt returns the beginning of a text in one line.
func excerpt(text string) string {
	words := strings.Fields(model.CleanLine(human.CutBytes(text, 8*excerptLen)))
	return human.CutRunes(strings.Join(words, " "), excerptLen)
}

// RecordedID returns the id of a message in its records. It returns "" if it has none, or if its
// key was computed from more than the id.
func RecordedID(ctx context.Context, s *model.Snapshot, id model.ID) string {
	key := s.HeadRow(id).Key
	m, err := s.Body(ctx, id)
	if key == 0 || err != nil {
		return ""
	}
	for _, r := range m.Records {
		if id := IDIn(r.Data, key); id != "" {
			return id
		}
	}
	return ""
}

// IDIn returns the text with the hash key in a recorded object, or in an object inside it.
func IDIn(data []byte, key model.Key) string {
	if key == 0 {
		return ""
	}
	return idIn(data, key, 2)
}

// idIn searches to a depth of that many objects.
func idIn(data []byte, key model.Key, depth int) (id string) {
	c := jsonspan.New(data)
	for c.Object(); id == "" && c.Key(); {
		v := c.Skip()
		switch {
		case len(v) < 3:
		case v[0] == '"' && model.Hash(v[1:len(v)-1]) == key:
			id = string(v[1 : len(v)-1])
		case v[0] == '{' && depth > 1:
			id = idIn(v, key, depth-1)
		}
	}
	return id
}
