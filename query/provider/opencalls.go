package provider

// openCalls are calls that wait for their results, in the order they were made. Finding the call of
// a result costs the same however many wait: a transcript may leave all of its calls unanswered, or
// answer them at its end.
type openCalls struct {
	waiting  map[waitingKey]*waitingCalls
	turns    []int // of each call
	answered []bool
	steps    int // examined calls, for a test
}

// waitingKey is the id and the name of calls; "": any.
type waitingKey struct{ id, name string }

// waitingCalls are numbers of calls, grouped by turn. Calls answered through another key are
// dropped on the next visit.
type waitingCalls struct{ groups []callGroup }

type callGroup struct {
	turn  int
	calls []int
}

func newOpenCalls() *openCalls { return &openCalls{waiting: map[waitingKey]*waitingCalls{}} }

// add adds the next call; calls have the numbers 0, 1, 2. Turns must not decrease.
func (o *openCalls) add(turn int, id, name string) {
	n := len(o.answered)
	o.answered, o.turns = append(o.answered, false), append(o.turns, turn)
	o.wait(waitingKey{}, turn, n)
	if id != "" {
		o.wait(waitingKey{id: id}, turn, n)
	}
	if name != "" {
		o.wait(waitingKey{name: name}, turn, n)
	}
	if id != "" && name != "" {
		o.wait(waitingKey{id, name}, turn, n)
	}
}

func (o *openCalls) wait(key waitingKey, turn, n int) {
	w := o.waiting[key]
	if w == nil {
		w = &waitingCalls{}
		o.waiting[key] = w
	}
	if k := len(w.groups); k > 0 && w.groups[k-1].turn == turn {
		w.groups[k-1].calls = append(w.groups[k-1].calls, n)
		return
	}
	w.groups = append(w.groups, callGroup{turn, []int{n}})
}

// answer returns the number of the call that a result answers, and marks it as answered; -1 if
// there is none. It selects the last turn with a call of that id: the first with the result's name,
// otherwise the first. A result without an id fits the calls of its tool, and without a name all
// calls.
func (o *openCalls) answer(result *WireBlock) int {
	n := o.first(waitingKey{id: result.ID})
	if result.Name != "" {
		switch named := o.first(waitingKey{result.ID, result.Name}); {
		case result.ID == "", named >= 0 && o.turns[named] == o.turns[n]:
			n = named
		}
	}
	if n >= 0 {
		o.answered[n] = true
	}
	return n
}

// first returns the first waiting call of the last turn that has one, -1 if there is none.
func (o *openCalls) first(key waitingKey) int {
	w := o.waiting[key]
	if w == nil {
		return -1
	}
	for len(w.groups) > 0 {
		g := &w.groups[len(w.groups)-1]
		for len(g.calls) > 0 {
			o.steps++
			if n := g.calls[0]; !o.answered[n] {
				return n
			}
			g.calls = g.calls[1:]
		}
		w.groups = w.groups[:len(w.groups)-1]
	}
	return -1
}
