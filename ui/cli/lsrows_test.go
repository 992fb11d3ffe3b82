package cli

import (
	"bufio"
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"turns/model/load"
)

// TestRowsOfStoresComeInTheOrderOfTime has stores among files: their conversations
// come where they belong, and what is older than all files at the end.
func TestRowsOfStoresComeInTheOrderOfTime(t *testing.T) {
	file := func(path string, at int64) load.Listed {
		return load.Listed{Summary: load.Summary{Path: path, Written: at}}
	}
	store := func(path string, at int64, last ...int64) load.Listed {
		l := file(path, at)
		for i, at := range last {
			l.Parts = append(l.Parts, load.Part{Number: i, Summary: load.Summary{Last: at}})
		}
		return l
	}
	broken := load.Listed{Summary: load.Summary{Path: "broken"}, Err: fmt.Errorf("broken")}
	list := []load.Listed{file("a", 100), store("db", 90, 20, 85, 0), file("b", 80), broken, store("tree", 70, 60, 95), file("c", 50), file("d", 10)}
	want := []string{"a", "db#2", "db#1", "b", "broken", "tree#1", "tree#0", "c", "db#0", "d"}
	var got []string
	for l := range rowsOf(slices.Values(list)) {
		got = append(got, l.Path)
	}
	if !slices.Equal(got, want) {
		t.Errorf("rows %q, want %q", got, want)
	}
	for n := range want { // whoever has seen enough may stop anywhere
		seen := 0
		for range rowsOf(slices.Values(list)) {
			if seen++; seen > n {
				break
			}
		}
	}
}

// TestRowsAreWrittenAsTheyAreFound has rows reach the reader before the list is at
// its end: of JSON each, of a table a page.
func TestRowsAreWrittenAsTheyAreFound(t *testing.T) {
	var out bytes.Buffer
	w := bufio.NewWriterSize(&out, 1<<16)
	a := &app{json: true}
	if err := a.listed(w, nil, &load.Summary{Path: "a.jsonl"}); err != nil {
		t.Fatal(err)
	}
	if line := out.String(); !strings.Contains(line, `"path":"a.jsonl"`) || !strings.HasSuffix(line, "\n") {
		t.Errorf("of a row of JSON there is %q", line)
	}
	out.Reset()
	cleared := 0
	table := columns{w: w, before: func() { cleared++ }, begun: time.Now().Add(time.Hour)}
	row := func(n int) []string { return []string{fmt.Sprint("row", n), "世界", "end"} }
	for n := range pageRows {
		if out.Len() > 0 {
			t.Fatalf("written after %d rows", n)
		}
		if err := table.add(row(n)...); err != nil {
			t.Fatal(err)
		}
	}
	page := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(page) != pageRows || page[0] != "row0   世界  end" || page[10] != "row10  世界  end" || cleared != 1 {
		t.Errorf("the first page is %q", page)
	}
	out.Reset()
	if err := table.add("a", "b", "c"); err != nil {
		t.Fatal(err)
	}
	if err := table.flush(); err != nil || out.String() != "a      b     c\n" {
		t.Errorf("the next page is %q, %v: the columns should stand as before", out.String(), err)
	}
}
