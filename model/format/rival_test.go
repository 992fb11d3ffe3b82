package format

import (
	"bytes"
	"strings"
	"testing"

	"turns/model"
)

// TestRival looks for a second reading of three samples: lines that the format reads completely,
// lines of which it reads only one side, and records that are not a conversation.
func TestRival(t *testing.T) {
	sample := func(lines string) *model.Sample {
		return &model.Sample{Path: "x.jsonl", Shape: model.Lines, Records: bytes.Split([]byte(lines), []byte("\n"))}
	}
	s := sample(`{"role": "user", "content": "What is a fjord?"}
{"role": "assistant", "content": "A long, narrow inlet of the sea."}
{"role": "user", "content": "Is it deep?"}
{"role": "assistant", "content": "Up to a thousand metres deep."}`)
	f, m := Detect(s)
	if got := Rival(f, m, s); got != nil {
		t.Errorf("read as %s, and close is %s", f.Name, got.Words())
	}
	deaf := *f
	deaf.Name = "deaf"
	deaf.Parse = func(rec model.Record, fs *model.Facts) error {
		if bytes.Contains(rec.Data, []byte("assistant")) {
			return nil
		}
		return f.Parse(rec, fs)
	}
	if got := Rival(&deaf, m, s); got == nil {
		t.Error("no reading is close to one that leaves the answers out")
	} else if want := f.Name + " reads 2 user and 2 assistant messages"; !strings.Contains(got.Words(), want) || !strings.Contains(got.Words(), "--from "+f.Name) {
		t.Errorf("%q, want %q and how to choose it", got.Words(), want)
	}
	s = sample(`{"a": 1, "b": [2, 3]}`)
	f, m = Detect(s)
	if got := Rival(f, m, s); got != nil {
		t.Errorf("read as %s, and close is %s", f.Name, got.Words())
	}
}
