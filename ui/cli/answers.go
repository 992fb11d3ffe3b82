package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"turns/query/describe"
)

// command makes a command that answers about one transcript.
func (a *app) command(use, short, example string, run func(ctx context.Context, arg string) error) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Example: example, Args: oneFile,
		RunE: func(cmd *cobra.Command, args []string) error { return run(cmd.Context(), args[0]) },
	}
}

// oneFile returns an error unless there is exactly one transcript.
func oneFile(cmd *cobra.Command, args []string) error {
	switch len(args) {
	case 0:
		return hinted{fmt.Errorf("%s needs a transcript", cmd.CommandPath()), cmd.CommandPath() + " FILE, or - to read a pipe"}
	case 1:
		return nil
	}
	return hinted{fmt.Errorf("%d transcripts: %s reads one", len(args), cmd.CommandPath()), "quote a name with spaces"}
}

// someFiles returns an error if neither arguments nor flags select a session.
func (a *app) someFiles(cmd *cobra.Command, args []string) error {
	if len(args) == 0 && !a.asked {
		return hinted{fmt.Errorf("%s needs a transcript or a folder", cmd.CommandPath()), cmd.CommandPath() + " FILE or DIR; --since 7d asks about the sessions on this machine"}
	}
	return nil
}

// about opens a transcript and answers about the selected messages.
func (a *app) about(ctx context.Context, arg string, answer func(describe.View) error) error {
	c, view, err := a.selected(ctx, arg)
	if err != nil {
		return err
	}
	defer c.Close()
	return answer(view)
}

// of makes a command's run function from an answer about the selected messages.
func (a *app) of(answer func(context.Context, describe.View) error) func(context.Context, string) error {
	return func(ctx context.Context, arg string) error {
		return a.about(ctx, arg, func(view describe.View) error { return answer(ctx, view) })
	}
}
