package ui

import clist "container/list"

// lru keeps what was used last, up to a sum of sizes.
type lru[K comparable, V any] struct {
	limit, used int64
	order       *clist.List // of *lruEntry, the most recent first
	entries     map[K]*clist.Element
}

type lruEntry[K comparable, V any] struct {
	key  K
	val  V
	size int64
}

func newLRU[K comparable, V any](limit int64) *lru[K, V] {
	return &lru[K, V]{limit: limit, order: clist.New(), entries: map[K]*clist.Element{}}
}

func (c *lru[K, V]) get(key K) (v V, ok bool) {
	e, ok := c.entries[key]
	if !ok {
		return v, false
	}
	c.order.MoveToFront(e)
	return e.Value.(*lruEntry[K, V]).val, true
}

// put adds a value of size 1.
func (c *lru[K, V]) put(key K, val V) { c.putSized(key, val, 1) }

func (c *lru[K, V]) putSized(key K, val V, size int64) {
	c.drop(key)
	c.entries[key] = c.order.PushFront(&lruEntry[K, V]{key, val, size})
	c.used += size
	for c.used > c.limit && c.order.Len() > 1 {
		c.drop(c.order.Back().Value.(*lruEntry[K, V]).key)
	}
}

func (c *lru[K, V]) drop(key K) {
	if e, ok := c.entries[key]; ok {
		c.used -= e.Value.(*lruEntry[K, V]).size
		c.order.Remove(e)
		delete(c.entries, key)
	}
}

func (c *lru[K, V]) clear() {
	c.used = 0
	c.order.Init()
	clear(c.entries)
}
