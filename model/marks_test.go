package model

import (
	"slices"
	"strings"
	"testing"
)

// FuzzMarks: a sample that remembers has the same marks as one that searches again.
func FuzzMarks(f *testing.F) {
	f.Add(`{"role":"user","tool-call":"x","lc":1}`, `"lc"`, false)
	f.Add(`{"role":"user"}|{"items":[]}|"par`, `"parts"`, true)
	f.Add(`{"a":"\"lc\""}`, `_call"`, true)
	f.Add(`"lc"`, `"lc"`, false)
	f.Fuzz(func(t *testing.T, text, mark string, lines bool) {
		s := &Sample{Shape: Document, Doc: []byte(text)}
		if lines {
			s = &Sample{Shape: Lines}
			for line := range strings.SplitSeq(text, "|") {
				s.Records = append(s.Records, []byte(line))
			}
		}
		seen := s.Remembering()
		tried := []string{mark, `"` + mark}
		for i := range len(text) {
			for _, n := range []int{3, 4, 5, 6, 9} {
				tried = append(tried, text[i:min(i+n, len(text))])
			}
		}
		for _, mark := range slices.Compact(tried) {
			if got, want := seen.Has(mark), s.Has(mark); got != want {
				t.Errorf("%q in %q: %v, want %v", mark, text, got, want)
			}
			if s.Has(mark) && seen.Lacks(mark) {
				t.Errorf("%q lacks %q", text, mark)
			}
		}
	})
}

// TestMarksOfAnother: a sample's marks are not used for a copy with other content.
func TestMarksOfAnother(t *testing.T) {
	s := (&Sample{Shape: Document, Doc: []byte(`{"role":"user"}`)}).Remembering()
	if s.Has(`"parts"`) {
		t.Fatal("it has what it does not hold")
	}
	other := *s
	other.Doc = []byte(`{"parts":["x"]}`) // of the same length
	if !other.Has(`"parts"`) {
		t.Error("the copy has not what it holds")
	}
}
