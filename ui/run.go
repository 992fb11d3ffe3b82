package ui

import (
	"context"
	"errors"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"turns/ui/paint"
	"turns/ui/screen"
	"turns/ui/transcripts"
)

// Run shows a feed until the reader quits.
func Run(ctx context.Context, feed transcripts.Feed, o screen.Options) error {
	var cancel context.CancelFunc
	// background work on a list ends with the screen
	o.Context, cancel = context.WithCancel(o.BaseContext())
	defer cancel()
	return newApp(ctx, feed, o).show(ctx)
}

// show runs the program until the reader quits or a fault ends it.
func (a *app) show(ctx context.Context) error {
	defer screen.KeepResponsive()()
	m, pace := idling(traced(a, a.h.Opts.Trace, time.Now))
	p := tea.NewProgram(m, a.programOptions(ctx)...)
	pace.of(p)
	done := goOn(p)
	last, err := p.Run()
	done()
	if b, ok := appOf(last); ok { // another session may have replaced it
		a = b
	}
	if a.broken != nil {
		err = a.broken
	} else {
		a.saveNow()
	}
	a.cancel()
	a.desk.Close()
	a.reading.Lock() // the feed may be closed only after its last read
	defer a.reading.Unlock()
	if errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

func (a *app) programOptions(ctx context.Context) []tea.ProgramOption {
	o := a.h.Opts
	opts := []tea.ProgramOption{
		// a signal ends the context
		tea.WithFPS(frameRate), tea.WithFilter(sumWheel), tea.WithContext(ctx),
		// Bubble Tea's handler blocks forever if a signal arrives after the program has ended
		tea.WithoutSignalHandler(),
	}
	switch {
	// colorprofile parses NO_COLOR as a boolean, so "NO_COLOR=yes" needs this case
	case o.NoColor:
		opts = append(opts, tea.WithColorProfile(colorprofile.ASCII))
	case o.Color:
		opts = append(opts, tea.WithColorProfile(colorprofile.TrueColor))
	}
	if o.Input != nil {
		opts = append(opts, tea.WithInput(o.Input))
	}
	if o.Output != nil {
		opts = append(opts, tea.WithOutput(o.Output))
	}
	if o.Env != nil {
		opts = append(opts, tea.WithEnvironment(o.Env))
	}
	if o.Width > 0 && o.Height > 0 {
		opts = append(opts, tea.WithWindowSize(o.Width, o.Height))
	}
	return opts
}

// retheme draws in other colours if news of the terminal changed them.
func (a *app) retheme() {
	if a.theme(&a.h.Opts) != a.h.Styles.Theme {
		a.setTheme()
	}
}

// setTheme draws in the theme of the options and the terminal.
func (a *app) setTheme() {
	gen := 0
	if a.h.Styles != nil {
		gen = a.h.Styles.Gen + 1
	}
	a.h.SetStyles(paint.NewStyles(a.theme(&a.h.Opts), a.h.Opts.NoColor, gen))
	a.list.Redraw()
}

// complain shows why an action is not possible.
func (a *app) complain(text string) tea.Cmd {
	a.showStatusIn(paint.InkWarning, text)
	a.list.Moved()
	return nil
}

func isEOF(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) }
