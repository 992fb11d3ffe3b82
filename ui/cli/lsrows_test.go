package cli

import (
	"bufio"
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"turns/model"
	"turns/query/session"
)

func TestRowsAreWrittenAsTheyAreFound(t *testing.T) {
	var out bytes.Buffer
	w := bufio.NewWriterSize(&out, 1<<16)
	a := &app{json: true}
	s := session.Session{Summary: model.Summary{Path: "a.jsonl"}}
	if err := newSessionRows(a, w, func() {}).add(&s); err != nil {
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
