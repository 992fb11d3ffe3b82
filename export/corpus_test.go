package export

import (
	"context"
	"encoding/csv"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"turns/model/load"
	"turns/model/modeltest"
)

// TestCorpus exports real transcripts in every format and reads what was written
// with other people's decoders.
func TestCorpus(t *testing.T) {
	root := os.Getenv("TURNS_CORPUS")
	if root == "" {
		t.Skip("TURNS_CORPUS names no corpus")
	}
	enough := int64(modeltest.Fewer(3<<20, 1<<20))
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(".json.jsonl", filepath.Ext(path)) || filepath.Ext(path) == "" {
			return err
		}
		if info, err := d.Info(); err != nil || info.Size() > enough {
			return err
		}
		c, err := load.Open(context.Background(), path, load.Options{})
		if err != nil {
			return nil // no transcript
		}
		defer c.Close()
		snap, err := c.Load(context.Background())
		if snap == nil || err != nil {
			return nil
		}
		view := everything(snap)
		t.Run(filepath.Base(path), func(t *testing.T) {
			checkTwins(t, snap)
			for _, f := range plainFormats() {
				opts := goldenOptions(f)
				opts.Workers = 1
				out, _ := export(t, f.Name, view, opts)
				switch f.Name {
				case "json", "dict":
					decodeArray(t, out)
				case "jsonl":
					decodeLines(t, out)
				case "html":
					checkPage(t, out)
				case "csv":
					if rows, err := csv.NewReader(strings.NewReader(out)).ReadAll(); err != nil || len(rows) < len(view.IDs)+1 {
						t.Errorf("csv: %d rows of %d, %v", len(rows), len(view.IDs), err)
					}
				case "markdown", "text":
					checkClean(t, out)
				}
				if t.Failed() {
					t.Fatalf("%s of %s", f.Name, path)
				}
			}
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
