package filter

import (
	"context"
	"fmt"
	"testing"

	"turns/model"
	"turns/query"
	"turns/query/lang"
	"turns/query/querytest"
)

// found returns the IDs of the messages that match a filter.
func found(t *testing.T, s *model.Snapshot, src string) string {
	t.Helper()
	f, err := lang.Parse(src)
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	r, err := Apply(context.Background(), query.Everything(s), f, Env{})
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	return fmt.Sprint(r.IDs)
}

// TestFlagsOfMessages: is: finds a message by each of its flags, and only that message.
func TestFlagsOfMessages(t *testing.T) {
	for name, flag := range map[string]model.Flags{
		"prompt": model.Prompt, "injected": model.Injected, "synthetic": model.Synthetic, "partial": model.Partial, "truncated": model.Truncated,
		"redacted": model.Redacted, "rewound": model.Rewound, "superseded": model.Superseded, "invalidated": model.Invalidated, "archived": model.Archived,
		"inherited": model.Inherited,
	} {
		marked := querytest.Message(model.User, "one")
		marked.Flags = flag
		s := model.FromMessages([]model.Message{querytest.Message(model.Assistant, "zero"), marked})
		if got := found(t, s, "is:"+name); got != "[1]" {
			t.Errorf("is:%s finds %s", name, got)
		}
	}
}

// TestOutcomesOfCalls: is: and outcome: find a call by each outcome.
func TestOutcomesOfCalls(t *testing.T) {
	for name, outcome := range map[string]model.Outcome{
		"ok": model.Success, "failed": model.Failure, "partial": model.Half, "denied": model.Denied, "interrupted": model.Stopped,
		"cancelled": model.Cancelled, "timeout": model.TimedOut, "background": model.Background,
	} {
		result := querytest.Result("a", "x")
		result.Outcome = outcome
		other := querytest.Result("b", "y")
		if other.Outcome = model.Failure; outcome == model.Failure {
			other.Outcome = model.Success
		}
		s := model.FromMessages([]model.Message{
			querytest.Null(model.Assistant, querytest.Call("a", "f", "{}")), querytest.Tool(result),
			querytest.Null(model.Assistant, querytest.Call("b", "f", "{}")), querytest.Tool(other),
		})
		keys := []string{"is", "outcome"}
		switch name {
		case "ok", "failed", "partial":
			keys = keys[1:] // is: lacks this value, or it is about the message
		case "background":
			keys = keys[:1] // not an outcome: the call goes on
		}
		for _, key := range keys {
			if got := found(t, s, key+":"+name); got != "[0 1]" {
				t.Errorf("%s:%s finds %s", key, name, got)
			}
		}
	}
}

// TestFieldsOfMessages: the fields by which formats name a message, its interaction and its
// speaker.
func TestFieldsOfMessages(t *testing.T) {
	for key, fields := range map[string][]string{
		"id":          {"id", "uuid", "message_id", "messageId"},
		"interaction": {"interaction", "interaction_id", "interactionId"},
		"role":        {"author", "speaker", "sender", "part_kind"},
	} {
		for _, field := range fields {
			named := querytest.Message(model.User, "one")
			named.Extra = []model.KeyValue{{Name: field, Value: "x7"}}
			s := model.FromMessages([]model.Message{querytest.Message(model.User, "zero"), named})
			if got := found(t, s, key+":x7"); got != "[1]" {
				t.Errorf("%s:x7 finds %s of a message with the field %s", key, got, field)
			}
			if NamesInteraction(field) != (key == "interaction") {
				t.Errorf("%s names an interaction: %v", field, NamesInteraction(field))
			}
		}
	}
}

// TestPropertiesOfMessages: has: finds a message by each of its parts.
func TestPropertiesOfMessages(t *testing.T) {
	media := func(kind string) model.Message {
		return querytest.Null(model.User, model.Content{Kind: model.Media, Name: kind, Text: "iVBORw0KGgo="})
	}
	s := model.FromMessages([]model.Message{
		querytest.Null(model.Assistant, querytest.Thinks("Hm.")), querytest.Null(model.Assistant, querytest.Call("a", "f", "{}")),
		querytest.Tool(querytest.Result("a", "r")), media("image/png"), media("application/pdf"),
		querytest.Message(model.User, "```go\n```"), querytest.Message(model.User, "see http://x.y"), querytest.Message(model.User, "see https://x.y"),
		querytest.Message(model.User, "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n"),
	})
	for name, want := range map[string]string{
		"text": "[5 6 7 8]", "reasoning": "[0]", "call": "[1]", "result": "[2]", "image": "[3]", "file": "[4]", "code": "[5]", "link": "[6 7]", "diff": "[8]",
	} {
		if got := found(t, s, "has:"+name); got != want {
			t.Errorf("has:%s finds %s, want %s", name, got, want)
		}
	}
}
