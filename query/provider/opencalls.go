package provider

// openCalls are calls that wait for their results, in the order in which they
// were made. Finding the one that a result answers costs the same however many
// wait, since a transcript may leave all of its calls unanswered, or answer them
// at its end.
type openCalls struct {
	ids, names map[string]*waitingCalls
	all        waitingCalls
	answered   []bool
	steps      int // looks at a call, for a test
}

// waitingCalls are numbers of calls in groups of one message each. Those that
// were answered by another way are dropped when they are met.
type waitingCalls struct{ groups []callGroup }

type callGroup struct {
	msg   int
	calls []int
}

func newOpenCalls() *openCalls {
	return &openCalls{ids: map[string]*waitingCalls{}, names: map[string]*waitingCalls{}}
}

// add takes the next call; calls have the numbers 0, 1, 2. Messages do not go
// back.
func (o *openCalls) add(msg int, id, name string) {
	n := len(o.answered)
	o.answered = append(o.answered, false)
	o.all.add(msg, n)
	addWaiting(o.ids, id, msg, n)
	addWaiting(o.names, name, msg, n)
}

func addWaiting(by map[string]*waitingCalls, key string, msg, n int) {
	w := by[key]
	if w == nil {
		w = &waitingCalls{}
		by[key] = w
	}
	w.add(msg, n)
}

func (w *waitingCalls) add(msg, n int) {
	if k := len(w.groups); k > 0 && w.groups[k-1].msg == msg {
		w.groups[k-1].calls = append(w.groups[k-1].calls, n)
		return
	}
	w.groups = append(w.groups, callGroup{msg, []int{n}})
}

// answer is the number of the call that a result answers, which waits no longer:
// the first one that fits of the last message that has one, -1 for none. A result
// without an id fits the calls of its tool, and without a name all.
func (o *openCalls) answer(result *WireBlock) int {
	var w *waitingCalls
	switch {
	case result.ID != "":
		w = o.ids[result.ID]
	case result.Name != "":
		w = o.names[result.Name]
	default:
		w = &o.all
	}
	if w == nil {
		return -1
	}
	for len(w.groups) > 0 {
		g := &w.groups[len(w.groups)-1]
		for len(g.calls) > 0 {
			o.steps++
			n := g.calls[0]
			g.calls = g.calls[1:]
			if !o.answered[n] {
				o.answered[n] = true
				return n
			}
		}
		w.groups = w.groups[:len(w.groups)-1]
	}
	return -1
}
