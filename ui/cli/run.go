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
	"turns/model/token"
	"turns/query"
	"turns/query/lang"
	"turns/ui/cli/console"
	"turns/ui/cli/help"
)

// Main runs the program and returns its exit code.
func Main() int {
	var live func()
	if os.Getenv("GOGC") == "" {
		live = console.KeepHeapSmall().Live
	}
	log.SetOutput(io.Discard) // the HTTP library would log to the screen
	disk.RemoveLeftovers("")
	console.EnableColours(os.Stdout, os.Stderr)
	stdio := IO{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		Terminal: isTerminal(os.Stdout), Columns: columnsOf(os.Stdout), ErrTerm: isTerminal(os.Stderr), Env: os.Getenv, Live: live,
	}
	var s console.Signals
	stdio.Yield = s.Yield
	return Run(s.Context(), os.Args[1:], stdio)
}

// Run is Main with explicit arguments and streams.
func Run(ctx context.Context, args []string, stdio IO) int {
	code, whole := runOnce(ctx, args, stdio)
	if !whole && (code == exitOK || code == exitNoMatch) {
		// like grep: it printed an answer, but could not read everything
		return exitError
	}
	return code
}

// runOnce is Run; whole is false if a file could not be read in full.
func runOnce(ctx context.Context, args []string, stdio IO) (code int, whole bool) {
	ctx, end := source.WithPlaces(ctx, stdio.Env)
	defer func() { _ = end() }() // the places were only read
	root, a := newRoot(stdio)
	if completes(args) {
		completeFlags(root)
	}
	root.SetArgs(joinTiers(args))
	root.SetIn(stdio.In)
	root.SetOut(stdio.Out)
	root.SetErr(stdio.Err)
	err := root.ExecuteContext(ctx)
	if wrong := a.store().Wrong(); wrong != nil && (err == nil || isNo(err) || isNothing(err)) {
		a.complain(wrong)
	}
	return exitFor(ctx, &stdio, err), !a.incomplete
}

// newApp returns the app for a run of the program.
func newApp(stdio IO) *app {
	a := &app{IO: stdio, shared: &shared{}}
	a.own = sync.OnceValue(a.ownFormats)
	a.settings = sync.OnceValue(a.readConfig)
	a.store = sync.OnceValue(a.openLabels)
	a.names = sync.OnceValue(a.knownNames)
	a.inside = runOnce
	return a
}

// newRoot returns the command tree. Each run of the program has its own.
func newRoot(stdio IO) (*cobra.Command, *app) {
	a := newApp(stdio)
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
		// errors are printed once, by exitFor, and only --help prints the usage
		SilenceErrors: true, SilenceUsage: true,
	}
	root.SetFlagErrorFunc(flagError)
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		_ = a.showPage(help.Command(cmd)) // the reader has closed the output
	})
	a.rootFlags(root)
	a.everywhere(root)
	a.addCommands(root)
	completePlaces(root)
	a.askThere(root)
	a.prepareAll(root)
	return root, a
}

// prepareAll makes every command accept the former names of its flags, and checks the flags before
// the command starts, so that turns reports mistakes before it reads a file or contacts a host.
func (a *app) prepareAll(cmd *cobra.Command) {
	acceptFormer(cmd)
	if run := cmd.RunE; run != nil {
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			for _, name := range manyNames {
				a.asked = a.asked || cmd.Flags().Changed(name)
			}
			if err := a.checkFlags(cmd, args); err != nil {
				return err
			}
			return run(cmd, args)
		}
	}
	for _, c := range cmd.Commands() {
		a.prepareAll(c)
	}
}

// checkFlags finds mistakes in flags and arguments.
func (a *app) checkFlags(cmd *cobra.Command, args []string) error {
	if _, err := token.ParseEncoding(a.encoding); a.encoding != "" && err != nil {
		return unknown("--encoding", a.encoding, token.Names())
	}
	if err := errors.Join(a.checkFrom(), a.checkOutput(), a.checkTheme()); err != nil {
		return firstOf(err)
	}
	if _, err := lang.Parse(a.query); err != nil {
		return located(err)
	}
	if _, err := query.ParseSlice(a.slice); a.slice != "" && err != nil {
		return located(err)
	}
	if _, err := a.wanted(); err != nil {
		return err
	}
	return checkPlaces(cmd, args)
}

// firstOf returns the first of joined errors.
func firstOf(err error) error {
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		return all.Unwrap()[0]
	}
	return err
}

// exitFor prints an error, if any, and returns its exit code.
func exitFor(ctx context.Context, stdio *IO, err error) int {
	switch {
	case err == nil:
		return exitOK
	case isNo(err) || isNothing(err):
		if text := err.Error(); stdio.Terminal && text != "" {
			fmt.Fprintf(stdio.Err, "turns: %s\n", model.CleanLine(text))
		}
		if isNo(err) {
			return exitNoMatch
		}
		return exitOK
	case ctx.Err() != nil || errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.Is(err, syscall.EPIPE):
		return exitOK // the reader closed the output
	}
	printError(stdio.Err, err)
	return exitError
}

// joinTiers makes --tiers accept its value with or without =. The value is optional, so the next
// word is the value only if it cannot be anything else.
func joinTiers(args []string) []string {
	out := []string{} // for nil, cobra would use the command line of the process
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			return append(out, args[i:]...)
		}
		if arg == "--tiers" && i+1 < len(args) && strings.Contains(args[i+1], ",") && strings.Trim(args[i+1], "0123456789,") == "" {
			i++
			arg += "=" + args[i]
		}
		out = append(out, arg)
	}
	return out
}
