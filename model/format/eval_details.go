package format

import (
	"bytes"
	"html"
	"strconv"
	"time"

	"turns/model"
	"turns/model/jsonspan"
)

// Open WebUI keeps what a model thought and did as elements of its answer's text:
//
//	<details type="reasoning" done="true" duration="2"> … </details>
//	<details type="tool_calls" done="true" id="…" name="…" arguments="…" result="…"> … </details>
//	<details type="code_interpreter" done="true" output="…"> … </details>

// detailsOpen begins each of them.
const detailsOpen = "<details type="

// detailsElement adds the element that begins at a place of a text and gives its
// length, 0 where it is none of them and -1 where it is not closed.
func detailsElement(f *model.Fact, t model.Text, at int, before func()) int {
	raw := t.Raw()[at:]
	const closing = "</details>"
	end := bytes.Index(raw, []byte(closing))
	if end < 0 {
		return -1
	}
	open := bytes.IndexByte(raw[:end], '>') // in an attribute it is written &gt;
	if open < 0 {
		return 0
	}
	tag := details{attrs: t.Cut(at+len("<details"), at+open), inner: detailsInner(t.Cut(at+open+1, at+end))}
	switch kind := tag.get("type"); string(kind) {
	case "reasoning":
		before()
		b := f.Add(model.Reasoning)
		b.Text = tag.inner
		if s, err := strconv.ParseFloat(string(tag.get("duration")), 64); err == nil && s > 0 && s < 1e6 {
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

// detailsInner is the inside of an element without its summary, which is a label.
func detailsInner(t model.Text) model.Text {
	t = t.TrimSpace()
	const open, closing = "<summary>", "</summary>"
	if i := bytes.Index(t.Raw(), []byte(closing)); i >= 0 && t.HasPrefix(open) {
		t = t.Cut(i+len(closing), t.Size()).TrimSpace()
	}
	return t
}

// details is an element: its attributes as they are written, and its inside.
type details struct{ attrs, inner model.Text }

// get is the value of an attribute, as it was before it was escaped for HTML; nil
// where there is none.
func (d *details) get(name string) []byte {
	quote := `"`
	if d.attrs.Encoding() == model.JSONString {
		quote = `\"`
	}
	_, value, ok := bytes.Cut(d.attrs.Raw(), []byte(" "+name+"="+quote))
	if !ok {
		return nil
	}
	value, _, ok = bytes.Cut(value, []byte(quote))
	if !ok {
		return nil
	}
	if d.attrs.Encoding() == model.JSONString {
		value = model.EscapedText(value).Append(nil)
	}
	if bytes.IndexByte(value, '&') < 0 {
		return value
	}
	return []byte(html.UnescapeString(string(value)))
}

// text is the text of an attribute. Arguments and results are JSON, and where they
// were strings, JSON in JSON.
func (d *details) text(name string) model.Text {
	v := d.get(name)
	if v == nil {
		return model.Text{}
	}
	if whole, rest, err := jsonspan.Cut(v); err == nil && len(bytes.TrimSpace(rest)) == 0 {
		return model.ValueText(whole)
	}
	return model.PlainText(v)
}

func (d *details) addCall(f *model.Fact) {
	call := f.Add(model.ToolCall)
	call.ID, call.Name, call.Text = d.named("id"), d.named("name"), d.text("arguments")
	if string(d.get("done")) == "false" {
		f.Flags |= model.Partial
		return
	}
	id, name := call.ID, call.Name
	result := d.text("result")
	if result.Absent() {
		result = d.inner
	}
	r := f.Add(model.ToolResult)
	r.ID, r.Name, r.Text, r.Outcome = id, name, result, outcomeOfText(result)
	for _, attr := range [...]string{"files", "embeds"} {
		if v := d.get(attr); len(v) > 2 {
			f.Keep(attr, model.PlainText(v))
		}
	}
}

// addCode adds code that ran, with what it printed.
func (d *details) addCode(f *model.Fact) {
	call := f.Add(model.ToolCall)
	call.Name, call.Text = model.StringText("code_interpreter"), d.inner
	if output := d.text("output"); !output.Absent() {
		r := f.Add(model.ToolResult)
		r.Name, r.Text, r.Outcome = model.StringText("code_interpreter"), output, outcomeOfText(output)
	} else if string(d.get("done")) == "false" {
		f.Flags |= model.Partial
	}
}

func (d *details) named(name string) model.Text {
	if v := d.get(name); len(v) > 0 {
		return model.PlainText(v)
	}
	return model.Text{}
}
