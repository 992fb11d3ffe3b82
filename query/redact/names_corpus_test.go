package redact

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"turns/model/modeltest"
)

// TestNamesInCorpus replaces the names in real conversations: JSON stays valid, a second pass finds
// no names, and few places only look like a name. With -v it lists these for review.
func TestNamesInCorpus(t *testing.T) {
	modeltest.Long(t, "it replaces names in all conversations of the corpus")
	root := modeltest.Corpus(t)
	n := NewNames(Own{})
	r := n.Redactor(false)
	lines := 0
	for _, learns := range []bool{true, false} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil || learns {
				n.Learn(text)
				return err
			}
			for line := range bytes.Lines(text) {
				lines += 1 + bytes.Count(line, []byte(`\n`))
				out, _ := r.Redact(nil, line)
				if json.Valid(line) && !json.Valid(out) {
					t.Errorf("%s: no longer JSON", path)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	counts := map[Kind]int{}
	for _, x := range n.Replaced() {
		t.Logf("%-10s %-40s %-22s %6d", x.Kind, x.From, x.To, x.Count)
		counts[x.Kind] += x.Count
	}
	t.Logf("%d lines", lines)
	// kinds that code resembles: versions, decorators, packages
	if most := lines / 10_000; counts[Host]+counts[Address] > most+50 {
		t.Errorf("%d hosts and addresses in %d lines; conversations have fewer", counts[Host]+counts[Address], lines)
	}
}
