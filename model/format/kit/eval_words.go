package kit

import (
	"bytes"

	"turns/model"
)

// evalElements are the elements that models and applications put around parts of a text other than
// words.
var evalElements = []struct {
	open, close string
	kind        model.BlockKind
}{
	{"<think>", "</think>", model.Reasoning},
	{"<thinking>", "</thinking>", model.Reasoning},
	{"<tool_call>", "</tool_call>", model.ToolCall},
	{"<tool_response>", "</tool_response>", model.ToolResult},
}

// EvalWords adds a text with its reasoning, calls and results in order. An unclosed element counts
// as text.
func EvalWords(f *model.Fact, t model.Text) {
	raw := t.Raw()
	if bytes.IndexByte(raw, '<') < 0 {
		f.AddText(model.Words, t)
		return
	}
	words := func(from, to int) {
		if part := t.Cut(from, to).TrimSpace(); !part.Empty() {
			f.AddText(model.Words, part)
		}
	}
	from := 0
	for at, misses := 0, 0; at < len(raw) && misses < MaxMisses; {
		i := bytes.IndexByte(raw[at:], '<')
		if i < 0 {
			break
		}
		at += i
		length := evalElement(f, t, at, func() { words(from, at) })
		if length <= 0 {
			misses -= length
			at++
			continue
		}
		at += length
		from = at
	}
	if from == 0 {
		f.AddText(model.Words, t)
		return
	}
	words(from, len(raw))
}

// MaxMisses limits the unclosed elements of a text for which EvalWords searches an end, because
// each search reaches the end of the text.
const MaxMisses = 16

// evalElement adds the element at an offset of a text and returns its length. It returns 0 if there
// is none, and -1 if it has no end. It calls before first.
func evalElement(f *model.Fact, t model.Text, at int, before func()) int {
	raw := t.Raw()[at:]
	if len(raw) < 2 || raw[1] != 't' && raw[1] != 'd' { // all names begin with t or d
		return 0
	}
	if HasPrefix(raw, detailsOpen) {
		return detailsElement(f, t, at, before)
	}
	for i := range evalElements {
		e := &evalElements[i]
		if !HasPrefix(raw, e.open) {
			continue
		}
		end := bytes.Index(raw, []byte(e.close))
		if end < 0 {
			return -1
		}
		start := len(e.open)
		before()
		inner := t.Cut(at+start, at+end).TrimSpace()
		switch e.kind {
		case model.ToolCall:
			b := f.Add(model.ToolCall)
			b.Name, b.Text = CallInString(inner.Raw())
		case model.ToolResult:
			b := f.Add(model.ToolResult)
			b.Text, b.Outcome = inner, OutcomeOfText(inner)
		default:
			f.AddText(e.kind, inner)
		}
		return end + len(e.close)
	}
	return 0
}
