package filter

import (
	"encoding/json"
	"slices"
	"strings"
	"unsafe"

	"turns/model"
	"turns/query"
	"turns/query/lang"
)

// textSet are the alternative values of a term about texts.
type textSet []*textMatcher

func newTexts(t *lang.Term) (textSet, error) {
	out := make(textSet, len(t.Values))
	for i := range t.Values {
		m, err := newTextMatcher(&t.Values[i])
		if err != nil {
			return nil, err
		}
		out[i] = m
	}
	return out, nil
}

func (t textSet) match(s string) bool {
	return slices.ContainsFunc(t, func(m *textMatcher) bool { return m.match(s) })
}

// lits returns literals for all values, nil if one has none.
func (t textSet) lits() (out [][]byte) {
	for _, m := range t {
		if m.lits == nil {
			return nil
		}
		out = append(out, m.lits...)
	}
	return out
}

// Readable returns the text of a block for filters and searches: JSON escapes are decoded, so that
// a line of a file in arguments is a line.
func Readable(b *model.Content) string {
	text := b.Text
	if b.JSON && strings.Contains(b.Text, `\`) {
		text = model.EscapedText([]byte(b.Text)).String()
	}
	for _, note := range query.Notes(b) {
		text += "\n" + note.Value
	}
	return text
}

// textLeaf compiles a term about texts.
func (c *compiler) textLeaf(l *leaf) error {
	values, err := newTexts(l.term)
	if err != nil {
		return err
	}
	l.lits = values.lits()
	key := l.term.Key
	switch key {
	case lang.KeyArgs, lang.KeyResult:
		block := (*state).callBlock
		if key == lang.KeyResult {
			block = (*state).resultBlock
		}
		l.body = callText(func(st *state, u *unitCall) bool {
			b := block(st, u)
			return b != nil && values.match(Readable(b))
		})
		l.near = func(st *state) bool { return len(st.calls) > 0 }
		return nil
	case lang.KeyReasoning:
		if !l.neg {
			l.near = func(st *state) bool { return st.head.Flags&model.HasReasoning != 0 }
		}
	case lang.KeyAny, lang.KeyText:
		l.name = c.names(func(s string) bool { return s != "" && values.match(s) })
		l.recorded = recordedIn(c.snap, values)
	}
	t := &textTerm{slot: c.texts, key: key, values: values, names: l.name, neg: l.neg}
	c.texts++
	l.body = t.holds
	return nil
}

// recordedIn returns the first messages of the conversations with a recorded text that contains a
// value.
func recordedIn(s *model.Snapshot, values textSet) (first map[model.ID]bool) {
	for id, texts := range query.RecordedOf(s) {
		for _, r := range texts {
			if values.match(r.Text) {
				if first == nil {
					first = map[model.ID]bool{}
				}
				first[id] = true
			}
		}
	}
	return first
}

// callText makes a leaf about the texts of a call.
func callText(holds func(st *state, u *unitCall) bool) func(*state, int) (bool, marks) {
	return func(st *state, call int) (bool, marks) {
		if call < 0 || !holds(st, &st.calls[call]) {
			return false, 0
		}
		return true, markCall(call)
	}
}

// textTerm is a term about the texts of a message.
type textTerm struct {
	slot   int // in state.hits
	key    lang.Key
	values textSet
	names  []bool // tools with a matching name
	neg    bool
}

// textHits are the matches of a textTerm in the loaded message, computed once for all units.
type textHits struct {
	serial int // of the message
	prose  marks
	units  []bool
	all    marks // of units
}

// holds searches for the values in the blocks of a message that the key names. For a call, the
// blocks of other calls do not count unless the term is negated: to exclude a text, the row must
// not show it, and a call is shown with its result.
func (t *textTerm) holds(st *state, call int) (bool, marks) {
	hits := st.textHits(t)
	found := hits.prose
	if call < 0 || t.neg {
		found |= hits.all
	} else if hits.units[call] {
		found |= markCall(call)
	}
	if found == 0 && t.neg && call >= 0 {
		u := &st.calls[call]
		var other *model.Content
		if !u.made {
			other = st.callBlock(u)
		} else if u.row.Result != st.id {
			other = st.resultBlock(u)
		}
		if other != nil && looksAt(t.key, nil, other.Kind) && t.values.match(Readable(other)) {
			found = markCall(call)
		}
	}
	return found != 0, found
}

func (st *state) textHits(t *textTerm) *textHits {
	for len(st.hits) <= t.slot {
		st.hits = append(st.hits, textHits{})
	}
	h := &st.hits[t.slot]
	if h.serial == st.serial {
		return h
	}
	h.serial, h.prose, h.units = st.serial, 0, h.units[:0]
	for i := range st.calls {
		u := &st.calls[i]
		h.units = append(h.units, t.names != nil && u.made && t.names[u.row.Tool])
	}
	if len(st.calls) > 0 || st.body != nil || !st.findProse(t, h) {
		if msg := st.message(); msg != nil {
			st.findHits(t, h, msg)
		}
	}
	h.all = 0
	for u, hit := range h.units {
		if hit {
			h.all |= markCall(u)
		}
	}
	return h
}

// findProse searches for a term in a message of plain words and reasoning; ok is false for other
// messages. It is findHits without building the body.
func (st *state) findProse(t *textTerm, h *textHits) (ok bool) {
	if st.plain == nil {
		st.plain = st.snap.NewReader()
	}
	blocks, ok := st.plain.Prose(st.id)
	if !ok {
		return false
	}
	st.texts = true
	for i := range blocks {
		b := &blocks[i]
		if h.prose&marks(BlockOf(b.Kind)) != 0 || !looksAt(t.key, nil, b.Kind) {
			continue
		}
		st.text = b.Text.Append(st.text[:0])
		if t.values.match(unsafe.String(unsafe.SliceData(st.text), len(st.text))) {
			h.prose |= marks(BlockOf(b.Kind))
		}
	}
	return true
}

// findHits searches for a term in the blocks of the loaded message.
func (st *state) findHits(t *textTerm, h *textHits, msg *model.Message) {
	made, result := 0, 0
	for i := range msg.Blocks {
		b := &msg.Blocks[i]
		unit := -1
		switch b.Kind {
		case model.ToolCall:
			unit = st.madeUnit(made)
			made++
		case model.ToolResult:
			unit = st.resultUnit(result)
			result++
		}
		if unit >= 0 && h.units[unit] || !looksAt(t.key, msg, b.Kind) {
			continue
		}
		named := b.Kind == model.ToolCall && t.names != nil && b.Name != "" && t.values.match(b.Name)
		switch hit := named || t.values.match(Readable(b)); {
		case hit && unit >= 0:
			h.units[unit] = true
		case hit:
			h.prose |= marks(BlockOf(b.Kind))
		}
	}
}

// looksAt reports whether a key searches blocks of a kind. With msg nil it assumes the message of a
// result.
func looksAt(key lang.Key, msg *model.Message, kind model.BlockKind) bool {
	switch key {
	case lang.KeyReasoning:
		return kind == model.Reasoning
	case lang.KeyContent:
		return kind == model.Words || kind == model.ToolResult && (msg == nil || msg.Role == model.Tool)
	}
	return kind != model.Media
}

// fileLeaf compiles file:, which matches the arguments of a call.
func (c *compiler) fileLeaf(l *leaf) error {
	w, err := newWholeValues(l.term)
	if err != nil {
		return err
	}
	for i := range l.term.Values {
		lit := ""
		if v := &l.term.Values[i]; v.Form != lang.FormRegex {
			for _, part := range strings.FieldsFunc(v.Text, func(r rune) bool {
				return strings.ContainsRune(`*?/\`, r) && (v.Form == lang.FormGlob || r == '/' || r == '\\')
			}) {
				if part = textPlainFold(part); textPlainRun(part) > textPlainRun(lit) {
					lit = part
				}
			}
		}
		if textPlainRun(lit) < 3 {
			l.lits = nil
			break
		}
		l.lits = append(l.lits, []byte(lit))
	}
	l.near = func(st *state) bool { return len(st.calls) > 0 }
	l.body = callText(func(st *state, u *unitCall) bool {
		b := st.callBlock(u)
		found := false
		if b != nil {
			CallPaths(b, func(path string) bool {
				found = w.matchPath(path)
				return !found
			})
		}
		return found
	})
	return nil
}

// doesLeaf matches calls by their effects, which it derives from their arguments: a command may
// edit a file.
func (c *compiler) doesLeaf(l *leaf) {
	l.near = func(st *state) bool { return len(st.calls) > 0 }
	l.body = callText(func(st *state, u *unitCall) bool {
		b := st.callBlock(u)
		if b == nil || c.env.Does == nil {
			return false
		}
		done := c.env.Does(b)
		return slices.ContainsFunc(l.term.Values, func(v lang.Value) bool { return slices.Contains(done, v.Text) })
	})
}

// pathNames are the names of arguments with paths, in the tools of all agents.
var pathNames = map[string]bool{
	"path": true, "paths": true, "file": true, "files": true, "file_path": true, "filepath": true, "filename": true, "file_name": true,
	"filePath": true, "fileName": true, "file_paths": true, "notebook_path": true, "target_file": true, "targetFile": true,
	"absolute_path": true, "AbsolutePath": true, "TargetFile": true, "relative_path": true, "relative_workspace_path": true,
	"dir_path": true, "directory": true, "uri": true, "old_path": true, "new_path": true, "source_path": true, "destination": true,
}

// CallPaths yields the paths in the arguments of a call: values of arguments named as a path, and
// the files of a patch.
func CallPaths(call *model.Content, yield func(path string) bool) {
	var args any
	if json.Unmarshal([]byte(call.Text), &args) != nil {
		patchPaths(call.Text, yield)
		return
	}
	jsonPaths(args, false, yield)
}

func jsonPaths(v any, path bool, yield func(string) bool) bool {
	switch v := v.(type) {
	case string:
		if path {
			return v == "" || yield(strings.TrimPrefix(v, "file://"))
		}
		return patchPaths(v, yield)
	case []any:
		for _, e := range v {
			if !jsonPaths(e, path, yield) {
				return false
			}
		}
	case map[string]any:
		for name, e := range v {
			if !jsonPaths(e, pathNames[name], yield) {
				return false
			}
		}
	}
	return true
}

// patchMarks precede the files of a patch.
var patchMarks = [...]string{"*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ", "+++ b/", "--- a/"}

func patchPaths(text string, yield func(string) bool) bool {
	if !strings.Contains(text, "*** ") && !strings.Contains(text, "+++ b/") {
		return true
	}
	for line := range strings.Lines(text) {
		for _, mark := range patchMarks {
			if path, ok := strings.CutPrefix(line, mark); ok && !yield(strings.TrimSpace(path)) {
				return false
			}
		}
	}
	return true
}

// idLeaf compiles id:. A call id matches its call, a message id the message. A value whose hash is
// the message's key is its id.
func (c *compiler) idLeaf(l *leaf) error {
	w, err := newWholeValues(l.term)
	if err != nil {
		return err
	}
	keys := map[model.Key]bool{}
	for i := range l.term.Values {
		if v := &l.term.Values[i]; v.Form == lang.FormText {
			keys[model.HashString(v.Text)] = true
		}
	}
	l.body = func(st *state, call int) (bool, marks) {
		if st.head.Key != 0 && keys[st.head.Key] {
			return true, markAll
		}
		if call >= 0 {
			b := st.ownBlock(&st.calls[call])
			if same := b != nil && b.ID != "" && w.match(b.ID); same || st.itself {
				return same, markCall(call)
			}
		}
		msg := st.message()
		return msg != nil && (msg.Key != "" && w.match(msg.Key) || extraHolds(msg, w, idNames)), markAll
	}
	return nil
}

var (
	idNames          = map[string]bool{"id": true, "uuid": true, "message_id": true, "messageId": true}
	interactionNames = map[string]bool{"interaction": true, "interaction_id": true, "interactionId": true}
)

// NamesInteraction reports whether a message's field names its interaction, as in records of Agent
// C.
func NamesInteraction(field string) bool { return interactionNames[field] }

func extraHolds(msg *model.Message, w *wholeValues, names map[string]bool) bool {
	return slices.ContainsFunc(msg.Extra, func(kv model.KeyValue) bool { return names[kv.Name] && w.match(kv.Value) })
}

func (c *compiler) interactionLeaf(l *leaf) error {
	w, err := newWholeValues(l.term)
	if err != nil {
		return err
	}
	l.once = true
	l.body = func(st *state, _ int) (bool, marks) {
		msg := st.message()
		return msg != nil && extraHolds(msg, w, interactionNames), markAll
	}
	return nil
}

// speakerNames are the fields that name a speaker in addition to the role: the agent of an
// event, and the kind of a part that Pydantic AI sends for a tool or the user.
var speakerNames = map[string]bool{"author": true, "speaker": true, "sender": true, "part_kind": true}

// speakerLeaf compiles role: for a name that not all formats share: a recorded role, by the number
// of its name, or a speaker.
func (c *compiler) speakerLeaf(l *leaf, w *wholeValues, roles []bool) {
	l.once = true
	l.body = func(st *state, _ int) (bool, marks) {
		switch h := st.head; {
		case !h.IsMessage():
			return false, 0
		case h.Role == model.Other && h.Name != 0 && roles[h.Name]:
			return true, markAll
		}
		msg := st.message()
		return msg != nil && slices.ContainsFunc(msg.Fields(), func(kv model.KeyValue) bool { return speakerNames[kv.Name] && w.match(kv.Value) }), markAll
	}
}

// hasFlags are the properties of a message that its head records.
var hasFlags = map[string]model.Flags{
	"text": model.HasWords, "reasoning": model.HasReasoning, "call": model.HasCalls,
}

// hasLeaf compiles has:, from heads if possible.
func (c *compiler) hasLeaf(l *leaf) {
	values := l.term.Values
	l.once = true
	heads, read := false, false
	for i := range values {
		if _, texts := hasTexts[values[i].Text]; texts {
			read = true
		} else {
			heads = true
		}
	}
	byHead := func(st *state) bool {
		for i := range values {
			if hasByHead(st, values[i].Text) {
				return true
			}
		}
		return false
	}
	if !read {
		l.msg = func(st *state) truth { return truthOf(byHead(st)) }
		return
	}
	l.body = func(st *state, _ int) (bool, marks) {
		if heads && byHead(st) {
			return true, markAll
		}
		msg := st.message()
		for i := range values {
			if f := hasTexts[values[i].Text]; msg != nil && f != nil && f(msg) {
				return true, markAll
			}
		}
		return false, 0
	}
	if len(values) == 1 && (values[0].Text == "image" || values[0].Text == "file") {
		l.near = func(st *state) bool { return st.head.Flags&model.HasMedia != 0 }
	}
}

func hasByHead(st *state, name string) bool {
	switch name {
	case "usage":
		return st.head.Usage != model.NoRow
	case "result":
		return slices.ContainsFunc(st.calls, func(u unitCall) bool { return u.row.Result == st.id })
	case "error":
		return st.head.Flags&(model.APIError|model.Interrupted) != 0 ||
			slices.ContainsFunc(st.calls, func(u unitCall) bool { return u.row.Outcome.Failed() })
	}
	return st.head.Flags&hasFlags[name] != 0
}

// hasTexts are the properties that require the texts of a message.
var hasTexts = map[string]func(*model.Message) bool{
	"image": func(m *model.Message) bool { return hasMedia(m, true) },
	"file":  func(m *model.Message) bool { return hasMedia(m, false) },
	"code":  func(m *model.Message) bool { return hasWords(m, "```") },
	"link":  func(m *model.Message) bool { return hasWords(m, "https://") || hasWords(m, "http://") },
	"diff":  hasDiff,
}

func hasMedia(m *model.Message, image bool) bool {
	return slices.ContainsFunc(m.Blocks, func(b model.Content) bool {
		kind, _, _ := strings.Cut(b.Name, "/")
		picture := kind == "image" || kind == "" || kind == "audio" || kind == "video"
		return b.Kind == model.Media && picture == image
	})
}

func hasWords(m *model.Message, s string) bool {
	return slices.ContainsFunc(m.Blocks, func(b model.Content) bool { return b.Kind == model.Words && strings.Contains(b.Text, s) })
}

func hasDiff(m *model.Message) bool {
	for i := range m.Blocks {
		b := &m.Blocks[i]
		text := Readable(b)
		if b.Kind == model.ToolCall && (strings.Contains(text, `"old_string"`) || strings.Contains(text, `"old_str"`)) ||
			b.Kind != model.Reasoning && b.Kind != model.Media && (strings.Contains(text, "*** Begin Patch") ||
				strings.Contains(text, "\n@@ -") || strings.HasPrefix(text, "diff --git ") || strings.Contains(text, "\ndiff --git ")) {
			return true
		}
	}
	return false
}
