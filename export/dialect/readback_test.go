package dialect_test

import (
	"encoding/json"
	"strings"
	"testing"

	"turns/export"
	"turns/export/exporttest"
	"turns/model"
	"turns/model/modeltest"
)

// FuzzReadBack writes a conversation of arbitrary texts, names, ids and arguments in every format
// of roundTrips, reads it and writes it again: the JSON must not change.
func FuzzReadBack(f *testing.F) {
	for i, s := range exporttest.HostileTexts() {
		if !modeltest.Some(i, 1) {
			continue
		}
		f.Add(s, "look_up", "call_1", `{"a":1}`, uint8(0))
		f.Add("text", s, s, s, uint8(1))
	}
	for _, args := range []string{"", "null", "[1]", `"text"`, "{", `{"a":1,"a":2}`, `{"n":12345678901234567890,"f":1.50}`, "not json", `{"` + "\xff" + `":1}`} {
		f.Add("text", "look_up", "call_1", args, uint8(3))
	}
	f.Fuzz(func(t *testing.T, text, name, id, args string, shape uint8) {
		snap := model.FromMessages(readBackMessages(text, name, id, args, shape))
		for _, rt := range roundTrips {
			first, _ := written(t, rt.format, exporttest.Everything(snap), export.Options{})
			if !json.Valid([]byte(first)) {
				t.Fatalf("%s is not JSON:\n%s", rt.format, first)
			}
			if empty(first) {
				continue
			}
			back, err := exporttest.TryBytes(t, first, rt.reads)
			if err != nil {
				t.Fatalf("%s: %v\n%s", rt.format, err, first)
			}
			second, _ := written(t, rt.format, exporttest.Everything(back), export.Options{})
			if rt.format != "sharegpt" && !sameJSON(t, first, second) {
				// sharegpt marks calls with tags in texts, which arbitrary texts may contain
				t.Fatalf("%s:\nfirst  %s\nsecond %s", rt.format, first, second)
			}
		}
	})
}

// readBackMessages returns a question, a call with its result, and an answer. The bits of shape
// select the optional parts.
func readBackMessages(text, name, id, args string, shape uint8) []model.Message {
	words := model.Content{Kind: model.Words, Text: text}
	call := model.Content{Kind: model.ToolCall, ID: id, Name: name, Text: args, JSON: json.Valid([]byte(args))}
	result := model.Content{Kind: model.ToolResult, ID: id, Name: name, Text: text}
	if shape&1 != 0 {
		result.Outcome = model.Failure
	}
	asked := []model.Content{call}
	if shape&2 != 0 {
		asked = append([]model.Content{words}, asked...)
	}
	if shape&4 != 0 {
		asked = append([]model.Content{{Kind: model.Reasoning, Text: text}}, asked...)
	}
	msgs := []model.Message{{Role: model.User, Blocks: []model.Content{words}}, {Role: model.Assistant, Blocks: asked}}
	if shape&8 == 0 {
		msgs = append(msgs, model.Message{Role: model.Tool, Blocks: []model.Content{result}})
	}
	if shape&16 != 0 {
		msgs = append([]model.Message{{Role: model.System, Blocks: []model.Content{words}}}, msgs...)
	}
	return append(msgs, model.Message{Role: model.Assistant, Blocks: []model.Content{{Kind: model.Words, Text: "done " + strings.ToUpper(text)}}})
}
