//go:build unix

package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"turns/model/modeltest"
)

// TestKilledExport kills exports at many moments: the old file or the new one is
// there, never half of one.
func TestKilledExport(t *testing.T) {
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
	exe, err := exec.LookPath("turns") // by TestMain this test binary
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
		_ = cmd.Wait() // killed, or not any more
		timer.Stop()
		got, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, old) && !bytes.Equal(got, whole) {
			t.Fatalf("killed at %d of %d: %d bytes, neither the old %d nor the new %d", i, tries, len(got), len(old), len(whole))
		}
	}
}

// TestExportIntoAPipe names what is no file: it is written to, and is still there
// afterwards.
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
