//go:build linux

package load

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"turns/model/source/disk"
)

// TestRefusedFollower removes the permission of a non-root user and restores it: first of the
// folder, then of a file that has replaced the path. The follower is a separate process, as user
// nobody if the test runs as root.
func TestRefusedFollower(t *testing.T) {
	dir := t.TempDir()
	inner := filepath.Join(dir, "inner")
	path := filepath.Join(inner, "run.jsonl")
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	do(os.Mkdir(inner, 0o755))
	do(os.Chmod(filepath.Dir(dir), 0o755))
	do(os.WriteFile(path, []byte(chatLines(0, 3)), 0o644))
	t.Cleanup(func() { os.Chmod(inner, 0o755) })

	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/proc/self/exe", "-test.run=^TestRefusedProcess$")
	cmd.Dir, cmd.Env, cmd.Stderr = "/", append(os.Environ(), "TURNS_TEST_FOLLOW="+path), os.Stderr
	if os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	out, err := cmd.StdoutPipe()
	do(err)
	do(cmd.Start())
	defer func() { _ = cmd.Wait() }()
	defer cancel()
	lines := bufio.NewScanner(out)
	expect := func(want string) {
		t.Helper()
		for lines.Scan() {
			if line := lines.Text(); line == want {
				return
			} else if strings.HasPrefix(line, "ended") {
				t.Fatalf("waiting for %q: %s", want, line)
			}
		}
		t.Fatalf("waiting for %q: %v", want, ctx.Err())
	}
	expect("3 line 0")
	do(os.Chmod(inner, 0))
	expect("PERMISSION LOST, permission denied")
	if os.Getuid() == 0 { // the owner can write to a file that the follower cannot read
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		do(err)
		_, err = f.WriteString(chatLines(3, 5))
		do(err)
		do(f.Close())
		expect("5 line 0")
	}
	do(os.Chmod(inner, 0o755))
	expect("READABLE AGAIN")

	do(os.WriteFile(path+".new", []byte(chatLines(100, 107)), 0))
	do(os.Rename(path+".new", path))
	expect("PERMISSION LOST, permission denied")
	do(os.Chmod(path, 0o644))
	expect("READABLE AGAIN")
	expect("REPLACED, read again")
	expect("7 line 100")
}

// TestRefusedProcess is the body of that process. As an ordinary test, it returns immediately.
func TestRefusedProcess(t *testing.T) {
	path := os.Getenv("TURNS_TEST_FOLLOW")
	if path == "" {
		return
	}
	ctx := context.Background()
	c, err := Open(ctx, path, Options{Follow: true, Workers: 1, system: disk.System{Tick: fastTick}})
	for err == nil {
		var u Update
		if u, err = c.Next(ctx); err != nil {
			break
		}
		if u.Event.Kind != NoEvent {
			why := ""
			if u.Err != nil && strings.Contains(u.Err.Error(), "permission denied") {
				why = ", permission denied"
			}
			fmt.Println(u.Event.String() + why)
		}
		if n := u.Snap.Len(); n > 0 {
			m, err := u.Snap.Body(ctx, u.Snap.At(0))
			if err != nil {
				break
			}
			fmt.Println(n, m.Blocks[0].Text)
		}
	}
	fmt.Println("ended", err)
}
