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
	"syscall"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/glamour/v2"
	"github.com/charmbracelet/colorprofile"

	"turns/model"
	"turns/model/load"
	"turns/model/modeltest"
)

// The benchmarks of this file hold the screen against itself and against its foundation in one run, so that their figures are ratios that mean
// the same on every machine. TURNS_BENCH_BYTES is the size of the large transcript.

// benchBytes is the size of the large transcript.
func benchBytes() int64 {
	if n, err := strconv.ParseInt(os.Getenv("TURNS_BENCH_BYTES"), 10, 64); err == nil && n > 0 {
		return n
	}
	return 64 << 20
}

// benchFile writes a transcript, or takes the one that TURNS_BENCH_FILE names.
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

// fileFeed is a file as the program feeds it to the screen.
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

func (f *fileFeed) Next(ctx context.Context) (Update, error) {
	u, err := f.c.Next(ctx)
	if err != nil {
		return Update{}, err
	}
	return Update{Snap: u.Snap, Preview: u.Preview, Indexed: u.Indexed, Growing: u.Growing, Event: u.Event, Path: f.path, Bytes: u.Bytes}, nil
}

// tap is a terminal that notes when it was written to, and how much.
type tap struct {
	mu    sync.Mutex
	seen  bytes.Buffer
	bytes int
	wrote chan time.Time
}

func newTap() *tap { return &tap{wrote: make(chan time.Time, 1)} }

func (t *tap) Write(p []byte) (int, error) {
	now := time.Now()
	t.mu.Lock()
	t.bytes += len(p)
	if t.seen.Len() < 1<<20 {
		t.seen.Write(p)
	}
	t.mu.Unlock()
	select {
	case t.wrote <- now:
	default:
	}
	return len(p), nil
}

func (t *tap) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.bytes
}

func (t *tap) holds(text string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return bytes.Contains(t.seen.Bytes(), []byte(text))
}

// clear forgets what was written.
func (t *tap) clear() {
	t.mu.Lock()
	t.seen.Reset()
	t.mu.Unlock()
	select {
	case <-t.wrote:
	default:
	}
}

// next waits for the next write and gives its time.
func (t *tap) next(b testing.TB) time.Time {
	select {
	case at := <-t.wrote:
		return at
	case <-time.After(5 * time.Second):
		b.Fatal("nothing was drawn")
		return time.Time{}
	}
}

// run starts a program that draws into the tap.
func (t *tap) run(b testing.TB, m tea.Model, w, h int) (p *tea.Program, stop func()) {
	pr, pw := io.Pipe()
	p = tea.NewProgram(m, tea.WithInput(pr), tea.WithOutput(t), tea.WithWindowSize(w, h), tea.WithoutSignals(), tea.WithFPS(frameRate),
		tea.WithColorProfile(colorprofile.TrueColor), tea.WithEnvironment(testOptions().Env))
	done := make(chan struct{})
	go func() { _, _ = p.Run(); close(done) }()
	return p, func() {
		p.Quit()
		<-done
		_ = pw.Close()
	}
}

func benchApp(feed Feed, o Options) *app {
	o.Theme, o.Encoding = "dark", ""
	return newApp(context.Background(), feed, o)
}

// quiet waits until nothing was drawn for a while.
func (t *tap) quiet(d time.Duration) {
	for n := -1; n != t.count(); time.Sleep(d) {
		n = t.count()
	}
	t.clear()
}

// empty is the program that does nothing.
type empty struct{}

func (empty) Init() tea.Cmd                         { return nil }
func (e empty) Update(tea.Msg) (tea.Model, tea.Cmd) { return e, nil }
func (empty) View() tea.View {
	v := tea.NewView("›")
	v.AltScreen = true
	return v
}

// BenchmarkFirstFrame: from before the file is opened to the first frame with a row of it.
func BenchmarkFirstFrame(b *testing.B) {
	large, small := benchFile(b, benchBytes()), benchFile(b, 1<<10)
	first := func(m func() (tea.Model, func())) float64 {
		var all []time.Duration
		for range 15 {
			t := newTap()
			began := time.Now()
			mod, closed := m()
			_, stop := t.run(b, mod, 120, 40)
			for !t.holds("›") {
				t.next(b)
			}
			all = append(all, time.Since(began))
			stop()
			closed()
		}
		slices.Sort(all)
		return all[len(all)/2].Seconds() * 1000
	}
	of := func(path string) func() (tea.Model, func()) {
		return func() (tea.Model, func()) {
			f := openFeed(b, path)
			a := benchApp(f, Options{})
			return a, func() { a.cancel(); a.reading.Lock(); _ = f.c.Close(); a.reading.Unlock() }
		}
	}
	for b.Loop() {
		none := first(func() (tea.Model, func()) { return empty{}, func() {} })
		s, l := first(of(small)), first(of(large))
		b.ReportMetric(l, "ms/large")
		b.ReportMetric(s, "ms/1kB")
		b.ReportMetric(none, "ms/empty")
		b.ReportMetric(l/s, "large/1kB")
		b.ReportMetric(l/none, "large/empty")
	}
}

// BenchmarkJump: from a key to the frame that shows it, for jumps to anywhere.
func BenchmarkJump(b *testing.B) {
	path := benchFile(b, benchBytes())
	at := 0
	jump := func(p *tea.Program, t *tap, r *rand.Rand) time.Duration {
		t.clear()
		at = (at + 10 + r.IntN(80)) % 100 // never where it is
		keys := strconv.Itoa(at+1) + "%"
		for _, k := range keys[:len(keys)-1] {
			p.Send(keyPress(string(k)))
		}
		t.quiet(12 * time.Millisecond) // the count that was typed is drawn
		sent := time.Now()
		p.Send(keyPress("%"))
		return t.next(b).Sub(sent)
	}
	measure := func(indexing bool) (p50, p99, most float64) {
		var all []time.Duration
		for len(all) < 300 {
			f := openFeed(b, path)
			t := newTap()
			a := benchApp(f, Options{})
			p, stop := t.run(b, a, 120, 40)
			t.next(b)
			if !indexing {
				t.quiet(2 * time.Second) // until all is indexed and counted
			}
			r := rand.New(rand.NewPCG(1, uint64(len(all))))
			began := time.Now()
			for n := range 300 {
				if indexing && time.Since(began) > 150*time.Millisecond {
					break
				}
				if indexing {
					t.clear()
					sent := time.Now()
					p.Send(keyPress([]string{"G", "g"}[n%2]))
					all = append(all, t.next(b).Sub(sent))
					continue
				}
				all = append(all, jump(p, t, r))
			}
			stop()
			a.cancel()
			a.reading.Lock()
			_ = f.c.Close()
			a.reading.Unlock()
		}
		slices.Sort(all)
		ms := func(q float64) float64 { return all[int(q*float64(len(all)-1))].Seconds() * 1000 }
		return ms(0.5), ms(0.99), ms(1)
	}
	frame := 1000.0 / frameRate
	for b.Loop() {
		p50, p99, most := measure(false)
		b.ReportMetric(p50, "ms/p50")
		b.ReportMetric(p99, "ms/p99")
		b.ReportMetric(most, "ms/most")
		b.ReportMetric(p99/frame, "frames/p99")
		_, p99, _ = measure(true)
		b.ReportMetric(p99/frame, "frames/p99-indexing")
	}
}

// BenchmarkScrollBytes: what one line of scrolling sends to the terminal against a full repaint, 200×50.
func BenchmarkScrollBytes(b *testing.B) {
	t := newTap()
	o := testOptions()
	o.Encoding = ""
	a := newApp(context.Background(), Still("/tmp/run.jsonl", many(5000)), o)
	p, stop := t.run(b, a, 200, 50)
	defer stop()
	defer a.cancel()
	t.quiet(150 * time.Millisecond)
	p.Send(keyPress("M"))
	t.quiet(60 * time.Millisecond)
	sends := func(key string, n int) float64 {
		from := t.count()
		for range n {
			p.Send(keyPress(key))
			t.quiet(25 * time.Millisecond)
		}
		return float64(t.count()-from) / float64(n)
	}
	for b.Loop() {
		line, cursor, all := sends("ctrl+e", 20), sends("j", 20), sends("ctrl+l", 3)
		b.ReportMetric(line, "bytes/line")
		b.ReportMetric(cursor, "bytes/cursor")
		b.ReportMetric(all, "bytes/repaint")
		b.ReportMetric(all/line, "repaint/line")
		p.Send(keyPress("Z")) // terminals scroll whole lines: beside a standing column they cannot help
		t.quiet(60 * time.Millisecond)
		line, all = sends("ctrl+e", 20), sends("ctrl+l", 3)
		b.ReportMetric(line, "bytes/line-alone")
		b.ReportMetric(all/line, "repaint/line-alone")
		p.Send(keyPress("Z"))
		t.quiet(60 * time.Millisecond)
	}
}

// BenchmarkAppend: from the write of a record to the frame that shows it, for a small file and a large one.
func BenchmarkAppend(b *testing.B) {
	line := `{"type":"user","uuid":"n%d","sessionId":"s","timestamp":"2026-02-11T22:31:35.739Z","message":{"role":"user","content":"appended %d"}}` + "\n"
	shown := func(path string) float64 {
		f := openFeed(b, path)
		defer f.c.Close()
		t := newTap()
		a := benchApp(f, Options{Follow: true})
		_, stop := t.run(b, a, 120, 40)
		defer func() {
			stop()
			a.cancel()
			a.reading.Lock() // the feed is not asked any more
			defer a.reading.Unlock()
		}()
		t.next(b)
		t.quiet(400 * time.Millisecond)
		out, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			b.Fatal(err)
		}
		defer out.Close()
		var all []time.Duration
		for n := range 40 {
			t.clear()
			sent := time.Now()
			if _, err := fmt.Fprintf(out, line, n, n); err != nil {
				b.Fatal(err)
			}
			all = append(all, t.next(b).Sub(sent))
			t.quiet(30 * time.Millisecond)
		}
		slices.Sort(all)
		return all[len(all)/2].Seconds() * 1000
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

// BenchmarkMarkdown: the first screen of a message of a megabyte against glamour on the whole of it.
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

// BenchmarkIdle: the processor that an open screen takes while nothing happens, against an empty program.
func BenchmarkIdle(b *testing.B) {
	const span = 2 * time.Second
	idle := func(m tea.Model) (cpu float64, drawn int) {
		t := newTap()
		_, stop := t.run(b, m, 160, 48)
		defer stop()
		t.next(b)
		t.quiet(300 * time.Millisecond)
		runtime.GC()
		from, at := t.count(), cpuTime(b)
		time.Sleep(span)
		return float64(cpuTime(b)-at) / float64(span) * 100, t.count() - from
	}
	for b.Loop() {
		none, _ := idle(empty{})
		a := newApp(context.Background(), Still("/tmp/run.jsonl", many(5000)), testOptions())
		ours, drawn := idle(a)
		a.cancel()
		b.ReportMetric(ours, "%cpu")
		b.ReportMetric(none, "%cpu/empty")
		b.ReportMetric(ours/none, "ours/empty")
		b.ReportMetric(float64(drawn), "bytes-drawn")
	}
}

func cpuTime(b testing.TB) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkWalk: memory after a walk through the whole file by pages, and after a second one, in a child process. lnav is asked to do its part
// (to index the file) where it is installed.
func BenchmarkWalk(b *testing.B) {
	path := benchFile(b, benchBytes())
	for b.Loop() {
		cmd := exec.Command(os.Args[0], "-test.run=^TestWalkChild$", "-test.v")
		cmd.Env = append(os.Environ(), "TURNS_BENCH_WALK="+path)
		out, err := cmd.CombinedOutput()
		if err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
		var open, first, second float64
		for line := range strings.SplitSeq(string(out), "\n") {
			if i := strings.Index(line, "walked "); i >= 0 {
				if _, err := fmt.Sscanf(line[i:], "walked %f %f %f", &open, &first, &second); err != nil {
					b.Fatal(err)
				}
			}
		}
		b.ReportMetric(open, "MB/opened")
		b.ReportMetric(first, "MB/walked")
		b.ReportMetric(second, "MB/walked-again")
		if lnav, err := exec.LookPath("lnav"); err == nil {
			c := exec.Command(lnav, "-n", "-c", ":goto 100%", path)
			if err := c.Run(); err == nil {
				b.ReportMetric(float64(c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)/1024, "MB/lnav")
			}
		}
	}
}

// TestWalkChild is the child of BenchmarkWalk.
func TestWalkChild(t *testing.T) {
	path := os.Getenv("TURNS_BENCH_WALK")
	if path == "" {
		return
	}
	f := openFeed(t, path)
	defer f.c.Close()
	o := testOptions()
	o.Width, o.Height, o.Theme = 120, 40, "dark"
	a := newApp(context.Background(), f, o)
	a.timer = func(time.Duration, tea.Msg) tea.Cmd { return nil }
	a.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
	for {
		u, err := f.Next(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		a.Update(updateMsg{f, u, nil})
		if !u.Preview && u.Indexed >= 1 {
			break
		}
	}
	open := resident(t)
	walk := func() float64 {
		a.Update(keyPress("g"))
		for n := 0; ; n++ {
			before := a.list.curKey
			_, cmd := a.Update(keyPress("pgdown"))
			if n%16 == 0 && cmd != nil { // what could not be read while drawing is read as the program would
				for _, msg := range runNow(cmd) {
					a.Update(msg)
				}
			}
			if a.list.curKey == before {
				return resident(t)
			}
		}
	}
	first := walk()
	t.Logf("walked %.1f %.1f %.1f", open, first, walk())
}

// runNow runs those of a command's commands that describe rows.
func runNow(cmd tea.Cmd) (all []tea.Msg) {
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, c := range msg {
			if c != nil {
				all = append(all, runNow(c)...)
			}
		}
	case describedMsg:
		all = append(all, msg)
	}
	return all
}

// resident is the memory of this process in MB.
func resident(t testing.TB) float64 {
	runtime.GC()
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(string(data), "\n") {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			n, _ := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return n / 1024
		}
	}
	return 0
}
