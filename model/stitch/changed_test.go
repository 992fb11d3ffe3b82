package stitch

import (
	"slices"
	"testing"

	"turns/model"
)

// TestChangedHoldsWhatIsAmended: Changed yields each message that differs between two versions.
func TestChangedHoldsWhatIsAmended(t *testing.T) {
	background := func(t *talk) {
		t.add(say(model.Assistant, "a1", call("call_0000000001", "bash")))
		t.add(say(model.Tool, "t1", result("call_0000000001", model.Background)))
		t.add(say(model.User, "u1", words("meanwhile")))
	}
	tests := []struct {
		name          string
		before, after func(*talk)
		want          []model.ID
	}{
		{"a result", func(t *talk) {
			t.add(say(model.Assistant, "a1", call("call_0000000001", "bash")))
		}, func(t *talk) {
			t.add(say(model.Tool, "t1", result("call_0000000001", model.Success)))
		}, []model.ID{0, 1}},
		{"how a call in the background ended", background, func(t *talk) {
			t.add(say(model.Tool, "t2", result("call_0000000001", model.Failure)))
		}, []model.ID{0, 1, 3}},
		{"what a note says of a call", background, func(t *talk) {
			t.add(op(model.Note, func(f *model.Fact) { f.Target, f.Outcome = key("call_0000000001"), model.Failure }))
		}, []model.ID{0, 1, 3}},
		{"the transcript of a subagent that is found", background, func(t *talk) {
			t.b.AddAgent(0, false)
		}, []model.ID{0}},
	}
	for _, test := range tests {
		b := newTalk(model.Arrival)
		test.before(b)
		seen := b.b.Snapshot().Version()
		test.after(b)
		got := slices.Sorted(b.b.Snapshot().Changed(seen))
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: rows %v have changed, want %v", test.name, got, test.want)
		}
	}
}

// TestRecordsOfJoinedPartsAreFound: a parent may be named by any of the records of a message, also
// in a tree, and also after a look-up far back.
func TestRecordsOfJoinedPartsAreFound(t *testing.T) {
	record := func(s string) func(*model.Fact) { return func(f *model.Fact) { f.Record = key(s) } }
	under := func(s string) func(*model.Fact) { return func(f *model.Fact) { f.Parent = key(s) } }
	echo := func(n int64) func(*model.Fact) { return func(f *model.Fact) { f.Echo, f.N = key("again"), n } }
	for _, test := range []struct {
		name   string
		order  model.Order
		before func(*talk)
	}{
		{"a list", model.Arrival, nil},
		{"a list of which all is known", model.Arrival, func(t *talk) {
			t.add(op(model.Life, func(f *model.Fact) { f.Target = key("nobody") }))
		}},
		{"a tree", model.Tree, nil},
	} {
		b := newTalk(test.order)
		if test.before != nil {
			test.before(b)
		}
		first := model.ID(b.b.Rows())
		b.add(say(model.Assistant, "a1", record("r1"), echo(1)))
		b.add(say(model.Assistant, "a1", record("r2")))
		b.add(say(model.Assistant, "a2", record("r3"), echo(2)))
		for _, parent := range []string{"r1", "r2", "r3", "a1", "a2"} {
			b.add(say(model.User, "u under "+parent, under(parent)))
			if id, ok := b.b.find(key(parent)); !ok || id != first {
				t.Errorf("%s: %s is row %d, %v; want row %d", test.name, parent, id, ok, first)
			}
		}
	}
}

// TestCallThatIsTakenBack: if a message is repeated without one of its calls, that call's result
// stays without a call, and the others are unchanged.
func TestCallThatIsTakenBack(t *testing.T) {
	again := func(f *model.Fact) { f.Join = model.Replace }
	for _, test := range []struct {
		name  string
		calls []string
		want  string
	}{
		{"the last of them", []string{"c1"}, "0:assistant bash=success@1; 1:tool for 0 orphan"},
		{"the first of them", []string{"c2"}, "0:assistant bash=success@1; 1:tool orphan for 0"},
		{"both", nil, "0:assistant; 1:tool orphan orphan"},
	} {
		b := newTalk(model.Arrival)
		b.add(say(model.Assistant, "a1", call("c1", "bash"), call("c2", "bash")))
		b.add(say(model.Tool, "t1", result("c1", model.Success), result("c2", model.Success)))
		seen := b.b.Snapshot().Version()
		fill := []func(*model.Fact){again}
		for _, id := range test.calls {
			fill = append(fill, call(id, "bash"))
		}
		b.add(say(model.Assistant, "a1", fill...))
		s := b.b.Snapshot()
		if got := picture(s); got != test.want {
			t.Errorf("%s: %s\nwant %s", test.name, got, test.want)
		}
		if orphan := s.Head(1).Flags&model.HasOrphan != 0; !orphan {
			t.Errorf("%s: the answer does not say that it has a result without a call", test.name)
		}
		if got := slices.Sorted(s.Changed(seen)); !slices.Equal(got, []model.ID{0, 1}) {
			t.Errorf("%s: rows %v have changed", test.name, got)
		}
	}
}
