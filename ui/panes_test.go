package ui

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"turns/model"
	"turns/query"
	"turns/query/human"
	"turns/query/session"
	"turns/query/summary"
	"turns/ui/paint"
	"turns/ui/panes"
	"turns/ui/screen"
	"turns/ui/sessions"
	"turns/ui/transcripts"
)

// fourths counts one token per four bytes.
type fourths struct{}

func (fourths) Count(text []byte) int { return (len(text) + 3) / 4 }

// priced is the sample with recorded usage: a context that grows, is compacted and grows again.
func priced() *model.Snapshot {
	msgs := sampleMessages()
	size := int64(20_000)
	n := 0
	for i := range msgs {
		if msgs[i].Op == model.Compact {
			size = 9_000
		}
		if msgs[i].Role != model.Assistant {
			continue
		}
		n++
		size += 11_000
		msgs[i].Usage = &model.Usage{Input: 12, CacheRead: size - 1_200, CacheWrite: 1_188, Output: 310, Reasoning: -1, Cost: 0.05, HasCost: true}
		if n == 1 {
			msgs[i].Usage.CacheRead, msgs[i].Usage.CacheWrite = 0, size-12
		}
	}
	return model.FromMessages(msgs)
}

func paneOptions() screen.Options {
	o := testOptions()
	o.Encoding = "fourths"
	o.Counter = func() query.TokenCounter { return fourths{} }
	fake(&o).list = func(_ context.Context, tell func(transcripts.Update)) error {
		all := sampleSessions()
		tell(transcripts.Update{Sessions: all[:2]})
		tell(transcripts.Update{Sessions: all[2:]})
		return nil
	}
	fake(&o).watch = func(path string) (transcripts.Feed, error) { return nil, fmt.Errorf("no %s here", path) }
	return o
}

func sampleSessions() []session.Session {
	now := sampleStart.Add(time.Hour)
	at := func(ago, took time.Duration, s model.Summary) session.Session {
		s.Last = now.Add(-ago).UnixMilli()
		if s.Sessions = max(s.Sessions, 1); took > 0 {
			s.Started = s.Last - took.Milliseconds()
		}
		if s.Runs > 0 {
			s.Written = s.Last
		}
		return session.Of(s, now)
	}
	ended := func(o model.Outcome, state model.RunState, reason string) model.Ending {
		return model.Ending{Ended: true, Outcome: o, State: state, Reason: reason}
	}
	unknown := at(0, 0, model.Summary{Path: "/home/me/x/f.json", Agent: "τ-bench", Project: "airline", Title: "tasks", Messages: 4_900, Errors: 311, Sessions: 200, Judged: 200, Passed: 84})
	unknown.Last = 0
	list := []session.Session{
		at(2*time.Hour, 521*time.Second, model.Summary{Path: "/home/me/.local/share/opencode/c", Agent: "OpenCode", Project: "runbook", Title: "usage audit inventory", Messages: 61, Errors: 1, Tokens: 210_000, Ending: ended(model.Success, model.RunFinished, "stop")}),
		at(0, 63*time.Minute, model.Summary{Path: "/home/me/.claude/projects/a.jsonl", Agent: "Claude Code session", Project: "spotter-fum", Title: "Work on bead spotter-fum", Messages: 274, Errors: 9, Tokens: 131_000, Ending: model.Ending{State: model.RunOpen, Due: model.DueResult, Running: "Bash", Runs: 1, Since: now.Add(-31 * time.Second).UnixMilli()}}),
		at(26*time.Hour, 31*time.Minute, model.Summary{Path: "/home/me/x/d.json", Agent: "OpenHands", Project: "ponyc", Title: "ponyc segfaults \x1b[2J when matching", Messages: 103, Errors: 4, Ending: ended(model.Failure, model.RunFailed, "max iterations")}),
		at(40*24*time.Hour, 0, model.Summary{Path: "/home/me/x/e.json", Agent: "Claude Code", Project: "irrlicht", Title: "Count from 1 to 100", Messages: 4, Ending: ended(model.Stopped, model.RunInterrupted, "interrupted")}),
		unknown,
	}
	list[0].Cost, list[1].Cost, list[1].Guessed = 0.84, 12.5, true
	return list
}

func TestPanes(t *testing.T) {
	for _, c := range []struct{ name, keys string }{
		{"tools", "t Z"}, {"tools-errors", "t Z < < < <"}, {"calls", "t Z enter"}, {"stats", "s Z"}, {"turns", "@ Z"}, {"turns-cost", "@ Z < <"}, {"lanes", "_ Z"}, {"lanes-zoom", "_ Z l l + +"},
		{"sessions", "S"}, {"sessions-find", "S / u s e"}, {"side", "t"},
	} {
		for _, size := range [...][2]int{{40, 12}, {80, 24}, {120, 36}, {160, 48}} {
			if testing.Short() && size[0] != 80 {
				continue
			}
			name := fmt.Sprintf("%s-%dx%d", c.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				b := newBench(t, priced(), paneOptions(), size[0], size[1])
				b.press(c.keys)
				checkFrame(t, b, name)
				golden(t, "panes/"+name+".golden", ansi.Strip(b.frame())+"\n")
			})
		}
	}
}

// Panes with texts that try to break the screen stay in their cells.
func TestPanesHostile(t *testing.T) {
	for i, keys := range []string{"t Z", "t Z enter j j", "s Z", "@ Z", "w Z", "x"} {
		for j, size := range [...][2]int{{30, 10}, {60, 20}, {120, 40}} {
			if testing.Short() && j != i%3 {
				continue
			}
			b := newBench(t, hostile(), paneOptions(), size[0], size[1])
			b.press(keys)
			checkFrame(t, b, fmt.Sprint(keys, size))
		}
	}
}

func TestToolPaneFilters(t *testing.T) {
	b := newBench(t, priced(), paneOptions(), 120, 36)
	b.press("t +")
	if got := b.a.h.View.Text; !strings.HasPrefix(got, "tool:") {
		t.Fatalf("+ on a tool filters by %q", got)
	}
	if got := b.a.h.ScopeWord(); !strings.Contains(got, " of ") {
		t.Errorf("the tools answer for %q", got)
	}
	for _, c := range [][2]string{{"", "Tools   6 of 17"}, {"enter", "Tools › Bash   4 calls"}, {"q @", "Turns   all 2 turns"}, {"t", "Tools   6 of 17"}} {
		b.press(c[0])
		if got := ansi.Strip(b.frame()); !strings.Contains(got, c[1]+"  ") {
			t.Errorf("after %q the title is not %q:\n%s", c[0], c[1], got)
		}
	}
	b.press("=")
	if got := b.a.h.ScopeWord(); got != "whole session" {
		t.Errorf("after = the tools answer for %q", got)
	}
}

func TestTableCopiesARow(t *testing.T) {
	b := newBench(t, priced(), paneOptions(), 120, 36)
	b.press("t Z y")
	if !strings.HasPrefix(b.a.status, "copied the row, ") {
		t.Errorf("y in a table says %q", b.a.status)
	}
}

func TestCallsShowTheirResult(t *testing.T) {
	b := newBench(t, priced(), paneOptions(), 120, 36)
	b.press("t Z enter J")
	if !strings.Contains(ansi.Strip(b.frame()), "Getting extensions in current project...") {
		t.Errorf("J does not show the result:\n%s", ansi.Strip(b.frame()))
	}
	b.press("j")
	if !strings.Contains(ansi.Strip(b.frame()), "Cancelled: parallel tool call") {
		t.Errorf("the result does not follow the cursor:\n%s", ansi.Strip(b.frame()))
	}
	b.press("K")
	if strings.Contains(ansi.Strip(b.frame()), "Cancelled: parallel tool call") {
		t.Error("K does not close the result")
	}
}

func TestToolPaneLeadsToTheCall(t *testing.T) {
	b := newBench(t, priced(), paneOptions(), 120, 36)
	b.press("t enter")
	p := b.a.panes[screen.PaneTools].(*panes.Tools)
	if p.Calls == nil {
		t.Fatal("enter shows no calls")
	}
	want := p.Calls.Rows[p.Calls.Table.Row()].ID
	b.press("enter")
	if _, call := b.a.h.Rows.Selected(); call != want {
		t.Errorf("enter on a call selects call %d, want %d", call, want)
	}
}

// Enter on a row of a table focuses the timeline, with the table next to it or over it; Tab returns
// to a table that is still open.
func TestEnterInATableLeadsToTheTimeline(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 36}, {160, 48}} {
		for _, keys := range []string{"t enter enter", "t Z enter enter", ", enter enter", "@ enter"} {
			b := newBench(t, priced(), paneOptions(), size[0], size[1])
			b.press(keys)
			if b.a.h.Focus != screen.PaneNone || b.a.covered() {
				t.Errorf("%d columns: after %s the keys go to pane %q", size[0], keys, b.a.h.Focus)
			}
		}
	}
	b := newBench(t, priced(), paneOptions(), 120, 36)
	if b.press("t enter enter tab"); b.a.h.Focus != screen.PaneTools {
		t.Errorf("tab leads to pane %q", b.a.h.Focus)
	}
}

func TestStatsLeadToPlaces(t *testing.T) {
	b := newBench(t, priced(), paneOptions(), 160, 48)
	b.press("s Z l j")
	p := b.a.panes[screen.PaneStats].(*panes.Stats)
	if p.Cur >= len(p.Targets) || !p.Targets[p.Cur].Right {
		t.Fatal("l does not go to the right list")
	}
	want := p.Targets[p.Cur].ID
	b.press("enter")
	if id, _ := b.a.h.Rows.Selected(); id != want {
		t.Errorf("enter on a place selects message %d, want %d", id, want)
	}
}

func TestTable(t *testing.T) {
	names := []string{"pear", "apple", "fig", "banana"}
	tb := screen.Table{N: len(names), SortBy: -1, Cols: []screen.Column{{Name: "name", Head: "name", Width: 6, Asc: true}, {Name: "length", Head: "len", Width: 3, Right: true, Gap: 1}},
		Cells: func(row int, out []screen.Cell) {
			out[0] = screen.Cell{Text: names[row]}
			out[1] = screen.Cell{Text: strconv.Itoa(len(names[row]))}
		},
		Cmp: func(col, a, b int) int {
			if col == 1 {
				return len(names[a]) - len(names[b])
			}
			return strings.Compare(names[a], names[b])
		}}
	order := func() (out []string) {
		for i := range tb.N {
			out = append(out, names[tb.At(i)])
		}
		return out
	}
	tb.MoveTo(2) // fig
	for _, c := range []struct {
		do   func()
		want string
	}{
		{func() { tb.Next(1) }, "apple banana fig pear"},
		{func() { tb.Next(1) }, "banana apple pear fig"},
		{func() { tb.SortOn(1) }, "fig pear apple banana"},
		{func() { tb.SortOn(-1) }, "pear apple fig banana"},
	} {
		c.do()
		if got := strings.Join(order(), " "); got != c.want {
			t.Errorf("order %q, want %q", got, c.want)
		}
	}
	tb.SelectRow(3)
	if cmd := tb.Sort(3); cmd != nil || names[tb.Row()] != "banana" {
		t.Errorf("the cursor is on %q after sorting, want banana", names[tb.Row()])
	}
	if !tb.Matches(0) && !func() bool { tb.Find = "pp"; return tb.FindFrom(0, 1) }() || names[tb.Row()] != "apple" {
		t.Errorf("finding pp leads to %q", names[tb.Row()])
	}
	tb.LayOut(5)
	if got := tb.Markdown(1); !strings.HasPrefix(got, "| name | len |\n| --- | --: |\n| pear | 4 |\n") {
		t.Errorf("as Markdown:\n%s", got)
	}
}

func TestBar(t *testing.T) {
	for _, c := range []struct {
		part, whole float64
		w           int
		want        string
	}{
		{0, 10, 4, ""}, {10, 10, 4, "████"}, {5, 10, 4, "██"}, {1, 1000, 4, "▏"}, {5, 80, 4, "▎"}, {20, 10, 2, "██"}, {1, 0, 4, ""}, {7, 16, 1, "▌"},
	} {
		if got := paint.Bar(c.part, c.whole, c.w); got != c.want {
			t.Errorf("bar(%v, %v, %d) = %q, want %q", c.part, c.whole, c.w, got, c.want)
		}
	}
}

func TestContextRun(t *testing.T) {
	s := priced()
	r := panes.ContextOver(t.Context(), s)
	if len(r.Points) != 6 {
		t.Fatalf("%d points", len(r.Points))
	}
	if len(r.Marks) == 0 || r.Marks[0].Model != "claude-sonnet-4-5" || r.Marks[0].At != 4 {
		t.Errorf("marks %+v", r.Marks)
	}
	r.Marks = append([]panes.ContextMark{{At: 3, Time: r.Points[3].Time, Compact: true, Before: 50_000, After: 20_000}}, r.Marks...)
	b := newBench(t, s, paneOptions(), 80, 24)
	for _, w := range []int{1, 14, 20, 60} {
		for _, spans := range r.Chart(b.a.h, w, 4, 0) {
			if got := paint.RestWidth(spans); got > w {
				t.Errorf("a line of %d cells in a chart of %d", got, w)
			}
		}
	}
	if axis := b.a.h.Styles.Line(70, paint.GroundNone, r.Axis(b.a.h, 60)...); !strings.Contains(ansi.Strip(axis), "≡ 2") || !strings.Contains(ansi.Strip(axis), "→") {
		t.Errorf("the axis says %q", ansi.Strip(axis))
	}
}

func TestFuzzy(t *testing.T) {
	for _, c := range []struct {
		want, s string
		ok      bool
	}{{"", "x", true}, {"usg aud", "Usage audit", true}, {"audit usage", "usage audit", true}, {"uat", "usage audit inventory", false}, {"τb", "τ-bench", true}, {"zz", "z", false}} {
		if got := sessions.Fuzzy(c.want, c.s); got != c.ok {
			t.Errorf("fuzzy(%q, %q) = %v", c.want, c.s, got)
		}
	}
}

func TestSessionFilter(t *testing.T) {
	b := newBench(t, priced(), paneOptions(), 120, 30)
	for _, c := range []struct {
		filter string
		want   int
	}{{"", 5}, {"end:failed", 1}, {"after:yesterday", 3}, {"agent:claude*", 2}, {"is:error -project:airline", 3}, {"tokens:>200k", 1}, {"audit | count", 2}, {"dur:>40m", 1}, {"end:open", 1}} {
		d := sessions.New(b.a.h, b.a.listed)
		if !d.Loaded {
			for msgs := b.run(d.Begin()); len(msgs) > 0; {
				msgs = b.run(d.Message(msgs[0]))
			}
		}
		d.Filter.Set(c.filter)
		d.Narrow()
		if len(d.Shown) != c.want {
			t.Errorf("%q leaves %d sessions, want %d", c.filter, len(d.Shown), c.want)
		}
	}
}

func TestPanesASCII(t *testing.T) {
	for _, keys := range []string{"t Z", "t Z enter J", "s Z", "@ Z", "w Z", "x", "f i s : x", "f t o o l : down"} {
		o := paneOptions()
		o.ASCII, o.NoColor = true, true
		b := newBench(t, priced(), o, 120, 36)
		b.press(keys)
		for _, r := range ansi.Strip(b.frame()) {
			if r > 0x7e {
				t.Errorf("%s: %q in an ASCII frame", keys, r)
				break
			}
		}
	}
}

// The detail contains everything once: a line that is too long wraps, and fields shared by a call
// and its result appear at the call.
func TestDetailHoldsAllOnce(t *testing.T) {
	long := "/work/" + strings.Repeat("worktrees/", 9) + "spotter-fum"
	ask := say(model.Assistant, 1, call("c1", "Bash", `{"command":"ls"}`))
	ask.Extra = []model.KeyValue{{Name: "cwd", Value: long}, {Name: "version", Value: "2.1.39"}}
	answer := say(model.Tool, 2, failed("c1", "no such file", model.Failure))
	answer.Extra = []model.KeyValue{{Name: "version", Value: "2.1.39"}, {Name: "sandbox", Value: "off"}}
	ended := model.Message{Op: model.Note, Name: "ended", Extra: []model.KeyValue{{Name: "mode", Value: "plan"}}}
	b := newBench(t, model.FromMessages([]model.Message{say(model.User, 0, words("list")), ask, answer, ended}), paneOptions(), 160, 48)
	b.press("c enter")
	_, text := detailText(b)
	for _, c := range []struct {
		part string
		n    int
	}{{long, 1}, {"2.1.39", 1}, {"sandbox", 1}, {"failure", 0}, {"yccopies", 1}, {"yrcopies", 1}, {"…", 0}} {
		if got := strings.Count(text, c.part); got != c.n {
			t.Errorf("%q appears %d times in the detail, want %d:\n%s", c.part, got, c.n, ansi.Strip(b.frame()))
		}
	}
	b.press("esc i i G enter")
	title, text := detailText(b)
	if strings.Count(text, "plan") != 1 || strings.Contains(text, "unknown") {
		t.Errorf("the detail of an event under %q:\n%s", title, ansi.Strip(b.frame()))
	}
}

// The detail shows fields that are too long for its two columns below the texts, for a message and
// for the result of a call, and shows how the model used that result.
func TestDetailHoldsLongFields(t *testing.T) {
	long := func(word string) string { return `{"` + word + `":"` + strings.Repeat("x", 220) + `"}` }
	said := say(model.Assistant, 1, words("Done."))
	said.Extra = []model.KeyValue{{Name: "work_log_metadata", Value: long("planned")}}
	ask := say(model.Assistant, 2, call("c1", "Bash", `{"command":"ls"}`))
	ask.Extra = []model.KeyValue{{Name: "execution_context", Value: long("asked")}}
	answer := say(model.Tool, 3, result("c1", "a b"))
	answer.Extra = []model.KeyValue{{Name: "displayData", Value: long("unified")}}
	answer.Flags |= model.Compacted
	b := newBench(t, model.FromMessages([]model.Message{say(model.User, 0, words("list")), said, ask, answer}), paneOptions(), 160, 48)
	for _, c := range []struct {
		keys  string
		parts []string
	}{
		{"1 G enter", []string{"work_log_metadata", `"planned":"xxx`}},
		{"esc c enter", []string{"execution_context", `"asked":"xxx`, "displayData", `"unified":"xxx`, "resultiscompacted"}},
	} {
		b.press(c.keys)
		_, text := detailText(b)
		for _, part := range c.parts {
			if strings.Count(text, part) != 1 {
				t.Errorf("after %s the detail has no %q, or has it twice:\n%s", c.keys, part, ansi.Strip(b.frame()))
			}
		}
	}
}

// detailText returns the title of the detail in the side column, and its text without spaces.
func detailText(b *bench) (title, text string) {
	var out strings.Builder
	for i, line := range strings.Split(ansi.Strip(b.frame()), "\n") {
		if i < 2 || i >= 46 {
			continue
		}
		cells := []rune(line)
		part := string(cells[len(cells)-b.a.lay.side.w:])
		if i == 2 {
			title = part
			continue
		}
		out.WriteString(strings.ReplaceAll(part, " ", ""))
	}
	return title, out.String()
}

// Enter in the statistics does not go to a target that is not visible.
func TestStatsShowTheirPlacesFirst(t *testing.T) {
	b := newBench(t, priced(), paneOptions(), 80, 24)
	b.press("s enter")
	if b.a.h.Focus != screen.PaneStats || !strings.Contains(frameWith(b, "›"), "›") {
		t.Fatalf("the first enter went away, or shows no place:\n%s", ansi.Strip(b.frame()))
	}
	b.press("enter")
	if b.a.h.Focus != screen.PaneNone {
		t.Errorf("the second enter goes nowhere:\n%s", ansi.Strip(b.frame()))
	}
}

func TestTurnsOpenAtTheReader(t *testing.T) {
	b := newBench(t, priced(), paneOptions(), 100, 24)
	b.press("g @ q G @")
	if got, want := b.a.panes[screen.PaneTurns].(*panes.Turns).Table.Row(), b.a.h.Table.Turns[len(b.a.h.Table.Turns)-1].Number; got != want {
		t.Errorf("the turns open at %d, the reader is in %d", got, want)
	}
}

// A turn opens into its steps, a step leads to its request, and the costs of the requests add up to
// the cost of the turn.
func TestTurnsOpenTheirSteps(t *testing.T) {
	b := newBench(t, priced(), paneOptions(), 120, 30)
	b.press("g @ l Z")
	pane := b.a.panes[screen.PaneTurns].(*panes.Turns)
	turn := &b.a.h.Table.Turns[0]
	frame := ansi.Strip(b.frame())
	if head := fmt.Sprintf("Turn 0 › %s", "Fix the"); !strings.Contains(frame, head) || !strings.Contains(frame, human.Plural(len(turn.Steps), "request")+"   "+turn.TotalCost().String()) {
		t.Errorf("no %q, %d requests, %s:\n%s", head, len(turn.Steps), turn.TotalCost(), frame)
	}
	var sum summary.Cost
	for _, m := range b.a.h.Cost.Messages {
		if m.Turn == 0 {
			sum.Add(m.Cost)
		}
		if m.Turn == 0 && !strings.Contains(frame, m.Cost.String()) {
			t.Errorf("no row costs %s:\n%s", m.Cost, frame)
		}
	}
	if sum.String() != turn.TotalCost().String() || len(turn.Steps) < 3 {
		t.Errorf("the requests of %d steps cost %s, the turn %s", len(turn.Steps), sum, turn.TotalCost())
	}
	checkFrame(t, b, "steps of a turn")
	b.press("j")
	want := turn.Steps[1].Message
	b.press("enter")
	if id, _ := b.a.h.Rows.Selected(); id != want || b.a.h.Focus != screen.PaneNone {
		t.Errorf("the second step leads to %d, not %d", id, want)
	}
	b.press("@ h")
	if frame := ansi.Strip(b.frame()); !strings.Contains(frame, "Turns   ") || pane.Table.Row() != 0 {
		t.Errorf("h does not lead back to the turns:\n%s", frame)
	}
}

// With a filter the turns still count the entire session, and show that.
func TestTurnsSayWhatTheyCountUnderAFilter(t *testing.T) {
	b := newBench(t, priced(), paneOptions(), 120, 24)
	b.press("@")
	if strings.Contains(b.frame(), "all 2 turns") {
		t.Fatalf("without a filter:\n%s", ansi.Strip(b.frame()))
	}
	b.press("q f")
	typeIn(b, "role:user")
	b.press("enter @")
	if !strings.Contains(ansi.Strip(b.frame()), "all 2 turns") {
		t.Errorf("under a filter:\n%s", ansi.Strip(b.frame()))
	}
}

// v selects turns, D compares two of them; without a selection D asks for another session.
func TestTurnsAreCompared(t *testing.T) {
	o := compareOptions(map[string]*model.Snapshot{"/r/b.jsonl": runAfter()})
	fake(&o).list = listOf("/r/a.jsonl", "/r/b.jsonl")
	b := newBench(t, priced(), o, 120, 36)
	b.press("@ v")
	if !strings.Contains(frameWith(b, "Fix the flaky"), "•") {
		t.Errorf("the turn that was taken has no mark: %q", frameWith(b, "Fix the flaky"))
	}
	b.press("k D")
	if !strings.Contains(b.a.status, "two turns") || len(b.a.dialogs) != 0 {
		t.Errorf("D on the only turn taken says %q, %d dialogs", b.a.status, len(b.a.dialogs))
	}
	b.press("j D")
	d := b.comparison()
	if d.Names != [2]string{"turn 0", "turn 1"} || d.Answer == nil || len(d.Answer.Rows) == 0 {
		t.Fatalf("compared are %q, %+v", d.Names, d.Answer)
	}
	checkFrame(t, b, "two turns")
	b.press("G")
	_, it := d.At()
	b.press("enter")
	if id, _ := b.a.h.Rows.Selected(); len(b.a.dialogs) != 0 || b.a.h.Snap.Pos(id) != int(it.Index) || b.a.h.Focus != screen.PaneNone {
		t.Errorf("enter goes to #%d, want #%d", b.a.h.Snap.Pos(id), it.Index)
	}
	b.press("q")
	b.comparison()
	b.press("q @ esc D")
	if _, ok := b.a.dialogs[0].(*sessions.List); !ok {
		t.Errorf("without turns that were taken D shows %T", b.a.dialogs[0])
	}
}

// The files pane computes its rows when it opens; Enter shows the net change of a file, c lists its
// calls, + filters by it.
func TestFilesPane(t *testing.T) {
	b := newBench(t, sample(), testOptions(), 120, 36)
	b.press(",")
	frame := ansi.Strip(b.frame())
	if !strings.Contains(frame, "1 file  +2 −1   1 only read") || !strings.Contains(frame, "watch_test.go") {
		t.Fatalf("the files are not there:\n%s", frame)
	}
	b.press("enter")
	if frame = ansi.Strip(b.frame()); !strings.Contains(frame, "Changes › internal/wat") || !strings.Contains(frame, "+2 −1") || !strings.Contains(frame, "#9 · Edit") {
		t.Errorf("the net change of the file is not there:\n%s", frame)
	}
	b.press("h c")
	if frame = ansi.Strip(b.frame()); !strings.Contains(frame, "Files › internal/watch/watch") || strings.Contains(frame, "#9 · Edit") {
		t.Errorf("the calls of the file are not there:\n%s", frame)
	}
	b.press("h +")
	if got := b.a.h.View.Text; !strings.HasPrefix(got, "file:internal/watch/watch") {
		t.Errorf("+ filters for %q", got)
	}
}

// A pane opened while the session is still being read has its cursor on the first row, even if
// other rows are inserted before.
func TestPanesBeginAtTheTop(t *testing.T) {
	whole := sampleMessages()
	for n := 2; n < len(whole); n++ {
		for _, key := range []string{"t", ","} {
			b := newBench(t, nil, paneOptions(), 120, 36)
			for _, read := range []int{n, len(whole)} {
				of := transcripts.State{Snap: model.FromMessages(whole[:read]), Path: "/tmp/8463c716.jsonl"}
				of.Indexed = float64(read) / float64(len(whole))
				b.send(updateMsg{b.a.feed, of, nil})
				if read == n {
					b.press(key)
				}
			}
			if at := b.a.panes[b.a.h.Focus].(screen.Sorted).Sorted().Cur; at != 0 {
				t.Errorf("%s after %d messages: the cursor is on row %d:\n%s", key, n, at, ansi.Strip(b.frame()))
			}
		}
	}
}

// Cost missing in the transcript is estimated from prices, per session and turn, and marked.
func TestCostIsEstimated(t *testing.T) {
	used := func(m model.Message, out int64) model.Message {
		m.Usage = &model.Usage{Input: 1000, Output: out, CacheRead: -1, CacheWrite: -1, Reasoning: -1}
		return m
	}
	o := paneOptions()
	o.Prices = summary.PriceTable{"claude-opus-4": {Input: 5e-6, Output: 25e-6}}
	snap := model.FromMessages([]model.Message{say(model.User, 0, words("do it")), used(say(model.Assistant, 1, words("done")), 100_000)})
	b := newBench(t, snap, o, 160, 40)
	if line := frameLine(b, 0); !strings.Contains(line, "~$2.5") {
		t.Errorf("the first line is %q", line)
	}
	b.press("s")
	if line := frameWith(b, "estimated by prices"); !strings.Contains(line, "~$2.5") {
		t.Errorf("the statistics say %q", line)
	}
	b.press("@ Z")
	if line := frameWith(b, "do it"); !strings.Contains(line, "~$2.5") {
		t.Errorf("the turn says %q", line)
	}
}

// Panes hidden by a pane show the current view when it is closed.
func TestPanesBehindAPaneAreOfTheSameView(t *testing.T) {
	b := newBench(t, sample(), paneOptions(), 160, 48)
	b.press(", + esc")
	if got, want := len(b.a.h.Tools.Tools), 1; got != want {
		t.Fatalf("%d tools are left, want %d", got, want)
	}
	if frame := ansi.Strip(b.frame()); strings.Contains(frame, "Grep") {
		t.Errorf("the tools are those of everything:\n%s", frame)
	}
}

// A receiver shows its address until the first message, with refusals below; later, the status line
// shows them.
func TestNotices(t *testing.T) {
	o, none := paneOptions(), make(chan string)
	close(none)
	o.Opening, o.Notices = []string{"Listening on http://127.0.0.1:4318"}, none
	for name, snap := range map[string]*model.Snapshot{"empty": model.FromMessages(nil), "priced": priced()} {
		b := newBench(t, snap, o, 80, 24)
		b.send(noticeMsg{"refused /v1/x from 10.0.0.1:5: unknown path"})
		frame := ansi.Strip(b.frame())
		if n := strings.Count(frame, "refused /v1/x from 10.0.0.1:5: unknown path"); n == 0 || strings.Contains(frame, "Listening on") != (name == "empty") {
			t.Errorf("%s:\n%s", name, frame)
		}
		b.send(statusOverMsg{b.a.statusGen})
		if frame := ansi.Strip(b.frame()); strings.Contains(frame, "refused /v1/x") != (name == "empty") {
			t.Errorf("%s, later:\n%s", name, frame)
		}
	}
}
