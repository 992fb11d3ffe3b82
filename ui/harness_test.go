package ui

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/vt"

	"turns/model"
	"turns/model/modeltest"
	"turns/query/lang"
	"turns/query/many"
	"turns/query/runs"
	"turns/query/trials"
	"turns/ui/screen"
	"turns/ui/transcripts"
)

// giveUp is the timeout of waits in tests.
const giveUp = time.Minute

// terminal records its output and signals new output. vt.SafeEmulator does not guard String, so
// terminal locks it.
type terminal struct {
	mu    sync.Mutex
	em    *vt.Emulator
	wrote chan struct{} // closed by the next write
}

func newTerminal(w, h int) *terminal {
	return &terminal{em: vt.NewEmulator(w, h), wrote: make(chan struct{})}
}

func (s *terminal) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	// no tty translates LF to CRLF
	_, err := s.em.Write(bytes.ReplaceAll(p, []byte("\n"), []byte("\r\n")))
	close(s.wrote)
	s.wrote = make(chan struct{})
	return len(p), err
}

func (s *terminal) String() string {
	text, _ := s.look()
	return text
}

// look returns the text on the screen, and a channel closed at its next change.
func (s *terminal) look() (text string, changed <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.em.String(), s.wrote
}

// until waits until the screen satisfies a condition.
func (s *terminal) until(t testing.TB, what string, ok func(string) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), giveUp)
	defer cancel()
	for {
		text, changed := s.look()
		if ok(text) {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			t.Fatalf("the screen %s:\n%s", what, text)
		}
	}
}

// driver operates the program through a terminal.
type driver struct {
	t    *testing.T
	scr  *terminal
	prog *tea.Program
	done chan error
}

// testOptions are the options of every test, independent of the clock, the zone and the terminal.
func testOptions() screen.Options {
	return screen.Options{
		Theme: "dark", UTC: true, Env: []string{"TERM=xterm-256color", "COLORTERM=truecolor"},
		Now: func() time.Time { return sampleStart.Add(time.Hour) },
	}
}

// drive starts the program in a terminal of w×h cells.
func drive(t *testing.T, snap *model.Snapshot, w, h int) *driver {
	t.Helper()
	return driveFeed(t, transcripts.StaticFeed("/tmp/8463c716.jsonl", snap), testOptions(), w, h)
}

func driveFeed(t *testing.T, feed transcripts.Feed, o screen.Options, w, h int) *driver {
	t.Helper()
	return driveTo(t, feed, o, w, h, io.Discard)
}

// driveTo is driveFeed with a copy of all output to the terminal.
func driveTo(t *testing.T, feed transcripts.Feed, o screen.Options, w, h int, tape io.Writer) *driver {
	t.Helper()
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	scr := newTerminal(w, h)
	pr, pw := io.Pipe()
	go func() { _, _ = io.Copy(pw, scr.em) }() // the terminal's responses become input
	d := &driver{t: t, scr: scr, done: make(chan error, 1)}
	var cancel context.CancelFunc
	o.Context, cancel = context.WithCancel(o.BaseContext())
	t.Cleanup(cancel) // at the end, as in Run
	a := newApp(context.Background(), feed, o)
	d.prog = tea.NewProgram(a, tea.WithInput(pr), tea.WithOutput(io.MultiWriter(scr, tape)), tea.WithWindowSize(w, h), tea.WithoutSignals(), tea.WithFPS(frameRate),
		tea.WithColorProfile(colorprofile.TrueColor), tea.WithEnvironment(o.Env))
	go func() {
		last, err := d.prog.Run()
		if b, ok := last.(*app); ok { // another session may have replaced it
			b.cancel()
		}
		d.done <- err
	}()
	t.Cleanup(func() {
		d.prog.Quit()
		select {
		case <-d.done:
		case <-time.After(giveUp):
			t.Error("the program did not stop")
		}
		a.cancel()
		a.reading.Lock()
		defer a.reading.Unlock()
		_ = scr.em.InputPipe().(io.Closer).Close() // Emulator.Close races with Read
		_ = pr.Close()
	})
	return d
}

// Press presses keys, separated by spaces: "e j ctrl+d".
func (d *driver) Press(keys string) *driver {
	for k := range strings.FieldsSeq(keys) {
		d.prog.Send(keyPress(k))
	}
	return d
}

// Type types a text.
func (d *driver) Type(text string) *driver {
	for _, r := range text {
		d.prog.Send(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
	return d
}

// Resize changes the size of the terminal.
func (d *driver) Resize(w, h int) *driver {
	d.scr.mu.Lock()
	d.scr.em.Resize(w, h)
	d.scr.mu.Unlock()
	d.prog.Send(tea.WindowSizeMsg{Width: w, Height: h})
	return d
}

// WaitFor waits until the screen contains a text.
func (d *driver) WaitFor(text string) *driver {
	d.t.Helper()
	d.until("does not show "+text, func(s string) bool { return strings.Contains(s, text) })
	return d
}

// WaitGone waits until the screen no longer contains a text.
func (d *driver) WaitGone(text string) *driver {
	d.t.Helper()
	d.until("still shows "+text, func(s string) bool { return !strings.Contains(s, text) })
	return d
}

// Selected waits until the cursor is on a row with a text.
func (d *driver) Selected(text string) *driver {
	d.t.Helper()
	d.until("does not have selected "+text, func(s string) bool {
		for line := range strings.SplitSeq(s, "\n") {
			if strings.HasPrefix(line, "›") && strings.Contains(line, text) {
				return true
			}
		}
		return false
	})
	return d
}

func (d *driver) until(what string, ok func(string) bool) {
	d.t.Helper()
	d.scr.until(d.t, what, ok)
}

// keyPress returns a key by name.
func keyPress(name string) tea.KeyPressMsg {
	k := screen.KeyPress(name)
	if strings.Contains(name, " ") || k.Text != "" && name != "space" && name[0] != ':' && utf8.RuneCountInString(name) != 1 {
		// two keys need the form "z R", otherwise the test would press none
		panic(fmt.Sprintf("no key is called %q", name))
	}
	return k
}

// told is a feed without further updates.
type told struct{}

func (told) Next(context.Context) (transcripts.State, error) { return transcripts.State{}, io.EOF }

// bench is the app without a program: messages and the results of its commands go through Update
// immediately. Timers are dropped.
type bench struct {
	a *app
	t testing.TB
}

func newBench(t testing.TB, snap *model.Snapshot, o screen.Options, w, h int) *bench {
	o.Width, o.Height = w, h
	if o.Dir == "" {
		o.Dir = t.TempDir() // for exports
	}
	var cancel context.CancelFunc
	o.Context, cancel = context.WithCancel(o.BaseContext())
	b := &bench{a: newApp(context.Background(), told{}, o), t: t}
	t.Cleanup(func() {
		b.a.cancel()
		cancel()
	})
	b.a.h.Timer = func(_ time.Duration, msg tea.Msg) tea.Cmd {
		switch msg.(type) {
		case answersDueMsg, netDueMsg:
			return func() tea.Msg { return msg }
		}
		return nil
	}
	// frames must not depend on the speed of the machine
	b.a.h.Bodies.Budget = time.Hour
	// the terminal's background suits the theme
	b.send(tea.BackgroundColorMsg{Color: lipgloss.Color(o.ThemeFor(true).Backdrop)})
	b.send(tea.WindowSizeMsg{Width: w, Height: h})
	b.send(updateMsg{b.a.feed, transcripts.State{Snap: snap, Indexed: 1, Path: "/tmp/8463c716.jsonl", Bytes: 2_900_000}, nil})
	return b
}

// send passes a message to the app and runs all resulting commands.
func (b *bench) send(msg tea.Msg) {
	queue := []tea.Msg{msg}
	for n := 0; len(queue) > 0; n++ {
		if n > 5000 {
			b.t.Fatalf("commands do not come to an end: %T %+.200v", queue[0], queue[0])
		}
		m := queue[0]
		queue = queue[1:]
		model, cmd := b.a.Update(m)
		b.a = model.(*app)
		queue = append(queue, b.run(cmd)...)
	}
}

func (b *bench) run(cmd tea.Cmd) []tea.Msg {
	if cmd == nil {
		return nil
	}
	switch msg := cmd().(type) {
	case nil, updateMsg: // the feed has no more updates
		return nil
	case tea.BatchMsg:
		var all []tea.Msg
		for _, c := range msg {
			all = append(all, b.run(c)...)
		}
		return all
	default:
		return []tea.Msg{msg}
	}
}

// press presses keys, separated by spaces.
func (b *bench) press(keys string) {
	for k := range strings.FieldsSeq(keys) {
		b.send(keyPress(k))
	}
}

// frame returns the View.
func (b *bench) frame() string { return b.a.View().Content }

// golden compares with a file in testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	modeltest.Golden(t, path, got)
}

// fakeStore returns only the answers set by a test.
type fakeStore struct {
	watch       func(path string) (transcripts.Feed, error)
	watchNewest func(path string) (transcripts.Feed, error)
	list        func(context.Context, func(transcripts.Update)) error
	search      func(context.Context, []string, []*lang.Filter, func(transcripts.Found))
	run         func(context.Context, string, func(done, total int64)) (runs.DiffRun, error)
	runs        func(context.Context, string, func(done, total int64)) ([]runs.RunInfo, error)
	sum         func(path string) []*many.Run
	trouble     func(path string) transcripts.Problems
	threads     func(context.Context, string, func(done, total int64)) (*runs.ContinuityAnswer, error)
}

var errNotHere = errors.New("not here")

// fake returns the store of options, creating it if needed.
func fake(o *screen.Options) *fakeStore {
	l, ok := o.Store.(*fakeStore)
	if !ok {
		l = &fakeStore{}
		o.Store = l
	}
	return l
}

func (l *fakeStore) Watch(_ context.Context, path string) (transcripts.Feed, error) {
	if l.watch == nil {
		return nil, errNotHere
	}
	return l.watch(path)
}

func (l *fakeStore) WatchNewest(ctx context.Context, path string) (transcripts.Feed, error) {
	if l.watchNewest == nil {
		return l.Watch(ctx, path)
	}
	return l.watchNewest(path)
}

func (l *fakeStore) Trials(context.Context, transcripts.TrialsOptions, func(done, all int, a *transcripts.Answer[[]*many.Run]) bool) (*trials.Answer, error) {
	return nil, errNotHere
}

func (l *fakeStore) Fetch(context.Context, *model.Content) (string, error) {
	return "", errNotHere
}

func (l *fakeStore) List(ctx context.Context, tell func(transcripts.Update)) error {
	if l.list == nil {
		return nil
	}
	return l.list(ctx, tell)
}

func (l *fakeStore) Search(ctx context.Context, paths []string, filters []*lang.Filter, found func(transcripts.Found)) {
	if l.search != nil {
		l.search(ctx, paths, filters, found)
		return
	}
	for _, path := range paths {
		found(transcripts.Found{Path: path})
	}
}

func (l *fakeStore) Run(ctx context.Context, path string, progress func(done, total int64)) (runs.DiffRun, error) {
	if l.run == nil {
		return runs.DiffRun{}, errNotHere
	}
	return l.run(ctx, path, progress)
}

func (l *fakeStore) Runs(ctx context.Context, dir string, progress func(done, total int64)) ([]runs.RunInfo, error) {
	if l.runs == nil {
		return nil, errNotHere
	}
	return l.runs(ctx, dir, progress)
}

func (l *fakeStore) Totals(_ context.Context, paths []string, _ transcripts.TotalsOptions) iter.Seq[transcripts.Answer[[]*many.Run]] {
	return func(yield func(transcripts.Answer[[]*many.Run]) bool) {
		for _, path := range paths {
			a := transcripts.Answer[[]*many.Run]{Path: path, Err: errNotHere}
			if l.sum != nil {
				a.Answer, a.Err = l.sum(path), nil
			}
			if !yield(a) {
				return
			}
		}
	}
}

func (l *fakeStore) Problems(_ context.Context, paths []string) iter.Seq[transcripts.Answer[transcripts.Problems]] {
	return func(yield func(transcripts.Answer[transcripts.Problems]) bool) {
		for _, path := range paths {
			a := transcripts.Answer[transcripts.Problems]{Path: path, Err: errNotHere}
			if l.trouble != nil {
				a.Answer, a.Err = l.trouble(path), nil
			}
			if !yield(a) {
				return
			}
		}
	}
}

func (l *fakeStore) Threads(ctx context.Context, path string, progress func(done, total int64)) (*runs.ContinuityAnswer, error) {
	if l.threads == nil {
		return nil, errNotHere
	}
	return l.threads(ctx, path, progress)
}
