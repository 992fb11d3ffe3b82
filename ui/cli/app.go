package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"runtime/debug"
	"time"

	"golang.org/x/term"

	"turns/model"
	"turns/query"
	"turns/query/label"
	"turns/query/redact"
	"turns/ui/config"
	"turns/ui/transcripts"
)

// IO is the input and output of the program.
type IO struct {
	In       io.Reader
	Out, Err io.Writer
	Terminal bool // whether Out is a terminal
	Columns  int  // width of that terminal; 0: unknown
	ErrTerm  bool // whether Err is a terminal
	Env      func(string) string
	Now      func() time.Time // clock for dates in answers; nil: the system clock
	// Redact replaces the secrets of transcripts before their texts are described and cut,
	// because others will read the output.
	Redact bool
	// ForAgents formats answers for agents, which need no alignment.
	ForAgents bool
	// Yield gives the interrupt keys to another program on the terminal until the returned function
	// is called. nil: the program does not handle signals.
	Yield func() func()
	// Live is called when the program starts to follow files, or to read and write a lot. It may be
	// nil.
	Live func()
}

// app is one run of the program: its input and output, the flags shared by commands, and the data
// read so far. The type of a command holds the flags that only this command has. A command that
// reads several transcripts in parallel uses one app per transcript, made by worker.
type app struct {
	IO
	*shared
	flags

	inputs     []string                        // opened transcripts, which -o must not overwrite
	opened     map[*model.Snapshot]string      // names of the opened snapshots
	placed     map[*model.Snapshot]*label.Here // labels of the latest requested snapshot
	incomplete bool                            // something could not be read, and was reported
	asData     bool                            // the output is for programs, with texts as recorded

	compare [2]string   // transcripts, or folders of them, for the screen to compare
	folders bool        // compare names folders
	opening []string    // lines of the screen before the first message
	notices chan string // notices for the screen; nil: none
	// trials are the sessions for the trials screen; nil: none
	trials *transcripts.TrialsOptions
	// chooses selects the messages of each transcript; nil: all
	chooses func(context.Context, *model.Snapshot) (query.Selection, error)
}

// shared is the data read once for all workers of a run.
type shared struct {
	own      func() []*model.Format // the user's formats
	settings func() *config.Config
	store    func() *transcripts.Labels
	names    func() *redact.Names // the same for all files of a run

	// inside runs another command line in this process; the MCP server answers with it
	inside func(ctx context.Context, args []string, stdio IO) (code int, whole bool)
}

// worker returns an app for one of many transcripts: it has the same flags, writes to buffers, and
// has opened no transcript.
func (a *app) worker(out, stderr io.Writer) *app {
	w := &app{IO: a.IO, shared: a.shared, flags: a.flags}
	w.Columns = a.columns()
	w.Out, w.Err, w.Terminal, w.ErrTerm, w.out = out, stderr, false, false, ""
	return w
}

// quiet returns an app without progress, for use while the screen has the terminal.
func (a *app) quiet() *app {
	w := &app{IO: a.IO, shared: a.shared, flags: a.flags}
	w.ErrTerm = false
	return w
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// columnsOf returns the width of a terminal, 0 if unknown.
func columnsOf(f *os.File) int {
	w, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return max(w, 0)
}

// released is the version of a release, set by its build.
var released string

// version returns the version of the release, or of the built module.
func version() string {
	if released != "" {
		return released
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

func (a *app) zone() *time.Location {
	if a.utc {
		return time.UTC
	}
	return time.Local
}

// columns returns the greatest width of lines; 0 (unlimited) if the output is not a terminal.
func (a *app) columns() int {
	switch {
	case a.out != "" && a.out != "-":
		return 0
	case a.Columns == 0 && a.Terminal:
		return 80
	}
	return a.Columns
}

// time returns the current time, or that of a test.
func (a *app) time() time.Time {
	if a.Now != nil {
		return a.Now()
	}
	return time.Now()
}

// goesOn calls Live: the program follows files, or reads and writes a lot.
func (a *app) goesOn() {
	if a.Live != nil {
		a.Live()
	}
}

// complain reports a transcript that the command skips because it could not read it. The exit code
// will be exitError.
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
