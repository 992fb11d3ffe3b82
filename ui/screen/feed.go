package screen

import (
	"context"
	"time"

	"turns/model"
)

// Feed is where snapshots come from: a file that was opened, a pipe, a session that is followed. Package load satisfies it.
type Feed interface {
	// Next waits for the next change and describes the state after it; the first call gives the first state at once. Changes that came
	// together may be told together. The error is ctx's, or io.EOF when nothing more will come.
	Next(ctx context.Context) (Update, error)
}

// Update is the state of a feed after a change. Everything but Snap, Event and NewEvent stands until the next one.
type Update struct {
	Snap      *model.Snapshot // nil: as before
	Preview   bool            // Snap is a window on the beginning or the end; its numbers are not final
	Indexed   float64         // how much of the source Snap covers, 0 to 1; 1 is all
	Following bool            // the source is watched
	Growing   bool            // the source may still be written to (watched, or a pipe that is open)
	Waiting   string          // name of a file that does not exist yet
	Event     string          // what happened to the file, in capitals first: "TRUNCATED, read again", "REPLACED", "" for nothing
	Newer     string          // a newer session of the followed folder
	Path      string          // of the transcript, as to be shown
	Bytes     int64           // size of the source
	LastWrite time.Time       // when the source was last written to; zero: unknown
	Err       error           // what went wrong while reading; what was read stays
}

// Still is a feed of one snapshot that never changes.
func Still(path string, snap *model.Snapshot) Feed {
	return &still{update: Update{Snap: snap, Indexed: 1, Path: path}}
}

type still struct {
	update Update
	told   bool
}

func (f *still) Next(ctx context.Context) (Update, error) {
	if f.told {
		<-ctx.Done()
		return Update{}, ctx.Err()
	}
	f.told = true
	return f.update, nil
}
