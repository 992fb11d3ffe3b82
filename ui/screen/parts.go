package screen

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"turns/model"
	"turns/query"
	"turns/query/describe"
	"turns/query/human"
	"turns/query/summary"
	"turns/ui/paint"
)

// NoteRow is a line added by turns to a body, dim to distinguish it from the transcript.
func NoteRow(text string) paint.Part {
	return paint.Part{Kind: paint.PartRows, Rows: [][]paint.Span{{{Text: text, Ink: paint.InkDim}}}}
}

// BlockOfCall returns the call block of a row, nil if the row is about something different.
func BlockOfCall(m *model.Message, line *describe.Line) *model.Content {
	if line.Block >= 0 && line.Block < len(m.Blocks) && m.Blocks[line.Block].Kind == model.ToolCall {
		return &m.Blocks[line.Block]
	}
	return nil
}

// ResultOf returns the result of a line's call, nil for none; ready is false while it is read.
func (h *Host) ResultOf(line *describe.Line, m *model.Message) (result *model.Content, ready bool) {
	if line.Call == NoCall {
		return nil, true
	}
	id, answer := h.Snap.Call(line.Call).Result, m
	if id == model.NoID {
		return nil, true
	}
	if id != m.ID {
		if answer = h.Bodies.Get(id); answer == nil {
			return nil, false
		}
	}
	recorded := ""
	if call := BlockOfCall(m, line); call != nil {
		recorded = call.ID
	}
	return query.ResultIn(h.Snap, answer, line.Call, recorded), true
}

// ArgumentParts draws the arguments of a call of m, with details from its result.
func (h *Host) ArgumentParts(call *model.Content, id model.CallID, m *model.Message, mode BodyMode, result *model.Content) []paint.Part {
	if mode == BodySource || len(call.Text) > paint.LongText {
		return paint.TextParts(call.Text, paint.Cleaned, paint.PartPlain, true)
	}
	pieces := describe.Arguments(call, result, h.answerOf(h.Snap.Call(id), m))
	for i := range pieces {
		if p := &pieces[i]; p.Kind == describe.ShownDiff {
			p.Head = h.Described.D.PathOf(p.Head)
		}
	}
	return shownParts(pieces, paint.Cleaned)
}

// ResultParts draws the result of a tool.
func ResultParts(b *model.Content, f describe.Family) []paint.Part {
	if b.Text == "" && b.Size > 0 {
		return []paint.Part{NoteRow(describe.MediaText(b))}
	}
	if len(b.Text) > paint.LongText {
		return paint.TextParts(b.Text, model.Printed, paint.PartPlain, true)
	}
	return shownParts(describe.Result(b, f), model.Printed)
}

// shownParts draws the pieces of an opened call or result.
func shownParts(pieces []describe.Shown, clean func(string) string) []paint.Part {
	var parts []paint.Part
	for i := range pieces {
		p := &pieces[i]
		if p.Head != "" {
			head := paint.OneLine(p.Head)
			if p.Kind == describe.ShownDiff {
				head += "  " + p.Counts()
			}
			parts = append(parts, paint.PlainParts(head, paint.PartPlain, paint.InkDim, true)...)
		}
		text := clean(p.Text)
		switch p.Kind {
		case describe.ShownCode:
			parts = append(parts, commandParts(text)...)
		case describe.ShownDiff:
			parts = append(parts, paint.DiffParts(text, p.Head)...)
		case describe.ShownJSON:
			parts = append(parts, paint.PlainParts(clean(PrettyJSON(p.Text)), paint.PartJSON, paint.InkText, true)...)
		case describe.ShownFacts:
			ink := paint.InkDim
			if i == 0 {
				ink = paint.InkText
			}
			parts = append(parts, paint.PlainParts(text, paint.PartPlain, ink, true)...)
		case describe.ShownMarkdown:
			parts = append(parts, paint.MarkdownParts(text)...)
		case describe.ShownText:
			if raw := p.Text; raw != text {
				parts = append(parts, paint.PrintedParts(raw)...)
				continue
			}
			fallthrough
		default:
			parts = append(parts, paint.PlainParts(strings.TrimRight(text, "\n "), paint.PartPlain, paint.InkText, true)...)
		}
	}
	return parts
}

func commandParts(cmd string) []paint.Part {
	first, rest, more := strings.Cut(strings.TrimRight(cmd, "\n"), "\n")
	parts := paint.PlainParts("$ "+first, paint.PartPlain, paint.InkBold, true)
	if more {
		parts = append(parts, paint.PlainParts(rest, paint.PartPlain, paint.InkText, true)...)
	}
	return parts
}

// shortArguments leaves room for the error: it cuts long arguments to their first lines.
func shortArguments(parts []paint.Part) []paint.Part {
	const most = 5
	n := 0
	for i := range parts {
		n += parts[i].Count()
	}
	if n <= most+1 || len(parts) == 0 {
		return parts
	}
	p := parts[0]
	if p.Kind != paint.PartRows {
		lines := strings.SplitN(p.Text, "\n", most+1)
		p.Text = strings.Join(lines[:min(len(lines), most)], "\n")
	}
	return []paint.Part{p, NoteRow(human.Plural(n-most, "line", "lines") + " more")}
}

// failureParts shows the lines of a long output around the one that explains the failure.
func failureParts(text string, most int, all string) []paint.Part {
	const end = 256 << 10 // the end of a long output contains the error
	before := 0
	if cut := len(text) - end; cut > 0 {
		if n := strings.IndexByte(text[cut:], '\n'); n >= 0 {
			cut += n + 1
		}
		before, text = paint.LineCount(text[:cut]), text[cut:]
	}
	raw := strings.Split(strings.TrimRight(text, "\n "), "\n")
	lines := strings.Split(strings.TrimRight(model.Printed(text), "\n "), "\n")
	some := func(from, to int) []paint.Part {
		if len(raw) == len(lines) { // with their printed colours
			return paint.PrintedParts(strings.Join(raw[from:to], "\n"))
		}
		return paint.PlainParts(strings.Join(lines[from:to], "\n"), paint.PartPlain, paint.InkText, true)
	}
	if len(lines) <= most && before == 0 {
		return some(0, len(lines))
	}
	at := tellingLine(lines)
	from := max(min(at-most/3, len(lines)-most), 0)
	to := min(from+most, len(lines))
	parts := some(from, to)
	var rest []string
	if from += before; from > 0 {
		rest = append(rest, human.Plural(from, "line", "lines")+" above")
	}
	if below := len(lines) - to; below > 0 {
		if len(rest) > 0 {
			rest = append(rest, fmt.Sprintf("%s below", human.Count(below)))
		} else {
			rest = append(rest, human.Plural(below, "line", "lines")+" below")
		}
	}
	return append(parts, NoteRow(strings.Join(rest, " and ")+", "+all+" shows all"))
}

// tellingLine returns the first of the lines that best describe a failure, or the last line.
func tellingLine(lines []string) int {
	best, score := len(lines)-1, 0
	for i, line := range lines {
		low := strings.ToLower(line)
		n := 0
		for _, w := range failureWords {
			if strings.Contains(low, w.word) {
				n = max(n, w.score)
			}
		}
		if n > score {
			best, score = i, n
		}
	}
	return best
}

var failureWords = [...]struct {
	word  string
	score int
}{
	{"panic:", 9}, {"traceback (most recent", 9}, {"--- fail", 8}, {"assertion", 8}, {"assert ", 7}, {"error:", 7}, {"exception", 6}, {"fatal", 6},
	{"undefined", 6}, {"not found", 5}, {"no such file", 6}, {"permission denied", 6}, {"cannot ", 4}, {"failed", 4}, {"fail", 3}, {"error", 3},
}

// PrettyJSON formats JSON; other text stays unchanged. It formats JSON Lines line by line.
func PrettyJSON(s string) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(s), "", "  ") == nil {
		return b.String()
	}
	return s
}

// KeptParts draws the result that a call stores elsewhere, as far as it is fetched.
func (h *Host) KeptParts(call *model.Content, f describe.Family) []paint.Part {
	b, note := h.FullBlock(call)
	if note != "" {
		return paint.PlainParts(note, paint.PartPlain, paint.InkDim, false)
	}
	return ResultParts(b, f)
}

// BodyParts draws the body of an open row; ok is false if its text is not read yet.
func (h *Host) BodyParts(r Row, short bool) (parts []paint.Part, ok bool) {
	m := h.Bodies.Get(r.Key.ID)
	if m == nil {
		return []paint.Part{NoteRow("reading …")}, false
	}
	if r.Mode == BodyRaw {
		return h.rawParts(r.Call, m), true
	}
	if r.Key.Kind != RowLine {
		return h.NoteParts(m, m.Extra), true
	}
	line := r.Line
	if line == nil {
		return []paint.Part{NoteRow("nothing recorded")}, true
	}
	if line.Call != NoCall {
		return h.callParts(line, m, r.Mode, short)
	}
	if line.Block < 0 || line.Block >= len(m.Blocks) {
		return []paint.Part{NoteRow("nothing recorded")}, true
	}
	b := &m.Blocks[line.Block]
	if len(b.Text) > paint.LongText*8 || len(b.Text) > paint.LongText && b.Kind != model.Words {
		return paint.TextParts(b.Text, paint.Cleaned, paint.PartPlain, true), true
	}
	text := paint.Cleaned(b.Text)
	switch {
	case b.Kind == model.Media:
		return h.mediaParts(m, line.Block), true
	case b.Text == "" && b.Size > 0:
		return []paint.Part{NoteRow(describe.MediaText(b))}, true
	case strings.TrimSpace(text) == "":
		return []paint.Part{NoteRow("no text was recorded")}, true
	case r.Mode == BodySource:
		return paint.PlainParts(text, paint.PartPlain, paint.InkText, true), true
	case b.Kind == model.ToolCall: // made by an earlier message as well
		return shownParts(describe.Arguments(b, nil, nil), paint.Cleaned), true
	case b.JSON:
		return paint.PlainParts(PrettyJSON(text), paint.PartJSON, paint.InkText, true), true
	case b.Kind == model.Reasoning:
		return paint.PlainParts(text, paint.PartPlain, paint.InkDim, false), true
	case b.Kind == model.ToolResult:
		return ResultParts(b, line.Family), true
	}
	return paint.MarkdownParts(text), true
}

// rawParts draws the recorded records of a row, including those of the call's result.
func (h *Host) rawParts(call model.CallID, m *model.Message) []paint.Part {
	var parts []paint.Part
	add := func(m *model.Message, what string) {
		if len(m.Records) == 0 {
			data, err := json.MarshalIndent(m.Blocks, "", "  ")
			if err == nil {
				parts = append(parts, NoteRow(what+" has no separate record"))
				parts = append(parts, paint.PlainParts(paint.Cleaned(string(data)), paint.PartJSON, paint.InkText, true)...)
			}
			return
		}
		for i, r := range m.Records {
			head := fmt.Sprintf("%s, record %d of %d, %s at byte %s", what, i+1, len(m.Records), model.SizeOf(int64(len(r.Data))), human.Count(int(r.Ref.Off)))
			parts = append(parts, NoteRow(head))
			text := string(r.Data)
			if len(text) <= paint.LongText {
				text = PrettyJSON(text)
			}
			parts = append(parts, paint.TextParts(text, paint.Cleaned, paint.PartJSON, true)...)
		}
	}
	add(m, "message")
	if call != NoCall {
		if id := h.Snap.Call(call).Result; id != model.NoID && id != m.ID {
			if r := h.Bodies.Get(id); r != nil {
				add(r, "result")
			}
		}
	}
	return parts
}

// NoteParts draws the texts of a note and the requested fields.
func (h *Host) NoteParts(m *model.Message, fields []model.KeyValue) []paint.Part {
	var parts []paint.Part
	for i := range m.Blocks {
		b, note := h.FullBlock(&m.Blocks[i])
		if note != "" {
			parts = append(parts, paint.PlainParts(note, paint.PartPlain, paint.InkDim, false)...)
		}
		if text := paint.Cleaned(b.Text); strings.TrimSpace(text) != "" {
			if b.JSON {
				parts = append(parts, paint.PlainParts(PrettyJSON(text), paint.PartJSON, paint.InkText, true)...)
			} else {
				parts = append(parts, paint.PlainParts(text, paint.PartPlain, paint.InkText, false)...)
			}
		}
	}
	for _, kv := range fields {
		parts = append(parts, paint.Part{Kind: paint.PartRows, Rows: [][]paint.Span{{{Text: paint.OneLine(kv.Name) + "  ", Ink: paint.InkDim}, {Text: paint.OneLine(kv.Value)}}}})
	}
	if m.Err != nil {
		parts = append(parts, NoteRow(paint.OneLine(m.Err.Error())))
	}
	if len(parts) == 0 && len(m.Extra) == 0 {
		for _, r := range m.Records {
			parts = append(parts, paint.PlainParts(paint.Cleaned(PrettyJSON(string(r.Data[:min(len(r.Data), 1<<16)]))), paint.PartJSON, paint.InkText, true)...)
		}
	}
	if len(parts) == 0 {
		parts = append(parts, NoteRow("no more is recorded"))
	}
	return parts
}

// callParts draws a call: its arguments, its outcome and its result.
func (h *Host) callParts(line *describe.Line, m *model.Message, mode BodyMode, short bool) ([]paint.Part, bool) {
	c := h.Snap.Call(line.Call)
	call := BlockOfCall(m, line)
	result, ready := h.ResultOf(line, m)
	var parts []paint.Part
	if call != nil {
		args := h.ArgumentParts(call, line.Call, m, mode, result)
		if short && result != nil && line.State.Failed() {
			args = shortArguments(args)
		}
		parts = append(parts, args...)
	}
	switch {
	case !ready:
		parts = append(parts, NoteRow("reading the result …"))
	case result == nil && h.Kept(call):
		parts = append(parts, h.KeptParts(call, line.Family)...)
	case result == nil:
		if c.Outcome == model.Running || c.Outcome == model.Unknown {
			parts = append(parts, NoteRow("no result yet"))
		}
	default:
		result, note := h.FullBlock(result)
		parts = append(parts, h.endRow(line, c, result))
		if note != "" {
			parts = append(parts, paint.PlainParts(note, paint.PartPlain, paint.InkDim, false)...)
		}
		var body []paint.Part
		if mode == BodySource {
			body = paint.TextParts(result.Text, paint.Cleaned, paint.PartPlain, true)
		} else if line.State.Failed() && short {
			used := 2
			for i := range parts {
				used += parts[i].Count()
			}
			body = failureParts(result.Text, max(ShortBody-used, 8), h.Key("z o"))
		} else {
			body = ResultParts(result, line.Family)
		}
		parts = append(append(parts, body...), h.ResultMedia(line.Call, result.ID)...)
	}
	return parts, ready
}

// answerOf returns the message with the result of a call of m; nil for none or if not read.
func (h *Host) answerOf(c *model.Call, m *model.Message) *model.Message {
	switch c.Result {
	case model.NoID:
		return nil
	case m.ID:
		return m
	}
	return h.Bodies.Get(c.Result)
}

// endRow shows the outcome of a call, its duration and the size of its result.
func (h *Host) endRow(line *describe.Line, c *model.Call, result *model.Content) paint.Part {
	word, i := "ok", paint.InkDim
	switch c.Outcome {
	case model.Failure:
		word, i = "failed", paint.InkError
	case model.Denied:
		word, i = "denied", paint.InkWarning
	case model.Stopped, model.Cancelled, model.TimedOut:
		word, i = c.Outcome.String(), paint.InkWarning
	case model.Background:
		word = "moved to the background"
	}
	if first, _, _ := strings.Cut(line.Outcome, " · "); strings.HasPrefix(first, "exit ") {
		word = first
	}
	if took := summary.CallTook(c).Number; took != "" {
		word += " after " + took
	}
	rest := ""
	if n := paint.LineCount(result.Text); n > 0 {
		rest = fmt.Sprintf(", %s, %s", human.Plural(n, "line", "lines"), model.SizeOf(int64(len(result.Text))))
	} else if result.Text == "" {
		rest = ", no output"
	}
	if result.Elsewhere != "" && !h.Kept(result) {
		rest += ", the rest is in " + paint.OneLine(result.Elsewhere)
	}
	return paint.Part{Kind: paint.PartRows, Rows: [][]paint.Span{{{Text: word, Ink: i}, {Text: rest, Ink: paint.InkDim}}}}
}

// Pending reports whether a call has no result.
func (h *Host) Pending(call model.CallID) bool {
	return call != NoCall && query.Pending(h.Snap.Call(call))
}

// StateOf returns the outcome of a line's call as drawn: a call without a result is running.
func (h *Host) StateOf(line *describe.Line) model.Outcome {
	if line.Call == NoCall {
		return line.State
	}
	return query.StateOf(h.Snap.Call(line.Call), line.State)
}

// OutcomeGlyph returns the sign of an outcome, and its colour.
func OutcomeGlyph(o model.Outcome) (glyph string, ink paint.Ink) {
	switch o {
	case model.Failure:
		ink = paint.InkError
	case model.Denied, model.Stopped, model.Cancelled, model.TimedOut, model.Half:
		ink = paint.InkWarning
	case model.Running:
		ink = paint.InkDim
	default:
		ink = paint.InkOK
	}
	return describe.OutcomeGlyph(o), ink
}

// CallText returns the command of a shell call, otherwise the arguments as formatted JSON.
func CallText(call *model.Content) string {
	if f, _, _ := describe.FamilyOf(call.Name); f == describe.FamilyShell {
		if cmd := describe.CommandOf(call); cmd != "" {
			return cmd
		}
	}
	var b bytes.Buffer
	if json.Indent(&b, []byte(call.Text), "", "  ") == nil {
		return b.String()
	}
	return call.Text
}

// ShortBody is the least number of lines shown of an open body until zo shows all; a high screen
// shows half its height.
const ShortBody = 20
