package transcripts

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"turns/model"
	"turns/model/modeltest"
	"turns/query/session"
)

// TestReads: a session is new until the user has read its last record, and again when it has
// grown.
func TestReads(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	r := OpenReads(dir)
	rows := []session.Session{
		{Summary: model.Summary{Path: "/a.jsonl", Last: 500, Written: 900}}, {Summary: model.Summary{Path: "/b.jsonl", Written: 900}}, {Summary: model.Summary{Path: "c.jsonl", Last: 1}},
	}
	state := func(r *Reads) (s string) {
		r.Mark(rows)
		for i := range rows {
			s += map[bool]string{true: "N", false: "."}[rows[i].New]
		}
		return s
	}
	if got := state(r); got != "NNN" {
		t.Errorf("before: %s", got)
	}
	for path, read := range map[string]Read{"/a.jsonl": {Rows: 9, Last: 500, When: 700}, "/b.jsonl": {When: 1000}, "./c.jsonl": {Rows: 1, Last: 1, When: 5}} {
		if err := r.Keep(path, read); err != nil {
			t.Fatal(err)
		}
	}
	for name, r := range map[string]*Reads{"this one": r, "the next one": OpenReads(dir)} {
		if got := state(r); got != "..." {
			t.Errorf("%s: %s", name, got)
		}
	}
	rows[0].Last, rows[1].Written = 501, 1001
	if got := state(r); got != "NN." {
		t.Errorf("grown: %s", got)
	}
	if read, ok := OpenReads(dir).Of("/a.jsonl"); !ok || read != (Read{Rows: 9, Last: 500, When: 700}) {
		t.Errorf("read %+v %v", read, ok)
	}
	if err := r.KeepList(77); err != nil || OpenReads(dir).LeftList() != 77 {
		t.Error(err, OpenReads(dir).LeftList())
	}
	var none *Reads
	if _, ok := none.Of("/a.jsonl"); ok || none.LeftList() != 0 || none.Keep("/a", Read{}) != nil || OpenReads("") != nil {
		t.Error("without a folder something is remembered")
	}
	if err := os.WriteFile(filepath.Join(dir, "read.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := state(OpenReads(dir)); got != "NNN" {
		t.Errorf("of a broken file: %s", got)
	}
}

// TestManyKeepReads: several programs write concurrently without losing changes.
func TestManyKeepReads(t *testing.T) {
	modeltest.Unix(t, "locks between programs")
	dir := t.TempDir()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			if err := OpenReads(dir).Keep(fmt.Sprintf("/%d", i), Read{Rows: i}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := len(OpenReads(dir).file.Read); n != 8 {
		t.Errorf("%d of 8 are there", n)
	}
}
