package claude

import (
	"bytes"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// message reads a message of the Anthropic API into the fact.
func (l *claudeLine) message(c *jsonspan.Cursor, f *model.Fact) {
	l.hasMessage = true
	if c.Kind() == jsonspan.String {
		claudeWords(f, c.Skip())
		return
	}
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "id":
			l.messageID = c.ID()
		case "role":
			l.role = c.String()
		case "model":
			l.model = c.String()
		case "stop_reason":
			l.stop = c.String()
		case "content":
			claudeContent(c, f)
		case "usage":
			ClaudeUsage(c, &l.usage)
		case "type", "stop_sequence":
			c.Skip()
		default:
			name := c.Name
			if v := c.Skip(); !kit.IsEmpty(v) && c.Err == nil {
				f.KeepNamed(name, model.ValueText(v))
			}
		}
	}
}

// ClaudeUsage reads a usage record; input_tokens already excludes the cache.
func ClaudeUsage(c *jsonspan.Cursor, u *model.Usage) {
	*u = model.Usage{Input: -1, CacheRead: -1, CacheWrite: -1, Output: -1, Reasoning: -1}
	for c.Object(); c.Key(); {
		u.Scope = model.Each
		switch string(c.Name) {
		case "input_tokens":
			kit.ClaudeNumber(c, &u.Input)
		case "cache_creation_input_tokens":
			kit.ClaudeNumber(c, &u.CacheWrite)
		case "cache_read_input_tokens":
			kit.ClaudeNumber(c, &u.CacheRead)
		case "output_tokens":
			kit.ClaudeNumber(c, &u.Output)
		case "cache_creation":
			kit.CacheLife(c, u)
		default:
			c.Skip()
		}
	}
}

// claudeMissed returns the API's reason why a request missed the prompt cache, or "".
func claudeMissed(f *model.Fact) string {
	for i := range f.Extra {
		if f.Extra[i].Name == "diagnostics" {
			return string(jsonspan.GetString(jsonspan.Get(f.Extra[i].Value.Raw(), "cache_miss_reason"), "type"))
		}
	}
	return ""
}

// claudeContent reads the content of a message: a string or a list of blocks.
func claudeContent(c *jsonspan.Cursor, f *model.Fact) {
	if c.Kind() != jsonspan.Array {
		if v := c.Skip(); !kit.IsNull(v) {
			claudeWords(f, v)
		}
		return
	}
	for c.Array(); c.More(); {
		claudeBlock(c, f)
	}
}

// claudeWords adds a content that is only text. Its key prevents duplicates from repeated lines.
func claudeWords(f *model.Fact, v []byte) {
	b := f.Add(model.Words)
	b.Text, b.Key = model.ValueText(v), claudeTextKey(v)
}

// claudeParts holds the fields of a block until its type is known.
type claudeParts struct {
	kind, id, name []byte
	text, input    []byte
	failed         []byte // is_error
	output         model.Text
	badOutput      bool // the output is an error object of a server tool
	media, place   []byte
	caller         []byte // id of the call that made it
}

// claudeBlock reads a block. It first reserves a place in the list, because the images of a result
// follow it.
func claudeBlock(c *jsonspan.Cursor, f *model.Fact) {
	kind := c.Kind()
	from, at := c.Pos, len(f.Blocks)
	if kind != jsonspan.Object {
		f.AddText(model.Words, model.ValueText(c.Skip()))
		return
	}
	f.Add(model.OtherBlock)
	var p claudeParts
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "type":
			p.kind = c.String()
		case "text", "thinking":
			p.text = c.Skip()
		case "id", "tool_use_id":
			p.id = c.ID()
		case "name":
			p.name = c.String()
		case "input":
			p.input = c.Skip()
		case "is_error":
			p.failed = c.Skip()
		case "content":
			p.readOutput(c, f)
		case "caller":
			p.caller = jsonspan.GetString(c.Skip(), "tool_id")
		case "source":
			p.readSource(c)
		default:
			c.Skip()
		}
	}
	p.fill(&f.Blocks[at], c.Buf[from:c.Pos])
	if b := &f.Blocks[at]; b.Kind == model.ToolResult {
		for i := at + 1; i < len(f.Blocks); i++ {
			f.Blocks[i].ID = b.ID
		}
	}
}

// fill sets the block according to its type; raw is its source.
func (p *claudeParts) fill(b *model.Block, raw []byte) {
	switch string(p.kind) {
	case "text":
		b.Kind = model.Words
		b.Text = model.ValueText(p.text)
		b.Key = claudeTextKey(p.text)
	case "thinking":
		b.Kind = model.Reasoning
		b.Text = model.ValueText(p.text)
		b.Key = claudeTextKey(p.text)
	case "redacted_thinking":
		b.Kind = model.Reasoning
	case "tool_use", "server_tool_use", "mcp_tool_use":
		b.Kind = model.ToolCall
		b.ID, b.Name = model.EscapedText(p.id), model.EscapedText(p.name)
		b.Text = model.ValueText(p.input)
		b.Key = model.Hash(p.id)
		if len(p.caller) > 0 { // a program of the model called: {type: code_execution_…, tool_id}
			b.Within = model.Hash(p.caller)
		}
	case "tool_result":
		p.fillResult(b)
	case "image", "document":
		b.Kind = model.Media
		b.Name = model.EscapedText(p.media)
		if len(p.media) == 0 {
			b.Name = model.EscapedText(p.kind)
		}
		b.Text = model.ValueText(p.place)
	default:
		if bytes.HasSuffix(p.kind, []byte("_tool_result")) {
			p.fillResult(b)
			b.Name = model.EscapedText(bytes.TrimSuffix(p.kind, []byte("_tool_result")))
			return
		}
		b.Name = model.EscapedText(p.kind)
		b.Text = model.ValueText(raw)
	}
}

// claudeTextKey returns the key of a text, from its beginning and its size. It identifies repeated
// texts: some versions write growing snapshots.
func claudeTextKey(v []byte) model.Key {
	if len(v) <= 2 {
		return 0
	}
	return model.HashNumber("text", int64(len(v))).With(v[:min(len(v), 64)])
}

func (p *claudeParts) fillResult(b *model.Block) {
	b.Kind = model.ToolResult
	b.ID = model.EscapedText(p.id)
	b.Text = p.output
	b.Key = model.Hash(p.id).With([]byte("output")) // the call may be in the same message
	b.Outcome = model.Success
	switch {
	case kit.IsTrue(p.failed) || p.badOutput:
		b.Outcome = kit.FailureOf(b.Text)
	case p.failed == nil || kit.IsNull(p.failed):
		if o := claudeOutcome(b.Text); o != model.Unknown {
			b.Outcome = o
		}
	}
	if b.Text.HasPrefix("<persisted-output>") {
		b.Elsewhere = claudeSpilled(b.Text)
	}
}

// claudeOutcome returns the outcome of a result without an error field, from the words with which
// Claude Code itself begins failures.
func claudeOutcome(t model.Text) model.Outcome {
	raw := t.Raw()
	if len(raw) == 0 {
		return model.Unknown
	}
	switch raw[0] {
	case '<':
		if t.HasPrefix("<tool_use_error>") {
			return kit.FailureOf(t)
		}
	case 'E':
		if t.HasPrefix("Exit code ") {
			if code, ok := kit.LeadingInt(raw[len("Exit code "):]); ok && code != 0 {
				return kit.FailureOf(t)
			}
		}
	case 'T':
		if t.HasPrefix("The user doesn't want to ") {
			return model.Denied
		}
	}
	return model.Unknown
}

// claudeSpilled returns the file with a large output, from the text that replaces it.
func claudeSpilled(t model.Text) model.Text {
	const before = "saved to: "
	raw := kit.Head(t, 2000)
	i := bytes.Index(raw, []byte(before))
	if i < 0 {
		return model.Text{}
	}
	i += len(before)
	n := bytes.Index(raw[i:], []byte(`\n`))
	if n < 0 {
		return model.Text{}
	}
	return t.Cut(i, i+n)
}

// readOutput reads the content of a result: a string, a list of blocks, or an object (server tools;
// iFlow).
func (p *claudeParts) readOutput(c *jsonspan.Cursor, f *model.Fact) {
	kind := c.Kind()
	if kind != jsonspan.Array {
		v := c.Skip()
		p.output = model.ValueText(v)
		if kind != jsonspan.Object {
			return
		}
		if out := jsonspan.Get(v, "responseParts", "functionResponse", "response", "output"); kit.IsString(out) {
			p.output = model.ValueText(out)
		}
		p.badOutput = bytes.HasSuffix(jsonspan.GetString(v, "type"), []byte("_error"))
		return
	}
	from := c.Pos
	var text []byte
	texts, images, others := 0, 0, 0
	for c.Array(); c.More(); {
		var q claudeParts
		for c.Object(); c.Key(); {
			switch string(c.Name) {
			case "type":
				q.kind = c.String()
			case "text":
				q.text = c.Skip()
			case "source":
				q.readSource(c)
			default:
				c.Skip()
			}
		}
		switch string(q.kind) {
		case "text":
			texts++
			text = q.text
		case "image", "document":
			images++
			q.fill(f.Add(model.Media), nil)
		default:
			others++
		}
	}
	switch {
	case texts == 1 && others == 0:
		p.output = model.ValueText(text)
	case texts+others == 0 && images > 0:
		p.output = model.EscapedText(c.Buf[from:from]) // only images
	default:
		p.output = model.ValueText(c.Buf[from:c.Pos])
	}
}

// readSource reads the location of an image or document.
func (p *claudeParts) readSource(c *jsonspan.Cursor) {
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "media_type":
			p.media = c.String()
		case "data", "url", "file_id", "content":
			p.place = c.Skip()
		default:
			c.Skip()
		}
	}
}

// claudeResult holds the tool's report to the program, next to its result for the model.
type claudeResult struct {
	interrupted, background  bool
	failed                   bool // iFlow's status
	agent, spilled, toolName []byte
	ms, seconds              []byte
	files                    claudeFiles
}

func (r *claudeResult) walk(c *jsonspan.Cursor, f *model.Fact) {
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "interrupted":
			r.interrupted = c.Bool()
		case "agentId":
			r.agent = c.ID()
		case "isAsync":
			r.background = r.background || c.Bool()
		case "backgroundTaskId":
			v := c.Skip()
			r.background = r.background || !kit.IsEmpty(v)
			kit.Keep(f, "backgroundTaskId", v)
		case "persistedOutputPath":
			r.spilled = c.String()
		case "durationMs", "totalDurationMs", "duration_ms":
			r.ms = c.Skip()
		case "durationSeconds":
			r.seconds = c.Skip()
		case "status":
			v := c.Skip()
			r.failed = string(kit.Inside(v)) == "error"
			kit.Keep(f, "status", v)
		case "toolName":
			r.toolName = c.String()
		case "totalTokens":
			kit.Keep(f, "totalTokens", c.Skip())
		case "totalToolUseCount":
			kit.Keep(f, "totalToolUseCount", c.Skip())
		case "returnCodeInterpretation":
			kit.Keep(f, "returnCodeInterpretation", c.Skip())
		case "searchCount":
			kit.Keep(f, "searchCount", c.Skip())
		case "originalFile":
			r.files.before = c.Skip()
		case "file":
			r.files.readSeen(c)
		case "structuredPatch":
			kit.Keep(f, "structuredPatch", r.files.readPatch(c))
		case "filePath":
			r.files.path = c.Skip()
			kit.Keep(f, "filePath", r.files.path)
		case "stdout", "content", "oldString", "newString", "prompt", "results", "oldTodos", "newTodos", "isImage":
			c.Skip() // in arguments, result and images
		default:
			kit.KeepField(f, c)
		}
	}
}

// apply adds the report to the result block.
func (r *claudeResult) apply(b *model.Block) {
	switch {
	case r.interrupted && b.Outcome != model.Denied:
		b.Outcome = model.Stopped
	case r.failed && b.Outcome == model.Success:
		b.Outcome = kit.FailureOf(b.Text)
	case r.background && b.Outcome == model.Success:
		b.Outcome = model.Background
	}
	if len(r.spilled) > 0 {
		b.Elsewhere = model.EscapedText(r.spilled)
	}
	if len(r.toolName) > 0 {
		b.Name = model.EscapedText(r.toolName)
	}
	if r.ms != nil {
		b.Took = kit.TookMs(r.ms)
	} else if r.seconds != nil {
		b.Took = kit.TookSeconds(r.seconds)
	}
}
