package cli

import (
	"bytes"
	"context"
	_ "embed"
	"errors"

	"github.com/spf13/cobra"

	"turns/model/load"
	"turns/ui"
	"turns/ui/transcripts"
)

// demoSession is a sample session of Claude Code, written for the tour.
//
//go:embed demo/session.jsonl
var demoSession []byte

// demoCommand shows the sample session with a tour.
func (a *app) demoCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "demo", Short: "Tour the screen in ten steps, on a sample session",
		Long: "Open a sample session with a tour in ten steps. Each step names a key and waits for it; all other keys work as always, and q leaves. " +
			"turns reads and writes no files of yours. --plain prints the sample as text.",
		Example: "  turns demo\n  turns demo --plain",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return hinted{errors.New("demo has its own session"), "turns " + args[0] + " opens a transcript"}
			}
			return a.demo(cmd.Context())
		},
	}
	a.looks(cmd)
	return cmd
}

func (a *app) demo(ctx context.Context) error {
	a.noLabels, a.noState = true, true
	if !a.Terminal || a.plain {
		a.In = bytes.NewReader(demoSession)
		return a.show(ctx, "-")
	}
	c, err := load.Open(ctx, "-", load.Options{Stdin: bytes.NewReader(demoSession)})
	if err != nil {
		return err
	}
	defer c.Close()
	snap, err := c.Load(ctx)
	if err != nil {
		return err
	}
	lib, err := a.library()
	if err != nil {
		return err
	}
	defer lib.Close()
	a.tour = ui.Tour()
	return a.runScreen(ctx, lib, transcripts.StaticFeed("demo", snap))
}
