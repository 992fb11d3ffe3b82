package source

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"turns/model/source/disk"
)

// follower calls Look and reads all reported bytes, each file separately, as a loader does.
type follower struct {
	t      *testing.T
	w      *watcher
	file   *disk.File
	read   int64
	got    strings.Builder
	events []string
}

func (f *follower) look() {
	f.t.Helper()
	for _, ev := range append(f.w.queue, f.w.Look()...) {
		switch ev.Kind {
		case Truncated, Replaced, Appeared:
			f.file, f.read = ev.File, 0
			f.got.WriteString("|")
		case Grown:
			if f.file == nil {
				f.file = ev.File
			}
			b := make([]byte, ev.Size-f.read)
			if _, err := f.file.ReadAt(b, f.read); err != nil {
				f.t.Fatalf("read what was reported: %v", err)
			}
			f.got.Write(b)
			f.read = ev.Size
			continue
		}
		f.events = append(f.events, ev.Kind.String())
	}
	f.w.queue = nil
}

// fakeFS is between a watcher and the system, for errors that a test cannot cause (the tests may
// run as root).
type fakeFS struct{ statErr, openErr error }

func TestFileEvents(t *testing.T) {
	type env struct {
		t    *testing.T
		path string
		fs   *fakeFS
		look func()
	}
	long := strings.Repeat("x", 2000) + "\n"
	rename := func(e env, from, to string) { must(e.t, os.Rename(from, to)) }
	tests := []struct {
		name, start string // start "-": the file does not exist
		do          func(e env)
		events, got string
	}{
		{"append", "a\n", func(e env) { grow(e.t, e.path, "b\n"); e.look(); grow(e.t, e.path, "c\n") }, "", "a\nb\nc\n"},
		{"partial line", "", func(e env) { grow(e.t, e.path, `{"a"`); e.look(); grow(e.t, e.path, ":1}\n") }, "", "{\"a\":1}\n"},
		{"nothing", "a\n", func(e env) { e.look(); e.look() }, "", "a\n"},
		{"truncate", "aaaa\n", func(e env) { must(e.t, os.Truncate(e.path, 0)); e.look(); grow(e.t, e.path, "b\n") }, "truncated", "aaaa\n|b\n"},
		{"truncate and regrow smaller", "aaaa\n", func(e env) { write(e.t, e.path, "b\n") }, "truncated", "aaaa\n|b\n"},
		{"truncate and regrow to the same size", "aaaa\n", func(e env) { write(e.t, e.path, "bbbb\n") }, "truncated", "aaaa\n|bbbb\n"},
		{"truncate and regrow larger between two looks", "aaaa\n", func(e env) { write(e.t, e.path, "bbbbbbbb\n") }, "truncated", "aaaa\n|bbbbbbbb\n"},
		{"middle written anew", long + "aaaa\n" + long, func(e env) { anew(e.t, e.path, int64(len(long)), "bbbb") }, "truncated", long + "aaaa\n" + long + "|" + long + "bbbb\n" + long},
		{"written as it was", long + "aaaa\n" + long, func(e env) { anew(e.t, e.path, int64(len(long)), "aaaa") }, "", long + "aaaa\n" + long},
		{"middle written anew after it has grown", "a\n" + long, func(e env) {
			grow(e.t, e.path, "b\n"+long)
			e.look()
			anew(e.t, e.path, int64(len(long))+2, "c")
		}, "truncated", "a\n" + long + "b\n" + long + "|a\n" + long + "c\n" + long},
		{"same start, other end", strings.Repeat("x", 2000) + "aaaa\n", func(e env) {
			write(e.t, e.path, strings.Repeat("x", 2000)+"bbbb\nmore\n")
		}, "truncated", strings.Repeat("x", 2000) + "aaaa\n|" + strings.Repeat("x", 2000) + "bbbb\nmore\n"},
		{"rename and recreate", "a\n", func(e env) {
			grow(e.t, e.path, "b\n")
			rename(e, e.path, e.path+".1")
			write(e.t, e.path, "c\n")
		}, "replaced", "a\nb\n|c\n"},
		{"late line on a renamed file", "a\n", func(e env) {
			rename(e, e.path, e.path+".1")
			e.look()
			grow(e.t, e.path+".1", "late\n")
			write(e.t, e.path, "c\n")
		}, "gone appeared", "a\nlate\n|c\n"},
		{"renamed away and back", "a\n", func(e env) {
			rename(e, e.path, e.path+".1")
			e.look()
			rename(e, e.path+".1", e.path)
			grow(e.t, e.path, "b\n")
		}, "gone regained", "a\nb\n"},
		{"replace by rename", "a\n", func(e env) { rename(e, write(e.t, e.path+".new", "b\nb\n"), e.path) }, "replaced", "a\n|b\nb\n"},
		{"delete", "a\n", func(e env) { must(e.t, os.Remove(e.path)); e.look(); e.look() }, "gone", "a\n"},
		{"delete and recreate", "a\n", func(e env) { must(e.t, os.Remove(e.path)); e.look(); write(e.t, e.path, "a\nb\n") }, "gone appeared", "a\n|a\nb\n"},
		{"delete and recreate between two looks", "a\n", func(e env) { must(e.t, os.Remove(e.path)); write(e.t, e.path, "a\nb\n") }, "replaced", "a\n|a\nb\n"},
		{"late creation", "-", func(e env) { e.look(); write(e.t, e.path, ""); e.look(); grow(e.t, e.path, "a\n") }, "appeared", "|a\n"},
		{"late creation of the folder too", "-", func(e env) { must(e.t, os.RemoveAll(filepath.Dir(e.path))); e.look(); write(e.t, e.path, "a\n") }, "appeared", "|a\n"},
		{"a folder takes its place", "a\n", func(e env) {
			must(e.t, os.Remove(e.path))
			must(e.t, os.Mkdir(e.path, 0o755))
			e.look()
			must(e.t, os.Remove(e.path))
			write(e.t, e.path, "b\n")
		}, "gone appeared", "a\n|b\n"},
		{"symlink switch", "-", func(e env) {
			must(e.t, os.Symlink(write(e.t, e.path+".1", "a\n"), e.path))
			e.look()
			must(e.t, os.Symlink(write(e.t, e.path+".2", "b\n"), e.path+".tmp"))
			rename(e, e.path+".tmp", e.path)
		}, "appeared replaced", "|a\n|b\n"},
		{"dangling symlink", "-", func(e env) {
			must(e.t, os.Symlink(e.path+".1", e.path))
			e.look()
			write(e.t, e.path+".1", "a\n")
		}, "appeared", "|a\n"},
		{"permission lost and regained", "a\n", func(e env) {
			e.fs.statErr = fs.ErrPermission
			e.look()
			grow(e.t, e.path, "b\n")
			e.look()
			e.fs.statErr = nil
			e.look()
		}, "permission lost regained", "a\nb\n"},
		{"replaced by what may not be read", "a\n", func(e env) {
			rename(e, write(e.t, e.path+".new", "b\n"), e.path)
			e.fs.openErr = fs.ErrPermission
			e.look()
			e.look()
			e.fs.openErr = nil
		}, "permission lost regained replaced", "a\n|b\n"},
		{"no descriptors", "a\n", func(e env) {
			rename(e, write(e.t, e.path+".new", "b\n"), e.path)
			e.fs.openErr = errors.New("too many open files")
			e.look()
			e.look()
			e.fs.openErr = nil
		}, "trouble replaced", "a\n|b\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "dir", "log.jsonl")
			must(t, os.Mkdir(filepath.Dir(path), 0o755))
			var file *disk.File
			if test.start != "-" {
				var err error
				file, err = disk.OpenFile(write(t, path, test.start))
				must(t, err)
				file.Sum()
			}
			// Several followers of one file see the same.
			var all []*follower
			fake := &fakeFS{}
			for range 3 {
				w := newWatcher(path, file, disk.System{})
				if len(all) > 0 && file != nil {
					own, err := disk.OpenFile(path)
					must(t, err)
					own.Sum()
					w.file = own
					w.queue = nil
					w.size = 0
					w.grown()
				}
				w.system.Stat = func(p string) (fs.FileInfo, error) {
					if fake.statErr != nil {
						return nil, fake.statErr
					}
					return os.Stat(p)
				}
				w.system.Open = func(p string) (disk.Handle, error) {
					if fake.openErr != nil {
						return nil, fake.openErr
					}
					return os.Open(p)
				}
				defer w.Close()
				all = append(all, &follower{t: t, w: w})
			}
			look := func() {
				for _, f := range all {
					f.look()
				}
			}
			look()
			test.do(env{t, path, fake, look})
			look()
			look()
			for i, f := range all {
				if got := strings.Join(f.events, " "); got != test.events {
					t.Errorf("follower %d: events %q, want %q", i, got, test.events)
				}
				if f.got.String() != test.got {
					t.Errorf("follower %d: bytes %q, want %q", i, f.got.String(), test.got)
				}
			}
		})
	}
}

// TestRandomWrites appends in any chunks with looks anywhere in between, rotates
// now and then, and expects every byte once and in order.
func TestRandomWrites(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	path := write(t, filepath.Join(t.TempDir(), "log"), "")
	file, err := disk.OpenFile(path)
	must(t, err)
	w := newWatcher(path, file, disk.System{})
	defer w.Close()
	f := &follower{t: t, w: w}
	var want strings.Builder
	for i := range 3000 {
		switch rng.IntN(40) {
		case 0:
			must(t, os.Rename(path, path+".1"))
			write(t, path, "")
			want.WriteString("|")
			f.look()
		case 1:
			f.look() // a truncation loses no data only for those who have read it
			if info, err := os.Stat(path); err != nil || info.Size() == 0 {
				continue
			}
			must(t, os.Truncate(path, 0))
			want.WriteString("|")
			f.look()
		default:
			s := strings.Repeat(fmt.Sprintf("line %d\n", i), 1+rng.IntN(20))
			for len(s) > 0 {
				n := 1 + rng.IntN(len(s))
				grow(t, path, s[:n])
				want.WriteString(s[:n])
				s = s[n:]
				if rng.IntN(3) == 0 {
					f.look()
				}
			}
		}
	}
	f.look()
	if f.got.String() != want.String() {
		t.Errorf("other bytes than were written: %d, want %d", f.got.Len(), want.Len())
	}
	if len(w.old) != 16 {
		t.Errorf("%d old files are open", len(w.old))
	}
}

// TestNotified uses only notification: the clock does not tick.
func TestNotified(t *testing.T) {
	t.Run("absolute", func(t *testing.T) { testNotified(t, filepath.Join(t.TempDir(), "log")) })
	t.Run("relative", func(t *testing.T) {
		t.Chdir(t.TempDir())
		testNotified(t, "log")
	})
}

func testNotified(t *testing.T, path string) {
	w := watch(path, nil, disk.System{})
	defer w.Close()
	if w.notify == nil {
		return // no notification on this system: the clock's test applies
	}
	var change func() // runs once the watcher waits
	w.system.Tick = func(time.Duration) (<-chan time.Time, func()) {
		if do := change; do != nil {
			change = nil
			do()
		}
		return nil, func() {}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	next := func(want Kind, do func()) fileEvent {
		t.Helper()
		change = do
		ev, err := w.Next(ctx)
		if err != nil || ev.Kind != want {
			t.Fatalf("got %v %v, want %v", ev.Kind, err, want)
		}
		return ev
	}
	next(Appeared, func() { write(t, path, "") })
	equal(t, "size", next(Grown, func() {
		write(t, filepath.Join(filepath.Dir(path), "neighbour"), "x")
		grow(t, path, "a\n")
	}).Size, 2)
	equal(t, "size", next(Grown, func() { grow(t, path, "b\n") }).Size, 4)
	next(Gone, func() { must(t, os.Rename(path, path+".1")) })
	next(Appeared, func() { write(t, path, "") })
	cancel()
	if _, err := w.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("after cancel: %v", err)
	}
}

// TestWithoutNotification has only the clock, as without free inotify instances or on a file system
// without notification.
func TestWithoutNotification(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "log"), "a\n")
	file, err := disk.OpenFile(path)
	must(t, err)
	w := newWatcher(path, file, disk.System{})
	defer w.Close()
	var asked []time.Duration
	step := func() {}
	w.system.Tick = func(d time.Duration) (<-chan time.Time, func()) {
		asked = append(asked, d)
		step()
		c := make(chan time.Time, 1)
		c <- time.Time{}
		return c, func() {}
	}
	ev, err := w.Next(t.Context())
	if err != nil || ev.Size != 2 {
		t.Fatalf("%v %v", ev, err)
	}
	step = func() { grow(t, path, "b\n") }
	if ev, err = w.Next(t.Context()); err != nil || ev.Size != 4 {
		t.Fatalf("%v %v", ev, err)
	}
	equal(t, "waits", asked, []time.Duration{pollEvery})
	if w.deaf == 0 {
		t.Error("a change found by the clock does not make it run faster")
	}
}

func TestOpenFile(t *testing.T) {
	dir := t.TempDir()
	if _, err := disk.OpenFile(dir); err == nil || err.Error() != fmt.Sprintf("open %q: is a directory", dir) {
		t.Errorf("directory: %v", err)
	}
	missing := filepath.Join(dir, "missing")
	if _, err := disk.OpenFile(missing); !errors.Is(err, fs.ErrNotExist) || err.Error() != fmt.Sprintf("open %q: no such file or directory", missing) {
		t.Errorf("missing: %v", err)
	}
	if _, err := os.Stat("/dev/zero"); err == nil {
		if _, err := disk.OpenFile("/dev/zero"); !errors.Is(err, disk.ErrDevice) {
			t.Errorf("device: %v", err)
		}
	}
	path := write(t, filepath.Join(dir, "f"), "0123456789")
	f, err := disk.OpenFile(path)
	must(t, err)
	defer f.Close()
	grow(t, path, "more")
	equal(t, "only what was seen", content(t, f), "0123456789")
	must(t, os.Truncate(path, 4))
	if n, err := f.ReadAt(make([]byte, 10), 0); n != 4 || err == nil || !strings.Contains(err.Error(), "has become shorter") {
		t.Errorf("read of a file that was cut: %d, %v", n, err)
	}
}
