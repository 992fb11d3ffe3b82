package load

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"turns/model"
	"turns/model/modeltest"
	"turns/model/source/disk"
)

// keyedLine returns a record with a distinct id and its place: the incarnation of the file and the
// number of the line.
func keyedLine(gen, n, pad int) string {
	return fmt.Sprintf(`{"type":"user","uuid":"00000000-0000-4000-8000-%06d%06d","sessionId":"soak","timestamp":"2026-01-02T03:04:05Z","message":{"role":"user","content":"g%d n%d %s"}}`+"\n",
		gen, n, gen, n, strings.Repeat("x", pad))
}

// soakFile is a file that the test changes in all the ways in which programs change their logs,
// with the contents that a reader must find.
type soakFile struct {
	t          *testing.T
	rng        *rand.Rand
	path       string
	gen, lines int    // its contents
	rest       string // the rest of an incomplete line
	size       int
	done       map[string]int
	records    int
	burst      int // number of records of the largest write
}

func (f *soakFile) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

// text returns n more lines.
func (f *soakFile) text(n, pad int) string {
	var b strings.Builder
	b.WriteString(f.rest)
	if f.rest != "" {
		f.lines++
	}
	f.rest = ""
	for range n {
		b.WriteString(keyedLine(f.gen, f.lines, pad))
		f.lines++
	}
	f.records += n
	return b.String()
}

func (f *soakFile) add(text string) {
	out, err := os.OpenFile(f.path, os.O_APPEND|os.O_WRONLY, 0)
	f.must(err)
	_, err = out.WriteString(text)
	f.must(err)
	f.must(out.Close())
	f.size += len(text)
}

// fresh begins another incarnation and returns its first n lines.
func (f *soakFile) fresh(n int) string {
	f.gen++
	f.lines, f.rest, f.size = 0, "", 0
	text := f.text(n, f.rng.IntN(200))
	f.size = len(text)
	return text
}

func (f *soakFile) put(path, text string) { f.must(os.WriteFile(path, []byte(text), 0o600)) }

// soakEvents are the changes of the file, with their frequency.
var soakEvents = []struct {
	name  string
	share int
	do    func(f *soakFile)
}{
	{"append", 40, func(f *soakFile) { f.add(f.text(1+f.rng.IntN(20), f.rng.IntN(300))) }},
	{"partial line", 15, func(f *soakFile) {
		f.add(f.text(0, 0))
		line := keyedLine(f.gen, f.lines, f.rng.IntN(3000))
		cut := 1 + f.rng.IntN(len(line)-4)
		f.add(line[:cut])
		f.rest = line[cut:]
		f.records++
	}},
	{"burst", 1, func(f *soakFile) {
		if f.size < 64<<20 {
			f.add(f.text(f.burst/10+f.rng.IntN(f.burst*9/10+1), 2000))
		}
	}},
	{"truncate", 4, func(f *soakFile) { f.must(os.Truncate(f.path, 0)); f.add(f.fresh(1 + f.rng.IntN(4))) }},
	{"truncate and regrow larger", 4, func(f *soakFile) {
		if before := f.size; before < 4<<20 {
			text := f.fresh(1 + before/100 + f.rng.IntN(50))
			f.put(f.path, text)
		}
	}},
	{"rename and recreate", 4, func(f *soakFile) { f.must(os.Rename(f.path, f.path+".1")); f.put(f.path, f.fresh(1+f.rng.IntN(50))) }},
	{"replace by rename", 4, func(f *soakFile) {
		f.put(f.path+".new", f.fresh(1+f.rng.IntN(50)))
		f.must(os.Rename(f.path+".new", f.path))
	}},
	{"delete and recreate", 4, func(f *soakFile) { f.must(os.Remove(f.path)); f.put(f.path, f.fresh(1+f.rng.IntN(50))) }},
	{"symlink switch", 4, func(f *soakFile) {
		old, _ := os.Readlink(f.path)
		target := fmt.Sprint(f.path, ".target", f.gen)
		f.put(target, f.fresh(1+f.rng.IntN(50)))
		f.must(os.Symlink(target, f.path+".link"))
		f.must(os.Rename(f.path+".link", f.path))
		if old != "" {
			f.must(os.Remove(old))
		}
	}},
	{"a neighbour", 3, func(f *soakFile) { f.put(filepath.Join(filepath.Dir(f.path), "neighbour"), fmt.Sprint(f.gen)) }},
}

// happen does one thing to the file.
func (f *soakFile) happen() {
	total := 0
	for i := range soakEvents {
		total += soakEvents[i].share
	}
	n := f.rng.IntN(total)
	for i := range soakEvents {
		e := &soakEvents[i]
		if n -= e.share; n < 0 {
			e.do(f)
			f.done[e.name]++
			return
		}
	}
}

// soakFollower follows the file and stores the latest state.
type soakFollower struct {
	c      *Conversation
	cancel context.CancelFunc
	ended  chan struct{}

	mu      sync.Mutex
	snap    *model.Snapshot
	epoch   int // number of reported incarnations
	wrong   error
	changed chan struct{}

	checkedEpoch, checked int // number of compared rows
	keys                  []model.Key
}

func newSoakFollower(ctx context.Context, path string, opts Options) (*soakFollower, error) {
	c, err := Open(ctx, path, opts)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	f := &soakFollower{c: c, cancel: cancel, ended: make(chan struct{}), changed: make(chan struct{}, 1)}
	go f.run(ctx)
	return f, nil
}

func (f *soakFollower) run(ctx context.Context) {
	defer close(f.ended)
	for {
		u, err := f.c.Next(ctx)
		f.mu.Lock()
		restarted := u.Event.Restarts(true)
		switch {
		case ctx.Err() != nil:
		case err != nil:
			f.wrong = err
		case u.Err != nil:
			f.wrong = u.Err
		case f.snap != nil && !restarted && u.Snap.Rows() < f.snap.Rows():
			f.wrong = fmt.Errorf("%d rows have become %d, and nothing was said", f.snap.Rows(), u.Snap.Rows())
		}
		if restarted {
			f.epoch++
		}
		f.snap = u.Snap
		stop := f.wrong != nil || ctx.Err() != nil
		f.mu.Unlock()
		select {
		case f.changed <- struct{}{}:
		default:
		}
		if stop {
			return
		}
	}
}

func (f *soakFollower) close() error {
	f.cancel()
	<-f.ended
	return f.c.Close()
}

// soakText returns the text of a row, and its key.
func soakText(ctx context.Context, r *model.Reader, s *model.Snapshot, pos int) (string, model.Key, error) {
	id := s.At(pos)
	blocks, err := r.Blocks(ctx, id)
	if err != nil {
		return "", 0, err
	}
	if len(blocks) == 0 {
		return "", 0, fmt.Errorf("row %d has no text", pos)
	}
	gen, rest, _ := strings.Cut(blocks[0].Text.String(), " ")
	n, _, _ := strings.Cut(rest, " ")
	return gen + " " + n, s.HeadRow(id).Key, nil
}

// agree waits until the follower has the contents of the file, and compares every new row. A
// difference may be due to an update on its way, because bodies are read from the current file.
func (f *soakFollower) agree(ctx context.Context, file *soakFile) error {
	var differs error
	for {
		f.mu.Lock()
		s, epoch, wrong := f.snap, f.epoch, f.wrong
		f.mu.Unlock()
		if wrong != nil {
			return wrong
		}
		if s != nil && s.Len() == file.lines && s.Rows() == file.lines {
			first, _, err := soakText(ctx, s.NewReader(), s, 0)
			if err == nil && first == fmt.Sprintf("g%d n0", file.gen) {
				if differs = f.compare(ctx, file, s, epoch); differs == nil {
					return nil
				}
				f.checked, f.keys = 0, f.keys[:0]
			}
		}
		select {
		case <-f.changed:
		case <-ctx.Done():
			rows := -1
			if s != nil {
				rows = s.Rows()
			}
			return errors.Join(differs, fmt.Errorf("has %d rows, the file %d in incarnation %d: %w", rows, file.lines, file.gen, ctx.Err()))
		}
	}
}

func (f *soakFollower) compare(ctx context.Context, file *soakFile, s *model.Snapshot, epoch int) error {
	if epoch != f.checkedEpoch {
		f.checkedEpoch, f.checked, f.keys = epoch, 0, f.keys[:0]
	}
	for i, key := range f.keys { // a row keeps its number and its key
		if got := s.HeadRow(s.At(i)).Key; got != key {
			return fmt.Errorf("row %d has become another message", i)
		}
	}
	r := s.NewReader()
	for ; f.checked < s.Len(); f.checked++ {
		got, key, err := soakText(ctx, r, s, f.checked)
		if err != nil {
			return err
		}
		if want := fmt.Sprintf("g%d n%d", file.gen, f.checked); got != want {
			return fmt.Errorf("row %d says %q, want %q", f.checked, got, want)
		}
		if key == 0 || slices.Contains(f.keys[max(0, len(f.keys)-8):], key) {
			return fmt.Errorf("row %d has the key %x", f.checked, key)
		}
		f.keys = append(f.keys, key)
	}
	return nil
}

// soakFigures are the numbers that must not grow.
type soakFigures struct {
	heap       uint64
	goroutines int
	files      int
}

func figuresNow() soakFigures {
	runtime.GC()
	runtime.GC() // memory held by finalizers
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	files, _ := os.ReadDir("/proc/self/fd")
	return soakFigures{m.HeapAlloc, runtime.NumGoroutine(), len(files)}
}

// soakTime returns how long the soak runs: a few hundred events, or the time in TURNS_SOAK.
func soakTime(t *testing.T) (long bool, d time.Duration) {
	text := os.Getenv("TURNS_SOAK")
	if text == "" {
		return false, 0
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatalf("TURNS_SOAK: %v", err)
	}
	return true, d
}

// TestSoak changes one file in all the ways in which programs change their logs, in any order,
// under eight followers, half of them without notification. Each must have every record of the
// current incarnation once and in order, under the same number and key; memory, goroutines and
// descriptors must not grow. TURNS_SOAK=30m sets the duration.
func TestSoak(t *testing.T) {
	long, d := soakTime(t)
	const followers = 8
	seed := uint64(7)
	if long {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("seed %d", seed)
	f := &soakFile{t: t, rng: rand.New(rand.NewPCG(seed, 1)), path: filepath.Join(t.TempDir(), "run.jsonl"), done: map[string]int{}, burst: 1000}
	events, every := max(modeltest.Fewer(120, 120), 40), 30
	if long {
		f.burst, every = 20_000, 100
	}
	f.put(f.path, f.fresh(3))

	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	begin := func(i int) *soakFollower {
		opts := Options{Follow: true, Workers: 1 + i%2}
		if i%2 == 1 {
			opts.system = disk.System{Deaf: true, Tick: fastTick}
		}
		fo, err := newSoakFollower(ctx, f.path, opts)
		f.must(err)
		return fo
	}
	all := make([]*soakFollower, followers)
	for i := range all {
		all[i] = begin(i)
	}
	agreed := 0
	agree := func() {
		t.Helper()
		wait, done := context.WithTimeout(ctx, 10*time.Minute)
		defer done()
		for i, fo := range all {
			if err := fo.agree(wait, f); err != nil {
				t.Fatalf("follower %d after %v: %v", i, f.done, err)
			}
		}
		agreed++
	}
	agree()

	var first, peak soakFigures
	begun, churned := time.Now(), 0
	for n := 1; long && time.Since(begun) < d || !long && n <= events; n++ {
		f.happen()
		if f.rng.IntN(2) == 0 {
			agree()
		}
		if f.rng.IntN(50) == 0 {
			i := f.rng.IntN(followers)
			f.must(all[i].close())
			all[i] = begin(i)
			churned++
		}
		if n%every != 0 {
			continue
		}
		f.put(f.path+".new", f.fresh(3)) // the same small state each time
		f.must(os.Rename(f.path+".new", f.path))
		agree()
		now := figuresNow()
		if n == every {
			first = now
		}
		peak = soakFigures{max(peak.heap, now.heap), max(peak.goroutines, now.goroutines), max(peak.files, now.files)}
		if now.heap > first.heap*3/2+32<<20 || now.goroutines != first.goroutines || now.files > first.files+followers*20 {
			t.Fatalf("after %d events %+v, at first %+v", n, now, first)
		}
	}
	agree()
	last := figuresNow()
	for _, fo := range all {
		f.must(fo.close())
	}
	var kinds bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(f.done)) {
		fmt.Fprintf(&kinds, "\n  %6d %s", f.done[name], name)
	}
	t.Logf("%v: %d followers agreed %d times about %d incarnations and %d records, %d followers closed and opened again;\nat first %+v, at most %+v, at last %+v%s",
		time.Since(begun).Round(time.Second), followers, agreed, f.gen, f.records, churned, first, peak, last, kinds.String())
}

// fastTick is the clock for followers without notification.
func fastTick(time.Duration) (<-chan time.Time, func()) {
	timer := time.NewTimer(5 * time.Millisecond)
	return timer.C, func() { timer.Stop() }
}
