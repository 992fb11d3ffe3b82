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

// openCalls are the calls without a result, found by id, or in order where there
// are no ids. Results that came before their call wait too. Thousands may be open
// at a time: none is found by going through all.
type openCalls struct {
	byID map[model.Key]openCall // the oldest call of an id
	// further calls with an id that is in use, by turn, oldest first
	more    map[model.Key][]callGroup
	unnamed callQueues // calls without an id
	// calls with one; nil until a result without an id asked for one
	named *callQueues
	early map[model.Key]model.CallID // results without a call, by id
	// results without an id that came before the call that they follow
	ahead []aheadResult
}

// callGroup is calls of one turn with one id, oldest first.
type callGroup struct {
	turn  model.ID
	calls []openCall
}

// aheadResult is a result that was written before its call, although it comes
// after it.
type aheadResult struct {
	row    model.CallID
	seq    int64
	thread uint32
	name   uint16
}

// takeAhead removes and gives the first result that follows a call with that
// place.
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

// namesLooked is how many calls of one id are looked at for the one of a name.
const namesLooked = 100

// take removes and gives the call that a result with this id answers. Of several
// with one id it is one of the latest turn that left any open, as those before were
// given up; of these the first with the name of the result, else the first.
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

// dropFirst takes the first call of a group out.
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

// dropOldest takes the oldest call of an id out.
func (o *openCalls) dropOldest(id model.Key) {
	groups := o.more[id]
	if len(groups) == 0 {
		delete(o.byID, id)
		return
	}
	o.byID[id] = groups[0].calls[0]
	o.dropFirst(id, 0)
}

// takeInOrder removes and gives the oldest call of the thread for a result
// without an id: the oldest of that name, else, if the result has no name, the
// oldest at all.
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

// inOrder are the calls with an id.
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

// remove takes a call with an id out.
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

// forget removes calls that are gone.
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

// callQueues are open calls in order, by thread and by name. What was removed is
// passed over when it is at the front.
type callQueues struct {
	open   map[model.CallID]bool
	queues map[queueKey][]openCall
}

// queueKey is a thread and a name; 0: calls of any name.
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
		// mostly calls that another queue gave away
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

// oldest is the call of the thread and the name, if there is one, that was made
// first.
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

// again is empty queues.
func (q *callQueues) again() callQueues {
	clear(q.open)
	clear(q.queues)
	return *q
}
