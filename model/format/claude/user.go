package claude

import (
	"bytes"

	"turns/model"
)

// emitUser converts a user line into a tool message (if it has only results), a user message, or
// one of each.
func (l *claudeLine) emitUser(fs *model.Facts, f *model.Fact) {
	at := fs.Len() - 1
	results, others, last := 0, 0, 0
	for i := range f.Blocks {
		switch {
		case f.Blocks[i].Kind == model.ToolResult:
			results++
			last = i
		case f.Blocks[i].ID.Absent(): // the images of a result have its id
			others++
		}
	}
	f.Key = f.Record
	if results == 1 {
		l.result.apply(&f.Blocks[last])
		l.result.files.addTo(f, f.Blocks[last].ID)
	}
	switch {
	case results == 0:
		l.emitWords(f)
	case others == 0:
		f.Role = model.Tool
	default:
		f.Role = model.Tool
		g := fs.Add(model.Say)
		f = fs.At(at)
		claudeSplit(f, g)
		g.Time, g.Thread, g.Parent = f.Time, f.Thread, f.Record
		g.Flags = f.Flags
		g.Key = f.Key.With([]byte("words"))
		l.emitWords(g)
	}
	if len(l.result.agent) > 0 && results == 1 {
		id := fs.At(at).Blocks[0].ID
		claudeChild(fs, fs.At(at), id.Hash(), l.result.agent)
	}
}

// claudeSplit moves the blocks that are not results from f to g.
func claudeSplit(f, g *model.Fact) {
	n := 0
	for _, b := range f.Blocks {
		if b.Kind == model.ToolResult || !b.ID.Absent() {
			f.Blocks[n] = b
			n++
		} else {
			g.Blocks = append(g.Blocks, b)
		}
	}
	f.Blocks = f.Blocks[:n]
}

// claudeChild records that a call started a subagent, whose lines are in a separate file.
func claudeChild(fs *model.Facts, of *model.Fact, call model.Key, agent []byte) {
	at := of.Time
	g := fs.Add(model.Child)
	g.Time = at
	g.Target = call
	g.Elsewhere = model.EscapedText(agent)
}

// emitWords adds a user message and determines whether a person wrote it.
func (l *claudeLine) emitWords(f *model.Fact) {
	f.Role = model.User
	switch {
	case l.summary:
		f.Flags |= model.Recap | model.Injected
		return
	case l.meta || string(l.source) == "system":
		f.Flags |= model.Injected
	case string(l.source) == "queued":
		f.Flags |= model.Queued
	}
	if l.hidden {
		f.Flags |= model.Hidden
	}
	wrapped, real := 0, 0
	for i := range f.Blocks {
		b := &f.Blocks[i]
		if b.Kind != model.Words {
			real++
			continue
		}
		tag, rest := ClaudeWrapper(b.Text.Raw())
		switch {
		case tag == nil:
			real++
		case rest > 0:
			real++
			wrapped++
		default:
			wrapped++
			l.emitWrapped(f, b)
		}
	}
	switch {
	case wrapped == 0:
	case real == 0:
		f.Flags |= model.Injected
	default:
		claudeUnwrap(f)
	}
}

// emitWrapped records the meaning of a wrapper.
func (l *claudeLine) emitWrapped(f *model.Fact, b *model.Block) {
	switch {
	case b.Text.HasPrefix("[Request interrupted"):
		f.Flags |= model.Interrupted
		f.Outcome = model.Stopped
	case b.Text.HasPrefix("<task-notification"):
		f.Target = claudeNotified(b.Text.Raw())
	}
}

// claudeNotified returns the call that a task notification is about.
func claudeNotified(raw []byte) model.Key {
	const open, end = "<tool-use-id>", "</tool-use-id>"
	raw = raw[:min(len(raw), 2000)]
	i := bytes.Index(raw, []byte(open))
	if i < 0 {
		return 0
	}
	raw = raw[i+len(open):]
	n := bytes.Index(raw, []byte(end))
	if n < 0 {
		return 0
	}
	return model.Hash(raw[:n])
}

// claudeWrappers lists the prefixes of texts that Claude Code inserts in user messages.
var claudeWrappers = []string{
	"<ide_", "<system-reminder>", "<command-name>", "<command-message>", "<command-args>", "<local-command-",
	"<task-notification", "<bash-input>", "<bash-stdout>", "<bash-stderr>", "<user-prompt-submit-hook>", "<teammate-message",
	"<user-memory-input>", "[Request interrupted by user", "Caveat: The messages below were generated",
	"This session is being continued from a previous conversation",
}

// ClaudeWrapper reports whether a program wrote a text, by its beginning. tag is the program's tag,
// and rest the offset of a person's prompt after it (0: none). Only the envelopes of editors and
// reminders precede prompts.
func ClaudeWrapper(raw []byte) (tag []byte, rest int) {
	skipped := len(raw)
	raw = model.EscapedText(raw).TrimSpace().Raw()
	skipped -= len(raw)
	if len(raw) == 0 || raw[0] != '<' && raw[0] != '[' && raw[0] != 'C' && raw[0] != 'T' {
		return nil, 0
	}
	found := false
	for _, w := range claudeWrappers {
		if len(raw) >= len(w) && string(raw[:len(w)]) == w {
			found = true
			break
		}
	}
	if !found {
		return nil, 0
	}
	if raw[0] != '<' {
		return raw[:1], 0
	}
	tag = raw[1:]
	if n := bytes.IndexAny(tag, "> "); n >= 0 {
		tag = tag[:n]
	}
	if !bytes.HasPrefix(tag, []byte("ide_")) && string(tag) != "system-reminder" {
		return tag, 0
	}
	end := claudeTagEnd(raw, tag)
	if end < 0 || end >= len(raw) || (model.EscapedText(raw[end:])).Blank() {
		return tag, 0
	}
	if more, _ := ClaudeWrapper(raw[end:]); more != nil {
		return tag, 0
	}
	return tag, skipped + end
}

// claudeTagEnd returns the offset after </tag>, or -1.
func claudeTagEnd(raw, tag []byte) int {
	from := 0
	for {
		i := bytes.Index(raw[from:], []byte("</"))
		if i < 0 {
			return -1
		}
		from += i + 2
		if bytes.HasPrefix(raw[from:], tag) && len(raw) > from+len(tag) && raw[from+len(tag)] == '>' {
			return from + len(tag) + 1
		}
	}
}

// claudeUnwrap separates the envelopes from a real prompt: they become other blocks next to it,
// visible but not part of its words.
func claudeUnwrap(f *model.Fact) {
	for i := 0; i < len(f.Blocks); i++ {
		b := f.Blocks[i]
		if b.Kind != model.Words {
			continue
		}
		raw := b.Text.Raw()
		tag, rest := ClaudeWrapper(raw)
		if tag == nil {
			continue
		}
		f.Blocks[i].Kind = model.OtherBlock
		f.Blocks[i].Name = model.EscapedText(tag)
		if rest == 0 {
			continue
		}
		f.Blocks[i].Text = b.Text.Cut(0, rest)
		b.Text = b.Text.Cut(rest, len(raw)).TrimSpace()
		if b.Key != 0 {
			b.Key = b.Key.With([]byte("words"))
		}
		f.Add(model.Words)
		copy(f.Blocks[i+2:], f.Blocks[i+1:])
		f.Blocks[i+1] = b
		i++
	}
}
