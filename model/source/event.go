package source

import "turns/model"

// Kind is what happened to a source.
type Kind uint8

// The kinds of events.
const (
	Grown Kind = iota // the stream has more bytes: Size
	Ended             // no more bytes will follow; always the last event
	// no more bytes will follow, and Err reports the missing ones; always the last event
	Failed
	Truncated // the file was cut or rewritten in place: Stream is a new one
	// another file has replaced it: Stream is a new one, and the old one is fully reported
	Replaced
	Gone     // the path is gone; the old stream stays readable, and may still grow
	Appeared // the path is there (again): Stream is a new one
	Lost     // the path may not be read any more: Err; the old stream stays readable
	Regained // and now it may, or the trouble has passed
	Trouble  // something went wrong that may pass: Err; following goes on
)

var kindNames = [...]string{"grown", "ended", "failed", "truncated", "replaced", "gone", "appeared", "permission lost", "regained", "trouble"}

// String is the kind in words.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown"
}

// Event is a change of a source. Stream is the current stream: it differs from the one of the
// previous event exactly at Truncated, Replaced and Appeared, and then starts at offset 0 (its
// bytes follow as Grown). Old streams stay readable as long as their bytes exist.
type Event struct {
	Kind   Kind
	Size   int64 // bytes of Stream that may be read
	Stream model.Stream
	Err    error
}
