package shape

import (
	"strings"
	"testing"

	"turns/export"
	"turns/export/exporttest"
	"turns/model"
	"turns/query"
	"turns/query/describe"
)

const dialog = `{"dialog_id":"d7","messages":[{"type":"human","content":"Read","index":0},{"type":"ai","content":"Done","index":1}],"tool_calls":[],"total_messages":2,"note":"sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789"}`

// TestConversationStandsWithItsFirstMessage: an export writes the fields of a dialog once, with the
// first exported message, and omits them if it has no messages.
func TestConversationStandsWithItsFirstMessage(t *testing.T) {
	for _, c := range []struct {
		name     string
		from, to int
		opts     export.Options
		write    func(*testing.T, describe.View, export.Options) string
		want     string
	}{
		{"a line each", 0, 2, export.Options{}, jsonl, `{"role":"user","content":"Read","index":0,"_conversation":{"dialog_id":"d7","total_messages":2,"note":"sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789"},"_turns":{"about":{"session":"d7"}}}
{"role":"assistant","content":"Done","index":1}
`},
		{"a selection", 1, 2, export.Options{Redact: true}, jsonl, `{"role":"assistant","content":"Done","index":1,"_conversation":{"dialog_id":"d7","total_messages":2,"note":"[redacted:anthropic-api-key]"},"_turns":{"about":{"session":"d7"}}}
`},
		{"the original messages", 0, 2, export.Options{}, dict, `[
{"type":"human","content":"Read","index":0,"_metadata":{"index":0,"token_count":null,"role":"user"},"_conversation":{"dialog_id":"d7","total_messages":2,"note":"sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789"}},
{"type":"ai","content":"Done","index":1,"_metadata":{"index":1,"token_count":null,"role":"assistant"}}
]
`},
		{"nothing", 0, 0, export.Options{}, dict, "[]\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			all := query.Everything(exporttest.FromBytes(t, dialog, ""))
			all.IDs = all.IDs[c.from:c.to]
			if got := c.write(t, describe.NewView(all, nil), c.opts); got != c.want {
				t.Errorf("got\n%s\nnot\n%s", got, c.want)
			}
		})
	}
}

func jsonl(t *testing.T, v describe.View, opts export.Options) string {
	t.Helper()
	var out strings.Builder
	if _, err := WriteJSONL(t.Context(), &out, v, opts); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func dict(t *testing.T, v describe.View, opts export.Options) string {
	t.Helper()
	var out strings.Builder
	if _, err := WriteDict(t.Context(), &out, v, opts); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestConversationIsReadBack: turns reads the fields of a conversation from the first message of
// an exported list: all those of the original row, and none of them as fields of the message.
func TestConversationIsReadBack(t *testing.T) {
	row := `{"id":"c1","platform":"voice","started_at":"2026-01-01T10:00:00Z","score_delta":1.5,"is_boss_fight":true,"conversation_summary":"talked","key_moments":["a kiss"],"messages":[{"role":"user","content":"hey"}]}`
	snap := exporttest.FromBytes(t, row, "")
	back := exporttest.FromBytes(t, writtenJSON(t, snap), "")
	want, got := snap.Sessions()[0], back.Sessions()[0]
	for _, f := range want.Fields {
		if value := fieldOf(got.Fields, f.Name); value != f.Value {
			t.Errorf("%s is %q, not %q", f.Name, value, f.Value)
		}
	}
	if len(want.Fields) < 5 {
		t.Errorf("the row says only %v", want.Fields)
	}
	m, err := back.Body(t.Context(), query.Everything(back).IDs[0])
	if err != nil || len(m.Extra) > 0 {
		t.Errorf("the message has %v, %v", m.Extra, err)
	}
}

func fieldOf(fields []model.KeyValue, name string) string {
	for _, f := range fields {
		if f.Name == name {
			return f.Value
		}
	}
	return ""
}
