package shape

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"turns/export"
	"turns/export/exporttest"
	"turns/model"
	"turns/model/jsonspan"
	"turns/query"
	"turns/query/describe"
)

// twins writes each message in all three ways: spliced from its record, encoded from spans of the
// record, and encoded from the decoded message.
func twins(t testing.TB, snap *model.Snapshot, each func(it *Item, spliced []byte, fromSpans, decoded []any)) {
	t.Helper()
	ctx := context.Background()
	opts := export.Options{}
	s := &shaper{opts: &opts, snap: snap, reader: NewItemReader(snap), sep: ",", chat: true, cut: Splicer{Snap: snap, Source: -1}}
	slow := NewItemReader(snap)
	for _, id := range query.Everything(snap).IDs {
		it, err := s.reader.Read(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		spans, err := s.encode(ctx, []byte("[0"), it)
		if err != nil {
			t.Fatal(err)
		}
		other := &slow.item
		*other = Item{id: id, head: it.head, pos: it.pos}
		if err := slow.decoded(ctx, other); err != nil {
			t.Fatal(err)
		}
		decoded, err := s.encode(ctx, []byte("[0"), other)
		if err != nil {
			t.Fatal(err)
		}
		var a, b []any
		for _, x := range []struct {
			from []byte
			to   *[]any
		}{{spans, &a}, {decoded, &b}} {
			d := json.NewDecoder(bytes.NewReader(append(x.from, ']')))
			d.UseNumber() // accepts 1e400
			if err := d.Decode(x.to); err != nil {
				t.Fatalf("message %d: %v in %s", it.pos, err, x.from)
			}
		}
		each(it, s.cut.Element(it), a[1:], b[1:])
	}
}

// checkTwins compares the output of the three ways.
func checkTwins(t testing.TB, snap *model.Snapshot) {
	t.Helper()
	twins(t, snap, func(it *Item, spliced []byte, fromSpans, decoded []any) {
		large := false // decoding reads only the size of large media
		for i := range it.Blocks {
			large = large || it.Blocks[i].Kind == model.Media
		}
		bare := jsonspan.GetString(it.Recorded(), "role") == nil // the shape copies its content
		if !large && !bare && !reflect.DeepEqual(essence(fromSpans), essence(decoded)) {
			t.Errorf("message %d: spans say\n%v\ndecoded\n%v", it.pos, fromSpans, decoded)
		}
		if spliced == nil || large {
			return
		}
		var own map[string]any
		if json.Unmarshal(spliced, &own) != nil {
			return
		}
		if _, list := own["content"].([]any); list || len(fromSpans) != 1 || own["function_call"] != nil || own["refusal"] != nil {
			return // written in another way
		}
		if _, ok := model.ParseRole(own["role"].(string)); !ok || own["role"] != fromSpans[0].(map[string]any)["role"] {
			return
		}
		if got := fromSpans[0].(map[string]any); !reflect.DeepEqual(got["content"], own["content"]) && own["content"] != nil {
			t.Errorf("message %d: the record says\n%s\nencoded\n%v", it.pos, spliced, got)
		}
	})
}

// essence returns the elements with the API's fields only: a decoded message has the values of
// other fields only as text.
func essence(elements []any) (out []any) {
	for _, e := range elements {
		m, kept := e.(map[string]any), map[string]any{}
		for _, name := range []string{"role", "content", "tool_calls", "tool_call_id", "reasoning_content", "is_error"} {
			if v, ok := m[name]; ok {
				kept[name] = v
			}
			calls, _ := m["tool_calls"].([]any)
			for _, call := range calls {
				if call, ok := call.(map[string]any); ok {
					maps.DeleteFunc(call, func(name string, _ any) bool { return name != "id" && name != "type" && name != "function" })
				}
			}
		}
		out = append(out, kept)
	}
	return out
}

func TestTwins(t *testing.T) {
	for _, in := range exporttest.Hostile() {
		if snap, err := exporttest.TryBytes(t, in, "openai"); err == nil {
			checkTwins(t, snap)
		}
	}
}

// FuzzTwins checks the three ways with arbitrary texts that turns reads in one of four formats.
func FuzzTwins(f *testing.F) {
	f.Add("{}", "generic")
	for _, name := range []string{"openai", "claude-code", "codex"} {
		paths, err := filepath.Glob(filepath.Join("..", "..", "testdata", "formats", name, "*.jsonl"))
		if err != nil || len(paths) == 0 {
			f.Fatalf("no samples of %s, %v", name, err)
		}
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(string(data), name)
		}
	}
	f.Fuzz(func(t *testing.T, in, format string) {
		if format != "claude-code" && format != "codex" && format != "generic" {
			format = "openai"
		}
		if snap, err := exporttest.TryBytes(t, in, format); err == nil {
			checkTwins(t, snap)
		}
	})
}

func TestTwinsOfCorpus(t *testing.T) {
	exporttest.EachOfCorpus(t, func(t *testing.T, snap *model.Snapshot) { checkTwins(t, snap) })
}

// TestSplicedAre: turns splices a record of the right shape, but not one that only resembles it.
func TestSplicedAre(t *testing.T) {
	for in, want := range map[string]bool{
		`{"role":"user","content":"x"}`: true,
		`{"role":"user","content":[{"type":"text","text":"x"},{"type":"image_url","image_url":{"url":"u"}}]}`: true,
		`{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f"}}]}`:            true,
		`{"role":"tool","tool_call_id":"a","content":"x"}`:                                                    true,
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"x"}]}`:                  false,
		`{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]}`:                 false,
		`{"from":"human","value":"x"}`:                                                                           false,
		`{"choices":[{"message":{"role":"assistant","content":"x"}}]}`:                                           false,
		`{"request":{"messages":[{"role":"user","content":"q"}]},"response":{"role":"assistant","content":"a"}}`: false,
	} {
		twins(t, exporttest.FromBytes(t, in, "openai"), func(_ *Item, spliced []byte, _, _ []any) {
			if (spliced != nil) != want {
				t.Errorf("%s: spliced %s", in, spliced)
			}
		})
	}
}

// TestManyWindows: a message whose records are far apart in the file keeps its texts, although
// reading it passes many windows.
func TestManyWindows(t *testing.T) {
	var b strings.Builder
	const parts = 7
	pad := strings.Repeat("x", windowBytes-1000)
	for i := range parts {
		fmt.Fprintf(&b, `{"type":"assistant","uuid":"a%d","sessionId":"s","message":{"id":"m1","type":"message","role":"assistant","content":[{"type":"text","text":"part %d %s"}]}}`+"\n", i, i, pad)
	}
	snap := exporttest.FromBytes(t, b.String(), "claude-code")
	var out strings.Builder
	if _, err := WriteJSONL(t.Context(), &out, describe.NewView(query.Everything(snap), nil), export.Options{}); err != nil {
		t.Fatal(err)
	}
	for i := range parts {
		if !strings.Contains(out.String(), fmt.Sprintf("part %d xxx", i)) {
			t.Errorf("part %d is missing", i)
		}
	}
	checkTwins(t, snap)
}
