package cli

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"turns/model/load"
	"turns/query/runs"
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
				_, err := io.WriteString(w, answer.String())
				return err
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
	for _, arg := range args {
		paths := []string{arg}
		dir := isFolder(ctx, arg)
		if dir {
			paths = load.Find([]string{arg})
		}
		for _, path := range paths {
			found, err := a.conversation(ctx, path, dir)
			switch {
			case ctx.Err() != nil:
				return nil, ctx.Err()
			case err != nil && !dir:
				return nil, err
			case err != nil:
				a.complain(err)
			}
			list = append(list, found...)
		}
	}
	return list, nil
}

// threadsBeside is what the transcripts left open that lie in the folder of one. That
// one is going on; what cannot be read is left out.
func (a *app) threadsBeside(ctx context.Context, path string, progress func(done, total int64)) (*runs.ContinuityAnswer, error) {
	file, part := partOf(path)
	o := runs.ContinuityOptions{Now: time.Now().UnixMilli(), Zone: a.zone(), Source: file}
	if part != nil {
		o.Session = *part
	}
	var list []runs.Conversation
	paths := load.Find([]string{filepath.Dir(file)})
	for i, p := range paths {
		found, err := a.conversation(ctx, p, true)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil {
			list = append(list, found...)
		}
		progress(int64(i+1), int64(len(paths)))
	}
	return runs.Continuity(list, o), nil
}

// isFolder reports whether a path is a folder of transcripts.
func isFolder(ctx context.Context, path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir() && !isTranscript(path)
}

func (a *app) conversation(ctx context.Context, path string, among bool) ([]runs.Conversation, error) {
	c, snap, err := a.open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if f, _ := c.Format(); among && f.Name == "records" {
		return nil, nil // no transcript
	}
	list, err := runs.Conversations(ctx, path, snap, a.zone())
	if among { // a subagent's transcript belongs to the conversation that started it
		list = slices.DeleteFunc(list, func(c runs.Conversation) bool { return c.Agent })
	}
	return list, err
}
