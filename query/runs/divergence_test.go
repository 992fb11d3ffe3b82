package runs

import (
	"strings"
	"testing"

	"turns/model"
	"turns/query/querytest"
)

// calls returns a session of a prompt and calls with their results; a result that begins with ! is
// a failure.
func calls(prompt string, list ...[3]string) []model.Message {
	msgs := []model.Message{querytest.Message(model.User, prompt)}
	for i, c := range list {
		id := string(rune('a' + i))
		result := querytest.Result(id, c[2])
		if c[2] != "" && c[2][0] == '!' {
			result = querytest.Failed(id, c[2])
		}
		msgs = append(msgs, querytest.Null(model.Assistant, querytest.Call(id, c[0], c[1])), querytest.Tool(result))
	}
	return append(msgs, querytest.Message(model.Assistant, "Done with "+prompt))
}

func TestDivergence(t *testing.T) {
	read := [3]string{"Read", `{"file_path":"/w/x.go"}`, "text"}
	longer := [3]string{"Read", `{"file_path":"/w/x.go","limit":2000}`, "text"}
	other := [3]string{"Read", `{"file_path":"/w/y.go"}`, "text"}
	fails := [3]string{"Read", `{"file_path":"/w/x.go"}`, "!no such file"}
	edit := [3]string{"Edit", `{"file_path":"/w/x.go","old_string":"a","new_string":"b"}`, "ok"}
	for _, c := range []struct {
		name string
		a, b []model.Message
		want string
	}{
		{"other words of the prompt do not count", calls("please", read, edit), calls("do it", read, other), "#3 Edit /w/x.go / #3 Read /w/y.go"},
		{"another file", calls("go", read, edit), calls("go", other, edit), "#1 Read /w/x.go / #1 Read /w/y.go"},
		{"another outcome", calls("go", read), calls("go", fails), "#1 Read /w/x.go / #1 Read /w/x.go (failure)"},
		{"a call more", calls("go", read), calls("go", read, edit), "#3 Done with go / #3 Edit /w/x.go"},
		{"more lines of the same file", calls("go", read, edit), calls("go", longer, other), "#3 Edit /w/x.go / #3 Read /w/y.go"},
		{"nothing but more lines", calls("go", read, edit), calls("go", longer, edit), "#1 Read /w/x.go / #1 Read /w/x.go:1-2000"},
		{"only words", calls("a"), calls("b"), "#0 a / #0 b"},
		{"words of 40 columns are whole", calls(strings.Repeat("é", 40)), calls("b"), "#0 " + strings.Repeat("é", 40) + " / #0 b"},
		{"words of 41 columns are cut", calls(strings.Repeat("é", 41)), calls("b"), "#0 " + strings.Repeat("é", 39) + "… / #0 b"},
	} {
		d := diffOf(t, c.a, c.b)
		got := d.DivergenceText()
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	same := diffOf(t, calls("go", read), calls("go", read))
	if same.Divergence() != -1 || same.DivergenceText() != "" {
		t.Errorf("equal sessions part at %d", same.Divergence())
	}
}
