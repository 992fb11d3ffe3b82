package kit

import (
	"strings"
	"testing"

	"turns/model"
)

// TestUnclosedElements: after 16 elements without an end, the rest of a text is plain text.
func TestUnclosedElements(t *testing.T) {
	for misses, want := range map[int]int{15: 2, 16: 1} {
		var f model.Fact
		EvalWords(&f, model.StringText(strings.Repeat("<tool_call>", misses)+"<think>so</think>ok"))
		if got := len(f.Blocks); got < want || want == 1 && got > 1 {
			t.Errorf("after %d elements without an end: %d blocks, want %d", misses, got, want)
		}
	}
}
