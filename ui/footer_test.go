package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"turns/model"
	"turns/model/modeltest"
	"turns/query/human"
	"turns/ui/paint"
	"turns/ui/transcripts"
)

// frameLine returns a line of the frame, counted from the end for negative numbers.
func frameLine(b *bench, n int) string {
	lines := strings.Split(ansi.Strip(b.frame()), "\n")
	if n < 0 {
		n += len(lines)
	}
	return lines[n]
}

func TestQuitHintSaysWhatQDoes(t *testing.T) {
	b := newBench(t, priced(), paneOptions(), 80, 24)
	for _, c := range []struct{ keys, want string }{{"", "q quit"}, {"t", "q back"}, {"enter", "q back"}, {"q q", "q quit"}, {"enter", "q back"}, {"q", "q quit"}} {
		b.press(c.keys)
		if got := frameLine(b, -1); !strings.Contains(got, c.want) {
			t.Errorf("after %q the key line is %q", c.keys, got)
		}
	}
}

// The key line only has keys that can act.
func TestHintsOfWhatIsThere(t *testing.T) {
	quiet := model.FromMessages([]model.Message{say(model.User, 1, words("hello"))})
	b := newBench(t, quiet, paneOptions(), 80, 24)
	for _, c := range []struct{ keys, not string }{{"t", "its calls"}, {"t s", "h l"}, {"s t", "zoom"}} {
		b.press(c.keys)
		if got := frameLine(b, -1); strings.Contains(got, c.not) {
			t.Errorf("after %q the key line is %q", c.keys, got)
		}
	}
	b = newBench(t, model.FromMessages(nil), paneOptions(), 80, 24)
	for _, keys := range []string{"@", "@ t"} {
		b.press(keys)
		if got := frameLine(b, -1); strings.Contains(got, "⏎") || strings.Contains(got, "sort") {
			t.Errorf("without rows the key line after %q is %q", keys, got)
		}
	}
}

func TestPickerHints(t *testing.T) {
	o := compareOptions(map[string]*model.Snapshot{"/r/a.jsonl": runBefore(), "/r/b.jsonl": runAfter()})
	fake(&o).list = listOf("/r/a.jsonl", "/r/b.jsonl")
	b := newBench(t, runBefore(), o, 100, 24)
	b.send(updateMsg{b.a.feed, transcripts.State{Snap: b.a.h.Snap, Indexed: 1, Path: "/r/a.jsonl"}, nil})
	b.press("D")
	if got := frameLine(b, -1); !strings.Contains(got, "⏎ compare with it") || strings.Contains(got, "follow") {
		t.Errorf("the key line of the choice is %q", got)
	}
	b.press("F")
	if len(b.a.dialogs) != 1 || !strings.Contains(b.a.status, "⏎ compares") {
		t.Errorf("F leaves %d dialogs and says %q", len(b.a.dialogs), b.a.status)
	}
}

// The reason why a key could not act stays until the next key; other texts stay longer.
func TestComplaintsGoWithTheNextKey(t *testing.T) {
	b := newBench(t, sample(), testOptions(), 100, 24)
	b.press("' x")
	if b.a.status != "no mark x" {
		t.Fatalf("'x says %q", b.a.status)
	}
	b.press("j")
	if b.a.status != "" {
		t.Errorf("after j it still says %q", b.a.status)
	}
	b.press("m a j")
	if b.a.status != "mark a set" {
		t.Errorf("after ma and j it says %q", b.a.status)
	}
	b.press("' x j")
	b.a.complain("the export failed") // not caused by a key
	b.press("j j")
	if b.a.status != "the export failed" {
		t.Errorf("what failed in the background is gone: %q", b.a.status)
	}
}

// A message may use the room of the permanent parts of the status line.
func TestWhatIsSaidHasRoom(t *testing.T) {
	b := newBench(t, priced(), paneOptions(), 100, 24)
	text := "copied 2 messages, 1.8 kB, to the clipboard: the terminal may not take it"
	b.a.showText(text)
	b.a.draw()
	if got := frameLine(b, -2); !strings.Contains(got, text) {
		t.Errorf("the status line is %q", got)
	}
	b.a.showText("short")
	b.a.draw()
	if got := frameLine(b, -2); !strings.Contains(got, "short") || !strings.Contains(got, "events hidden (i)") {
		t.Errorf("the status line is %q", got)
	}
}

func TestCopyHintsFit(t *testing.T) {
	for _, w := range []int{40, 60, 80, 100, 160} {
		b := newBench(t, sample(), testOptions(), w, 24)
		b.press("y")
		got := strings.TrimRight(frameLine(b, -2), " ")
		if strings.Contains(got, "…") || !strings.Contains(got, " Y") || paint.Width(got) > w {
			t.Errorf("in %d cells y offers %q", w, got)
		}
	}
}

func TestTimeColumnWithoutRoom(t *testing.T) {
	b := newBench(t, sample(), testOptions(), 80, 24)
	b.press("T")
	if !strings.Contains(b.a.status, "needs a wider screen") {
		t.Errorf("T without a time column says %q", b.a.status)
	}
	b.send(tea.WindowSizeMsg{Width: 110, Height: 24})
	b.press("T")
	if b.a.status != "time: since the row before" {
		t.Errorf("T says %q", b.a.status)
	}
}

// The first line omits parts that do not fit; it never cuts them to a letter.
func TestTopLineLeavesOut(t *testing.T) {
	snap := model.FromMessages(sampleMessages())
	for w := 60; w < 130; w++ {
		if !modeltest.Some(w, 1) {
			continue
		}
		b := newBench(t, snap, testOptions(), w, 24)
		left, _, _ := strings.Cut(strings.TrimPrefix(frameLine(b, 0), " "), "    ")
		for word := range strings.SplitSeq(left, "   ") {
			if n := paint.Width(strings.TrimSpace(word)); n > 0 && n < leastCut && strings.Contains(word, "…") {
				t.Errorf("in %d cells the first line has %q: %q", w, word, frameLine(b, 0))
			}
		}
	}
}

func TestOppositeTermsReplaceEachOther(t *testing.T) {
	b := newBench(t, sample(), testOptions(), 100, 24)
	b.press("g + -")
	if got := b.a.h.View.Text; got != "-role:system" && got != "-role:user" {
		t.Errorf("+ and then - on a row filter by %q", got)
	}
}

// frameWith returns the first line of the frame that contains a text, "" for none.
func frameWith(b *bench, text string) string {
	for line := range strings.SplitSeq(ansi.Strip(b.frame()), "\n") {
		if strings.Contains(line, text) {
			return line
		}
	}
	return ""
}

func TestCountsAreNotCut(t *testing.T) {
	for _, c := range []struct {
		text string
		w    int
		want string
	}{
		{"1,134", 5, "1,134"}, {"11,810", 5, "11.8k"}, {"62,123+", 5, " 62k+"}, {"62,123+", 6, "62.1k+"}, {"1,234,567", 4, "1.2M"}, {"62,123", 4, " 62k"}, {"·", 3, "  ·"},
		{"48.1s", 6, " 48.1s"}, {"999,600", 4, "1.0M"}, {"99,960", 4, "100k"},
	} {
		if got := paint.FitCount(c.text, c.w); got != c.want {
			t.Errorf("%q in %d cells is %q, want %q", c.text, c.w, got, c.want)
		}
	}
}

// G during indexing follows the moving end.
func TestEndWhileIndexed(t *testing.T) {
	msgs := make([]model.Message, 400)
	for i := range msgs {
		msgs[i] = say(model.User, i, words("message"))
	}
	b := newBench(t, model.FromMessages(msgs[:100]), testOptions(), 80, 24)
	feed := b.a.feed
	whole := model.FromMessages(msgs)
	b.send(updateMsg{feed, transcripts.State{Snap: model.FromMessages(msgs[:100]), Indexed: 0.2, Path: "/tmp/a.jsonl"}, nil})
	b.press("G")
	b.send(updateMsg{feed, transcripts.State{Snap: whole, Indexed: 1, Path: "/tmp/a.jsonl"}, nil})
	if id, _ := b.a.h.Rows.Selected(); whole.Pos(id) != 399 {
		t.Errorf("G leads to #%d of 400", whole.Pos(id))
	}
	b.press("k")
	if id, _ := b.a.h.Rows.Selected(); whole.Pos(id) != 398 {
		t.Errorf("k leads to #%d", whole.Pos(id))
	}
}

// The status line only has complete words.
func TestPlaceIsNotCut(t *testing.T) {
	for w := 40; w < 120; w++ {
		if !modeltest.Some(w, 1) {
			continue
		}
		b := newBench(t, sample(), testOptions(), w, 24)
		b.press("/")
		typeIn(b, "the")
		b.press("enter")
		if got := frameLine(b, -2); strings.Contains(got, "…") {
			t.Errorf("in %d cells the status line is %q", w, got)
		}
	}
}

// Every jump can be undone.
func TestJumpsAreTakenBack(t *testing.T) {
	for _, keys := range []string{"g", "%", "5 0 %", "1 2 g", "G", "e", "p", "}", "c"} {
		b := newBench(t, sample(), testOptions(), 100, 24)
		b.press("1 1 g")
		from := b.a.list.CurKey
		b.press(keys)
		if b.a.list.CurKey == from {
			t.Errorf("%s does not move", keys)
		}
		b.press("[")
		if b.a.list.CurKey != from {
			t.Errorf("after %s back leads to %v, want %v: %q", keys, b.a.list.CurKey, from, b.a.status)
		}
	}
}

// Two empty sessions can be compared like others: no key breaks the screen.
func TestCompareOfNothing(t *testing.T) {
	runs := map[string]*model.Snapshot{"/r/a": model.FromMessages(nil), "/r/b": model.FromMessages(nil)}
	for key := range strings.FieldsSeq("j k ctrl+d ctrl+u space b g G n N e E tab a l h d J K enter / y x 5 H M L") {
		b := startCompare(t, compareOptions(runs), "/r/a", "/r/b", 100, 30)

		b.press(key)
		if key == "/" && len(b.a.dialogs) > 1 {
			typeIn(b, "x")
			b.press("enter n")
		}
		if b.a.broken != nil {
			t.Errorf("%s breaks the screen: %v", key, b.a.broken)
		}
		checkFrame(t, b, "after "+key)
	}
}

// The key line of a comparison has help and quit, however narrow it is.
func TestHelpAndQuitStay(t *testing.T) {
	runs := map[string]*model.Snapshot{"/r/a": priced(), "/r/b": model.FromMessages(nil)}
	for _, w := range []int{60, 80, 120, 200} {
		b := startCompare(t, compareOptions(runs), "/r/a", "/r/b", w, 30)
		if words := strings.Fields(frameLine(b, -1)); !strings.HasSuffix(strings.Join(words, " "), " ? help q quit") {
			t.Errorf("at %d columns the key line is %q", w, words)
		}
	}
}

// No key breaks a screen with little to act on, whatever is focused.
func TestEveryKeyOnLittle(t *testing.T) {
	keys := everyKey()
	for name, msgs := range map[string][]model.Message{
		"nothing": nil, "one message": {say(model.User, 1, words("hello"))}, "bookkeeping": {note("a", 1), note("b", 2)},
		"a result of nobody": {say(model.Tool, 1, result("x", "late"))},
	} {
		b := newBench(t, model.FromMessages(msgs), compareOptions(nil), 90, 24)
		for n, front := range []string{"", "t enter", "s", "@", "w", "enter", "i i"} {
			for i, key := range keys {
				if !modeltest.Some(i+n, 3) { // each after some of the prefixes
					continue
				}
				switch key = strings.ReplaceAll(key, "*", "x"); key {
				case "q", "Q", "ctrl+c", "ctrl+z", "y ":
					continue
				}
				b.press("esc esc esc esc " + front + " " + key)
				if b.a.broken != nil {
					t.Fatalf("%s: %s after %q breaks the screen: %v", name, key, front, b.a.broken)
				}
				checkFrame(t, b, name+": "+key+" after "+front)
				for len(b.a.dialogs) > 0 {
					b.press("esc")
				}
			}
		}
	}
}

// An incomplete last line of a finished file is reported.
func TestCutOffLineIsSaid(t *testing.T) {
	line := `{"type":"user","uuid":"u1","sessionId":"s","timestamp":"2026-02-11T21:41:40Z","message":{"role":"user","content":"hello"}}` + "\n"
	b := newBench(t, loaded(t, "run.jsonl", line+line[:70]), testOptions(), 100, 20)
	if got := frameLine(b, -2); !strings.Contains(got, "last line cut off, 70 bytes") {
		t.Errorf("the status line is %q", got)
	}
	b = newBench(t, loaded(t, "run.jsonl", line), testOptions(), 100, 20)
	if got := frameLine(b, -2); strings.Contains(got, "cut off") {
		t.Errorf("of a whole file the status line is %q", got)
	}
}

// A price is shown in full, however small, and the end of a session only once.
func TestStatsSayPricesWhole(t *testing.T) {
	ask := say(model.Assistant, 2, words("hi"))
	ask.Flags |= model.Interrupted
	ask.Usage = &model.Usage{Input: 10, CacheRead: -1, CacheWrite: -1, Output: 4, Reasoning: -1, Cost: 0.000123, HasCost: true}
	b := newBench(t, model.FromMessages([]model.Message{say(model.User, 1, words("hello")), ask}), paneOptions(), 120, 40)
	b.press("s Z")
	line := frameWith(b, "cost")
	if !strings.Contains(line, human.Money(0.000123)) || strings.Contains(line, "…") {
		t.Errorf("the cost is shown as %q, want %q", line, human.Money(0.000123))
	}
	if got := strings.Count(frameWith(b, "outcome "), "interrupted"); got != 1 {
		t.Errorf("the end appears %d times: %q", got, frameWith(b, "outcome "))
	}
}
