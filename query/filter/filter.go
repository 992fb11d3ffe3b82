package filter

import (
	"context"
	"fmt"
	"math/bits"
	"slices"
	"time"

	"turns/model"
	"turns/query"
	"turns/query/human"
	"turns/query/label"
	"turns/query/lang"
)

// Env is the input of a filter apart from the conversation. The zero value suffices for filters
// that use none of it.
type Env struct {
	Now    time.Time
	Loc    *time.Location   // zone of times without one; nil is UTC
	Tokens TokenLookup      // nil or unknown message: terms about tokens are undecided
	Turns  *query.TurnIndex // of the snapshot; nil: computed on demand
	Labels *label.Here      // annotations of people; nil: none
	Read   int              // rows that the reader has seen: is:unread selects those after them
	// effects of a call, as values of does:, usually describe.Does; nil: does: never matches
	Does func(call *model.Content) []string
	// number of messages with texts read so far; called from the caller's goroutine; may be nil
	Progress func(done, total int)
}

// TokenLookup returns the token counts of messages counted so far.
type TokenLookup interface {
	Message(id model.ID) (n query.TextTokens, ok bool)
}

// BlockSet is a set of the kinds of matching blocks in a message, apart from calls and results.
type BlockSet uint8

// The blocks of a BlockSet.
const (
	BlockWords     = BlockSet(markWords)
	BlockReasoning = BlockSet(markReasoning)
	BlockMedia     = BlockSet(markMedia)
	BlockOther     = BlockSet(markOther) // anything else: bookkeeping, an empty message
)

// BlockOf returns the set with one kind of block.
func BlockOf(kind model.BlockKind) BlockSet {
	switch kind {
	case model.Words:
		return BlockWords
	case model.Reasoning:
		return BlockReasoning
	case model.Media:
		return BlockMedia
	}
	return BlockOther
}

// Rows returns the number of kinds. BlockOther counts only if it is the only one.
func (b BlockSet) Rows() int {
	if b != BlockOther {
		b &^= BlockOther
	}
	return bits.OnesCount8(uint8(b))
}

// Match is a matching message and its matching parts.
type Match struct {
	ID     model.ID
	Blocks BlockSet
	// calls that the message made or answers; in a yielded Match valid only during the call
	Calls []model.CallID
}

// Result is the matches of a filter.
type Result struct {
	IDs    []model.ID // in the order of the selection
	Blocks []BlockSet // of each message, the matching blocks
	calls  *bitset

	Rows      int   // rows on screen: a call and its result are one
	Estimated bool  // Rows is an estimate: one row per kind of block in a message
	Messages  int   // matching messages: len(IDs)
	Counting  int   // undecided messages, until tokens are counted
	Unread    int   // unreadable messages, which did not match
	Err       error // error of the first of them
	Steps     Steps // how it was decided
}

// HasCall reports whether the row of a call matches.
func (r *Result) HasCall(id model.CallID) bool { return r.calls.has(uint32(id)) }

// Selection returns the matching messages.
func (r *Result) Selection(s *model.Snapshot) query.Selection {
	sel := query.Selection{Snap: s, IDs: r.IDs}
	if r.calls != nil {
		sel.Calls = r.calls.words
	}
	return sel
}

// String summarises a result for the filter bar, out of total messages.
func (r *Result) String(total int) string {
	about := ""
	if r.Estimated {
		about = "~"
	}
	return fmt.Sprintf("%s%s, %s of %s", about, human.Plural(r.Rows, "row"), human.Count(r.Messages), human.Plural(total, "message"))
}

// Matcher is a filter compiled for a snapshot. It is immutable and safe for concurrent use.
type Matcher struct {
	filter *lang.Filter
	env    Env
	snap   *model.Snapshot
	root   *node   // nil: everything matches
	passed []*leaf // terms with literals worth a search
	set    *bitset // rows that could contain them, if already known
	search bool    // in tests: search the recorded bytes even if that is slower
}

// NewMatcher compiles a filter. It fails only for a regex that no engine accepts.
func NewMatcher(f *lang.Filter, s *model.Snapshot, env Env) (*Matcher, error) {
	m := &Matcher{filter: f, env: env, snap: s}
	if f.Empty() {
		return m, nil
	}
	c := &compiler{snap: s, env: &m.env, last: time.Time{}}
	if usesAgo(f) {
		c.last = lastTime(s)
	}
	root, err := c.node(f.Root(), false, false)
	if err != nil {
		return nil, fmt.Errorf("filter %q: %w", human.CutText(f.Source(), 80), err)
	}
	m.root = root
	var worth int
	if m.passed, worth = root.required(nil); worth == 0 {
		m.passed = root.withLiterals(nil)
	}
	return m, nil
}

func usesAgo(f *lang.Filter) bool {
	for t := range f.Terms {
		for i := range t.Values {
			v := &t.Values[i]
			if t.Key == lang.KeyTime && (v.Lo != nil && v.Lo.Time.Form == lang.MomentAgo || v.Hi != nil && v.Hi.Time.Form == lang.MomentAgo) {
				return true
			}
		}
	}
	return false
}

// lastTime returns the time of the last record in a session, zero if none is recorded.
func lastTime(s *model.Snapshot) time.Time {
	var last int64
	for i := range s.Rows() {
		last = max(last, s.HeadRow(model.ID(i)).Time)
	}
	if last == 0 {
		return time.Time{}
	}
	return time.UnixMilli(last)
}

// Apply filters a selection.
func Apply(ctx context.Context, sel query.Selection, f *lang.Filter, env Env) (Result, error) {
	m, err := NewMatcher(f, sel.Snap, env)
	if err != nil {
		return Result{}, err
	}
	return m.Apply(ctx, sel.IDs)
}

// Apply filters messages of the snapshot.
func (m *Matcher) Apply(ctx context.Context, ids []model.ID) (Result, error) {
	r := Result{calls: newBitset(m.snap.CallCount())}
	err := m.run(ctx, ids, &r, func(match Match) bool {
		r.add(match)
		return true
	})
	r.count()
	return r, err
}

func (r *Result) add(match Match) {
	if len(r.IDs) == cap(r.IDs) { // append by itself copies a long list several times
		r.IDs, r.Blocks = slices.Grow(r.IDs, len(r.IDs)), slices.Grow(r.Blocks, len(r.IDs))
	}
	r.IDs = append(r.IDs, match.ID)
	r.Blocks = append(r.Blocks, match.Blocks)
	for _, c := range match.Calls {
		r.calls.add(uint32(c))
	}
}

func (r *Result) count() {
	r.Rows, r.Messages = 0, len(r.IDs)
	r.Estimated = false
	for _, b := range r.Blocks {
		r.Rows += b.Rows()
		r.Estimated = r.Estimated || b != 0
	}
	for _, w := range r.calls.words {
		r.Rows += bits.OnesCount64(w)
	}
}

// Scan yields the matches of a selection in order while it finds them, until yield returns false.
// The Result counts only undecided and unreadable messages.
func Scan(ctx context.Context, sel query.Selection, f *lang.Filter, env Env, yield func(Match) bool) (Result, error) {
	m, err := NewMatcher(f, sel.Snap, env)
	if err != nil {
		return Result{}, err
	}
	return m.Scan(ctx, sel.IDs, yield)
}

// Scan is the function Scan with a compiled filter.
func (m *Matcher) Scan(ctx context.Context, ids []model.ID, yield func(Match) bool) (Result, error) {
	var r Result
	err := m.run(ctx, ids, &r, yield)
	return r, err
}

// Update returns the result of Apply over all messages of a later snapshot, from the result for an
// earlier one: it examines only changes since the version of old. If a term depends on more than
// the messages (positions, turns, counted tokens, the end of the session), it examines all.
func (m *Matcher) Update(ctx context.Context, old Result, s *model.Snapshot, since uint64) (*Matcher, Result, error) {
	env := m.env
	if env.Turns != nil {
		env.Turns = env.Turns.Extend(s)
	}
	next, err := NewMatcher(m.filter, s, env)
	if err != nil {
		return nil, Result{}, err
	}
	next.search = m.search
	if next.wide() || old.Counting > 0 || old.Unread > 0 {
		r, err := next.Apply(ctx, s.LiveIDs())
		return next, r, err
	}
	changed, redo := next.affected(since)
	r := Result{calls: newBitset(s.CallCount())}
	copy(r.calls.words, old.calls.words)
	for id := range changed {
		for _, c := range pairsOf(s, id) {
			r.calls.remove(uint32(c.ID))
		}
	}
	var fresh Result
	fresh.calls = r.calls
	if err := next.run(ctx, redo, &r, func(match Match) bool { fresh.add(match); return true }); err != nil {
		return nil, Result{}, err
	}
	r.IDs = make([]model.ID, 0, len(old.IDs)+len(fresh.IDs))
	r.Blocks = make([]BlockSet, 0, cap(r.IDs))
	again := make(map[model.ID]bool, len(redo))
	for _, id := range redo {
		again[id] = true
	}
	for i, id := range old.IDs {
		if !again[id] && !changed[id] {
			r.IDs, r.Blocks = append(r.IDs, id), append(r.Blocks, old.Blocks[i])
		}
	}
	r.merge(s, fresh.IDs, fresh.Blocks)
	r.count()
	return next, r, nil
}

// merge adds matches in the order of their positions; usually all are after the existing ones.
func (r *Result) merge(s *model.Snapshot, ids []model.ID, blocks []BlockSet) {
	if len(ids) == 0 {
		return
	}
	n := len(r.IDs)
	r.IDs, r.Blocks = append(r.IDs, ids...), append(r.Blocks, blocks...)
	if n == 0 || s.Pos(r.IDs[n-1]) < s.Pos(ids[0]) {
		return
	}
	order := make([][2]int, len(r.IDs))
	for i, id := range r.IDs {
		order[i] = [2]int{s.Pos(id), i}
	}
	slices.SortFunc(order, func(a, b [2]int) int { return a[0] - b[0] })
	oldIDs, oldBlocks := slices.Clone(r.IDs), slices.Clone(r.Blocks)
	for i, o := range order {
		r.IDs[i], r.Blocks[i] = oldIDs[o[1]], oldBlocks[o[1]]
	}
}

// wide reports whether the filter depends on more than the changed messages.
func (m *Matcher) wide() bool {
	if m.filter.Uses(lang.KeyIndex, lang.KeyTurn, lang.KeyStep, lang.KeyTokens, lang.KeyThread, lang.KeyAgent, lang.KeySession, lang.KeyTitle, lang.KeyProject, lang.KeyEnd) || usesAgo(m.filter) || AsksLabels(m.filter) {
		return true
	}
	for t := range m.filter.Terms {
		if asksCache(t) || t.Key == lang.KeyIs && slices.ContainsFunc(t.Values, func(v lang.Value) bool { return v.Text == "retry" || v.Text == "compacted" }) {
			return true
		}
	}
	return false
}

// affected returns the changed rows, and the live messages to examine again by position: the
// changed ones and their pairs.
func (m *Matcher) affected(since uint64) (changed map[model.ID]bool, redo []model.ID) {
	changed = map[model.ID]bool{}
	seen := map[model.ID]bool{}
	add := func(id model.ID) {
		if id != model.NoID && !seen[id] {
			seen[id] = true
			if m.snap.Pos(id) >= 0 {
				redo = append(redo, id)
			}
		}
	}
	for id := range m.snap.Changed(since) {
		changed[id] = true
		add(id)
		for _, c := range pairsOf(m.snap, id) {
			add(c.Msg)
			add(c.Result)
		}
	}
	slices.SortFunc(redo, func(a, b model.ID) int { return m.snap.Pos(a) - m.snap.Pos(b) })
	return changed, redo
}

// pairsOf returns the calls that a message made or answers.
func pairsOf(s *model.Snapshot, id model.ID) []model.CallRow {
	if s.HeadRow(id).Flags&model.HasResults != 0 {
		return s.Answers(id)
	}
	return s.Calls(id)
}
