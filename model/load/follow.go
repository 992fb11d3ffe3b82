package load

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"turns/model"
	"turns/model/source"
	"turns/model/source/disk"
)

// Update is the state of a conversation after a change.
type Update struct {
	Snap    *model.Snapshot
	Preview bool    // Snap is a window; its numbers are not final
	Indexed float64 // share of the source in Snap, 0 to 1
	Growing bool    // more may follow
	Waiting bool    // the file does not exist (yet)
	Event   Event   // a change of the file, apart from new bytes
	Bytes   int64
	Err     error // the part that turns could not read, and why
}

// EventKind is the kind of a change of a followed file.
type EventKind uint8

// The kinds of events. After Truncated, Replaced, Recognised and Continued, and after Appeared if
// there was a file before, the conversation is another one.
const (
	NoEvent EventKind = iota
	Truncated
	Replaced
	Recognised // as another format
	Continued  // the last message of a text that seemed complete
	Appeared
	Gone
	Lost // its permission was removed
	Regained
)

// Event is a change of a followed file.
type Event struct {
	Kind   EventKind
	Format string // title of a Recognised format
}

// Word names the event, without its consequences.
func (e Event) Word() string {
	if e.Kind == Recognised {
		return "RECOGNISED AS " + e.Format
	}
	return [...]string{
		NoEvent: "", Truncated: "TRUNCATED", Replaced: "REPLACED", Continued: "CONTINUED", Appeared: "APPEARED", Gone: "GONE",
		Lost: "PERMISSION LOST", Regained: "READABLE AGAIN",
	}[e.Kind]
}

// String returns the event in words, with its consequences; "" for NoEvent.
func (e Event) String() string {
	switch e.Kind {
	case Truncated, Replaced, Recognised, Continued:
		return e.Word() + ", read again"
	case Gone:
		return e.Word() + ", what was read stays"
	}
	return e.Word()
}

// Restarts reports whether the file has another conversation now; known means that it had one.
func (e Event) Restarts(known bool) bool {
	switch e.Kind {
	case Truncated, Replaced, Recognised, Continued:
		return true
	}
	return e.Kind == Appeared && known
}

// For speed only: previewSize is the size of the window shown before the index exists.
const previewSize = 256 << 10

// For speed only: snapshotEvery is the number of indexed bytes between two snapshots.
const snapshotEvery = 64 << 20

// Next waits for the next change and returns the state after it. For a large source the first
// update is a preview of the beginning. After the last change of a source without following, the
// error is io.EOF.
func (c *Conversation) Next(ctx context.Context) (Update, error) {
	ctx, done, err := c.enter(ctx)
	if err != nil {
		return Update{}, err
	}
	defer done()
	if c.ended && c.begun {
		return Update{}, io.EOF
	}
	for {
		ev, err := c.next(ctx)
		if err != nil {
			return Update{}, err
		}
		u, ok, err := c.update(ctx, ev)
		if err != nil || ok {
			return u, err
		}
	}
}

// next returns the event in progress, or the source's next one.
func (c *Conversation) next(ctx context.Context) (source.Event, error) {
	if c.index.off+c.index.tail < c.size && !c.ended { // a large event is processed in steps
		return source.Event{Kind: source.Grown, Size: c.size}, nil
	}
	if len(c.agents) > 0 && !c.ended {
		return c.nextWithAgents(ctx)
	}
	if wait, ok := c.settles(); ok {
		ev, err := c.nextWithin(ctx, wait)
		if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
			c.settled, c.settledAt = true, c.index.off
			return source.Event{Kind: source.Grown, Size: c.size}, nil
		}
		return ev, err
	}
	ev, err := c.src.Next(ctx)
	if errors.Is(err, io.EOF) && !c.begun {
		return source.Event{Kind: source.Ended}, nil
	}
	return ev, err
}

// nextWithin waits so long for an event of the source. After it, the error is that of a deadline.
func (c *Conversation) nextWithin(ctx context.Context, wait time.Duration) (source.Event, error) {
	short, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	return c.src.Next(short)
}

// settledAfter is the age of a file's last change from which on its end also ends the last message
// of a text. Before, more of that message may follow.
const settledAfter = time.Minute

// settles returns how long the file of a text must stay unchanged until its last message counts as
// complete. It returns false if no message waits for that.
func (c *Conversation) settles() (wait time.Duration, ok bool) {
	file, ok := c.src.Stream().(*disk.File)
	if !ok || c.index.split == nil || c.index.tail == 0 || c.ended || c.settled {
		return 0, false
	}
	info, err := os.Stat(file.Path())
	if err != nil {
		return 0, false
	}
	return max(0, settledAfter-time.Since(info.ModTime())), true
}

// goesOn reports whether the bytes up to size belong to the last message of a text that counted as
// complete, rather than to the next one.
func (c *Conversation) goesOn(size int64) bool {
	buf := make([]byte, min(size, c.size+firstLineMax)-c.settledAt)
	if _, err := c.src.Stream().ReadAt(buf, c.settledAt); err != nil && !errors.Is(err, io.EOF) {
		return true
	}
	split, end := c.format.Split(c.match), int(c.size-c.settledAt)
	for at := 0; ; {
		_, n := split.Split(buf[at:], false)
		if at += n; n == 0 || at >= end {
			return n == 0 || len(bytes.TrimSpace(buf[end:at])) > 0
		}
	}
}

// agentsEvery is the polling interval for the files of subagents while their conversation is idle.
const agentsEvery = time.Second

// nextWithAgents waits for the source, and polls the subagents meanwhile.
func (c *Conversation) nextWithAgents(ctx context.Context) (source.Event, error) {
	for {
		ev, err := c.nextWithin(ctx, agentsEvery)
		if err == nil || ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
			return ev, err
		}
		if changed, err := c.advanceAgents(ctx); err != nil || changed {
			return source.Event{Kind: source.Grown, Size: c.size}, err
		}
	}
}

func (c *Conversation) update(ctx context.Context, ev source.Event) (Update, bool, error) {
	var event Event
	switch ev.Kind {
	case source.Grown:
		if c.settled && ev.Size > c.size {
			if c.settled = false; c.goesOn(ev.Size) {
				if err := c.again(); err != nil {
					return Update{}, false, err
				}
				event = Event{Kind: Continued}
			}
		}
		again, err := c.judgeAgain(&ev)
		if err != nil {
			return Update{}, false, err
		}
		if again && c.snap != nil && c.snap.Rows() > 0 {
			event = Event{Kind: Recognised, Format: c.format.Title}
		}
		c.size = ev.Size
		c.state.Waiting = false
		if err := c.step(ctx); err != nil {
			return Update{}, false, err
		}
	case source.Truncated:
		event.Kind = Truncated
	case source.Replaced:
		event.Kind = Replaced
	case source.Appeared:
		event.Kind = Appeared
		c.state.Waiting = false
	case source.Gone:
		event.Kind = Gone
		c.state.Waiting = true
	case source.Lost:
		event.Kind = Lost
	case source.Regained:
		event.Kind = Regained
		c.state.Waiting = false
	}
	if ev.Kind != source.Grown {
		if err := c.take(ctx, ev); err != nil {
			return Update{}, false, err
		}
	}
	if c.index.off+c.index.tail >= c.size {
		if err := c.loadAgents(ctx); err != nil {
			return Update{}, false, err
		}
	}
	c.snap = c.builder.Snapshot()
	c.state.Snap, c.state.Event = c.snap, event
	c.state.Preview = !c.begun && c.index.off+c.index.tail < c.size
	c.state.Indexed = 1
	if c.size > 0 {
		c.state.Indexed = float64(c.index.off+c.index.tail) / float64(c.size)
	}
	c.state.Growing, c.state.Bytes, c.state.Err = !c.ended, c.size, cmp.Or(c.trouble, c.err)
	c.begun = true
	return c.state, true, nil
}

// firstLineMax limits the size of an incomplete first line that is checked again each time it
// grows.
const firstLineMax = 1 << 20

// unknown reports whether the format (or the variant of a chosen one) was guessed without a
// complete record: the file was empty, or its first line incomplete.
func (c *Conversation) unknown() bool {
	return c.index.off == 0 && c.index.tail < firstLineMax && (c.opts.Format != "" || c.format.Name == recordsName)
}

// judgeAgain starts again, and reports it, if the new bytes lead to another format: as long as the
// sample for detection grows, the format must be the one that opening the source would find. A file
// that was truncated meanwhile has bytes of another conversation: the next event reports that, and
// then turns detects the format.
func (c *Conversation) judgeAgain(ev *source.Event) (again bool, err error) {
	if c.src.Framed() {
		return c.reopen(ev)
	}
	judged := c.judged
	if !c.unknown() && !c.other() {
		return false, nil
	}
	if file, ok := c.src.Stream().(*disk.File); ok && !file.Holds() {
		c.judged = judged
		return false, nil
	}
	if err := c.again(); err != nil {
		return true, err
	}
	ev.Size = min(ev.Size, c.src.Stream().Size()) // it may be unrolled from now on
	return true, nil
}

// other reports whether the new lines lead to another format.
func (c *Conversation) other() bool {
	if c.opts.Format != "" || c.judged >= source.SampleRecords {
		return false
	}
	sample := c.src.Sample()
	if len(sample.Records) <= c.judged {
		return false
	}
	was, match, shape := c.format, c.match, c.shape
	c.recognise(nil)
	found, now := c.format, c.match
	c.format, c.match, c.shape = was, match, shape
	return found.Name != was.Name || now.Variant != match.Variant || c.src.Framed() && sample.Shape != c.shape
}

// reopen opens a followed file again, and reports it, if it was read as a one-line document and the
// new lines show that it is something else.
func (c *Conversation) reopen(ev *source.Event) (again bool, err error) {
	if shape := c.shape; !c.opts.Follow || shape != model.Lines && shape != model.Document || c.src.Path() == "" || !c.other() {
		return false, nil
	}
	src, err := source.Open(c.life, c.src.Path(), c.opts.source())
	if err != nil {
		return false, nil // the next event reports it
	}
	if c.former != nil {
		_ = c.former.Close() // no snapshot of it is in use
	}
	c.src.Stop() // the screen reads from it
	c.former, c.src = c.src, src
	if err := c.again(); err != nil {
		return true, err
	}
	ev.Size = 0
	if !c.src.Framed() {
		ev.Size = c.src.Stream().Size()
	}
	return true, nil
}

// step indexes a part of the available bytes: little at first, for a quick first screen, then more.
func (c *Conversation) step(ctx context.Context) error {
	if err := c.loadBase(ctx); err != nil {
		return err
	}
	end := c.index.off + snapshotEvery
	if !c.begun {
		end = c.index.off + previewSize
	}
	if c.index.tail > 0 { // a line that is longer than a step, or incomplete
		end += c.index.tail
	}
	end = min(end, c.size)
	if err := c.advance(ctx, end, c.settled && end == c.size); c.index.torn(err) {
		// the index keeps its rows; the next event reports the cause
		c.size, c.index.tail = c.index.off, 0
		return nil
	} else if err != nil {
		return fmt.Errorf("indexing %q: %w", c.Name(), err)
	}
	if end == c.size {
		c.index.tail = c.size - c.index.off
	}
	return nil
}
