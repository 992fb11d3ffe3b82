package transcripts

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"turns/model"
	"turns/model/load"
	"turns/model/source/remote"
	"turns/model/source/web"
	"turns/query"
	"turns/query/filter"
	"turns/query/lang"
	"turns/query/many"
	"turns/query/session"
	"turns/query/summary"
)

// IsMany reports whether a name stands for several transcripts: a folder of them, or
// a pattern.
func IsMany(ctx context.Context, name string) bool {
	if _, err := remote.Stat(ctx, name); err != nil {
		_, part := PartOf(name)
		return part == nil && !direct(name) && strings.ContainsAny(name, "*?[")
	}
	return IsFolder(ctx, name)
}

// direct reports whether a name is none of a file: a pipe or a URL of the web.
func direct(name string) bool {
	return name == "-" || strings.Contains(name, "://") && !remote.Is(name)
}

// Transcripts are those that the names of the store stand for: files, folders,
// patterns, conversations of files of many, and URLs. The error joins why some of
// them, or folders in them, could not be looked into.
func (l *Store) Transcripts(ctx context.Context) ([]string, error) {
	places := l.o.Dirs
	if len(places) == 0 {
		all, err := l.Places(ctx)
		if err != nil {
			return nil, err
		}
		paths, _ := load.Find(ctx, all) // not every agent is on this machine
		return paths, ctx.Err()
	}
	var paths []string
	var errs []error
	seen := map[string]bool{}
	for _, name := range places {
		found, err := []string{name}, error(nil)
		if _, part := PartOf(name); part == nil && !direct(name) {
			found, err = load.Find(ctx, []string{name})
		}
		if all, ok := err.(interface{ Unwrap() []error }); ok {
			errs = append(errs, all.Unwrap()...)
		}
		for _, p := range found {
			if !seen[p] {
				seen[p] = true
				paths = append(paths, p)
			}
		}
	}
	return paths, errors.Join(append(errs, ctx.Err())...)
}

// Loaded is a transcript that was read, with what of it is asked about.
type Loaded struct {
	Path   string
	Conv   *load.Conversation
	Chosen query.Selection
	All    bool        // nothing was left out by choice
	Unread error       // why a part of it could not be read
	before fs.FileInfo // of the file, before it was read; nil where there is none
	moves  bool        // the session may go on in another transcript
}

// File is what is known of the file before it was read; nil where there is none.
func (t *Loaded) File() fs.FileInfo { return t.before }

// Answer is what was answered about a transcript.
type Answer[T any] struct {
	Path   string
	Answer T
	Unread error    // why a part of it could not be read
	Err    error    // why there is no answer
	Failed bool     // it could be read, and Err is of the answer
	None   bool     // it is no transcript, or not one that may hold what is looked for
	agents []string // transcripts that were read with it
}

// Query is what many transcripts are asked.
type Query[T any] struct {
	Ask func(ctx context.Context, t *Loaded) (T, error)
	// what is known of one without reading it; nil: nothing
	Known func(path string) (answer Known[T], ok bool)
	// only those are asked that may hold one of these texts; nil: all
	Holding [][]byte
	Records bool // what is no conversation is asked, too
}

// Known is an answer about a transcript that was read before.
type Known[T any] struct {
	Answer T
	Unread error // why a part of the transcript could not be read
	Moves  bool  // the session may go on in another transcript
}

// Map opens transcripts, several at a time, asks each of them the same, and gives the
// answers in order. In a folder lies much that is no transcript, which is passed over
// unless it is named itself. What ctx ended has no answer. A session that goes on in a copy of its
// transcript has the answer of that, if it is asked too. Where subagents count as part of
// the runs that started them, those that were read so come last and have no answer of their
// own: nothing is counted twice.
func Map[T any](ctx context.Context, l *Store, paths []string, q Query[T]) iter.Seq[Answer[T]] {
	o := l.asking(q.Holding)
	o.paths = paths
	with := map[string]bool{}
	if l.o.Load.Agents {
		paths = slices.SortedStableFunc(slices.Values(paths), func(a, b string) int { return agentsLast(a) - agentsLast(b) })
	}
	return func(yield func(Answer[T]) bool) {
		for _, a := range inOrder(ctx, len(paths), atOnce(paths), func(ctx context.Context, i int) Answer[T] {
			return askOne(ctx, l, paths[i], o, &q)
		}) {
			if l.o.Load.Agents {
				for _, agent := range a.agents {
					with[samePath(agent)] = true
				}
				if with[samePath(a.Path)] {
					a = Answer[T]{Path: a.Path, None: true}
				}
			}
			if errors.Is(a.Err, context.Canceled) && ctx.Err() != nil || !yield(a) {
				return
			}
		}
	}
}

func agentsLast(path string) int {
	if load.MaybeAgent(path) {
		return 1
	}
	return 0
}

// samePath is a path by which a file is known however it was named.
func samePath(path string) string {
	if whole, err := wholePath(path); err == nil {
		return whole
	}
	return path
}

// asking is what those share that ask many transcripts.
type asking struct {
	hints *load.Hints
	skim  *load.Skim
	paths []string // all that are asked
}

// repeats reports whether another transcript that is asked repeats all of one and goes on, and
// whether one that is not there yet may.
func (a *asking) repeats(path string) (repeated, maybe bool) {
	next, maybe := load.MovedTo(path)
	return next != "" && slices.ContainsFunc(a.paths, func(p string) bool { return samePath(p) == samePath(next) }), maybe
}

// asking prepares to ask those that may hold one of the texts; nil: all. A format that
// was chosen, or is one of the user's own, may read bytes otherwise.
func (l *Store) asking(holding [][]byte) asking {
	a := asking{hints: &load.Hints{}}
	if l.o.Load.Format == "" && len(l.o.Load.Formats) == 0 {
		a.skim = load.NewSkim(holding)
	}
	return a
}

func askOne[T any](ctx context.Context, l *Store, path string, with asking, q *Query[T]) (a Answer[T]) {
	a.Path = path
	defer func() {
		if r := recover(); r != nil { // one damaged file must not end the answer
			a.Err = fmt.Errorf("reading %q: %v", path, r)
		}
		if a.Unread = UnreadAt(path, a.Unread); !a.Failed {
			a.Err = UnreadAt(path, a.Err)
		} else if a.Err != nil && !names(a.Err, path) {
			a.Err = fmt.Errorf("%q: %w", web.Shown(path), a.Err)
		}
	}()
	o := l.o.Load
	o.Workers, o.Limits, o.Hints = 1, l.limits(), with.hints
	file, part := PartOf(path)
	o.Session = part
	var known Known[T]
	found := q.Known != nil && part == nil
	if found {
		known, found = q.Known(file)
	}
	moves := false
	if part == nil && (!found || known.Moves) {
		if a.None, moves = with.repeats(file); a.None {
			return a
		}
	}
	if found {
		a.Answer, a.Unread = known.Answer, known.Unread
		return a
	}
	if a.None = with.skim.Misses(ctx, file); a.None {
		return a
	}
	before, _ := remote.Stat(ctx, file)
	c, err := load.Open(ctx, file, o)
	if err != nil {
		a.Err = err
		return a
	}
	defer c.Close()
	snap, err := l.load(ctx, c)
	if a.agents = c.Agents(); snap == nil {
		a.Err = err
		return a
	}
	if f, _ := c.Format(); f.Name == "records" && !q.Records && !slices.Contains(l.o.Dirs, path) {
		if a.Err = err; err == nil {
			a.Err = c.Misfit()
		}
		a.None = a.Err == nil
		return a
	}
	if a.Unread = err; err == nil {
		a.Unread = PartialReadError(snap)
	}
	t := &Loaded{Path: path, Conv: c, Chosen: query.Everything(snap), All: true, Unread: err, before: before, moves: moves}
	if l.o.Choose != nil {
		if t.Chosen, a.Err = l.o.Choose(ctx, snap); a.Err != nil {
			return a
		}
		t.All = false
	}
	a.Answer, a.Err = q.Ask(ctx, t)
	a.Failed = a.Err != nil
	return a
}

// TotalsOptions say which runs are summed, and how.
type TotalsOptions struct {
	Sessions *lang.Filter       // lets runs through, as in lists of sessions
	Prices   summary.PriceTable // nil: those of the store
	Tokens   bool               // count those of the texts, too
}

// Totals sums the runs of transcripts, several of a file of many, in order.
func (l *Store) Totals(ctx context.Context, paths []string, o TotalsOptions) iter.Seq[Answer[[]*many.Run]] {
	s := l.summer(o)
	if s.o.Prices == nil && l.o.Prices != nil {
		s.o.Prices = l.o.Prices()
	}
	if o.Tokens || len(session.NewFilter(o.Sessions, lang.TimeRef{}).Unanswered()) > 0 {
		return Map(ctx, l, paths, Query[[]*many.Run]{Ask: s.runs})
	}
	return MapKept(ctx, l, paths, s.sums())
}

// sums is the question for the sums of sessions.
func (s *summer) sums() Kept[[]*many.Run] {
	all := *s
	all.wants = session.NewFilter(nil, lang.TimeRef{})
	var rest strings.Builder
	for _, name := range slices.Sorted(maps.Keys(s.o.Prices)) {
		fmt.Fprintln(&rest, name, s.o.Prices[name])
	}
	return Kept[[]*many.Run]{
		Name: "sums", Rest: rest.String(), Ask: all.runs, Show: s.some,
		Move: func(runs []*many.Run, from, to string) []*many.Run {
			moved := make([]*many.Run, len(runs))
			for i, r := range runs {
				run := *r
				if run.Path = to + strings.TrimPrefix(r.Path, from); to != "" {
					s.renew(&run.Session, from == "" && r.Path == "")
				}
				moved[i] = &run
			}
			return moved
		},
	}
}

// renew sets what may have changed of a kept session. whole reports whether it is all of its
// transcript.
func (s *summer) renew(x *session.Session, whole bool) {
	x.Live, x.Labels, x.Verdict = whole && session.Live(&x.Summary, s.now), nil, ""
	said := s.said // a copy, because it remembers
	said.label(x)
}

func (l *Store) zone() *time.Location {
	if l.o.Zone == nil {
		return time.UTC
	}
	return l.o.Zone
}

// summer sums the runs of one transcript after another.
type summer struct {
	l     *Store
	o     TotalsOptions
	now   time.Time
	wants *session.Filter
	said  labeller // of a copy for each transcript
}

func (s *summer) runs(ctx context.Context, t *Loaded) ([]*many.Run, error) {
	snap := t.Chosen.Snap
	o := many.Options{Prices: s.o.Prices}
	if s.o.Tokens && s.l.o.Counter != nil {
		o.Counter = s.l.o.Counter(snap)
	}
	var list []*many.Run
	err := s.each(ctx, t, func(sel query.Selection, row *session.Session) error {
		run, err := many.NewRun(ctx, sel, *row, o)
		list = append(list, run)
		return err
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}

// some are the runs that the filter lets through, as far as lists know them.
func (s *summer) some(runs []*many.Run) []*many.Run {
	return slices.DeleteFunc(runs, func(r *many.Run) bool { return s.wants.Holds(&r.Session, nil) != session.Yes })
}

// each gives the conversations of a transcript that are wanted, with what was chosen
// of each.
func (s *summer) each(ctx context.Context, t *Loaded, run func(query.Selection, *session.Session) error) error {
	for _, part := range s.conversations(ctx, t) {
		if part.Len() == 0 && !t.All || !s.wanted(ctx, &part) {
			continue
		}
		if err := run(part.Selection, &part.Session); err != nil {
			return err
		}
	}
	return nil
}

func (l *Store) summer(o TotalsOptions) *summer {
	s := summer{l: l, o: o, now: time.Now(), said: newLabeller(l.o.Labels.Digest())}
	s.wants = session.NewFilter(o.Sessions, lang.TimeRef{Now: s.now, Loc: l.zone()})
	return &s
}

// Each gives the conversations of a transcript that a filter of sessions lets through,
// with what was chosen of each.
func (l *Store) Each(ctx context.Context, t *Loaded, sessions *lang.Filter, run func(query.Selection, *session.Session) error) error {
	return l.summer(TotalsOptions{Sessions: sessions}).each(ctx, t, run)
}

// wanted reports whether the filter lets a conversation through. What lists do not
// know of it is asked of its messages.
func (s *summer) wanted(ctx context.Context, c *conversation) bool {
	verdict := s.wants.Holds(&c.Session, func(t *lang.Term, _ *session.Session) session.Verdict {
		found := session.No
		_, err := filter.Scan(ctx, c.whole, t.Filter(), s.l.env(ctx, c.whole.Snap, c.from, s.now, t.Filter()), func(filter.Match) bool {
			found = session.Yes
			return false
		})
		if err != nil {
			return session.No // as lists have it
		}
		return found
	})
	return verdict == session.Yes
}

// Wanted reports whether a filter of sessions lets a conversation of a transcript
// through.
func (l *Store) Wanted(ctx context.Context, t *Loaded, sessions *lang.Filter) bool {
	if sessions.Empty() {
		return true
	}
	s := l.summer(TotalsOptions{Sessions: sessions})
	list := s.conversations(ctx, t)
	return slices.ContainsFunc(list, func(c conversation) bool { return s.wanted(ctx, &c) })
}

// conversation is one of a transcript.
type conversation struct {
	session.Session
	query.Selection                 // of what was chosen
	whole           query.Selection // all of it
	from            string          // the transcript
}

// conversations are those of a transcript, with what was chosen of each.
func (s *summer) conversations(ctx context.Context, t *Loaded) []conversation {
	snap, said := t.Chosen.Snap, s.said
	parts := load.Parts(ctx, snap)
	list := make([]conversation, len(parts))
	at := make(map[int]int, len(parts))
	written := fileTime(ctx, t.Conv.Path())
	for i := range parts {
		row := parts[i].Summary
		row.Path, row.Written = t.Path, written
		if len(parts) > 1 {
			row.Path = PartPath(t.Path, parts[i].Number)
		}
		none := query.Selection{Snap: snap}
		if len(parts) > 1 {
			none.Of = parts[i].Number + 1
		}
		list[i] = conversation{session.Of(row, s.now), none, none, t.Path}
		list[i].Live = list[i].Live && len(parts) == 1
		said.label(&list[i].Session)
		at[parts[i].Number] = i
	}
	if len(parts) == 1 && len(snap.Sessions()) == 1 {
		list[0].Selection, list[0].whole = t.Chosen, query.Everything(snap)
		return list
	}
	threads := snap.Threads()
	place := func(id model.ID) (int, bool) {
		i, ok := at[int(threads[snap.HeadRow(id).Thread].Session)]
		return i, ok
	}
	for _, id := range t.Chosen.IDs {
		if i, ok := place(id); ok {
			list[i].IDs = append(list[i].IDs, id)
		}
	}
	for _, id := range snap.LiveIDs() {
		if i, ok := place(id); ok {
			list[i].whole.IDs = append(list[i].whole.IDs, id)
		}
	}
	return list
}

// fileTime is when a file was last written, in Unix milliseconds; 0 where that is
// not known.
func fileTime(ctx context.Context, path string) int64 {
	info, err := remote.Stat(ctx, path)
	if err != nil {
		return 0
	}
	return info.ModTime().UnixMilli()
}

// ahead is how many answers may wait for an earlier one, for each worker.
const ahead = 8

// inOrder makes n things, several at a time, and gives them in order. Few of them
// wait for an earlier one, however many there are. It ends when ctx does.
func inOrder[T any](ctx context.Context, n, workers int, ask func(ctx context.Context, i int) T) iter.Seq2[int, T] {
	type job struct {
		i    int
		made chan T
	}
	return func(yield func(int, T) bool) {
		ctx, cancel := context.WithCancel(ctx)
		jobs, ordered := make(chan job, ahead*workers), make(chan job, ahead*workers)
		var wg sync.WaitGroup
		defer wg.Wait()
		defer cancel()
		for range min(workers, n) {
			wg.Go(func() {
				for j := range jobs {
					j.made <- ask(ctx, j.i)
				}
			})
		}
		wg.Go(func() {
			defer close(ordered)
			defer close(jobs)
			for i := range n {
				j := job{i, make(chan T, 1)}
				select {
				case jobs <- j:
				case <-ctx.Done():
					return
				}
				select {
				case ordered <- j:
				case <-ctx.Done():
					return
				}
			}
		})
		for j := range ordered {
			select {
			case made := <-j.made:
				if !yield(j.i, made) {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
}
