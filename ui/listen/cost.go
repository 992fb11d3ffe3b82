package listen

import (
	"errors"
	"io"
	"net/http"
	"sync/atomic"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// What a request may cost. A piece takes two bytes where it is sent, and some hundreds
// where it is read.
const (
	maxBody   = 32 << 20 // bytes of a request, as it is sent and unpacked
	maxHeld   = 4 * maxBody
	maxPieces = 500_000
	maxNested = 100
)

// held is a body whose bytes are counted among those of all bodies that are read.
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

// drop gives back what was counted.
func (h *held) drop() { h.all.Add(-h.n) }

var errBusy = errors.New("too many requests at the same time")

// bounded reports as an error that a body has more pieces than are read.
func (r *Receiver) bounded(s *signal, e *encoding, body []byte) error {
	if e.pieces(s, body, r.pieces) > r.pieces {
		return fail(http.StatusRequestEntityTooLarge, "the body has over %d pieces; send fewer at a time", r.pieces)
	}
	return nil
}

// piecesOfJSON is how many values a body has, or a few more.
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

// messagesIn counts the messages of a message until there are more than most. Those that
// are nested too deep are too many. Of what is broken it says what comes before.
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
			n++ // a text that is repeated is a piece, too
			if field.Message() != nil {
				value, _ := protowire.ConsumeBytes(body)
				n += messagesIn(value, field.Message(), most-n, depth+1)
			}
		}
		body = body[size:]
	}
	return n
}
