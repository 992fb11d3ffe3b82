//go:build unix

package ui

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"turns/ui/screen"
)

// BenchmarkWalk measures memory after a walk through the entire file by pages, and after a second
// one, in a child process. If lnav is installed, it indexes the file for comparison.
func BenchmarkWalk(b *testing.B) {
	path := benchFile(b, benchBytes())
	for b.Loop() {
		cmd := exec.Command(os.Args[0], "-test.run=^TestWalkChild$", "-test.v")
		cmd.Env = append(os.Environ(), "TURNS_BENCH_WALK="+path)
		out, err := cmd.CombinedOutput()
		if err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
		var open, first, second float64
		for line := range strings.SplitSeq(string(out), "\n") {
			if i := strings.Index(line, "walked "); i >= 0 {
				if _, err := fmt.Sscanf(line[i:], "walked %f %f %f", &open, &first, &second); err != nil {
					b.Fatal(err)
				}
			}
		}
		b.ReportMetric(open, "MB/opened")
		b.ReportMetric(first, "MB/walked")
		b.ReportMetric(second, "MB/walked-again")
		if lnav, err := exec.LookPath("lnav"); err == nil {
			c := exec.Command(lnav, "-n", "-c", ":goto 100%", path)
			if err := c.Run(); err == nil {
				b.ReportMetric(float64(c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)/1024, "MB/lnav")
			}
		}
	}
}

// TestWalkChild is the child of BenchmarkWalk.
func TestWalkChild(t *testing.T) {
	path := os.Getenv("TURNS_BENCH_WALK")
	if path == "" {
		return
	}
	f := openFeed(t, path)
	defer f.c.Close()
	o := testOptions()
	o.Width, o.Height, o.Theme = 120, 40, "dark"
	a := newApp(context.Background(), f, o)
	a.h.Timer = func(time.Duration, tea.Msg) tea.Cmd { return nil }
	a.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
	for {
		u, err := f.Next(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		a.Update(updateMsg{f, u, nil})
		if !u.Preview && u.Indexed >= 1 {
			break
		}
	}
	open := resident(t)
	walk := func() float64 {
		a.Update(keyPress("g"))
		for n := 0; ; n++ {
			before := a.list.CurKey
			_, cmd := a.Update(keyPress("pgdown"))
			// read what drawing skipped, as the program would
			if n%16 == 0 && cmd != nil {
				for _, msg := range runNow(cmd) {
					a.Update(msg)
				}
			}
			if a.list.CurKey == before {
				return resident(t)
			}
		}
	}
	first := walk()
	t.Logf("walked %.1f %.1f %.1f", open, first, walk())
}

// runNow runs the commands that describe rows, also in batches.
func runNow(cmd tea.Cmd) (all []tea.Msg) {
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, c := range msg {
			if c != nil {
				all = append(all, runNow(c)...)
			}
		}
	case screen.DescribedMsg:
		all = append(all, msg)
	}
	return all
}

// resident returns the memory of this process in MB.
func resident(t testing.TB) float64 {
	runtime.GC()
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(string(data), "\n") {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			n, _ := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return n / 1024
		}
	}
	return 0
}
