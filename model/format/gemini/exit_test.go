package gemini

import (
	"testing"

	"turns/model"
)

// TestExitCodes: the programs record each command that ran as a success. The report in its result
// has the exit code.
func TestExitCodes(t *testing.T) {
	const failed = `"Output: boom\nExit Code: 2\nProcess Group PGID: 7"`
	for _, c := range []struct {
		status, text string
		want         model.Outcome
	}{
		{"success", failed, model.Failure},
		{"success", `"Output: fine\nProcess Group PGID: 7"`, model.Success},
		{"success", `"a file with\nExit Code: 2\n"`, model.Success},
		{"error", `"Output: fine"`, model.Failure},
		{"cancelled", failed, model.Cancelled},
	} {
		var cli, stream model.Fact
		(&geminiCLICall{status: []byte(c.status), result: []byte(c.text)}).add(&cli)
		(&geminiStreamEvent{status: []byte(c.status), output: []byte(c.text)}).emitResult(&stream)
		qwen := model.Fact{Blocks: []model.Block{{Kind: model.ToolResult, Text: model.ValueText([]byte(c.text))}}}
		(&qwenCodeLine{result: []byte(`{"status":"` + c.status + `"}`)}).setOutcome(&qwen)
		for name, blocks := range map[string][]model.Block{"gemini-cli": cli.Blocks, "gemini-stream": stream.Blocks, "qwen-code": qwen.Blocks} {
			if got := blocks[len(blocks)-1].Outcome; got != c.want {
				t.Errorf("%s: %s with %s is %v, want %v", name, c.status, c.text, got, c.want)
			}
		}
	}
}
