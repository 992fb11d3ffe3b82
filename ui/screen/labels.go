package screen

import (
	"slices"

	"turns/model"
	"turns/query/label"
)

// Labelled is what people said of runs, and of the one that is shown.
type Labelled struct {
	Set  *label.Set
	Here *label.Here
}

// Labels is what is said of a row: of its call, else of the line of its message. What is
// said of a turn stands at its prompt.
func (h *Host) Labels(key RowKey, call model.CallID) []*label.Placed {
	all := h.Said.Here.At(key.ID)
	return slices.DeleteFunc(all, func(p *label.Placed) bool { return !stands(p, key, call) })
}

func stands(p *label.Placed, key RowKey, call model.CallID) bool {
	if p.Call != NoCall || call != NoCall {
		return p.Call == call
	}
	return KeyOf(p) == key
}

// KeyOf is the row that a label was set on; one of a call stands where its call does.
func KeyOf(p *label.Placed) RowKey {
	return RowKey{ID: p.ID, Kind: RowKind(p.At.Rule), N: p.At.Line}
}

// Glyph is what stands in a row for its labels; 0: nothing is said.
func (h *Host) Glyph(key RowKey, call model.CallID) rune {
	if all := h.Labels(key, call); len(all) > 0 {
		return label.Glyph(label.Marks(all))
	}
	return 0
}

// Letters are the rows with a letter, as a key set it; of a letter the last one.
func (h *Host) Letters() map[rune]*label.Placed {
	out := map[rune]*label.Placed{}
	all := h.Said.Here.All()
	for i := range all {
		if r, ok := all[i].Letter(); ok && all[i].ID != model.NoID {
			out[r] = &all[i]
		}
	}
	return out
}
