package format

import (
	"bytes"
	"slices"

	"turns/model"
	"turns/model/jsonspan"
)

// What the formats of terminal agents have in common beyond the chat formats.

// cliDocument is the JSON document of a sample: one of several lines, or one
// that was written on a single line, which looks like a line of JSON lines. nil
// where the sample is no document.
func cliDocument(s *model.Sample) []byte {
	switch {
	case s.Shape == model.Document:
		return s.Doc
	case s.Shape == model.Lines && len(s.Records) == 1 && s.Bad == 0:
		return s.Records[0]
	}
	return nil
}

// cliKeep keeps a value that the model has no place for under its own name. Names
// by which an About fact describes the conversation mean something else where
// they are met by chance.
func cliKeep(f *model.Fact, name, v []byte) {
	if isEmpty(v) {
		return
	}
	s, ok := cliNames[string(name)]
	if !ok {
		s = string(name)
	}
	if slices.Contains(model.AboutNames[:], s) {
		s = "recorded " + s
	}
	f.Keep(s, model.ValueText(v))
}

// cliNames are names that many records have, so that keeping them costs no memory.
var cliNames = func() map[string]string {
	names := map[string]string{}
	for _, s := range [...]string{
		"provider", "details", "thinkingLevel", "turnId", "toolName", "action", "origin", "kind", "thinkingEffort", "finishReason", "messageId",
		"llmFirstTokenLatencyMs", "llmStreamDurationMs", "llmRequestBuildMs", "llmServerFirstTokenMs", "llmServerDecodeMs", "llmClientConsumeMs",
		"description", "sessionApprovalRule", "maxTokens", "toolSelect", "systemPromptHash", "toolsHash", "messageCount", "turnStep", "thinkingKeep",
		"surfaceOp", "model_fingerprint", "reasoning_effort", "prompt_index", "truncated_fields", "reasoning_message_id", "pinned", "projectHash",
	} {
		names[s] = s
	}
	return names
}()

// cliStart begins a record that must be an object: false, with a note added,
// where it is another value.
func cliStart(c *jsonspan.Cursor, fs *model.Facts) bool {
	if c.Kind() == jsonspan.Object {
		return true
	}
	v := c.Skip()
	if c.Err == nil {
		note(fs, "value").AddText(model.OtherBlock, model.ValueText(v))
	}
	return false
}

// cliNote makes of a fact that was begun as something else a note; what the
// record says besides is the note's text.
func cliNote(f *model.Fact, kind []byte, raw []byte) {
	f.Op, f.Role, f.Key, f.Join = model.Note, model.NoRole, 0, model.Union
	f.Name = model.EscapedText(kind)
	if len(kind) == 0 {
		f.Name = cliRecordName
	}
	if len(f.Blocks) == 0 && raw != nil {
		f.AddText(model.OtherBlock, model.ValueText(raw))
	}
}

var cliRecordName = model.StringText("record")

// cliSplitUser takes the user's message that is the last fact apart (results,
// injected text, the user's own words) and gives what came of it the place that
// the message has in its conversation: one after the other.
func cliSplitUser(fs *model.Facts) {
	at := fs.Len() - 1
	base := *fs.At(at)
	cliCutInjected(fs.At(at))
	splitUser(fs)
	for i := at; i < fs.Len(); i++ {
		f := fs.At(i)
		f.Join, f.Record, f.Parent, f.Seq = base.Join, 0, base.Parent, base.Seq
		switch {
		case base.Parent != 0 && i > at:
			f.Parent = fs.At(i - 1).Key
		case base.Parent == 0 && base.Join == model.Union && i < fs.Len()-1:
			f.Key = 0 // nobody goes back to it, and so it lies on no branch
		}
		if i == fs.Len()-1 { // the record is what others name as their parent
			f.Record = base.Record
		}
	}
}

// cliCutInjected takes what a program put before a user's words into the same text
// apart from them: <system-reminder>…</system-reminder> and the like.
func cliCutInjected(f *model.Fact) {
	for i := 0; i < len(f.Blocks); i++ {
		b := &f.Blocks[i]
		if b.Kind != model.Words || !isInjected(b.Text) {
			continue
		}
		end := cliTagEnd(b.Text)
		if end == 0 {
			continue
		}
		rest := b.Text.Cut(end, b.Text.Size())
		if rest.Blank() {
			continue
		}
		b.Text = b.Text.Cut(0, end)
		f.Blocks = slices.Insert(f.Blocks, i+1, model.Block{Kind: model.Words, Text: rest.TrimSpace()})
	}
}

// cliTagEnd is where the element ends that a text begins with, 0 if it begins with
// none or does not end it.
func cliTagEnd(t model.Text) int {
	raw := t.Raw()
	start := bytes.IndexByte(head(t, 40), '<')
	if start < 0 {
		return 0
	}
	n := bytes.IndexByte(raw[start:min(len(raw), start+60)], '>')
	if n < 0 {
		return 0
	}
	name := raw[start+1 : start+n]
	for at := start + n; ; {
		i := bytes.Index(raw[at:], []byte("</"))
		if i < 0 {
			return 0
		}
		at += i + 2
		if end := at + len(name); bytes.HasPrefix(raw[at:], name) && end < len(raw) && raw[end] == '>' {
			return end + 1
		}
	}
}

// cliLines is how many records of a sample of lines fit, and how many there are.
func cliLines(s *model.Sample, fits func(line []byte) bool) (fit, all int) {
	if s.Shape != model.Lines {
		return 0, 0
	}
	for _, line := range s.Records {
		if fits(line) {
			fit++
		}
	}
	return fit, len(s.Records)
}

// cliMost is the match of a sample of lines most of which fit.
func cliMost(s *model.Sample, score int, reason string, fits func(line []byte) bool) model.Match {
	if fit, all := cliLines(s, fits); fit > 0 && fit*2 >= all {
		return model.Match{Score: score, Reason: reason}
	}
	return model.Match{}
}
