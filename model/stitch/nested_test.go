package stitch

import (
	"slices"
	"strconv"
	"testing"

	"turns/model"
)

// nestedFacts makes the facts of a conversation, one record each.
type nestedFacts struct {
	t       *testing.T
	builder *Builder
	at      int64
}

func newNestedFacts(t *testing.T) *nestedFacts {
	t.Helper()
	return &nestedFacts{t: t, builder: New(model.Arrival, false, nil)}
}

func (n *nestedFacts) say(f func(f *model.Fact)) {
	var fs model.Facts
	fact := fs.Add(model.Say)
	n.at++
	fact.Role, fact.Time = model.Assistant, model.Moment{Ms: n.at * 1000}
	f(fact)
	batch := NewBatch()
	batch.Add(model.Ref{Off: n.at}, &fs)
	n.builder.Apply(batch)
}

// script adds a call that others run in; calls are the calls in its text.
func (n *nestedFacts) script(id string, calls ...model.Key) {
	n.say(func(f *model.Fact) {
		b := f.Add(model.ToolCall)
		b.ID, b.Name, b.Nesting = model.StringText(id), model.StringText("exec"), model.Script
		f.Calls = calls
	})
}

// made is a call that ran in a script, with its result.
func (n *nestedFacts) made(id string, began int64, echo model.Key, outcome model.Outcome) {
	n.say(func(f *model.Fact) {
		f.Join, f.N, f.Echo = model.Nested, began, echo
		b := f.Add(model.ToolCall)
		b.ID, b.Name = model.StringText(id), model.StringText("shell")
		r := f.Add(model.ToolResult)
		r.ID, r.Outcome = model.StringText(id), outcome
	})
}

func (n *nestedFacts) result(id string, outcome model.Outcome) {
	n.say(func(f *model.Fact) {
		f.Role = model.Tool
		b := f.Add(model.ToolResult)
		b.ID, b.Outcome = model.StringText(id), outcome
	})
}

func (n *nestedFacts) call(row int) *model.Call {
	return n.builder.Snapshot().Call(model.CallID(row))
}

// makers checks which call made each call; -1: the model did.
func (n *nestedFacts) makers(want ...int) {
	n.t.Helper()
	s := n.builder.Snapshot()
	if s.CallCount() != len(want) {
		n.t.Fatalf("%d calls, want %d", s.CallCount(), len(want))
	}
	for row, maker := range want {
		id, ok := s.Call(model.CallID(row)).Parent()
		if got := int(id); !ok && maker >= 0 || ok && got != maker {
			n.t.Errorf("call %d was made by %d (%v), want %d", row, got, ok, maker)
		}
	}
}

func TestNestedByTime(t *testing.T) {
	n := newNestedFacts(t)
	n.script("a")                          // row 0, at 1 s
	n.made("x", 1500, 0, model.Failure)    // row 1
	n.result("a", model.Success)           // at 3 s
	n.script("b")                          // row 2, at 4 s
	n.made("late", 2500, 0, model.Failure) // began while a ran
	n.made("y", 4500, 0, model.Success)
	n.made("after", 9999, 0, model.Success) // began when no script ran: the last one
	n.makers(-1, 0, -1, 0, 2, 2)
	for row, want := range []bool{true, false, true, false, false, false} {
		if got := n.call(row).Flags&model.Carries != 0; got != want {
			t.Errorf("call %d counts apart: %v, want %v", row, got, want)
		}
	}
	if msg := n.call(3).Msg; msg != n.call(0).Msg {
		t.Errorf("a late call is in message %d, its script in %d", msg, n.call(0).Msg)
	}
}

func TestNestedByText(t *testing.T) {
	n := newNestedFacts(t)
	n.script("a", 11, 12)
	n.script("b", 13, 11)
	n.made("x", 2500, 13, model.Success)
	n.made("y", 2500, 12, model.Success)
	n.made("z", 2500, 11, model.Success) // both have it: the later one, and then the other
	n.made("z2", 2500, 11, model.Success)
	n.makers(-1, -1, 1, 0, 1, 0)
}

func TestNestedReport(t *testing.T) {
	n := newNestedFacts(t)
	n.made("nobody", 500, 0, model.Failure) // no script ran: no call
	n.say(func(f *model.Fact) {
		b := f.Add(model.ToolCall)
		b.ID, b.Name = model.StringText("direct"), model.StringText("search")
	})
	n.made("direct", 2500, 0, model.Failure) // the model made it itself
	n.result("direct", model.Success)
	n.makers(-1)
	if got := n.call(0).Outcome; got != model.Failure {
		t.Errorf("a call with a recorded failure is a %v", got)
	}
	n.script("s")
	n.made("x", 9000, 0, model.Success)
	n.made("x", 9000, 0, model.Failure) // the same again
	n.makers(-1, -1, 1)
}

func TestNestedPoll(t *testing.T) {
	n := newNestedFacts(t)
	n.script("a")
	n.result("a", model.Background)
	n.say(func(f *model.Fact) {
		b := f.Add(model.ToolCall)
		b.ID, b.Name, b.Nesting = model.StringText("w"), model.StringText("wait"), model.Poll
	})
	n.result("w", model.Failure)
	n.makers(-1, -1)
	if got := n.call(0).Outcome; got != model.Failure {
		t.Errorf("a script whose wait failed is a %v", got)
	}
	if n.call(0).Flags&model.Carries != 0 || n.call(1).Flags&model.Carries == 0 {
		t.Error("a script without calls counts, a wait does not")
	}
}

func TestNestedByID(t *testing.T) {
	call := func(n *nestedFacts, id, within string) {
		n.say(func(f *model.Fact) {
			b := f.Add(model.ToolCall)
			b.ID, b.Name = model.StringText(id), model.StringText("tool")
			if within != "" {
				b.Within = model.HashString(within)
			}
		})
	}
	n := newNestedFacts(t)
	call(n, "child", "parent") // before its maker
	call(n, "parent", "")
	call(n, "second", "parent")
	call(n, "grandchild", "child")
	call(n, "circle", "circle")
	n.makers(1, -1, 1, 0, -1)
	if n.call(1).Flags&(model.HasNested|model.Carries) != model.HasNested || n.call(4).Flags&model.HasNested != 0 {
		t.Error("a tool that made calls counts with them, and a call that names itself made none")
	}
}

// inText adds the calls in the text of a script, with an outcome if the script shows one.
func (n *nestedFacts) inText(script string, outcomes ...model.Outcome) {
	n.say(func(f *model.Fact) {
		f.Join = model.InText
		for i, o := range outcomes {
			b := f.Add(model.ToolCall)
			b.ID, b.Name = model.StringText(script+"/"+strconv.Itoa(i)), model.StringText("shell")
			b.Within, b.Nesting, b.Outcome = model.HashString(script), model.OfText, o
		}
	})
}

func TestNestedInText(t *testing.T) {
	n := newNestedFacts(t)
	n.script("a") // row 0
	n.inText("a", model.Unknown, model.Success)
	n.makers(-1)                 // it has not ended
	n.result("a", model.Success) // rows 1 and 2
	n.makers(-1, 0, 0)
	if c := n.call(1); !c.InText() || c.Pending() || c.Outcome != model.Unknown || n.call(2).Outcome != model.Success {
		t.Errorf("a call of the text of an ended script: %+v", c)
	}
	if n.call(0).Flags&model.Carries == 0 || n.call(0).InText() {
		t.Error("the script does not count apart")
	}
	n.inText("a", model.Unknown) // the record again
	n.script("b")                // row 3
	n.inText("b", model.Unknown)
	n.made("x", 0, 0, model.Success) // row 4: a fact reports it
	n.result("b", model.Success)
	n.makers(-1, 0, 0, -1, 3)
	if n.call(4).InText() {
		t.Error("a reported call counts as one of the text")
	}
}

func TestNestedInTextFailed(t *testing.T) {
	n := newNestedFacts(t)
	n.script("one")
	n.inText("one", model.Unknown)
	n.result("one", model.Denied)
	n.script("several")
	n.inText("several", model.Unknown, model.Unknown)
	n.result("several", model.Failure)
	n.script("itself")
	n.inText("itself", model.Unknown)
	n.say(func(f *model.Fact) {
		f.Role = model.Tool
		b := f.Add(model.ToolResult)
		b.ID, b.Outcome, b.Nesting = model.StringText("itself"), model.Failure, model.Script
	})
	n.makers(-1, 0, -1, -1)
	if got := n.call(1).Outcome; got != model.Denied {
		t.Errorf("the only call of a denied script is a %v", got)
	}
}

func TestNestedInTextLate(t *testing.T) {
	n := newNestedFacts(t)
	n.script("a") // row 0
	n.inText("a", model.Unknown, model.Unknown)
	n.say(func(f *model.Fact) { // row 1, in the same message
		f.Join = model.Extend
		b := f.Add(model.ToolCall)
		b.ID, b.Name, b.Nesting, b.Key = model.StringText("b"), model.StringText("exec"), model.Script, 7
	})
	n.inText("b", model.Unknown)
	n.result("a", model.Success) // rows 2 and 3
	n.result("b", model.Success) // row 4
	n.makers(-1, -1, 0, 0, 1)
	n.made("late", 1500, 0, model.Failure) // row 5: of a, after all
	s := n.builder.Snapshot()
	var rows []model.CallID
	for i, c := range s.Calls(n.call(0).Msg) {
		if rows = append(rows, c.ID); c.Block != uint32(i) {
			t.Errorf("call %d is the one with number %d of its message, want %d", c.ID, c.Block, i)
		}
	}
	if want := []model.CallID{0, 1, 4, 5}; !slices.Equal(rows, want) {
		t.Errorf("the message makes the calls %v, want %v", rows, want)
	}
	if c := n.call(2); c.Msg != model.NoID || c.Result != model.NoID || c.Pending() {
		t.Errorf("still a call of the text: %+v", c)
	}
}

func TestNestedInTextPolled(t *testing.T) {
	n := newNestedFacts(t)
	n.script("a")
	n.inText("a", model.Unknown)
	n.result("a", model.Background)
	n.makers(-1)
	n.say(func(f *model.Fact) {
		b := f.Add(model.ToolCall)
		b.ID, b.Name, b.Nesting = model.StringText("w"), model.StringText("wait"), model.Poll
	})
	n.result("w", model.Success)
	n.makers(-1, -1, 0)
}
