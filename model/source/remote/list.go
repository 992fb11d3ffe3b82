package remote

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"
)

// begun is a list whose first pages have arrived. A request for the first page is usually followed
// by one for all, which continues the list. It is not safe for concurrent use.
type begun struct {
	pages  [][]Object
	at     time.Time // time of the last page
	next   func() ([]Object, bool)
	cancel context.CancelCauseFunc
	stop   func()
	err    error // set at the end of the pages
}

// begin prepares a listing. It sends no request before the first call of page.
func (p *Places) begin(s Store, a Address) *begun {
	ctx, cancel := context.WithCancelCause(p.life)
	b := &begun{cancel: cancel}
	next, stop := iter.Pull(func(yield func([]Object) bool) {
		over := false
		b.err = s.List(ctx, a.Key, func(page []Object) {
			if over = over || !yield(page); over {
				cancel(nil)
			}
		})
	})
	b.next, b.stop = next, func() { cancel(nil); stop() }
	return b
}

// page returns the next non-empty page, nil at the end. Cancelling ctx ends the list.
func (b *begun) page(ctx context.Context) []Object {
	defer context.AfterFunc(ctx, func() { b.cancel(context.Cause(ctx)) })()
	for {
		switch page, more := b.next(); {
		case !more:
			return nil
		case len(page) > 0:
			b.pages, b.at = append(b.pages, page), time.Now()
			return page
		}
	}
}

// keep stores a begun list, which the next listing of the address continues.
func (p *Places) keep(a Address, b *begun) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if before := p.begun[a.String()]; before != nil {
		before.stop()
	}
	if p.begun[a.String()] = b; p.life.Err() != nil {
		b.stop()
	}
}

// goOn removes and returns the begun list of an address if it is fresh, otherwise a new list. So
// only one caller continues it.
func (p *Places) goOn(s Store, a Address) *begun {
	p.mu.Lock()
	b := p.begun[a.String()]
	delete(p.begun, a.String())
	p.mu.Unlock()
	switch {
	case b == nil:
	case time.Since(b.at) < freshFor:
		return b
	default:
		b.stop()
	}
	return p.begin(s, a)
}

// listed returns the last listing of an address, and whether it is fresh.
func (p *Places) listed(a Address) (before listing, ok, fresh bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	before, ok = p.lists[a.String()]
	return before, ok, ok && time.Since(before.at) < freshFor
}

// below returns the prefix for everything below a folder.
func below(a Address) Address {
	if a.Key == "" || strings.HasSuffix(a.Key, "/") {
		return a.At(a.Key)
	}
	return a.At(a.Key + "/")
}

// List returns the objects below a remote folder in the order of their keys. With an error, it
// returns the objects listed so far.
func List(ctx context.Context, a Address) ([]Object, error) { return list(ctx, below(a), true) }

// First returns the first part of List. From a large folder of a bucket it requests one page, and a
// List soon after continues from there. A host cannot continue a listing, so First lists its entire
// folder.
func First(ctx context.Context, a Address) ([]Object, error) {
	if a.Kind == "ssh" {
		return List(ctx, a)
	}
	a = below(a)
	p, s, err := store(ctx, a)
	if err != nil {
		return nil, fmt.Errorf("list %q: %w", a.Shown(), err)
	}
	if before, _, fresh := p.listed(a); fresh {
		return before.objects, nil
	}
	b := p.goOn(s, a)
	if len(b.pages) == 0 && b.page(ctx) == nil {
		b.stop()
		if b.err != nil {
			return nil, fmt.Errorf("list %q: %w", a.Shown(), b.err)
		}
		return nil, nil
	}
	some := b.pages[0]
	p.keep(a, b)
	return some, nil
}

func list(ctx context.Context, a Address, fresh bool) ([]Object, error) {
	p, s, err := store(ctx, a)
	if err != nil {
		return nil, fmt.Errorf("list %q: %w", a.Shown(), err)
	}
	before, ok, young := p.listed(a)
	if ok && (!fresh || young) {
		return before.objects, nil
	}
	b := p.goOn(s, a)
	defer b.stop()
	report := func(page []Object) {
		if report := pagesOf(ctx); report != nil {
			names := make([]string, len(page))
			for i, o := range page {
				names[i] = a.At(o.Key).String()
				p.know(a.At(o.Key), o)
			}
			report(names)
		}
	}
	var all []Object
	for _, page := range b.pages {
		report(page)
		all = append(all, page...)
	}
	for len(all) <= maxObjects {
		page := b.page(ctx)
		if page == nil {
			break
		}
		report(page)
		all = append(all, page...)
	}
	if err = b.err; len(all) > maxObjects {
		err = fmt.Errorf("it has more than %d objects, and the rest is left out", maxObjects)
	}
	slices.SortStableFunc(all, func(x, y Object) int { return cmp.Compare(x.Key, y.Key) })
	all = slices.CompactFunc(all, func(x, y Object) bool { return x.Key == y.Key })
	p.mu.Lock()
	for _, o := range before.objects {
		delete(p.known, a.At(o.Key).String())
	}
	for _, o := range all {
		p.known[a.At(o.Key).String()] = o
	}
	if err == nil {
		p.lists[a.String()] = listing{all, time.Now()}
	}
	p.mu.Unlock()
	if err != nil {
		return all, fmt.Errorf("list %q: %w", a.Shown(), err)
	}
	return all, nil
}
