package parquet

import (
	"cmp"
	"context"
	"io/fs"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"turns/export/shape"
	"turns/model"
	"turns/model/source/parquet"
	"turns/query"
	"turns/query/label"
	"turns/query/many"
)

// Run is the input for one session's rows.
type Run struct {
	*many.Run
	query.Selection
	Labels *label.Here // nil: none
	File   fs.FileInfo // of its file before reading; nil if there is none
}

func (r *Run) source() source { return sourceOf(r.File) }

// id returns the id of a session: the recorded one if its file has that name, or has many. A part
// of another session, or a session with the id of one, also has the name of its file.
func (r *Run) id() string {
	base := filepath.Base(r.Path)
	stem := strings.TrimSuffix(base, filepath.Ext(base))
	switch {
	case r.Session.Session == "":
		return stem + "-" + short(r.Path)
	case strings.Contains(base, r.Session.Session) || strings.Contains(base, "#"):
		return r.Session.Session
	}
	return r.Session.Session + "/" + stem
}

// handOver is about the number of bytes of a session's rows that are collected for the tables: a
// session with fewer is written completely or not at all.
const handOver = 2 << 20

// pen writes the rows of one session.
type pen struct {
	set      *Set
	in       *Run
	id       string
	folder   string
	snap     *model.Snapshot
	items    *shape.ItemReader
	pairs    *query.Pairs
	coverage query.Coverage
	turns    *query.TurnIndex
	open     map[model.CallID]*callRow // calls without their results yet

	runs     []runRow
	messages []messageRow
	usage    []messageRow
	calls    []callRow
	orphans  []callRow
	labels   []labelRow
	bytes    int64
	numbers  []int64
	buf      []byte
	parts    []parquet.Block              // of the current message
	started  map[model.CallID]string      // ids of calls that started subagents or made calls
	begun    map[uint32]bool              // subagents with messages so far
	marked   model.ID                     // the first row that before has not seen
	marks    map[uint32][]string          // of threads, for the next message
	used     query.UsageTally             // of messages
	usedBy   map[string]*query.UsageTally // of messages by model
	first    int64                        // times of messages
	last     int64
	handed   bool
	total    Totals
}

// pen returns a pen for a session. It reuses the memory of another one.
func (s *Set) pen(in *Run, id string) *pen {
	day, zone := "", s.o.Zone
	zone = cmp.Or(zone, time.UTC)
	if when := in.When(); !when.IsZero() {
		day = when.In(zone).Format(time.DateOnly)
	}
	p := &pen{
		set: s, in: in, id: id, folder: folderOf(day, in.AgentName()), snap: in.Snap, open: map[model.CallID]*callRow{}, started: map[model.CallID]string{}, begun: map[uint32]bool{}, marks: map[uint32][]string{}, usedBy: map[string]*query.UsageTally{},
		items: shape.NewItemReader(in.Snap), pairs: query.NewPairs(in.Snap), coverage: query.NewCoverage(in.Selection), turns: query.NewTurnIndex(in.Snap),
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.spare); n > 0 {
		old := s.spare[n-1]
		p.messages, p.calls, p.labels, p.buf, p.parts = old.messages, old.calls, old.labels, old.buf, old.parts
		s.spare = s.spare[:n-1]
	}
	return p
}

func (p *pen) write(ctx context.Context) error {
	for i, id := range p.in.IDs {
		if err := ctx.Err(); err != nil {
			return err
		}
		p.message(ctx, id, i == len(p.in.IDs)-1)
		if p.bytes > handOver {
			p.handed = true
			if err := p.set.hand(p.folder, p); err != nil {
				return err
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(p.open)) { // their results are not among the messages
		p.call(p.open[id])
	}
	p.addLabels()
	p.rest()
	p.runs = append(p.runs, p.run())
	return p.set.hand(p.folder, p)
}

// empty removes the rows that were passed to the tables.
func (p *pen) empty() {
	clear(p.messages)
	clear(p.calls)
	p.usage, p.orphans = nil, nil
	p.messages, p.calls, p.labels, p.runs = p.messages[:0], p.calls[:0], p.labels[:0], nil
	p.bytes = 0
}

// anonymize replaces names in all columns of the rows. In texts, the names were replaced before
// their size was computed.
func (p *pen) anonymize() {
	names := p.set.o.Names.Redactor(false)
	for _, rows := range [...]any{p.runs, p.messages, p.usage, p.calls, p.orphans, p.labels} {
		list := reflect.ValueOf(rows)
		for i := range list.Len() {
			row := list.Index(i)
			for k := range row.NumField() {
				field := row.Field(k)
				if field.Kind() == reflect.Pointer && !field.IsNil() {
					field = field.Elem()
				}
				if field.Kind() == reflect.String {
					field.SetString(names.String(field.String()))
				}
			}
		}
	}
}

// clean returns a text, without credentials if requested.
func (p *pen) clean(s string) string {
	if p.set.redact == nil {
		return s
	}
	s, n := p.set.redact.RedactString(s)
	p.total.Secrets += int64(n)
	return s
}

func (p *pen) text(t model.Text) *string {
	if t.IsNull() {
		return nil
	}
	s := p.clean(t.String())
	return &s
}

// words returns the texts of the blocks of a kind for a column, joined by newlines; nil if there
// are none.
func (p *pen) words(blocks []model.Block, wanted func(model.BlockKind) bool) *string {
	n, last := 0, -1
	for i := range blocks {
		if wanted(blocks[i].Kind) {
			p.parts[i].Null = blocks[i].Text.IsNull()
			if !p.parts[i].Null {
				n, last = n+1, i
			}
		}
	}
	if n < 2 {
		if n == 0 {
			return nil
		}
		s := p.text(blocks[last].Text)
		p.parts[last].Bytes = len(*s)
		return s
	}
	p.buf = p.buf[:0]
	for i := range blocks[:last+1] {
		if !wanted(blocks[i].Kind) || p.parts[i].Null {
			continue
		}
		before := len(p.buf)
		if p.set.redact != nil {
			p.buf = append(p.buf, p.clean(blocks[i].Text.String())...)
		} else {
			p.buf = blocks[i].Text.Append(p.buf)
		}
		if p.parts[i].Bytes = len(p.buf) - before; i < last {
			p.buf = append(p.buf, '\n')
		}
	}
	s := string(p.buf)
	return &s
}

// number returns a recorded number, nil if there is none.
func (p *pen) number(n uint32) *int64 {
	if n == model.NoTokens {
		return nil
	}
	if len(p.numbers) == cap(p.numbers) {
		p.numbers = make([]int64, 0, 256)
	}
	p.numbers = append(p.numbers, int64(n))
	return &p.numbers[len(p.numbers)-1]
}

func (p *pen) message(ctx context.Context, id model.ID, last bool) {
	h := p.snap.HeadRow(id)
	row := messageRow{
		TranscriptID: p.id, MessageIndex: int64(p.snap.Pos(id)), Role: p.snap.RoleName(h), Timestamp: h.Time, Turn: int64(p.turns.Turn(id)),
		Model: p.snap.ModelOf(id), Thread: p.snap.Threads()[h.Thread].Name, Labels: p.labelsOf(id),
	}
	switch {
	case h.Role == model.Assistant:
		row.Source = "generate"
	case h.Flags&model.Prompt != 0:
		row.Source = "input"
	}
	row.Flags = strings.Join(h.Flags.Names(), " ")
	if h.Flags&model.SpanTold != 0 {
		row.Flags = strings.TrimSpace(row.Flags + " " + parquet.FromSpan)
	}
	if t, ok := p.snap.Tokens(id); ok {
		p.used.AddTokens(&t)
		p.use(row.Model, &t)
		if t.Flags&model.HourCache != 0 {
			row.Flags = strings.TrimSpace(row.Flags + " " + parquet.HourCache)
		}
		if t.Flags&model.HasCost != 0 {
			row.Cost = &t.Cost
		}
		row.InputTokens, row.CacheReadTokens, row.CacheMadeTokens = p.number(t.Input), p.number(t.CacheRead), p.number(t.CacheWrite)
		row.OutputTokens, row.ReasoningTokens = p.number(t.Output), p.number(t.Reasoning)
	}
	it, err := p.items.Read(ctx, id)
	var blocks []model.Block
	p.parts = p.parts[:0]
	if err != nil {
		row.Unread = err.Error()
		p.total.Unread++
	} else {
		blocks = it.Blocks
		row.MessageID, row.StopReason = label.IDIn(it.Recorded(), h.Key), it.Stop().String()
	}
	for i := range blocks {
		part := parquet.Block{Kind: blocks[i].Kind.String(), Null: true}
		if k := blocks[i].Kind; k == model.Media || k == model.OtherBlock {
			part.Name = blocks[i].Name.String()
		}
		p.parts = append(p.parts, part)
	}
	results := h.Role == model.Tool && !p.set.o.NoResults
	row.Content = p.words(blocks, func(k model.BlockKind) bool { return k == model.Words || k == model.ToolResult && results })
	if !p.set.o.NoReasoning {
		row.Reasoning = p.words(blocks, func(k model.BlockKind) bool { return k == model.Reasoning })
	}
	p.callsOf(ctx, id, h, blocks, &row)
	row.Details = p.details(id, h, &row, last)
	p.messages = append(p.messages, row)
	p.bytes += row.weight()
	p.total.Messages++
}

// callsOf adds the calls of a message, and its results.
func (p *pen) callsOf(ctx context.Context, id model.ID, h *model.Head, blocks []model.Block, row *messageRow) {
	var made, answered []model.CallRow
	if h.Flags&model.HasCalls != 0 {
		made = p.snap.Calls(id)
	}
	if h.Flags&model.HasResults != 0 {
		answered = p.snap.Answers(id)
	}
	for i := range made { // including those that are not in the text
		if p.own(made[i].ID) {
			p.open[made[i].ID] = p.callRow(&made[i])
		}
	}
	calls, results := 0, 0
	var tools []byte
	for i := range blocks {
		switch b := &blocks[i]; b.Kind {
		case model.ToolCall:
			tools = p.toolCall(tools, b)
			c := query.NthCall(made, calls)
			if c != nil {
				p.nested(c, b, &p.parts[i])
			}
			if c != nil && p.open[c.ID] != nil {
				of := p.open[c.ID]
				of.ToolCallID, of.Arguments, of.Function = b.ID.String(), p.text(b.Text), cmp.Or(b.Name.String(), of.Function)
				p.made(c, &p.parts[i])
			}
			calls++
		case model.ToolResult:
			switch {
			case made != nil:
				p.addMixedResult(ctx, id, i, blocks, made, row)
			case results < len(answered):
				p.answered(&answered[results], b, &p.parts[i], row)
			default:
				p.part(&p.parts[i], b)
				p.parts[i].Again = len(answered) == 0 && h.Flags&model.HasResults != 0
			}
			results++
		}
	}
	if tools != nil {
		row.ToolCalls = string(append(tools, ']'))
	}
	for i := min(results, len(answered)); i < len(answered); i++ {
		p.answered(&answered[i], nil, nil, row)
	}
}

// toolCall adds a call to a list in the form of chat clients.
func (p *pen) toolCall(dst []byte, b *model.Block) []byte {
	if dst == nil {
		dst = append(dst, '[')
	} else {
		dst = append(dst, ',')
	}
	dst = model.AppendQuoted(append(dst, `{"id":`...), b.ID.Append(nil))
	dst = model.AppendQuoted(append(dst, `,"type":"function","function":{"name":`...), b.Name.Append(nil))
	dst = append(dst, `,"arguments":`...)
	if text := p.text(b.Text); text != nil {
		dst = model.AppendQuoted(dst, []byte(*text))
	} else {
		dst = append(dst, `"{}"`...)
	}
	return append(dst, "}}"...)
}

// addMixedResult adds a result in a message that makes calls: of one of these, or of none.
func (p *pen) addMixedResult(ctx context.Context, id model.ID, block int, blocks []model.Block, made []model.CallRow, row *messageRow) {
	for i := range made {
		if c := &made[i]; c.Result == id && p.open[c.ID] != nil && p.open[c.ID].ToolCallID == blocks[block].ID.String() {
			p.answered(c, &blocks[block], &p.parts[block], row)
			return
		}
	}
	p.part(&p.parts[block], &blocks[block])
	orphans, err := p.pairs.OrphansAmong(ctx, id)
	if n, ok := orphans[block]; ok && err == nil {
		p.answered(&model.CallRow{ID: n, Call: *p.snap.Call(n)}, &blocks[block], &p.parts[block], row)
	}
}

// own reports whether a call counts in the session.
func (p *pen) own(id model.CallID) bool {
	part, _ := p.coverage.Part(id)
	return part == query.Own
}

func (p *pen) callRow(c *model.CallRow) *callRow {
	at := c.Place()
	row := &callRow{
		TranscriptID: p.id, MessageIndex: -1, ResultIndex: -1, Function: p.snap.Name(c.Tool), Orphan: c.Msg == model.NoID,
		Failed: c.Outcome.Failed(), Pending: query.Pending(&c.Call), Timestamp: p.snap.HeadRow(at).Time, Model: p.snap.ModelOf(at),
	}
	switch {
	case row.Pending:
		row.Outcome = model.Running.String()
	case c.Outcome != model.Unknown && c.Outcome != model.Running:
		row.Outcome = c.Outcome.String()
	}
	if c.Msg != model.NoID {
		row.MessageIndex = int64(p.snap.Pos(c.Msg))
	}
	if c.Result != model.NoID {
		row.ResultIndex = int64(p.snap.Pos(c.Result))
	}
	if took, ok := c.Duration(); ok {
		seconds := took.Seconds()
		row.Time = &seconds
	}
	row.Labels = p.labelsOfCall(at, c.ID)
	return row
}

// answered adds a result, which completes the row of its call.
func (p *pen) answered(c *model.CallRow, block *model.Block, part *parquet.Block, message *messageRow) {
	if part != nil {
		p.part(part, block)
		part.Outcome = c.Outcome
		part.Took, part.Bound = p.took(&c.Call)
	}
	row := p.open[c.ID]
	switch {
	case row != nil:
		delete(p.open, c.ID)
	case !p.own(c.ID):
		return
	default:
		row = p.callRow(c)
	}
	var text *string
	if block != nil {
		text = p.text(block.Text)
		if part.Null && !p.set.o.NoResults {
			part.Text, part.Null = text, text == nil // of a message that also has words
		}
		row.ToolCallID = cmp.Or(row.ToolCallID, block.ID.String())
		row.Function = cmp.Or(row.Function, block.Name.String())
	}
	if !p.set.o.NoResults {
		row.Result = text
	}
	if message.ToolCallID == "" {
		message.ToolCallID, message.ToolCallFunction = row.ToolCallID, row.Function
		if row.Failed && row.Result != nil {
			message.ToolCallError = *row.Result
		}
	}
	p.call(row)
}

func (p *pen) call(row *callRow) {
	if row.Orphan {
		p.orphans = append(p.orphans, *row)
		p.total.Orphans++
		return
	}
	p.calls = append(p.calls, *row)
	p.bytes += row.weight()
	p.total.Calls++
}

// run returns the row of the session.
func (p *pen) run() runRow {
	r := p.in
	at := r.source()
	row := runRow{
		TranscriptID: p.id, SourceType: r.Format, SourceID: r.Session.Session, SourceURI: r.Path, TaskID: r.Task, Agent: r.AgentName(), Model: r.Model,
		MessageCount: r.N[many.Messages], TotalTime: float64(r.N[many.Took]) / 1000, Title: p.clean(r.Name()), Project: r.Project, Outcome: r.State().Key(),
		Started: r.Started, Ended: r.Run.Last, TurnCount: r.N[many.Turns], CallCount: r.N[many.Calls], ErrorCount: r.N[many.Errors], PendingCount: r.N[many.Pending],
		Cost: r.Dollars, CostEstimated: r.Estimated, Unread: int64(p.snap.Unreadable()), SourceBytes: at.Bytes, SourceTime: at.Time,
	}
	if r.Started != 0 {
		row.Date = time.UnixMilli(r.Started).UTC().Format("2006-01-02T15:04:05.000Z07:00")
	}
	if r.Scored {
		row.Score = strconv.FormatFloat(r.Score, 'g', -1, 64)
		passed := r.Passes()
		row.Success = &passed
	}
	if r.State().Key() == "failed" {
		row.Error = p.clean(cmp.Or(r.Reason, "failed"))
	}
	for n, to := range map[many.Number]**int64{
		many.Input: &row.InputTokens, many.CacheRead: &row.CacheReadTokens, many.CacheWrite: &row.CacheMadeTokens,
		many.Output: &row.OutputTokens, many.Reasoning: &row.ReasoningTokens,
	} {
		if r.Has(n) {
			v := r.N[n]
			*to = &v
		}
	}
	for _, n := range [...]*int64{row.InputTokens, row.CacheReadTokens, row.CacheMadeTokens, row.OutputTokens} {
		if n != nil {
			if row.TotalTokens == nil {
				row.TotalTokens = new(int64)
			}
			*row.TotalTokens += *n
		}
	}
	row.Labels = p.ofRun()
	if p.total.Messages == 0 {
		row.Details = asJSON(p.runRow())
	}
	return row
}
