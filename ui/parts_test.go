package ui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"turns/model"
	"turns/query/describe"
	"turns/query/session"
	"turns/ui/paint"
	"turns/ui/panes"
	"turns/ui/screen"
	"turns/ui/timeline"
)

// parts are the parts of a screen that shows the sample, without the program.
type parts struct {
	h         *screen.Host
	list      *timeline.List
	stage     *stage
	answers   *answers
	filtering *filtering
}

func newParts(t *testing.T, o screen.Options) *parts {
	t.Helper()
	h := screen.NewHost(t.Context(), o)
	h.SetStyles(paint.NewStyles(o.ThemeFor(true), false, 0))
	p := &parts{h: h, list: timeline.New(h)}
	p.stage = &stage{h: h, list: p.list, panes: panes.All(h, p.list), w: 120, h0: 30, second: func() bool { return false }}
	p.stage.recallColumns()
	p.answers = &answers{h: h, list: p.list, stage: p.stage}
	p.filtering = &filtering{h: h, list: p.list, stage: p.stage, answers: p.answers}
	p.filtering.bar = screen.NewFilterBar(h, p.filtering.forBar())
	h.State.Path, h.State.Indexed = "/runs/a.jsonl", 1
	h.Show(sample())
	h.Reset(describe.Describer{})
	p.list.Reset()
	p.stage.arrange()
	p.list.Begin()
	return p
}

// The bell rings once when the session begins to wait for its reader, and only if it is on.
func TestBellRingsWhenTheSessionWaits(t *testing.T) {
	p := newParts(t, testOptions())
	p.h.Show(model.FromMessages([]model.Message{say(model.User, 1, words("go")), say(model.Assistant, 2, call("ask", "AskUserQuestion", `{"questions":[]}`))}))
	p.h.Live = true
	needs := p.h.Doing()
	if !needs.Stage().Needs() && needs.Doing != session.Waiting {
		t.Fatalf("the live session does not need its reader: %v", needs)
	}
	for _, on := range []bool{false, true} {
		b := &bell{h: p.h, on: on, stood: session.Finished}
		first, again := b.rings(), b.rings()
		if (first != nil) != on || again != nil {
			t.Errorf("the bell is on: %v; it rang: %v, and again: %v", on, first != nil, again != nil)
		}
		if rang := b.ring() != nil; rang != on {
			t.Errorf("the bell is on: %v; it rang on an error: %v", on, rang)
		}
	}
	if opened := (&bell{h: p.h, on: true}); opened.rings() != nil {
		t.Error("the bell rang for the state in which the session was opened")
	}
}

// The first line of the screen drops its parts from the right as the screen narrows.
func TestTopLineDropsPartsOnNarrowScreens(t *testing.T) {
	p := newParts(t, testOptions())
	for _, c := range []struct {
		w     int
		model bool
	}{{120, true}, {24, false}} {
		line := ansi.Strip(topLine{p.h, c.w}.draw())
		if paint.Width(line) != c.w || !strings.HasPrefix(line, " a.jsonl") || strings.Contains(line, "opus-4-6") != c.model {
			t.Errorf("at %d columns the first line is %q; it names the model: want %v", c.w, line, c.model)
		}
	}
}

// The line of the verdict wraps to a second line, and a filter replaces it.
func TestVerdictLineWrapsAndAFilterReplacesIt(t *testing.T) {
	p := newParts(t, testOptions())
	l := &verdictLine{h: p.h, list: p.list, stage: p.stage, answers: p.answers, filtering: p.filtering, keyOf: func(name string) string { return "key of " + name }}
	if _, ok := l.line(); ok || l.missing() != "how the session ended is not known yet" {
		t.Errorf("before the answer there is a line: %v; %q", ok, l.missing())
	}
	p.answers.verdict = session.Judgement{State: model.RunFailed, Why: strings.Repeat("word ", 30) + "end", At: 2, Call: screen.NoCall}
	line, ok := l.line()
	if line = ansi.Strip(line); !ok || !strings.HasPrefix(line, " why  word word") || paint.Width(line) != p.stage.w {
		t.Errorf("the line is %q, %v", line, ok)
	}
	if second := strings.TrimSpace(ansi.Strip(l.secondLine())); !l.needsSecond() || !strings.HasSuffix(second, "end") {
		t.Errorf("the second line is needed: %v; it is %q", l.needsSecond(), second)
	}
	if name := l.commandAt(p.stage.w - 2); name != "verdict" || l.commandAt(3) != "" || !strings.HasSuffix(line, "key of verdict jump ") {
		t.Errorf("the key at the right end runs %q: %q", name, line)
	}
	if l.goTo(); p.list.CurKey.ID != 2 {
		t.Errorf("the verdict leads to %v, want message 2", p.list.CurKey)
	}
	p.filtering.bar.Set("is:error")
	if _, ok := l.line(); ok || l.needsSecond() || l.commandAt(p.stage.w-2) != "" {
		t.Error("a filter does not get the line")
	}
}

// A step of the tour ends with its key; a typed letter ends no step.
func TestTourAdvancesByTheKeyOfItsStep(t *testing.T) {
	o := testOptions()
	o.Tour = []screen.TourStep{{Key: "j", Text: "goes on."}, {Key: "enter", Text: "opens."}}
	x := &touring{h: screen.NewHost(t.Context(), o)}
	for i, c := range []struct {
		key    string
		typing bool
		step   int
		over   bool
	}{{"k", false, 0, false}, {"j", true, 0, false}, {"j", false, 1, false}, {"enter", true, 2, false}, {"x", true, 2, false}, {"x", false, 2, true}} {
		if x.pressed(c.key, c.typing); x.step != c.step || x.over != c.over {
			t.Errorf("key %d, %s, typed: %v: step %d, over: %v; want %d, %v", i, c.key, c.typing, x.step, x.over, c.step, c.over)
		}
	}
}

// A count begins with any digit, but not with the pane's own key 0, and never within a chord.
func TestDigitsCount(t *testing.T) {
	for _, c := range []struct {
		keys    string
		pending string
		zero    bool // 0 is a key of the pane
		count   int
		rest    string // other keys
	}{
		{"231G", "", false, 231, "G"}, {"0G", "", false, 0, "G"}, {"00G", "", false, 0, "0G"}, {"0", "", true, 0, "0"}, {"10", "", true, 10, ""}, {"2", "z", false, 0, "2"},
	} {
		x, rest := typed{pending: c.pending}, ""
		for key := range strings.SplitSeq(c.keys, "") {
			if !x.digit(key, c.zero) {
				rest += key
			}
		}
		if x.count != c.count || rest != c.rest {
			t.Errorf("%s after %q: count %d, rest %q; want %d, %q", c.keys, c.pending, x.count, rest, c.count, c.rest)
		}
		if x.dropCount(); x.count != 0 || x.zeroTyped {
			t.Errorf("%s: the count is %d after it was dropped", c.keys, x.count)
		}
	}
}

// The reason why a key cannot act ends with the next key; other texts stay until they expire.
func TestReasonEndsWithTheNextKey(t *testing.T) {
	var n notice
	gen := n.nextKey()
	n.showStatusIn(paint.InkWarning, "no mark x")
	n.keyDone(gen)
	if n.nextKey(); n.status != "" {
		t.Errorf("after the next key the reason %q is still shown", n.status)
	}
	gen = n.nextKey()
	n.showText("mark a set")
	n.keyDone(gen)
	first := statusOverMsg{n.statusGen}
	if n.nextKey(); n.status != "mark a set" {
		t.Errorf("after the next key the text is %q", n.status)
	}
	n.showText("mark b set")
	if n.expire(first); n.status != "mark b set" {
		t.Errorf("the end of an older text left %q", n.status)
	}
	if n.expire(statusOverMsg{n.statusGen}); n.status != "" {
		t.Errorf("%q is still shown after its time", n.status)
	}
}
