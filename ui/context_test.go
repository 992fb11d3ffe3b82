package ui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"turns/model"
	"turns/ui/paint"
	"turns/ui/panes"
	"turns/ui/screen"
	"turns/ui/transcripts"
)

// weighed is a session whose messages fill a window: a file read twice, a large result never
// mentioned again, a compaction, a change of model. The measured tokens exceed the counted ones by
// 4,000, because the tools are not in the transcript.
func weighed() *model.Snapshot {
	return weighedOf(func(tokens int) string { return strings.Repeat("abc ", tokens) })
}

// weighedOf is weighed with custom texts.
func weighedOf(text func(tokens int) string) *model.Snapshot {
	opus := func(m model.Message, tokens, cached int64) model.Message {
		m.Model = "claude-opus-4-6"
		m.Usage = &model.Usage{Input: 10, CacheRead: cached, CacheWrite: tokens - cached - 10, Output: 300, Reasoning: -1}
		return m
	}
	var msgs []model.Message
	add := func(m ...model.Message) { msgs = append(msgs, m...) }
	add(say(model.System, 0, words("You are careful. "+text(3000))))
	add(model.Message{Role: model.User, Flags: model.Injected, Time: sampleStart.UnixMilli(), Blocks: []model.Content{words("<environment>" + text(1500))}})
	add(say(model.User, 4, words("Find out why the watcher is flaky. "+text(200))))
	add(opus(say(model.Assistant, 9, reasoning("It may sleep. "+text(900)), words("I read it first."), call("r1", "Read", `{"file_path":"internal/watch/watch.go"}`)), 8_700, 0))
	add(say(model.Tool, 10, result("r1", "package watch\n"+text(12_000))))
	add(opus(say(model.Assistant, 20, call("r2", "Read", `{"file_path":"docs/history.md"}`)), 21_700, 8_700))
	add(say(model.Tool, 21, result("r2", "# History\n"+text(30_000))))
	add(opus(say(model.Assistant, 30, words("Now the tests."), call("b1", "Bash", `{"command":"go test ./internal/watch"}`)), 51_800, 21_700))
	add(say(model.Tool, 42, failed("b1", "Exit code 1\n--- FAIL: TestWatch\n"+text(2_500), model.Failure)))
	add(opus(say(model.Assistant, 50, words("The file once more."), call("r3", "Read", `{"file_path":"internal/watch/watch.go"}`)), 54_400, 51_800))
	add(say(model.Tool, 51, result("r3", "package watch\n"+text(12_000))))
	add(opus(say(model.Assistant, 60, words("The test in watch.go sleeps. "+text(700))), 66_500, 54_400))
	msgs = append(msgs, model.Message{Op: model.Compact, Time: sampleStart.Unix()*1000 + 600_000, Name: "auto"})
	add(model.Message{Role: model.User, Flags: model.Recap | model.Injected, Time: sampleStart.Unix()*1000 + 601_000, Blocks: []model.Content{words("So far: the test sleeps. " + text(2_000))}})
	add(say(model.User, 700, words("Repair it.")))
	sonnet := opus(say(model.Assistant, 710, words("I edit it."), call("e1", "Edit", `{"file_path":"internal/watch/watch.go","old_string":"a","new_string":"`+text(4_000)+`"}`)), 9_300, 7_000)
	sonnet.Model = "claude-sonnet-4-5"
	add(sonnet)
	add(say(model.Tool, 711, result("e1", "The file internal/watch/watch.go has been updated.")))
	last := opus(say(model.Assistant, 720, words("Repaired.")), 13_500, 9_300)
	last.Model = "claude-sonnet-4-5"
	add(last)
	return model.FromMessages(msgs)
}

func TestContextFrames(t *testing.T) {
	for _, c := range []struct{ name, keys string }{
		{"largest", ": 9 enter w"}, {"zoomed", ": 1 5 enter w Z"}, {"growth", "w l"}, {"repeated", "w l l"}, {"unused", "w l l l"}, {"tools", ": 1 1 enter w h"},
	} {
		for i, size := range sizes {
			if testing.Short() && i != 1 {
				continue // each pane is tested at one size
			}
			name := fmt.Sprintf("%s-%dx%d", c.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				b := newBench(t, weighed(), paneOptions(), size[0], size[1])
				b.press(c.keys)
				checkFrame(t, b, name)
				golden(t, "context/"+name+".golden", ansi.Strip(b.frame())+"\n")
			})
		}
	}
	for name, set := range map[string]func(*screen.Options){
		"light": func(o *screen.Options) { o.Theme = "light" }, "no-color": func(o *screen.Options) { o.NoColor = true },
		"ascii": func(o *screen.Options) { o.ASCII, o.NoColor = true, true },
	} {
		t.Run(name, func(t *testing.T) {
			o := paneOptions()
			set(&o)
			b := newBench(t, weighed(), o, 120, 40)
			b.press(": 9 enter w Z")
			checkFrame(t, b, name)
			golden(t, "context/"+name+".golden", strings.ReplaceAll(b.frame(), "\x1b", "␛")+"\n")
		})
	}
}

// context returns the context pane of a bench.
func (b *bench) context() *panes.Context { return b.a.panes[screen.PaneContext].(*panes.Context) }

func TestContextFollowsTheSelection(t *testing.T) {
	d := driveFeed(t, transcripts.StaticFeed("/tmp/8463c716.jsonl", weighed()), paneOptions(), 120, 40)
	d.WaitFor("Find out why").Press("w").WaitFor("no history").Press("tab")
	d.Press(": 9 enter").WaitFor("sent with #9").WaitFor("measured 54.4k").WaitFor("95 % from the cache")
	d.Press("G").WaitFor("sent with #16").WaitFor("1 compaction before").WaitFor("left out 11 compacted")
}

// Enter in the list goes to the message, and the list still describes its own message until another
// one is selected.
func TestContextLeadsToWhatFillsIt(t *testing.T) {
	d := driveFeed(t, transcripts.StaticFeed("/tmp/8463c716.jsonl", weighed()), paneOptions(), 120, 40)
	d.WaitFor("Find out why").Press(": 9 enter w").WaitFor("sent with #9").WaitFor("30.0k")
	d.Press("enter").Selected("docs/history.md").WaitFor("sent with #9")
	d.Press("j").WaitFor("sent with #7")
}

func TestContextOnASmallScreenGivesWayToThePlace(t *testing.T) {
	d := driveFeed(t, transcripts.StaticFeed("/tmp/8463c716.jsonl", weighed()), paneOptions(), 80, 24)
	d.WaitFor("Find out why").Press(": 9 enter w").WaitFor("sent with #9").Press("enter").WaitGone("given to").Selected("docs/history.md")
}

func TestContextNamesWhatWasNotNeeded(t *testing.T) {
	b := newBench(t, weighed(), paneOptions(), 120, 40)
	b.press("w Z l l")
	p := b.context()
	if w := p.Wasted.Answer; w == nil || len(w.Repeats) != 1 || w.Repeats[0].Times != 2 || w.Repeats[0].Same != 1 {
		t.Fatalf("repeated calls: %+v", p.Wasted.Answer)
	}
	b.press("enter")
	if id, call := b.a.h.Rows.Selected(); b.a.h.Snap.Pos(id) != 9 || call == screen.NoCall {
		t.Errorf("enter on a repeated call selects #%d, call %d", b.a.h.Snap.Pos(id), call)
	}
	b.press("tab Z l enter")
	if id, _ := b.a.h.Rows.Selected(); b.a.h.Snap.Pos(id) != 5 {
		t.Errorf("enter on a result without a later mention selects #%d, want #5", b.a.h.Snap.Pos(id))
	}
}

func TestContextFiltersByWhatWasInIt(t *testing.T) {
	b := newBench(t, weighed(), paneOptions(), 120, 40)
	b.press("G w +")
	if got, want := b.a.h.View.Text, "index:0,12..15"; got != want {
		t.Errorf("+ filters by %q, want %q", got, want)
	}
	if n := len(b.a.h.View.Messages()); n != 5 {
		t.Errorf("%d messages are shown, want the 5 that the model was given", n)
	}
}

func TestContextClicks(t *testing.T) {
	b := newBench(t, weighed(), paneOptions(), 120, 40)
	b.press(": 9 enter w")
	p, side := b.context(), b.a.lay.side
	click := func(x, y int) {
		b.send(tea.MouseClickMsg{X: side.x + x, Y: side.y + y, Button: tea.MouseLeft})
		b.send(tea.MouseReleaseMsg{X: side.x + x, Y: side.y + y, Button: tea.MouseLeft})
	}
	click(4, p.ListAt+2)
	if id, _ := b.a.h.Rows.Selected(); b.a.h.Snap.Pos(id) != 3 {
		t.Errorf("a click on the second row selects #%d, want the call of #3", b.a.h.Snap.Pos(id))
	}
	click(p.TabPlaces(p.W)[panes.ListTools].From, p.TabsAt)
	if p.List != panes.ListTools {
		t.Errorf("a click on the name of a list shows list %d", p.List)
	}
	click(panes.ChartLabels, p.ChartTop+1)
	if id, _ := b.a.h.Rows.Selected(); b.a.h.Snap.Pos(id) != 0 {
		t.Errorf("a click on the left of the chart selects #%d", b.a.h.Snap.Pos(id))
	}
}

func TestContextChart(t *testing.T) {
	b := newBench(t, weighed(), paneOptions(), 120, 40)
	b.press("G w")
	c := b.context().Seen.Series
	if len(c.Models) != 1 || c.Models[0].Model != "claude-sonnet-4-5" {
		t.Errorf("changes of the model: %+v", c.Models)
	}
	for w := range 90 {
		for _, spans := range c.Chart(b.a.h, w, 5, 200_000, b.context().Seen.At) {
			if got := paint.RestWidth(spans); got > w {
				t.Fatalf("a line of %d cells in a chart of %d", got, w)
			}
		}
	}
	lines := c.Chart(b.a.h, 110, 5, 0, b.context().Seen.At)
	axis := ansi.Strip(b.a.h.Styles.Line(110, paint.GroundNone, lines[5]...))
	for _, want := range []string{"≡ 21:51", "→", "▲"} {
		if !strings.Contains(axis, want) {
			t.Errorf("the line under the chart does not hold %q: %q", want, axis)
		}
	}
}

// Until tokens are counted, text sizes replace them, and the pane shows that.
func TestContextWithoutCounts(t *testing.T) {
	o := paneOptions()
	o.Counter = nil
	b := newBench(t, weighed(), o, 120, 40)
	b.press("G w Z")
	if frame := ansi.Strip(b.frame()); !strings.Contains(frame, "estimated") || strings.Contains(frame, "counted") {
		t.Errorf("not said to be estimated:\n%s", frame)
	}
}
