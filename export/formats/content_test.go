package formats

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"turns/export"
	"turns/export/exporttest"
	"turns/model/modeltest"
)

// TestJSONKeepsContent writes what people send and get beside plain texts, without a word on the
// format: each message has the content that it had.
func TestJSONKeepsContent(t *testing.T) {
	const call = `{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}`
	for _, content := range []string{
		`{"a":1}`, `{"a":1,"b":2}`, `{"text":"hello"}`, `{"text":"Paris","lang":"fr"}`, `{"parts":["hi"]}`, `{"rows":[1,2]}`, `{"content":"deep"}`,
		`{"answer":"Paris"}`, `{"error":"quota exceeded"}`, `42`, `3.5`, `true`, `null`, `[]`, `{}`, `[1,"two",null,{"type":"text","text":"three"},{"type":"weird","z":1}]`,
		`12345678901234567890`,
	} {
		for _, role := range []string{"system", "user", "assistant", `tool","tool_call_id":"c`} {
			said := fmt.Sprintf(`{"role":"%s","content":%s}`, role, content)
			for _, in := range []string{"[" + said + "," + call + "]", `[{"role":"user","content":"capital?"},` + said + "]", `{"messages":[{"role":"user","content":"capital?"},` + said + "]}"} {
				keepsContent(t, in, strings.HasPrefix(in, "{"))
			}
		}
	}
	keepsContent(t, `[{"role":"user","content":"capital?"},{"role":"assistant","content":{"answer":"Paris"}},{"role":"assistant","content":{"score":0.3}},{"role":"assistant","content":{"error":"quota exceeded"}}]`, false)
	keepsContent(t, `[{"role":"assistant","content":"x","tool_calls":null,"audio":{"id":"a"},"annotations":[],"refusal":null},{"role":"user","content":"y"}]`, false)
}

// TestJSONKeepsAnyContent does it with random JSON.
func TestJSONKeepsAnyContent(t *testing.T) {
	for seed := range 400 {
		if !modeltest.Some(seed, 1) {
			continue
		}
		r := rand.New(rand.NewPCG(uint64(seed), 32))
		list := []any{map[string]any{"role": "user", "content": "begin"}}
		for range 1 + r.IntN(6) {
			m := map[string]any{"role": [...]string{"system", "user", "assistant", "unknown", "moderator"}[r.IntN(5)], "content": anyJSON(r, 0)}
			if r.IntN(4) == 0 {
				m["role"] = "unknown" // as the export names who is not named
			}
			list = append(list, m)
		}
		in, err := json.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		keepsContent(t, string(in), false)
	}
}

// anyJSON is a value of each type of JSON, whose fields have names that contents have and others.
func anyJSON(r *rand.Rand, depth int) any {
	kinds := 8
	if depth > 3 {
		kinds = 5
	}
	switch r.IntN(kinds) {
	case 0:
		return nil
	case 1:
		return r.IntN(2) == 0
	case 2:
		return json.Number([...]string{"0", "-1", "3.50", "1e400", "12345678901234567890", "0.1"}[r.IntN(6)])
	case 3, 4:
		return [...]string{"", " ", "text", "{", "null", `"`, "a\x00b", "\u202e", "line\nline", "<html>", "7"}[r.IntN(11)]
	case 5, 6:
		o := map[string]any{}
		for range r.IntN(4) {
			o[[...]string{"text", "answer", "a", "content", "value", "lang", "parts", "name", "id", "data", "é"}[r.IntN(11)]] = anyJSON(r, depth+1)
		}
		if r.IntN(3) == 0 {
			o["type"] = [...]string{"text", "weird", "image_url", "refusal"}[r.IntN(4)]
		}
		return o
	}
	list := make([]any, r.IntN(4))
	for i := range list {
		list[i] = anyJSON(r, depth+1)
	}
	return list
}

// keepsContent fails where the JSON export of a list of messages, or what is read of that and
// written again, has other contents than the list.
func keepsContent(t *testing.T, in string, wrapped bool) {
	t.Helper()
	want := decoded[any](t, in)
	if wrapped {
		want = want.(map[string]any)["messages"]
	}
	text := in
	for range 2 {
		snap := readBack(t, "run.json", text)
		if snap == nil {
			t.Fatalf("not read: %s", text)
		}
		out, _ := written(t, "json", everything(snap), export.Options{})
		if got := decoded[any](t, out); !reflect.DeepEqual(got, want) {
			t.Fatalf("%s\nbecame\n%s", in, out)
		}
		text = out
	}
}

func decoded[T any](t *testing.T, text string) (v T) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}

// TestValuesAmongBlocks writes lists in which numbers, truths and nulls are among Anthropic's
// blocks.
func TestValuesAmongBlocks(t *testing.T) {
	const image = `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}}`
	snap := exporttest.FromBytes(t, `[{"role":"user","content":[`+image+`,null,5,true,{"type":"text","text":"see"}]},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}},null,7]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"ok"}]}]`, "")
	got, _ := written(t, "json", everything(snap), export.Options{})
	for _, want := range []string{`},null,5,true,{"type":"text"`, `"content":[null,7]`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in\n%s", want, got)
		}
	}
}
