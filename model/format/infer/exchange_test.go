package infer

import (
	"slices"
	"testing"

	"turns/model"
	"turns/model/format/described"
)

// saying returns a kit that also knows the states of calls.
func saying() described.Kit {
	kit := plainKit()
	kit.Outcome = func(status []byte) (model.Outcome, bool) {
		return model.Success, string(status) == "completed" || string(status) == "in_progress"
	}
	return kit
}

// TestExchange infers the request and the reply in one record, whatever their names.
func TestExchange(t *testing.T) {
	kit := saying()
	asked, answered := `"[{\"role\":\"user\",\"content\":\"List the files\"}]"`, `"[{\"role\":\"assistant\",\"content\":\"There are two\"}]"`
	for name, c := range map[string]struct{ data, at, request, reply string }{
		"dots":  {`[{"n":1,"a":{"x.in":` + asked + `,"x.out":` + answered + `}}]`, "", `a."x.in"`, `a."x.out"`},
		"pairs": {`{"s":[{"a":[{"k":"x.in","v":{"str":` + asked + `}},{"k":"x.out","v":{"str":` + answered + `}}]}]}`, "s[]", `a{}."x.in".str`, `a{}."x.out".str`},
		"apart": {`{"e":[{"n":1,"a":{"x.in":` + asked + `}},{"n":2,"a":{"x.out":` + answered + `}}]}`, "e[]", `a."x.in"`, `a."x.out"`},
		"plain": {`{"m":"gpt-5","in":` + asked + `,"out":"There are two files in it."}`, "", "in", "out"},
		"texts": {`{"task":"Find facts of Oslo","agent":"Researcher","output":"It is the capital."}`, "", "task", "output"},
	} {
		found := Find(sampleOf([]byte(c.data)), kit)
		if found == nil {
			t.Errorf("%s: nothing was inferred", name)
			continue
		}
		r := found.Format.Rules[0]
		if r.As != "exchange" || r.At != c.at || r.Request != c.request || r.Reply != c.reply {
			t.Errorf("%s: %+v", name, r)
		}
	}
	if found := Find(sampleOf([]byte(`{"question":"How many legs has it?","answer":"It has eight of them."}`)), kit); found != nil {
		t.Errorf("a data set is read as a conversation: %+v", found.Format.Rules)
	}
}

// TestSpread infers messages spread over keys with dots and numbers, or in strings.
func TestSpread(t *testing.T) {
	for name, c := range map[string]struct{ data, at, text string }{
		"object": {`{"n":1,"a":{"p.0.r":"user","p.0.c":"List the files","q.0.r":"assistant","q.0.c":"There are two"}}`, `a."p."[]`, "c"},
		"pairs":  {`[{"a":[{"k":"p.0.r","v":{"s":"user"}},{"k":"p.0.c","v":{"s":"List the files"}},{"k":"q.0.r","v":{"s":"assistant"}},{"k":"q.0.c","v":{"s":"There are two"}}]}]`, `a{}."p."[]`, "c"},
		"text":   {`{"e":[{"d":{"c":"{\"r\":\"user\",\"t\":\"List the files\"}"}},{"d":{"c":"{\"r\":\"assistant\",\"t\":\"There are two\"}"}}]}`, "e[]", "d.c.t"},
	} {
		found := Find(sampleOf([]byte(c.data)), saying())
		if found == nil {
			t.Errorf("%s: nothing was inferred", name)
		} else if r := found.Format.Rules[0]; r.At != c.at || r.Text != c.text {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// TestTold infers turns without roles, calls recorded as text, and results in later records of a
// call.
func TestTold(t *testing.T) {
	for name, c := range map[string]struct {
		data string
		want described.Rule
	}{
		"a turn": {`[{"q":"Which files are here?","a":[{"v":"I look at the folder."},{"k":"toolInvocation","t":"list_dir","i":{"p":"."}},{"v":"There are two files."}]},` +
			`{"q":"And what is in them?","a":[{"v":"I read both of them."},{"k":"toolInvocation","t":"read","i":{"p":"x"}},{"v":"Nothing at all is in them."}]}]`,
			described.Rule{As: "message", Role: "=user", Text: "q"}},
		"a call that is text": {`[{"who":"user","c":[{"k":"text","v":"How long is it?"}]},{"who":"assistant","c":[{"k":"text","v":"I measure it now."},{"k":"tool_call","v":"{\"name\":\"measure\",\"with\":{\"unit\":\"m\"}}"}]},` +
			`{"who":"user","c":[{"k":"text","v":"And how wide?"}]},{"who":"assistant","c":[{"k":"text","v":"I measure that, too."},{"k":"tool_call","v":"{\"name\":\"measure\",\"with\":{\"unit\":\"cm\"}}"}]}]`,
			described.Rule{At: "c[]", As: "call", Tool: "v.name", Arguments: "v.with"}},
		"a call that goes on": {`[{"i":"item_1","k":"command_execution","w":"go test ./...","o":"","s":"in_progress"},{"i":"item_1","k":"command_execution","w":"go test ./...","o":"ok all passed","s":"completed"},` +
			`{"i":"item_2","k":"command_execution","w":"go vet","o":"","s":"in_progress"},{"i":"item_2","k":"command_execution","w":"go vet","o":"two things","s":"completed"},` +
			`{"i":"item_3","k":"agent_message","w":"It is done, and all tests pass."}]`,
			described.Rule{As: "call", Tool: "k", Arguments: "w", Result: "o"}},
	} {
		found := Find(sampleOf([]byte(c.data)), saying())
		if found == nil {
			t.Errorf("%s: nothing was inferred", name)
			continue
		}
		if !slices.ContainsFunc(found.Format.Rules, func(r described.Rule) bool {
			return r.At == c.want.At && r.As == c.want.As && r.Text == c.want.Text && r.Tool == c.want.Tool && r.Arguments == c.want.Arguments && r.Result == c.want.Result
		}) {
			t.Errorf("%s: %+v", name, found.Format.Rules)
		}
	}
}

// TestResultsInside: results are the parts of a message of a tool, not the whole message.
func TestResultsInside(t *testing.T) {
	turn := func(n, question, answer string) string {
		return `{"role":"user","c":[{"k":"text","v":"` + question + `"}]},{"role":"assistant","c":[{"k":"functionCall","callId":"call_` + n + `","name":"weather","arguments":{"city":"Oslo"}}]},` +
			`{"role":"tool","c":[{"k":"functionResult","callId":"call_` + n + `","r":"Rain ` + n + `"}]},{"role":"assistant","c":[{"k":"text","v":"` + answer + `"}]}`
	}
	found := Find(sampleOf([]byte("["+turn("1", "Is it dry today?", "No, it rains in Oslo.")+","+turn("2", "And tomorrow?", "It rains again there.")+"]")), saying())
	if found == nil {
		t.Fatal("nothing was inferred")
	}
	var results []string
	for _, r := range found.Format.Rules {
		if r.As == "result" {
			results = append(results, join(r.At, r.Result))
		}
	}
	if !slices.Equal(results, []string{"c[].r"}) {
		t.Errorf("results are read at %q, want only c[].r", results)
	}
}
