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
	"turns/query/human"
	"turns/query/runs"
	"turns/ui/transcripts"
)

// errDiffer gives the exit code of diff; nothing is printed for it.
var errDiffer = fmt.Errorf("the runs differ: %w", errNoMatch)

func (a *app) diffCommand() *cobra.Command {
	by, as := "", ""
	cmd := &cobra.Command{
		Use: "diff A B…", Short: "Compare runs, or two folders of runs",
		Long: "Compare two runs, aligned by prompts, answers and calls, or two folders of runs, paired by task. More than two runs are\n" +
			"aligned with the first of them, as columns: the trials of a task.\n" +
			"On a terminal the comparison opens in the screen. Piped, or with --plain, --by, --as, --json or --output, it is printed, and the\n" +
			"exit code is 1 when they differ in what --by names, 0 when not.",
		Example: "  turns diff before.jsonl after.jsonl\n  turns diff runs/before runs/after --by outcomes\n  turns diff a.jsonl b.jsonl --by calls --json\n  turns diff a.jsonl b.jsonl --as markdown -o diff.md",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return hinted{fmt.Errorf("diff takes two runs or more"), "turns diff A B, where both are transcripts or both folders"}
			}
			return nil
		},
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := errors.Join(a.checkFlags(), a.checkColor()); err != nil {
			return err
		}
		switch as {
		case "", "text", "markdown":
		case "json":
			a.json = true
		default:
			return hinted{fmt.Errorf("no such form of the comparison: %q", as), "--as takes text, markdown or json"}
		}
		return a.diff(cmd, args, by, as)
	}
	cmd.Flags().StringVar(&by, "by", "", "differ means in `WHAT`: calls, text, outcomes, or several with commas (default all)")
	cmd.Flags().StringVar(&as, "as", "", "write `FORM`: text, markdown, json")
	a.selectionFlags(cmd)
	a.outputFlags(cmd)
	a.answerFlags(cmd)
	a.lookFlags(cmd)
	return cmd
}

// comparison is what both sorts of diff answer.
type comparison interface {
	human.Printer
	WriteJSON(context.Context, io.Writer) error
	Differs(by string) (bool, error)
}

func (a *app) diff(cmd *cobra.Command, names []string, by, as string) error {
	ctx := cmd.Context()
	a.chooseBy(cmd)
	x, y := names[0], names[1]
	dirs := transcripts.IsFolder(ctx, x)
	for _, name := range names[1:] {
		if dirs != transcripts.IsFolder(ctx, name) {
			return hinted{fmt.Errorf("comparing %q with %q: one of them is a folder", x, name), "give transcripts or two folders"}
		}
	}
	if dirs && len(names) > 2 {
		return hinted{fmt.Errorf("%d folders given, two are compared", len(names)), "turns stats FOLDER… puts the runs of many together"}
	}
	if len(names) == 2 && a.Terminal && !a.screen.plain && by == "" && as == "" && !a.json && a.out == "" && x != "-" && y != "-" {
		return a.showDiff(cmd, x, y, dirs)
	}
	answer, markdown, err := a.compared(cmd, names, dirs)
	if err != nil {
		return err
	}
	switch {
	case by != "":
	case dirs:
		by = "calls,outcomes"
	default:
		by = runs.DiffBy
	}
	differs, err := answer.Differs(by)
	if err != nil {
		return err
	}
	text := a.paged(answer.Print)
	if as == "markdown" {
		text = redacted(markdown)
	}
	err = a.writeAs(func(w io.Writer) error { return answer.WriteJSON(ctx, w) }, text)
	if err == nil && differs {
		return errDiffer
	}
	return err
}

// compared is the answer, and how it is written as Markdown.
func (a *app) compared(cmd *cobra.Command, names []string, dirs bool) (comparison, func(io.Writer) error, error) {
	if len(names) > 2 {
		d, err := a.diffMany(cmd, names)
		if err != nil {
			return nil, nil, err
		}
		return d, d.WriteMarkdown, nil
	}
	var two interface {
		comparison
		WriteMarkdown(w io.Writer, nameA, nameB string) error
	}
	var err error
	if dirs {
		two, err = a.diffDirs(cmd, names[0], names[1])
	} else {
		two, err = a.diffRuns(cmd, names[0], names[1])
	}
	if err != nil {
		return nil, nil, err
	}
	return two, func(w io.Writer) error { return two.WriteMarkdown(w, web.Shown(names[0]), web.Shown(names[1])) }, nil
}

// diffMany aligns more than two runs.
func (a *app) diffMany(cmd *cobra.Command, names []string) (*runs.ManyDiff, error) {
	var list []runs.DiffRun
	var shown []string
	for _, name := range names {
		c, run, err := a.diffRun(cmd, name)
		if err != nil {
			return nil, err
		}
		defer c.Close()
		list, shown = append(list, run), append(shown, web.Shown(name))
	}
	return runs.DiffMany(cmd.Context(), shown, list)
}

// diffRun opens a run to compare.
func (a *app) diffRun(cmd *cobra.Command, arg string) (*load.Conversation, runs.DiffRun, error) {
	ctx := cmd.Context()
	c, res, err := a.selected(ctx, cmd, arg)
	if err != nil {
		return nil, runs.DiffRun{}, err
	}
	run := runs.DiffRun{Selection: res.Selection}
	if run.Prices, err = a.prices(nil); err != nil {
		c.Close()
		return nil, run, err
	}
	if !a.noTokens {
		if run.Tokens, err = query.CountTokens(ctx, res.Selection, a.counter(res.Snap)); err != nil {
			c.Close()
			return nil, run, err
		}
	}
	return c, run, nil
}

func (a *app) diffRuns(cmd *cobra.Command, x, y string) (*runs.DiffAnswer, error) {
	c, left, err := a.diffRun(cmd, x)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	d, right, err := a.diffRun(cmd, y)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return runs.Diff(cmd.Context(), left, right)
}

func (a *app) diffDirs(cmd *cobra.Command, x, y string) (*runs.DirsAnswer, error) {
	a.screen.choose = nil
	a.chooseSome(cmd) // in workers
	left, err := a.runsOf(cmd.Context(), x)
	if err != nil {
		return nil, err
	}
	right, err := a.runsOf(cmd.Context(), y)
	if err != nil {
		return nil, err
	}
	return runs.DiffDirs(left, right), nil
}

// runsOf is what is known of each run of a folder.
func (a *app) runsOf(ctx context.Context, dir string) (list []runs.RunInfo, err error) {
	c, err := a.crowd(ctx, []string{dir})
	if err != nil {
		return nil, err
	}
	defer c.lib.Close()
	for got := range transcripts.Map(ctx, c.lib, c.paths, transcripts.Query[[]runs.RunInfo]{Ask: c.lib.RunInfos}) {
		if !asked(c, &got) {
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
	return list, c.endOf(ctx)
}

// showDiff opens the comparison in the screen.
func (a *app) showDiff(cmd *cobra.Command, x, y string, dirs bool) error {
	ctx := cmd.Context()
	if !dirs {
		// what cannot be opened is said before the screen begins
		for _, path := range [...]string{x, y} {
			c, err := a.openOnly(ctx, path, &progress{})
			if err != nil {
				return err
			}
			c.Close()
		}
	}
	a.screen.compare, a.screen.folders = [2]string{x, y}, dirs
	return a.listScreen(ctx, transcripts.DirOf(x))
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
