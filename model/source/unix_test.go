//go:build unix

package source

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestNamedPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	must(t, syscall.Mkfifo(path, 0o600))
	if _, err := OpenFile(path); !errors.Is(err, errPipe) {
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

// TestNamedPipeWithoutWriter gives up waiting for a writer.
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
	if _, err := Open(t.Context(), path, Options{}); !errors.Is(err, errSocket) {
		t.Errorf("%v", err)
	}
}
