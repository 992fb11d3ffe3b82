package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// maxMessage bounds a message of a client.
const maxMessage = 4 << 20

// onlyMessages passes on the lines of a client that are messages, and answers any other with an
// error: the library ends the connection at the first that is not one.
func onlyMessages(in io.ReadCloser, out io.Writer) io.ReadCloser {
	r, w := io.Pipe()
	go func() { w.CloseWithError(passOn(in, w, out)) }()
	return &piped{r, in}
}

// piped is what is passed on, closed together with what it is read from.
type piped struct {
	*io.PipeReader
	in io.Closer
}

func (p *piped) Close() error { return errors.Join(p.PipeReader.Close(), p.in.Close()) }

func passOn(in io.Reader, to, out io.Writer) error {
	b := bufio.NewReaderSize(in, 1<<16)
	var line []byte
	long := false
	for {
		part, err := b.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxMessage; !long {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		text, code := bytes.TrimSpace(line), 0
		switch {
		case long:
			code = jsonrpc.CodeInvalidRequest
		case len(text) == 0:
		case !json.Valid(text):
			code = jsonrpc.CodeParseError
		default:
			if _, bad := jsonrpc.DecodeMessage(text); bad != nil {
				code = jsonrpc.CodeInvalidRequest
			} else if _, werr := to.Write(append(text, '\n')); werr != nil {
				return werr
			}
		}
		if code != 0 {
			if werr := refuse(out, code); werr != nil {
				return werr
			}
		}
		if line, long = line[:0], false; err != nil {
			return err
		}
	}
}

// refuse answers what is not a message.
func refuse(out io.Writer, code int) error {
	said := "this line is not a request of JSON-RPC 2.0"
	if code == jsonrpc.CodeParseError {
		said = "this line is not JSON"
	}
	answer, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": code, "message": said}})
	if err != nil {
		return err
	}
	_, err = out.Write(append(answer, '\n'))
	return err
}

// locked is a writer for two: the library and who answers what is not a message.
type locked struct {
	mu sync.Mutex
	io.WriteCloser
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.WriteCloser.Write(p)
}
