package kit

import (
	"bytes"
	"html"
	"strconv"
	"time"

	"turns/model"
	"turns/model/jsonspan"
)

// Open WebUI stores a model's reasoning and actions as elements in its answer's text:
//
//	<details type="reasoning" done="true" duration="2"> … </details>
//	<details type="tool_calls" done="true" id="…" name="…" arguments="…" result="…"> … </details>
//	<details type="code_interpreter" done="true" output="…"> … </details>

// detailsOpen is the start of these elements.
const detailsOpen = "<details type="

// detailsElement adds the element at an offset of a text and returns its length. It returns 0 if
// there is none, and -1 if it is not closed.
func detailsElement(f *model.Fact, t model.Text, at int, before func()) int {
	raw := t.Raw()[at:]
	const closing = "</details>"
	end := bytes.Index(raw, []byte(closing))
	if end < 0 {
		return -1
	}
	open := bytes.IndexByte(raw[:end], '>') // attributes have &gt; instead
	if open < 0 {
		return 0
	}
	var tag details
	tag.read(t.Cut(at+len("<details"), at+open))
	tag.inner = detailsInner(t.Cut(at+open+1, at+end))
	switch string(tag.kind) {
	case "reasoning":
		before()
		b := f.Add(model.Reasoning)
		b.Text = tag.inner
		if s, err := strconv.ParseFloat(string(tag.duration), 64); err == nil && s > 0 && s < 1e6 {
			b.Took = time.Duration(s * float64(time.Second))
		}
	case "tool_calls":
		before()
		tag.addCall(f)
	case "code_interpreter":
		before()
		tag.addCode(f)
	default:
		return 0
	}
	return end + len(closing)
}

// detailsInner returns the inside of an element without its summary, which is a label.
func detailsInner(t model.Text) model.Text {
	t = t.TrimSpace()
	const open, closing = "<summary>", "</summary>"
	if i := bytes.Index(t.Raw(), []byte(closing)); i >= 0 && t.HasPrefix(open) {
		t = t.Cut(i+len(closing), t.Size()).TrimSpace()
	}
	return t
}

// details is an element: its attributes as written, nil if absent, and its inside.
type details struct {
	kind, done, duration, id, name, arguments, result, output, files, embeds []byte

	inner   model.Text
	escaped bool // the attributes are in a JSON string
}

// read parses the attributes.
func (d *details) read(attrs model.Text) {
	raw, quote := attrs.Raw(), []byte(`"`)
	if d.escaped = attrs.Encoding() == model.JSONString; d.escaped {
		quote = []byte(`\"`)
	}
	for {
		name, rest, ok := bytes.Cut(raw, quote)
		value, rest, closed := bytes.Cut(rest, quote)
		if !ok || !closed {
			return
		}
		raw = rest
		name, ok = bytes.CutSuffix(name, []byte("="))
		if field := d.field(name[bytes.LastIndexByte(name, ' ')+1:]); ok && field != nil && *field == nil {
			*field = value
		}
	}
}

// field returns the field for the value of an attribute, nil for an irrelevant one.
func (d *details) field(name []byte) *[]byte {
	switch string(name) {
	case "type":
		return &d.kind
	case "done":
		return &d.done
	case "duration":
		return &d.duration
	case "id":
		return &d.id
	case "name":
		return &d.name
	case "arguments":
		return &d.arguments
	case "result":
		return &d.result
	case "output":
		return &d.output
	case "files":
		return &d.files
	case "embeds":
		return &d.embeds
	}
	return nil
}

// value returns an attribute's value with HTML escapes resolved.
func (d *details) value(v []byte) []byte {
	if d.escaped && bytes.IndexByte(v, '\\') >= 0 {
		v = model.EscapedText(v).Append(make([]byte, 0, len(v)))
	}
	return UnescapeHTML(v)
}

// UnescapeHTML is html.UnescapeString without a copy of texts without entities.
func UnescapeHTML(v []byte) []byte {
	if bytes.IndexByte(v, '&') < 0 {
		return v
	}
	return []byte(html.UnescapeString(string(v)))
}

// text returns the text of an attribute. Arguments and results are JSON, and strings are JSON in
// JSON.
func (d *details) text(v []byte) model.Text {
	if v == nil {
		return model.Text{}
	}
	v = d.value(v)
	if whole, rest, err := jsonspan.Cut(v); err == nil && len(bytes.TrimSpace(rest)) == 0 {
		return model.ValueText(whole)
	}
	return model.PlainText(v)
}

func (d *details) addCall(f *model.Fact) {
	call := f.Add(model.ToolCall)
	call.ID, call.Name, call.Text = d.named(d.id), d.named(d.name), d.text(d.arguments)
	if string(d.done) == "false" {
		f.Flags |= model.Partial
		return
	}
	id, name := call.ID, call.Name
	result := d.text(d.result)
	if result.Absent() {
		result = d.inner
	}
	r := f.Add(model.ToolResult)
	r.ID, r.Name, r.Text, r.Outcome = id, name, result, OutcomeOfText(result)
	if v := d.value(d.files); len(v) > 2 {
		f.Keep("files", model.PlainText(v))
	}
	if v := d.value(d.embeds); len(v) > 2 {
		f.Keep("embeds", model.PlainText(v))
	}
}

// addCode adds code that ran, with its output.
func (d *details) addCode(f *model.Fact) {
	call := f.Add(model.ToolCall)
	call.Name, call.Text = model.StringText("code_interpreter"), d.inner
	if output := d.text(d.output); !output.Absent() {
		r := f.Add(model.ToolResult)
		r.Name, r.Text, r.Outcome = model.StringText("code_interpreter"), output, OutcomeOfText(output)
	} else if string(d.done) == "false" {
		f.Flags |= model.Partial
	}
}

func (d *details) named(v []byte) model.Text {
	if len(v) > 0 {
		return model.PlainText(d.value(v))
	}
	return model.Text{}
}
