package cache

import (
	"cmp"
	"context"
	"time"

	"turns/model"
	"turns/query"
	"turns/query/human"
)

// Request is one call of a model, with the use of the prompt cache.
type Request struct {
	ID    model.ID
	Prev  model.ID // the request before it of the same agent; NoID for the first one
	Total int64    // tokens of the prompt; 0: not recorded
	// Read is the number of tokens from the cache; -1: not recorded.
	Read int64
	// Again is the number of tokens that were in the cache and had to be sent or written again.
	Again int64
	Cause Cause
	// Recorded is the reason that the transcript records, in its own words; Cause follows from it
	// if it names one.
	Recorded string
	// Worked is the cause without the recorded reason.
	Worked Cause
	// Gap is the time since Prev, and Life the time to live that passed, if the cause is TTL.
	Gap, Life time.Duration
	// Start reports that the numbers show an edit: the request read the beginning that all requests
	// of the agent share, and not the messages after it.
	Start bool
}

// Known reports whether the transcript records the use of the cache.
func (r *Request) Known() bool { return r.Read >= 0 && r.Total > 0 }

// Share returns the cached share of the prompt; ok is false if it was not recorded.
func (r *Request) Share() (share float64, ok bool) {
	if !r.Known() {
		return 0, false
	}
	return float64(r.Read) / float64(r.Total), true
}

// The differences below which a request counts as having read its prefix. Providers cache blocks of
// up to 1,024 tokens, and leave out the end of the prompt.
const (
	leastAgain = 1024
	leastShare = 20 // misses below 1/20 of the cached tokens are ignored
)

// lost returns the number of cached tokens that a request did not read, 0 if it counts as having
// read them.
func lost(cached int64, r *Request) int64 {
	again := min(cached, r.Total) - r.Read
	if again < leastAgain || again < cached/leastShare {
		return 0
	}
	return again
}

// LastMiss returns the number of tokens that the last request of a session wrote again, 0 if it did
// not miss the cache. It is 0 for requests without cache writes.
func LastMiss(asked [2]model.CacheUse) int64 {
	last, before := asked[0], asked[1]
	if last.Total == 0 || before.Write == 0 {
		return 0
	}
	return lost(before.Read+before.Write, &Request{Total: last.Total, Read: last.Read})
}

// Times to live: docs.claude.com/en/docs/build-with-claude/prompt-caching, and
// platform.openai.com/docs/guides/prompt-caching for caches that fill automatically.
const (
	shortLife = 5 * time.Minute
	longLife  = time.Hour
)

// lookBack is the number of blocks before a mark that the Anthropic API searches for a cached
// prefix.
const lookBack = 20

// Requests returns the requests of a conversation, by arrival. It reads the text of a message
// only to compare recorded system prompts and tools before a miss.
func Requests(ctx context.Context, s *model.Snapshot) ([]Request, error) {
	w := &walk{ctx: ctx, s: s, threads: make([]thread, len(s.Threads()))}
	for id := range model.ID(s.Rows()) {
		h := s.HeadRow(id)
		if s.Threads()[h.Thread].Apart {
			continue
		}
		w.row(id, h)
	}
	for i := range w.threads {
		w.threads[i].learn(w)
	}
	for i := range w.list {
		w.explain(i)
	}
	return w.list, w.err
}

type walk struct {
	ctx     context.Context
	s       *model.Snapshot
	threads []thread
	list    []Request
	steps   []step // of list
	err     error
}

// thread is the state of one agent.
type thread struct {
	last             int   // its previous request, plus one in walk.list
	sent             int64 // time of its last message, Unix ms
	next             step  // of the next request
	writes, hour     bool  // it uses the cache; for an hour
	reads            bool  // some request read from the cache
	least            int64 // smallest part read by a request that shared only that; 0: unknown
	prompt, promptIs model.ID
}

// step is the time and content between a request and the one before.
type step struct {
	prev              int // request before, plus one
	thread            uint32
	sent              int64 // when the request was sent
	blocks            int
	compacted, edited bool
	system            bool
	was, is           model.ID // recorded prompts before and at the request; NoID: none
	hour              bool     // the cache entry before it lives for an hour
}

func (w *walk) row(id model.ID, h *model.Head) {
	t := &w.threads[h.Thread]
	compacted, edited := Breaks(w.s, h)
	t.next.compacted, t.next.edited = t.next.compacted || compacted, t.next.edited || edited
	switch {
	case h.Op == model.Note && w.s.Name(h.Name) == "attachment/prompt_snapshot":
		t.promptIs = id + 1
	case h.Op != model.Say:
	case h.Responds() && h.Flags&(model.Synthetic|model.APIError) == 0:
		w.request(t, id, h)
	default:
		t.next.blocks += max(1, len(w.s.Answers(id)))
		t.next.compacted = t.next.compacted || h.Flags&model.Recap != 0
		t.next.system = t.next.system || h.Role == model.System
		if h.Time != 0 {
			t.sent = h.Time
		}
	}
}

// Cleared is the kind of a record after which the context lacks old results.
const Cleared = "microcompact_boundary"

// Breaks reports whether a record replaced the messages before it by a summary, or removed some of
// them, so that the next request cannot read them from the cache.
func Breaks(s *model.Snapshot, h *model.Head) (compacted, edited bool) {
	switch h.Op {
	case model.Compact:
		return h.Flags&(model.Rewound|model.OffBranch) == 0, false
	case model.Rewind, model.Reset:
		return false, true
	case model.Note:
		return false, s.Name(h.Name) == Cleared
	}
	return false, false
}

func (w *walk) request(t *thread, id model.ID, h *model.Head) {
	r := Request{ID: id, Prev: model.NoID, Read: -1}
	tokens, ok := w.s.Tokens(id)
	if ok {
		r.Total, _ = query.ContextSize(&tokens)
		if tokens.CacheRead != model.NoTokens {
			r.Read = int64(tokens.CacheRead)
		}
		r.Recorded = w.s.Name(tokens.Missed)
	}
	st := t.next
	st.thread, st.prev, st.hour, st.sent = h.Thread, t.last, t.hour, t.sent
	st.sent = cmp.Or(st.sent, h.Time)
	st.was, st.is = t.prompt-1, t.promptIs-1
	if r.Known() {
		if t.last > 0 {
			r.Prev = w.list[t.last-1].ID
		}
		w.list, w.steps = append(w.list, r), append(w.steps, st)
		t.last, t.prompt = len(w.list), t.promptIs
		t.next = step{}
		t.reads = t.reads || r.Read > 0
		if tokens.CacheWrite != model.NoTokens && tokens.CacheWrite > 0 {
			t.writes, t.hour = true, tokens.Flags&model.HourCache != 0
		}
	} else {
		w.list, w.steps = append(w.list, r), append(w.steps, st)
	}
	t.next.blocks += 1 + len(w.s.Calls(id))
	if h.Time != 0 {
		t.sent = h.Time
	}
}

// learn finds how much of its beginning an agent's requests share: the part that the first one,
// and those after a compaction, read from the cache.
func (t *thread) learn(w *walk) {
	for i := range w.list {
		r, st := &w.list[i], &w.steps[i]
		if &w.threads[st.thread] == t && r.Read > 0 && (st.prev == 0 || st.compacted) && (t.least == 0 || r.Read < t.least) {
			t.least = r.Read
		}
	}
}

// explain finds the cause of a request.
func (w *walk) explain(i int) {
	r, st := &w.list[i], &w.steps[i]
	if !r.Known() {
		return
	}
	r.Worked = w.workedOut(r, st)
	if r.Cause = r.Worked; r.Recorded == "" || r.Worked == First || r.Worked == Compaction {
		return
	}
	if c := causeOf(r.Recorded); c != None {
		r.Cause = c
	} else if r.Worked == None {
		r.Cause = Unexplained
	}
}

// workedOut derives the cause from the transcript, and sets how many tokens the request wrote
// again.
func (w *walk) workedOut(r *Request, st *step) Cause {
	t := &w.threads[st.thread]
	if st.prev == 0 {
		return First
	}
	prev := &w.list[st.prev-1]
	if st.compacted {
		return Compaction
	}
	cached := w.cached(t, prev)
	if cached == 0 {
		if r.Read == 0 && min(prev.Total, r.Total) < w.minimum(r.ID) && (t.writes || t.reads) {
			return TooShort
		}
		return None
	}
	again := lost(cached, r)
	if again == 0 {
		return None
	}
	r.Again = again
	return w.why(t, r, prev, st)
}

// cached returns how many tokens of a request's prompt are in the cache after it. A cache that
// fills automatically has the full prompt.
func (w *walk) cached(t *thread, prev *Request) int64 {
	if t.writes {
		tokens, _ := w.s.Tokens(prev.ID)
		if tokens.CacheWrite == model.NoTokens {
			return prev.Read
		}
		return prev.Read + int64(tokens.CacheWrite)
	}
	if !t.reads || prev.Total < w.minimum(prev.ID) {
		return 0
	}
	return prev.Total
}

func (w *walk) why(t *thread, r, prev *Request, st *step) Cause {
	s := w.s
	h, before := s.HeadRow(r.ID), s.HeadRow(prev.ID)
	if h.Name != 0 && before.Name != 0 && h.Name != before.Name {
		return Model
	}
	if c := w.prompts(st); c != None {
		return c
	}
	const gone = model.Rewound | model.OffBranch
	if st.edited || h.Flags&gone != before.Flags&gone {
		return Edited
	}
	if st.system {
		return System
	}
	life := shortLife
	if st.hour {
		life = longLife
	}
	if was := w.steps[st.prev-1].sent; was != 0 && st.sent != 0 {
		if gap := human.Millis(st.sent - was).Duration(); gap >= life {
			r.Gap, r.Life = gap, life
			return TTL
		}
	}
	// An entry stays in the cache for at least its time to live. A request that reads the
	// system prompt and the tools, which come first, but not the rest has other messages there,
	// unless more blocks were added than the provider searches.
	if t.writes && t.least > 0 && r.Read >= t.least && st.blocks <= lookBack {
		r.Start = true
		return Edited
	}
	return Unexplained
}

// prompts compares the recorded prompts of two requests.
func (w *walk) prompts(st *step) Cause {
	none := ^model.ID(0)
	if st.was == none || st.is == none || st.was == st.is || w.err != nil {
		return None
	}
	was, err := w.s.Body(w.ctx, st.was)
	if err == nil {
		var is *model.Message
		if is, err = w.s.Body(w.ctx, st.is); err == nil {
			return changed(was, is)
		}
	}
	w.err = err
	return None
}

// minimum returns the minimum length of a cacheable prompt of a model in tokens, as documented by
// its provider.
func (w *walk) minimum(id model.ID) int64 { return minimumOf(w.s.Name(w.s.HeadRow(id).Name)) }
