package stitch

import (
	"fmt"
	"strings"
	"testing"

	"turns/model"
)

// TestUniqueIDs: ids of twelve bytes are unique in a transcript, and numbers of five digits.
func TestUniqueIDs(t *testing.T) {
	for id, want := range map[string]bool{"call_1234567": true, "call_123456": false, "12345": true, "1234": false, "12a45": false, "": false} {
		if got := isUnique([]byte(id)); got != want {
			t.Errorf("%q is unique: %v", id, got)
		}
	}
}

// TestLongNames: a name keeps 16 kB, and all names of a conversation 32 MB.
func TestLongNames(t *testing.T) {
	b := New(model.Arrival, false, nil)
	name := func(s string) string {
		n := b.intern(s)
		return b.ix.Names[n]
	}
	if long := strings.Repeat("x", 16<<10); name(long) != long || name(long+"y") == long+"y" {
		t.Error("a name of 16 kB is cut, or a longer one is not")
	}
	b = New(model.Arrival, false, nil)
	long := strings.Repeat("x", 16<<10-8)
	kept := 0
	for i := range 2100 {
		s := fmt.Sprintf("%08d%s", i, long)
		if name(s) == s {
			kept++
		}
	}
	if kept != 2047 && kept != 2048 {
		t.Errorf("%d names of 16 kB are kept", kept)
	}
	if name("other") != manyNames {
		t.Errorf("a further name is %q", name("other"))
	}
}

// TestKindsOfNotes: records without a message are notes of a kind.
func TestKindsOfNotes(t *testing.T) {
	for op, want := range map[model.Op]string{model.Meter: "usage", model.About: "about", model.Leaf: "branch", model.Life: "life cycle", model.Child: "subagent", model.Retract: "retraction"} {
		if opKinds[op] != want {
			t.Errorf("operation %d is a note of the kind %q, want %q", op, opKinds[op], want)
		}
	}
}

// TestWindowHolds: a window remembers at least 4,096 keys, and at most twice as many.
func TestWindowHolds(t *testing.T) {
	var w window[int]
	for i := range 2*4096 + 1 {
		w.set(model.HashNumber("k", int64(i)), i)
	}
	for i, want := range map[int]bool{0: false, 4095: false, 4096: true, 8192: true} {
		if got, ok := w.get(model.HashNumber("k", int64(i))); ok != want || ok && got != i {
			t.Errorf("key %d: %d, %v", i, got, ok)
		}
	}
}

// TestNamesAmongCallsOfOneID: a result finds its call by name among the first hundred calls of its
// id and turn, and otherwise answers the first.
func TestNamesAmongCallsOfOneID(t *testing.T) {
	for n, want := range map[int]model.CallID{99: 100, 100: 1} {
		o := openCalls{byID: map[model.Key]openCall{}, more: map[model.Key][]callGroup{}}
		o.add(openCall{id: 7, turn: 0, name: 1}) // of an earlier turn
		for i := range n + 1 {
			c := openCall{id: 7, turn: 1, name: 1, row: model.CallID(i + 1)}
			if i == n {
				c.name = 2
			}
			o.add(c)
		}
		if c, ok := o.take(7, 2); !ok || c.row != want {
			t.Errorf("the call after %d others: row %d, want %d", n, c.row, want)
		}
	}
}

// TestAgentsAbove: the search for the agent above a span checks 64 spans.
func TestAgentsAbove(t *testing.T) {
	for depth, want := range map[int]bool{63: true, 64: false} {
		spans := map[model.Key]spanPlace{}
		for i := range depth + 1 {
			spans[model.Key(i+1)] = spanPlace{above: model.Key(i + 2), agent: i == 0 || i == depth}
		}
		tr := traces{spans: spans}
		if _, _, above := tr.agentOf(New(model.Arrival, false, nil), 1); above != want {
			t.Errorf("the agent %d spans above is found: %v", depth, above)
		}
	}
}

// TestParentsNearby: an answer finds its parent among the last 64 records, a prompt among 16,384.
func TestParentsNearby(t *testing.T) {
	b := New(model.Arrival, false, nil)
	const all = 1<<14 + 1
	for i := range all {
		b.records.add(model.HashNumber("k", int64(i)), model.ID(i))
	}
	for _, test := range []struct {
		role model.Role
		back int
		want bool
	}{{model.Assistant, 64, true}, {model.Assistant, 65, false}, {model.User, all - 1, true}, {model.User, all, false}} {
		g := &gist{role: test.role, parent: model.HashNumber("k", int64(all-test.back))}
		if got := b.parent(g, 0); (got == model.ID(all-test.back)) != test.want {
			t.Errorf("%v, %d records back: row %d", test.role, test.back, got)
		}
	}
}

// TestEchoesNearby: a message has an echo among the 32 messages that may have one.
func TestEchoesNearby(t *testing.T) {
	for between, want := range map[int]int{31: 32, 32: 34} {
		tk := newTalk(model.Arrival)
		add := func(stream int64, name string) {
			tk.add(say(model.User, "", words(name), func(f *model.Fact) { f.Key, f.Echo, f.N = 0, key(name), stream }))
		}
		add(1, "first")
		for i := range between {
			add(1, fmt.Sprint(i))
		}
		add(2, "first")
		if got := tk.b.Snapshot().Len(); got != want {
			t.Errorf("%d messages later: %d messages, want %d", between, got, want)
		}
	}
}

// TestScriptsKept: a call names one of the last 64 scripts by its text.
func TestScriptsKept(t *testing.T) {
	for others, want := range map[int]bool{63: true, 64: false} {
		n := newNestedFacts(t)
		n.script("s", 11)
		for i := range others {
			n.script(fmt.Sprint("other ", i))
		}
		n.made("x", int64(others+1)*1000+500, 11, model.Success)
		if maker, ok := n.call(others + 1).Parent(); (ok && maker == 0) != want {
			t.Errorf("%d scripts later: the call was made by %d (%v)", others, maker, ok)
		}
	}
}

// TestWaitingFacts: at most 65,536 calls wait for their maker, and as many notes for their call.
func TestWaitingFacts(t *testing.T) {
	for waiting, want := range map[int]bool{1<<16 - 1: true, 1 << 16: false} {
		n := newNestedFacts(t)
		n.builder.nest.early = make(map[model.Key][]model.CallID, waiting)
		for i := range waiting {
			n.builder.nest.early[model.Key(i+1)] = nil
			n.builder.reports[model.Key(i+1)] = report{}
		}
		add := func(id string, within model.Key) {
			n.say(func(f *model.Fact) {
				b := f.Add(model.ToolCall)
				b.ID, b.Name, b.Within = model.StringText(id), model.StringText("shell"), within
			})
		}
		maker := model.StringText("maker").Hash()
		add("made", maker)
		n.say(func(f *model.Fact) { f.Op, f.Target, f.Outcome = model.Note, maker, model.Failure })
		add("maker", 0)
		if _, ok := n.call(0).Parent(); ok != want {
			t.Errorf("with %d calls that wait, one more finds its maker: %v", waiting, ok)
		}
		if got := n.call(1).Outcome == model.Failure; got != want {
			t.Errorf("with %d notes that wait, one more finds its call: %v", waiting, got)
		}
	}
}

// TestWaitingForCalls: 65,536 notes wait for their calls, and as many calls for their maker.
func TestWaitingForCalls(t *testing.T) {
	for waiting, want := range map[int]bool{1<<16 - 1: true, 1 << 16: false} {
		b := newTalk(model.Arrival)
		b.add(say(model.User, "u1", words("go")))
		b.b.reports, b.b.nest.early = map[model.Key]report{}, map[model.Key][]model.CallID{}
		for i := range waiting {
			b.b.reports[model.Key(i+1)], b.b.nest.early[model.Key(i+1)] = report{}, nil
		}
		b.add(op(model.Note, func(f *model.Fact) { f.Target, f.Outcome = key("later"), model.Failure }))
		b.add(say(model.Assistant, "a1", call("made", "bash"), func(f *model.Fact) { f.Blocks[0].Within = key("later") }))
		if _, ok := b.b.reports[key("later")]; ok != want {
			t.Errorf("besides %d others a note waits: %v", waiting, ok)
		}
		if _, ok := b.b.nest.early[key("later")]; ok != want {
			t.Errorf("besides %d others a call waits: %v", waiting, ok)
		}
	}
}

// TestEchoReach: a message is an echo of one of the 32 messages before it.
func TestEchoReach(t *testing.T) {
	for between, want := range map[int]bool{31: true, 32: false} {
		b := newTalk(model.Arrival)
		echo := func(text string, stream int64) func(*model.Fact) {
			return func(f *model.Fact) { f.Echo, f.N = key(text), stream }
		}
		b.add(say(model.User, "", words("first"), echo("first", 1)))
		for i := range between {
			b.add(say(model.User, "", words("other"), echo(fmt.Sprint(i), 1)))
		}
		rows := b.b.Rows()
		b.add(say(model.User, "", words("first"), echo("first", 2)))
		if got := b.b.Rows() == rows; got != want {
			t.Errorf("behind %d messages, an echo is recognised: %v", between, got)
		}
	}
}
