package sessions

import (
	"context"
	"fmt"
	"maps"
	"time"

	tea "charm.land/bubbletea/v2"

	"turns/query/human"
	"turns/query/lang"
	"turns/query/session"
	"turns/ui/paint"
	"turns/ui/screen"
	"turns/ui/transcripts"
)

// bodySearch searches in the sessions for what the list data lacks: texts, tools, anything about
// messages. It caches the results while the list is open.
type bodySearch struct {
	gen     int
	cancel  context.CancelFunc
	known   map[bodyKey]transcripts.Hit
	running bool
	again   bool // after the current search, there may be more to search
	halted  bool // stopped by the reader: sessions not searched yet do not match
	done    int
	all     int
	err     error // of the session that could not be searched
}

// bodyKey is a term searched in a session.
type bodyKey struct{ path, term string }

// bodyMsg carries the results for some sessions.
type bodyMsg struct {
	list *List
	gen  int
	hits map[bodyKey]transcripts.Hit
	done int
	end  bool
	err  error
	more chan bodyMsg
}

// stop cancels a running search.
func (b *bodySearch) stop() {
	b.gen++
	b.running = false
	if b.cancel != nil {
		b.cancel()
		b.cancel = nil
	}
}

// part returns the searched percentage of the sessions.
func (b *bodySearch) part() string { return human.Percent(b.done, max(b.all, 1)) }

// halt stops the search on the reader's request.
func (d *List) halt() {
	d.bodies.stop()
	d.bodies.halted, d.top = true, false
	d.H.Complain("search stopped at " + d.bodies.part())
}

// search searches sessions for terms without a known result. Every change of the filter restarts
// it.
func (d *List) search(paths []string, terms []*lang.Filter) tea.Cmd {
	b := &d.bodies
	if d.H.Opts.Store == nil || len(paths) == 0 || len(terms) == 0 {
		return nil
	}
	b.stop()
	ctx, cancel := context.WithCancel(d.H.Opts.BaseContext())
	b.cancel, b.running, b.again, b.done, b.all, b.err = cancel, true, false, 0, len(paths), nil
	more := make(chan bodyMsg)
	go searchSessions(ctx, d.H.Opts.Store, paths, terms, bodyMsg{list: d, gen: b.gen, more: more})
	return receive(ctx, more)
}

// reportEvery is how long results are collected before they are reported.
const reportEvery = 30 * time.Millisecond

// searchSessions reports its results in batches.
func searchSessions(ctx context.Context, lib screen.Store, paths []string, terms []*lang.Filter, msg bodyMsg) {
	names := make([]string, len(terms))
	for i, t := range terms {
		names[i] = t.String()
	}
	began := time.Now()
	msg.hits = map[bodyKey]transcripts.Hit{}
	report := func() {
		select {
		case msg.more <- msg:
		case <-ctx.Done():
		}
		msg.hits, msg.err = map[bodyKey]transcripts.Hit{}, nil
		began = time.Now()
	}
	lib.Search(ctx, paths, terms, func(r transcripts.Found) {
		msg.done++
		if r.Err != nil {
			msg.err = fmt.Errorf("%s: %w", r.Path, r.Err)
		}
		for i, name := range names {
			hit := transcripts.Hit{}
			if i < len(r.Hits) {
				hit = r.Hits[i]
			}
			msg.hits[bodyKey{r.Path, name}] = hit
		}
		if time.Since(began) > reportEvery {
			report()
		}
	})
	msg.end = true
	report()
}

// searched stores results.
func (d *List) searched(m bodyMsg) tea.Cmd {
	b := &d.bodies
	if m.gen != b.gen {
		return nil
	}
	if b.known == nil {
		b.known = map[bodyKey]transcripts.Hit{}
	}
	maps.Copy(b.known, m.hits)
	b.done = m.done
	if m.err != nil {
		b.err = m.err
	}
	if m.end {
		b.running = false
		if b.err != nil {
			d.H.Complain("not all could be searched: " + paint.OneLine(b.err.Error()))
		}
		if b.again { // sessions were added or changed
			return d.Narrow()
		}
	}
	_, sorting := d.sift(d.kept())
	if m.end {
		d.top = false
		return sorting
	}
	return tea.Batch(sorting, receive(d.H.Opts.BaseContext(), m.more))
}

// hitOf returns the first line that matches the search or the filter in the session of a row, and
// the search that finds it there.
func (d *List) hitOf(row int) (hit transcripts.Hit, search string, ok bool) {
	if d.bodies.known == nil || row < 0 || row >= len(d.Shown) {
		return hit, "", false
	}
	s := &d.All[d.Shown[row]]
	if row >= d.look.titles && d.look.term != nil {
		hit, ok = d.bodies.known[bodyKey{s.Path, d.look.name}]
		for t := range d.look.term.Terms {
			return hit, searchOf(t), ok // the first is the typed one
		}
	}
	if d.parsed.Empty() {
		return hit, "", false
	}
	for t, negated := range d.parsed.Terms {
		if negated || session.Answers(t) && t.Key != lang.KeyAny {
			continue
		}
		if hit, ok = d.bodies.known[bodyKey{s.Path, t.Filter().String()}]; ok && hit.Found && hit.Line != "" {
			return hit, searchOf(t), true
		}
	}
	return transcripts.Hit{}, "", false
}

// searchOf returns the search for the text of a term.
func searchOf(t *lang.Term) string {
	v := &t.Values[0]
	if v.Form == lang.FormRegex {
		return "/" + v.Text + "/" + v.Flags
	}
	return v.Text
}
