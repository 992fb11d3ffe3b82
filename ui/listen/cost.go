package listen

import (
	"errors"
	"io"
	"net/http"
	"sync/atomic"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Limits of a request. A piece needs two bytes to send, but some hundreds to read.
const (
	maxBody   = 32 << 20 // bytes of a request, both as sent and unpacked
	maxHeld   = 4 * maxBody
	maxPieces = 500_000
	maxNested = 100
)

// held is a body whose bytes count towards the total of all bodies being read.
type held struct {
	io.Reader
	all *atomic.Int64
	n   int64
}

func (h *held) Read(p []byte) (int, error) {
	n, err := h.Reader.Read(p)
	h.n += int64(n)
	if h.all.Add(int64(n)) > maxHeld {
		return n, errBusy
	}
	return n, err
}

// drop subtracts the counted bytes.
func (h *held) drop() { h.all.Add(-h.n) }

var errBusy = errors.New("too many requests at the same time")

// bounded returns an error if a body has more pieces than allowed.
func (r *Receiver) bounded(s *signal, e *encoding, body []byte) error {
	if e.pieces(s, body, r.pieces) > r.pieces {
		return fail(http.StatusRequestEntityTooLarge, "the body has over %d pieces; send fewer at a time", r.pieces)
	}
	return nil
}

// piecesOfJSON returns the number of values in a body, or slightly more.
func piecesOfJSON(_ *signal, body []byte, _ int) int {
	n, quoted := 0, false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && (c == ',' || c == '[' || c == '{'):
			n++
		}
	}
	return n
}

func piecesOfProto(s *signal, body []byte, most int) int {
	return messagesIn(body, s.request().ProtoReflect().Descriptor(), most, 0)
}

// messagesIn counts the messages in a message, up to one more than most. Messages nested too deeply
// count as too many. In a broken body it counts those before the error.
func messagesIn(body []byte, d protoreflect.MessageDescriptor, most, depth int) int {
	if depth > maxNested {
		return most + 1
	}
	n := 0
	for len(body) > 0 && n <= most {
		number, kind, tag := protowire.ConsumeTag(body)
		if tag < 0 {
			return n
		}
		body = body[tag:]
		size := protowire.ConsumeFieldValue(number, kind, body)
		if size < 0 {
			return n
		}
		if field := d.Fields().ByNumber(number); field != nil && kind == protowire.BytesType {
			n++ // a repeated text is a piece as well
			if field.Message() != nil {
				value, _ := protowire.ConsumeBytes(body)
				n += messagesIn(value, field.Message(), most-n, depth+1)
			}
		}
		body = body[size:]
	}
	return n
}
