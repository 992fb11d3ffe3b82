package fork

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"turns/model"
	"turns/model/load"
	"turns/model/modeltest"
)

// now is the moment of all forks in tests.
var now = time.Date(2026, 11, 20, 12, 30, 45, 0, time.UTC)

// opened opens a transcript and returns its conversation.
func opened(t *testing.T, path string, part *int) *model.Snapshot {
	t.Helper()
	c, err := load.Open(t.Context(), path, load.Options{Session: part})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	snap, err := c.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

// said returns the content of a message as text: its role, texts, calls and results.
func said(t *testing.T, s *model.Snapshot, pos int) string {
	t.Helper()
	m, err := s.Body(t.Context(), s.At(pos))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", m.Role, m.Name)
	made, calls := 0, s.Calls(s.At(pos))
	for _, c := range m.Blocks {
		if c.Kind == model.ToolCall {
			if made++; made <= len(calls) && calls[made-1].InText() {
				continue // in a fork, its script may have no end
			}
		}
		fmt.Fprintf(&b, "\n%v %s %s %q %v %d", c.Kind, c.ID, c.Name, c.Text, c.Null, c.Size)
	}
	return b.String()
}

// sameUpTo compares the messages of a fork with those of its original. A message in which the fork
// closes calls may have more content than its original.
func sameUpTo(t *testing.T, was, fork *model.Snapshot, p *Plan) {
	t.Helper()
	if fork.Len() < p.Messages {
		t.Fatalf("the fork has %d messages, want %d", fork.Len(), p.Messages)
	}
	if fork.Format() != was.Format() {
		t.Errorf("the fork reads as %s", fork.Format())
	}
	closed := map[int]bool{}
	for _, c := range p.Closed {
		closed[c.Message] = true
	}
	for pos := range p.Messages {
		if want, got := said(t, was, pos), said(t, fork, pos); want != got && (!closed[pos] || !strings.HasPrefix(got, want)) {
			t.Fatalf("message %d of the fork at %d: %s", pos, p.at, modeltest.FirstDifference(got, want))
		}
	}
	for pos := p.Messages; pos < fork.Len(); pos++ {
		if h := fork.HeadRow(fork.At(pos)); h.Role != model.Tool {
			t.Errorf("the fork at %d has another message behind the cut: %s", p.at, said(t, fork, pos))
		}
	}
	if open, err := openCalls(t.Context(), fork, fork.Len()-1); err != nil || len(open) > 0 {
		t.Errorf("the fork at %d has calls without a result: %v %v", p.at, open, err)
	}
	if id := fork.Sessions()[0].Field("session"); id != p.ID {
		t.Errorf("the fork has the id %q, want %q", id, p.ID)
	}
}

// places returns the positions of messages at which the test forks a session.
func places(s *model.Snapshot) []int {
	n := s.Len()
	list := []int{0, n / 3, n / 2, n - 1}
	calls := 0
	for pos := range n { // and messages that made calls, which the cut leaves open
		if len(s.Calls(s.At(pos))) > 0 && calls < 3 {
			list = append(list, pos)
			calls++
		}
	}
	return list
}

// TestForksOfTheCorpus: forks of real sessions read back as their originals, up to the cut.
func TestForksOfTheCorpus(t *testing.T) {
	root := filepath.Join(modeltest.Corpus(t), "agents")
	sessions, forks := 0, 0
	for _, agent := range []string{"claude_code", "codex", "pi", "gemini_cli", "opencode"} {
		err := filepath.WalkDir(filepath.Join(root, agent), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasPrefix(filepath.Ext(path), ".json") {
				return err
			}
			if info, err := d.Info(); err != nil || info.Size() > int64(modeltest.Fewer(16<<20, 6<<20)) {
				return err
			}
			c, err := load.Open(t.Context(), path, load.Options{})
			if err != nil {
				return nil // not a transcript
			}
			c.Close()
			snap := opened(t, path, nil)
			if snap.Len() == 0 || writers[snap.Format()] == nil || len(snap.Sessions()) != 1 {
				return nil
			}
			before, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			name, _ := filepath.Rel(root, path)
			t.Run(name, func(t *testing.T) {
				for _, at := range places(snap) {
					into := filepath.Join(t.TempDir(), "fork"+filepath.Ext(path))
					p, err := New(t.Context(), snap, Options{Path: path, At: at, Into: into, Now: now})
					if err != nil {
						t.Log(name, err)
						return
					}
					if err := p.Write(false); err != nil {
						t.Fatal(err)
					}
					sameUpTo(t, snap, opened(t, into, nil), p)
					if rules := readerRules[p.Format]; rules != nil {
						rules(t, p, into)
					}
					forks++
				}
				sessions++
			})
			if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
				t.Errorf("%s changed: %v", path, err)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	if t.Logf("%d forks of %d sessions", forks, sessions); sessions < 30 {
		t.Errorf("%d sessions of the corpus were forked, want 30", sessions)
	}
}
