package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"
)

// counting makes exact what the list says of long sessions, of which it read the ends only. It goes on beside the list, the newest session first.
type counting struct {
	running   bool
	done, all int
}

// exactMsg are sessions that were read whole.
type exactMsg struct {
	list *sessions
	all  []SessionInfo
	done int
	end  bool
	more chan exactMsg
}

// exact begins to count what the list tells in part.
func (d *sessions) exact(ctx context.Context) tea.Cmd {
	count := d.h.opts.Count
	var paths []string
	for i := range d.all {
		if d.all[i].Partial {
			paths = append(paths, d.all[i].Path)
		}
	}
	if count == nil || len(paths) == 0 {
		return nil
	}
	d.counts = counting{running: true, all: len(paths)}
	more := make(chan exactMsg)
	tell := func(m exactMsg) {
		m.list, m.more = d, more
		select {
		case more <- m:
		case <-ctx.Done():
		}
	}
	go func() {
		count(ctx, paths, func(done int, some []SessionInfo) { tell(exactMsg{all: some, done: done}) })
		tell(exactMsg{end: true})
	}()
	return receive(ctx, more)
}

// counted takes what was counted. Rows stay where they are, and a search that runs goes on: it looks at all sessions of the filter once more when
// the counts are there.
func (d *sessions) counted(m exactMsg) tea.Cmd {
	for _, s := range m.all {
		if i, known := d.byPath[s.Path]; known {
			d.all[i] = s
		}
	}
	d.counts.done = m.done
	if m.end {
		d.counts.running = false
		return d.narrow()
	}
	_, sorting := d.sift(d.kept())
	return tea.Batch(sorting, receive(d.ctx, m.more))
}

// part is how much was counted, as words.
func (c *counting) part() string { return percent(c.done, max(c.all, 1)) }
