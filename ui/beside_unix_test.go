//go:build unix

package ui

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"turns/export/outfile"
	"turns/model/modeltest"
	"turns/ui/timeline"
)

// TestBeside writes an output file next to temporary files of earlier writers: those without a
// running writer are removed, all others stay.
func TestBeside(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out.json")
	hour := time.Now().Add(-time.Hour)
	make := func(name string, at time.Time) {
		t.Helper()
		f := filepath.Join(dir, name)
		if err := os.WriteFile(f, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(f, at, at); err != nil {
			t.Fatal(err)
		}
	}
	const id = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	make(".out.json.turns-"+id, hour)
	make(".out.json.turns-"+id[1:]+"2", time.Now()) // its writer may be about to rename it
	make(".out.json.turns-"+id[1:], hour)
	make(".out.json.turns-"+strings.ToLower(id), hour)
	make(".other.json.turns-"+id, hour)
	make("out.json", hour)
	busy, err := outfile.CreateTemp(path, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	if err := os.Chtimes(busy.Name(), hour, hour); err != nil {
		t.Fatal(err)
	}
	f, err := outfile.CreateTemp(path, 0o640)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		switch name := e.Name(); filepath.Join(dir, name) {
		case busy.Name():
			names = append(names, "busy")
		case f.Name():
			names = append(names, "new")
		default:
			names = append(names, name)
		}
	}
	want := map[string]bool{"busy": true, "new": true, "out.json": true, ".out.json.turns-" + id[1:] + "2": true, ".out.json.turns-" + id[1:]: true, ".out.json.turns-" + strings.ToLower(id): true}
	for _, name := range names {
		if !want[name] {
			t.Errorf("%s is still there", name)
		}
		delete(want, name)
	}
	for name := range want {
		t.Errorf("%s has gone", name)
	}
	if info, err := f.Stat(); err != nil || info.Mode().Perm()&^0o640 != 0 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}

	long := filepath.Join(dir, strings.Repeat("n", 255))
	if _, err := outfile.Write(long, 0o600, false, func(io.Writer) error { return nil }); err != nil {
		t.Errorf("a name of 255 bytes: %v", err)
	}
	if _, err := outfile.CreateTemp(filepath.Join(dir, "missing", "x"), 0o600); err == nil || strings.Contains(err.Error(), "turns-") {
		t.Errorf("a folder that is missing: %v", err)
	}
}

// TestKilledStateWriter kills a process that writes its state continuously: the file contains one
// complete state or the next.
func TestKilledStateWriter(t *testing.T) {
	modeltest.Long(t, "it starts programs")
	dir := t.TempDir()
	last := 0
	for round := range 8 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestStateWriterProcess$")
		cmd.Env = append(os.Environ(), "TURNS_TEST_STATE="+dir, fmt.Sprint("TURNS_TEST_FROM=", last))
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		told := 0
		for range 1 + round%7 { // then it is somewhere in the next one
			if !lines.Scan() {
				t.Fatal("the writer has ended")
			}
			if _, err := fmt.Sscanf(lines.Text(), "kept %d", &told); err != nil {
				t.Fatalf("%q: %v", lines.Text(), err)
			}
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		b, err := os.ReadFile(filepath.Join(dir, "state.json"))
		if err != nil {
			t.Fatal(err)
		}
		var st savedState
		if err := json.Unmarshal(b, &st); err != nil {
			t.Fatalf("round %d: %d bytes of state: %v", round, len(b), err)
		}
		if st.Rows < told || len(st.Folds) != timeline.MaxFolds {
			t.Fatalf("round %d: state %d with %d folds, %d was kept", round, st.Rows, len(st.Folds), told)
		}
		last = st.Rows
	}
	if err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if info, err := d.Info(); err == nil && !d.IsDir() && info.Mode().Perm() != 0o600 {
			t.Errorf("%s has the mode %v", path, info.Mode())
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

// TestStateWriterProcess is that process, and does nothing otherwise.
func TestStateWriterProcess(t *testing.T) {
	dir := os.Getenv("TURNS_TEST_STATE")
	if dir == "" {
		return
	}
	n := 0
	fmt.Sscan(os.Getenv("TURNS_TEST_FROM"), &n)
	for {
		n++
		st := savedState{Version: stateVersion, Saved: timeline.Saved{Rows: n, Folds: make([]timeline.Fold, timeline.MaxFolds)}}
		if err := writeJSON(dir, "state.json", st); err != nil {
			t.Fatal(err)
		}
		fmt.Println("kept", n)
	}
}
