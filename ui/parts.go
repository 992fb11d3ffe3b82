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
