package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"turns/model/load"
	"turns/query/runs"
	"turns/ui/library"
)

func (a *app) threadsCommand() *cobra.Command {
	var now string
	var most int
	cmd := &cobra.Command{
		Use: "threads FILE|DIR…", Short: "Print what is open, the last conversation, today, and conversations by day",
		Example: "  turns threads ~/.claude/projects/app\n  turns threads run.jsonl --json",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			at, err := parseNow(now)
			if err != nil {
				return err
			}
			list, err := a.conversations(cmd.Context(), args)
			if err != nil {
				return err
			}
			answer := runs.Continuity(list, runs.ContinuityOptions{Now: at.UnixMilli(), Zone: a.zone(), Open: most})
			err = a.write(func(w io.Writer) error {
				if a.json {
					return answer.WriteJSON(cmd.Context(), w)
				}
				return a.page(w, answer.Print)
			})
			if err == nil && len(list) == 0 {
				return errNoMatch
			}
			return err
		},
	}
	f := cmd.Flags()
	f.StringVar(&now, "now", "", "take `TIME` (RFC 3339) for the present")
	f.IntVar(&most, "open", 0, "print at most `N` open threads")
	f.StringVar(&a.format, "format", "", "read as format `NAME` instead of detecting it")
	f.BoolVar(&a.utc, "utc", false, "times in UTC instead of the local zone")
	f.BoolVar(&a.json, "json", false, "print JSON")
	a.outputFlags(cmd)
	return cmd
}

// conversations reads transcripts one after another and keeps of each what
// continuity needs.
func (a *app) conversations(ctx context.Context, args []string) ([]runs.Conversation, error) {
	var list []runs.Conversation
	lib, err := a.library()
	if err != nil {
		return nil, err
	}
	p := a.progress("reading")
	defer p.done()
	for _, arg := range args {
		paths := []string{arg}
		dir := library.IsFolder(ctx, arg)
		if dir {
			found, err := load.Find(ctx, []string{arg})
			a.complainEach(err)
			paths = found
		}
		for _, path := range paths {
			found, err := lib.Conversations(ctx, path, dir, p.set)
			switch {
			case ctx.Err() != nil:
				return nil, ctx.Err()
			case err != nil && found == nil && !dir:
				return nil, err
			case err != nil:
				a.complain(err)
			}
			a.inputs = append(a.inputs, path)
			list = append(list, found...)
		}
	}
	return list, nil
}
