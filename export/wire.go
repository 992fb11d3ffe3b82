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

	thoughts   [][]byte // reasoning items of a request that is one record, those that are still to come
	thoughtsOf int64    // where that record lies

	answerOf *model.Message // whose recorded blocks are known
	answers  [][]byte
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
	attach(w.Blocks, raws)
	if f.rules.Name == "openai-responses" && len(raws) == 0 {
		f.think(w.Blocks, m.Message)
	}
	blocks := w.Blocks[:0]
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
			if b.ID != "" && resultOf(m.Message, b.ID) {
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
		f.thoughts = reasoningItems(bytes.Clone(rec.Data))
	}
	for i := range blocks {
		b := &blocks[i]
		for n, raw := range f.thoughts {
			if b.Kind == model.Reasoning && recordedAs(b, raw) {
				b.Raw = raw
				f.thoughts = f.thoughts[n+1:]
				break
			}
		}
	}
}

func resultOf(m *model.Message, id string) bool {
	for i := range m.Blocks {
		if m.Blocks[i].Kind == model.ToolResult && m.Blocks[i].ID == id {
			return true
		}
	}
	return false
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
	if f.chat() {
		it, err := f.reader.read(ctx, c.answer.ID)
		if err != nil {
			return err
		}
		if len(c.answer.Results()) == 1 {
			r.Raw = bytes.Clone(f.cut.element(it))
		}
		return nil
	}
	if f.answerOf != c.answer {
		f.answerOf = c.answer
		it, err := f.reader.read(ctx, c.answer.ID)
		if err != nil {
			return err
		}
		raws := recordedBlocks(f.cut.object(it), c.answer)
		f.answers = f.answers[:0]
		for _, raw := range raws {
			f.answers = append(f.answers, bytes.Clone(raw))
		}
	}
	one := []query.WireBlock{*r}
	attach(one, f.answers)
	r.Raw = one[0].Raw
	for i := range c.answer.Blocks {
		if media := &c.answer.Blocks[i]; media.Kind == model.Media && media.ID != "" && media.ID == c.result.ID {
			it, err := f.reader.read(ctx, c.answer.ID)
			if err != nil {
				return err
			}
			add := query.WireBlock{Content: *media}
			add.Text = mediaText(it, c.answer, i)
			r.Media = append(r.Media, add)
		}
	}
	return nil
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
