package provider

import (
	"strings"
	"testing"

	"turns/model"
)

// TestSpeakersAndEnds: names and endings that OpenAI and Anthropic reject are found, repaired and
// counted; the repaired conversation has none.
func TestSpeakersAndEnds(t *testing.T) {
	for _, c := range []struct {
		provider, code, want, line string
	}{
		{"openai", "invalid-speaker", "Jo_Ann", "1 name of a speaker was changed"},
		{"openai-finetune", "invalid-speaker", "Jo_Ann", "1 name of a speaker was changed"},
		{"anthropic", "trailing-space", "done", "1 last message lost the white space at its end"},
		{"bedrock", "trailing-space", "done", "1 last message lost the white space at its end"},
	} {
		asked, said := wire(0, model.User, sayBlock("hi ")), wire(1, model.Assistant, sayBlock("done \n"))
		asked.Speaker = "Jo Ann"
		out, report := Repair([]Wire{asked, said}, providerNamed(t, c.provider), RepairOptions{})
		if got := out[0].Speaker + " " + out[1].Blocks[0].Text; !strings.Contains(got, c.want) {
			t.Errorf("%s: %q", c.provider, got)
		}
		if lines := strings.Join(report.Lines(), "; "); !strings.Contains(lines, c.line) {
			t.Errorf("%s says %q", c.provider, lines)
		}
		if again, report := Repair(out, providerNamed(t, c.provider), RepairOptions{}); len(report.Lines()) > 0 || again[0].Speaker != out[0].Speaker {
			t.Errorf("%s repairs again: %q", c.provider, report.Lines())
		}
	}
}
