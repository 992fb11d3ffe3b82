package describe_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"turns/model"
	"turns/query"
	"turns/query/describe"
	"turns/query/filter"
	"turns/query/lang"
	"turns/query/querytest"
)

// TestViewShowsWhatAFilterLetThrough: of a message with words, reasoning and two calls what
// matched, and how many rows that is.
func TestViewShowsWhatAFilterLetThrough(t *testing.T) {
	snap := model.FromMessages(querytest.Run())
	kinds := []model.BlockKind{model.Words, model.Reasoning, model.Media, model.OtherBlock}
	for _, c := range []struct{ filter, want string }{
		{"", "text reasoning media other call0 call1, 11 rows"},
		{"tool:Bash is:error", "call1, matched 1, 1 row"},
		{"tool:Read", "call0, matched 0, 1 row"},
		{"text:sleeps", "reasoning, 1 row"},
		{"text:/I'll read/", "text, 1 row"},
		{"reasoning:sleeps | tool:Read", "reasoning call0, 2 rows"},
		{"role:user", ", 3 rows"},
	} {
		v, rows := viewOf(t, snap, c.filter)
		var shown []string
		for _, kind := range kinds {
			if v.ShowsBlock(3, 0, kind) {
				shown = append(shown, kind.String())
			}
		}
		var matched string
		for i, call := range snap.Calls(3) {
			if v.ShowsCall(call.ID) {
				shown = append(shown, fmt.Sprint("call", i))
			}
			if v.Narrowed() && slices.Contains(v.MatchedCalls(3), call.ID) {
				matched += fmt.Sprint(", matched ", i)
			}
		}
		unit := " rows"
		if rows == 1 {
			unit = " row"
		}
		if got := strings.Join(shown, " ") + matched + ", " + fmt.Sprint(rows) + unit; got != c.want {
			t.Errorf("%q shows\n%s, want\n%s", c.filter, got, c.want)
		}
	}
}

func viewOf(t *testing.T, snap *model.Snapshot, src string) (describe.View, int) {
	t.Helper()
	f, err := lang.Parse(src)
	if err != nil {
		t.Fatal(err)
	}
	m, err := filter.NewMatcher(f, snap, filter.Env{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Apply(context.Background(), snap.LiveIDs())
	if err != nil {
		t.Fatal(err)
	}
	if err := describe.CountRows(context.Background(), snap, &r); err != nil {
		t.Fatal(err)
	}
	if src == "" {
		return describe.NewView(query.Everything(snap), nil), r.Rows
	}
	return describe.NewView(r.Selection(snap), &r), r.Rows
}

// TestRowsOfAView: each row of a message is shown where its block is.
func TestRowsOfAView(t *testing.T) {
	snap := model.FromMessages(querytest.Run())
	pairs := query.NewPairs(snap)
	for _, c := range []struct{ filter, want string }{
		{"", "assistant reasoning call call"}, {"text:sleeps", "reasoning"}, {"tool:Bash is:error", "call"}, {"text:/I'll read/", "assistant"},
	} {
		v, _ := viewOf(t, snap, c.filter)
		lines, err := describe.NewDescriber(snap.Session(3)).Message(t.Context(), pairs, 3)
		if err != nil {
			t.Fatal(err)
		}
		var shown []string
		for i := range lines {
			if v.ShowsRow(3, &lines[i]) {
				shown = append(shown, lines[i].Kind.String())
			}
		}
		if got := strings.Join(shown, " "); got != c.want {
			t.Errorf("%q shows the rows %s, want %s", c.filter, got, c.want)
		}
	}
}

// TestCountRowsIsExactForSmallResults: each message has two rows. They are counted for up to 500
// messages and 1 MB of texts. Above, the estimate of one row per message stays.
func TestCountRowsIsExactForSmallResults(t *testing.T) {
	for _, c := range []struct {
		messages, bytes int
		exact           bool
	}{{500, 100, true}, {501, 100, false}, {8, 1 << 17, true}, {8, 1<<17 + 1, false}} {
		var msgs []model.Message
		for range c.messages {
			word := querytest.Message(model.User, "needle")
			rest := querytest.Message(model.User, strings.Repeat("x", c.bytes-len("needle"))).Blocks[0]
			word.Blocks = append(word.Blocks, rest)
			msgs = append(msgs, word)
		}
		snap := model.FromMessages(msgs)
		f, err := lang.Parse("needle")
		if err != nil {
			t.Fatal(err)
		}
		r, err := filter.Apply(t.Context(), query.Everything(snap), f, filter.Env{})
		if err != nil {
			t.Fatal(err)
		}
		want := c.messages
		if c.exact {
			want *= 2
		}
		if err := describe.CountRows(t.Context(), snap, &r); err != nil || r.Rows != want {
			t.Errorf("%d messages of %d bytes: %d rows, %v, want %d", c.messages, c.bytes, r.Rows, err, want)
		}
	}
}

// TestViewOfSingleRows: of chosen rows, the view has a call with its result and the images in it,
// and single blocks.
func TestViewOfSingleRows(t *testing.T) {
	picture := model.Content{Kind: model.Media, Name: "image/png", Size: 9}
	snap := model.FromMessages([]model.Message{
		querytest.Message(model.User, "look", querytest.Thinks("so")),
		querytest.Null(model.Assistant, querytest.Call("c1", "shot", "{}"), querytest.Call("c2", "ls", "{}")),
		querytest.Tool(querytest.Result("c1", "done"), picture),
		querytest.Null(model.Assistant, querytest.Call("c3", "ls", "{}")),
	})
	none := model.CallID(model.NoRow)
	calls := []model.CallID{snap.Calls(1)[0].ID, snap.Calls(1)[1].ID, snap.Calls(3)[0].ID}
	for _, c := range []struct {
		rows []describe.ChosenRow
		want string
	}{
		{nil, ""},
		{[]describe.ChosenRow{{ID: 0, Call: none, Block: 1}}, "message 0, block 0.1"},
		{[]describe.ChosenRow{{ID: 0, Call: none, Block: -1}}, "message 0, block 0.0, block 0.1"},
		{[]describe.ChosenRow{{ID: 1, Call: none, Block: -1}}, "message 1, message 2, call 0, call 1, block 1.0, block 1.1"},
		{[]describe.ChosenRow{{ID: 1, Call: calls[0]}}, "message 1, message 2, call 0, block 2.1"},
		{[]describe.ChosenRow{{ID: 3, Call: calls[2]}, {ID: 1, Call: calls[1]}}, "message 1, message 3, call 1, call 2"},
	} {
		v, err := describe.NewRowsView(t.Context(), snap, c.rows)
		if err != nil || !v.Narrowed() {
			t.Fatalf("%+v: %v, narrowed %v", c.rows, err, v.Narrowed())
		}
		var has []string
		for _, id := range v.IDs {
			has = append(has, fmt.Sprint("message ", id))
		}
		for i, call := range calls {
			if v.ShowsCall(call) {
				has = append(has, fmt.Sprint("call ", i))
			}
		}
		for id := range model.ID(4) {
			for block := range 2 {
				if v.ShowsBlock(id, block, model.Words) {
					has = append(has, fmt.Sprint("block ", id, ".", block))
				}
			}
		}
		if got := strings.Join(has, ", "); got != c.want {
			t.Errorf("%+v: %s, want %s", c.rows, got, c.want)
		}
	}
}
