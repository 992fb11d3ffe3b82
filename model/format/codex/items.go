package codex

import (
	"bytes"
	"slices"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// emitItem adds an item of the model's input or output.
func (l *codexLine) emitItem() {
	switch string(l.item) {
	case "message":
		l.emitMessage()
	case "reasoning":
		l.emitReasoning()
	case "function_call", "custom_tool_call", "tool_search_call", "mcp_tool_call", "shell_call", "apply_patch_call", "tool_call":
		l.emitCall()
	case "local_shell_call":
		b := l.call("local_shell")
		b.Text = model.ValueText(l.get("action"))
		l.keepOthers(l.fs.Last(), "call_id", "action")
	case "web_search_call", "image_generation_call":
		l.emitHosted()
	case "function_call_output", "custom_tool_call_output", "tool_search_output", "mcp_tool_call_output", "local_shell_call_output",
		"shell_call_output", "apply_patch_call_output", "tool_result":
		l.emitOutput()
	case "":
		l.emitBare()
	default:
		l.note(l.item)
	}
}

// emitBare adds the untyped lines of the first format.
func (l *codexLine) emitBare() {
	switch {
	case l.get("record_type") != nil:
		l.note(l.str("record_type"))
	case l.get("id") != nil && (l.get("instructions") != nil || l.get("git") != nil):
		l.emitMeta()
	case l.get("role") != nil:
		l.emitMessage()
	default:
		l.note([]byte("unknown"))
	}
}

// emitMessage adds a message with the texts of its content.
func (l *codexLine) emitMessage() {
	role, known := model.ParseRole(string(l.str("role")))
	if !known {
		role = model.Other
	}
	f := l.addMessage(role)
	if !known {
		f.Name = model.EscapedText(l.str("role"))
	}
	codexContent(f, l.get("content"))
	if !l.enveloped { // no mirrors: equal texts are separate texts
		for i := range f.Blocks {
			f.Blocks[i].Key = model.HashNumber("codex", l.off).Join(model.Key(i + 1))
		}
	}
	kit.Keep(f, "phase", l.get("phase"))
	l.keepOthers(f, "role", "content", "phase")
	if role == model.User {
		codexWrapped(f)
		if v := l.get("internal_chat_message_metadata_passthrough"); bytes.Contains(v, []byte(`"content_item_kinds"`)) &&
			!bytes.Contains(v, []byte(`"user.text"`)) && !bytes.Contains(v, []byte(`"user.image"`)) {
			f.Flags |= model.Injected
		}
	}
	if l.enveloped && f.Flags&model.Injected == 0 {
		f.Echo = codexEcho(f)
		f.N = codexItemLane
	}
}

// codexContent adds the blocks of a content, which is a string or a list of parts.
func codexContent(f *model.Fact, v []byte) {
	if kit.IsString(v) {
		codexText(f, model.Words, v)
		return
	}
	for part := range jsonspan.List(v) {
		var kind, text, place []byte
		kit.ReadObject(part,
			kit.Word("type", &kind), kit.Raw("text", &text), kit.Raw("refusal", &text),
			kit.Raw("image_url", &place), kit.Raw("file_id", &place), kit.Raw("path", &place),
			kit.Raw("audio_url", &place),
		)
		switch string(kind) {
		case "input_text", "output_text", "text", "Text":
			codexText(f, model.Words, text)
		case "refusal":
			codexText(f, model.Words, text)
			f.Flags |= model.Refused
		case "input_image", "image", "local_image", "Image", "LocalImage":
			codexImage(f, place)
		default:
			b := f.Add(model.OtherBlock)
			b.Name = model.EscapedText(kind)
			b.Text = model.ValueText(part)
		}
	}
}

// codexText adds a text with its own key, so that it remains a separate block when messages are
// extended.
func codexText(f *model.Fact, kind model.BlockKind, v []byte) {
	b := f.Add(kind)
	b.Text = model.ValueText(v)
	b.Key = model.HashNumber(kind.String(), int64(len(v))).With(v[:min(len(v), 64)])
}

// codexImage adds an image from a data: URL, a URL or a path.
func codexImage(f *model.Fact, v []byte) {
	if obj := jsonspan.Get(v, "url"); obj != nil {
		v = obj
	}
	b := f.Add(model.Media)
	b.Text = model.ValueText(v)
	raw := b.Text.Raw()
	b.Name = model.StringText("image")
	if rest, ok := bytes.CutPrefix(raw, []byte("data:")); ok {
		if n := bytes.IndexByte(rest, ';'); n > 0 && n < 64 {
			b.Name = model.EscapedText(rest[:n])
		}
		if n := bytes.IndexByte(rest[:min(len(rest), 128)], ','); n >= 0 {
			b.Text = model.EscapedText(rest[n+1:])
		}
	}
}

// codexWrappers lists the prefixes of texts that Codex inserts in user messages, in addition to
// those common to all agents.
var codexWrappers = []string{
	"<environment_context", "<user_instructions", "<hook_prompt", "<user_shell_command>",
	"<apps_instructions>", "<plugins_instructions>", "<personality_spec>", "<model_switch>", "<multi_agent_mode>", "<skill>",
	"<recommended_plugins>",
}

// codexWrapped determines whether a person wrote a user message. A message of only wrappers is
// injected; next to a prompt they become other blocks.
func codexWrapped(f *model.Fact) {
	codexEditor(f)
	wrapped, real := 0, 0
	for i := range f.Blocks {
		switch b := &f.Blocks[i]; {
		case b.Kind == model.Words && codexInjected(b.Text):
			wrapped++
		case b.Kind == model.Words && codexImageTag(b.Text):
		default:
			real++
		}
	}
	if wrapped > 0 && real == 0 {
		f.Flags |= model.Injected
		return
	}
	for i := range f.Blocks {
		b := &f.Blocks[i]
		if b.Kind == model.Words && (codexImageTag(b.Text) || codexInjected(b.Text)) {
			b.Kind = model.OtherBlock
			b.Name = model.StringText("context")
		}
	}
}

// codexEditor separates a prompt from the context that an editor put before it.
func codexEditor(f *model.Fact) {
	const open, asked = "# Context from my IDE setup:", "## My request for Codex:"
	for i := range f.Blocks {
		b := &f.Blocks[i]
		if b.Kind != model.Words || !b.Text.HasPrefix(open) {
			continue
		}
		at := bytes.Index(b.Text.Raw(), []byte(asked))
		if at < 0 {
			return
		}
		context := model.Block{Kind: model.OtherBlock, Name: model.StringText("context"), Text: b.Text.Cut(0, at).TrimSpace()}
		if context.Key = b.Key; context.Key != 0 {
			context.Key = context.Key.With([]byte("context"))
		}
		b.Text = b.Text.Cut(at+len(asked), b.Text.Size()).TrimSpace()
		f.Blocks = slices.Insert(f.Blocks, i, context)
		return
	}
}

func codexInjected(t model.Text) bool {
	t = t.TrimSpace()
	if t.Empty() || t.Raw()[0] != '<' && t.Raw()[0] != '#' {
		return false
	}
	return slices.ContainsFunc(codexWrappers, t.HasPrefix) || kit.IsInjected(t)
}

// codexImageTag reports whether a text is one of the tags around an image.
func codexImageTag(t model.Text) bool {
	return t.Is("</image>") || t.Is("<image>") || t.HasPrefix("<image name=") && t.Size() < 200
}

// The lanes of a rollout are the values of N for facts with an Echo. Each lane records a text once,
// so equal texts in the same lane are separate texts.
const (
	codexItemLane  = 1
	codexEventLane = 2
)

// codexEcho returns a key of role and words that both records of a text share.
func codexEcho(f *model.Fact) model.Key {
	if f.Role != model.User && f.Role != model.Assistant {
		return 0
	}
	key := model.HashNumber("codex", int64(f.Role))
	echoed := false
	for i := range f.Blocks {
		if b := &f.Blocks[i]; b.Kind == model.Words {
			key = key.With(b.Text.TrimSpace().Raw())
			echoed = echoed || !b.Text.Blank()
		}
	}
	if !echoed {
		return 0
	}
	return key
}

// emitReasoning adds reasoning: its summaries, its full text if recorded, or an empty block if it
// is encrypted.
func (l *codexLine) emitReasoning() {
	f := l.addMessage(model.Assistant)
	for _, name := range []string{"summary", "content"} {
		for v := range jsonspan.List(l.get(name)) {
			if text := jsonspan.Get(v, "text"); kit.IsString(text) {
				codexText(f, model.Reasoning, text)
			}
		}
	}
	if len(f.Blocks) == 0 {
		b := f.Add(model.Reasoning)
		b.Size = int64(len(l.str("encrypted_content")))
		if id := l.str("id"); len(id) > 0 {
			b.Key = model.Hash(id)
		} else {
			b.Key = model.Hash(l.payload[:min(len(l.payload), 256)])
		}
	}
	l.keepOthers(f, "summary", "content", "encrypted_content")
}

// call adds a tool call.
func (l *codexLine) call(name string) *model.Block {
	f := l.addMessage(model.Assistant)
	b := f.Add(model.ToolCall)
	id := l.str("call_id")
	if len(id) == 0 {
		id = l.str("id")
	}
	b.ID = model.EscapedText(id)
	if len(id) == 0 {
		b.ID = model.Text{}
	}
	b.Key = model.Hash(id)
	if name != "" {
		b.Name = model.StringText(name)
	}
	return b
}

func (l *codexLine) emitCall() {
	b := l.call("")
	b.Name = model.EscapedText(l.str("name"))
	if b.Name.Empty() {
		b.Name = model.EscapedText(kit.Inside(jsonspan.Get(l.get("function"), "name")))
	}
	if b.Name.Empty() {
		b.Name = model.EscapedText(bytes.TrimSuffix(l.item, []byte("_call")))
	}
	for _, name := range []string{"arguments", "input", "action", "operation"} {
		if v := l.get(name); v != nil {
			b.Text = model.ValueText(v)
			b.Leave = kit.Contains(v, "require_escalated") || kit.Contains(v, `with_escalated_permissions\":true`)
			break
		}
	}
	f := l.fs.Last()
	switch {
	case string(l.item) == "custom_tool_call" && b.Name.Is("exec"):
		b.Nesting = model.Script
		emitScript(f, b.Text)
	case b.Name.Is("wait") && b.Text.Contains("cell_id"):
		b.Nesting = model.Poll
	}
	id, text, script := b.ID, b.Text, b.Nesting == model.Script
	kit.Keep(f, "namespace", l.get("namespace"))
	l.keepOthers(f, "call_id", "name", "function", "arguments", "input", "action", "operation", "namespace")
	if script {
		l.emitInText(id, text)
	}
}

// emitHosted adds a call that ran on the server and has no output.
func (l *codexLine) emitHosted() {
	b := l.call("")
	b.Name = model.EscapedText(bytes.TrimSuffix(l.item, []byte("_call")))
	for _, name := range []string{"action", "revised_prompt", "query"} {
		if v := l.get(name); !kit.IsNull(v) {
			b.Text = model.ValueText(v)
			break
		}
	}
	f := l.fs.Last()
	l.keepOthers(f, "call_id", "action", "revised_prompt", "result")
	status, known := kit.OutcomeOfStatus(l.str("status"))
	if known && status == model.Running {
		return
	}
	id, name := b.ID, b.Name
	r := f.Add(model.ToolResult)
	r.ID, r.Name = id, name
	r.Text = model.NullText()
	r.Key = id.Hash().With([]byte("output"))
	if id.Empty() { // results without an id would replace each other
		r.Key = model.HashNumber("codex output", l.off)
	}
	r.Outcome = model.Success
	if known {
		r.Outcome = status
	}
	if v := l.get("result"); kit.IsString(v) && len(v) > 2 {
		m := f.Add(model.Media)
		m.ID, m.Name, m.Text = id, model.StringText("image/png"), model.ValueText(v)
	}
}
