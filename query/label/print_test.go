package label

import (
	"slices"
	"strings"
	"testing"

	"turns/model"
	"turns/query/querytest"
)

// TestPrintsKnowAMessageInAnotherFormat: two records of a message have the same prints, despite
// different blanks, key order, and roles that one format lacks.
func TestPrintsKnowAMessageInAnotherFormat(t *testing.T) {
	say, call := querytest.Message, querytest.Call
	picture := func(size int64) model.Message {
		return querytest.Null(model.User, model.Content{Kind: model.Media, Name: "image/png", Size: size})
	}
	for _, c := range []struct {
		name string
		a, b model.Message
		same bool
	}{
		{"blanks around words", say(model.User, " Fix it\n"), say(model.User, "Fix it"), true},
		{"other words", say(model.User, "Fix it"), say(model.User, "Fix that"), false},
		{"words of another", say(model.User, "Fix it"), say(model.Assistant, "Fix it"), false},
		{"a developer is the system", say(model.Developer, "Be brief."), say(model.System, "Be brief."), true},
		{"a result is the user's", say(model.Tool, "ok"), say(model.User, "ok"), true},
		{"arguments in another order", querytest.Null(model.Assistant, call("", "Read", `{"a":1, "b":"<x>"}`)),
			querytest.Null(model.Assistant, call("", "Read", `{"b":"<x>","a":1}`)), true},
		{"large numbers", querytest.Null(model.Assistant, call("", "Read", `{"a":9007199254740993}`)),
			querytest.Null(model.Assistant, call("", "Read", `{"a":9007199254740992}`)), false},
		{"arguments that are no JSON", querytest.Null(model.Assistant, call("", "Bash", " ls ")), querytest.Null(model.Assistant, call("", "Bash", "ls")), true},
		{"results", querytest.Tool(querytest.Result("x", "ok ")), querytest.Tool(querytest.Result("x", "ok")), true},
		{"pictures of one size", picture(100), picture(100), true},
		{"pictures of two sizes", picture(100), picture(200), false},
		{"messages without anything", model.Message{Role: model.User}, model.Message{Role: model.User}, true},
		{"notes of two kinds", model.Message{Name: "a"}, model.Message{Name: "b"}, false},
	} {
		if a, b := printsOf(&c.a), printsOf(&c.b); slices.Equal(a, b) != c.same || len(a[0]) != 12 {
			t.Errorf("%s: %q and %q", c.name, a, b)
		}
	}
	two := querytest.Message(model.User, "one", model.Content{Kind: model.Words, Text: "two"})
	one := querytest.Message(model.User, "two")
	if !slices.Contains(printsOf(&two), printsOf(&one)[0]) {
		t.Error("a message of two texts is not known by the second of them")
	}
	for _, m := range []model.Message{one, querytest.Null(model.Assistant, call("", "Read", "{}"))} {
		if got := printsOf(&m); len(got) != 1 {
			t.Errorf("a message of one text or call without an id has the prints %q, want one", got)
		}
	}
}

// TestPlacesSayHowTheirMessageBegins: the words of a message, else a call, else any text.
func TestPlacesSayHowTheirMessageBegins(t *testing.T) {
	for _, c := range []struct {
		m    model.Message
		want string
	}{
		{querytest.Null(model.Assistant, querytest.Thinks("Where?"), model.Content{Kind: model.Words, Text: "Fix\n it"}), "Fix it"},
		{querytest.Null(model.Assistant, querytest.Call("a", "Bash", `{"command":"ls"}`)), `Bash {"command":"ls"}`},
		{querytest.Null(model.Assistant, querytest.Thinks("Where?")), "Where?"},
		{querytest.Null(model.Assistant), "assistant"},
		{querytest.Message(model.User, strings.Repeat("é", 200)), strings.Repeat("é", 79) + "…"},
	} {
		if got := begin(&c.m); got != c.want {
			t.Errorf("begins %q, want %q", got, c.want)
		}
	}
}

// TestPlaceOfACall: the place of a call has its ID, hash, text and neighbours.
func TestPlaceOfACall(t *testing.T) {
	s := model.FromMessages([]model.Message{
		querytest.Message(model.User, "Fix it"),
		querytest.Null(model.Assistant, querytest.Call("a", "Bash", `{"command":"ls"}`), querytest.Call("b", "Read", `{"x":1}`)),
		querytest.Message(model.Assistant, "Done"),
	})
	at := PlaceOf(t.Context(), s, 1, s.Calls(1)[1].ID)
	if at.Call != "b" || at.Text != `Read {"x":1}` || at.Index != 1 || at.Hash != printOf("call", "Read", `{"x":1}`) {
		t.Errorf("%+v", at)
	}
	p := newPrints(t.Context(), s)
	if at.Before != p.ofMessage(0) || at.After != p.ofMessage(2) || at.Before == at.After {
		t.Errorf("it is between %q and %q", at.Before, at.After)
	}
	if last := PlaceOf(t.Context(), s, 2, model.CallID(model.NoRow)); last.After != "" || last.Before != p.ofMessage(1) {
		t.Errorf("the last: %+v", last)
	}
	if first := PlaceOf(t.Context(), s, 0, model.CallID(model.NoRow)); first.Before != "" || first.Text != "Fix it" || first.Call != "" {
		t.Errorf("the first: %+v", first)
	}
}

// TestRecordedIDs: an ID is found by its hash, in a record or in an object directly in it.
func TestRecordedIDs(t *testing.T) {
	key := model.Hash([]byte("msg_1"))
	for _, c := range []struct {
		record string
		key    model.Key
		want   string
	}{
		{`{"type":"user","uuid":"msg_1"}`, key, "msg_1"},
		{`{"n":1,"message":{"role":"user","id":"msg_1"}}`, key, "msg_1"},
		{`{"a":{"b":{"id":"msg_1"}}}`, key, ""},
		{`{"id":"msg_2"}`, key, ""},
		{`{"id":"msg_1"}`, 0, ""},
		{`no JSON`, key, ""},
	} {
		if got := IDIn([]byte(c.record), c.key); got != c.want {
			t.Errorf("%s holds %q, want %q", c.record, got, c.want)
		}
	}
	g := querytest.NewGrowing()
	g.Add(model.Head{Op: model.Say, Key: key})
	g.Add(model.Head{Op: model.Say})
	records := func(s string) []model.RecordText {
		return []model.RecordText{{Data: []byte(`{"n":2}`)}, {Data: []byte(s)}}
	}
	s := model.NewSnapshot(g.Ix, querytest.Texts{0: {Records: records(`{"id":"msg_1"}`)}, 1: {Records: records(`{"id":"msg_1"}`)}})
	for id, want := range []string{"msg_1", ""} {
		if got := RecordedID(t.Context(), s, model.ID(id)); got != want {
			t.Errorf("message %d has the id %q, want %q", id, got, want)
		}
	}
}

// TestFindByRecordedID: a message with the recorded ID is found after its text has grown; a
// different message that reuses the ID is not.
func TestFindByRecordedID(t *testing.T) {
	const id = "00000000000000ab"
	for _, c := range []struct {
		name, text string
		at         Place
		found      bool
	}{
		{"as it was", "Fix it", Place{Hash: printOf("user", "Fix it")}, true},
		{"grown", "Fix it and push", Place{Hash: "gone", Text: "Fix it…"}, true},
		{"of which no text was kept", "Fix it", Place{}, true},
		{"beside its neighbour", "Other words", Place{Hash: "gone", Text: "Fix it", After: printOf("assistant", "Done")}, true},
		{"another one", "Other words", Place{Hash: "gone", Text: "Fix it", Before: "x", After: "y"}, false},
	} {
		g := querytest.NewGrowing()
		g.Add(model.Head{Op: model.Say, Role: model.System})
		g.Add(model.Head{Op: model.Say, Role: model.User, Key: 0xab})
		g.Add(model.Head{Op: model.Say, Role: model.Assistant})
		g.Ix.Threads[0].Count, g.Ix.Sessions[0].Count = 3, 3
		s := model.NewSnapshot(g.Ix, querytest.Texts{0: querytest.Message(model.System, "Be brief."), 1: querytest.Message(model.User, c.text), 2: querytest.Message(model.Assistant, "Done")})
		c.at.Message, c.at.Index = id, -1
		set := NewSet([]Line{{ID: "a", Run: Run{Path: "/w/a.jsonl"}, At: &c.at, Mark: Mark{Kind: Note, Text: "x"}}})
		here, err := set.Find(t.Context(), s, Source{Path: "/w/a.jsonl"})
		if err != nil {
			t.Fatal(err)
		}
		if got := len(here.Placed) == 1 && here.Placed[0].ID == 1; got != c.found || len(here.Lost) != btoi(!c.found) {
			t.Errorf("%s: placed %+v, lost %+v", c.name, here.Placed, here.Lost)
		}
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestOpeningOfASession: the first three messages of a session identify it.
func TestOpeningOfASession(t *testing.T) {
	say := querytest.Message
	talk := []model.Message{say(model.System, "Be brief."), say(model.User, "Fix it"), say(model.Assistant, "Done."), say(model.User, "Thanks"), say(model.Assistant, "Welcome.")}
	opens := func(msgs []model.Message) string {
		return RunOf(t.Context(), model.FromMessages(msgs), 0, Source{}).Opens
	}
	whole := opens(talk)
	for n, same := range map[int]bool{3: false, 4: true, 5: true} {
		if got := opens(talk[:n]); got == whole != same {
			t.Errorf("%d messages open with %s, all with %s", n, got, whole)
		}
	}
	if opens(talk[1:]) != whole {
		t.Error("a system message changes the opening")
	}
}

// TestNumbersOfSessions: each of several sessions in a file has a number. Opening one by its number
// does not change the number.
func TestNumbersOfSessions(t *testing.T) {
	g := querytest.NewGrowing()
	for count, want := range map[int]int{1: 0, 2: 1} {
		g.Ix.Sessions = make([]model.Session, count)
		if got := (Source{}).run(g.Snapshot(), 0).Number; got != want {
			t.Errorf("the first of %d sessions has the number %d, want %d", count, got, want)
		}
		if got := (Source{Part: 7}).run(g.Snapshot(), 0).Number; got != 7 {
			t.Errorf("session 7 has the number %d", got)
		}
	}
}

// TestReadBetweenBlankLines: blank lines of a store are no mistakes.
func TestReadBetweenBlankLines(t *testing.T) {
	line := `{"id":"a","kind":"note","note":"x"}` + "\n"
	if lines, bad := Read([]byte("\n" + line + "\n" + strings.Replace(line, "a", "b", 1) + "no JSON\n")); len(lines) != 2 || bad != 1 {
		t.Errorf("%d lines and %d mistakes, want 2 and 1", len(lines), bad)
	}
}
