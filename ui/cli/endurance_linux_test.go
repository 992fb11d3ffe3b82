package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"turns/model/modeltest"
)

// lasting is a running program. The test waits for its output.
type lasting struct {
	t    *testing.T
	cmd  *exec.Cmd
	errs bytes.Buffer

	mu    sync.Mutex
	out   []byte
	wrote chan struct{} // closed with each write
}

func (l *lasting) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.out = append(l.out, p...)
	close(l.wrote)
	l.wrote = make(chan struct{})
	return len(p), nil
}

// lastingly starts the program in a shell that runs a preparation first.
func lastingly(t *testing.T, prepare string, args ...string) *lasting {
	t.Helper()
	exe, err := exec.LookPath("turns")
	if err != nil {
		t.Fatal(err)
	}
	l := &lasting{t: t, wrote: make(chan struct{})}
	l.cmd = exec.Command("sh", append([]string{"-c", prepare + ` exec "$0" "$@"`, exe}, args...)...)
	home := t.TempDir()
	l.cmd.Env = append(os.Environ(), "HOME="+home, "XDG_STATE_HOME="+home, "XDG_CACHE_HOME="+home)
	l.cmd.Stdout, l.cmd.Stderr = l, &l.errs
	if err := l.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.cmd.Process.Kill(); _ = l.cmd.Wait() })
	return l
}

// until waits until enough accepts the output so far.
func (l *lasting) until(what string, enough func(out string) bool) {
	l.t.Helper()
	late := time.After(giveUp)
	for {
		l.mu.Lock()
		out, wrote := string(l.out), l.wrote
		l.mu.Unlock()
		if enough(out) {
			return
		}
		select {
		case <-wrote:
		case <-late:
			l.t.Fatalf("%s never appeared; %d bytes, the last %q", what, len(out), out[max(0, len(out)-300):])
		}
	}
}

func (l *lasting) says(words string) {
	l.t.Helper()
	l.until(words, func(out string) bool { return strings.Contains(out, words) })
}

func growLine(t *testing.T, path, words string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = fmt.Fprintf(f, `{"role":"user","content":%q}`+"\n", words)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestFollowingEndures follows a session through a stop, a clock that jumps back and forth, and
// a hang-up: every record appears exactly once.
func TestFollowingEndures(t *testing.T) {
	modeltest.Long(t, "it starts programs")
	path := filepath.Join(t.TempDir(), "run.jsonl")
	growLine(t, path, "word-0.")
	l := lastingly(t, "", "-f", path)
	l.says("word-0.")
	if err := l.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	var state syscall.WaitStatus
	if _, err := syscall.Wait4(l.cmd.Process.Pid, &state, syscall.WUNTRACED, nil); err != nil || !state.Stopped() {
		t.Fatalf("it did not stop: %v, %v", state, err)
	}
	for n := 1; n <= 500; n++ {
		growLine(t, path, fmt.Sprintf("word-%d.", n))
	}
	if modeltest.Whole() {
		time.Sleep(time.Minute) // of a stop that lasts
	}
	if err := l.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	l.says("word-500.")
	for i, at := range []time.Time{time.Unix(0, 0), time.Now().Add(24 * time.Hour), time.Now().Add(-24 * time.Hour), time.Unix(1, 0)} {
		growLine(t, path, fmt.Sprintf("word-%d.", 501+i))
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
		l.says(fmt.Sprintf("word-%d.", 501+i))
	}
	if err := l.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	_ = l.cmd.Wait()
	for n := range 505 {
		if got := strings.Count(string(l.out), fmt.Sprintf("word-%d.", n)); got != 1 {
			t.Errorf("record %d is printed %d times", n, got)
		}
	}
	if code := l.cmd.ProcessState.ExitCode(); code != exitInterrupted || l.errs.Len() > 0 {
		t.Errorf("exit code %d, stderr %q", code, l.errs.String())
	}
}

// TestManyGrowAtOnce follows a list of two thousand sessions that grow together, with 64
// descriptors and therefore few notifications: turns prints the last state of each.
func TestManyGrowAtOnce(t *testing.T) {
	modeltest.Long(t, "it starts programs")
	const sessions = 2000
	dir := t.TempDir()
	path := func(n int) string { return filepath.Join(dir, fmt.Sprint(n%40), fmt.Sprintf("run%d.jsonl", n)) }
	for n := range sessions {
		if err := os.MkdirAll(filepath.Dir(path(n)), 0o700); err != nil {
			t.Fatal(err)
		}
		growLine(t, path(n), "hello")
	}
	l := lastingly(t, "ulimit -n 64;", "ls", "-f", dir, "--json")
	latest := map[string]int{}
	read := 0
	all := func(messages int) func(string) bool {
		return func(out string) bool {
			for {
				end := strings.IndexByte(out[read:], '\n')
				if end < 0 {
					break
				}
				var row struct {
					Path     string `json:"path"`
					Messages int    `json:"total_messages"`
				}
				if err := json.Unmarshal([]byte(out[read:read+end]), &row); err == nil && row.Path != "" {
					latest[row.Path] = row.Messages
				}
				read += end + 1
			}
			done := 0
			for _, n := range latest {
				if n >= messages {
					done++
				}
			}
			return done == sessions
		}
	}
	l.until("every session", all(1))
	for n := range sessions {
		growLine(t, path(n), "more")
	}
	l.until("the growth of every session", all(2))
	if err := l.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = l.cmd.Wait()
	if l.errs.Len() > 0 {
		t.Errorf("stderr %.300q", l.errs.String())
	}
}

// TestFollowingFillsTheDisk follows into a file on a full disk: the program ends with the
// reason.
func TestFollowingFillsTheDisk(t *testing.T) {
	modeltest.Long(t, "it starts programs")
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skipf("there is no full device: %v", err)
	}
	defer full.Close()
	path := filepath.Join(t.TempDir(), "run.jsonl")
	growLine(t, path, "hello")
	exe, err := exec.LookPath("turns")
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"-f", path}, {"ls", "-f", filepath.Dir(path)}, {"ls", "-f", filepath.Dir(path), "--json"}} {
		var errs bytes.Buffer
		cmd := exec.CommandContext(t.Context(), exe, args...)
		cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
		cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(""), full, io.Writer(&errs)
		_ = cmd.Run()
		if code := cmd.ProcessState.ExitCode(); code != exitError || !strings.Contains(errs.String(), "no space left on device") {
			t.Errorf("%q: exit code %d, stderr %q", args, code, errs.String())
		}
	}
}

// TestLittleMemory reads a large session with a memory limit of 512 MB.
func TestLittleMemory(t *testing.T) {
	modeltest.Long(t, "it starts programs")
	exe, err := exec.LookPath("turns")
	if err != nil {
		t.Fatal(err)
	}
	dir, home := lifeDir(t, 60<<20), t.TempDir()
	env := []string{"GOMEMLIMIT=512MiB", "HOME=" + home, "XDG_STATE_HOME=" + home, "XDG_CACHE_HOME=" + home}
	most, out := peakAndOutput(t, env, exe, "stats", "--no-tokens", filepath.Join(dir, "run.jsonl"))
	if !strings.Contains(out, "messages") {
		t.Fatalf("it printed %.1000s", out)
	}
	if most <= 0 || most > 512<<20 {
		t.Errorf("peak memory %d kB", most>>10)
	}
}
