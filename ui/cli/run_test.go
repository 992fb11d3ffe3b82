package cli

import (
	"io"
	"runtime"
	"testing"
	"weak"
)

// A server runs many command lines: none may stay in memory with its transcripts.
func TestRunsAreFreed(t *testing.T) {
	var run weak.Pointer[app]
	func() {
		root, a := newRoot(IO{Out: io.Discard, Err: io.Discard, Env: func(string) string { return "" }})
		root.SetArgs([]string{"version"})
		if err := root.Execute(); err != nil {
			t.Fatal(err)
		}
		run = weak.Make(a)
	}()
	runtime.GC()
	runtime.GC()
	if run.Value() != nil {
		t.Error("a run is still in memory after its end")
	}
}
