package format

import (
	"testing"

	"turns/model"
)

// TestBeginning: turns uses the first twelve records, or half a megabyte of a document, to check
// whether fields are in their places.
func TestBeginning(t *testing.T) {
	for n, want := range map[int]int{12: 12, 13: 12, 3: 3} {
		if got := len(beginning(&model.Sample{Records: make([][]byte, n)}).Records); got != want {
			t.Errorf("%d of %d records", got, n)
		}
	}
	for size, whole := range map[int]bool{512 << 10: true, 512<<10 + 1: false} {
		few := beginning(&model.Sample{Shape: model.Document, Doc: make([]byte, size), Whole: true})
		if len(few.Doc) != 512<<10 || few.Whole != whole {
			t.Errorf("%d of %d bytes, whole %v", len(few.Doc), size, few.Whole)
		}
	}
}
