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

// wentOnMsg reports that the program continues after a stop from outside. turns takes the terminal
// back as it does after a command.
type wentOnMsg struct{}

// backMsg reports that resumeTime has passed since the program continued after a stop by a key.
type backMsg struct{}

// resumeTime is how long SIGCONT is ignored after a stop by a key.
const resumeTime = 500 * time.Millisecond

// drawAgain releases the terminal for a moment and takes it back with a full redraw.
//
// Bubble Tea (2.0.9 to 2.1.1) stops its ticker in the drawing goroutine. If the terminal returns
// before that goroutine has run, it stops the new ticker, and the screen is never drawn again. The
// moment lets the goroutine finish first.
func drawAgain() tea.Cmd {
	return tea.Exec(moment{}, func(error) tea.Msg { return tea.ClearScreen() })
}

// moment is a command that takes 50 ms.
type moment struct{}

func (moment) Run() error          { time.Sleep(50 * time.Millisecond); return nil }
func (moment) SetStdin(io.Reader)  {}
func (moment) SetStdout(io.Writer) {}
func (moment) SetStderr(io.Writer) {}

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

// theme returns the theme to draw. The automatic theme leaves the terminal its background. A theme
// selected by name must be readable on any: it paints its own background if the terminal's differs
// or is unknown.
func (a *app) theme() themes.Theme {
	o := &a.h.Opts
	t := o.ThemeFor(a.isDark)
	if auto := o.Theme == "" || o.Theme == "auto"; !auto && (a.behind == nil && !t.ANSI || a.behind != nil && !t.ReadableOn(a.behind)) {
		t = t.Grounded()
	}
	if a.indexed {
		return t.Indexed()
	}
	return t
}

// retheme draws in other colours if news of the terminal changed them.
func (a *app) retheme() {
	if t := a.theme(); t != a.h.Styles.Theme {
		a.setTheme(t)
	}
}

func (a *app) setTheme(t themes.Theme) {
	gen := 0
	if a.h.Styles != nil {
		gen = a.h.Styles.Gen + 1
	}
	a.h.SetStyles(paint.NewStyles(t, a.h.Opts.NoColor, gen))
	a.list.Redraw()
}

// showText shows a text in the status line for sayTime.
func (a *app) showText(text string) { a.showStatusIn(paint.InkText, text) }

func (a *app) showStatusIn(ink paint.Ink, text string) {
	a.status, a.statusInk = paint.OneLine(text), ink
	a.statusGen++
}

// hush clears the text of say.
func (a *app) hush() { a.status = "" }

// complain is say for an action that is not possible.
func (a *app) complain(text string) tea.Cmd {
	a.showStatusIn(paint.InkWarning, text)
	a.list.Moved()
	return nil
}

// statusTime is how long a text stays in the status line.
const statusTime = 6 * time.Second

func isEOF(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) }
