package model

import (
	"strings"
	"testing"
)

// TestRecordsOverTheLimit: the first 64 kB of a record over the limit are shown.
func TestRecordsOverTheLimit(t *testing.T) {
	for size, want := range map[int]int{64 << 10: 64 << 10, 64<<10 + 1: 64 << 10, 100: 100} {
		var r parsedRecord
		src := &Source{Stream: strings.NewReader(strings.Repeat("x", size)), Limit: 10}
		if err := r.parseTooLarge(src, Ref{Len: uint32(size)}); err != nil || len(r.data) != want || r.err == nil {
			t.Errorf("%d bytes: %d are shown, %v, %v", size, len(r.data), err, r.err)
		}
	}
}
