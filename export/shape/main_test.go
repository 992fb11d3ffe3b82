package shape

import (
	"context"
	"flag"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"turns/export"
	"turns/export/exporttest"
	"turns/model"
	"turns/model/modeltest"
	"turns/query/describe"
	"turns/query/querytest"
)

func TestMain(m *testing.M) {
	flag.Parse()
	modeltest.CollectLess()
	goleak.VerifyTestMain(m)
}

// writtenAs writes a view in a format of this package.
func writtenAs(t testing.TB, name string, view describe.View, opts export.Options) (string, export.Report) {
	t.Helper()
	write := map[string]func(context.Context, io.Writer, describe.View, export.Options) (export.Report, error){"json": WriteJSON, "jsonl": WriteJSONL, "dict": WriteDict, "raw": WriteRaw}[name]
	return exporttest.Write(t, &export.Format{Name: name, Write: write}, view, opts)
}

// input loads a transcript that the exports share.
func input(t testing.TB, name, format string) *model.Snapshot {
	t.Helper()
	return exporttest.FromFile(t, filepath.Join("..", "formats", "testdata", "in", name), format)
}

// TestGolden compares the export of each input in each format, with the options of the command
// line.
func TestGolden(t *testing.T) {
	for _, in := range []struct{ name, format string }{{"openai.jsonl", "openai"}, {"claude.jsonl", "claude-code"}, {"empty.jsonl", "openai"}} {
		for _, format := range []string{"json", "jsonl", "dict", "raw"} {
			t.Run(in.name+"/"+format, func(t *testing.T) {
				got, _ := writtenAs(t, format, exporttest.Everything(input(t, in.name, in.format)), export.Options{
					Indent: 2, MaxContent: 500, Metadata: true, Absolute: true, Now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), Counter: querytest.WordCounter(),
				})
				modeltest.Golden(t, filepath.Join("testdata", strings.TrimSuffix(in.name, ".jsonl")+"."+format+".golden"), got)
			})
		}
	}
}
