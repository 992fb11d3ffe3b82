package transcripts

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"turns/model"
	"turns/model/load"
	"turns/model/source/web"
	"turns/query/session"
)

// PartPath returns the path of one of several conversations in a file: the file's path, # and the
// number.
func PartPath(path string, n int) string { return fmt.Sprintf("%s#%d", path, n) }

// PartOf splits such a path; part is nil if arg is the path of a file.
func PartOf(arg string) (path string, part *int) {
	i := strings.LastIndexByte(arg, '#')
	if i <= 0 { // the common case: no system call for lists of thousands
		return arg, nil
	}
	n, err := strconv.Atoi(arg[i+1:])
	if err != nil || n < 0 {
		return arg, nil
	}
	if _, err := os.Lstat(arg); err == nil {
		return arg, nil
	}
	return arg[:i], &n
}

// partList has the conversations of the last opened file with several, for the session list: the
// screen opens one of them as "file#N" and returns to the others.
type partList struct {
	mu   sync.Mutex
	feed *watched
	made *model.Snapshot // the rows' snapshot
	rows []session.Session
}

// of switches to the conversations of a transcript, unless that is itself one conversation of a
// file.
func (l *partList) of(f *watched) {
	if f.part {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.feed, l.made, l.rows = f, nil, nil
}

// snapshot returns the snapshot of a file if it is the open one, otherwise nil.
func (l *partList) snapshot(file string) *model.Snapshot {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.feed == nil || file != l.feed.path {
		return nil
	}
	return l.feed.snap.Load()
}

// list returns a row for each conversation; none if there is only one.
func (l *partList) list(ctx context.Context, lib *Store) []session.Session {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.feed == nil {
		return nil
	}
	snap := l.feed.snap.Load()
	if snap == nil || snap == l.made {
		return append([]session.Session(nil), l.rows...)
	}
	l.rows = lib.Parts(ctx, l.feed.c, l.feed.path, snap)
	l.made = snap
	return append([]session.Session(nil), l.rows...)
}

// partSession returns one of several conversations in a file as a row. It is not live: the file
// does not show which of them continues.
func (l *Store) partSession(path string, p *load.Part) session.Session {
	s := p.Summary
	s.Path = PartPath(path, p.Number)
	row := l.sessionOf(s)
	row.Live = false
	return row
}

// Parts returns the conversations of a transcript with several as rows; nil if it has one. The
// first row warns of the parts of the transcript that no parser reads.
func (l *Store) Parts(ctx context.Context, c *load.Conversation, path string, snap *model.Snapshot) []session.Session {
	parts := load.Parts(ctx, snap)
	if len(parts) < 2 {
		return nil
	}
	rows := make([]session.Session, len(parts))
	for i := range parts {
		rows[i] = l.partSession(path, &parts[i])
	}
	rows[0].Unread = model.UnreadWords(c.Unread(ctx, snap))
	return rows
}

// ListsDialogs reports whether an address is that of a server's list of dialogs.
func ListsDialogs(address string) bool { return web.ListsDialogs(address) }

// IsAddress reports whether a name is that of a server rather than of a file.
func IsAddress(name string) bool { return web.IsURL(name) }

// Dialogs lists the dialogs of a server. The path of each is its address. The rows have only the
// data of the list, because no dialog was read.
func (l *Store) Dialogs(ctx context.Context, address string) ([]session.Session, error) {
	o := l.o.Load
	dialogs, err := web.Dialogs(ctx, address, web.Options{Limits: o.Limits, Header: o.Header})
	rows := make([]session.Session, 0, len(dialogs))
	for _, d := range dialogs {
		rows = append(rows, session.Of(model.Summary{
			Path: d.Address, Format: "agentsmithy", Agent: "AgentSmithy", Title: d.Title, Session: d.ID,
			Started: d.Started, Last: d.Last, Partial: true, Sessions: 1,
		}, time.Now()))
	}
	l.o.Labels.Label(rows)
	l.o.Reads.Mark(rows)
	return rows, err
}
