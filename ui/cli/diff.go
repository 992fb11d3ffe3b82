package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"turns/model/load"
	"turns/query"
)

// errDiffer gives the exit code of diff; nothing is printed for it.
var errDiffer = fmt.Errorf("the runs differ: %w", errNoMatch)

func (a *app) diffCommand() *cobra.Command {
	by := ""
	cmd := &cobra.Command{
		Use: "diff A B", Short: "Compare two runs, or two folders of runs",
		Long: "Compare two runs, aligned by prompts, answers and calls, or two folders of runs, paired by task.\n" +
			"The exit code is 1 when they differ in what --by names, 0 when not.",
		Example: "  turns diff before.jsonl after.jsonl\n  turns diff runs/before runs/after --by outcomes\n  turns diff a.jsonl b.jsonl --by calls --json",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return hinted{fmt.Errorf("diff takes two runs"), "turns diff A B, where both are transcripts or both folders"}
			}
			return nil
		},
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := a.checkFlags(); err != nil {
			return err
		}
		return a.diff(cmd, args[0], args[1], by)
	}
	cmd.Flags().StringVar(&by, "by", "", "differ means in `WHAT`: calls, text, outcomes, or several with commas (default all)")
	a.selectionFlags(cmd)
	a.outputFlags(cmd)
	a.answerFlags(cmd)
	return cmd
}

// comparison is what both sorts of diff answer.
type comparison interface {
	fmt.Stringer
	WriteJSON(context.Context, io.Writer) error
	Differs(by string) (bool, error)
}

func (a *app) diff(cmd *cobra.Command, x, y, by string) error {
	ctx := cmd.Context()
	dirs := isFolder(ctx, x)
	if dirs != isFolder(ctx, y) {
		return hinted{fmt.Errorf("comparing %q with %q: one of them is a folder", x, y), "give two transcripts or two folders"}
	}
	var answer comparison
	var err error
	if dirs {
		answer, err = a.diffDirs(cmd, x, y)
		if by == "" {
			by = "calls,outcomes"
		}
	} else {
		answer, err = a.diffRuns(cmd, x, y)
		if by == "" {
			by = strings.Join(query.DiffBy, ",")
		}
	}
	if err != nil {
		return err
	}
	differs, err := answer.Differs(by)
	if err != nil {
		return err
	}
	err = a.write(func(w io.Writer) error {
		if a.json {
			return answer.WriteJSON(ctx, w)
		}
		_, err := io.WriteString(w, answer.String())
		return err
	})
	if err == nil && differs {
		return errDiffer
	}
	return err
}

// diffRun opens a run to compare.
func (a *app) diffRun(cmd *cobra.Command, arg string) (*load.Conversation, query.DiffRun, error) {
	ctx := cmd.Context()
	c, res, err := a.selected(ctx, cmd, arg)
	if err != nil {
		return nil, query.DiffRun{}, err
	}
	run := query.DiffRun{Selection: res.Selection}
	if !a.noTokens {
		if run.Tokens, err = query.CountTokens(ctx, res.Selection, a.counter(res.Snap)); err != nil {
			c.Close()
			return nil, run, err
		}
	}
	return c, run, nil
}

func (a *app) diffRuns(cmd *cobra.Command, x, y string) (*query.DiffAnswer, error) {
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
	return query.Diff(cmd.Context(), left, right)
}

func (a *app) diffDirs(cmd *cobra.Command, x, y string) (*query.DirsAnswer, error) {
	left, err := a.runsOf(cmd, x)
	if err != nil {
		return nil, err
	}
	right, err := a.runsOf(cmd, y)
	if err != nil {
		return nil, err
	}
	return query.DiffDirs(left, right), nil
}

// runsOf is what is known of each run of a folder.
func (a *app) runsOf(cmd *cobra.Command, dir string) ([]query.RunInfo, error) {
	ctx := cmd.Context()
	var list []query.RunInfo
	for _, path := range load.Find([]string{dir}) {
		info, ok, err := a.runOf(cmd, path)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			a.complain(err)
			continue
		}
		if ok {
			if rel, err := filepath.Rel(dir, path); err == nil {
				info.Path = rel
			}
			list = append(list, info)
		}
	}
	return list, nil
}

func (a *app) runOf(cmd *cobra.Command, path string) (info query.RunInfo, ok bool, err error) {
	c, run, err := a.diffRun(cmd, path)
	if err != nil {
		return info, false, err
	}
	defer c.Close()
	if f, _ := c.Format(); f.Name == "records" || run.Len() == 0 {
		return info, false, nil // no transcript
	}
	info, err = query.NewRunInfo(cmd.Context(), path, run)
	return info, err == nil, err
}
