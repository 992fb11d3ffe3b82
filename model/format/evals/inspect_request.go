package evals

import (
	"slices"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// inspectRequest holds the raw values of a model request from an event of a sample.
type inspectRequest struct {
	input, refs, output []byte
	moment              inspectMoment
}

// inspectPool holds the messages of a sample that its requests share. Since March 2026 a request
// names ranges of them, as the first index and the index after the last (inspect_ai,
// src/inspect_ai/event/_model.py: input_refs).
type inspectPool struct {
	messages [][]byte
	next     []int // by message: the first unused message at or after it
}

func newInspectPool(list []byte) *inspectPool {
	p := &inspectPool{messages: slices.Collect(jsonspan.List(list))}
	for i := range len(p.messages) + 1 {
		p.next = append(p.next, i)
	}
	return p
}

// take returns the messages of a request that no earlier request had.
func (p *inspectPool) take(q *inspectRequest) (list [][]byte) {
	if kit.IsEmpty(q.refs) {
		return slices.Collect(jsonspan.List(q.input))
	}
	for r := range jsonspan.List(q.refs) {
		ends := kit.Elements(r, kit.WholeList, 2)
		if len(ends) != 2 {
			continue
		}
		from, _ := jsonspan.ParseInt(ends[0])
		to, _ := jsonspan.ParseInt(ends[1])
		to = min(to, int64(len(p.messages)))
		if from < 0 || from >= to {
			continue
		}
		for i := p.left(int(from)); i < int(to); i = p.left(i) {
			list = append(list, p.messages[i])
			p.next[i] = i + 1
		}
	}
	return list
}

// left returns the first unused message at or after i.
func (p *inspectPool) left(i int) int {
	at := i
	for p.next[at] != at {
		at = p.next[at]
	}
	for p.next[i] != i {
		i, p.next[i] = p.next[i], at
	}
	return at
}

// emitAnswers adds the answers that only events have: a solver that calls the model directly leaves
// only its task in the messages. from is the first fact of the messages.
func (r *inspectRun) emitAnswers(from int, messages, pooled []byte) {
	for i := from; i < r.fs.Len(); i++ {
		if f := r.fs.At(i); f.Op == model.Say && f.Role == model.Assistant {
			return
		}
	}
	asked := map[model.Key]bool{}
	for m := range jsonspan.List(messages) {
		asked[r.contentKey(m)] = true
	}
	pool := newInspectPool(pooled)
	for i := range r.requests {
		request := &r.requests[i]
		for _, m := range pool.take(request) {
			if k := r.contentKey(m); !asked[k] && string(jsonspan.GetString(m, "role")) != "assistant" {
				asked[k] = true
				c := jsonspan.New(m)
				r.message(&c)
			}
		}
		c := jsonspan.New(jsonspan.Get(kit.EvalFirst(kit.EvalAt(request.output, "choices")), "message"))
		if c.Kind() != jsonspan.Object {
			continue
		}
		r.message(&c)
		f := r.fs.Last()
		if f.Role == model.NoRole { // a model's answer, even if its message has no role
			f.Role = model.Assistant
		}
		if f.Time.Ms == 0 {
			f.Time, f.Usage = request.moment.at, request.moment.usage
		}
	}
}

// contentKey returns the key that identifies a message's content.
func (r *inspectRun) contentKey(message []byte) model.Key {
	return kit.HashValue(r.resolve(jsonspan.Get(message, "content")))
}
