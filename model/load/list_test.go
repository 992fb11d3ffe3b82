package load

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"turns/model"
	"turns/model/format"
	"turns/model/modeltest"
	"turns/model/source"
)

func TestListIsNewestFirstAndSummarises(t *testing.T) {
	dir := t.TempDir()
	demo, err := os.ReadFile("../../testdata/demo.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	old, young := filepath.Join(dir, "old.jsonl"), filepath.Join(dir, "sub", "young.jsonl")
	if err := os.MkdirAll(filepath.Dir(young), 0o700); err != nil {
		t.Fatal(err)
	}
	for i, p := range []string{old, young, filepath.Join(dir, "notes.txt")} {
		if err := os.WriteFile(p, demo, 0o600); err != nil {
			t.Fatal(err)
		}
		at := time.Date(2026, 1, 1+i, 0, 0, 0, 0, time.UTC)
		if err := os.Chtimes(p, at, at); err != nil {
			t.Fatal(err)
		}
	}
	var got []Listed
	for l := range List(context.Background(), found(t, dir), ListOptions{}) {
		got = append(got, l)
	}
	if len(got) != 2 || got[0].Path != young || got[1].Path != old {
		t.Fatalf("listed %v", got)
	}
	s := got[0]
	if s.Err != nil || s.Format != "claude-code" || s.Messages == 0 || s.Project != "/home/ada/src/watch" || s.Errors != 5 ||
		s.Title == "" || s.Started == 0 || s.Last <= s.Started || s.Partial {
		t.Errorf("summary %+v", s)
	}
	// List does not build a known summary again.
	for l := range List(context.Background(), []string{old}, ListOptions{Known: func(string, fs.FileInfo) (model.Summary, bool) { return model.Summary{Title: "kept"}, true }}) {
		if l.Title != "kept" {
			t.Errorf("a known summary was made again: %+v", l)
		}
	}
}

func TestSummaryOfALargeFileReadsItsEnds(t *testing.T) {
	path, counts := generated(t, 3<<20)
	s, err := Summarise(context.Background(), path)
	if err != nil || !s.Partial || s.Messages == 0 || int64(s.Messages) >= counts.Messages || s.Title == "" || s.Project != "/src/app" {
		t.Errorf("summary %+v, %v", s, err)
	}
	if e := int64(s.Estimate); e < counts.Messages/2 || e > counts.Messages*2 {
		t.Errorf("%d messages estimated, there are %d", e, counts.Messages)
	}
}

// TestWholeListIsExact lists a file that a list reads only at its ends, a short one, and a document
// too large for a list. With Whole, no summary is partial, and cached partial summaries do not
// interfere.
func TestWholeListIsExact(t *testing.T) {
	modeltest.Long(t, "it reads documents that are too large for a list")
	long, counts := generated(t, 3<<20)
	short := filepath.Join(t.TempDir(), "short.jsonl")
	doc := filepath.Join(t.TempDir(), "doc.json")
	line := `{"role":"user","content":"` + strings.Repeat("y", 1000) + `"}`
	for path, text := range map[string]string{short: line + "\n", doc: `{"messages":[` + line + strings.Repeat(","+line, wholeLimit/1000) + "]}"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]int64{long: counts.Messages, short: 1, doc: wholeLimit/1000 + 1}
	known := func(path string, _ fs.FileInfo) (model.Summary, bool) {
		return model.Summary{Path: path, Partial: true}, true
	}
	for _, opts := range []ListOptions{{Whole: true}, {Whole: true, Known: known}, {Whole: true, Workers: 1}} {
		for l := range List(t.Context(), []string{long, short, doc}, opts) {
			if l.Err != nil || l.Partial || int64(l.Messages) != want[l.Path] || l.Estimate != 0 {
				t.Errorf("%+v, want %d messages", l, want[l.Path])
			}
		}
	}
	for l := range List(t.Context(), []string{long, doc}, ListOptions{}) {
		if l.Err != nil || !l.Partial {
			t.Errorf("read completely: %+v", l)
		}
	}
}

// TestTheEndIsReadUntilItTells lists a file with many lines after the last message, so that the end
// that turns parses first does not contain it.
func TestTheEndIsReadUntilItTells(t *testing.T) {
	var b bytes.Buffer
	line := func(kind, content string) {
		fmt.Fprintf(&b, `{"type":%q,"sessionId":"s","uuid":"u%d","timestamp":"2026-01-01T10:00:00Z","message":{"role":%q,"content":%q}}`+"\n", kind, b.Len(), kind, content)
	}
	line("user", "what is it?")
	line("assistant", "it is this")
	for b.Len() < judgedBy {
		line("user", strings.Repeat("x", 500))
		line("assistant", "yes")
	}
	line("user", "and then?")
	for end := b.Len() + tailParsed + 1000; b.Len() < end; {
		fmt.Fprintf(&b, `{"type":"file-history-snapshot","messageId":"u%d","snapshot":{"a":%q},"isSnapshotUpdate":false}`+"\n", b.Len(), strings.Repeat("y", 300))
	}
	path := filepath.Join(t.TempDir(), "run.jsonl")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Summarise(t.Context(), path)
	if err != nil || !s.Partial || s.State != model.RunOpen || s.Title != "what is it?" {
		t.Errorf("%+v, %v: an answer is due", s, err)
	}
}

// TestCallsBeforeTheMiddleAreNotPending lists a file with a call in the first window, its result
// between the windows, and a last answer.
func TestCallsBeforeTheMiddleAreNotPending(t *testing.T) {
	var b bytes.Buffer
	fill := func(n int) {
		for i := range n {
			fmt.Fprintf(&b, `{"role":"user","content":"%d %s"}`+"\n", i, strings.Repeat("x", 500))
		}
	}
	call := func(id string) {
		fmt.Fprintf(&b, `{"role":"assistant","content":null,"tool_calls":[{"id":%q,"type":"function","function":{"name":"f","arguments":"{}"}}]}`+"\n", id)
	}
	call("call_0123456789ab")
	fill(300)
	b.WriteString(`{"role":"tool","tool_call_id":"call_0123456789ab","content":"done"}` + "\n")
	fill(300)
	b.WriteString(`{"role":"assistant","content":"bye"}` + "\n")
	path := filepath.Join(t.TempDir(), "run.jsonl")
	for _, test := range []struct {
		last string
		open bool
	}{{"", false}, {"call_in_the_last_window", true}} {
		if test.last != "" {
			call(test.last)
		}
		if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Summarise(t.Context(), path)
		if err != nil || !s.Partial || s.Format != "openai" || (s.State == model.RunOpen) != test.open {
			t.Errorf("with the call %q: %+v, %v; open should be %v", test.last, s, err, test.open)
		}
	}
}

// TestSummaryOfADocument reads documents completely up to the limit, and larger ones at their
// beginning.
func TestSummaryOfADocument(t *testing.T) {
	modeltest.Long(t, "the documents are too large to be read whole")
	messages := func(n int) string {
		return "[" + strings.Repeat(`{"role":"user","content":"`+strings.Repeat("y", 100)+`"},`, n-1) + `{"role":"user","content":"z"}]`
	}
	large := strings.Repeat("x", wholeLimit)
	for _, test := range []struct {
		name, doc          string
		partial            bool
		messages, estimate int // -1: some
	}{
		{"behind the window", `{"a":"` + large[:1<<20] + `","messages":` + messages(9) + `}`, false, 9, 0},
		{"too large", `{"messages":` + messages(90_000) + `}`, true, -1, 90_000},
		{"too large, behind the window", `{"messages_of":"` + large + `","messages":` + messages(9) + `}`, true, 0, 0},
		{"too large, on lines", "{\n\"messages\":" + strings.ReplaceAll(messages(90_000), "},", "},\n") + "}", true, -1, 90_000},
	} {
		path := filepath.Join(t.TempDir(), "run.json")
		if err := os.WriteFile(path, []byte(test.doc), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Summarise(t.Context(), path)
		if err != nil || s.Partial != test.partial || test.messages >= 0 && s.Messages != test.messages || test.messages < 0 && s.Messages == 0 ||
			s.Estimate < test.estimate*9/10 || s.Estimate > test.estimate*11/10 {
			t.Errorf("%s: %+v, %v", test.name, s, err)
		}
	}
}

// TestQuickDetectionIsDetection compares the two over all samples, with the hint of their format
// and, in turns, of every sixth other.
func TestQuickDetectionIsDetection(t *testing.T) {
	modeltest.Long(t, "it reads every sample with every hint")
	for i, path := range documents(t) {
		src, err := source.Open(t.Context(), path, source.Options{})
		if err != nil {
			t.Fatal(err)
		}
		sample := src.Sample()
		src.Close()
		slow, want := format.Detect(sample)
		quick, got := detectQuick(sample)
		if !sameFormat(quick, slow) || got != want {
			t.Errorf("%s: %s %+v, want %s %+v", path, quick.Name, got, slow.Name, want)
		}
		for k, f := range format.All() {
			if f != slow && !modeltest.Some(i+k, 6) {
				continue
			}
			h := &Hints{last: f}
			if hinted, got := h.detect(sample); !sameFormat(hinted, slow) || got != want {
				t.Errorf("%s with the hint %s: %s %+v, want %s %+v", path, f.Name, hinted.Name, got, slow.Name, want)
			}
		}
	}
}

// sameFormat reports whether two formats are equal. A format for the contents of a text or an
// envelope is built for each sample: two of these are equal if both are built on the same format.
func sameFormat(a, b *model.Format) bool {
	registered := slices.Contains(format.All(), a) || slices.Contains(format.All(), b)
	return a == b || !registered && a.Name == b.Name
}

// slowQueries is time enough for any database on a busy machine.
const slowQueries = 5 * time.Minute

// openedSummary returns the summary of a transcript that was loaded completely.
func openedSummary(t *testing.T, path string) model.Summary {
	t.Helper()
	f := byAge(t.Context(), []string{path})[0]
	if f.err != nil {
		t.Fatal(f.err)
	}
	s := model.Summary{Path: path, Bytes: f.size, Written: f.written.UnixMilli()}
	c, err := Open(t.Context(), path, Options{Workers: 1, Limits: model.Limits{Queries: slowQueries}})
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	defer c.Close()
	snap, _ := c.Load(t.Context())
	if snap == nil {
		t.Fatalf("%s cannot be loaded", path)
	}
	fill(t.Context(), &s, snap, snap.NewReader(), c.format, 0)
	if snap.Sessions()[0].Field("title") == "" {
		s.Title = slowTitle(t.Context(), snap)
	}
	return s
}

// slowTitle returns the first prompt that states a task, otherwise the subject of the first commit
// or task, otherwise the first prompt or called command, otherwise the first words. It reads
// complete messages.
func slowTitle(ctx context.Context, snap *model.Snapshot) string {
	always := func(line string) bool { return line != "" }
	switch line := slowLine(ctx, snap, model.Prompt, model.StatesTask); {
	case line != "":
		return line
	case slowLine(ctx, snap, model.Prompt, always) != "" && commits(ctx, snap):
		return model.NewTitles(snap, nil).Whole(ctx) // from a commit or a task; TestTitles checks these
	}
	if line := slowLine(ctx, snap, model.Prompt, always); line != "" {
		return line
	}
	if line := slowLine(ctx, snap, model.Injected, func(line string) bool { return model.CalledCommand(line) != "" }); line != "" {
		if !model.StatesTask(model.CalledCommand(line)) && commits(ctx, snap) {
			return model.NewTitles(snap, nil).Whole(ctx)
		}
		return model.CalledCommand(line)
	}
	for _, system := range []bool{false, true} {
		for _, id := range snap.LiveIDs() {
			if h := snap.HeadRow(id); h.Flags&model.HasWords != 0 && (h.Role == model.System) == system {
				return lineOf(ctx, snap, id)
			}
		}
	}
	return ""
}

// slowLine returns the line of the first message of a kind for which does returns true, or "".
func slowLine(ctx context.Context, snap *model.Snapshot, kind model.Flags, does func(string) bool) string {
	for _, id := range snap.LiveIDs() {
		if snap.HeadRow(id).Flags&kind == 0 {
			continue
		}
		if line := lineOf(ctx, snap, id); does(line) {
			return line
		}
	}
	return ""
}

func lineOf(ctx context.Context, snap *model.Snapshot, id model.ID) string {
	m, err := snap.Body(ctx, id)
	if err != nil {
		return ""
	}
	text, _ := m.Content()
	if len(text) > 400 {
		text = model.CutWords(text, 400)
	}
	return model.CleanLine(text)
}

// commits reports whether some call may commit, or pass a task to a subagent.
func commits(ctx context.Context, snap *model.Snapshot) bool {
	return slices.ContainsFunc(snap.LiveIDs(), func(id model.ID) bool {
		m, err := snap.Body(ctx, id)
		return err == nil && slices.ContainsFunc(m.Blocks, func(b model.Content) bool {
			return b.Kind == model.ToolCall && (strings.Contains(fmt.Sprint(b.Text), "git commit") || strings.Contains(fmt.Sprint(b.Text), `"description"`))
		})
	})
}

// TestListIsWhatOpeningSays compares the summaries of a list, made in sequence with the hints and
// the memory of earlier ones, with the result of opening each transcript.
func TestListIsWhatOpeningSays(t *testing.T) {
	paths := documents(t)
	if corpus := os.Getenv("TURNS_CORPUS"); corpus != "" {
		paths = append(paths, found(t, corpus)...)
	}
	opened := make(map[string]model.Summary)
	for _, order := range []string{"as they lie", "backwards"} {
		if testing.Short() && order == "backwards" {
			break
		}
		l := newLister(&Hints{})
		l.limits.Queries = slowQueries
		for _, path := range paths {
			if !modeltest.SomeNamed(filepath.Base(path), 1) {
				continue
			}
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if info.Size() > shortEnough && strings.HasSuffix(path, "l") {
				continue // List reads only its ends
			}
			l := l.summarised(t.Context(), byAge(t.Context(), []string{path})[0], nil)
			if l.Err != nil {
				t.Errorf("%s: %v", path, l.Err)
				continue
			}
			want, ok := opened[path]
			if !ok {
				want = openedSummary(t, path)
				opened[path] = want
			}
			if got := l.Summary; got != want {
				t.Errorf("%s (%s):\n got %+v\nwant %+v", path, order, got, want)
			}
		}
		slices.Reverse(paths)
	}
}

// TestByAgeWithoutSome: missing files are last, and the others in order wherever the missing ones
// were.
func TestByAgeWithoutSome(t *testing.T) {
	dir := t.TempDir()
	at := func(name string, minutes int) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		when := time.Date(2026, 1, 1, 0, minutes, 0, 0, time.UTC)
		if err := os.Chtimes(path, when, when); err != nil {
			t.Fatal(err)
		}
		return path
	}
	old, young, gone := at("old", 1), at("young", 2), filepath.Join(dir, "gone")
	want := []string{young, old, gone}
	for _, paths := range [][]string{{old, gone, young}, {gone, old, young}, {young, gone, old}} {
		if got := ByAge(t.Context(), paths); !slices.Equal(got, want) {
			t.Errorf("%v in order are %v", paths, got)
		}
	}
}

// TestFindThroughLinks: a place may be a link to a folder. Links in it are followed if their target
// is not listed anyway, so that there are no cycles and no duplicates.
func TestFindThroughLinks(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	real := filepath.Join(dir, "real", "sub")
	if err := os.MkdirAll(real, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(real, "run.jsonl"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := errors.Join(
		os.Symlink("real", link), os.Symlink("..", filepath.Join(real, "round")), os.Symlink("run.jsonl", filepath.Join(real, "latest.jsonl")),
		os.Mkdir(filepath.Join(other, "far"), 0o700), os.WriteFile(filepath.Join(other, "far", "away.jsonl"), nil, 0o600), os.WriteFile(filepath.Join(other, "object"), nil, 0o600),
		os.Symlink(filepath.Join(other, "far"), filepath.Join(real, "a")), os.Symlink(filepath.Join(other, "far"), filepath.Join(real, "b")),
		os.Symlink(dir, filepath.Join(other, "far", "back")), os.Symlink(filepath.Join(other, "object"), filepath.Join(real, "kept.jsonl")),
		os.Symlink(filepath.Join(other, "object"), filepath.Join(real, "same.jsonl")),
	); err != nil {
		t.Fatal(err)
	}
	want := []string{filepath.Join(link, "sub", "a", "away.jsonl"), filepath.Join(link, "sub", "kept.jsonl"), filepath.Join(link, "sub", "run.jsonl")}
	if got := found(t, link); !slices.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
}
