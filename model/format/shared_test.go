package format

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"turns/model"
	"turns/model/format/kit"
)

func TestMomentOf(t *testing.T) {
	tests := []struct {
		in    string
		want  string // RFC 3339; "": no time
		zoned bool
	}{
		{`"2026-02-11T22:41:05.123456Z"`, "2026-02-11T22:41:05.123Z", true},
		{`"2026-02-11T22:41:05Z"`, "2026-02-11T22:41:05Z", true},
		{`"2026-02-11T22:41:05"`, "2026-02-11T22:41:05Z", false},
		{`"2026-02-11 22:41"`, "2026-02-11T22:41:00Z", false},
		{`"2026-02-11T22:41:05.5+02:00"`, "2026-02-11T20:41:05.5Z", true},
		{`"2026-02-11T22:41:05-0530"`, "2026-02-12T04:11:05Z", true},
		{`"2026-02-11T22:41:05+01"`, "2026-02-11T21:41:05Z", true},
		{`"2026-02-11 22:41:05 UTC"`, "2026-02-11T22:41:05Z", true},
		{`"2024-02-29"`, "2024-02-29T00:00:00Z", false},
		{`"1969-12-31T23:59:59Z"`, "1969-12-31T23:59:59Z", true},
		{`1755099880`, "2025-08-13T15:44:40Z", true},
		{`1755099880.25`, "2025-08-13T15:44:40.25Z", true},
		{`1755099880250`, "2025-08-13T15:44:40.25Z", true},
		{`1755099880250123`, "2025-08-13T15:44:40.25Z", true},
		{`1755099880250123456`, "2025-08-13T15:44:40.25Z", true},
		{`"1755099880"`, "2025-08-13T15:44:40Z", true},
		{`12.5`, "", false}, {`null`, "", false}, {`""`, "", false}, {`"yesterday"`, "", false}, {`"2026-13-01"`, "", false},
		{`"2026-02-11T25:00:00Z"`, "", false}, {`{}`, "", false}, {``, "", false}, {`"2026-02-11T22:41:05 Europe/Berlin"`, "", false},
		{`"0001-01-01T00:00:00Z"`, "", false}, {`"0001-01-01T00:00:00"`, "", false}, {`"0000-00-00"`, "", false},
	}
	for _, test := range tests {
		m := kit.MomentOf([]byte(test.in))
		if test.want == "" {
			if m.Ms != 0 {
				t.Errorf("%s: got %v, want none", test.in, m)
			}
			continue
		}
		want, err := time.Parse(time.RFC3339Nano, test.want)
		if err != nil {
			t.Fatal(err)
		}
		if m.Ms != want.UnixMilli() || m.Zoned != test.zoned {
			t.Errorf("%s: got %s zoned %v, want %s zoned %v", test.in, time.UnixMilli(m.Ms).UTC(), m.Zoned, want, test.zoned)
		}
	}
}

// TestDaysOf compares with the standard library over four centuries.
func TestDaysOf(t *testing.T) {
	for day := time.Date(1899, 12, 31, 0, 0, 0, 0, time.UTC); day.Year() < 2301; day = day.AddDate(0, 0, 1) {
		y, m, d := day.Date()
		if got := kit.DaysOf(int64(y), int64(m), int64(d)); got*86400 != day.Unix() {
			t.Fatalf("%s: %d days, want %d", day, got, day.Unix()/86400)
		}
	}
}

func TestOutcomeOfText(t *testing.T) {
	tests := []struct {
		in   string
		want model.Outcome
	}{
		{`Exit code 1\nno such file`, model.Failure},
		{`Exit code 0\nfine`, model.Success},
		{`Chunk ID: a\nWall time: 1s\nProcess exited with code 2\nOutput:`, model.Failure},
		{`Exit code 124\nCommand timed out after 2m`, model.TimedOut},
		{`Error: no such tool`, model.Failure},
		{`Error: User rejected the call`, model.Denied},
		{`The user doesn't want to proceed with this tool use. The tool use was rejected`, model.Denied},
		{`[Request interrupted by user for tool use]`, model.Stopped},
		{`<tool_use_error>Cancelled: parallel tool call Bash errored</tool_use_error>`, model.Cancelled},
		{`  \n Error: x`, model.Failure},
		{`Errors are values.`, model.Unknown},
		{`the exit code 1 means`, model.Unknown},
		{`package main // timed out after`, model.Unknown},
		{``, model.Unknown},
	}
	for _, test := range tests {
		if got := kit.OutcomeOfText(model.EscapedText([]byte(test.in))); got != test.want {
			t.Errorf("%s: got %s, want %s", test.in, got, test.want)
		}
	}
}

// slowWordedOutcome returns the same as WordedOutcome, but searches for one wording after another.
func slowWordedOutcome(t model.Text) model.Outcome {
	for _, w := range kit.Wordings {
		if bytes.Contains(kit.Head(t, kit.OutcomeWindow), []byte(w.Phrase)) {
			return w.Outcome
		}
	}
	return model.Unknown
}

func TestWordedOutcome(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		text := ""
		for range r.IntN(5) {
			phrase := kit.Wordings[r.IntN(len(kit.Wordings))].Phrase
			text += phrase[r.IntN(3)*r.IntN(2):] + strings.Repeat(" timed, user. ", r.IntN(9))
		}
		in := model.EscapedText([]byte(text))
		if got, want := kit.WordedOutcome(in), slowWordedOutcome(in); got != want {
			t.Fatalf("%q: got %s, want %s", text, got, want)
		}
	}
}

func TestExitCode(t *testing.T) {
	for _, phrase := range kit.ExitPhrases {
		if code, ok := kit.ExitCode(model.StringText("wall time\n" + phrase + "3\n")); !ok || code != 3 {
			t.Errorf("%q: got %d, %t", phrase, code, ok)
		}
	}
}

func TestUsageOf(t *testing.T) {
	tests := []struct {
		in   string
		want model.Usage
	}{
		{`{"prompt_tokens":100,"completion_tokens":20,"prompt_tokens_details":{"cached_tokens":60},"completion_tokens_details":{"reasoning_tokens":5}}`,
			model.Usage{Scope: model.Each, Input: 40, CacheRead: 60, CacheWrite: -1, Output: 20, Reasoning: 5}},
		{`{"prompt_tokens":100,"completion_tokens":20,"prompt_tokens_details":null,"cost":0.25}`,
			model.Usage{Scope: model.Each, Input: 100, CacheRead: -1, CacheWrite: -1, Output: 20, Reasoning: -1, Cost: 0.25, HasCost: true}},
		{`{"input_tokens":100,"output_tokens":20,"input_tokens_details":{"cached_tokens":100}}`,
			model.Usage{Scope: model.Each, Input: 0, CacheRead: 100, CacheWrite: -1, Output: 20, Reasoning: -1}},
		{`{"input_tokens":3,"cache_creation_input_tokens":10,"cache_read_input_tokens":200,"output_tokens":20}`,
			model.Usage{Scope: model.Each, Input: 3, CacheRead: 200, CacheWrite: 10, Output: 20, Reasoning: -1}},
		{`{"input_tokens":3,"cache_creation_input_tokens":10,"cache_creation":{"ephemeral_5m_input_tokens":2,"ephemeral_1h_input_tokens":8},"output_tokens":20}`,
			model.Usage{Scope: model.Each, Input: 3, CacheRead: -1, CacheWrite: 10, Output: 20, Reasoning: -1, HourCache: true}},
		{`{}`, model.Usage{}}, {`null`, model.Usage{}}, {`{"queue_time":1}`, model.Usage{}}, {`[1]`, model.Usage{}},
	}
	for _, test := range tests {
		if got := kit.UsageOf([]byte(test.in)); got != test.want {
			t.Errorf("%s:\n got %+v\nwant %+v", test.in, got, test.want)
		}
	}
}

func TestIsInjected(t *testing.T) {
	for in, want := range map[string]bool{
		`<system-reminder>x`: true, `\n<environment_context>`: true, `\u003csystem-reminder\u003e`: true,
		`fix the <system-reminder> bug`: false, `<div>`: false, ``: false,
	} {
		if got := kit.IsInjected(model.EscapedText([]byte(in))); got != want {
			t.Errorf("%s: got %v", in, got)
		}
	}
}

func TestCallInString(t *testing.T) {
	tests := []struct{ in, name, args string }{
		{`{\"name\": \"area\", \"arguments\": {\"r\": \"a\\\"b\"}}`, `area`, `{"r": "a\"b"}`},
		{`{\"arguments\": {}, \"name\": \"area\"}`, `area`, `{}`},
		{`{\"id\": \"1\", \"function\": {\"name\": \"area\", \"arguments\": \"{\\\"r\\\": 2}\"}}`, `area`, `{"r": 2}`},
		{`{\"id\": \"1\", \"function\": {\"name\": \"area\", \"arguments\": {\"r\": 2}}}`, `area`, `{"r": 2}`},
		{`{\"name\": \"\", \"arguments\": 2}`, ``, `{"name": "", "arguments": 2}`},
		{`area(3)`, ``, `area(3)`},
	}
	for _, test := range tests {
		name, args := kit.CallInString([]byte(test.in))
		if name.String() != test.name || args.String() != test.args {
			t.Errorf("%s: got %q, %q", test.in, name, args)
		}
	}
}

func TestParseAllocatesNothing(t *testing.T) {
	records := map[string]string{
		"assistant": `{"role":"assistant","content":"Looking.","tool_calls":[{"id":"c1","type":"function","function":{"name":"ls","arguments":"{\"p\": \".\"}"}}],"refusal":null}`,
		"tool":      `{"role":"tool","tool_call_id":"c1","name":"ls","content":"a.go"}`,
		"blocks":    `{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"x"},{"type":"tool_use","id":"t","name":"ls","input":{}}]}`,
		"results":   `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"ok"}],"is_error":true}],"timestamp":"2026-02-11T22:41:05Z"}`,
	}
	for name, data := range records {
		rec := model.Record{List: "messages", Data: []byte(data), Variant: kit.ChatFirstList + 1}
		var fs model.Facts
		if n := testing.AllocsPerRun(100, func() {
			fs.Clear()
			if err := kit.ChatParse(rec, &fs); err != nil {
				t.Fatal(err)
			}
		}); n > 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func BenchmarkChatParse(b *testing.B) {
	data := []byte(`{"role":"assistant","content":"I will look at the folder first and then decide what is to be done about the failing test.","tool_calls":[{"id":"c1","type":"function","function":{"name":"ls","arguments":"{\"p\": \".\"}"}}],"refusal":null}`)
	rec := model.Record{List: "messages", Data: data, Variant: kit.ChatFirstList + 1}
	var fs model.Facts
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		fs.Clear()
		kit.ChatParse(rec, &fs)
	}
}
