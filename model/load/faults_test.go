package load

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"turns/model"
	"turns/model/modeltest"
	"turns/model/source/disk"
)

// chatLine returns a record with the text of n.
func chatLine(n int) string { return fmt.Sprintf("{\"role\":\"user\",\"content\":\"line %d\"}\n", n) }

func chatLines(from, to int) string {
	var b strings.Builder
	for n := from; n < to; n++ {
		b.WriteString(chatLine(n))
	}
	return b.String()
}

// said returns the texts of a snapshot, in order.
func said(t *testing.T, s *model.Snapshot) string {
	t.Helper()
	var b strings.Builder
	for pos := range s.Len() {
		m, err := s.Body(context.Background(), s.At(pos))
		if err != nil {
			t.Fatal(err)
		}
		for i := range m.Blocks {
			b.WriteString(m.Blocks[i].Text)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func wanted(from, to int) string {
	var b strings.Builder
	for n := from; n < to; n++ {
		fmt.Fprintf(&b, "line %d\n", n)
	}
	return b.String()
}

// until follows c until it has the messages in the range [from, to).
func until(ctx context.Context, c *Conversation, from, to int) (*model.Snapshot, error) {
	for {
		u, err := c.Next(ctx)
		if err != nil {
			return nil, err
		}
		if u.Snap.Len() != to-from || u.Snap.Len() == 0 || u.Preview {
			continue
		}
		m, err := u.Snap.Body(ctx, u.Snap.At(0))
		if err == nil && len(m.Blocks) > 0 && m.Blocks[0].Text == fmt.Sprintf("line %d", from) {
			return u.Snap, nil
		}
	}
}

// TestFollowers changes a file as programs change their logs, under one, two and eight followers,
// with notification and without: in the end each has every record once and in order, and earlier
// rows stay unchanged.
func TestFollowers(t *testing.T) {
	t.Run("notified", func(t *testing.T) { testFollowers(t, disk.System{}) })
	t.Run("polling", func(t *testing.T) { testFollowers(t, disk.System{Deaf: true, Tick: fastTick}) })
}

func testFollowers(t *testing.T, system disk.System) {
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	put := func(path, text string) { check(os.WriteFile(path, []byte(text), 0o600)) }
	add := func(path, text string) {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		check(err)
		_, err = f.WriteString(text)
		check(errors.Join(err, f.Close()))
	}
	burst := modeltest.Fewer(20_000, 8_000) // several looks at the file in any case
	tests := []struct {
		name     string
		do       func(path string)
		from, to int
	}{
		{"append", func(p string) { add(p, chatLines(3, 9)) }, 0, 9},
		{"partial line", func(p string) {
			line := chatLine(3)
			for i := range line {
				add(p, line[i:i+1])
			}
		}, 0, 4},
		{"burst", func(p string) { add(p, chatLines(3, burst)) }, 0, burst},
		{"truncate", func(p string) { check(os.Truncate(p, 0)); add(p, chatLines(100, 102)) }, 100, 102},
		{"truncate and regrow larger", func(p string) { put(p, chatLines(100, 130)) }, 100, 130},
		{"rename and recreate", func(p string) { check(os.Rename(p, p+".1")); put(p, chatLines(100, 104)) }, 100, 104},
		{"replace by rename", func(p string) { put(p+".new", chatLines(100, 140)); check(os.Rename(p+".new", p)) }, 100, 140},
		{"delete and recreate", func(p string) { check(os.Remove(p)); put(p, chatLines(100, 101)) }, 100, 101},
		{"symlink switch", func(p string) {
			put(p+".2", chatLines(100, 105))
			check(os.Symlink(p+".2", p+".tmp"))
			check(os.Rename(p+".tmp", p))
		}, 100, 105},
	}
	for _, test := range tests {
		for _, followers := range []int{1, 2, 8} {
			t.Run(fmt.Sprintf("%s %d", test.name, followers), func(t *testing.T) {
				ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
				defer cancel()
				path := filepath.Join(t.TempDir(), "run.jsonl")
				put(path, chatLines(0, 3))
				type follower struct {
					c   *Conversation
					old *model.Snapshot
				}
				var all []follower
				for range followers {
					c, err := Open(ctx, path, Options{Follow: true, Workers: 1, system: system})
					check(err)
					defer c.Close()
					old, err := until(ctx, c, 0, 3)
					check(err)
					all = append(all, follower{c, old})
				}
				test.do(path)
				for _, f := range all {
					before := picture(f.old)
					now, err := until(ctx, f.c, test.from, test.to)
					check(err)
					if got, want := said(t, now), wanted(test.from, test.to); got != want {
						t.Errorf("got %d bytes of text, want %d", len(got), len(want))
					}
					if picture(f.old) != before {
						t.Error("an old snapshot has changed")
					}
				}
			})
		}
	}
}

func TestFollowLateCreation(t *testing.T) {
	for _, system := range []disk.System{{}, {Deaf: true, Tick: fastTick}} {
		for _, followers := range []int{1, 2, 8} {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			path := filepath.Join(t.TempDir(), "run.jsonl")
			var all []*Conversation
			for range followers {
				c, err := Open(ctx, path, Options{Follow: true, system: system})
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				all = append(all, c)
			}
			if err := os.WriteFile(path, []byte(chatLines(0, 5)), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, c := range all {
				if _, err := until(ctx, c, 0, 5); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// TestCloseWaitsForNext closes a conversation during a Next.
func TestCloseWaitsForNext(t *testing.T) {
	for range 20 {
		path := filepath.Join(t.TempDir(), "run.jsonl")
		if err := os.WriteFile(path, []byte(chatLines(0, 3)), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := Open(context.Background(), path, Options{Follow: true})
		if err != nil {
			t.Fatal(err)
		}
		begun, ended := make(chan struct{}, 1), make(chan error)
		go func() {
			for {
				_, err := c.Next(context.Background())
				if err != nil {
					ended <- err
					return
				}
				select {
				case begun <- struct{}{}:
				default:
				}
			}
		}()
		<-begun
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		if err := <-ended; !errors.Is(err, context.Canceled) && !errors.Is(err, os.ErrClosed) {
			t.Fatalf("Next ended with %v", err)
		}
	}
}
