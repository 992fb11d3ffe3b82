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
	"io/fs"
	"log"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"turns/model"
	"turns/model/source"
	"turns/model/source/disk"
	"turns/model/source/remote"
	"turns/model/token"
	"turns/query"
	"turns/query/lang"
	"turns/themes/tomlfile"
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

// IO is the input and output of the program.
type IO struct {
	In       io.Reader
	Out, Err io.Writer
	Terminal bool // Out is a terminal
	Columns  int  // of that terminal; 0: as most have them
	ErrTerm  bool // Err is a terminal
	Env      func(string) string
	Now      func() time.Time // the clock by which answers date themselves; nil: that of the machine
	// Redact replaces the secrets of transcripts before their texts are described and cut: what is
	// printed is for others.
	Redact bool
	// Yield leaves the keys that interrupt to another program on the terminal until the returned
	// function is called. nil: the program does not listen to signals.
	Yield func() func()
	// Live is called when the program starts to follow files, or to read and write a lot. It may be
	// nil.
	Live func()
}

// goesOn calls Live: the program follows files, or reads and writes a lot.
func (a *app) goesOn() {
	if a.Live != nil {
		a.Live()
	}
}

// no is the answer "no" to what a command was asked: its exit code is 1. The text is printed on a
// terminal only.
type no string

func (n no) Error() string { return string(n) }

const errNoMatch = no("no message matches")

func isNo(err error) bool {
	var n no
	return errors.As(err, &n)
}

// nothing is an answer without rows, which is no error. The text is printed on a terminal only.
type nothing string

func (n nothing) Error() string { return string(n) }

func isNothing(err error) bool {
	var n nothing
	return errors.As(err, &n)
}

var errNoTranscript = errors.New("no transcript named")

// hinted is an error with something that its reader can do about it.
type hinted struct {
	error
	hint string
}

func (h hinted) Unwrap() error { return h.error }

// Hint is what the reader can do about the error.
func (h hinted) Hint() string { return h.hint }

// Main runs the program and gives its exit code.
func Main() int {
	var live func()
	if os.Getenv("GOGC") == "" {
		live = console.KeepHeapSmall().Live
	}
	log.SetOutput(io.Discard) // the HTTP library writes there what a server does, on the screen
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

// Run is Main with everything given.
func Run(ctx context.Context, args []string, stdio IO) int {
	code, whole := runOnce(ctx, args, stdio)
	if !whole && (code == exitOK || code == exitNoMatch) {
		// as grep does it: what there was has been printed, but not all could be read
		return exitError
	}
	return code
}

// runOnce is Run; whole is false if a file could not be read in full.
func runOnce(ctx context.Context, args []string, stdio IO) (code int, whole bool) {
	ctx, end := source.WithPlaces(ctx, stdio.Env)
	defer func() { _ = end() }() // nothing was written anywhere
	root, a := newRoot(stdio)
	root.SetArgs(joinTiers(args))
	root.SetIn(stdio.In)
	root.SetOut(stdio.Out)
	root.SetErr(stdio.Err)
	return report(ctx, &stdio, root.ExecuteContext(ctx)), !a.incomplete
}

// complain reports what could not be read when the command goes on without it. The exit code
// will be that of an error.
func (a *app) complain(err error) {
	a.incomplete = true
	printError(a.Err, err)
}

// complainEach is complain for each of some joined errors.
func (a *app) complainEach(err error) {
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		for _, err := range all.Unwrap() {
			a.complain(err)
		}
	} else if err != nil && !errors.Is(err, context.Canceled) {
		a.complain(err)
	}
}

// printError prints what went wrong and, if that is known, what helps.
func printError(w io.Writer, err error) {
	fmt.Fprintf(w, "turns: error: %s\n", model.Clean(errorText(err)))
	var h interface{ Hint() string }
	if errors.As(err, &h) && h.Hint() != "" {
		fmt.Fprintf(w, "turns: hint: %s\n", model.Clean(h.Hint()))
	}
}

// errorText is the text of an error, in which an error of a file names no call of the system.
func errorText(err error) string {
	text := err.Error()
	var file *fs.PathError
	if errors.As(err, &file) && strings.HasSuffix(file.Op, "stat") || file != nil && file.Op == "open" {
		text = strings.Replace(text, file.Error(), fmt.Sprintf("open %q: %v", file.Path, file.Err), 1)
	}
	return text
}

// report prints what went wrong and gives the exit code for it.
func report(ctx context.Context, stdio *IO, err error) int {
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
		return exitOK // whoever read us had enough
	}
	printError(stdio.Err, err)
	return exitError
}

// newRoot is the command tree. Runs of the program share nothing of it.
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
		// Errors are printed once, by report; usage is asked for with --help.
		SilenceErrors: true, SilenceUsage: true,
	}
	root.SetFlagErrorFunc(flagError)
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		_ = a.showPage(help.Command(cmd)) // whoever reads it has gone
	})
	a.rootFlags(root)
	a.everywhere(root)
	a.addCommands(root)
	completeFlags(root)
	a.askThere(root)
	a.prepareAll(root)
	return root, a
}

// rootFlags are the flags of the screen, on the program and on its open command.
func (a *app) rootFlags(cmd *cobra.Command) {
	cmd.Flags().SortFlags = false
	a.follows(cmd)
	a.selects(cmd)
	a.reads(cmd)
	a.writes(cmd)
	a.tellsTime(cmd)
}

// prepareAll lets every command take the former names of its flags, and checks what was given
// before the command begins: no file is read, and no host is asked, to find a mistake.
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

// firstOf is the first of some errors that were joined.
func firstOf(err error) error {
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		return all.Unwrap()[0]
	}
	return err
}

// checkPlaces is an error if an argument that names a transcript looks like a filter: tool:Bash
// would otherwise be a path on the host tool.
func checkPlaces(cmd *cobra.Command, args []string) error {
	places := args
	switch cmd.Name() {
	case "filter":
		places = args[min(1, len(args)):]
	case "search":
		places = args[:max(len(args)-1, 0)]
	case "help", "man", "completion":
		return nil
	}
	for _, arg := range places {
		if !looksLikeFilter(arg) {
			continue
		}
		hint := "quote it after -q: " + cmd.CommandPath() + " FILE -q " + quoteThere(arg)
		if cmd.Name() == "filter" {
			hint = "quote all of it: turns filter " + quoteThere(strings.Join(args, " "))
		}
		return hinted{fmt.Errorf("%q looks like a filter, not like a file", arg), hint}
	}
	return nil
}

// looksLikeFilter reports whether an argument is a term of the filter language, such as tool:Bash,
// and no file has that name.
func looksLikeFilter(arg string) bool {
	key, value, ok := strings.Cut(strings.TrimLeft(arg, "-!("), ":")
	if !ok || value == "" || strings.HasPrefix(value, "//") || lang.LangLookup(strings.ToLower(key)) == nil {
		return false
	}
	_, err := os.Lstat(arg)
	return err != nil
}

// rootArgs is an error unless there is one transcript or none. A single word that is no file and
// near to a command is a mistyped command.
func rootArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	_, missing := os.Stat(args[0])
	place := missing == nil || strings.ContainsAny(args[0], "/\\.:") || args[0] == "-" || remote.Is(args[0])
	if len(args) == 1 {
		if near := nearestCommand(cmd.Root(), args[0]); !place && near != "" {
			return hinted{fmt.Errorf("unknown command %q", args[0]), "did you mean turns " + near + "? turns --help lists the commands"}
		}
		return nil
	}
	if place && !looksLikeFilter(args[0]) {
		return hinted{fmt.Errorf("%d transcripts: turns opens one", len(args)),
			fmt.Sprintf("to compare: turns diff %s %s; to browse several: turns FOLDER; quote a name with spaces", args[0], args[1])}
	}
	if looksLikeFilter(args[0]) {
		return checkPlaces(cmd, args)
	}
	hint := "turns --help lists the commands"
	if near := nearestCommand(cmd.Root(), args[0]); near != "" {
		hint = "did you mean turns " + near + "? " + hint
	}
	return hinted{fmt.Errorf("unknown command %q", args[0]), hint}
}

// nearestCommand is the command whose name or alias is nearest to a word, "" if none is near.
func nearestCommand(root *cobra.Command, word string) string {
	near := tomlfile.Nearest(strings.ToLower(word), commandWords(root))
	if cmd, _, err := root.Find([]string{near}); near != "" && err == nil {
		return cmd.Name()
	}
	return ""
}
