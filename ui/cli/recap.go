package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"turns/query/runs"
	"turns/ui/transcripts"
)

func (a *app) recapCommand() *cobra.Command {
	var now string
	var most int
	cmd := &cobra.Command{
		Use: "recap FILE|DIR…", Short: "List unfinished business: open questions, unanswered prompts, failed calls",
		Example: "  turns recap ~/.claude/projects/app\n  turns recap run.jsonl --json",
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
			err = a.writeAs(func(w io.Writer) error { return answer.WriteJSON(cmd.Context(), w) }, a.paged(answer.Print))
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

// conversations keeps of transcripts what continuity needs.
func (a *app) conversations(ctx context.Context, names []string) (list []runs.Conversation, err error) {
	if len(names) == 0 {
		return nil, nil
	}
	c, err := a.crowd(ctx, names)
	if err != nil {
		return nil, err
	}
	defer c.lib.Close()
	for got := range transcripts.Map(ctx, c.lib, c.paths, transcripts.Query[[]runs.Conversation]{Ask: c.lib.Remembered}) {
		if asked(c, &got) {
			c.runs++
			list = append(list, got.Answer...)
		}
	}
	return list, c.endOf(ctx)
}
