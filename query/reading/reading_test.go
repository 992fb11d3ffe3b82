package reading_test

import (
	"bytes"
	"strings"
	"testing"

	"turns/model"
	"turns/query"
	"turns/query/describe"
	"turns/query/reading"
)

// conversation has two turns: the first has work with an error, each has an answer.
func conversation() *model.Snapshot {
	words := func(s string) model.Content { return model.Content{Kind: model.Words, Text: s} }
	call := func(id, tool, args string) model.Content {
		return model.Content{Kind: model.ToolCall, ID: id, Name: tool, Text: args, JSON: true}
	}
	result := func(id, text string, o model.Outcome) model.Content {
		return model.Content{Kind: model.ToolResult, ID: id, Text: text, Outcome: o}
	}
	say := func(role model.Role, blocks ...model.Content) model.Message {
		return model.Message{Role: role, Model: "m-1", Blocks: blocks}
	}
	return model.FromMessages([]model.Message{
		say(model.User, words("Fix the *test*.\n\nKeep the API.")),
		say(model.Assistant, model.Content{Kind: model.Reasoning, Text: "Hm."}, call("a", "Read", `{"file_path":"/a.go"}`), call("b", "Read", `{"file_path":"/b.go"}`)),
		say(model.Tool, result("a", "x", model.Success), result("b", "y", model.Success)),
		say(model.Assistant, call("c", "Bash", `{"command":"go test"}`), call("d", "weather", `{"city":"Rome"}`)),
		say(model.Tool, result("c", "boom", model.Failure), result("d", "sunny", model.Success)),
		say(model.Assistant, words("## Done\n\nAll of it.")),
		say(model.User, words("thanks")),
		say(model.Assistant, words("Any time.")),
	})
}

func TestPassages(t *testing.T) {
	s := conversation()
	all, err := reading.All(t.Context(), describe.NewView(query.Everything(s), nil), query.NewTurnIndex(s))
	if err != nil {
		t.Fatal(err)
	}
	want := []struct {
		kind  reading.Kind
		text  string
		steps int
	}{
		{reading.Prompt, "Fix the *test*.\n\nKeep the API.", 0},
		{reading.Work, "thought · read 2 files · ran 1 command · called weather · 1 failed", 5},
		{reading.Failure, "✗ Bash go test: boom", 0},
		{reading.Answer, "## Done\n\nAll of it.", 0},
		{reading.Prompt, "thanks", 0},
		{reading.Answer, "Any time.", 0},
	}
	if len(all) != len(want) {
		t.Fatalf("%d passages, want %d: %+v", len(all), len(want), all)
	}
	for i, w := range want {
		if p := all[i]; p.Kind != w.kind || p.Text != w.text || len(p.Steps) != w.steps {
			t.Errorf("passage %d is %d %q with %d steps, want %d %q with %d", i, p.Kind, p.Text, len(p.Steps), w.kind, w.text, w.steps)
		}
	}
	if !all[4].Opens || all[4].Turn != 1 || all[3].Model != "m-1" {
		t.Errorf("the second prompt is %+v, the answer %+v", all[4], all[3])
	}
}

// TestPassagesOfASelection: messages hidden by a filter are omitted.
func TestPassagesOfASelection(t *testing.T) {
	s := conversation()
	sel := query.Everything(s)
	sel.IDs = sel.IDs[5:7]
	all, err := reading.All(t.Context(), describe.NewView(sel, nil), query.NewTurnIndex(s))
	if err != nil || len(all) != 2 || all[0].Kind != reading.Answer || all[1].Text != "thanks" {
		t.Errorf("%+v, %v", all, err)
	}
}

func TestMarkdown(t *testing.T) {
	s := conversation()
	var b bytes.Buffer
	err := reading.Markdown(t.Context(), &b, describe.NewView(query.Everything(s), nil), query.NewTurnIndex(s), reading.Options{Steps: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"**You**\n\nFix the *test*.", "<details><summary>thought · read 2 files", "2. ✓ Read /a.go", "> **error** ✗ Bash go test: boom\n",
		"**Assistant · m-1**\n\n## Done", "---\n\n**You**\n\nthanks",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

// TestTypedCommandsArePrompts: a typed command reads as a prompt; other injected text is omitted.
func TestTypedCommandsArePrompts(t *testing.T) {
	injected := func(text string) model.Message {
		return model.Message{Role: model.User, Flags: model.Injected, Blocks: []model.Content{{Kind: model.Words, Text: text}}}
	}
	s := model.FromMessages([]model.Message{
		injected("<command-message>init is analyzing…</command-message>\n<command-name>/init</command-name>"),
		injected("<local-command-stdout>done</local-command-stdout>"),
		{Role: model.Assistant, Blocks: []model.Content{{Kind: model.Words, Text: "I look at the code."}}},
		injected("<command-name>/model</command-name>\n<command-args>opus</command-args>"),
	})
	all, err := reading.All(t.Context(), describe.NewView(query.Everything(s), nil), query.NewTurnIndex(s))
	if err != nil || len(all) != 3 || all[0].Text != "/init" || all[0].Kind != reading.Prompt || all[2].Text != "/model opus" {
		t.Errorf("%+v, %v", all, err)
	}
}

// TestWorkCountsEveryFamily makes two calls of each family; the work lists them in this order.
func TestWorkCountsEveryFamily(t *testing.T) {
	var blocks []model.Content
	for i, tool := range []string{"AskUserQuestion", "TodoWrite", "Task", "WebFetch", "Bash", "Write", "Grep", "Read", "mcp__a__b"} {
		for k := range 2 {
			id := strings.Repeat("x", 2*i+k+1)
			blocks = append(blocks, model.Content{Kind: model.ToolCall, ID: id, Name: tool, Text: "{}", JSON: true})
		}
	}
	s := model.FromMessages([]model.Message{{Role: model.Assistant, Blocks: blocks}})
	all, err := reading.All(t.Context(), describe.NewView(query.Everything(s), nil), query.NewTurnIndex(s))
	if err != nil || len(all) != 1 {
		t.Fatalf("%+v, %v", all, err)
	}
	want := "read 2 files · made 2 searches · edited 2 files · ran 2 commands · fetched 2 pages · started 2 subagents · " +
		"made 2 changes to the plan · asked 2 questions · called b ×2"
	if all[0].Text != want {
		t.Errorf("%s\nwant %s", all[0].Text, want)
	}
}
