package runs

import (
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"

	"turns/model"
	"turns/query"
	"turns/query/changes"
	"turns/query/describe"
	"turns/query/human"
	"turns/query/summary"
	"turns/query/window"
)

// The kinds of items that are compared.
const (
	DiffPrompt = "prompt"
	DiffText   = "text"
	DiffCall   = "call"
)

// The ways in which a pair of items differs.
const (
	DiffSame    = "same"
	DiffAdded   = "added"   // only in the second session
	DiffMissing = "missing" // only in the first session
	DiffArgs    = "changed" // the same tool or speaker with other arguments or words
	DiffOutcome = "outcome" // the same call with another outcome
)

// DiffSide is an item of a session.
type DiffSide struct {
	Index   human.Index      `json:"index"`
	ID      model.ID         `json:"-"`
	Call    model.CallID     `json:"-"` // NoRow for none
	Turn    int              `json:"turn"`
	Kind    string           `json:"kind"`
	Tool    human.TextOrNull `json:"tool_name"`
	Text    string           `json:"text"` // in one line
	Outcome human.TextOrNull `json:"outcome"`
	State   model.Outcome    `json:"-"` // of a call
	exact   uint64           // hash of kind and complete text
	loose   uint64           // hash of kind and tool
	file    string           // first file that a call reads or edits, "" for none
}

// DiffRow is two items side by side.
type DiffRow struct {
	How string    `json:"how"`
	A   *DiffSide `json:"a"`
	B   *DiffSide `json:"b"`
}

// DiffTotals are the totals of a session.
type DiffTotals struct {
	Messages int `json:"total_messages"`
	Turns    int `json:"turns"`
	Calls    int `json:"tool_calls"`
	Errors   int `json:"tool_errors"`
	// counted texts; estimated by size without a count
	Tokens   int64            `json:"total_tokens"`
	Measured int64            `json:"recorded_tokens"`   // recorded usage, all tokens
	Took     human.Millis     `json:"duration_seconds"`  // from the first to the last record
	Cost     *float64         `json:"recorded_cost_usd"` // recorded
	Spent    *summary.Cost    `json:"cost"`              // with estimates, if there are prices
	Outcome  model.RunState   `json:"state"`             // how it ended
	Score    *float64         `json:"score"`             // if the format has one
	Model    human.TextOrNull `json:"model"`             // of its first response
	Counted  bool             `json:"counted"`           // Tokens is a count, not an estimate
	Encoding human.TextOrNull `json:"encoding"`
}

// TotalCost returns the cost of the turn, with estimates if there are some.
func (t *DiffTotals) TotalCost() summary.Cost { return summary.CostOf(t.Cost, t.Spent) }

// ToolDiff is the number of calls and errors of a tool in each session.
type ToolDiff struct {
	Tool    human.TextOrNull `json:"tool_name"`
	CallsA  int              `json:"call_count_a"`
	CallsB  int              `json:"call_count_b"`
	ErrorsA int              `json:"tool_errors_a"`
	ErrorsB int              `json:"tool_errors_b"`
}

// DiffAnswer has two sessions side by side.
type DiffAnswer struct {
	Version int         `json:"version"`
	A       DiffTotals  `json:"a"`
	B       DiffTotals  `json:"b"`
	Same    int         `json:"same"`
	Added   int         `json:"added_calls"`
	Missing int         `json:"missing_calls"`
	Args    int         `json:"changed_arguments"`
	Flips   int         `json:"changed_outcomes"`
	Texts   int         `json:"changed_texts"` // different prompts and answers
	Part    human.Index `json:"part"`          // first different row; null: none
	Tools   []ToolDiff  `json:"tools"`
	Rows    []DiffRow   `json:"rows"`
	// Files are the changes of both sessions to files.
	Files []changes.PairedFile `json:"files"`
}

// DiffRun is a session to compare: a selection, and its tokens if counted.
type DiffRun struct {
	query.Selection
	Tokens *query.TokenColumn
	Turns  *query.TurnIndex   // nil: computed on demand
	Prices summary.PriceTable // nil: no estimates
}

// Diff compares two sessions. It aligns their items (prompts, answers, calls) by a longest common
// subsequence, and aligns the items in between by speaker and tool, so that a call with other
// arguments is next to the one it replaced.
func Diff(ctx context.Context, a, b DiffRun) (*DiffAnswer, error) {
	seed := maphash.MakeSeed()
	left, err := diffItems(ctx, &a, seed)
	if err != nil {
		return nil, err
	}
	right, err := diffItems(ctx, &b, seed)
	if err != nil {
		return nil, err
	}
	d := &DiffAnswer{Version: human.AnswerVersion, Part: -1, Rows: make([]DiffRow, 0, max(len(left), len(right)))}
	if d.A, err = a.totals(ctx); err != nil {
		return nil, err
	}
	if d.B, err = b.totals(ctx); err != nil {
		return nil, err
	}
	d.align(left, right)
	d.count()
	d.tools(left, right)
	d.Files, err = diffFiles(ctx, &a, &b)
	return d, err
}

// diffFiles compares the file changes of two sessions.
func diffFiles(ctx context.Context, a, b *DiffRun) ([]changes.PairedFile, error) {
	var answers [2]*changes.Answer
	for i, run := range [...]*DiffRun{a, b} {
		h, err := changes.Of(ctx, run.Snap, run.Turns)
		if err != nil {
			return nil, err
		}
		if answers[i], err = h.Answer(ctx, run.Selection); err != nil {
			return nil, err
		}
	}
	return changes.Compare(ctx, answers[0], answers[1])
}

// diffItems returns the items of the main threads of a session.
func diffItems(ctx context.Context, run *DiffRun, seed maphash.Seed) ([]DiffSide, error) {
	s := run.Snap
	if run.Turns == nil {
		run.Turns = query.NewTurnIndex(s)
	}
	var items []DiffSide
	for _, id := range run.IDs {
		h := s.HeadRow(id)
		th := &s.Threads()[h.Thread]
		if !th.Main || h.Role == model.Tool || h.Role == model.System || h.Role == model.Developer || h.Flags&model.Injected != 0 {
			continue
		}
		m, err := s.Body(ctx, id)
		if err != nil {
			return nil, err
		}
		d := describe.NewDescriber(&s.Sessions()[th.Session])
		items = appendDiffItems(items, run, m, d, seed)
	}
	return items, nil
}

func appendDiffItems(items []DiffSide, run *DiffRun, m *model.Message, d describe.Describer, seed maphash.Seed) []DiffSide {
	calls, n := query.CallsOf(run.Snap, m.ID), 0
	base := DiffSide{Index: human.Index(m.Pos), ID: m.ID, Call: model.CallID(model.NoRow), Turn: run.Turns.Turn(m.ID)}
	var words []string
	for i := range m.Blocks {
		if b := &m.Blocks[i]; b.Kind == model.Words && strings.TrimSpace(b.Text) != "" {
			words = append(words, strings.TrimSpace(b.Text))
		}
	}
	if len(words) > 0 {
		it := base
		it.Kind = DiffText
		if m.Role == model.User {
			it.Kind = DiffPrompt
		}
		it.Text = describe.FirstWords(m)
		it.exact = maphash.String(seed, it.Kind+"\x00"+strings.Join(words, "\n"))
		it.loose = maphash.String(seed, it.Kind)
		items = append(items, it)
	}
	for i := range m.Blocks {
		b := &m.Blocks[i]
		if b.Kind != model.ToolCall || n >= len(calls) {
			continue
		}
		c := &calls[n]
		n++
		line := d.Call(b, nil, &c.Call)
		it := base
		it.Kind, it.Call, it.Tool, it.Text = DiffCall, c.ID, human.TextOrNull(query.ToolName(run.Snap, &c.Call)), strings.TrimSpace(line.Word+" "+line.About)
		it.State, it.Outcome = line.State, human.TextOrNull(summary.WorkOutcome(&c.Call))
		it.exact = maphash.String(seed, string(it.Tool)+"\x00"+strings.TrimSpace(b.Text))
		it.loose = maphash.String(seed, DiffCall+string(it.Tool))
		if touched := describe.Touched(b); len(touched) > 0 {
			it.file = d.FileShown(touched[0].Path)
		}
		items = append(items, it)
	}
	return items
}

// align fills the rows.
func (d *DiffAnswer) align(left, right []DiffSide) {
	i, j := 0, 0
	for _, p := range alignSides(left, right, func(s *DiffSide) uint64 { return s.exact }) {
		d.gap(left[i:p.A], right[j:p.B])
		i, j = int(p.A)+1, int(p.B)+1
		row := DiffRow{How: DiffSame, A: &left[p.A], B: &right[p.B]}
		if row.A.Outcome != row.B.Outcome {
			row.How = DiffOutcome
		}
		d.Rows = append(d.Rows, row)
	}
	d.gap(left[i:], right[j:])
}

// gap aligns items without an equal by speaker and tool.
func (d *DiffAnswer) gap(left, right []DiffSide) {
	i, j := 0, 0
	alone := func(a, b int) {
		for ; i < a; i++ {
			d.Rows = append(d.Rows, DiffRow{How: DiffMissing, A: &left[i]})
		}
		for ; j < b; j++ {
			d.Rows = append(d.Rows, DiffRow{How: DiffAdded, B: &right[j]})
		}
	}
	if len(left) > 0 && len(right) > 0 {
		for _, p := range alignSides(left, right, func(s *DiffSide) uint64 { return s.loose }) {
			alone(int(p.A), int(p.B))
			d.Rows = append(d.Rows, DiffRow{How: DiffArgs, A: &left[p.A], B: &right[p.B]})
			i, j = int(p.A)+1, int(p.B)+1
		}
	}
	alone(len(left), len(right))
}

// alignSides aligns two sessions by a key of their items.
func alignSides(left, right []DiffSide, key func(*DiffSide) uint64) []query.AlignedPair {
	keys := func(list []DiffSide) []uint64 {
		all := make([]uint64, len(list))
		for i := range list {
			all[i] = key(&list[i])
		}
		return all
	}
	return query.Align(keys(left), keys(right))
}

// count counts the rows by kind.
func (d *DiffAnswer) count() {
	for i := range d.Rows {
		r := &d.Rows[i]
		if r.How != DiffSame && d.Part < 0 {
			d.Part = human.Index(i)
		}
		side := cmp.Or(r.A, r.B)
		call := side.Kind == DiffCall
		switch {
		case r.How == DiffSame:
			d.Same++
		case !call:
			d.Texts++
		case r.How == DiffAdded:
			d.Added++
		case r.How == DiffMissing:
			d.Missing++
		case r.How == DiffArgs:
			d.Args++
		}
		if r.A != nil && r.B != nil && r.A.Outcome != r.B.Outcome {
			d.Flips++
		}
	}
}

func (d *DiffAnswer) tools(left, right []DiffSide) {
	byName := map[string]*ToolDiff{}
	add := func(it *DiffSide, b bool) {
		if it.Kind != DiffCall {
			return
		}
		t := byName[string(it.Tool)]
		if t == nil {
			t = &ToolDiff{Tool: it.Tool}
			byName[string(it.Tool)] = t
		}
		calls, errs := &t.CallsA, &t.ErrorsA
		if b {
			calls, errs = &t.CallsB, &t.ErrorsB
		}
		*calls++
		if it.Outcome == summary.WorkFailure {
			*errs++
		}
	}
	for i := range left {
		add(&left[i], false)
	}
	for i := range right {
		add(&right[i], true)
	}
	d.Tools = make([]ToolDiff, 0, len(byName))
	for _, t := range byName {
		d.Tools = append(d.Tools, *t)
	}
	slices.SortFunc(d.Tools, func(a, b ToolDiff) int { return strings.Compare(string(a.Tool), string(b.Tool)) })
}

// totals returns the numbers of a session's stats, and the size of its texts.
func (run *DiffRun) totals(ctx context.Context) (t DiffTotals, err error) {
	stats, err := summary.Stats(ctx, run.Selection, nil)
	if err != nil {
		return t, err
	}
	if run.Prices != nil {
		stats.Price(summary.Costs(run.Selection, run.Turns, summary.CostOptions{Prices: run.Prices}))
	}
	t = DiffTotals{
		Messages: stats.TotalMessages, Turns: stats.Turns, Calls: stats.ToolCalls, Errors: stats.ToolErrors, Took: human.Millis(stats.LastTime - stats.FirstTime),
		Cost: stats.Cost, Spent: stats.Spent, Outcome: stats.Outcome.State, Score: stats.Outcome.Score, Counted: run.Tokens != nil,
	}
	if len(stats.Models) > 0 {
		t.Model = human.TextOrNull(stats.Models[0])
	}
	if stats.Usage.Total != nil {
		t.Measured = *stats.Usage.Total
	}
	if run.Tokens != nil {
		t.Encoding = human.TextOrNull(run.Tokens.Encoding())
	}
	x := &window.Index{Snap: run.Snap, Tokens: run.Tokens} // used only for weights
	for _, id := range run.IDs {
		w := x.Weigh(id, run.Snap.HeadRow(id))
		t.Tokens += w.Sum()
	}
	return t, nil
}

// DiffBy lists the values that Differs accepts.
const DiffBy = "calls, text, outcomes, files"

// Differs reports whether the sessions differ in one of the aspects in by, separated by commas:
// calls (added, missing or with other arguments), text (prompts and answers), outcomes (of calls,
// and of the session), files (the changes of files). It fails for any other name.
func (d *DiffAnswer) Differs(by string) (bool, error) {
	differs := false
	for name := range strings.SplitSeq(by, ",") {
		switch strings.TrimSpace(name) {
		case "calls":
			differs = differs || d.Added+d.Missing+d.Args > 0
		case "text":
			differs = differs || d.Texts > 0
		case "outcomes":
			differs = differs || d.Flips > 0 || d.A.Outcome != d.B.Outcome
		case "files":
			differs = differs || slices.ContainsFunc(d.Files, func(f changes.PairedFile) bool { return f.How != changes.BothSame })
		default:
			return false, fmt.Errorf("comparing by %q: known are %s", name, DiffBy)
		}
	}
	return differs, nil
}
