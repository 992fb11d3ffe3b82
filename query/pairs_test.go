package query

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"turns/model"
)

// TestResultsOfCalls: each call has its result, with or without ids, in the same message or
// another.
func TestResultsOfCalls(t *testing.T) {
	call := func(id, args string) model.Content {
		return model.Content{Kind: model.ToolCall, ID: id, Name: "run", Text: args}
	}
	result := func(id, text string) model.Content {
		return model.Content{Kind: model.ToolResult, ID: id, Text: text, Outcome: model.Success}
	}
	words := model.Content{Kind: model.Words, Text: "words"}
	by := func(role model.Role, blocks ...model.Content) model.Message {
		return model.Message{Role: role, Blocks: blocks}
	}
	many := func(block func(id, text string) model.Content, n int) (list []model.Content) {
		for i := range n {
			list = append(list, block(fmt.Sprint("c", i), fmt.Sprint(i)))
		}
		return list
	}
	for _, c := range []struct {
		name, want string
		msgs       []model.Message
	}{
		{"in a message each", "1→A 2→B", []model.Message{
			by(model.Assistant, words, call("a", "1"), call("b", "2")), by(model.Tool, result("a", "A")), by(model.Tool, result("b", "B"))}},
		{"in one message, in another order", "1→A 2→B", []model.Message{
			by(model.Assistant, call("a", "1"), words, call("b", "2")), by(model.Tool, result("b", "B"), words, result("a", "A"))}},
		{"no result yet", "1→A 2→-", []model.Message{
			by(model.Assistant, call("a", "1"), call("b", "2")), by(model.Tool, result("a", "A"))}},
		{"without ids", "1→A 2→B", []model.Message{
			by(model.Assistant, call("", "1"), call("", "2")), by(model.Tool, result("", "A"), result("", "B"))}},
		{"in the message of the call", "1→A 2→B", []model.Message{
			by(model.Assistant, call("a", "1"), result("a", "A"), call("b", "2"), result("b", "B"))}},
		{"in the message of the call, without ids", "1→A 2→B 3→-", []model.Message{
			by(model.Assistant, call("", "1"), result("", "A"), call("", "2"), result("", "B"), call("", "3"))}},
		{"in the message of the call, one with an id", "1→A 2→B", []model.Message{
			by(model.Assistant, call("", "1"), call("b", "2"), result("b", "B"), result("", "A"))}},
		{"an id twice", "1→A 2→B", []model.Message{
			by(model.Assistant, call("a", "1")), by(model.Tool, result("a", "A")), by(model.Assistant, call("a", "2")), by(model.Tool, result("a", "B"))}},
		{"an id twice in both messages", "1→A 2→B", []model.Message{
			by(model.Assistant, call("a", "1"), call("a", "2")), by(model.Tool, result("a", "A"), result("a", "B"))}},
		{"a further result", "1→A -→B(another result) -→A(the same result again)", []model.Message{
			by(model.Assistant, call("a", "1")), by(model.Tool, result("a", "A")), by(model.Tool, result("a", "B")), by(model.Tool, result("a", "A"))}},
		{"results without calls", "-→X(result without a call) -→Y(result without a call)", []model.Message{
			by(model.Tool, result("x", "X"), result("y", "Y"))}},
		{"results without calls in a message with calls", "1→A -→X(result without a call) -→Y(result without a call)", []model.Message{
			by(model.Assistant, call("a", "1"), result("a", "A"), result("x", "X"), result("y", "Y"))}},
		{"nine in one message", "0→0 1→1 2→2 3→3 4→4 5→5 6→6 7→7 8→8", []model.Message{
			by(model.Assistant, many(call, 9)...), by(model.Tool, many(result, 9)...)}},
	} {
		snap := model.FromMessages(c.msgs)
		pairs, reader := NewPairs(snap), newCallReader(snap)
		var got []string
		for i := range model.CallID(snap.CallCount()) {
			of, err := pairs.Read(t.Context(), i)
			if err != nil {
				t.Fatal(err)
			}
			line := textOf(of.Call) + "→" + textOf(of.Result)
			if s := of.Standing(); s != "" {
				line += "(" + s + ")"
			}
			got = append(got, line)
			if again := readAgain(t.Context(), t, reader, i); !strings.HasPrefix(line, again) {
				t.Errorf("%s: call %d is %s, its blocks are %s", c.name, i, line, again)
			}
		}
		if all := strings.Join(got, " "); all != c.want {
			t.Errorf("%s: %s, want %s", c.name, all, c.want)
		}
	}
}

func textOf(c *model.Content) string {
	if c == nil {
		return "-"
	}
	return c.Text
}

// readAgain reads a call and its result without decoding the messages.
func readAgain(ctx context.Context, t *testing.T, r *CallReader, id model.CallID) string {
	t.Helper()
	made, err := r.Call(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	line, recorded := "-", ""
	if made != nil {
		line, recorded = made.Text.String(), made.ID.String()
	}
	answer, err := r.Result(ctx, id, recorded)
	if err != nil {
		t.Fatal(err)
	}
	if answer == nil {
		return line + "→-"
	}
	return line + "→" + answer.Text.String()
}
