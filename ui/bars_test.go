package ui

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/glamour/v2"
	"github.com/charmbracelet/colorprofile"

	"turns/model"
	"turns/model/load"
	"turns/model/modeltest"
	"turns/ui/screen"
	"turns/ui/transcripts"
)

// The benchmarks in this file compare the screen with itself and with its foundation in one run, so
// that their figures are ratios that mean the same on every machine. TURNS_BENCH_BYTES sets the
// size of the large transcript.

// benchBytes returns the size of the large transcript.
func benchBytes() int64 {
	if n, err := strconv.ParseInt(os.Getenv("TURNS_BENCH_BYTES"), 10, 64); err == nil && n > 0 {
		return n
	}
	return 64 << 20
}

// benchFile writes a transcript, or uses that of TURNS_BENCH_FILE.
func benchFile(b testing.TB, size int64) string {
	b.Helper()
	if path := os.Getenv("TURNS_BENCH_FILE"); path != "" && size == benchBytes() {
		return path
	}
	f, err := os.Create(filepath.Join(b.TempDir(), "run.jsonl"))
	if err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriter(f)
	if _, err := modeltest.Transcript(w, size, 1); err != nil {
		b.Fatal(err)
	}
	if err := errors.Join(w.Flush(), f.Close()); err != nil {
		b.Fatal(err)
	}
	return f.Name()
}

// fileFeed feeds a file to the screen, as in the program.
type fileFeed struct {
	c    *load.Conversation
	path string
}

func openFeed(b testing.TB, path string) *fileFeed {
	b.Helper()
	c, err := load.Open(context.Background(), path, load.Options{Follow: true})
	if err != nil {
		b.Fatal(err)
	}
	return &fileFeed{c, path}
}

func (f *fileFeed) Next(ctx context.Context) (transcripts.State, error) {
	u, err := f.c.Next(ctx)
	if err != nil {
		return transcripts.State{}, err
	}
	return transcripts.State{Snap: u.Snap, Preview: u.Preview, Indexed: u.Indexed, Growing: u.Growing, Event: u.Event, Path: f.path, Bytes: u.Bytes}, nil
}

// tap is a terminal that records its input and the number of the current frame.
type tap struct {
	mu    sync.Mutex
	seen  bytes.Buffer
	bytes int           // without the titles of frames
	frame int           // number of the last frame, from its title
	at    time.Time     // of the last write
	wrote chan struct{} // closed by the next write
}

func newTap() *tap { return &tap{wrote: make(chan struct{})} }

func (t *tap) Write(p []byte) (int, error) {
	now := time.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.at = now
	t.bytes += len(p)
	for rest := p; ; {
		_, title, ok := bytes.Cut(rest, []byte(frameTitle))
		if !ok {
			break
		}
		end := bytes.IndexByte(title, '\a')
		t.frame, _ = strconv.Atoi(string(title[:end]))
		t.bytes -= len(frameTitle) + end + 1
		rest = title[end:]
	}
	if t.seen.Len() < 1<<20 {
		t.seen.Write(p)
	}
	close(t.wrote)
	t.wrote = make(chan struct{})
	return len(p), nil
}

func (t *tap) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.bytes
}

// until waits until the output satisfies a condition, and returns the time of the write that
// satisfied it.
func (t *tap) until(b testing.TB, ok func() bool) time.Time {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), giveUp)
	defer cancel()
	for {
		t.mu.Lock()
		met, at, changed := ok(), t.at, t.wrote
		t.mu.Unlock()
		if met {
			return at
		}
		select {
		case <-changed:
		case <-ctx.Done():
			b.Fatal("nothing was drawn")
		}
	}
}

func (t *tap) shows(b testing.TB, text string) time.Time {
	return t.until(b, func() bool { return bytes.Contains(t.seen.Bytes(), []byte(text)) })
}

// barsProgram is a program that draws to a tap. It numbers its messages, and the title of the frame
// after a message is its number.
type barsProgram struct {
	*tap
	b    testing.TB
	prog *tea.Program
	obs  *observed
	n    int
	done chan struct{}
	keep io.Closer
}

const frameTitle = "\x1b]2;frame "

// numbered is a message with the number of the frame that shows its effect.
type numbered struct {
	msg tea.Msg
	n   int
}

// observed is a state of the model to wait for.
type observed struct {
	mu  sync.Mutex
	ok  func(tea.Model) bool
	met chan struct{}
}

// watched is an observed model.
type watched struct {
	tea.Model
	obs *observed
	n   int
}

func (m watched) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if s, ok := msg.(numbered); ok {
		m.n, msg = s.n, s.msg
	}
	var cmd tea.Cmd
	if msg != nil {
		m.Model, cmd = m.Model.Update(msg)
	}
	m.obs.mu.Lock()
	defer m.obs.mu.Unlock()
	if m.obs.ok != nil && m.obs.ok(m.Model) {
		close(m.obs.met)
		m.obs.ok = nil
	}
	return m, cmd
}

func (m watched) View() tea.View {
	v := m.Model.View()
	v.WindowTitle = "frame " + strconv.Itoa(m.n)
	return v
}

func start(b testing.TB, m tea.Model, w, h int) *barsProgram {
	pr, pw := io.Pipe()
	s := &barsProgram{tap: newTap(), b: b, obs: &observed{}, done: make(chan struct{}), keep: pw}
	seen, pace := idling(watched{Model: m, obs: s.obs})
	s.prog = tea.NewProgram(seen, tea.WithInput(pr), tea.WithOutput(s.tap), tea.WithWindowSize(w, h), tea.WithoutSignals(),
		tea.WithFPS(frameRate), tea.WithColorProfile(colorprofile.TrueColor), tea.WithEnvironment(testOptions().Env))
	pace.of(s.prog)
	go func() {
		defer close(s.done)
		defer screen.KeepResponsive()()
		_, _ = s.prog.Run()
	}()
	return s
}

func (s *barsProgram) stop() {
	s.prog.Quit()
	<-s.done
	_ = s.keep.Close()
}

// send sends a message, waits for the frame that shows its effect and returns the duration.
func (s *barsProgram) send(msg tea.Msg) time.Duration {
	s.n++
	sent := time.Now()
	s.prog.Send(numbered{msg, s.n})
	return s.until(s.b, func() bool { return s.frame >= s.n }).Sub(sent)
}

func (s *barsProgram) press(key string) time.Duration { return s.send(keyPress(key)) }

// await waits for a state of the app, and for its frame.
func (s *barsProgram) await(ok func(a *app) bool) {
	s.b.Helper()
	met := make(chan struct{})
	s.obs.mu.Lock()
	s.obs.met, s.obs.ok = met, func(m tea.Model) bool { return ok(m.(*app)) }
	s.obs.mu.Unlock()
	s.send(nil) // it may be true already
	select {
	case <-met:
	case <-time.After(giveUp):
		s.b.Fatal("the screen does not come to rest")
	}
	s.send(nil)
}

// settled waits until the file is indexed and everything computed.
func (s *barsProgram) settled() { s.await((*app).settled) }

func (a *app) settled() bool {
	return a.h.Snap != nil && !a.h.State.Preview && a.h.State.Indexed >= 1 && a.h.Stats != nil && a.list.Outline.Ready &&
		!a.answers.busy && !a.answers.stale && !a.answers.counting && !a.filtering.busy && len(a.h.Described.Asked) == 0
}

func benchApp(feed transcripts.Feed, o screen.Options) *app {
	o.Theme, o.Encoding = "dark", ""
	return newApp(context.Background(), feed, o)
}

// closed ends an app and closes its file.
func (f *fileFeed) closed(a *app) {
	a.cancel()
	a.reading.Lock() // waits until no reader uses the feed
	defer a.reading.Unlock()
	_ = f.c.Close()
}

// empty is a program that does nothing.
type empty struct{}

func (empty) Init() tea.Cmd                         { return nil }
func (e empty) Update(tea.Msg) (tea.Model, tea.Cmd) { return e, nil }
func (empty) View() tea.View {
	v := tea.NewView("›")
	v.AltScreen = true
	return v
}

// BenchmarkFirstFrame measures from before the file is opened to the first frame with a row of it.
func BenchmarkFirstFrame(b *testing.B) {
	large, small := benchFile(b, benchBytes()), benchFile(b, 1<<10)
	first := func(m func() (tea.Model, func())) time.Duration {
		began := time.Now()
		mod, closed := m()
		s := start(b, mod, 120, 40)
		defer closed()
		defer s.stop()
		return s.shows(b, "›").Sub(began)
	}
	of := func(path string) func() (tea.Model, func()) {
		return func() (tea.Model, func()) {
			f := openFeed(b, path)
			a := benchApp(f, screen.Options{})
			return a, func() { f.closed(a) }
		}
	}
	for b.Loop() {
		var all [3][]time.Duration
		for range 31 { // alternately, so that other load on the machine affects both
			all[0] = append(all[0], first(func() (tea.Model, func()) { return empty{}, func() {} }))
			all[1] = append(all[1], first(of(small)))
			all[2] = append(all[2], first(of(large)))
		}
		none, s, l := millis(all[0], 0.5), millis(all[1], 0.5), millis(all[2], 0.5)
		b.ReportMetric(l, "ms/large")
		b.ReportMetric(s, "ms/1kB")
		b.ReportMetric(none, "ms/empty")
		b.ReportMetric(l/s, "large/1kB")
		b.ReportMetric(l/none, "large/empty")
	}
}

// millis returns a quantile of durations in milliseconds.
func millis(all []time.Duration, q float64) float64 {
	slices.Sort(all)
	return all[int(q*float64(len(all)-1))].Seconds() * 1000
}

// BenchmarkJump measures from a key to the frame that shows its effect, for jumps to anywhere, also
// while indexing. For comparison it measures an empty program next to as many busy processes as
// there are cores.
func BenchmarkJump(b *testing.B) {
	path := benchFile(b, benchBytes())
	const samples = 300
	rested := func() (all []time.Duration) {
		f := openFeed(b, path)
		a := benchApp(f, screen.Options{})
		s := start(b, a, 120, 40)
		defer f.closed(a)
		defer s.stop()
		s.settled()
		r, at := rand.New(rand.NewPCG(1, 2)), 0
		for range samples {
			at = (at + 10 + r.IntN(80)) % 100 // never the current place
			for _, digit := range strconv.Itoa(at + 1) {
				s.press(string(digit))
			}
			all = append(all, s.press("%"))
		}
		return all
	}
	indexing := func() (all []time.Duration) {
		for len(all) < samples {
			f := openFeed(b, path)
			a := benchApp(f, screen.Options{})
			s := start(b, a, 120, 40)
			var whole atomic.Bool
			s.await(func(a *app) bool { return a.h.Snap != nil })
			s.obs.mu.Lock()
			s.obs.met, s.obs.ok = make(chan struct{}), func(m tea.Model) bool {
				whole.Store(m.(*app).h.State.Indexed >= 1)
				return false
			}
			s.obs.mu.Unlock()
			for n := 0; !whole.Load(); n++ {
				all = append(all, s.press([]string{"G", "g"}[n%2]))
			}
			s.stop()
			f.closed(a)
		}
		return all
	}
	floor := func() (all []time.Duration) {
		for range runtime.NumCPU() {
			busy := exec.Command("sh", "-c", "while :; do :; done")
			if err := busy.Start(); err != nil {
				b.Fatal(err)
			}
			defer func() { _ = busy.Process.Kill(); _ = busy.Wait() }()
		}
		s := start(b, empty{}, 120, 40)
		defer s.stop()
		for range samples {
			all = append(all, s.press("g"))
		}
		return all
	}
	frame := 1000.0 / frameRate
	for b.Loop() {
		all := rested()
		b.ReportMetric(millis(all, 0.5)/frame, "frames/p50")
		b.ReportMetric(millis(all, 0.99)/frame, "frames/p99")
		all = indexing()
		b.ReportMetric(millis(all, 0.5)/frame, "frames/p50-indexing")
		b.ReportMetric(millis(all, 0.99)/frame, "frames/p99-indexing")
		b.ReportMetric(millis(floor(), 0.99)/frame, "frames/p99-empty-beside-work")
	}
}

// BenchmarkScrollBytes compares the output for scrolling by one line with that of a full repaint,
// at 200×50, with similar rows and with those of a transcript.
func BenchmarkScrollBytes(b *testing.B) {
	f := openFeed(b, benchFile(b, 4<<20))
	defer f.c.Close()
	for _, of := range []struct {
		name string
		feed transcripts.Feed
	}{{"alike", transcripts.StaticFeed("/tmp/run.jsonl", longRun(5000))}, {"transcript", f}} {
		b.Run(of.name, func(b *testing.B) {
			o := testOptions()
			o.Encoding = ""
			a := newApp(context.Background(), of.feed, o)
			a.h.Bodies.Budget = time.Hour // the visible rows do not depend on the machine
			s := start(b, a, 200, 50)
			defer a.cancel()
			defer s.stop()
			s.settled()
			s.press("M")
			sends := func(key string, n int) float64 {
				bytes := 0
				for range n {
					from := s.count()
					s.press(key)
					bytes += s.count() - from
					s.settled()
				}
				return float64(bytes) / float64(n)
			}
			repaint := func() float64 {
				from := s.count()
				s.prog.Send(tea.ClearScreen())
				s.send(nil)
				return float64(s.count() - from)
			}
			for b.Loop() {
				sends("ctrl+e", 5)
				line, cursor, all := sends("ctrl+e", 20), sends("j", 20), repaint()
				b.ReportMetric(line, "bytes/line")
				b.ReportMetric(cursor, "bytes/cursor")
				b.ReportMetric(all, "bytes/repaint")
				b.ReportMetric(all/line, "repaint/line")
				// terminals scroll full lines, which does not help next to a fixed column
				s.press("Z")
				line, all = sends("ctrl+e", 20), repaint()
				b.ReportMetric(line, "bytes/line-alone")
				b.ReportMetric(all/line, "repaint/line-alone")
				s.press("Z")
			}
		})
	}
}

// BenchmarkAppend measures from the write of a record to the frame that shows it, for a small file
// and a large one.
func BenchmarkAppend(b *testing.B) {
	line := `{"type":"user","uuid":"n%d","sessionId":"s","timestamp":"2026-02-11T22:31:35.739Z","message":{"role":"user","content":"%s"}}` + "\n"
	shown := func(path string) float64 {
		f := openFeed(b, path)
		a := benchApp(f, screen.Options{Follow: true})
		s := start(b, a, 120, 40)
		defer f.closed(a)
		defer s.stop()
		s.settled()
		out, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			b.Fatal(err)
		}
		defer out.Close()
		var all []time.Duration
		for n := range 40 {
			// it shares no cell with the row before
			text := strings.Repeat(string(rune('À'+n)), 12)
			sent := time.Now()
			if _, err := fmt.Fprintf(out, line, n, text); err != nil {
				b.Fatal(err)
			}
			all = append(all, s.shows(b, text).Sub(sent))
			s.settled()
		}
		return millis(all, 0.5)
	}
	if os.Getenv("TURNS_BENCH_FILE") != "" {
		b.Skip("does not append to a file of yours")
	}
	large, small := benchFile(b, benchBytes()), benchFile(b, 4<<10)
	for b.Loop() {
		s, l := shown(small), shown(large)
		b.ReportMetric(s, "ms/small")
		b.ReportMetric(l, "ms/large")
		b.ReportMetric(l/(1000.0/frameRate), "frames/large")
	}
}

// BenchmarkMarkdown compares the first screen of a message of a megabyte with glamour rendering all
// of it.
func BenchmarkMarkdown(b *testing.B) {
	var text strings.Builder
	for i := 0; text.Len() < 1<<20; i++ {
		fmt.Fprintf(&text, "## Part %d\n\nSome *words* about `code` and more, so that a paragraph has a few lines to wrap on any screen there is.\n\n```go\nfunc f%d() int { return %d }\n```\n\n- one\n- two\n\n", i, i, i)
	}
	snap := model.FromMessages([]model.Message{say(model.User, 0, words("go")), say(model.Assistant, 1, words(text.String()))})
	for b.Loop() {
		t := newBench(b, snap, testOptions(), 120, 40)
		t.press("j")
		began := time.Now()
		t.a.Update(keyPress("z"))
		t.a.Update(keyPress("o"))
		ours := time.Since(began)
		r, err := glamour.NewTermRenderer(glamour.WithStandardStyle("dark"), glamour.WithWordWrap(100))
		if err != nil {
			b.Fatal(err)
		}
		began = time.Now()
		if _, err := r.Render(text.String()); err != nil {
			b.Fatal(err)
		}
		whole := time.Since(began)
		b.ReportMetric(ours.Seconds()*1000, "ms/first-screen")
		b.ReportMetric(whole.Seconds()*1000, "ms/glamour")
		b.ReportMetric(float64(whole)/float64(ours), "glamour/ours")
	}
}
