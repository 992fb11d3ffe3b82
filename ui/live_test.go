package ui

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/model/load"
	"turns/ui/library"
)

// loadFeed is a file that is followed, as package ui/cli makes it.
type loadFeed struct{ c *load.Conversation }

func (f loadFeed) Next(ctx context.Context) (library.Update, error) {
	u, err := f.c.Next(ctx)
	return library.Update{
		Snap: u.Snap, Preview: u.Preview, Indexed: u.Indexed, Growing: u.Growing, Following: true, Event: u.Event, Path: f.c.Path(), Bytes: u.Bytes, Err: u.Err,
	}, err
}

// transcript is a session of Claude Code that grows.
type transcript struct {
	t    *testing.T
	path string
	n    int
}

func (f *transcript) add(lines ...string) {
	f.t.Helper()
	out, err := os.OpenFile(f.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		f.t.Fatal(err)
	}
	defer out.Close()
	for _, line := range lines {
		if _, err := fmt.Fprintln(out, line); err != nil {
			f.t.Fatal(err)
		}
	}
}

func (f *transcript) line(kind, message string) string {
	f.n++
	at := sampleStart.Add(time.Duration(f.n) * time.Second).Format(time.RFC3339)
	return fmt.Sprintf(`{"parentUuid":"u%d","isSidechain":false,"type":%q,"sessionId":"s","cwd":"/work","version":"2.1.39","uuid":"u%d","timestamp":%q,"message":%s}`, f.n-1, kind, f.n, at, message)
}

func (f *transcript) user(text string) string {
	return f.line("user", fmt.Sprintf(`{"role":"user","content":%q}`, text))
}

func (f *transcript) said(text string) string {
	return f.line("assistant", fmt.Sprintf(`{"id":"m%d","type":"message","role":"assistant","model":"claude-opus-4-6","content":[{"type":"text","text":%q}]}`, f.n, text))
}

func (f *transcript) bash(id, cmd string) string {
	return f.line("assistant", fmt.Sprintf(`{"id":"m%d","type":"message","role":"assistant","model":"claude-opus-4-6","content":[{"type":"tool_use","id":%q,"name":"Bash","input":{"command":%q}}]}`, f.n, id, cmd))
}

func (f *transcript) result(id, text string, failed bool) string {
	return f.line("user", fmt.Sprintf(`{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"content":%q,"is_error":%v}]}`, id, text, failed))
}

func follow(t *testing.T, f *transcript, w, h int) *driver {
	t.Helper()
	c, err := load.Open(t.Context(), f.path, load.Options{Follow: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	o := testOptions()
	o.Follow = true
	return driveFeed(t, loadFeed{c}, o, w, h)
}

func TestFollow(t *testing.T) {
	f := &transcript{t: t, path: filepath.Join(t.TempDir(), "run.jsonl")}
	f.add(f.user("count to ten"))
	for i := range 30 {
		f.add(f.said(fmt.Sprintf("number %d", i)))
	}
	d := follow(t, f, 80, 24)
	d.WaitFor("number 29").WaitFor("FOLLOW")
	f.add(f.said("one more"))
	d.Selected("one more").WaitFor("FOLLOW")
	f.add(f.bash("t1", "make all"))
	d.Selected("make all").WaitFor("Bash running")
	f.add(f.result("t1", "Exit code 2\nboom", true))
	d.WaitFor("exit 2").WaitGone("Bash running")
	d.Press("k k k").WaitFor("PAUSED")
	f.add(f.said("while away"), f.bash("t2", "make test"), f.result("t2", "Exit code 1\nbad", true))
	d.WaitFor("3 new, 1 error").WaitGone("assistant while away")
	d.Press("G").Selected("make test").WaitFor("FOLLOW")
}

func TestPendingFilterLive(t *testing.T) {
	f := &transcript{t: t, path: filepath.Join(t.TempDir(), "run.jsonl")}
	f.add(f.user("go"), f.bash("t1", "sleep 100"))
	d := follow(t, f, 80, 24)
	d.WaitFor("sleep 100").Press("f").Type("is:pending").WaitFor("1 row").Press("enter")
	f.add(f.result("t1", "done", false))
	d.WaitFor("0 of 3 match")
}

// A place that lies beyond what is shown while the file is read is gone to when all of it is there.
func TestPlaceBeyondThePreview(t *testing.T) {
	o := testOptions()
	o.At, o.Width, o.Height, o.Dir = "11", 100, 30, t.TempDir()
	whole := sampleMessages()
	b := &bench{a: newApp(t.Context(), told{}, o), t: t}
	b.a.h.Timer = func(time.Duration, tea.Msg) tea.Cmd { return nil }
	b.send(updateMsg{b.a.feed, library.Update{Snap: model.FromMessages(whole[:4]), Preview: true, Indexed: 0.1}, nil})
	b.send(updateMsg{b.a.feed, library.Update{Snap: model.FromMessages(whole), Indexed: 1}, nil})
	if id, _ := b.a.h.Rows.Selected(); b.a.h.Snap.Pos(id) != 11 {
		t.Errorf("--at 11 begins at #%d", b.a.h.Snap.Pos(id))
	}
}

// A file that was written long after what it tells is a copy, and nobody is waited for in it.
func TestACopiedFileWaitsForNobody(t *testing.T) {
	snap := model.FromMessages([]model.Message{say(model.User, 1, words("hello")), say(model.Assistant, 2, words("hi"))})
	for _, c := range []struct {
		written time.Duration // after the last record
		want    string
	}{{time.Second, "waits for you"}, {50 * time.Minute, "waits for you"}, {27 * time.Hour, ""}} {
		o := testOptions()
		o.Now = func() time.Time { return sampleStart.Add(c.written + time.Minute) }
		b := newBench(t, snap, o, 100, 20)
		b.send(updateMsg{b.a.feed, library.Update{Snap: snap, Indexed: 1, Growing: true, Path: "/tmp/a.json", LastWrite: sampleStart.Add(2*time.Second + c.written)}, nil})
		if got := b.a.doing().Words(); got != c.want || b.a.h.Live != (c.want != "") {
			t.Errorf("written %v later it says %q, live %v", c.written, got, b.a.h.Live)
		}
	}
}
