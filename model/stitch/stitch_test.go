package stitch

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"turns/model"
	"turns/model/modeltest"
)

// talk makes a conversation from facts, one record each, as a parser would.
type talk struct {
	b     *Builder
	off   int64
	facts model.Facts
	after func() // called after each record, if set
}

func newTalk(order model.Order) *talk { return &talk{b: New(order, false, nil)} }

func (t *talk) add(fill ...func(*model.Facts)) {
	t.facts.Clear()
	for _, f := range fill {
		f(&t.facts)
	}
	batch := NewBatch()
	batch.Add(model.Ref{Off: t.off, Len: 10}, &t.facts)
	t.off += 10
	t.b.Apply(batch)
	if t.after != nil {
		t.after()
	}
}

func key(s string) model.Key { return model.HashString(s) }

func say(role model.Role, id string, more ...func(*model.Fact)) func(*model.Facts) {
	return func(fs *model.Facts) {
		f := fs.Add(model.Say)
		f.Role, f.Key = role, key(id)
		for _, m := range more {
			m(f)
		}
	}
}

func words(s string) func(*model.Fact) {
	return func(f *model.Fact) { f.AddText(model.Words, model.StringText(s)) }
}

func call(id, tool string) func(*model.Fact) {
	return func(f *model.Fact) {
		b := f.Add(model.ToolCall)
		b.ID, b.Name, b.Text = model.StringText(id), model.StringText(tool), model.StringText("{}")
	}
}

func result(id string, outcome model.Outcome) func(*model.Fact) {
	return func(f *model.Fact) {
		b := f.Add(model.ToolResult)
		b.ID, b.Outcome, b.Text = model.StringText(id), outcome, model.StringText("out")
	}
}

func at(ms int64) func(*model.Fact) { return func(f *model.Fact) { f.Time.Ms = ms } }

func op(o model.Op, fill func(*model.Fact)) func(*model.Facts) {
	return func(fs *model.Facts) { fill(fs.Add(o)) }
}

// picture is the conversation in a few letters: role, calls with outcome and the
// position of the result.
func picture(s *model.Snapshot) string {
	var parts []string
	for _, id := range s.LiveIDs() {
		h := s.Head(id)
		p := fmt.Sprintf("%d:%s", s.Pos(id), h.Role)
		for _, c := range s.Calls(id) {
			p += fmt.Sprintf(" %s", s.Name(c.Tool))
			if c.Result == model.NoID {
				p += "?"
			} else {
				p += fmt.Sprintf("=%s@%d", c.Outcome, s.Pos(c.Result))
			}
		}
		for _, c := range s.Answers(id) {
			if c.Flags&model.OrphanCall != 0 {
				p += " orphan"
			} else {
				p += fmt.Sprintf(" for %d", s.Pos(c.Msg))
			}
		}
		if h.Flags&model.OffBranch != 0 {
			p += " off"
		}
		parts = append(parts, p)
	}
	return strings.Join(parts, "; ")
}

func TestStitch(t *testing.T) {
	tests := []struct {
		name  string
		order model.Order
		build func(*talk)
		want  string
	}{
		{"lines of one response are one message", model.Arrival, func(t *talk) {
			t.add(say(model.User, "u1", words("hi")))
			t.add(say(model.Assistant, "a1", words("x")))
			t.add(say(model.Assistant, "a1", call("c1", "Bash")))
			t.add(say(model.Tool, "t1", result("c1", model.Failure)))
			t.add(say(model.Assistant, "a1", call("c2", "Read")))
		}, "0:user; 1:assistant Bash=failure@2 Read?; 2:tool for 1"},
		{"a result before its call", model.Arrival, func(t *talk) {
			t.add(say(model.Tool, "t1", result("c1", model.Success)))
			t.add(say(model.Assistant, "a1", call("c1", "Bash")))
		}, "0:tool for 1; 1:assistant Bash=success@0"},
		{"an orphan", model.Arrival, func(t *talk) {
			t.add(say(model.Tool, "t1", result("c9", model.Success)))
		}, "0:tool orphan"},
		{"ids that every request uses again", model.Arrival, func(t *talk) {
			t.add(say(model.Assistant, "a1", call("call_0", "A")))
			t.add(say(model.User, "u1", words("again")))
			t.add(say(model.Assistant, "a2", call("call_0", "B"), call("call_0", "C")))
			t.add(say(model.Tool, "t1", result("call_0", 0)))
			t.add(say(model.Tool, "t2", result("call_0", 0)))
		}, "0:assistant A?; 1:user; 2:assistant B=success@3 C=success@4; 3:tool for 2; 4:tool for 2"},
		{"one id twice in a turn: in order", model.Arrival, func(t *talk) {
			t.add(say(model.Assistant, "a1", call("d", "A")))
			t.add(say(model.Assistant, "a2", call("d", "B")))
			t.add(say(model.Tool, "t1", result("d", 0)))
			t.add(say(model.Tool, "t2", result("d", 0)))
		}, "0:assistant A=success@2; 1:assistant B=success@3; 2:tool for 0; 3:tool for 1"},
		{"one id twice in a turn: by name", model.Arrival, func(t *talk) {
			named := func(name string) func(*model.Fact) {
				return func(f *model.Fact) { f.Blocks[0].Name = model.StringText(name) }
			}
			t.add(say(model.Assistant, "a1", call("d", "A")))
			t.add(say(model.Assistant, "a2", call("d", "B")))
			t.add(say(model.Tool, "t1", result("d", 0), named("B")))
			t.add(say(model.Tool, "t2", result("d", 0), named("A")))
		}, "0:assistant A=success@3; 1:assistant B=success@2; 2:tool for 1; 3:tool for 0"},
		{"an id that is a long number is used once", model.Arrival, func(t *talk) {
			t.add(say(model.Assistant, "a1", call("10004", "A")))
			t.add(say(model.Assistant, "a2", call("10004", "A"), call("10007", "B")))
			t.add(say(model.Tool, "t1", result("10004", 0)))
		}, "0:assistant A=success@2; 1:assistant B?; 2:tool for 0"},
		{"no ids: in order", model.Arrival, func(t *talk) {
			t.add(say(model.Assistant, "a1", call("", "A"), call("", "B")))
			t.add(say(model.Tool, "t1", result("", 0)))
			t.add(say(model.Tool, "t2", result("", 0)))
		}, "0:assistant A=success@1 B=success@2; 1:tool for 0; 2:tool for 0"},
		{"several results in one message", model.Arrival, func(t *talk) {
			t.add(say(model.Assistant, "a1", call("c1", "A"), call("c2", "B")))
			t.add(say(model.Tool, "t1", result("c2", 0), result("c1", model.Denied)))
		}, "0:assistant A=denied@1 B=success@1; 1:tool for 0 for 0"},
		{"call and result in one object", model.Arrival, func(t *talk) {
			t.add(say(model.Assistant, "a1", call("c1", "A"), result("c1", model.Failure)))
		}, "0:assistant A=failure@0"},
		{"a rewind erases", model.Arrival, func(t *talk) {
			t.add(say(model.User, "u1", words("1")))
			t.add(say(model.Assistant, "a1", words("1")))
			t.add(say(model.User, "u2", words("2")))
			t.add(say(model.Assistant, "a2", words("2")))
			t.add(op(model.Rewind, func(f *model.Fact) { f.N = 1 }))
			t.add(say(model.User, "u3", words("3")))
		}, "0:user; 1:assistant; 2:user"},
		{"a rewind to a message", model.Arrival, func(t *talk) {
			t.add(say(model.User, "u1", words("1")))
			t.add(say(model.Assistant, "a1", words("1")))
			t.add(op(model.Rewind, func(f *model.Fact) { f.Target = key("a1") }))
		}, "0:user"},
		{"a reset says everything anew", model.Arrival, func(t *talk) {
			t.add(say(model.User, "u1", words("1")))
			t.add(say(model.Assistant, "a1", words("1")))
			t.add(say(model.User, "u2", words("2")))
			t.add(op(model.Reset, func(*model.Fact) {}))
			replace := func(f *model.Fact) { f.Join = model.Replace }
			t.add(say(model.User, "u2", words("2"), replace))
			t.add(say(model.User, "u1", words("1"), replace))
		}, "0:user; 1:user"},
		{"calls without ids, said again", model.Arrival, func(t *talk) {
			replace := func(f *model.Fact) { f.Join = model.Replace }
			for range 3 {
				t.add(say(model.Assistant, "a1", replace, call("", "A"), call("", "B"), call("", "B")))
				t.add(say(model.Tool, "t1", replace, result("", model.Success)))
				t.add(say(model.Tool, "t2", replace, result("", model.Failure), result("", model.Success)))
			}
		}, "0:assistant A=success@1 B=failure@2 B=success@2; 1:tool for 0; 2:tool for 0 for 0"},
		{"numbered lines out of order", model.BySeq, func(t *talk) {
			t.add(say(model.User, "u1", words("1"), func(f *model.Fact) { f.Seq = 1 }))
			t.add(say(model.Assistant, "a3", words("3"), func(f *model.Fact) { f.Seq = 3 }))
			t.add(say(model.System, "a2", words("2"), func(f *model.Fact) { f.Seq = 2 }))
		}, "0:user; 1:system; 2:assistant"},
		{"numbered lines after the user went back", model.BySeq, func(t *talk) {
			at := func(seq, time int64) func(*model.Fact) {
				return func(f *model.Fact) { f.Seq, f.Time = seq, model.Moment{Ms: time} }
			}
			t.add(say(model.User, "u1", words("1"), at(1, 1)))
			t.add(say(model.Assistant, "a3", words("3"), at(3, 3)))
			t.add(say(model.User, "u2", words("2"), at(2, 2)))
			t.add(say(model.User, "v2", words("4"), at(2, 4)))
			t.add(say(model.Assistant, "a4", words("6"), at(4, 6)))
			t.add(say(model.System, "s3", words("5"), at(3, 5)))
		}, "0:user; 1:user; 2:assistant; 3:user; 4:system; 5:assistant"},
		{"the branch that is not live", model.Tree, func(t *talk) {
			t.add(say(model.User, "u1", words("1")))
			t.add(say(model.Assistant, "a1", words("1"), func(f *model.Fact) { f.Parent = key("u1") }))
			t.add(say(model.Assistant, "a2", words("2"), func(f *model.Fact) { f.Parent = key("u1") }))
		}, "0:user; 1:assistant off; 2:assistant"},
		{"a live branch for each session", model.Tree, func(t *talk) {
			in := func(session, parent string) func(*model.Fact) {
				return func(f *model.Fact) { f.Session, f.Parent = key(session), key(parent) }
			}
			leaf := func(session, target string) func(*model.Facts) {
				return op(model.Leaf, func(f *model.Fact) { f.Session, f.Target = key(session), key(target) })
			}
			t.add(say(model.User, "u1", words("1"), in("x", "")))
			t.add(say(model.Assistant, "a1", words("1"), in("x", "u1")))
			t.add(say(model.Assistant, "a2", words("2"), in("x", "u1")))
			t.add(leaf("x", "a1"))
			t.add(say(model.User, "v1", words("1"), in("y", "")))
			t.add(say(model.Assistant, "b1", words("1"), in("y", "v1")))
			t.add(say(model.Assistant, "b2", words("2"), in("y", "v1")))
			t.add(say(model.User, "w1", words("alone"), in("z", "")))
		}, "0:user; 1:assistant; 2:assistant off; 3:user; 4:assistant off; 5:assistant; 6:user"},
		{"ids that two sessions share", model.Arrival, func(t *talk) {
			of := func(session string) func(*model.Fact) { return func(f *model.Fact) { f.Session = key(session) } }
			for _, session := range []string{"x", "y"} {
				t.add(say(model.Assistant, "", call("call_0123456789", "A"), of(session)))
			}
			for _, session := range []string{"y", "x"} {
				t.add(say(model.Tool, "", result("call_0123456789", 0), of(session)))
			}
		}, "0:assistant A=success@1; 1:tool for 0; 2:assistant A=success@3; 3:tool for 2"},
		{"conversations that are mixed", model.Arrival, func(t *talk) {
			of := func(session string) func(*model.Fact) {
				return func(f *model.Fact) { f.Session = key(session) }
			}
			t.add(say(model.User, "u1", words("1"), of("a")))
			t.add(say(model.System, "s1", words("2"), of("b")))
			t.add(op(model.Note, of("a")))
			t.add(say(model.Assistant, "a1", words("3"), of("a")))
			t.add(say(model.Developer, "d1", words("4"), of("b")))
			t.add(say(model.User, "u2", words("5"), of("a")))
		}, "0:user; 1:assistant; 2:user; 3:system; 4:developer"},
		{"mirrored streams", model.Arrival, func(t *talk) {
			echo := func(stream int64) func(*model.Fact) {
				return func(f *model.Fact) { f.Echo, f.N = key("hi"), stream }
			}
			t.add(say(model.User, "", words("hi"), echo(1)))
			t.add(say(model.User, "", words("hi"), echo(2)))
			t.add(say(model.User, "", words("hi"), echo(1)))
			t.add(say(model.User, "", words("hi"), echo(2)))
		}, "0:user; 1:user"},
	}
	for _, test := range tests {
		tk := newTalk(test.order)
		test.build(tk)
		if got := picture(tk.b.Snapshot()); got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.name, got, test.want)
		}
		// The same in steps, with a snapshot after every record, ends the same.
		steps := newTalk(test.order)
		var seen []string
		var snaps []*model.Snapshot
		steps.after = func() {
			s := steps.b.Snapshot()
			snaps, seen = append(snaps, s), append(seen, picture(s))
		}
		test.build(steps)
		if got := picture(steps.b.Snapshot()); got != test.want {
			t.Errorf("%s, with snapshots between:\n got %s\nwant %s", test.name, got, test.want)
		}
		for i, s := range snaps {
			if got := picture(s); got != seen[i] {
				t.Errorf("%s: snapshot %d changed: %s, was %s", test.name, i, got, seen[i])
			}
		}
	}
}

func TestUsage(t *testing.T) {
	tk := newTalk(model.Arrival)
	usage := func(scope model.Scope, in, out int64) func(*model.Fact) {
		return func(f *model.Fact) {
			f.Usage = model.Usage{Scope: scope, Input: in, Output: out, CacheRead: -1, CacheWrite: -1, Reasoning: -1}
		}
	}
	tk.add(say(model.Assistant, "a1", words("x"), usage(model.Each, 5, 1)))
	tk.add(say(model.Assistant, "a1", words("y"), usage(model.Each, 5, 7)))
	tk.add(say(model.Assistant, "a1", words("z"), usage(model.Each, 5, 3)))
	s := tk.b.Snapshot()
	if got, ok := s.Tokens(0); !ok || got.Input != 5 || got.Output != 7 || got.CacheRead != model.NoTokens {
		t.Errorf("usage of a response on three lines: %+v", got)
	}
	tk = newTalk(model.Arrival)
	tk.add(say(model.Assistant, "a1", words("x")))
	for _, n := range []int64{10, 10, 25, 5} { // the last counter has restarted
		tk.add(op(model.Meter, usage(model.Counter, 2*n, n)))
	}
	s = tk.b.Snapshot()
	if got, ok := s.Tokens(0); !ok || got.Input != 60 || got.Output != 30 {
		t.Errorf("rises of a counter: %+v", got)
	}
}

func TestDerivedDurations(t *testing.T) {
	tk := newTalk(model.Arrival)
	tk.add(say(model.Assistant, "a1", call("c1", "A"), at(1000)))
	tk.add(say(model.Assistant, "a1", call("c2", "B"), at(2000)))
	tk.add(say(model.Tool, "t1", result("c2", 0), at(5000)))
	calls := tk.b.Snapshot().Calls(0)
	if len(calls) != 2 || calls[1].Took != 3000 || calls[1].Flags&model.TookDerived == 0 || calls[0].Took != model.NoTook {
		t.Errorf("calls %+v", calls)
	}
}

func TestChangedTellsWhatChanged(t *testing.T) {
	tk := newTalk(model.Arrival)
	tk.add(say(model.Assistant, "a1", call("c1", "A")))
	tk.add(say(model.User, "u1", words("x")))
	before := tk.b.Snapshot()
	tk.add(say(model.Tool, "t1", result("c1", 0)))
	after := tk.b.Snapshot()
	var got []model.ID
	for id := range after.Changed(before.Version()) {
		got = append(got, id)
	}
	if fmt.Sprint(got) != "[0 2]" {
		t.Errorf("changed %v, want the call's message and the result's", got)
	}
	if picture(before) != "0:assistant A?; 1:user" {
		t.Errorf("the old snapshot changed: %s", picture(before))
	}
}

// TestCallsSaidAgainAreBlocks: a call's row has the number of its call block in the message. A call
// repeated from an earlier message also counts as a block.
func TestCallsSaidAgainAreBlocks(t *testing.T) {
	const first, second, third = "call_first_of_all", "call_second_of_all", "call_third_of_all"
	key := func(name string) func(*model.Fact) {
		return func(f *model.Fact) { f.Blocks[len(f.Blocks)-1].Key = model.HashString(name) }
	}
	replace := func(f *model.Fact) { f.Join = model.Replace }
	for _, tt := range []struct {
		name string
		say  [][]func(*model.Fact) // of a2, one per record
		want string
	}{
		{"none", [][]func(*model.Fact){{call(second, "B"), call(third, "C")}}, "[B0 C1]"},
		{"before", [][]func(*model.Fact){{call(first, "A"), call(second, "B")}}, "[B1]"},
		{"between", [][]func(*model.Fact){{call(second, "B"), call(first, "A"), call(third, "C")}}, "[B0 C2]"},
		{"in a record before", [][]func(*model.Fact){{call(first, "A")}, {call(second, "B")}}, "[B1]"},
		{"of the same message", [][]func(*model.Fact){{call(second, "B")}, {call(second, "B"), call(third, "C")}}, "[B0 C2]"},
		{"of the same message, in its place", [][]func(*model.Fact){{call(second, "B"), key("k")}, {call(second, "B"), key("k"), call(third, "C")}}, "[B0 C1]"},
		{"the whole message", [][]func(*model.Fact){{call(second, "B"), call(third, "C")}, {replace, call(first, "A"), call(second, "B"), call(third, "C")}}, "[B1 C2]"},
	} {
		talk := newTalk(model.Arrival)
		talk.add(say(model.Assistant, "a1", call(first, "A")))
		for _, record := range tt.say {
			talk.add(say(model.Assistant, "a2", record...))
		}
		s := talk.b.Snapshot()
		var got []string
		for _, c := range s.Calls(1) {
			got = append(got, fmt.Sprint(s.Name(c.Tool), c.Block))
		}
		if fmt.Sprint(got) != tt.want {
			t.Errorf("%s: %v, want %s", tt.name, got, tt.want)
		}
	}
}

// TestManyCallsInOneMessage: the number of a call does not wrap around.
func TestManyCallsInOneMessage(t *testing.T) {
	modeltest.Long(t, "it is a message of 65,539 calls")
	const many = 1<<16 + 3
	calls := make([]func(*model.Fact), many)
	for i := range calls {
		calls[i] = call(fmt.Sprint("call_", i), "A")
	}
	talk := newTalk(model.Arrival)
	talk.add(say(model.Assistant, "a1", calls...))
	for i, c := range talk.b.Snapshot().Calls(0) {
		if int(c.Block) != i {
			t.Fatalf("call %d says that it is call %d", i, c.Block)
		}
	}
}

// TestCompactionKeeps: a compaction knows the first row that it preserves, and is rewound with it.
func TestCompactionKeeps(t *testing.T) {
	compact := func(more func(*model.Fact)) func(*model.Facts) {
		return func(fs *model.Facts) { more(fs.Add(model.Compact)) }
	}
	rewindTo := func(id string) func(*model.Facts) {
		return func(fs *model.Facts) { fs.Add(model.Rewind).Target = key(id) }
	}
	for _, tt := range []struct {
		name    string
		compact func(*model.Fact)
		then    func(*model.Facts)
		kept    model.ID
		flags   model.Flags
	}{
		{name: "begins with", compact: func(f *model.Fact) { f.Target = key("m1") }, kept: 1},
		{name: "follows", compact: func(f *model.Fact) { f.By = key("m1") }, kept: 2},
		{name: "only counts", compact: func(f *model.Fact) { f.N = 2 }, kept: model.NoID},
		{name: "names what is not there", compact: func(f *model.Fact) { f.Target = key("gone") }, kept: model.NoID},
		{name: "rewound to before it", compact: func(*model.Fact) {}, then: rewindTo("m1"), kept: model.NoID, flags: model.Rewound},
		{name: "rewound to behind it", compact: func(*model.Fact) {}, then: rewindTo("m3"), kept: model.NoID},
		{name: "reset", compact: func(*model.Fact) {}, then: func(fs *model.Facts) { fs.Add(model.Reset) }, kept: model.NoID, flags: model.Rewound},
	} {
		t.Run(tt.name, func(t *testing.T) {
			talk := newTalk(model.Arrival)
			for _, id := range []string{"m0", "m1", "m2"} {
				talk.add(say(model.User, id, words("said")))
			}
			talk.add(compact(tt.compact))
			talk.add(say(model.User, "m3", words("on")))
			if tt.then != nil {
				talk.add(tt.then)
			}
			s := talk.b.Snapshot()
			e := s.Events()[0]
			if e.Op != model.Compact || e.At != 3 || e.Kept != tt.kept {
				t.Errorf("event %+v keeps from %d, want %d", e, e.Kept, tt.kept)
			}
			if got := s.HeadRow(3).Flags & model.Rewound; got != tt.flags {
				t.Errorf("flags %b, want %b", got, tt.flags)
			}
		})
	}
}

// TestLeftBranches: a prompt whose parent is not the last message leaves the messages in between, if
// another prompt is among them. An answer that continues them returns to them.
func TestLeftBranches(t *testing.T) {
	const talked = "u1 a1<u1 u2<a1 a2<u2 "
	for _, c := range []struct{ messages, want string }{
		{talked + "u3<a2", " []"},
		{talked + "u3", " []"},
		{talked + "u3<other", " []"},
		{talked + "u3<a1", "u2 a2 [2]"},
		{talked + "u3<a1 a3<u3", "u2 a2 [2]"},
		{talked + "u3<u1", "a1 u2 a2 [3]"},
		{talked + "u3<a1 a3<a2", " []"},
		{talked + "u3<a1 a3<u2", " []"},
		{talked + "u3<a1 a3<a1", "u2 a2 [2]"},
		{talked + "u3<a1 a3", "u2 a2 [2]"},
		{talked + "u3<a1 u4<a2", "u2 a2 u3 [2 1]"},
		{talked + "u3<a1 a3<a2 a4<a2", " []"},
		{talked + "u3<a1 A3<a2", "u2 a2 [2]"},
		{"u1 a1<u1 u2<u1", " []"},
		{"u1 a1<u1 a2<a1 u2<a1", " []"},
		{"u1 a1<u1 u2<a1 A2<u2 n1 a3<u2 u3<a1", "u2 a3 [2]"},
	} {
		talk := newTalk(model.Arrival)
		roles := map[byte]model.Role{'u': model.User, 'a': model.Assistant, 'A': model.Assistant}
		var ids []string
		for m := range strings.FieldsSeq(c.messages) {
			id, parent, _ := strings.Cut(m, "<")
			ids = append(ids, id)
			talk.add(func(fs *model.Facts) {
				f := fs.Add(model.Say)
				if f.Role = roles[id[0]]; f.Role == model.NoRole {
					f.Op = model.Note
				}
				if f.Record = key(id); parent != "" {
					f.Parent = key(parent)
				}
				if id[0] == 'A' {
					f.Thread = key("subagent")
				}
				words(id)(f)
			})
		}
		s := talk.b.Snapshot()
		var off []string
		for i, id := range ids {
			if s.HeadRow(model.ID(i)).Flags&model.OffBranch != 0 {
				off = append(off, id)
			}
		}
		left := []int64{}
		for _, e := range s.Events() {
			if e.Op == model.Leaf {
				left = append(left, e.N)
			}
		}
		if got := fmt.Sprint(strings.Join(off, " "), " ", left); got != c.want {
			t.Errorf("%s: %s, want %s", c.messages, got, c.want)
		}
	}
}

// TestCompactionOfABranch: in a tree, a compaction on an abandoned branch does not affect the live
// one.
func TestCompactionOfABranch(t *testing.T) {
	talk := newTalk(model.Tree)
	at := func(id, parent string) func(*model.Fact) {
		return func(f *model.Fact) { f.Record, f.Parent = key(id), key(parent) }
	}
	talk.add(say(model.User, "a", at("a", "")))
	talk.add(say(model.Assistant, "b", at("b", "a")))
	talk.add(func(fs *model.Facts) { at("c", "b")(fs.Add(model.Compact)) })
	talk.add(say(model.User, "d", at("d", "c")))
	for _, tt := range []struct {
		id, parent string
		off        model.Flags
	}{{"e", "d", 0}, {"f", "b", model.OffBranch}, {"g", "c", 0}} {
		talk.add(say(model.User, tt.id, at(tt.id, tt.parent)))
		if got := talk.b.Snapshot().HeadRow(2).Flags & model.OffBranch; got != tt.off {
			t.Errorf("behind %s the compaction has %b, want %b", tt.parent, got, tt.off)
		}
	}
}

// TestSnapshotsStay: later batches change no snapshot, and the last one shares the builder's
// memory: two copies of a million conversations would be too large.
func TestSnapshotsStay(t *testing.T) {
	tk := newTalk(model.Arrival)
	tk.add(say(model.User, "a"), say(model.Assistant, "b"))
	first := tk.b.Snapshot()
	sessions, threads, was := slices.Clone(first.Sessions()), slices.Clone(first.Threads()), picture(first)
	if again := tk.b.Snapshot(); &again.Sessions()[0] != &first.Sessions()[0] || &again.Threads()[0] != &first.Threads()[0] {
		t.Error("nothing came, and there are two copies")
	}
	for i := range 3 {
		tk.add(say(model.User, fmt.Sprint("more", i)), op(model.End, func(f *model.Fact) { f.Outcome = model.Failure }))
		tk.b.Snapshot()
	}
	if !reflect.DeepEqual(first.Sessions(), sessions) || !slices.Equal(first.Threads(), threads) || picture(first) != was {
		t.Errorf("a snapshot is now\n%s\nand was\n%s", picture(first), was)
	}
}

func TestEmptyContentsOpenNoTurn(t *testing.T) {
	image := func(f *model.Fact) { f.Add(model.Media) }
	for _, test := range []struct {
		name  string
		parts []func(*model.Fact)
		want  bool
	}{
		{"words", []func(*model.Fact){words("Go.")}, true},
		{"empty words", []func(*model.Fact){words("")}, false},
		{"white space", []func(*model.Fact){words(" \n\t")}, false},
		{"no content", nil, false},
		{"an image", []func(*model.Fact){image}, true},
		{"empty words and an image", []func(*model.Fact){words(""), image}, true},
		{"empty words and a result", []func(*model.Fact){words(""), func(f *model.Fact) { f.Add(model.ToolResult) }}, false},
		{"empty words and words", []func(*model.Fact){words(""), words("Go.")}, true},
	} {
		talk := newTalk(model.Arrival)
		talk.add(say(model.User, "u", test.parts...))
		snap := talk.b.Snapshot()
		if got := snap.HeadRow(snap.At(0)).Flags&model.Prompt != 0; got != test.want {
			t.Errorf("%s: opens a turn: %v, want %v", test.name, got, test.want)
		}
	}
}

func TestWordsThatFollowOpenATurn(t *testing.T) {
	talk := newTalk(model.Arrival)
	talk.add(say(model.User, "u", words("")))
	talk.add(say(model.User, "u", words("Go."), func(f *model.Fact) { f.Join = model.Extend }))
	talk.add(say(model.User, "v"))
	talk.add(say(model.NoRole, "v", words("A part, which says no role.")))
	snap := talk.b.Snapshot()
	if snap.Len() != 2 {
		t.Fatalf("%d messages", snap.Len())
	}
	for i := range snap.Len() {
		if snap.HeadRow(snap.At(i)).Flags&model.Prompt == 0 {
			t.Errorf("message %d opens no turn", i)
		}
	}
}
