package ui

import (
	"context"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"turns/model"
	"turns/model/modeltest"
	"turns/query/label"
	"turns/ui/screen"
	"turns/ui/transcripts"
)

// longTexts is a session with rows longer than any screen.
func longTexts() *model.Snapshot {
	long := strings.Repeat("x", 400)
	return model.FromMessages([]model.Message{
		say(model.User, 0, words("do it")),
		say(model.Assistant, 1, words(long), call("a", "Bash", `{"command":"go test"}`), call("b", "mcp__github__get_issue", `{"number":1}`)),
		say(model.Tool, 2, result("a", "ok"), result("b", "ok")),
		say(model.Assistant, 3, words("done")),
	})
}

// texts returns how many cells of a long text the timeline shows.
func texts(b *bench) int { return strings.Count(frameWith(b, "xxxx"), "x") }

// A wider screen never shows less of the session, with the column of tools closed or open.
func TestAWiderScreenNeverShowsLess(t *testing.T) {
	snap, most := longTexts(), 0
	for w := 60; w <= 220; w++ {
		if w < 220 && !modeltest.Some(w, 1) {
			continue
		}
		n := texts(newBench(t, snap, paneOptions(), w, 30))
		if n < most {
			t.Errorf("%d columns show %d cells of a text, fewer columns showed %d", w, n, most)
		}
		most = max(most, n)
	}
	if most < 150 {
		t.Errorf("220 columns show %d cells of a text", most)
	}
	most = 0
	for w := columnFrom; w <= 220; w++ {
		if !modeltest.Some(w, 1) {
			continue
		}
		b := newBench(t, snap, paneOptions(), w, 30)
		b.press("t tab tab")
		n := texts(b)
		if n < most {
			t.Errorf("next to tools, %d columns show %d cells of a text, fewer columns showed %d", w, n, most)
		}
		most = max(most, n)
	}
}

// The keys of panes open and close them, and restore the width of the timeline.
func TestPaneKeysToggle(t *testing.T) {
	for key, title := range map[string]string{"t": "Tools", "s": "Stats", "w": "Context"} {
		for _, w := range []int{80, 140} {
			b := newBench(t, sample(), paneOptions(), w, 42)
			before := seen(b)
			b.press(key)
			if frame := seen(b); !strings.Contains(frame, title) {
				t.Errorf("%d columns: %s shows no %s:\n%s", w, key, title, frame)
			}
			b.press(key)
			if got := seen(b); got != before {
				t.Errorf("%d columns: after %s twice the screen is\n%s\nbefore it was\n%s", w, key, got, before)
			}
		}
	}
}

// The column stays open as the user opened it, in other sessions and on other screens of its class,
// and Esc in the timeline does not close it.
func TestColumnIsRememberedPerWidth(t *testing.T) {
	o := paneOptions()
	o.StateDir = t.TempDir()
	b := newBench(t, sample(), o, 140, 42)
	b.press("t tab tab esc")
	if !b.a.columnOpen() || b.a.h.Focus != screen.PaneNone {
		t.Fatalf("the column is open: %v, the focus is on %q", b.a.columnOpen(), b.a.h.Focus)
	}
	for w, open := range map[int]bool{80: false, 120: true, 159: true, 160: false, 220: false} {
		b := newBench(t, longTexts(), o, w, 42)
		if got := b.a.columnOpen(); got != open {
			t.Errorf("at %d columns the column is open: %v, want %v", w, got, open)
		}
	}
	b.press("s s")
	if newBench(t, longTexts(), o, 130, 42).a.columnOpen() {
		t.Error("the column was closed, and is open in another session")
	}
}

// The zoom survives a visit to the detail of a row.
func TestZoomSurvivesTheDetail(t *testing.T) {
	b := newBench(t, sample(), paneOptions(), 140, 42)
	b.press("t tab tab Z")
	before := seen(b)
	b.press("enter esc")
	if got := seen(b); got != before || b.a.columnOpen() {
		t.Errorf("after the detail the screen is\n%s\nbefore it was\n%s", got, before)
	}
}

// An open body begins at most four cells from the edge.
func TestBodiesUseTheWidth(t *testing.T) {
	snap := model.FromMessages([]model.Message{say(model.User, 0, words("first line\nsecond line"))})
	for _, w := range []int{60, 80, 140, 200} {
		b := newBench(t, snap, paneOptions(), w, 30)
		b.press("g z o")
		line := frameWith(b, "second line")
		if at := ansi.StringWidth(line[:max(strings.Index(line, "second line"), 0)]); at > 4 || line == "" {
			t.Errorf("at %d columns the body begins in cell %d: %q", w, at, line)
		}
	}
}

// The reason uses a second line if one is too short, and otherwise leaves it to the rows.
func TestWhyTakesTwoLines(t *testing.T) {
	answer := "I rebuilt the watcher around one goroutine, and added a test that fails when an event is lost."
	snap := model.FromMessages([]model.Message{say(model.User, 0, words("do it")), say(model.Assistant, 1, words("## Results 🎉\n\n**Summary:**\n\n"+answer))})
	for _, w := range []int{80, 100, 200} {
		b := newBench(t, snap, paneOptions(), w, 24)
		why := strings.Join(strings.Fields(strings.ReplaceAll(frameLine(b, 1)+" "+frameLine(b, 2), "2 messages", "")), " ")
		why = strings.ReplaceAll(why, " ! jump", "")
		if !strings.Contains(why, `"`+answer+`"`) {
			t.Errorf("at %d columns the reason is %q", w, why)
		}
		if second := strings.HasPrefix(frameLine(b, 2), "      "); second != b.a.lay.second || second == (w == 200) {
			t.Errorf("at %d columns the third line is %q", w, frameLine(b, 2))
		}
		b.press("f")
		if b.a.lay.second {
			t.Errorf("at %d columns the filter line has a second line", w)
		}
	}
}

// The status line shows the place of the cursor in the session, and no zero counts.
func TestStatusSaysThePlace(t *testing.T) {
	b := newBench(t, longTexts(), paneOptions(), 80, 24)
	b.press("g j")
	status := frameLine(b, -2)
	if !strings.Contains(status, "#1 of 4") || !strings.Contains(status, "50 %") {
		t.Errorf("the status line is %q", status)
	}
	for _, word := range []string{"unreadable", "event", "tokens", " 0 "} {
		if strings.Contains(status, word) {
			t.Errorf("the status line %q says %q", status, word)
		}
	}
}

// The title of a session has two fifths of the list at each width from 80 columns, also with
// labels.
func TestTitlesHaveRoom(t *testing.T) {
	labelled := func(o *screen.Options) {
		fake(o).list = func(_ context.Context, tell func(transcripts.Update)) error {
			all := sampleSessions()
			all[0].Labels = []label.Mark{{Kind: label.Label, Name: "reviewed"}}
			tell(transcripts.Update{Sessions: all})
			return nil
		}
	}
	for name, set := range map[string]func(*screen.Options){"plain": func(*screen.Options) {}, "labelled": labelled} {
		for w := 80; w <= 220; w++ {
			if !modeltest.Some(w, 1) {
				continue
			}
			o := paneOptions()
			set(&o)
			b := newBench(t, sample(), o, w, 30)
			b.press("S")
			b.frame()
			d := b.a.listing()
			if got := d.Table.WidthOf(d.Column("title")); got*5 < w*2 {
				t.Errorf("%s, %d columns: the title has %d", name, w, got)
			}
		}
	}
}

// If the reason leaves room for one count, it is the number of errors: the status line shows the
// place among the messages.
func TestNarrowReasonCountsErrors(t *testing.T) {
	for _, w := range []int{60, 80, 99} {
		b := newBench(t, sample(), paneOptions(), w, 24)
		if line := frameLine(b, 1); !strings.HasPrefix(line, " why") || !strings.HasSuffix(strings.TrimSpace(line), "3 errors") {
			t.Errorf("%d columns: the reason is %q", w, line)
		}
		if line := frameLine(b, 22); !strings.Contains(line, " of 17") {
			t.Errorf("%d columns: the status line is %q", w, line)
		}
	}
}
