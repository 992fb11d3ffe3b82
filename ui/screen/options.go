package screen

import (
	"context"
	"io"
	"iter"
	"time"

	"turns/model"
	"turns/query"
	"turns/query/lang"
	"turns/query/many"
	"turns/query/redact"
	"turns/query/runs"
	"turns/query/summary"
	"turns/query/trials"
	"turns/themes"
	"turns/ui/config"
	"turns/ui/transcripts"
)

// Yielded leaves the terminal to another program until done is called. Until then, turns ignores
// its keys and the shell's changes to it.
func (h *Host) Yielded() (done func()) {
	h.away.Add(1)
	yield := h.Opts.Yield
	if yield == nil {
		yield = func() func() { return func() {} }
	}
	back := yield()
	return func() { back(); h.away.Add(-1) }
}

// Away reports whether another program has the terminal.
func (h *Host) Away() bool { return h.away.Load() > 0 }

// TourStep is a step of a tour: the key to press, and its effect.
type TourStep struct{ Key, Text string }

// Options configure the screen: its first view, its data, and where it may write.
type Options struct {
	Theme    string // name or path; "" or "auto": dark or light by the terminal's background
	Themes   func(name string) (themes.Theme, error)
	NoColor  bool // NO_COLOR or --color never
	Color    bool // --color always: true colour whatever the terminal reports
	ASCII    bool
	UTC      bool
	Keys     *config.Keys        // the user's key bindings; nil: none
	Commands []config.OwnCommand // the user's programs, started by a key or from the palette
	Views    []config.View       // in their order
	View     string              // first view; "" for none
	ViewFile string              // file of saved views; "": views cannot be saved
	Times    string              // first form of the time column, one of config.Times
	Columns  []string            // of the session list; empty: those of package session
	Places   []string            // folders to search for sessions, named if there are none
	Prices   summary.PriceTable  // for costs missing in transcripts; nil: no estimates
	Problems []string            // mistakes in the configuration, each with its place
	Opening  []string            // lines shown before the first message: the address of a receiver
	// Notices are shown as they arrive; before the first message, the latest stays visible. nil:
	// none.
	Notices  <-chan string
	Filter   string // initial filter
	At       string // initial place: an index, a time as @22:41, "end"
	Search   string // initial search
	Follow   bool
	Reads    *transcripts.Reads // how far the user has read each session; nil: unknown
	StateDir string             // "": state is not saved
	// where exports go, and the base of place names; "" is the working directory
	Dir      string
	Home     string // shortened to ~
	Encoding string // name of the token encoding
	Pictures bool   // show pictures in the text
	Display  bool   // a display, tmux or a desktop exists, so clipboard helpers may be tried

	// Tour is a guided tour over the screen; nil: none.
	Tour []TourStep
	// Chosen receives the command that resumes the session selected in the list, and the screen
	// ends. nil: selecting a session opens it.
	Chosen func(resume string)

	// Trace receives messages, times and sizes of frames as lines of JSON, for a bug report;
	// nil: no trace.
	Trace io.Writer

	// Names returns the names that exports and copies can replace; nil: they cannot. Anonymize
	// replaces them by default.
	Names     func() *redact.Names
	Anonymize bool

	// Counter makes a token counter for one worker; nil: the columns of counted tokens stay empty.
	Counter func() query.TokenCounter
	// Labels stores the reader's labels; nil: only the letters of marks are stored.
	Labels *transcripts.Labels
	// LabelWords are labels of a team, offered first.
	LabelWords []string
	// Store opens, lists and reads other sessions; nil: only the open one is available.
	Store Store
	// Yield gives the interrupt keys to another program in the terminal until the returned function
	// is called; nil: turns does not handle them.
	Yield func() func()
	// Compare starts with the comparison of two transcripts, or of two folders of them, instead of
	// a transcript.
	Compare        [2]string
	CompareFolders bool
	// Trials starts with the matrix of trials; nil: it does not.
	Trials *transcripts.TrialsOptions
	// Sessions starts with the session list instead of a transcript.
	Sessions bool

	Context  context.Context  // for sessions opened later; nil: context.Background
	Now      func() time.Time // nil: time.Now
	Location *time.Location   // nil: the local zone, or UTC
	Env      []string         // nil: the process environment
	Input    io.Reader        // nil: the terminal
	Output   io.Writer        // nil: the terminal
	Width    int              // screen width until the terminal reports it; 0: unknown
	Height   int
}

// Store gives the screen access to other sessions, for the list and for comparisons. Package
// transcripts implements it.
type Store interface {
	// Watch opens a session. WatchNewest also reports newer sessions of the list to move to
	// (State.Newer).
	Watch(ctx context.Context, path string) (transcripts.Feed, error)
	WatchNewest(ctx context.Context, path string) (transcripts.Feed, error)
	// Fetch reads the text that a block of the open session stores elsewhere (Content.Elsewhere).
	Fetch(ctx context.Context, b *model.Content) (string, error)
	// List passes the sessions to tell until ctx ends or all are listed.
	List(ctx context.Context, report func(transcripts.Update)) error
	// Search finds the first message that matches each filter, in the sessions at paths.
	Search(ctx context.Context, paths []string, filters []*lang.Filter, found func(transcripts.Found))
	// Run reads a full session for a comparison; Runs summarises the sessions of a folder.
	Run(ctx context.Context, path string, progress func(done, total int64)) (runs.DiffRun, error)
	Runs(ctx context.Context, dir string, progress func(done, total int64)) ([]runs.RunInfo, error)
	// Trials reads the sessions of the store as trials of tasks.
	Trials(ctx context.Context, o transcripts.TrialsOptions, took func(done, all int, a *transcripts.Answer[[]*many.Run]) bool) (*trials.Answer, error)
	// Totals sums sessions, in order.
	Totals(ctx context.Context, paths []string, o transcripts.TotalsOptions) iter.Seq[transcripts.Answer[[]*many.Run]]
	// Problems finds the failures and the loops of sessions, in order.
	Problems(ctx context.Context, paths []string) iter.Seq[transcripts.Answer[transcripts.Problems]]
	// Threads finds unfinished work of the sessions in the folder of path, which is still running;
	// without a path, in all folders.
	Threads(ctx context.Context, path string, progress func(done, total int64)) (*runs.ContinuityAnswer, error)
}

// Time returns the current time by the clock of the options.
func (o *Options) Time() time.Time {
	if o.Now != nil {
		return o.Now()
	}
	return time.Now()
}

// Zone returns the zone of displayed times: Location, or UTC if set, or the local zone.
func (o *Options) Zone() *time.Location {
	switch {
	case o.Location != nil:
		return o.Location
	case o.UTC:
		return time.UTC
	}
	return time.Local
}

// BaseContext returns the context that ends all reading with the program; never nil.
func (o *Options) BaseContext() context.Context {
	if o.Context != nil {
		return o.Context
	}
	return context.Background()
}

// ThemeFor returns the configured theme, or the default one for a background.
func (o *Options) ThemeFor(dark bool) themes.Theme {
	switch o.Theme {
	case "", "auto":
		return themes.Default(dark)
	case "dark", "light":
		return themes.Default(o.Theme == "dark")
	}
	if o.Themes != nil {
		if t, err := o.Themes(o.Theme); err == nil {
			return t
		}
	}
	if t, err := themes.Find(o.Theme); err == nil {
		return t
	}
	return themes.Default(dark)
}
