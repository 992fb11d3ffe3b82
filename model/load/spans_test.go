package load

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"turns/model"
	"turns/model/modeltest"
)

// TestSpansInAnyOrder: exporters send a span when it ends and several at a time, so a tool's span
// arrives before the chat that called it. The conversation is the same in any order.
func TestSpansInAnyOrder(t *testing.T) {
	data, err := os.ReadFile("../../testdata/formats/otel/otlp.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	const span = `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"t","spanId":"%[1]d","name":"x","startTimeUnixNano":"%[2]d000000000","endTimeUnixNano":"%[3]d000000000","attributes":[{"key":"gen_ai.conversation.id","value":{"stringValue":"conv"}},%[4]s]}]}]}]}`
	text := func(key, value string) string {
		return fmt.Sprintf(`{"key":"gen_ai.%s","value":{"stringValue":%q}}`, key, value)
	}
	for i := range 4 { // further calls, each by a separate chat
		at, id := 1781295610+10*i, fmt.Sprintf("d%d", i)
		lines = append(lines,
			fmt.Sprintf(span, 10*i+1, at, at+1, text("operation.name", "chat")+","+text("output.messages", `[{"role":"assistant","parts":[{"type":"tool_call","id":"`+id+`","name":"cat","arguments":{}}]}]`)),
			fmt.Sprintf(span, 10*i+2, at+1, at+3, text("operation.name", "execute_tool")+","+text("tool.name", "cat")+","+text("tool.call.id", id)+","+text("tool.call.result", "b")))
	}
	var want []string
	for seed := range uint64(modeltest.Fewer(60, 60)) {
		path := filepath.Join(t.TempDir(), "spans.jsonl")
		write(t, path, strings.Join(lines, "\n")+"\n")
		s := loadFile(t, path, Options{})
		got := spansSay(s)
		if seed == 0 {
			if want = got; len(want) < 14 {
				t.Fatal(want)
			}
		} else if !slices.Equal(got, want) {
			t.Fatalf("seed %d:\n%s\nwant\n%s\nas\n%s", seed, strings.Join(got, "\n"), strings.Join(want, "\n"), strings.Join(lines, "\n"))
		}
		rand.New(rand.NewPCG(seed, 1)).Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	}
}

// TestSpansOfOneMillisecond: requests that begin and end in one millisecond are separate turns, in
// the order of their microseconds, in any order of arrival.
func TestSpansOfOneMillisecond(t *testing.T) {
	const want = "ask 1|say 1|ask 2|say 2|ask 3|say 3"
	for exporter, span := range map[string]string{
		"OTLP": `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"t%[1]d","spanId":"%[1]d","name":"chat","startTimeUnixNano":"1781295600002%[1]d00000","endTimeUnixNano":"1781295600002%[1]d50000","attributes":[` +
			`{"key":"gen_ai.conversation.id","value":{"stringValue":"conv"}},{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},` +
			`{"key":"gen_ai.input.messages","value":{"stringValue":"[{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"content\":\"ask %[1]d\"}]}]"}},` +
			`{"key":"gen_ai.output.messages","value":{"stringValue":"[{\"role\":\"assistant\",\"parts\":[{\"type\":\"text\",\"content\":\"say %[1]d\"}]}]"}}]}]}]}]}` + "\n",
		"Python": `{"name":"chat","context":{"trace_id":"0x%[1]d","span_id":"0x%[1]d"},"start_time":"2026-06-12T20:20:00.002%[1]d00Z","end_time":"2026-06-12T20:20:00.002%[1]d50Z","attributes":{` +
			`"gen_ai.conversation.id":"conv","gen_ai.operation.name":"chat",` +
			`"gen_ai.input.messages":"[{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"content\":\"ask %[1]d\"}]}]",` +
			`"gen_ai.output.messages":"[{\"role\":\"assistant\",\"parts\":[{\"type\":\"text\",\"content\":\"say %[1]d\"}]}]"}}` + "\n",
	} {
		for _, order := range [][]int{{1, 2, 3}, {2, 1, 3}, {3, 2, 1}, {2, 3, 1, 2}} {
			var lines []string
			for _, n := range order {
				lines = append(lines, fmt.Sprintf(span, n))
			}
			path := filepath.Join(t.TempDir(), "spans.jsonl")
			write(t, path, strings.Join(lines, ""))
			if got := texts(t, loadFile(t, path, Options{})); got != want {
				t.Errorf("%s: spans %v say %q, want %q", exporter, order, got, want)
			}
		}
	}
}

// spansSay returns the speakers, texts and times in order, and the outcomes of calls.
func spansSay(s *model.Snapshot) (out []string) {
	for pos := range s.Len() {
		id := s.At(pos)
		h := s.HeadRow(id)
		out = append(out, fmt.Sprint(h.Role, h.Time))
		for _, c := range s.Calls(id) {
			took, ok := c.Duration()
			out = append(out, fmt.Sprint(s.Name(c.Tool), c.Outcome, took, ok, c.Flags&model.TookDerived != 0))
		}
	}
	return out
}

// TestToolSpansBelowToolSpans: a tool's span below another tool's is a call that this tool made, in
// any order of arrival.
func TestToolSpansBelowToolSpans(t *testing.T) {
	const span = `{"traceId":"t","spanId":%q,"parentSpanId":%q,"name":"x","startTimeUnixNano":"178129560%[3]d000000000","endTimeUnixNano":"178129560%[4]d000000000"%[5]s,` +
		`"attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"execute_tool"}},{"key":"gen_ai.tool.name","value":{"stringValue":%[6]q}},{"key":"gen_ai.tool.call.id","value":{"stringValue":%[1]q}}]}`
	spans := []string{
		fmt.Sprintf(span, "a", "c", 1, 3, "", "run"),
		fmt.Sprintf(span, "b", "a", 1, 2, "", "find"),
		fmt.Sprintf(span, "d", "a", 2, 3, `,"status":{"code":2,"message":"no such file"}`, "open"),
		fmt.Sprintf(span, "e", "d", 2, 3, "", "stat"),
	}
	for _, order := range [][]int{{0, 1, 2, 3}, {3, 2, 1, 0}, {1, 3, 0, 2}, {3, 1, 2, 0}} {
		var lines []string
		for _, i := range order {
			lines = append(lines, `{"resourceSpans":[{"scopeSpans":[{"spans":[`+spans[i]+`]}]}]}`)
		}
		path := filepath.Join(t.TempDir(), "spans.jsonl")
		write(t, path, strings.Join(lines, "\n")+"\n")
		s := loadFile(t, path, Options{})
		var got []string
		for i := range s.CallCount() {
			c := s.Call(model.CallID(i))
			made := "the model"
			if id, ok := c.Parent(); ok {
				made = s.Name(s.Call(id).Tool)
			}
			got = append(got, fmt.Sprint(s.Name(c.Tool), " by ", made, ": ", c.Outcome, s.Counted(c)))
		}
		slices.Sort(got)
		if want := []string{"find by run: success true", "open by run: failure true", "run by the model: success true", "stat by open: success true"}; !slices.Equal(got, want) {
			t.Errorf("order %v: %q, want %q", order, got, want)
		}
	}
}

// TestLangGraphSpans: a LangGraph agent traced with OpenInference has the same calls, results,
// usage and end with its contents and without.
func TestLangGraphSpans(t *testing.T) {
	data, err := os.ReadFile("../../testdata/formats/otel/langgraph.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	for seed := range uint64(12) {
		for part, lines := range map[string][]string{"with contents": lines[:len(lines)/2], "without": lines[len(lines)/2:]} {
			path := filepath.Join(t.TempDir(), "spans.jsonl")
			write(t, path, strings.Join(lines, "\n")+"\n")
			s := loadFile(t, path, Options{})
			calls, orphans := map[string]int{}, 0
			for i := range s.CallCount() {
				c := s.Call(model.CallID(i))
				calls[fmt.Sprint(s.Name(c.Tool), " ", c.Outcome, " ", c.Took)]++
				if c.Msg == model.NoID {
					orphans++
				}
			}
			if want := map[string]int{"read_report success 40": 1, "send_mail failure 70": 1}; !maps.Equal(calls, want) || orphans > 0 {
				t.Fatalf("%s, seed %d: calls %v, %d results without a call", part, seed, calls, orphans)
			}
			input, responses := int64(0), 0
			for _, id := range s.LiveIDs() {
				if s.HeadRow(id).Responds() {
					responses++
				}
				if n, ok := s.Tokens(id); ok {
					input += int64(n.Input)
				}
			}
			if all := s.Sessions(); responses != 2 || input != 240 || len(all) != 1 || !all[0].Ended || all[0].Outcome != model.Success {
				t.Fatalf("%s, seed %d: %d responses, %d tokens, %d sessions", part, seed, responses, input, len(all))
			}
		}
		rand.New(rand.NewPCG(seed, 2)).Shuffle(len(lines)/2, func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	}
}
