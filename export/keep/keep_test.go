package keep

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	pathpkg "path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"turns/model/modeltest"
)

// write writes a native file and sets its time, so that no test waits for the clock.
func write(t *testing.T, path, text string, at int) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	when := time.Unix(1_772_000_000+int64(at), 0)
	if err := os.Chtimes(path, when, when); err != nil {
		t.Fatal(err)
	}
}

// kept archives files and returns the change of each.
func kept(t *testing.T, dir string, redacted bool, files ...string) (changes []Change) {
	t.Helper()
	s, err := Open(dir, Options{Redact: redacted})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		c, _, err := s.Keep(context.Background(), f, false)
		if err != nil {
			t.Fatal(err)
		}
		changes = append(changes, c)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return changes
}

// restored returns the text of a file as the archive restores it.
func restored(t *testing.T, dir, path string) string {
	t.Helper()
	s, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	into := t.TempDir()
	for e := range s.Entries() {
		if e.Path == path {
			if _, err := s.Restore(context.Background(), e, into, false); err != nil {
				t.Fatal(err)
			}
		}
	}
	data, err := os.ReadFile(filepath.Join(into, place(path, true)))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestWhatBecomesOfAFile(t *testing.T) {
	src, dir := t.TempDir(), t.TempDir()
	a, b := filepath.Join(src, "a.jsonl"), filepath.Join(src, "b.jsonl")
	text := strings.Repeat("{\"role\":\"user\"}\n", 100)
	old := 0
	for i, step := range []struct {
		text string
		want Change
	}{
		{text, New}, {text, Same}, {text + "more\n", Grown}, {text + "more\nand mo", Grown}, {"other\n", Rewritten}, {"", Rewritten}, {text, Grown},
	} {
		write(t, a, step.text, i)
		if i == 1 { // with the old time: the file is untouched
			write(t, a, step.text, 0)
		}
		if got := kept(t, dir, false, a)[0]; got != step.want {
			t.Fatalf("step %d: %d, want %d", i, got, step.want)
		}
		if got := restored(t, dir, a); got != step.text {
			t.Fatalf("step %d: came back as %d bytes, want %d", i, len(got), len(step.text))
		}
		if step.want == Rewritten {
			old++
		}
		before, _ := os.ReadDir(filepath.Join(dir, OwnDir, oldDir))
		if len(before) != old {
			t.Errorf("step %d: %d earlier contents are kept, want %d", i, len(before), old)
		}
	}
	write(t, a, text, 50)
	write(t, b, text, 51)
	if got := kept(t, dir, false, a, b); got[0] != Same || got[1] != Linked {
		t.Errorf("touched and copied: %d", got)
	}
	write(t, b, text+"b\n", 52)
	if got := kept(t, dir, false, a, b); got[1] != Grown || restored(t, dir, a) != text || restored(t, dir, b) != text+"b\n" {
		t.Errorf("a growing copy is a separate file: %d", got)
	}
	if err := os.Remove(a); err != nil {
		t.Fatal(err)
	}
	if restored(t, dir, a) != text {
		t.Error("what the agent deleted is gone")
	}
}

func TestRedactedIsKeptWithoutCredentials(t *testing.T) {
	src, dir := t.TempDir(), t.TempDir()
	a := filepath.Join(src, "a.jsonl")
	secret := "AKIAIOSFODNN7EXAMPLQ"
	write(t, a, "{\"text\":\"key "+secret+"\"}\n", 1)
	if got := kept(t, dir, true, a)[0]; got != New {
		t.Errorf("%d", got)
	}
	write(t, a, "{\"text\":\"key "+secret+"\"}\n{\"text\":\"and "+secret+"\"}\n", 2)
	kept(t, dir, true, a)
	if got := restored(t, dir, a); strings.Contains(got, secret) || strings.Count(got, "\n") != 2 || !strings.Contains(got, "[redacted:") {
		t.Errorf("kept: %q", got)
	}
	if got := kept(t, dir, true, a)[0]; got != Same {
		t.Errorf("once more: %d", got)
	}
}

func TestDamageIsFound(t *testing.T) {
	src, dir := t.TempDir(), t.TempDir()
	a := filepath.Join(src, "a.jsonl")
	write(t, a, "one\n", 1)
	kept(t, dir, false, a)
	s, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	e := s.known[a]
	e.Hash = strings.Repeat("0", 64)
	into := t.TempDir()
	if _, err := s.Restore(context.Background(), e, into, false); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(filepath.Join(into, place(a, true))); err == nil {
		t.Error("a damaged file was written")
	}
	for _, path := range []string{src, filepath.Join(src, "none")} {
		if _, _, err := s.Keep(context.Background(), path, false); err == nil {
			t.Errorf("%q was kept", path)
		}
	}
}

// TestRedactedSizes: a file without its secrets may have 1 MiB more than four times the original
// size, and restoring it reads no more.
func TestRedactedSizes(t *testing.T) {
	src, dir := t.TempDir(), t.TempDir()
	a := filepath.Join(src, "a.jsonl")
	write(t, a, strings.Repeat(" ", 2<<20), 1)
	kept(t, dir, false, a)
	s, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	e := *s.known[a]
	e.Redacted = true
	for size, want := range map[int64]int64{256 << 10: 2 << 20, 256<<10 - 1: 2<<20 - 4} {
		var b strings.Builder
		if e.Size = size; s.copy(t.Context(), &b, &e, e.Kept) != nil || int64(b.Len()) != want {
			t.Errorf("of %d bytes %d are restored, want %d", size, b.Len(), want)
		}
	}
}

// TestRestoreStaysBelowTheFolder: the index of a foreign archive may name any path, and its files
// may unpack to more bytes than the index states.
func TestRestoreStaysBelowTheFolder(t *testing.T) {
	src, dir := t.TempDir(), t.TempDir()
	a := filepath.Join(src, "a.jsonl")
	write(t, a, strings.Repeat("one\n", 1000), 1)
	kept(t, dir, false, a)
	s, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	outer := t.TempDir()
	into := filepath.Join(outer, "into")
	for _, path := range []string{"../x", "/../x", "a/../../x", "..", "/", "//../x", "./../x", "a/b/../../../x", "/..", "", "."} {
		e := *s.known[a]
		e.Path = path
		if _, err := s.Restore(t.Context(), &e, into, true); err == nil || !strings.Contains(err.Error(), "leads out of the folder") && filepath.Clean("/"+path) != "/" {
			t.Errorf("%q: %v", path, err)
		}
	}
	e := *s.known[a]
	e.Size = 10
	if _, err := s.Restore(t.Context(), &e, into, true); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("more than it says: %v", err)
	}
	left, err := os.ReadDir(outer)
	if err != nil || len(left) != 1 {
		t.Errorf("next to the folder is %v, %v", left, err)
	}
}

// TestMain is also the program that TestKilled and TestKilledAtEachStep kill.
func TestMain(m *testing.M) {
	dir, src := os.Getenv("TURNS_KEEP_INTO"), os.Getenv("TURNS_KEEP")
	if dir == "" {
		os.Exit(m.Run())
	}
	s, err := Open(dir, Options{})
	if err != nil {
		panic(err)
	}
	if step, err := strconv.Atoi(os.Getenv("TURNS_KEEP_DIES")); err == nil {
		s.dieAt(step)
		for _, name := range dying {
			if _, _, err := s.Keep(context.Background(), filepath.Join(src, name), false); err != nil {
				panic(err)
			}
		}
		_ = s.Close()
		return
	}
	answer := bufio.NewReader(os.Stdin)
	for i := range killedFiles {
		if _, _, err := s.Keep(context.Background(), filepath.Join(src, fmt.Sprint(i, ".jsonl")), false); err != nil {
			panic(err)
		}
		fmt.Println(i)
		if _, err := answer.ReadString('\n'); err != nil {
			panic(err)
		}
	}
	_ = s.Close()
}

// dying are the files that the program of TestKilledAtEachStep archives.
var dying = [...]string{"a.jsonl", "b.jsonl"}

// dieAt kills the program at a step: before, in the middle of or after a write, or before a sync.
func (s *Store) dieAt(step int) {
	next := func() {
		if step--; step < 0 {
			if p, err := os.FindProcess(os.Getpid()); err == nil {
				_ = p.Kill()
			}
			select {}
		}
	}
	s.through = func(_ string, to io.Writer) io.Writer { return steps{to, next} }
	sync := s.sync
	s.sync = func(path string) error { next(); return sync(path) }
}

type steps struct {
	to   io.Writer
	next func()
}

func (w steps) Write(p []byte) (n int, err error) {
	w.next()
	if n, err = w.to.Write(p[:len(p)/2]); err != nil {
		return n, err
	}
	w.next()
	m, err := w.to.Write(p[len(p)/2:])
	w.next()
	return n + m, err
}

// TestKilledAtEachStep kills a program while it archives new files, and later grown and rewritten
// ones. Every entry restores as one of its versions, and the next run completes the archive.
func TestKilledAtEachStep(t *testing.T) {
	modeltest.Long(t, "it starts programs")
	src, base := memory(t), memory(t)
	a, b := filepath.Join(src, dying[0]), filepath.Join(src, dying[1])
	times := []map[string]string{{a: "one\n", b: "uno\n"}, {a: "one\ntwo\n", b: "dos, y nada de lo de antes\n"}}
	for i := range times {
		step := 0
		for died := true; died; step++ {
			dir := filepath.Join(base, fmt.Sprint(i, "-", step))
			for at, texts := range times[:i+1] {
				for path, text := range texts {
					write(t, path, text, at)
				}
				if at < i {
					kept(t, dir, false, a, b)
				}
			}
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), "TURNS_KEEP="+src, "TURNS_KEEP_INTO="+dir, fmt.Sprint("TURNS_KEEP_DIES=", step))
			text, err := cmd.CombinedOutput()
			if died = err != nil; bytes.Contains(text, []byte("panic")) {
				t.Fatalf("time %d, step %d: %s", i, step, text)
			}
			comesBack(t, dir, times[:i+1])
			kept(t, dir, false, a, b)
			comesBack(t, dir, times[i:i+1])
			if found := contentsOf(t, dir); i == 1 && !strings.Contains(found, times[0][b]) {
				t.Errorf("step %d: the rewritten text is gone: %q", step, found)
			}
		}
		if step < 12 {
			t.Errorf("time %d: only %d steps", i, step)
		}
	}
}

// TestNamesAreSettledFirst: the archive syncs all folders with new names, including those that it
// created, before it syncs the index.
func TestNamesAreSettledFirst(t *testing.T) {
	src, dir := t.TempDir(), t.TempDir()
	path := filepath.Join(src, "a.jsonl")
	write(t, path, "one\n", 1)
	s := opened(t, dir, nil)
	var order []string
	s.sync = func(path string) error {
		rel, err := filepath.Rel(dir, path)
		order = append(order, filepath.ToSlash(rel))
		return err
	}
	_, e, err := s.Keep(t.Context(), path, false)
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	want := []string{".", OwnDir}
	for dir := pathpkg.Dir(e.Kept); dir != "."; dir = pathpkg.Dir(dir) {
		want = append(want, dir)
	}
	slices.Sort(want)
	if want = append(want, OwnDir+"/"+indexName); !slices.Equal(order, want) {
		t.Errorf("on the disk are, in this order, %q, want %q", order, want)
	}
}

// TestTwoKeepIntoOneFolder: the second run waits for the first and finds its files in the archive.
func TestTwoKeepIntoOneFolder(t *testing.T) {
	src, dir := t.TempDir(), t.TempDir()
	path := filepath.Join(src, "a.jsonl")
	write(t, path, "one\n", 1)
	first := opened(t, dir, nil)
	second := make(chan Change)
	go func() {
		defer close(second)
		s, err := Open(dir, Options{})
		if err != nil {
			t.Error(err)
			return
		}
		change, _, err := s.Keep(context.Background(), path, false)
		if err := errors.Join(err, s.Close()); err != nil {
			t.Error(err)
		}
		second <- change
	}()
	runtime.Gosched()
	if _, _, err := first.Keep(t.Context(), path, false); err != nil {
		t.Fatal(err)
	}
	select {
	case <-second:
		t.Error("both write at once")
	default:
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if change := <-second; change != Same {
		t.Errorf("the second one says %d", change)
	}
}

// killedFiles is the number of files that the program of TestKilled archives.
const killedFiles = 6

// The files that a killed run archived are there, and the next run continues after them without
// losses or duplicates.
func TestKilled(t *testing.T) {
	src, dir := t.TempDir(), t.TempDir()
	var files []string
	for i := range killedFiles {
		path := filepath.Join(src, fmt.Sprint(i, ".jsonl"))
		write(t, path, fmt.Sprintf("{\"n\":%d}\n", i), i)
		files = append(files, path)
	}
	for _, last := range []int{0, killedFiles - 2} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "TURNS_KEEP="+src, "TURNS_KEEP_INTO="+dir)
		in, _ := cmd.StdinPipe()
		out, _ := cmd.StdoutPipe()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for lines.Scan() && lines.Text() != fmt.Sprint(last) {
			fmt.Fprintln(in)
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		for i := range last + 1 {
			if info, err := os.Stat(filepath.Join(dir, place(files[i], false))); err != nil || info.Size() == 0 {
				t.Fatalf("killed at %d: file %d is not whole: %v", last, i, err)
			}
		}
	}
	again := kept(t, dir, false, files...)
	if n := bytes.Count([]byte(fmt.Sprint(again)), []byte("0")); n < killedFiles-1 {
		t.Errorf("%d files were known, want the %d that were told", n, killedFiles-1)
	}
	for i, path := range files[:5] {
		if got := restored(t, dir, path); got != fmt.Sprintf("{\"n\":%d}\n", i) {
			t.Errorf("file %d came back as %q", i, got)
		}
	}
}

// turns redacts a private key over several lines of a plain text, and refuses to redact a file
// that is not text.
func TestRedactedLines(t *testing.T) {
	dir, src := t.TempDir(), t.TempDir()
	chat := filepath.Join(src, "chat.md")
	key := "-----BEGIN RSA PRIVATE KEY-----\n" +
		strings.Repeat("MIIEpAIBAAKCAQEAq7Zb3xTnK9vJdW4uYh2RfLsPmEoGiCtQ0NwX8aVkB6y5HzSj\n", 9) + "-----END RSA PRIVATE KEY-----\n"
	write(t, chat, "#### the key\n\n"+key+"\nDone.\n", 0)
	kept(t, dir, true, chat)
	if got, want := restored(t, dir, chat), "#### the key\n\n[redacted:private-key]\n\nDone.\n"; got != want {
		t.Errorf("kept %q, want %q", got, want)
	}
	state := filepath.Join(src, "state")
	write(t, state, "SQLite format 3\x00 and more", 0)
	s, err := Open(dir, Options{Redact: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, _, err := s.Keep(context.Background(), state, false); err == nil || !strings.Contains(err.Error(), "text only") {
		t.Errorf("a database was kept: %v", err)
	}
}
