package load

import (
	"strings"
	"testing"
)

// unlike are transcripts that are written as no format has them, and what a reader of
// them is told: who says what, and of each call its result.
var unlike = []struct {
	name, format string // by which to read; none: whatever is detected
	data, want   string
}{
	{"ids are numbers, and calls are said again", "", `
{"uuid":10001,"parentUuid":null,"sessionId":10000,"type":"user","timestamp":"2026-01-21T05:56:34Z","message":{"role":"user","content":"Read both."}}
{"uuid":10002,"parentUuid":10001,"sessionId":10000,"type":"assistant","timestamp":"2026-01-21T05:56:35Z","message":{"id":10003,"role":"assistant","content":[{"type":"tool_use","id":10004,"name":"read","input":{"f":"a"}}]}}
{"uuid":10005,"parentUuid":10001,"sessionId":10000,"type":"assistant","timestamp":"2026-01-21T05:56:35Z","message":{"id":10006,"role":"assistant","content":[{"type":"tool_use","id":10004,"name":"read","input":{"f":"a"}},{"type":"tool_use","id":10007,"name":"read","input":{"f":"b"}}]}}
{"uuid":10008,"parentUuid":10005,"sessionId":10000,"type":"user","timestamp":"2026-01-21T05:56:36Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":10004,"content":"the letter a"}]}}
{"uuid":10009,"parentUuid":10005,"sessionId":10000,"type":"user","timestamp":"2026-01-21T05:56:36Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":10007,"content":"the letter b"}]}}`,
		`user Readboth; read(a) = thelettera; read(a) = ?; read(b) = theletterb`},
	{"each row holds a conversation one deeper, with calls that have no ids", "", `
{"messages":{"value":[{"role":"user","content":"One?"},{"role":"assistant","content":"","tool_calls":[{"function":{"name":"f","arguments":"{\"n\":1}"}}]}]}}
{"messages":{"value":[{"role":"user","content":"Two?"},{"role":"assistant","content":"","tool_calls":[{"function":{"name":"f","arguments":"{\"n\":2}"}}]},{"role":"tool","content":"the second"}]}}`,
		`user One; f(1) = ?; user Two; f(2) = thesecond`},
	{"who speaks stands one deeper", "", `
{"model":"gemini-3","contents":[{"parts":[{"text":"Which one?"}],"role":{"value":"user"}},
 {"parts":[{"toolCall":{"id":"t1","tool_type":"SEARCH","args":{}}},{"toolResponse":{"id":"t1","tool_type":"SEARCH","response":{"found":"it"}}},{"text":"That one."}],"role":{"value":"model"}}]}`,
		`user Whichone; () = it; assistant Thatone`},
}

func TestUnlikeAnyFormat(t *testing.T) {
	for _, test := range unlike {
		got, format, err := tell(strings.TrimPrefix(test.data, "\n"), test.format)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if s := got.String(); s != test.want {
			t.Errorf("%s: as %s\n%s, want\n%s", test.name, format, s, test.want)
		}
	}
}
