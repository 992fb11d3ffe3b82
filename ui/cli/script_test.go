package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"turns/model/modeltest"
)

// programName is the name by which the test binary is the program itself.
const programName = "turns"

// TestMain puts the program on the path, for tests that need a separate process.
func TestMain(m *testing.M) {
	if os.Getenv(peakEnv) != "" {
		os.Exit(printPeak(os.Args[1:]))
	}
	if strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe") == programName {
		os.Exit(Main())
	}
	modeltest.CollectLess()
	time.Local = time.UTC // set before other code reads it: a goroutine may outlive a test
	dir, err := programDir()
	if err != nil {
		log.Fatal(err)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// programDir puts this binary under the program's name into a new folder, first on the path.
func programDir() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "turns-test")
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, programName)
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	os.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	if os.Link(self, name) == nil {
		return dir, nil
	}
	return dir, os.Symlink(self, name) // the folders may be on two disks
}

// TestScripts runs the manual: each file of testdata/script shows a command and its output.
// demo.jsonl is the sample, long.jsonl repeats a message 1,201 times. "turns" runs in this process,
// since hundreds of starts would take longer than their work; "exec turns" starts the program
// itself.
func TestScripts(t *testing.T) {
	place := newScriptPlace(t)
	demo, err := os.ReadFile("../../testdata/demo.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		ContinueOnError: true,
		Dir:             filepath.Join(place.home, "testdata/script"),
		Cmds:            map[string]func(*testscript.TestScript, bool, []string){programName: place.run},
		Setup: func(env *testscript.Env) error {
			env.Setenv("TZ", "UTC")
			env.Setenv("HOME", env.WorkDir)
			long := strings.Repeat(`{"role":"user","content":"`+strings.Repeat("again ", 100)+`"}`+"\n", 1201)
			return errors.Join(
				os.WriteFile(env.WorkDir+"/demo.jsonl", demo, 0o600),
				os.WriteFile(env.WorkDir+"/long.jsonl", []byte(long), 0o600),
			)
		},
	})
}

// run runs the program in this process.
func run(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = Run(context.Background(), args, IO{
		In: strings.NewReader(stdin), Out: &out, Err: &errs, Env: func(string) string { return "" },
	})
	return code, out.String(), errs.String()
}

func TestInterruptedRunSaysSo(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var out, errs bytes.Buffer
	code := Run(ctx, []string{"stats", "../../testdata/demo.jsonl"}, IO{In: strings.NewReader(""), Out: &out, Err: &errs, Env: os.Getenv})
	if code != exitInterrupted {
		t.Errorf("exit code %d, want %d; stderr %q", code, exitInterrupted, errs.String())
	}
}

func TestPipeIsRead(t *testing.T) {
	code, out, errs := run(t, `{"role":"user","content":"hello from a pipe"}`+"\n", "show", "-")
	if code != exitOK || !strings.Contains(out, "hello from a pipe") {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, out, errs)
	}
}

// TestDevicesStayDevices: a file must never replace a device.
func TestDevicesStayDevices(t *testing.T) {
	if err := writeFile(os.DevNull, true, func(w io.Writer) error { _, err := io.WriteString(w, "x"); return err }); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Errorf("%s is %v, %v", os.DevNull, info.Mode(), err)
	}
}
