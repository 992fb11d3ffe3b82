package format

import (
	"html"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"turns/model"
	"turns/model/format/evals"
	"turns/model/format/kit"
	"turns/model/format/openhands"
)

func TestMembersInOrder(t *testing.T) {
	tests := []struct {
		name    string
		members func([]string) []string
		names   string
		want    string
	}{
		{"samples by number and epoch", evals.InspectMembers,
			"samples/10_epoch_1.json samples/2_epoch_2.json _journal/start.json summaries.json samples/2_epoch_1.json header.json reductions.json",
			"header.json samples/2_epoch_1.json samples/2_epoch_2.json samples/10_epoch_1.json"},
		{"a run that is not finished", evals.InspectMembers,
			"_journal/start.json _journal/summaries/1.json samples/b_epoch_1.json samples/a_epoch_1.json",
			"_journal/start.json samples/a_epoch_1.json samples/b_epoch_1.json"},
		{"events of the SDK", openhands.OpenHandsMembers,
			"events/event-00010-b.json base_state.json events/event-00002-a.json events/.lock observations/x.json",
			"base_state.json events/event-00002-a.json events/event-00010-b.json"},
		{"events of version 0", openhands.OpenHandsMembers,
			"events/10.json events/9.json event_cache/0-25.json metadata.json agent_state.pkl",
			"metadata.json events/9.json events/10.json"},
		{"a folder of something else", openhands.OpenHandsMembers, "a.json 1.json events/list.json", ""},
	}
	for _, test := range tests {
		got := strings.Join(test.members(strings.Fields(test.names)), " ")
		if got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.name, got, test.want)
		}
	}
}

func TestEvalWords(t *testing.T) {
	tests := []struct{ text, want string }{
		{"plain", "text plain"},
		{"a < b </think> c", "text a < b </think> c"},
		{"<think>not closed", "text <think>not closed"},
		{`<think>\nx\n</think>\n\nsaid`, "reasoning x|text said"},
		{`<think></think>said`, "reasoning |text said"},
		{`one <tool_call>{\"name\": \"f\", \"arguments\": {\"a\": 1}}</tool_call> two`, `text one|call f {\"a\": 1}|text two`},
		{`<tool_response>ok</tool_response>`, "result ok"},
		{`<details type=\"reasoning\" done=\"true\">hm</details>`, "reasoning hm"},
	}
	for _, test := range tests {
		var f model.Fact
		kit.EvalWords(&f, model.EscapedText([]byte(test.text)))
		var got []string
		for _, b := range f.Blocks {
			s := b.Kind.String()
			if b.Kind == model.ToolCall {
				s += " " + string(b.Name.Raw())
			}
			got = append(got, s+" "+string(b.Text.Raw()))
		}
		if !slices.Equal(got, strings.Split(test.want, "|")) {
			t.Errorf("%s: got %q, want %q", test.text, got, test.want)
		}
	}
}

// TestCutDocuments reads documents that end in the middle: the part before the cut is present, and
// a note marks the cut.
func TestCutDocuments(t *testing.T) {
	for _, name := range []string{"swe-agent/text.traj", "mini-swe-agent/v1.traj.json", "mini-swe-agent/bare.traj.json", "chatgpt/one.json"} {
		data, err := os.ReadFile(filepath.Join(samplesDir, name))
		if err != nil {
			t.Fatal(err)
		}
		f, m := Detect(sampleOf(name, data))
		if m.Variant == kit.EvalList {
			t.Fatalf("%s: detected as a list", name)
		}
		full := 0
		for _, cut := range []int{len(data), len(data) * 3 / 4, len(data) * 2 / 3} {
			var fs model.Facts
			if err := f.Parse(model.Record{Variant: m.Variant, Data: data[:cut]}, &fs); err != nil {
				t.Errorf("%s cut at %d of %d: %v", name, cut, len(data), err)
				continue
			}
			said, noted := 0, false
			for i := range fs.Len() {
				if fs.At(i).Op == model.Say {
					said++
				}
				noted = noted || fs.At(i).Op == model.Note && fs.At(i).Name.Is("cut off")
			}
			switch {
			case cut == len(data):
				full = said
			case said == 0 || said > full || !noted:
				t.Errorf("%s cut at %d of %d: %d of %d messages, noted: %t", name, cut, len(data), said, full, noted)
			}
		}
	}
}

// TestUnescapeHTML compares UnescapeHTML with the standard library's function.
func TestUnescapeHTML(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	parts := []string{"&quot;", "&#x27;", "&#39;", "&lt;", "&gt;", "&amp;", "quot;", "&", "&eacute;", "&quot", "&#x1F600;", "a", "é", "<b>", ""}
	for range 20_000 {
		text := ""
		for range r.IntN(12) {
			text += parts[r.IntN(len(parts))]
		}
		if got, want := string(kit.UnescapeHTML([]byte(text))), html.UnescapeString(text); got != want {
			t.Fatalf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestBrokenMessage checks that an invalid value in a message does not lose later messages.
func TestBrokenMessage(t *testing.T) {
	for name, doc := range map[string]string{
		"tau-bench":  `[{"task_id":1,"reward":1,"traj":[{"role":"user","content":"one"},{"role":"assistant","content":"two","x":nope},{"role":"tool","content":"3","x":nope},{"role":"user","content":"last"}]}]`,
		"sharegpt":   `[{"conversations":[{"from":"human","value":"one"},{"from":"gpt","value":"two","x":nope},{"from":"human","value":"last"}]}]`,
		"open-webui": `[{"chat":{"models":["m"],"history":{"messages":{"a":{"id":"a","role":"user","content":"one"},"b":{"id":"b","role":"assistant","x":nope},"c":{"id":"c","role":"user","content":"last"}},"currentId":"c"}}}]`,
		"claude-ai":  `[{"uuid":"c","chat_messages":[{"uuid":"1","sender":"human","text":"one"},{"uuid":"2","sender":"assistant","text":"two","x":nope},{"uuid":"3","sender":"human","text":"last"}]}]`,
		"atif":       `[{"schema_version":"ATIF-v1.5","session_id":"s","agent":{"name":"a"},"steps":[{"step_id":1,"source":"user","message":"one"},{"step_id":2,"source":"agent","message":"two","x":nope},{"step_id":3,"source":"user","message":"last"}]}]`,
		"swe-agent":  `[{"trajectory":[{"action":"a","observation":"o"}],"history":[{"role":"user","content":"one","agent":"main"},{"role":"assistant","content":"two","x":nope},{"role":"user","content":"last"}],"info":{}}]`,
	} {
		f, m := Detect(sampleOf("x.json", []byte(doc)))
		if f.Name != name {
			t.Errorf("%s: detected as %s", name, f.Name)
			continue
		}
		var fs model.Facts
		if err := f.Parse(model.Record{List: kit.WholeList, Variant: m.Variant, Data: []byte(doc[1 : len(doc)-1])}, &fs); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		said := ""
		for i := range fs.Len() {
			for _, b := range fs.At(i).Blocks {
				said += " " + string(b.Text.Raw())
			}
		}
		if !strings.Contains(said, "one") || !strings.Contains(said, "last") {
			t.Errorf("%s: got %q, want the first message and the last", name, said)
		}
	}
}
