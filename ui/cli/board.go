package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"turns/model"
	"turns/query/session"
	"turns/ui/board"
	"turns/ui/cli/help"
	"turns/ui/transcripts"
)

// boardFlags select how a list is updated, and when turns notifies.
type boardFlags struct {
	follow, notify, status, shell bool
	on, exec                      string
}

func (f *boardFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVarP(&f.follow, "follow", "f", false, "Update the list: a live screen on a terminal, otherwise a line for each change")
	flags.BoolVar(&f.status, "status", false, "Print the states of all sessions in one short line, for tmux or a prompt; with -f whenever it changes")
	flags.StringVar(&f.on, "on", "", "With -f, notify when a session gets into one of `STATES`")
	annotate(flags.Lookup("on"), help.FlagValues, strings.Split(board.TriggerNames, ", ")...)
	flags.BoolVar(&f.notify, "notify", false, "Notify through the terminal, with a bell")
	flags.StringVar(&f.exec, "exec", "", "Notify by running `COMMAND` with JSON on its standard input, without a shell")
	flags.BoolVar(&f.shell, "shell", false, "Run the command of --exec with sh -c")
}

// triggers returns the triggers of notifications, none without these flags.
func (f *boardFlags) triggers() ([]board.Trigger, error) {
	var list []board.Trigger
	if f.on != "" {
		var err error
		if list, err = board.ParseTriggers(f.on); err != nil {
			return nil, hinted{fmt.Errorf("--on %q: %w", f.on, err), "turns ls -f --on waiting,error --notify"}
		}
	}
	switch {
	case f.on == "" && !f.notify && f.exec == "":
		return nil, nil
	case !f.follow:
		return nil, hinted{errors.New("--on, --notify and --exec need -f"), "turns ls -f --on waiting --notify"}
	case f.on != "" && !f.notify && f.exec == "":
		return nil, hinted{errors.New("--on needs --notify or --exec COMMAND"), "turns ls -f --on " + f.on + " --notify"}
	case f.on == "":
		return board.ParseTriggers(board.DefaultTriggers)
	}
	return list, nil
}

// watch is a list of sessions with live updates.
type watch struct {
	app      *app
	flags    *boardFlags
	board    *board.Board
	alerts   *board.Alerts
	commands *board.Commands // nil: none
	tty      io.Writer       // for notifications; nil: none
	listed   bool            // the first list is complete, so later changes are news
	status   string          // last written line
}

// watch lists the sessions of some folders and updates the list.
func (a *app) watch(ctx context.Context, f *boardFlags, w io.Writer, dirs []string, filter *session.Filter) error {
	triggers, err := f.triggers()
	if err != nil {
		return err
	}
	for _, t := range filter.Unanswered() {
		if !session.Answers(t) {
			return hinted{errors.New("-f does not read messages, so --where cannot ask about them"), "with -f, --where accepts project:, title:, agent:, model:, end:, after:, tokens:, is:error, is:live and words"}
		}
	}
	a.goesOn()
	lib, err := a.library(dirs...)
	if err != nil {
		return err
	}
	defer lib.Close()
	x := &watch{app: a, flags: f, board: board.New(func(s *session.Session) bool { return filter.Holds(s, nil) == session.Yes })}
	prices, err := a.prices()
	if err != nil {
		a.complain(err)
	}
	x.alerts = board.NewAlerts(triggers, x.board.At, board.Costs{Session: a.costOf(ctx, prices), Day: a.costOfDay(ctx, prices, x.board.All)})
	if f.exec != "" {
		argv := strings.Fields(f.exec)
		if f.shell {
			argv = []string{"sh", "-c", f.exec}
		}
		x.commands = board.NewCommands(ctx, board.ExecFor, runWith(argv), func(err error) { printError(a.Err, err) })
		defer x.commands.Close()
	}
	if f.notify {
		if tty, err := os.OpenFile("/dev/tty", os.O_WRONLY, 0); err == nil {
			defer tty.Close()
			x.tty = tty
		} else if a.Terminal {
			x.tty = a.Out
		}
	}
	if a.Terminal && !a.json && !f.status && a.out == "" {
		a.color = "auto"
		if len(triggers) > 0 { // also while a session is open, when the screen has no list
			own, err := a.library(dirs...)
			if err != nil {
				return err
			}
			defer own.Close()
			defer x.notifyMeanwhile(ctx, own)()
		}
		return a.runScreen(ctx, lib, nil)
	}
	return x.run(ctx, w, lib)
}

// run writes changes until ctx ends. Without a writer it only notifies.
func (x *watch) run(ctx context.Context, w io.Writer, lib *transcripts.Store) error {
	news, failed := make(chan transcripts.Update), make(chan error, 1)
	go func() {
		failed <- lib.List(ctx, func(n transcripts.Update) {
			select {
			case news <- n:
			case <-ctx.Done():
			}
		})
	}()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		var changes []board.Change
		now := time.Now()
		select {
		case err := <-failed:
			return err
		case n := <-news:
			changes = x.take(n, now)
		case <-tick.C:
			changes = x.board.Tick(now)
			x.alert(changes, now)
		}
		if w == nil {
			continue
		}
		if err := x.write(w, changes, now); err != nil {
			return err
		}
	}
}

// take applies an update to the board, notifies of changes, and returns them.
func (x *watch) take(n transcripts.Update, now time.Time) []board.Change {
	changes := x.board.Take(n.Sessions, n.Gone, now)
	x.alert(changes, now)
	x.listed = x.listed || n.Listed
	return changes
}

// notifyMeanwhile sends notifications while the screen runs, until stop is called.
func (x *watch) notifyMeanwhile(ctx context.Context, lib *transcripts.Store) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = x.run(ctx, nil, lib) // the screen reports errors of the list
	}()
	return func() {
		cancel()
		<-done
	}
}

// alert notifies of changes, once the list is complete.
func (x *watch) alert(changes []board.Change, now time.Time) {
	if !x.listed {
		return
	}
	for _, alert := range x.alerts.Of(changes, now.In(x.app.zone())) {
		if x.tty != nil {
			// a closed terminal shows no notification
			_, _ = io.WriteString(x.tty, board.Sequence(alert.Words(), x.app.Env))
		}
		if x.commands != nil {
			x.commands.Queue(alert)
		}
	}
}

// write writes changes, one per line, or the states of all sessions.
func (x *watch) write(w io.Writer, changes []board.Change, now time.Time) error {
	if x.flags.status {
		line := x.board.Status(now.In(x.app.zone()))
		if !x.listed || line == x.status {
			return nil
		}
		x.status = line
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
		return flushed(w)
	}
	for i := range changes {
		c := &changes[i]
		err := error(nil)
		if x.app.json {
			err = writeJSONLine(w, c.Row())
		} else {
			words := c.State().Words()
			if c.Op == "remove" {
				words = "gone"
			}
			_, err = fmt.Fprintf(w, "%s  %-8s  %s  %s  %s  %s\n", now.In(x.app.zone()).Format("15:04:05"), c.Stage,
				model.CleanLine(words), c.AgentName(), c.Warned(), model.CleanLine(c.Path))
		}
		if err != nil {
			return err
		}
	}
	if len(changes) == 0 {
		return nil
	}
	return flushed(w)
}

// listStatus writes the states of the sessions of some folders, once.
func (a *app) listStatus(ctx context.Context, w io.Writer, dirs []string, filter *session.Filter) error {
	lib, err := a.library(dirs...)
	if err != nil {
		return err
	}
	defer lib.Close()
	list, err := lib.Sessions(ctx, false)
	if err != nil {
		return hintless(dirs, err)
	}
	now, rows := time.Now(), []session.Session(nil)
	for s, err := range lib.FilterSessions(ctx, list.Rows, filter) {
		if err == nil {
			rows = append(rows, s)
		}
	}
	b := board.New(func(*session.Session) bool { return true })
	b.Take(rows, nil, now)
	_, err = fmt.Fprintln(w, b.Status(now.In(a.zone())))
	return errors.Join(err, ctx.Err())
}

// runWith returns a function that runs a command with the alert on standard input.
func runWith(argv []string) func(ctx context.Context, in []byte) error {
	return func(ctx context.Context, in []byte) error {
		if len(argv) == 0 {
			return errors.New("--exec is empty")
		}
		cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
		var stderr bytes.Buffer
		cmd.Stdin, cmd.Stderr, cmd.WaitDelay = bytes.NewReader(in), &stderrHead{w: &stderr, left: 4 << 10}, time.Second
		if err := cmd.Run(); err != nil {
			if text := strings.TrimSpace(stderr.String()); text != "" {
				return fmt.Errorf("%w: %s", err, model.CleanLine(text))
			}
			return err
		}
		return nil
	}
}

// stderrHead passes on only the first bytes written to it.
type stderrHead struct {
	w    io.Writer
	left int
}

func (l *stderrHead) Write(p []byte) (int, error) {
	n := min(len(p), l.left)
	l.left -= n
	if _, err := l.w.Write(p[:n]); err != nil {
		return 0, err
	}
	return len(p), nil
}
