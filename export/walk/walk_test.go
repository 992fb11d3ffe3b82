package walk

import (
	"fmt"
	"strings"
	"testing"

	"turns/export"
	"turns/model"
	"turns/query"
	"turns/query/describe"
	q "turns/query/querytest"
)

// run is a conversation with a call of each fate: one with a result, a pending one, one with its
// result in the same message, and a result without a call.
func run() []model.Message {
	return []model.Message{
		q.Message(model.User, "Look"),
		q.Message(model.Assistant, "I look.", q.Call("a", "ls", `{}`), q.Call("b", "cat", `{}`)),
		q.Tool(q.Result("a", "x.go")),
		q.Message(model.Assistant, "", q.Thinks("Hm"), q.Call("c", "web", `{}`), q.Result("c", "news")),
		q.Tool(q.Failed("z", "lost")),
		q.Null(model.Assistant),
		q.Null(model.Assistant, q.Thinks("Hm")),
	}
}

// walked returns the messages of a walk: their positions, calls with results, and separate results.
// Those in parentheses are not visible.
func walked(t *testing.T, w *Walker, opts *export.Options) string {
	t.Helper()
	var out []string
	err := w.Each(t.Context(), func(m *Paired) error {
		line := fmt.Sprint(w.View.Snap.Pos(m.ID))
		for i := range m.Blocks {
			if c := m.Calls[i]; c != nil {
				line += " " + c.RecordedID() + ":" + c.Name(w.View.Snap)
				if c.Result != nil {
					line += "=" + c.Result.Text
				}
				if c.Outcome() != model.Unknown {
					line += " " + c.Outcome().String()
				}
			}
			if c := m.Results[i]; c != nil {
				line += " result " + c.RecordedID() + "=" + c.Result.Text + " " + c.Outcome().String()
				if c.Orphan() {
					line += " of no call"
				}
				if c.Made != nil {
					line += " of " + c.Made.Name
				}
			}
		}
		if !w.Visible(m, opts) {
			line = "(" + line + ")"
		}
		out = append(out, line)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(out, "; ")
}

// TestWalk pairs the calls of a conversation with results, in all of it and in parts.
func TestWalk(t *testing.T) {
	snap := model.FromMessages(run())
	for _, c := range []struct {
		name string
		from int
		to   int
		opts export.Options
		only bool
		want string
	}{
		{"all", 0, 7, export.Options{}, false, "0; 1 a:ls=x.go success b:cat; (2); 3 c:web=news success; 4 result z=lost failure of no call; 5; 6"},
		{"without reasoning", 5, 7, export.Options{NoReasoning: true}, false, "5; (6)"},
		{"without results", 2, 5, export.Options{NoResults: true}, false, "(2 result a=x.go success of ls); 3 c:web=news success; (4 result z=lost failure of no call)"},
		{"the call only", 1, 2, export.Options{}, false, "1 a:ls=x.go success b:cat; outside a"},
		{"the call, without other messages", 1, 2, export.Options{}, true, "1 a:ls success b:cat; outside a"},
		{"the result only", 2, 3, export.Options{}, false, "2 result a=x.go success of ls"},
		{"before the result", 0, 2, export.Options{Before: 2}, false, "0; 1 a:ls b:cat"},
		{"before the next message", 0, 3, export.Options{Before: 3}, false, "0; 1 a:ls=x.go success b:cat; (2)"},
	} {
		w := New(describe.View{Selection: query.Selection{Snap: snap, IDs: ids(snap, c.from, c.to)}}, &c.opts)
		w.Only = c.only
		got := walked(t, w, &c.opts)
		if len(w.Outside) > 0 {
			got += "; outside " + strings.Join(w.Outside, " ")
		}
		if got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

func ids(snap *model.Snapshot, from, to int) (list []model.ID) {
	for pos := from; pos < to; pos++ {
		list = append(list, snap.At(pos))
	}
	return list
}
