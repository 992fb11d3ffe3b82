package format

import (
	"strings"
	"testing"

	"turns/model"
	"turns/model/format/gptme"
	"turns/model/format/kit"
	"turns/model/modeltest"
)

// A text full of unclosed elements must not be slow: the work is linear in its size.
func TestElementsWithoutAnEnd(t *testing.T) {
	for _, test := range []struct {
		name, piece string
		add         func(*model.Fact, model.Text)
	}{
		{"think", "<think>", kit.EvalWords},
		{"details", `<details type=\"reasoning\">`, kit.EvalWords},
		{"call", `@a(b): {\n`, gptme.GptmeCalls},
		{"element", `<tool-use>\n`, gptme.GptmeCalls},
		{"fence", "```shell\\n", gptme.GptmeCalls},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := model.EscapedText([]byte(strings.Repeat(test.piece, modeltest.Fewer(200_000, 200_000))))
			var f model.Fact
			test.add(&f, text)
			if len(f.Blocks) != 1 || f.Blocks[0].Kind != model.Words || f.Blocks[0].Text.Size() != text.Size() {
				t.Errorf("%d blocks", len(f.Blocks))
			}
		})
	}
}
