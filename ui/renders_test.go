package ui

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"turns/model"
	"turns/model/load"
	"turns/model/modeltest"
)

// grown is a screen over a growing file, without a program: it applies each change on the test's
// request.
type grown struct {
	*bench
	f    *modeltest.GrowingRun
	feed loadFeed
}

func newGrown(t *testing.T, messages int) *grown {
	t.Helper()
	g := &grown{f: modeltest.NewGrowingRun(t, filepath.Join(t.TempDir(), "run.jsonl"))}
	g.f.Add(g.f.User("count"))
	for i := range messages {
		g.f.Add(g.f.Reply(fmt.Sprintf("number %d", i)))
	}
	c, err := load.Open(t.Context(), g.f.Path, load.Options{Follow: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	g.feed = loadFeed{c}
	o := testOptions()
	o.Follow, o.Width, o.Height, o.Dir = true, 80, 24, t.TempDir()
	a := newApp(context.Background(), g.feed, o)
	t.Cleanup(a.cancel)
	g.bench = &bench{a: a, t: t}
	a.h.Timer = nil
	a.h.Bodies.Budget = time.Hour
	g.take(func() bool { return a.h.Snap != nil && a.h.Snap.Len() == messages+1 })
	return g
}

// take applies changes of the file until a condition is true. It runs no commands.
func (g *grown) take(until func() bool) {
	g.t.Helper()
	ctx, cancel := context.WithTimeout(g.t.Context(), 5*time.Second)
	defer cancel()
	for !until() {
		u, err := g.feed.Next(ctx)
		if err != nil {
			g.t.Fatal(err)
		}
		g.a.Update(updateMsg{g.feed, u, nil})
	}
}

// counts returns the numbers of drawn rows and described messages since the last call.
func (g *grown) counts(since *[2]int) (drawn, described int) {
	now := [2]int{g.a.list.Renders, g.a.h.Described.Made}
	drawn, described = now[0]-since[0], now[1]-since[1]
	*since = now
	return drawn, described
}

func TestAppendWhilePausedDrawsNothing(t *testing.T) {
	g := newGrown(t, 100)
	g.a.Update(keyPress("g"))
	g.a.draw()
	var at [2]int
	g.counts(&at)
	g.f.Add(g.f.Reply("while away"))
	g.take(func() bool { return g.a.h.Snap.Len() == 102 })
	if drawn, described := g.counts(&at); drawn != 0 || described != 0 {
		t.Errorf("an append while paused drew %d rows and described %d messages", drawn, described)
	}
	if !strings.Contains(g.frame(), "PAUSED 1 new") {
		t.Errorf("the status line does not count what is new:\n%s", g.frame())
	}
}

func TestAppendWhileFollowingDrawsOneRow(t *testing.T) {
	g := newGrown(t, 100)
	g.a.draw()
	var at [2]int
	g.counts(&at)
	g.f.Add(g.f.Reply("the last"))
	g.take(func() bool { return g.a.h.Snap.Len() == 102 })
	// The new row, and the one the cursor left.
	if drawn, described := g.counts(&at); drawn > 2 || described > 1 {
		t.Errorf("an append drew %d rows and described %d messages", drawn, described)
	}
}

func TestLateResultRedoesItsCall(t *testing.T) {
	g := newGrown(t, 10)
	g.f.Add(g.f.Bash("t1", "make all"))
	for i := range 5 {
		g.f.Add(g.f.Reply(fmt.Sprintf("meanwhile %d", i)))
	}
	g.take(func() bool { return g.a.h.Snap.Len() == 17 })
	g.a.Update(keyPress("k")) // away from the end: no other row moves
	g.a.draw()
	var at [2]int
	g.a.draw() // a running call shows an age and is drawn each time
	g.counts(&at)
	g.f.Add(g.f.Result("t1", "Exit code 2\nboom", true))
	g.take(func() bool { return g.a.h.Snap.Len() == 18 })
	if drawn, described := g.counts(&at); drawn != 1 || described != 1 {
		t.Errorf("a late result drew %d rows and described %d messages, want its call's row only", drawn, described)
	}
	if !strings.Contains(g.frame(), "exit 2 · boom") {
		t.Errorf("the call does not show its result:\n%s", g.frame())
	}
}

// TestScrollDrawsOneRow: scrolling by a line draws only the new row, in both directions.
func TestScrollDrawsOneRow(t *testing.T) {
	b := newBench(t, longRun(500), testOptions(), 120, 40)
	b.press("G g M ctrl+e ctrl+e") // from here on the same prompt stays on the first line
	for _, key := range []string{"ctrl+e", "ctrl+y"} {
		for n := range 30 {
			drawn, described, cur := b.a.list.Renders, b.a.h.Described.Made, b.a.list.CurKey
			b.press(key)
			drawn, described = b.a.list.Renders-drawn, b.a.h.Described.Made-described
			most := 1
			// the edge of the screen pushed the cursor, whose new row looks different
			if b.a.list.CurKey != cur {
				most = 2
			}
			if drawn > most || described > 1 {
				t.Fatalf("%s %d drew %d rows and described %d messages", key, n, drawn, described)
			}
		}
	}
}

// A message with several texts has one token count, on its first row.
func TestTokensOfAMessageStandOnce(t *testing.T) {
	snap := model.FromMessages([]model.Message{say(model.Assistant, 1, words("sixteen letters."), words("sixteen letters,"))})
	b := newBench(t, snap, paneOptions(), 100, 20) // four bytes per token
	var got []string
	for line := range strings.SplitSeq(ansi.Strip(b.frame()), "\n") {
		if _, rest, ok := strings.Cut(line, "sixteen letters"); ok && !strings.HasPrefix(line, " why") {
			got = append(got, strings.Trim(rest, " .,│█▲▼"))
		}
	}
	if len(got) != 2 || got[0] != "8" || got[1] != "" {
		t.Errorf("the rows end in %q, want the 8 tokens on the first", got)
	}
}
