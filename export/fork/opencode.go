package fork

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"turns/export/outfile"
	"turns/model"
	"turns/model/jsonspan"
)

// openCode forks a session of OpenCode as it does itself (Session.fork in
// packages/opencode/src/session): messages and parts are copied under new ids that sort in the
// same order. In a folder of JSON files the copy gets new files; a file of Options.Into gets
// the document of opencode export, which opencode import reads. Its database is never written
// to.
type openCode struct {
	p        *Plan
	ids      map[string]string // of the fork, by recorded id
	make     *sorting
	messages []*openMessage
	root     string // recorded id of the session
}

// openMessage is a message and its parts, as recorded.
type openMessage struct {
	id, session string
	info        []byte
	parts       []openPart
	first       int64 // position of its first record: turns reads files and rows in order
	later       bool  // it begins after the cut
}

type openPart struct {
	id  string
	raw []byte
}

func opencode(ctx context.Context, p *Plan, o Options) error {
	w := &openCode{p: p, ids: map[string]string{}, make: newSorting(p.now), root: p.From}
	if err := w.read(ctx); err != nil {
		return err
	}
	if len(w.messages) == 0 {
		return refuse(toProvider, "turns cannot copy this kind of an OpenCode transcript")
	}
	p.ID = w.id("ses", w.root)
	if o.Into != "" {
		return w.document(o.Into)
	}
	if info, err := os.Stat(o.Path); err == nil && info.IsDir() {
		return w.tree(o.Path)
	}
	return refuse("-o FILE writes the fork as a file that opencode import reads; or: "+toProvider, "the session is in a database or a document, and turns never writes to those of an agent")
}

// id returns the new id for a recorded one: that of a session shrinks with time.
func (w *openCode) id(kind, recorded string) string {
	if w.ids[recorded] == "" {
		w.ids[recorded] = w.make.next(kind, kind == "ses")
	}
	return w.ids[recorded]
}

// read collects the messages up to the cut with all of their parts: bookkeeping between them
// belongs to no message of the conversation.
func (w *openCode) read(ctx context.Context) error {
	s := w.p.snap
	byID, seen := map[string]*openMessage{}, map[int64]bool{}
	for n := range s.Rows() {
		id := s.Row(n)
		m, err := s.Body(ctx, id)
		if err != nil {
			return err
		}
		for _, r := range m.Records {
			if seen[r.Ref.Off] {
				continue
			}
			seen[r.Ref.Off] = true
			w.record(byID, &r, s.Pos(id) > w.p.at)
		}
	}
	for _, m := range byID {
		if m.info != nil && !m.later {
			w.messages = append(w.messages, m)
		}
	}
	slices.SortFunc(w.messages, func(a, b *openMessage) int { return cmp.Compare(a.first, b.first) })
	for _, m := range w.messages {
		w.id("ses", cmp.Or(m.session, w.root))
		w.id("msg", m.id)
	}
	return nil
}

// record adds a record: a file of the folder, a row of the database, or an element of an
// exported document.
func (w *openCode) record(byID map[string]*openMessage, r *model.RecordText, later bool) {
	message := func(id string) *openMessage {
		if byID[id] == nil {
			byID[id] = &openMessage{id: id, first: r.Ref.Off}
		}
		return byID[id]
	}
	add := func(id string, info []byte) {
		m := message(id)
		m.first = min(m.first, r.Ref.Off)
		m.info, m.session, m.later = info, cmp.Or(get(info, "sessionID"), m.session), m.later || later
	}
	list := strings.TrimPrefix(r.List, "storage/")
	kind, rest, _ := strings.Cut(list, "/")
	switch data := r.Data; {
	case kind == "message" && rest != "":
		add(get(data, "id"), data)
	case kind == "part" && (rest != "" || jsonspan.Get(data, "message_id") == nil):
		m := message(cmp.Or(get(data, "messageID"), filepath.Base(filepath.Dir(rest))))
		m.parts = append(m.parts, openPart{get(data, "id"), data})
	case jsonspan.Get(data, "message_id") != nil: // a row
		m := message(get(data, "message_id"))
		m.session = get(data, "session_id")
		if info := column(data, "message"); info != nil {
			add(m.id, info)
		}
		if part := column(data, "part"); part != nil {
			m.parts = append(m.parts, openPart{get(data, "id"), part})
		}
	case jsonspan.Get(data, "info") != nil && jsonspan.Get(data, "parts") != nil:
		info := jsonspan.Get(data, "info")
		add(get(info, "id"), info)
		m := message(get(info, "id"))
		for part := range jsonspan.List(jsonspan.Get(data, "parts")) {
			m.parts = append(m.parts, openPart{get(part, "id"), part})
		}
	}
}

// column returns the JSON in a column of a row, nil if there is none.
func column(row []byte, name string) []byte {
	v := jsonspan.Get(row, name)
	if text := inside(v); text != "" {
		v = []byte(text)
	}
	if jsonspan.KindOf(v) != jsonspan.Object {
		return nil
	}
	return v
}

// openIDs are the fields with ids of other messages and sessions.
var openIDs = []string{"parentID", "tail_start_id", "sessionId", "sessionID", "messageID"}

// copied returns an object with ids of the fork; own are the object's own ids.
func (w *openCode) copied(raw []byte, own map[string]string, deep ...string) ([]byte, error) {
	var inner error
	rest := map[string]string{}
	maps.Copy(rest, own)
	out, err := object(raw, func(name string, v []byte) []byte {
		if id := own[name]; id != "" {
			delete(rest, name)
			return quote(id)
		}
		if id := w.ids[inside(v)]; id != "" && slices.Contains(openIDs, name) {
			return quote(id)
		}
		if len(deep) > 0 && name == deep[0] && jsonspan.KindOf(v) == jsonspan.Object {
			v, inner = w.copied(v, nil, deep[1:]...)
		}
		return v
	})
	if err != nil || inner != nil || len(rest) == 0 {
		return out, cmp.Or(err, inner)
	}
	var more []field
	for _, name := range []string{"id", "messageID", "sessionID"} { // database rows have these in columns next to the JSON
		if rest[name] != "" {
			more = append(more, field{name, quote(rest[name])})
		}
	}
	return object(out, func(_ string, v []byte) []byte { return v }, more...)
}

// message returns copies of a message and its parts.
func (w *openCode) message(m *openMessage) (info []byte, parts []openPart, err error) {
	session := w.id("ses", cmp.Or(m.session, w.root))
	if info, err = w.copied(m.info, map[string]string{"id": w.id("msg", m.id), "sessionID": session}); err != nil {
		return nil, nil, fmt.Errorf("forking the message %q: %w", m.id, err)
	}
	for _, p := range m.parts {
		id := w.make.next("prt", false)
		raw, err := w.copied(p.raw, map[string]string{"id": id, "messageID": w.id("msg", m.id), "sessionID": session}, "state", "metadata")
		if err == nil {
			raw, err = w.ended(raw)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("forking the part %q: %w", p.id, err)
		}
		parts = append(parts, openPart{id, raw})
	}
	return info, parts, nil
}

// ended closes the call of a part, with the error that OpenCode records for running calls when
// their session is aborted.
func (w *openCode) ended(part []byte) ([]byte, error) {
	state := jsonspan.Get(part, "state")
	if status := get(state, "status"); get(part, "type") != "tool" || status != "pending" && status != "running" {
		return part, nil
	}
	start := jsonspan.Get(state, "time", "start")
	if start == nil {
		start = encode(w.p.now.UnixMilli())
	}
	state, err := object(state, func(name string, v []byte) []byte {
		switch name {
		case "status":
			return []byte(`"error"`)
		case "time", "error", "raw":
			return nil
		}
		return v
	}, field{"error", []byte(`"Tool execution aborted"`)}, field{"time", encode(map[string]json.RawMessage{"start": start, "end": encode(w.p.now.UnixMilli())})})
	if err != nil {
		return nil, err
	}
	return object(part, func(name string, v []byte) []byte {
		if name == "state" {
			return state
		}
		return v
	})
}

// document plans the document of opencode export, at a path.
func (w *openCode) document(path string) error {
	type element struct {
		Info  json.RawMessage   `json:"info"`
		Parts []json.RawMessage `json:"parts"`
	}
	var list []element
	for _, m := range w.messages {
		if cmp.Or(m.session, w.root) != w.root {
			w.p.Left++ // a document has one session; its subagents have others
			continue
		}
		info, parts, err := w.message(m)
		if err != nil {
			return err
		}
		e := element{Info: info, Parts: []json.RawMessage{}}
		for _, p := range parts {
			e.Parts = append(e.Parts, p.raw)
		}
		list = append(list, e)
	}
	s := &w.p.snap.Sessions()[0]
	ms := w.p.now.UnixMilli()
	info := map[string]any{
		"id": w.p.ID, "slug": "fork-" + w.p.ID[len(w.p.ID)-6:], "projectID": "global", "directory": s.Field("cwd"), "title": title(s.Field("title")),
		"version": cmp.Or(s.Field("version"), "1.0.0"), "time": map[string]int64{"created": ms, "updated": ms},
	}
	doc := encode(map[string]any{"info": info, "messages": list})
	w.p.Path, w.p.Import = path, "opencode import FILE"
	w.p.pieces = []piece{bytesAt(path, doc)}
	return nil
}

// title returns OpenCode's title for a fork.
func title(of string) string { return strings.TrimSpace(of + " (fork #1)") }

func bytesAt(path string, data []byte) piece {
	return piece{path, func(w io.Writer) error {
		_, err := w.Write(append(data, '\n'))
		return err
	}}
}

// mostOfASession limits the size of the file that describes a session.
const mostOfASession = 16 << 20

// tree plans files in the folder of OpenCode: parts first, the session last, so that an
// interrupted fork never appears as a session.
func (w *openCode) tree(root string) error {
	if _, err := os.Stat(filepath.Join(root, "storage", "session")); err == nil {
		root = filepath.Join(root, "storage")
	}
	var messages, sessions []piece
	for _, m := range w.messages {
		info, parts, err := w.message(m)
		if err != nil {
			return err
		}
		id := w.id("msg", m.id)
		for _, p := range parts {
			w.p.pieces = append(w.p.pieces, bytesAt(filepath.Join(root, "part", id, p.id+".json"), p.raw))
		}
		messages = append(messages, bytesAt(filepath.Join(root, "message", w.id("ses", cmp.Or(m.session, w.root)), id+".json"), info))
	}
	for recorded, id := range w.ids {
		if !strings.HasPrefix(id, "ses_") {
			continue
		}
		file, err := w.session(root, recorded, id)
		if err != nil {
			return err
		}
		if sessions = append(sessions, file); recorded == w.root {
			w.p.Path = file.path
		}
	}
	slices.SortFunc(sessions, func(a, b piece) int { // that of the conversation last
		return cmp.Or(one(a.path == w.p.Path)-one(b.path == w.p.Path), cmp.Compare(a.path, b.path))
	})
	w.p.pieces = append(append(w.p.pieces, messages...), sessions...)
	return nil
}

// sessionFile returns the JSON of a session in the folder of a project, nil if it is missing.
// The name of the file is usually the id.
func sessionFile(dir, recorded string) []byte {
	files, _ := os.ReadDir(dir) // the caller reports a missing session
	slices.SortStableFunc(files, func(a, b os.DirEntry) int {
		return one(b.Name() == recorded+".json") - one(a.Name() == recorded+".json")
	})
	for _, f := range files {
		raw, err := outfile.Read(filepath.Join(dir, f.Name()), mostOfASession)
		if err == nil && get(raw, "id") == recorded {
			return raw
		}
	}
	return nil
}

// session returns the file of a session of the fork: of the conversation, or of a subagent.
func (w *openCode) session(root, recorded, id string) (piece, error) {
	folders, err := os.ReadDir(filepath.Join(root, "session"))
	if err != nil {
		return piece{}, fmt.Errorf("looking for the session: %w", err)
	}
	for _, d := range folders {
		raw := sessionFile(filepath.Join(root, "session", d.Name()), recorded)
		if raw == nil {
			continue
		}
		ms := encode(w.p.now.UnixMilli())
		raw, err = object(raw, func(name string, v []byte) []byte {
			switch name {
			case "id":
				return quote(id)
			case "parentID":
				if parent := w.ids[inside(v)]; parent != "" {
					return quote(parent)
				}
				return nil
			case "title":
				if recorded == w.root {
					return quote(title(inside(v)))
				}
			case "time":
				return encode(map[string]json.RawMessage{"created": ms, "updated": ms})
			case "share", "revert": // of the original
				return nil
			}
			return v
		})
		return bytesAt(filepath.Join(root, "session", d.Name(), id+".json"), raw), err
	}
	return piece{}, refuse(toProvider, "the file of the session %q is missing", recorded)
}
