package source

import "turns/model"

// Kind is what happened to a source.
type Kind uint8

// The kinds of events.
const (
	Grown Kind = iota // the stream has more bytes: Size
	Ended             // no more bytes will come; always the last event
	// no more bytes will come, and some are missing: Err; always the last event
	Failed
	Truncated // the file was cut or written anew in place: Stream is a new one
	// another file took the path: Stream is a new one; the old one was reported to its end
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

// Event is what happened to a source. Stream is the stream that is now read: it
// differs from the one of the event before exactly at Truncated, Replaced and
// Appeared, which begin it at offset 0 (its bytes come as Grown). Old streams
// stay readable as far as their bytes are still there.
type Event struct {
	Kind   Kind
	Size   int64 // bytes of Stream that may be read
	Stream model.Stream
	Err    error
}
