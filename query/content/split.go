package content

import (
	"sort"

	"turns/model"
	"turns/query"
	"turns/query/summary"
	"turns/query/window"
)

// Split is the cost of the responses of a conversation, divided over its messages. It never
// changes.
//
// Tokens divide the prompt of a request over its messages, in their order. It begins with the
// system prompt and the tools, which transcripts lack. The cached tokens are its beginning, at the
// price of cache reads; the rest is new, at the price of input and cache writes. The output belongs
// to the response itself.
type Split struct {
	x           *window.Index
	costs       *summary.CostAnswer
	threads     []thread
	aside       map[model.ID]*Carried // messages of abandoned branches
	messageCost []messageCost         // outputs
	unsplit     []messageCost         // responses with a cost and no tokens
	place       map[model.ID]int      // of responses in the list of costs
}

// messageCost is the cost of one message.
type messageCost struct {
	id      model.ID
	dollars float64
}

// thread is the prompts of one agent.
type thread struct {
	before []int64   // tokens of the entries before each entry
	rate   []float64 // by entry: the change of the price of a token, against the entry before
	sent   []int     // by entry: the change of the number of requests
	part   []float64 // by entry: dollars of a partly cached entry
	// dollars of prompts without a message, and of summaries outside of messages
	hidden, summaries float64
}

// Carried is the cost of a message while it was in the context.
type Carried struct {
	Tokens  int64
	Sent    int // requests with it in the prompt
	Dollars float64
}

// NewSplit divides the costs of a conversation, which must list its messages, over the messages of
// an index. Prices divide a recorded cost into its parts; without a price, all tokens count the
// same.
func NewSplit(x *window.Index, costs *summary.CostAnswer, prices summary.PriceTable) *Split {
	s := &Split{x: x, costs: costs, threads: make([]thread, len(x.Snap.Threads())), aside: map[model.ID]*Carried{}, place: make(map[model.ID]int, len(costs.Messages))}
	for i := range s.threads {
		s.threads[i].begin(x, uint32(i))
	}
	for i := range costs.Messages {
		s.place[costs.Messages[i].ID] = i
		s.response(&costs.Messages[i], prices)
	}
	for i := range s.threads {
		s.threads[i].finish()
	}
	return s
}

func (t *thread) begin(x *window.Index, n uint32) {
	ids := x.Entries(n)
	t.before = make([]int64, len(ids)+1)
	for i, id := range ids {
		t.before[i+1] = t.before[i] + x.Weight(id)
	}
	t.rate, t.sent, t.part = make([]float64, len(ids)+1), make([]int, len(ids)+1), make([]float64, len(ids))
}

// finish makes running sums of the changes.
func (t *thread) finish() {
	for i := 1; i < len(t.rate); i++ {
		t.rate[i] += t.rate[i-1]
		t.sent[i] += t.sent[i-1]
	}
}

// response divides the cost of one response.
func (s *Split) response(m *summary.MessageCost, prices summary.PriceTable) {
	if m.Dollars == 0 {
		return
	}
	t, _ := s.x.Snap.Tokens(m.ID)
	parts := partsOf(&t, m.Model, prices)
	all := 0.0
	for _, n := range parts {
		all += n
	}
	if all <= 0 {
		s.unsplit = append(s.unsplit, messageCost{m.ID, m.Dollars})
		return
	}
	for i := range parts {
		parts[i] *= m.Dollars / all
	}
	if out := parts[query.UsageOutput]; out != 0 {
		s.messageCost = append(s.messageCost, messageCost{m.ID, out})
	}
	s.prompt(m.ID, &t, parts[query.UsageCacheRead], parts[query.UsageInput]+parts[query.UsageCacheWrite])
}

// partsOf returns the price of the parts of a response. Without a price, a token costs 1.
func partsOf(t *model.Tokens, name string, prices summary.PriceTable) [query.UsageNumbers]float64 {
	p, ok := prices.Find(name)
	parts := p.Parts(t)
	for _, n := range parts {
		if ok && n > 0 {
			return parts
		}
	}
	p = summary.Price{Input: 1, Output: 1}
	return p.Parts(t)
}

// meter divides a prompt along its tokens: those that it read from the cache come first.
type meter struct {
	cached, fresh float64 // dollars of a token of the messages
	left          float64 // tokens left in the cached beginning of the prompt
}

// take returns the price of the next tokens.
func (m *meter) take(tokens float64) float64 {
	read := min(max(m.left, 0), tokens)
	m.left -= tokens
	return read*m.cached + (tokens-read)*m.fresh
}

// prompt divides the prompt of a request.
func (s *Split) prompt(id model.ID, tokens *model.Tokens, cached, fresh float64) {
	all, ok := query.ContextSize(tokens)
	if !ok {
		return
	}
	r := s.x.SentWith(id)
	t := &s.threads[r.Thread]
	weight := t.before[r.Head] + r.Summary + t.before[r.To] - t.before[r.From]
	for _, id := range r.Extra {
		weight += s.x.Weight(id)
	}
	read := 0.0
	if tokens.CacheRead != model.NoTokens {
		read = float64(tokens.CacheRead)
	}
	m := meter{left: read}
	if read > 0 {
		m.cached = cached / read
	}
	if rest := float64(all) - read; rest > 0 {
		m.fresh = fresh / rest
	}
	t.hidden += m.take(float64(max(all-weight, 0)))
	if weight == 0 {
		return
	}
	scale := min(1, float64(all)/float64(weight))
	m.left, m.cached, m.fresh = m.left/scale, m.cached*scale, m.fresh*scale // by counted tokens
	t.charge(0, r.Head, &m)
	t.summaries += m.take(float64(r.Summary))
	t.charge(r.From, r.To, &m)
	for _, id := range r.Extra {
		c := s.aside[id]
		if c == nil {
			c = &Carried{Tokens: s.x.Weight(id)}
			s.aside[id] = c
		}
		c.Sent++
		c.Dollars += m.take(float64(c.Tokens))
	}
}

// charge adds the price of the entries from lo to before hi.
func (t *thread) charge(lo, hi int, m *meter) {
	if lo >= hi {
		return
	}
	t.sent[lo]++
	t.sent[hi]--
	all := float64(t.before[hi] - t.before[lo])
	if m.left <= 0 || m.left >= all {
		rate := m.fresh
		if m.left > 0 {
			rate = m.cached
		}
		t.rate[lo] += rate
		t.rate[hi] -= rate
		m.left -= all
		return
	}
	from := float64(t.before[lo])
	k := lo + sort.Search(hi-lo-1, func(i int) bool { return float64(t.before[lo+i+1])-from > m.left })
	t.rate[lo] += m.cached
	t.rate[k] -= m.cached
	m.left -= float64(t.before[k]) - from
	t.part[k] += m.take(float64(t.before[k+1] - t.before[k]))
	t.rate[k+1] += m.fresh
	t.rate[hi] -= m.fresh
	m.left -= float64(t.before[hi] - t.before[k+1])
}

// Of returns the cost of a message in the prompts of all requests, without the cost of writing
// it. It is zero for a message that no request contained.
func (s *Split) Of(id model.ID) Carried {
	if c := s.aside[id]; c != nil {
		return *c
	}
	k := s.x.Entry(id)
	if k < 0 {
		return Carried{}
	}
	t := &s.threads[s.x.Snap.HeadRow(id).Thread]
	n := t.before[k+1] - t.before[k]
	return Carried{n, t.sent[k], float64(n)*t.rate[k] + t.part[k]}
}
