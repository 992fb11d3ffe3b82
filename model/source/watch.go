package source

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"

	"turns/model/source/disk"
)

// For speed only: the polling intervals, with notification, without it, and for file systems that
// turn out not to send of changes (network file systems).
const (
	safetyEvery = time.Second
	pollEvery   = 250 * time.Millisecond
	deafEvery   = 100 * time.Millisecond
)

// keepOld is how many former files stay open for readers of old streams.
const keepOld = 16

// fileEvent is an event from Look: Kind, and the current File with its Size.
type fileEvent struct {
	Kind Kind
	File *disk.File
	Size int64
	Err  error
}

// watcher follows a path. Look makes all decisions, from the current state; notification and clock
// only trigger it, so that a lost or repeated notification is harmless.
type watcher struct {
	path     string
	file     *disk.File // nil until the path appears
	size     int64      // of file, as reported
	gone     bool       // the path does not exist
	lost     bool       // the path is not readable
	reported string     // the last reported trouble
	// any change means a new file: the path is a document that is rewritten, not a log that grows
	rewrites bool
	old      []*disk.File

	queue  []fileEvent
	notify *fsnotify.Watcher // nil: none
	dirs   map[string]bool   // watched folders
	names  map[string]bool   // of the relevant files in them
	deaf   int               // number of ticks for which notification is not trusted

	system disk.System
}

// watch follows path from now on; file is the opened file, nil if it does not exist yet. The
// watcher takes ownership of the file.
func watch(path string, file *disk.File, system disk.System) *watcher {
	w := newWatcher(path, file, system)
	if !system.Deaf {
		// without it (no inotify instance left) the clock must do
		w.notify, _ = fsnotify.NewWatcher()
		w.watchDirs()
	}
	return w
}

func newWatcher(path string, file *disk.File, system disk.System) *watcher {
	w := &watcher{
		path: path, file: file, gone: file == nil, dirs: map[string]bool{}, names: map[string]bool{},
		system: system.WithDefaults(),
	}
	if file != nil {
		if w.size = file.Size(); w.size > 0 {
			w.send(Grown, nil)
		}
	}
	return w
}

// watchDirs watches the folder of the path and, for a symbolic link, those on the way to its
// target. It tries a folder that does not exist yet again at each tick.
func (w *watcher) watchDirs() {
	if w.notify == nil {
		return
	}
	path := w.path
	for range 8 { // chains of links
		dir := filepath.Dir(path)
		w.names[filepath.Join(dir, filepath.Base(path))] = true
		if !w.dirs[dir] && w.notify.Add(dir) == nil {
			w.dirs[dir] = true
		}
		target, err := os.Readlink(path)
		if err != nil {
			return
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(dir, target)
		}
		path = target
	}
}

// File returns the current file, nil if there is none.
func (w *watcher) File() *disk.File { return w.file }

// Next waits for the next event. Only one goroutine may call it at a time.
func (w *watcher) Next(ctx context.Context) (fileEvent, error) {
	for len(w.queue) == 0 {
		if err := ctx.Err(); err != nil {
			return fileEvent{}, err
		}
		if w.queue = append(w.queue, w.Look()...); len(w.queue) > 0 {
			break
		}
		ticked, err := w.wait(ctx)
		if err != nil {
			return fileEvent{}, err
		}
		w.queue = append(w.queue, w.Look()...)
		w.trust(ticked)
	}
	ev := w.queue[0]
	w.queue = w.queue[1:]
	return ev, nil
}

// trust learns from the trigger of the last change: if it was a tick, notification does not work
// here, and the clock runs faster for a while.
func (w *watcher) trust(ticked bool) {
	switch {
	case !ticked:
		w.deaf = 0
	case len(w.queue) > 0:
		w.deaf = 100
	case w.deaf > 0:
		w.deaf--
	}
}

// wait returns at a notification, or after a while with ticked set.
func (w *watcher) wait(ctx context.Context) (ticked bool, err error) {
	every := safetyEvery
	var events chan fsnotify.Event
	var errs chan error
	switch {
	case w.notify == nil || len(w.dirs) == 0:
		every = pollEvery
	case w.deaf > 0:
		every = deafEvery
	}
	if w.notify != nil {
		events, errs = w.notify.Events, w.notify.Errors
	}
	tick, stop := w.system.Tick(every)
	defer stop()
	for {
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-tick:
			w.watchDirs()
			return true, nil
		case ev, ok := <-events:
			if !ok {
				return false, os.ErrClosed
			}
			ev.Name = filepath.Clean(ev.Name) // "./log" in the current folder
			w.forget(ev)
			if w.gone || w.names[ev.Name] { // not a neighbour in the folder
				return false, nil
			}
		case _, ok := <-errs: // an overflow: check
			if !ok {
				return false, os.ErrClosed
			}
			return false, nil
		}
	}
}

// forget handles a watched folder that went away, and a link that may have a new target.
func (w *watcher) forget(ev fsnotify.Event) {
	if ev.Has(fsnotify.Remove) || ev.Has(fsnotify.Rename) {
		if w.dirs[ev.Name] {
			delete(w.dirs, ev.Name)
			// the watch is gone with the folder, or follows its rename
			_ = w.notify.Remove(ev.Name)
		}
	}
	if ev.Has(fsnotify.Create) {
		w.watchDirs()
	}
}

// Look compares the current state with the last one, and returns the events in order.
func (w *watcher) Look() []fileEvent {
	queued := len(w.queue)
	w.look()
	events := append([]fileEvent(nil), w.queue[queued:]...)
	w.queue = w.queue[:queued]
	return events
}

func (w *watcher) look() {
	info, err := w.system.Stat(w.path)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && disk.Regular(info) != nil:
		w.drain()
		if !w.gone {
			w.gone = true
			if err == nil {
				err = fmt.Errorf("follow %q: it %w", w.path, disk.Regular(info))
			} else {
				err = nil
			}
			w.send(Gone, err)
		}
	case err != nil:
		w.drain()
		w.refuse(disk.PathError(w.path, err))
	case w.file != nil && w.file.Is(info):
		if w.rewrites && (w.file.Touched(info)) {
			w.swap(Truncated)
			break
		}
		w.lookSame()
	default:
		w.lookOther()
	}
}

// lookSame checks the file that was there before.
func (w *watcher) lookSame() {
	same, err := w.file.Refresh()
	switch {
	case err != nil:
		w.trouble(err)
	case same:
		w.grown()
		w.back()
	default:
		w.swap(Truncated)
	}
}

// back reports Regained when the path leads to the open file again: it is readable again, was
// renamed back, or the trouble has passed.
func (w *watcher) back() {
	if !w.lost && !w.gone && w.reported == "" {
		return
	}
	w.lost, w.gone, w.reported = false, false, ""
	w.send(Regained, nil)
}

// lookOther switches to the other file that is now at the path.
func (w *watcher) lookOther() {
	w.drain()
	kind := Replaced
	if w.gone {
		kind = Appeared
	}
	w.swap(kind)
}

// swap opens the file that is now at the path, and reports it as kind.
func (w *watcher) swap(kind Kind) {
	file, err := w.system.OpenFile(w.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return // gone again: the next check reports it
	case errors.Is(err, fs.ErrPermission):
		w.refuse(err)
		return
	case err != nil:
		w.trouble(err)
		return
	}
	file.Sum()
	if w.file != nil {
		w.retire(w.file)
	}
	w.file, w.size, w.gone, w.reported = file, 0, false, ""
	if w.lost {
		w.lost = false
		w.send(Regained, nil)
	}
	w.send(kind, nil)
	w.grown()
}

// drain reports late writes to the open file, whose path may be gone: a writer that holds a renamed
// file continues to write to it.
func (w *watcher) drain() {
	if w.file == nil {
		return
	}
	if same, err := w.file.Refresh(); same && err == nil {
		w.grown()
	}
}

func (w *watcher) grown() {
	if size := w.file.Size(); size > w.size {
		w.size = size
		w.send(Grown, nil)
	}
}

func (w *watcher) refuse(err error) {
	if !errors.Is(err, fs.ErrPermission) {
		w.trouble(err)
		return
	}
	if !w.lost {
		w.lost = true
		w.send(Lost, err)
	}
}

// trouble reports err, once for as long as it lasts.
func (w *watcher) trouble(err error) {
	if w.reported != err.Error() {
		w.reported = err.Error()
		w.send(Trouble, err)
	}
}

func (w *watcher) send(kind Kind, err error) {
	w.queue = append(w.queue, fileEvent{Kind: kind, File: w.file, Size: w.size, Err: err})
}

// retire leaves a former file open for its readers, within limits: a log that is rotated for weeks
// must not use up the descriptors.
func (w *watcher) retire(f *disk.File) {
	w.old = append(w.old, f)
	if len(w.old) > keepOld {
		w.old[0].Close()
		w.old = w.old[1:]
	}
}

// Close ends the watching and closes all files. Next must have returned.
func (w *watcher) Close() error {
	var err error
	if w.notify != nil {
		err = w.notify.Close()
	}
	for _, f := range w.old {
		f.Close()
	}
	w.old = nil
	if w.file != nil {
		err = errors.Join(err, w.file.Close())
	}
	return err
}
