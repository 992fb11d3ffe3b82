package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"syscall"

	"turns/model"
	"turns/query"
	"turns/query/describe"
	"turns/ui/cli/console"
	"turns/ui/transcripts"
)

// followText prints a session and then each new row as it is written, like tail -f. It ends when
// its reader does, or at an interrupt.
func (a *app) followText(ctx context.Context, arg string) error {
	if a.out != "" && a.out != "-" {
		return hinted{errors.New("-f prints without end, so it cannot write a file with -o"), "turns -f FILE --plain > out.txt"}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer console.OnReaderGone(a.Out, func() { cancel(syscall.EPIPE) })()
	a.goesOn()
	folder := transcripts.IsFolder(ctx, arg)
	dir := transcripts.DirOf(arg)
	if folder {
		dir = arg
	}
	lib, err := a.library(dir)
	if err != nil {
		return err
	}
	defer lib.Close()
	var feed transcripts.Feed
	if folder {
		feed, err = lib.Follow(ctx, nil)
		if err == nil && feed == nil {
			err = noneToFollow(arg)
		}
	} else {
		feed, err = lib.Watch(ctx, arg)
	}
	for err == nil {
		t := &tail{app: a, seen: map[model.ID]int{}, done: map[model.CallID]bool{}}
		var newer string
		if newer, err = t.run(ctx, feed); newer != "" {
			feed, err = lib.WatchNewest(ctx, newer)
		}
	}
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, syscall.EPIPE):
		return nil
	case errors.Is(err, io.EOF):
		return nil
	}
	return err
}

// noneToFollow reports a folder without a transcript. The list waits for the first one.
func noneToFollow(dir string) error {
	return hinted{fmt.Errorf("no transcript in %q", dir), "turns ls -f " + dir + " waits for the first one"}
}

// settled is the number of last messages that may still get rows: an agent may write a message in
// several records. Earlier ones are printed once.
const settled = 64

// tail prints the new rows of a session.
type tail struct {
	app      *app
	begun    bool
	seen     map[model.ID]int // printed rows of each message, or parts in JSON
	done     map[model.CallID]bool
	day      string // of the last row
	reported string // last reported error
}

// run prints until a newer session of the followed folder begins.
func (t *tail) run(ctx context.Context, feed transcripts.Feed) (newer string, err error) {
	path := ""
	for {
		s, err := feed.Next(ctx)
		if err != nil {
			return "", err
		}
		path = cmp.Or(path, s.Path)
		if s.Err != nil && s.Err.Error() != t.reported {
			t.reported = s.Err.Error()
			t.app.complain(s.Err)
		}
		if s.Event.String() != "" { // the file was replaced
			clear(t.seen)
			clear(t.done)
		}
		if s.Snap != nil && !s.Preview && s.Indexed >= 1 {
			if err := t.print(ctx, s.Snap); err != nil {
				return "", err
			}
		}
		if s.Newer != "" && s.Newer != path {
			fmt.Fprintf(t.app.Err, "turns: a newer session: %s\n", model.CleanLine(s.Newer))
			return s.Newer, nil
		}
	}
}

// print prints the rows not printed before. --first, --last and --slice apply only to the rows at
// the start.
func (t *tail) print(ctx context.Context, snap *model.Snapshot) error {
	res, err := t.app.choose(ctx, snap)
	if err != nil {
		return err
	}
	if !t.begun {
		t.app.first.given, t.app.last.given, t.app.slice = false, false, ""
		all, err := t.app.choose(ctx, snap)
		if err != nil {
			return err
		}
		for _, id := range all.IDs {
			t.seen[id] = 0
		}
		for _, id := range res.IDs {
			delete(t.seen, id)
		}
		for id := range t.seen {
			t.seen[id] = maxInt // excluded by the flags
		}
		t.begun = true
	}
	ids := res.IDs
	if n := len(ids) - settled; n > 0 {
		old := ids[:n]
		ids = nil
		for _, id := range old {
			if _, printed := t.seen[id]; !printed {
				ids = append(ids, id)
			}
		}
		ids = append(ids, res.IDs[n:]...)
	}
	if t.app.json {
		return t.messages(ctx, res, ids)
	}
	return t.rows(ctx, res, ids)
}

const maxInt = int(^uint(0) >> 1)

// messages prints entire messages as JSON lines. It prints a message that grew again.
func (t *tail) messages(ctx context.Context, res describe.View, ids []model.ID) error {
	var fresh []model.ID
	for _, id := range ids {
		m, err := res.Snap.Body(ctx, id)
		if err != nil {
			return err
		}
		if n, printed := t.seen[id]; !printed || len(m.Blocks) > n {
			t.seen[id] = len(m.Blocks)
			fresh = append(fresh, id)
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	return t.app.exportResult(ctx, describe.NewView(query.Selection{Snap: res.Snap, IDs: fresh}, nil), "jsonl")
}

// rows prints rows, and prints a call again once it has its result.
func (t *tail) rows(ctx context.Context, res describe.View, ids []model.ID) error {
	here, err := t.app.here(ctx, res.Snap)
	if err != nil {
		return err
	}
	return t.app.write(func(w io.Writer) error {
		l := lister{labels: here, w: w, res: res, read: query.NewPairs(res.Snap), zone: t.app.zone(), day: t.day}
		l.describers = make(map[uint32]describe.Describer)
		l.in, l.past, l.done = make([]bool, res.Snap.Rows()), t.seen, t.done
		for _, id := range ids {
			if err := l.message(ctx, id); err != nil {
				return err
			}
		}
		t.day = l.day
		return nil
	})
}
