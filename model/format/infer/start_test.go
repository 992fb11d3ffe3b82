package infer

import (
	"testing"

	"turns/model"
)

func TestStart(t *testing.T) {
	lines := func(s ...string) *model.Sample {
		sample := &model.Sample{Shape: model.Lines}
		for _, line := range s {
			sample.Records = append(sample.Records, []byte(line))
		}
		return sample
	}
	for _, test := range []struct {
		name           string
		sample         *model.Sample
		at, text, role string
	}{
		{"lines", lines(`{"move":1,"board":"the queen takes a pawn"}`, `{"move":2,"board":"the king goes away"}`), "", "board", "=assistant"},
		{"who speaks", lines(`{"party":"north","said":"we open the lock"}`, `{"party":"south","said":"we close it again"}`,
			`{"party":"north","said":"then we wait for you"}`, `{"party":"south","said":"so do all of us"}`), "", "said", "party"},
		{"a list in a document", &model.Sample{Shape: model.Document, Doc: []byte(`{"steps":[{"n":1,"log":"the first of them all"},{"n":2,"log":"the second one of them"}]}`)}, "", "log", "=assistant"},
		{"nothing but numbers", lines(`{"a":1}`, `{"a":2}`), "", "", ""},
	} {
		d := Start(test.sample)
		if d == nil {
			if test.text != "" {
				t.Errorf("%s: no start", test.name)
			}
			continue
		}
		if r := d.Rules[0]; r.Text != test.text || r.Role != test.role || r.At != test.at {
			t.Errorf("%s: at %q text %q role %q, want %q, %q and %q", test.name, r.At, r.Text, r.Role, test.at, test.text, test.role)
		}
	}
}
