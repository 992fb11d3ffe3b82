package stitch

import "turns/model"

// origin tracks where the records of a thread come from: a fork's transcript begins with a copy of
// its parent's records, with new times.
type origin struct {
	key, parent model.Key // of the transcript, by its own statement
	began       int64     // Unix ms
	turns       bool      // a turn has begun since
	copied      bool      // the following records are copies
	start       int64     // Seq of the last copied record, if the format numbers records; else 0
}

// Inherit sets the keys of a parent's turns and counters. Records of a fork with these keys are
// copies. Call it before the fork's records are applied.
func (b *Builder) Inherit(keys map[model.Key]struct{}) { b.parents = keys }

// trace flags the facts of copied records.
func (b *Builder) trace(batch *Batch, g *gist, thread uint32) {
	o := b.origins[thread]
	if o == nil {
		o = &origin{}
		b.origins[thread] = o
	}
	switch {
	case g.op == model.About && g.n != 0 && g.key != 0:
		o.begin(g)
	case o.start > 0:
		b.before(g, o)
	case g.op == model.About && g.n != 0:
		o.turns = true
		if b.parents == nil {
			o.copied = o.copied && g.n < o.began
		} else {
			o.copied = o.copied && b.recorded(g.record)
		}
	case g.op == model.Meter && g.usage >= 0 && b.parents != nil:
		o.copied = o.copied && b.recorded(batch.usages[g.usage].Key)
	}
	if o.copied {
		g.flags |= model.Inherited
	}
}

// recorded reports whether the parent has a key. It returns true for facts without a key: they
// follow their neighbours.
func (b *Builder) recorded(key model.Key) bool {
	_, ok := b.parents[key]
	return ok || key == 0
}

// begin handles the start of a transcript. A fork also copies the start lines of its ancestors,
// which begin no transcript.
func (o *origin) begin(g *gist) {
	switch {
	case o.key == g.key:
	case o.key != 0 && !o.turns && (o.copied || o.parent == g.key):
		o.copied = true
	case o.copied && g.n < o.began:
	default:
		*o = origin{key: g.key, parent: g.target, began: g.n, copied: g.flags&model.Inherited != 0, start: g.seq}
	}
}

// before turns messages of the parent into notes: a subagent's transcript repeats them.
func (b *Builder) before(g *gist, o *origin) {
	if g.seq > 0 {
		o.copied = g.seq <= o.start
	}
	if o.copied && g.op == model.Say {
		g.op, g.name, g.blocks = model.Note, 0, 0
	}
}
