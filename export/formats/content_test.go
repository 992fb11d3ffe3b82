package formats

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"turns/export"
	"turns/export/exporttest"
	"turns/model"
	"turns/model/modeltest"
)

// TestJSONKeepsContent exports contents other than plain texts, with the format detected: each
// message keeps its content.
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

// TestJSONKeepsAnyContent does the same with random JSON as contents, arguments and results, and
// checks that the exports for people and tables contain it.
func TestJSONKeepsAnyContent(t *testing.T) {
	for seed := range 100 {
		if !modeltest.Some(seed, 1) {
			continue
		}
		r := &randomJSON{Rand: rand.New(rand.NewPCG(uint64(seed), 32))}
		list := []string{`{"role":"user","content":"begin"}`}
		for range 1 + r.IntN(6) {
			list = append(list, r.message())
		}
		in := "[" + strings.Join(list, ",") + "]"
		r.areShown(t, keepsContent(t, in, false), in)
	}
}

// randomJSON generates random JSON with unique words in its strings.
type randomJSON struct {
	*rand.Rand
	words []string // words that an export must show
	count int      // number of all words
	calls int
}

// message returns a message of any role, or an answer with a call and its result.
func (r *randomJSON) message() string {
	if r.IntN(2) == 0 {
		role := r.one("system", "user", "assistant", "unknown", "unknown", "moderator")
		return fmt.Sprintf(`{"role":"%s","content":%s}`, role, r.value(0))
	}
	r.calls++
	args := r.value(0)
	if r.IntN(2) == 0 { // a string of JSON, as in OpenAI's API
		args = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(args) + `"`
	}
	return fmt.Sprintf(`{"role":"assistant","content":%s,"tool_calls":[{"id":"c%d","type":"function","function":{"name":"f","arguments":%s}}]},{"role":"tool","tool_call_id":"c%[2]d","content":%[4]s}`,
		r.one("null", `""`, r.value(0)), r.calls, args, r.value(0))
}

func (r *randomJSON) one(of ...string) string { return of[r.IntN(len(of))] }

// word returns a new word and adds it to r.words.
func (r *randomJSON) word() string {
	r.count++
	r.words = append(r.words, fmt.Sprintf("word%dx", r.count))
	return r.words[len(r.words)-1]
}

// value returns a value of any type. Names of fields are those of contents and others; some are
// empty or repeated.
func (r *randomJSON) value(depth int) string {
	kinds := 8
	if depth > 3 {
		kinds = 5
	}
	switch r.IntN(kinds) {
	case 0:
		return r.one("null", "true", "false")
	case 1:
		return r.one("0", "-0", "-1", "3.50", "1e400", "-1E-400", "12345678901234567890", "123456789012345678901234567890123", "0.1", "-0.0")
	case 2:
		return r.one(`""`, `" "`, `"{"`, `"null"`, `"\""`, `"7"`, `"\u0000"`)
	case 3, 4:
		return `"` + r.word() + r.one("", "", ` \ud800`, ` \ud800\ud800`, ` \udc00.`, ` \ud83d\ude00`, ` a\u0000b`, ` \u202e`, `\nline`, `\r\n`, ` <html>`, ` {\"a\":1}`) + `"`
	case 5, 6:
		var fields []string
		before, texts := len(r.words), false
		for range r.IntN(4) {
			name := r.one("text", "answer", "a", "a", "content", "value", "lang", "parts", "name", "id", "data", "é", "")
			texts = texts || name == "text" || name == "value" || name == "content"
			fields = append(fields, `"`+name+`":`+r.value(depth+1))
		}
		if r.IntN(3) == 0 {
			kind := r.one("text", "weird", "image_url", "refusal", "document", "thinking", "file", "input_text", "redacted_thinking")
			fields = append(fields, `"type":"`+kind+`"`)
			texts = texts || kind != "weird"
		}
		// Exports for people show the text of a block or the size of an image, not its other
		// fields.
		if texts {
			r.words = r.words[:before]
		}
		return "{" + strings.Join(fields, ",") + "}"
	}
	if depth == 0 && r.IntN(4) == 0 {
		deep := 20 + r.IntN(200)
		return strings.Repeat(`[{"":`, deep) + r.value(9) + strings.Repeat("}]", deep)
	}
	list := make([]string, r.IntN(4))
	for i := range list {
		list[i] = r.value(depth + 1)
	}
	return "[" + strings.Join(list, ",") + "]"
}

// TestBlocksWithoutTextAreShown exports blocks that have other fields instead of a text.
func TestBlocksWithoutTextAreShown(t *testing.T) {
	for _, content := range []string{`{"type":"text","a":"word1x"}`, `[{"type":"refusal","a":"word1x"}]`, `{"data":"word1x","a":1}`, `[1,{"type":"weird","a":"word1x"}]`, `{"text":{"x":1},"data":"word1x"}`} {
		r := &randomJSON{words: []string{"word1x"}}
		in := `[{"role":"user","content":"begin"},{"role":"assistant","content":` + content + `}]`
		r.areShown(t, exporttest.ReadBack(t, "run.json", in), in)
	}
}

// areShown fails if an export lacks one of r.words that the messages contain.
func (r *randomJSON) areShown(t *testing.T, snap *model.Snapshot, in string) {
	t.Helper()
	for format, o := range map[string]export.Options{
		"dict": {}, "text": {}, "markdown": {}, "html": {}, "csv": {CSVRaw: true, Columns: []string{"arguments"}},
	} {
		out, _ := written(t, format, exporttest.Everything(snap), o)
		for _, word := range r.words {
			if strings.Contains(in, word) && !strings.Contains(out, word) {
				t.Fatalf("%s lacks %s of\n%s\n%s", format, word, in, out)
			}
		}
	}
}

// keepsContent fails if the contents of a list of messages change when it is exported as JSON, or
// when that export is read and exported again. It returns the list as read.
func keepsContent(t *testing.T, in string, wrapped bool) (first *model.Snapshot) {
	t.Helper()
	list := in
	if wrapped {
		list = string(decoded[map[string]json.RawMessage](t, in)["messages"])
	}
	want := fieldsAsWritten(t, list)
	text := in
	for range 2 {
		snap := exporttest.ReadBack(t, "run.json", text)
		if snap == nil {
			t.Fatalf("not read: %s", text)
		}
		if first == nil {
			first = snap
		}
		out, _ := written(t, "json", exporttest.Everything(snap), export.Options{})
		if got := fieldsAsWritten(t, out); !reflect.DeepEqual(got, want) {
			t.Fatalf("%s\nbecame\n%s", in, out)
		}
		text = out
	}
	return first
}

// fieldsAsWritten returns the fields of the messages of a list as raw JSON without spaces: decoding
// them would lose lone surrogates and repeated fields.
func fieldsAsWritten(t *testing.T, list string) []map[string]string {
	t.Helper()
	var messages []map[string]string
	for _, m := range decoded[[]map[string]json.RawMessage](t, list) {
		fields := map[string]string{}
		for name, raw := range m {
			var b bytes.Buffer
			if err := json.Compact(&b, raw); err != nil {
				t.Fatal(err)
			}
			fields[name] = b.String()
		}
		messages = append(messages, fields)
	}
	return messages
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

// TestValuesAmongBlocks writes lists with numbers, booleans and nulls among Anthropic's blocks.
func TestValuesAmongBlocks(t *testing.T) {
	const image = `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}}`
	snap := exporttest.FromBytes(t, `[{"role":"user","content":[`+image+`,null,5,true,{"type":"text","text":"see"}]},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}},null,7]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"ok"}]}]`, "")
	got, _ := written(t, "json", exporttest.Everything(snap), export.Options{})
	for _, want := range []string{`},null,5,true,{"type":"text"`, `"content":[null,7]`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in\n%s", want, got)
		}
	}
}
