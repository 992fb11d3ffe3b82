package runs

import (
	"fmt"
	"testing"

	"turns/model"
	"turns/query/querytest"
)

// TestLimitsOfADay: a day of a conversation has at most 20 moments of each kind, and 200 files.
func TestLimitsOfADay(t *testing.T) {
	for n, want := range map[int][2]int{19: {19, 19}, 20: {20, 20}, 21: {20, 21}, 200: {20, 200}, 201: {20, 200}} {
		msgs := []model.Message{querytest.Message(model.User, "go")}
		seconds := []float64{0}
		for i := range n {
			id := fmt.Sprint(i)
			edit := querytest.Call(id, "Write", fmt.Sprintf(`{"file_path":"/w/f%d.go","content":"x"}`, i))
			test := querytest.Call("t"+id, "Bash", fmt.Sprintf(`{"command":"go test ./p%d"}`, i))
			msgs = append(msgs, querytest.Null(model.Assistant, edit, test), querytest.Tool(querytest.Result(id, "ok"), querytest.Failed("t"+id, "Exit code 1")))
			seconds = append(seconds, float64(2*i+1), float64(2*i+2))
		}
		msgs = append(msgs, querytest.Message(model.Assistant, "Done."))
		list := conversationsOf(t, "run", querytest.At(msgs, append(seconds, 900)...))
		errors := 0
		for _, m := range list[0].Days[0].Moments {
			if m.Kind == momentError {
				errors++
			}
		}
		if errors != want[0] || len(list[0].Days[0].Files) != want[1] {
			t.Errorf("%d failures and files: %d moments and %d files, want %v", n, errors, len(list[0].Days[0].Files), want)
		}
	}
}
