package summary

import (
	"context"
	"time"

	"turns/model"
	"turns/query"
	"turns/query/describe"
	"turns/query/human"
	"turns/query/lanes"
)

// TimelineAnswer is a selection divided into turns. Turns are numbered in the whole conversation,
// so a filter leaves numbers out but never changes them.
type TimelineAnswer struct {
	Turns []Turn
	Index *query.TurnIndex
	Zone  *time.Location // of the times in the table; nil is UTC
	Long  bool           // the table has all calls, with longer texts
	sel   query.Selection
	whole Cost // of the session; see Price
	// recorded output tokens of all turns and of the session, if they differ; see Compare
	output string

	covered query.Coverage
}

// Turn is a prompt and everything up to the next. Calls, errors and usage are those of the main
// thread; the Agent numbers are those of the subagents that it started.
type Turn struct {
	Number int // from 0
	// the user message that opened it; NoID if an assistant or a system message did
	Prompt     model.ID
	Messages   []model.ID // its selected messages in order, including those of subagents
	Steps      []Step
	Calls      int
	Errors     int
	Pending    int
	Orphans    int // results without a call
	AgentCalls int
	AgentErrs  int
	AgentPend  int
	Copied     int  // copied calls: they count in their original conversation
	Stopped    bool // the user or a program interrupted it
	Failed     bool // a request to the model failed
	Start      human.Stamp
	Took       human.Millis // from its first to its last record
	Asked      human.Millis // part of it, waiting for an answer of a human
	Usage      query.UsageSum
	Missing    int64    // output tokens beyond recorded placeholders, by the size of the text
	Cost       *float64 // as recorded
	Spent      *Cost    // with estimates; nil: Price was not called
	Context    int64    // tokens that the model saw in the last request; 0: unknown
	Miss       bool     // the first request did not read the cache that an earlier one had written
	Title      string   // the first line of the prompt; filled in by Describe
	Lines      []string // its calls and its answer, while writing
}

// Step is one response of the model in a turn.
type Step struct {
	Message model.ID
	Calls   int
	Errors  int
}

// Timeline arranges a selection as turns. It reads heads only.
func Timeline(sel query.Selection) *TimelineAnswer { return Turns(sel, query.NewTurnIndex(sel.Snap)) }

// Turns is Timeline with an existing index of the turns of the snapshot.
func Turns(sel query.Selection, index *query.TurnIndex) *TimelineAnswer {
	w := turnsWalk{sel: sel, snap: sel.Snap, index: index, threads: sel.Snap.Threads()}
	a := &TimelineAnswer{Turns: []Turn{}, Index: index, sel: sel, covered: query.NewCoverage(sel)}
	w.group(a)
	w.asks, w.asked = lanes.AskingTools(sel.Snap), make([]int64, len(a.Turns))
	for i := range a.Turns {
		w.turn(&a.Turns[i])
	}
	w.calls(a)
	return a
}

type turnsWalk struct {
	sel     query.Selection
	snap    *model.Snapshot
	index   *query.TurnIndex
	threads []model.Thread
	place   []int32 // by number of the turn: its index in the answer, or -1
	steps   []Step  // of all turns, one after the other
	stepOf  []uint32
	cached  bool // an earlier response wrote to or read from a cache
	asks    map[uint16]bool
	asked   []int64 // by index in the answer: end of the last question to a human
}

// group assigns the selected messages to their turns, in order.
func (w *turnsWalk) group(a *TimelineAnswer) {
	counts := make([]int32, w.index.Len())
	for _, id := range w.sel.IDs {
		if n := w.index.Turn(id); n >= 0 {
			counts[n]++
		}
	}
	w.place = make([]int32, len(counts))
	lists := make([]model.ID, len(w.sel.IDs))
	used := 0
	for _, count := range counts {
		used += int(min(count, 1))
	}
	a.Turns = make([]Turn, 0, used) // there can be millions
	from := 0
	for n, count := range counts {
		w.place[n] = -1
		if count > 0 {
			w.place[n] = int32(len(a.Turns))
			a.Turns = append(a.Turns, Turn{Number: n, Prompt: model.NoID, Messages: lists[from : from : from+int(count)], Steps: []Step{}})
			from += int(count)
		}
	}
	responses := 0
	for _, id := range w.sel.IDs {
		if n := w.index.Turn(id); n >= 0 {
			t := &a.Turns[w.place[n]]
			t.Messages = append(t.Messages, id)
		}
		if w.snap.HeadRow(id).Responds() {
			responses++
		}
	}
	w.steps = make([]Step, 0, responses) // it must not move: turns refer to parts of it
	w.stepOf = make([]uint32, w.snap.Rows())
}

func (w *turnsWalk) turn(t *Turn) {
	var usage query.UsageTally
	var last int64
	first := len(w.steps)
	asked := false
	for _, id := range t.Messages {
		h := w.snap.HeadRow(id)
		if h.Time != 0 {
			if t.Start == 0 || h.Time < int64(t.Start) {
				t.Start = human.Stamp(h.Time)
			}
			last = max(last, h.Time)
		}
		if !w.threads[h.Thread].Main {
			continue
		}
		if h.Role == model.User && h.Flags&model.Prompt != 0 && t.Prompt == model.NoID {
			t.Prompt = id
		}
		t.Stopped = t.Stopped || h.Flags&model.Interrupted != 0
		t.Failed = t.Failed || h.Flags&model.APIError != 0
		if h.Responds() {
			w.steps = append(w.steps, Step{Message: id})
			w.stepOf[id] = uint32(len(w.steps))
		} else if len(w.steps) > first { // a call of the previous response
			w.stepOf[id] = uint32(len(w.steps))
		}
		if h.Usage == model.NoRow {
			continue
		}
		tokens, _ := w.snap.Tokens(id)
		usage.AddTokens(&tokens)
		t.Missing += h.OutputMissing(tokens.Usage().Output)
		if n, ok := query.ContextSize(&tokens); ok {
			t.Context = n
			if !asked {
				t.Miss = w.cached && tokens.CacheRead == 0
				asked = true
			}
		}
		if read, wrote := tokens.CacheRead, tokens.CacheWrite; read != model.NoTokens && read > 0 || wrote != model.NoTokens && wrote > 0 {
			w.cached = true
		}
	}
	t.Steps = w.steps[first:len(w.steps):len(w.steps)]
	if t.Start != 0 {
		t.Took = human.Millis(last - int64(t.Start))
	}
	t.Usage, t.Cost = usage.Sum(), usage.Dollars()
}

// calls assigns calls to turns. A call belongs to the turn of the message that made it, wherever
// its result is; if that message is not selected, to the turn of the result.
func (w *turnsWalk) calls(a *TimelineAnswer) {
	for i := range w.snap.CallCount() {
		c := w.snap.Call(model.CallID(i))
		part, at := a.covered.Part(model.CallID(i))
		if part != query.Own && part != query.Copied {
			continue
		}
		n := w.index.Turn(at)
		if n < 0 {
			continue
		}
		t := &a.Turns[w.place[n]]
		if part == query.Copied {
			t.Copied++
			continue
		}
		failed := 0
		if c.Outcome.Failed() {
			failed = 1
		}
		switch {
		case !w.threads[w.snap.HeadRow(at).Thread].Main:
			t.AgentCalls++
			t.AgentErrs += failed
			if query.Pending(c) {
				t.AgentPend++
			}
			continue
		case c.Msg == model.NoID:
			t.Orphans++
		default:
			t.Calls++
			w.addWait(w.place[n], t, c)
		}
		t.Errors += failed
		if query.Pending(c) {
			t.Pending++
		}
		if step := w.stepOf[at]; step > 0 && c.Msg != model.NoID {
			w.steps[step-1].Calls++
			w.steps[step-1].Errors += failed
		}
	}
}

// addWait counts the time in which a call waits for a human, once if two calls wait.
func (w *turnsWalk) addWait(place int32, t *Turn, c *model.Call) {
	from := w.snap.HeadRow(c.Msg).Time
	if !w.asks[c.Tool] || c.Took == model.NoTook || from == 0 {
		return
	}
	to := from + int64(c.Took)
	from = max(from, w.asked[place])
	if to > from {
		t.Asked += human.Millis(to - from)
		w.asked[place] = to
	}
}

// Describe fills in the titles of the turns, for which it reads the prompts.
func (a *TimelineAnswer) Describe(ctx context.Context) error {
	for i := range a.Turns {
		if err := a.describe(ctx, &a.Turns[i]); err != nil {
			return err
		}
	}
	return nil
}

// describe takes the title from the prompt or, if there is none, from the first message with words.
func (a *TimelineAnswer) describe(ctx context.Context, t *Turn) error {
	if t.Title != "" {
		return nil
	}
	if t.Prompt != model.NoID {
		m, err := a.sel.Snap.Body(ctx, t.Prompt)
		if err != nil {
			return err
		}
		t.Title = describe.FirstWords(m)
		return nil
	}
	for i, id := range t.Messages {
		if i == 8 || t.Title != "" { // more reads are not worth it
			break
		}
		if a.sel.Snap.HeadRow(id).Flags&model.HasWords == 0 {
			continue
		}
		m, err := a.sel.Snap.Body(ctx, id)
		if err != nil {
			return err
		}
		if t.Title = describe.FirstWords(m); t.Title != "" {
			_, word := describe.KindOf(m)
			t.Title = word + ": " + t.Title
		}
	}
	return nil
}
