package ui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"turns/model"
	"turns/ui/screen"
)

// A selection of calls includes each call and its result, and no siblings; one of text includes no
// calls.
func TestSelectionHasNoSiblings(t *testing.T) {
	snap := model.FromMessages([]model.Message{
		say(model.User, 0, words("do it")),
		say(model.Assistant, 1, words("I try three."), call("a", "Bash", `{"command":"first"}`), call("b", "Bash", `{"command":"second"}`), call("c", "Bash", `{"command":"third"}`)),
		say(model.Tool, 2, result("a", "result of one"), failed("b", "result of two", model.Failure), result("c", "result of three")),
	})
	all := []string{"do it", "I try three.", "first", "result of one", "second", "result of two", "third", "result of three"}
	for _, c := range []struct{ keys, want string }{
		{"g e v X", "second|result of two"},
		{"g e v j X", "second|result of two|third|result of three"},
		{"g c v j X", "first|result of one|second|result of two"},
		{"g j v X", "I try three."},
		{"g j v j X", "I try three.|first|result of one"},
		{"g v G X", strings.Join(all, "|")},
	} {
		o := paneOptions()
		o.Dir = t.TempDir()
		b := newBench(t, snap, o, 100, 30)
		b.press(c.keys)
		files, err := filepath.Glob(filepath.Join(o.Dir, "*.md"))
		if err != nil || len(files) != 1 {
			t.Fatalf("%s: %v files, %v", c.keys, files, err)
		}
		text, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		_, body, _ := strings.Cut(string(text), "---") // below the title
		var got []string
		for _, s := range all {
			if strings.Contains(body, s) {
				got = append(got, s)
			}
		}
		if strings.Join(got, "|") != c.want {
			t.Errorf("%s exports %q, want %q", c.keys, got, c.want)
		}
	}
}

// The dialog offers a single turn, the context as a request, and the session as running text.
func TestExportOfTurnContextAndReading(t *testing.T) {
	snap := model.FromMessages([]model.Message{
		say(model.User, 0, words("first prompt")),
		say(model.Assistant, 1, words("I look."), call("a", "Bash", `{"command":"ls"}`), call("b", "Bash", `{"command":"pwd"}`)),
		say(model.Tool, 2, result("a", "result of ls")),
		say(model.Tool, 3, result("b", "result of pwd")),
		say(model.Assistant, 4, words("first answer")),
		say(model.User, 5, words("second prompt")),
		say(model.Assistant, 6, words("second answer")),
	})
	for _, c := range []struct{ name, keys, file, want, not string }{
		{"turn", "g x right right right enter", "8463c716-turn-0-1.md", "first prompt|result of ls|first answer", "second"},
		{"the last turn", "G x right right right enter", "8463c716-turn-1-1.md", "second prompt|second answer", "first answer"},
		{"context of an answer", "G x right right right right enter", "8463c716-context-6-1.json", `"tool_use_id"|result of pwd|second prompt`, "second answer"},
		{"context of a call", "g c x right right right right enter", "8463c716-context-2-1.json", "result of ls|result of pwd", "first answer"},
		{"reading", "g x left enter", "8463c716-reading-1.md", "**You**|first prompt|> ran 2 commands|second answer", "result of"},
	} {
		o := paneOptions()
		o.Dir = t.TempDir()
		b := newBench(t, snap, o, 100, 30)
		b.a.h.Session().Fields = append(b.a.h.Session().Fields, model.KeyValue{Name: "model", Value: "claude-opus-4-6"})
		b.press(c.keys)
		text, err := os.ReadFile(filepath.Join(o.Dir, c.file))
		if err != nil {
			t.Errorf("%s: wrote %v, %v: %s", c.name, files(t, o.Dir), err, b.a.status)
			continue
		}
		for want := range strings.SplitSeq(c.want, "|") {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s lacks %q:\n%s", c.name, want, text)
			}
		}
		if strings.Contains(string(text), c.not) {
			t.Errorf("%s has %q:\n%s", c.name, c.not, text)
		}
		if b.press("x enter"); !strings.Contains(strings.Join(files(t, o.Dir), " "), "8463c716-all-1.md") {
			t.Errorf("%s: the next export is not Markdown again: %v", c.name, files(t, o.Dir))
		}
	}
}

// In a subagent the turn is that of its call, and the context is that of the subagent.
func TestExportOfASubagentsContext(t *testing.T) {
	o := paneOptions()
	o.Dir = t.TempDir()
	b := newBench(t, agentRun(t), o, 100, 30)
	b.press("/ g r e p enter x")
	if frame := seen(b); !strings.Contains(frame, "○ turn 0   ○ context up to") {
		t.Errorf("the dialog is\n%s", frame)
	}
	b.press("right right right right enter")
	names := files(t, o.Dir)
	if len(names) != 1 {
		t.Fatalf("wrote %v", names)
	}
	text, err := os.ReadFile(filepath.Join(o.Dir, names[0]))
	if err != nil || !strings.Contains(string(text), "I look.") || strings.Contains(string(text), "look around") {
		t.Errorf("%v: the request is\n%s", err, text)
	}
}

// The dialog and the clipboard warn of Markdown over the size limit of an issue.
func TestExportSaysTheLimitOfAnIssue(t *testing.T) {
	long := strings.Repeat("a line of the log that is as long as most lines are\n", 1500)
	for _, width := range []int{80, 140} {
		b := newBench(t, model.FromMessages([]model.Message{say(model.User, 0, words(long))}), paneOptions(), width, 30)
		b.press("x")
		if frame := seen(b); !strings.Contains(frame, "more than a GitHub issue holds (65 kB)") {
			t.Errorf("%d columns: the dialog does not show the limit:\n%s", width, frame)
		}
		b.press("enter")
		if !strings.Contains(b.a.status, "more than a GitHub issue holds") {
			t.Errorf("%d columns: the status line says %q", width, b.a.status)
		}
	}
}

// The calls of a file show their tool and the added and removed lines.
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

// Enter on a call of a file shows the change by the call, not the tool's confirmation; back leads
// to the calls. On a call without a change, Enter goes to its row.
func TestEnterOnACallOfAFileShowsItsDiff(t *testing.T) {
	b := newBench(t, edited(), paneOptions(), 120, 40)
	b.press(", j c j enter")
	frame := seen(b)
	for _, want := range []string{"Changes › /w/src/a.go", "version before → #4 (version 2 of 3)", "- first", "+ the first line"} {
		if !strings.Contains(frame, want) {
			t.Errorf("no %q in\n%s", want, frame)
		}
	}
	if b.press("h"); !strings.Contains(seen(b), "Files › /w/src/a.go") {
		t.Errorf("h leads to\n%s", seen(b))
	}
	b = newBench(t, sample(), paneOptions(), 120, 40)
	b.press(", G c enter")
	if b.a.h.Focus != screen.PaneNone {
		t.Errorf("a call that only reads leads to\n%s", seen(b))
	}
}

// The key line offers the context window and the changes if there is room.
func TestKeyLineOffersContextAndChanges(t *testing.T) {
	for _, w := range []int{140, 160, 200} {
		keys := frameLine(newBench(t, sample(), paneOptions(), w, 30), -1)
		if !strings.Contains(keys, "w context") || !strings.Contains(keys, ", changes") {
			t.Errorf("%d columns: %q", w, keys)
		}
	}
}
