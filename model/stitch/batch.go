// Package stitch folds facts into a conversation. A format interprets each record separately. This
// package does all work that looks back, for all formats: it joins the lines of one response, pairs
// results with calls, and handles rewinds, branches and counters.
//
// Facts arrive in two steps so that parsing can use every core: workers reduce the facts of their
// segment of a stream to a [Batch] without texts, and one [Builder] applies the batches in order.
package stitch

import (
	"bytes"
	"time"

	"turns/model"
)

// Batch contains the facts of successive records, without their texts. Clear prepares it for reuse;
// the Builder does not refer to it afterwards.
type Batch struct {
	facts  []gist
	blocks []gistBlock
	usages []model.Usage
	fields []field
	names  []string
	byName map[string]uint32
	seen   map[model.Key]model.Key // last value of a field, to pass on only changes
	// latest values of the names in every record, compared without hashing
	last []lastField
	// next is the index in last of the expected name, because records repeat names in one order.
	next  int
	agent *Agent
	calls map[string]int // calls of the fact being added, by their short ids
	made  []model.Key    // calls that scripts make
}

// Agent marks a stream as the transcript of a subagent: all of it is one thread of the conversation
// that started the subagent.
type Agent struct {
	Session, Thread model.Key
}

// SetAgent assigns the facts added from now on to a subagent, or with nil to the main conversation.
func (b *Batch) SetAgent(agent *Agent) { b.agent = agent }

// gist has the parts of a fact that the builder needs.
type gist struct {
	op                   model.Op
	aside                bool
	join                 model.Join
	role                 model.Role
	outcome              model.Outcome
	stop                 model.Stop
	solo                 bool // no other fact of its record makes a row
	scored               bool
	flags                model.Flags
	ref                  model.Ref
	session, thread      model.Key
	key, record          model.Key
	parent, target, echo model.Key
	by                   model.Key
	span, above          model.Key
	seq, n, time         int64
	score                float64
	name                 uint32
	elsewhere            uint32
	about                uint32 // model of the facts that follow
	size                 uint32
	usage                int32 // -1: none
	block, blocks        uint32
	field, fields        uint32
	call, calls          uint32 // in Batch.made: a gist has no pointers, so that the collector skips it
}

type gistBlock struct {
	kind    model.BlockKind
	outcome model.Outcome
	nesting model.Nesting
	null    bool
	blank   bool // words without a letter
	key, id model.Key
	within  model.Key // id of the call that made this one
	name    uint32
	size    uint32
	took    uint32
	untimed bool      // the times of the messages do not show the duration
	bound   bool      // took is an upper bound
	again   bool      // continues the result that the call already has
	long    bool      // the id is long enough to be unique
	twin    bool      // another call of the fact has its id
	leave   bool      // waits for the user's permission before it begins
	args    model.Key // hash of a call's arguments, to recognise a repeated call
}

type field struct{ name, value uint32 }

// lastField is the latest recorded value of a name.
type lastField struct {
	name    string
	session model.Key
	raw     []byte
}

// For speed only: lastFields is the size of Batch.last, more names than any format repeats.
const lastFields = 8

// NewBatch returns an empty batch.
func NewBatch() *Batch {
	return &Batch{byName: make(map[string]uint32), seen: make(map[model.Key]model.Key), last: make([]lastField, 0, lastFields)}
}

// Clear empties the batch and reuses its memory.
func (b *Batch) Clear() {
	b.facts, b.blocks, b.usages, b.fields = b.facts[:0], b.blocks[:0], b.usages[:0], b.fields[:0]
	clear(b.byName)
	clear(b.seen)
	b.last = b.last[:0]
	b.names, b.made = b.names[:0], b.made[:0]
}

// Len returns the number of facts.
func (b *Batch) Len() int { return len(b.facts) }

// Add adds the facts of a record without their texts.
func (b *Batch) Add(ref model.Ref, fs *model.Facts) {
	rows := 0
	for i := range fs.Len() {
		if makesRow(fs.At(i).Op) {
			rows++
		}
	}
	for i := range fs.Len() {
		ref.Sub = uint16(min(i, 1<<16-1))
		b.add(ref, fs.At(i), rows == 0 && i == 0)
	}
}

// AddUnreadable adds a fact for an unreadable record.
func (b *Batch) AddUnreadable(ref model.Ref) {
	b.facts = append(b.facts, gist{op: model.Unreadable, ref: ref, usage: -1, solo: true})
}

// makesRow reports whether a fact with this op always makes a row.
func makesRow(op model.Op) bool {
	switch op {
	case model.Say, model.Note, model.Unreadable, model.Compact, model.Rewind, model.Reset, model.End:
		return true
	}
	return false
}

func (b *Batch) add(ref model.Ref, f *model.Fact, solo bool) {
	g := gist{
		op: f.Op, join: f.Join, aside: f.Aside, role: f.Role, outcome: f.Outcome, stop: f.Stop, solo: solo,
		flags: f.Flags, ref: ref, session: f.Session, thread: f.Thread, key: f.Key, record: f.Record,
		parent: f.Parent, target: f.Target, by: f.By, span: f.Span, above: f.Above, echo: f.Echo, seq: f.Seq, n: f.N, time: f.Time.Ms,
		score: f.Score, scored: f.HasScore, usage: -1, block: uint32(len(b.blocks)), field: uint32(len(b.fields)),
	}
	if f.Op == model.Note || f.Op == model.Child { // the target is a call
		g.target = ofSession(g.target, f.Session)
	}
	if f.Join == model.StandIn {
		g.name, g.about = b.intern(f.Name), b.intern(f.Model)
	} else if f.Op == model.Say && f.Role == model.Assistant && !f.Model.Empty() {
		g.name = b.intern(f.Model)
	} else if !f.Name.Empty() {
		g.name = b.intern(f.Name)
	}
	if f.Op == model.About && !f.Model.Empty() {
		g.about = b.intern(f.Model)
		b.addField(f, &model.Field{Name: "model", Value: f.Model})
	}
	if f.Op == model.Child {
		g.about = b.intern(f.Model)
	}
	if !f.Elsewhere.Empty() {
		g.elsewhere = b.intern(f.Elsewhere)
	}
	clear(b.calls)
	for i := range f.Blocks {
		b.addBlock(&g, &f.Blocks[i])
		if f.Blocks[i].Kind == model.ToolCall && len(f.Blocks) > 1 {
			b.blocks[len(b.blocks)-1].twin = b.isTwin(f.Blocks, i)
		}
	}
	g.blocks = uint32(len(b.blocks)) - g.block
	if f.Usage.Scope != model.NoUsage {
		g.usage = int32(len(b.usages))
		b.usages = append(b.usages, f.Usage)
	}
	for i := range f.Extra {
		b.addField(f, &f.Extra[i])
	}
	if f.Op == model.Say && f.Role == model.Assistant && !f.Model.Empty() {
		b.addField(f, &model.Field{Name: "model", Value: f.Model})
	}
	g.fields = uint32(len(b.fields)) - g.field
	if len(f.Calls) > 0 {
		g.call, g.calls = uint32(len(b.made)), uint32(len(f.Calls))
		b.made = append(b.made, f.Calls...)
	}
	if b.agent != nil {
		b.toAgent(&g)
	}
	b.facts = append(b.facts, g)
}

// toAgent removes the effects of a subagent's own transcript data on the whole conversation, such
// as its end or its fields.
func (b *Batch) toAgent(g *gist) {
	g.session, g.thread, g.fields = b.agent.Session, b.agent.Thread, 0
	g.flags |= model.Sidechain
	switch g.op {
	case model.End, model.Reset, model.Leaf:
		g.op = model.Note
	}
}

// ofSession separates the call ids of the sessions in one source: runs of one task may contain
// cached responses with identical ids.
func ofSession(id, session model.Key) model.Key {
	if id == 0 || session == 0 {
		return id
	}
	return id.Join(session)
}

// uniqueID is the minimum length of an id that is assumed unique in its transcript. Every request
// reuses shorter ids such as call_0.
const uniqueID = 12

// uniqueNumber is that minimum for numeric ids: no request makes ten thousand calls.
const uniqueNumber = 5

// isUnique reports whether an id is assumed unique in its transcript.
func isUnique(id []byte) bool {
	return len(id) >= uniqueID || len(id) >= uniqueNumber && len(bytes.Trim(id, "0123456789")) == 0
}

func (b *Batch) addBlock(g *gist, block *model.Block) {
	size := uint32(block.Text.Size())
	g.size += size
	if block.Kind == model.Reasoning && block.Name.HasPrefix("redacted") {
		g.flags |= model.Redacted
	}
	out := gistBlock{
		kind: block.Kind, outcome: block.Outcome, null: block.Text.IsNull(), key: block.Key,
		blank: block.Kind == model.Words && (block.Text.IsNull() || block.Text.Blank()),
		id:    ofSession(block.ID.Hash(), g.session), size: size, took: model.NoTook, leave: block.Leave,
		untimed: block.Took < 0, bound: block.Bound, again: block.Again, nesting: block.Nesting,
	}
	if block.Took > 0 {
		out.took = uint32(min(block.Took/time.Millisecond, 1<<32-2))
	}
	if block.Kind == model.ToolCall || block.Kind == model.ToolResult {
		out.name = b.intern(block.Name)
		out.long = isUnique(block.ID.Raw())
	}
	if block.Kind == model.ToolCall {
		out.args = block.Text.Hash()
		out.within = ofSession(block.Within, g.session)
	}
	b.blocks = append(b.blocks, out)
}

// isTwin reports whether a call is distinct from an earlier call of its message with the same id.
// Servers that restart the numbering for each request give parallel calls the same number.
func (b *Batch) isTwin(blocks []model.Block, at int) bool {
	call := &blocks[at]
	id := call.ID.Raw()
	if len(id) == 0 || len(id) >= uniqueID {
		return false
	}
	i, ok := b.calls[string(id)]
	if !ok {
		if b.calls == nil {
			b.calls = make(map[string]int)
		}
		b.calls[string(id)] = at
		return false
	}
	first := &blocks[i]
	return !bytes.Equal(first.Name.Raw(), call.Name.Raw()) || !bytes.Equal(first.Text.Raw(), call.Text.Raw())
}

// addField adds a field that describes the conversation. The other fields are read with the body.
func (b *Batch) addField(f *model.Fact, extra *model.Field) {
	if extra.Value.IsNull() || f.Op != model.About && !isAboutName(extra.Name) {
		return
	}
	if b.repeats(extra, f.Session) {
		return
	}
	space := model.HashString(extra.Name).Join(f.Session)
	value := extra.Value.Hash()
	if b.seen[space] == value {
		return
	}
	b.seen[space] = value
	b.fields = append(b.fields, field{b.internString(extra.Name), b.intern(extra.Value)})
}

// repeats reports whether the last field with this name had the same value, and remembers the
// value.
func (b *Batch) repeats(extra *model.Field, session model.Key) bool {
	raw := extra.Value.Raw()
	for range b.last {
		if b.next >= len(b.last) {
			b.next = 0
		}
		l := &b.last[b.next]
		b.next++
		if l.name == extra.Name && l.session == session {
			if bytes.Equal(l.raw, raw) {
				return true
			}
			l.raw = append(l.raw[:0], raw...)
			return false
		}
	}
	if n := len(b.last); n < cap(b.last) { // reuse its buffer
		b.last = b.last[:n+1]
		l := &b.last[n]
		l.name, l.session, l.raw = extra.Name, session, append(l.raw[:0], raw...)
	}
	return false
}

func isAboutName(name string) bool {
	switch name {
	case "title", "session", "cwd", "agent", "version", "branch", "model", "window", "parent", "source":
		return true
	}
	return false
}

// intern returns the number of a text among the batch's names; 0 is the empty text.
func (b *Batch) intern(t model.Text) uint32 {
	raw := t.Raw()
	if len(raw) == 0 {
		return 0
	}
	if n, ok := b.byName[string(raw)]; ok && t.Encoding() != model.JSONString {
		return n
	} else if ok && !t.Contains(`\`) {
		return n
	}
	return b.internString(t.String())
}

func (b *Batch) internString(s string) uint32 {
	if s == "" {
		return 0
	}
	if n, ok := b.byName[s]; ok {
		return n
	}
	b.names = append(b.names, s)
	n := uint32(len(b.names)) // 0 is ""
	b.byName[s] = n
	return n
}

func (b *Batch) name(n uint32) string {
	if n == 0 {
		return ""
	}
	return b.names[n-1]
}
