package transcripts

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"turns/model"
	"turns/model/format"
	"turns/model/load"
	"turns/model/source/web"
	"turns/query/human"
	"turns/query/redact"
	"turns/query/session"
)

// Listing is a list in progress.
type Listing struct {
	Paths []string // of the transcripts, in order of discovery
	Rows  iter.Seq2[session.Session, error]
	Done  func() // called after each transcript; nil: no calls
	// Unlisted joins why some of the named folders could not be listed.
	Unlisted error
	// Unread are the files that Rows skipped so far, without a recognised conversation.
	Unread []string
}

// Sessions lists the transcripts of the store, the newest first, with a row for each conversation
// of a store. It skips files without a conversation, unless they are named. With whole it reads
// long ones completely for exact counts.
func (l *Store) Sessions(ctx context.Context, whole bool) (*Listing, error) {
	go l.o.Labels.Digest() // read them while searching for transcripts
	dirs, err := l.Places(ctx)
	if err != nil {
		return nil, err
	}
	cache := l.openCache()
	list := &Listing{}
	list.Paths, list.Unlisted = load.Find(ctx, dirs)
	if len(l.o.Dirs) == 0 {
		list.Unlisted = nil // not every agent is on this machine
	}
	looked := func(yield func(load.Listed) bool) {
		defer cache.save()
		for s := range load.List(ctx, list.Paths, load.ListOptions{Known: cache.known, Whole: whole}) {
			if list.Done != nil {
				list.Done()
			}
			if s.Err == nil && s.Unread == nil {
				cache.keep(&s)
			}
			if !yield(s) {
				return
			}
		}
	}
	list.Rows = func(yield func(session.Session, error) bool) {
		var in labeller
		asked := false
		for s := range rowsOf(looked) {
			if s.Err == nil && s.Format == "records" && !slices.Contains(l.o.Dirs, s.Path) {
				list.Unread = append(list.Unread, s.Path)
				continue // most folders have other files
			}
			if !asked { // only the first row waits for the labels
				in, asked = newLabeller(l.o.Labels.Digest()), true
			}
			row := l.sessionOf(s.Summary)
			in.label(&row)
			if s.Err != nil {
				s.Err = UnreadAt(s.Path, s.Err)
			}
			if !yield(row, s.Err) || s.Unread != nil && !yield(session.Session{}, UnreadAt(s.Path, s.Unread)) {
				return
			}
		}
	}
	return list, nil
}

// PartialReadError reports unreadable records of a transcript, which no answer includes; nil if all
// were readable.
func PartialReadError(snap *model.Snapshot) error { return damagedBy(snap.Unreadable()) }

func damagedBy(records int) error {
	if records == 0 {
		return nil
	}
	return fmt.Errorf("%s could not be read", human.Plural(records, "record"))
}

// UnreadAt returns why a transcript, or a part of it, was unreadable, with its path.
func UnreadAt(path string, err error) error {
	if err == nil || names(err, path) {
		return err
	}
	return fmt.Errorf("read %q: %w", web.Shown(path), err)
}

// names reports whether an error names its file.
func names(err error, path string) bool {
	return strings.Contains(err.Error(), path) || strings.Contains(err.Error(), strconv.Quote(path))
}

// rowsOf yields a row for each conversation of the stores in a list. It keeps the order of time: a
// store's older conversations follow the transcripts written after them.
func rowsOf(list iter.Seq[load.Listed]) iter.Seq[load.Listed] {
	return func(yield func(load.Listed) bool) {
		var waiting []load.Listed // the newest first
		until := func(at int64) bool {
			n := 0
			for n < len(waiting) && waiting[n].Written >= at {
				n++
			}
			for _, l := range waiting[:n] {
				if !yield(l) {
					return false
				}
			}
			waiting = waiting[n:]
			return true
		}
		for l := range list {
			if l.Err == nil && !until(l.Written) {
				return
			}
			if len(l.Parts) == 0 {
				if !yield(l) {
					return
				}
				continue
			}
			waiting = append(waiting, partRows(&l)...)
			slices.SortStableFunc(waiting, func(a, b load.Listed) int { return cmp.Compare(b.Written, a.Written) })
		}
		until(-1 << 62)
	}
}

// partRows returns the conversations of a store as rows of a list.
func partRows(l *load.Listed) []load.Listed {
	rows := make([]load.Listed, 0, len(l.Parts))
	for i := range l.Parts {
		p := l.Parts[i]
		s := p.Summary
		s.Path, s.Bytes, s.Written = PartPath(l.Path, p.Number), 0, min(cmp.Or(s.Last, l.Written), l.Written)
		rows = append(rows, load.Listed{Summary: s, Store: true})
	}
	return rows
}

// sessionOf returns a summary as a row of a list.
func (l *Store) sessionOf(s model.Summary) session.Session {
	resumed := s
	if l.o.Redact {
		redact.New().Summary(&s)
	}
	row := session.Of(s, l.now())
	if s.Bill != (model.Bill{}) && !s.Partial && l.o.Prices != nil {
		row.Cost, row.Guessed = l.o.Prices().Bill(s.Model, &s.Bill)
	}
	row.New = l.o.Reads.unread(&resumed)
	command, err := resumeCommand(&resumed)
	if row.Resume = command; err != nil {
		row.NoResume = err.Error()
	}
	return row
}

// resumeCommand returns the command that continues a session in its agent, in the folder of the
// session; "" if the agent has none. It fails if an id or a path could make the pasted command
// differ from the one on the screen.
func resumeCommand(s *model.Summary) (string, error) {
	f, err := format.Find(s.Format)
	if err != nil { // a user's own format
		return "", nil
	}
	command := f.Resume
	byID := strings.HasSuffix(command, " ID")
	if command == "" || s.Sessions > 1 || s.Session == "" && byID {
		return "", nil
	}
	if byID && !sessionID(s.Session) {
		return "", fmt.Errorf("resuming session %q: no agent has ids of this form", s.Session)
	}
	if f.Agent != nil && s.Agent != f.Title { // another agent, which has no such command
		return "", nil
	}
	file, _ := PartOf(s.Path)
	if s.Format == "cursor" && strings.HasSuffix(file, ".vscdb") {
		// of the editor: the agent on the command line does not find it
		return "", nil
	}
	if strings.HasSuffix(command, " FILE") {
		word, err := model.ShellWord(absolute(s.Path))
		if err != nil {
			return "", err
		}
		command = strings.TrimSuffix(command, "FILE") + word
	} else if byID {
		command = strings.TrimSuffix(command, "ID") + s.Session
	}
	dir := s.Project
	if s.Format == "aider" {
		dir = filepath.Dir(absolute(s.Path))
	}
	if filepath.IsAbs(dir) {
		word, err := model.ShellWord(dir)
		if err != nil {
			return "", err
		}
		command = "cd " + word + " && " + command
	}
	return command, nil
}

// absolute makes a path absolute. Call it only for a path in a command: a list has thousands of
// sessions, and each call asks the system for the working folder.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// sessionID reports whether s may be the id of a session: agents use letters, digits and few
// punctuation characters. None of these are special to a shell or look like a flag.
func sessionID(s string) bool {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.:@", r)
	}
	return s != "" && len(s) <= 200 && !strings.ContainsRune("-.", rune(s[0])) && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0
}
