package query

import (
	"context"
	"hash/maphash"
	"path"
	"slices"
	"strings"

	"turns/model"
)

// ContextPoint is the context at a message of a run.
type ContextPoint struct {
	ID        model.ID      `json:"-"`
	Index     int           `json:"index"`
	Tokens    ContextTokens `json:"tokens_by_kind"`
	Measured  *int64        `json:"measured_tokens"`
	Compacted bool          `json:"compacted"` // a compaction lies between the point before and this
}

// Series is the context over a thread at up to n points, the last message among
// them: what a stacked bar over the run is drawn from. It costs the points, not
// the run.
func (x *ContextIndex) Series(thread uint32, n int) []ContextPoint {
	if int(thread) >= len(x.threads) || n <= 0 {
		return nil
	}
	t := &x.threads[thread]
	n = min(n, len(t.ids))
	points := make([]ContextPoint, 0, n)
	cuts := 0
	for k := range n {
		i := (k+1)*len(t.ids)/n - 1
		id := t.ids[i]
		r := x.at(id)
		p := ContextPoint{ID: id, Index: x.snap.Pos(id), Tokens: x.tokensOf(&r)}
		if at := x.response(&r); at >= 0 {
			if m, ok := ContextOf(x.snap, t.ids[at]); ok {
				p.Measured = &m
			}
		}
		before := cuts
		for cuts < len(t.cuts) && t.cuts[cuts].at <= i {
			cuts++
		}
		p.Compacted = cuts > before
		points = append(points, p)
	}
	return points
}

// TurnGrowth is what a turn added to the context.
type TurnGrowth struct {
	Turn      int           `json:"turn"`
	ID        model.ID      `json:"-"`
	Index     int           `json:"index"` // position of its first message
	Added     ContextTokens `json:"added_by_kind"`
	Sum       int64         `json:"added_tokens"`
	Measured  *int64        `json:"measured_tokens"` // of its last request
	Compacted int           `json:"compactions"`
}

// Growth is what each turn added to the context of the main threads.
func (x *ContextIndex) Growth(turns *TurnIndex) []TurnGrowth {
	list := make([]TurnGrowth, turns.Len())
	for i := range list {
		list[i] = TurnGrowth{Turn: i, ID: turns.First(i), Index: x.snap.Pos(turns.First(i))}
	}
	for i := range x.threads {
		t := &x.threads[i]
		if !x.snap.Threads()[i].Main {
			continue
		}
		cut := 0
		for n, id := range t.ids {
			turn := turns.Turn(id)
			if turn < 0 {
				continue
			}
			g := &list[turn]
			w := x.weigh(id, x.snap.HeadRow(id))
			g.Added.add(&w, 1)
			if m, ok := ContextOf(x.snap, id); ok {
				g.Measured = &m
			}
			for cut < len(t.cuts) && t.cuts[cut].at <= n {
				cut++
				g.Compacted++
			}
		}
	}
	for i := range list {
		list[i].Sum = list[i].Added.Sum()
	}
	return list
}

// WasteAnswer is what of a conversation took room and may not have been needed.
type WasteAnswer struct {
	Version        int            `json:"version"`
	Repeats        []RepeatedCall `json:"repeated_calls"`
	RepeatedTokens int64          `json:"repeated_tokens"` // results of calls that were made before with the same arguments
	SameTokens     int64          `json:"same_tokens"`     // of them, results that said the same
	Unused         []UnusedResult `json:"never_referred_to"`
	UnusedTokens   int64          `json:"never_referred_to_tokens"`
	Results        int64          `json:"result_tokens"`
}

// RepeatedCall is a call that was made more than once with the same arguments.
type RepeatedCall struct {
	Tool   string         `json:"tool_name"`
	About  string         `json:"about"`
	Times  int            `json:"times"`
	Same   int            `json:"same_result"` // of the later ones, how many gave what the one before gave
	Tokens int64          `json:"tokens"`      // results of all but the first
	Calls  []model.CallID `json:"-"`
	At     []int          `json:"indexes"`
}

// UnusedResult is a result whose subject (a file, an address, an id) is not
// mentioned afterwards: a hint, no proof.
type UnusedResult struct {
	Tool   string       `json:"tool_name"`
	About  string       `json:"about"`
	Index  int          `json:"index"`
	ID     model.ID     `json:"-"`
	Call   model.CallID `json:"-"`
	Tokens int64        `json:"tokens"`
}

// wasteListed is how many items of each sort an answer names.
const wasteListed = 50

// unusedFrom is the size in tokens from which a result is worth a look.
const unusedFrom = 200

type wasteWalk struct {
	snap    *model.Snapshot
	seed    maphash.Seed
	seen    map[uint64]*RepeatedCall
	last    map[uint64]uint64 // hash of the last result by call
	order   []*RepeatedCall
	args    map[model.CallID]uint64 // of calls that wait for their result
	keys    map[string]int          // subject: number of the message that mentioned it last
	subject map[model.CallID]string
	made    map[model.CallID]int
	results []model.CallID
	weigh   func(model.CallID, *model.Call) int64
}

// Waste looks for results that were had before and results that nothing refers to
// again, in one pass over the texts of a selection.
func (x *ContextIndex) Waste(ctx context.Context, sel Selection) (*WasteAnswer, error) {
	w := &wasteWalk{
		snap: sel.Snap, seed: maphash.MakeSeed(), seen: map[uint64]*RepeatedCall{}, last: map[uint64]uint64{}, args: map[model.CallID]uint64{},
		keys: map[string]int{}, subject: map[model.CallID]string{}, made: map[model.CallID]int{}, weigh: x.resultTokens,
	}
	for n, id := range sel.IDs {
		m, err := sel.Snap.Body(ctx, id)
		if err != nil {
			return nil, err
		}
		w.message(m, n)
	}
	a := &WasteAnswer{Version: AnswerVersion, Repeats: []RepeatedCall{}, Unused: []UnusedResult{}}
	for _, r := range w.order {
		if r.Times > 1 {
			a.Repeats = append(a.Repeats, *r)
			a.RepeatedTokens += r.Tokens
		}
	}
	slices.SortStableFunc(a.Repeats, func(p, q RepeatedCall) int { return int(q.Tokens - p.Tokens) })
	a.Repeats = a.Repeats[:min(len(a.Repeats), wasteListed)]
	for _, id := range w.results {
		c := w.snap.Call(id)
		n := w.weigh(id, c)
		a.Results += n
		key := w.subject[id]
		if n < unusedFrom || key == "" || c.Outcome.Failed() || w.keys[key] > w.made[id] {
			continue
		}
		a.UnusedTokens += n
		a.Unused = append(a.Unused, UnusedResult{toolName(w.snap, c), oneLine(key, 80), w.snap.Pos(c.Msg), c.Msg, id, n})
	}
	slices.SortStableFunc(a.Unused, func(p, q UnusedResult) int { return int(q.Tokens - p.Tokens) })
	a.Unused = a.Unused[:min(len(a.Unused), wasteListed)]
	for i := range a.Repeats {
		if err := w.describe(ctx, &a.Repeats[i]); err != nil {
			return nil, err
		}
	}
	a.SameTokens = w.same(a)
	return a, nil
}

func (w *wasteWalk) same(a *WasteAnswer) (n int64) {
	for i := range a.Repeats {
		if r := &a.Repeats[i]; r.Times > 1 {
			n += r.Tokens * int64(r.Same) / int64(r.Times-1)
		}
	}
	return n
}

func (w *wasteWalk) describe(ctx context.Context, r *RepeatedCall) error {
	c, err := ReadCall(ctx, w.snap, r.Calls[0])
	if err != nil || c.Call == nil {
		return err
	}
	r.About = NewDescriber(w.snap.Session(c.Row.Msg)).Call(c.Call, c.Result, c.Row).About
	return nil
}

func (w *wasteWalk) message(m *model.Message, n int) {
	calls, block := callsOf(w.snap, m.ID), 0
	answers, answer := w.snap.Answers(m.ID), 0
	for i := range m.Blocks {
		b := &m.Blocks[i]
		switch b.Kind {
		case model.Words, model.Reasoning:
			if m.Role != model.Tool {
				w.mention(b.Text, n)
			}
		case model.ToolCall:
			w.mention(b.Text, n)
			if block < len(calls) {
				w.call(calls[block].ID, &calls[block].Call, b, n)
			}
			block++
		case model.ToolResult:
			if answer < len(answers) {
				w.result(answers[answer].ID, b)
			} else if answer < len(calls) && calls[answer].Result == m.ID {
				w.result(calls[answer].ID, b)
			}
			answer++
		}
	}
}

// mention notes the names in a text that results are about.
func (w *wasteWalk) mention(text string, n int) {
	start := -1
	for i := 0; i <= len(text); i++ {
		if i < len(text) && nameByte(text[i]) {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 {
			word := strings.Trim(text[start:i], ".-")
			if _, ok := w.keys[word]; ok {
				w.keys[word] = n
			}
		}
		start = -1
	}
}

func nameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.' || c >= 0x80
}

func (w *wasteWalk) call(id model.CallID, c *model.Call, b *model.Content, n int) {
	h := maphash.String(w.seed, w.snap.Name(c.Tool)+"\x00"+strings.TrimSpace(b.Text))
	w.args[id] = h
	w.made[id] = n
	r := w.seen[h]
	if r == nil {
		r = &RepeatedCall{Tool: toolName(w.snap, c)}
		w.seen[h] = r
		w.order = append(w.order, r)
	}
	r.Times++
	r.Calls = append(r.Calls, id)
	r.At = append(r.At, w.snap.Pos(c.Msg))
	if key := subjectOf(b); key != "" {
		w.subject[id] = key
		w.keys[key] = n
	}
}

func (w *wasteWalk) result(id model.CallID, b *model.Content) {
	h, ok := w.args[id]
	if !ok {
		return
	}
	w.results = append(w.results, id)
	r := w.seen[h]
	text := maphash.String(w.seed, b.Text)
	if before, ok := w.last[h]; ok {
		r.Tokens += w.weigh(id, w.snap.Call(id))
		if before == text {
			r.Same++
		}
	}
	w.last[h] = text
}

// subjectOf is the name by which a result would be referred to: of a path its
// last part. Commands have none: what they print is not named.
func subjectOf(b *model.Content) string {
	args := parseArgs(b)
	p := args.get("file_path", "path", "filepath", "absolute_path", "filename", "url", "uri", "id", "notebook_path", "relative_workspace_path")
	if p == "" || len(p) > 1024 {
		return ""
	}
	p = strings.TrimRight(strings.ReplaceAll(p, `\`, "/"), "/")
	if p = strings.Trim(path.Base(p), ".-"); len(p) < 3 {
		return ""
	}
	for i := range len(p) {
		if !nameByte(p[i]) {
			return ""
		}
	}
	return p
}
