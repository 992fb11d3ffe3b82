package sdktest

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"
	"google.golang.org/genai"

	"turns/export"
	"turns/export/formats"
	"turns/model/load"
	"turns/query"
	"turns/query/describe"
)

// inputs are the sessions whose exports the SDKs read, by place in the folder of exports.
var inputs = []string{"formats/openai.jsonl", "formats/claude.jsonl", "dialect/odd.json", "dialect/request.anthropic.json",
	"dialect/request.openai.json", "dialect/request.gemini.json", "dialect/request.openai-responses.json", "dialect/request.vercel.json", "dialect/request.pydantic-ai.json"}

// pathOf returns the path of an input.
func pathOf(name string) string {
	return filepath.Join("..", path.Dir(name), "testdata", "in", path.Base(name))
}

func exported(t *testing.T, name, format string) []byte {
	t.Helper()
	c, err := load.Open(context.Background(), pathOf(name), load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	snap, err := c.Load(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	f, err := formats.Find(format)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if _, err := f.Write(context.Background(), &b, describe.NewView(query.Everything(snap), nil), export.Options{}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// same decodes data into v, a type of an SDK, and encodes it again. The result lacks fields that
// the SDK does not know or reads otherwise.
func same(t *testing.T, data []byte, v any) {
	t.Helper()
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	again, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, data, again)
}

func TestOpenAI(t *testing.T) {
	for _, name := range inputs {
		t.Run(name, func(t *testing.T) {
			var body openai.ChatCompletionNewParams
			same(t, exported(t, name, "openai"), &body)
			for i, m := range body.Messages {
				if m.GetRole() == nil {
					t.Errorf("message %d is of no kind that the SDK knows", i)
				}
			}
		})
	}
}

func TestFinetune(t *testing.T) {
	for _, name := range inputs {
		for line := range strings.Lines(string(exported(t, name, "openai-finetune"))) {
			var body openai.ChatCompletionNewParams
			same(t, []byte(line), &body)
		}
	}
}

func TestResponses(t *testing.T) {
	for _, name := range inputs {
		t.Run(name, func(t *testing.T) {
			var body responses.ResponseNewParams
			same(t, exported(t, name, "openai-responses"), &body)
		})
	}
}

func TestAnthropic(t *testing.T) {
	for _, name := range inputs {
		t.Run(name, func(t *testing.T) {
			data := exported(t, name, "anthropic")
			var body anthropic.MessageNewParams
			if err := json.Unmarshal(data, &body); err != nil {
				t.Fatal(err)
			}
			var raw struct {
				Messages []struct {
					Role    string
					Content json.RawMessage
				}
			}
			if err := json.Unmarshal(data, &raw); err != nil {
				t.Fatal(err)
			}
			if len(raw.Messages) != len(body.Messages) {
				t.Fatalf("the SDK has %d messages of %d", len(body.Messages), len(raw.Messages))
			}
			for i := range raw.Messages {
				if raw.Messages[i].Role != string(body.Messages[i].Role) {
					t.Errorf("message %d: role %q", i, body.Messages[i].Role)
				}
				if raw.Messages[i].Content[0] == '[' { // the SDK's type supports lists only
					again, err := json.Marshal(body.Messages[i].Content)
					if err != nil {
						t.Fatal(err)
					}
					compare(t, raw.Messages[i].Content, again)
				}
			}
		})
	}
}

// compare reports a field that an SDK lost. It ignores null fields, which SDKs encode differently.
func compare(t *testing.T, data, again []byte) {
	t.Helper()
	var want, got any
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	if body, ok := want.(map[string]any); ok {
		delete(body, "tool_choice") // the SDK of OpenAI writes the name in it, but does not read it
	}
	if err := json.Unmarshal(again, &got); err != nil {
		t.Fatal(err)
	}
	if path := missing(want, got); path != "" {
		t.Errorf("the SDK lost %s: exported %s\nthe SDK  %s", path, data, again)
	}
}

func missing(want, got any) string {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok && len(w) > 0 {
			return "{}"
		}
		for k, v := range w {
			if v == nil {
				continue
			}
			if path := missing(v, g[k]); path != "" {
				return "." + k + path
			}
		}
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return "[]"
		}
		for i := range w {
			if path := missing(w[i], g[i]); path != "" {
				return path
			}
		}
	case string:
		if g, ok := got.([]any); ok && len(g) == 1 { // a string equals a list of one text
			return missing(map[string]any{"text": w}, g[0])
		}
		if w != got {
			return "=" + w
		}
	default:
		if !reflect.DeepEqual(want, got) {
			return "="
		}
	}
	return ""
}

func TestGemini(t *testing.T) {
	for _, name := range inputs {
		t.Run(name, func(t *testing.T) {
			// The SDK expects the placeholder of a signature in another alphabet of base64.
			data := bytes.ReplaceAll(exported(t, name, "gemini"), []byte("skip_thought_signature_validator"), []byte("skip/thought/signature/validator"))
			var body struct {
				SystemInstruction *genai.Content          `json:"systemInstruction,omitempty"`
				Contents          []*genai.Content        `json:"contents"`
				Tools             []*genai.Tool           `json:"tools,omitempty"`
				ToolConfig        *genai.ToolConfig       `json:"toolConfig,omitempty"`
				GenerationConfig  *genai.GenerationConfig `json:"generationConfig,omitempty"`
			}
			dec := json.NewDecoder(bytes.NewReader(data))
			dec.DisallowUnknownFields()
			if err := dec.Decode(&body); err != nil {
				t.Fatalf("%v in %s", err, data)
			}
			again, err := json.Marshal(&body)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, data, again)
		})
	}
}

func TestInputsExist(t *testing.T) {
	for _, name := range inputs {
		if _, err := os.Stat(pathOf(name)); err != nil {
			t.Error(err)
		}
	}
}
