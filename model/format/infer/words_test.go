package infer

import (
	"fmt"
	"strings"
	"testing"

	"turns/model"
	"turns/model/format/described"
	"turns/model/jsonspan"
)

// rowsOf returns the values of JSON objects.
func rowsOf(objects ...string) (rows []*value) {
	for _, o := range objects {
		c := jsonspan.New([]byte(o))
		rows = append(rows, new(builder).build(&c, nil, 0))
	}
	return rows
}

// TestNamesOfFiles: the name of a file suggests a conversation, unless it names a data set.
func TestNamesOfFiles(t *testing.T) {
	for name := range strings.FieldsSeq("chat chats chatlog chatlogs chathistory conversation conversations transcript transcripts history session sessions interaction interactions") {
		if !namesChat("/data/my_"+name+"-2.json") || namesChat("/"+name+"/x.json") {
			t.Errorf("%s names a chat, in the name of the file only", name)
		}
	}
	for name := range strings.FieldsSeq("faq faqs dataset data train training test eval benchmark intents quiz questions knowledge kb corpus") {
		if namesChat("chat_" + name + ".json") {
			t.Errorf("chat_%s is a data set", name)
		}
	}
}

// TestNamesOfModels lists the beginnings of the names of models, with and without a provider.
func TestNamesOfModels(t *testing.T) {
	for family := range strings.FieldsSeq("gpt- claude- gemini- o1 o3 o4- llama mistral qwen deepseek grok- anthropic. openai/ anthropic/ google/ kimi- glm-") {
		name := family + "x9"
		if !looksLikeModel(name) || !looksLikeModel(strings.ToUpper(name)) || !strings.Contains(family, "/") && !looksLikeModel("router/"+name) || looksLikeModel("a "+name) || looksLikeModel("x"+name) {
			t.Errorf("%s is a model", name)
		}
	}
	if long := "gpt-" + strings.Repeat("4", 57); looksLikeModel(long) || !looksLikeModel(long[:60]) {
		t.Error("names of models have at most 60 bytes")
	}
}

// TestLinesNameSessions: lines with two different values of a usual name are of several sessions.
func TestLinesNameSessions(t *testing.T) {
	sample := func(lines ...string) *model.Sample {
		s := &model.Sample{Shape: model.Lines}
		for _, line := range lines {
			s.Records = append(s.Records, []byte(line))
		}
		return s
	}
	for name := range strings.FieldsSeq("session_id sessionId conversation_id conversationId chat_id chatId thread_id threadId dialog_id dialogue_id conv_id") {
		one, two := fmt.Sprintf(`{%q:"a"}`, name), fmt.Sprintf(`{%q:"b"}`, name)
		if !NamesSessions(sample(one, one, two)) || NamesSessions(sample(one, one)) || NamesSessions(sample(two)) {
			t.Errorf("%s: want sessions for two values in three lines, none for one value or one line", name)
		}
	}
	if NamesSessions(sample(`{"session_id":{"a":1}}`, `{"session_id":{"a":2}}`)) {
		t.Error("objects name sessions")
	}
}

// TestNamesOfSessions: if several fields could distinguish the conversations of rows, the one with
// the first of these names does.
func TestNamesOfSessions(t *testing.T) {
	names := strings.Fields(`conversation_id session_id chat_id thread_id dialog_id dialogue_id conv_id convo_id conversation_uuid session_uuid chat_uuid session conversation dialog
		dialogue thread chat_session chat_session_id discussion_id room_id channel_id game_id run_id episode_id`)
	for i, name := range names {
		rows := rowsOf(fmt.Sprintf(`{%q:"a1","text":"hi"}`, name), fmt.Sprintf(`{%q:"a2","text":"ho"}`, name))
		if f := sessionField(viewOf(rows), rows); f == nil || f.name() != name {
			t.Errorf("%s names no session", name)
		}
		if i > 0 {
			rows := rowsOf(fmt.Sprintf(`{%q:1,%q:2}`, name, names[i-1]))
			if f := sessionField(viewOf(rows), rows); f == nil || f.name() != names[i-1] {
				t.Errorf("%s is not surer than %s", names[i-1], name)
			}
		}
	}
	for rows, want := range map[int]bool{8: true, 7: false} { // out of ten rows
		var list []string
		for i := range 10 {
			if list = append(list, `{"x":1}`); i < rows {
				list[i] = `{"run_id":1}`
			}
		}
		objects := rowsOf(list...)
		if f := sessionField(viewOf(objects), objects); (f != nil) != want {
			t.Errorf("%d of ten rows name a session", rows)
		}
	}
}

// TestNamesOfSpeakers lists the names of fields that may contain the speaker.
func TestNamesOfSpeakers(t *testing.T) {
	for name := range strings.FieldsSeq(`speaker sender role from author who sender_type senderRole sender_name author_role author_type author_name speaker_name
		agent agent_name participant participant_role user_type by party persona name side message_type`) {
		if !isSpeakerKey(name) || isSpeakerKey(name+"_x") {
			t.Errorf("%s may be the speaker", name)
		}
	}
	for word, want := range map[string]described.Class{"incoming": described.User, "inbound": described.User, "in": described.User, "received": described.User,
		"outgoing": described.Assistant, "outbound": described.Assistant, "out": described.Assistant, "sent": described.Assistant} {
		rows := rowsOf(fmt.Sprintf(`{"direction":%q,"text":"Well, is it so?"}`, strings.ToUpper(word)))
		w := viewOf(rows)
		f := w.scalars[0]
		if !isDirection(f) || directionRoles(f, w)[strings.ToUpper(word)] != want {
			t.Errorf("%s is not a direction", word)
		}
	}
}

// TestSpokenNames: a short text under one of these names is the speaker's text, although the row
// has a longer one.
func TestSpokenNames(t *testing.T) {
	for name := range strings.FieldsSeq("mes txt utterance line dialogue message_text speech what said") {
		rows := rowsOf(fmt.Sprintf(`{"speaker":"a","page":"It is a long page about rivers.",%q:"Hi there"}`, name),
			fmt.Sprintf(`{"speaker":"b","page":"It is a long page about lakes.",%q:"Yes, hello"}`, name))
		w := viewOf(rows)
		if f := spokenText(w, w.scalars[0]); f == nil || f.name() != name {
			t.Errorf("%s is not what they say", name)
		}
	}
}

// TestMiddleOfASentence: a text continues the one before if there is a space or a small letter in
// between, or punctuation behind a letter.
func TestMiddleOfASentence(t *testing.T) {
	for texts, want := range map[[2]string]bool{
		{"a", "b"}: true, {"a", " B"}: true, {"a ", "B"}: true, {"a", "."}: true, {"a.", "."}: false, {"a", "B"}: false, {"a.", "B"}: false,
		{"a.", "b"}: false, {"a!", "b"}: false, {"a?", "b"}: false, {"a:", "b"}: false, {"a\n", "b"}: false, {"a,", "b"}: true, {"1", "."}: false,
	} {
		if got := midSentence(texts[0], texts[1]); got != want {
			t.Errorf("%q continues: %v", texts, got)
		}
	}
}

// TestActionsOfCalls: the action of a call is its argument if it has no other.
func TestActionsOfCalls(t *testing.T) {
	for name := range strings.FieldsSeq("command cmd query code") {
		for rest, want := range map[string]string{"": name, `,"input":{"n":1}`: "input"} {
			w := viewOf(rowsOf(fmt.Sprintf(`{"tool":"a",%q:"look at it"%s}`, name, rest)))
			if f := argsOf(&group{view: w}, w.scalars[0]); f == nil || f.name() != want {
				t.Errorf("%s is not the argument next to %s%s", want, name, rest)
			}
		}
	}
}

// TestWordsThatAreNoKinds: a field with kinds of records distinguishes them, unless it contains a
// reason for stopping, or mostly states.
func TestWordsThatAreNoKinds(t *testing.T) {
	kinds := func(words ...string) bool {
		var rows []string
		for _, word := range words {
			rows = append(rows, fmt.Sprintf(`{"t":%q}`, word))
		}
		return viewOf(rowsOf(rows...)).discriminator(nil) != nil
	}
	if !kinds("user", "assistant", "tool_use", "tool_result", "other") {
		t.Error("other words are not kinds")
	}
	for word := range strings.FieldsSeq("stop end_turn length max_tokens stop_sequence STOP MAX_TOKENS aborted tool_calls tool-calls") {
		if kinds("user", "assistant", "tool_use", "tool_result", word) {
			t.Errorf("%s is a reason for stopping", word)
		}
	}
	if !kinds("user", "assistant", "user", "other", "other", "other", "other") {
		t.Error("mostly other words are not kinds")
	}
	for word := range strings.FieldsSeq(`completed complete done success succeeded finished failed failure error ok pending running in_progress started result output-available
		call incomplete none default`) {
		if kinds("user", "assistant", "user", word, word, word, word) || !kinds("user", "assistant", "user", "other", word, "user", "user") {
			t.Errorf("%s is a state", word)
		}
	}
}

// TestDepths checks how deep inference searches for fields, lists and messages.
func TestDepths(t *testing.T) {
	has := func(object, field string) bool {
		for _, f := range viewOf(rowsOf(object)).scalars {
			if f.name() == field {
				return true
			}
		}
		return false
	}
	if !has(`{"a":{"b":{"c":{"d":1}}}}`, "a.b.c.d") || has(`{"a":{"b":{"c":{"d":{"e":1}}}}}`, "a.b.c.d.e") {
		t.Error("fields have at most four keys")
	}
	nested := func(n int) string {
		return strings.Repeat("[", n) + `{"role":"user","content":"hi"}` + strings.Repeat("]", n)
	}
	for n, want := range map[int]bool{4: true, 5: false} {
		if got := rowsOf(nested(n))[0].speaks(0); got != want {
			t.Errorf("a message in %d lists speaks: %v", n, got)
		}
	}
	for n, want := range map[int]int{0: 1, 2: 1, 3: 1} {
		all := inLists(rowsOf(strings.Repeat("[", n)+"{},{}"+strings.Repeat("]", n)), 0)
		if len(all) != want+min(n, 1) {
			t.Errorf("%d values in %d lists", len(all), n)
		}
	}
	if all := inLists(rowsOf("[[[[{},{}]]]]"), 0); len(all) != 1 || all[0].kind != jsonspan.Array {
		t.Error("records are looked for in four lists")
	}
	variants := func(n int) int {
		var rows []string
		for i := range n {
			rows = append(rows, fmt.Sprintf(`{"k%c":{"a":1}}`, 'a'+i))
		}
		return len(viewOf(rowsOf(rows...)).variants())
	}
	if variants(2) != 2 || variants(6) != 6 || variants(7) != 0 || variants(1) != 0 {
		t.Error("two to six keys distinguish kinds")
	}
	deep := rowsOf(strings.Repeat(`{"a":`, 18) + "1" + strings.Repeat("}", 18))[0]
	depth := 0
	for v := deep; len(v.list) > 0; v = v.list[0] {
		depth++
	}
	if depth != 17 {
		t.Errorf("%d objects in each other are read, want 17", depth)
	}
	if text := rowsOf(`"` + strings.Repeat("x", 500) + `"`)[0]; len(text.text) != 400 || text.size != 500 {
		t.Errorf("%d bytes of a text are kept", len(text.text))
	}
	pairs := func(n int) bool {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf(`{"key":"k%d","value":{"s":"x"}}`, i))
		}
		return rowsOf("[" + strings.Join(list, ",") + "]")[0].pairs
	}
	if !pairs(2) || !pairs(400) || pairs(401) || pairs(1) {
		t.Error("two to four hundred pairs make an object")
	}
}

// TestRequestsAndReplies lists the names of the fields for the request and the reply of a model.
func TestRequestsAndReplies(t *testing.T) {
	found := func(ask, reply string) string {
		f := Find(sampleOf([]byte(fmt.Sprintf(`[{%q:"Find facts of Oslo, please","agent":"Researcher",%q:"It is the capital."}]`, ask, reply))), saying())
		if f == nil {
			return ""
		}
		return f.Format.Rules[0].Request + " " + f.Format.Rules[0].Reply
	}
	for ask := range strings.FieldsSeq("prompt question task instruction instructions user_message") {
		if got := found(ask, "output"); got != ask+" output" {
			t.Errorf("%s and output: %q", ask, got)
		}
	}
	for reply := range strings.FieldsSeq("response answer completion output reply result generation") {
		if got := found("task", reply); got != "task "+reply {
			t.Errorf("task and %s: %q", reply, got)
		}
	}
}

// TestNoTexts lists dates, addresses, files and JSON, as opposed to words of a speaker.
func TestNoTexts(t *testing.T) {
	for text, want := range map[string]bool{
		"/abc": true, "~/ab": true, "/ab": false, "Hi": false, "Is it so?": false, "http://a": true, "data:a": true, "2026-01-05 10:00": true,
		`{\"a\":1}`: true, strings.Repeat("x", 200): false, strings.Repeat("x", 201): true, strings.Repeat("é", 201): false,
	} {
		if got := notText(rowsOf(`{"a":"` + text + `"}`)[0].list[0]); got != want {
			t.Errorf("%.20s is not a text: %v", text, got)
		}
	}
}

// TestSiblingsOfAName: an object, or JSON of one, is next to most names.
func TestSiblingsOfAName(t *testing.T) {
	for rest, want := range map[string]bool{`{"x":1}`: true, `"{\"x\":1}"`: true, `"x"`: false, `1`: false} {
		for rows, all := range map[int]bool{1: false, 2: true} {
			list := []string{`{"name":"a"}`, `{"name":"a","b":` + rest + `}`, `{"name":"a","b":` + rest + `}`}[:1+rows]
			w := viewOf(rowsOf(list...))
			if got := w.hasSibling(w.scalars[0]); got != (want && all) {
				t.Errorf("%s is next to %d of %d names: %v", rest, rows, len(list), got)
			}
		}
	}
}

// TestArgumentsOfCalls: arguments are an object next to the name of a tool, or JSON of one. Their
// usual names count more than others, and names of metadata and results less.
func TestArgumentsOfCalls(t *testing.T) {
	for fields, want := range map[string]string{
		`"zub":{"a":1},"input":{"b":2}`: "input", `"zub":{"a":1},"metadata":{"b":2}`: "zub", `"zub":{"a":1},"meta":{"b":2}`: "zub", `"zub":{"a":1},"cacheControl":{"b":2}`: "zub",
		`"zub":{"a":1},"usage":{"b":2}`: "zub", `"zub":{"a":1},"tags":{"b":2}`: "zub", `"zub":{"a":1},"output":{"b":2}`: "zub", `"zub":"{\"a\":1}","n":1`: "zub",
		`"zub":"words","input":"look"`: "input", `"zub":"words"`: "",
	} {
		w := viewOf(rowsOf(`{"tool":"a",` + fields + `}`))
		got := ""
		if f := argsOf(&group{view: w}, w.scalars[0]); f != nil {
			got = f.name()
		}
		if got != want {
			t.Errorf("the arguments in %s are %q, want %q", fields, got, want)
		}
	}
}
