package formats

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"turns/export"
	"turns/export/exporttest"
	"turns/model"
	"turns/model/modeltest"
)

func TestEmpty(t *testing.T) {
	view := exporttest.Everything(model.FromMessages(nil))
	for name, want := range map[string]string{"json": "[]\n", "jsonl": "", "dict": "[]\n", "csv": "index,role,content,tool_name,tool_call_id,token_count\n", "raw": ""} {
		if got, _ := written(t, name, view, export.Options{Indent: 2}); got != want {
			t.Errorf("%s: got %q", name, got)
		}
	}
	for _, name := range []string{"markdown", "html", "text"} {
		if got, _ := written(t, name, view, export.Options{}); !strings.Contains(got, "0 messages") {
			t.Errorf("%s: got %q", name, got)
		}
	}
}

type failing struct{ left int }

func (f *failing) Write(b []byte) (int, error) {
	if f.left -= len(b); f.left < 0 {
		return 0, errors.New("disk full")
	}
	return len(b), nil
}

func TestWriteErrors(t *testing.T) {
	modeltest.Long(t, "it writes a long conversation in every format")
	var b strings.Builder
	for i := range 20000 {
		fmt.Fprintf(&b, `{"role":"user","content":"%d %s"}`+"\n", i, strings.Repeat("word ", 20))
	}
	view := exporttest.Everything(exporttest.FromBytes(t, b.String(), "openai"))
	for _, f := range plainFormats() {
		if _, err := f.Write(context.Background(), &failing{100_000}, view, export.Options{}); err == nil || !strings.Contains(err.Error(), "disk full") {
			t.Errorf("%s: %v", f.Name, err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := f.Write(ctx, io.Discard, view, export.Options{}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
}
