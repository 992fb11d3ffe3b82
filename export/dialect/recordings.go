package dialect

import (
	"bytes"
	"cmp"
	"hash/maphash"
	"sort"

	"turns/model"
	"turns/model/jsonspan"
	"turns/query/provider"
)

// recordings are the recorded blocks of a message. They are found by content, not only by position,
// because records may have been split; and by a lookup, because a message may have tens of
// thousands.
type recordings struct {
	raws   [][]byte
	places map[recordedKey][]int // ascending
	seed   maphash.Seed
	looks  int // compared blocks, counted for tests
}

// recordedKey holds the common properties of a block and its recording.
type recordedKey struct {
	kind model.BlockKind
	what byte // id, name, text …
	hash uint64
}

func newRecordings(raws [][]byte) *recordings {
	r := &recordings{raws: raws, places: make(map[recordedKey][]int, len(raws)), seed: maphash.MakeSeed()}
	for i, raw := range raws {
		k := r.recorded(raw)
		r.places[k] = append(r.places[k], i)
	}
	return r
}

func (r *recordings) key(kind model.BlockKind, what byte, s string) recordedKey {
	return recordedKey{kind, what, maphash.String(r.seed, s)}
}

// recorded returns the key of a recording.
func (r *recordings) recorded(raw []byte) recordedKey {
	kind, _ := kindOf(raw)
	switch kind {
	case model.Words:
		return r.key(kind, 't', firstString(raw, wordsNames...))
	case model.Reasoning:
		text := firstString(raw, reasoningNames...)
		if text == "" && jsonspan.Get(raw, "summary") != nil {
			return r.key(kind, 's', "")
		}
		return r.key(kind, 't', text)
	case model.ToolCall, model.ToolResult:
		id, name, named := recordedCall(raw)
		switch {
		case id != "":
			return r.key(kind, 'i', id)
		case named:
			return r.key(kind, 'n', name)
		}
		return r.key(kind, 'i', "")
	}
	return r.key(kind, 0, "")
}

// keys returns the possible keys of a block's recording.
func (r *recordings) keys(b *provider.WireBlock) (keys [2]recordedKey) {
	switch b.Kind {
	case model.Words:
		return [2]recordedKey{r.key(b.Kind, 't', b.Text)}
	case model.Reasoning:
		return [2]recordedKey{r.key(b.Kind, 't', b.Text), r.key(b.Kind, 's', "")}
	case model.ToolCall, model.ToolResult:
		if b.ID != "" {
			return [2]recordedKey{r.key(b.Kind, 'i', b.ID)}
		}
		return [2]recordedKey{r.key(b.Kind, 'i', ""), r.key(b.Kind, 'n', b.Name)}
	}
	return [2]recordedKey{r.key(b.Kind, 0, "")}
}

// find returns the first recording of a block at or after an index, -1 if there is none.
func (r *recordings) find(b *provider.WireBlock, from int) int {
	found := -1
	for _, k := range r.keys(b) {
		list := r.places[k]
		for n := sort.SearchInts(list, from); n < len(list) && (found < 0 || list[n] < found); n++ {
			if r.looks++; recordedAs(b, r.raws[list[n]]) {
				found = list[n]
				break
			}
		}
	}
	return found
}

// attach assigns their recordings to blocks, in order.
func (r *recordings) attach(blocks []provider.WireBlock) {
	var next [8]int
	for i := range blocks {
		b := &blocks[i]
		k := int(b.Kind) & 7
		if n := r.find(b, next[k]); n >= 0 {
			b.Raw, next[k] = bytes.Clone(r.raws[n]), n+1
		}
	}
}

var (
	wordsNames     = []string{"text", "content"}
	reasoningNames = []string{"thinking", "text", "reasoning", "content"}
)

// recordedAs reports whether raw is the recording of a block.
func recordedAs(b *provider.WireBlock, raw []byte) bool {
	kind, _ := kindOf(raw)
	if kind != b.Kind {
		return false
	}
	switch kind {
	case model.Words:
		return b.Text == firstString(raw, wordsNames...)
	case model.Reasoning:
		text := firstString(raw, reasoningNames...)
		return b.Text == text || b.Text != "" && text == "" && jsonspan.Get(raw, "summary") != nil
	case model.ToolCall, model.ToolResult:
		id, name, named := recordedCall(raw)
		return id == b.ID && (id != "" || !named || name == b.Name)
	}
	return true
}

// recordedCall returns the id of the call that a block makes or answers, and its name if the
// provider identifies calls by name.
func recordedCall(raw []byte) (id, name string, named bool) {
	id = firstString(raw, "call_id", "tool_use_id", "tool_call_id", "toolCallId", "id")
	for _, field := range [...]string{"functionCall", "functionResponse"} {
		if v := jsonspan.Get(raw, field); v != nil && !named {
			named, name = true, firstString(v, "name")
			id = cmp.Or(id, firstString(v, "id"))
		}
	}
	return id, name, named
}
