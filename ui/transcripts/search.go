package transcripts

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"turns/model"
	"turns/model/load"
	"turns/query"
	"turns/query/describe"
	"turns/query/filter"
	"turns/query/lang"
)

// Hit is the result of a filter in a session: whether a message matches, and the matching line.
type Hit struct {
	Found  bool
	Line   string
	Ranges [][2]int // byte ranges of Line
	Index  int      // of the message in its conversation
	By     string   // author of the line: user, agent, call, result, system, summary
}

// Found has the results of some filters in a session, or the error.
type Found struct {
	Path string
	Hits []Hit // shorter if not all filters were tried
	Err  error
}

// searchAtOnce is how many transcripts the session list searches at a time.
const searchAtOnce = 4

// asked is a transcript to search, and the part of it.
type asked struct {
	file  string
	paths []string // of its conversations, or of the complete file
	parts []*int   // their numbers; nil: the complete file
}

// askedFiles groups the conversations of one transcript, which is opened once for all of them.
// Filters that count messages or turns need a separate group for each.
func askedFiles(paths []string, filters []*lang.Filter) []*asked {
	counting := slices.ContainsFunc(filters, func(f *lang.Filter) bool {
		return f.Uses(lang.KeyIndex) || f.Uses(lang.KeyTurn) || f.Uses(lang.KeyStep)
	})
	var files []*asked
	byFile := make(map[string]*asked)
	for _, path := range paths {
		file, part := PartOf(path)
		q := byFile[file]
		if q == nil || counting {
			q = &asked{file: file}
			byFile[file], files = q, append(files, q)
		}
		q.paths, q.parts = append(q.paths, path), append(q.parts, part)
	}
	return files
}

// Search searches transcripts, or single conversations of files, for the first message that matches
// each of the filters. It searches several files at a time, in the order of their first mention,
// and calls found with each result. It leaves out those not reached before ctx ended.
func (l *Store) Search(ctx context.Context, paths []string, filters []*lang.Filter, found func(Found)) {
	o := l.asking(filter.Literals(filters))
	jobs, results := make(chan *asked), make(chan Found)
	var workers sync.WaitGroup
	for range min(atOnce(paths), max(searchAtOnce, farAtOnce(paths))) {
		workers.Go(func() {
			for q := range jobs {
				l.searchFile(ctx, q, filters, o, results)
			}
		})
	}
	go func() {
		defer close(results)
		defer workers.Wait()
		defer close(jobs)
		for _, q := range askedFiles(paths, filters) {
			select {
			case jobs <- q:
			case <-ctx.Done():
				return
			}
		}
	}()
	for r := range results {
		found(r)
	}
}

// searchFile searches a transcript, or some of its conversations.
func (l *Store) searchFile(ctx context.Context, q *asked, filters []*lang.Filter, o asking, results chan<- Found) {
	report := func(hits [][]Hit, err error) {
		for i, path := range q.paths {
			r := Found{Path: path, Err: err}
			if i < len(hits) {
				r.Hits = hits[i]
			}
			results <- r
		}
	}
	if snap := l.parts.snapshot(q.file); snap != nil && !slices.Contains(q.parts, nil) {
		// it is open, so do not read it again
		report(firstMatches(ctx, snap, l.env(ctx, snap, q.file, time.Now(), filters...), q.parts, filters))
		return
	}
	c, snap, err := l.openToSearch(ctx, q, filters, o)
	if snap == nil {
		report(nil, err)
		return
	}
	defer c.Close()
	parts, path := q.parts, q.file
	if len(parts) == 1 {
		if parts[0] != nil {
			path = PartPath(path, *parts[0])
		}
		parts = []*int{nil} // it is all that was read
	}
	report(firstMatches(ctx, snap, l.env(ctx, snap, path, time.Now(), filters...), parts, filters))
}

// openToSearch reads a transcript, or only one conversation if no other is requested. It returns
// nil if the bytes show that no filter matches.
func (l *Store) openToSearch(ctx context.Context, q *asked, filters []*lang.Filter, o asking) (*load.Conversation, *model.Snapshot, error) {
	if o.skim.Misses(ctx, q.file) {
		return nil, nil, nil
	}
	opts := load.Options{Hints: o.hints, Format: l.o.Load.Format, Formats: l.o.Load.Formats, Header: l.o.Load.Header, Workers: 1, Limits: l.limits()}
	if len(q.parts) == 1 {
		opts.Session = q.parts[0]
	}
	c, err := load.Open(ctx, q.file, opts)
	if err != nil {
		return nil, nil, err
	}
	if lits := filter.Literals(filters); lits != nil && !c.Maybe(ctx, lits) {
		return nil, nil, c.Close()
	}
	snap, err := l.load(ctx, c)
	if snap == nil {
		c.Close()
	}
	return c, snap, err
}

// env returns the inputs of some filters other than the messages of a transcript.
func (l *Store) env(ctx context.Context, snap *model.Snapshot, path string, now time.Time, filters ...*lang.Filter) filter.Env {
	env := filter.Env{Now: now, Loc: l.zone(), Does: describe.Does}
	if slices.ContainsFunc(filters, filter.AsksLabels) {
		env.Labels, _ = l.o.Labels.Find(ctx, snap, path) // the caller reports an interruption
	}
	return env
}

// firstMatches returns for each of some conversations (nil means all of them together) the first
// match of each filter. It walks a file with many conversations only once.
func firstMatches(ctx context.Context, snap *model.Snapshot, env filter.Env, parts []*int, filters []*lang.Filter) ([][]Hit, error) {
	threads := snap.Threads()
	at := make(map[int]int, len(parts)) // indices in parts
	hits := make([][]Hit, len(parts))
	for i, n := range parts {
		hits[i] = make([]Hit, len(filters))
		if n != nil {
			at[*n] = i
		}
	}
	var unread error
	for i, f := range filters {
		first, left := make([]model.ID, len(parts)), len(parts)
		take := func(part int, id model.ID) {
			if !hits[part][i].Found {
				hits[part][i].Found, first[part] = true, id
				left--
			}
		}
		r, err := filter.Scan(ctx, query.Everything(snap), f, env, func(m filter.Match) bool {
			if part, ok := at[int(threads[snap.HeadRow(m.ID).Thread].Session)]; ok {
				take(part, m.ID)
			}
			for part, n := range parts {
				if n == nil {
					take(part, m.ID)
				}
			}
			return left > 0
		})
		if err != nil {
			return hits, err
		}
		unread = errors.Join(unread, r.Err)
		for part := range parts {
			h := &hits[part][i]
			if !h.Found {
				*h = searchFields(snap, parts[part], f)
				continue
			}
			h.matchingLine(ctx, snap, first[part], f)
			h.Index = indexIn(snap, parts[part], first[part])
		}
	}
	return hits, unread
}

// searchFields searches the recorded fields of conversations without messages.
func searchFields(snap *model.Snapshot, part *int, f *lang.Filter) (hit Hit) {
	var texts []query.RecordedText
	sessions := snap.Sessions()
	for i := range sessions {
		if s := &sessions[i]; s.Count == 0 && (part == nil || *part == i) {
			texts = append(texts, query.RecordedTexts(s)...)
		}
	}
	if len(texts) == 0 {
		return hit
	}
	if finder, err := filter.NewLineFinder(f); err == nil {
		h, ok := finder.Conversation(texts)
		hit.Found, hit.Index, hit.By = ok, -1, "summary"
		hit.Line, hit.Ranges, _, _ = h.Around(1 << 10)
	}
	return hit
}

// indexIn returns the number of a message in its conversation, as if only that were open.
func indexIn(snap *model.Snapshot, part *int, id model.ID) int {
	if part == nil {
		return snap.Pos(id)
	}
	threads, n := snap.Threads(), 0
	for _, other := range snap.LiveIDs()[:max(snap.Pos(id), 0)] {
		if int(threads[snap.HeadRow(other).Thread].Session) == *part {
			n++
		}
	}
	return n
}

// matchingLine sets the first line of a message, or of the results of its calls, that matches a
// filter.
func (h *Hit) matchingLine(ctx context.Context, snap *model.Snapshot, id model.ID, f *lang.Filter) {
	finder, err := filter.NewLineFinder(f)
	if err != nil || finder.Empty() {
		return
	}
	take := func(hit filter.Hit, by string) {
		h.Line, h.Ranges, _, _ = hit.Around(1 << 10)
		h.By = by
	}
	if hit, ok := finder.Conversation(query.RecordedOf(snap)[id]); ok {
		take(hit, "summary")
		return
	}
	ids := []model.ID{id}
	for _, c := range snap.Calls(id) {
		if c.Result != model.NoID {
			ids = append(ids, c.Result)
		}
	}
	for _, id := range ids {
		m, err := snap.Body(ctx, id)
		if err != nil || m == nil {
			continue
		}
		if hit, ok := finder.Message(m); ok {
			take(hit, writer(snap.Head(id).Role, &hit))
			return
		}
	}
}

// writers are the authors of the messages of a role.
var writers = map[model.Role]string{
	model.User: "user", model.Assistant: "agent", model.Tool: "result", model.System: "system", model.Developer: "system",
}

// writer returns one word for the author of a found line.
func writer(role model.Role, hit *filter.Hit) string {
	switch hit.Kind {
	case model.ToolCall:
		return "call"
	case model.ToolResult:
		return "result"
	}
	return writers[role]
}
