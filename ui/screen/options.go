package screen

import (
	"context"
	"io"
	"time"

	"turns/model"
	"turns/query"
	"turns/query/lang"
	"turns/query/runs"
	"turns/themes"
)

// Yielded leaves the terminal to another program until the function that it gives is called: its keys are not ours, and neither is what the
// shell does with it.
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

// Options say how the screen begins and where it may write.
type Options struct {
	Theme    string // name or path; "" or "auto": dark or light by the terminal's background
	Themes   func(name string) (themes.Theme, error)
	NoColor  bool // NO_COLOR or --color never
	Color    bool // --color always: true colour whatever the terminal says
	ASCII    bool
	UTC      bool
	Filter   string // initial filter
	At       string // initial place: an index, a time as @22:41, "end"
	Follow   bool
	StateDir string // "" keeps no state
	Dir      string // where exports go and the place names are relative to; "" is the working directory
	Home     string // shortened to ~
	Encoding string // name of the token encoding
	Display  bool   // there is a graphical display: helpers for the clipboard may be tried

	Trace io.Writer // messages, times and sizes of frames go here as lines of JSON, for the report of a bug; nil: nobody asked

	// Counter makes a counter of tokens for one worker; nil: the columns of counted tokens stay empty.
	Counter func() query.TokenCounter
	// Open opens another session, for the session list and for following a folder; nil: there is none.
	Open func(path string) (Feed, error)
	// OpenNewest opens a session that is followed and tells of newer ones of the session list (Update.Newer); nil: as Open.
	OpenNewest func(path string) (Feed, error)
	// Fetch reads what a block of the open transcript keeps elsewhere (Content.Elsewhere): a full result from its server, a file beside it.
	// nil: nothing can be fetched.
	Fetch func(ctx context.Context, b *model.Content) (string, error)
	// List tells of the sessions for the session list until ctx ends or there is nothing more to tell. nil: there is none.
	List func(ctx context.Context, tell func(SessionNews)) error
	// Search looks in the sessions of some paths for the first message that matches each of the filters, and tells found what each has, one after
	// another and in any order; those that it did not come to before ctx ended it leaves out. nil: bodies cannot be searched.
	Search func(ctx context.Context, paths []string, filters []*lang.Filter, found func(SessionFound))
	// Run reads a transcript whole, to be compared; nil: none can be. Its texts stay readable until the screen ends.
	Run func(ctx context.Context, path string, progress func(done, total int64)) (runs.DiffRun, error)
	// Runs says what is known of the runs of a folder, to be compared with those of another. Their paths are as Open takes them.
	Runs func(ctx context.Context, dir string, progress func(done, total int64)) ([]runs.RunInfo, error)
	// Threads says what the sessions left open that lie in the folder of one, which is going on; nil: it cannot be told.
	Threads func(ctx context.Context, path string, progress func(done, total int64)) (*runs.ContinuityAnswer, error)
	// Yield leaves the keys that interrupt to another program that has the terminal, until the function that it gives is called; nil: they are
	// nobody's.
	Yield func() func()
	// Compare begins with the comparison of two transcripts, or of two folders of them, instead of a transcript.
	Compare        [2]string
	CompareFolders bool
	// Sessions begins with the session list instead of a transcript.
	Sessions bool

	Context  context.Context  // of sessions that are opened later; nil: the background
	Now      func() time.Time // nil: time.Now
	Location *time.Location   // nil: the local zone, or UTC
	Env      []string         // nil: the process's
	Input    io.Reader        // nil: the terminal
	Output   io.Writer        // nil: the terminal
	Width    int              // of the screen before the terminal says it; 0: unknown
	Height   int
}

// SessionInfo is a row of the session list.
type SessionInfo struct {
	Path, Agent, Project, Title string
	When                        time.Time
	Messages, Errors            int
	Partial                     bool // it was not read as a whole: Messages is an estimate, and 0 nothing
	Tokens                      int64
	Took                        time.Duration
	Live                        bool
	Since                       time.Time // of one that is live: when what it does or waits for began; zero is unknown
	Outcome                     model.Outcome
	End                         string // how it ended, in words
	Scored                      bool
	Score                       float64
	Passed, Judged              int    // conversations of a file of many that have a score
	Resume                      string // the command that goes on with it in its agent; "" for none
	NoResume                    error  // why there is none, where one is known
}

// SessionNews is what the session list learns: sessions, some at a time as they are found.
type SessionNews struct {
	Sessions          []SessionInfo // one with a path that was told takes the place of what was said of it before
	Gone              []string      // paths of those that are no more
	Listed            bool          // those that there are have been told; what follows says more of them, or what has changed
	Counting, Counted int           // sessions that were told in part and are counted now, and how many of them are done; 0: none are
}

// SessionHit is what a session has for a filter: whether a message matches, and the line that does.
type SessionHit struct {
	Found  bool
	Line   string
	Ranges [][2]int // byte ranges of Line
}

// SessionFound is what a session has for each of some filters, or why that cannot be told.
type SessionFound struct {
	Path string
	Hits []SessionHit // shorter where not all filters were tried
	Err  error
}

func (o *Options) Time() time.Time {
	if o.Now != nil {
		return o.Now()
	}
	return time.Now()
}

func (o *Options) Zone() *time.Location {
	switch {
	case o.Location != nil:
		return o.Location
	case o.UTC:
		return time.UTC
	}
	return time.Local
}

func (o *Options) BaseContext() context.Context {
	if o.Context != nil {
		return o.Context
	}
	return context.Background()
}

// ThemeFor is the theme that was asked for, or the default one for a background.
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
