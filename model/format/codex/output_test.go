package codex

import (
	"fmt"
	"strings"
	"testing"

	"turns/model"
)

// TestWallTime reads how long a call took from the first 300 bytes of its output.
func TestWallTime(t *testing.T) {
	pad := func(n int) string { return string(make([]byte, n)) }
	for text, want := range map[string]string{
		"Exit code: 0\nWall time: 1.5 seconds\nok": "1.5s",
		"Wall time 2 seconds":                      "2s",
		pad(299) + "Wall time: 3 seconds":          "3s",
		pad(300) + "Wall time: 3 seconds":          "0s",
	} {
		if _, took := CodexJudge(model.StringText(text)); took.String() != want {
			t.Errorf("%q took %v, want %s", text, took, want)
		}
	}
}

// TestOutputThatIsJSON reads numbers at the end of an output, and a quoted value at its beginning.
func TestOutputThatIsJSON(t *testing.T) {
	for text, want := range map[string]string{
		`{"output":"x","metadata":{"exit_code":0,"duration_seconds":1.5}}`: "success 1.5s", `{"metadata":{"exit_code": 2}}`: "failure 0s",
		`{"metadata":{"exit_code":124}}`: "timeout 0s", `{"metadata":{"exit_code":-1}}`: "failure 0s", `{"output":"x"}`: "success 0s",
	} {
		for _, text := range []model.Text{model.StringText(text), model.EscapedText([]byte(strings.ReplaceAll(text, `"`, `\"`)))} {
			o, took := codexJudgeJSON(text)
			if got := fmt.Sprint(o, " ", took); got != want {
				t.Errorf("%s is %s, want %s", text.Raw(), got, want)
			}
		}
	}
	for raw, want := range map[string]string{
		`{\"a\":\"b\"}`: "b", `{\"b\":1,\"a\":\"\"}`: "", `[\"a\":\"b\"]`: "", `{\"a\":\"b`: "", `{\"b\":\"b\"}`: "", "": "",
	} {
		if got := codexQuoted(model.EscapedText([]byte(raw)), "a"); string(got) != want {
			t.Errorf("a of %s is %q, want %q", raw, got, want)
		}
	}
	if got := codexQuoted(model.StringText(`{\"a\":\"b\"}`), "a"); got != nil {
		t.Errorf("a of a text that is not JSON is %q", got)
	}
}
