package transcripts

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"turns/query/label"
	"turns/query/session"
)

// labelLines returns label lines about a number of runs, the same number for each.
func labelLines(runs, each int) []label.Line {
	var lines []label.Line
	at := time.Date(2026, 2, 11, 22, 41, 0, 0, time.UTC)
	for r := range runs {
		run := label.Run{Session: fmt.Sprintf("8463c716-0000-4000-8000-%012d", r), Path: fmt.Sprintf("/home/me/.claude/projects/app/%d.jsonl", r), Opens: "0123456789ab.0123456789ac.0123456789ad"}
		for i := range each {
			lines = append(lines, label.Line{
				ID: fmt.Sprintf("L%d-%d", r, i), Time: at.Add(time.Duration(len(lines)) * time.Second), By: "ana", Run: run,
				At:   &label.Place{Message: fmt.Sprintf("%016x", r*100+i), Hash: "0123456789ab", Before: "0123456789ac", After: "0123456789ad", Index: i, Text: "Fix the flaky watcher test, and say why it is flaky"},
				Mark: label.Mark{Kind: label.Label, Name: "loop"},
			})
		}
	}
	return lines
}

func BenchmarkReadLabels(b *testing.B) {
	l := Labels{Path: filepath.Join(b.TempDir(), "labels.jsonl")}
	if err := l.Add(labelLines(1000, 10)); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if set, bad, err := l.Read(); err != nil || bad > 0 || len(set.Current()) != 10_000 {
			b.Fatal(err, bad)
		}
	}
}

// Invalid label lines are counted but not read, and they stay in the file.
func TestLabelsKeepWhatTheyCannotRead(t *testing.T) {
	l := Labels{Path: filepath.Join(t.TempDir(), "a", "labels.jsonl"), By: "ana"}
	if set, bad, err := l.Read(); err != nil || bad != 0 || len(set.Current()) != 0 {
		t.Fatal(set, bad, err)
	}
	if err := l.Add(labelLines(1, 2)); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(l.Path)
	if err != nil {
		t.Fatal(err)
	}
	torn := string(whole) + "<<<<<<< ours\n{\"id\":\"x\",\"kind\":\"verdict\",\"name\":\"so so\"}\n" + string(whole[:40])
	if err := os.WriteFile(l.Path, []byte(torn), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := l.Add([]label.Line{{ID: "new", Mark: label.Mark{Kind: label.Note, Text: "<fine>"}}}); err != nil {
		t.Fatal(err)
	}
	set, bad, err := l.Read()
	if err != nil || bad != 3 || len(set.Current()) != 3 {
		t.Errorf("%d said, %d bad, %v", len(set.Current()), bad, err)
	}
	after, _ := os.ReadFile(l.Path)
	if !strings.HasPrefix(string(after), torn+"\n") || !strings.Contains(string(after), "<fine>") {
		t.Errorf("the file is now %q", after)
	}
}

// labelWriter marks a run of this test as one of many programs that write the same store. It prints
// each line once it is written.
const labelWriter = "TURNS_TEST_LABEL_WRITER"

func TestLabelWriterProcess(t *testing.T) {
	path, name, ok := strings.Cut(os.Getenv(labelWriter), "|")
	if !ok {
		t.Skip("runs as one of the writers of TestManyLabelWriters")
	}
	l := Labels{Path: path, By: name}
	for i := range 400 {
		line := label.Line{ID: fmt.Sprintf("%s-%d", name, i), By: name, Mark: label.Mark{Kind: label.Note, Text: strings.Repeat("word ", 200+i)}}
		if err := l.Add([]label.Line{line}); err != nil {
			t.Fatal(err)
		}
		fmt.Println("wrote", line.ID)
	}
}

// If fifty programs write concurrently and are killed at any point, no written line is lost or
// mixed with another.
func TestManyLabelWriters(t *testing.T) {
	if testing.Short() {
		t.Skip("starts 50 programs")
	}
	l := Labels{Path: filepath.Join(t.TempDir(), "labels.jsonl")}
	type told struct{ ids []string }
	done := make(chan told)
	for n := range 50 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestLabelWriterProcess$")
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s|w%d", labelWriter, l.Path, n))
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		kill := 1 + n*7%23 // killed while it writes the line after this many
		go func() {
			var all told
			for lines := bufio.NewScanner(out); lines.Scan(); {
				if id, ok := strings.CutPrefix(lines.Text(), "wrote "); ok {
					all.ids = append(all.ids, id)
				}
				if len(all.ids) == kill {
					cmd.Process.Kill()
				}
			}
			cmd.Wait()
			done <- all
		}()
	}
	var written []string
	for range 50 {
		written = append(written, (<-done).ids...)
	}
	set, bad, err := l.Read()
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]bool{}
	for _, line := range set.Current() {
		have[line.ID] = true
		if i := strings.TrimPrefix(line.ID, line.By+"-"); len(line.Text) != len(strings.Repeat("word ", 200))+5*number(t, i) {
			t.Errorf("the line %s is half", line.ID)
		}
	}
	for _, id := range written {
		if !have[id] {
			t.Errorf("the line %s was written and is lost", id)
		}
	}
	if len(written) < 50 || bad > 50 {
		t.Errorf("%d lines were written, %d ends of lines were left by what was killed", len(written), bad)
	}
}

func number(t *testing.T, s string) (n int) {
	t.Helper()
	if _, err := fmt.Sscan(s, &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// BenchmarkListLabels lists a folder without labels and with ten labels per run: the limit is 1.05
// times as long.
func BenchmarkListLabels(b *testing.B) {
	dir, _ := benchFolder(b, 1000)
	store := &Labels{Path: filepath.Join(b.TempDir(), "labels.jsonl")}
	lines := labelLines(1000, 10)
	cache := b.TempDir()
	list := func(b *testing.B, l *Labels, want int) (rows []session.Session) {
		found, err := New(Options{Dirs: []string{dir}, Cache: cache, Labels: l}).Sessions(b.Context(), false)
		if err != nil {
			b.Fatal(err)
		}
		marks := 0
		for s := range found.Rows {
			marks += len(s.Labels)
			rows = append(rows, s)
		}
		if marks != want {
			b.Fatalf("%d labels, want %d", marks, want)
		}
		return rows
	}
	for i, s := range list(b, nil, 0) { // the first list fills the cache
		for j := range 10 {
			lines[10*i+j].Run.Session, lines[10*i+j].Run.Path = s.Session, s.Path
		}
	}
	if err := store.Add(lines); err != nil {
		b.Fatal(err)
	}
	b.Run("without", func(b *testing.B) {
		for b.Loop() {
			list(b, nil, 0)
		}
	})
	b.Run("with", func(b *testing.B) {
		for b.Loop() {
			list(b, &Labels{Path: store.Path, Cache: cache}, 10_000)
		}
	})
}

// The data for lists equals that of the complete store for the same sessions: made from the store,
// from the cache, and with a cache that is outdated or damaged.
func TestDigestSaysWhatTheWholeStoreSays(t *testing.T) {
	dir := t.TempDir()
	l := Labels{Path: filepath.Join(dir, "labels.jsonl")}
	lines := labelLines(3, 2)
	lines = append(lines,
		label.Line{ID: "gone", Undo: lines[1].ID},
		label.Line{ID: "whole", Time: lines[5].Time.Add(1), Run: lines[0].Run, Mark: label.Mark{Kind: label.Verdict, Name: label.Bad}},
		label.Line{ID: "copy", Time: lines[0].Time.Add(1), Run: label.Run{Session: lines[0].Run.Session, Path: "/copy"}, Mark: label.Mark{Kind: label.Note, Text: "a copy"}},
	)
	if err := l.Add(lines); err != nil {
		t.Fatal(err)
	}
	runs := []label.Run{{Path: "/copy"}, {Path: "/nowhere", Session: "short"}}
	for _, line := range lines {
		runs = append(runs, line.Run, label.Run{Session: line.Run.Session, Path: "/elsewhere"})
	}
	check := func(what string, l *Labels) {
		t.Helper()
		set, said := l.Now(), 0
		for _, r := range runs {
			r.Opens = ""
			var want []label.Mark
			for _, line := range set.About(&r) {
				want = append(want, line.Mark)
			}
			said += len(want)
			if got := l.Digest().About(&r, func(*label.Run) bool { return true }); !slices.Equal(got, want) {
				t.Errorf("%s: of %v %v is said, want %v", what, r, got, want)
			}
		}
		if said < len(lines) {
			t.Errorf("%s: %d things are said", what, said)
		}
	}
	fresh := func() *Labels { return &Labels{Path: l.Path, Cache: filepath.Join(dir, "cache")} }
	check("not kept", &l)
	first := fresh()
	first.Digest()
	check("kept", first)
	again := fresh()
	if again.Digest(); again.set != nil {
		t.Error("what was kept is not asked: the store was read")
	}
	check("read again", again)
	runs = append(runs, label.Run{Session: "one more run, later", Path: "/later"})
	if err := l.Add([]label.Line{{ID: "later", Run: runs[len(runs)-1], Mark: label.Mark{Kind: label.Label, Name: "later"}}}); err != nil {
		t.Fatal(err)
	}
	check("written since", again)
	kept, err := os.ReadFile(fresh().digestFile())
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; n < len(kept); n += 41 {
		if err := os.WriteFile(fresh().digestFile(), append(kept[:n:n], "damaged"...), 0o600); err != nil {
			t.Fatal(err)
		}
		check("damaged", fresh())
	}
}
