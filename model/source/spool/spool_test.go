package spool

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"turns/model"
)

// TestSpoolChunks writes the same bytes in chunks of any size, with rollbacks in between, and
// expects the same bytes at every offset.
func TestSpoolChunks(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	want := make([]byte, 600_000)
	for i := range want {
		want[i] = byte(rng.Uint32())
	}
	for _, limit := range []int64{1, 1000, 300_000, 1 << 30} {
		dir := t.TempDir()
		sp := New(model.Limits{Spool: limit}, dir)
		for off := 0; off < len(want); {
			n := min(1+rng.IntN(30_000), len(want)-off)
			if rng.IntN(3) == 0 {
				if _, err := sp.Write(want[:n]); err != nil {
					t.Fatal(err)
				}
				sp.Rollback(int64(off))
			}
			if _, err := sp.Write(want[off : off+n]); err != nil {
				t.Fatal(err)
			}
			if sp.Size() != int64(off) {
				t.Fatalf("limit %d: %d bytes visible before the commit, want %d", limit, sp.Size(), off)
			}
			sp.Commit()
			off += n
			at, size := rng.IntN(off), rng.IntN(50_000)
			got := make([]byte, size)
			k, err := sp.ReadAt(got, int64(at))
			if w := want[at:min(at+size, off)]; !bytes.Equal(got[:k], w) || (err == io.EOF) != (at+size > off) {
				t.Fatalf("limit %d: read %d of %d at %d: %v", limit, k, size, at, err)
			}
		}
		if got := read(t, sp); got != string(want) {
			t.Errorf("limit %d: other bytes", limit)
		}
		if names, _ := filepath.Glob(filepath.Join(dir, "*")); len(names) > 0 {
			t.Errorf("limit %d: the file still has a name: %v", limit, names)
		}
		if err := sp.Close(); err != nil {
			t.Error(err)
		}
		if _, err := sp.ReadAt(make([]byte, 1), 0); !errors.Is(err, os.ErrClosed) {
			t.Errorf("read after close: %v", err)
		}
	}
}

func TestSpoolReadersAndWriter(t *testing.T) {
	sp := New(model.Limits{Spool: 4096}, t.TempDir())
	defer sp.Close()
	var wg sync.WaitGroup
	const total = 20_000
	for range 3 {
		wg.Go(func() {
			got, err := io.ReadAll(io.NewSectionReader(sp.Reader(t.Context()), 0, total*9))
			if err != nil || len(got) != total*9 || bytes.Count(got, []byte("l\t123456\n")) != total {
				t.Errorf("%d bytes, %v", len(got), err)
			}
		})
	}
	for range total {
		if err := put(sp, "l\t123456\n"); err != nil {
			t.Fatal(err)
		}
	}
	sp.Finish(nil)
	wg.Wait()
}

func TestSpoolErrors(t *testing.T) {
	sp := New(model.Limits{Spool: 4}, filepath.Join(t.TempDir(), "missing"))
	if err := put(sp, "1\n"); err != nil {
		t.Fatal(err)
	}
	err := put(sp, "22222\n")
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no folder for the file: %v", err)
	}
	if _, ended, err := sp.Wait(t.Context(), 3); !ended || err == nil {
		t.Errorf("the error does not reach readers: %v", err)
	}
	if got := read(t, sp); got != "1\n" {
		t.Errorf("what was committed became %q", got)
	}
	sp.Close()
	if _, err := sp.Write([]byte("x")); !errors.Is(err, os.ErrClosed) {
		t.Errorf("write after close: %v", err)
	}

	sp = New(model.Limits{}, "")
	defer sp.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := sp.Wait(ctx, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("wait: %v", err)
	}
	sp.Finish(io.ErrClosedPipe)
	if _, err := sp.Reader(t.Context()).ReadAt(make([]byte, 1), 0); err != io.ErrClosedPipe {
		t.Errorf("reader: %v", err)
	}
}

// TestDiskFull writes to a full device.
func TestDiskFull(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		return // a system without it
	}
	sp := New(model.Limits{Spool: 8}, "")
	sp.file = full
	defer sp.Close()
	var werr error
	for range 100 {
		if werr = put(sp, strings.Repeat("x", 10_000)); werr != nil {
			break
		}
	}
	if werr == nil {
		t.Error("no error although the disk is full")
	}
	if _, ended, err := sp.Wait(t.Context(), 1<<40); !ended || err == nil {
		t.Errorf("readers do not hear of it: %v", err)
	}
}

// put writes a text and makes it visible.
func put(s *Spool, text string) error {
	_, err := s.Write([]byte(text))
	s.Commit()
	return err
}

// read returns the readable content.
func read(t *testing.T, s *Spool) string {
	t.Helper()
	b, err := io.ReadAll(io.NewSectionReader(s, 0, s.Size()))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
