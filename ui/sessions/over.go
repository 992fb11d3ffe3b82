package sessions

import (
	"cmp"
	"context"
	"iter"
	"maps"

	tea "charm.land/bubbletea/v2"

	"turns/query/session"
	"turns/ui/screen"
	"turns/ui/transcripts"
)

// over is a table over a list with answers about its sessions. It caches the answer about each
// session until the session changes, and computes the others in the background.
type over[T any] struct {
	screen.Overlay
	list   *List
	known  map[string]known[T]
	job    *screen.Job[map[string]known[T]]
	left   int // number of unread sessions
	unread int // number of sessions that could not be read in full
	Table  screen.Table
}

// known is a cached answer about a session, valid until the session changes.
type known[T any] struct {
	written, bytes int64
	answer         T
	err            error
}

// atOnce is how many sessions are read between two updates of the screen.
const atOnce = 64

func newOver[T any](d *List) over[T] {
	return over[T]{Overlay: screen.Overlay{H: d.H}, list: d, known: map[string]known[T]{}}
}

// each calls take with the listed sessions and their answers, including outdated ones, and returns
// the sessions to read.
func (o *over[T]) each(take func(*session.Session, *T)) []*session.Session {
	var need []*session.Session
	o.unread = 0
	for _, row := range o.list.asked() {
		one, ok := o.known[row.Path]
		if !ok || one.written != row.Written || one.bytes != row.Bytes {
			need = append(need, row)
		}
		if one.err != nil {
			o.unread++
		}
		take(row, &one.answer)
	}
	o.left = len(need)
	return need
}

// read reads the first of some sessions in the background.
func (o *over[T]) read(rows []*session.Session, ask func(ctx context.Context, paths []string) iter.Seq[transcripts.Answer[T]]) tea.Cmd {
	if len(rows) == 0 || o.job != nil { // the end of the job reads them
		return nil
	}
	found := map[string]known[T]{}
	var paths []string
	for _, row := range rows[:min(len(rows), atOnce)] {
		found[row.Path] = known[T]{written: row.Written, bytes: row.Bytes}
		paths = append(paths, row.Path)
	}
	return screen.StartJob(o.list.H.Opts.BaseContext(), &o.job, func(ctx context.Context, _ func(done, total int64)) (map[string]known[T], error) {
		for got := range ask(ctx, paths) {
			one := found[got.Path]
			one.answer, one.err = got.Answer, cmp.Or(got.Err, got.Unread)
			found[got.Path] = one
		}
		return found, nil
	})
}

// take handles a report of the job; show redraws the answers.
func (o *over[T]) take(msg tea.Msg, show func() tea.Cmd) tea.Cmd {
	if m, ok := msg.(screen.SortedMsg); ok {
		o.Table.Sorted(m)
		return nil
	}
	done, cmd := o.job.Message(msg)
	if done == nil {
		return cmd
	}
	o.job = nil
	maps.Copy(o.known, done.Answer)
	return show()
}

// Close stops reading, and closes the table.
func (o *over[T]) Close() {
	o.job.Stop()
	o.job, o.list.over, o.Closed = nil, nil, true
}

// Wheel scrolls by n rows.
func (o *over[T]) Wheel(n int) { o.Table.Scroll(n) }

// List returns the list under the table.
func (o *over[T]) List() *List { return o.list }
