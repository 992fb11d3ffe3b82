package cursor

import (
	"bytes"
	"strings"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// The variants of cursor.
const (
	cursorLines    = iota // a transcript whose calls have ids, or without calls
	cursorNameless        // a transcript whose calls have no ids: results answer them in order
	cursorText            // a flat transcript
	cursorStore           // the database of one conversation: content-addressed blobs
	cursorState           // the state of the editor: composers and their bubbles
)

// Format reads the files of Cursor: transcripts of its agent as JSON lines or flat text, the store
// of its command line, and the database of the editor.
func Format() *model.Format {
	return &model.Format{
		Name:   "cursor",
		Resume: "cursor-agent --resume ID",
		Deltas: true,
		Title:  "Cursor",
		Where: []string{
			"~/.cursor/projects/*/agent-transcripts/*/*.jsonl", "~/.cursor/projects/*/agent-transcripts/*.txt",
			"~/.cursor/chats/*/*/store.db", "~/.config/Cursor/User/globalStorage/state.vscdb",
			"~/Library/Application Support/Cursor/User/globalStorage/state.vscdb",
		},
		Detect: cursorDetect,
		Unroll: &model.Unroll{Queries: cursorQueries, Brief: cursorBrief},
		Split: func(m model.Match) model.Splitter {
			if m.Variant == cursorText {
				return CursorSplitter{}
			}
			return nil
		},
		Parse: cursorParse,
	}
}

func cursorDetect(s *model.Sample) model.Match {
	switch {
	case kit.RowsHave(s, "cursorDiskKV", "key", "value"):
		return model.Match{Score: 95, Variant: cursorState, Reason: "the table cursorDiskKV"}
	case kit.RowsHave(s, "blobs", "id", "data") && kit.RowsHave(s, "meta", "key", "value") && len(s.Tables) <= 4:
		return model.Match{Score: 85, Variant: cursorStore, Reason: "tables blobs and meta, as Cursor's command line keeps a chat"}
	case s.Shape == model.Prose:
		return cursorDetectText(s)
	case s.Shape != model.Lines:
		return model.Match{}
	}
	fit, ended, nameless := 0, 0, false
	for _, line := range s.Records {
		switch role, message, kind := cursorLine(line); {
		case kind != nil && (string(kind) == "turn_ended" || string(kind) == "error"):
			ended++
		case kind == nil && role != nil && kit.HasKey(message, "content"):
			fit++
			nameless = nameless || cursorNamelessCalls(message)
		}
	}
	if fit == 0 || (fit+ended)*4 < len(s.Records)*3 {
		return model.Match{}
	}
	m := model.Match{Score: 86, Reason: "lines with a role and a message, but no type, id or time"}
	if nameless {
		m.Variant = cursorNameless
	}
	if strings.Contains(s.Path, "agent-transcripts") {
		m.Score = 92
	}
	return m
}

// cursorLine returns the role, message and kind of a line. All are nil for a line with fields of
// other formats, such as an id.
func cursorLine(line []byte) (role, message, kind []byte) {
	foreign := false
	c := jsonspan.New(line)
	fields := kit.Fields{kit.Word("role", &role), kit.Word("type", &kind)}
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "message":
			if v := c.Skip(); jsonspan.KindOf(v) == jsonspan.Object {
				message = v
			}
		case "uuid", "sessionId", "session_id", "index", "finish_reason", "content":
			foreign = true
			c.Skip()
		default:
			fields.Read(&c)
		}
	}
	if foreign {
		return nil, nil, nil
	}
	return role, message, kind
}

func cursorNamelessCalls(message []byte) bool {
	for _, v := range kit.Elements(message, "content", 50) {
		if jsonspan.KindOf(v) == jsonspan.Object && string(jsonspan.GetString(v, "type")) == "tool_use" && !kit.HasKey(v, "id") {
			return true
		}
	}
	return false
}

func cursorParse(rec model.Record, fs *model.Facts) error {
	switch rec.Variant {
	case cursorText:
		cursorSection(rec.Data, fs)
		return nil
	case cursorStore, cursorState:
		return cursorRow(rec, fs)
	}
	c := jsonspan.New(rec.Data)
	var role, message, kind, failure, status []byte
	kit.ReadFields(&c,
		kit.Word("role", &role), kit.Raw("message", &message), kit.Word("type", &kind),
		kit.Raw("error", &failure), kit.Raw("status", &status),
	)
	if c.Err != nil {
		return c.Err
	}
	switch {
	case role != nil:
		f := fs.Add(model.Say)
		kit.SetRole(f, role)
		cursorContent(f, message)
		if rec.Variant == cursorNameless {
			cursorForgetIDs(f)
		}
		if f.Role == model.User {
			cursorUser(fs)
		}
	case string(kind) == "turn_ended":
		f := fs.Add(model.End)
		f.Name = model.ValueText(status)
		f.Outcome, _ = kit.OutcomeOfStatus(kit.Inside(status))
	case string(kind) == "error":
		cursorFailure(fs, failure, message)
	default:
		f := kit.Note(fs, "record")
		if len(kind) > 0 {
			f.Name = model.EscapedText(kind)
		}
	}
	return kit.Finish(&c, fs)
}

func cursorFailure(fs *model.Facts, failure, message []byte) {
	f := fs.Add(model.Say)
	f.Role = model.Assistant
	f.Flags |= model.APIError | model.Synthetic
	f.Outcome, f.Stop = model.Failure, model.StopError
	failure = kit.Or(failure, message)
	if m := jsonspan.Get(failure, "message"); jsonspan.KindOf(failure) == jsonspan.Object && kit.IsString(m) {
		failure = m
	}
	f.AddText(model.Words, model.ValueText(failure))
}

func cursorContent(f *model.Fact, message []byte) {
	if jsonspan.KindOf(message) != jsonspan.Object {
		kit.AddContent(f, message)
		return
	}
	c := jsonspan.New(message)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "content":
			kit.AddContent(f, c.Skip())
		case "model":
			f.Model = model.ValueText(c.Skip())
		default:
			c.Skip()
		}
	}
}

// cursorForgetIDs removes the ids of results, so that they answer calls in order: the calls have no
// ids that they could refer to.
func cursorForgetIDs(f *model.Fact) {
	for i := range f.Blocks {
		if f.Blocks[i].Kind == model.ToolResult {
			f.Blocks[i].ID = model.Text{}
		}
	}
}

// cursorUser extracts the user's words from <user_query>. The program added the text around it.
func cursorUser(fs *model.Facts) {
	const open, shut = "<user_query>", "</user_query>"
	at := fs.Len() - 1
	f := fs.At(at)
	for i := range f.Blocks {
		b := &f.Blocks[i]
		if b.Kind != model.Words {
			continue
		}
		raw := b.Text.Raw()
		from := bytes.Index(raw, []byte(open))
		to := bytes.LastIndex(raw, []byte(shut))
		if from < 0 || to < from {
			continue
		}
		before, behind := b.Text.Cut(0, from).TrimSpace(), b.Text.Cut(to+len(shut), len(raw)).TrimSpace()
		b.Text = b.Text.Cut(from+len(open), to).TrimSpace()
		for _, around := range [...]model.Text{before, behind} {
			if !around.Empty() {
				f.Keep("injected", around)
			}
		}
	}
	kit.SplitUser(fs)
}

// cursorDetectText recognises a flat transcript by its lines with only a speaker, and by its marks
// of tools or thoughts.
func cursorDetectText(s *model.Sample) model.Match {
	speakers, marks := 0, 0
	for line := range bytes.Lines(s.Text) {
		switch line = bytes.TrimRight(line, "\r\n "); {
		case string(line) == "user:" || string(line) == "assistant:":
			speakers++
		case cursorMark(line) != nil || kit.HasPrefix(line, "<user_query>"):
			marks++
		}
	}
	switch path := strings.Contains(s.Path, "agent-transcripts"); {
	case speakers == 0 || marks == 0 && !path:
	case marks > 0 && (kit.HasPrefix(s.Text, "user:") || path):
		return model.Match{Score: 85, Variant: cursorText, Reason: "user: and assistant: on lines of their own, with marks such as [Tool call]"}
	}
	return model.Match{}
}

var cursorMarks = []string{"[Thinking]", "[Tool call]", "[Tool result]"}

// cursorMark returns the mark that a line begins with; nil if it has none.
func cursorMark(line []byte) []byte {
	for _, mark := range cursorMarks {
		if kit.HasPrefix(line, mark) {
			return line[:len(mark)]
		}
	}
	return nil
}

// CursorSplitter splits a flat transcript at each speaker, and at the marks of tools and thoughts.
type CursorSplitter struct{}

// Split returns the first section of buf; n is 0 if buf does not contain its end yet.
func (CursorSplitter) Split(buf []byte, eof bool) (rec model.Record, n int) {
	for at := 0; ; {
		line, _, ended := bytes.Cut(buf[at:], []byte("\n"))
		if !ended && !eof {
			return rec, 0
		}
		next := at + len(line) + 1
		line = bytes.TrimRight(line, "\r ")
		if at > 0 && (string(line) == "user:" || string(line) == "assistant:" || cursorMark(line) != nil) {
			return cursorCut(buf[:at]), at
		}
		if !ended {
			return cursorCut(buf), len(buf)
		}
		at = next
	}
}

func cursorCut(section []byte) (rec model.Record) {
	if len(bytes.TrimSpace(section)) > 0 {
		rec.Data = section
		rec.Ref.Len = uint32(len(section))
	}
	return rec
}

// cursorSection adds the message of one section of a flat transcript.
func cursorSection(section []byte, fs *model.Facts) {
	first, rest, _ := bytes.Cut(section, []byte("\n"))
	first = bytes.TrimRight(first, "\r ")
	text := model.PlainText(rest).TrimSpace()
	f := fs.Add(model.Say)
	switch mark := cursorMark(first); {
	case string(first) == "user:":
		f.Role = model.User
		f.AddText(model.Words, text)
		cursorUser(fs)
	case string(first) == "assistant:":
		f.Role = model.Assistant
		if !text.Empty() {
			f.AddText(model.Words, text)
		}
	case mark == nil:
		f.Op, f.Name = model.Note, kit.RecordName
		f.AddText(model.Words, model.PlainText(section).TrimSpace())
	default:
		name := model.PlainText(first[len(mark):]).TrimSpace()
		f.Role, f.Join = model.Assistant, model.Extend
		switch string(mark) {
		case "[Thinking]":
			if !name.Empty() { // the thought begins on the line of the mark
				text = model.PlainText(section[len(mark):]).TrimSpace()
			}
			f.AddText(model.Reasoning, text)
		case "[Tool call]":
			b := f.Add(model.ToolCall)
			b.Name, b.Text = name, text
		default:
			f.Role, f.Join = model.Tool, model.Union
			b := f.Add(model.ToolResult)
			b.Name, b.Text = name, text
			b.Outcome = kit.OutcomeOfText(text)
		}
	}
}
