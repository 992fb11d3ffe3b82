package format

import (
	"testing"

	"turns/model"
)

// TestWhatMayBeAnEnvelope: records of a family whose messages are inside of them, and lists of any
// format.
func TestWhatMayBeAnEnvelope(t *testing.T) {
	const message, other, list = `{"role":"user","content":"hi"}`, `{"body":{"role":"user","content":"hi"}}`, `[{"role":"user","content":"hi"}]`
	lines := func(records ...string) *model.Sample {
		s := &model.Sample{Shape: model.Lines}
		for _, r := range records {
			s.Records = append(s.Records, []byte(r))
		}
		return s
	}
	document := func(doc string) *model.Sample { return &model.Sample{Shape: model.Document, Doc: []byte(doc)} }
	after := func(bad int) *model.Sample {
		s := lines(message)
		s.Bad = bad
		return s
	}
	for _, c := range []struct {
		name   string
		sample *model.Sample
		score  int
		want   bool
	}{
		{"lines that are messages", lines(message, other), familyScore, false},
		{"lines that are not", lines(other, message), familyScore, true},
		{"lines that are not, of a specific format", lines(other), familyScore + 1, false},
		{"lists of a specific format", lines(list), familyScore + 1, true},
		{"no lines", lines(), familyScore, false},
		{"no lines of a specific format", lines(), familyScore + 1, false},
		{"one message after other text", after(1), familyScore, true},
		{"one message", after(0), familyScore, false},
		{"a document that is a message", document(message), familyScore, false},
		{"a document that is not", document(other), familyScore, true},
		{"a document that is not, of a specific format", document(other), familyScore + 1, false},
		{"a document that is a list", document(list), familyScore, false},
		{"text", &model.Sample{Shape: model.Prose}, familyScore, false},
	} {
		if got := mayWrap(c.sample, model.Match{Score: c.score}); got != c.want {
			t.Errorf("%s may be an envelope: %v, want %v", c.name, got, c.want)
		}
	}
	for _, c := range []struct {
		name    string
		records []string
		want    bool
	}{
		{"no lists", nil, false},
		{"a single list", []string{list}, false},
		{"lists of one", []string{list, list}, true},
		{"a list of two", []string{list, `[{"a":1},{"b":2}]`}, false},
	} {
		if got := oneEach(lines(c.records...)); got != c.want {
			t.Errorf("%s is a stream: %v, want %v", c.name, got, c.want)
		}
	}
}
