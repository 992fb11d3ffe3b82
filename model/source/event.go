package source

import "turns/model"

// Kind is the kind of change of a source.
type Kind uint8

// The kinds of events.
const (
	Grown Kind = iota // the stream has more bytes: Size
	Ended             // no more bytes will follow; always the last event
	// no more bytes will follow, and Err names the missing ones; always the last event
	Failed
	Truncated // the file was cut or rewritten in place: Stream is a new one
	// another file has replaced it: Stream is a new one, and the old one is fully reported
	Replaced
	Gone     // the path is gone; the old stream stays readable, and may still grow
	Appeared // the path is there (again): Stream is a new one
	Lost     // the path is no longer readable: Err; the old stream stays readable
	Regained // the path is readable again, or the trouble has passed
	Trouble  // a possibly temporary error: Err; following continues
)

var kindNames = [...]string{"grown", "ended", "failed", "truncated", "replaced", "gone", "appeared", "permission lost", "regained", "trouble"}

// String returns the kind in words.
func (k Kind) String() string { return model.NameOf(kindNames[:], k, "unknown") }

// Event is a change of a source. Stream is the current stream: it differs from the one of the
// previous event exactly at Truncated, Replaced and Appeared, and then starts at offset 0 (its
// bytes follow as Grown). Old streams stay readable as long as their bytes exist.
type Event struct {
	Kind   Kind
	Size   int64 // readable bytes of Stream
	Stream model.Stream
	Err    error
}
