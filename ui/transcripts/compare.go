package transcripts

import (
	"context"
	"time"

	"turns/model/load"
	"turns/query"
	"turns/query/runs"
)

// Run reads a complete transcript and counts its tokens, for comparison. Its texts stay readable
// until the store is closed.
func (l *Store) Run(ctx context.Context, path string, progress func(done, total int64)) (runs.DiffRun, error) {
	c, run, err := l.read(ctx, path, progress)
	if err == nil {
		l.keep(c)
	}
	return run, err
}

func (l *Store) read(ctx context.Context, path string, progress func(done, total int64)) (*load.Conversation, runs.DiffRun, error) {
	var run runs.DiffRun
	c, err := l.openPart(ctx, path, func(done, total int64) { progress(done, 2*total) })
	if err != nil {
		return nil, run, err
	}
	snap, err := l.load(ctx, c)
	if snap == nil {
		c.Close()
		return nil, run, err
	}
	sel := query.Everything(snap)
	if l.o.Choose != nil {
		if sel, err = l.o.Choose(ctx, snap); err != nil {
			c.Close()
			return nil, run, err
		}
	}
	run, err = l.compared(ctx, sel, func(done, total int64) { progress(total+done, 2*total) })
	if err != nil {
		c.Close()
		return nil, run, err
	}
	return c, run, nil
}

// Runs returns a description of each session in a folder. It skips other files and unreadable ones.
func (l *Store) Runs(ctx context.Context, dir string, progress func(done, total int64)) ([]runs.RunInfo, error) {
	paths, err := load.Find(ctx, []string{dir})
	if len(paths) == 0 && err != nil {
		return nil, err
	}
	var list []runs.RunInfo
	done := 0
	for a := range Map(ctx, l, paths, Query[[]runs.RunInfo]{Ask: l.RunInfos}) {
		list = append(list, a.Answer...)
		done++
		progress(int64(done), int64(len(paths)))
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case len(list) == 0:
		return nil, errNoTranscript(dir)
	}
	return list, nil
}

// RunInfos describes the sessions of a transcript, to pair them with others.
func (l *Store) RunInfos(ctx context.Context, t *Loaded) ([]runs.RunInfo, error) {
	run, err := l.compared(ctx, t.Chosen, nil)
	if err != nil || run.Len() == 0 {
		return nil, err
	}
	return runs.NewRunInfos(ctx, t.Path, run)
}

// compared returns a selection with the data for a comparison.
func (l *Store) compared(ctx context.Context, sel query.Selection, progress func(done, total int64)) (run runs.DiffRun, err error) {
	run.Selection = sel
	if l.o.Prices != nil {
		run.Prices = l.o.Prices()
	}
	if l.o.Counter != nil {
		counter := l.o.Counter(sel.Snap)
		counter.Progress = progress
		run.Tokens, err = query.CountTokens(ctx, sel, counter)
	}
	return run, err
}

// Threads returns the unfinished business in the transcripts of a transcript's folder. It counts
// that one as still running, and skips unreadable ones. Without a path it uses all transcripts of
// the store.
func (l *Store) Threads(ctx context.Context, path string, progress func(done, total int64)) (*runs.ContinuityAnswer, error) {
	o := runs.ContinuityOptions{Now: time.Now().UnixMilli(), Zone: l.o.Zone}
	var paths []string
	if path == "" {
		paths, _ = l.Transcripts(ctx) // skip unlistable folders
	} else {
		file, part := PartOf(path)
		if o.Source = file; part != nil {
			o.Session = *part
		}
		paths, _ = load.Find(ctx, []string{DirOf(file)})
	}
	var list []runs.Conversation
	done := 0
	for a := range l.Recap(ctx, paths, nil) {
		list = append(list, a.Answer...)
		done++
		progress(int64(done), int64(len(paths)))
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return runs.Continuity(list, o), nil
}
