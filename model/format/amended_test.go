package format

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"turns/model"
	"turns/model/modeltest"
)

// TestNothingIsAmendedInVain checks transcripts without changed names.
func TestNothingIsAmendedInVain(t *testing.T) {
	for _, root := range []string{"../../testdata/formats", os.Getenv("TURNS_CORPUS")} {
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !modeltest.SomeNamed(path, 1) || !strings.HasSuffix(path, ".json") && !strings.HasSuffix(path, ".jsonl") {
				return nil
			}
			data, err := os.ReadFile(path)
			if err != nil || len(data) > 1<<18 {
				return err
			}
			s := sampleOf(path, data)
			if s.Shape != model.Lines && s.Shape != model.Document {
				return nil
			}
			f, m := detect(s)
			if g, n := Detect(s); g.Name != f.Name || n != m {
				t.Errorf("%s: %s (%s) for %s (%s)", path, g.Name, n.Reason, f.Name, m.Reason)
			}
			return nil
		})
	}
}
