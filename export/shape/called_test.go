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
		further string // result
		want    bool
	}{
		{0, "", result("c0", ""), true}, {63, "", result("c0", ""), true}, {64, "", result("c0", ""), false},
		{0, `{"role":"user","content":"go on"}` + "\n", result("c0", ""), false}, {0, "", "", false},
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
			result("c0", `,"status":"running"`) + results.String() + test.other + test.further
		s := shaper{snap: exporttest.FromBytes(t, text, "openai")}
		if got := s.answeredAgain(&Item{pos: 1}); got != test.want {
			t.Errorf("%d messages between, then %q: %v, want %v", test.between, test.other+test.further, got, test.want)
		}
	}
}
