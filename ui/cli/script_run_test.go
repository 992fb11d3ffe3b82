package cli

import (
	"context"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// scriptPlace shares the folder and environment of this process with the lines of the scripts, one
// line at a time. No other test runs in parallel with TestScripts. The time zone is not shared,
// because waiting goroutines may read it: TestMain sets UTC for all, and a script that sets TZ
// starts the program.
type scriptPlace struct {
	mu   sync.Mutex
	home string // folder of the process between two lines
}

func newScriptPlace(t *testing.T) *scriptPlace {
	home, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range scriptEnv() {
		t.Setenv(name, os.Getenv(name)) // restores it at the end
	}
	return &scriptPlace{home: home}
}

// scriptEnv are the variables that the standard library reads for the program.
func scriptEnv() []string { return []string{"HOME", "TMPDIR", "XDG_CONFIG_HOME"} }

// run is the program in a script: its output is available to the commands stdout and stderr.
func (p *scriptPlace) run(ts *testscript.TestScript, neg bool, args []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	ts.Check(os.Chdir(ts.MkAbs(".")))
	defer os.Chdir(p.home)
	for _, name := range scriptEnv() {
		ts.Check(os.Setenv(name, ts.Getenv(name)))
	}
	if ts.Getenv("TZ") != "UTC" {
		ts.Fatalf("a script that sets TZ starts the program: exec %s", programName)
	}
	code := Run(context.Background(), args, IO{
		In: strings.NewReader(""), Out: ts.Stdout(), Err: ts.Stderr(), Env: ts.Getenv,
	})
	if (code == exitOK) == neg {
		ts.Fatalf("exit code %d", code)
	}
}
