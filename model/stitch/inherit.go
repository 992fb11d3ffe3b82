package stitch

import "turns/model"

// origin is what is known of where the records of a thread come from: a fork's
// transcript begins with a copy of its parent's, stamped anew.
type origin struct {
	key, parent model.Key // of the transcript, as it names itself
	began       int64     // Unix ms
	turns       bool      // a turn began since
	copied      bool      // what follows was copied
	start       int64     // Seq of the last record that was copied, where the line numbers it; else 0
}

// Inherit sets the keys of a parent's turns and counters. Records of a fork with these keys are
// copies. Call it before the fork's records are applied.
func (b *Builder) Inherit(keys map[model.Key]struct{}) { b.parents = keys }

// trace flags what was copied.
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

// recorded reports whether the parent has a key; a record without one goes with
// what is around it.
func (b *Builder) recorded(key model.Key) bool {
	_, ok := b.parents[key]
	return ok || key == 0
}

// begin takes in that a transcript begins. The lines with which its parents began
// are copied with the rest, and begin nothing.
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

// before makes what a parent said, and the transcript of its subagent repeats, rows of bookkeeping.
func (b *Builder) before(g *gist, o *origin) {
	if g.seq > 0 {
		o.copied = g.seq <= o.start
	}
	if o.copied && g.op == model.Say {
		g.op, g.name, g.blocks = model.Note, 0, 0
	}
}
