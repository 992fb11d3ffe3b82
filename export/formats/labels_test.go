package formats

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"turns/export"
	"turns/export/exporttest"
	"turns/model"
	"turns/query/label"
)

// labelled returns a session with labels on itself, on a message and on a call.
func labelled(t *testing.T) (*model.Snapshot, *label.Here) {
	t.Helper()
	snap := model.FromMessages([]model.Message{
		{Role: model.User, Blocks: []model.Content{{Kind: model.Words, Text: "Fix it"}}},
		{Role: model.Assistant, Blocks: []model.Content{{Kind: model.ToolCall, ID: "c1", Name: "Bash", Text: `{"command":"make"}`, JSON: true}}},
		{Role: model.Tool, Blocks: []model.Content{{Kind: model.ToolResult, ID: "c1", Text: "no rule", Outcome: model.Failure}}},
		{Role: model.Assistant, Blocks: []model.Content{{Kind: model.Words, Text: "It is done"}}},
	})
	ctx, none, n := t.Context(), model.CallID(model.NoRow), 0
	pen := &label.Pen{By: "ana", Now: time.Unix(1e9, 0), ID: func() string { n++; return fmt.Sprint(n) }}
	var lines []label.Line
	say := func(scope label.Scope, pos int, call model.CallID, text string) {
		said, err := label.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		var at *label.Place
		if scope != label.OfRun {
			at = label.PlaceOf(ctx, snap, snap.At(pos), call)
		}
		lines = append(lines, pen.Write(label.RunOf(ctx, snap, 0, label.Source{}), scope, at, nil, said)...)
	}
	say(label.OfRun, 0, none, "- #lost-run")
	say(label.OfCall, 1, snap.Calls(snap.At(1))[0].ID, "#flaky quality=2")
	say(label.OfMessage, 3, none, `says <done> too early`)
	here, err := label.NewSet(lines).Find(ctx, snap, label.Source{})
	if err != nil || len(here.Lost) > 0 {
		t.Fatal(here, err)
	}
	return snap, here
}

// Formats for people and analysis write the labels and their places. The request bodies of
// providers and the training formats do not change.
func TestLabelsInFormats(t *testing.T) {
	snap, here := labelled(t)
	for name, want := range map[string][]string{
		"markdown": {"#flaky", "quality 2", "says"},
		"text":     {"#flaky", "quality 2", `"says <done> too early"`},
		"html":     {"#flaky", "quality 2", "says &lt;done&gt; too early"},
		"json":     {`"_labels":[`, `"name":"flaky","scope":"call","call":"c1","by":"ana"`, `"value":2`, `"note":"says <done> too early"`},
		"dict":     {`"_labels":[`, `"scope":"call","call":"c1"`, "says <done> too early"},
		"csv":      {"labels\n", "#flaky quality 2", `""says <done> too early""`},
		"otlp": {`"annotation.0.name","value":{"stringValue":"flaky"}`, `"annotation.1.score","value":{"doubleValue":2}`,
			`"annotation.0.explanation","value":{"stringValue":"says <done> too early"}`, `"annotation.1.name","value":{"stringValue":"lost-run"}`},
		"openai": nil, "anthropic": nil, "gemini": nil, "sharegpt": nil, "openai-finetune": nil,
	} {
		if !slices.Contains(Names(), name) {
			t.Errorf("there is no format %s", name)
			continue
		}
		plain, _ := written(t, name, exporttest.Everything(snap), export.Options{})
		out, _ := written(t, name, exporttest.Everything(snap), export.Options{Labels: here})
		for _, w := range want {
			if !strings.Contains(out, w) {
				t.Errorf("%s lacks %s:\n%s", name, w, out)
			}
			if strings.Contains(plain, w) {
				t.Errorf("%s holds %s although there is no label", name, w)
			}
		}
		if want == nil && out != plain {
			t.Errorf("%s holds labels:\n%s", name, out)
		}
	}
}
