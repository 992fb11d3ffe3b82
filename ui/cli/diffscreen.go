package cli

import (
	"context"
	"errors"
	"path/filepath"
	"sync"

	"github.com/spf13/cobra"

	"turns/model"
	"turns/model/load"
	"turns/query"
	"turns/query/runs"
)

// showDiff opens the comparison in the screen.
func (a *app) showDiff(cmd *cobra.Command, x, y string, dirs bool) error {
	ctx := cmd.Context()
	if !dirs {
		for _, path := range [...]string{x, y} { // what cannot be opened is said before the screen begins
			c, err := a.openRun(ctx, path, nil)
			if err != nil {
				return err
			}
			c.Close()
		}
	}
	a.screen.compare, a.screen.folders = [2]string{x, y}, dirs
	return a.runScreen(ctx, nil, []string{filepath.Dir(x)})
}

// chooseBy lets the selection flags say what of each run is compared.
func (a *app) chooseBy(cmd *cobra.Command) {
	a.screen.choose = func(ctx context.Context, snap *model.Snapshot) (query.Selection, error) {
		res, err := a.quiet().choose(ctx, cmd, snap)
		return res.Selection, err
	}
}

// quiet is the app while the screen has the terminal: it prints nothing.
func (a *app) quiet() *app {
	b := *a
	b.ErrTerm = false
	return &b
}

func (a *app) openRun(ctx context.Context, path string, progress func(done, total int64)) (*load.Conversation, error) {
	header, err := parseHeaders(a.header)
	if err != nil {
		return nil, err
	}
	limits, err := a.limits(4 << 20)
	if err != nil {
		return nil, err
	}
	file, part := partOf(path)
	return a.openAs(ctx, file, load.Options{Session: part, Header: header, Agents: a.agents, Limits: limits, Progress: progress})
}

// comparedRuns reads the runs that the screen compares, and keeps them open as long as it may show their texts.
type comparedRuns struct {
	app  app
	mu   sync.Mutex
	open []*load.Conversation
}

// read reads a run and counts its tokens.
func (r *comparedRuns) read(ctx context.Context, path string, progress func(done, total int64)) (runs.DiffRun, error) {
	c, run, err := r.app.quiet().readRun(ctx, path, progress)
	if err != nil {
		return run, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open = append(r.open, c)
	return run, nil
}

func (r *comparedRuns) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.open {
		c.Close()
	}
	r.open = nil
}

func (a *app) readRun(ctx context.Context, path string, progress func(done, total int64)) (*load.Conversation, runs.DiffRun, error) {
	var run runs.DiffRun
	c, err := a.openRun(ctx, path, func(done, total int64) { progress(done, 2*total) })
	if err != nil {
		return nil, run, err
	}
	snap, err := c.Load(ctx)
	if snap == nil {
		c.Close()
		return nil, run, err
	}
	run.Selection, err = query.Everything(snap), nil
	if a.screen.choose != nil {
		run.Selection, err = a.screen.choose(ctx, snap)
	}
	if err == nil && !a.noTokens {
		counter := a.counter(snap)
		counter.Progress = func(done, total int64) { progress(total+done, 2*total) }
		run.Tokens, err = query.CountTokens(ctx, run.Selection, counter)
	}
	if err != nil {
		c.Close()
		return nil, run, err
	}
	return c, run, nil
}

// folder is what is known of each run of a folder. What is no transcript, or cannot be read, is left out.
func (r *comparedRuns) folder(ctx context.Context, dir string, progress func(done, total int64)) ([]runs.RunInfo, error) {
	a := r.app.quiet()
	paths := load.Find([]string{dir})
	var list []runs.RunInfo
	for i, path := range paths {
		infos, err := a.runInfos(ctx, path)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil {
			list = append(list, infos...)
		}
		progress(int64(i+1), int64(len(paths)))
	}
	if len(list) == 0 {
		return nil, errors.New("no transcript in " + dir)
	}
	return list, nil
}

// runInfos is what is known of the runs of a file; none where it is no transcript.
func (a *app) runInfos(ctx context.Context, path string) ([]runs.RunInfo, error) {
	c, run, err := a.readRun(ctx, path, func(int64, int64) {})
	if err != nil {
		return nil, err
	}
	defer c.Close()
	return infosOf(ctx, c, path, run)
}

func infosOf(ctx context.Context, c *load.Conversation, path string, run runs.DiffRun) ([]runs.RunInfo, error) {
	if f, _ := c.Format(); f.Name == "records" || run.Len() == 0 {
		return nil, nil
	}
	return runs.NewRunInfos(ctx, path, run)
}
