package evals

import (
	"slices"
	"testing"
)

// TestLeaves: the main leaf of a tree is the recorded one or the deepest, and nodes outside of its
// path belong to the leaf below them.
func TestLeaves(t *testing.T) {
	for _, c := range []struct {
		parents []string
		reply   string
		want    []int
	}{
		{[]string{"null", "0", "1"}, "null", []int{2, 2, 2}},
		{[]string{"null", "0", "0", "2"}, "null", []int{3, 1, 3, 3}},
		{[]string{"null", "0", "0"}, "null", []int{1, 1, 2}},
		{[]string{"null", "0", "0"}, "2", []int{2, 1, 2}},
		{[]string{"null", "0", "0"}, "0", []int{0, 1, 2}},
		{[]string{"null", "0", "0"}, "3", []int{1, 1, 2}},
		{[]string{"null", "0", "0"}, "-1", []int{1, 1, 2}},
		{[]string{"null", "1", "-1"}, "null", []int{0, 1, 2}}, // no parents
	} {
		var nodes [][]byte
		for _, parent := range c.parents {
			nodes = append(nodes, []byte(`{"parent":`+parent+`}`))
		}
		if got := verifiersLeaves(nodes, []byte(c.reply)); !slices.Equal(got, c.want) {
			t.Errorf("parents %v and the reply %s: %v, want %v", c.parents, c.reply, got, c.want)
		}
	}
}
