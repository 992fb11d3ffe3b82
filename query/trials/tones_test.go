package trials

import (
	"testing"

	"turns/query/answer"
)

// TestTonesOfVerdicts: the marks of trials have different tones.
func TestTonesOfVerdicts(t *testing.T) {
	for verdict, want := range map[Verdict]answer.Tone{Passed: answer.Good, Failed: answer.Bad, Running: answer.Going, Missing: answer.Dim} {
		if got := verdict.Tone(); got != want {
			t.Errorf("%v has the tone %v, want %v", verdict, got, want)
		}
	}
}
