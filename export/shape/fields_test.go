package shape

import (
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

// structure are the fields that tell what stands beside them, which the shape says in its
// own way.
var structure = []string{"type", "part_kind", "tool_kind", "role", "kind"}

// leaves gives every text, number and truth of a JSON value with its name.
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

// TestJSONKeepsEveryField: of formats whose messages are JSON objects, each value that
// was recorded of a message stands in the JSON of an export, and what is read of that and
// written again is the same.
func TestJSONKeepsEveryField(t *testing.T) {
	for _, sample := range []string{
		"openai/array.json", "pydantic-ai/requests.json", "pydantic-ai/vendor.json",
		"agent-c/common.json", "agent-c/enhanced.json", "agent-c/worklog.json",
		"agentsmithy/document.json", "agentsmithy/previews.json", "agentsmithy/seed.json", "agentsmithy/blocks.json", "agentsmithy/blocks_calls.json",
		"dexto/messages2025.json", "dexto/messages2026.json",
	} {
		t.Run(sample, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "formats", filepath.FromSlash(sample)))
			if err != nil {
				t.Fatal(err)
			}
			format, _, _ := strings.Cut(sample, "/")
			keepsFields(t, exporttest.FromBytes(t, string(data), format))
		})
	}
}

func keepsFields(t *testing.T, snap *model.Snapshot) {
	var out strings.Builder
	if _, err := WriteJSON(t.Context(), &out, describe.NewView(query.Everything(snap), nil), export.Options{}); err != nil {
		t.Fatal(err)
	}
	var all []string
	written := map[string]bool{}
	leaves("", decode(t, []byte(out.String())), func(_, value string) { written[value] = true })
	for value := range written {
		all = append(all, value)
	}
	text := strings.Join(all, "\n")
	for _, id := range query.Everything(snap).IDs {
		m, err := snap.Body(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range m.Records {
			leaves("", decode(t, r.Data), func(name, value string) {
				if !slices.Contains(structure, name) && !written[value] && !strings.Contains(text, value) {
					t.Errorf("message %d: %s %q is lost", m.Pos, name, value)
				}
			})
		}
	}
}
