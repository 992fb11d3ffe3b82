package kiro

import (
	"testing"

	"turns/model"
	"turns/model/format/formattest"
	"turns/model/jsonspan"
)

func TestFacts(t *testing.T) {
	formattest.Facts(t, Format())
}

// TestReasoningOfBlocks: the reasoning of a block is a string, or the text of an object.
func TestReasoningOfBlocks(t *testing.T) {
	for data, want := range map[string]string{`"why"`: "why", `{"text":"why","signature":"x"}`: "why", `{"other":"x"}`: `{"other":"x"}`} {
		var fs model.Facts
		f, c := fs.Add(model.Say), jsonspan.New([]byte(data))
		if !kiroBlock(f, &c, []byte("thinking"), true) || len(f.Blocks) != 1 || f.Blocks[0].Kind != model.Reasoning || f.Blocks[0].Text.String() != want {
			t.Errorf("%s: blocks %+v, want %q", data, f.Blocks, want)
		}
	}
}
