package ui

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"turns/model"
	"turns/model/load"
	"turns/model/modeltest"
	"turns/ui/transcripts"
)

// loadFeed follows a file, as package ui/cli does.
type loadFeed struct{ c *load.Conversation }

func (f loadFeed) Next(ctx context.Context) (transcripts.State, error) {
	u, err := f.c.Next(ctx)
	return transcripts.State{
		Snap: u.Snap, Preview: u.Preview, Indexed: u.Indexed, Growing: u.Growing, Following: true, Event: u.Event, Path: f.c.Path(), Bytes: u.Bytes, Err: u.Err,
	}, err
}

func follow(t *testing.T, f *modeltest.GrowingRun, w, h int) *driver {
	t.Helper()
	c, err := load.Open(t.Context(), f.Path, load.Options{Follow: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	o := testOptions()
	o.Follow = true
	return driveFeed(t, loadFeed{c}, o, w, h)
}

func TestFollow(t *testing.T) {
	f := modeltest.NewGrowingRun(t, filepath.Join(t.TempDir(), "run.jsonl"))
	f.Add(f.User("count to ten"))
	for i := range 30 {
		f.Add(f.Reply(fmt.Sprintf("number %d", i)))
	}
	d := follow(t, f, 80, 24)
	d.WaitFor("number 29").WaitFor("FOLLOW")
	f.Add(f.Reply("one more"))
	d.Selected("one more").WaitFor("FOLLOW")
	f.Add(f.Bash("t1", "make all"))
	d.Selected("make all").WaitFor("Bash running")
	f.Add(f.Result("t1", "Exit code 2\nboom", true))
	d.WaitFor("exit 2").WaitGone("Bash running")
	d.Press("k k k").WaitFor("PAUSED")
	f.Add(f.Reply("while away"), f.Bash("t2", "make test"), f.Result("t2", "Exit code 1\nbad", true))
	d.WaitFor("3 new, 1 error").WaitGone("assistant while away")
	d.Press("G").Selected("make test").WaitFor("FOLLOW")
}

func TestPendingFilterLive(t *testing.T) {
	f := modeltest.NewGrowingRun(t, filepath.Join(t.TempDir(), "run.jsonl"))
	f.Add(f.User("go"), f.Bash("t1", "sleep 100"))
	d := follow(t, f, 80, 24)
	d.WaitFor("sleep 100").Press("f").Type("is:pending").WaitFor("1 row").Press("enter")
	f.Add(f.Result("t1", "done", false))
	d.WaitFor("0 of 3 match")
}

// A requested place beyond the preview is reached once the file is fully read.
func TestPlaceBeyondThePreview(t *testing.T) {
	o := testOptions()
	o.At, o.Width, o.Height, o.Dir = "11", 100, 30, t.TempDir()
	whole := sampleMessages()
	b := &bench{a: newApp(t.Context(), told{}, o), t: t}
	b.a.h.Timer = func(time.Duration, tea.Msg) tea.Cmd { return nil }
	b.send(updateMsg{b.a.feed, transcripts.State{Snap: model.FromMessages(whole[:4]), Preview: true, Indexed: 0.1}, nil})
	b.send(updateMsg{b.a.feed, transcripts.State{Snap: model.FromMessages(whole), Indexed: 1}, nil})
	if id, _ := b.a.h.Rows.Selected(); b.a.h.Snap.Pos(id) != 11 {
		t.Errorf("--at 11 begins at #%d", b.a.h.Snap.Pos(id))
	}
}

// A file written long after its last record is a copy, so its session is not waiting.
func TestACopiedFileWaitsForNobody(t *testing.T) {
	snap := model.FromMessages([]model.Message{say(model.User, 1, words("hello")), say(model.Assistant, 2, words("hi"))})
	for _, c := range []struct {
		written time.Duration // after the last record
		want    string
	}{{time.Second, "idle"}, {50 * time.Minute, "idle"}, {27 * time.Hour, ""}} {
		o := testOptions()
		o.Now = func() time.Time { return sampleStart.Add(c.written + time.Minute) }
		b := newBench(t, snap, o, 100, 20)
		b.send(updateMsg{b.a.feed, transcripts.State{Snap: snap, Indexed: 1, Growing: true, Path: "/tmp/a.json", LastWrite: sampleStart.Add(2*time.Second + c.written)}, nil})
		if got := b.a.h.Doing().Words(); got != c.want || b.a.h.Live != (c.want != "") {
			t.Errorf("written %v later it says %q, live %v", c.written, got, b.a.h.Live)
		}
	}
}

// The row of a call that waits for the user shows that, like the line above, followed or not; an
// abandoned call does not. The rows of both turns have the sign of a missing result.
func TestRowOfACallThatWaits(t *testing.T) {
	left := call("a", "AskUserQuestion", `{"questions":[{"question":"Old?"}]}`)
	for _, c := range []struct {
		tool      string
		row, head string
		after     time.Duration
	}{
		{"AskUserQuestion", "asks you", "asks you 11:45", 705 * time.Second},
		{"ExitPlanMode", "plan for you", "plan for you 11:45", 705 * time.Second},
		{"Edit", "to allow", "Edit to allow 11:45", 705 * time.Second},
		{"Edit", "running", "Edit running 0:10", 10 * time.Second},
		{"Edit", "to allow", "Edit to allow 1:03:12", time.Hour + 3*time.Minute + 12*time.Second},
	} {
		snap := model.FromMessages([]model.Message{say(model.User, 0, words("go")), say(model.Assistant, 0, left),
			say(model.User, 0, words("go on")), say(model.Assistant, 0, call("b", c.tool, `{}`))})
		o := testOptions()
		o.Now = func() time.Time { return sampleStart.Add(c.after) }
		b := newBench(t, snap, o, 80, 20)
		for _, growing := range []bool{false, true} {
			b.send(updateMsg{b.a.feed, transcripts.State{Snap: snap, Indexed: 1, Growing: growing, Path: "/tmp/a.json", LastWrite: sampleStart}, nil})
			lines := strings.Split(ansi.Strip(b.frame()), "\n")
			rows := slices.DeleteFunc(slices.Clone(lines[1:]), func(line string) bool { return !strings.Contains(line, " ◌ ") || strings.Contains(line, "❯") })
			age := c.head[strings.LastIndex(c.head, " "):]
			if c.after > time.Hour {
				age = " 1h03m"
			}
			if !strings.Contains(lines[0], c.head) || len(rows) != 2 || !strings.Contains(rows[1], c.row+" ") || !strings.HasSuffix(strings.TrimSpace(rows[1]), age) ||
				strings.Contains(rows[0], "asks you") || strings.Count(strings.Join(lines, "\n"), "1 call · ◌") != 2 {
				t.Errorf("%s, growing %v: want %q and %q, it is\n%s", c.tool, growing, c.head, c.row, strings.Join(lines, "\n"))
			}
		}
	}
}

// TestBothLinesAgree: after a text of the model, both lines at the top show that it may go on, and
// later that it waits for the user.
func TestBothLinesAgree(t *testing.T) {
	snap := model.FromMessages([]model.Message{say(model.User, 1, words("fix it")), say(model.Assistant, 2, words("I look at the test."))})
	for after, want := range map[time.Duration]string{time.Second: `running, said last: "I look`, time.Minute: `waits for you: "I look`} {
		o := testOptions()
		o.Now = func() time.Time { return sampleStart.Add(2*time.Second + after) }
		o.Width, o.Height, o.Dir = 100, 20, t.TempDir()
		b := &bench{a: newApp(t.Context(), told{}, o), t: t}
		b.a.h.Timer = func(time.Duration, tea.Msg) tea.Cmd { return nil }
		b.send(updateMsg{b.a.feed, transcripts.State{Snap: snap, Indexed: 1, Growing: true, Path: "/tmp/a.json", LastWrite: sampleStart.Add(2 * time.Second)}, nil})
		if got := frameLine(b, 1); !strings.Contains(got, want) {
			t.Errorf("after %v the top lines are\n%s\n%s", after, frameLine(b, 0), got)
		}
	}
}
