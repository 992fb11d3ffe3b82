package shape

import (
	"bytes"
	"slices"

	"turns/export"
	"turns/model"
)

// ExtraBlock is a block of an element, in the order of the message.
type ExtraBlock struct {
	Kind  string `json:"kind"`            // reasoning, text, call, or hidden: reasoning without text
	Name  string `json:"name,omitempty"`  // of hidden reasoning, such as redacted_thinking
	Size  int64  `json:"size,omitempty"`  // of hidden reasoning, in bytes
	Lines int    `json:"lines,omitempty"` // of a text that one field has together with others
}

// blockOrder returns the blocks of an element; nil if its fields have them in this order: one
// reasoning, the content, the calls.
func blockOrder(blocks []model.Block, opts *export.Options) (list []ExtraBlock) {
	counts := map[string]int{}
	joins, special := true, false
	for i := range blocks {
		b := &blocks[i]
		e := ExtraBlock{Kind: "text"}
		switch {
		case b.Kind == model.Reasoning && opts.NoReasoning:
			continue
		case hidden(b):
			e = ExtraBlock{Kind: "hidden", Name: b.Name.String(), Size: b.Size}
		case b.Kind == model.Reasoning:
			e.Kind = "reasoning"
		case b.Kind == model.ToolCall || malformed(b):
			e.Kind = "call"
		case b.Text.IsNull() && b.Kind == model.Words:
			continue
		case b.Kind != model.Words || isDocument(b): // the content is a list
			joins = false
		}
		rank := slices.Index(ranks[:], e.Kind)
		special = special || rank < 0 || len(list) > 0 && rank < slices.Index(ranks[:], list[len(list)-1].Kind)
		counts[e.Kind]++
		if e.Kind == "reasoning" || e.Kind == "text" {
			e.Lines = 1 + bytes.Count(b.Text.Append(nil), []byte("\n"))
		}
		list = append(list, e)
	}
	if !special && counts["reasoning"] < 2 && (!joins || counts["text"] < 2) {
		return nil
	}
	for i := range list {
		if kind := list[i].Kind; counts[kind] < 2 || kind == "text" && !joins {
			list[i].Lines = 0
		}
	}
	return list
}

// ranks are the kinds of blocks in the order of the fields of an element.
var ranks = [...]string{"reasoning", "text", "call"}

// hidden reports whether a block is reasoning without text.
func hidden(b *model.Block) bool { return b.Kind == model.Reasoning && b.Text.Size() == 0 }
