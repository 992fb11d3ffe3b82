package window

import (
	"math"
	"slices"
	"sort"

	"turns/model"
	"turns/query"
)

// For speed only: the distances of checkpoints.
const (
	ctxBlock = 64      // entries of a checkpoint
	ctxTools = 64 * 64 // entries whose results are summed up by tool
)

// bytesAToken is the number of bytes of uncounted texts that count as a token.
const bytesAToken = 4

// Index finds the context at any message quickly: for each thread it has the messages that a model
// can see, checkpoints of their tokens, and the places of compactions. It never changes;
// [Index.Extend] returns a new one.
type Index struct {
	Snap    *model.Snapshot
	Tokens  *query.TokenColumn
	threads []ctxThread
	place   []uint32 // by ID: number among the entries of its thread, plus one; 0: no entry
	left    []ctxLeft
	guessed bool // the column has gaps: filling them changes the sums
}

// ctxThread has the visible messages of a thread, in order.
type ctxThread struct {
	ids      []model.ID
	blocks   []Tokens        // before each block
	most     []uint32        // the largest message of each block
	tools    [][]int64       // results by tool, of each run of ctxTools entries
	cuts     []ctxCut        // ascending
	asked    []int32         // entries with a measured request, ascending
	head     int             // number of entries at the beginning with the system prompt
	marked   int             // the first entry with a mark as compacted, plus one; 0: none
	images   query.ImageRule // of the model that answers; nil: unknown
	estimate *Estimate
	seen     query.Evidence // of the window
}

// ctxCut is a compaction: the entries before entry at become invisible, except the system prompt,
// the first entries and keep entries before it.
type ctxCut struct {
	at   int
	keep int
	// entries at the beginning that stay, if the record marks those that do not
	first    int
	note     model.ID // NoID if only the summary shows the compaction
	summary  int64    // tokens of the note itself
	estimate int      // the entry with the summary, plus one; 0: none
}

// noteTokens returns the tokens of the note if no message has the summary.
func (c *ctxCut) noteTokens() int64 {
	if c.estimate > 0 {
		return 0
	}
	return c.summary
}

// summaryNear is the maximum number of messages between a compaction and its summary, such as a
// request for it.
const summaryNear = 3

// ctxLeft are the messages of a thread that the model does not see, with the reasons.
type ctxLeft struct {
	rows []model.ID
}

// unseen are the flags of messages that the model does not see.
const unseen = model.Rewound | model.OffBranch | model.Invalidated | model.Superseded | model.Archived | model.APIError

// NewIndex returns the index of a snapshot. Messages that tokens does not cover, or all if it is
// nil, count a token for four bytes.
func NewIndex(s *model.Snapshot, tokens *query.TokenColumn) *Index {
	x := &Index{Snap: s, Tokens: tokens}
	x.threads = make([]ctxThread, len(s.Threads()))
	x.left = make([]ctxLeft, len(s.Threads()))
	x.place = make([]uint32, s.Rows())
	x.walk(0)
	return x
}

// Extend returns the index of a later snapshot of the same conversation, counted with tokens.
// Unless an older message changed, it only adds the new ones.
func (x *Index) Extend(s *model.Snapshot, tokens *query.TokenColumn) *Index {
	from := x.unchanged(s, tokens)
	if from <= 0 {
		return NewIndex(s, tokens)
	}
	next := &Index{Snap: s, Tokens: tokens}
	next.place = make([]uint32, s.Rows())
	copy(next.place, x.place[:from])
	next.threads = make([]ctxThread, len(s.Threads()))
	next.left = make([]ctxLeft, len(s.Threads()))
	for i := range x.threads {
		next.threads[i] = x.threads[i].before(model.ID(from))
		left := x.left[i].rows
		n, _ := slices.BinarySearch(left, model.ID(from))
		next.left[i].rows = slices.Clone(left[:n])
	}
	next.walk(from)
	return next
}

// unchanged returns the row before which nothing changed since x was made; 0 if that is unknown.
func (x *Index) unchanged(s *model.Snapshot, tokens *query.TokenColumn) int {
	if x == nil || s.Rows() < x.Snap.Rows() || s.Version() < x.Snap.Version() || len(s.Threads()) < len(x.threads) || (x.Tokens == nil) != (tokens == nil) {
		return 0
	}
	if n := s.Rows(); n > 0 && (s.Row(0) != 0 || s.Row(n-1) != model.ID(n-1) || s.Row(n/2) != model.ID(n/2)) {
		return 0 // not by arrival
	}
	if tokens != nil && (x.guessed || x.Tokens.Encoding() != tokens.Encoding()) {
		return 0
	}
	from := x.Snap.Rows()
	for id := range s.Changed(x.Snap.Version()) {
		from = min(from, int(id))
	}
	// a rewind changes the rows that it erases; a compaction is a separate row
	if len(s.Events()) > len(x.Snap.Events()) {
		from = min(from, int(s.Events()[len(x.Snap.Events())].At))
	}
	return from
}

// compacted records the size of the last request before a compaction.
func (t *ctxThread) compacted(s *model.Snapshot) {
	if n := len(t.asked); n > 0 {
		size, _ := query.ContextOf(s, t.ids[t.asked[n-1]])
		t.seen.Compacted = max(t.seen.Compacted, size)
	}
}

// before returns a copy of the thread as it was before a row.
func (t *ctxThread) before(row model.ID) ctxThread {
	n, _ := slices.BinarySearch(t.ids, row)
	full := n / ctxBlock
	o := ctxThread{ids: slices.Clone(t.ids[:n]), head: min(t.head, n), images: t.images}
	if t.marked <= n {
		o.marked = t.marked
	}
	o.blocks = slices.Clone(t.blocks[:min(full+1, len(t.blocks))])
	o.most = slices.Clone(t.most[:full])
	for _, c := range t.cuts {
		if c.at < n || c.at == n && c.note != model.NoID && c.note < row {
			if c.estimate > n {
				c.estimate = 0 // it will be added again
			}
			o.cuts = append(o.cuts, c)
		}
	}
	for _, a := range t.asked {
		if int(a) < n {
			o.asked = append(o.asked, a)
		}
	}
	o.seen = t.seen // the window does not shrink
	return o
}

// walk adds the rows from an index on.
func (x *Index) walk(from int) {
	s := x.Snap
	compacts := query.Compactions(s)
	for n := from; n < s.Rows(); n++ {
		id := s.Row(n)
		h := s.HeadRow(id)
		t := &x.threads[h.Thread]
		switch {
		case h.Op == model.Compact && h.Flags&(model.Rewound|model.OffBranch) == 0:
			cut := ctxCut{at: len(t.ids), keep: query.KeptBy(s, t.ids, compacts[id]), note: id, summary: x.noteTokens(id, h)}
			if t.marked-1 < cut.at-cut.keep {
				cut.first = max(t.marked-1, 0)
			}
			t.cuts = append(t.cuts, cut)
			t.compacted(x.Snap)
		case h.Op != model.Say:
		case h.Flags&unseen != 0 || !s.Threads()[h.Thread].Apart && s.Pos(id) < 0:
			x.left[h.Thread].rows = append(x.left[h.Thread].rows, id)
		default:
			x.entry(t, id, h)
		}
	}
	for i := range x.threads {
		x.threads[i].finish(x)
	}
	x.sumTools()
	for i := range x.threads {
		x.threads[i].estimate = x.estimate(&x.threads[i])
	}
}

// cleared reports whether the results of a message were cleared in place. Results of messages that
// a compaction removed were present until then.
func (x *Index) cleared(id model.ID, h *model.Head) bool {
	if h.Flags&model.Compacted == 0 || len(x.place) == 0 || x.place[id] == 0 {
		return h.Flags&model.Compacted != 0
	}
	n := int(x.place[id]) - 1
	return !slices.ContainsFunc(x.threads[h.Thread].cuts, func(c ctxCut) bool { return n < c.at-c.keep })
}

// noteTokens returns the tokens of the text of a compaction.
func (x *Index) noteTokens(id model.ID, h *model.Head) int64 {
	if n, ok := x.Tokens.Message(id); ok {
		return n.Sum()
	}
	x.guessed = true
	return int64(h.Size) / bytesAToken
}

func (x *Index) entry(t *ctxThread, id model.ID, h *model.Head) {
	n := len(t.ids)
	if h.Flags&model.Recap != 0 {
		if k := len(t.cuts); k > 0 && t.cuts[k-1].note != model.NoID && t.cuts[k-1].estimate == 0 && n-t.cuts[k-1].at < summaryNear {
			t.cuts[k-1].estimate = n + 1
		} else if n > t.head {
			t.cuts = append(t.cuts, ctxCut{at: n, note: model.NoID, estimate: n + 1})
			t.compacted(x.Snap)
		}
	}
	if n == t.head && (h.Role == model.System || h.Role == model.Developer) {
		t.head++
	}
	if t.images == nil && h.Role == model.Assistant {
		t.images = query.ImageRuleOf(x.Snap.Name(h.Name))
	}
	if h.Flags&model.Compacted != 0 && t.marked == 0 {
		t.marked = n + 1
	}
	t.ids = append(t.ids, id)
	x.place[id] = uint32(len(t.ids))
	if h.Usage != model.NoRow {
		if size, ok := query.ContextOf(x.Snap, id); ok {
			t.asked = append(t.asked, int32(n))
			t.seen.Add(size)
		}
	}
}

// finish makes the missing checkpoints.
func (t *ctxThread) finish(x *Index) {
	if len(t.blocks) == 0 {
		t.blocks = append(t.blocks, Tokens{})
	}
	for len(t.most) < (len(t.ids)+ctxBlock-1)/ctxBlock {
		from := len(t.most) * ctxBlock
		sum, most := t.blocks[len(t.most)], int64(0)
		for _, id := range t.ids[from:min(from+ctxBlock, len(t.ids))] {
			w := x.Weigh(id, x.Snap.HeadRow(id))
			if _, ok := x.Tokens.Message(id); !ok || w.unsized > 0 && t.images == nil {
				x.guessed = true
			}
			sum.add(&w, 1)
			most = max(most, w.Sum())
		}
		t.most = append(t.most, uint32(min(most, 1<<32-1)))
		t.blocks = append(t.blocks[:len(t.most)], sum)
	}
}

// sumTools adds up the results of each tool, run by run.
func (x *Index) sumTools() {
	names := len(x.Snap.Names())
	for i := range x.threads {
		t := &x.threads[i]
		t.tools = make([][]int64, (len(t.ids)+ctxTools-1)/ctxTools)
	}
	for i := range x.Snap.CallCount() {
		c := x.Snap.Call(model.CallID(i))
		if c.Result == model.NoID || x.place[c.Result] == 0 {
			continue
		}
		t := &x.threads[x.Snap.HeadRow(c.Result).Thread]
		k := int(x.place[c.Result]-1) / ctxTools
		if t.tools[k] == nil {
			t.tools[k] = make([]int64, names)
		}
		t.tools[k][c.Tool] += x.resultTokens(model.CallID(i), c)
	}
}

// resultTokens returns the tokens of a result that the model received: none for a result inside a
// script.
func (x *Index) resultTokens(id model.CallID, c *model.Call) int64 {
	if c.Inside > 0 || x.cleared(c.Result, x.Snap.HeadRow(c.Result)) {
		return 0
	}
	if n, ok := x.Tokens.Call(id); ok {
		return int64(n.Result)
	}
	return int64(c.ResultSize) / bytesAToken
}

// Weigh returns the tokens of a message by kind.
func (x *Index) Weigh(id model.ID, h *model.Head) (w Tokens) {
	n, ok := x.Tokens.Message(id)
	content, calls, results := int64(n.Content), int64(n.Calls), int64(n.Results)
	if !ok {
		content, calls, results = x.guess(id, h)
	}
	madeInside, estimatedInside := x.inside(id, h)
	calls, results = max(calls-madeInside, 0), max(results-estimatedInside, 0)
	cleared := x.cleared(id, h)
	if cleared {
		results = 0
	}
	w.Reasoning, w.Calls, w.Results = int64(n.Reasoning), calls, results
	if ok && h.Flags&model.HasMedia != 0 && !cleared {
		x.imagesOf(id, h, &w)
	}
	switch {
	case h.Flags&model.Recap != 0:
		w.Summary = content
	case h.Role == model.System || h.Role == model.Developer:
		w.System = content
	case h.Flags&model.Injected != 0:
		w.Injected = content
	case h.Role == model.Assistant:
		w.Assistant = content
	case h.Role == model.Tool:
		w.Results += content
	default:
		w.User = content
	}
	return w
}

// inside returns the tokens of calls that a script made, and of their results: the model only
// receives the output of the script.
func (x *Index) inside(id model.ID, h *model.Head) (calls, results int64) {
	answers := h.Flags&model.HasResults != 0
	for row := h.LastCall; row != model.NoRow; {
		c := x.Snap.Call(model.CallID(row))
		if c.Inside > 0 {
			n, ok := x.Tokens.Call(model.CallID(row))
			if !ok {
				n = query.CallTokens{Args: c.ArgsSize / bytesAToken, Result: c.ResultSize / bytesAToken}
			}
			if c.Msg == id {
				calls += int64(n.Args)
			}
			if c.Result == id {
				results += int64(n.Result)
			}
		}
		if row = c.Prev; answers {
			row = c.PrevResult
		}
	}
	return calls, results
}

// total returns the sum of the tokens from Weigh.
func (x *Index) total(id model.ID, h *model.Head) int64 {
	n, ok := x.Tokens.Message(id)
	if !ok || h.Flags&(model.HasMedia|model.Compacted) != 0 {
		w := x.Weigh(id, h)
		return w.Sum()
	}
	calls, results := x.inside(id, h)
	return int64(n.Content) + int64(n.Reasoning) + max(int64(n.Calls)-calls, 0) + max(int64(n.Results)-results, 0)
}

// guess estimates tokens from sizes.
func (x *Index) guess(id model.ID, h *model.Head) (content, calls, results int64) {
	size := int64(h.Size)
	for row := h.LastCall; row != model.NoRow; { // the chain, without allocating
		c := x.Snap.Call(model.CallID(row))
		if h.Flags&model.HasResults != 0 {
			results += int64(c.ResultSize)
			row = c.PrevResult
			continue
		}
		calls += int64(c.ArgsSize)
		if c.Result == id {
			results += int64(c.ResultSize)
		}
		row = c.Prev
	}
	calls = min(calls, size)
	if h.Flags&model.HasMedia != 0 { // the data of an image is not text
		return 0, calls / bytesAToken, results / bytesAToken
	}
	if h.Role == model.Tool {
		return 0, calls / bytesAToken, (size - calls) / bytesAToken
	}
	results = min(results, size-calls)
	return (size - calls - results) / bytesAToken, calls / bytesAToken, results / bytesAToken
}

// sum returns the tokens of the entries from a to before b.
func (x *Index) sum(t *ctxThread, a, b int) (w Tokens) {
	w = x.prefix(t, b)
	before := x.prefix(t, a)
	w.add(&before, -1)
	return w
}

func (x *Index) prefix(t *ctxThread, n int) Tokens {
	w := t.blocks[n/ctxBlock]
	for _, id := range t.ids[n/ctxBlock*ctxBlock : n] {
		m := x.Weigh(id, x.Snap.HeadRow(id))
		w.add(&m, 1)
	}
	return w
}

// ctxRange is the visible part of a thread at a message: the system prompt, the entries from a to
// before b, and the path to a message off the live branch.
type ctxRange struct {
	t      *ctxThread
	thread uint32
	head   int // visible entries at the beginning, followed by those from a to b
	a, b   int
	cut    *ctxCut    // the last compaction before it, nil if there is none
	extra  []model.ID // of an abandoned branch
	own    bool       // the message itself is included, because the next request has it
}

// at finds the context of a message: for an assistant's message the context that it answered, for
// any other the context of the next request.
func (x *Index) at(id model.ID) ctxRange {
	h := x.Snap.HeadRow(id)
	r := ctxRange{t: &x.threads[h.Thread], thread: h.Thread, own: h.Role != model.Assistant}
	if k := x.place[id]; k > 0 {
		r.b = int(k) - 1
		if r.own {
			r.b++
		}
	} else {
		r.b = x.aside(id, h, &r)
	}
	cuts := r.t.cuts
	i := sort.Search(len(cuts), func(i int) bool { return cuts[i].at > r.b || cuts[i].at == r.b && r.own && x.place[id] > 0 })
	if i > 0 {
		r.cut = &cuts[i-1]
		r.a = max(r.cut.at-r.cut.keep, 0)
		r.head = r.cut.first
	}
	r.head = min(max(r.head, r.t.head), r.b)
	r.a = min(max(r.a, r.head), r.b)
	return r
}

// aside finds the context of a message that is not an entry itself: the path to it from the live
// branch.
func (x *Index) aside(id model.ID, h *model.Head, r *ctxRange) int {
	row := x.Snap.RowNumber(id)
	end := sort.Search(len(r.t.ids), func(i int) bool { return x.Snap.RowNumber(r.t.ids[i]) >= row })
	if h.Flags&(model.OffBranch|model.Rewound) == 0 {
		return end
	}
	if r.own {
		r.extra = append(r.extra, id)
	}
	for at := h.Parent; at != model.NoID && at < id; {
		p := x.Snap.HeadRow(at)
		if k := x.place[at]; k > 0 && p.Thread == h.Thread {
			end = int(k)
			break
		}
		if p.Op == model.Say && p.Thread == h.Thread {
			r.extra = append(r.extra, at)
		}
		id, at = at, p.Parent
	}
	slices.Reverse(r.extra)
	return end
}

// Seen returns the messages that the model saw at a message, in order: the system prompt, then the
// messages that no compaction had removed.
func (x *Index) Seen(at model.ID) []model.ID {
	r := x.at(at)
	ids := slices.Clone(r.t.ids[:r.head])
	ids = append(ids, r.t.ids[r.a:r.b]...)
	return append(ids, r.extra...)
}

// imagesOf adds the images of a message to its weight.
func (x *Index) imagesOf(id model.ID, h *model.Head, w *Tokens) {
	if int(h.Thread) >= len(x.threads) {
		return // the caller only weighs texts
	}
	rule := x.threads[h.Thread].images
	for _, size := range x.Tokens.Images[id] {
		w.pictures++
		if rule == nil || size.W == 0 {
			w.unsized++
			continue
		}
		w.Images += int64(math.Ceil(rule(float64(size.W), float64(size.H))))
	}
}

// Sent is the context of a request: the entries of a thread before Head, and those from From to
// before To. Extra are messages of an abandoned branch. Summary counts the tokens of a compaction
// without a message for its summary.
type Sent struct {
	Thread         uint32
	Head, From, To int
	Summary        int64
	Extra          []model.ID
}

// SentWith returns the context of the request behind a response. [Index.Seen] has the same as a
// list.
func (x *Index) SentWith(response model.ID) Sent {
	r := x.at(response)
	s := Sent{Thread: r.thread, Head: r.head, From: r.a, To: r.b, Extra: r.extra}
	if r.cut != nil {
		s.Summary = r.cut.noteTokens()
	}
	return s
}

// Entries returns the messages of a thread that a model can see, in order. It must not be changed.
func (x *Index) Entries(thread uint32) []model.ID { return x.threads[thread].ids }

// Entry returns the index of a message among the entries of its thread, -1 if it is not one.
func (x *Index) Entry(id model.ID) int { return int(x.place[id]) - 1 }

// Weight returns the tokens of a message, the sum of [Index.Weigh].
func (x *Index) Weight(id model.ID) int64 { return x.total(id, x.Snap.HeadRow(id)) }

// CallWeight returns the tokens of a call's arguments and of its result in the context. It is 0 for
// a call inside a script, because the context has only the output of the script.
func (x *Index) CallWeight(id model.CallID) (args, result int64) {
	c := x.Snap.Call(id)
	if c.Inside > 0 {
		return 0, 0
	}
	if c.Result != model.NoID {
		result = x.resultTokens(id, c)
	}
	if n, ok := x.Tokens.Call(id); ok {
		return int64(n.Args), result
	}
	return int64(c.ArgsSize) / bytesAToken, result
}
