package many

import (
	"testing"
	"time"
)

// TestFormerNamesOfColumns: the former name of a column still sorts by it.
func TestFormerNamesOfColumns(t *testing.T) {
	for name, number := range map[string]Number{
		"runs": Runs, "responses": Responses, "agent_calls": InAgents, "denied": Denied, "arguments_bytes": ArgsSize, "results_bytes": ResultSize,
		"duration": Took, "total_duration": TimedSum, "model_time": ModelTime, "tool_time": ToolTime, "user_time": UserTime, "idle_time": IdleTime,
		"timed": Timed,
	} {
		a := NewAnswer(By{}, time.UTC)
		a.Groups = []*Group{{Key: "a"}, {Key: "b"}}
		a.Groups[0].Add(number, 1)
		a.Groups[1].Add(number, 2)
		if _, err := a.Sort(name, 0); err != nil || a.Groups[0].Key != "b" {
			t.Errorf("sorted by %s: %s comes first, %v", name, a.Groups[0].Key, err)
		}
	}
}
