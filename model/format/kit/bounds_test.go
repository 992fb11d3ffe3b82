package kit

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"turns/model"
)

// TestWrappersAroundMessages: a message is found below seven lists, not below eight.
func TestWrappersAroundMessages(t *testing.T) {
	for lists, want := range map[int]model.Op{7: model.Say, 8: model.Note} {
		var fs model.Facts
		data := strings.Repeat("[", lists) + `{"role":"user","content":"Hi"}` + strings.Repeat("]", lists)
		if err := ChatParse(model.Record{Data: []byte(data)}, &fs); err != nil || fs.Len() != 1 || fs.At(0).Op != want {
			t.Errorf("below %d lists: %d facts, the first a %v: %v", lists, fs.Len(), fs.At(0).Op, err)
		}
	}
}

// TestHiddenReasoningIsLimited: a message has at most 1,000 blocks of reasoning without text.
func TestHiddenReasoningIsLimited(t *testing.T) {
	for _, n := range []int{1000, 1001} {
		hidden := strings.TrimSuffix(strings.Repeat(`{"kind":"hidden"},`, n), ",")
		for _, back := range []string{fmt.Sprintf(`{"reasoning":%d}`, n), `{"blocks":[` + hidden + `]}`} {
			var fs model.Facts
			f := fs.Add(model.Say)
			parseReadBack([]byte(back)).order(f)
			if len(f.Blocks) != 1000 {
				t.Errorf("%d in %.20s: %d blocks", n, back, len(f.Blocks))
			}
		}
	}
}

// TestLongLinesAreCut: a line without an end is a record from one MiB on.
func TestLongLinesAreCut(t *testing.T) {
	line := bytes.Repeat([]byte("a"), 1<<20)
	s := recordsSplit(model.Match{Variant: recordsProse})
	if _, n := s.Split(line[1:], false); n != 0 {
		t.Errorf("%d bytes are cut from a line whose end may come", n)
	}
	if _, n := s.Split(line, false); n != 1<<20 {
		t.Errorf("%d bytes of a line of one MiB are cut", n)
	}
	if rec, n := s.Split([]byte("a\r\nb"), false); n != 3 || string(rec.Data) != "a" {
		t.Errorf("the first line is %q of %d bytes", rec.Data, n)
	}
	if rec, n := s.Split([]byte(" \nb"), false); n != 2 || rec.Data != nil {
		t.Errorf("a blank line is %q of %d bytes", rec.Data, n)
	}
}

// TestElementsAreSampled: 60 elements of a list show its format.
func TestElementsAreSampled(t *testing.T) {
	k := FrameKind{Paths: []string{WholeList}, Judge: func([]byte) int { return 1 }, Score: 5, Reason: "numbers"}
	for n, want := range map[int]string{60: "60 records with numbers", 70: "60 records with numbers"} {
		doc := "[" + strings.TrimSuffix(strings.Repeat("1,", n), ",") + "]"
		if m := k.Detect(&model.Sample{Shape: model.Document, Doc: []byte(doc)}); m.Reason != want {
			t.Errorf("%d elements: %q", n, m.Reason)
		}
	}
}

// TestVotesOfFrames: a format needs one certain record, and as many certain as impossible ones.
func TestVotesOfFrames(t *testing.T) {
	k := FrameKind{Score: 5, Reason: "votes", Judge: func(v []byte) int { return map[string]int{"1": 1, "0": 0, "-1": -1}[string(v)] }}
	for votes, want := range map[string]int{"1": 5, "0": 0, "1 0 0": 5, "1 -1": 5, "1 -1 -1": 0, "-1": 0, "": 0} {
		s := &model.Sample{Shape: model.Lines}
		for v := range strings.FieldsSeq(votes) {
			s.Records = append(s.Records, []byte(v))
		}
		if m := k.Detect(s); m.Score != want {
			t.Errorf("%s: score %d, not %d", votes, m.Score, want)
		}
	}
}

// TestUsages reads the usage objects of the vendors: input, cached, written, output, reasoning.
func TestUsages(t *testing.T) {
	for usage, want := range map[string]string{
		`{}`: "none", `[]`: "none", `{"x":1}`: "none", `{"input_tokens":-1}`: "none", `{"input_tokens":0}`: "0 -1 -1 -1 -1", `{"output_tokens":0}`: "-1 -1 -1 0 -1",
		`{"cost":0.5}`: "-1 -1 -1 -1 -1 $0.5", `{"cost":"x"}`: "none",
		`{"prompt_tokens":10,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":4,"x":1},"completion_tokens_details":{"reasoning_tokens":1,"x":1}}`: "6 4 -1 2 1",
		`{"prompt_tokens":10,"prompt_tokens_details":{"cached_tokens":0}}`:                                                                                      "10 0 -1 -1 -1",
		`{"prompt_tokens":10,"prompt_tokens_details":{"cache_write_tokens":3}}`:                                                                                 "7 -1 3 -1 -1",
		`{"prompt_tokens":10,"prompt_tokens_details":{"cache_write_tokens":0}}`:                                                                                 "10 -1 0 -1 -1",
		`{"prompt_tokens":3,"prompt_tokens_details":{"cached_tokens":4}}`:                                                                                       "0 4 -1 -1 -1",
		`{"prompt_cache_hit_tokens":4,"cache_read_input_tokens":0}`:                                                                                             "0 0 -1 -1 -1",
		`{"cache_creation_input_tokens":4,"cache_read_input_tokens":5}`:                                                                                         "-1 5 4 -1 -1",
		`{"input_tokens":1,"cache_creation":{"ephemeral_1h_input_tokens":2,"ephemeral_5m_input_tokens":1}}`:                                                     "1 -1 3 -1 -1 hour",
		`{"input_tokens":1,"cache_creation":{"ephemeral_1h_input_tokens":2,"ephemeral_5m_input_tokens":2}}`:                                                     "1 -1 4 -1 -1",
		`{"input_tokens":1,"cache_creation":{"ephemeral_1h_input_tokens":null,"x":1}}`:                                                                          "1 -1 -1 -1 -1",
		`{"promptTokenCount":10,"cachedContentTokenCount":4,"candidatesTokenCount":2,"thoughtsTokenCount":1,"toolUsePromptTokenCount":3}`:                       "9 4 -1 3 1",
		`{"promptTokenCount":0}`: "0 -1 -1 0 -1", `{"candidatesTokenCount":0}`: "0 -1 -1 0 -1", `{"promptTokenCount":-1,"x":1}`: "none",
		`{"inputTokens":10,"cachedInputTokens":4,"outputTokens":2,"reasoningTokens":1}`:                              "6 4 -1 2 1",
		`{"inputTokens":10,"cacheReadInputTokens":4,"cacheWriteInputTokens":1}`:                                      "10 4 1 -1 -1",
		`{"inputTokens":10,"cacheWriteTokens":1}`:                                                                    "9 -1 1 -1 -1",
		`{"inputTokens":10,"inputTokensDetails":[{"cached_tokens":4}],"outputTokensDetails":{"reasoning_tokens":1}}`: "6 4 -1 -1 1",
		`{"inputTokens":10,"inputTokensDetails":[]}`:                                                                 "10 -1 -1 -1 -1",
		`{"outputTokens":0}`: "-1 -1 -1 0 -1", `{"inputTokens":0}`: "0 -1 -1 -1 -1", `{"promptTokens":"x","x":1}`: "none",
		`{"input_tokens":10,"output_tokens":2,"input_token_details":{"cache_read":4,"cache_creation":1,"x":1},"output_token_details":{"reasoning":1}}`: "5 4 1 2 1",
		`{"input_token_details":{}}`: "none", `{"input_tokens":0,"input_token_details":{},"x":1}`: "0 -1 -1 -1 -1", `{"output_tokens":0,"output_token_details":{}}`: "-1 -1 -1 0 -1",
	} {
		if got := usageText(AnyUsage([]byte(usage))); got != want {
			t.Errorf("%s is %s, not %s", usage, got, want)
		}
	}
	for names, want := range map[string]string{"all": "6 4 -1 2 -1", "input": "10 4 -1 2 -1", "other": "-1 4 -1 2 -1", "cost": "-1 4 -1 2 -1 $10"} {
		read := CountsNamed(map[string]string{names: "a", "output": "b", "read": "c"})
		if got := usageText(read([]byte(`{"a":10,"b":2,"c":4,"":1,"d":5}`))); got != want {
			t.Errorf("%s is %s, not %s", names, got, want)
		}
		if got := usageText(read([]byte(`{"c":4}`))); got != "none" {
			t.Errorf("%s without numbers of the response is %s", names, got)
		}
	}
}

func usageText(u model.Usage) string {
	if u == (model.Usage{}) {
		return "none"
	}
	text := fmt.Sprint(u.Input, u.CacheRead, u.CacheWrite, u.Output, u.Reasoning)
	if u.HasCost {
		text += fmt.Sprint(" $", u.Cost)
	}
	if u.HourCache {
		text += " hour"
	}
	return text
}

// TestOnlyAPIFields: contents need no search if all messages have only fields of the API.
func TestOnlyAPIFields(t *testing.T) {
	with := func(content string) string { return `{"role":"user","content":` + content + `}` }
	deep := func(n int) string { return strings.Repeat("[", n) + `{"x_id":1}` + strings.Repeat("]", n) }
	for lines, want := range map[string]bool{
		with(`"a"`): true, `{"role":"user","content":"a","name":"n","tool_calls":[],"refusal":null}`: true, `{"role":"user","content":"a","x":1}`: false, `{"role":"user"}`: false,
		`{"role":"Person","content":"a"}`: false, with(`"a"`) + "\n" + `{"x":1}`: false, with(`[{"type":"text","text":"a"}]`): true,
		with(`[{"call_id":1}]`): false, with(`[{"callId":1}]`): false, with(`[{"_id":1}]`): false, with(`[{"Id":1}]`): true, with(`[{"id":1}]`): true,
		with(`[{"name":"a","args":1}]`): false, with(`[{"name":"a","arguments":1}]`): false, with(`[{"tool":"a","input":1}]`): false, with(`[{"function":"a","params":1}]`): false,
		with(`[{"tool_name":"a","parameters":1}]`): false, with(`[{"name":"a"}]`): true, with(`[{"args":1}]`): true, with(`[{"a":{"name":"a","args":1}}]`): false,
		with(deep(8)): false, with(deep(9)): true,
	} {
		s := &model.Sample{Shape: model.Lines}
		for line := range strings.Lines(lines) {
			s.Records = append(s.Records, []byte(strings.TrimSpace(line)))
		}
		if got := OnlyAPIFields(s); got != want {
			t.Errorf("%s: %v, not %v", lines, got, want)
		}
	}
}
