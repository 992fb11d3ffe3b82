package dialect_test

import (
	"flag"
	"slices"
	"testing"

	"go.uber.org/goleak"

	"turns/export"
	"turns/export/dialect"
	"turns/export/exporttest"
	"turns/model/modeltest"
	"turns/query/describe"
)

func TestMain(m *testing.M) {
	flag.Parse()
	modeltest.CollectLess()
	goleak.VerifyTestMain(m)
}

// written exports a view in the named format.
func written(t testing.TB, name string, view describe.View, opts export.Options) (string, export.Report) {
	t.Helper()
	formats := dialect.Formats()
	at := slices.IndexFunc(formats, func(f export.Format) bool { return f.Name == name })
	if at < 0 {
		t.Fatalf("no format %q", name)
	}
	return exporttest.Write(t, &formats[at], view, opts)
}
