package jsonspan

import (
	"strings"
	"testing"
)

// TestNestedValues: values nest up to 10,000, for a walk and for a value that is skipped.
func TestNestedValues(t *testing.T) {
	for depth, want := range map[int]bool{10_000: true, 10_001: false} {
		text := []byte(strings.Repeat("[", depth) + strings.Repeat("]", depth))
		if c := New(text); c.Skip() != nil != want || (c.Err == nil) != want {
			t.Errorf("a value with %d lists in each other: %v", depth, c.Err)
		}
		c := New(text)
		for range depth {
			c.Array()
		}
		if (c.Err == nil) != want {
			t.Errorf("a walk into %d lists: %v", depth, c.Err)
		}
	}
}
