package window

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"turns/model"
	"turns/query"
	"turns/query/describe"
	"turns/query/human"
	"turns/query/summary"
)

// Answer is the context of the model at a message.
type Answer struct {
	Version int         `json:"version"`
	Index   human.Index `json:"index"` // position of the message; null: none
	// its position among the messages of the chosen session; null: no session was chosen
	InSession *int             `json:"index_in_session"`
	ID        model.ID         `json:"-"`
	Role      string           `json:"role"`
	Note      human.TextOrNull `json:"note"`
	Agent     human.TextOrNull `json:"agent"` // subagent that has this context
	Model     human.TextOrNull `json:"model"`
	Messages  int              `json:"messages"`
	Tokens    Tokens           `json:"tokens_by_kind"`
	Counted   int64            `json:"counted_tokens"`
	Encoding  human.TextOrNull `json:"encoding"` // null if tokens are estimated from sizes
	// input, cache read and cache write of the response
	Measured   *int64 `json:"measured_tokens"`
	CacheRead  *int64 `json:"cache_read_tokens"` // part of the measured tokens
	CacheWrite *int64 `json:"cache_write_tokens"`
	Output     *int64 `json:"output_tokens"`
	// measured less counted: unrecorded system prompt and tools
	Unaccounted *int64 `json:"unaccounted_tokens"`
	// expected measurement of a request with this context, according to the other requests
	Estimated   *int64            `json:"estimated_tokens"`
	Response    human.Index       `json:"measured_at"` // position of the response; null: none
	Window      human.CountOrNull `json:"window"`      // null: unknown
	WindowOr    human.CountOrNull `json:"window_or"`   // the larger possible window; null: none
	WindowFrom  human.TextOrNull  `json:"window_from"` // "given", "recorded", "from model name", "listed" …
	Fill        *float64          `json:"fill"`        // of the window
	FillFrom    human.TextOrNull  `json:"fill_from"`   // "measured", "estimated" or "counted", the first that applies
	Compactions int               `json:"compactions"` // before it
	// position of the first message after the last compaction; null: none
	Since   human.Index  `json:"since_index"`
	Left    Left         `json:"left_out"`
	Largest []Item       `json:"largest"`
	Tools   []ToolShare  `json:"results_by_tool"`
	Growth  []TurnGrowth `json:"growth,omitempty"` // on request
	Waste   *WasteAnswer `json:"waste,omitempty"`  // on request

	// relation of measured to counted requests of the thread; null without a measurement
	Estimate *Estimate `json:"estimate"`
	Images   Images    `json:"images"`
}

// Images are the images in a context. Their tokens are estimated by the rule of the model's
// provider, as a separate kind.
type Images struct {
	Count int64 `json:"count"`
	// of unknown size or rule: they have no tokens here
	Unknown int64 `json:"unknown"`
}

// Left counts the earlier messages that the model did not see.
type Left struct {
	Compacted   int `json:"compacted"`
	Rewound     int `json:"rewound"`
	OffBranch   int `json:"off_branch"`
	Invalidated int `json:"invalidated"`
	Superseded  int `json:"superseded"`
	Archived    int `json:"archived"`
	Failed      int `json:"failed_requests"`
	Agents      int `json:"other_threads"`
}

// Item is a large message in the context.
type Item struct {
	ID     model.ID         `json:"-"`
	Index  human.Index      `json:"index"`
	Role   string           `json:"role"`
	Tool   human.TextOrNull `json:"tool_name"`
	Tokens int64            `json:"tokens"`
	About  string           `json:"about"` // filled in by Describe
}

// ToolShare is the tokens of a tool's results.
type ToolShare struct {
	Tool   human.TextOrNull `json:"tool_name"`
	Tokens int64            `json:"tokens"`
}

// Options shape the answer.
type Options struct {
	Window  int64 // window of the model in tokens; 0: as recorded or known
	Largest int   // number of items; 0: 10
}

// Context returns the context of the model at a message of the index's snapshot: for a message of
// the assistant, the request that it answered; for any other message, the next request.
func (x *Index) Context(at model.ID, o Options) (*Answer, error) {
	s := x.Snap
	if int(at) >= s.Rows() || s.HeadRow(at).Op != model.Say {
		return nil, fmt.Errorf("finding the context: row %d is no message", at)
	}
	r, h := x.at(at), s.HeadRow(at)
	a := &Answer{
		Version: human.AnswerVersion, Index: human.Index(s.Pos(at)), ID: at, Role: h.Role.String(), Response: -1, Since: -1, Largest: []Item{}, Tools: []ToolShare{},
	}
	if th := &s.Threads()[r.thread]; !th.Main {
		a.Agent = human.TextOrNull(query.AgentName(s, r.thread))
	}
	a.Messages = r.head + r.b - r.a + len(r.extra)
	a.Tokens = x.tokensOf(&r)
	a.Counted = a.Tokens.Sum()
	if x.Tokens != nil {
		a.Encoding = human.TextOrNull(x.Tokens.Encoding())
	}
	a.Images = Images{a.Tokens.pictures, a.Tokens.unsized}
	x.measure(a, &r, at)
	if a.Estimate = r.t.estimate; a.Estimate != nil {
		n := x.estimated(&r, a.Counted)
		a.Estimated = &n
	}
	w := query.WindowFor(&s.Sessions()[s.Threads()[r.thread].Session], string(a.Model), o.Window, r.t.seen)
	a.Window, a.WindowFrom = human.CountOrNull(w.Least()), human.TextOrNull(w.From)
	if w.Or > 0 {
		a.WindowOr = human.CountOrNull(w.Tokens)
	}
	if a.Window > 0 {
		n, from := a.Size()
		if o.Window == 0 && n > int64(max(a.Window, a.WindowOr)) { // only an estimate can exceed it
			a.Window, a.WindowOr = human.CountOrNull(n), 0
		}
		fill := float64(n) / float64(a.Full(n))
		a.Fill, a.FillFrom = &fill, human.TextOrNull(from)
	}
	x.history(a, &r, at)
	x.largest(a, &r, o.Largest)
	x.shares(a, &r)
	return a, nil
}

// Full returns the window that a context with that many tokens fills: the larger one that the model
// may have, if they do not fit into the smaller.
func (a *Answer) Full(tokens int64) int64 {
	if tokens > int64(a.Window) && a.WindowOr > 0 {
		return int64(a.WindowOr)
	}
	return int64(a.Window)
}

// Size returns the best known size of the context in tokens, and how it is known.
func (a *Answer) Size() (n int64, from string) {
	switch {
	case a.Measured != nil:
		return *a.Measured, "measured"
	case a.Estimated != nil:
		return *a.Estimated, "estimated"
	}
	return a.Counted, "counted"
}

// tokensOf returns the tokens of a range.
func (x *Index) tokensOf(r *ctxRange) Tokens {
	w := x.sum(r.t, 0, r.head)
	rest := x.sum(r.t, r.a, r.b)
	w.add(&rest, 1)
	for _, id := range r.extra {
		m := x.Weigh(id, x.Snap.HeadRow(id))
		w.add(&m, 1)
	}
	if r.cut != nil {
		w.Summary += r.cut.noteTokens()
	}
	return w
}

// measuredNear is the maximum number of consecutive messages of an assistant in one response.
const measuredNear = 16

// response returns the entry with the measured request for exactly this range; -1 if none was
// recorded.
func (x *Index) response(r *ctxRange) int {
	for i := r.b; i < len(r.t.ids) && i < r.b+measuredNear; i++ {
		if x.Snap.HeadRow(r.t.ids[i]).Role != model.Assistant {
			return -1
		}
		if k, ok := slices.BinarySearch(r.t.asked, int32(i)); ok {
			return int(r.t.asked[k])
		}
	}
	return -1
}

func (x *Index) measure(a *Answer, r *ctxRange, at model.ID) {
	s := x.Snap
	from := at
	if n := x.response(r); n >= 0 && len(r.extra) == 0 {
		from = r.t.ids[n]
	} else if r.own || s.HeadRow(at).Usage == model.NoRow {
		from = model.NoID
	}
	if from != model.NoID {
		if n, ok := query.ContextOf(s, from); ok {
			t, _ := s.Tokens(from)
			rest := n - a.Counted
			a.Measured, a.Unaccounted, a.Response = &n, &rest, human.Index(s.Pos(from))
			a.CacheRead, a.CacheWrite, a.Output = recorded(t.CacheRead), recorded(t.CacheWrite), recorded(t.Output)
		}
		a.Model = human.TextOrNull(s.Name(s.HeadRow(from).Name))
	}
	for i := min(r.b, len(r.t.ids)) - 1; a.Model == "" && i >= max(r.b-64, 0); i-- {
		if h := s.HeadRow(r.t.ids[i]); h.Role == model.Assistant {
			a.Model = human.TextOrNull(s.Name(h.Name))
		}
	}
	// without an answer, use the model of the next one
	for i := r.b; a.Model == "" && i < min(r.b+64, len(r.t.ids)); i++ {
		if h := s.HeadRow(r.t.ids[i]); h.Role == model.Assistant {
			a.Model = human.TextOrNull(s.Name(h.Name))
		}
	}
}

func recorded(n uint32) *int64 {
	if n == model.NoTokens {
		return nil
	}
	v := int64(n)
	return &v
}

// history fills in what happened before and is no longer visible.
func (x *Index) history(a *Answer, r *ctxRange, at model.ID) {
	s := x.Snap
	for i := range r.t.cuts {
		if &r.t.cuts[i] == r.cut {
			a.Compactions = i + 1
		}
	}
	if r.cut != nil && r.a < len(r.t.ids) {
		a.Since = human.Index(s.Pos(r.t.ids[r.a]))
	}
	a.Left.Compacted = max(r.a-r.head, 0)
	row := s.RowNumber(at)
	for _, id := range x.left[r.thread].rows {
		if s.RowNumber(id) >= row {
			break
		}
		if slices.Contains(r.extra, id) {
			continue
		}
		switch f := s.HeadRow(id).Flags; {
		case f&model.Rewound != 0:
			a.Left.Rewound++
		case f&model.OffBranch != 0:
			a.Left.OffBranch++
		case f&model.Invalidated != 0:
			a.Left.Invalidated++
		case f&model.Superseded != 0:
			a.Left.Superseded++
		case f&model.Archived != 0:
			a.Left.Archived++
		case f&model.APIError != 0:
			a.Left.Failed++
		}
	}
	for i := range x.threads {
		if uint32(i) != r.thread && s.Threads()[i].Session == s.Threads()[r.thread].Session {
			t := &x.threads[i]
			n, _ := slices.BinarySearchFunc(t.ids, row, func(id model.ID, row int) int { return s.RowNumber(id) - row })
			a.Left.Agents += n
		}
	}
	switch {
	case a.Messages == 0:
		a.Note = "no history: nothing was said before it in the transcript"
	case a.Messages == 1 && r.own:
		a.Note = "no history: it is the first message of the conversation"
	}
}

// largest finds the largest messages of the context, skipping blocks without one.
func (x *Index) largest(a *Answer, r *ctxRange, n int) {
	if n <= 0 {
		n = 10
	}
	best := summary.Top[model.ID]{Size: n}
	offer := func(id model.ID) {
		w := x.Weigh(id, x.Snap.HeadRow(id))
		best.Offer(w.Sum(), id)
	}
	scan := func(from, to int) {
		for i := from; i < to; {
			k := i / ctxBlock
			end := min((k+1)*ctxBlock, to)
			if best.Wants(int64(r.t.most[k])) {
				for _, id := range r.t.ids[i:end] {
					offer(id)
				}
			}
			i = end
		}
	}
	scan(0, r.head)
	scan(r.a, r.b)
	for _, id := range r.extra {
		offer(id)
	}
	for _, b := range best.Items {
		h := x.Snap.HeadRow(b.Item)
		it := Item{ID: b.Item, Index: human.Index(x.Snap.Pos(b.Item)), Role: h.Role.String(), Tokens: b.Value}
		if answers := x.Snap.Answers(b.Item); len(answers) > 0 {
			it.Tool = human.TextOrNull(query.ToolName(x.Snap, &answers[0].Call))
		}
		a.Largest = append(a.Largest, it)
	}
}

// shares sums the visible results by tool.
func (x *Index) shares(a *Answer, r *ctxRange) {
	sums := make([]int64, len(x.Snap.Names()))
	one := func(id model.ID) {
		for _, c := range x.Snap.Answers(id) {
			sums[c.Tool] += x.resultTokens(c.ID, &c.Call)
		}
		for _, c := range query.CallsOf(x.Snap, id) {
			if c.Result == id {
				sums[c.Tool] += x.resultTokens(c.ID, &c.Call)
			}
		}
	}
	for i := r.a; i < r.b; {
		if i%ctxTools == 0 && i+ctxTools <= r.b {
			for tool, n := range r.t.tools[i/ctxTools] {
				sums[tool] += n
			}
			i += ctxTools
			continue
		}
		one(r.t.ids[i])
		i++
	}
	for _, id := range r.extra {
		one(id)
	}
	for tool, n := range sums {
		if n > 0 {
			a.Tools = append(a.Tools, ToolShare{human.TextOrNull(model.CleanLine(x.Snap.Name(uint16(tool)))), n})
		}
	}
	slices.SortStableFunc(a.Tools, func(p, q ToolShare) int { return int(q.Tokens - p.Tokens) })
}

// Describe fills in the subjects of the largest items, for which it reads their texts.
func (a *Answer) Describe(ctx context.Context, s *model.Snapshot) error {
	for i := range a.Largest {
		about, err := aboutMessage(ctx, s, a.Largest[i].ID)
		if err != nil {
			return err
		}
		a.Largest[i].About = about
	}
	return nil
}

// aboutMessage returns a line about a message: its words, otherwise its first call, or the call
// that it answers.
func aboutMessage(ctx context.Context, s *model.Snapshot, id model.ID) (string, error) {
	d := describe.NewDescriber(s.Session(id))
	rows := s.Answers(id)
	if len(rows) > 0 && rows[0].Msg != model.NoID {
		// the result may be large, and is not needed here
		call, err := query.NewPairs(s).Call(ctx, rows[0].ID)
		if err != nil || call == nil {
			return "", err
		}
		line := d.Call(call, nil, &rows[0].Call)
		return strings.TrimSpace(line.Word + " " + line.About), nil
	}
	lines, err := d.Message(ctx, query.NewPairs(s), id)
	if err != nil || len(lines) == 0 {
		return "", err
	}
	if lines[0].Kind == describe.LineCall {
		return strings.TrimSpace(lines[0].Word + " " + lines[0].About), nil
	}
	return lines[0].About, nil
}

// WriteJSON writes the answer.
func (a *Answer) WriteJSON(_ context.Context, w io.Writer) error { return query.WriteJSON(w, a) }

// String counts the messages by the reason why the model did not see them; "" without any.
func (l *Left) String() string {
	var parts []string
	for _, part := range [...]struct {
		n    int
		what string
	}{
		{l.Compacted, "compacted"}, {l.Rewound, "rewound"}, {l.OffBranch, "of other branches"}, {l.Invalidated, "invalidated"},
		{l.Superseded, "superseded"}, {l.Archived, "archived"}, {l.Failed, "failed requests"}, {l.Agents, "of other agents"},
	} {
		if part.n > 0 {
			parts = append(parts, human.Count(part.n)+" "+part.what)
		}
	}
	return strings.Join(parts, ", ")
}
