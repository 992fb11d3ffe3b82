package library

import (
	"context"
	"fmt"
	"iter"
	"time"

	"turns/query/human"
	"turns/query/session"
	"turns/ui/transcripts"
)

// Entry is a session in a list: its path and the data found without reading it in full.
type Entry struct {
	Path     string // the argument for Open
	ID       string // as recorded
	Title    string
	Agent    string // product that wrote the transcript, such as Claude Code
	Model    string
	Folder   string // working folder of the agent
	State    string // waiting, stuck, failed, running, idle, finished or unknown
	Messages int    // at least, if Partial
	Calls    int
	Errors   int
	Partial  bool      // the counts are lower bounds
	Started  time.Time // zero: not recorded
	Written  time.Time
}

// String returns the session on one line.
func (e Entry) String() string {
	return fmt.Sprintf("%s  %s  %s  %s", name(e.State), name(e.Agent), human.Plural(e.Messages, "message"), short(e.Title))
}

// Sessions lists the sessions in folders, the newest first; without folders those of the agents on
// this machine. An error that it yields is about one transcript or folder, and the list continues.
func Sessions(ctx context.Context, folders ...string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		store := transcripts.New(transcripts.Options{Dirs: folders})
		defer store.Close()
		list, err := store.Sessions(ctx, false)
		if err != nil {
			yield(Entry{}, err)
			return
		}
		for row, err := range list.Rows {
			if err != nil && !yield(Entry{}, err) || err == nil && !yield(entryOf(&row), nil) {
				return
			}
		}
		if list.Unlisted != nil {
			yield(Entry{}, list.Unlisted)
		}
	}
}

func entryOf(s *session.Session) Entry {
	return Entry{
		Path: s.Path, ID: s.Session, Title: s.Title, Agent: s.Agent, Model: s.Model, Folder: s.Project, State: s.Stage.String(),
		Messages: s.Messages, Calls: s.Calls, Errors: s.Errors, Partial: s.Partial, Started: clock(s.Started), Written: clock(s.Written),
	}
}

func clock(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}
