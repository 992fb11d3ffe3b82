package cli

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
)

// initFiles are the startup lines for shells, one file per shell.
//
//go:embed initfiles
var initFiles embed.FS

// initShells are the shells with such a file.
var initShells = []string{"bash", "zsh", "fish"}

// initCommand prints the lines that bind a key of the shell to the session list.
func (a *app) initCommand() *cobra.Command {
	return &cobra.Command{
		Use: "init SHELL", Short: "Print a key binding for bash, zsh or fish that pastes resume commands",
		Long: "Print shell code that binds Ctrl-X t: the key opens the session list over the prompt, and Enter puts the command that resumes " +
			"the chosen session on the command line. The shell does not run it.",
		Example:   "  eval \"$(turns init bash)\"      # in ~/.bashrc\n  eval \"$(turns init zsh)\"       # in ~/.zshrc\n  turns init fish | source       # in ~/.config/fish/config.fish",
		ValidArgs: initShells,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return hinted{errors.New("init needs the name of a shell"), "turns init bash; valid: " + strings.Join(initShells, ", ")}
			}
			text, err := initFiles.ReadFile("initfiles/turns." + args[0])
			if err != nil || strings.ContainsAny(args[0], `/\.`) {
				return unknown("shell", args[0], initShells)
			}
			return a.write(func(w io.Writer) error {
				_, err := w.Write(text)
				return err
			})
		},
	}
}

// pickCommand shows the session list on the terminal, and prints the command that resumes the
// chosen session. Shells call it with their standard output captured.
func (a *app) pickCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "pick [DIR…]", Short: "Choose a session on the screen, and print the command that resumes it",
		RunE: func(cmd *cobra.Command, args []string) error { return a.pick(cmd.Context(), args) },
	}
	a.looks(cmd)
	return cmd
}

func (a *app) pick(ctx context.Context, dirs []string) error {
	tty, err := os.OpenFile("/dev/tty", os.O_WRONLY, 0)
	if err != nil {
		return hinted{fmt.Errorf("pick needs a terminal: %w", err), "turns ls prints the list"}
	}
	defer tty.Close()
	command := ""
	a.tty, a.chosen = tty, func(resume string) { command = resume }
	if err := a.listScreen(ctx, dirs...); err != nil || command == "" {
		return err
	}
	_, err = fmt.Fprintln(a.Out, command)
	return err
}
