package dialect_test

import (
	"strings"
	"testing"

	"turns/export"
	"turns/export/exporttest"
)

// TestTypesOfArguments: turns declares a tool that no request declares with the types of the
// arguments of its calls; the type of a list includes that of its elements.
func TestTypesOfArguments(t *testing.T) {
	for value, want := range map[string]string{
		`"x"`: `{"type":"string"}`, `1.5`: `{"type":"number"}`, `false`: `{"type":"boolean"}`, `{"b":1}`: `{"type":"object"}`,
		`["x"]`: `{"type":"array","items":{"type":"string"}}`, `[{}]`: `{"type":"array","items":{"type":"object"}}`,
		`[null,2]`: `{"type":"array","items":{"type":"number"}}`, `[[1]]`: `{"type":"array","items":{}}`,
		`[true]`: `{"type":"array","items":{"type":"boolean"}}`,
	} {
		args := strings.ReplaceAll(`{"a":`+value+`}`, `"`, `\"`)
		snap := exporttest.FromBytes(t, `[{"role":"user","content":"go"},{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function",`+
			`"function":{"name":"f","arguments":"`+args+`"}}]},{"role":"tool","tool_call_id":"c1","content":"ok"}]`, "openai")
		out, _ := written(t, "openai", exporttest.Everything(snap), export.Options{})
		if text := strings.Join(strings.Fields(out), ""); !strings.Contains(text, `"properties":{"a":`+want+`}`) {
			t.Errorf("%s: want %s in\n%s", value, want, text)
		}
	}
}
