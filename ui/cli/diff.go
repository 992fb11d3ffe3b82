package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"turns/model"
	"turns/model/load"
	"turns/model/source/web"
	"turns/query"
	"turns/query/answer"
	"turns/query/runs"
	"turns/ui/cli/help"
	"turns/ui/transcripts"
)

// diffCommand compares sessions, or two folders of them.
type diffCommand struct {
	app   *app
	what  string // what counts as a difference, separated by commas; "": everything
	files bool   // print only the file changes of both sessions
}

func (a *app) diffCommand() *cobra.Command {
	c := &diffCommand{app: a}
	cmd := &cobra.Command{
		Use: "diff A B…", Short: "Compare sessions, or two folders of sessions",
		Long: "Compare two sessions, aligned by prompts, answers and tool calls, or two folders of sessions, paired by task. " +
			"With more than two sessions, such as trials of a task, all are aligned with the first, in columns.\n\n" +
			"On a terminal the comparison opens on the screen. With --plain, --compare, --to, --json or -o, and in a pipe, diff prints it.",
		Example: "  turns diff before.jsonl after.jsonl\n  turns diff runs/before runs/after --compare outcomes\n  turns diff a.jsonl b.jsonl --compare calls --json\n" +
			"  turns diff a.jsonl b.jsonl --to markdown -o diff.md",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return hinted{fmt.Errorf("diff needs two sessions or two folders"), "turns diff A B"}
			}
			return nil
		},
		RunE:        func(cmd *cobra.Command, args []string) error { return c.run(cmd.Context(), args) },
		Annotations: map[string]string{help.ExitOne: "The sessions differ in what --compare names."},
	}
	by := oneOf(cmd.Flags(), &c.what, "compare", "", "Count only differences in `WHAT`, several with commas", choices("calls", "text", "outcomes", "files"))
	by.many = true
	cmd.Flags().BoolVar(&c.files, "files", false, "Print only the changes of the two sessions to files")
	a.limitFlag(cmd, "Print at most `N` differences, or tasks of two folders")
	a.looks(cmd)
	a.selects(cmd)
	a.reads(cmd)
	a.prints(cmd, diffForms...)
	a.counts(cmd)
	return cmd
}

// comparison is an answer about two sessions, two folders or many sessions.
type comparison interface {
	WriteJSON(context.Context, io.Writer) error
	Differs(by string) (bool, error)
	Limit(n int)
}

func (a *diffCommand) run(ctx context.Context, names []string) error {
	a.app.Redact = a.app.Redact || a.app.to == "markdown"
	a.chooseBy()
	x, y := names[0], names[1]
	dirs := transcripts.IsFolder(ctx, x)
	for _, name := range names[1:] {
		if dirs != transcripts.IsFolder(ctx, name) {
			return hinted{fmt.Errorf("comparing %q with %q: one of them is a folder", x, name), "compare two transcripts or two folders"}
		}
	}
	if a.files && (dirs || len(names) > 2) {
		return hinted{errors.New("--files compares two sessions"), "turns diff A B --files"}
	}
	if dirs && len(names) > 2 {
		return hinted{fmt.Errorf("%d folders: diff compares two", len(names)), "turns stats FOLDER… adds up the sessions of many"}
	}
	if len(names) == 2 && a.app.Terminal && !a.app.plain && a.what == "" && !a.files && a.app.to == "" && !a.app.json && a.app.out == "" && x != "-" && y != "-" {
		return a.showDiff(ctx, x, y, dirs)
	}
	answer, doc, err := a.compared(ctx, names, dirs)
	if err != nil {
		return err
	}
	by := a.what
	switch {
	case by != "":
	case a.files:
		by = "files"
	case dirs:
		by = "calls,outcomes"
	default:
		by = runs.DiffBy
	}
	differs, err := answer.Differs(by)
	if err != nil {
		return err
	}
	if a.app.rows > 0 {
		answer.Limit(a.app.rows)
	}
	if d, ok := answer.(*runs.DiffAnswer); ok && a.files && a.app.to != "markdown" {
		doc = d.FilesDoc
	}
	err = a.app.printAnswer(doc, func(w io.Writer) error { return answer.WriteJSON(ctx, w) })
	if err == nil && differs {
		return no("")
	}
	return err
}

// compared returns the answer and a function that describes it.
func (a *diffCommand) compared(ctx context.Context, names []string, dirs bool) (comparison, func() *answer.Doc, error) {
	if len(names) > 2 {
		d, err := a.diffMany(ctx, names)
		if err != nil {
			return nil, nil, err
		}
		return d, d.Doc, nil
	}
	var two interface {
		comparison
		Doc(nameA, nameB string) *answer.Doc
	}
	var err error
	if dirs {
		two, err = a.diffDirs(ctx, names[0], names[1])
	} else {
		two, err = a.diffRuns(ctx, names[0], names[1])
	}
	if err != nil {
		return nil, nil, err
	}
	return two, func() *answer.Doc { return two.Doc(web.Shown(names[0]), web.Shown(names[1])) }, nil
}

// diffMany aligns more than two sessions.
func (a *diffCommand) diffMany(ctx context.Context, names []string) (*runs.ManyDiff, error) {
	var list []runs.DiffRun
	var shown []string
	for _, name := range names {
		c, run, err := a.diffRun(ctx, name)
		if err != nil {
			return nil, err
		}
		defer c.Close()
		list, shown = append(list, run), append(shown, web.Shown(name))
	}
	return runs.DiffMany(ctx, shown, list)
}

// diffRun opens a session for a comparison.
func (a *diffCommand) diffRun(ctx context.Context, arg string) (*load.Conversation, runs.DiffRun, error) {
	c, res, err := a.app.selected(ctx, arg)
	if err != nil {
		return nil, runs.DiffRun{}, err
	}
	run := runs.DiffRun{Selection: res.Selection}
	if run.Prices, err = a.app.prices(); err != nil {
		c.Close()
		return nil, run, err
	}
	if !a.app.noTokens {
		if run.Tokens, err = query.CountTokens(ctx, res.Selection, a.app.counter(res.Snap)); err != nil {
			c.Close()
			return nil, run, err
		}
	}
	return c, run, nil
}

func (a *diffCommand) diffRuns(ctx context.Context, x, y string) (*runs.DiffAnswer, error) {
	c, left, err := a.diffRun(ctx, x)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	d, right, err := a.diffRun(ctx, y)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return runs.Diff(ctx, left, right)
}

func (a *diffCommand) diffDirs(ctx context.Context, x, y string) (*runs.DirsAnswer, error) {
	a.app.chooses = nil
	a.app.chooseSome() // in the workers
	left, err := a.runsOf(ctx, x)
	if err != nil {
		return nil, err
	}
	right, err := a.runsOf(ctx, y)
	if err != nil {
		return nil, err
	}
	return runs.DiffDirs(left, right), nil
}

// runsOf describes each session of a folder.
func (a *diffCommand) runsOf(ctx context.Context, dir string) (list []runs.RunInfo, err error) {
	c, err := a.app.crowd(ctx, []string{dir})
	if err != nil {
		return nil, err
	}
	defer c.lib.Close()
	for got := range transcripts.Map(ctx, c.lib, c.paths, transcripts.Query[[]runs.RunInfo]{Ask: c.lib.RunInfos}) {
		if !took(c, &got) {
			continue
		}
		c.runs++
		for _, info := range got.Answer {
			if rel, err := filepath.Rel(dir, got.Path); err == nil {
				info.Path = rel
			}
			list = append(list, info)
		}
	}
	if err := c.end(ctx, nil); !isNothing(err) {
		return list, err
	}
	return list, nil
}

// showDiff opens the comparison on the screen.
func (a *diffCommand) showDiff(ctx context.Context, x, y string, dirs bool) error {
	if !dirs {
		// errors are printed before the screen starts
		for _, path := range [...]string{x, y} {
			c, err := a.app.openOnly(ctx, path, &progress{})
			if err != nil {
				return err
			}
			c.Close()
		}
	}
	a.app.compare, a.app.folders = [2]string{x, y}, dirs
	return a.app.listScreen(ctx, transcripts.DirOf(x))
}

// chooseBy applies the flags that select messages to each compared session.
func (a *diffCommand) chooseBy() {
	a.app.chooses = func(ctx context.Context, snap *model.Snapshot) (query.Selection, error) {
		res, err := a.app.quiet().choose(ctx, snap)
		return res.Selection, err
	}
}
