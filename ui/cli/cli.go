// Package cli is the command line of turns: its commands, flags, output files
// and exit codes. A command opens a transcript (package load), selects messages
// (package query) and prints an answer (query) or writes an export (export); it
// decides nothing else. On a terminal and without a subcommand it starts the
// screen (package ui).
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"

	"turns/model"
	"turns/model/source"
	"turns/model/source/disk"
	"turns/model/source/remote"
	"turns/ui/cli/console"
	"turns/ui/cli/help"
)

// Exit codes, as fzf and grep have them.
const (
	exitOK          = 0
	exitNoMatch     = 1
	exitError       = 2
	exitInterrupted = 130
)

// IO is what a run of the program reads and writes.
type IO struct {
	In       io.Reader
	Out, Err io.Writer
	Terminal bool // Out is a terminal
	Columns  int  // of that terminal; 0: as most have them
	ErrTerm  bool // Err is a terminal
	Env      func(string) string
	// Yield leaves the keys that interrupt to another program that has the terminal, until the
	// function that it gives is called. nil: nobody listens to signals.
	Yield func() func()
	// Live says that the program follows what others write from now on, or reads and writes
	// much itself; nil: nobody asks.
	Live func()
}

// goesOn says that the program follows what others write, or reads and writes much.
func (a *app) goesOn() {
	if a.Live != nil {
		a.Live()
	}
}

// errNoMatch says that a query or a search matched nothing. Nothing is printed
// for it.
var errNoMatch = errors.New("nothing matched")

var errNoTranscript = errors.New("no transcript given")

// hinted is an error with something that its reader can do about it.
type hinted struct {
	error
	hint string
}

func (h hinted) Unwrap() error { return h.error }

// Hint is what can be done.
func (h hinted) Hint() string { return h.hint }

// Main runs the program and gives its exit code.
func Main() int {
	var live func()
	if os.Getenv("GOGC") == "" {
		live = console.KeepHeapSmall().Live
	}
	log.SetOutput(io.Discard) // the HTTP library writes there what a server does, on the screen
	disk.RemoveLeftovers("")
	stdio := IO{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		Terminal: isTerminal(os.Stdout), Columns: columnsOf(os.Stdout), ErrTerm: isTerminal(os.Stderr), Env: os.Getenv, Live: live,
	}
	var s console.Signals
	stdio.Yield = s.Yield
	return Run(s.Context(), os.Args[1:], stdio)
}

// Run is Main with everything given.
func Run(ctx context.Context, args []string, stdio IO) int {
	code, whole := runOnce(ctx, args, stdio)
	if !whole && (code == exitOK || code == exitNoMatch) {
		// as grep does it: what there was has been printed, but not all could be read
		return exitError
	}
	return code
}

// runOnce is Run; whole says that all could be read.
func runOnce(ctx context.Context, args []string, stdio IO) (code int, whole bool) {
	ctx, end := source.WithPlaces(ctx, stdio.Env)
	defer func() { _ = end() }() // nothing was written anywhere
	root, a := newRoot(stdio)
	root.SetArgs(joinTiers(args))
	root.SetIn(stdio.In)
	root.SetOut(stdio.Out)
	root.SetErr(stdio.Err)
	return report(ctx, stdio.Err, root.ExecuteContext(ctx)), !a.incomplete
}

// complain says what could not be read, where the run goes on without it. Its exit code
// is that of an error.
func (a *app) complain(err error) {
	a.incomplete = true
	printError(a.Err, err)
}

// complainEach is complain for each of some errors that were joined.
func (a *app) complainEach(err error) {
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		for _, err := range all.Unwrap() {
			a.complain(err)
		}
	} else if err != nil && !errors.Is(err, context.Canceled) {
		a.complain(err)
	}
}

// printError says what went wrong and, where that is known, what helps.
func printError(w io.Writer, err error) {
	fmt.Fprintf(w, "turns: error: %s\n", model.Clean(err.Error()))
	var h interface{ Hint() string }
	if errors.As(err, &h) && h.Hint() != "" {
		fmt.Fprintf(w, "turns: hint: %s\n", model.Clean(h.Hint()))
	}
}

// report says what went wrong and gives the exit code for it.
func report(ctx context.Context, w io.Writer, err error) int {
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errNoMatch):
		return exitNoMatch
	case ctx.Err() != nil || errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.Is(err, syscall.EPIPE):
		return exitOK // whoever read us had enough
	}
	printError(w, err)
	return exitError
}

// newRoot is the command tree. Nothing of it is shared between runs.
func newRoot(stdio IO) (*cobra.Command, *app) {
	a := &app{IO: stdio}
	a.own = sync.OnceValue(a.ownFormats)
	root := &cobra.Command{
		Use:   "turns [FILE]",
		Short: "View, search, compare and export AI agent sessions",
		Long: "turns opens the transcript of an AI agent session, finished or still running.\n\n" +
			"FILE can be a file, a folder, a URL, - (standard input), s3://BUCKET/PREFIX or HOST:PATH (over ssh). " +
			"Without FILE, turns lists the sessions on this machine.",
		Example: "  turns                                        # the sessions on this machine\n" +
			"  turns run.jsonl\n  turns -f run.jsonl                           # follow a running session\n  agent | turns -\n" +
			"  turns show run.jsonl -q 'is:error tool:Bash'",
		Args:    rootArgs,
		RunE:    a.runRoot,
		Version: version(),
		// Errors are printed once, by report; usage is asked for with --help.
		SilenceErrors: true, SilenceUsage: true,
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return hinted{err, "turns --help lists the flags"}
	})
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		_ = a.showPage(help.Command(cmd)) // whoever reads it has gone
	})
	a.rootFlags(root)
	a.everywhereFlags(root)
	a.addCommands(root)
	completeFlags(root)
	a.askThere(root)
	return root, a
}

// rootFlags are the flags of the screen, on the program and on its open command.
func (a *app) rootFlags(cmd *cobra.Command) {
	a.selectionFlags(cmd)
	a.screenFlags(cmd)
	a.outputFlags(cmd)
}

// rootArgs takes one transcript. More than that is a command that there is not, or
// a name with spaces.
func rootArgs(cmd *cobra.Command, args []string) error {
	if len(args) < 2 {
		return nil
	}
	if _, err := os.Stat(args[0]); err == nil || strings.Contains(args[0], "://") || remote.Is(args[0]) {
		return hinted{fmt.Errorf("%d transcripts given, one is opened", len(args)), "quote a name that has spaces"}
	}
	hint := "turns --help lists the commands"
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		hint = "did you mean turns " + near[0]
	}
	return hinted{fmt.Errorf("unknown command %q", args[0]), hint}
}
