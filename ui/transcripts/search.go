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

// Hit is what a session has for a filter: whether a message matches, and the line
// that does.
type Hit struct {
	Found  bool
	Line   string
	Ranges [][2]int // byte ranges of Line
	Index  int      // of the message in its conversation
	By     string   // who wrote the line: user, agent, call, result, system, summary
}

// Found is what a session has for each of some filters, or why that cannot be told.
type Found struct {
	Path string
	Hits []Hit // shorter where not all filters were tried
	Err  error
}

// searchAtOnce is how many transcripts the session list looks into at a time.
const searchAtOnce = 4

// asked is a transcript that is searched, and what of it.
type asked struct {
	file  string
	paths []string // of its conversations, or of itself as a whole
	parts []*int   // their numbers; nil: the whole
}

// askedFiles puts the conversations of one transcript together: it is opened once
// for all of them. Filters that count messages or turns count them in each.
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

// Search looks in transcripts, or in conversations of files of many, for
// the first message that matches each of the filters: several files at a time, in
// the order in which they are first named, and tells found what each has. Those that it
// did not come to before ctx ended it leaves out.
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

// searchFile looks in a transcript, or in conversations of it.
func (l *Store) searchFile(ctx context.Context, q *asked, filters []*lang.Filter, o asking, results chan<- Found) {
	tell := func(hits [][]Hit, err error) {
		for i, path := range q.paths {
			r := Found{Path: path, Err: err}
			if i < len(hits) {
				r.Hits = hits[i]
			}
			results <- r
		}
	}
	if snap := l.parts.snapshot(q.file); snap != nil && !slices.Contains(q.parts, nil) {
		// it is open: nothing has to be read again
		tell(firstMatches(ctx, snap, l.env(ctx, snap, q.file, time.Now(), filters...), q.parts, filters))
		return
	}
	c, snap, err := l.openToSearch(ctx, q, filters, o)
	if snap == nil {
		tell(nil, err)
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
	tell(firstMatches(ctx, snap, l.env(ctx, snap, path, time.Now(), filters...), parts, filters))
}

// openToSearch reads a transcript, of which only one conversation where no other is
// asked for. It gives nil where its bytes show that no filter finds anything.
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

// env is what some filters ask beside the messages of a transcript.
func (l *Store) env(ctx context.Context, snap *model.Snapshot, path string, now time.Time, filters ...*lang.Filter) filter.Env {
	env := filter.Env{Now: now, Loc: l.zone(), Does: describe.Does}
	if slices.ContainsFunc(filters, filter.AsksLabels) {
		env.Labels, _ = l.o.Labels.Find(ctx, snap, path) // that it was stopped is said by who asks
	}
	return env
}

// firstMatches gives for each of some conversations, of which nil is all of them
// together, what each of the filters finds first. What has many is gone through
// once, not once for each.
func firstMatches(ctx context.Context, snap *model.Snapshot, env filter.Env, parts []*int, filters []*lang.Filter) ([][]Hit, error) {
	threads := snap.Threads()
	at := make(map[int]int, len(parts)) // places in parts
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
				*h = unsaid(snap, parts[part], f)
				continue
			}
			h.matchingLine(ctx, snap, first[part], f)
			h.Index = indexIn(snap, parts[part], first[part])
		}
	}
	return hits, unread
}

// unsaid looks in what is recorded of conversations without messages.
func unsaid(snap *model.Snapshot, part *int, f *lang.Filter) (hit Hit) {
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

// indexIn is the number of a message in its conversation, where only that is opened.
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

// matchingLine takes over the first line of a message, or of the results of its calls, that a
// filter asks for.
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

// writers are the people and programs that write the messages of a role.
var writers = map[model.Role]string{
	model.User: "user", model.Assistant: "agent", model.Tool: "result", model.System: "system", model.Developer: "system",
}

// writer says in one word who wrote a line that was found.
func writer(role model.Role, hit *filter.Hit) string {
	switch hit.Kind {
	case model.ToolCall:
		return "call"
	case model.ToolResult:
		return "result"
	}
	return writers[role]
}
