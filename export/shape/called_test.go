package shape

import (
	"fmt"
	"strings"
	"testing"

	"turns/export/exporttest"
)

// A further result of a running call is at most 64 messages after the first, among messages of
// tools.
func TestFurtherResults(t *testing.T) {
	result := func(id, more string) string {
		return fmt.Sprintf(`{"role":"tool","tool_call_id":"%s","content":"x"%s}`, id, more) + "\n"
	}
	for _, test := range []struct {
		between int
		other   string
		want    bool
	}{
		{0, "", true}, {63, "", true}, {64, "", false}, {0, `{"role":"user","content":"go on"}` + "\n", false},
	} {
		var calls []string
		var results strings.Builder
		for i := range test.between + 1 {
			calls = append(calls, fmt.Sprintf(`{"id":"c%d","type":"function","function":{"name":"run","arguments":"{}"}}`, i))
			if i > 0 {
				results.WriteString(result(fmt.Sprintf("c%d", i), ""))
			}
		}
		text := `{"role":"assistant","content":"","tool_calls":[` + strings.Join(calls, ",") + "]}\n" +
			result("c0", `,"status":"running"`) + results.String() + test.other + result("c0", "")
		s := shaper{snap: exporttest.FromBytes(t, text, "openai")}
		if got := s.answeredAgain(&Item{pos: 1}); got != test.want {
			t.Errorf("%d messages between, %q: %v, want %v", test.between, test.other, got, test.want)
		}
	}
}
