package transcripts

import (
	"context"
	"iter"
	"slices"
	"strings"

	"turns/query"
	"turns/query/lang"
	"turns/query/many"
	"turns/query/runs"
	"turns/query/session"
)

// PerSession is a question about each session of transcripts. Its answer is a list.
type PerSession[T any] struct {
	// Name is the folder of the answers in the cache; "" to cache no answers, because they depend
	// on more than the transcripts.
	Name string
	Ask  func(ctx context.Context, sel query.Selection, s *session.Session) ([]T, error)
	// Rename changes each path in an item that names the session.
	Rename func(item *T, rename func(path string) string)
}

// Failures returns the question for the failed calls of sessions, and for failed sessions.
func Failures() PerSession[many.Failure] {
	return PerSession[many.Failure]{
		Name: "failures", Ask: many.Failures,
		Rename: func(f *many.Failure, rename func(string) string) { f.Path = rename(f.Path) },
	}
}

// Loops returns the question for the loops in sessions.
func Loops() PerSession[many.Loop] {
	return PerSession[many.Loop]{
		Name: "loops",
		Ask: func(ctx context.Context, sel query.Selection, s *session.Session) ([]many.Loop, error) {
			return many.Loops(ctx, sel, s.Path)
		},
		Rename: func(l *many.Loop, rename func(string) string) { l.Path = rename(l.Path) },
	}
}

// found has the items of one session.
type found[T any] struct {
	Session session.Session
	Items   []T
}

// AskSessions asks about the sessions of transcripts that a filter accepts, several transcripts at
// a time, and returns the answers in order.
func AskSessions[T any](ctx context.Context, l *Store, paths []string, sessions *lang.Filter, q PerSession[T]) iter.Seq[Answer[[]T]] {
	each := func(ctx context.Context, t *Loaded, wanted *lang.Filter) (list []found[T], err error) {
		return list, l.Each(ctx, t, wanted, func(sel query.Selection, s *session.Session) error {
			items, err := q.Ask(ctx, sel, s)
			list = append(list, found[T]{*s, items})
			return err
		})
	}
	if q.Name == "" || len(session.NewFilter(sessions, lang.TimeRef{}).Unanswered()) > 0 {
		return items(Map(ctx, l, paths, Query[[]found[T]]{
			Ask: func(ctx context.Context, t *Loaded) ([]found[T], error) { return each(ctx, t, sessions) },
		}))
	}
	s := l.summer(TotalsOptions{Sessions: sessions})
	return items(mapKept(ctx, l, paths, Kept[[]found[T]]{
		Name: q.Name,
		Ask:  func(ctx context.Context, t *Loaded) ([]found[T], error) { return each(ctx, t, nil) },
		Move: func(list []found[T], from, to string) []found[T] {
			moved := make([]found[T], len(list))
			for i := range list {
				moved[i] = list[i].move(from, to, q.Rename)
				if to != "" {
					s.renew(&moved[i].Session, list[i].Session.Path == "")
				}
			}
			return moved
		},
		Show: func(list []found[T]) []found[T] {
			return slices.DeleteFunc(list, func(f found[T]) bool { return s.wants.Holds(&f.Session, nil) != session.Yes })
		},
	}))
}

// move returns a copy that names another transcript.
func (f *found[T]) move(from, to string, rename func(*T, func(string) string)) found[T] {
	path := func(path string) string { return to + strings.TrimPrefix(path, from) }
	moved := found[T]{f.Session, slices.Clone(f.Items)}
	moved.Session.Path = path(moved.Session.Path)
	for i := range moved.Items {
		rename(&moved.Items[i], path)
	}
	return moved
}

// items returns the answers without their sessions.
func items[T any](answers iter.Seq[Answer[[]found[T]]]) iter.Seq[Answer[[]T]] {
	return func(yield func(Answer[[]T]) bool) {
		for a := range answers {
			var list []T
			for _, f := range a.Answer {
				list = append(list, f.Items...)
			}
			if !yield(withAnswer(&a, list)) {
				return
			}
		}
	}
}

// withAnswer returns an Answer about the same transcript with another answer.
func withAnswer[T, U any](a *Answer[U], answer T) Answer[T] {
	return Answer[T]{Path: a.Path, Answer: answer, Unread: a.Unread, Err: a.Err, Failed: a.Failed, None: a.None, agents: a.agents}
}

// Problems are the failures and the loops in the sessions of a transcript.
type Problems struct {
	Failures []many.Failure
	Loops    []many.Loop
}

// Problems finds the failures and the loops of transcripts, several at a time, in order. It reads
// each transcript once for both.
func (l *Store) Problems(ctx context.Context, paths []string) iter.Seq[Answer[Problems]] {
	failures, loops := Failures(), Loops()
	both := AskSessions(ctx, l, paths, nil, PerSession[Problems]{
		Name: "problems",
		Ask: func(ctx context.Context, sel query.Selection, s *session.Session) ([]Problems, error) {
			failed, err := failures.Ask(ctx, sel, s)
			if err != nil {
				return nil, err
			}
			again, err := loops.Ask(ctx, sel, s)
			return []Problems{{failed, again}}, err
		},
		Rename: func(p *Problems, rename func(string) string) {
			p.Failures, p.Loops = slices.Clone(p.Failures), slices.Clone(p.Loops)
			for i := range p.Failures {
				failures.Rename(&p.Failures[i], rename)
			}
			for i := range p.Loops {
				loops.Rename(&p.Loops[i], rename)
			}
		},
	})
	return func(yield func(Answer[Problems]) bool) {
		for a := range both {
			var all Problems
			for _, p := range a.Answer {
				all.Failures, all.Loops = append(all.Failures, p.Failures...), append(all.Loops, p.Loops...)
			}
			if !yield(withAnswer(&a, all)) {
				return
			}
		}
	}
}

// Recap returns the memory of the sessions of transcripts that a filter accepts. It leaves out the
// conversation of a subagent, which belongs to its parent session, unless the transcript was named
// itself.
func (l *Store) Recap(ctx context.Context, paths []string, sessions *lang.Filter) iter.Seq[Answer[[]runs.Conversation]] {
	own := func(list []runs.Conversation) []runs.Conversation {
		return slices.DeleteFunc(list, func(c runs.Conversation) bool { return c.Agent && !slices.Contains(l.o.Dirs, c.Source) })
	}
	ask := func(ctx context.Context, t *Loaded) ([]runs.Conversation, error) {
		return runs.Conversations(ctx, t.Path, t.Chosen.Snap, l.o.Zone)
	}
	if !sessions.Empty() {
		return Map(ctx, l, paths, Query[[]runs.Conversation]{Ask: func(ctx context.Context, t *Loaded) ([]runs.Conversation, error) {
			if !l.Wanted(ctx, t, sessions) {
				return nil, nil
			}
			list, err := ask(ctx, t)
			return own(list), err
		}})
	}
	return mapKept(ctx, l, paths, Kept[[]runs.Conversation]{
		Name: "recap", Rest: l.zone().String(), Ask: ask, Move: runs.MoveConversations, Show: own,
	})
}
