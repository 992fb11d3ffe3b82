package export

import (
	"bytes"
	"context"
	"strings"

	"turns/model"
	"turns/query"
)

// feeder gives decoded messages with the results at their calls, and with what
// their records say beyond them, so that a provider's own blocks come out as they
// went in.
type feeder struct {
	walk   *walker
	opts   *Options
	rules  *query.Provider
	reader *itemReader
	cut    splicer
	inMain bool // the selection holds messages of main threads: those of subagents are left out
	apart  int  // messages of subagents that were left out

	thoughts   *recordings // reasoning items of a request that is one record
	thoughtsOf int64       // where that record lies
	thought    int         // the first of them that is still to come

	from map[*model.Message]*feederAnswer // a few: calls of one message may be answered in several, in turn
}

func newFeeder(sel query.Selection, rules *query.Provider, opts *Options) *feeder {
	f := &feeder{
		walk: newWalker(query.NewView(sel, nil)), opts: opts, rules: rules,
		reader: newItemReader(sel.Snap), cut: splicer{snap: sel.Snap, source: -1}, thoughtsOf: -1,
	}
	for _, id := range sel.IDs {
		if f.main(id) {
			f.inMain = true
			break
		}
	}
	return f
}

func (f *feeder) main(id model.ID) bool {
	snap := f.walk.view.Snap
	return snap.Threads()[snap.HeadRow(id).Thread].Main
}

func (f *feeder) each(ctx context.Context, add func(query.Wire) error) error {
	for _, id := range f.walk.view.IDs {
		if f.inMain && !f.main(id) {
			f.apart++
			continue
		}
		m, err := f.walk.message(ctx, id)
		if err != nil {
			return err
		}
		w, err := f.wire(ctx, m)
		if err != nil {
			return err
		}
		if len(w.Blocks) == 0 && len(m.Blocks) > 0 {
			continue // its results stand with their calls
		}
		if err := add(w); err != nil {
			return err
		}
	}
	return nil
}

func (f *feeder) wire(ctx context.Context, m *said) (query.Wire, error) {
	snap := f.walk.view.Snap
	w := query.WireOf(m.Message, snap.Threads()[m.head.Thread].Session)
	w.Order = snap.RowNumber(m.ID)
	for _, kv := range m.Extra {
		if kv.Name == "id" {
			w.Own = kv.Value
		}
	}
	it, err := f.reader.read(ctx, m.ID)
	if err != nil {
		return w, err
	}
	own := f.cut.object(it)
	if f.chat() {
		w.Raw = bytes.Clone(f.cut.element(it))
	}
	raws := recordedBlocks(own, m.Message)
	newRecordings(raws).attach(w.Blocks)
	if f.rules.Name == "openai-responses" && len(raws) == 0 {
		f.think(w.Blocks, m.Message)
	}
	blocks := w.Blocks[:0]
	var results map[string]bool // nil: not asked yet
	for i := range w.Blocks {
		b := w.Blocks[i]
		switch b.Kind {
		case model.Reasoning:
			if f.opts.NoReasoning {
				w.Raw = nil
				continue
			}
			b.Signed = signed(f.rules.Name, b.Raw)
		case model.ToolCall:
			b.Keep = f.rules.Name == "anthropic" && serverCall(b.Raw)
			if err := f.result(ctx, m, i, &b); err != nil {
				return w, err
			}
		case model.ToolResult:
			b.Keep = f.rules.Name == "anthropic" && serverResult(b.Raw)
			if m.results[i] == nil && !b.Keep {
				if m.Role != model.Tool {
					w.Raw = nil
				}
				continue
			}
		case model.Media:
			if results == nil {
				results = resultIDs(m.Message)
			}
			if results[b.ID] {
				continue
			}
			b.Text = mediaText(it, m.Message, i)
		case model.OtherBlock:
			if b.Raw == nil && b.JSON {
				b.Raw = []byte(b.Text)
			}
			b.Keep = native(f.rules.Name, b.Raw)
		}
		blocks = append(blocks, b)
	}
	w.Blocks = blocks
	return w, nil
}

// chat reports whether the provider takes messages of the OpenAI-compatible
// shape: then those that are recorded so are copied.
func (f *feeder) chat() bool { return f.rules.Name == "openai" || f.rules.Name == "openai-finetune" }

// think gives reasoning the item that it was recorded as, where a whole request
// is one record.
func (f *feeder) think(blocks []query.WireBlock, m *model.Message) {
	if len(m.Records) == 0 {
		return
	}
	if rec := &m.Records[0]; f.thoughtsOf != rec.Ref.Off {
		f.thoughtsOf = rec.Ref.Off
		f.thoughts, f.thought = newRecordings(reasoningItems(bytes.Clone(rec.Data))), 0
	}
	for i := range blocks {
		if b := &blocks[i]; b.Kind == model.Reasoning {
			if n := f.thoughts.find(b, f.thought); n >= 0 {
				b.Raw, f.thought = f.thoughts.raws[n], n+1
			}
		}
	}
}

// resultIDs are the ids of the results of a message that media stand with.
func resultIDs(m *model.Message) map[string]bool {
	ids := map[string]bool{}
	for i := range m.Blocks {
		if b := &m.Blocks[i]; b.Kind == model.ToolResult && b.ID != "" {
			ids[b.ID] = true
		}
	}
	return ids
}

// mediaText is the data or the place of a media block; large data is in its
// record only.
func mediaText(it *item, m *model.Message, block int) string {
	if text := m.Blocks[block].Text; text != "" || len(it.blocks) != len(m.Blocks) {
		return text
	}
	return it.blocks[block].Text.String()
}

// result puts the result of a call to it.
func (f *feeder) result(ctx context.Context, m *said, block int, b *query.WireBlock) error {
	c := m.calls[block]
	if c == nil || c.result == nil || b.Keep {
		return nil
	}
	r := &query.WireBlock{Content: *c.result, Inside: c.answer.ID == m.ID, Order: f.walk.view.Snap.RowNumber(c.answer.ID)}
	if r.Outcome == model.Unknown || c.known && c.row.Outcome != model.Unknown {
		r.Outcome = c.outcome()
	}
	b.Result = r
	if f.opts.NoResults {
		r.Text, r.JSON, r.Null = "(left out)", false, false
		return nil
	}
	from, err := f.answer(ctx, c.answer)
	if err != nil {
		return err
	}
	if f.chat() {
		r.Raw = bytes.Clone(from.element)
		return nil
	}
	if n := from.recorded.find(r, 0); n >= 0 {
		r.Raw = bytes.Clone(from.recorded.raws[n])
	}
	r.Media = append(r.Media, from.media[c.result.ID]...)
	return nil
}

// feederAnswer is a message with results, which may be those of thousands of
// calls, and what is recorded of them.
type feederAnswer struct {
	element  []byte // where the provider takes messages of one result as they are
	recorded *recordings
	media    map[string][]query.WireBlock // by the id of the result that they stand with
}

// answersKept is how many messages with results are known at a time.
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
	if f.chat() && results != 1 {
		return from, nil
	}
	it, err := f.reader.read(ctx, m.ID)
	if err != nil {
		return nil, err
	}
	if f.chat() {
		from.element = bytes.Clone(f.cut.element(it))
		return from, nil
	}
	raws := recordedBlocks(f.cut.object(it), m)
	for i := range raws {
		raws[i] = bytes.Clone(raws[i])
	}
	from.recorded, from.media = newRecordings(raws), map[string][]query.WireBlock{}
	for i := range m.Blocks {
		if b := &m.Blocks[i]; b.Kind == model.Media && b.ID != "" {
			add := query.WireBlock{Content: *b}
			add.Text = mediaText(it, m, i)
			from.media[b.ID] = append(from.media[b.ID], add)
		}
	}
	return from, nil
}

// flatten is the text of a result that is recorded as a list of blocks; others
// come as they are.
func flatten(b *query.WireBlock) string {
	if !b.JSON || !strings.HasPrefix(strings.TrimSpace(b.Text), "[") {
		return b.Text
	}
	texts, ok := blockTexts([]byte(b.Text))
	if !ok {
		return b.Text
	}
	return strings.Join(texts, "\n")
}
