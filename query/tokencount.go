package query

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"

	"turns/model"
)

// TokenCounter counts the tokens of a text. It need not be safe for concurrent use.
type TokenCounter interface{ Count(text []byte) int }

// Counter configures the counting of tokens, and has the counts so far.
type Counter struct {
	New      func() TokenCounter // makes a counter for one worker; nil: only Column is used
	Encoding string              // name of the encoding, for answers
	Workers  int                 // how many count in parallel; 0 is 2
	// bytes of texts, ascending; called from one goroutine; may be nil
	Progress func(done, total int64)
	Column   *TokenColumn // counts of the same encoding so far; nil for none
}

// TextTokens are the tokens of a message, by kind of text.
type TextTokens struct {
	Content   uint32 // text
	Reasoning uint32
	Calls     uint32 // names and arguments of its calls
	Results   uint32
}

// Sum returns the tokens of all texts of a message: content, reasoning, tool names, arguments and
// results, with no overhead per message.
func (t TextTokens) Sum() int64 {
	return int64(t.Content) + int64(t.Reasoning) + int64(t.Calls) + int64(t.Results)
}

// CallTokens are the tokens of a call.
type CallTokens struct {
	Args   uint32 // the name of the tool and the arguments, as in [TextTokens.Calls]
	Result uint32
}

const notCounted = math.MaxUint32

// TokenColumn has the token counts of messages and calls. It never changes: counting more returns a
// new one.
type TokenColumn struct {
	version  uint64
	encoding string
	messages pages[TextTokens] // Content is notCounted if unknown
	calls    pages[CallTokens]
	Images   map[model.ID][]imageSize // images by message
}

// NewTokenColumn returns a column in which every message, and every call, has the same tokens:
// sizes for comparison, without reading a body.
func NewTokenColumn(s *model.Snapshot, encoding string, message TextTokens, call CallTokens) *TokenColumn {
	t := &TokenColumn{version: s.Version(), encoding: encoding}
	t.messages.grow(s.Rows(), message)
	t.calls.grow(s.CallCount(), call)
	return t
}

// Message returns the tokens of a message; ok is false if they were not counted.
func (t *TokenColumn) Message(id model.ID) (n TextTokens, ok bool) {
	if t == nil || int(id) >= t.messages.n {
		return TextTokens{}, false
	}
	n = *t.messages.row(int(id))
	if n.Content == notCounted {
		return TextTokens{}, false
	}
	return n, true
}

// Call returns the tokens of a call. A number is zero if the message of the arguments or the
// result was not counted; ok is false if neither was.
func (t *TokenColumn) Call(id model.CallID) (n CallTokens, ok bool) {
	if t == nil || int(id) >= t.calls.n {
		return CallTokens{}, false
	}
	n = *t.calls.row(int(id))
	ok = n.Args != notCounted || n.Result != notCounted
	if n.Args == notCounted {
		n.Args = 0
	}
	if n.Result == notCounted {
		n.Result = 0
	}
	return n, ok
}

// Encoding returns the name of the encoding.
func (t *TokenColumn) Encoding() string { return t.encoding }

// Covers reports whether the counts of every selected message are up to date.
func (t *TokenColumn) Covers(sel Selection) bool {
	if t == nil || t.version != sel.Snap.Version() {
		return false
	}
	for _, id := range sel.IDs {
		if _, ok := t.Message(id); !ok {
			return false
		}
	}
	return true
}

// CountTokens counts the messages of a selection and the messages with the results of their calls.
// It reuses the counts of c.Column for unchanged messages, and includes them in the result.
func CountTokens(ctx context.Context, sel Selection, c *Counter) (*TokenColumn, error) {
	t := c.Column.extend(sel.Snap)
	t.encoding = c.Encoding
	todo, total := t.missing(sel)
	if len(todo) == 0 {
		return t, ctx.Err()
	}
	run := tokenRun{snap: sel.Snap, todo: todo, counter: c, total: total}
	if err := run.count(ctx, t); err != nil {
		return nil, err
	}
	return t, nil
}

// extend returns a column for s that shares the unchanged pages.
func (t *TokenColumn) extend(s *model.Snapshot) *TokenColumn {
	next := &TokenColumn{version: s.Version(), Images: map[model.ID][]imageSize{}}
	if t != nil && t.version <= s.Version() && t.messages.n <= s.Rows() {
		next.messages, next.calls = t.messages.fork(), t.calls.fork()
		maps.Copy(next.Images, t.Images)
		for id := range s.Changed(t.version) {
			if int(id) < next.messages.n {
				next.messages.at(int(id)).Content = notCounted
			}
			delete(next.Images, id)
		}
	}
	next.messages.grow(s.Rows(), TextTokens{Content: notCounted})
	next.calls.grow(s.CallCount(), CallTokens{notCounted, notCounted})
	return next
}

// missing returns the messages to count, including the compactions in their threads, by arrival:
// the order in their source. total is about the number of bytes in their texts.
func (t *TokenColumn) missing(sel Selection) (todo []model.ID, total int64) {
	need := NewRowSet(sel.Snap, sel.IDs)
	for i := range sel.Snap.CallCount() {
		if c := sel.Snap.Call(model.CallID(i)); c.Msg != model.NoID && c.Result != model.NoID && need.Has(c.Msg) {
			need.Add(c.Result)
		}
	}
	needCompactions(sel, need)
	for i := range sel.Snap.Rows() {
		id := model.ID(i)
		if need.Has(id) && t.messages.row(i).Content == notCounted {
			todo = append(todo, id)
			total += int64(sel.Snap.HeadRow(id).Size)
		}
	}
	return todo, total
}

// needCompactions adds the compactions of the threads that have selected messages.
func needCompactions(sel Selection, need RowSet) {
	var threads []bool
	for _, e := range sel.Snap.Events() {
		if e.Op != model.Compact {
			continue
		}
		if threads == nil {
			threads = make([]bool, len(sel.Snap.Threads()))
			for _, id := range sel.IDs {
				threads[sel.Snap.HeadRow(id).Thread] = true
			}
		}
		if threads[sel.Snap.HeadRow(e.At).Thread] {
			need.Add(e.At)
		}
	}
}

// tokenRun is one run of counting. One goroutine reads the messages by arrival, so that it reads
// each record once. Several workers count; the caller's goroutine stores the numbers in the column.
type tokenRun struct {
	snap    *model.Snapshot
	todo    []model.ID
	counter *Counter
	total   int64
}

// tokenJob is a group of neighbouring messages, and then their tokens.
type tokenJob struct {
	ids    []model.ID
	counts []TextTokens
	calls  []callCount
	images []imageFound
	bytes  int64
}

type imageFound struct {
	id   model.ID
	size imageSize
}

type callCount struct {
	id     model.CallID
	result bool
	n      uint32
}

// For speed only: tokenJobBytes is the size of the texts that one worker counts at a time.
const tokenJobBytes = 128 << 10

func (r *tokenRun) count(ctx context.Context, t *TokenColumn) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	workers := r.counter.Workers
	if workers <= 0 {
		workers = 2
	}
	jobs, done := make(chan *tokenJob, workers), make(chan *tokenJob, workers)
	var reading, counting sync.WaitGroup
	reading.Go(func() {
		defer close(jobs)
		if err := r.jobs(ctx, jobs); err != nil {
			stop(err)
		}
	})
	for range workers {
		counting.Go(func() {
			worker := tokenWorker{snap: r.snap, counter: r.counter.New(), reader: r.snap.NewReader()}
			for job := range jobs {
				if err := worker.count(ctx, job); err != nil {
					stop(fmt.Errorf("counting tokens: %w", err))
				}
				done <- job
			}
		})
	}
	go func() {
		counting.Wait()
		close(done)
	}()
	var at int64
	for job := range done { // drain it even when stopped: no goroutine outlives the call
		t.put(job)
		at += job.bytes
		if r.counter.Progress != nil {
			r.counter.Progress(min(at, r.total), r.total)
		}
	}
	reading.Wait()
	return context.Cause(ctx)
}

// jobs splits the messages to count into jobs.
func (r *tokenRun) jobs(ctx context.Context, jobs chan<- *tokenJob) error {
	for from := 0; from < len(r.todo); {
		job := &tokenJob{}
		to := from
		for ; to < len(r.todo) && job.bytes < tokenJobBytes && to-from < 256; to++ {
			job.bytes += int64(r.snap.HeadRow(r.todo[to]).Size)
		}
		job.ids, from = r.todo[from:to], to
		select {
		case jobs <- job:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// put stores the numbers of a job.
func (t *TokenColumn) put(job *tokenJob) {
	for i, n := range job.counts {
		*t.messages.at(int(job.ids[i])) = n
	}
	for _, m := range job.images {
		t.Images[m.id] = append(t.Images[m.id], m.size)
	}
	for _, c := range job.calls {
		row := t.calls.at(int(c.id))
		if c.result {
			row.Result = c.n
		} else {
			row.Args = c.n
		}
	}
}

type tokenWorker struct {
	snap    *model.Snapshot
	counter TokenCounter
	reader  *model.Reader
	buf     []byte

	args, results []uint32 // of the current message
}

func (w *tokenWorker) count(ctx context.Context, job *tokenJob) error {
	job.counts = slices.Grow(job.counts, len(job.ids))
	for _, id := range job.ids {
		n, err := w.message(ctx, id, job)
		if err != nil {
			return err
		}
		job.counts = append(job.counts, n)
	}
	return nil
}

func (w *tokenWorker) text(t model.Text) uint32 {
	if t.Empty() {
		return 0
	}
	w.buf = t.Append(w.buf[:0])
	n := uint32(min(int64(w.counter.Count(w.buf)), notCounted-1))
	if cap(w.buf) > 1<<20 { // one huge text must not stay in memory
		w.buf = nil
	}
	return n
}

func (w *tokenWorker) message(ctx context.Context, id model.ID, job *tokenJob) (t TextTokens, err error) {
	blocks, err := w.reader.Blocks(ctx, id)
	if err != nil {
		return t, err
	}
	w.args, w.results = w.args[:0], w.results[:0]
	note := w.snap.HeadRow(id).Op == model.Compact
	for i := range blocks {
		b := &blocks[i]
		switch b.Kind {
		case model.Words:
			t.Content += w.text(b.Text)
		case model.Reasoning:
			t.Reasoning += w.text(b.Text)
		case model.ToolCall:
			n := w.text(b.Name) + w.text(b.Text)
			t.Calls += n
			w.args = append(w.args, n)
		case model.ToolResult:
			n := w.text(b.Text)
			t.Results += n
			w.results = append(w.results, n)
		case model.Media:
			if isImage(b) {
				job.images = append(job.images, imageFound{id, sizeOfImage(b)})
			}
		case model.OtherBlock:
			if note {
				t.Content += w.history(b.Text)
			}
		}
	}
	t.Calls -= w.repeated(id)
	switch {
	case len(w.args) > 0 && len(w.results) > 0: // the ids match results to calls
		m, err := w.snap.Body(ctx, id)
		if err != nil {
			return t, err
		}
		w.calls(m, w.args, w.results, job)
	case len(w.args)+len(w.results) > 0:
		w.calls(&model.Message{ID: id}, w.args, w.results, job)
	}
	return t, nil
}

// repeated returns the tokens of the calls that an earlier message already made: some agents write
// a call again in their next message.
func (w *tokenWorker) repeated(id model.ID) (n uint32) {
	rows := CallsOf(w.snap, id)
	if len(rows) >= len(w.args) || w.snap.HeadRow(id).Op != model.Say {
		return 0
	}
	made := make(map[uint32]bool, len(rows))
	for i := range rows {
		made[rows[i].Block] = true
	}
	for block, tokens := range w.args {
		if !made[uint32(block)] {
			n += tokens
		}
	}
	return n
}

// encryptedText is a field of a history that only its provider can read. Its number of tokens is
// unknown, so it is left out.
const encryptedText = "encrypted_content"

// history counts the texts of a history that a compaction put in place of the messages: the strings
// of the JSON, without its names.
func (w *tokenWorker) history(t model.Text) (n uint32) {
	d := json.NewDecoder(bytes.NewReader(t.Append(nil)))
	type level struct{ object, value bool }
	var open []level
	name := ""
	for {
		tok, err := d.Token()
		if err != nil {
			return n
		}
		top := len(open) - 1
		if top >= 0 && open[top].object && !open[top].value {
			if s, ok := tok.(string); ok {
				name, open[top].value = s, true
				continue
			}
		}
		switch v := tok.(type) {
		case json.Delim:
			if v == '}' || v == ']' {
				open = open[:top]
				continue
			}
			if top >= 0 {
				open[top].value = false
			}
			open = append(open, level{object: v == '{'})
			continue
		case string:
			if name != encryptedText && name != "type" && name != "role" && name != "id" {
				n += w.text(model.StringText(v))
			}
		}
		if top >= 0 {
			open[top].value = false
		}
	}
}

// calls assigns the tokens of a message's arguments and results to calls.
func (w *tokenWorker) calls(m *model.Message, args, results []uint32, job *tokenJob) {
	var at *places
	for _, c := range CallsOf(w.snap, m.ID) {
		if n := int(c.Block); n < len(args) {
			job.calls = append(job.calls, callCount{c.ID, false, args[n]})
		}
		if c.Result == m.ID {
			if at == nil {
				at = messagePlaces(w.snap, m)
			}
			id := ""
			if made := at.Call(c.ID); made >= 0 {
				id = m.Blocks[made].ID
			}
			if k := at.Rank(c.ID, id); k >= 0 && k < len(results) {
				job.calls = append(job.calls, callCount{c.ID, true, results[k]})
			}
		}
	}
	for k, c := range w.snap.Answers(m.ID) {
		if k < len(results) {
			job.calls = append(job.calls, callCount{c.ID, true, results[k]})
		}
	}
}
