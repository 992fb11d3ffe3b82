package cli

import (
	"context"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"turns/query/answer"
	"turns/query/many"
	"turns/ui/transcripts"
)

func (a *app) loopsCommand() *cobra.Command {
	cmd := a.overMany("loops FILE|DIR…", "Find repeated tool calls (loops)",
		"  turns loops ~/.claude --since 7d\n  turns loops run.jsonl --json", a.loops)
	cmd.Long = "Find loops: three or more calls in a row with the same arguments, two alternating calls, " +
		"and retries of a failing call with other numbers."
	a.limitFlag(cmd, "Print the first `N` loops")
	return a.overManyFlags(cmd)
}

func (a *app) loops(ctx context.Context, names []string) error {
	c, err := a.crowd(ctx, names)
	if err != nil {
		return err
	}
	defer c.lib.Close()
	var loops []many.Loop
	askSessions(ctx, c, transcripts.Loops(), func(l *many.Loop) { loops = append(loops, *l) })
	if len(loops) == 0 && c.runs > 0 {
		return c.end(ctx, nothing("no loops found"))
	}
	loops = firstRows(a, loops)
	err = a.printAnswer(func() *answer.Doc { return many.LoopsDoc(loops) }, func(w io.Writer) error { return writeJSONLines(w, slices.Values(loops)) })
	return c.end(ctx, err)
}
