package ui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"turns/model"
)

// A selection of one call of several brings that call and its result, and none of its siblings.
func TestSelectionOfOneCallHasNoSiblings(t *testing.T) {
	o := paneOptions()
	o.Dir = t.TempDir()
	snap := model.FromMessages([]model.Message{
		say(model.User, 0, words("do it")),
		say(model.Assistant, 1, call("a", "Bash", `{"command":"first"}`), call("b", "Bash", `{"command":"second"}`)),
		say(model.Tool, 2, result("a", "result of one"), failed("b", "result of two", model.Failure)),
	})
	b := newBench(t, snap, o, 100, 30)
	b.press("g e v X")
	files, err := filepath.Glob(filepath.Join(o.Dir, "*.md"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v files, %v", files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if s := string(text); !strings.Contains(s, "second") || !strings.Contains(s, "result of two") || strings.Contains(s, "first") || strings.Contains(s, "result of one") {
		t.Errorf("the export is\n%s", s)
	}
}

// The calls of a file name their tool and show what they added and took away.
func TestCallsOfAFileNameTheirTool(t *testing.T) {
	for _, w := range []int{80, 120} {
		b := newBench(t, sample(), paneOptions(), w, 30)
		b.press(", g")
		b.press("c")
		if line := frameWith(b, "Edit"); !strings.Contains(line, "+2 −1") || strings.Contains(line, "watch.go") {
			t.Errorf("%d columns: the call is %q in\n%s", w, line, seen(b))
		}
	}
}
