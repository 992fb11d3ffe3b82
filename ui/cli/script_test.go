package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// testGC lets a test make more garbage before it is collected: that was a quarter of their work.
const testGC = 400

// TestMain makes "turns" a command of the scripts: the program itself, without a
// terminal.
func TestMain(m *testing.M) {
	if os.Getenv(peakEnv) != "" {
		os.Exit(printPeak(os.Args[1:]))
	}
	debug.SetGCPercent(testGC)
	testscript.Main(m, map[string]func(){
		"turns": func() { os.Exit(Main()) },
	})
}

// TestScripts runs the manual: each file of testdata/script shows a command and
// what it prints. demo.jsonl is the sample, long.jsonl says the same 1,201 times.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			demo, err := os.ReadFile("../../testdata/demo.jsonl")
			if err != nil {
				return err
			}
			env.Setenv("TZ", "UTC")
			env.Setenv("GOGC", "off") // each of some hundred processes is short
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

// TestDevicesStayDevices: a file must never be put in the place of a device.
func TestDevicesStayDevices(t *testing.T) {
	if err := writeFile(os.DevNull, true, func(w io.Writer) error { _, err := io.WriteString(w, "x"); return err }); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Errorf("%s is %v, %v", os.DevNull, info.Mode(), err)
	}
}
