package shape

import (
	"bufio"
	"context"
	"io"

	"turns/export"
	"turns/query"
	"turns/query/describe"
	"turns/query/redact"
)

// WriteJSON writes an array of messages.
func WriteJSON(ctx context.Context, w io.Writer, view describe.View, opts export.Options) (export.Report, error) {
	return writeShaped(ctx, w, view.Selection, &opts, shaped{indent: max(opts.Indent, 0), array: true})
}

// WriteJSONL writes one message per line.
func WriteJSONL(ctx context.Context, w io.Writer, view describe.View, opts export.Options) (export.Report, error) {
	return writeShaped(ctx, w, view.Selection, &opts, shaped{})
}

// WriteDict writes the original messages with _metadata added to each.
func WriteDict(ctx context.Context, w io.Writer, view describe.View, opts export.Options) (export.Report, error) {
	if err := opts.Verbatim(); err != nil {
		return export.Report{}, err
	}
	opts.Metadata = false
	return writeShaped(ctx, w, view.Selection, &opts, shaped{indent: max(opts.Indent, 0), array: true, dict: true})
}

// shaped is the arrangement of the elements in the file.
type shaped struct {
	indent      int
	array, dict bool
}

func writeShaped(ctx context.Context, w io.Writer, sel query.Selection, opts *export.Options, how shaped) (export.Report, error) {
	var report export.Report
	var tokens *query.TokenColumn
	if opts.Metadata || how.dict {
		var err error
		if tokens, err = opts.Tokens(ctx, sel); err != nil {
			return report, err
		}
	}
	metadata := metadataName
	if opts.Metadata || how.dict {
		var err error
		if metadata, err = freeMetadata(ctx, sel); err != nil {
			return report, err
		}
	}
	around, err := conversations(ctx, sel)
	if err != nil {
		return report, err
	}
	var secrets *redact.Redactor
	if opts.Redact {
		secrets = redact.New()
	}
	sep, depth := "\n", 0
	if how.array {
		depth = 1
		sep = string(appendLine([]byte{','}, how.indent, depth))
	}
	p := newPipe(w, sel, sep, opts.Workers)
	shapers := make([]*shaper, p.workers)
	facts := factsOf(sel)
	encoders := make([]encoder, p.workers)
	for i := range shapers {
		shapers[i] = &shaper{
			opts: opts, snap: sel.Snap, tokens: tokens, reader: NewItemReader(sel.Snap), redact: secrets,
			layout: Layout{how.indent}, sep: sep, depth: depth, dict: how.dict, metadata: metadata, conversations: around, facts: facts, chat: chatFormat(sel.Snap.Format()), cut: Splicer{Snap: sel.Snap, Source: -1},
		}
		encoders[i] = shapers[i]
	}
	frame := &frame{w: bufio.NewWriterSize(w, 4<<10), how: how}
	p.w = frame
	err = p.write(ctx, encoders)
	if err == nil {
		err = frame.end()
	}
	for _, s := range shapers {
		report.Messages += s.written
		report.Secrets += s.secrets
	}
	s := sum(shapers)
	report.Unreadable(sel.Snap)
	if !how.dict {
		noteLeftOut(&report, sel)
	}
	report.NoteCount(s.outside, "%s left out", "tool message")
	report.NoteCount(s.thoughts, "%s nothing but reasoning and left out", "message was", "messages were")
	report.NoteCount(s.clashes, "%s index or token_count already; the export's are in _metadata there", "message has", "messages have")
	report.NoteCount(s.concluded, "%s without is_error: only the text or a later result shows the failure", "failed result")
	report.NoteCount(s.shared, "%s in one record with the message before and written in the common shape", "message is", "messages are")
	return report, err
}

func sum(shapers []*shaper) (s shaper) {
	for _, x := range shapers {
		s.outside += x.outside
		s.clashes += x.clashes
		s.thoughts += x.thoughts
		s.shared += x.shared
		s.concluded += x.concluded
	}
	return s
}

// frame writes the brackets of an array around its input, which arrives in large pieces.
type frame struct {
	w     *bufio.Writer
	how   shaped
	wrote bool
}

func (f *frame) Write(b []byte) (int, error) {
	if err := f.begin(); err != nil {
		return 0, err
	}
	return f.w.Write(b)
}

func (f *frame) begin() error {
	if f.wrote {
		return nil
	}
	f.wrote = true
	if !f.how.array {
		return nil
	}
	_, err := f.w.Write(appendLine([]byte{'['}, f.how.indent, 1))
	return err
}

func (f *frame) end() error {
	switch {
	case !f.wrote && f.how.array:
		f.w.WriteString("[]\n")
	case f.how.array:
		f.w.WriteString("\n]\n")
	case f.wrote:
		f.w.WriteString("\n")
	}
	return f.w.Flush()
}
