package formats

import (
	"encoding/csv"
	"strings"
	"testing"

	"turns/export/exporttest"
	"turns/model"
)

// TestCorpus exports real transcripts in every format and reads the exports with third-party
// decoders.
func TestCorpus(t *testing.T) {
	exporttest.EachOfCorpus(t, func(t *testing.T, snap *model.Snapshot) {
		view := exporttest.Everything(snap)
		for _, f := range plainFormats() {
			opts := goldenOptions(f)
			opts.Workers = 1
			out, _ := written(t, f.Name, view, opts)
			switch f.Name {
			case "json", "dict":
				exporttest.Array(t, out)
			case "jsonl":
				exporttest.Lines(t, out)
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
				t.Fatal(f.Name)
			}
		}
	})
}
