package ui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"turns/model"
	"turns/query/lang"
	"turns/query/session"
	"turns/ui/screen"
	"turns/ui/sessions"
	"turns/ui/transcripts"
)

// bodiesOf searches one line per session, as the command does in transcripts.
func bodiesOf(lines map[string]string) func(context.Context, []string, []*lang.Filter, func(transcripts.Found)) {
	return eachPath(func(_ context.Context, path string, filters []*lang.Filter) ([]transcripts.Hit, error) {
		hits := make([]transcripts.Hit, len(filters))
		for i, f := range filters {
			for t := range f.Terms {
				if at := strings.Index(lines[path], t.Values[0].Text); at >= 0 {
					hits[i] = transcripts.Hit{Found: true, Line: lines[path], Ranges: [][2]int{{at, at + len(t.Values[0].Text)}}}
				}
			}
		}
		return hits, nil
	})
}

// eachPath searches one session after another.
func eachPath(search func(context.Context, string, []*lang.Filter) ([]transcripts.Hit, error)) func(context.Context, []string, []*lang.Filter, func(transcripts.Found)) {
	return func(ctx context.Context, paths []string, filters []*lang.Filter, found func(transcripts.Found)) {
		for _, path := range paths {
			hits, err := search(ctx, path, filters)
			found(transcripts.Found{Path: path, Hits: hits, Err: err})
		}
	}
}

func titles(d *sessions.List) string {
	var out []string
	for i := range d.Table.N {
		out = append(out, d.All[d.Shown[d.Table.At(i)]].Project)
	}
	return strings.Join(out, " ")
}

func TestSessionBodiesAreSearched(t *testing.T) {
	o := paneOptions()
	fake(&o).search = bodiesOf(map[string]string{
		"/home/me/x/d.json": "the iso match of a single string fails", "/home/me/x/e.json": "one two three", "/home/me/.claude/projects/a.jsonl": "no iso at all",
		"/home/me/.local/share/opencode/c": "count me in",
	})
	b := newBench(t, priced(), o, 120, 30)
	b.press("S f")
	typeIn(b, `text:"iso match"`)
	d := b.a.dialogs[0].(*sessions.List)
	if got := titles(d); got != "ponyc" {
		t.Errorf("the filter leaves %q", got)
	}
	if text := ansi.Strip(b.frame()); !strings.Contains(text, "the iso match of a single string fails ") || !strings.Contains(text, "ponyc segfaults") || !strings.Contains(text, "1 of 5") {
		t.Errorf("no matching line:\n%s", text)
	}
	for _, c := range []struct{ filter, want string }{
		{"iso", "spotter-fum ponyc"}, {"-text:iso", "runbook irrlicht airline"}, {"text:iso is:live", "spotter-fum"},
		{"count", "runbook irrlicht"}, {`text:"one" | title:audit`, "runbook irrlicht"}, {"end:failed text:match", "ponyc"}, {"end:failed text:count", ""},
	} {
		d.Filter.Set("")
		b.press("ctrl+u")
		typeIn(b, c.filter)
		if got := titles(d); got != c.want {
			t.Errorf("%s leaves %q, want %q", c.filter, got, c.want)
		}
	}
}

// / searches titles and texts together: titles come first, then matching lines of text with their
// author and the title of their session. System prompts and injected text are excluded until i.
func TestListIsSearchedByTitleAndText(t *testing.T) {
	o := paneOptions()
	lines := map[string]string{
		"/home/me/x/d.json": "before " + strings.Repeat("a long way off ", 9) + "the audit of the airline found nothing that anybody would have to worry about in the least",
		"/home/me/x/e.json": "an audit",
	}
	bodies := bodiesOf(lines)
	var asked []string
	fake(&o).search = func(ctx context.Context, paths []string, filters []*lang.Filter, found func(transcripts.Found)) {
		asked = append(asked, filters[len(filters)-1].String())
		bodies(ctx, paths, filters, func(f transcripts.Found) {
			for i := range f.Hits {
				f.Hits[i].By, f.Hits[i].Index = "result", 4
			}
			found(f)
		})
	}
	b := newBench(t, priced(), o, 80, 24)
	b.press("S /")
	typeIn(b, "audit")
	d := b.a.dialogs[0].(*sessions.List)
	if got := titles(d); got != "runbook irrlicht ponyc" && got != "runbook ponyc irrlicht" {
		t.Errorf("audit finds %q, want the title before the texts", got)
	}
	if last := asked[len(asked)-1]; !strings.Contains(last, "-role:system") || !strings.Contains(last, "-is:injected") {
		t.Errorf("%q is searched for: with what no person and no model wrote", last)
	}
	screen := ansi.Strip(b.frame())
	titled, texts := strings.Index(screen, " in titles"), strings.Index(screen, " in texts")
	if titled < 0 || texts < titled {
		t.Errorf("titles and texts look the same:\n%s", screen)
	}
	for line := range strings.SplitSeq(screen, "\n") {
		if !strings.Contains(line, "of the airline") {
			continue
		}
		parts := strings.SplitN(line, "…", 3)
		if len(parts) < 3 || !strings.Contains(parts[0], "result ") || len(parts[1]) < 60-2 || !strings.Contains(parts[2], "pony") {
			t.Errorf("who wrote it, 60 columns and the title are not all in %q", line)
		}
	}
	b.press("enter i")
	if last := asked[len(asked)-1]; last != "audit" {
		t.Errorf("after i %q is searched for", last)
	}
	for typed, want := range map[string]string{"iso match": `"iso match"`, `/iso +match/`: `/iso +match/`, "-iso": `"-iso"`, "zq": "zq"} {
		b.press("/ ctrl+u")
		typeIn(b, typed)
		b.press("enter")
		if last := asked[len(asked)-1]; last != want {
			t.Errorf("%s searches for %q", typed, last)
		}
	}
}

// A hit of the list opens at its message with the search active; leaving returns to the list, where
// the search has continued.
func TestHitOfTheListOpensAtItsPlace(t *testing.T) {
	o := paneOptions()
	o.Sessions = true
	fake(&o).watch = func(string) (transcripts.Feed, error) { return told{}, nil }
	fake(&o).search = eachPath(func(context.Context, string, []*lang.Filter) ([]transcripts.Hit, error) {
		return []transcripts.Hit{{Found: true, Line: "58 tests, 1 failure", Index: 4}}, nil
	})
	b := newBench(t, model.FromMessages(nil), o, 120, 30)
	b.a.dialogs = nil
	d := sessions.New(b.a.h, b.a.listed)
	b.a.dialogs = append(b.a.dialogs, d)
	d.All = []session.Session{{Summary: model.Summary{Path: "/home/me/x/d.json", Project: "ponyc"}}}
	d.Filter.Set("text:/\\d+ tests/")
	b.send(d.Narrow()())
	if got := titles(d); got != "ponyc" {
		t.Fatalf("the filter leaves %q", got)
	}
	d.All = append(d.All, session.Session{Summary: model.Summary{Path: "/home/me/x/e.json", Project: "airline"}})
	found := d.Narrow()()
	b.press("enter")
	b.send(found)
	if len(b.a.dialogs) != 0 || b.a.h.Opts.Search != `/\d+ tests/` {
		t.Fatalf("%d dialogs, and %q is searched for", len(b.a.dialogs), b.a.h.Opts.Search)
	}
	b.send(updateMsg{b.a.feed, transcripts.State{Snap: sample(), Indexed: 1, Path: "/home/me/x/d.json"}, nil})
	if frameWith(b, "58 tests") == "" {
		t.Errorf("the hit is not on the screen:\n%s", ansi.Strip(b.frame()))
	}
	if line := frameLine(b, -2); !strings.Contains(line, "regex, 1 of ") {
		t.Errorf("the status line is %q", line)
	}
	if b.press("n"); b.a.status != "" {
		t.Errorf("n says %q", b.a.status)
	}
	b.press("esc q")
	if b.a.listing() != d || d.Path() != "/home/me/x/d.json" || d.Filter.Text == "" || d.H != b.a.h {
		t.Error("q does not lead back to the list as it was")
	}
	if got := titles(d); got != "ponyc airline" {
		t.Errorf("the search went on and left %q", got)
	}
	d.End()
}

// A search in the sessions shows its progress, and a key stops it.
func TestSessionSearchIsStopped(t *testing.T) {
	o := paneOptions()
	asked := make(chan string)
	answers := make(chan transcripts.Hit)
	fake(&o).search = eachPath(func(ctx context.Context, path string, filters []*lang.Filter) ([]transcripts.Hit, error) {
		if filters[0].String() != "text:zz" { // typing continues
			<-ctx.Done()
			return nil, ctx.Err()
		}
		select {
		case asked <- path:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		select {
		case hit := <-answers:
			return []transcripts.Hit{hit}, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	})
	d := driveFeed(t, transcripts.StaticFeed("/tmp/8463c716.jsonl", sample()), o, 120, 30)
	d.WaitFor("Fix the flaky").Press("S").WaitFor("usage audit").Press("f").Type("text:zz")
	d.WaitFor("0 of 5, 0 %")
	first := <-asked
	answers <- transcripts.Hit{Found: true, Line: "some zz line"}
	if first != "/home/me/.claude/projects/a.jsonl" && first != "/home/me/.local/share/opencode/c" {
		t.Errorf("the first session that is searched is %s", first)
	}
	for range 2 { // its results arrive with the next message
		<-asked
		answers <- transcripts.Hit{}
	}
	d.Press("enter").Press("ctrl+c").WaitFor("search stopped at ").WaitFor(" searched")
	d.Press("esc").WaitFor("ponyc").Press("q").WaitFor("Fix the flaky")
}

// A stopped search does not claim that no session matches.
func TestStoppedSearchHasNoResult(t *testing.T) {
	o := paneOptions()
	fake(&o).search = eachPath(func(ctx context.Context, _ string, _ []*lang.Filter) ([]transcripts.Hit, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	d := driveFeed(t, transcripts.StaticFeed("/tmp/8463c716.jsonl", sample()), o, 120, 30)
	d.WaitFor("Fix the flaky").Press("S").WaitFor("usage audit").Press("f").Type("text:zz").WaitFor("none so far")
	d.Press("enter").Press("ctrl+c").WaitFor("none in the 0 % searched: f edits the filter")
}

func TestSessionSearchSaysWhatFailed(t *testing.T) {
	o := paneOptions()
	fake(&o).search = eachPath(func(context.Context, string, []*lang.Filter) ([]transcripts.Hit, error) {
		return nil, errors.New("cut short")
	})
	b := newBench(t, priced(), o, 120, 30)
	b.press("S f")
	typeIn(b, "text:x")
	if text := ansi.Strip(b.frame()); !strings.Contains(text, "not all could be searched: /home/me/") || !strings.Contains(text, "cut short") {
		t.Errorf("the list says nothing of what failed:\n%s", text)
	}
}

func TestSessionKeys(t *testing.T) {
	o := paneOptions()
	var opened []string
	fake(&o).watch = func(path string) (transcripts.Feed, error) {
		opened = append(opened, path)
		return transcripts.StaticFeed(path, sample()), nil
	}
	fake(&o).watchNewest = func(path string) (transcripts.Feed, error) {
		opened = append(opened, "newest "+path)
		return transcripts.StaticFeed(path, sample()), nil
	}
	fake(&o).list = func(_ context.Context, tell func(transcripts.Update)) error {
		all := sampleSessions()
		all[1].Resume = "cd /work && claude --resume a"
		tell(transcripts.Update{Sessions: all})
		return nil
	}
	b := newBench(t, priced(), o, 120, 30)
	b.press("S y r")
	if want := "copied the command, 29 bytes"; !strings.HasPrefix(b.a.status, want) {
		t.Errorf("yr says %q", b.a.status)
	}
	b.press("y y")
	if want := "copied the path, 33 bytes"; !strings.HasPrefix(b.a.status, want) {
		t.Errorf("yy says %q", b.a.status)
	}
	b.press("j y r")
	if want := "no command is known that resumes a session of OpenCode"; b.a.status != want {
		t.Errorf("yr says %q, want %q", b.a.status, want)
	}
	b.press("j +")
	if d := b.a.dialogs[0].(*sessions.List); d.Filter.Text != "project:ponyc" || titles(d) != "ponyc" {
		t.Errorf("+ filters by %q and leaves %q", d.Filter.Text, titles(d))
	}
	b.press("F")
	if want := "/home/me/x/d.json"; len(opened) != 1 || opened[0] != want || !b.a.h.Opts.Follow {
		t.Errorf("F in a filtered list opens %v, following %v", opened, b.a.h.Opts.Follow)
	}
	b.press("S")
	if d := b.a.dialogs[0].(*sessions.List); d.Filter.Text != "project:ponyc" {
		t.Errorf("the list has forgotten its filter: %q", d.Filter.Text)
	}
	b.press("esc F")
	if want := "newest /home/me/.claude/projects/a.jsonl"; len(opened) != 2 || opened[1] != want {
		t.Errorf("F opens %v", opened)
	}
	b.press("S")
	for _, c := range []struct{ keys, say string }{
		{"u", "u does nothing here: ? lists the keys"}, {"y z", "yz does nothing here: ? lists the keys"}, {"n", "no search yet"},
	} {
		b.a.status = ""
		b.press(c.keys)
		if !strings.Contains(b.a.status, c.say) {
			t.Errorf("%s says %q, want %q", c.keys, b.a.status, c.say)
		}
	}
	b.press("?")
	if text := ansi.Strip(b.frame()); !strings.Contains(text, "follow") || len(b.a.dialogs) != 2 {
		t.Errorf("? shows no help:\n%s", text)
	}
}

func TestSessionsSortedByEnd(t *testing.T) {
	o := paneOptions()
	fake(&o).list = func(_ context.Context, tell func(transcripts.Update)) error {
		all := sampleSessions()
		all[0].Scored, all[0].Score = true, 0.2
		all[3].Ending = all[0].Ending
		all[3].Score = 0.9
		tell(transcripts.Update{Sessions: all})
		return nil
	}
	b := newBench(t, priced(), o, 120, 30)
	b.press("S <")
	if got := titles(b.a.dialogs[0].(*sessions.List)); got != "ponyc runbook irrlicht spotter-fum airline" {
		t.Errorf("sorted by end: %q", got)
	}
}

// A row under a heading without a day shows its day, unless it is today.
func TestWaitingSessionShowsItsDay(t *testing.T) {
	o := paneOptions()
	o.Location = time.FixedZone("east", 2*60*60) // there it is past midnight
	fake(&o).list = func(_ context.Context, tell func(transcripts.Update)) error {
		all := sampleSessions()
		for i, ago := range []time.Duration{20 * time.Minute, 11 * time.Hour} {
			s := &all[i].Summary
			s.Last = sampleStart.Add(time.Hour - ago).UnixMilli()
			s.Written = s.Last
			s.Ending = model.Ending{State: model.RunOpen, Due: model.DueResult, Running: "AskUserQuestion", Tools: "AskUserQuestion", Runs: 1}
			all[i] = session.Of(*s, sampleStart.Add(time.Hour))
		}
		tell(transcripts.Update{Sessions: all[:2]})
		return nil
	}
	b := newBench(t, priced(), o, 120, 30)
	b.press("S")
	now := sampleStart.Add(time.Hour).In(o.Location)
	for _, want := range []string{"waiting for you", now.Add(-20*time.Minute).Format("15:04") + " ", now.Add(-11*time.Hour).Format("2 Jan") + " "} {
		if screen := ansi.Strip(b.frame()); !strings.Contains(screen, want) {
			t.Errorf("no %q in:\n%s", want, screen)
		}
	}
}

// A list of thousands shows its first rows immediately, and the cursor stays on its session while
// the others arrive.
func TestSessionListComesInBatches(t *testing.T) {
	o := paneOptions()
	go1, go2 := make(chan bool), make(chan bool)
	batch := func(from int) (out []session.Session) {
		for i := range 50 {
			out = append(out, session.Session{Summary: model.Summary{Path: fmt.Sprintf("/s/%d", from+i), Project: "p", Title: fmt.Sprintf("title %d of them", from+i), Last: sampleStart.Add(-time.Duration(from+i) * time.Minute).UnixMilli()}})
		}
		return out
	}
	fake(&o).list = func(ctx context.Context, tell func(transcripts.Update)) error {
		<-go1
		tell(transcripts.Update{Sessions: batch(100)})
		<-go2
		tell(transcripts.Update{Sessions: batch(0)})
		return nil
	}
	d := driveFeed(t, transcripts.StaticFeed("/tmp/8463c716.jsonl", sample()), o, 120, 30)
	d.WaitFor("Fix the flaky").Press("S").WaitFor("looking for sessions")
	go1 <- true
	d.WaitFor("50 sessions so far").Press("j j").Selected("title 102 of them")
	go2 <- true
	d.WaitGone("so far").WaitFor("100 sessions").Selected("title 102 of them").Press("g").Selected("title 0 of them")
}

func TestSessionFolders(t *testing.T) {
	for _, c := range []struct {
		paths []string
		want  string
	}{
		{[]string{"/work/runs/codex/a.jsonl", "/work/runs/codex/deep/b.jsonl", "/work/runs/codex2/c.jsonl"}, "/work/runs"},
		{[]string{"/work/runs/codex/a.jsonl"}, "/work/runs/codex"}, {[]string{"a.jsonl"}, "."},
		{[]string{"/home/me/.claude/projects/x/a.jsonl", "/home/me/.codex/b.jsonl"}, "~/.claude ~/.codex"},
	} {
		d := &sessions.List{H: &screen.Host{Opts: screen.Options{Home: "/home/me"}}}
		for _, p := range c.paths {
			d.All = append(d.All, session.Session{Summary: model.Summary{Path: p}})
		}
		if got := d.Folders(); got != c.want {
			t.Errorf("the sessions %q lie in %q, want %q", c.paths, got, c.want)
		}
	}
}

// quits reports whether a key ends the program.
func quits(b *bench, key string) bool {
	_, cmd := b.a.Update(keyPress(key))
	for _, msg := range b.run(cmd) {
		if _, ok := msg.(tea.QuitMsg); ok {
			return true
		}
	}
	return false
}

// q in a session opened from the list returns to the list, and quits there: otherwise the reader
// could go back and forth forever. In a list opened over a session it closes the list.
func TestLeavingTheSessionList(t *testing.T) {
	o := paneOptions()
	fake(&o).watch = func(string) (transcripts.Feed, error) { return told{}, nil }
	b := newBench(t, priced(), o, 120, 30)
	b.press("S")
	if quits(b, "q") || len(b.a.dialogs) != 0 {
		t.Fatal("q in a list over a session should close it")
	}
	b.press("S enter")
	b.send(updateMsg{b.a.feed, transcripts.State{Snap: sample(), Indexed: 1, Path: "/tmp/other.jsonl"}, nil})
	b.press("q")
	if b.a.listing() == nil {
		t.Fatal("q in a session from the list should show the list")
	}
	if _, last := b.a.hints(); len(last) != 2 || last[1].Text != "quit" {
		t.Errorf("the keys say %v", last)
	}
	b.press("S")
	if b.a.listing() != nil {
		t.Error("S should close the list")
	}
	b.press("q")
	if !quits(b, "q") {
		t.Error("q in the list that q came back to should quit")
	}
}

// A list without a session behind it cannot be closed: before the first update of a feed, and for
// an empty one.
func TestSessionListWithNothingBehindIt(t *testing.T) {
	for name, snap := range map[string]*model.Snapshot{"no feed": nil, "an empty one": model.FromMessages(nil)} {
		b := newBench(t, priced(), paneOptions(), 120, 30)
		b.press("S")
		b.a.h.Snap, b.a.h.State.Path = snap, ""
		for _, key := range []string{"esc", "S"} {
			b.a.status = ""
			if quits(b, key) || b.a.listing() == nil || !strings.Contains(b.a.status, "q quits") {
				t.Errorf("%s: %s says %q", name, key, b.a.status)
			}
		}
		if !quits(b, "q") {
			t.Errorf("%s: q should quit", name)
		}
	}
}

// A user without sessions sees in full what to type next and how many places were searched, and no
// keys for missing rows.
func TestFirstStepsFit(t *testing.T) {
	o := paneOptions()
	o.Places = slices.Repeat([]string{"/home/u/.agent/a folder with a name/*.jsonl"}, 123)
	fake(&o).list = func(_ context.Context, tell func(transcripts.Update)) error {
		tell(transcripts.Update{Listed: true})
		return nil
	}
	for _, size := range [][2]int{{80, 24}, {80, 16}, {140, 42}} {
		b := newBench(t, nil, o, size[0], size[1])
		b.press("S")
		frame := ansi.Strip(b.frame())
		for _, want := range []string{"turns demo", "turns FILE", "turns FOLDER", "where agents store transcripts, 123 places looked at", " more\n", "? help"} {
			if !strings.Contains(strings.ReplaceAll(frame, " ", "")+frame, strings.ReplaceAll(want, " ", "")) {
				t.Errorf("%v: %q is missing:\n%s", size, want, frame)
			}
		}
		if strings.Contains(frame, "…") || strings.Contains(frame, "⏎ open") {
			t.Errorf("%v: a line is cut, or a key has nothing to act on:\n%s", size, frame)
		}
	}
}

// A message of a dialog disappears after a while, like all others.
func TestWhatAListSaysIsTakenAway(t *testing.T) {
	b := newBench(t, priced(), paneOptions(), 120, 30)
	var over []tea.Msg
	b.a.h.Timer = func(_ time.Duration, msg tea.Msg) tea.Cmd {
		if _, ok := msg.(statusOverMsg); ok {
			over = append(over, msg)
		}
		return nil
	}
	b.press("S o")
	if len(over) != 1 || b.a.status == "" {
		t.Fatalf("%q is removed %d times", b.a.status, len(over))
	}
	if text := ansi.Strip(b.frame()); strings.Contains(text, "unreadable") {
		t.Errorf("the list tells of the session behind it:\n%s", text)
	}
	b.send(over[0])
	if b.a.status != "" {
		t.Errorf("%q stays", b.a.status)
	}
}

// A table with headings fills the page even near its end, and Bottom is the last visible row.
func TestGroupedTableFillsThePage(t *testing.T) {
	day := func(row int) string { return fmt.Sprint("day ", row/7) }
	tb := screen.Table{SortBy: -1, Group: day, Cells: func(row int, out []screen.Cell) { out[0].Text = fmt.Sprint("row ", row) }, Cols: []screen.Column{{Name: "a", Width: 10, Flex: 1}}}
	st := newBench(t, priced(), paneOptions(), 80, 24).a.h.Styles
	lines := func() []string {
		out := tb.Render(st, 80, 20, true)
		for i := range out {
			out[i] = strings.TrimSpace(ansi.Strip(out[i]))
		}
		return out
	}
	tb.Reset(100)
	tb.MoveTo(99)
	lines()
	tb.Reset(30)
	tb.SelectRow(29)
	if out := lines(); len(out) != 20 || out[19] != "›row 29" {
		t.Errorf("30 rows in 20 lines: %q", out)
	}
	tb.Reset(5)
	if out := lines(); len(out) != 7 || out[2] != "row 0" {
		t.Errorf("5 rows: %q", out)
	}
	tb.Reset(100)
	tb.MoveTo(50)
	out := lines()
	if last := strings.TrimPrefix(out[19], "›"); last != fmt.Sprint("row ", tb.Bottom()) {
		t.Errorf("the bottom is %d: %q", tb.Bottom(), out)
	}
}

// Esc in the first list of turns does not open a session.
func TestEscapeStaysInTheList(t *testing.T) {
	o := paneOptions()
	fake(&o).list = listOf("/s/1", "/s/2")
	o.Sessions = true
	b := newBench(t, sample(), o, 100, 24)
	b.press("S")
	d := b.a.listing()
	d.First = true
	b.press("esc")
	if b.a.listing() != d {
		t.Error("esc closes the list")
	}
}

// The sections are ordered by urgency. The records of a failure, not the file time, decide whether
// it is from today: the file may be a copy.
func TestSectionsStandInOrderOfNeed(t *testing.T) {
	now := sampleStart.Add(time.Hour)
	at := func(name string, ago time.Duration, e model.Ending) session.Session {
		when := now.Add(-ago).UnixMilli()
		return session.Of(model.Summary{Path: "/r/" + name + ".jsonl", Title: name, Format: "claude-code", Sessions: 1, Messages: 4, Started: when - 1000, Last: when, Written: when, Ending: e}, now)
	}
	calls := func(tool string) model.Ending {
		return model.Ending{State: model.RunOpen, Due: model.DueResult, Running: tool, Tools: tool, Runs: 1}
	}
	loop := calls("Bash")
	loop.Again, loop.Same = 9, "Bash"
	leave := calls("Bash")
	leave.Leave = 1
	failed := model.Ending{State: model.RunFailed, Ended: true}
	over, turn := model.Ending{State: model.RunFinished, Ended: true}, model.Ending{State: model.RunFinished, Ended: true, Turn: true}
	copied := at("copied", 400*24*time.Hour, failed)
	copied.Written = now.UnixMilli()
	undated := at("undated", time.Minute, failed)
	undated.Last, undated.Started = 0, 0
	o := paneOptions()
	fake(&o).list = func(_ context.Context, tell func(transcripts.Update)) error {
		tell(transcripts.Update{Sessions: []session.Session{
			copied, undated, at("over", 3*time.Minute, over), at("turn", 2*time.Minute, turn), at("failed", 2*time.Minute, failed), at("works", 5*time.Second, calls("Bash")),
			at("loops", 5*time.Second, loop), at("asks", time.Minute, calls("AskUserQuestion")), at("leave", 2*time.Minute, leave),
		}})
		return nil
	}
	b := newBench(t, priced(), o, 120, 40)
	b.press("S")
	text, from := ansi.Strip(b.frame()), 0
	for _, want := range []string{"waiting for you", " asks ", " leave ", "stuck", " loops ", "running", " works ", "failed today", " failed ", "idle, your turn", " turn ", "today, ", " over ", " copied "} {
		i := strings.Index(text[from:], want)
		if i < 0 {
			t.Fatalf("no %q below the one before in:\n%s", want, text)
		}
		from += i
	}
	if strings.Count(text[:strings.Index(text, "idle, your turn")], "undated") > 0 {
		t.Errorf("a failure without a time is one of today:\n%s", text)
	}
}
