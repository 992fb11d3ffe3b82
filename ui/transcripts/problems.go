package transcripts

import (
	"context"
	"iter"

	"turns/query"
	"turns/query/many"
	"turns/query/session"
)

// Problems are the failures and the loops in the sessions of a transcript.
type Problems struct {
	Failures []many.Failure
	Loops    []many.Loop
}

// Problems finds the failures and the loops of transcripts, several at a time, in order.
func (l *Store) Problems(ctx context.Context, paths []string) iter.Seq[Answer[Problems]] {
	return Map(ctx, l, paths, Query[Problems]{Ask: func(ctx context.Context, t *Loaded) (found Problems, err error) {
		err = l.Each(ctx, t, nil, func(sel query.Selection, s *session.Session) error {
			failures, err := many.Failures(ctx, sel, s)
			if err != nil {
				return err
			}
			loops, err := many.Loops(ctx, sel, s.Path)
			found.Failures, found.Loops = append(found.Failures, failures...), append(found.Loops, loops...)
			return err
		})
		return found, err
	}})
}
