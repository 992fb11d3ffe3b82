package content

import (
	"cmp"
	"context"
	"io"
	"maps"
	"slices"

	"turns/model"
	"turns/query"
	"turns/query/answer"
	"turns/query/human"
	"turns/query/summary"
)

// Group is the cost of the content from one tool, file, subagent or phase.
type Group struct {
	Key    string `json:"key"`
	Tokens int64  `json:"tokens"` // of its texts; 0: only SentTokens are known
	// SentTokens are the tokens times the number of requests.
	SentTokens int64    `json:"sent_tokens"`
	Prompts    float64  `json:"-"` // dollars of prompts
	Output     float64  `json:"-"` // dollars of writing it
	USD        *float64 `json:"usd"`
	PromptUSD  *float64 `json:"prompt_usd"` // part of it, for prompts
	OutputUSD  *float64 `json:"output_usd"` // part of it, for writing it
	Share      *float64 `json:"share"`      // of the total
}

// Dollars is the cost of the group.
func (g *Group) Dollars() float64 { return g.Prompts + g.Output }

// Answer is the cost of a selection, ascribed to the sources of its content. The groups add up
// to the total.
type Answer struct {
	Version int          `json:"version"`
	By      string       `json:"by"`
	Total   summary.Cost `json:"total"`
	Whole   summary.Cost `json:"whole"`  // the total, or the recorded costs of whole sessions
	Groups  []*Group     `json:"groups"` // most expensive first
	at      map[string]*Group
}

// NewAnswer returns an answer without sessions.
func NewAnswer(by string) *Answer {
	return &Answer{Version: human.AnswerVersion, By: by, Groups: []*Group{}, at: map[string]*Group{}}
}

func (a *Answer) group(key string) *Group {
	g := a.at[key]
	if g == nil {
		g = &Group{Key: key}
		a.at[key], a.Groups = g, append(a.Groups, g)
	}
	return g
}

// Join adds the groups of another answer.
func (a *Answer) Join(o *Answer) {
	for _, g := range o.Groups {
		into := a.group(g.Key)
		into.Tokens += g.Tokens
		into.SentTokens += g.SentTokens
		into.Prompts += g.Prompts
		into.Output += g.Output
	}
	a.Total.Add(o.Total)
	a.Whole.Add(o.Whole)
}

// Finish sorts the groups and sets their shares.
func (a *Answer) Finish() {
	a.Groups = slices.DeleteFunc(a.Groups, func(g *Group) bool { return g.Tokens == 0 && g.Dollars() == 0 })
	slices.SortFunc(a.Groups, func(x, y *Group) int {
		return cmp.Or(cmp.Compare(y.Dollars(), x.Dollars()), cmp.Compare(y.SentTokens, x.SentTokens), cmp.Compare(x.Key, y.Key))
	})
	a.Total, a.Whole = a.Total.Shown(), a.Whole.Shown()
	if !a.Total.Known() {
		return
	}
	for _, g := range a.Groups {
		g.USD, g.PromptUSD, g.OutputUSD = new(g.Dollars()), &g.Prompts, &g.Output
		if a.Total.Dollars > 0 {
			g.Share = new(g.Dollars() / a.Total.Dollars)
		}
	}
}

// By ascribes the cost to the name of one of Names. It reads the arguments of calls for files and
// phases.
func (s *Split) By(ctx context.Context, name string) (*Answer, error) {
	if err := Known(name); err != nil {
		return nil, err
	}
	a := NewAnswer(name)
	if a.Total, a.Whole = s.costs.Total, s.costs.Total; s.costs.Session != nil {
		a.Whole = s.costs.Own()
	}
	i := slices.Index(Names(), name)
	w := walk{s, a, ascribers[i].make(s.x)}
	for n := range s.threads {
		if err := w.thread(ctx, uint32(n)); err != nil {
			return nil, err
		}
	}
	for _, id := range slices.Sorted(maps.Keys(s.aside)) { // in order, because sums of dollars are rounded
		if err := w.message(ctx, id, *s.aside[id]); err != nil {
			return nil, err
		}
	}
	for _, out := range s.messageCost {
		if err := w.output(ctx, out); err != nil {
			return nil, err
		}
	}
	for _, out := range s.unsplit {
		w.a.group(w.by.rest(out.id, s.x.Snap.HeadRow(out.id).Thread, answers)).Output += out.dollars
	}
	if beyond := s.costs.Beyond.Dollars; beyond != 0 {
		a.group(elsewhere).Output += beyond
	}
	a.Finish()
	return a, nil
}

type walk struct {
	s  *Split
	a  *Answer
	by ascriber
}

func (w *walk) thread(ctx context.Context, n uint32) error {
	t := &w.s.threads[n]
	for _, id := range w.s.x.Entries(n) {
		if err := w.message(ctx, id, w.s.Of(id)); err != nil {
			return err
		}
	}
	for key, dollars := range map[string]float64{hidden: t.hidden, summaries: t.summaries} {
		if dollars != 0 {
			w.a.group(w.by.rest(model.NoID, n, key)).Prompts += dollars
		}
	}
	return nil
}

// message shares the cost of a message among its calls, its results and the rest of it, by their
// tokens.
func (w *walk) message(ctx context.Context, id model.ID, c Carried) error {
	if c.Sent == 0 {
		return nil
	}
	parts, err := w.parts(ctx, id, c.Tokens, true)
	for _, p := range parts {
		g := w.a.group(p.key)
		g.Tokens += p.tokens
		g.SentTokens += p.tokens * int64(c.Sent)
		g.Prompts += p.share * c.Dollars
	}
	return err
}

// output shares the cost of writing a message among its calls and the rest of it.
func (w *walk) output(ctx context.Context, out messageCost) error {
	t, _ := w.s.x.Snap.Tokens(out.id)
	parts, err := w.parts(ctx, out.id, max(t.Usage().Output, 0), false)
	for _, p := range parts {
		w.a.group(p.key).Output += p.share * out.dollars
	}
	return err
}

// part is a part of a message with the key of its source.
type part struct {
	key    string
	tokens int64
	share  float64
}

// parts divides a message of n tokens. The shares add up to 1.
func (w *walk) parts(ctx context.Context, id model.ID, all int64, results bool) (list []part, err error) {
	x := w.s.x
	called := int64(0)
	add := func(call model.CallID, tokens int64) {
		if tokens == 0 || err != nil {
			return
		}
		var keys []string
		if keys, err = w.by.call(ctx, call); err != nil {
			return
		}
		called += tokens
		for i, key := range keys {
			n := tokens / int64(len(keys))
			if i == 0 {
				n += tokens % int64(len(keys))
			}
			list = append(list, part{key: key, tokens: n})
		}
	}
	for _, c := range query.CallsOf(x.Snap, id) {
		args, result := x.CallWeight(c.ID)
		add(c.ID, args)
		if results && c.Result == id {
			add(c.ID, result)
		}
	}
	if results {
		for _, c := range x.Snap.Answers(id) {
			_, result := x.CallWeight(c.ID)
			add(c.ID, result)
		}
	}
	h := x.Snap.HeadRow(id)
	key := w.by.rest(id, h.Thread, kind(h))
	if answered := x.Snap.Answers(id); results && h.Role == model.Tool && len(answered) > 0 && err == nil { // images and notes of a result
		var keys []string
		if keys, err = w.by.call(ctx, answered[0].ID); err == nil {
			key = keys[0]
		}
	}
	if rest := all - called; rest > 0 || len(list) == 0 {
		list = append(list, part{key: key, tokens: max(rest, 0)})
	}
	sum := int64(0)
	for i := range list {
		sum += list[i].tokens
	}
	for i := range list {
		list[i].share = 1
		if sum > 0 {
			list[i].share = float64(list[i].tokens) / float64(sum)
		} else if i > 0 {
			list[i].share = 0
		}
	}
	return list, err
}

// WriteJSON writes the answer.
func (a *Answer) WriteJSON(_ context.Context, w io.Writer) error { return query.WriteJSON(w, a) }

// Doc describes the groups.
func (a *Answer) Doc() *answer.Doc {
	d := &answer.Doc{}
	if len(a.Groups) == 0 {
		d.AddText("no request records its usage")
		return d
	}
	t := answer.NewTable(a.By, ">tokens??", ">sent?", ">output?", ">cost", ">share").Cut(60, 0)
	money := func(dollars float64) string {
		if !a.Total.Known() {
			return human.NotSaid
		}
		c := summary.Cost{Dollars: dollars, Responses: 1}
		if a.Total.Estimated > 0 {
			c.Estimated = dollars
		}
		return c.String()
	}
	for _, g := range a.Groups {
		tokens, sent, share := human.NotSaid, human.NotSaid, human.NotSaid
		if g.Tokens > 0 {
			tokens, sent = human.Short(g.Tokens), human.Short(g.SentTokens)
		}
		if g.Share != nil {
			share = human.ShortFloat(*g.Share*100, 1) + " %"
		}
		t.Add(g.Key, tokens, sent, money(g.Output), money(g.Dollars()), share)
	}
	t.Add("all", "", "", "", a.Total.String(), "")
	d.AddTable("", t)
	if whole := a.Whole.String(); whole != a.Total.String() {
		d.Note("recorded for the whole: " + whole)
	}
	d.Note("sent: tokens times requests; output: the cost of writing them")
	return d
}
