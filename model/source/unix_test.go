//go:build unix

package source

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"turns/model/source/disk"
)

func TestNamedPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	must(t, syscall.Mkfifo(path, 0o600))
	if _, err := disk.OpenFile(path); !errors.Is(err, disk.ErrPipe) {
		t.Errorf("as a file: %v", err)
	}
	go func() {
		if f, err := os.OpenFile(path, os.O_WRONLY, 0); err == nil {
			f.WriteString(two)
			f.Close()
		}
	}()
	got, err := drain(t, open(t, path, Options{}))
	if got != two || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// TestNamedPipeWithoutWriter cancels the wait for a writer.
func TestNamedPipeWithoutWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	must(t, syscall.Mkfifo(path, 0o600))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Open(ctx, path, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestSocket(t *testing.T) {
	dir, err := os.MkdirTemp("", "s") // the path of a socket must be short
	must(t, err)
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "s")
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	must(t, err)
	defer syscall.Close(fd)
	must(t, syscall.Bind(fd, &syscall.SockaddrUnix{Name: path}))
	if _, err := Open(t.Context(), path, Options{}); !errors.Is(err, disk.ErrSocket) {
		t.Errorf("%v", err)
	}
}

// TestNamedPipeThatIsGone cancels the wait for the writer of a pipe whose path is gone, perhaps
// removed during the wait: no writer can end it then.
func TestNamedPipeThatIsGone(t *testing.T) {
	for range 50 {
		path := filepath.Join(t.TempDir(), "pipe")
		must(t, syscall.Mkfifo(path, 0o600))
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			_, err := Open(ctx, path, Options{})
			ended <- err
		}()
		must(t, os.Rename(path, path+".away"))
		cancel()
		select {
		case err := <-ended:
			if err == nil {
				t.Error("a pipe that is gone was opened")
			}
		case <-t.Context().Done():
		case <-time.After(20 * time.Second):
			t.Error("it waits for ever")
			must(t, os.Rename(path+".away", path)) // now it ends
			<-ended
			return
		}
		disk.ReleasePipe(path + ".away") // so that the test leaves no waiting goroutine
	}
}
