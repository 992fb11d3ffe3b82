package shape

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"turns/export"
	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
	"turns/query"
	"turns/query/human"
)

// Extra has the facts about an element that OpenAI's fields cannot express. The export writes it
// only if the element would otherwise read back differently.
type Extra struct {
	PartOf    string            `json:"part_of,omitempty"`   // elements with the same value are one message
	Role      string            `json:"role,omitempty"`      // of that message
	Session   string            `json:"session,omitempty"`   // of several in one list
	Outcome   string            `json:"outcome,omitempty"`   // of the result
	Injected  *bool             `json:"injected,omitempty"`  // whether a program wrote the user's text
	Blocks    []ExtraBlock      `json:"blocks,omitempty"`    // all of the element in order, if its fields have another
	Agent     string            `json:"agent,omitempty"`     // call that started the subagent of the message
	Failed    string            `json:"failed,omitempty"`    // how its request failed: error, interrupted, or no, although it has a field error
	Partial   bool              `json:"partial,omitempty"`   // known to be incomplete
	OfSpan    bool              `json:"of_span,omitempty"`   // a call known only from the span of its tool
	Inherited bool              `json:"inherited,omitempty"` // copied from the continued conversation
	Again     bool              `json:"again,omitempty"`     // continues an earlier result of its call
	Inside    map[string]string `json:"inside,omitempty"`    // ids of the making calls, by id
	Scripts   []string          `json:"scripts,omitempty"`   // ids of calls that count apart from their own calls
	Waits     []string          `json:"waits,omitempty"`     // ids of calls that wait for a script
	InText    []string          `json:"in_text,omitempty"`   // ids of calls known only from the text of their script
	Ended     map[string]string `json:"ended,omitempty"`     // outcomes of calls without a result, by id
	// recorded durations in seconds of calls without a result, by id
	Ran    map[string]human.Millis `json:"ran,omitempty"`
	Time   *string                 `json:"time,omitempty"`         // of the message, as ISO 8601 in UTC; "": it has none
	Model  string                  `json:"model,omitempty"`        // that wrote it
	Usage  *ExtraUsage             `json:"usage,omitempty"`        // recorded for the response; empty: none was
	Missed string                  `json:"missed,omitempty"`       // why its provider did not find the prompt in its cache
	Took   *human.Millis           `json:"took_seconds,omitempty"` // recorded duration of the call that the result answers
	// instead, the time between the records of the call and of the result, unless it is that
	// between their messages
	AtMost  *human.Millis `json:"took_at_most_seconds,omitempty"`
	Untimed bool          `json:"untimed,omitempty"` // the times of the messages do not show the duration
	ExtraSession
}

// ExtraUsage is the recorded usage of a response: input without cached tokens, output with
// reasoning. An unrecorded number is missing.
type ExtraUsage struct {
	Input      *uint32    `json:"input_tokens,omitempty"`
	CacheRead  *uint32    `json:"cache_read_input_tokens,omitempty"`
	CacheWrite *uint32    `json:"cache_creation_input_tokens,omitempty"`
	CacheLife  *HourWrite `json:"cache_creation,omitempty"`
	Output     *uint32    `json:"output_tokens,omitempty"`
	Reasoning  *uint32    `json:"reasoning_tokens,omitempty"`
	Cost       *float64   `json:"cost,omitempty"` // US dollars
}

// HourWrite has the tokens written to a cache for an hour, if most were.
type HourWrite struct {
	Hour uint32 `json:"ephemeral_1h_input_tokens"`
}

// piece is an element of a message: some of its blocks, with at most one result.
type piece struct {
	from, to int
	result   int // the block of the result; -1: none
	number   int // number of the result in the message
}

// pieces divides a message into elements: a tool message for each result, and the blocks between
// them. Words next to a result in a tool's message belong to the result.
func pieces(list []piece, it *Item, opts *export.Options) []piece {
	results := 0
	for from := 0; from < len(it.Blocks); {
		to := from
		for to < len(it.Blocks) && it.Blocks[to].Kind != model.ToolResult {
			to++
		}
		if to > from && (it.head.Role != model.Tool || to == len(it.Blocks)) {
			list = append(list, piece{from, to, -1, 0})
			from = to
		}
		if to == len(it.Blocks) {
			break
		}
		end := to + 1
		for it.head.Role == model.Tool && end < len(it.Blocks) && it.Blocks[end].Kind != model.ToolResult {
			end++
		}
		if !opts.NoResults {
			list = append(list, piece{from, end, to, results})
		}
		results++
		from = end
	}
	return list
}

// spliceParts copies the elements of a message that turns wrote as several; ok is false for all
// others. Afterwards the reader has another item.
func (s *shaper) spliceParts(dst []byte, it *Item) (out []byte, ok bool) {
	id := it.id
	if it.record != nil || it.head.LastPart == model.NoRow || s.opts.NoResults || s.opts.NoReasoning {
		return dst, false
	}
	start := len(dst)
	for i, p := range s.snap.Parts(id) {
		if p.Skip() || s.reader.load(p.Ref) != nil {
			return dst[:start], false
		}
		v := bytes.TrimSpace(s.reader.rec.data)
		if jsonspan.Get(jsonspan.Get(v, model.ReadBackField), "part_of") == nil {
			return dst[:start], false
		}
		v = s.clean(v)
		if dst, ok = s.layout.AppendValue(append(dst, s.sep...), v, s.depth); !ok {
			return dst[:start], false
		}
		if s.opts.Metadata {
			dst = s.into(dst, v, func(o *Object) { s.addNumbers(o, it, v) })
		}
		if add := s.ownFields(it, v); add != nil && i == 0 {
			dst = s.into(dst, v, add)
		}
	}
	return dst, true
}

// readBack writes the properties of an element that the fields of OpenAI's messages cannot express.
// The element begins at from. outcome is that of its result, Unknown if its other fields contain
// it.
func (s *shaper) readBack(ctx context.Context, o *Object, from int, it *Item, p piece, first bool, outcome model.Outcome) error {
	blocks := it.Blocks[p.from:p.to]
	back := Extra{Session: s.session(it), Inherited: it.head.Flags&model.Inherited != 0}
	if own := s.snap.RoleName(it.head); p.result >= 0 && own != "tool" {
		back.Role = own
	}
	back.Again = p.result >= 0 && it.Blocks[p.result].Again
	if len(s.pieces) > 1 {
		back.PartOf = partOf(it)
	}
	if outcome != model.Unknown {
		back.Outcome = outcome.String()
	}
	switch marked := it.head.Flags&model.Injected != 0; {
	case it.head.Role == model.User && back.PartOf == "":
		back.Injected = injected(it, blocks)
	case marked && first:
		back.Injected = &marked
	}
	if p.result < 0 {
		back.Blocks = blockOrder(blocks, s.opts)
	}
	s.addSession(it, &back, first, p.to == len(it.Blocks))
	var err error
	if back.Agent, err = s.agent(ctx, it); err != nil {
		return err
	}
	if err = s.nesting(ctx, it, blocks, &back); err != nil {
		return err
	}
	if p.result >= 0 {
		s.took(it, &it.Blocks[p.result], p.number, &back)
	}
	if first {
		back.Failed = failureOf(it.head)
		if back.Failed == "" && slices.Contains(s.names, "error") {
			back.Failed = "no"
		}
		back.Partial, back.OfSpan = it.head.Flags&model.Partial != 0, it.head.Flags&model.SpanTold != 0
	}
	s.recorded(it, o.Buf[from:], first, &back)
	s.putReadBack(o, &back)
	return nil
}

// failureOf returns how the request of a message failed, "" if it did not.
func failureOf(h *model.Head) string {
	switch {
	case h.Flags&model.APIError != 0:
		return "error"
	case h.Flags&model.Interrupted != 0:
		return "interrupted"
	}
	return ""
}

// agent returns the id of the call that started the subagent of a message; "" in a main thread.
func (s *shaper) agent(ctx context.Context, it *Item) (string, error) {
	t := &s.snap.Threads()[it.head.Thread]
	if t.Main {
		return "", nil
	}
	if id, ok := s.agents[it.head.Thread]; ok {
		return id, nil
	}
	id, err := "", error(nil)
	if t.Call != model.CallID(model.NoRow) {
		id, err = s.idOf(ctx, t.Call)
	}
	if err != nil {
		return "", err
	}
	if s.agents == nil {
		s.agents = map[uint32]string{}
	}
	s.agents[it.head.Thread] = cmp.Or(id, t.Name, strconv.Itoa(int(it.head.Thread)))
	return s.agents[it.head.Thread], nil
}

// nesting reports which calls of a message others made, and which count separately. The calls of
// the blocks are the last written ones.
func (s *shaper) nesting(ctx context.Context, it *Item, blocks []model.Block, back *Extra) error {
	if it.head.Flags&model.HasCalls == 0 || !slices.ContainsFunc(blocks, func(b model.Block) bool { return b.Kind == model.ToolCall }) {
		return nil
	}
	rows := s.snap.Calls(it.id)
	n := s.calls
	for i := range slices.Backward(blocks) {
		if blocks[i].Kind != model.ToolCall {
			continue
		}
		if n--; n < 0 || n >= len(rows) {
			continue
		}
		id := cmp.Or(blocks[i].ID.String(), callID(it.pos, n))
		if c := &rows[n]; c.Result == model.NoID && c.Outcome != model.Unknown {
			if back.Ended == nil {
				back.Ended = map[string]string{}
			}
			back.Ended[id] = c.Outcome.String()
		}
		if c := &rows[n]; c.Result == model.NoID && c.Took != model.NoTook && c.Flags&model.TookDerived == 0 {
			if back.Ran == nil {
				back.Ran = map[string]human.Millis{}
			}
			back.Ran[id] = human.Millis(c.Took)
		}
		switch flags := rows[n].Flags; {
		case flags&model.Carries == 0:
		case flags&model.HasNested != 0:
			back.Scripts = append(back.Scripts, id)
		default:
			back.Waits = append(back.Waits, id)
		}
		maker, ok := rows[n].Parent()
		if !ok {
			continue
		}
		if rows[n].InText() {
			back.InText = append(back.InText, id)
		}
		if back.Inside == nil {
			back.Inside = map[string]string{}
		}
		var err error
		if back.Inside[id], err = s.idOf(ctx, maker); err != nil {
			return err
		}
	}
	return nil
}

// idOf returns the id under which a call was written.
func (s *shaper) idOf(ctx context.Context, call model.CallID) (string, error) {
	if s.read == nil {
		s.read = query.NewPairs(s.snap)
	}
	made, err := s.read.Call(ctx, call)
	if err != nil {
		return "", err
	}
	if made != nil && made.ID != "" {
		return made.ID, nil
	}
	row := s.snap.Call(call)
	return callID(s.snap.Pos(row.Msg), int(row.Block)), nil
}

// putReadBack writes the field, unless it is empty.
func (s *shaper) putReadBack(o *Object, back *Extra) {
	if v := back.json(); v != nil {
		o.Key(model.ReadBackField)
		o.Copy(s.clean(v))
	}
}

// json is the value of the field, nil if all fields are empty.
func (s *Extra) json() []byte {
	v, err := json.Marshal(s)
	if err != nil || len(v) == len("{}") {
		return nil // strings, numbers and lists of them: no error possible
	}
	return v
}

// partOf identifies a message among those of its file, and of combined files.
func partOf(it *Item) string { return fmt.Sprintf("%d-%08x", it.pos, uint32(model.Hash(it.first))) }

// injected returns whether a program wrote a user's message, nil if its text already shows that.
func injected(it *Item, blocks []model.Block) *bool {
	reads, words := false, false
	for i := range blocks {
		if b := &blocks[i]; b.Kind == model.Words && !b.Text.Blank() {
			reads = !words && kit.IsInjected(b.Text)
			words = true
		}
	}
	opens := it.head.Flags&model.Prompt != 0
	if opens == !reads || !words && !opens {
		return nil
	}
	opens = !opens
	return &opens
}

// outcome returns how the call of a result ended, Unknown if the other fields of the result show
// it. failed means that they show a failure.
func (s *shaper) outcome(it *Item, b *model.Block, n int, failed bool) model.Outcome {
	plain, real := kit.OutcomeOfText(b.Text), s.outcomeOf(it, b, n)
	if failed {
		plain = kit.FailureOf(b.Text)
	}
	if plain == real || max(plain, real) <= model.Success {
		return model.Unknown
	}
	return cmp.Or(real, model.Success) // whatever its text suggests
}
