package ui

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"turns/model"
	"turns/model/modeltest"
	"turns/query"
	"turns/query/runs"
	"turns/query/session"
	"turns/ui/compare"
	"turns/ui/screen"
	"turns/ui/transcripts"
)

// runBefore and runAfter are two sessions with the same prompt: the second reads another part of
// the file, passes its test, reads one more file and ends with another answer.
func runBefore() *model.Snapshot {
	msgs := []model.Message{
		say(model.User, 0, words("Fix the flaky watcher test and keep the public API as it is.")),
		say(model.Assistant, 5, words("I'll read the test first."), call("c1", "Read", `{"file_path":"internal/watch/watch_test.go","offset":40,"limit":80}`)),
		say(model.Tool, 6, result("c1", strings.Repeat("line of the test\n", 80))),
	}
	for i := range 12 {
		id := fmt.Sprintf("g%d", i)
		msgs = append(msgs, say(model.Assistant, 10+i, call(id, "Grep", fmt.Sprintf(`{"pattern":"debounce%d","path":"internal/"}`, i))), say(model.Tool, 10+i, result(id, "internal/watch/a.go")))
	}
	return model.FromMessages(append(msgs,
		say(model.Assistant, 30, call("c2", "Bash", `{"command":"go test -run TestWatch -count=50 ./internal/watch"}`)),
		say(model.Tool, 45, failed("c2", "Exit code 1\n--- FAIL: TestWatch (0.05s)\n    watch_test.go:44: no event\nFAIL", model.Failure)),
		say(model.Assistant, 50, call("c3", "WebFetch", `{"url":"https://pkg.go.dev/github.com/fsnotify/fsnotify"}`)),
		say(model.Tool, 52, result("c3", "package fsnotify")),
		say(model.Assistant, 60, words("The test still fails.")),
	))
}

func runAfter() *model.Snapshot {
	msgs := []model.Message{
		say(model.User, 0, words("Fix the flaky watcher test and keep the public API as it is.")),
		say(model.Assistant, 5, words("I'll read the test first."), call("c1", "Read", `{"file_path":"internal/watch/watch_test.go","offset":40,"limit":200}`)),
		say(model.Tool, 6, result("c1", strings.Repeat("line of the test\n", 200))),
	}
	for i := range 12 {
		id := fmt.Sprintf("g%d", i)
		msgs = append(msgs, say(model.Assistant, 10+i, call(id, "Grep", fmt.Sprintf(`{"pattern":"debounce%d","path":"internal/"}`, i))), say(model.Tool, 10+i, result(id, "internal/watch/a.go")))
	}
	return model.FromMessages(append(msgs,
		say(model.Assistant, 30, call("c2", "Bash", `{"command":"go test -run TestWatch -count=50 ./internal/watch"}`)),
		say(model.Tool, 42, result("c2", "ok  internal/watch 12.1s")),
		say(model.Assistant, 50, call("c4", "Bash", `{"command":"go vet ./..."}`)), say(model.Tool, 53, result("c4", "")),
		say(model.Assistant, 54, call("c5", "Bash", `{"command":"gofmt -l ."}`)), say(model.Tool, 54, result("c5", "")),
		say(model.Assistant, 80, words("The test passes, and nothing else has changed.")),
	))
}

// compareOptions returns options that can compare and open the sessions of some paths.
func compareOptions(files map[string]*model.Snapshot) screen.Options {
	o := paneOptions()
	fake(&o).run = func(_ context.Context, path string, progress func(done, total int64)) (runs.DiffRun, error) {
		progress(1, 2)
		if files[path] == nil {
			return runs.DiffRun{}, fmt.Errorf("no transcript %q", path)
		}
		progress(2, 2)
		return runs.DiffRun{Selection: query.Everything(files[path])}, nil
	}
	fake(&o).runs = func(ctx context.Context, dir string, progress func(done, total int64)) ([]runs.RunInfo, error) {
		var list []runs.RunInfo
		for _, path := range []string{"/r/before/fix.jsonl", "/r/before/notes.jsonl", "/r/after/fix.jsonl", "/r/after/fix-2.jsonl", "/r/after/new.jsonl"} {
			if filepath.Dir(path) != dir || files[path] == nil {
				continue
			}
			infos, err := runs.NewRunInfos(ctx, path, runs.DiffRun{Selection: query.Everything(files[path])})
			if err != nil {
				return nil, err
			}
			list = append(list, infos...)
		}
		progress(1, 1)
		return list, nil
	}
	fake(&o).watch = func(path string) (transcripts.Feed, error) {
		if files[path] == nil {
			return nil, fmt.Errorf("no %s here", path)
		}
		return transcripts.StaticFeed(path, files[path]), nil
	}
	return o
}

func twoRuns() map[string]*model.Snapshot {
	return map[string]*model.Snapshot{"/r/before/fix.jsonl": runBefore(), "/r/after/fix.jsonl": runAfter()}
}

// startCompare returns a screen that started with a comparison.
func startCompare(t testing.TB, o screen.Options, a, b string, w, h int) *bench {
	t.Helper()
	o.Width, o.Height, o.Compare = w, h, [2]string{a, b}
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	// the test sends the updates
	fake(&o).watch = func(string) (transcripts.Feed, error) { return told{}, nil }
	s := &bench{a: newApp(t.Context(), told{}, o), t: t}
	t.Cleanup(func() { s.a.cancel() })
	s.a.h.Timer = func(time.Duration, tea.Msg) tea.Cmd { return nil }
	s.a.h.Bodies.Budget = 1 << 40
	cmd := s.a.beginComparing()
	for cmd != nil { // until no command is left
		_, cmd = s.a.Update(cmd())
	}
	s.send(updateMsg{s.a.feed, transcripts.State{Snap: model.FromMessages(nil), Indexed: 1}, nil})
	return s
}

// comparison returns the visible comparison.
func (b *bench) comparison() *compare.Runs {
	b.t.Helper()
	if n := len(b.a.dialogs); n > 0 {
		if d, ok := b.a.dialogs[n-1].(*compare.Runs); ok {
			return d
		}
	}
	b.t.Fatalf("no comparison is on the screen:\n%s", ansi.Strip(b.frame()))
	return nil
}

// The summary of a comparison counts the changed files that it does not list.
func TestCompareCountsMoreFiles(t *testing.T) {
	written := []model.Message{say(model.User, 0, words("write"))}
	for i := range 9 {
		id := fmt.Sprint(i)
		written = append(written, say(model.Assistant, 1, call(id, "Write", `{"file_path":"/w/`+id+`.go","content":"x"}`)), say(model.Tool, 2, result(id, "ok")))
	}
	runs := map[string]*model.Snapshot{"/r/a": model.FromMessages(written), "/r/b": model.FromMessages(written[:1])}
	b := startCompare(t, compareOptions(runs), "/r/a", "/r/b", 120, 40)
	frame := ansi.Strip(b.frame())
	if listed := strings.Count(frame, ".go W +1 −0 → –"); listed != 6 || !strings.Contains(frame, "3 more") {
		t.Errorf("%d files are listed in\n%s", listed, frame)
	}
}

func TestCompareFrames(t *testing.T) {
	for _, c := range []struct{ name, keys string }{{"compare", ""}, {"compare-change", "n d"}, {"compare-end", "a a a G"}} {
		for _, size := range sizes {
			name := fmt.Sprintf("%s-%dx%d", c.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				b := startCompare(t, compareOptions(twoRuns()), "/r/before/fix.jsonl", "/r/after/fix.jsonl", size[0], size[1])
				b.press(c.keys)
				checkFrame(t, b, name)
				golden(t, "compare/"+name+".golden", ansi.Strip(b.frame())+"\n")
			})
		}
	}
	for name, set := range map[string]func(*screen.Options){
		"dark": func(*screen.Options) {}, "light": func(o *screen.Options) { o.Theme = "light" }, "no-color": func(o *screen.Options) { o.NoColor = true },
		"ascii": func(o *screen.Options) { o.ASCII, o.NoColor = true, true },
	} {
		t.Run(name, func(t *testing.T) {
			o := compareOptions(twoRuns())
			set(&o)
			b := startCompare(t, o, "/r/before/fix.jsonl", "/r/after/fix.jsonl", 120, 40)
			b.press("n d")
			checkFrame(t, b, name)
			if name == "ascii" {
				for _, r := range ansi.Strip(b.frame()) {
					if r > 0x7e {
						t.Fatalf("%q in an ASCII frame", r)
					}
				}
			}
			golden(t, "compare/"+name+".golden", strings.ReplaceAll(b.frame(), "\x1b", "␛")+"\n")
		})
	}
}

// driveCompare drives a program that shows a comparison.
func driveCompare(t *testing.T, w, h int) *driver {
	o := compareOptions(twoRuns())
	o.Compare = [2]string{"/r/before/fix.jsonl", "/r/after/fix.jsonl"}
	return driveFeed(t, transcripts.StaticFeed("", model.FromMessages(nil)), o, w, h)
}

func TestCompareWalkThrough(t *testing.T) {
	d := driveCompare(t, 120, 40)
	d.WaitFor("before/fix.jsonl → after/fix.jsonl").WaitFor("1 call removed").WaitFor("2 calls added").WaitFor("first difference at #1 / #1")
	d.WaitFor("items the same").Selected("Fix the flaky")
	d.Press("n").Selected("watch_test.go:40-119").WaitFor("difference 1 of 5").WaitFor("other arguments")
	d.Press("n").Selected("go test -run TestWatch").WaitFor("another outcome: failure → success")
	d.Press("n").Selected("WebFetch").WaitFor("only in before/fix.jsonl").Press("n n").Selected("The test still fails.").Press("n").WaitFor("no difference after this one, of 5")
	d.Press("N N").Selected("WebFetch")
	d.Press("a a a").WaitFor("all rows").WaitGone("items the same").Selected("WebFetch")
	d.Press("/").Type("debounce7").Press("enter").Selected("debounce7").Press("n").WaitFor("no row with debounce7 after this").Press("esc").Press("g").Selected("Fix the flaky")
	d.Press("e").Selected("go test -run TestWatch")
}

// Enter opens the place in its session, and leaving the session returns.
func TestCompareOpensAPlaceAndComesBack(t *testing.T) {
	d := driveCompare(t, 120, 40)
	d.WaitFor("first difference at").Press("n n").Selected("go test -run TestWatch").Press("enter")
	d.WaitFor("32 messages").Selected("go test -run TestWatch").WaitFor("exit 1")
	d.Press("q").WaitFor("first difference at").Selected("go test -run TestWatch").Press("tab enter")
	d.WaitFor("34 messages").Selected("go test -run").Press("q").WaitFor("first difference at")
	d.Press("n n").Selected("go vet")
}

func TestCompareShowsWhatDiffersInTheTexts(t *testing.T) {
	d := driveCompare(t, 120, 40)
	d.WaitFor("first difference at").Press("n d").WaitFor("arguments").WaitFor(`-   "limit": 80`).WaitFor(`+   "limit": 200`)
	d.Press("n").WaitFor("- Exit code 1").WaitFor("+ ok  internal/watch 12.1s").Press("esc").WaitGone("Exit code 1")
}

func TestCompareFoldsWhatIsTheSame(t *testing.T) {
	b := startCompare(t, compareOptions(twoRuns()), "/r/before/fix.jsonl", "/r/after/fix.jsonl", 120, 40)
	d := b.comparison()
	folded := len(d.Shown)
	b.press("n j j j j")
	if !d.ShownFold() {
		t.Fatalf("no fold four rows after the first difference:\n%s", ansi.Strip(b.frame()))
	}
	b.press("l")
	if len(d.Shown) != len(d.Answer.Rows) || d.ShownFold() {
		t.Errorf("l shows %d of %d rows", len(d.Shown), len(d.Answer.Rows))
	}
	b.press("j h")
	if len(d.Shown) != folded {
		t.Errorf("h leaves %d lines, want %d", len(d.Shown), folded)
	}
}

// A narrow screen shows the sessions in one column, and a resize keeps the row and the side.
func TestCompareInOneColumn(t *testing.T) {
	d := driveCompare(t, 80, 24)
	d.WaitFor("first difference at").Press("n").Selected(`~-    #1 ✓ Read`).Press("tab").Selected(`~+    #1 ✓ Read`)
	d.Press("enter").WaitFor("34 messages").Press("q").Selected(`~+    #1 ✓ Read`)
	d.Press("n").Selected("failure → success").Resize(140, 40).Selected("success").Resize(60, 20).Selected("go test")
}

func TestCompareIsTakenAway(t *testing.T) {
	o := compareOptions(twoRuns())
	o.Dir = t.TempDir()
	b := startCompare(t, o, "/r/before/fix.jsonl", "/r/after/fix.jsonl", 120, 40)
	b.press("x")
	if want := "wrote ./before-fix-after-fix-1.md: the comparison, "; !strings.HasPrefix(b.a.status, want) {
		t.Errorf("x says %q", b.a.status)
	}
	marked, err := os.ReadFile(filepath.Join(o.Dir, "before-fix-after-fix-1.md"))
	if err != nil || !strings.HasPrefix(string(marked), "# before/fix.jsonl → after/fix.jsonl\n") || !strings.Contains(string(marked), "| added |") {
		t.Errorf("%v, %q", err, marked)
	}
	b.press("X")
	if want := "wrote ./before-fix-after-fix-1.txt: the comparison, "; !strings.HasPrefix(b.a.status, want) {
		t.Errorf("X says %q", b.a.status)
	}
	text, err := os.ReadFile(filepath.Join(o.Dir, "before-fix-after-fix-1.txt"))
	if err != nil || !strings.Contains(string(text), "1 call removed") || !strings.Contains(string(text), "WebFetch") {
		t.Errorf("%v, %q", err, text)
	}
	b.press("y")
	if want := "copied the comparison, "; !strings.HasPrefix(b.a.status, want) {
		t.Errorf("y says %q", b.a.status)
	}
}

func TestCompareSaysWhatCannotBeRead(t *testing.T) {
	b := startCompare(t, compareOptions(twoRuns()), "/r/before/fix.jsonl", "/r/gone.jsonl", 100, 30)
	if frame := ansi.Strip(b.frame()); !strings.Contains(frame, `no transcript "/r/gone.jsonl"`) {
		t.Errorf("not said:\n%s", frame)
	}
	b.press("j n enter d a l x")
	checkFrame(t, b, "without an answer")
}

// D asks for another session of the folder, and the session list compares two sessions selected
// with v.
func TestCompareFromARunAndFromTheList(t *testing.T) {
	runs := map[string]*model.Snapshot{"/r/a.jsonl": runBefore(), "/r/b.jsonl": runAfter(), "/other/c.jsonl": runBefore()}
	o := compareOptions(runs)
	fake(&o).list = listOf("/r/a.jsonl", "/r/b.jsonl", "/other/c.jsonl")
	b := newBench(t, runBefore(), o, 120, 40)
	b.send(updateMsg{b.a.feed, transcripts.State{Snap: b.a.h.Snap, Indexed: 1, Path: "/r/a.jsonl"}, nil})
	b.press("D")
	if frame := ansi.Strip(b.frame()); !strings.Contains(frame, "Compare a.jsonl with") || !strings.Contains(frame, "session b") || strings.Contains(frame, "session a") || strings.Contains(frame, "session c") {
		t.Fatalf("D does not ask for a run of the folder:\n%s", frame)
	}
	b.press("enter")
	if d := b.comparison(); d.Paths != [2]string{"/r/a.jsonl", "/r/b.jsonl"} || d.Answer == nil {
		t.Errorf("compared are %q", d.Paths)
	}
	b.press("n enter")
	if id, _ := b.a.h.Rows.Selected(); len(b.a.dialogs) > 0 || b.a.h.Snap.Pos(id) != 1 {
		t.Errorf("enter in the open run selects #%d", b.a.h.Snap.Pos(id))
	}
	b.press("q")
	b.comparison()
	b.press("q S v v D")
	if d := b.comparison(); d.Paths != [2]string{"/r/a.jsonl", "/r/b.jsonl"} {
		t.Errorf("v v D compares %q", d.Paths)
	}
	b.press("q D")
	b.comparison()
}

// listOf returns a list of sessions named after their files.
func listOf(paths ...string) func(context.Context, func(transcripts.Update)) error {
	return func(_ context.Context, tell func(transcripts.Update)) error {
		var all []session.Session
		for i, path := range paths {
			name := strings.TrimSuffix(filepath.Base(path), ".jsonl")
			all = append(all, session.Session{Summary: model.Summary{Path: path, Title: "session " + name, Last: sampleStart.Add(-time.Duration(i) * time.Minute).UnixMilli()}})
		}
		tell(transcripts.Update{Sessions: all})
		return nil
	}
}

func TestDWithoutATwinSaysWhy(t *testing.T) {
	o := paneOptions()
	o.Store = nil
	b := newBench(t, runBefore(), o, 100, 30)
	b.press("D")
	if b.a.status != "no sessions to compare here" {
		t.Errorf("D says %q", b.a.status)
	}
	o = compareOptions(twoRuns())
	b = newBench(t, runBefore(), o, 100, 30)
	b.press("S D")
	if b.a.status != "D compares two sessions: v selects them" {
		t.Errorf("D in the list says %q", b.a.status)
	}
}

func fourRuns() map[string]*model.Snapshot {
	other := func(text string) *model.Snapshot {
		return model.FromMessages([]model.Message{say(model.User, 0, words(text)), say(model.Assistant, 9, words("Done."))})
	}
	return map[string]*model.Snapshot{
		"/r/before/fix.jsonl": runBefore(), "/r/before/notes.jsonl": other("Write the notes"),
		"/r/after/fix.jsonl": runAfter(), "/r/after/fix-2.jsonl": runBefore(), "/r/after/new.jsonl": other("Something \x1b[2Jnew"),
	}
}

func startFolders(t *testing.T, w, h int) *bench {
	o := compareOptions(fourRuns())
	o.CompareFolders = true
	return startCompare(t, o, "/r/before", "/r/after", w, h)
}

func TestFolderFrames(t *testing.T) {
	for _, size := range sizes {
		name := fmt.Sprintf("folders-%dx%d", size[0], size[1])
		t.Run(name, func(t *testing.T) {
			b := startFolders(t, size[0], size[1])
			checkFrame(t, b, name)
			golden(t, "compare/"+name+".golden", ansi.Strip(b.frame())+"\n")
		})
	}
}

func TestFoldersLeadToThePairs(t *testing.T) {
	b := startFolders(t, 120, 40)
	b.press("2 enter")
	if d := b.comparison(); d.Paths != [2]string{"/r/before/fix.jsonl", "/r/after/fix-2.jsonl"} || len(d.Diffs) != 0 {
		t.Errorf("the second trials are %q with %d differences", d.Paths, len(d.Diffs))
	}
	b.press("q enter")
	if d := b.comparison(); d.Paths != [2]string{"/r/before/fix.jsonl", "/r/after/fix.jsonl"} {
		t.Errorf("compared are %q", d.Paths)
	}
	b.press("n enter")
	b.send(updateMsg{b.a.feed, transcripts.State{Snap: runBefore(), Indexed: 1, Path: "/r/before/fix.jsonl"}, nil})
	if id, _ := b.a.h.Rows.Selected(); b.a.h.Snap.Pos(id) != 1 {
		t.Errorf("enter selects #%d", b.a.h.Snap.Pos(id))
	}
	b.press("q")
	b.comparison()
	b.press("q")
	if frame := ansi.Strip(b.frame()); !strings.Contains(frame, "mean of the tasks in both") {
		t.Errorf("q does not lead back to the folders:\n%s", frame)
	}
	b.press("j enter")
	b.send(updateMsg{b.a.feed, transcripts.State{Snap: fourRuns()["/r/before/notes.jsonl"], Indexed: 1, Path: "/r/before/notes.jsonl"}, nil})
	if frame := ansi.Strip(b.frame()); len(b.a.dialogs) > 0 || !strings.Contains(frame, "notes") {
		t.Errorf("enter on a task of one folder does not show its run:\n%s", frame)
	}
}

func TestFoldersAreTakenAway(t *testing.T) {
	b := startFolders(t, 120, 40)
	b.a.h.Opts.Dir = t.TempDir()
	for key, ext := range map[string]string{"x": ".md", "X": ".txt"} {
		b.press(key)
		found, err := filepath.Glob(filepath.Join(b.a.h.Opts.Dir, "*"+ext))
		if err != nil || len(found) != 1 {
			t.Fatalf("%s wrote %q, %v; said %q", key, found, err, b.a.status)
		}
		text, err := os.ReadFile(found[0])
		if err != nil || !strings.Contains(string(text), "mean of the tasks in both") || strings.HasPrefix(string(text), "# ") != (ext == ".md") {
			t.Errorf("%s: %v, %q", key, err, text)
		}
	}
}

func TestFoldersAreSorted(t *testing.T) {
	b := startFolders(t, 120, 40)
	d := b.a.dialogs[0].(*compare.Folders)
	first := func() string { return string(d.Answer.Tasks[d.Table.At(0)].Task) }
	if !strings.HasPrefix(first(), "Fix the flaky") {
		t.Errorf("first is %q", first())
	}
	b.press("/ n o t e s enter")
	if d.Answer.Tasks[d.Table.Row()].Task != "Write the notes" {
		t.Errorf("/notes selects %q", d.Answer.Tasks[d.Table.Row()].Task)
	}
	b.press("> R")
	if !strings.HasPrefix(first(), "Write") {
		t.Errorf("sorted by task backwards, first is %q", first())
	}
}

func TestCompareClicks(t *testing.T) {
	b := startCompare(t, compareOptions(twoRuns()), "/r/before/fix.jsonl", "/r/after/fix.jsonl", 120, 40)
	d := b.comparison()
	b.press("n")
	head := len(d.Summary(d.W))
	if _, cmd := d.Click(100, d.Above+head+1, false); d.Cur != 1 || d.Side != 1 || cmd != nil {
		t.Errorf("a click on the second row selects line %d of side %d", d.Cur, d.Side)
	}
	d.Wheel(1000)
	b.frame()
	if last := d.Top + d.Page - 1; last < head+len(d.Shown)-1 || d.Cur < d.Top-head {
		t.Errorf("the wheel leaves line %d at the end, cursor %d", last, d.Cur)
	}
}

// Texts that try to break the screen stay in their cells, for any keys and any size.
func TestCompareRandomWalk(t *testing.T) {
	keys := strings.Fields("j j j k ctrl+d ctrl+u space b g G n N e E tab a l h d J J K enter q / x backspace esc y 3")
	files := map[string]*model.Snapshot{"/r/a": hostile(), "/r/b": sample()}
	for seed := range uint64(2) {
		rnd := rand.New(rand.NewPCG(seed, 11))
		b := startCompare(t, compareOptions(files), "/r/a", "/r/b", 100, 30)
		for range modeltest.Fewer(150, 150) {
			if rnd.IntN(10) == 0 {
				b.send(tea.WindowSizeMsg{Width: rnd.IntN(180) + 1, Height: rnd.IntN(50) + 1})
			} else if k := keys[rnd.IntN(len(keys))]; len(b.a.dialogs) > 0 || k != "q" && k != "enter" {
				b.send(keyPress(k))
			} else {
				b.send(keyPress("q"))
			}
			checkFrame(t, b, fmt.Sprint("seed ", seed))
		}
	}
}

// The cost of drawing depends on the screen, not on the sessions.
func TestCompareDrawsTheScreenOnly(t *testing.T) {
	long := func(text string) *model.Snapshot {
		var msgs []model.Message
		for i := range 10_000 {
			if i%100 == 50 {
				msgs = append(msgs, say(model.Assistant, i, words(fmt.Sprintf("%s %d", text, i))))
				continue
			}
			msgs = append(msgs, say(model.Assistant, i, words(fmt.Sprintf("message number %d", i))))
		}
		return model.FromMessages(msgs)
	}
	files := map[string]*model.Snapshot{"/r/a": long("one"), "/r/b": long("two")}
	b := startCompare(t, compareOptions(files), "/r/a", "/r/b", 120, 40)
	d := b.comparison()
	if len(d.Answer.Rows) != 10_000 || len(d.Diffs) != 100 {
		t.Fatalf("%d rows, %d differences", len(d.Answer.Rows), len(d.Diffs))
	}
	b.press("a a a")
	for key := range strings.FieldsSeq("j G n g ctrl+d N") {
		d.Drawn = 0
		b.press(key)
		if d.Drawn > 2*40 {
			t.Errorf("%s drew %d rows on a screen of 40 lines", key, d.Drawn)
		}
	}
}
