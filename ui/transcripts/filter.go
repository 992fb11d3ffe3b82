package transcripts

import (
	"context"
	"fmt"
	"iter"

	"turns/model"
	"turns/query/filter"
	"turns/query/lang"
	"turns/query/session"
)

// siftAtOnce is the number of sessions to collect before a search in them.
const siftAtOnce = 16

// FilterSessions yields the sessions of a list that a filter accepts, in order, with the errors in
// between. It searches the transcripts for terms that a list cannot decide. A session that could
// not be searched matches none of these, and its error is yielded.
func (l *Store) FilterSessions(ctx context.Context, rows iter.Seq2[session.Session, error], f *session.Filter) iter.Seq2[session.Session, error] {
	s := newSieve(f)
	s.search = func(paths []string, found func(Found)) { l.Search(ctx, paths, s.terms, found) }
	return s.sift(rows)
}

// FilterParts filters the conversations of a snapshot. env has the other inputs of filters.
func FilterParts(ctx context.Context, snap *model.Snapshot, rows []session.Session, f *session.Filter, env filter.Env) iter.Seq2[session.Session, error] {
	s := newSieve(f)
	s.search = func(paths []string, found func(Found)) {
		parts := make([]*int, len(paths))
		for i, path := range paths {
			_, parts[i] = PartOf(path)
		}
		hits, err := firstMatches(ctx, snap, env, parts, s.terms)
		for i, path := range paths {
			found(Found{path, hits[i], err})
		}
	}
	return s.sift(func(yield func(session.Session, error) bool) {
		for i := range rows {
			if !yield(rows[i], nil) {
				return
			}
		}
	})
}

func newSieve(f *session.Filter) *sieve {
	s := &sieve{filter: f}
	for _, t := range f.Unanswered() {
		s.terms = append(s.terms, t.Filter())
	}
	return s
}

func (s *sieve) sift(rows iter.Seq2[session.Session, error]) iter.Seq2[session.Session, error] {
	return func(yield func(session.Session, error) bool) {
		s.yield = yield
		for row, err := range rows {
			if err != nil {
				if !s.look() || !yield(row, err) {
					return
				}
				continue
			}
			v := s.filter.Holds(&row, unknown)
			s.waiting = append(s.waiting, row)
			s.verdicts = append(s.verdicts, v)
			if len(s.terms) > 0 && len(s.waiting) < siftAtOnce {
				continue
			}
			if !s.look() {
				return
			}
		}
		s.look()
	}
}

// sieve is a list during filtering.
type sieve struct {
	search   func(paths []string, found func(Found))
	filter   *session.Filter
	terms    []*lang.Filter // to search for
	waiting  []session.Session
	verdicts []session.Verdict // of the waiting sessions
	yield    func(session.Session, error) bool
}

func unknown(*lang.Term, *session.Session) session.Verdict { return session.Unsure }

// look searches the waiting sessions where necessary, and yields those that the filter accepts. It
// returns false if yield does.
func (s *sieve) look() bool {
	var paths []string
	for i := range s.waiting {
		if s.verdicts[i] == session.Unsure {
			paths = append(paths, s.waiting[i].Path)
		}
	}
	found := make(map[string]Found, len(paths))
	if len(paths) > 0 {
		s.search(paths, func(r Found) { found[r.Path] = r })
	}
	for i := range s.waiting {
		row := &s.waiting[i]
		r := found[row.Path]
		if r.Err != nil && !s.yield(session.Session{}, fmt.Errorf("searching %q: %w", row.Path, r.Err)) {
			return false
		}
		if s.verdicts[i] == session.Unsure {
			s.verdicts[i] = s.filter.Holds(row, s.resultsOf(&r))
		}
		if s.verdicts[i] == session.Yes && !s.yield(*row, nil) {
			return false
		}
	}
	s.waiting, s.verdicts = s.waiting[:0], s.verdicts[:0]
	return true
}

// resultsOf returns the search's results for the terms in a session.
func (s *sieve) resultsOf(r *Found) session.InMessages {
	return func(t *lang.Term, _ *session.Session) session.Verdict {
		name := t.Filter().String()
		for i, term := range s.terms {
			if term.String() == name && i < len(r.Hits) && r.Hits[i].Found {
				return session.Yes
			}
		}
		return session.No
	}
}
