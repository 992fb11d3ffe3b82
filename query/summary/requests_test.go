package summary

import (
	"fmt"
	"testing"

	"turns/model"
	"turns/query"
	"turns/query/answer"
	"turns/query/cache"
	"turns/query/querytest"
)

// TestRequests lists the requests of a turn with their cost, then those without a step, as in the
// cost command and as the steps of the screen.
func TestRequests(t *testing.T) {
	s := model.FromMessages([]model.Message{querytest.Message(model.User, "Fix it"), querytest.Message(model.Assistant, "a"), querytest.Message(model.Assistant, "b"), querytest.Message(model.Assistant, "c")})
	n := func(n int64) *int64 { return &n }
	usage := query.UsageSum{Input: n(1000), CacheRead: n(3000), CacheWrite: n(500), Output: n(20)}
	costs := &CostAnswer{Messages: []MessageCost{
		{Index: 1, ID: 1, Turn: 0, Step: 0, Model: "m", Usage: usage, Cost: Cost{Responses: 1, Dollars: 0.5}, Cause: new(cache.Model)},
		{Index: 2, ID: 2, Turn: 9}, {Index: 3, ID: 3, Turn: 0, Step: 7, Usage: query.UsageSum{Output: n(0)}, Cost: Cost{Responses: 1, Unknown: 1}},
	}}
	turn := &Turn{Steps: []Step{{Message: 1, Calls: 2}, {Message: 2}}}
	list := turn.Requests(s, query.NewTurnIndex(s), costs)
	list[1].Miss = true
	pick := func(names ...string) string {
		columns := answer.Pick(RequestColumns(nil), names...)
		return answer.Alone(answer.OfList(columns, list)).String()
	}
	want := "step  message  calls    new  cached  output  cache   cost\n" +
		"   0       #1      2  1,500   3,000      20   67 %  $0.50\n" +
		"   0       #2      ·      –       –       –   miss      –\n" +
		"   –       #3      ·      –       –       0      –      –\n"
	if got := pick("step", "message", "calls", "new", "cached", "output", "cache", "cost"); got != want {
		t.Errorf("steps\n%s, want\n%s", got, want)
	}
	if got := (&CostAnswer{Messages: costs.Messages[:1]}).messageTable(); got.Columns[0].Name != "message" || got.Rows[0].Cells[4].Long != "1,000" || got.Rows[0].Cells[8].Text == "" {
		t.Errorf("the table of commands is %+v", got)
	}
	orders := ""
	for _, c := range RequestColumns(nil) {
		if c.Order != nil {
			orders += fmt.Sprint(c.Name, " ", c.Order(&list[0], &list[2]), ", ")
		}
	}
	if want := "time 0, calls 1, input 1, new 1, cached 1, cache read 1, cache write 1, output 1, cache 1, cost 1, "; orders != want {
		t.Errorf("orders %s, want %s", orders, want)
	}
	if usage.Input == nil || *usage.Input != 1000 || *usage.CacheWrite != 500 {
		t.Error("the sum of uncached tokens changes the usage")
	}
	if got := turn.Requests(s, nil, nil); len(got) != 2 || got[0].Step != -1 {
		t.Errorf("without an index and costs: %+v", got)
	}
}
