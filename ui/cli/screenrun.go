package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"

	"golang.org/x/term"

	"turns/model"
	"turns/model/token"
	"turns/query"
	"turns/themes"
	"turns/ui"
	"turns/ui/library"
	"turns/ui/screen"
)

// listScreen begins with the list of the transcripts of some folders.
func (a *app) listScreen(ctx context.Context, dirs ...string) error {
	lib, err := a.library(dirs...)
	if err != nil {
		return err
	}
	defer lib.Close()
	return a.runScreen(ctx, lib, nil)
}

// runScreen shows a transcript; without one it begins with the list of the library,
// or with a comparison.
func (a *app) runScreen(ctx context.Context, lib *library.Library, feed library.Feed) error {
	enc, err := a.checkScreen()
	if err != nil {
		return err
	}
	options := a.screenOptions(enc)
	options.Context, options.Library = ctx, lib
	if options.Prices, err = a.config().OpenPrices(""); err != nil && options.Notice == "" {
		options.Notice = err.Error()
	}
	if places, err := lib.Places(ctx); err == nil {
		options.Places = places
	}
	options.Sessions = feed == nil && a.screen.compare[0] == ""
	if feed == nil {
		feed = library.Still("", model.FromMessages(nil))
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
	err = ui.Run(ctx, feed, options)
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// checkScreen finds the mistakes in how the screen shall look before it is taken,
// and gives the encoding that tokens are counted in.
func (a *app) checkScreen() (token.Encoding, error) {
	if a.screen.theme != "" && a.screen.theme != "auto" {
		if _, err := themes.Open(a.screen.theme, configHome()); err != nil {
			return 0, err
		}
	}
	if a.encoding == "" {
		return token.ForModel(""), nil
	}
	return token.ParseEncoding(a.encoding)
}

func (a *app) screenOptions(enc token.Encoding) screen.Options {
	set := a.config()
	home, _ := os.UserHomeDir()
	return screen.Options{
		Yield:          a.Yield,
		Compare:        a.screen.compare,
		CompareFolders: a.screen.folders,
		Theme:          cmp.Or(a.screen.theme, set.Theme),
		Themes:         func(name string) (themes.Theme, error) { return themes.Open(name, configHome()) },
		NoColor:        a.screen.color == "never" || a.screen.color == "auto" && a.Env("NO_COLOR") != "",
		Color:          a.screen.color == "always",
		ASCII:          a.screen.ascii,
		UTC:            a.utc,
		Filter:         a.filter,
		At:             a.at,
		Follow:         a.screen.follow || set.Follow,
		Keys:           set.Bind(ui.Commands()),
		Times:          set.Time,
		Columns:        set.Columns,
		Labels:         a.labels(),
		LabelWords:     set.Labels,
		Notice:         notice(set),
		StateDir:       a.stateDir(),
		Home:           home,
		Encoding:       enc.String(),
		Counter:        func() query.TokenCounter { return token.New(enc) },
		Pictures:       a.Env("SSH_CONNECTION") == "" && a.Env("SSH_TTY") == "", // a picture is much for a slow line
		Display:        a.Env("DISPLAY") != "" || a.Env("WAYLAND_DISPLAY") != "" || a.Env("TMUX") != "" || runtime.GOOS == "darwin" && a.Env("SSH_TTY") == "",
	}
}
