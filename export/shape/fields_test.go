package shape

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"turns/export"
	"turns/export/exporttest"
	"turns/model"
	"turns/query"
	"turns/query/describe"
)

// structure lists the fields for the kind of a message or a part, which the shape expresses in its
// own way.
var structure = []string{"type", "part_kind", "tool_kind", "role", "kind"}

// leaves yields every text, number and true of a JSON value with its name.
func leaves(name string, v any, yield func(name, value string)) {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			leaves(k, x, yield)
		}
	case []any:
		for _, x := range v {
			leaves(name, x, yield)
		}
	case string:
		var inner any
		if (strings.HasPrefix(v, "{") || strings.HasPrefix(v, "[")) && json.Unmarshal([]byte(v), &inner) == nil {
			leaves(name, inner, yield)
		}
		if strings.TrimSpace(v) != "" {
			yield(name, v)
		}
	case json.Number:
		yield(name, v.String())
	case bool:
		if v {
			yield(name, "true")
		}
	}
}

func decode(t *testing.T, data []byte) (v any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return v
}

// TestJSONKeepsEveryField: for formats whose messages are JSON objects, an export as JSON contains
// each recorded value of a message and its conversation. Reading and exporting it again does not
// change it.
func TestJSONKeepsEveryField(t *testing.T) {
	for _, sample := range []string{
		"openai/array.json", "pydantic-ai/requests.json", "pydantic-ai/vendor.json",
		"agent-c/common.json", "agent-c/enhanced.json", "agent-c/worklog.json",
		"agentsmithy/document.json", "agentsmithy/previews.json", "agentsmithy/seed.json", "agentsmithy/blocks.json", "agentsmithy/blocks_calls.json",
		"agent-c/export.json", "agent-c/session.json", "agent-c/legacy.json",
		"dexto/messages2025.json", "dexto/messages2026.json",
		"nikita/rows.json", "nikita/voice.json", "nikita/voice_row.json", "nikita/conversations.jsonl",
	} {
		t.Run(sample, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "formats", filepath.FromSlash(sample)))
			if err != nil {
				t.Fatal(err)
			}
			format, _, _ := strings.Cut(sample, "/")
			out := keepsFields(t, exporttest.FromBytes(t, string(data), format), data)
			if again := writtenJSON(t, exporttest.FromBytes(t, out, "")); again != out {
				t.Errorf("written again:\n%s\nfrom\n%s", again, out)
			}
		})
	}
}

func writtenJSON(t *testing.T, snap *model.Snapshot) string {
	t.Helper()
	var out strings.Builder
	if _, err := WriteJSON(t.Context(), &out, describe.NewView(query.Everything(snap), nil), export.Options{}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func keepsFields(t *testing.T, snap *model.Snapshot, data []byte) (out string) {
	out = writtenJSON(t, snap)
	var all []string
	written := map[string]bool{}
	leaves("", decode(t, []byte(out)), func(_, value string) { written[value] = true })
	for value := range written {
		all = append(all, value)
	}
	text := strings.Join(all, "\n")
	for d := json.NewDecoder(bytes.NewReader(data)); d.More(); {
		d.UseNumber()
		var v any
		if err := d.Decode(&v); err != nil {
			t.Fatal(err)
		}
		leaves("", v, func(name, value string) {
			if !slices.Contains(structure, name) && !written[value] && !strings.Contains(text, value) {
				t.Errorf("%s %q is lost", name, value)
			}
		})
	}
	return out
}
