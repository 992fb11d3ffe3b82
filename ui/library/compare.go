package library

import (
	"context"
	"slices"
	"time"

	"turns/model/load"
	"turns/query"
	"turns/query/runs"
)

// Run reads a transcript whole and counts its tokens, to be compared. Its texts stay
// readable until the library is closed.
func (l *Library) Run(ctx context.Context, path string, progress func(done, total int64)) (runs.DiffRun, error) {
	c, run, err := l.read(ctx, path, progress)
	if err == nil {
		l.keep(c)
	}
	return run, err
}

func (l *Library) read(ctx context.Context, path string, progress func(done, total int64)) (*load.Conversation, runs.DiffRun, error) {
	var run runs.DiffRun
	c, err := l.openPart(ctx, path, func(done, total int64) { progress(done, 2*total) })
	if err != nil {
		return nil, run, err
	}
	snap, err := c.Load(ctx)
	if snap == nil {
		c.Close()
		return nil, run, err
	}
	run.Selection, err = query.Everything(snap), nil
	if l.o.Prices != nil {
		run.Prices = l.o.Prices()
	}
	if l.o.Choose != nil {
		run.Selection, err = l.o.Choose(ctx, snap)
	}
	if err == nil && l.o.Counter != nil {
		counter := l.o.Counter(snap)
		counter.Progress = func(done, total int64) { progress(total+done, 2*total) }
		run.Tokens, err = query.CountTokens(ctx, run.Selection, counter)
	}
	if err != nil {
		c.Close()
		return nil, run, err
	}
	return c, run, nil
}

// Runs is what is known of each run of a folder. What is no transcript, or cannot be
// read, is left out.
func (l *Library) Runs(ctx context.Context, dir string, progress func(done, total int64)) ([]runs.RunInfo, error) {
	paths, err := load.Find(ctx, []string{dir})
	if len(paths) == 0 && err != nil {
		return nil, err
	}
	var list []runs.RunInfo
	for i, path := range paths {
		infos, err := l.runInfos(ctx, path)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil {
			list = append(list, infos...)
		}
		progress(int64(i+1), int64(len(paths)))
	}
	if len(list) == 0 {
		return nil, errNoTranscript(dir)
	}
	return list, nil
}

// runInfos is what is known of the runs of a file; none where it is no transcript.
func (l *Library) runInfos(ctx context.Context, path string) ([]runs.RunInfo, error) {
	c, run, err := l.read(ctx, path, func(int64, int64) {})
	if err != nil {
		return nil, err
	}
	defer c.Close()
	return RunInfos(ctx, c, path, run)
}

// RunInfos is what is known of the runs of a file that is open.
func RunInfos(ctx context.Context, c *load.Conversation, path string, run runs.DiffRun) ([]runs.RunInfo, error) {
	if f, _ := c.Format(); f.Name == "records" || run.Len() == 0 {
		return nil, nil
	}
	return runs.NewRunInfos(ctx, path, run)
}

// Threads says what the transcripts left open that lie in the folder of one. That
// one is going on; what cannot be read is left out. Without a path they are all of
// the library.
func (l *Library) Threads(ctx context.Context, path string, progress func(done, total int64)) (*runs.ContinuityAnswer, error) {
	o := runs.ContinuityOptions{Now: time.Now().UnixMilli(), Zone: l.o.Zone}
	var paths []string
	if path == "" {
		paths, _ = l.Transcripts(ctx) // what cannot be listed is left out
	} else {
		file, part := PartOf(path)
		if o.Source = file; part != nil {
			o.Session = *part
		}
		paths, _ = load.Find(ctx, []string{DirOf(file)})
	}
	var list []runs.Conversation
	for i, p := range paths {
		found, _ := l.Conversations(ctx, p, true, nil) // as far as it can be read
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		list = append(list, found...)
		progress(int64(i+1), int64(len(paths)))
	}
	return runs.Continuity(list, o), nil
}

// Conversations reads a transcript and keeps of it what continuity needs. Of one
// among others a subagent's belongs to the conversation that started it. Where a
// part could be read there is both a list and an error.
func (l *Library) Conversations(ctx context.Context, path string, among bool, progress func(done, total int64)) ([]runs.Conversation, error) {
	c, err := l.openPart(ctx, path, progress)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	snap, unread := c.Load(ctx)
	if snap == nil {
		return nil, unread
	}
	if f, _ := c.Format(); among && f.Name == "records" {
		return nil, nil // no transcript
	}
	list, err := runs.Conversations(ctx, path, snap, l.o.Zone)
	if among {
		list = slices.DeleteFunc(list, func(c runs.Conversation) bool { return c.Agent })
	}
	if err == nil {
		err = unread
	}
	return list, err
}
