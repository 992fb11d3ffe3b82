package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"turns/model"
	"turns/model/load"
	"turns/model/source"
	"turns/query"
	"turns/query/lang"
	"turns/ui"
)

// screenFlags are those of the screen.
type screenFlags struct {
	follow  bool
	theme   string
	color   string
	ascii   bool
	plain   bool
	noState bool

	compare [2]string // two transcripts, or two folders of them, whose comparison is shown
	folders bool
	choose  func(context.Context, *model.Snapshot) (query.Selection, error) // what of a run is compared; nil: everything
}

func (a *app) screenFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVarP(&a.screen.follow, "follow", "f", false, "follow the file as it grows")
	f.StringVar(&a.at, "at", "", "begin at message N, at a time (@22:41) or at the end")
	a.lookFlags(cmd)
}

// lookFlags say how the screen looks, or that there is none.
func (a *app) lookFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&a.screen.theme, "theme", "auto", "NAME or path of a theme: auto, dark, light, high-contrast, colour-blind, ansi …")
	f.StringVar(&a.screen.color, "color", "auto", "WHEN to colour: auto, always or never")
	f.BoolVar(&a.screen.ascii, "ascii", false, "draw with ASCII only")
	f.BoolVar(&a.screen.plain, "plain", false, "print linear text instead of starting the screen")
	f.BoolVar(&a.screen.noState, "no-state", false, "neither read nor keep positions, marks and history")
}

// runRoot starts the screen; where there is no terminal it prints what the screen
// would show.
func (a *app) runRoot(cmd *cobra.Command, args []string) error {
	if err := errors.Join(a.checkColor(), a.checkFlags()); err != nil {
		return err
	}
	if !a.Terminal || a.screen.plain || a.out != "" {
		if len(args) == 0 {
			return hinted{errNoTranscript, "turns FILE, or turns - to read a pipe; turns --help shows more"}
		}
		return a.show(cmd.Context(), cmd, args[0], "")
	}
	return a.startScreen(cmd.Context(), args)
}

func (a *app) checkColor() error {
	switch a.screen.color {
	case "auto", "always", "never":
		return nil
	}
	return fmt.Errorf("unknown --color %q; known are auto, always, never", a.screen.color)
}

// startScreen opens a transcript, or the list of those of a folder or of this
// machine.
func (a *app) startScreen(ctx context.Context, args []string) error {
	if len(args) == 0 {
		if a.screen.follow {
			return a.followProject(ctx)
		}
		return a.runScreen(ctx, nil, nil)
	}
	if info, err := os.Stat(args[0]); err == nil && info.IsDir() && !a.screen.follow && !isTranscript(args[0]) {
		return a.runScreen(ctx, nil, args)
	}
	arg := args[0]
	if n, err := strconv.Atoi(a.session); err == nil && n >= 0 {
		arg = partPath(arg, n)
	} else if a.session != "" { // by its id: the filter finds it
		a.filter = sessionFilter(a.session, a.filter)
	}
	feed, err := a.feed(ctx, arg)
	if err != nil {
		return err
	}
	defer feed.c.Close()
	if feed.dirs != nil {
		return a.runScreen(ctx, feed, args)
	}
	return a.runScreen(ctx, feed, []string{filepath.Dir(args[0])})
}

// sessionFilter is a filter that lets only one conversation through, by its id.
func sessionFilter(id, filter string) string {
	only := "session:" + lang.Quote(id)
	if strings.TrimSpace(filter) == "" {
		return only
	}
	return only + " (" + filter + ")"
}

// followProject follows the newest session that an agent has in this folder.
func (a *app) followProject(ctx context.Context) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	places, err := a.places(nil)
	if err != nil {
		return err
	}
	here := newerOf{places, func(s *load.Summary) bool { return s.Project == dir }}
	path := here.newest(ctx, "")
	if path == "" {
		return hinted{fmt.Errorf("no agent has a session in %q", dir), "turns ls lists the sessions of this machine; turns -f FILE follows one"}
	}
	feed, err := a.feed(ctx, path)
	if err != nil {
		return err
	}
	feed.newerOf = here
	defer feed.c.Close()
	return a.runScreen(ctx, feed, nil)
}

// isTranscript reports whether a folder is a transcript as a whole, as some formats
// have it, and not one in which some lie.
func isTranscript(dir string) bool {
	return slices.Contains(load.Find([]string{dir}), filepath.Clean(dir))
}

// stateDir is where positions and marks are kept, by the XDG rules.
func (a *app) stateDir() string {
	if a.screen.noState {
		return ""
	}
	if dir := a.Env("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "turns")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, ".local", "state", "turns")
}

// feed opens a transcript for the screen.
func (a *app) feed(ctx context.Context, arg string) (*screenFeed, error) {
	header, err := parseHeaders(a.header)
	if err != nil {
		return nil, err
	}
	if arg == "-" {
		if f, ok := a.In.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
			return nil, hinted{errors.New("standard input is a terminal, not a pipe"), "agent | turns -"}
		}
	}
	var newer newerOf
	if info, err := os.Stat(arg); err == nil && info.IsDir() && a.screen.follow && !isTranscript(arg) {
		newer.dirs = []string{arg}
		if arg = newer.newest(ctx, ""); arg == "" {
			return nil, hinted{fmt.Errorf("no transcript in %q", newer.dirs[0]), "turns ls lists the transcripts of this machine"}
		}
	}
	file, part := partOf(arg)
	limits, err := a.limits(0)
	if err != nil {
		return nil, err
	}
	// A file is watched in any case: what grows is seen to grow, and -f only says
	// where to begin.
	c, err := a.openAs(ctx, file, load.Options{Stdin: a.In, Header: header, Follow: true, Session: part, Workers: ui.Parsers(), Limits: limits})
	if err != nil {
		return nil, err
	}
	return &screenFeed{c: c, path: arg, newerOf: newer, part: part != nil}, nil
}

// screenFeed tells the screen what happens to a conversation.
type screenFeed struct {
	c     *load.Conversation
	path  string
	part  bool // it is one conversation of a file of many
	snap  atomic.Pointer[model.Snapshot]
	newer string // the newer one that was told
	newerOf
	last ui.Update
	told bool // the state before the first change
}

// newestEvery is how often followed folders are looked at; where there are so many
// files that a look takes long, it is rarer, so that it costs no more than a
// fiftieth of the time.
const (
	newestEvery = 2 * time.Second
	newestShare = 50
)

// newerOf are the transcripts of which the newest is followed: those of some
// folders, nil for none, that are wanted.
type newerOf struct {
	dirs  []string
	wants func(*load.Summary) bool // nil: all
}

// newest is the transcript that was written to last, "" for none. What lies there
// for other purposes is passed over; known is a transcript for sure.
func (n *newerOf) newest(ctx context.Context, known string) string {
	for _, path := range load.ByAge(load.Find(n.dirs)) {
		if path == known {
			return path
		}
		if s, err := load.Summarise(ctx, path); err == nil && s.Format != "records" && (n.wants == nil || n.wants(&s)) {
			return path
		}
	}
	return ""
}

// nextOrNewer waits for the next change of the transcript, or for a newer
// transcript in the followed folder.
func (f *screenFeed) nextOrNewer(ctx context.Context) (u load.Update, newer bool, err error) {
	if f.dirs == nil {
		u, err = f.c.Next(ctx)
		return u, false, err
	}
	every := newestEvery
	for {
		short, cancel := context.WithTimeout(ctx, every)
		u, err := f.c.Next(short)
		cancel()
		if err == nil || ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
			return u, false, err
		}
		began := time.Now()
		path := f.newest(ctx, f.path)
		every = max(newestEvery, newestShare*time.Since(began))
		if path != "" && path != f.path && path != f.newer {
			f.newer = path
			return load.Update{}, true, nil
		}
	}
}

// Next waits for the next change.
func (f *screenFeed) Next(ctx context.Context) (ui.Update, error) {
	if !f.told {
		f.told = true
		path := f.c.Path() // f.path may name one conversation of it
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && path != "" && !strings.Contains(path, "://") {
			f.last = ui.Update{Waiting: f.c.Name(), Path: source.Shown(f.path), Following: true, Growing: true}
			return f.last, nil
		}
	}
	u, newer, err := f.nextOrNewer(ctx)
	if err != nil {
		return ui.Update{}, err
	}
	if newer {
		f.last.Newer, f.last.Event = f.newer, ""
		return f.last, nil
	}
	out := ui.Update{
		Snap: u.Snap, Preview: u.Preview, Indexed: u.Indexed, Following: true, Growing: u.Growing,
		Event: u.Event, Path: source.Shown(f.path), Bytes: u.Bytes, Err: u.Err,
	}
	if u.Waiting {
		out.Waiting = f.c.Name()
	}
	if path := f.c.Path(); path != "" {
		if info, err := os.Stat(path); err == nil {
			out.LastWrite = info.ModTime()
		}
	}
	f.snap.Store(u.Snap)
	out.Newer, f.last = f.newer, out
	return out, nil
}
