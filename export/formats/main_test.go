package formats

import (
	"bytes"
	"flag"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"turns/export"
	"turns/export/exporttest"
	"turns/model"
	"turns/model/modeltest"
	"turns/query"
	"turns/query/describe"
)

func TestMain(m *testing.M) {
	flag.Parse()
	modeltest.CollectLess()
	goleak.VerifyTestMain(m)
}

// snapshot loads a transcript of testdata/in.
func snapshot(t testing.TB, name, format string) *model.Snapshot {
	t.Helper()
	return exporttest.FromFile(t, filepath.Join("testdata", "in", name), format)
}

func written(t testing.TB, name string, view describe.View, opts export.Options) (string, export.Report) {
	t.Helper()
	f, err := Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return exporttest.Write(t, &f, view, opts)
}

// goldenOptions returns the options that the command line passes.
func goldenOptions(f export.Format) export.Options {
	return export.Options{
		Indent: 2, MaxContent: 500, Metadata: true, Redact: f.People, Absolute: !f.People,
		Now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), Counter: wordCounter(),
	}
}

// wordCounter counts words.
func wordCounter() *query.Counter {
	return &query.Counter{New: func() query.TokenCounter { return words{} }, Encoding: "words"}
}

type words struct{}

func (words) Count(text []byte) int { return len(bytes.Fields(text)) }

var inputs = []struct{ name, format string }{
	{"openai.jsonl", "openai"}, {"claude.jsonl", "claude-code"}, {"empty.jsonl", "openai"},
}

func TestFind(t *testing.T) {
	if f, err := Find(" Markdown "); err != nil || f.Name != "markdown" {
		t.Errorf("got %q, %v", f.Name, err)
	}
	_, err := Find("yaml")
	if err == nil {
		t.Fatal("no error")
	}
	for _, name := range Names() {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("%q is not in %q", name, err)
		}
	}
	for _, f := range All() {
		if f.Help == "" || f.Ext == "" || f.Write == nil {
			t.Errorf("%q is incomplete", f.Name)
		}
	}
}
