package ui

import (
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
		return textParts(b.Text, cleaned, partPlain, true), true
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
			parts = append(parts, textParts(text, cleaned, partJSON, true)...)
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
			body = textParts(result.Text, cleaned, partPlain, true)
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
