package evals

import (
	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// inspectRequest is a request to a model, as an event of a sample tells of it: raw values.
type inspectRequest struct {
	input, output []byte
	moment        inspectMoment
}

// unsaid says the answers that stand in events alone: a solver that asks the model itself leaves
// only its task in the messages. from is the first fact of these.
func (r *inspectRun) unsaid(from int, messages []byte) {
	for i := from; i < r.fs.Len(); i++ {
		if f := r.fs.At(i); f.Op == model.Say && f.Role == model.Assistant {
			return
		}
	}
	asked := map[model.Key]bool{}
	for m := range jsonspan.List(messages) {
		asked[r.contentKey(m)] = true
	}
	for _, request := range r.requests {
		for m := range jsonspan.List(request.input) {
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
		if f.Role == model.NoRole { // an answer of a model, whether its message says so or not
			f.Role = model.Assistant
		}
		if f.Time.Ms == 0 {
			f.Time, f.Usage = request.moment.at, request.moment.usage
		}
	}
}

// contentKey is what the content of a message is known by.
func (r *inspectRun) contentKey(message []byte) model.Key {
	return kit.HashValue(r.resolve(jsonspan.Get(message, "content")))
}
