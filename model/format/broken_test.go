package format

import (
	"bytes"
	"strings"
	"testing"

	"turns/model"
	"turns/model/format/chats"
	"turns/model/format/copilot"
	"turns/model/format/dump"
	"turns/model/format/kit"
	"turns/model/format/providers"
)

// TestBrokenInside checks that an invalid value does not lose the values around it: a parser reads
// lists in place, and again if that fails.
func TestBrokenInside(t *testing.T) {
	tests := []struct {
		format, record string
		variant        uint8
		want           []string // in this order
	}{
		{"bedrock", `{"messages":[{"role":"user","content":[{"text":"one"},{"text":"two","x"},{"text":"three"}]},` +
			`{"role":"assistant","content":[{"text":"four"}],,"x":1},{"role":"user","content":[{"text":"five"}]}],"stopReason":"end_turn"}`,
			providers.BedrockWhole, []string{"one", "two", "three", "four", "five"}},
		{"gemini", `{"contents":[{"role":"user","parts":[{"text":"one"},{"text":"two","x"},{"text":"three"}]},` +
			`{"role":"model","parts":[{"text":"four"}],,"x":1},{"role":"user","parts":[{"text":"five"}]}]}`,
			0, []string{"one", "two", "three", "four", "five"}},
		{"gemini", `{"request"::"ask","x":1}`, 0, []string{`::"ask"`}},
		{"claude-ai", `{"uuid":"c","chat_messages":[{"uuid":"a","sender":"human","text":"one"},{"uuid":"b","sender":"assistant","text":"two","x"},` +
			`{"uuid":"d","sender":"human","text":"three"}],"name":"the title"}`, kit.EvalDoc, []string{"the title", "one", "two", "three"}},
		{"claude-ai", `{"uuid":"c","chat_messages":[{"uuid":"a","sender":"human","text":"one"} {"uuid":"b","sender":"assistant","text":"two"}],"name":"the title"}`,
			kit.EvalDoc, []string{"the title", "one"}},
		{"open-webui", `{"chat":{"history":{"messages":{"a":{"role":"user","content":"one"},"b":{"role":"assistant","content":"two","x"},` +
			`"c":{"role":"user","content":"three"}},"currentId":"c"},"title":"the title"}}`, kit.EvalDoc, []string{"the title", "one", "two", "three"}},
		{"chatgpt", `{"mapping":{"a":{"message":{"author":{"role":"user"},"content":{"parts":["one"]}},"children":["b"]},` +
			`"b":{"message":{"author":{"role":"assistant"},"content":{"parts":["two"]}},"parent":"a"},"c"},"title":"the title"}`,
			kit.EvalDoc, []string{"the title", "one", "two"}},
		{"tau-bench", `{"task_id":1,"traj":[{"role":"user","content":"one"} {"role":"assistant","content":"two"}],"reward":1}`,
			kit.EvalDoc, []string{"task 1", "one", "reward 1"}},
		{"tau-bench", `{"task_id":1,"traj":[{"role":"user","content":"one"},{"role":"assistant","content":"two","x"},{"role":"user","content":"three"}],"reward":1}`,
			kit.EvalDoc, []string{"one", "two", "three", "reward 1"}},
		{"sharegpt", `{"conversations":[{"from":"human","value":"one"},{"from":"gpt","value":"two","x"},{"from":"human","value":"three <image>"}],"images":["1.jpg"]}`,
			kit.EvalDoc, []string{"one", "two", "three", "1.jpg"}},
		{"sharegpt", `{"conversations":[{"from":"human","value":"one <image>"} {"from":"gpt","value":"two"}],"images":["1.jpg"],"system":"be brief"}`,
			kit.EvalDoc, []string{"be brief", "one", "1.jpg"}},
		{"vscode-copilot", `{"prompt":"ask","logs":[{"kind":"request","metadata":{"model":"m" "x"},"response":{"message":["one"]}},{"kind":"toolCall","tool":"t","args":"two"}]}`,
			copilot.VscodeReplay, []string{"ask", "one", "two"}},
		{"openai", `{"role":"assistant","content":[{"type":"text","text":"one"},{"type":"text","text":"two","x"},{"type":"text","text":"three"}]}`,
			kit.ChatLines, []string{"one", "two", "three"}},
		{"openai", `{"role":"assistant","content":null,"tool_calls":[{"id":"a","function":{"name":"one"},"x"},{"id":"b","function":{"name":"two"}}]}`,
			kit.ChatLines, []string{"one", "two"}},
		{"anthropic", `{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"one"},{"type":"image","x"}]}]}`,
			kit.ChatLines, []string{"one"}},
	}
	for _, test := range tests {
		f, err := Find(test.format)
		if err != nil {
			t.Fatal(err)
		}
		var fs model.Facts
		var out bytes.Buffer
		err = f.Parse(model.Record{Variant: test.variant, Data: []byte(test.record)}, &fs)
		if err := dump.Write(&out, &fs); err != nil {
			t.Fatal(err)
		}
		rest := out.String()
		for _, want := range test.want {
			i := strings.Index(rest, want)
			if err != nil || i < 0 {
				t.Errorf("%s: no %q in its place (%v)\n%s\n%s", test.format, want, err, test.record, out.String())
				break
			}
			rest = rest[i+len(want):]
		}
	}
}

// TestOrderOfFields checks that a parser reads a conversation in order, whatever follows its turns
// in the record.
func TestOrderOfFields(t *testing.T) {
	turns := `"conversations":[{"from":"human","value":"one <image>"},{"from":"gpt","value":"two <image>"}]`
	others := []string{turns, `"images":["1.jpg","2.jpg"]`, `"system":"be brief"`, `"id":"x"`, `"tools":"[]"`}
	var want string
	for range others {
		var fs model.Facts
		var out bytes.Buffer
		if err := chats.ShareGPTFormat().Parse(model.Record{Data: []byte("{" + strings.Join(others, ",") + "}")}, &fs); err != nil {
			t.Fatal(err)
		}
		if err := dump.Write(&out, &fs); err != nil {
			t.Fatal(err)
		}
		if want == "" {
			want = out.String()
		}
		if out.String() != want {
			t.Errorf("%q gives\n%s\nwant\n%s", others, out.String(), want)
		}
		others = append(others[1:], others[0])
	}
}

// TestCutAnywhere checks that parsers can read a conversation cut off at any place, and that its
// messages are the first ones of the complete conversation.
func TestCutAnywhere(t *testing.T) {
	for format, record := range map[string]string{
		"sharegpt":   `{"system":"s","conversations":[{"from":"human","value":"<image> one"},{"from":"gpt","value":"two <video>"}],"images":["1"],"videos":["2"]}`,
		"claude-ai":  `{"uuid":"c","chat_messages":[{"uuid":"a","sender":"human","text":"one"},{"uuid":"b","sender":"assistant","text":"two"}],"name":"n"}`,
		"open-webui": `{"chat":{"history":{"messages":{"a":{"role":"user","content":"one"},"b":{"role":"assistant","content":"two"}},"currentId":"b"}}}`,
		"tau-bench":  `{"task_id":1,"x":[1],"traj":[{"role":"user","content":"one"},{"role":"assistant","content":"two"}],"reward":1}`,
		"bedrock":    `{"messages":[{"role":"user","content":[{"text":"one"}]},{"role":"assistant","content":[{"text":"two"}]}]}`,
	} {
		f, err := Find(format)
		if err != nil {
			t.Fatal(err)
		}
		var whole, part model.Facts
		if err := f.Parse(model.Record{Data: []byte(record)}, &whole); err != nil {
			t.Fatal(err)
		}
		said := texts(&whole)
		for n := range len(record) {
			part.Clear()
			if f.Parse(model.Record{Data: []byte(record[:n])}, &part) != nil {
				continue
			}
			if got := texts(&part); !strings.HasPrefix(said, got) {
				t.Errorf("%s of %d bytes says %q, the whole %q", format, n, got, said)
			}
		}
	}
}

// TestChatAlone checks that a chat of Open WebUI without the wrapper of its export counts as
// complete.
func TestChatAlone(t *testing.T) {
	var fs model.Facts
	record := `{"title":"t","history":{"messages":{"a":{"role":"user","content":"one"}},"currentId":"a"}}`
	if err := chats.OpenWebUIFormat().Parse(model.Record{Data: []byte(record)}, &fs); err != nil {
		t.Fatal(err)
	}
	if texts(&fs) != "one\n" {
		t.Errorf("the words are %q", texts(&fs))
	}
	for i := range fs.Len() {
		if f := fs.At(i); f.Op == model.Note {
			t.Errorf("a note %s", f.Name.String())
		}
	}
}

// texts returns the words of all messages.
func texts(fs *model.Facts) string {
	var b strings.Builder
	for i := range fs.Len() {
		for _, block := range fs.At(i).Blocks {
			if fs.At(i).Op == model.Say && block.Kind == model.Words {
				b.WriteString(block.Text.String() + "\n")
			}
		}
	}
	return b.String()
}
