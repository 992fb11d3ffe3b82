package summary

import (
	"slices"

	"turns/model"
	"turns/query/describe"
	"turns/query/human"
)

// timeWalk follows the clock through a conversation, message by message, and says
// for each stretch between two records what was going on. Stretches belong to the
// main thread of each session: while a subagent works, its call is running.
type timeWalk struct {
	snap     *model.Snapshot
	sessions []timeState
	last     []int64         // by thread: time of the last message
	asks     map[uint16]bool // the tools that ask a human
	split    TimeSplit
}

// timeState is the clock of a session.
type timeState struct {
	now     int64
	running []runSpan // of calls, disjoint, ascending, none before now
	asking  []runSpan // likewise, of calls that ask a human
	// when the response that made the last calls was all there, as far as its calls say
	writing int64
}

type runSpan struct{ from, to int64 }

// askingTools are the tools whose calls wait for a human, by the numbers of their names.
func askingTools(s *model.Snapshot) map[uint16]bool {
	asks := map[uint16]bool{}
	for n, name := range s.Names() {
		if describe.AsksHuman(name) {
			asks[uint16(n)] = true
		}
	}
	return asks
}

func newTimeWalk(s *model.Snapshot) *timeWalk {
	return &timeWalk{snap: s, asks: askingTools(s), sessions: make([]timeState, len(s.Sessions())), last: make([]int64, len(s.Threads()))}
}

// message takes the next live message. asked is how long its response took, where
// it is one, from what stands before it in its thread; 0 unknown.
func (w *timeWalk) message(h *model.Head, th *model.Thread) (asked int64) {
	if h.Time == 0 {
		return 0
	}
	if last := w.last[h.Thread]; last != 0 && h.Responds() {
		asked = max(h.Time-last, 0)
	}
	w.last[h.Thread] = max(w.last[h.Thread], h.Time)
	if !th.Main {
		return asked
	}
	st := &w.sessions[th.Session]
	if st.now != 0 && h.Time > st.now {
		w.stretch(st, h)
	}
	st.now = max(st.now, h.Time)
	return asked
}

// stretch shares out the time since the last record.
func (w *timeWalk) stretch(st *timeState, h *model.Head) {
	var tools, asked int64
	st.asking, asked = passed(st.asking, st.now, h.Time)
	st.running, tools = passed(st.running, st.now, h.Time)
	// what ran while a human thought took no time of its own
	tools = min(tools, h.Time-st.now-asked)
	w.split.Tools += human.Millis(tools)
	w.split.Asked += human.Millis(asked)
	left := human.Millis(h.Time - st.now - tools - asked)
	if wrote := human.Millis(min(st.writing, h.Time) - st.now); wrote > 0 && !h.Responds() {
		wrote = min(wrote, left)
		w.split.Model += wrote
		left -= wrote
	}
	switch {
	case h.Responds():
		w.split.Model += left
	case h.Role == model.User && h.Flags&model.Prompt != 0:
		w.split.User += left
	default:
		w.split.Idle += left
	}
}

// passed is how much of some spans lies between two moments, and which go on after.
func passed(spans []runSpan, now, end int64) (rest []runSpan, took int64) {
	rest = spans[:0]
	for _, r := range spans {
		if from, to := max(r.from, now), min(r.to, end); to > from {
			took += to - from
		}
		if r.to > end {
			rest = append(rest, r)
		}
	}
	return rest, took
}

// call takes a call of a main thread, after the message that made it.
func (w *timeWalk) call(c *model.Call, made *model.Head, th *model.Thread) {
	if c.Took == model.NoTook || c.Took == 0 || made.Time == 0 {
		return
	}
	from := made.Time
	if c.Result != model.NoID && c.Result != c.Msg {
		if end := w.snap.HeadRow(c.Result).Time; end != 0 {
			from = max(from, end-int64(c.Took))
		}
	}
	st := &w.sessions[th.Session]
	if c.Flags&model.TookDerived != 0 && (st.writing <= made.Time || from < st.writing) {
		// a message has the time of its first record; its calls may stand in later ones
		st.writing = from
	}
	span := runSpan{from, from + int64(c.Took)}
	if w.asks[c.Tool] {
		st.asking = addSpan(st.asking, span)
		return
	}
	st.running = addSpan(st.running, span)
}

// addSpan adds a span to disjoint ascending ones and keeps them so.
func addSpan(spans []runSpan, s runSpan) []runSpan {
	i, _ := slices.BinarySearchFunc(spans, s.from, func(x runSpan, from int64) int {
		if x.to < from {
			return -1
		}
		return 1
	})
	j := i
	for j < len(spans) && spans[j].from <= s.to {
		s.from, s.to = min(s.from, spans[j].from), max(s.to, spans[j].to)
		j++
	}
	return slices.Replace(spans, i, j, s)
}

// Top collects the largest items, largest first.
type Top[T any] struct {
	Size  int
	Items []topItem[T]
}

type topItem[T any] struct {
	Value int64
	Item  T
}

// Wants reports whether Offer would accept an item of this value.
func (t *Top[T]) Wants(value int64) bool {
	return value > 0 && (len(t.Items) < t.Size || value > t.Items[t.Size-1].Value)
}

// Offer inserts the item if it is among the largest; of equal items the first wins.
func (t *Top[T]) Offer(value int64, item T) {
	if !t.Wants(value) {
		return
	}
	i := len(t.Items)
	for i > 0 && t.Items[i-1].Value < value {
		i--
	}
	if len(t.Items) == t.Size {
		t.Items = t.Items[:t.Size-1]
	}
	t.Items = slices.Insert(t.Items, i, topItem[T]{value, item})
}
