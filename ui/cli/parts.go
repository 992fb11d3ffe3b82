package cli

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
	"turns/ui"
)

// partPath is the path of one conversation of a file of many: its number stands
// behind a #.
func partPath(path string, n int) string { return fmt.Sprintf("%s#%d", path, n) }

// partOf takes such a path apart; part is nil where it is the path of a file as it
// stands.
func partOf(arg string) (path string, part *int) {
	if _, err := os.Lstat(arg); err == nil {
		return arg, nil
	}
	i := strings.LastIndexByte(arg, '#')
	if i <= 0 {
		return arg, nil
	}
	n, err := strconv.Atoi(arg[i+1:])
	if err != nil || n < 0 {
		return arg, nil
	}
	return arg[:i], &n
}

// partList is the conversations of the file of many that was opened last, for the
// session list: the screen opens one of them as "file#N" and comes back to the
// others.
type partList struct {
	mu   sync.Mutex
	feed *screenFeed
	made *model.Snapshot // that rows were made from
	rows []ui.SessionInfo
}

// of takes the conversations of a transcript from now on, unless it is itself one
// of a file.
func (l *partList) of(f *screenFeed) {
	if f.part {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.feed, l.made, l.rows = f, nil, nil
}

// snapshot is what is known of a file if it is the one that is open; nil if not.
func (l *partList) snapshot(file string) *model.Snapshot {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.feed == nil || file != l.feed.path {
		return nil
	}
	return l.feed.snap.Load()
}

// list is a row for each conversation; none where there is only one.
func (l *partList) list(ctx context.Context) []ui.SessionInfo {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.feed == nil {
		return nil
	}
	snap := l.feed.snap.Load()
	if snap == nil || snap == l.made {
		return append([]ui.SessionInfo(nil), l.rows...)
	}
	l.rows = nil
	if parts := load.Parts(ctx, snap); len(parts) > 1 {
		for i := range parts {
			p := &parts[i]
			info := sessionInfo(&p.Summary)
			info.Path, info.Live, info.End = partPath(l.feed.path, p.Number), false, howItEnded(&p.Summary, false)
			if p.Last == 0 {
				info.When = time.Time{}
			}
			if p.Title == "" {
				info.Title = p.Session
			}
			l.rows = append(l.rows, info)
		}
	}
	l.made = snap
	return append([]ui.SessionInfo(nil), l.rows...)
}
