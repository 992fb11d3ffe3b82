package ui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"turns/model"
	"turns/query"
)

// shortBody is how many lines of an open body are shown before zo shows all.
const shortBody = 20

type docKey struct {
	key     itemKey
	state   openState
	mode    bodyMode
	w, gen  int
	noWrap  bool
	pending bool
	fetched int // the state of what is kept elsewhere
}

// stateOf is how an item is shown: what the reader did to it, else what the outline level has for its kind.
func (l *list) stateOf(it *item) opening {
	o := l.opened[it.key]
	if o.state == openDefault && l.level >= 4 && l.hasBody(it) {
		o.state = openShort
	}
	return o
}

func (l *list) isOpen(it *item) bool { return l.stateOf(it).state >= openShort && l.hasBody(it) }

// hasBody reports whether an item can be opened.
func (l *list) hasBody(it *item) bool {
	switch it.key.kind {
	case rowLine, rowNote, rowRule, rowStep:
		return true
	}
	return false
}

// docOf is the body of an item, nil while it is closed.
func (l *list) docOf(it *item) *doc {
	o := l.stateOf(it)
	if o.state < openShort || !l.hasBody(it) {
		return nil
	}
	if it.key.kind == rowStep && o.mode == bodyRendered {
		return nil // its rows are shown instead
	}
	if it.call != noCall && o.mode == bodyRendered && l.h.snap.Call(it.call).Child != 0 && !l.view().on {
		return nil // its rows are shown instead
	}
	if it.kind == query.LineUser && o.mode == bodyRendered && o.state == openDefault {
		return nil
	}
	w := max(l.w-1-l.col.about-l.indent(it)-1, 8)
	key := docKey{it.key, o.state, o.mode, w, l.gen, !l.wrap, it.call != noCall && l.pending(it.call), l.h.fetches.gen}
	if d, ok := l.docs.get(key); ok {
		return d
	}
	parts, ok := l.bodyParts(it, o)
	d := &doc{parts: parts, w: w, st: l.h.styles, wrap: l.wrap, md: l.h.markdown, count: &l.renders}
	if o.state == openShort && o.mode != bodyRaw {
		most := shortBody
		if line, ok := l.lineOf(it); ok && line.State.Failed() {
			most = 2 * shortBody // its lines were chosen already; only long ones that wrap are cut
		}
		d.shorten(most)
	}
	size := int64(512)
	for i := range d.parts {
		size += int64(len(d.parts[i].text))*3 + 128
	}
	if ok {
		l.docs.putSized(key, d, size)
	}
	return d
}

// shorten cuts a doc to its first n lines and says how many there are. Only the parts that are shown are rendered.
func (d *doc) shorten(n int) {
	shown := 0
	for i := range d.parts {
		lines := d.lines(i)
		if shown+len(lines) <= n {
			shown += len(lines)
			continue
		}
		rest := n - shown
		hidden := 0
		for j := i; j < len(d.parts); j++ {
			hidden += d.parts[j].count()
		}
		hidden = max(hidden-rest, 1)
		if len(lines)-rest <= 1 && i == len(d.parts)-1 {
			return // a line that says that one line is missing would be no shorter
		}
		d.parts = append(d.parts[:i:i], part{kind: partPlain}, part{kind: partRows, rows: [][]span{{{
			text: fmt.Sprintf("first %d of %s lines, zo shows all", n, thousands(n+hidden)), ink: inkDim}}}})
		d.done = append(d.done[:i:i], lines[:rest], nil)
		return
	}
}

// count is how many lines a part has as it was recorded.
func (p *part) count() int {
	if p.kind == partRows {
		return len(p.rows)
	}
	return lineCount(p.text)
}

// bodyParts is what stands in an open item; ok is false where its text is not read yet.
func (l *list) bodyParts(it *item, o opening) (parts []part, ok bool) {
	m := l.h.bodies.get(it.key.id)
	if m == nil {
		return []part{noteRow("reading …")}, false
	}
	if o.mode == bodyRaw {
		return l.rawParts(it, m), true
	}
	if it.key.kind != rowLine {
		return l.noteParts(m, m.Extra), true
	}
	line, found := l.lineOf(it)
	if !found {
		return []part{noteRow("nothing recorded")}, true
	}
	if line.Call != noCall {
		return l.callParts(line, m, o)
	}
	if line.Block < 0 || line.Block >= len(m.Blocks) {
		return []part{noteRow("nothing recorded")}, true
	}
	b := &m.Blocks[line.Block]
	if len(b.Text) > longText*8 || len(b.Text) > longText && b.Kind != model.Words {
		return textParts(b.Text, partPlain, inkText, true), true
	}
	text := cleaned(b.Text)
	switch {
	case b.Kind == model.Media || b.Text == "" && b.Size > 0:
		return []part{noteRow(mediaText(b))}, true
	case strings.TrimSpace(text) == "":
		return []part{noteRow("no text was recorded")}, true
	case o.mode == bodySource:
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

// rawParts are the records of an item as they were recorded, those of the result of a call among them.
func (l *list) rawParts(it *item, m *model.Message) []part {
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
			parts = append(parts, textParts(text, partJSON, inkText, true)...)
		}
	}
	add(m, "message")
	if it.call != noCall {
		if id := l.h.snap.Call(it.call).Result; id != model.NoID && id != m.ID {
			if r := l.h.bodies.get(id); r != nil {
				add(r, "result")
			}
		}
	}
	return parts
}

// noteParts is what a note holds: its texts, and those of its fields that are asked for.
func (l *list) noteParts(m *model.Message, fields []model.KeyValue) []part {
	var parts []part
	for i := range m.Blocks {
		b, note := l.h.fullBlock(&m.Blocks[i])
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
func (l *list) callParts(line *query.Line, m *model.Message, o opening) ([]part, bool) {
	c := l.h.snap.Call(line.Call)
	call := blockOfCall(m, line)
	ready := true
	var result *model.Content
	if c.Result != model.NoID {
		rm := m
		if c.Result != m.ID {
			rm = l.h.bodies.get(c.Result)
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
		args := argumentParts(call, line.Family, o.mode, m, result)
		if o.state == openShort && result != nil && line.State.Failed() {
			args = shortArguments(args)
		}
		parts = append(parts, args...)
	}
	switch {
	case !ready:
		parts = append(parts, noteRow("reading the result …"))
	case result == nil && l.h.kept(call):
		parts = append(parts, l.h.keptParts(call, line.Family)...)
	case result == nil:
		if c.Outcome == model.Running || c.Outcome == model.Unknown {
			parts = append(parts, noteRow("no result yet"))
		}
	default:
		result, note := l.h.fullBlock(result)
		parts = append(parts, l.endRow(line, c, result))
		if note != "" {
			parts = append(parts, plainParts(note, partPlain, inkDim, false)...)
		}
		var body []part
		if o.mode == bodySource {
			body = textParts(result.Text, partPlain, inkText, true)
		} else if line.State.Failed() && o.state == openShort {
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
func (l *list) endRow(line *query.Line, c *model.Call, result *model.Content) part {
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
	if result.Elsewhere != "" && !l.h.kept(result) {
		rest += ", the rest is in " + oneLine(result.Elsewhere)
	}
	return part{kind: partRows, rows: [][]span{{{text: said, ink: i}, {text: rest, ink: inkDim}}}}
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
		return textParts(text, partPlain, inkText, true)
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
		if cmd := commandOf(args); cmd != "" {
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

func commandOf(args map[string]any) string {
	for _, k := range [...]string{"command", "cmd", "script", "code", "input"} {
		switch v := args[k].(type) {
		case string:
			return v
		case []any:
			var words []string
			for _, w := range v {
				words = append(words, fmt.Sprint(w))
			}
			if len(words) == 3 && strings.HasSuffix(words[0], "sh") && strings.HasPrefix(words[1], "-") {
				return words[2]
			}
			return strings.Join(words, " ")
		}
	}
	return ""
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
		return textParts(b.Text, partPlain, inkText, true)
	}
	text := strings.TrimRight(cleaned(b.Text), "\n ")
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
	text = cleaned(text)
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
