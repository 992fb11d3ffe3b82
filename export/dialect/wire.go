package dialect

import (
	"bytes"
	"context"
	"slices"

	"turns/export"
	"turns/export/shape"
	"turns/export/walk"
	"turns/model"
	"turns/query"
	"turns/query/describe"
	"turns/query/provider"
)

// feeder reads decoded messages with the results at their calls, and with additional data from
// their records, so that blocks in a provider's format do not change.
type feeder struct {
	walk   *walk.Walker
	opts   *export.Options
	spec   *spec
	reader *shape.ItemReader
	cut    shape.Splicer
	inMain bool // the selection has messages of main threads: those of subagents are omitted
	apart  int  // omitted messages of subagents

	prompt string          // the last instructions
	made   map[string]bool // ids of calls so far
	again  int             // skipped calls, because an earlier message made them

	thoughts   *recordings // reasoning items of a request that is one record
	thoughtsOf int64       // offset of that record
	thought    int         // index of the next one

	// only a few: several messages may alternately answer calls of one message
	from map[*model.Message]*feederAnswer
}

func newFeeder(sel query.Selection, sp *spec, opts *export.Options) *feeder {
	f := &feeder{
		walk: walk.New(describe.NewView(sel, nil), opts), opts: opts, spec: sp,
		reader: shape.NewItemReader(sel.Snap), cut: shape.Splicer{Snap: sel.Snap, Source: -1}, thoughtsOf: -1,
	}
	if slices.ContainsFunc(sel.IDs, f.main) {
		f.inMain = true
	}
	return f
}

func (f *feeder) main(id model.ID) bool {
	snap := f.walk.View.Snap
	return snap.Threads()[snap.HeadRow(id).Thread].Main
}

func (f *feeder) each(ctx context.Context, add func(provider.Wire) error) error {
	if f.opts.System != nil && *f.opts.System != "" {
		system := provider.Wire{ID: model.NoID, Index: -1, Role: model.System, Blocks: []provider.WireBlock{{Content: model.Content{Kind: model.Words, Text: *f.opts.System}}}}
		if len(f.walk.View.IDs) > 0 {
			system.Session = f.walk.View.Snap.Threads()[f.walk.View.Snap.HeadRow(f.walk.View.IDs[0]).Thread].Session
		}
		if err := add(system); err != nil {
			return err
		}
	}
	begun, session := false, uint32(0) // begun: a message other than a system prompt was written
	for _, id := range f.walk.View.IDs {
		if f.inMain && !f.main(id) {
			f.apart++
			continue
		}
		m, err := f.walk.Message(ctx, id)
		if err != nil {
			return err
		}
		w, err := f.wire(ctx, m)
		if err != nil {
			return err
		}
		if f.opts.System != nil {
			begun = begun && w.Session == session
			if w.Prompt, session = "", w.Session; !begun && isSystem(&w) {
				continue // another prompt replaces it; later ones are messages of the conversation
			}
			begun = true
		} else if err := f.instruct(m, &w, add); err != nil {
			return err
		}
		if len(w.Blocks) == 0 && len(m.Blocks) > 0 {
			continue // its results are with their calls
		}
		if err := add(w); err != nil {
			return err
		}
	}
	return nil
}

func (f *feeder) wire(ctx context.Context, m *walk.Paired) (provider.Wire, error) {
	snap := f.walk.View.Snap
	w := provider.WireOf(m.Message, snap.Threads()[m.Head.Thread].Session)
	w.Order = snap.RowNumber(m.ID)
	for _, kv := range m.Extra {
		if kv.Name == "id" {
			w.Own = kv.Value
		}
	}
	it, err := f.reader.Read(ctx, m.ID)
	if err != nil {
		return w, err
	}
	own := f.cut.Object(it)
	if f.spec.chat {
		w.Raw = bytes.Clone(f.cut.Element(it))
	}
	raws := recordedBlocks(own, m.Message)
	newRecordings(raws).attach(w.Blocks)
	if len(raws) == 0 && own == nil {
		f.think(w.Blocks, m.Message)
	}
	blocks, by := w.Blocks[:0], f.by(m)
	var results map[string]bool // nil: not computed yet
	for i := range w.Blocks {
		b := w.Blocks[i]
		switch b.Kind {
		case model.Reasoning:
			if f.opts.NoReasoning {
				w.Raw = nil
				continue
			}
			sign(&b, by)
			b.Signed = f.spec.knows(&b)
		case model.Words:
			sign(&b, by)
		case model.ToolCall:
			if f.repeats(m, i) {
				w.Raw = nil
				continue
			}
			sign(&b, by)
			b.Keep, b.Custom = f.spec.serves(b.Raw), isCustom(b.Raw)
			if err := f.result(ctx, m, i, &b); err != nil {
				return w, err
			}
		case model.ToolResult:
			b.Keep = f.spec.serves(b.Raw)
			if m.Results[i] == nil && !b.Keep {
				if m.Role != model.Tool {
					w.Raw = nil
				}
				continue
			}
		case model.Media:
			if results == nil {
				results = walk.ResultIDs(m.Message)
			}
			if results[b.ID] {
				continue
			}
			b.Text = mediaText(it, m.Message, i)
			b.File = fileOf(&b)
		case model.OtherBlock:
			if b.JSON {
				b.Raw = []byte(b.Text)
			}
			b.Keep = f.spec.native(b.Raw)
		}
		blocks = append(blocks, b)
	}
	w.Blocks = blocks
	return w, nil
}

// repeats reports whether an earlier message made the same call: a transcript may record a call
// again, but the index has it once.
func (f *feeder) repeats(m *walk.Paired, block int) bool {
	c := m.Calls[block]
	if c == nil || c.Call == nil || c.Call.ID == "" {
		return false
	}
	if f.made == nil {
		f.made = map[string]bool{}
	}
	if c.Known {
		f.made[c.Call.ID] = true
		return false
	}
	if f.made[c.Call.ID] {
		f.again++
	}
	return f.made[c.Call.ID]
}

// by returns the model that wrote a message, if known.
func (f *feeder) by(m *walk.Paired) string {
	if m.Model != "" || m.Role != model.Assistant {
		return m.Model
	}
	return f.walk.View.Snap.Session(m.ID).Field("model")
}

// think assigns their recorded items to reasoning, and to calls of tools with text input, if one
// record is a whole request.
func (f *feeder) think(blocks []provider.WireBlock, m *model.Message) {
	if len(m.Records) == 0 {
		return
	}
	if rec := &m.Records[0]; f.thoughtsOf != rec.Ref.Off {
		f.thoughtsOf = rec.Ref.Off
		f.thoughts, f.thought = newRecordings(ownItems(bytes.Clone(rec.Data))), 0
	}
	for i := range blocks {
		switch b := &blocks[i]; b.Kind {
		case model.Reasoning:
			if n := f.thoughts.find(b, f.thought); n >= 0 {
				b.Raw, f.thought = f.thoughts.raws[n], n+1
			}
		case model.ToolCall:
			if n := f.thoughts.find(b, 0); n >= 0 {
				b.Raw = f.thoughts.raws[n]
			}
		}
	}
}

// mediaText returns the data or the location of a media block; large data is only in its record.
func mediaText(it *shape.Item, m *model.Message, block int) string {
	if text := m.Blocks[block].Text; text != "" || len(it.Blocks) != len(m.Blocks) {
		return text
	}
	return it.Blocks[block].Text.String()
}

// result sets the result of a call.
func (f *feeder) result(ctx context.Context, m *walk.Paired, block int, b *provider.WireBlock) error {
	c := m.Calls[block]
	if c == nil || c.Result == nil || b.Keep {
		return nil
	}
	r := &provider.WireBlock{Content: *c.Result, Inside: c.Answer.ID == m.ID, Order: f.walk.View.Snap.RowNumber(c.Answer.ID)}
	if r.Outcome == model.Unknown || c.Known && c.Row.Outcome != model.Unknown {
		r.Outcome = c.Outcome()
	}
	b.Result = r
	if f.opts.NoResults {
		r.Text, r.JSON, r.Null = "(left out)", false, false
		return nil
	}
	takeApart(r)
	from, err := f.answer(ctx, c.Answer)
	if err != nil {
		return err
	}
	if r.Raw = from.raws[c.Result]; f.spec.chat {
		r.Raw = bytes.Clone(from.element)
	}
	if len(r.Media) == 0 {
		r.Media = append(r.Media, from.media[c.Result.ID]...)
	}
	return nil
}

// feederAnswer is a message with results, possibly of thousands of calls, and their recordings.
type feederAnswer struct {
	element []byte // if the provider accepts messages of one result unchanged
	raws    map[*model.Content][]byte
	media   map[string][]provider.WireBlock // by the id of their result
}

// For speed only: answersKept is the maximum number of cached messages with results.
const answersKept = 4

func (f *feeder) answer(ctx context.Context, m *model.Message) (*feederAnswer, error) {
	if from := f.from[m]; from != nil {
		return from, nil
	}
	if f.from == nil || len(f.from) >= answersKept {
		f.from = make(map[*model.Message]*feederAnswer)
	}
	from := &feederAnswer{}
	f.from[m] = from
	results := 0
	for i := range m.Blocks {
		if m.Blocks[i].Kind == model.ToolResult {
			results++
		}
	}
	it, err := f.reader.Read(ctx, m.ID)
	if err != nil {
		return nil, err
	}
	switch {
	case !f.spec.chat:
		from.recorded(m, recordedBlocks(f.cut.Object(it), m))
	case results == 1:
		from.element = bytes.Clone(f.cut.Element(it))
	}
	from.media = map[string][]provider.WireBlock{}
	for i := range m.Blocks {
		if b := &m.Blocks[i]; b.Kind == model.Media && b.ID != "" {
			add := provider.WireBlock{Content: *b}
			add.Text = mediaText(it, m, i)
			add.File = fileOf(&add)
			from.media[b.ID] = append(from.media[b.ID], add)
		}
	}
	return from, nil
}

// recorded assigns their recordings to results, in order: several of one tool may have no ids.
func (a *feederAnswer) recorded(m *model.Message, raws [][]byte) {
	blocks := make([]provider.WireBlock, 0, len(m.Blocks))
	of := make([]*model.Content, 0, len(m.Blocks))
	for i := range m.Blocks {
		if m.Blocks[i].Kind == model.ToolResult {
			blocks, of = append(blocks, provider.WireBlock{Content: m.Blocks[i]}), append(of, &m.Blocks[i])
		}
	}
	newRecordings(raws).attach(blocks)
	a.raws = make(map[*model.Content][]byte, len(of))
	for i := range of {
		a.raws[of[i]] = blocks[i].Raw
	}
}

// instruct adds the instructions of a single request before it, if they differ from the previous
// ones and the format has no field for them.
func (f *feeder) instruct(m *walk.Paired, w *provider.Wire, add func(provider.Wire) error) error {
	for _, kv := range m.Extra {
		if kv.Name != "instructions" || m.Role == model.Assistant || kv.Value == "" {
			continue
		}
		if w.Prompt = kv.Value; f.spec.prompts || f.prompt == kv.Value {
			continue
		}
		f.prompt = kv.Value
		return add(provider.Wire{ID: model.NoID, Index: w.Index, Role: model.System, Session: w.Session, Time: w.Time, Order: w.Order,
			Blocks: []provider.WireBlock{{Content: model.Content{Kind: model.Words, Text: kv.Value}}}})
	}
	return nil
}
