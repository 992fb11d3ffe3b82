package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"golang.org/x/term"

	"turns/model"
	"turns/model/token"
	"turns/query"
	"turns/query/lang"
	"turns/themes"
	"turns/ui"
)

// screenRun is one run of the screen: what it asks the program for.
type screenRun struct {
	*app
	dirs   []string // the folders that are listed
	config string   // the user's folder of configurations, or ""
	parts  *partList
	shown  atomic.Pointer[screenFeed] // the transcript that is open
}

// runScreen shows a transcript; without one it begins with the list of the
// transcripts of the folders.
func (a *app) runScreen(ctx context.Context, feed *screenFeed, dirs []string) error {
	config, err := os.UserConfigDir()
	if err != nil {
		config = "" // then there are no themes of the user's own
	}
	enc, err := a.checkScreen(config)
	if err != nil {
		return err
	}
	r := &screenRun{app: a, dirs: dirs, config: config, parts: &partList{}}
	runs := &comparedRuns{app: *a}
	defer runs.close()
	options := r.options(enc)
	options.Context = ctx
	options.Sessions = feed == nil && a.screen.compare[0] == ""
	options.Run, options.Runs = runs.read, runs.folder
	options.Threads = a.quiet().threadsBeside
	options.Open = func(path string) (ui.Feed, error) { return r.open(ctx, path, newerOf{}) }
	options.OpenNewest = func(path string) (ui.Feed, error) { return r.openNewest(ctx, path) }

	first := ui.Still("", model.FromMessages(nil))
	if feed != nil {
		first = feed
		r.parts.of(feed)
		r.shown.Store(feed)
	}
	if path := a.Env("TURNS_TRACE"); path != "" {
		trace, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
		if err != nil {
			return fmt.Errorf("writing the trace: %w", err)
		}
		defer trace.Close()
		options.Trace = trace
	}
	if w, h, err := term.GetSize(int(os.Stdout.Fd())); err == nil && (w > ui.MaxColumns || h > ui.MaxRows) {
		// Of a terminal Bubble Tea takes what it says; this is one that says what is none.
		options.Output, options.Width, options.Height = struct{ io.Writer }{os.Stdout}, min(w, ui.MaxColumns), min(h, ui.MaxRows)
	}
	err = ui.Run(ctx, first, options)
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// checkScreen finds the mistakes in how the screen shall look before it is taken,
// and gives the encoding that tokens are counted in.
func (a *app) checkScreen(config string) (token.Encoding, error) {
	if a.screen.theme != "auto" {
		if _, err := themes.Open(a.screen.theme, config); err != nil {
			return 0, err
		}
	}
	if a.encoding == "" {
		return token.ForModel(""), nil
	}
	return token.ParseEncoding(a.encoding)
}

func (r *screenRun) options(enc token.Encoding) ui.Options {
	home, _ := os.UserHomeDir()
	return ui.Options{
		Yield:          r.Yield,
		Compare:        r.screen.compare,
		CompareFolders: r.screen.folders,
		List: func(ctx context.Context, tell func(ui.SessionNews)) error {
			tell(ui.SessionNews{Sessions: r.parts.list(ctx)})
			return r.sessions(ctx, r.dirs, tell)
		},
		Search: func(ctx context.Context, paths []string, filters []*lang.Filter, found func(ui.SessionFound)) {
			r.searchSessions(ctx, r.parts, paths, filters, found)
		},
		Theme:    r.screen.theme,
		Themes:   func(name string) (themes.Theme, error) { return themes.Open(name, r.config) },
		NoColor:  r.screen.color == "never" || r.screen.color == "auto" && r.Env("NO_COLOR") != "",
		Color:    r.screen.color == "always",
		ASCII:    r.screen.ascii,
		UTC:      r.utc,
		Filter:   r.filter,
		At:       r.at,
		Follow:   r.screen.follow,
		StateDir: r.stateDir(),
		Home:     home,
		Encoding: enc.String(),
		Counter:  func() query.TokenCounter { return token.New(enc) },
		Display:  r.Env("DISPLAY") != "" || r.Env("WAYLAND_DISPLAY") != "",
		Fetch:    r.fetch,
	}
}

func (r *screenRun) open(ctx context.Context, path string, newer newerOf) (ui.Feed, error) {
	f, err := r.feed(ctx, path)
	if err != nil {
		return nil, err
	}
	f.newerOf = newer
	r.parts.of(f)
	r.shown.Store(f)
	return f, nil
}

// openNewest opens a transcript that is to be left for a newer one when there
// is one.
func (r *screenRun) openNewest(ctx context.Context, path string) (ui.Feed, error) {
	if f := r.shown.Load(); f != nil && f.newer == path { // on to what that one told of
		return r.open(ctx, path, f.newerOf)
	}
	places, err := r.places(r.dirs)
	if err != nil {
		return nil, err
	}
	return r.open(ctx, path, newerOf{dirs: places})
}

// fetch gets the rest of a text that the transcript keeps elsewhere.
func (r *screenRun) fetch(ctx context.Context, b *model.Content) (string, error) {
	f := r.shown.Load()
	if f == nil {
		return "", errors.New("no transcript is open")
	}
	return f.c.FetchText(ctx, b)
}
