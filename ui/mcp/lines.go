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

// maxMessage limits a client's message.
const maxMessage = 4 << 20

// onlyMessages passes on the valid messages of a client, and answers other lines with an error: the
// library would close the connection at the first invalid line.
func onlyMessages(in io.ReadCloser, out io.Writer) io.ReadCloser {
	r, w := io.Pipe()
	go func() { w.CloseWithError(passOn(in, w, out)) }()
	return &piped{r, in}
}

// piped closes its source together with the pipe.
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

// refuse answers an invalid message.
func refuse(out io.Writer, code int) error {
	reason := "this line is not a request of JSON-RPC 2.0"
	if code == jsonrpc.CodeParseError {
		reason = "this line is not JSON"
	}
	answer, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": code, "message": reason}})
	if err != nil {
		return err
	}
	_, err = out.Write(append(answer, '\n'))
	return err
}

// locked is a writer shared by the library and refuse.
type locked struct {
	mu sync.Mutex
	io.WriteCloser
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.WriteCloser.Write(p)
}
