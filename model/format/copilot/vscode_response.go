package copilot

import (
	"bytes"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// vscodeCall is a tool call in the metadata of a result: the model's name, arguments and id, which
// the response lacks.
type vscodeCall struct{ id, name, args, result []byte }

// emitItems adds the items of a response. A call is recorded twice: as an item, which counts, and
// in the metadata as the model wrote it. If both have the same number of calls, they match in
// order.
func (r *vscodeRequest) emitItems(f *model.Fact) {
	if kit.IsString(r.response) {
		f.AddText(model.Words, model.ValueText(r.response))
		return
	}
	if jsonspan.KindOf(r.response) != jsonspan.Array {
		return
	}
	calls := vscodeCalls(r.meta.rounds)
	if len(calls) != vscodeInvocations(r.response) {
		calls = nil
	}
	vscodeResults(calls, r.meta.results)
	var words vscodeWords
	c := jsonspan.New(r.response)
	for c.Array(); c.More(); {
		before := c
		kind, value := vscodeItem(&c)
		if one, ok := kit.SkipBroken(&c, before); ok {
			kind, value = vscodeItem(&one)
		}
		if c.Err != nil {
			break
		}
		v := bytes.TrimSpace(c.Buf[before.Pos:c.Pos])
		switch string(kind) {
		case "", "markdownContent", "markdownVuln", "inlineReference":
			words.add(kind, v, value)
			continue
		}
		words.flush(f)
		switch string(kind) {
		case "toolInvocationSerialized", "toolInvocation":
			var call vscodeCall
			if len(calls) > 0 {
				call, calls = calls[0], calls[1:]
			}
			r.emitInvocation(f, v, call)
		case "thinking":
			if !kit.IsEmpty(value) {
				f.AddText(model.Reasoning, model.ValueText(value))
			}
		case "mcpServersStarting", "undoStop", "codeblockUri", "prepareToolInvocation":
		default:
			kit.AddOther(f, kind, v)
		}
	}
	words.flush(f)
}

// vscodeItem returns the kind of an item of a response and its value.
func vscodeItem(c *jsonspan.Cursor) (kind, value []byte) {
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "kind":
			if k := c.Skip(); kit.IsString(k) {
				kind = kit.Inside(k)
			}
		case "value":
			value = c.Skip()
		case "content": // an object that contains the markdown
			if content := c.Skip(); value == nil {
				value = jsonspan.Get(content, "value")
			}
		default:
			c.Skip()
		}
	}
	return kind, value
}

// vscodeWords joins adjacent markdown, because references split a text into pieces.
type vscodeWords struct {
	one    model.Text
	joined []byte
	pieces int
}

func (w *vscodeWords) add(kind, v, value []byte) {
	text := model.ValueText(value)
	if string(kind) == "inlineReference" {
		text = vscodeReference(jsonspan.Get(v, "inlineReference"))
	}
	if text.Empty() {
		return
	}
	if w.pieces++; w.pieces == 1 {
		w.one = text
		return
	}
	if w.pieces == 2 {
		w.joined = w.one.Append(w.joined)
	}
	w.joined = text.Append(w.joined)
}

func (w *vscodeWords) flush(f *model.Fact) {
	switch {
	case w.pieces == 1:
		f.AddText(model.Words, w.one)
	case w.pieces > 1:
		f.AddText(model.Words, model.PlainText(w.joined))
	}
	*w = vscodeWords{}
}

// vscodeReference returns the text of a reference: the name of a symbol, or that of the file.
func vscodeReference(v []byte) model.Text {
	if name := jsonspan.Get(v, "name"); kit.IsString(name) {
		return model.ValueText(name)
	}
	path := jsonspan.GetString(v, "path")
	if path == nil {
		path = jsonspan.GetString(v, "uri", "path")
	}
	return model.EscapedText(path[bytes.LastIndexByte(path, '/')+1:])
}

func vscodeInvocations(list []byte) (n int) {
	c := jsonspan.New(list)
	for c.Array(); c.More(); {
		if kit.HasPrefix(kit.LookAt(c, "kind"), "toolInvocation") {
			n++
		}
		c.Skip()
	}
	return n
}

func vscodeCalls(rounds []byte) (calls []vscodeCall) {
	if jsonspan.KindOf(rounds) != jsonspan.Array {
		return nil
	}
	for v := range jsonspan.List(rounds) {
		list := jsonspan.Get(v, "toolCalls")
		if jsonspan.KindOf(list) != jsonspan.Array {
			continue
		}
		in := jsonspan.New(list)
		for in.Array(); in.More(); {
			var call vscodeCall
			kit.ReadFields(&in,
				kit.Raw("id", &call.id), kit.Raw("name", &call.name),
				kit.Raw("arguments", &call.args),
			)
			calls = append(calls, call)
		}
	}
	return calls
}

// vscodeResults adds the result to each call.
func vscodeResults(calls []vscodeCall, results []byte) {
	if len(calls) == 0 || kit.IsNull(results) {
		return
	}
	c := jsonspan.New(results)
	for c.Object(); c.Key(); {
		name := c.Name
		v := c.Skip()
		for i := range calls {
			if bytes.Equal(kit.Inside(calls[i].id), name) {
				calls[i].result = v
			}
		}
	}
}

// vscodeInvocation is an item with a tool call and its result.
type vscodeInvocation struct {
	id, tool, past, message, details, specific []byte
	complete, confirmed                        []byte
}

var vscodeInvocationFields = kit.TableOf(func(i *vscodeInvocation) kit.Fields {
	return kit.Fields{
		kit.Raw("toolCallId", &i.id), kit.Raw("toolId", &i.tool),
		kit.Raw("pastTenseMessage", &i.past), kit.Raw("invocationMessage", &i.message),
		kit.Raw("resultDetails", &i.details), kit.Raw("toolSpecificData", &i.specific),
		kit.Raw("isComplete", &i.complete), kit.Raw("isConfirmed", &i.confirmed),
	}
})

func (i *vscodeInvocation) read(v []byte) {
	c := jsonspan.New(v)
	vscodeInvocationFields.ReadAll(&c, i)
}

func (r *vscodeRequest) emitInvocation(f *model.Fact, v []byte, call vscodeCall) {
	var i vscodeInvocation
	i.read(v)
	id, name := model.ValueText(i.id), model.ValueText(i.tool)
	b := f.Add(model.ToolCall)
	b.ID, b.Name = id, name
	b.Text = model.ValueText(call.args)
	if call.args == nil {
		b.Text = i.arguments()
	}
	outcome := i.outcome()
	if !kit.IsTrue(i.complete) && outcome == model.Unknown && kit.IsTrue(r.canceled) {
		outcome = model.Stopped
	}
	text := vscodeResult(call.result)
	if text.Absent() {
		text = i.result()
	}
	if !kit.IsTrue(i.complete) && !outcome.Failed() && text.Absent() {
		return // still running when this was written
	}
	o := f.Add(model.ToolResult)
	o.ID, o.Name, o.Text, o.Outcome = id, name, text, outcome
}

// arguments returns the tool's arguments from the item itself.
func (i *vscodeInvocation) arguments() model.Text {
	if raw := jsonspan.Get(i.specific, "rawInput"); !kit.IsEmpty(raw) {
		return model.ValueText(raw)
	}
	if command := jsonspan.Get(i.specific, "commandLine"); !kit.IsEmpty(command) {
		return model.ValueText(command)
	}
	return vscodeMarkdown(i.message)
}

func (i *vscodeInvocation) result() model.Text {
	if !kit.IsEmpty(i.details) {
		return model.ValueText(i.details)
	}
	return vscodeMarkdown(i.past)
}

func vscodeMarkdown(v []byte) model.Text {
	if jsonspan.KindOf(v) == jsonspan.Object {
		v = jsonspan.Get(v, "value")
	}
	return model.ValueText(v)
}

// The kinds of confirmation that end a call.
const (
	vscodeDenied  = 0
	vscodeSkipped = 5
)

func (i *vscodeInvocation) outcome() model.Outcome {
	kind, ok := jsonspan.ParseInt(i.confirmed)
	if jsonspan.KindOf(i.confirmed) == jsonspan.Object {
		kind, ok = jsonspan.ParseInt(jsonspan.Get(i.confirmed, "type"))
	}
	switch {
	case ok && kind == vscodeDenied, string(i.confirmed) == "false":
		return model.Denied
	case ok && kind == vscodeSkipped:
		return model.Cancelled
	case jsonspan.KindOf(i.details) == jsonspan.Object && kit.IsTrue(jsonspan.Get(i.details, "isError")):
		return kit.FailureOf(model.ValueText(i.details))
	}
	if code, ok := jsonspan.ParseInt(jsonspan.Get(i.specific, "terminalCommandState", "exitCode")); ok && code != 0 {
		return model.Failure
	}
	if kit.IsTrue(i.complete) {
		return model.Success
	}
	return model.Unknown
}

// vscodeResult returns the text of a tool result in the metadata: parts that are strings, or trees
// of the elements of a rendered prompt.
func vscodeResult(v []byte) model.Text {
	content := jsonspan.Get(v, "content")
	if jsonspan.KindOf(content) != jsonspan.Array {
		return model.Text{}
	}
	var out []byte
	c := jsonspan.New(content)
	for c.Array(); c.More(); {
		for c.Object(); c.Key(); {
			switch {
			case string(c.Name) != "value":
				c.Skip()
			case c.Kind() == jsonspan.Object:
				for c.Object(); c.Key(); {
					if string(c.Name) == "node" {
						out = vscodeTree(out, &c, 0)
					} else {
						c.Skip()
					}
				}
			default:
				if v := c.Skip(); kit.IsString(v) {
					out = model.ValueText(v).Append(out)
				}
			}
		}
	}
	return model.PlainText(out)
}

// vscodeTreeDepth limits the depth to which a rendered prompt is read.
const vscodeTreeDepth = 200

// vscodeTree appends the texts of a tree, with the line breaks that it asks for.
func vscodeTree(out []byte, c *jsonspan.Cursor, depth int) []byte {
	if depth > vscodeTreeDepth {
		c.Skip()
		return out
	}
	var text []byte
	lineBreak := false
	fields := kit.Fields{kit.Raw("text", &text), kit.Flag("lineBreakBefore", &lineBreak)}
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "children":
			for c.Array(); c.More(); {
				out = vscodeTree(out, c, depth+1)
			}
		default:
			fields.Read(c)
		}
	}
	if !kit.IsString(text) {
		return out
	}
	if lineBreak && len(out) > 0 && out[len(out)-1] != '\n' {
		out = append(out, '\n')
	}
	return model.ValueText(text).Append(out)
}
