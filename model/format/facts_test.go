package format

import (
	"strings"
	"testing"

	"turns/model"
	"turns/model/format/formattest"
)

const samplesDir = "../../testdata/formats"

// sampleOf returns bytes as detection sees a file of that name.
func sampleOf(path string, data []byte) *model.Sample { return formattest.Sample(path, data) }

// TestFacts detects every sample of testdata/formats/<slug>/ as <slug> and compares the facts with
// its golden file.
//
// Samples are files as on a user's disk, except for those of databases, folders and archives,
// which end in .rows.jsonl: their first line is the sample, {"tables":{"t":["column"]}} or
// {"names":["member"]}, and each other line a record, {"list":"query or member","data":{…}}.
func TestFacts(t *testing.T) {
	formattest.Samples(t, func(s *model.Sample) (*model.Format, model.Match) {
		underCeilings(t, s)
		return Detect(s)
	})
}

func TestFind(t *testing.T) {
	for _, f := range All() {
		got, err := Find(f.Name)
		if err != nil || got.Name != f.Name {
			t.Errorf("Find(%q) = %v, %v", f.Name, got, err)
		}
		if f.Title == "" || f.Detect == nil || f.Parse == nil {
			t.Errorf("%s lacks a title, Detect or Parse", f.Name)
		}
	}
	if _, err := Find("nonsense"); err == nil || !strings.Contains(err.Error(), `"nonsense"`) || !strings.Contains(err.Error(), "openai") {
		t.Errorf("the error for an unknown name says %v", err)
	}
}
