package provider

import (
	"encoding/json"
	"slices"
	"strings"

	"turns/model"
)

// Wire is a message on its way to a provider: decoded, and without fields that providers do not
// know. [Repair] works on a sequence of them.
type Wire struct {
	ID     model.ID // in the snapshot; model.NoID for a message made by Repair
	Index  int      // position in the transcript; -1 for a message made by Repair
	Role   model.Role
	Blocks []WireBlock
	Model  string
	Time   int64 // Unix ms; 0: unknown
	Stop   model.Stop
	Usage  *model.Usage
	// the recorded element, if the message is exactly one; nil after a change
	Raw     []byte
	Session uint32 // conversation that it belongs to
	Own     string // id of the message as recorded
	Speaker string // recorded name of the speaker; not of a tool
	Prompt  string // instructions for that request only
	Order   int    // place in the transcript, for sorting
}

// Signature is the provider's mark on a block, by which it recognises the block later. Other
// providers cannot use it.
type Signature struct {
	Maker  string // anthropic, google, openai; "": none
	ID     string // of the item
	Text   string
	Hidden string // its content, readable only by the provider
}

// WireBlock is a block of a [Wire] message.
type WireBlock struct {
	model.Content
	Raw    []byte     // the recorded block; nil if there is none, or after a change
	Result *WireBlock // of a call: its result, if known
	Media  []WireBlock
	File   *Attachment // of media: the data to send; nil if there are none
	Order  int         // of a result: that of the message that recorded it
	Inside bool        // of a result: recorded in the message that made the call
	Sign   Signature   // mark by which a provider recognises its block
	Signed bool        // of reasoning: the provider that it goes to wrote it
	Custom bool        // of a call: its input is a text in the tool's format, not JSON
	// a call, result or other block that the provider ran itself: it does not move
	Keep   bool
	Made   bool // a result that Repair made
	MadeID bool // the id was made, because none was recorded
}

func (p *Wire) changed() { p.Raw = nil }

// Has reports whether the message has a block of a kind.
func (p *Wire) Has(kind model.BlockKind) bool {
	return slices.ContainsFunc(p.Blocks, func(b WireBlock) bool { return b.Kind == kind })
}

// prompts reports whether a message of the user has more than results.
func (p *Wire) prompts() bool {
	return p.Role == model.User && (p.Has(model.Words) || !p.Has(model.ToolResult))
}

// speaks reports whether the message says or calls something, instead of only answering calls:
// results recorded after it are late.
func (p *Wire) speaks() bool { return p.Has(model.ToolCall) || p.speaksBeyondCalls(0) }

// speaksBeyondCalls reports whether a block from index from on says something. Media with an id are
// part of a result.
func (p *Wire) speaksBeyondCalls(from int) bool {
	return slices.ContainsFunc(p.Blocks[from:], func(b WireBlock) bool {
		return b.Kind == model.Reasoning || b.Kind == model.Media && b.ID == "" || b.Kind == model.Words && !blank(&b)
	})
}

// InText is the text of the result of a call known only from the text of its script.
const InText = "No result was recorded: the call is known from the text of its script."

// WireOf returns a message as a Wire. session is the number of its conversation.
func WireOf(m *model.Message, session uint32) Wire {
	p := Wire{
		ID: m.ID, Index: m.Pos, Role: m.Role, Model: m.Model, Time: m.Time, Stop: m.Stop,
		Usage: m.Usage, Session: session, Blocks: make([]WireBlock, len(m.Blocks)),
	}
	if m.Role != model.Tool {
		p.Speaker = speakerOf(m)
	}
	for i := range m.Blocks {
		if p.Blocks[i].Content = m.Blocks[i]; m.Blocks[i].Kind == model.Media {
			p.Blocks[i].File = AttachmentOf(&m.Blocks[i])
		}
		if c := &m.Blocks[i]; c.InText {
			p.Blocks[i].Result = &WireBlock{Made: true, Inside: true, Order: m.Pos, Content: model.Content{
				Kind: model.ToolResult, ID: c.ID, Name: c.Name, Text: InText, Outcome: c.Outcome,
			}}
		}
	}
	return p
}

// speakerOf returns the recorded name of a message's speaker; "" if there is none.
func speakerOf(m *model.Message) string {
	for _, kv := range m.Extra {
		if kv.Name == "name" {
			return kv.Value
		}
	}
	return ""
}

// wireCall is the position of a call in a sequence.
type wireCall struct{ msg, block int }

// pairWire finds the results of calls by the rules of [openCalls]. It returns the results without a
// call.
func pairWire(msgs []Wire) (orphans map[wireCall]bool) {
	orphans = map[wireCall]bool{}
	var calls []wireCall // by number
	open, turn := newOpenCalls(), 0
	at := func(c wireCall) *WireBlock { return &msgs[c.msg].Blocks[c.block] }
	for i := range msgs {
		for k := range msgs[i].Blocks {
			b := &msgs[i].Blocks[k]
			here := wireCall{i, k}
			switch {
			case b.Keep:
			case b.Kind == model.ToolCall && b.Result == nil:
				calls = append(calls, here)
				open.add(turn, b.ID, b.Name)
			case b.Kind == model.ToolResult:
				n := open.answer(b)
				if n < 0 {
					orphans[here] = true
					continue
				}
				take(at(calls[n]), b, i, calls[n].msg == i)
			}
		}
		if msgs[i].prompts() {
			turn++
		}
	}
	if len(orphans) == 0 {
		return orphans
	}
	waiting := map[string][]wireCall{} // a result may precede its call
	for n, c := range calls {
		if id := at(c).ID; !open.answered[n] && id != "" {
			waiting[id] = append(waiting[id], c)
		}
	}
	for here := range orphansInOrder(msgs, orphans) {
		b := at(here)
		if w := waiting[b.ID]; len(w) > 0 {
			take(at(w[0]), b, here.msg, false)
			waiting[b.ID] = w[1:]
			delete(orphans, here)
		}
	}
	return orphans
}

func take(call, result *WireBlock, order int, inside bool) {
	r := *result
	r.Inside, r.Order = inside, order
	call.Result = &r
}

func orphansInOrder(msgs []Wire, orphans map[wireCall]bool) func(func(wireCall) bool) {
	return func(yield func(wireCall) bool) {
		for i := range msgs {
			for k := range msgs[i].Blocks {
				if here := (wireCall{i, k}); orphans[here] && !yield(here) {
					return
				}
			}
		}
	}
}

// IsObject reports whether text is a JSON object.
func IsObject(text string) bool {
	t := strings.TrimSpace(text)
	return strings.HasPrefix(t, "{") && json.Valid([]byte(t))
}

func blank(b *WireBlock) bool { return b.Null || strings.TrimSpace(b.Text) == "" }

// String summarises the message for errors and tests: its role, texts and ids, with a ! after a
// made-up result.
func (m Wire) String() string {
	var b strings.Builder
	for i := range m.Blocks {
		if i > 0 {
			b.WriteByte(' ')
		}
		switch c := &m.Blocks[i]; {
		case c.Kind == model.ToolCall:
			b.WriteString("call:" + c.ID)
		case c.Kind == model.ToolResult && c.Made:
			b.WriteString("result:" + c.ID + "!")
		case c.Kind == model.ToolResult:
			b.WriteString("result:" + c.ID)
		default:
			b.WriteString(c.Text)
		}
	}
	return m.Role.String() + "[" + b.String() + "]"
}
