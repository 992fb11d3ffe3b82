package evals

import (
	"testing"

	"turns/model"
)

// TestArchivesOfInspect: turns recognises archives by their members: a description with samples, or
// the journal of a running evaluation.
func TestArchivesOfInspect(t *testing.T) {
	for _, c := range []struct {
		names   []string
		score   int
		variant uint8
	}{
		{[]string{"header.json", "samples/1_epoch_1.json"}, 96, 0},
		{[]string{"_journal/start.json", "samples/1_epoch_1.json"}, 96, 0},
		{[]string{"_journal/start.json"}, 90, inspectBare},
		{[]string{"header.json"}, 0, 0},
		{[]string{"samples/1_epoch_1.json"}, 0, 0},
		{[]string{"other.json", "samples.json"}, 0, 0},
	} {
		m := inspectDetectMembers(&model.Sample{Names: c.names})
		if int(m.Score) != c.score || m.Variant != c.variant {
			t.Errorf("%q: score %d, variant %d, want %d and %d", c.names, m.Score, m.Variant, c.score, c.variant)
		}
	}
}
