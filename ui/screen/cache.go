package screen

import clist "container/list"

// Lru keeps what was used last, up to a sum of sizes.
type Lru[K comparable, V any] struct {
	limit, used int64
	order       *clist.List // of *lruEntry, the most recent first
	entries     map[K]*clist.Element
}

type lruEntry[K comparable, V any] struct {
	key  K
	val  V
	size int64
}

// NewLRU makes a cache for values whose sizes sum up to limit at most; the one used last is kept
// even if it is larger.
func NewLRU[K comparable, V any](limit int64) *Lru[K, V] {
	return &Lru[K, V]{limit: limit, order: clist.New(), entries: map[K]*clist.Element{}}
}

// Get gives a value, which is thereby the one used last.
func (c *Lru[K, V]) Get(key K) (v V, ok bool) {
	e, ok := c.entries[key]
	if !ok {
		return v, false
	}
	c.order.MoveToFront(e)
	return e.Value.(*lruEntry[K, V]).val, true
}

// Put adds a value of size 1.
func (c *Lru[K, V]) Put(key K, val V) { c.PutSized(key, val, 1) }

// PutSized keeps a value of that size in the place of an earlier one of the key, and drops those
// that were not used for longest.
func (c *Lru[K, V]) PutSized(key K, val V, size int64) {
	c.Drop(key)
	c.entries[key] = c.order.PushFront(&lruEntry[K, V]{key, val, size})
	c.used += size
	for c.used > c.limit && c.order.Len() > 1 {
		c.Drop(c.order.Back().Value.(*lruEntry[K, V]).key)
	}
}

// Drop forgets the value of a key, if there is one.
func (c *Lru[K, V]) Drop(key K) {
	if e, ok := c.entries[key]; ok {
		c.used -= e.Value.(*lruEntry[K, V]).size
		c.order.Remove(e)
		delete(c.entries, key)
	}
}

// Clear forgets all values.
func (c *Lru[K, V]) Clear() {
	c.used = 0
	c.order.Init()
	clear(c.entries)
}
