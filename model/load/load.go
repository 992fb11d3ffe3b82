package load

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"

	"turns/model"
	"turns/model/format"
	"turns/model/format/dump"
	"turns/model/jsonspan"
	"turns/model/source"
	"turns/model/source/disk"
	"turns/model/stitch"
)

// Options configure Open. The zero value is useful.
type Options struct {
	Limits  model.Limits
	Format  string          // slug; "" detects it
	Formats []*model.Format // the user's own; detection tries them first
	Stdin   io.Reader
	Header  http.Header // for a URL
	Follow  bool        // continue at the end
	Agents  bool        // count the messages of subagents with separate transcripts
	// number of the only conversation to read, in a source with many; nil: all
	Session *int
	Workers int  // number of parallel parsers; 0: one for each core
	brief   bool // only the summaries of a store's conversations; not all formats support it
	// likely formats, shared by transcripts in one list; nil: none
	Hints  *Hints
	system disk.System
	// Progress is called now and then during Load, with the number of indexed bytes and the size.
	Progress func(done, size int64)
}

// Conversation is an opened transcript.
type Conversation struct {
	opts   Options
	src    *source.Source
	bodies *model.BodyCache
	format *model.Format
	match  model.Match
	judged int         // number of the sample's records at recognition
	shape  model.Shape // of the sample

	builder *stitch.Builder
	index   *indexer
	snap    *model.Snapshot
	size    int64
	ended   bool
	left    bool  // something is left out because of a limit
	err     error // permanent error for missing content
	trouble error // possibly temporary error
	state   Update
	begun   bool
	settled bool // the last message of a text counts as complete
	// offset of the messages of a text that counted as incomplete before
	settledAt int64
	agents    []*agentFile
	known     map[model.ChildRef]bool // children already searched for
	found     map[string]bool         // opened transcripts of subagents, by path
	looked    bool                    // for subagents without a call that names them
	// number of subagents with unreadable transcripts
	unopened int
	former   *source.Source   // source before a change of format; nil: none
	parents  []*source.Source // transcripts that this one continues
	based    bool             // the search for parents is done

	busy   sync.Mutex      // Load and Next lock it, so that Close waits for them
	life   context.Context // ends with Close
	end    context.CancelFunc
	closed bool
}

// Open opens a path, "-" or a URL and detects its format. Errors are those of the source, and an
// unknown format name.
func Open(ctx context.Context, arg string, opts Options) (*Conversation, error) {
	opts.Limits = opts.Limits.WithDefaults()
	if opts.Workers == 0 {
		opts.Workers = defaultWorkers()
	}
	var chosen *model.Format
	if opts.Format != "" {
		f, err := opts.find()
		if err != nil {
			return nil, err
		}
		chosen = f
	}
	src, err := source.Open(ctx, opts.Hints.wholeSession(arg), opts.source())
	if err != nil {
		return nil, err
	}
	c := &Conversation{opts: opts, src: src}
	c.newBodies()
	c.life, c.end = context.WithCancel(context.Background())
	c.recognise(chosen)
	if err := c.begin(); err != nil {
		c.end()
		src.Close()
		return nil, err
	}
	return c, nil
}

// source returns the options for opening the source.
func (opts *Options) source() source.Options {
	return source.Options{Limits: opts.Limits, Stdin: opts.Stdin, Header: opts.Header, Follow: opts.Follow, System: opts.system}
}

// find returns the format with the requested name, from the user's own or the known ones.
func (opts *Options) find() (*model.Format, error) {
	for _, f := range opts.Formats {
		if f.Name == opts.Format {
			return f, nil
		}
	}
	return format.Find(opts.Format)
}

// recognise detects the format. It also asks a chosen format, which may have variants.
func (c *Conversation) recognise(chosen *model.Format) {
	sample := c.src.Sample()
	c.judged, c.shape = len(sample.Records), sample.Shape
	if chosen == nil {
		if len(c.opts.Formats) > 0 {
			c.format, c.match = format.DetectAmong(c.opts.Formats, sample)
		} else {
			c.format, c.match = c.opts.Hints.detect(sample)
		}
		return
	}
	c.format, c.match = format.As(chosen, sample)
	c.match.Reason = cmp.Or(c.match.Reason, "chosen with --from or --format-file")
}

// begin starts the pipeline on the source's current stream.
func (c *Conversation) begin() error {
	plan := source.Plan{Unroll: c.format.Unroll, Only: c.opts.Session}
	if c.opts.brief {
		if plan.Unroll = briefUnroll(plan.Unroll); plan.Unroll == nil {
			return fmt.Errorf("listing %q as %s: %w", c.src.Name(), c.format.Title, errNotBrief)
		}
	}
	if c.format.Lists != nil {
		plan.Lists = c.format.Lists(c.match)
	}
	if !c.src.Framed() && c.splitter() == nil && needsUnroll(c.src.Shape(), plan) {
		if err := c.src.Unroll(plan); err != nil {
			return fmt.Errorf("reading %q as %s: %w", c.src.Name(), c.format.Title, err)
		}
	}
	c.restart()
	return nil
}

// reader returns a reader of records of the conversation's format, with its limits.
func (c *Conversation) reader() reader {
	return reader{format: c.format, variant: c.match.Variant, maxSize: c.opts.Limits.Record, blocks: c.opts.Limits.Blocks}
}

// splitter returns the function by which the format splits the stream; nil for lines.
func (c *Conversation) splitter() model.Splitter {
	if c.format.Split == nil {
		return nil
	}
	return c.format.Split(c.match)
}

func needsUnroll(shape model.Shape, plan source.Plan) bool {
	switch shape {
	case model.Document: // at least its lines become one
		return true
	case model.Database, model.Archive, model.Folder:
		return plan.Unroll != nil
	case model.Lines:
		// A document on one line looks like JSON Lines.
		return plan.Lists != nil || plan.Unroll != nil && plan.Unroll.Replay != nil
	}
	return false
}

// newBodies makes the cache of texts, which can also read files next to the transcript.
func (c *Conversation) newBodies() {
	c.bodies = model.NewBodyCache(c.opts.Limits.Bodies)
	c.bodies.Nearby = c.Fetch
}

// restart makes a new index for the source's current stream. Versions continue, so that the new
// conversation cannot be mistaken for the old.
func (c *Conversation) restart() {
	var version uint64
	if c.snap != nil {
		version = c.snap.Version()
		// rows restart at 0, and must not get the texts of old rows
		c.newBodies()
	}
	c.builder = stitch.New(c.format.Order, c.format.Repeats, c.bodies)
	c.builder.StartAt(version)
	c.builder.Bound(stitch.Bounds{Rows: c.opts.Limits.Records, Cells: c.opts.Limits.Rows})
	if c.opts.Session != nil {
		c.builder.Only(*c.opts.Session)
	}
	r := c.reader()
	r.framed = c.src.Framed()
	x := &indexer{reader: r, stream: c.src.Stream(), builder: c.builder, workers: c.opts.Workers, limits: c.opts.Limits, held: c.src.Beginning()}
	_, file := x.stream.(*disk.File)
	x.follows = file && c.opts.Follow
	if split := c.splitter(); split != nil {
		x.split, x.prose = split, true
	}
	parser := x.reader
	x.source = c.builder.AddSource(model.Source{
		Stream: x.stream, Path: c.src.Path(), Format: c.format.Name, Title: c.format.Title, Why: c.match.Reason,
		Variant: c.match.Variant, Framed: r.framed, Encoded: c.format.Encoded, Limit: r.maxSize,
		Parse: parser.parse,
	})
	c.closeAgents()
	c.closeBases()
	c.index = x
	c.size, c.ended = 0, false
}

// Format returns the format of the transcript, and the evidence for it.
func (c *Conversation) Format() (*model.Format, model.Match) { return c.format, c.match }

// Name returns the transcript's name for display.
func (c *Conversation) Name() string { return c.src.Name() }

// Path returns the transcript's path, "" for a pipe.
func (c *Conversation) Path() string { return c.src.Path() }

// Alone reports whether the transcript is one text file that continues no other file and has no
// subagents with separate files. Then its size and time show every change.
func (c *Conversation) Alone() bool {
	shape := c.src.Sample().Shape
	return len(c.agents)+len(c.parents) == 0 && (shape == model.Lines || shape == model.Document || shape == model.Prose)
}

// Load reads to the end of the file, or of a pipe until it closes. The snapshot is complete as far
// as the source is readable; the error reports the missing part.
func (c *Conversation) Load(ctx context.Context) (*model.Snapshot, error) {
	ctx, done, err := c.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	if c.opts.Progress != nil {
		c.index.after = func(off int64) { c.opts.Progress(off, max(c.size, off)) }
	}
	for !c.ended {
		ev, err := c.src.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if err := c.take(ctx, ev); err != nil {
			return nil, err
		}
	}
	if err := c.loadAgents(ctx); err != nil {
		return nil, err
	}
	c.snap = c.builder.Snapshot()
	return c.snap, c.err
}

// Maybe reports whether a message could contain one of the literals. It searches only recorded
// bytes, before anything is loaded, so that a transcript without them needs no index. It returns
// true for sources other than files whose records contain complete texts.
func (c *Conversation) Maybe(ctx context.Context, lits [][]byte) bool {
	file, ok := c.src.Stream().(*disk.File)
	if !ok || c.format.Deltas || c.format.Encoded || c.format.Base != nil {
		return true
	}
	return model.StreamMaybe(ctx, file, format.Recorded(lits)) || c.agentsMaybe(ctx, lits)
}

// take handles an event of the source.
func (c *Conversation) take(ctx context.Context, ev source.Event) error {
	switch ev.Kind {
	case source.Grown:
		if _, err := c.judgeAgain(&ev); err != nil {
			return err
		}
		c.size = ev.Size
		if err := c.loadBase(ctx); err != nil {
			return err
		}
		return c.advance(ctx, ev.Size, false)
	case source.Ended, source.Failed:
		c.ended = true
		err := c.advance(ctx, max(c.size, ev.Size), true)
		if ev.Kind == source.Failed && !c.left {
			c.err = ev.Err
			c.missing(ev.Err)
		}
		return err
	case source.Truncated, source.Replaced, source.Appeared:
		return c.again()
	case source.Lost, source.Trouble:
		c.trouble = ev.Err
	case source.Regained:
		c.trouble = nil
	}
	return nil
}

// advance indexes up to end, and records unreadable parts.
func (c *Conversation) advance(ctx context.Context, end int64, last bool) error {
	err := c.index.advance(ctx, end, last)
	if broken := c.index.damage.err(); broken != nil {
		c.err = broken
	}
	if err == nil && c.index.over != nil {
		c.leave(c.index.over)
	}
	return err
}

// again restarts after the source switched to another stream, or received its first bytes.
func (c *Conversation) again() error {
	var chosen *model.Format
	if c.opts.Format != "" {
		chosen = c.format
	}
	c.recognise(chosen)
	after := c.index.after
	c.err, c.trouble, c.settled = nil, nil, false
	err := c.begin()
	c.index.after = after
	return err
}

// enter begins work that Close cancels and waits for.
func (c *Conversation) enter(ctx context.Context) (context.Context, func(), error) {
	c.busy.Lock()
	if c.closed {
		c.busy.Unlock()
		return ctx, nil, os.ErrClosed
	}
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(c.life, cancel)
	return ctx, func() {
		stop()
		cancel()
		c.busy.Unlock()
	}, nil
}

// Close frees the resources of the conversation. After it, snapshots cannot read bodies. During a
// Next or Load in another goroutine it cancels them and waits for them.
func (c *Conversation) Close() error {
	c.end()
	c.busy.Lock()
	defer c.busy.Unlock()
	if c.closed {
		return nil
	}
	c.closed = true
	c.closeAgents()
	c.closeBases()
	if c.former != nil {
		_ = c.former.Close() // an error has no consequence: the file was only read
	}
	return c.src.Close()
}

// complete reports whether data consists of complete JSON values.
func complete(data []byte) bool {
	for len(bytes.TrimSpace(data)) > 0 {
		_, rest, err := jsonspan.Cut(data)
		if err != nil {
			return false
		}
		data = rest
	}
	return true
}

// Matched reports whether the format recognises the transcript, even if the user chose the format.
func (c *Conversation) Matched() bool { return c.match.Score > 0 }

// Sample returns the sample that the format was recognised from.
func (c *Conversation) Sample() *model.Sample { return c.src.Sample() }

// Rival returns a reading that competes with the current one; nil if there is none, or if the user
// chose the format.
func (c *Conversation) Rival() *format.Reading {
	if c.opts.Format != "" {
		return nil
	}
	return format.Rival(c.format, c.match, c.src.Sample())
}

// Others returns the other formats that recognise the transcript.
func (c *Conversation) Others() []format.Explained {
	all := format.Explain(c.src.Sample())
	others := all[:0]
	for _, e := range all {
		if e.Format != c.format {
			others = append(others, e)
		}
	}
	return others
}

// Facts prints the facts that the parser adds for each record, in order.
func (c *Conversation) Facts(ctx context.Context, w io.Writer) error {
	snap, err := c.Load(ctx)
	if snap == nil {
		return err
	}
	var facts model.Facts
	last := model.Ref{Off: -1}
	for i := range snap.PartCount() {
		ref := snap.Part(i).Ref
		if ref.Off == last.Off && ref.Source == last.Source {
			continue
		}
		last = ref
		src := snap.Sources()[ref.Source]
		line := make([]byte, ref.Len)
		if _, err := src.Stream.ReadAt(line, ref.Off); err != nil && !errors.Is(err, io.EOF) {
			fmt.Fprintf(w, "unreadable: %v\n", err)
			continue
		}
		rec := model.Record{Ref: ref, Data: line}
		if src.Framed {
			rec.List, rec.Data = source.CutRecord(line)
		}
		facts.Clear()
		if err := src.Parse(rec, &facts); err != nil {
			fmt.Fprintf(w, "unreadable: %v\n", err)
			continue
		}
		if err := dump.Write(w, &facts); err != nil {
			return err
		}
	}
	return err
}
