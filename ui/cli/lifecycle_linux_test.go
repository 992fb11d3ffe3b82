package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"unsafe"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"

	"turns/model/modeltest"
)

// pty is a pseudo-terminal connected to an emulator, like the terminal of a person.
type pty struct {
	*emulator
	master *os.File
	tty    *os.File
	before syscall.Termios
	modes  map[ansi.Mode]bool // enabled modes
	ended  chan struct{}      // there is no further output
}

func openTerminal(t *testing.T, w, h int) *pty {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminals here: %v", err)
	}
	x := &pty{emulator: newEmulator(t, w, h), master: master, modes: map[ansi.Mode]bool{}, ended: make(chan struct{})}
	x.em.SetCallbacks(vt.Callbacks{
		EnableMode:  func(m ansi.Mode) { x.modes[m] = true },
		DisableMode: func(m ansi.Mode) { delete(x.modes, m) },
	})
	var locked, n int32
	size := [4]uint16{uint16(h), uint16(w)}
	x.ioctl(master, syscall.TIOCSPTLCK, unsafe.Pointer(&locked))
	x.ioctl(master, syscall.TIOCGPTN, unsafe.Pointer(&n))
	x.ioctl(master, syscall.TIOCSWINSZ, unsafe.Pointer(&size))
	if x.tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0); err != nil {
		t.Fatal(err)
	}
	x.before = x.termios()
	go func() { _, _ = io.Copy(master, x.em) }() // its responses
	go func() {
		defer close(x.ended)
		_, _ = io.Copy(x.emulator, master)
	}()
	t.Cleanup(func() {
		_ = x.tty.Close()
		_ = master.Close()
		<-x.ended
		x.close()
	})
	return x
}

func (x *pty) ioctl(f *os.File, request uintptr, arg unsafe.Pointer) {
	x.t.Helper()
	raw, err := f.SyscallConn()
	if err != nil {
		x.t.Fatal(err)
	}
	err = raw.Control(func(fd uintptr) {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, fd, request, uintptr(arg)); errno != 0 {
			x.t.Errorf("ioctl %#x: %v", request, errno)
		}
	})
	if err != nil {
		x.t.Fatal(err)
	}
}

func (x *pty) termios() (state syscall.Termios) {
	x.ioctl(x.tty, syscall.TCGETS, unsafe.Pointer(&state))
	return state
}

// start starts a command as the leader of a session on the terminal.
func (x *pty) start(dir, name string, args ...string) *exec.Cmd {
	x.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TERM=xterm-256color", "HOME="+dir, "XDG_STATE_HOME="+filepath.Join(dir, "state"), "TMPDIR="+filepath.Join(dir, "tmp"), "TMUX=")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = x.tty, x.tty, x.tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		x.t.Fatal(err)
	}
	return cmd
}

func (x *pty) press(keys string) {
	if _, err := x.master.WriteString(keys); err != nil {
		x.t.Fatal(err)
	}
}

// restored checks that the terminal is in the state before the program, once all output has
// arrived.
func (x *pty) restored() {
	x.t.Helper()
	if now := x.termios(); now != x.before {
		x.t.Errorf("the settings of the terminal are %+v, were %+v", now, x.before)
	}
	ctx, cancel := context.WithTimeout(x.t.Context(), giveUp)
	defer cancel()
	for {
		x.mu.Lock()
		delete(x.modes, ansi.ModeTextCursorEnable)
		alternate, modes, changed := x.em.IsAltScreen(), maps.Clone(x.modes), x.wrote
		x.mu.Unlock()
		if !alternate && len(modes) == 0 {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			x.t.Errorf("alternate screen %v, modes %v are left on", alternate, modes)
			return
		}
	}
}

// lifeDir returns a folder with a transcript, and a folder for temporary files.
func lifeDir(t *testing.T, size int64) string {
	t.Helper()
	dir := t.TempDir()
	var b bytes.Buffer
	if _, err := modeltest.Transcript(&b, size, 1); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{os.WriteFile(filepath.Join(dir, "run.jsonl"), b.Bytes(), 0o600), os.Mkdir(filepath.Join(dir, "tmp"), 0o700)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// clean checks that no temporary file and no incomplete export was left.
func clean(t *testing.T, dir string) {
	t.Helper()
	if left, err := os.ReadDir(filepath.Join(dir, "tmp")); err != nil || len(left) > 0 {
		t.Errorf("temporary files are left: %v %v", left, err)
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		switch name := f.Name(); {
		case name == "tmp" || name == "state" || strings.HasSuffix(name, ".jsonl") || strings.HasSuffix(name, ".md") && !strings.HasPrefix(name, "."):
		default:
			t.Errorf("%s is left", name)
		}
	}
}

// TestSignals ends the screen by signals in each of its states: the terminal is restored, the exit
// code shows the signal, and no files are left.
func TestSignals(t *testing.T) {
	modeltest.Long(t, "it starts programs")
	turns, err := exec.LookPath("turns") // this test binary, by TestMain
	if err != nil {
		t.Fatal(err)
	}
	dir := lifeDir(t, 12<<20)
	for _, state := range []struct {
		name, keys, shows string
		args              []string
	}{
		{"indexing", "", "run.jsonl", nil},
		{"a dialog", "x", "Export", nil},
		{"the filter bar", "fis:err", "API errors", nil},
		{"exporting", "X", "exporting|wrote", nil},
		{"following", "", "FOLLOW", []string{"-f"}},
	} {
		for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
			t.Run(state.name+"/"+sig.String(), func(t *testing.T) {
				x := openTerminal(t, 100, 30)
				cmd := x.start(dir, turns, append(state.args, "run.jsonl")...)
				x.shows("›")
				x.press(state.keys)
				x.shows(state.shows)
				if err := cmd.Process.Signal(sig); err != nil {
					t.Fatal(err)
				}
				_ = cmd.Wait()
				if code := cmd.ProcessState.ExitCode(); code != exitInterrupted {
					t.Errorf("exit code %d, want %d: %v", code, exitInterrupted, cmd.ProcessState)
				}
				x.restored()
				clean(t, dir)
			})
		}
	}
}

// TestFailuresAskNothing: a failing command does not wait for responses of the terminal, which a
// key reader may have consumed.
func TestFailuresAskNothing(t *testing.T) {
	modeltest.Long(t, "it starts the program and a terminal")
	turns, err := exec.LookPath("turns")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ args, over string }{
		{"stats missing.jsonl", "over 2"}, {"show run.jsonl -q zzzNowhere", "over 1"},
	} {
		x := openTerminal(t, 100, 30)
		var asked atomic.Int32
		x.em.RegisterOscHandler(11, func([]byte) bool { asked.Add(1); return false })
		cmd := x.start(lifeDir(t, 1<<16), "sh", "-c", `"$0" `+test.args+`; echo "over $?"`, turns)
		x.shows(test.over)
		_ = cmd.Wait()
		if n := asked.Load(); n > 0 {
			t.Errorf("%q asks the terminal for its background %d times", test.args, n)
		}
	}
}

// TestTerminalGoesAway closes the terminal: the program ends, and no files are left.
func TestTerminalGoesAway(t *testing.T) {
	turns, err := exec.LookPath("turns")
	if err != nil {
		t.Fatal(err)
	}
	dir := lifeDir(t, 1<<20)
	x := openTerminal(t, 100, 30)
	cmd := x.start(dir, turns, "-f", "run.jsonl")
	x.shows("FOLLOW")
	_ = x.tty.Close()
	_ = x.master.Close()
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitInterrupted && code != exitError {
		t.Errorf("it ended with %v", cmd.ProcessState)
	}
	clean(t, dir)
}

// TestSuspend suspends the program with its key and continues: meanwhile the shell has its
// terminal, then the full screen is drawn again at the same place.
func TestSuspend(t *testing.T) {
	modeltest.Long(t, "it starts programs")
	turns, err := exec.LookPath("turns")
	if err != nil {
		t.Fatal(err)
	}
	dir := lifeDir(t, 1<<20)
	x := openTerminal(t, 100, 30)
	script := `set -m; "$0" run.jsonl; echo "stopped"; read -r line; fg; echo "over $?"; read -r line`
	cmd := x.start(dir, "sh", "-c", script, turns)
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	x.shows("run.jsonl")
	x.press("fis:error\r")
	x.shows("2 of 60 messages")
	x.press("\x1a")
	x.shows("stopped")
	x.restored()
	x.press("\r")
	x.shows("2 of 60 messages")
	x.press("Q")
	x.shows("over 0")
	x.restored()
	clean(t, dir)
}

// TestStopped stops the program from outside, when it cannot restore the terminal: after it
// continues, the full screen is drawn again and accepts keys.
func TestStopped(t *testing.T) {
	modeltest.Long(t, "it starts the program and a terminal")
	turns, err := exec.LookPath("turns")
	if err != nil {
		t.Fatal(err)
	}
	dir := lifeDir(t, 1<<20)
	x := openTerminal(t, 100, 30)
	cmd := x.start(dir, turns, "run.jsonl")
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	x.shows("run.jsonl")
	x.press("fis:error\r")
	x.shows("2 of 60 messages")
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	// it stops a while after the signal, and must be stopped before it continues
	var state syscall.WaitStatus
	if _, err := syscall.Wait4(cmd.Process.Pid, &state, syscall.WUNTRACED, nil); err != nil || !state.Stopped() {
		t.Fatalf("it did not stop: %v, %v", state, err)
	}
	if _, err := x.Write([]byte("\x1b[?1049l\x1b[2J\x1b[Hstopped")); err != nil {
		t.Fatal(err)
	}
	x.shows("stopped")
	if err := cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	x.shows("2 of 60 messages")
	x.press("Q")
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitOK {
		t.Errorf("it ended with %v", cmd.ProcessState)
	}
	x.restored()
	clean(t, dir)
}

// TestInterruptInAPager presses Ctrl-C while a pager has the terminal: the pager gets it, and
// afterwards turns has the terminal again.
func TestInterruptInAPager(t *testing.T) {
	modeltest.Long(t, "it starts the program, a terminal and a shell")
	turns, err := exec.LookPath("turns")
	if err != nil {
		t.Fatal(err)
	}
	dir := lifeDir(t, 1<<20)
	x := openTerminal(t, 100, 30)
	cmd := x.start(dir, turns, "run.jsonl")
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	x.shows("run.jsonl")
	x.press("|")
	x.shows("a shell command")
	// read misses a signal right before it waits, so the shell looks for it again and again
	x.press("trap got=1 INT; echo pag''ing; cat >/dev/null; until [ $got ]; do sleep 0.1; done; echo inter''rupted; read -r l </dev/tty\r")
	x.shows("paging")
	x.press("\x03")
	x.shows("interrupted")
	x.press("\r")
	x.shows("press Enter")
	x.press("\r")
	x.shows("gave")
	x.press("Q")
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitOK {
		t.Errorf("it ended with %v", cmd.ProcessState)
	}
	x.restored()
}
