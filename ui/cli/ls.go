package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"turns/model"
	"turns/query/human"
	"turns/query/lang"
	"turns/query/session"
	"turns/ui/transcripts"
)

func (a *app) lsCommand() *cobra.Command {
	var f boardFlags
	cmd := &cobra.Command{
		Use: "ls [DIR…|FILE|URL]", Short: "List the transcripts of a folder or of this machine's agents, the conversations of a file, or the dialogs of a server",
		Example: "  turns ls\n  turns ls ~/.claude/projects --json\n  turns ls ~/.codex -q 'end:failed after:yesterday'\n" +
			"  turns ls -f --on waiting,error --notify   # who needs me\n" +
			"  turns ls eval.json          # a file of many: then turns show eval.json --session 3\n" +
			"  turns ls s3://bucket/runs; turns ls devbox:~/.claude/projects   # as any folder\n" +
			"  turns ls http://localhost:8000/api/dialogs   # each with the address that turns show opens",
		RunE: func(cmd *cobra.Command, args []string) error {
			filter, err := a.sessionsFilter()
			if err != nil {
				return err
			}
			if _, err := f.triggers(); err != nil {
				return err
			}
			return a.write(func(w io.Writer) error {
				switch {
				case f.follow:
					return a.follow(cmd.Context(), w, args, filter, &f)
				case f.status:
					return a.listStatus(cmd.Context(), w, args, filter)
				}
				return a.list(cmd.Context(), w, args, filter)
			})
		},
	}
	cmd.Flags().StringVarP(&a.filter, "filter", "q", "", "only those that match QUERY: project:, title:, agent:, model:, end:, after:, tokens:, is:error, words, or what their messages hold: tool:, text:, …")
	cmd.Flags().BoolVar(&a.json, "json", false, "print JSON, a transcript a line")
	cmd.Flags().BoolVar(&a.whole, "whole", false, "read long transcripts whole, for exact counts, instead of their ends")
	cmd.Flags().BoolVar(&a.utc, "utc", false, "times in UTC instead of the local zone")
	f.add(cmd)
	a.labelFlags(cmd)
	a.outputFlags(cmd)
	return cmd
}

// sessionsFilter is the filter of a list.
func (a *app) sessionsFilter() (*session.Filter, error) {
	f, err := lang.Parse(a.filter)
	if err != nil {
		return nil, located(err)
	}
	return session.NewFilter(f, lang.TimeRef{Now: time.Now(), Loc: a.zone()}), nil
}

func (a *app) list(ctx context.Context, w io.Writer, dirs []string, filter *session.Filter) error {
	if len(dirs) == 1 && transcripts.ListsDialogs(dirs[0]) {
		return a.listDialogs(ctx, w, dirs[0], filter)
	}
	if len(dirs) == 1 {
		if many, err := a.listParts(ctx, w, dirs[0], filter); many || err != nil {
			return err
		}
		if transcripts.IsAddress(dirs[0]) {
			return hinted{
				fmt.Errorf("list %q: it is an address with one conversation or none, and no list of dialogs", dirs[0]),
				"turns show URL shows a conversation; the dialogs of a server are listed at …/api/dialogs",
			}
		}
	}
	lib, err := a.library(dirs...)
	if err != nil {
		return err
	}
	list, err := lib.Sessions(ctx, a.whole || filter.Counts())
	if err != nil {
		return hintless(dirs, err)
	}
	a.complainEach(list.Unlisted)
	if len(list.Paths) == 0 && list.Unlisted == nil {
		return nothingIn(dirs)
	}
	p := a.progress("listing")
	defer p.done()
	if a.json && a.Terminal {
		p.w = nil // the rows themselves tell
	}
	done := 0
	list.Done = func() {
		done++
		p.set(int64(done), int64(len(list.Paths)))
	}
	out := newSessionRows(a, w)
	out.sorted = true
	if err := cmp.Or(out.all(lib.FilterSessions(ctx, list.Rows, filter), p), ctx.Err()); err != nil {
		return err
	}
	p.done()
	return out.end()
}

// nothingIn says where was looked.
func nothingIn(dirs []string) error {
	if len(dirs) == 0 {
		return hinted{errors.New("no agent has a transcript on this machine"), "turns ls DIR lists a folder; turns formats says where each agent keeps its own"}
	}
	return hinted{fmt.Errorf("no transcript in %q, nor in the folders below", strings.Join(dirs, ", ")), "turns formats lists what is recognised; turns ls lists those of this machine"}
}

// hintless adds what can be done where no folder was named and none is known.
func hintless(dirs []string, err error) error {
	if len(dirs) > 0 {
		return err
	}
	return hinted{err, "turns ls DIR lists a folder"}
}

// listDialogs lists the dialogs of a server, as its own list tells of them.
func (a *app) listDialogs(ctx context.Context, w io.Writer, address string, filter *session.Filter) error {
	lib, err := a.library()
	if err != nil {
		return err
	}
	dialogs, err := lib.Dialogs(ctx, address)
	if err != nil && len(dialogs) == 0 {
		return err
	}
	a.complainEach(err)
	rows := func(yield func(session.Session, error) bool) {
		for i := range dialogs {
			if !yield(dialogs[i], nil) {
				return
			}
		}
	}
	out := newSessionRows(a, w)
	out.sorted = true
	if err := out.all(lib.FilterSessions(ctx, rows, filter), &progress{}); err != nil {
		return err
	}
	return out.end()
}

// listParts lists the conversations of a file of many; many is false where the
// argument is a folder, or a file with one.
func (a *app) listParts(ctx context.Context, w io.Writer, arg string, filter *session.Filter) (many bool, err error) {
	if transcripts.IsFolder(ctx, arg) {
		return false, nil
	}
	c, snap, err := a.open(ctx, arg)
	if err != nil {
		return false, err
	}
	defer c.Close()
	lib, err := a.library()
	if err != nil {
		return false, err
	}
	parts := lib.Parts(ctx, arg, snap)
	if parts == nil {
		return false, nil
	}
	a.labels().Label(parts)
	out := newSessionRows(a, w)
	passed, judged := 0, 0
	for i := range parts {
		s := &parts[i]
		if s.Scored {
			judged++
		}
		if s.Passes() {
			passed++
		}
	}
	env, err := a.filterEnv(ctx, snap)
	if err != nil {
		return true, err
	}
	for s, err := range transcripts.FilterParts(ctx, snap, parts, filter, env) {
		if err == nil {
			err = out.add(&s)
		}
		if err != nil {
			return true, err
		}
	}
	if err := out.end(); err != nil || a.json {
		return true, err
	}
	line := human.Count(len(parts)) + " conversations"
	if out.shown < len(parts) {
		line = human.Count(out.shown) + " of " + line
	}
	if judged > 0 {
		line += fmt.Sprintf(", %d of %d passed", passed, judged)
	}
	_, err = fmt.Fprintln(w, line)
	return true, err
}

// sessionRows writes sessions as a table, or a line of JSON each.
type sessionRows struct {
	app    *app
	w      io.Writer
	shown  int
	sorted bool               // by when they were, not as they come
	found  []*session.Session // of a table, to be sorted by when they were
}

func newSessionRows(a *app, w io.Writer) *sessionRows { return &sessionRows{app: a, w: w} }

// cellsMost is how wide a cell is at most where no terminal shows it.
const cellsMost = 60

// add keeps s until the end, where it is for a table.
func (r *sessionRows) add(s *session.Session) error {
	r.shown++
	if r.app.json {
		if err := writeJSONLine(r.w, s); err != nil {
			return err
		}
		return flushed(r.w)
	}
	r.found = append(r.found, s)
	return nil
}

// end writes what is left.
// all adds rows as they come, and says what could not be read.
func (r *sessionRows) all(rows iter.Seq2[session.Session, error], p *progress) error {
	for s, err := range rows {
		if err != nil {
			p.done()
			r.app.complain(err)
		} else if err := r.add(&s); err != nil {
			return err
		}
	}
	return nil
}

func (r *sessionRows) end() error {
	if r.shown == 0 {
		return errNoMatch
	}
	if r.sorted {
		slices.SortStableFunc(r.found, func(a, b *session.Session) int { return b.When().Compare(a.When()) })
	}
	if err := r.app.page(r.w, r.print); err != nil {
		return err
	}
	return flushed(r.w)
}

// print writes the table. On a terminal it has a head, and columns for which there is no room are
// left out in the order in which the screen leaves them out.
func (r *sessionRows) print(p *human.Page) {
	cols := session.Columns(r.app.labels().Digest().Len() > 0, r.app.config().Columns...)
	view := session.View{Now: time.Now(), Zone: r.app.zone(), When: "2006-01-02 15:04"}
	heads := make([]string, 0, len(cols)+1)
	for _, c := range cols {
		side := ""
		switch {
		case c.Right && p.Columns > 0:
			side = ">"
		case c.Flex == 0:
			side = "="
		}
		heads = append(heads, side+strings.TrimSpace(c.Head)+strings.Repeat("?", c.Drop))
	}
	t := human.NewTable(append(heads, "<path")...)
	if p.Columns == 0 {
		t.Rows, t.Width = nil, nil
	}
	for _, s := range r.found {
		cells := make([]string, 0, len(heads))
		for _, c := range cols {
			cell := c.Cell(s, &view)
			text := cmp.Or(human.CutText(model.CleanLine(cell.Text+cell.More), p.Room(cellsMost)), "·")
			cells = append(cells, text)
		}
		t.Add(append(cells, model.CleanLine(s.Path))...)
	}
	t.Write(p)
}

// flushed sends what was written to w on its way.
func flushed(w io.Writer) error {
	if f, ok := w.(interface{ Flush() error }); ok {
		return f.Flush()
	}
	return nil
}
