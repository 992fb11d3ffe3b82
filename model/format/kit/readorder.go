package kit

import (
	"bytes"

	"turns/model"
	"turns/model/jsonspan"
)

// order arranges the blocks of a message as a JSON export recorded them, and adds reasoning without
// text. If the message has other blocks than these, it only adds that reasoning, at the end.
func (b *readBack) order(f *model.Fact) {
	if IsEmpty(b.blocks) {
		for range min(b.reasoning, maxReadBack) {
			f.Add(model.Reasoning)
		}
		return
	}
	var hidden []model.Block
	wanted := map[string][]int{} // lines of the texts, by kind
	n := 0
	for v := range jsonspan.List(b.blocks) {
		if n++; n > maxReadBack {
			break
		}
		kind := string(jsonspan.GetString(v, "kind"))
		wanted[kind] = append(wanted[kind], int(number(v, "lines")))
		if kind == "hidden" {
			block := model.Block{Kind: model.Reasoning, Size: number(v, "size")}
			if name := jsonspan.GetString(v, "name"); name != nil {
				block.Name = model.EscapedText(name)
			}
			hidden = append(hidden, block)
		}
	}
	found := map[string][]model.Block{}
	for i := range f.Blocks {
		kind := orderKind(&f.Blocks[i])
		found[kind] = append(found[kind], f.Blocks[i])
	}
	fits := true
	for _, kind := range [...]string{"reasoning", "text", "call"} {
		if len(found[kind]) == 1 && len(wanted[kind]) > 1 {
			found[kind] = cutLines(found[kind][0], wanted[kind])
		}
		fits = fits && len(found[kind]) == len(wanted[kind])
	}
	if !fits {
		for i := range hidden {
			*f.Add(model.Reasoning) = hidden[i]
		}
		return
	}
	found["hidden"] = hidden
	f.Blocks = f.Blocks[:0]
	for v := range jsonspan.List(b.blocks) {
		kind := string(jsonspan.GetString(v, "kind"))
		if rest := found[kind]; len(rest) > 0 {
			*f.Add(rest[0].Kind) = rest[0]
			found[kind] = rest[1:]
		}
	}
}

// maxReadBack limits the blocks without text that a list creates.
const maxReadBack = 1000

// number returns a field with a number that is not negative, 0 for all other values.
func number(v []byte, name string) int64 {
	c := jsonspan.New(jsonspan.Get(v, name))
	n, _ := c.Int()
	return max(n, 0)
}

// orderKind returns the kind under which an export lists a block.
func orderKind(b *model.Block) string {
	switch {
	case b.Kind == model.Reasoning:
		return "reasoning"
	case b.Kind == model.ToolCall, b.Kind == model.OtherBlock && b.Name.Is(model.MalformedCall):
		return "call"
	}
	return "text"
}

// cutLines divides a text that an export joined from several, by their numbers of lines. It returns
// nil if the text has another number of lines.
func cutLines(joined model.Block, lines []int) (list []model.Block) {
	raw, line := joined.Text.Raw(), []byte(`\n`)
	if joined.Text.Encoding() != model.JSONString {
		return nil
	}
	at, start := 0, 0
	for i, n := range lines {
		for ; n > 0; n-- {
			k := bytes.Index(raw[at:], line)
			for k > 0 && escapedAt(raw[:at+k]) {
				next := bytes.Index(raw[at+k+1:], line)
				if k += 1 + next; next < 0 {
					k = -1
				}
			}
			switch {
			case k >= 0:
				at += k + len(line)
			case n == 1 && i == len(lines)-1:
				at = len(raw) + len(line)
			default:
				return nil
			}
		}
		end := at - len(line)
		if end < start {
			return nil
		}
		b := joined
		b.Text = joined.Text.Cut(start, end)
		list = append(list, b)
		start = at
	}
	if at != len(raw)+len(line) {
		return nil
	}
	return list
}

// escapedAt reports whether the byte behind the inside of a JSON string is a part of an escape.
func escapedAt(before []byte) bool {
	n := len(before) - len(bytes.TrimRight(before, `\`))
	return n%2 == 1
}
