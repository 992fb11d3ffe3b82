package screen

import clist "container/list"

// Lru caches the most recently used values, up to a total size.
type Lru[K comparable, V any] struct {
	limit, used int64
	order       *clist.List // of *lruEntry, the most recently used first
	entries     map[K]*clist.Element
}

type lruEntry[K comparable, V any] struct {
	key  K
	val  V
	size int64
}

// NewLRU makes a cache for values of at most limit total size. It always keeps the latest value,
// even a larger one.
func NewLRU[K comparable, V any](limit int64) *Lru[K, V] {
	return &Lru[K, V]{limit: limit, order: clist.New(), entries: map[K]*clist.Element{}}
}

// Get returns a value and marks it as the most recently used.
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

// PutSized stores or replaces a value of a size, and drops the least recently used ones.
func (c *Lru[K, V]) PutSized(key K, val V, size int64) {
	c.Drop(key)
	c.entries[key] = c.order.PushFront(&lruEntry[K, V]{key, val, size})
	c.used += size
	for c.used > c.limit && c.order.Len() > 1 {
		c.Drop(c.order.Back().Value.(*lruEntry[K, V]).key)
	}
}

// Drop removes the value of a key, if present.
func (c *Lru[K, V]) Drop(key K) {
	if e, ok := c.entries[key]; ok {
		c.used -= e.Value.(*lruEntry[K, V]).size
		c.order.Remove(e)
		delete(c.entries, key)
	}
}

// Clear removes all values.
func (c *Lru[K, V]) Clear() {
	c.used = 0
	c.order.Init()
	clear(c.entries)
}
