package dialect_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"turns/export"
	"turns/export/dialect"
	"turns/export/exporttest"
	"turns/model"
	"turns/model/modeltest"
	"turns/query/provider"
)

func TestProviderGolden(t *testing.T) {
	for _, in := range []struct{ name, format string }{
		{"../formats/testdata/in/openai.jsonl", "openai"}, {"../formats/testdata/in/claude.jsonl", "claude-code"},
		{"../formats/testdata/in/empty.jsonl", "openai"}, {"testdata/in/odd.json", "anthropic"},
	} {
		for _, f := range dialect.Formats() {
			t.Run(filepath.Base(in.name)+"/"+f.Name, func(t *testing.T) {
				got, report := written(t, f.Name, exporttest.Everything(exporttest.FromFile(t, in.name, in.format)), export.Options{Indent: 2})
				for _, note := range report.Notes {
					got += "// " + note + "\n"
				}
				name, _, _ := strings.Cut(filepath.Base(in.name), ".")
				path := filepath.Join("testdata", "providers", name+"."+f.Name+".golden")
				modeltest.Golden(t, path, got)
			})
		}
	}
}

// roundTrips are the formats that turns can read back: a second export must equal the first.
var roundTrips = []struct{ format, reads string }{
	{"openai", "openai"},
	{"anthropic", "anthropic"},
	{"pydantic-ai", "pydantic-ai"},
	{"langchain", "langchain"},
	{"atif", "atif"},
	{"openai-finetune", "openai"},
	{"openai-responses", "openai-responses"},
	{"gemini", "gemini"},
	{"vercel", "vercel-model"},
	{"vercel-ui", "vercel-ui"},
	{"agentsmithy", "agentsmithy"},
	{"sharegpt", "sharegpt"},
}

// TestRoundTrip exports random conversations, reads the export and exports it again in the same
// format: the JSON must not change.
func TestRoundTrip(t *testing.T) {
	for _, rt := range roundTrips {
		t.Run(rt.format, func(t *testing.T) {
			for seed := range uint64(modeltest.Fewer(40, 40)) {
				snap := model.FromMessages(randomMessages(rand.New(rand.NewPCG(seed, 3))))
				first, _ := written(t, rt.format, exporttest.Everything(snap), export.Options{})
				if empty(first) {
					continue
				}
				back, err := exporttest.TryBytes(t, first, rt.reads)
				if err != nil {
					t.Fatalf("seed %d: %v\n%s", seed, err, first)
				}
				second, _ := written(t, rt.format, exporttest.Everything(back), export.Options{})
				if !sameJSON(t, first, second) {
					t.Fatalf("seed %d:\nfirst  %s\nsecond %s", seed, first, second)
				}
			}
		})
	}
}

func empty(out string) bool {
	return !strings.Contains(out, `"role"`) && !strings.Contains(out, `"kind"`) && !strings.Contains(out, `"data"`) && !strings.Contains(out, `"step_id"`) && !strings.Contains(out, `"from"`) && !strings.Contains(out, `"idx"`)
}

// sameJSON reports whether two texts are the same JSON value.
func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	var x, y any
	if err := json.Unmarshal([]byte(a), &x); err != nil {
		t.Fatalf("%v in %s", err, a)
	}
	if err := json.Unmarshal([]byte(b), &y); err != nil {
		t.Fatalf("%v in %s", err, b)
	}
	return reflect.DeepEqual(x, y)
}

func randomMessages(r *rand.Rand) []model.Message {
	var msgs []model.Message
	say := func(role model.Role, blocks ...model.Content) {
		msgs = append(msgs, model.Message{Role: role, Blocks: blocks})
	}
	text := func() model.Content {
		texts := []string{"hello", "ünï \"quoted\"\n\tline", "<b>&amp;", "x\u2028 🙂", "{\"not\": \"a call\"}"}
		return model.Content{Kind: model.Words, Text: texts[r.IntN(len(texts))]}
	}
	if r.IntN(2) == 0 {
		say(model.System, model.Content{Kind: model.Words, Text: "be brief"})
	}
	for i := range 1 + r.IntN(4) {
		say(model.User, text())
		for step := range r.IntN(3) {
			var blocks, results []model.Content
			if r.IntN(2) == 0 {
				blocks = append(blocks, text())
			}
			for k := range 1 + r.IntN(3) {
				id := fmt.Sprintf("call_%d%d%d", i, step, k)
				blocks = append(blocks, model.Content{Kind: model.ToolCall, ID: id, Name: "look_up", Text: fmt.Sprintf(`{"n":12345678901234567890,"k":%d}`, k), JSON: true})
				result := model.Content{Kind: model.ToolResult, ID: id, Name: "look_up", Text: fmt.Sprint("found ", k)}
				if r.IntN(4) == 0 {
					result.Outcome, result.Text = model.Failure, "error: no such thing"
				}
				if r.IntN(6) > 0 {
					results = append(results, result)
				}
			}
			say(model.Assistant, blocks...)
			for _, res := range results {
				say(model.Tool, res)
			}
		}
		if r.IntN(3) > 0 {
			say(model.Assistant, text())
		}
	}
	return msgs
}

// TestRecordedRoundTrip exports requests of the providers' clients, with fields that only they
// write, to the same format: the JSON must not change.
func TestRecordedRoundTrip(t *testing.T) {
	for _, rt := range roundTrips {
		name := rt.format
		if _, err := os.Stat(filepath.Join("testdata", "in", "request."+name+".json")); err != nil {
			continue // the random conversations cover this format
		}
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("testdata", "in", "request."+name+".json"))
			if err != nil {
				t.Fatal(err)
			}
			got, report := written(t, name, exporttest.Everything(exporttest.FromBytes(t, string(data), rt.reads)), export.Options{Indent: 2})
			var want bytes.Buffer
			if err := json.Indent(&want, data, "", "  "); err != nil {
				t.Fatal(err)
			}
			if !sameJSON(t, got, want.String()) {
				t.Errorf("notes %q; %s", report.Notes, modeltest.FirstDifference(got, want.String()))
			}
			if !strings.Contains(got, "12345678901234567890123") {
				t.Error("a large number was changed")
			}
		})
	}
}

// TestEveryFormatIsValid writes shuffled random conversations: each export is valid JSON.
func TestEveryFormatIsValid(t *testing.T) {
	for _, f := range dialect.Formats() {
		for seed := range uint64(modeltest.Fewer(60, 60)) {
			r := rand.New(rand.NewPCG(seed, 9))
			msgs := randomMessages(r)
			r.Shuffle(len(msgs), func(i, j int) { msgs[i], msgs[j] = msgs[j], msgs[i] })
			out, _ := written(t, f.Name, exporttest.Everything(model.FromMessages(msgs)), export.Options{Indent: int(seed % 3)})
			dec := json.NewDecoder(strings.NewReader(out))
			for n := 0; dec.More(); n++ {
				var v any
				if err := dec.Decode(&v); err != nil {
					t.Fatalf("%s, seed %d: %v\n%s", f.Name, seed, err, out)
				}
			}
		}
	}
}

func TestProviderFormatsHaveRules(t *testing.T) {
	for _, f := range dialect.Formats() {
		if _, err := provider.Find(f.Name); err != nil {
			t.Error(err)
		}
	}
}

func TestSubagentsAndCredentials(t *testing.T) {
	snap := model.FromMessages([]model.Message{
		{Role: model.User, Blocks: []model.Content{{Kind: model.Words, Text: "key ghp_" + strings.Repeat("aB3dE6gH9j", 3) + "aB3dE6"}}},
	})
	out, report := written(t, "openai", exporttest.Everything(snap), export.Options{Redact: true})
	if report.Secrets != 1 || strings.Contains(out, "aB3dE6gH9j") {
		t.Errorf("%d secrets in %s", report.Secrets, out)
	}
}
