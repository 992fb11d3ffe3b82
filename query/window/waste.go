package window

import (
	"context"
	"hash/maphash"
	"path"
	"slices"
	"strings"

	"turns/model"
	"turns/query"
	"turns/query/answer"
	"turns/query/describe"
	"turns/query/human"
)

// WasteAnswer lists the parts of a conversation that used room and may have been unnecessary.
type WasteAnswer struct {
	Version int            `json:"version"`
	Repeats []RepeatedCall `json:"repeated_calls"`
	// results of repeated calls with the same arguments
	RepeatedTokens int64          `json:"repeated_tokens"`
	SameTokens     int64          `json:"same_tokens"` // of them, results with the same text
	Unused         []UnusedResult `json:"never_referred_to"`
	UnusedTokens   int64          `json:"never_referred_to_tokens"`
	Results        int64          `json:"result_tokens"`
}

// RepeatedCall is a call repeated with the same arguments.
type RepeatedCall struct {
	Tool  human.TextOrNull `json:"tool_name"`
	About human.TextOrNull `json:"about"`
	Times int              `json:"times"`
	// number of later ones with the same result as the previous one
	Same   int            `json:"same_result"`
	Tokens int64          `json:"tokens"` // results of all but the first
	ID     model.ID       `json:"-"`      // message of the last one
	Calls  []model.CallID `json:"-"`
	At     []int          `json:"indexes"`
}

// UnusedResult is a result whose subject (a file, an address, an id) is not mentioned afterwards: a
// hint, not a proof.
type UnusedResult struct {
	Tool   human.TextOrNull `json:"tool_name"`
	About  human.TextOrNull `json:"about"`
	Index  human.Index      `json:"index"`
	ID     model.ID         `json:"-"`
	Call   model.CallID     `json:"-"`
	Tokens int64            `json:"tokens"`
}

// wasteListed is the number of items of each sort in an answer.
const wasteListed = 50

// unusedFrom is the minimum size in tokens of a result worth reporting.
const unusedFrom = 200

type wasteWalk struct {
	snap    *model.Snapshot
	seed    maphash.Seed
	seen    map[uint64]*RepeatedCall
	last    map[uint64]uint64 // hash of the last result by call
	order   []*RepeatedCall
	args    map[model.CallID]uint64 // of calls that wait for their result
	keys    map[string]int          // subject: number of the last message that mentioned it
	subject map[model.CallID]string
	made    map[model.CallID]int
	results []model.CallID
	weigh   func(model.CallID, *model.Call) int64
}

// Waste finds repeated results and results that no later message refers to, in one pass over the
// texts of a selection. It calls progress, which may be nil, with the number of messages read.
func (x *Index) Waste(ctx context.Context, sel query.Selection, progress func(done, total int)) (*WasteAnswer, error) {
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
		if progress != nil {
			progress(n+1, sel.Len())
		}
	}
	a := &WasteAnswer{Version: human.AnswerVersion, Repeats: []RepeatedCall{}, Unused: []UnusedResult{}}
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
		a.Unused = append(a.Unused, UnusedResult{human.TextOrNull(query.ToolName(w.snap, c)), human.TextOrNull(human.OneLine(key, 80)), human.Index(w.snap.Pos(c.Msg)), c.Msg, id, n})
	}
	slices.SortStableFunc(a.Unused, func(p, q UnusedResult) int { return int(q.Tokens - p.Tokens) })
	a.Unused = a.Unused[:min(len(a.Unused), wasteListed)]
	read := query.NewPairs(w.snap)
	for i := range a.Repeats {
		if err := w.describe(ctx, read, &a.Repeats[i]); err != nil {
			return nil, err
		}
	}
	a.SameTokens = w.same(a)
	return a, nil
}

func (w *wasteWalk) same(a *WasteAnswer) (n int64) {
	for i := range a.Repeats {
		r := &a.Repeats[i]
		n += r.Tokens * int64(r.Same) / int64(r.Times-1)
	}
	return n
}

func (w *wasteWalk) describe(ctx context.Context, read *query.Pairs, r *RepeatedCall) error {
	c, err := read.Read(ctx, r.Calls[0])
	if err != nil || c.Call == nil {
		return err
	}
	r.About = human.TextOrNull(describe.NewDescriber(w.snap.Session(c.Row.Msg)).Call(c.Call, c.Result, c.Row).About)
	return nil
}

func (w *wasteWalk) message(m *model.Message, n int) {
	calls, block := query.CallsOf(w.snap, m.ID), 0
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

// mention records the subjects of results that a text mentions.
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
		r = &RepeatedCall{Tool: human.TextOrNull(query.ToolName(w.snap, c))}
		w.seen[h] = r
		w.order = append(w.order, r)
	}
	r.Times++
	r.ID = c.Msg
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

// subjectOf returns the name by which later texts would refer to a result, such as the last part of
// a path. Commands have none: their output has no name.
func subjectOf(b *model.Content) string {
	args := describe.ParseArgs(b)
	p := args.Get("file_path", "path", "filepath", "absolute_path", "filename", "url", "uri", "id", "notebook_path", "relative_workspace_path")
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

// wasteShown is the number of printed items of each sort.
const wasteShown = 15

// addTo adds both lists to an answer.
func (a *WasteAnswer) addTo(d *answer.Doc) {
	d.Add(answer.Section{
		Text:  []string{"repeated calls  " + a.RepeatedNote(human.Count)},
		Table: answer.OfList(answer.Pick(RepeatColumns(), "what", "times", "same", "tokens", "about", "messages"), a.Repeats[:min(len(a.Repeats), wasteShown)]),
	})
	d.Add(answer.Section{
		Text:  []string{"never referred to again  " + human.Count(a.UnusedTokens) + " tokens in " + human.Plural(len(a.Unused), "result") + " (by the name of their subject: a hint, no proof)"},
		Table: answer.OfList(answer.Pick(UnusedColumns(), "what", "place", "tokens", "about"), a.Unused[:min(len(a.Unused), wasteShown)]),
	})
}

// RepeatedNote sums the repeated calls; size formats a number of tokens.
func (a *WasteAnswer) RepeatedNote(size func(int64) string) string {
	return size(a.RepeatedTokens) + " of " + size(a.Results) + " result tokens, " + size(a.SameTokens) + " the same again"
}
