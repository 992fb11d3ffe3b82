package provider

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"turns/model"
)

// Interrupted is the text of the result that Repair adds to a call without one.
const Interrupted = "The tool call was interrupted: no result was recorded."

// opening is the user's message for a provider that wants the user first.
const opening = "(The conversation begins in the middle.)"

// RepairReport counts the changes of a repair.
type RepairReport struct {
	Interrupted int // calls that got a result
	Orphans     int // results without a call, removed
	OrphanIDs   []string
	MadeIDs     int // calls that lacked an id
	ChangedIDs  int // duplicate ids, and ids that the provider refuses
	Names       int // names of tools that the provider refuses
	Speakers    int // names of speakers that the provider refuses
	Trimmed     int // last words with white space at their end
	Arguments   int // arguments other than a JSON object
	NoArguments int // calls that lacked arguments and got {}
	Moved       int // results moved after their calls
	Neighbours  int // messages joined because roles must alternate
	Empty       int // messages without any content that the provider accepts
	Roles       int // messages of unknown roles
	ToolWords   int // messages of tools with words and no result
	Systems     int // system messages in the middle that became the user's
	Merged      int // messages joined with their neighbour
	Split       int // messages split in two or more
	Opened      bool
	Reasoning   int // removed blocks of reasoning
	Media       int // images, sounds and files replaced by words
	MediaMoved  int // media of results moved after them
	Others      int
}

// Lines describes the changes for people.
func (r *RepairReport) Lines() []string {
	var lines []string
	add := func(n int, one, many string) {
		switch {
		case n == 1:
			lines = append(lines, "1 "+one)
		case n > 1:
			lines = append(lines, fmt.Sprintf("%d %s", n, many))
		}
	}
	add(r.Interrupted, "call without a result was given one that says it was interrupted", "calls without a result were given one that says they were interrupted")
	if r.Orphans > 0 {
		add(r.Orphans, "result without a call was left out: ", "results without a call were left out: ")
		lines[len(lines)-1] += strings.Join(r.OrphanIDs, ", ")
		if r.Orphans > len(r.OrphanIDs) {
			lines[len(lines)-1] += ", …"
		}
	}
	add(r.MadeIDs, "call without an id was given one", "calls without an id were given one")
	add(r.ChangedIDs, "call id was changed", "call ids were changed")
	add(r.Names, "tool name was changed", "tool names were changed")
	add(r.Speakers, "name of a speaker was changed", "names of speakers were changed")
	add(r.Trimmed, "last message lost the white space at its end", "last messages lost the white space at their end")
	add(r.Arguments, "call has arguments that are no JSON object; they stand in raw_arguments", "calls have arguments that are no JSON object; they stand in raw_arguments")
	add(r.NoArguments, "call without arguments was given {}", "calls without arguments were given {}")
	add(r.Moved, "result that stood elsewhere was put behind its call", "results that stood elsewhere were put behind their calls")
	add(r.Neighbours, "message was joined with the one before it, of the same role", "messages were joined with those before them, of the same role")
	add(r.Roles, "message of an unknown role became the user's or the tool's", "messages of unknown roles became the user's or the tool's")
	add(r.ToolWords, "text beside the results of tools became the user's", "texts beside the results of tools became the user's")
	add(r.Systems, "system message in the middle became the user's", "system messages in the middle became the user's")
	add(r.Reasoning, "block of reasoning was left out", "blocks of reasoning were left out")
	add(r.Media, "image, sound or file could not be written; words stand in its place", "images, sounds and files could not be written; words stand in their place")
	add(r.MediaMoved, "image, sound or file of a result stands in a message behind it", "images, sounds and files of results stand in messages behind them")
	add(r.Others, "block of another kind was left out", "blocks of other kinds were left out")
	add(r.Empty, "empty message was left out", "empty messages were left out")
	if r.Opened {
		lines = append(lines, "a user's message was put before the first one")
	}
	return lines
}

// orphansNamed is how many orphans a report lists.
const orphansNamed = 10

// RepairOptions are exceptions from a repair.
type RepairOptions struct {
	// Frontier leaves the calls of the last message unchanged if none of them has a result yet and
	// no message follows: the session continues there.
	Frontier bool
}

// Repair returns a conversation that the provider accepts. Every call has its result in the
// right place: a call without one gets an error about an interruption. Results without a call
// are removed, parallel calls are in one message, and order and ids are preserved as far as
// allowed; new ids are the same each time. Repairing the result again does not change it.
func Repair(msgs []Wire, p Provider, opts RepairOptions) ([]Wire, RepairReport) {
	in := make([]Wire, len(msgs))
	for i := range msgs {
		in[i] = msgs[i]
		in[i].Blocks = append([]WireBlock(nil), msgs[i].Blocks...)
		in[i].Order = i
		for k := range in[i].Blocks {
			if b := &in[i].Blocks[k]; b.Result != nil {
				take(b, b.Result, i, b.Result.Inside)
			}
		}
	}
	orphans := pairWire(in)
	var out []Wire
	r := NewRepairer(p, opts, func(m *Wire) error {
		out = append(out, *m)
		return nil
	})
	for i := range in {
		blocks := in[i].Blocks[:0]
		for k := range in[i].Blocks {
			b := in[i].Blocks[k]
			if b.Kind == model.ToolResult && !b.Keep && !orphans[wireCall{i, k}] {
				in[i].changedUnlessTool()
				continue // its call has it
			}
			blocks = append(blocks, b)
		}
		if in[i].Blocks = blocks; len(blocks) == 0 && len(msgs[i].Blocks) > 0 {
			continue
		}
		_ = r.Add(in[i]) // the function above returns no errors
	}
	_ = r.Finish()
	return out, r.Report
}

func (p *Wire) changedUnlessTool() {
	if p.Role != model.Tool {
		p.changed()
	}
}

// Repairer is [Repair] for a conversation of any length, with at most two messages in memory.
// Calls must have their results when they are added.
type Repairer struct {
	Report   RepairReport
	p        Provider
	opts     RepairOptions
	emit     func(*Wire) error
	ids      *takenIDs
	held     *Wire      // may be merged with the next message
	open     *Wire      // has calls whose results are not written yet
	openIDs  *takenIDs  // ids of its calls
	answer   int        // order of the first of its results; -1: none yet
	heldRole model.Role // role of the recorded message that held ends with; none: a result
	waits    []int      // orders of the results of calls since the last message that spoke
	started  bool
	session  uint32
}

// NewRepairer returns a repairer that passes repaired messages to emit, in order.
func NewRepairer(p Provider, opts RepairOptions, emit func(*Wire) error) *Repairer {
	return &Repairer{p: p, opts: opts, emit: emit, ids: newTakenIDs()}
}

// Add repairs the next message.
func (r *Repairer) Add(m Wire) error {
	r.late(&m)
	if r.parallel(&m) {
		r.join(m)
		return nil
	}
	if err := r.close(false); err != nil {
		return err
	}
	if m.Session != r.session && r.p.Each { // another conversation
		r.started, r.ids = false, newTakenIDs()
	}
	r.session = m.Session
	r.role(&m)
	if !r.p.speakerOK(m.Speaker) {
		r.Report.Speakers++
		m.Speaker = r.p.validName(m.Speaker)
	}
	silent := !hasMore(&m)
	r.filter(&m)
	if len(m.Blocks) == 0 {
		if silent {
			r.Report.Empty++
		}
		return nil
	}
	for _, part := range r.split(m) {
		if err := r.close(false); err != nil {
			return err
		}
		if err := r.add(part); err != nil {
			return err
		}
	}
	return nil
}

// parallel reports whether a message of the model was recorded before the results of the last
// written calls. It is then a part of the same response.
func (r *Repairer) parallel(m *Wire) bool {
	if r.open == nil || r.p.Record || m.Role != model.Assistant || m.Session != r.session {
		return false
	}
	// Words without calls came after the calls: they stay after the results.
	return r.answer >= 0 && r.answer > m.Order && m.Has(model.ToolCall)
}

// join adds a message to the one with the open calls.
func (r *Repairer) join(m Wire) {
	r.filter(&m)
	calls := 0
	for i := range m.Blocks {
		if b := &m.Blocks[i]; b.Kind == model.ToolCall && !b.Keep {
			r.call(&m, b, calls, r.openIDs)
			calls++
		}
	}
	if len(m.Blocks) > 0 {
		r.Report.Merged++
		if r.p.Alternate {
			r.Report.Neighbours++
		}
		r.open.changed()
		r.open.Blocks = append(r.open.Blocks, m.Blocks...)
		r.firstAnswer(m.Blocks)
	}
}

// late counts the results that were recorded after a message that speaks and follows their call, or
// before their call.
func (r *Repairer) late(m *Wire) {
	if r.p.Record {
		return
	}
	if m.speaks() {
		for _, order := range r.waits {
			if order > m.Order {
				r.Report.Moved++
			}
		}
		r.waits = r.waits[:0]
	}
	for i := range m.Blocks {
		b := &m.Blocks[i]
		switch {
		case b.Kind != model.ToolCall || b.Keep || b.Result == nil:
		case b.Result.Order < m.Order:
			r.Report.Moved++
		default:
			r.waits = append(r.waits, b.Result.Order)
		}
	}
}

// firstAnswer stores the order of the first result of the open calls.
func (r *Repairer) firstAnswer(blocks []WireBlock) {
	for i := range blocks {
		b := &blocks[i]
		if b.Kind == model.ToolCall && b.Result != nil && (r.answer < 0 || b.Result.Order < r.answer) {
			r.answer = b.Result.Order
		}
	}
}

// hasMore reports whether a message has any block other than words.
func hasMore(m *Wire) bool {
	return slices.ContainsFunc(m.Blocks, func(b WireBlock) bool { return b.Kind != model.Words })
}

// Finish emits the remaining messages.
func (r *Repairer) Finish() error {
	if err := r.close(true); err != nil {
		return err
	}
	r.trim()
	return r.flush()
}

// trim removes white space from the end of the model's last words.
func (r *Repairer) trim() {
	m := r.held
	if !r.p.TrimEnd || m == nil || m.Role != model.Assistant || len(m.Blocks) == 0 {
		return
	}
	b := &m.Blocks[len(m.Blocks)-1]
	if text := strings.TrimRightFunc(b.Text, unicode.IsSpace); b.Kind == model.Words && text != b.Text {
		r.Report.Trimmed++
		m.changed()
		b.Text, b.Raw = text, nil
	}
}

func (r *Repairer) role(m *Wire) {
	calls := m.Has(model.ToolCall)
	if m.Role == model.NoRole || m.Role == model.Other {
		r.Report.Roles++
		m.changed()
		m.Role = model.User
	}
	if calls && m.Role != model.Assistant {
		m.changed()
		m.Role = model.Assistant
	}
	if m.Role == model.System || m.Role == model.Developer {
		if r.p.System != SystemInList && r.started {
			m.changed()
			m.Role = model.User
			r.Report.Systems++
		}
	}
}

// filter removes blocks that the provider does not accept.
func (r *Repairer) filter(m *Wire) {
	blocks := make([]WireBlock, 0, len(m.Blocks))
	for _, b := range m.Blocks {
		if !r.takes(m, &b) {
			if b.Kind != model.Reasoning { // reasoning is dropped from the recorded message
				m.changed()
			}
			continue
		}
		blocks = append(blocks, b)
	}
	m.Blocks = blocks
	if m.Role == model.Tool && !m.Has(model.ToolResult) && !m.Has(model.OtherBlock) {
		// words of a tool without a call
		if m.Role = model.User; len(m.Blocks) > 0 {
			r.Report.ToolWords++
		}
	}
}

func (r *Repairer) takes(m *Wire, b *WireBlock) bool {
	switch b.Kind {
	case model.ToolResult:
		if b.Keep || r.p.Record {
			return true
		}
		if r.Report.Orphans++; len(r.Report.OrphanIDs) < orphansNamed {
			id := b.ID
			if id == "" {
				id = fmt.Sprintf("message %d", m.Index)
			}
			r.Report.OrphanIDs = append(r.Report.OrphanIDs, id)
		}
		return false
	case model.Reasoning:
		if !r.p.takesReasoning(b, m.Role) {
			r.Report.Reasoning++
			return false
		}
	case model.Media:
		if !r.p.takesMedia(b.File, m.Role) {
			r.Report.Media++
			m.changed()
			*b = wordsBlock(Placeholder(b))
		}
	case model.OtherBlock:
		if !b.Keep {
			r.Report.Others++
			return false
		}
	case model.Words:
		return !b.Null && (!r.p.NonEmpty || !blank(b))
	}
	return true
}

func wordsBlock(text string) WireBlock {
	return WireBlock{Content: model.Content{Kind: model.Words, Text: text}}
}

// split divides a message that continues after the results of its own calls.
func (r *Repairer) split(m Wire) []Wire {
	if r.p.InOrder || m.Role != model.Assistant {
		return []Wire{m}
	}
	var parts []Wire
	from, answered := 0, false
	for i := range m.Blocks {
		b := &m.Blocks[i]
		switch {
		case b.Kind == model.ToolCall && !b.Keep && b.Result != nil && b.Result.Inside:
			answered = true
		case answered && b.Kind != model.ToolCall && b.Kind != model.ToolResult:
			parts = append(parts, cut(m, from, i, len(parts)))
			from, answered = i, false
		}
	}
	if from == 0 {
		return []Wire{m}
	}
	r.Report.Split++
	return append(parts, cut(m, from, len(m.Blocks), len(parts)))
}

func cut(m Wire, from, to, n int) Wire {
	m.changed()
	m.Blocks = m.Blocks[from:to:to]
	if n > 0 {
		m.Usage = nil
	}
	return m
}

func (r *Repairer) add(m Wire) error {
	calls := 0
	seen := newTakenIDs()
	for i := range m.Blocks {
		b := &m.Blocks[i]
		if b.Kind != model.ToolCall {
			continue
		}
		if b.Keep {
			r.ids.used[b.ID], seen.used[b.ID] = true, true
			continue
		}
		r.call(&m, b, calls, seen)
		calls++
	}
	if m.Role != model.System && m.Role != model.Developer {
		if !r.started && r.p.FirstUser && m.Role != model.User {
			r.Report.Opened = true
			first := Wire{ID: model.NoID, Index: -1, Role: model.User, Session: m.Session, Blocks: []WireBlock{{Content: model.Content{Kind: model.Words, Text: opening}}}}
			if err := r.put(first); err != nil {
				return err
			}
		}
		r.started = true
	}
	if h := r.held; h != nil && r.p.Alternate && r.heldRole == m.Role && h.Session == m.Session && !prompts(&m) {
		r.Report.Neighbours++
	}
	if err := r.put(m); err != nil {
		return err
	}
	r.heldRole = m.Role
	if calls > 0 {
		r.open, r.openIDs, r.answer = r.held, seen, -1
		r.firstAnswer(r.open.Blocks)
	}
	return nil
}

// close writes the results of the last written calls. At the end they may still be pending.
func (r *Repairer) close(end bool) error {
	m := r.open
	r.open = nil
	if m == nil || r.p.Record {
		return nil
	}
	answered := false
	for i := range m.Blocks {
		b := &m.Blocks[i]
		answered = answered || b.Kind == model.ToolCall && b.Result != nil
	}
	if end && r.opts.Frontier && !answered {
		return nil
	}
	var results []WireBlock
	for i := range m.Blocks {
		b := &m.Blocks[i]
		if b.Kind != model.ToolCall || b.Keep {
			continue
		}
		if b.Result == nil {
			b.Result = &WireBlock{Made: true, Content: model.Content{
				Kind: model.ToolResult, ID: b.ID, Name: b.Name, Text: Interrupted, Outcome: model.Stopped,
			}, MadeID: b.MadeID}
			r.Report.Interrupted++
		}
		results = append(results, *b.Result)
		if r.p.Results != ResultInline {
			b.Result = nil
		}
	}
	if r.p.Results == ResultInline {
		return nil
	}
	return r.results(m, results)
}

func (r *Repairer) results(call *Wire, results []WireBlock) error {
	answer := Wire{ID: model.NoID, Index: call.Index, Role: model.Tool, Session: call.Session, Time: call.Time, Blocks: results}
	switch r.p.Results {
	case ResultInUser:
		answer.Role = model.User
	case ResultMessages:
		for i := range results {
			one := answer
			one.Blocks = results[i : i+1 : i+1]
			if err := r.put(one); err != nil {
				return err
			}
		}
		return r.mediaAfter(call, results)
	}
	return r.put(answer)
}

// mediaAfter puts the media of results into a user's message if results may only have words.
func (r *Repairer) mediaAfter(call *Wire, results []WireBlock) error {
	if !r.p.MediaAfter {
		return nil
	}
	after := Wire{ID: model.NoID, Index: call.Index, Role: model.User, Session: call.Session, Time: call.Time}
	for i := range results {
		if res := &results[i]; len(res.Media) > 0 {
			r.Report.MediaMoved += len(res.Media)
			after.Blocks = append(append(after.Blocks, wordsBlock(fmt.Sprintf("(from the result of %s)", res.ID))), res.Media...)
		}
	}
	if len(after.Blocks) == 0 {
		return nil
	}
	return r.put(after)
}

func prompts(m *Wire) bool { return m.Role == model.System || m.Role == model.Developer }

// put delays a message until the next one, so that the two can be merged.
func (r *Repairer) put(m Wire) error {
	r.heldRole = model.NoRole
	if h := r.held; h != nil && r.p.Merge && h.Role == m.Role && h.Session == m.Session && (m.Role == model.User || m.Role == model.Assistant) {
		h.changed()
		h.Blocks = append(h.Blocks, m.Blocks...)
		r.Report.Merged++
		return nil
	}
	if h := r.held; h != nil && r.p.System == SystemLeading && prompts(h) && prompts(&m) && h.Session == m.Session {
		h.Blocks = append(h.Blocks, m.Blocks...)
		r.Report.Merged++
		return nil
	}
	if h := r.held; h != nil && r.p.Alternate && h.Role == model.Tool && m.Role == model.User && h.Session == m.Session {
		h.Blocks = append(h.Blocks, m.Blocks...) // two messages of one side otherwise
		r.Report.Merged++
		return nil
	}
	if err := r.flush(); err != nil {
		return err
	}
	r.held = &m
	return nil
}

func (r *Repairer) flush() error {
	if r.held == nil {
		return nil
	}
	m := r.held
	r.held = nil
	return r.emit(m)
}
