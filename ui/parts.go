package ui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"turns/model"
	"turns/query"
)

func noteRow(text string) part {
	return part{kind: partRows, rows: [][]span{{{text: text, ink: inkDim}}}}
}

func mediaText(b *model.Content) string {
	text := b.Name
	if text == "" {
		text = "media"
	}
	if b.Size > 0 {
		text += ", " + model.SizeOf(b.Size)
	} else if b.Text != "" {
		text += ", " + model.SizeOf(int64(len(b.Text)))
	}
	if b.Elsewhere != "" {
		text += ", in " + oneLine(b.Elsewhere)
	}
	return oneLine(text)
}

func blockOfCall(m *model.Message, line *query.Line) *model.Content {
	if line.Block >= 0 && line.Block < len(m.Blocks) && m.Blocks[line.Block].Kind == model.ToolCall {
		return &m.Blocks[line.Block]
	}
	return nil
}

func resultFor(m *model.Message, id string) *model.Content {
	for i := range m.Blocks {
		if b := &m.Blocks[i]; b.Kind == model.ToolResult && b.ID == id {
			return b
		}
	}
	return firstResult(m)
}

func firstResult(m *model.Message) *model.Content {
	for i := range m.Blocks {
		if m.Blocks[i].Kind == model.ToolResult {
			return &m.Blocks[i]
		}
	}
	return nil
}

// argumentParts is what a call was given: a command with its prompt, an edit as a diff, else JSON.
func argumentParts(call *model.Content, f query.Family, mode bodyMode, m *model.Message, result *model.Content) []part {
	text := call.Text
	if mode == bodySource || len(text) > longText {
		return textParts(text, cleaned, partPlain, true)
	}
	var args map[string]any
	if json.Unmarshal([]byte(text), &args) != nil {
		if strings.HasPrefix(text, "*** Begin Patch") {
			return plainParts(cleaned(text), partDiff, inkText, true)
		}
		if strings.TrimSpace(text) == "" {
			return nil
		}
		return plainParts(cleaned(text), partPlain, inkText, true)
	}
	switch f {
	case query.FamilyShell:
		if cmd := query.CommandOf(call); cmd != "" {
			return commandParts(cmd)
		}
	case query.FamilyWrite:
		if parts := editParts(args, result); parts != nil {
			return parts
		}
	}
	if len(args) == 0 {
		return nil
	}
	one := compactJSON(text)
	if len(one) <= 100 && !strings.Contains(one, `\n`) {
		return plainParts(cleaned(one), partJSON, inkText, true)
	}
	return plainParts(cleaned(prettyJSON(text)), partJSON, inkText, true)
}

func commandParts(cmd string) []part {
	first, rest, more := strings.Cut(strings.TrimRight(cleaned(cmd), "\n"), "\n")
	parts := plainParts("$ "+first, partPlain, inkBold, true)
	if more {
		parts = append(parts, plainParts(rest, partPlain, inkText, true)...)
	}
	return parts
}

// resultParts is an output: JSON formatted, everything else as it is.
func resultParts(b *model.Content, f query.Family) []part {
	if b.Text == "" && b.Size > 0 {
		return []part{noteRow(mediaText(b))}
	}
	if len(b.Text) > longText {
		return textParts(b.Text, model.Printed, partPlain, true)
	}
	text := strings.TrimRight(model.Printed(b.Text), "\n ")
	if text == "" {
		return nil
	}
	if b.JSON || looksJSON(text) {
		return plainParts(prettyJSON(text), partJSON, inkText, true)
	}
	if strings.HasPrefix(text, "diff --git ") || strings.HasPrefix(text, "--- ") || strings.HasPrefix(text, "@@ ") {
		return plainParts(text, partDiff, inkText, true)
	}
	if f == query.FamilyAgent || f == query.FamilyWeb {
		return markdownParts(text)
	}
	return plainParts(text, partPlain, inkText, true)
}

// shortArguments leaves room for what went wrong: of long arguments only the first lines are shown.
func shortArguments(parts []part) []part {
	const most = 5
	n := 0
	for i := range parts {
		n += parts[i].count()
	}
	if n <= most+1 || len(parts) == 0 {
		return parts
	}
	p := parts[0]
	if p.kind != partRows {
		lines := strings.SplitN(p.text, "\n", most+1)
		p.text = strings.Join(lines[:min(len(lines), most)], "\n")
	}
	return []part{p, noteRow(plural(n-most, "line", "lines") + " more")}
}

// failureParts shows, of a long output, the lines around the one that tells of the failure.
func failureParts(text string, most int) []part {
	const end = 256 << 10 // what went wrong is told at the end of a long output
	before := 0
	if cut := len(text) - end; cut > 0 {
		if n := strings.IndexByte(text[cut:], '\n'); n >= 0 {
			cut += n + 1
		}
		before, text = lineCount(text[:cut]), text[cut:]
	}
	text = model.Printed(text)
	lines := strings.Split(strings.TrimRight(text, "\n "), "\n")
	if len(lines) <= most && before == 0 {
		return plainParts(strings.Join(lines, "\n"), partPlain, inkText, true)
	}
	at := tellingLine(lines)
	from := max(min(at-most/3, len(lines)-most), 0)
	to := min(from+most, len(lines))
	parts := plainParts(strings.Join(lines[from:to], "\n"), partPlain, inkText, true)
	var rest []string
	if from += before; from > 0 {
		rest = append(rest, plural(from, "line", "lines")+" above")
	}
	if below := len(lines) - to; below > 0 {
		if len(rest) > 0 {
			rest = append(rest, fmt.Sprintf("%s below", thousands(below)))
		} else {
			rest = append(rest, plural(below, "line", "lines")+" below")
		}
	}
	return append(parts, noteRow(strings.Join(rest, " and ")+", zo shows all"))
}

// tellingLine is the first line that speaks of a failure most plainly, else the last.
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

func looksJSON(s string) bool {
	s = strings.TrimSpace(s)
	if len(s) < 2 || len(s) > 1<<20 {
		return false
	}
	return (s[0] == '{' && s[len(s)-1] == '}' || s[0] == '[' && s[len(s)-1] == ']') && json.Valid([]byte(s))
}

// prettyJSON formats JSON; what is none stays as it is. A record a line each is formatted line by line.
func prettyJSON(s string) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(s), "", "  ") == nil {
		return b.String()
	}
	return s
}

func compactJSON(s string) string {
	var b bytes.Buffer
	if json.Compact(&b, []byte(s)) != nil {
		return s
	}
	// A space after separators, as people write it.
	var out strings.Builder
	in := false
	for i := 0; i < b.Len(); i++ {
		c := b.Bytes()[i]
		out.WriteByte(c)
		switch {
		case c == '\\' && in:
			if i+1 < b.Len() {
				i++
				out.WriteByte(b.Bytes()[i])
			}
		case c == '"':
			in = !in
		case (c == ':' || c == ',') && !in:
			out.WriteByte(' ')
		}
	}
	return out.String()
}

// jsonFields are the members of a JSON object in their order, strings without quotes.
func jsonFields(s string) []model.KeyValue {
	dec := json.NewDecoder(bytes.NewReader([]byte(s)))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	var out []model.KeyValue
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return out
		}
		var raw json.RawMessage
		if dec.Decode(&raw) != nil {
			return out
		}
		value := string(raw)
		var text string
		if json.Unmarshal(raw, &text) == nil {
			value = text
		}
		key, _ := name.(string)
		out = append(out, model.KeyValue{Name: key, Value: value})
	}
	return out
}

// keptParts is the result that a call keeps elsewhere, as far as it is there.
func (h *host) keptParts(call *model.Content, f query.Family) []part {
	b, note := h.fullBlock(call)
	if note != "" {
		return plainParts(note, partPlain, inkDim, false)
	}
	return resultParts(b, f)
}

// bodyParts is what stands in an open item; ok is false where its text is not read yet.
func (h *host) bodyParts(r row, short bool) (parts []part, ok bool) {
	m := h.bodies.get(r.key.id)
	if m == nil {
		return []part{noteRow("reading …")}, false
	}
	if r.mode == bodyRaw {
		return h.rawParts(r.call, m), true
	}
	if r.key.kind != rowLine {
		return h.noteParts(m, m.Extra), true
	}
	line := r.line
	if line == nil {
		return []part{noteRow("nothing recorded")}, true
	}
	if line.Call != noCall {
		return h.callParts(line, m, r.mode, short)
	}
	if line.Block < 0 || line.Block >= len(m.Blocks) {
		return []part{noteRow("nothing recorded")}, true
	}
	b := &m.Blocks[line.Block]
	if len(b.Text) > longText*8 || len(b.Text) > longText && b.Kind != model.Words {
		return textParts(b.Text, cleaned, partPlain, true), true
	}
	text := cleaned(b.Text)
	switch {
	case b.Kind == model.Media || b.Text == "" && b.Size > 0:
		return []part{noteRow(mediaText(b))}, true
	case strings.TrimSpace(text) == "":
		return []part{noteRow("no text was recorded")}, true
	case r.mode == bodySource:
		return plainParts(text, partPlain, inkText, true), true
	case b.JSON:
		return plainParts(prettyJSON(text), partJSON, inkText, true), true
	case b.Kind == model.Reasoning:
		return plainParts(text, partPlain, inkDim, false), true
	case b.Kind == model.ToolResult:
		return resultParts(b, line.Family), true
	}
	return markdownParts(text), true
}

// rawParts are the records of an item as they were recorded, those of the result of a call among them.
func (h *host) rawParts(call model.CallID, m *model.Message) []part {
	var parts []part
	add := func(m *model.Message, what string) {
		if len(m.Records) == 0 {
			data, err := json.MarshalIndent(m.Blocks, "", "  ")
			if err == nil {
				parts = append(parts, noteRow(what+" has no record of its own"))
				parts = append(parts, plainParts(cleaned(string(data)), partJSON, inkText, true)...)
			}
			return
		}
		for i, r := range m.Records {
			head := fmt.Sprintf("%s, record %d of %d, %s at byte %s", what, i+1, len(m.Records), model.SizeOf(int64(len(r.Data))), thousands(int(r.Ref.Off)))
			parts = append(parts, noteRow(head))
			text := string(r.Data)
			if len(text) <= longText {
				text = prettyJSON(text)
			}
			parts = append(parts, textParts(text, cleaned, partJSON, true)...)
		}
	}
	add(m, "message")
	if call != noCall {
		if id := h.snap.Call(call).Result; id != model.NoID && id != m.ID {
			if r := h.bodies.get(id); r != nil {
				add(r, "result")
			}
		}
	}
	return parts
}

// noteParts is what a note holds: its texts, and those of its fields that are asked for.
func (h *host) noteParts(m *model.Message, fields []model.KeyValue) []part {
	var parts []part
	for i := range m.Blocks {
		b, note := h.fullBlock(&m.Blocks[i])
		if note != "" {
			parts = append(parts, plainParts(note, partPlain, inkDim, false)...)
		}
		if text := cleaned(b.Text); strings.TrimSpace(text) != "" {
			if b.JSON {
				parts = append(parts, plainParts(prettyJSON(text), partJSON, inkText, true)...)
			} else {
				parts = append(parts, plainParts(text, partPlain, inkText, false)...)
			}
		}
	}
	for _, kv := range fields {
		parts = append(parts, part{kind: partRows, rows: [][]span{{{text: oneLine(kv.Name) + "  ", ink: inkDim}, {text: oneLine(kv.Value)}}}})
	}
	if m.Err != nil {
		parts = append(parts, noteRow(oneLine(m.Err.Error())))
	}
	if len(parts) == 0 && len(m.Extra) == 0 {
		for _, r := range m.Records {
			parts = append(parts, plainParts(cleaned(prettyJSON(string(r.Data[:min(len(r.Data), 1<<16)]))), partJSON, inkText, true)...)
		}
	}
	if len(parts) == 0 {
		parts = append(parts, noteRow("nothing more was recorded"))
	}
	return parts
}

// callParts is a call: what it was given, how it ended, what came of it.
func (h *host) callParts(line *query.Line, m *model.Message, mode bodyMode, short bool) ([]part, bool) {
	c := h.snap.Call(line.Call)
	call := blockOfCall(m, line)
	ready := true
	var result *model.Content
	if c.Result != model.NoID {
		rm := m
		if c.Result != m.ID {
			rm = h.bodies.get(c.Result)
		}
		if rm == nil {
			ready = false
		} else if call != nil {
			result = resultFor(rm, call.ID)
		} else {
			result = firstResult(rm)
		}
	}
	var parts []part
	if call != nil {
		args := argumentParts(call, line.Family, mode, m, result)
		if short && result != nil && line.State.Failed() {
			args = shortArguments(args)
		}
		parts = append(parts, args...)
	}
	switch {
	case !ready:
		parts = append(parts, noteRow("reading the result …"))
	case result == nil && h.kept(call):
		parts = append(parts, h.keptParts(call, line.Family)...)
	case result == nil:
		if c.Outcome == model.Running || c.Outcome == model.Unknown {
			parts = append(parts, noteRow("no result yet"))
		}
	default:
		result, note := h.fullBlock(result)
		parts = append(parts, h.endRow(line, c, result))
		if note != "" {
			parts = append(parts, plainParts(note, partPlain, inkDim, false)...)
		}
		var body []part
		if mode == bodySource {
			body = textParts(result.Text, cleaned, partPlain, true)
		} else if line.State.Failed() && short {
			used := 2
			for i := range parts {
				used += parts[i].count()
			}
			body = failureParts(result.Text, max(shortBody-used, 8))
		} else {
			body = resultParts(result, line.Family)
		}
		parts = append(parts, body...)
	}
	return parts, ready
}

// endRow says how a call ended, how long it took and how much came of it.
func (h *host) endRow(line *query.Line, c *model.Call, result *model.Content) part {
	said, i := "ok", inkDim
	switch c.Outcome {
	case model.Failure:
		said, i = "failed", inkError
	case model.Denied:
		said, i = "denied", inkWarning
	case model.Stopped, model.Cancelled, model.TimedOut:
		said, i = c.Outcome.String(), inkWarning
	case model.Background:
		said = "moved to the background"
	}
	if first, _, _ := strings.Cut(line.Outcome, " · "); strings.HasPrefix(first, "exit ") {
		said = first
	}
	if d, ok := c.Duration(); ok {
		said += " after " + took(d)
	}
	rest := ""
	if n := lineCount(result.Text); n > 0 {
		rest = fmt.Sprintf(", %s, %s", plural(n, "line", "lines"), model.SizeOf(int64(len(result.Text))))
	} else if result.Text == "" {
		rest = ", no output"
	}
	if result.Elsewhere != "" && !h.kept(result) {
		rest += ", the rest is in " + oneLine(result.Elsewhere)
	}
	return part{kind: partRows, rows: [][]span{{{text: said, ink: i}, {text: rest, ink: inkDim}}}}
}

// pending reports whether a call has no result.
func (h *host) pending(call model.CallID) bool {
	return call != noCall && h.snap.Call(call).Result == model.NoID
}

// stateOf is how the call of a line ended, as it is drawn: one without a result is running.
func (h *host) stateOf(line *query.Line) model.Outcome {
	if s := line.State; s == model.Background || s.Failed() || !h.pending(line.Call) {
		return s
	}
	return model.Running
}

// outcomeGlyph is the sign for how a call ended.
func outcomeGlyph(o model.Outcome) (glyph string, i ink) {
	switch o {
	case model.Failure:
		return "✗", inkError
	case model.Denied:
		return "⊘", inkWarning
	case model.Stopped, model.Cancelled, model.TimedOut:
		return "■", inkWarning
	case model.Running:
		return "◌", inkDim
	}
	return "✓", inkOK
}

// callText is the command of a shell call, else the arguments as formatted JSON.
func callText(call *model.Content) string {
	if f, _, _ := query.FamilyOf(call.Name); f == query.FamilyShell {
		if cmd := query.CommandOf(call); cmd != "" {
			return cmd
		}
	}
	var b bytes.Buffer
	if json.Indent(&b, []byte(call.Text), "", "  ") == nil {
		return b.String()
	}
	return call.Text
}

// shortBody is how many lines of an open body are shown before zo shows all.
const shortBody = 20
