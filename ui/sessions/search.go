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

// bodySearch looks in the sessions for what a list cannot tell: texts, tools, anything about
// messages. What it found stays known while the list is open.
type bodySearch struct {
	gen     int
	cancel  context.CancelFunc
	known   map[bodyKey]transcripts.Hit
	running bool
	again   bool // there may be more to look into when it is done
	halted  bool // the reader stopped it: what is not known yet does not match
	done    int
	all     int
	err     error // of a session that could not be searched
}

// bodyKey is a term in a session.
type bodyKey struct{ path, term string }

// bodyMsg is what was found in some sessions.
type bodyMsg struct {
	list *List
	gen  int
	hits map[bodyKey]transcripts.Hit
	done int
	end  bool
	err  error
	more chan bodyMsg
}

// stop ends a search that runs.
func (b *bodySearch) stop() {
	b.gen++
	b.running = false
	if b.cancel != nil {
		b.cancel()
		b.cancel = nil
	}
}

// part is how much of the sessions was searched, as words.
func (b *bodySearch) part() string { return human.Percent(b.done, max(b.all, 1)) }

// halt stops the search for the reader.
func (d *List) halt() {
	d.bodies.stop()
	d.bodies.halted, d.top = true, false
	d.H.Complain("search stopped at " + d.bodies.part())
}

// search looks into sessions for terms that are not known of them yet. It begins anew with every
// change of the filter.
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

// tellEvery is how long what was found is gathered before it is told.
const tellEvery = 30 * time.Millisecond

// searchSessions tells what is found in batches.
func searchSessions(ctx context.Context, lib screen.Store, paths []string, terms []*lang.Filter, msg bodyMsg) {
	names := make([]string, len(terms))
	for i, t := range terms {
		names[i] = t.String()
	}
	began := time.Now()
	msg.hits = map[bodyKey]transcripts.Hit{}
	tell := func() {
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
		if time.Since(began) > tellEvery {
			tell()
		}
	})
	msg.end = true
	tell()
}

// searched takes what was found.
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
		if b.again { // sessions have come, or changed
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

// hitOf is the first line that / or the filter found in the session of a row, and the search that
// finds it there.
func (d *List) hitOf(row int) (hit transcripts.Hit, search string, ok bool) {
	if d.bodies.known == nil || row < 0 || row >= len(d.Shown) {
		return hit, "", false
	}
	s := &d.All[d.Shown[row]]
	if row >= d.look.titles && d.look.term != nil {
		hit, ok = d.bodies.known[bodyKey{s.Path, d.look.name}]
		for t := range d.look.term.Terms {
			return hit, searchOf(t), ok // the first is what was typed
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

// searchOf is the search that looks for the text of a term.
func searchOf(t *lang.Term) string {
	v := &t.Values[0]
	if v.Form == lang.FormRegex {
		return "/" + v.Text + "/" + v.Flags
	}
	return v.Text
}
