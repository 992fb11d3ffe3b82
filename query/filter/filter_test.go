package filter

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"turns/model"
	"turns/model/modeltest"
	"turns/query"
	"turns/query/label"
	"turns/query/lang"
	"turns/query/querytest"
)

// evalShow formats a result like the naive evaluator.
func evalShow(s *model.Snapshot, r *Result, matches []Match) map[int]string {
	out := map[int]string{}
	for _, m := range matches {
		var names []string
		for bit, name := range []string{"words", "reasoning", "media", "other"} {
			if m.Blocks&(1<<bit) != 0 {
				names = append(names, name)
			}
		}
		for _, id := range m.Calls {
			c := s.Call(id)
			if c.Msg != model.NoID {
				names = append(names, fmt.Sprintf("m%d#%d", c.Msg, c.Block))
				continue
			}
			for n, a := range s.Answers(c.Result) {
				if a.ID == id {
					names = append(names, fmt.Sprintf("o%d#%d", c.Result, n))
				}
			}
		}
		slices.Sort(names)
		out[int(m.ID)] = strings.Join(names, " ")
	}
	return out
}

func evalCompare(t *testing.T, s *model.Snapshot, slow *naive, src string, search bool) {
	t.Helper()
	f, err := lang.Parse(src)
	if err != nil {
		return
	}
	labels := label.NewHere(s, slices.Clone(slow.said))
	m, err := NewMatcher(f, s, Env{Now: evalNow, Loc: evalZone, Tokens: slow.tokens, Turns: slow.turns, Labels: labels, Does: doesForTest, Read: slow.read})
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	m.search = search
	var matches []Match
	var r Result
	err = m.run(context.Background(), s.LiveIDs(), &r, func(match Match) bool {
		match.Calls = slices.Clone(match.Calls)
		matches = append(matches, match)
		return true
	})
	if err != nil || r.Err != nil {
		t.Fatalf("%s: %v, %v", src, err, r.Err)
	}
	want, counting := slow.apply(f)
	got := evalShow(s, &r, matches)
	for id := range s.Rows() {
		a, inA := got[id]
		b, inB := want[id]
		if inA != inB || a != b {
			t.Fatalf("filter %q, message %d %v: got %v %q, want %v %q", src, id, slow.msgs[id].Blocks, inA, a, inB, b)
		}
	}
	if r.Counting != counting {
		t.Fatalf("filter %q: %d undecided, want %d", src, r.Counting, counting)
	}
}

func TestEvalEqualsNaive(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 7))
	for round := range max(modeltest.Fewer(10, 10), 2) {
		msgs := evalConversation(rnd, 5+rnd.IntN(35))
		s := model.FromMessages(msgs)
		if round%2 == 1 {
			s = evalSourced(rnd, s, msgs)
		}
		slow := newNaive(t, s)
		if round%3 > 0 {
			slow.tokens = evalTokens{}
		}
		for _, term := range evalTerms {
			evalCompare(t, s, slow, term, true)
			evalCompare(t, s, slow, "-"+term, true)
		}
		for range modeltest.Fewer(150, 150) {
			evalCompare(t, s, slow, evalFilter(rnd, 3), rnd.IntN(4) > 0)
		}
	}
}

// evalTalk returns a conversation small enough to list the matches of each filter.
func evalTalk() []model.Message {
	call := func(id, name, args string) model.Content {
		return model.Content{Kind: model.ToolCall, ID: id, Name: name, Text: args, JSON: true}
	}
	result := func(id, text string, o model.Outcome) model.Content {
		return model.Content{Kind: model.ToolResult, ID: id, Text: text, Outcome: o}
	}
	words := func(text string) model.Content { return model.Content{Kind: model.Words, Text: text} }
	return []model.Message{
		{Role: model.User, Blocks: []model.Content{words("fix the Timeout in main.go")}},
		{Role: model.Assistant, Model: "gpt-5", Blocks: []model.Content{{Kind: model.Reasoning, Text: "let me look"}, words("Looking."),
			call("c1", "Bash", `{"command":"cat main.go"}`), call("c2", "Read", `{"file_path":"/src/main.go"}`)}},
		{Role: model.Tool, Blocks: []model.Content{result("c1", "line\nexit 1: timeout", model.Failure)}},
		{Role: model.Tool, Blocks: []model.Content{result("c2", "package main", model.Success)}},
		{Role: model.Assistant, Model: "gpt-5", Blocks: []model.Content{call("c3", "Bash", `{"command":"go test\nls"}`)}},
		{Role: model.Tool, Blocks: []model.Content{result("zz", "who asked", model.Unknown)}},
		{Role: model.Assistant, Model: "gpt-5", Flags: model.APIError, Blocks: []model.Content{words("overloaded")}},
	}
}

func TestEvalTalk(t *testing.T) {
	s := model.FromMessages(evalTalk())
	for _, c := range []struct {
		src  string
		want string // IDs, then rows
	}{
		{"", "0 1 2 3 4 5 6 · 8"},
		{"role:user", "0 · 1"},
		{"role:nobody", " · 0"},
		{"tool:Bash", "1 2 4 · 2"},
		{"tool:Bash is:error", "1 2 · 1"},
		{"tool:Read is:error", " · 0"},
		{"is:error", "1 2 6 · 2"},
		{"is:pending", "4 · 1"},
		{"is:orphan", "5 · 1"},
		{"-tool:Bash", "0 1 3 5 6 · 6"},
		{"timeout", "0 2 · 2"},
		{"/timeout/", "2 · 1"},
		{"/timeout/i", "0 2 · 2"},
		{"content:timeout", "0 2 · 2"},
		{"reasoning:look", "1 · 1"},
		{"args:main.go", "1 2 3 · 2"},
		{"file:main.go", "1 3 · 1"},
		{"result:timeout tool:Bash", "1 2 · 1"},
		{`args:"cat main" result:package`, " · 0"},
		{"look main.go", "1 · 4"},
		{"tool:Bash -timeout", "4 · 1"},
		{"(tool:Bash is:error) (tool:Read)", "1 · 1"},
		{"role:assistant kind:call", "1 4 · 3"},
		{"kind:result", "2 3 5 · 3"},
		{"id:c1", "1 2 · 1"},
		{"model:gpt-*", "1 4 6 · 6"},
		{"is:prompt", "0 · 1"},
	} {
		f, err := lang.Parse(c.src)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Apply(context.Background(), query.Everything(s), f, Env{})
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprint(r.IDs)
		got = fmt.Sprintf("%s · %d", got[1:len(got)-1], r.Rows)
		if got != c.want {
			t.Errorf("%s: got %s, want %s", c.src, got, c.want)
		}
	}
}

// TestEvalAbortedCall: a response that failed or was stopped matches even if it only has a call.
func TestEvalAbortedCall(t *testing.T) {
	stopped := querytest.Null(model.Assistant, querytest.Call("c1", "Bash", "{}"))
	stopped.Flags = model.Interrupted
	refused := querytest.Null(model.Assistant, querytest.Call("c2", "Bash", "{}"))
	refused.Flags = model.APIError
	s := model.FromMessages([]model.Message{stopped, refused, querytest.Null(model.Assistant, querytest.Call("c3", "Bash", "{}"))})
	for src, want := range map[string]string{
		"is:error": "[0 1]", "has:error": "[0 1]", "is:interrupted": "[0]", "outcome:interrupted": "[0]", "outcome:failed": "[1]",
		"is:error tool:Bash": "[0 1]", "-is:error": "[2]",
	} {
		f, err := lang.Parse(src)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Apply(context.Background(), query.Everything(s), f, Env{})
		if got := fmt.Sprint(r.IDs); err != nil || got != want || r.Rows != len(r.IDs) {
			t.Errorf("%s: %s with %d rows, %v, want %s", src, got, r.Rows, err, want)
		}
	}
}

func TestEvalUpdate(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 9))
	for range modeltest.Fewer(30, 30) {
		msgs := evalConversation(rnd, 60)
		whole := model.FromMessages(slices.Clone(msgs))
		cut := 20 + rnd.IntN(30)
		part := model.FromMessages(slices.Clone(msgs[:cut]))
		later := evalLater(part, whole, cut)
		for range 40 {
			f, err := lang.Parse(evalFilter(rnd, 2))
			if err != nil || f.Uses(lang.KeyTurn, lang.KeyStep) {
				continue
			}
			env := Env{Now: evalNow, Loc: evalZone, Does: doesForTest, Tokens: evalTokens{}}
			m, err := NewMatcher(f, part, env)
			if err != nil {
				t.Fatal(err)
			}
			old, err := m.Apply(context.Background(), part.LiveIDs())
			if err != nil {
				t.Fatal(err)
			}
			_, got, err := m.Update(context.Background(), old, later, part.Version())
			if err != nil {
				t.Fatal(err)
			}
			want, err := Apply(context.Background(), query.Everything(later), f, env)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got.IDs, want.IDs) || !slices.Equal(got.Blocks, want.Blocks) || got.Rows != want.Rows ||
				!slices.Equal(got.calls.words, want.calls.words) {
				t.Fatalf("filter %q after %d messages: got %v, want %v", f, cut, got, want)
			}
		}
	}
}

// evalLater returns whole as a later version of part, with the differing first rows as amended.
func evalLater(part, whole *model.Snapshot, cut int) *model.Snapshot {
	ix := model.Index{Version: part.Version() + 1, Names: whole.Names(), Threads: whole.Threads(), Sessions: whole.Sessions(), Live: whole.LiveIDs()}
	ix.Grown = []model.Growth{{Version: part.Version(), Rows: cut}, {Version: part.Version() + 1, Rows: whole.Rows()}}
	for i := range whole.Rows() {
		h := whole.Head(model.ID(i))
		if h.Usage != model.NoRow {
			u, _ := whole.Tokens(model.ID(i))
			h.Usage = uint32(ix.Tokens.Append(u))
		}
		ix.Heads.Append(h)
	}
	for i := range whole.CallCount() {
		c := *whole.Call(model.CallID(i))
		ix.Calls.Append(c)
		if c.Msg != model.NoID && int(c.Msg) < cut && c.Result != model.NoID && int(c.Result) >= cut {
			ix.Amended = append(ix.Amended, model.Amendment{Version: ix.Version, ID: c.Msg})
		}
	}
	return model.NewSnapshot(ix, evalBodies{whole})
}

type evalBodies struct{ s *model.Snapshot }

func (b evalBodies) Body(ctx context.Context, _ *model.Snapshot, id model.ID) (*model.Message, error) {
	return b.s.Body(ctx, id)
}

func TestEvalCancel(t *testing.T) {
	defer goleak.VerifyNone(t)
	s := model.FromMessages(evalConversation(rand.New(rand.NewPCG(1, 1)), 3000))
	f, _ := lang.Parse("/t.meo/")
	ctx, cancel := context.WithCancel(context.Background())
	n := 0
	if _, err := Scan(ctx, query.Everything(s), f, Env{}, func(Match) bool { n++; cancel(); return true }); !errors.Is(err, context.Canceled) {
		t.Errorf("after %d matches: %v", n, err)
	}
	n = 0
	if _, err := Scan(context.Background(), query.Everything(s), f, Env{}, func(Match) bool { n++; return n < 3 }); err != nil || n != 3 {
		t.Errorf("%d matches, %v", n, err)
	}
	if _, err := Apply(ctx, query.Everything(s), nil, Env{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestEvalProgress(t *testing.T) {
	s := model.FromMessages(evalConversation(rand.New(rand.NewPCG(1, 1)), 500))
	f, _ := lang.Parse("role:tool timeout")
	last := [2]int{}
	_, err := Apply(context.Background(), query.Everything(s), f, Env{Progress: func(done, total int) {
		if done < last[0] || done > total {
			t.Errorf("%d of %d after %v", done, total, last)
		}
		last = [2]int{done, total}
	}})
	if err != nil || last[0] != last[1] || last[0] == 0 {
		t.Errorf("%v, %v", last, err)
	}
}

// evalBroken fails to read one message.
type evalBroken struct {
	s   *model.Snapshot
	bad model.ID
}

func (b evalBroken) Body(ctx context.Context, _ *model.Snapshot, id model.ID) (*model.Message, error) {
	if id == b.bad {
		return nil, model.ErrChanged
	}
	return b.s.Body(ctx, id)
}

func TestEvalUnread(t *testing.T) {
	whole := model.FromMessages(evalTalk())
	ix := model.Index{Version: 1, Names: whole.Names(), Threads: whole.Threads(), Sessions: whole.Sessions(), Live: whole.LiveIDs()}
	for i := range whole.Rows() {
		ix.Heads.Append(whole.Head(model.ID(i)))
	}
	for i := range whole.CallCount() {
		ix.Calls.Append(*whole.Call(model.CallID(i)))
	}
	f, _ := lang.Parse("timeout")
	r, err := Apply(context.Background(), query.Everything(model.NewSnapshot(ix, evalBroken{whole, 2})), f, Env{})
	if err != nil || r.Unread != 1 || !errors.Is(r.Err, model.ErrChanged) || !slices.Equal(r.IDs, []model.ID{0}) {
		t.Errorf("%v, %v", r, err)
	}
}

func TestFind(t *testing.T) {
	s := model.FromMessages(evalTalk())
	for _, c := range []struct {
		src, want string
		smart     bool
	}{
		{"timeout", "0:1 text fix the [Timeout] in main.go; 2:2 result exit 1: [timeout]", false},
		{"Timeout", "0:1 text fix the [Timeout] in main.go", true},
		{"/exit \\d/", "2:2 result [exit 1]: timeout", false},
		{"/TIME/i", "0:1 text fix the [Time]out in main.go; 2:2 result exit 1: [time]out", false},
		{"/time/", "0:1 text fix the [Time]out in main.go; 2:2 result exit 1: [time]out", true},
		{"ls", `4:2 call [ls]"}`, false},
		{"bash", "1:0 name [Bash]; 4:0 name [Bash]", false},
		{"nothing like it", "", false},
		{"of main/", "", true}, {"a b/i", "", false}, // a trailing slash alone makes no regex
	} {
		p, err := NewPattern(c.src, c.smart)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for h, err := range Find(context.Background(), query.Everything(s), p, nil) {
			if err != nil {
				t.Fatal(err)
			}
			text := h.Text
			for _, r := range slices.Backward(h.Ranges) {
				text = text[:r[0]] + "[" + text[r[0]:r[1]] + "]" + text[r[1]:]
			}
			got = append(got, fmt.Sprintf("%d:%d %s %s", h.ID, h.Line, h.where(), text))
		}
		if all := strings.Join(got, "; "); all != c.want {
			t.Errorf("%s: got %s, want %s", c.src, all, c.want)
		}
	}
	if _, err := NewPattern("/(/", false); err == nil || !strings.Contains(err.Error(), "column 2") {
		t.Error(err)
	}
}

func TestLineFinder(t *testing.T) {
	f, _ := lang.Parse("role:tool timeout -package")
	l, err := NewLineFinder(f)
	if err != nil || l.Empty() {
		t.Fatal(err)
	}
	msgs := evalTalk()
	h, ok := l.Message(&msgs[2])
	if !ok || h.Line != 2 || h.Text != "exit 1: timeout" || !slices.Equal(h.Ranges, [][2]int{{8, 15}}) {
		t.Errorf("%v %+v", ok, h)
	}
	if _, ok := l.Message(&msgs[3]); ok {
		t.Error("a negated text has no line")
	}
	long := Hit{Text: strings.Repeat("é", 50) + "timeout" + strings.Repeat("é", 50), Ranges: [][2]int{{100, 107}}}
	text, ranges, front, back := long.Around(40)
	if !front || !back || len(ranges) != 1 || text[ranges[0][0]:ranges[0][1]] != "timeout" {
		t.Errorf("%q %v", text, ranges)
	}
}

func TestValues(t *testing.T) {
	s := model.FromMessages(evalTalk())
	for _, c := range []struct {
		key        lang.Key
		rest, want string
	}{
		{lang.KeyTool, "", "Bash 2 calls, Read 1 "},
		{lang.KeyTool, "is:error", "Bash 1 calls that failed, 1 of 2, Read 0 0 of 1"},
		{lang.KeyRole, "", "assistant 3 , tool 3 , user 1 "},
		{lang.KeyRole, "tool:Bash", "assistant 2 , tool 1 "},
		{lang.KeyModel, "", "gpt-5 3 "},
		{lang.KeyCost, "", ""},
	} {
		f, _ := lang.Parse(c.rest)
		values, err := Values(context.Background(), query.Everything(s), c.key, f, Env{})
		var got []string
		for _, v := range values {
			got = append(got, fmt.Sprintf("%s %d %s", v.Text, v.Count, v.Note))
		}
		if all := strings.Join(got, ", "); err != nil || all != c.want {
			t.Errorf("%v under %q: got %q, want %q, %v", c.key, c.rest, all, c.want, err)
		}
	}
	is, _ := Values(context.Background(), query.Everything(s), lang.KeyIs, nil, Env{})
	counts := map[string]int{}
	for _, v := range is {
		counts[v.Text] = v.Count
	}
	if counts["error"] != 2 || counts["pending"] != 1 || counts["orphan"] != 1 || counts["prompt"] != 1 {
		t.Error(counts)
	}
}

// TestNegationPartsTheMessages: each message matches a filter or its negation; both match only if
// the filter matches some of its rows.
func TestNegationPartsTheMessages(t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 9))
	for range modeltest.Fewer(10, 10) {
		msgs := evalConversation(rnd, 30)
		for i := range msgs { // as clients record texts next to calls
			if len(msgs[i].Blocks) > 1 && msgs[i].Blocks[0].Kind == model.Words && msgs[i].Blocks[1].Kind == model.ToolCall {
				msgs[i].Blocks[0].Text = ""
			}
		}
		s := model.FromMessages(msgs)
		all := query.Everything(s)
		env := Env{Now: evalNow, Loc: evalZone, Does: doesForTest, Tokens: evalTokens{}, Turns: query.NewTurnIndex(s)}
		for _, term := range evalTerms {
			term = strings.TrimPrefix(term, "-")
			var through [2]map[int]string
			for i, src := range []string{term, "-" + term} {
				f, err := lang.Parse(src)
				if err != nil {
					t.Fatal(src, err)
				}
				var matches []Match
				r, err := Scan(t.Context(), all, f, env, func(m Match) bool {
					m.Calls = slices.Clone(m.Calls)
					matches = append(matches, m)
					return true
				})
				if err != nil {
					t.Fatal(err)
				}
				through[i] = evalShow(s, &r, matches)
			}
			for id := range msgs {
				a, in := through[0][id]
				b, out := through[1][id]
				rows := 0
				for _, block := range msgs[id].Blocks {
					if block.Text != "" || block.Kind != model.Words || len(msgs[id].Blocks) == 1 {
						rows++
					}
				}
				if _, counted := env.Tokens.Message(model.ID(id)); strings.HasPrefix(term, "tokens:") && !counted {
					if in || out {
						t.Fatalf("%s, message %d without a count: %q, and negated %q", term, id, a, b)
					}
					continue
				}
				if !in && !out || in && out && rows < 2 {
					t.Fatalf("%s, message %d %+v: %q, and negated %q", term, id, msgs[id].Blocks, a, b)
				}
			}
		}
	}
}
