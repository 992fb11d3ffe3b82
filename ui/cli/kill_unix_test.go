//go:build unix

package cli

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"turns/model/modeltest"
)

// TestKilledExport kills exports at many moments: the old file or the new one exists, never an
// incomplete one.
func TestKilledExport(t *testing.T) {
	modeltest.Long(t, "it starts programs")
	dir := t.TempDir()
	in, out := filepath.Join(dir, "run.jsonl"), filepath.Join(dir, "out.jsonl")
	f, err := os.Create(in)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := modeltest.Transcript(f, 2<<20, 3); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	exe, err := exec.LookPath("turns") // this test binary, by TestMain
	if err != nil {
		t.Fatal(err)
	}
	export := func() *exec.Cmd { return exec.Command(exe, "export", in, "--to", "jsonl", "--force", "-o", out) }
	begun := time.Now()
	if msg, err := export().CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, msg)
	}
	took := time.Since(begun)
	whole, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	old := []byte("what was there before\n")
	const tries = 20
	for i := range tries {
		if err := os.WriteFile(out, old, 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := export()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(took*time.Duration(i)/tries, func() { _ = cmd.Process.Signal(syscall.SIGKILL) })
		_ = cmd.Wait() // killed, or finished before
		timer.Stop()
		got, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, old) && !bytes.Equal(got, whole) {
			t.Fatalf("killed at %d of %d: %d bytes, neither the old %d nor the new %d", i, tries, len(got), len(old), len(whole))
		}
	}

	// The files they left, and similar ones, an hour later.
	ours := filepath.Join(dir, ".out.jsonl.turns-ABCDEFGHIJKLMNOPQRSTUVWXYZ")
	others := []string{".out.jsonl.bak", ".out.jsonl.turns-notes"}
	for _, name := range append(others, filepath.Base(ours)) {
		if err := os.WriteFile(filepath.Join(dir, name), old, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	hour := time.Now().Add(-time.Hour)
	hidden := func() []string {
		found, err := filepath.Glob(filepath.Join(dir, ".*"))
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	left := hidden()
	for _, path := range left {
		if err := os.Chtimes(path, hour, hour); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d killed exports have left %d files", tries, len(left)-len(others)-1)
	if msg, err := export().CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, msg)
	}
	if got := hidden(); len(got) != len(others) {
		t.Errorf("%q are there after the next export, want %q", got, others)
	}
}

// TestDiskIsFull exports to a full disk, and unpacks into a full folder: the error reports it, the
// earlier files are unchanged, and there are no others.
func TestDiskIsFull(t *testing.T) {
	modeltest.Long(t, "it starts programs")
	dir := t.TempDir()
	disk, in := filepath.Join(dir, "disk"), filepath.Join(dir, "run.jsonl")
	if err := os.Mkdir(disk, 0o700); err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if _, err := modeltest.Transcript(&text, 40<<20, 3); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(in, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	exe, err := exec.LookPath("turns")
	if err != nil {
		t.Fatal(err)
	}
	// A separate mount, which ends with the shell.
	script := `mount -t tmpfs -o size=1m tmpfs "$1" && cd "$1" && echo old > out.jsonl || exit 99
		"$2" export "$3" --to jsonl --force -o out.jsonl; echo "export $?"
		"$2" export "$3" --to jsonl -o never.jsonl; echo "export $?"
		TMPDIR="$1" "$2" stats --no-tokens - < "$3" | grep -c messages; ls -A; cat out.jsonl`
	cmd := exec.Command("unshare", "-rm", "sh", "-c", script, "sh", disk, exe, in)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() == 99 || exit.ExitCode() == 1 && out.Len() == 0 {
			t.Logf("no file system can be mounted here: %v, %s", err, errs.String())
			return
		}
		t.Fatalf("%v: %s", err, errs.String())
	}
	if got, want := out.String(), "export 2\nexport 2\n1\nout.jsonl\nold\n"; got != want {
		t.Errorf("stdout %q, want %q", got, want)
	}
	if n := strings.Count(errs.String(), "no space left on device"); n != 3 {
		t.Errorf("the missing space is reported %d times:\n%s", n, errs.String())
	}
}

// TestExportIntoAPipe writes to a path that is not a regular file, which still exists afterwards.
func TestExportIntoAPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	read := make(chan []byte)
	go func() {
		b, _ := os.ReadFile(path)
		read <- b
	}()
	code, _, errs := run(t, "", "export", "../../testdata/demo.jsonl", "--to", "jsonl", "--force", "-o", path)
	if code != exitOK || len(<-read) == 0 {
		t.Errorf("exit code %d, %s", code, errs)
	}
	if info, err := os.Stat(path); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("the pipe is gone: %v", err)
	}
}
