package ui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"turns/model"
	"turns/model/load"
	"turns/model/modeltest"
	"turns/query"
	"turns/query/filter"
	"turns/ui/timeline"
)

// A search without hits shows its progress, and ends when it is stopped.
func TestSearchTellsHowFarItIs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.jsonl")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := modeltest.Transcript(f, 24<<20, 1); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	c, err := load.Open(t.Context(), path, load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	snap, err := c.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p, err := filter.NewPattern("nowhere to be found", true)
	if err != nil {
		t.Fatal(err)
	}
	var told [][2]int
	for range filter.Find(t.Context(), query.Everything(snap), p, func(done, total int) { told = append(told, [2]int{done, total}) }) {
		t.Fatal("found what is not there")
	}
	if len(told) < 4 {
		t.Fatalf("%d megabytes are searched and %v is all that is reported", 24, told)
	}
	for i, s := range told {
		if s[0] > s[1] || i > 0 && s[0] < told[i-1][0] {
			t.Errorf("progress %v", told)
		}
	}
	if last := told[len(told)-1]; last[0] != last[1] {
		t.Errorf("it ends at %d of %d", last[0], last[1])
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n := 0
	for _, err = range filter.Find(ctx, query.Everything(snap), p, func(done, total int) { n++; cancel() }) {
	}
	if !errors.Is(err, context.Canceled) || n > len(told)/2+2 {
		t.Errorf("stopped at once it ends with %v after %d of %d steps", err, n, len(told))
	}
}

func TestSearchIsStopped(t *testing.T) {
	b := newBench(t, sample(), testOptions(), 100, 30)
	b.press("/")
	b.a.list.SearchKey(keyPress("z")) // its command is not run, so the search continues
	// the command that waits for more is not run either
	b.a.Update(timeline.SearchedMsg{Gen: 1, Part: 40, More: make(chan timeline.SearchedMsg)})
	if text := ansi.Strip(b.frame()); !strings.Contains(text, "0 so far, 40 %") {
		t.Errorf("no progress on the screen:\n%s", text)
	}
	b.press("enter ctrl+c")
	if text := ansi.Strip(b.frame()); !strings.Contains(text, "search stopped at 40 %") || b.a.list.StopSearch() != "" {
		t.Errorf("ctrl+c does not stop the search:\n%s", text)
	}
}

// A text typed as a regex is searched as one, and the line shows that; Enter unfolds the first hit.
func TestSearchTakesRegexesAsTheyAreTyped(t *testing.T) {
	b := newBench(t, sample(), testOptions(), 100, 30)
	for _, c := range []struct{ typed, keys, want string }{
		{`\d+ tests, \d failure`, "", "regex, "}, {"fixture integration", "", " of "}, {"Finished in .* sec", "", "regex, "},
		{"Finished in .* sec", "ctrl+r", "no match"}, {"Finish.d in", "", "no match"}, {"Finish.d in", "ctrl+r", "regex, "},
	} {
		b.press("/")
		typeIn(b, c.typed)
		b.press(c.keys)
		if line := frameLine(b, -2); !strings.Contains(line, c.want) || strings.Contains(line, "no match") != (c.want == "no match") {
			t.Errorf("%q %s: the line is %q", c.typed, c.keys, line)
		}
		b.press("esc")
	}
	b.press("g /")
	typeIn(b, "async, .*sync")
	if frameWith(b, "0.3s async") != "" {
		t.Fatal("the hit shows before Enter, and nothing is tested")
	}
	if b.press("enter"); frameWith(b, "0.3s async") == "" {
		t.Errorf("Enter does not unfold the hit:\n%s", ansi.Strip(b.frame()))
	}
	if b.press("/"); !strings.Contains(frameLine(b, -1), "Ctrl-r as regex") {
		t.Errorf("the key line is %q", frameLine(b, -1))
	}
}

// The jump to the same file finds any row about it, and wraps around.
func TestSameThingWraps(t *testing.T) {
	edit := func(id string, sec int, path string) []model.Message {
		return []model.Message{say(model.Assistant, sec, call(id, "Read", `{"file_path":"`+path+`"}`)), say(model.Tool, sec+1, result(id, "ok"))}
	}
	var all []model.Message
	for i, path := range []string{"/x/a.go", "/x/b.go", "/x/a.go", "/x/c.go"} {
		all = append(all, edit(string(rune('a'+i)), 10*i, path)...)
	}
	all = append(all, say(model.Assistant, 90, words("/x/a.go")))
	b := newBench(t, model.FromMessages(all), testOptions(), 100, 30)
	at := func() int { it, _ := b.a.list.CurItem(); return int(it.Index) }
	b.press("g")
	for _, c := range []struct {
		key string
		at  int
	}{{"*", 4}, {"*", 0}, {"#", 4}, {"#", 0}, {"c", 2}, {"*", 2}} {
		if b.press(c.key); at() != c.at {
			t.Errorf("%s leads to #%d, want #%d", c.key, at(), c.at)
		}
	}
	if !strings.Contains(b.a.status, "no other row about") {
		t.Errorf("where there is no other it says %q", b.a.status)
	}
}

// n and N visit each matching line of a body, and show its number among all hits.
func TestSearchVisitsEachHit(t *testing.T) {
	var lines []string
	for i := range 300 {
		text := fmt.Sprintf("%04d fine", i)
		if i%100 == 50 {
			text = fmt.Sprintf("%04d BROKEN pipe", i)
		}
		lines = append(lines, text)
	}
	snap := model.FromMessages([]model.Message{
		{Role: model.User, Blocks: []model.Content{{Kind: model.Words, Text: "Look for BROKEN"}}},
		{Role: model.Assistant, Blocks: []model.Content{{Kind: model.Words, Text: strings.Join(lines, "\n\n")}}},
	})
	b := newBench(t, snap, paneOptions(), 100, 24)
	b.press("/ B R O K E N enter")
	for n, want := range []string{"Look for BROKEN", "0050 BROKEN", "0150 BROKEN", "0250 BROKEN", "Look for BROKEN"} {
		if n > 0 {
			b.press("n")
		}
		frame := ansi.Strip(b.frame())
		if !strings.Contains(frame, want) || !strings.Contains(frame, fmt.Sprintf("%d of 4", n%4+1)) {
			t.Fatalf("hit %d is not on the screen:\n%s", n, frame)
		}
	}
	b.press("N")
	if frame := ansi.Strip(b.frame()); !strings.Contains(frame, "0250 BROKEN") {
		t.Errorf("N does not go back:\n%s", frame)
	}
	b.press("enter n n")
	if frame := ansi.Strip(b.frame()); !strings.Contains(frame, " of 3") || !strings.Contains(frame, "line ") {
		t.Errorf("the detail does not search:\n%s", frame)
	}
}

// Every hit is reachable: in folded turns, between wide characters, twice in a line, and under
// panes that fill the screen.
func TestSearchFindsEachPlace(t *testing.T) {
	wide := strings.Repeat("漢字", 45) + " 👩‍👩‍👧 NEEDLE 終わり NEEDLE"
	body := strings.Repeat("行\n", 60) + wide + strings.Repeat("\n行", 60) + "\n" + wide
	snap := model.FromMessages([]model.Message{
		say(model.User, 0, words("検索")), say(model.Assistant, 1, call("c1", "Bash", `{"command":"cat a"}`)), say(model.Tool, 2, result("c1", body)),
		say(model.User, 3, words("go on")), say(model.Assistant, 4, words(strings.ReplaceAll(body, "\n", "\n\n"))),
	})
	for _, c := range []struct {
		keys string
		hits int
	}{{"", 8}, {"z M g ", 8}, {"c enter ", 4}, {"Y ", 4}} {
		for _, w := range []int{60, 80, 140} {
			b := newBench(t, snap, paneOptions(), w, 24)
			b.press(c.keys + "/ N E E D L E enter")
			for n := range c.hits + 1 {
				frame := ansi.Strip(b.frame())
				if at := fmt.Sprintf("%d of %d", n%c.hits+1, c.hits); !strings.Contains(frame, at) || !strings.Contains(frame, " NEEDLE") {
					t.Errorf("%d columns, after %q the screen does not show hit %s:\n%s", w, c.keys, at, frame)
					break
				}
				b.press("n")
			}
		}
	}
}

// The search line is editable like others: the cursor moves in it.
func TestSearchLineHasACursor(t *testing.T) {
	b := newBench(t, sample(), paneOptions(), 100, 24)
	b.press("/ b c left left a")
	if got := b.a.list.SearchText(); got != "abc" {
		t.Errorf("the line has %q", got)
	}
}

// n draws only the parts of a long body that contain the text.
func TestNextHitDrawsOnlyPartsWithTheText(t *testing.T) {
	lines := make([]string, 4000)
	for i := range lines {
		lines[i] = fmt.Sprintf("line %d of a long result without a word that is sought", i)
	}
	lines[30], lines[3900] = "NEEDLE", "NEEDLE"
	snap := model.FromMessages([]model.Message{
		say(model.User, 0, words("go")), say(model.Assistant, 1, call("c1", "Bash", `{"command":"cat a"}`)), say(model.Tool, 2, result("c1", strings.Join(lines, "\n"))),
	})
	for _, text := range []string{"N E E D L E", "/ N . E D L E / "} {
		b := newBench(t, snap, paneOptions(), 100, 24)
		b.press("/ " + text + " enter")
		drawn := b.a.list.Renders
		b.press("n")
		if line := frameLine(b, -2); !strings.Contains(line, "2 of 2") {
			t.Fatalf("the line says %q", line)
		}
		if n := b.a.list.Renders - drawn; n > 20 {
			t.Errorf("%s: n redraws %d parts and rows", text, n)
		}
	}
}
