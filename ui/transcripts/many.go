package transcripts

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"strings"
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

// IsMany reports whether a name stands for several transcripts: a folder of them, or a pattern.
func IsMany(ctx context.Context, name string) bool {
	if _, err := remote.Stat(ctx, name); err != nil {
		_, part := PartOf(name)
		return part == nil && !direct(name) && strings.ContainsAny(name, "*?[")
	}
	return IsFolder(ctx, name)
}

// direct reports whether a name is a pipe or a web URL rather than a file.
func direct(name string) bool {
	return name == "-" || strings.Contains(name, "://") && !remote.Is(name)
}

// Transcripts returns the transcripts that the names of the store stand for: files, folders,
// patterns, single conversations of files, and URLs. The error joins the reasons for names or
// folders that it could not read.
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

// Loaded is a transcript that was read, with the selected part of it.
type Loaded struct {
	Path   string
	Conv   *load.Conversation
	Chosen query.Selection
	All    bool        // no part was excluded by choice
	Unread error       // why a part of it was unreadable
	before fs.FileInfo // of the file, from before the reading; nil if there is none
	moves  bool        // the session may continue in another transcript
}

// File returns the file's info from before the reading; nil if there is none.
func (t *Loaded) File() fs.FileInfo { return t.before }

// Answer is the answer to a question about a transcript.
type Answer[T any] struct {
	Path   string
	Answer T
	Unread error    // why a part of it was unreadable
	Err    error    // why there is no answer
	Failed bool     // it was readable, and Err is from the question
	None   bool     // not a transcript, or without the searched texts
	agents []string // transcripts of subagents read together with it
}

// Query is a question to ask about many transcripts.
type Query[T any] struct {
	Ask func(ctx context.Context, t *Loaded) (T, error)
	// returns a known answer about an unread transcript; nil: none is known
	Known func(path string) (answer Known[T], ok bool)
	// ask only transcripts that may contain one of these texts; nil: all
	Holding [][]byte
	Records bool // also ask files without a recognised conversation
}

// Known is an answer from an earlier read of a transcript.
type Known[T any] struct {
	Answer T
	Unread error // why a part of the transcript was unreadable
	Moves  bool  // the session may continue in another transcript
}

// Map opens transcripts, several at a time, asks the same question about each, and yields the
// answers in order. It skips other files in folders, unless they are named themselves. Transcripts
// not reached before ctx ended have no answer. If a session continues in a copy of its transcript,
// only the copy is asked, if it is among paths. If subagents count as part of their parent
// sessions, their transcripts are last, and those read with a parent have no answer: nothing counts
// twice.
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

// samePath returns a path that is equal for all names of a file.
func samePath(path string) string {
	if remote.Is(path) {
		return path
	}
	if whole, err := filepath.Abs(path); err == nil {
		return whole
	}
	return path
}

// asking is the shared state of one question to many transcripts.
type asking struct {
	hints *load.Hints
	skim  *load.Skim
	paths []string // all transcripts of the question
}

// repeats reports whether another transcript of the question repeats all of this one and continues
// it, and whether a transcript that does not exist yet may.
func (a *asking) repeats(path string) (repeated, maybe bool) {
	next, maybe := load.MovedTo(path)
	return next != "" && slices.ContainsFunc(a.paths, func(p string) bool {
		return filepath.Base(p) == filepath.Base(next) && samePath(p) == samePath(next)
	}), maybe
}

// asking prepares a question to those transcripts that may contain one of the texts; nil: all. It
// does not skim if the user chose a format or has own ones, which may read bytes differently.
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

// TotalsOptions select the sessions to sum, and how.
type TotalsOptions struct {
	Sessions *lang.Filter       // selects sessions, as in lists
	Prices   summary.PriceTable // nil: the store's
	Tokens   bool               // also count the tokens of the texts
}

// Totals sums the sessions of transcripts, several per file if it has several, in order.
func (l *Store) Totals(ctx context.Context, paths []string, o TotalsOptions) iter.Seq[Answer[[]*many.Run]] {
	s := l.summer(o)
	if s.o.Prices == nil && l.o.Prices != nil {
		s.o.Prices = l.o.Prices()
	}
	if o.Tokens || len(session.NewFilter(o.Sessions, lang.TimeRef{}).Unanswered()) > 0 {
		return Map(ctx, l, paths, Query[[]*many.Run]{Ask: s.runs})
	}
	return mapKept(ctx, l, paths, s.sums())
}

// sums returns the question for the sums of sessions.
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

// renew updates the changeable parts of a cached session. whole reports whether it is all of its
// transcript.
func (s *summer) renew(x *session.Session, whole bool) {
	x.Live, x.Labels, x.Verdict = whole && session.Live(&x.Summary, s.now), nil, ""
	labels := s.labels // a copy, because it has a cache
	labels.label(x)
}

func (l *Store) zone() *time.Location {
	if l.o.Zone == nil {
		return time.UTC
	}
	return l.o.Zone
}

// summer sums the sessions of one transcript after another.
type summer struct {
	l      *Store
	o      TotalsOptions
	now    time.Time
	wants  *session.Filter
	labels labeller // copied for each transcript
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

// some returns the sessions that the filter accepts by their data in lists.
func (s *summer) some(runs []*many.Run) []*many.Run {
	return slices.DeleteFunc(runs, func(r *many.Run) bool { return s.wants.Holds(&r.Session, nil) != session.Yes })
}

// each calls run for the wanted conversations of a transcript, with the selected part of each.
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
	s := summer{l: l, o: o, now: time.Now(), labels: newLabeller(l.o.Labels.Digest())}
	s.wants = session.NewFilter(o.Sessions, lang.TimeRef{Now: s.now, Loc: l.zone()})
	return &s
}

// Each calls run for the conversations of a transcript that a filter of sessions accepts, with the
// selected part of each.
func (l *Store) Each(ctx context.Context, t *Loaded, sessions *lang.Filter, run func(query.Selection, *session.Session) error) error {
	return l.summer(TotalsOptions{Sessions: sessions}).each(ctx, t, run)
}

// wanted reports whether the filter accepts a conversation. It searches the messages for terms that
// lists cannot decide.
func (s *summer) wanted(ctx context.Context, c *conversation) bool {
	verdict := s.wants.Holds(&c.Session, func(t *lang.Term, _ *session.Session) session.Verdict {
		found := session.No
		_, err := filter.Scan(ctx, c.whole, t.Filter(), s.l.env(ctx, c.whole.Snap, c.from, s.now, t.Filter()), func(filter.Match) bool {
			found = session.Yes
			return false
		})
		if err != nil {
			return session.No // as in lists
		}
		return found
	})
	return verdict == session.Yes
}

// Wanted reports whether a filter of sessions accepts a conversation of a transcript.
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
	query.Selection                 // the selected part
	whole           query.Selection // the complete conversation
	from            string          // the transcript
}

// conversations returns the conversations of a transcript, with the selected part of each.
func (s *summer) conversations(ctx context.Context, t *Loaded) []conversation {
	snap, labels := t.Chosen.Snap, s.labels
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
		labels.label(&list[i].Session)
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

// fileTime returns a file's time of writing in Unix milliseconds; 0 if unknown.
func fileTime(ctx context.Context, path string) int64 {
	info, err := remote.Stat(ctx, path)
	if err != nil {
		return 0
	}
	return info.ModTime().UnixMilli()
}

// ahead is the number of answers, per worker, that may wait for an earlier one.
const ahead = 8

// inOrder makes n results, several at a time, and yields them in order. Few of them wait for an
// earlier one, however many there are. It ends when ctx does.
func inOrder[T any](ctx context.Context, n, workers int, ask func(ctx context.Context, i int) T) iter.Seq2[int, T] {
	type job struct {
		i    int
		made chan T
	}
	return func(yield func(int, T) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		askers := slices.Repeat([]func(job){func(j job) { j.made <- ask(ctx, j.i) }}, min(workers, n))
		jobs := func(yield func(job) bool) {
			for i := 0; i < n && yield(job{i, make(chan T, 1)}); i++ {
			}
		}
		for j := range query.InOrder(ctx, askers, ahead*workers, jobs, func(job) {}) {
			select {
			case made := <-j.made:
				if !yield(j.i, made) {
					cancel() // the answers being made are not needed
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
}
