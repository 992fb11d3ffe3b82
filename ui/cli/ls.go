package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"turns/model"
	"turns/query/answer"
	"turns/query/describe"
	"turns/query/human"
	"turns/query/lang"
	"turns/query/session"
	"turns/ui/cli/help"
	"turns/ui/config"
	"turns/ui/transcripts"
)

// lsCommand lists sessions.
type lsCommand struct {
	app *app
	boardFlags
	exact bool   // reads long transcripts in full
	order string // name of a column
	below bool   // lists subagents below their sessions
	saved *config.View
}

func (a *app) lsCommand() *cobra.Command {
	c := &lsCommand{app: a}
	cmd := &cobra.Command{
		Use: "ls [DIR…|FILE|URL]", Short: "List sessions: of this machine, a folder, a file or a server",
		Long: "List the sessions on this machine, of a folder or of a server, the newest first. For a file with several conversations, ls lists those.\n\n" +
			"-f updates the list: on a terminal as a live screen, otherwise with a line for each change.",
		Example: "  turns ls\n  turns ls --since 7d --limit 20\n  turns ls ~/.codex --where 'end:failed' --json\n" +
			"  turns ls -f --on waiting,error --notify      # notify me when one needs me\n" +
			"  turns ls eval.json                           # then: turns show eval.json --session 3\n" +
			"  turns ls s3://bucket/runs\n  turns ls devbox:~/.claude/projects\n" +
			"  turns ls http://localhost:8000/api/dialogs",
		RunE: func(cmd *cobra.Command, args []string) error { return c.run(cmd.Context(), args) },
	}
	f := cmd.Flags()
	f.BoolVar(&c.exact, "exact", false, "Read long transcripts in full for exact counts, instead of their beginnings and ends")
	oneOf(f, &c.order, "sort", "", "Sort by `COLUMN`", session.ColumnNames)
	f.StringVar(&a.view, "view", "", "List with the filter, order and columns of the saved view `NAME`")
	f.BoolVar(&c.below, "subagents", false, "List the transcripts of subagents below their sessions, which otherwise count them")
	a.limitFlag(cmd, "Print the first `N` sessions")
	c.boardFlags.add(cmd)
	a.picks(cmd)
	under(cmd, help.SelectSessions, func(f *pflag.FlagSet) { f.StringVarP(&a.where, "query", "q", "", "") })
	hide(f, "query") // the former name of --where here
	a.readsAs(cmd)
	a.usesLabels(cmd)
	a.prints(cmd, textAndJSON...)
	return cmd
}

func (a *lsCommand) run(ctx context.Context, dirs []string) error {
	if err := a.takeView(); err != nil {
		return err
	}
	filter, err := a.filter()
	if err != nil {
		return err
	}
	if _, err := a.triggers(); err != nil {
		return err
	}
	return a.app.write(func(w io.Writer) error {
		switch {
		case a.boardFlags.follow:
			return a.app.watch(ctx, &a.boardFlags, w, dirs, filter)
		case a.status:
			return a.app.listStatus(ctx, w, dirs, filter)
		}
		return a.list(ctx, w, dirs, filter)
	})
}

// takeView applies a saved view; other flags narrow it further, and --sort has priority.
func (a *lsCommand) takeView() (err error) {
	if a.saved, err = a.app.savedView(true); a.saved == nil || err != nil {
		return err
	}
	if a.saved.Of != config.ViewOfList {
		return hinted{fmt.Errorf("the view %q is of a session", a.app.view), "turns FILE --view " + strconv.Quote(a.app.view)}
	}
	switch {
	case a.app.where == "":
		a.app.where = a.saved.Filter
	case a.saved.Filter != "":
		a.app.where = "(" + a.saved.Filter + ") (" + a.app.where + ")"
	}
	if slices.Contains(session.ColumnNames(), a.saved.Sort) {
		a.order = cmp.Or(a.order, a.saved.Sort)
	}
	return nil
}

// columns returns the columns of the view, otherwise of the configuration; none: all.
func (a *lsCommand) columns() []string {
	if a.saved != nil && len(a.saved.Columns) > 0 {
		known := session.ColumnNames()
		return slices.DeleteFunc(slices.Clone(a.saved.Columns), func(name string) bool { return !slices.Contains(known, name) })
	}
	return a.app.settings().Columns
}

// filter returns the filter of the flags.
func (a *lsCommand) filter() (*session.Filter, error) {
	f, err := a.app.wanted()
	if err != nil {
		return nil, err
	}
	return session.NewFilter(f, lang.TimeRef{Now: time.Now(), Loc: a.app.zone()}), nil
}

func (a *lsCommand) list(ctx context.Context, w io.Writer, dirs []string, filter *session.Filter) error {
	if len(dirs) == 1 && transcripts.ListsDialogs(dirs[0]) {
		return a.listDialogs(ctx, w, dirs[0], filter)
	}
	if len(dirs) == 1 {
		if many, err := a.listParts(ctx, w, dirs[0], filter); many || err != nil {
			return err
		}
		if transcripts.IsAddress(dirs[0]) {
			return hinted{
				fmt.Errorf("%q is not a list of dialogs", dirs[0]),
				"turns show URL shows a conversation; a server lists its dialogs at …/api/dialogs",
			}
		}
	}
	lib, err := a.app.library(dirs...)
	if err != nil {
		return err
	}
	list, err := lib.Sessions(ctx, a.exact || filter.Counts())
	if err != nil {
		return hintless(dirs, err)
	}
	a.app.complainEach(list.Unlisted)
	if len(list.Paths) == 0 && list.Unlisted == nil {
		return nothingIn(dirs)
	}
	p := a.app.progress("listing")
	defer p.done()
	if a.app.json && a.app.Terminal {
		p.w = nil // the rows themselves show it
	}
	done := 0
	list.Done = func() {
		done++
		p.set(int64(done), int64(len(list.Paths)))
	}
	out := a.newRows(w)
	out.sorted = true
	if err := cmp.Or(out.all(lib.FilterSessions(ctx, list.Rows, filter), p), ctx.Err()); err != nil {
		return err
	}
	p.done()
	if len(dirs) > 0 && a.app.where == "" && a.app.since == "" && a.app.until == "" {
		out.unread = list.Unread // not sessions, so a filter excludes them
	}
	defer out.reportUnread()
	return out.end()
}

// listDialogs lists the dialogs of a server.
func (a *lsCommand) listDialogs(ctx context.Context, w io.Writer, address string, filter *session.Filter) error {
	lib, err := a.app.library()
	if err != nil {
		return err
	}
	dialogs, err := lib.Dialogs(ctx, address)
	if err != nil && len(dialogs) == 0 {
		return err
	}
	a.app.complainEach(err)
	rows := func(yield func(session.Session, error) bool) {
		for i := range dialogs {
			if !yield(dialogs[i], nil) {
				return
			}
		}
	}
	out := a.newRows(w)
	out.sorted = true
	if err := out.all(lib.FilterSessions(ctx, rows, filter), &progress{}); err != nil {
		return err
	}
	return out.end()
}

// listParts lists the sessions of a file with several; many is false if the argument is a folder,
// or a file with one session.
func (a *lsCommand) listParts(ctx context.Context, w io.Writer, arg string, filter *session.Filter) (many bool, err error) {
	if transcripts.IsFolder(ctx, arg) {
		return false, nil
	}
	c, snap, err := a.app.open(ctx, arg)
	if err != nil {
		return false, err
	}
	defer c.Close()
	lib, err := a.app.library()
	if err != nil {
		return false, err
	}
	parts := lib.Parts(ctx, c, arg, snap)
	if parts == nil {
		return false, nil
	}
	a.app.labels().Label(parts)
	out := a.newRows(w)
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
	env, err := a.app.filterEnv(ctx, snap)
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
	if err := out.end(); err != nil || a.app.json {
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

// sessionRows writes sessions as a table, or as JSON, one per line.
type sessionRows struct {
	*lsCommand
	w      io.Writer
	shown  int
	sorted bool               // by time, unless --sort is set
	found  []*session.Session // sessions to write at the end
	unread []string           // files in folders without a recognised session
	agents map[string]string  // text about the subagents of a session, for its title, by path
}

func (a *lsCommand) newRows(w io.Writer) *sessionRows { return &sessionRows{lsCommand: a, w: w} }

// add writes a session as JSON, or stores it until the end, when all are sorted.
func (r *sessionRows) add(s *session.Session) error {
	r.shown++
	if r.lsCommand.app.json && r.order == "" && r.lsCommand.app.rows == 0 {
		if err := writeJSONLine(r.w, s.Row()); err != nil {
			return err
		}
		return flushed(r.w)
	}
	r.found = append(r.found, s)
	return nil
}

// all adds sessions as they arrive, and reports errors.
func (r *sessionRows) all(rows iter.Seq2[session.Session, error], p *progress) error {
	for s, err := range rows {
		if err != nil {
			p.done()
			r.lsCommand.app.complain(err)
		} else if err := r.add(&s); err != nil {
			return err
		}
	}
	return nil
}

// end writes the stored sessions.
func (r *sessionRows) end() error {
	if r.shown == 0 {
		return nothing("no sessions match")
	}
	r.sortRows()
	if !r.lsCommand.app.json {
		r.found, r.agents = families(r.found, r.below)
	}
	r.found = firstRows(r.app, r.found)
	if r.lsCommand.app.json {
		for _, s := range r.found {
			if err := writeJSONLine(r.w, s.Row()); err != nil {
				return err
			}
		}
		return flushed(r.w)
	}
	if err := r.lsCommand.app.draw(r.w, r.doc()); err != nil {
		return err
	}
	return flushed(r.w)
}

// unreadNamed is how many unrecognised files are named.
const unreadNamed = 3

// reportUnread reports the files without a recognised session.
func (r *sessionRows) reportUnread() {
	files := r.unread
	for _, s := range r.found {
		if s.Format == describe.RawFormat {
			files = append(files, s.Path)
		}
	}
	if len(files) == 0 {
		return
	}
	var names []string
	for _, f := range files[:min(unreadNamed, len(files))] {
		names = append(names, strconv.Quote(filepath.Base(f)))
	}
	if len(files) > unreadNamed {
		names = append(names, "…")
	}
	fmt.Fprintf(r.lsCommand.app.Err, "turns: no conversation was recognised in %s: %s\nturns: hint: turns show FILE prints the reason and the records\n",
		human.Plural(len(files), "file"), model.Clean(strings.Join(names, ", ")))
}

// sortRows sorts by the column of --sort like the screen: text ascending, all else descending.
func (r *sessionRows) sortRows() {
	if r.order == "" {
		if r.sorted {
			slices.SortStableFunc(r.found, func(a, b *session.Session) int { return b.When().Compare(a.When()) })
		}
		return
	}
	column := session.Columns(false, r.order)[0]
	slices.SortStableFunc(r.found, func(a, b *session.Session) int {
		if !column.Asc {
			a, b = b, a
		}
		return column.Order(session.Shown{Session: a}, session.Shown{Session: b})
	})
}

// doc describes the table. If there is no room, it omits the same columns as the screen.
func (r *sessionRows) doc() *answer.Doc {
	cols := session.Columns(r.lsCommand.app.labels().Digest().Len() > 0, r.columns()...)
	view := session.View{Now: time.Now(), Zone: r.lsCommand.app.zone(), Layout: "2006-01-02 15:04"}
	t := &answer.Table{Bare: true}
	for _, c := range cols {
		h := answer.Head{Name: strings.TrimSpace(c.Head), Kind: c.Kind, Drop: c.Drop}
		if c.Flex == 0 && c.Kind != answer.Number {
			h.Kind = answer.Word
		}
		t.Columns = append(t.Columns, h)
	}
	t.Columns = append(t.Columns, answer.Head{Name: "path", Kind: answer.Path})
	room := max(cellsMost, r.app.columns())
	for _, s := range r.found {
		cells := make([]string, 0, len(t.Columns))
		for _, c := range cols {
			cell := c.Cell(session.Shown{Session: s, View: &view})
			agents := ""
			if c.Name == "title" {
				agents = r.agents[s.Path]
			}
			cells = append(cells, cmp.Or(titleOf(cell.Text+cell.More, agents, room), human.Zero))
		}
		t.Add(append(cells, s.Path)...)
	}
	return answer.Alone(t)
}
