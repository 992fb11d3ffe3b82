package transcripts

import (
	"fmt"
	"slices"
	"testing"

	"turns/model"
	"turns/model/load"
)

// TestRowsOfStoresComeInTheOrderOfTime mixes stores with files: their conversations are sorted in
// by time, and those older than all files are at the end.
func TestRowsOfStoresComeInTheOrderOfTime(t *testing.T) {
	file := func(path string, at int64) load.Listed {
		return load.Listed{Summary: model.Summary{Path: path, Written: at}}
	}
	store := func(path string, at int64, last ...int64) load.Listed {
		l := file(path, at)
		for i, at := range last {
			l.Parts = append(l.Parts, load.Part{Number: i, Summary: model.Summary{Last: at}})
		}
		return l
	}
	broken := load.Listed{Summary: model.Summary{Path: "broken"}, Err: fmt.Errorf("broken")}
	list := []load.Listed{file("a", 100), store("db", 90, 20, 85, 0), file("b", 80), broken, store("tree", 70, 60, 95), file("c", 50), file("d", 10)}
	want := []string{"a", "db#2", "db#1", "b", "broken", "tree#1", "tree#0", "c", "db#0", "d"}
	var got []string
	for l := range rowsOf(slices.Values(list)) {
		got = append(got, l.Path)
	}
	if !slices.Equal(got, want) {
		t.Errorf("rows %q, want %q", got, want)
	}
	for n := range want { // the loop may stop anywhere
		seen := 0
		for range rowsOf(slices.Values(list)) {
			if seen++; seen > n {
				break
			}
		}
	}
}
