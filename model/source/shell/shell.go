// Package shell reads files of other hosts through the system's ssh. It uses one connection, with a
// small shell loop that answers at the other end.
package shell

import (
	"bufio"
	"context"
	_ "embed" // the loop
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"turns/model/source/remote"
)

//go:embed loop.sh
var loop string

// Store is a host. It handles requests one after another.
type Store struct {
	host string
	mu   sync.Mutex
	line *line // nil: there is no connection
	dead error // why it gets no more requests

	patient time.Duration // timeout for an answer
	command func(script string) *exec.Cmd
}

// Open prepares to read files of a host, without connecting.
func Open(host string) *Store {
	return &Store{host: host, patient: patience, command: func(script string) *exec.Cmd {
		return Command(context.Background(), host, script, false)
	}}
}

// Close ends the connection.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hangUp()
	return nil
}

// The timeout for an answer of a host, and the limit for files in a folder: a host that does not
// answer, or never stops, gets no more requests.
const (
	patience  = 30 * time.Second
	mostFiles = 2_000_000
)

// For speed only: blockSize is the block size for dd.
const blockSize = 64 << 10

// line is a connection.
type line struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	err *Tail
}

// Command returns the system's ssh for a host. It never prompts the user, and gives up on an
// unreachable host. terminal allocates a terminal for the remote command.
func Command(ctx context.Context, host, script string, terminal bool) *exec.Cmd {
	args := []string{"-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=3"}
	if terminal {
		// otherwise it reports the closed connection
		args = append(args, "-t", "-o", "LogLevel=ERROR")
	} else {
		args = append(args, "-T")
	}
	return exec.CommandContext(ctx, "ssh", append(args, "--", host, encoded(script))...)
}

// encoded returns a command that runs a script. Any shell can parse it, because it contains only
// one word in quotes.
func encoded(script string) string {
	var b strings.Builder
	b.WriteString(`sh -c 'eval "$(printf %b "`)
	for i := range len(script) {
		fmt.Fprintf(&b, `\0%03o`, script[i])
	}
	b.WriteString(`")"'`)
	return b.String()
}

// Tail remembers the end of the output of ssh.
type Tail struct {
	mu   sync.Mutex
	text []byte
}

const maxTail = 16 << 10

// Write adds to the output.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if over := len(t.text) - maxTail; over > 0 {
		t.text = append(t.text[:0], t.text[over:]...)
	}
	return len(p), nil
}

// String returns the end of the output.
func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}

// Last returns the last non-empty line.
func (t *Tail) Last() string {
	lines := strings.Split(strings.TrimSpace(t.String()), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

func (s *Store) hangUp() {
	if l := s.line; l != nil {
		l.in.Close()
		_ = l.cmd.Process.Kill() // it may have ended
		_ = l.cmd.Wait()
		s.line = nil
	}
}

func (s *Store) dial() error {
	cmd := s.command(loop)
	l := &line{cmd: cmd, err: &Tail{}}
	cmd.Stderr = l.err
	cmd.WaitDelay = time.Second
	var out io.ReadCloser
	var err error
	if l.in, err = cmd.StdinPipe(); err == nil {
		if out, err = cmd.StdoutPipe(); err == nil {
			err = cmd.Start()
		}
	}
	if err != nil {
		return fmt.Errorf("start ssh: %w", err)
	}
	l.out = bufio.NewReaderSize(out, blockSize)
	s.line = l
	return nil
}

// greeting is the first line of the loop; mostBefore limits the other lines of a host before it.
const greeting, mostBefore = "turns-files-1", 1000

func (s *Store) greeted() error {
	for range mostBefore {
		text, err := s.text()
		if err != nil {
			return err
		}
		if text == greeting {
			return nil
		}
	}
	return errors.New("the host says other things than were asked")
}

// text returns the host's next line.
func (s *Store) text() (string, error) {
	text, err := s.line.out.ReadSlice('\n')
	if err != nil {
		return "", err
	}
	return strings.TrimSuffix(string(text), "\n"), nil
}

// request sends a request and reads the answer with a function. A failure of the transfer ends the
// connection; the next request makes another.
func (s *Store) request(ctx context.Context, what string, skip, count int64, path string, answer func() error) error {
	if strings.ContainsAny(path, "\n\x00") {
		return errors.New("a name with a line break is not read through ssh")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.dead != nil {
		return s.dead
	}
	fresh := s.line == nil
	if fresh {
		if err := s.dial(); err != nil {
			return err
		}
	}
	l := s.line
	short, cancel := context.WithTimeout(ctx, s.patient)
	defer cancel()
	stop := context.AfterFunc(short, func() { _ = l.cmd.Process.Kill() })
	defer stop()
	var err error
	if fresh {
		err = s.greeted()
	}
	if err == nil {
		_, err = fmt.Fprintf(l.in, "%s\n%d\n%d\n%s\n", what, skip, count, path)
	}
	if err == nil {
		err = answer()
	}
	var stderr errorText
	if err == nil || errors.As(err, &stderr) {
		return err
	}
	s.hangUp()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case short.Err() != nil:
		s.dead = fmt.Errorf("host %q does not answer in time: %w", s.host, short.Err())
		return s.dead
	case l.err.Last() != "":
		return fmt.Errorf("host %q: %.300s", s.host, l.err.Last())
	}
	return fmt.Errorf("the connection to host %q ended: %w", s.host, err)
}

// errorText is a host's error for a file; the connection stays usable.
type errorText struct {
	text string
	kind error
}

func (e errorText) Error() string { return e.text }
func (e errorText) Unwrap() error { return e.kind }

// hostError returns the error for a host's text, which it truncates.
func hostError(text string) error {
	switch {
	case strings.HasSuffix(text, "No such file or directory"):
		return errorText{"there is no such file or folder on the host", fs.ErrNotExist}
	case strings.HasSuffix(text, "Permission denied"):
		return errorText{"permission denied on the host", fs.ErrPermission}
	}
	return errorText{fmt.Sprintf("the host says %.200q", text), nil}
}

// parse parses a host's description of a file: its size, its time of modification, and the rest.
func parse(text string) (o remote.Object, rest string, ok bool) {
	size, text, ok := strings.Cut(text, " ")
	at, rest, more := strings.Cut(text, " ")
	bytes, err := strconv.ParseInt(size, 10, 64)
	seconds, wrong := strconv.ParseInt(at, 10, 64)
	o.Size, o.Written = bytes, time.Unix(seconds, 0)
	return o, rest, ok && more && err == nil && wrong == nil && bytes >= 0
}

// Stat describes a file or a folder.
func (s *Store) Stat(ctx context.Context, key string) (o remote.Object, err error) {
	err = s.request(ctx, "stat", 0, 0, place(key), func() error {
		text, err := s.text()
		if err != nil {
			return err
		}
		var kind string
		var ok bool
		if o, kind, ok = parse(text); !ok {
			return hostError(text)
		}
		switch kind = strings.ToLower(kind); {
		case kind == "directory":
			o.Folder = true
		case !strings.HasPrefix(kind, "regular"):
			return errorText{"it is a " + kind + " on the host", nil}
		}
		return nil
	})
	o.Key = key
	return o, err
}

// place returns the path of a key for the shell loop.
func place(key string) string {
	if key = strings.TrimRight(key, "/"); key == "" {
		return "."
	}
	return key
}

// unlisted collects the host's errors for folders and files that it could not list.
type unlisted struct {
	hostError []error
	more      int
}

// mostErrors limits the errors to report one by one.
const mostErrors = 20

func (u *unlisted) add(text string) {
	if len(u.hostError) == mostErrors {
		u.more++
		return
	}
	u.hostError = append(u.hostError, errorText{fmt.Sprintf("%.300q", strings.TrimPrefix(text, "find: ")), hostError(text).(errorText).kind})
}

func (u *unlisted) err() error {
	if u.more > 0 {
		u.hostError = append(u.hostError, errorText{fmt.Sprintf("%d more", u.more), nil})
	}
	if len(u.hostError) == 0 {
		return nil
	}
	all := make([]string, len(u.hostError))
	for i, err := range u.hostError {
		all[i] = err.Error()
	}
	return errorText{"the host says " + strings.Join(all, ", "), errors.Join(u.hostError...)}
}

// For speed only: so many files of a list are handed over at a time.
const pageSize = 1000

// List lists the files below a folder.
func (s *Store) List(ctx context.Context, prefix string, page func([]remote.Object)) error {
	dir := place(prefix)
	if strings.HasPrefix(prefix, "/") && dir == "." {
		dir = "/"
	}
	return s.request(ctx, "list", 0, 0, dir, func() error {
		var some []remote.Object
		var unlisted unlisted
		seen, links := map[string]bool{}, false // a link may lead to a file already listed
		defer func() { page(some) }()
		top, err := s.text()
		if err != nil {
			return err
		}
		for {
			text, err := s.text()
			if err != nil {
				return err
			}
			switch text {
			case "":
				return unlisted.err()
			case "links":
				links = true
				continue
			}
			o, rest, ok := parse(text)
			file, name, named := strings.Cut(rest, " ")
			if !ok || !named {
				unlisted.add(text)
				continue
			}
			if links && seen[file] {
				continue
			}
			if seen[strings.Clone(file)] = true; len(seen) > mostFiles {
				return fmt.Errorf("the folder on the host has more than %d files", mostFiles)
			}
			o.Key = prefix + strings.TrimPrefix(strings.TrimPrefix(name, strings.TrimSuffix(top, "/")), "/")
			if some = append(some, o); len(some) == pageSize {
				page(some)
				some = nil
			}
		}
	})
}

// Read fills p from off on, the start of a block. The file may grow meanwhile.
func (s *Store) Read(ctx context.Context, o remote.Object, p []byte, off int64) error {
	if off%blockSize != 0 {
		return fmt.Errorf("byte %d begins no block", off)
	}
	return s.request(ctx, "read", off/blockSize, int64(len(p)), o.Key, func() error {
		before, err := s.text()
		if err != nil {
			return err
		}
		if _, _, ok := parse(before); !ok {
			return hostError(before)
		}
		if _, err := io.ReadFull(s.line.out, p); err != nil {
			return err
		}
		after, err := s.text()
		if err != nil {
			return err
		}
		for _, text := range []string{before, after} { // dd pads the bytes beyond the file's end
			if now, _, ok := parse(text); !ok || now.Size < off+int64(len(p)) {
				return errorText{remote.ErrChanged.Error(), remote.ErrChanged}
			}
		}
		return nil
	})
}
