package cli

import (
	"context"
	"io"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"golang.org/x/term"

	"turns/model"
	"turns/query"
	"turns/query/label"
	"turns/query/redact"
	"turns/ui/config"
	"turns/ui/transcripts"
)

// app is one run of the program, for the command that was called: what it reads and writes, the
// flags that commands share, and what it has read so far. The flags that only one command has are
// in the type of that command. Whoever asks several transcripts at once gives each an app of its
// own, which worker makes.
type app struct {
	IO
	*shared
	flags

	inputs     []string                        // transcripts that were opened, which -o must not overwrite
	opened     map[*model.Snapshot]string      // snapshots, and the names they were opened by
	placed     map[*model.Snapshot]*label.Here // labels of the snapshot that was asked for last
	incomplete bool                            // something could not be read, and was reported
	asData     bool                            // the output is for programs, with texts as they were recorded

	compare [2]string // transcripts, or folders of them, that the screen compares
	folders bool      // compare names folders
	opening []string  // what the screen shows before the first message
	// trials are the sessions that the screen shows as trials; nil: it shows none
	trials *transcripts.TrialsOptions
	// chooses selects messages of each transcript that is read; nil: all
	chooses func(context.Context, *model.Snapshot) (query.Selection, error)
}

// flags are those that commands share. A command shows the ones that it has.
type flags struct {
	inputFlags
	selectFlags
	sessionFlags
	countFlags
	outputFlags
	lookFlags
	export    exportFlags
	anonymize anonymizeFlags
}

// shared is what is read once for a run of the program and all its workers.
type shared struct {
	own      func() []*model.Format // the user's formats
	settings func() *config.Config
	store    func() *transcripts.Labels
	names    func() *redact.Names // of all files of a run
}

func newApp(stdio IO) *app {
	a := &app{IO: stdio, shared: &shared{}}
	a.own = sync.OnceValue(a.ownFormats)
	a.settings = sync.OnceValue(a.readConfig)
	a.store = sync.OnceValue(a.openLabels)
	a.names = sync.OnceValue(a.knownNames)
	return a
}

// worker is an app for one of many transcripts: it has the same flags, writes to buffers, and has
// opened nothing.
func (a *app) worker(out, said io.Writer) *app {
	w := &app{IO: a.IO, shared: a.shared, flags: a.flags}
	w.Columns = a.columns()
	w.Out, w.Err, w.Terminal, w.ErrTerm, w.out = out, said, false, false, ""
	return w
}

// quiet is an app for the time in which the screen has the terminal: it shows no progress.
func (a *app) quiet() *app {
	w := &app{IO: a.IO, shared: a.shared, flags: a.flags}
	w.ErrTerm = false
	return w
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// columnsOf is how wide a terminal is, 0 if that is unknown.
func columnsOf(f *os.File) int {
	w, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return max(w, 0)
}

// released is the version of a release, which its build sets.
var released string

// version is that of the release, or of the module as it was built.
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
