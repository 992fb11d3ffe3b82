package cli

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"turns/model/modeltest"
)

// tmux runs the real program in a real terminal. A client in control mode signals output.
type tmux struct {
	t       *testing.T
	socket  string
	printed chan struct{} // there was output since the last receive
	gone    chan struct{} // the client has ended
}

// startTmux starts a server that ends with its client, which ends with the test.
func startTmux(t *testing.T, dir string, w, h int, command string) *tmux {
	t.Helper()
	conf := filepath.Join(dir, "tmux.conf")
	if err := os.WriteFile(conf, []byte("set -g exit-unattached on\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	x := &tmux{t, fmt.Sprintf("turns-smoke-%d", os.Getpid()), make(chan struct{}, 1), make(chan struct{})}
	client := exec.Command("tmux", "-L", x.socket, "-f", conf, "-C", "new-session", "-x", strconv.Itoa(w), "-y", strconv.Itoa(h), "-c", dir, "-s", "app", command)
	in, err := client.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := client.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Start(); err != nil {
		t.Fatal(err)
	}
	attached := make(chan struct{})
	go func() {
		defer close(x.gone)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			switch word, _, _ := strings.Cut(lines.Text(), " "); word {
			case "%session-changed":
				close(attached)
			case "%output":
				select {
				case x.printed <- struct{}{}:
				default:
				}
			}
		}
	}()
	t.Cleanup(func() {
		_ = exec.Command("tmux", "-L", x.socket, "kill-server").Run()
		_ = in.Close()
		<-x.gone
		_ = client.Wait()
	})
	select {
	case <-attached:
	case <-x.gone:
		t.Skip("this tmux does not start a server")
	}
	return x
}

func (x *tmux) run(args ...string) string {
	x.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-L", x.socket}, args...)...).CombinedOutput()
	if err != nil {
		x.t.Fatalf("tmux %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// shows waits until the screen contains all of some texts.
func (x *tmux) shows(texts ...string) {
	x.t.Helper()
	ctx, cancel := context.WithTimeout(x.t.Context(), giveUp)
	defer cancel()
	for {
		screen := x.run("capture-pane", "-p", "-t", "app")
		missing := false
		for _, text := range texts {
			missing = missing || !strings.Contains(screen, text)
		}
		if !missing {
			return
		}
		select {
		case <-x.printed:
		case <-x.gone:
			x.t.Fatal("tmux has ended")
		case <-ctx.Done():
			x.t.Fatalf("the screen does not show %q:\n%s", texts, screen)
		}
	}
}

func (x *tmux) press(keys ...string) { x.run(append([]string{"send-keys", "-t", "app"}, keys...)...) }

// TestSmoke uses the program in a real terminal: a file that does not exist yet, grows, is
// truncated and replaced; keys, panes, a filter, an export; a pipe with keys from the terminal; and
// a clean end.
func TestSmoke(t *testing.T) {
	modeltest.Long(t, "the parts are tested without a terminal")
	modeltest.Program(t, "tmux")
	dir := t.TempDir()
	bin, err := exec.LookPath(programName)
	if err != nil {
		t.Fatal(err)
	}
	f := modeltest.NewGrowingRun(t, filepath.Join(dir, "run.jsonl"))
	env := "env HOME=" + dir + " XDG_STATE_HOME=" + dir + "/state "
	x := startTmux(t, dir, 100, 30, env+bin+" -f run.jsonl; echo it ended with $?; cat")
	x.shows("waiting for run.jsonl")
	f.Add(f.User("count to ten"), f.Reply("one"), f.Bash("t1", "make all"))
	x.shows("count to ten", "make all", "Bash running", "FOLLOW")
	f.Add(f.Result("t1", "Exit code 2\nboom", true))
	x.shows("exit 2 · boom", "1 error")
	x.press("g")
	x.shows("PAUSED") // otherwise it may arrive before the key
	f.Add(f.Reply("while away"))
	x.shows("PAUSED 1 new")
	x.press("e")
	x.shows("› ", "exit 2")
	x.press("f", "is:error", "Enter")
	x.shows("1 row", "of 5 messages")
	x.press("X")
	x.shows("wrote ./s-errors-1.md")
	x.press("&", "G", "t")
	x.shows("Tools", "Bash")
	x.press("Escape")
	x.shows("FOLLOW", "c call")
	if err := os.Truncate(f.Path, 0); err != nil {
		t.Fatal(err)
	}
	x.shows("TRUNCATED")
	f.Add(f.User("a second life"))
	x.shows("a second life")
	next := modeltest.NewGrowingRun(t, filepath.Join(dir, "next.jsonl"))
	next.Add(next.User("a third life"))
	if err := os.Rename(next.Path, f.Path); err != nil {
		t.Fatal(err)
	}
	x.shows("REPLACED", "a third life")
	x.press("Q")
	x.shows("it ended with 0")
	x.run("respawn-pane", "-k", "-t", "app", "-c", dir, "cat run.jsonl | "+env+bin+" -; echo it ended with $?; cat")
	x.shows("a third life")
	x.press("?")
	// both: otherwise "? help" is still the previous one
	x.shows("Most used", "esc close")
	// separately: with a key directly after it, it would be Alt
	x.press("Escape")
	x.shows("? help")
	x.press("Q")
	x.shows("it ended with 0")
	next.Add(next.User("a fourth life"), next.Bash("t9", "make clean"))
	x.run("respawn-pane", "-k", "-t", "app", "-c", dir, env+bin+" diff run.jsonl next.jsonl; echo it ended with $?; cat")
	x.shows("run.jsonl → next.jsonl", "1 call added", "q quit")
	x.press("G", "Enter")
	x.shows("make clean", "a fourth life", "q back") // the comparison shows the texts as well
	x.press("q")
	x.shows("1 call added")
	x.press("q")
	x.shows("it ended with 0")
}
