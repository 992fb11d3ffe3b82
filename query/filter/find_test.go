package filter

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"turns/model"
	"turns/query"
	"turns/query/label"
	"turns/query/lang"
	"turns/query/querytest"
)

// TestLinesOfMatches: a search returns the line of a match and the ranges in it.
func TestLinesOfMatches(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		smart         bool
		want          []string
	}{
		{"timeout", "\ntimeout\r\n", false, []string{"2 timeout [[0 7]]"}},
		{"/(?m)^$/", "a\n\nb", false, []string{"2  []"}},
		{"/x*/", "axb", false, []string{"1 axb [[1 2]]"}},
		{"/x/", "\xffx", false, []string{"1 \uFFFDx [[3 4]]"}},
		{"AZ", "az AZ", false, []string{"1 az AZ [[0 2] [3 5]]"}},
		{`/\Saz/`, "xAZ", true, []string{"1 xAZ [[0 3]]"}},
		{`/\\Saz/`, `\saz`, true, nil},
	} {
		p, err := NewPattern(c.pattern, c.smart)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		s := model.FromMessages([]model.Message{querytest.Message(model.User, c.text)})
		for h, err := range Find(t.Context(), query.Everything(s), p, nil) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprint(h.Line, " ", h.Text, " ", h.Ranges))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s in %q: %q, want %q", c.pattern, c.text, got, c.want)
		}
	}
	all := [][2]int{{4, 6}, {0, 2}, {2, 4}, {5, 9}}
	if got, want := fmt.Sprint(joinRanges(all)), "[[0 2] [2 4] [4 9]]"; got != want {
		t.Errorf("the ranges are %s, want %s", got, want)
	}
}

// TestPartsOfLongLines: a long line is cut around its first match.
func TestPartsOfLongLines(t *testing.T) {
	for _, c := range []struct {
		from, to, room int
		text           string
		front, back    bool
	}{
		{0, 2, 5, "abcde", false, true}, {8, 10, 5, "hij", true, false}, {4, 5, 6, "cdefgh", true, true}, {4, 5, 10, "abcdefghij", false, false},
	} {
		h := Hit{Text: "abcdefghij", Ranges: [][2]int{{c.from, c.to}}}
		text, ranges, front, back := h.Around(c.room)
		if text != c.text || front != c.front || back != c.back || text[ranges[0][0]:ranges[0][1]] != h.Text[c.from:c.to] {
			t.Errorf("%d-%d in %d bytes: %q %v, cut %v and %v, want %q, %v and %v", c.from, c.to, c.room, text, ranges, front, back, c.text, c.front, c.back)
		}
	}
}

// TestSearchMatches: a search shows each message with its first matching line and counts the
// others; the tool of a call or the name of an unusual role comes first.
func TestSearchMatches(t *testing.T) {
	msgs := append(evalTalk(), querytest.Message(model.Other, "a timeout\nand a timeout"))
	msgs[7].Name = "critic"
	s := model.FromMessages(msgs)
	found := func(src string) string {
		p, err := NewPattern(src, false)
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		if err := SearchEach(t.Context(), query.Everything(s), p, func(m SearchMatch) bool {
			lines = append(lines, fmt.Sprintf("%s ×%d", &m, m.Count))
			return true
		}); err != nil {
			t.Fatal(err)
		}
		return strings.Join(lines, "\n")
	}
	for src, want := range map[string]string{
		"timeout": "     0  user         fix the Timeout in main.go ×1\n     2  Bash         exit 1: timeout ×1\n     7  critic       a timeout ×2",
		"package": "     3  Read         package main ×1",
		"nowhere": "",
	} {
		if got := found(src); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", src, got, want)
		}
	}
	m := SearchMatch{Index: -1, Role: "recorded", Where: "tools", Line: "x"}
	if got, want := m.String(), "     –  recorded     x"; got != want {
		t.Errorf("a recorded field is shown as %q, want %q", got, want)
	}
	for where, want := range map[string]string{"result": "100 %", "text": "10 %␍100 %"} {
		if got := (&SearchMatch{Where: where}).Fit("10 %\r100 %"); got != want {
			t.Errorf("a part of a %s is %q, want %q", where, got, want)
		}
	}
}

// TestRankOfMatches: the order of matches by relevance.
func TestRankOfMatches(t *testing.T) {
	match := func(where, role, line string, from, count int) SearchMatch {
		return SearchMatch{Where: where, Role: role, Line: line, Spans: [][2]int{{from, from + 3}}, Count: count}
	}
	ranked := []SearchMatch{
		match("text", "user", "cat", 0, 2), match("text", "user", "a cat.", 2, 1), match("text", "assistant", "cat", 0, 1), match("reasoning", "user", "cat", 0, 1),
		match("call", "user", "cat", 0, 1), match("text", "assistant", "cats", 0, 1), match("result", "user", "cat", 0, 1), match("call", "user", "_cat", 1, 1),
	}
	for i := range ranked[1:] {
		if a, b := &ranked[i], &ranked[i+1]; a.Rank() <= b.Rank() {
			t.Errorf("%+v ranks %.3f, not above %+v with %.3f", *a, a.Rank(), *b, b.Rank())
		}
	}
	call, name, none := match("call", "user", "cat", 0, 1), match("name", "user", "cat", 0, 1), SearchMatch{Where: "call"}
	if call.Rank() != name.Rank() || call.Rank() != none.Rank() {
		t.Errorf("a call ranks %.3f, a name %.3f, a match without a place %.3f", call.Rank(), name.Rank(), none.Rank())
	}
}

// TestLineFinderByKey: each key finds lines in its own blocks only.
func TestLineFinderByKey(t *testing.T) {
	msgs := evalTalk()
	texts := []query.RecordedText{{Field: "tools", Text: "main.go"}}
	for src, want := range map[string]string{
		"main.go": "text call recorded", "text:main.go": "text call recorded", "args:main.go": "call", "result:package": "result", "reasoning:main.go": "",
		"content:main": "text result",
	} {
		f, err := lang.Parse(src)
		if err != nil {
			t.Fatal(err)
		}
		l, err := NewLineFinder(f)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for i := range msgs {
			for k := range msgs[i].Blocks {
				if h, ok := l.Block(&msgs[i].Blocks[k]); ok && !slices.Contains(got, h.Kind.String()) {
					got = append(got, h.Kind.String())
				}
			}
		}
		if h, ok := l.Conversation(texts); ok && h.Field == "tools" {
			got = append(got, "recorded")
		}
		if all := strings.Join(got, " "); all != want {
			t.Errorf("%s finds %s, want %s", src, all, want)
		}
	}
}

// TestFiltersAboutMoreThanAMessage: after new messages, a filter that depends on others examines
// all messages again.
func TestFiltersAboutMoreThanAMessage(t *testing.T) {
	s := model.FromMessages(evalTalk())
	for src, want := range map[string]bool{
		"timeout": false, "is:prompt": false, "kind:call": false, "time:>2024-01-01": false, "time:2024-01-01..": false, "time:..2024-01-01": false,
		"index:>3": true, "is:retry": true, "is:compacted": true, "is:cache-miss": true, "cache:null": true, "is:labelled": true, "is:marked": true, "label:x": true,
		"time:>2h": true, "time:2h..": true, "time:..2h": true,
	} {
		f, err := lang.Parse(src)
		if err != nil {
			t.Fatal(err)
		}
		m, err := NewMatcher(f, s, Env{})
		if err != nil {
			t.Fatal(err)
		}
		if got := m.wide(); got != want {
			t.Errorf("%s examines all messages again: %v, want %v", src, got, want)
		}
	}
}

// TestSearchedTalk: the search of recorded bytes changes no result.
func TestSearchedTalk(t *testing.T) {
	msgs := evalTalk()
	s := evalSourced(rand.New(rand.NewPCG(1, 1)), model.FromMessages(msgs), msgs)
	slow := newNaive(t, s)
	for _, src := range []string{"bash", "timeout", "/timeout/", "/TIMEOUT/i", "main | /exit \\d/", "file:src/main.go", "file:*main.go", "file:/m.in/", "bash main",
		"(timeout | looking) -package", "tool:Bash file_path", "tool:Bash -file_path", "has:diff", "id:c2"} {
		evalCompare(t, s, slow, src, true)
		evalCompare(t, s, slow, "-("+src+")", true)
	}
}

// TestFoundByFilter: filters and the messages that they find.
func TestFoundByFilter(t *testing.T) {
	at := time.UnixMilli(querytest.T0).UTC()
	named := func(role model.Role, name string) model.Message {
		m := querytest.Message(role, "said")
		if m.Name = name; role == model.Assistant {
			m.Name, m.Model = "", name
		}
		return m
	}
	edit := querytest.Null(model.Assistant, querytest.Call("c9", "Edit", `{"old_string":"a"}`))
	talk := model.FromMessages(append(evalTalk(), edit))
	people := model.FromMessages([]model.Message{named(model.User, ""), named(model.Other, "critic"), named(model.Other, "judge"), named(model.Assistant, "critic")})
	again := model.FromMessages([]model.Message{
		querytest.Null(model.Assistant, querytest.Call("a", "Bash", "{}")), querytest.Tool(querytest.Failed("a", "no")),
		querytest.Null(model.Assistant, querytest.Call("b", "Bash", "{}"), querytest.Call("c", "Read", "{}")),
	})
	first, second := querytest.Message(model.User, "one"), querytest.Message(model.User, "two")
	first.Time, second.Time = querytest.T0, querytest.T0+1000
	times := model.FromMessages([]model.Message{first, second, querytest.Message(model.User, "three")})
	stamp, later := at.Format(time.RFC3339), at.Add(time.Second).Format(time.RFC3339)
	for _, c := range []struct {
		s         *model.Snapshot
		src, want string
	}{
		{talk, "has:diff", "[7]"}, {talk, "is:orphan outcome:ok", "[5]"}, {talk, "tool:Bash file_path", "[]"},
		{people, "role:user,critic", "[0 1]"}, {people, "role:critic", "[1]"}, {again, "is:retry", "[2]"},
		{times, `time:>="` + stamp + `"`, "[0 1]"}, {times, `time:>"` + stamp + `"`, "[1]"}, {times, `time:<"` + later + `"`, "[0]"}, {times, `time:<="` + stamp + `"`, "[0]"},
		{times, "time:" + later + "..", "[1]"}, {times, "time:.." + stamp, "[0]"},
	} {
		if got := found(t, c.s, c.src); got != c.want {
			t.Errorf("%s finds %s, want %s", c.src, got, c.want)
		}
	}
	for _, c := range []struct {
		s    *model.Snapshot
		ids  []model.ID
		key  lang.Key
		rest string
		want string
	}{
		{people, people.LiveIDs(), lang.KeyRole, "", "assistant 1, critic 1, judge 1, user 1"},
		{people, people.LiveIDs(), lang.KeyModel, "", "critic 1"},
		{people, people.LiveIDs(), lang.KeyName, "", "critic 1, judge 1"},
		{people, people.LiveIDs(), lang.KeyThread, "", "main 4"},
		{people, people.LiveIDs(), lang.KeyTool, "", ""},
		{people, people.LiveIDs(), lang.KeyTool, "is:error", ""},
		{talk, []model.ID{2}, lang.KeyTool, "", "Bash 1 calls"},
		{talk, talk.LiveIDs(), lang.KeyTool, "role:user", "Bash 0 0 of 2, Edit 0 0 of 1, Read 0 0 of 1"},
	} {
		f, err := lang.Parse(c.rest)
		if err != nil {
			t.Fatal(err)
		}
		values, err := Values(context.Background(), query.Selection{Snap: c.s, IDs: c.ids}, c.key, f, Env{})
		var got []string
		for _, v := range values {
			got = append(got, strings.TrimSpace(fmt.Sprintf("%s %d %s", v.Text, v.Count, v.Note)))
		}
		if all := strings.Join(got, ", "); err != nil || all != c.want {
			t.Errorf("the values of %v under %q are %s, %v, want %s", c.key, c.rest, all, err, c.want)
		}
	}
}

// TestPartsOfResults: the rows of a result are exact if only calls match, and a call that matches
// does not show the words next to it.
func TestPartsOfResults(t *testing.T) {
	s := model.FromMessages(evalTalk())
	for src, want := range map[string]string{"kind:call": "3 rows of 2", "outcome:failed": "~2 rows of 3", "role:user": "~1 row of 1", "is:pending": "1 row of 1"} {
		f, err := lang.Parse(src)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Apply(t.Context(), query.Everything(s), f, Env{})
		rows, messages, _ := strings.Cut(r.String(7), ", ")
		messages, _, _ = strings.Cut(messages, " ")
		if got := rows + " of " + messages; err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", src, got, err, want)
		}
	}
	if sel := (&Result{}).Selection(s); sel.Calls != nil || sel.Len() != 0 {
		t.Errorf("the result before a filter selects %v", sel)
	}
	for state, words := range map[model.RunState]string{model.RunOpen: "waiting running", model.RunFailed: "failed"} {
		for word := range strings.FieldsSeq("waiting running failed finished") {
			if got, want := ended(state, word), slices.Contains(strings.Fields(words), word); got != want {
				t.Errorf("a session that is %v matches end:%s: %v, want %v", state, word, got, want)
			}
		}
	}
	f, err := lang.Parse("label:flaky")
	if err != nil {
		t.Fatal(err)
	}
	test := LabelTest(f.Root().(*lang.Term))
	if test(nil) || test([]label.Mark{{Kind: label.Label, Name: "slow"}}) || !test([]label.Mark{{Kind: label.Label, Name: "slow"}, {Kind: label.Label, Name: "flaky"}}) {
		t.Error("label:flaky does not match the sessions with that label only")
	}
}

// TestLiteralsOfFilters: texts of which a match has one, if each has a run of three plain bytes.
func TestLiteralsOfFilters(t *testing.T) {
	for src, want := range map[string]string{"abc": `["abc"]`, "ab": "[]", "/abc/": `["abc"]`, "/ab/": "[]", `"a b"`: `["a b"]`, "tool:abc": "[]", "/x*/": "[]"} {
		f, err := lang.Parse(src)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%q", Literals([]*lang.Filter{f})); got != want {
			t.Errorf("%s: %s, want %s", src, got, want)
		}
	}
	for text, want := range map[string]int{"a b": 3, "ab\x7fcd": 2, "a\x1fb": 1, `a"b`: 1, "~~": 2} {
		if got := textPlainRun(text); got != want {
			t.Errorf("%q has a run of %d, want %d", text, got, want)
		}
	}
}
