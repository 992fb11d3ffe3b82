package load

import (
	"strings"
	"testing"
)

// unlike are transcripts in forms that no format has, with the expected content: who wrote each
// message, and the result of each call.
var unlike = []struct {
	name, format string // requested format; "": detected
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
	{"records are lists, and the system is told by how it begins", "inferred", `
["open",{"kind":"start","brief":"You are a gardener."}]
["said",{"kind":"user.message","parts":[{"type":"text","text":"Water the roses."}]}]
["said",{"kind":"agent.tool_use","uid":"k-77","tool":"hose","args":{"minutes":5}}]
["said",{"kind":"agent.tool_result","for":"k-77","parts":[{"type":"text","text":"The roses are wet."}]}]
["said",{"kind":"agent.message","parts":[{"type":"text","text":"They have water now."}]}]`,
		`system Youareagardener; user Watertheroses; hose(5) = Therosesarewet; assistant Theyhavewaternow`},
	{"a call is told of as it goes on", "inferred", `
{"is":"turn.started"}
{"is":"item.started","item":{"uid":"item_1","sort":"command_execution","command":"make all","aggregated_output":"","status":"in_progress"}}
{"is":"item.completed","item":{"uid":"item_1","sort":"command_execution","command":"make all","aggregated_output":"It is made.","status":"completed"}}
{"is":"item.completed","item":{"uid":"item_2","sort":"agent_message","text":"All is made, nothing is left."}}`,
		`command_execution(makeall) = Itismade; assistant Allismadenothingisleft`},
	{"an answer comes in pieces", "inferred", `
{"who":"user","body":"Count the boats, please."}
{"who":"assistant","body":"There are","delta":true}
{"who":"assistant","body":" four of","delta":true}
{"who":"assistant","body":" them.","delta":true}
{"who":"user","body":"Thank you for that."}`,
		`user Counttheboatsplease; assistant Therearefourofthem; user Thankyouforthat`},
	{"the ends of lists name classes", "inferred", `
[{"id":["lib","messages","HumanMessage"],"args":{"body":"Is it open today?"}},
 {"id":["lib","messages","AIMessage"],"args":{"body":"It opens at nine."}},
 {"id":["lib","messages","HumanMessage"],"args":{"body":"And tomorrow as well?"}}]`,
		`user Isitopentoday; assistant Itopensatnine; user Andtomorrowaswell`},
	{"calls hold their results, and nobody says whose the texts are", "inferred", `
{"sort":"text","text":"Look for the key."}
{"sort":"tool","tool":"find","call_id":"q-1001","state":{"status":"completed","input":{"what":"key"},"output":"under the mat"}}
{"sort":"tool","tool":"find","call_id":"q-1002","state":{"status":"completed","input":{"what":"mat"},"output":"by the door"}}
{"sort":"tool","tool":"take","call_id":"q-1003","state":{"status":"completed","input":{"what":"it"},"output":"taken now"}}
{"sort":"step-finish","reason":"stop"}`,
		`unknown Lookforthekey; find(key) = underthemat; find(mat) = bythedoor; take(it) = takennow`},
	{"system and user speak in the parts of one request", "inferred", `
[{"parts":[{"part_kind":"system-prompt","content":"You build ships."},{"part_kind":"user-prompt","content":"How many have you?"}],"kind":"request"},
 {"parts":[{"part_kind":"text","content":"There are three of them."}],"kind":"response"}]`,
		`system Youbuildships; user Howmanyhaveyou; assistant Therearethreeofthem`},
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

// Rows of two runs of a table may be mixed, and a run may be split: its lines have its id.
func TestLinesOfARunAreOneConversation(t *testing.T) {
	var data strings.Builder
	for _, line := range []string{`"a","messages":[{"role":"user","content":"One?"}`, `"b","messages":[{"role":"user","content":"Two?"}`,
		`"a","messages":[{"role":"assistant","content":"1"}`, `"b","messages":[{"role":"assistant","content":"2"}`} {
		data.WriteString(`{"transcript_id":` + line + "]}\n")
	}
	c, err := Open(t.Context(), "-", Options{Stdin: strings.NewReader(data.String()), Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	s, err := c.Load(t.Context())
	if err != nil || s.Len() != 4 || len(s.Sessions()) != 2 {
		t.Errorf("%d messages in %d conversations, %v, want 4 in 2", s.Len(), len(s.Sessions()), err)
	}
}
