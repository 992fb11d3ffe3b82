package load

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"turns/model"
	"turns/model/modeltest"
	"turns/model/source/disk"
)

// byHand is a follower that looks at the file on request. Its clock never ticks: when the follower
// starts to wait for it, there are no more updates, and the look ends.
type byHand struct {
	t      *testing.T
	c      *Conversation
	idle   context.CancelFunc
	last   Update
	events []string
}

func followByHand(t *testing.T, path string, system disk.System) *byHand {
	t.Helper()
	h := &byHand{t: t}
	system.Deaf = true
	system.Tick = func(time.Duration) (<-chan time.Time, func()) {
		h.idle()
		return nil, func() {}
	}
	c, err := Open(context.Background(), path, Options{Follow: true, Workers: 1, system: system})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	h.c = c
	h.look()
	return h
}

// look receives all pending updates.
func (h *byHand) look() {
	h.t.Helper()
	for {
		ctx, cancel := context.WithCancel(context.Background())
		h.idle = cancel
		u, err := h.c.Next(ctx)
		cancel()
		if errors.Is(err, context.Canceled) {
			return
		}
		if err != nil {
			h.t.Fatalf("following ended: %v", err)
		}
		h.last = u
		if u.Event.Kind != NoEvent {
			h.events = append(h.events, u.Event.String())
		}
	}
}

// says compares all rows with the lines [from, to) of an incarnation of the file.
func (h *byHand) says(gen, from, to int) {
	h.t.Helper()
	s := h.last.Snap
	if s == nil || s.Len() != to-from {
		h.t.Fatalf("%d messages, want %d; events %q", h.last.Snap.Len(), to-from, h.events)
	}
	r := s.NewReader()
	for pos := range s.Len() {
		got, _, err := soakText(context.Background(), r, s, pos)
		if err != nil {
			h.t.Fatal(err)
		}
		if want := fmt.Sprintf("g%d n%d", gen, from+pos); got != want {
			h.t.Fatalf("row %d says %q, want %q", pos, got, want)
		}
	}
}

// keysOf returns the keys of the rows in order.
func keysOf(s *model.Snapshot) []model.Key {
	keys := make([]model.Key, s.Rows())
	for n := range keys {
		keys[n] = s.HeadRow(model.ID(n)).Key
	}
	return keys
}

func keyedLines(gen, from, to, pad int) string {
	var b strings.Builder
	for n := from; n < to; n++ {
		b.WriteString(keyedLine(gen, n, pad))
	}
	return b.String()
}

// refusing is a system that refuses on request.
type refusing struct{ stat, open error }

func (r *refusing) system() disk.System {
	return disk.System{
		Stat: func(path string) (fs.FileInfo, error) {
			if r.stat != nil {
				return nil, &fs.PathError{Op: "stat", Path: path, Err: r.stat}
			}
			return os.Stat(path)
		},
		Open: func(path string) (disk.Handle, error) {
			if r.open != nil {
				return nil, &fs.PathError{Op: "open", Path: path, Err: r.open}
			}
			return os.Open(path)
		},
	}
}

// TestFollowByHand changes a file as programs change their logs, with one, two and eight followers
// that look at defined moments, so that the results do not depend on timing. All have every record
// once and in order, none loses a record that it saw, a row keeps its number and its key, and a
// record that reappears in another file has the same key.
func TestFollowByHand(t *testing.T) {
	type env struct {
		path   string
		look   func()
		refuse *refusing
		t      *testing.T
	}
	do := func(e env, err error) {
		e.t.Helper()
		if err != nil {
			e.t.Fatal(err)
		}
	}
	put := func(e env, path, text string) { do(e, os.WriteFile(path, []byte(text), 0o600)) }
	add := func(e env, text string) {
		f, err := os.OpenFile(e.path, os.O_APPEND|os.O_WRONLY, 0)
		do(e, err)
		_, err = f.WriteString(text)
		do(e, errors.Join(err, f.Close()))
	}
	const truncated, replaced, appeared, gone = "TRUNCATED, read again", "REPLACED, read again", "APPEARED", "GONE, what was read stays"
	const lost, regained = "PERMISSION LOST", "READABLE AGAIN"
	burst := modeltest.Fewer(20_000, 8_000) // records of 2 kB each
	tests := []struct {
		name     string
		do       func(e env)
		gen      int
		to       int
		events   string // expected events of each follower
		same     bool   // the existing rows stay the same
		trouble  string // reported meanwhile
		troubled bool   // the trouble stays
	}{
		{"append", func(e env) { add(e, keyedLines(1, 3, 9, 0)); e.look(); add(e, keyedLines(1, 9, 11, 0)) }, 1, 11, "", true, "", false},
		{"partial line", func(e env) {
			line := keyedLine(1, 3, 0)
			for i := range line {
				add(e, line[i:i+1])
				e.look()
			}
		}, 1, 4, "", true, "", false},
		{"burst of megabytes", func(e env) { add(e, keyedLines(1, 3, burst+3, 2000)) }, 1, burst + 3, "", true, "", false},
		{"truncated, and grown smaller", func(e env) { put(e, e.path, keyedLines(2, 0, 2, 0)) }, 2, 2, truncated, false, "", false},
		{"truncated, and grown to the same size", func(e env) { put(e, e.path, keyedLines(2, 0, 3, 0)) }, 2, 3, truncated, false, "", false},
		{"truncated, and grown larger between two looks", func(e env) { put(e, e.path, keyedLines(2, 0, 30, 0)) }, 2, 30, truncated, false, "", false},
		{"truncated, the old beginning again, and grown larger", func(e env) {
			put(e, e.path, keyedLines(1, 0, 2, 0)+strings.ReplaceAll(keyedLines(1, 2, 30, 0), "03:04:05", "03:04:06"))
		}, 1, 30, truncated, false, "", false},
		{"emptied, looked at, and grown", func(e env) { put(e, e.path, ""); e.look(); add(e, keyedLines(2, 0, 5, 0)) }, 2, 5, truncated, false, "", false},
		{"renamed and made anew between two looks", func(e env) { do(e, os.Rename(e.path, e.path+".1")); put(e, e.path, keyedLines(2, 0, 4, 0)) }, 2, 4, replaced, false, "", false},
		{"renamed, looked for, and back", func(e env) {
			do(e, os.Rename(e.path, e.path+".1"))
			e.look()
			do(e, os.Rename(e.path+".1", e.path))
			add(e, keyedLines(1, 3, 5, 0))
		}, 1, 5, gone + " " + regained, true, "", false},
		{"a late line on the renamed file", func(e env) {
			add(e, keyedLines(1, 3, 5, 0))
			do(e, os.Rename(e.path, e.path+".1"))
			e.look()
		}, 1, 5, gone, true, "", false},
		{"replaced by a file that has the same and more", func(e env) {
			put(e, e.path+".new", keyedLines(1, 0, 40, 0))
			do(e, os.Rename(e.path+".new", e.path))
		}, 1, 40, replaced, true, "", false},
		{"deleted and made anew between two looks", func(e env) { do(e, os.Remove(e.path)); put(e, e.path, keyedLines(2, 0, 1, 0)) }, 2, 1, replaced, false, "", false},
		{"deleted, looked for, and made anew", func(e env) {
			do(e, os.Remove(e.path))
			e.look()
			put(e, e.path, keyedLines(2, 0, 7, 0))
		}, 2, 7, gone + " " + appeared, false, "", false},
		{"the folder deleted and made anew", func(e env) {
			do(e, os.RemoveAll(filepath.Dir(e.path)))
			e.look()
			do(e, os.Mkdir(filepath.Dir(e.path), 0o700))
			e.look()
			put(e, e.path, keyedLines(1, 0, 7, 0))
		}, 1, 7, gone + " " + appeared, true, "", false},
		{"a link that leads elsewhere", func(e env) {
			put(e, e.path+".2", keyedLines(2, 0, 5, 0))
			do(e, os.Symlink(e.path+".2", e.path+".tmp"))
			do(e, os.Rename(e.path+".tmp", e.path))
			e.look()
			put(e, e.path+".3", keyedLines(3, 0, 6, 0))
			do(e, os.Symlink(e.path+".3", e.path+".tmp"))
			do(e, os.Rename(e.path+".tmp", e.path))
		}, 3, 6, replaced + " " + replaced, false, "", false},
		{"permission lost and regained", func(e env) {
			e.refuse.stat = fs.ErrPermission
			e.look()
			add(e, keyedLines(1, 3, 6, 0))
			e.look()
			e.refuse.stat = nil
		}, 1, 6, lost + " " + regained, true, "permission denied", false},
		{"replaced by what may not be read", func(e env) {
			put(e, e.path+".new", keyedLines(2, 0, 4, 0))
			do(e, os.Rename(e.path+".new", e.path))
			e.refuse.open = fs.ErrPermission
			e.look()
			e.look()
			e.refuse.open = nil
		}, 2, 4, lost + " " + regained + " " + replaced, false, "permission denied", false},
		{"permission lost for good", func(e env) {
			add(e, keyedLines(1, 3, 6, 0))
			e.refuse.stat = fs.ErrPermission
		}, 1, 6, lost, true, "permission denied", true},
		{"replaced while no descriptor was left", func(e env) {
			put(e, e.path+".new", keyedLines(2, 0, 4, 0))
			do(e, os.Rename(e.path+".new", e.path))
			e.refuse.open = syscall.EMFILE
			e.look()
			e.look()
			e.refuse.open = nil
		}, 2, 4, replaced, false, syscall.EMFILE.Error(), false},
		{"a server that was away", func(e env) {
			e.refuse.stat = syscall.EIO
			e.look()
			add(e, keyedLines(1, 3, 6, 0))
			e.refuse.stat = nil
		}, 1, 6, regained, true, syscall.EIO.Error(), false},
	}
	for _, test := range tests {
		for _, followers := range []int{1, 2, 8} {
			t.Run(fmt.Sprintf("%s %d", test.name, followers), func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "dir", "run.jsonl")
				e := env{path: path, refuse: &refusing{}, t: t}
				do(e, os.Mkdir(filepath.Dir(path), 0o700))
				put(e, path, keyedLines(1, 0, 3, 0))
				all := make([]*byHand, followers)
				before := make([]*model.Snapshot, followers)
				pictures := make([]string, followers)
				for i := range all {
					all[i] = followByHand(t, path, e.refuse.system())
					all[i].says(1, 0, 3)
					before[i] = all[i].last.Snap
					pictures[i] = picture(before[i])
				}
				trouble := ""
				e.look = func() {
					for _, h := range all {
						h.look()
						if h.last.Err != nil {
							trouble = h.last.Err.Error()
						}
					}
				}
				test.do(e)
				e.look()
				e.look()
				for i, h := range all {
					h.says(test.gen, 0, test.to)
					if got := strings.Join(h.events, " "); got != test.events {
						t.Errorf("events %q, want %q", got, test.events)
					}
					if picture(before[i]) != pictures[i] {
						t.Error("an old snapshot has changed")
					}
					if was, now := keysOf(before[i]), keysOf(h.last.Snap); test.same && fmt.Sprint(was) != fmt.Sprint(now[:len(was)]) {
						t.Errorf("rows of keys %x are now %x", was, now[:len(was)])
					}
					if (h.last.Err != nil) != test.troubled {
						t.Errorf("in the end it says %v", h.last.Err)
					}
				}
				if test.trouble == "" && trouble != "" || !strings.Contains(trouble, test.trouble) {
					t.Errorf("got %q, want %q", trouble, test.trouble)
				}
			})
		}
	}
}

// TestFollowedMemory follows a file while a million records arrive: only the row of each in the
// index stays in memory.
func TestFollowedMemory(t *testing.T) {
	modeltest.Long(t, "it writes what is large")
	const batches, batch, most = 20, 50_000, 150 // bytes a record
	path := filepath.Join(t.TempDir(), "run.jsonl")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var b bytes.Buffer
	write := func(from int) {
		b.Reset()
		for n := from; n < from+batch; n++ {
			fmt.Fprintf(&b, "{\"role\":\"user\",\"content\":\"g1 n%d %s\"}\n", n, "some more words of about the length that a message has")
		}
		if _, err := f.Write(b.Bytes()); err != nil {
			t.Fatal(err)
		}
	}
	write(0)
	h := followByHand(t, path, disk.System{})
	before := figuresNow()
	for n := 1; n < batches; n++ {
		write(n * batch)
		h.look()
	}
	if h.last.Snap.Len() != batches*batch {
		t.Fatalf("%d messages", h.last.Snap.Len())
	}
	after := figuresNow()
	each := float64(after.heap-before.heap) / ((batches - 1) * batch)
	t.Logf("%d records, %.0f bytes each", batches*batch, each)
	if each > most {
		t.Errorf("%.0f bytes are kept of a record, more than %d", each, most)
	}
	if after.goroutines != before.goroutines || after.files != before.files {
		t.Errorf("%+v, before %+v", after, before)
	}
	for _, pos := range []int{0, batch*batches/2 + 7, batches*batch - 1} {
		got, _, err := soakText(context.Background(), h.last.Snap.NewReader(), h.last.Snap, pos)
		if want := fmt.Sprintf("g1 n%d", pos); err != nil || got != want {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
}

// readCounter counts the bytes read.
type readCounter struct {
	*os.File
	read *int64
}

func (c readCounter) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.File.ReadAt(p, off)
	*c.read += int64(n)
	return n, err
}

// TestLongLineInPieces writes a line of 64 MB in pieces, with a look at each: the follower reads
// the line a few times, not once per piece.
func TestLongLineInPieces(t *testing.T) {
	modeltest.Long(t, "it writes what is large")
	const pieces, piece = 256, 256 << 10
	path := filepath.Join(t.TempDir(), "run.jsonl")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	write := func(text string) {
		t.Helper()
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
	}
	write(keyedLine(1, 0, 0))
	var read int64
	h := followByHand(t, path, disk.System{Open: func(path string) (disk.Handle, error) {
		f, err := os.Open(path)
		return readCounter{f, &read}, err
	}})
	line := keyedLine(1, 1, 0)
	write(line[:len(line)-4])
	for range pieces {
		write(strings.Repeat("x", piece))
		h.look()
	}
	if h.last.Snap.Tail().Len < pieces*piece {
		t.Errorf("the tail is %+v", h.last.Snap.Tail())
	}
	write(line[len(line)-4:])
	h.look()
	h.says(1, 0, 2)
	if limit := int64(12 * pieces * piece); read > limit {
		t.Errorf("%d MB were read of a line of %d MB", read>>20, pieces*piece>>20)
	}
}
