package summary

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"turns/model"
	"turns/query"
	"turns/query/describe"
	"turns/query/filter"
	"turns/query/human"
)

// WorkLogAnswer is the work log of a session: interactions with one line per call and per result
// without a call. Each line has an outcome, except copies from the conversation that this one
// continues: they are only listed.
type WorkLogAnswer struct {
	Version      int           `json:"version"`
	Interactions []Interaction `json:"interactions"`
	Entries      []WorkEntry   `json:"entries"`
	Success      int           `json:"success"`
	Failure      int           `json:"failure"`
	Partial      int           `json:"partial"`
	Pending      int           `json:"pending"`
	Orphans      int           `json:"orphan_results"`
	Copied       int           `json:"copied_calls"`
	Scripts      int           `json:"scripts"` // calls that only contain others
	cut          *workLogSize
	zone         *time.Location
	sel          query.Selection
}

// Interaction reaches from a prompt to the end of its answer: by its recorded id if the format has
// one, otherwise a turn.
type Interaction struct {
	ID       human.TextOrNull `json:"interaction_id"` // as recorded
	Turn     int              `json:"turn"`
	Index    human.Index      `json:"index"`
	First    model.ID         `json:"-"`
	Prompt   human.TextOrNull `json:"prompt"`
	Start    human.Stamp      `json:"first_time"`
	End      human.Stamp      `json:"last_time"`
	Messages int              `json:"messages"`
	Calls    int              `json:"tool_calls"`
	Failures int              `json:"tool_errors"`
	Thoughts []Thought        `json:"reasoning,omitempty"`
	entries  int
}

// Thought is reasoning with recorded properties other than its text.
type Thought struct {
	Index      human.Index      `json:"index"`
	Model      human.TextOrNull `json:"model"`
	Type       human.TextOrNull `json:"reasoning_type"`
	Confidence *float64         `json:"confidence_level"`
	Text       human.TextOrNull `json:"text"`
	absent     string           // why there is no text: redacted, encrypted or not recorded
}

// WorkEntry is a line of the work log.
type WorkEntry struct {
	Index       human.Index      `json:"index"`
	ID          model.ID         `json:"-"`
	Call        model.CallID     `json:"-"`
	Turn        int              `json:"turn"`
	Interaction human.Index      `json:"interaction"` // number in the list; null: none
	Time        human.Stamp      `json:"time"`
	Agent       human.TextOrNull `json:"agent"`
	Tool        string           `json:"tool_name"`
	Arguments   []KeyArg         `json:"key_arguments"`
	Category    human.TextOrNull `json:"action_category"`
	Outcome     string           `json:"outcome"` // success, failure, partial, pending
	Details     human.TextOrNull `json:"details"`
	Error       human.TextOrNull `json:"error_details"`
	Impact      []string         `json:"impact_scope"`
	Took        *human.Millis    `json:"duration_seconds"`
	Orphan      bool             `json:"orphan"`  // a result without a call
	Copied      bool             `json:"copied"`  // it counts in its original conversation
	Script      bool             `json:"script"`  // its calls count instead
	Inside      bool             `json:"inside"`  // a call of the last script before it
	InText      bool             `json:"in_text"` // only the text of that script shows the call
	standing    string           // of an orphan: why it has no call
	glyph       string           // as in every list of calls
}

// KeyArg is an argument that identifies the subject of a call.
type KeyArg struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// The outcomes of the work log.
const (
	WorkSuccess = "success"
	WorkFailure = "failure"
	WorkPartial = "partial"
	WorkPending = "pending"
)

// WorkOutcome returns the work log's outcome of a call.
func WorkOutcome(c *model.Call) string {
	switch {
	case c.Outcome.Failed():
		return WorkFailure
	case query.Pending(c) || c.Outcome == model.Running: // also applies to results without a call
		return WorkPending
	case c.Outcome == model.Half:
		return WorkPartial
	}
	return WorkSuccess
}

// WorkLogOptions are optional parts of a work log.
type WorkLogOptions struct {
	Zone     *time.Location // of the times in texts; nil is UTC
	Thoughts bool           // reasoning with its type and confidence
}

// WorkLog lists the calls and interactions of the selected messages. It reads their texts.
func WorkLog(ctx context.Context, v describe.View, turns *query.TurnIndex, o WorkLogOptions) (*WorkLogAnswer, error) {
	w := workWalk{View: v, turns: turns, opts: o, read: query.NewPairs(v.Snap), covered: query.NewCoverage(v.Selection), at: map[string]int{},
		a: &WorkLogAnswer{Version: human.AnswerVersion, Interactions: []Interaction{}, Entries: []WorkEntry{}, zone: o.Zone, sel: v.Selection}}
	for _, id := range v.IDs {
		m, err := w.read.Body(ctx, id)
		if err != nil {
			return nil, err
		}
		if err := w.message(ctx, m); err != nil {
			return nil, err
		}
	}
	return w.a, w.prompts(ctx)
}

// prompts fills in the prompts that are not selected.
func (w *workWalk) prompts(ctx context.Context) error {
	for i := range w.a.Interactions {
		in := &w.a.Interactions[i]
		if in.Prompt != "" || in.Turn < 0 {
			continue
		}
		id := w.turns.First(in.Turn)
		if h := w.Snap.HeadRow(id); h.Role != model.User || h.Flags&model.Prompt == 0 {
			continue
		}
		m, err := w.Snap.Body(ctx, id)
		if err != nil {
			return err
		}
		in.Prompt = human.TextOrNull(describe.FirstWords(m))
	}
	return nil
}

type workWalk struct {
	describe.View
	turns *query.TurnIndex
	opts  WorkLogOptions
	read  *query.Pairs
	a     *WorkLogAnswer

	covered query.Coverage
	at      map[string]int // interactions by key

	answer     model.ID // the last message with results
	answerRich *workExtra
}

// interaction returns the number of a message's interaction.
func (w *workWalk) interaction(m *model.Message) int {
	turn := w.turns.Turn(m.ID)
	name := ""
	for _, kv := range m.Extra {
		if filter.NamesInteraction(kv.Name) {
			name = kv.Value
		}
	}
	key := "turn " + strconv.Itoa(turn)
	if name != "" {
		key = "id " + name
	} else if turn < 0 {
		return -1
	}
	n, ok := w.at[key]
	if last := len(w.a.Interactions) - 1; name == "" && last >= 0 && w.a.Interactions[last].Turn == turn && w.a.Interactions[last].ID != "" {
		n, ok = last, true // a tool's message without an id, among those of one
	}
	if !ok {
		n = len(w.a.Interactions)
		w.at[key] = n
		w.a.Interactions = append(w.a.Interactions, Interaction{ID: human.TextOrNull(model.CleanLine(name)), Turn: turn, Index: human.Index(m.Pos), First: m.ID, Start: human.Stamp(m.Time)})
	}
	in := &w.a.Interactions[n]
	in.Messages++
	if m.Time != 0 {
		in.End = max(in.End, human.Stamp(m.Time))
		if in.Start == 0 {
			in.Start = human.Stamp(m.Time)
		}
	}
	if in.Prompt == "" && m.Role == model.User && m.Flags&model.Prompt != 0 {
		in.Prompt = human.TextOrNull(describe.FirstWords(m))
	}
	return n
}

func (w *workWalk) message(ctx context.Context, m *model.Message) error {
	in := w.interaction(m)
	rich := newWorkExtra(m)
	if w.opts.Thoughts && in >= 0 {
		w.thoughts(m, &w.a.Interactions[in], rich)
	}
	for _, row := range w.covered.CallsAt(m.ID) {
		c, err := w.read.Read(ctx, row.ID)
		if err != nil {
			return err
		}
		e := w.entry(m, &c, rich, in)
		if c.Row.Result != model.NoID && c.Result != nil {
			from := rich
			if c.Row.Result != m.ID {
				if from, err = w.resultExtra(ctx, c.Row.Result); err != nil {
					return err
				}
			}
			from.result(c.Result.ID, &e)
		}
		w.keep(e, in)
	}
	return nil
}

// resultExtra returns the recorded properties of the results in a message.
func (w *workWalk) resultExtra(ctx context.Context, id model.ID) (*workExtra, error) {
	if w.answerRich == nil || w.answer != id {
		m, err := w.read.Body(ctx, id)
		if err != nil {
			return nil, err
		}
		w.answer, w.answerRich = id, newWorkExtra(m)
	}
	return w.answerRich, nil
}

func (w *workWalk) keep(e WorkEntry, in int) {
	w.a.Entries = append(w.a.Entries, e)
	if in >= 0 {
		w.a.Interactions[in].entries++
	}
	if e.Copied {
		w.a.Copied++
		return
	}
	if e.Script {
		w.a.Scripts++
		return
	}
	switch {
	case e.Outcome == WorkFailure: // a result without a call can also fail
		w.a.Failure++
	case e.Orphan:
	case e.Outcome == WorkSuccess:
		w.a.Success++
	case e.Outcome == WorkPartial:
		w.a.Partial++
	default:
		w.a.Pending++
	}
	if e.Orphan {
		w.a.Orphans++
	}
	if in >= 0 {
		if !e.Orphan {
			w.a.Interactions[in].Calls++
		}
		if e.Outcome == WorkFailure {
			w.a.Interactions[in].Failures++
		}
	}
}

func (w *workWalk) entry(m *model.Message, c *query.CallOf, rich *workExtra, in int) WorkEntry {
	th := &w.Snap.Threads()[w.Snap.HeadRow(m.ID).Thread]
	d := describe.NewDescriber(&w.Snap.Sessions()[th.Session])
	line := d.Row(c)
	part, _ := w.covered.Part(c.ID)
	e := WorkEntry{Impact: []string{},
		Orphan: c.Row.Msg == model.NoID, Copied: part == query.Copied, Script: part == query.Carrier, Inside: c.Row.Inside > 0, InText: c.Row.InText(),
		Index: human.Index(m.Pos), ID: m.ID, Call: c.ID, Turn: w.turns.Turn(m.ID), Interaction: human.Index(in), Time: human.Stamp(m.Time),
		Tool: model.CleanLine(query.ToolName(w.Snap, c.Row)), Outcome: WorkOutcome(c.Row), Details: human.TextOrNull(line.Outcome), standing: c.Standing(), glyph: line.Glyph(),
	}
	if !th.Main {
		e.Agent = human.TextOrNull(model.CleanLine(th.Name))
	}
	if d, ok := c.Row.Duration(); ok {
		took := human.Millis(d / time.Millisecond)
		e.Took = &took
	}
	if c.Call != nil {
		e.Arguments = keyArgs(d, c.Call, rich.importance(c.Call.ID), &line)
	} else if e.Arguments = []KeyArg{}; c.Result != nil && c.Result.ID != "" {
		e.Arguments = append(e.Arguments, KeyArg{"tool_call_id", human.OneLine(c.Result.ID, 100)})
	}
	if e.Outcome == WorkFailure {
		e.Error, e.Details = human.TextOrNull(line.Outcome), ""
		if c.Result != nil {
			if text := firstSentence(model.Printed(c.Result.Text)); text != "" && e.Error == "" {
				e.Error = human.TextOrNull(text)
			}
		}
	}
	return e
}

func firstSentence(text string) string {
	line, _ := describe.FirstLine(text)
	return line
}

// keyArgsMax is the number of arguments in a line, importantFrom the minimum recorded importance.
// Critical ones are always listed.
const (
	keyArgsMax    = 3
	importantFrom = 7
	critical      = 10
)

// keyArgs returns the arguments with a recorded importance of at least seven out of ten; without
// records, the most informative one.
func keyArgs(d describe.Describer, call *model.Content, importance map[string]int, line *describe.Line) []KeyArg {
	args := describe.ParseArgs(call)
	out := []KeyArg{}
	add := func(f *describe.ArgField) {
		v := human.OneLine(d.Paths(d.PathOf(describe.RawText(f.Raw, 400))), 100)
		if v != "" && (len(out) < keyArgsMax || importance[f.Name] >= critical) {
			out = append(out, KeyArg{string(human.TextOrNull(model.CleanLine(f.Name))), v})
		}
	}
	if len(importance) > 0 {
		fields := slices.Clone(args.Fields)
		slices.SortStableFunc(fields, func(a, b describe.ArgField) int { return importance[b.Name] - importance[a.Name] })
		for i := range fields {
			if importance[fields[i].Name] >= importantFrom {
				add(&fields[i])
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	args.MostTelling(func(f *describe.ArgField) bool {
		if f.Raw != "null" {
			add(f)
		}
		return len(out) > 0
	})
	if len(out) == 0 {
		for i := range args.Fields {
			add(&args.Fields[i])
		}
	}
	if len(out) == 0 && line.About != "" {
		out = append(out, KeyArg{"", human.OneLine(line.About, 100)})
	}
	return out
}

// workExtra has recorded properties of blocks that the model has no fields for: the importance of
// arguments, the type of reasoning, what a result touched.
type workExtra struct {
	blocks   []workBlock
	ofCalls  map[string]int   // the first block with a call's id
	ofResult map[string][]int // the blocks with a result's id
	thinking []int
}

type workBlock struct {
	Type       string          `json:"type"`
	ID         string          `json:"id"` // of a call in a JSON export
	ToolID     string          `json:"tool_id"`
	Importance map[string]int  `json:"parameter_importance"`
	Reasoning  string          `json:"reasoning_type"`
	Confidence *float64        `json:"confidence_level"`
	Impact     json.RawMessage `json:"impact_scope"`
	Error      string          `json:"error_details"`
	Summary    string          `json:"result_summary"`
	Category   string          `json:"action_category"`
}

// workRecord is a message with such blocks, or a line of the work log itself: a call and its result
// in one.
type workRecord struct {
	Content []workBlock `json:"content"`

	// of a JSON export: the call has its fields, the message those of a result and of reasoning
	Calls  []workBlock `json:"tool_calls"`
	CallID string      `json:"tool_call_id"`

	Entry     string            `json:"entry_id"`
	Weights   map[string]string `json:"parameter_metadata"`
	Category  string            `json:"action_category"`
	Impact    string            `json:"impact_scope"`
	Resources []string          `json:"affected_resources"`
	Details   string            `json:"outcome_details"`
	Status    string            `json:"outcome_status"`
}

// workWeights maps the words for the importance of parameters to numbers.
var workWeights = map[string]int{"critical": critical, "high": 8, "medium": 5, "low": 3, "verbose": 1}

// blocks returns the blocks of a record.
func (r *workRecord) blocks(data []byte) []workBlock {
	if r.Entry == "" {
		return append(r.Content, r.exported(data)...)
	}
	call := workBlock{Type: "tool_use", ToolID: r.Entry, Importance: map[string]int{}}
	for name, weight := range r.Weights {
		call.Importance[name] = workWeights[weight]
	}
	touched := r.Resources
	if r.Impact != "" && r.Impact != "unknown" {
		touched = append([]string{r.Impact}, touched...)
	}
	impact, _ := json.Marshal(touched)
	result := workBlock{Type: "tool_result", ToolID: r.Entry, Impact: impact, Category: r.Category}
	if r.Status == WorkFailure {
		result.Error = r.Details
	} else {
		result.Summary = r.Details
	}
	return []workBlock{call, result}
}

// exported returns the blocks of a message of a JSON export.
func (r *workRecord) exported(data []byte) []workBlock {
	for i := range r.Calls {
		r.Calls[i].Type, r.Calls[i].ToolID = "tool_use", r.Calls[i].ID
	}
	var own workBlock
	_ = json.Unmarshal(data, &own)
	switch own.ToolID = r.CallID; {
	case r.CallID != "":
		own.Type = "tool_result"
	case own.Reasoning != "":
		own.Type = "thinking"
	default:
		return r.Calls
	}
	return append(r.Calls, own)
}

// workNames are the fields that a record must have to be worth decoding.
var workNames = [][]byte{[]byte(`"parameter_importance"`), []byte(`"reasoning_type"`), []byte(`"impact_scope"`), []byte(`"error_details"`), []byte(`"result_summary"`), []byte(`"parameter_metadata"`), []byte(`"action_category"`)}

func newWorkExtra(m *model.Message) *workExtra {
	x := &workExtra{}
	for _, r := range m.Records {
		if !slices.ContainsFunc(workNames, func(name []byte) bool { return bytes.Contains(r.Data, name) }) {
			continue
		}
		var rec workRecord
		_ = json.Unmarshal(r.Data, &rec) // skip fields of wrong types
		x.blocks = append(x.blocks, rec.blocks(r.Data)...)
	}
	x.ofCalls, x.ofResult = map[string]int{}, map[string][]int{}
	for i := range x.blocks {
		switch b := &x.blocks[i]; b.Type {
		case "tool_use":
			if _, ok := x.ofCalls[b.ToolID]; !ok {
				x.ofCalls[b.ToolID] = i
			}
		case "tool_result":
			x.ofResult[b.ToolID] = append(x.ofResult[b.ToolID], i)
		case "thinking":
			x.thinking = append(x.thinking, i)
		}
	}
	return x
}

func (x *workExtra) importance(id string) map[string]int {
	if i, ok := x.ofCalls[id]; ok {
		return x.blocks[i].Importance
	}
	return nil
}

func (x *workExtra) result(id string, e *WorkEntry) {
	for _, i := range x.ofResult[id] {
		b := &x.blocks[i]
		if b.Error != "" {
			e.Error = human.TextOrNull(human.OneLine(b.Error, describe.LineMax))
		}
		if b.Summary != "" {
			e.Details = human.TextOrNull(human.OneLine(b.Summary, describe.LineMax))
		}
		e.Category = human.TextOrNull(human.OneLine(b.Category, 40))
		var list []string
		var one string
		if json.Unmarshal(b.Impact, &list) != nil && json.Unmarshal(b.Impact, &one) == nil && one != "" {
			list = []string{one}
		}
		for _, s := range list {
			e.Impact = append(e.Impact, human.OneLine(s, 100))
		}
	}
}

func (w *workWalk) thoughts(m *model.Message, in *Interaction, rich *workExtra) {
	n := 0
	for i := range m.Blocks {
		if m.Blocks[i].Kind != model.Reasoning {
			continue
		}
		t := Thought{Index: human.Index(m.Pos), Model: human.TextOrNull(model.CleanLine(m.Model))}
		line, _ := describe.FirstLine(m.Blocks[i].Text)
		if t.Text = human.TextOrNull(line); line == "" {
			t.absent = describe.NoReasoning(&m.Blocks[i])
		}
		if n < len(rich.thinking) {
			b := &rich.blocks[rich.thinking[n]]
			t.Type, t.Confidence = human.TextOrNull(human.OneLine(b.Reasoning, 40)), b.Confidence
		}
		n++
		in.Thoughts = append(in.Thoughts, t)
	}
}

// First keeps only the first n entries, and removes the later turns. The totals still count them.
func (a *WorkLogAnswer) First(n int) {
	if n >= len(a.Entries) {
		return
	}
	a.cut = &workLogSize{a.calls(), len(a.Interactions)}
	a.Entries = a.Entries[:n]
	last := human.Index(-1)
	for i := range a.Entries {
		last = max(last, a.Entries[i].Interaction)
	}
	a.Interactions = a.Interactions[:last+1]
}

// workLogSize is the number of calls and turns before First removed some.
type workLogSize struct{ calls, turns int }

// calls returns the number of entries that count as calls.
func (a *WorkLogAnswer) calls() int {
	n := len(a.Entries)
	for i := range a.Entries {
		if a.Entries[i].Orphan || a.Entries[i].Copied || a.Entries[i].Script {
			n--
		}
	}
	return n
}

// Len returns the number of entries.
func (a *WorkLogAnswer) Len() int { return len(a.Entries) }
