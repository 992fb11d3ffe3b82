package summary

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"

	"turns/model"
	"turns/query"
	"turns/query/answer"
	"turns/query/cache"
	"turns/query/human"
)

// CacheRow is the use of the prompt cache by one request.
type CacheRow struct {
	Step  human.Index `json:"step"` // within its turn; null: not on the live branch
	Index human.Index `json:"index"`
	Turn  human.Index `json:"turn"`
	Model string      `json:"model"`
	// Share is the cached part of the prompt, from 0 to 1; null: not recorded.
	Share *float64 `json:"cached_share"`
	Read  *int64   `json:"cache_read_tokens"`
	Total *int64   `json:"prompt_tokens"`
	// Again is the number of cached tokens that the request had to send or write again.
	Again int64 `json:"written_again_tokens"`
	// USD is their price, estimated from list prices; null: unknown.
	USD *float64 `json:"written_again_usd"`
	// Cause is null if the request read its prefix, or if its usage was not recorded.
	Cause *cache.Cause `json:"cause"`
	Miss  bool         `json:"miss"` // the cause is a miss: not compaction, first and too_short
	// Recorded is the reason that the transcript records; Cause follows from it.
	Recorded human.TextOrNull `json:"recorded_reason"`
	Why      human.TextOrNull `json:"detail"`
	ID       model.ID         `json:"-"`
}

// CacheAnswer is the use of the prompt cache by the requests of a selection.
type CacheAnswer struct {
	Version  int        `json:"version"`
	Requests []CacheRow `json:"requests"`
	Misses   int        `json:"misses"`
	// Again is the number of tokens that the misses wrote again, and USD their price; null:
	// unknown.
	Again int64    `json:"written_again_tokens"`
	USD   *float64 `json:"written_again_usd"`

	whole Cost
}

// Cache explains the use of the prompt cache by the selected requests, and compares its price with
// that of the selection.
func Cache(ctx context.Context, sel query.Selection, turns *query.TurnIndex, prices PriceTable) (*CacheAnswer, error) {
	a, err := CacheRows(ctx, sel, turns, prices)
	if err == nil {
		a.whole = Costs(sel, turns, CostOptions{Prices: prices}).Whole()
	}
	return a, err
}

// Known reports whether any request records its cache reads.
func (a *CacheAnswer) Known() bool {
	return slices.ContainsFunc(a.Requests, func(r CacheRow) bool { return r.Share != nil })
}

// CacheRows is Cache without the cost of the selection.
func CacheRows(ctx context.Context, sel query.Selection, turns *query.TurnIndex, prices PriceTable) (*CacheAnswer, error) {
	list, err := cache.Requests(ctx, sel.Snap)
	if err != nil {
		return nil, fmt.Errorf("reading the recorded prompts: %w", err)
	}
	cover := query.NewCoverage(sel)
	a := &CacheAnswer{Version: human.AnswerVersion, Requests: []CacheRow{}}
	names := namesOf(sel.Snap, prices)
	for i := range list {
		id := list[i].ID
		if !cover.WholeOf(sel.Snap.HeadRow(id)) && (cover.All || !cover.Picked.Has(id)) {
			continue
		}
		a.add(names.row(&list[i], turns))
	}
	if a.Misses == 0 && a.Known() {
		a.USD = new(float64)
	}
	return a, nil
}

func (a *CacheAnswer) add(r CacheRow) {
	a.Requests = append(a.Requests, r)
	if !r.Miss {
		return
	}
	a.Misses++
	a.Again += r.Again
	if r.USD != nil {
		if a.USD == nil {
			a.USD = new(float64)
		}
		*a.USD += *r.USD
	}
}

// cacheNames makes rows for a conversation.
type cacheNames struct {
	s      *model.Snapshot
	prices PriceTable
}

func namesOf(s *model.Snapshot, prices PriceTable) *cacheNames { return &cacheNames{s, prices} }

func (n *cacheNames) row(r *cache.Request, turns *query.TurnIndex) CacheRow {
	s := n.s
	row := CacheRow{
		Step: human.Index(turns.Step(r.ID)), Index: human.Index(s.Pos(r.ID)), Turn: human.Index(turns.Turn(r.ID)),
		Model: model.CleanLine(s.Name(s.HeadRow(r.ID).Name)), Miss: r.Cause.Missed(), Recorded: human.TextOrNull(model.CleanLine(r.Recorded)),
		ID: r.ID,
	}
	share, ok := r.Share()
	if !ok {
		return row
	}
	row.Share, row.Read, row.Total = &share, &r.Read, &r.Total
	if r.Cause != cache.None {
		row.Cause, row.Why = &r.Cause, human.TextOrNull(n.why(r))
	}
	if !row.Miss {
		return row
	}
	row.Again = r.Again
	if p, ok := n.prices.Find(s.Name(s.HeadRow(r.ID).Name)); ok {
		row.USD = new(p.again(s, r))
	}
	return row
}

// again returns the price of the tokens that a request wrote again: the price of writing, if the
// provider charges for it.
func (p *Price) again(s *model.Snapshot, r *cache.Request) float64 {
	t, _ := s.Tokens(r.ID)
	var u query.UsageTally
	if t.CacheWrite != model.NoTokens && t.CacheWrite > 0 {
		u.N[query.UsageCacheWrite] = r.Again
	} else {
		u.N[query.UsageInput] = r.Again
	}
	return p.sized(r.Total).base(&u, t.Flags&model.HourCache != 0)
}

// why returns the cause of a miss with its evidence.
func (n *cacheNames) why(r *cache.Request) string {
	s, text := n.s, r.Cause.Words()
	switch {
	case r.Recorded != "":
		text = model.CleanLine(r.Recorded) + " (recorded)"
	case r.Cause == cache.TTL:
		return fmt.Sprintf("%s: %s since %s, %s", text, human.Took(r.Gap), answer.At(s.Pos(r.Prev)).Text, human.Took(r.Life))
	}
	if r.Cause == cache.Edited && r.Start {
		text += fmt.Sprintf(": only the first %s tokens were still cached", human.Short(r.Read))
	}
	if r.Cause == cache.Model && r.Prev != model.NoID {
		was, is := s.Name(s.HeadRow(r.Prev).Name), s.Name(s.HeadRow(r.ID).Name)
		text += fmt.Sprintf(": %s → %s", cmp.Or(model.CleanLine(was), human.NotSaid), cmp.Or(model.CleanLine(is), human.NotSaid))
	}
	return text
}

// Explain sets the cause of each listed response.
func (a *CostAnswer) Explain(requests []cache.Request) {
	causes := make(map[model.ID]*cache.Cause, len(requests))
	for i := range requests {
		if requests[i].Cause != cache.None {
			causes[requests[i].ID] = &requests[i].Cause
		}
	}
	for i := range a.Messages {
		a.Messages[i].Cause = causes[a.Messages[i].ID]
	}
}

func causeCell(c *cache.Cause) string {
	if c == nil {
		return ""
	}
	return c.Words()
}

// Money returns the price of the tokens that the misses wrote again.
func (a *CacheAnswer) Money() Cost {
	if a.USD == nil {
		return Cost{Responses: 1, Unknown: 1}
	}
	return Cost{Dollars: *a.USD, Estimated: *a.USD, Responses: a.Misses}
}

// WriteJSON writes the answer.
func (a *CacheAnswer) WriteJSON(_ context.Context, w io.Writer) error { return query.WriteJSON(w, a) }

// Doc describes the requests with a cause.
func (a *CacheAnswer) Doc() *answer.Doc {
	t := answer.NewTable(">message", ">turn?", ">step?", ">cached", ">written again", "cause", ">price").Cut(70, 5)
	known := 0
	for i := range a.Requests {
		r := &a.Requests[i]
		if r.Share != nil {
			known++
		}
		if r.Cause == nil {
			continue
		}
		again, price := human.NotSaid, human.NotSaid
		if r.Miss {
			again = human.Short(r.Again)
			if r.USD != nil {
				price = "~" + human.Money(*r.USD)
			}
		}
		t.Add(answer.At(r.Index).Text, ordinal(r.Turn), ordinal(r.Step), human.ShortFloat(*r.Share*100, 0)+" %", again, string(r.Why), price)
	}
	d := &answer.Doc{}
	d.AddTable("", t)
	switch {
	case len(a.Requests) == 0:
		d.Note("no requests")
	case known == 0:
		d.Note(human.Plural(len(a.Requests), "request") + ": the transcript does not record what they read from the cache")
	case a.Misses == 0:
		d.Note("no cache misses in " + human.Plural(known, "request"))
	default:
		d.Note(human.Short(a.Again) + " tokens written again in " + human.Plural(a.Misses, "request") + " of " + human.Count(known) + ": " + a.Money().String() + a.part())
	}
	return d
}

// part returns the share of the misses in the cost, "" if the cost is unknown or 0.
func (a *CacheAnswer) part() string {
	if a.USD == nil || !a.whole.Known() || a.whole.Dollars <= 0 {
		return ""
	}
	return fmt.Sprintf(" of %s (%s %%)", a.whole, human.ShortFloat(*a.USD/a.whole.Dollars*100, 1))
}

// ordinal formats the number of a turn or step; – for none.
func ordinal(n human.Index) string {
	if n < 0 {
		return human.NotSaid
	}
	return strconv.Itoa(int(n))
}
