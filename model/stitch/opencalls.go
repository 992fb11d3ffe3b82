package stitch

import (
	"cmp"
	"slices"

	"turns/model"
)

// openCall is a call that waits for its result.
type openCall struct {
	row    model.CallID
	msg    model.ID
	time   int64
	turn   model.ID  // the prompt before it
	id     model.Key // as recorded; zero: none
	args   model.Key // hash of its arguments
	name   uint16
	thread uint32
}

// openCalls are the calls without a result, found by id, or in order if they have no ids. Results
// that arrive before their call also wait here. Thousands may be open at a time, so no look-up
// scans them all.
type openCalls struct {
	byID map[model.Key]openCall // the oldest call of an id
	// further calls with the same id, by turn, oldest first
	more    map[model.Key][]callGroup
	unnamed callQueues // calls without an id
	// calls with an id; nil until a result without an id needs one
	named *callQueues
	early map[model.Key]model.CallID // results without a call, by id
	// results without an id, recorded before their call
	ahead []aheadResult
}

// callGroup contains the calls of one turn with one id, oldest first.
type callGroup struct {
	turn  model.ID
	calls []openCall
}

// aheadResult is a result written before the call that it answers.
type aheadResult struct {
	row    model.CallID
	seq    int64
	thread uint32
	name   uint16
}

// takeAhead removes and returns the first waiting result that follows a call with that Seq.
func (o *openCalls) takeAhead(seq int64, thread uint32, name uint16) (model.CallID, bool) {
	for i, r := range o.ahead {
		if r.seq > seq && r.thread == thread && (r.name == 0 || r.name == name) {
			o.ahead = append(o.ahead[:i], o.ahead[i+1:]...)
			return r.row, true
		}
	}
	return 0, false
}

func (o *openCalls) add(c openCall) {
	if c.id == 0 {
		o.unnamed.add(c)
		return
	}
	if o.named != nil {
		o.named.add(c)
	}
	if _, ok := o.byID[c.id]; !ok {
		o.byID[c.id] = c
		return
	}
	groups := o.more[c.id]
	if n := len(groups); n > 0 && groups[n-1].turn == c.turn {
		groups[n-1].calls = append(groups[n-1].calls, c)
		return
	}
	o.more[c.id] = append(groups, callGroup{c.turn, []openCall{c}})
}

// namesLooked limits the search among calls of one id for a name.
const namesLooked = 100

// take removes and returns the call that a result with this id answers. If several calls share the
// id, take selects from the latest turn with open calls, because earlier ones were abandoned. It
// prefers the first with the result's name, then the first.
func (o *openCalls) take(id model.Key, name uint16) (openCall, bool) {
	found, ok := o.byID[id]
	if !ok {
		return openCall{}, false
	}
	groups := o.more[id]
	last := len(groups) - 1
	if last < 0 {
		o.remove(found)
		return found, true
	}
	older := last > 0 || groups[last].turn != found.turn
	if older {
		found = groups[last].calls[0]
	}
	if name != 0 && found.name != name {
		for _, c := range groups[last].calls[:min(len(groups[last].calls), namesLooked)] {
			if c.name == name {
				found = c
				break
			}
		}
	}
	o.remove(found)
	return found, true
}

// dropFirst removes the first call of a group.
func (o *openCalls) dropFirst(id model.Key, group int) {
	groups := o.more[id]
	g := &groups[group]
	if g.calls = g.calls[1:]; len(g.calls) > 0 {
		return
	}
	switch {
	case len(groups) == 1:
		delete(o.more, id)
	case group == 0:
		o.more[id] = groups[1:]
	default:
		if groups = slices.Delete(groups, group, group+1); group < len(groups) && groups[group-1].turn == groups[group].turn {
			groups[group-1].calls = append(groups[group-1].calls, groups[group].calls...)
			groups = slices.Delete(groups, group, group+1)
		}
		o.more[id] = groups
	}
}

// dropOldest removes the oldest call of an id.
func (o *openCalls) dropOldest(id model.Key) {
	groups := o.more[id]
	if len(groups) == 0 {
		delete(o.byID, id)
		return
	}
	o.byID[id] = groups[0].calls[0]
	o.dropFirst(id, 0)
}

// takeInOrder removes and returns the call of the thread that a result without an id answers: the
// oldest with the result's name, or the oldest of all if the result has no name.
func (o *openCalls) takeInOrder(thread uint32, name uint16) (openCall, bool) {
	if c, ok := o.unnamed.oldest(thread, name); ok {
		o.unnamed.remove(c.row)
		return c, true
	}
	if o.named == nil {
		o.named = o.inOrder()
	}
	c, ok := o.named.oldest(thread, name)
	if ok {
		o.remove(c)
	}
	return c, ok
}

// inOrder returns queues of the calls with an id.
func (o *openCalls) inOrder() *callQueues {
	var all []openCall
	for id, c := range o.byID {
		all = append(all, c)
		for _, g := range o.more[id] {
			all = append(all, g.calls...)
		}
	}
	slices.SortFunc(all, func(a, b openCall) int { return cmp.Compare(a.row, b.row) })
	q := &callQueues{}
	for _, c := range all {
		q.add(c)
	}
	return q
}

// remove removes a call with an id.
func (o *openCalls) remove(c openCall) {
	if o.named != nil {
		o.named.remove(c.row)
	}
	if o.byID[c.id].row == c.row {
		o.dropOldest(c.id)
		return
	}
	for i, g := range o.more[c.id] {
		at := slices.IndexFunc(g.calls, func(other openCall) bool { return other.row == c.row })
		if at == 0 {
			o.dropFirst(c.id, i)
		} else if at > 0 {
			o.more[c.id][i].calls = slices.Delete(g.calls, at, at+1)
		}
		if at >= 0 {
			return
		}
	}
}

// forget removes erased calls.
func (o *openCalls) forget(rows []model.CallID) {
	gone := make(map[model.CallID]bool, len(rows))
	for _, row := range rows {
		gone[row] = true
		o.unnamed.remove(row)
	}
	var found []openCall
	for id, c := range o.byID {
		if gone[c.row] {
			found = append(found, c)
		}
		for _, g := range o.more[id] {
			for _, c := range g.calls {
				if gone[c.row] {
					found = append(found, c)
				}
			}
		}
	}
	for _, c := range found {
		o.remove(c)
	}
}

// callQueues has open calls in order, by thread and by name. A removed call stays in its queue
// until it is at the front.
type callQueues struct {
	open   map[model.CallID]bool
	queues map[queueKey][]openCall
}

// queueKey is a thread and a name; name 0 means any name.
type queueKey struct {
	thread uint32
	name   uint16
}

func (q *callQueues) add(c openCall) {
	if q.open == nil {
		q.open, q.queues = map[model.CallID]bool{}, map[queueKey][]openCall{}
	}
	q.open[c.row] = true
	for _, name := range [...]uint16{c.name, 0} {
		k := queueKey{c.thread, name}
		queue := q.queues[k]
		// mostly calls that another queue has returned
		if len(queue) >= 64 && len(queue) > 4*len(q.open) {
			queue = slices.DeleteFunc(queue, func(c openCall) bool { return !q.open[c.row] })
		}
		q.queues[k] = append(queue, c)
		if c.name == 0 {
			break
		}
	}
}

func (q *callQueues) remove(row model.CallID) { delete(q.open, row) }

// oldest returns the first call of the thread with this name; 0 means any name.
func (q *callQueues) oldest(thread uint32, name uint16) (openCall, bool) {
	if len(q.open) == 0 {
		return openCall{}, false
	}
	k := queueKey{thread, name}
	queue := q.queues[k]
	for len(queue) > 0 && !q.open[queue[0].row] {
		queue = queue[1:]
	}
	if q.queues[k] = queue; len(queue) == 0 {
		delete(q.queues, k)
		return openCall{}, false
	}
	return queue[0], true
}

// again returns empty queues that reuse the memory.
func (q *callQueues) again() callQueues {
	clear(q.open)
	clear(q.queues)
	return *q
}
