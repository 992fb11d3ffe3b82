package query_test

import (
	"testing"

	"turns/model"
	"turns/query"
	"turns/query/querytest"
)

// TestPartOfACall: a call counts once, in the conversation that made it, and only if it is selected.
func TestPartOfACall(t *testing.T) {
	g := querytest.NewGrowing()
	g.Ix.Threads = append(g.Ix.Threads, model.Thread{Apart: true, Call: model.CallID(model.NoRow)}, model.Thread{Session: 1, Main: true, Call: model.CallID(model.NoRow)})
	g.Ix.Sessions = append(g.Ix.Sessions, model.Session{})
	calls := func(h model.Head, flags model.CallFlags) model.CallID {
		id := model.ID(g.Ix.Heads.Len())
		n := g.Ix.Calls.Append(model.Call{Msg: id, Result: id + 1, Prev: model.NoRow, PrevResult: model.NoRow, Flags: flags, Outcome: model.Success})
		h.Role, h.LastCall, h.Flags = model.Assistant, uint32(n), h.Flags|model.HasCalls
		g.Add(h)
		g.Add(model.Head{Role: model.Tool, Thread: h.Thread, Flags: h.Flags&^model.HasCalls | model.HasResults, LastCall: uint32(n)})
		return model.CallID(n)
	}
	own, undone, branched := calls(model.Head{}, 0), calls(model.Head{Flags: model.Rewound}, 0), calls(model.Head{Flags: model.OffBranch}, 0)
	apart, copied, carrier := calls(model.Head{Thread: 1}, 0), calls(model.Head{Flags: model.Inherited}, 0), calls(model.Head{}, model.Carries)
	second := calls(model.Head{Thread: 2}, 0)
	lone := model.CallID(g.Ix.Calls.Append(model.Call{Msg: model.NoID, Result: model.NoID, Prev: model.NoRow, PrevResult: model.NoRow}))
	s := g.Snapshot()
	all := query.Everything(s)
	main, without := all, all
	main.IDs, main.Of = s.LiveIDs()[:12], 1
	without.IDs = append([]model.ID{1}, s.LiveIDs()[2:12]...) // the result of the first call
	filtered := all
	filtered.Calls = query.CallSet{1 << second}
	for _, c := range []struct {
		name string
		sel  query.Selection
		call model.CallID
		want query.CallPart
		at   model.ID
	}{
		{"everything", all, own, query.Own, 0}, {"everything", all, undone, query.Undone, 2}, {"everything", all, branched, query.Branched, 4},
		{"everything", all, apart, query.Apart, 6}, {"everything", all, copied, query.Copied, 8}, {"everything", all, carrier, query.Carrier, 10},
		{"everything", all, second, query.Own, 12}, {"everything", all, lone, query.Unasked, model.NoID},
		{"the first conversation", main, own, query.Own, 0}, {"the first conversation", main, undone, query.Undone, 2},
		{"the first conversation", main, second, query.Unasked, 13},
		{"only the result", without, own, query.Own, 1}, {"only the result", without, second, query.Unasked, 13},
		{"a filter", filtered, own, query.Unasked, 0}, {"a filter", filtered, second, query.Own, 12}, {"a filter", filtered, lone, query.Unasked, model.NoID},
	} {
		coverage := query.NewCoverage(c.sel)
		if part, at := coverage.Part(c.call); part != c.want || at != c.at {
			t.Errorf("%s: call %d is %d at message %d, want %d at %d", c.name, c.call, part, at, c.want, c.at)
		}
	}
	coverage := query.NewCoverage(all)
	if got, want := coverage.Count(), (query.CallCount{Calls: 2}); got != want {
		t.Errorf("%+v calls count, want %+v", got, want)
	}
	var count query.CallCount
	count.Add(&model.Call{Msg: model.NoID, Result: 1, Outcome: model.Failure})
	count.Add(&model.Call{Msg: 0, Result: model.NoID})
	if want := (query.CallCount{Calls: 1, Errors: 1, Pending: 1}); count != want {
		t.Errorf("a failed result without a call and a call without a result are %+v, want %+v", count, want)
	}
	if filtered.Whole() || !all.Whole() || without.Whole() || all.Scope() != "whole session" || without.Scope() != "11 of 14 messages" {
		t.Errorf("the selections are %q and %q", all.Scope(), without.Scope())
	}
}
