package filter

import (
	"context"
	"fmt"
	"slices"

	"turns/model"
	"turns/query/cache"
	"turns/query/lang"
)

// cacheMiss is the value of is: for requests that missed the cache.
const cacheMiss = "cache-miss"

// asksCache reports whether a term needs the cache use of requests.
func asksCache(t *lang.Term) bool {
	return t.Key == lang.KeyCache || t.Key == lang.KeyIs && slices.ContainsFunc(t.Values, func(v lang.Value) bool { return v.Text == cacheMiss })
}

// missed finds the causes if a term needs them. Causes depend on earlier requests, so missed
// computes them once for the complete snapshot.
func (c *compiler) missed(t *lang.Term) error {
	if c.causes != nil || !asksCache(t) {
		return nil
	}
	list, err := cache.Requests(context.Background(), c.snap)
	if err != nil {
		return fmt.Errorf("reading the recorded prompts: %w", err)
	}
	c.causes = make(map[model.ID]cache.Cause, len(list))
	for i := range list {
		c.causes[list[i].ID] = list[i].Cause
	}
	return nil
}

func (c *compiler) cacheLeaf(l *leaf) error {
	if err := c.missed(l.term); err != nil {
		return err
	}
	l.msg = func(st *state) truth {
		cause, asked := c.causes[st.id]
		return truthOf(asked && slices.ContainsFunc(l.term.Values, func(v lang.Value) bool {
			return v.Text == string(cause) || v.Text == "null" && cause == cache.None
		}))
	}
	return nil
}
