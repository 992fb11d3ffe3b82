package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

// Failed results without a call count as errors and as calls, so that no share of errors exceeds
// 100 %.
func TestShareOfErrorsIsAtMostAll(t *testing.T) {
	dir := t.TempDir()
	text := `{"role":"user","content":"look"}
{"role":"assistant","content":"","tool_calls":[{"id":"c1","type":"function","function":{"name":"read_file","arguments":"{}"}}]}
{"role":"tool","tool_call_id":"c1","is_error":true,"content":"Error: no such file"}
{"role":"tool","tool_call_id":"c2","is_error":true,"content":"Error: no such file"}
{"role":"tool","tool_call_id":"c3","is_error":true,"content":"Error: no such file"}
`
	if err := os.WriteFile(filepath.Join(dir, "a.jsonl"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	percent := regexp.MustCompile(`(\d+(?:\.\d+)?) %`)
	for _, args := range [][]string{{"stats", dir}, {"stats", dir, "--by", "agent"}, {"tools", dir}, {"stats", dir + "/a.jsonl"}, {"tools", dir + "/a.jsonl"}} {
		code, out, _ := run(t, "", args...)
		found := percent.FindAllStringSubmatch(out, -1)
		if code != 0 || len(found) == 0 {
			t.Errorf("%q: exit %d\n%s", args, code, out)
		}
		for _, m := range found {
			if n, err := strconv.ParseFloat(m[1], 64); err != nil || n > 100 {
				t.Errorf("%q says %s\n%s", args, m[0], out)
			}
		}
	}
}
