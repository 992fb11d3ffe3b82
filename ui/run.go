package ui

import (
	"context"
	"errors"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"

	"turns/themes"
	"turns/ui/paint"
	"turns/ui/screen"
	"turns/ui/transcripts"
)

// wentOnMsg says that the program goes on after it was stopped from outside: the
// terminal is taken as it is after a command had it.
type wentOnMsg struct{}

// backMsg says that a while has passed since the program was put aside with a key.
type backMsg struct{}

// resumeTime is how long after a stop that we asked for ourselves nobody else's is looked for.
const resumeTime = 500 * time.Millisecond

// drawAgain gives the terminal away for a moment and takes it back, with a whole frame.
//
// Bubble Tea (2.0.9 to 2.1.1) stops the ticker of its drawing in the goroutine that draws. Where
// the terminal comes back before that goroutine was run, it stops the ticker that was set anew, and
// nothing is drawn any more. The moment lets it come to its end first.
func drawAgain() tea.Cmd {
	return tea.Exec(moment{}, func(error) tea.Msg { return tea.ClearScreen() })
}

// moment is a command that is over after a twentieth of a second.
type moment struct{}

func (moment) Run() error          { time.Sleep(50 * time.Millisecond); return nil }
func (moment) SetStdin(io.Reader)  {}
func (moment) SetStdout(io.Writer) {}
func (moment) SetStderr(io.Writer) {}

// Run shows what a feed gives until the reader quits.
func Run(ctx context.Context, feed transcripts.Feed, o screen.Options) error {
	var cancel context.CancelFunc
	// a list that is made or searched ends with the screen
	o.Context, cancel = context.WithCancel(o.BaseContext())
	defer cancel()
	return newApp(ctx, feed, o).show(ctx)
}

// show runs the program until the reader quits, or until it cannot go on.
func (a *app) show(ctx context.Context) error {
	defer screen.KeepResponsive()()
	m, pace := idling(traced(a, a.h.Opts.Trace, time.Now))
	p := tea.NewProgram(m, a.programOptions(ctx)...)
	pace.of(p)
	done := goOn(p)
	last, err := p.Run()
	done()
	if b, ok := appOf(last); ok { // another session may have taken over
		a = b
	}
	if a.broken != nil {
		err = a.broken
	} else {
		a.saveNow()
	}
	a.cancel()
	a.desk.Close()
	a.reading.Lock() // the feed may be closed when nobody reads from it any more
	defer a.reading.Unlock()
	if errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// theme is what is drawn: by itself a theme leaves the terminal its background; one that was asked
// for by name is read on whatever it is, so it paints its own where the terminal's is another, or
// does not say what it is.
func (a *app) theme() themes.Theme {
	o := &a.h.Opts
	t := o.ThemeFor(a.isDark)
	switch {
	case o.Theme == "" || o.Theme == "auto":
		return t
	case a.behind == nil && !t.ANSI, a.behind != nil && !t.ReadableOn(a.behind):
		return t.Grounded()
	}
	return t
}

func (a *app) setTheme(t themes.Theme) {
	gen := 0
	if a.h.Styles != nil {
		gen = a.h.Styles.Gen + 1
	}
	a.h.SetStyles(paint.NewStyles(t, a.h.Opts.NoColor, gen))
	a.list.Redraw()
}

// say puts a line into the status line for some seconds.
func (a *app) say(text string) { a.sayIn(paint.InkText, text) }

func (a *app) sayIn(ink paint.Ink, text string) {
	a.said, a.sayInk = paint.OneLine(text), ink
	a.sayGen++
}

// hush takes away what stands there.
func (a *app) hush() { a.said = "" }

// complain is say for what could not be done.
func (a *app) complain(text string) tea.Cmd {
	a.sayIn(paint.InkWarning, text)
	return a.list.Moved()
}

// sayTime is how long a line stays in the status line.
const sayTime = 6 * time.Second

func isEOF(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) }
