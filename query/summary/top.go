package summary

import "slices"

// Top collects the largest items, largest first.
type Top[T any] struct {
	Size  int
	Items []topItem[T]
}

type topItem[T any] struct {
	Value int64
	Item  T
}

// Wants reports whether Offer would accept an item of this value.
func (t *Top[T]) Wants(value int64) bool {
	return value > 0 && (len(t.Items) < t.Size || value > t.Items[t.Size-1].Value)
}

// Offer inserts the item if it is among the largest; of equal items the first wins.
func (t *Top[T]) Offer(value int64, item T) {
	if !t.Wants(value) {
		return
	}
	i := len(t.Items)
	for i > 0 && t.Items[i-1].Value < value {
		i--
	}
	if len(t.Items) == t.Size {
		t.Items = t.Items[:t.Size-1]
	}
	t.Items = slices.Insert(t.Items, i, topItem[T]{value, item})
}
