package people

import (
	"bytes"
	"strings"
	"testing"

	"turns/export"
	"turns/export/exporttest"
	"turns/model"
	"turns/query/querytest"
)

// TestSignsOfSpeakers: each message of a text begins with the sign of its speaker.
func TestSignsOfSpeakers(t *testing.T) {
	injected := querytest.Message(model.User, "x")
	injected.Flags = model.Injected
	for want, m := range map[string]model.Message{
		"❯ user": querytest.Message(model.User, "x"), "● assistant": querytest.Message(model.Assistant, "x"), "▪ system": querytest.Message(model.System, "x"),
		"▪ developer": querytest.Message(model.Developer, "x"), "◦ user": injected,
	} {
		var b bytes.Buffer
		view := exporttest.Everything(model.FromMessages([]model.Message{m}))
		if _, err := WriteText(t.Context(), &b, view, export.Options{}); err != nil || !strings.Contains(b.String(), want) {
			t.Errorf("no %q, %v, in\n%s", want, err, b.String())
		}
	}
}
