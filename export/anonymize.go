package export

import (
	"context"
	"errors"
	"fmt"
	"io"

	"turns/model"
	"turns/query"
	"turns/query/describe"
	"turns/query/redact"
)

// Anonymizing returns a format that replaces names if [Options.Names] is set. Formats for people
// receive texts without names, so that cutting a text never leaves a part of a name; in all formats
// turns also replaces names elsewhere, for example in the path of the transcript.
func Anonymizing(f Format) Format {
	write := f.Write
	f.Write = func(ctx context.Context, w io.Writer, view describe.View, opts Options) (Report, error) {
		if opts.Names == nil {
			return write(ctx, w, view, opts)
		}
		if err := LearnNames(ctx, opts.Names, view.Snap); err != nil {
			return Report{}, err
		}
		names := opts.Names.Redactor(false)
		if f.People {
			view.Snap = view.Snap.Mapped(names.String)
		}
		clean := names.Writer(w)
		report, err := write(ctx, clean, view, opts)
		return report, errors.Join(err, clean.Close())
	}
	return f
}

// LearnNames reads the names in the records of a conversation.
func LearnNames(ctx context.Context, names *redact.Names, snap *model.Snapshot) error {
	sources := snap.Sources()
	if len(sources) == 0 { // a conversation without records
		for _, id := range query.Everything(snap).IDs {
			m, err := snap.Body(ctx, id)
			if err != nil {
				return err
			}
			for i := range m.Blocks {
				names.Learn([]byte(m.Blocks[i].Text))
			}
		}
	}
	for i := range sources {
		src := &sources[i]
		names.Learn([]byte(src.Path))
		in := io.NewSectionReader(src.Stream, 0, src.Stream.Size())
		if err := names.LearnFrom(reader{ctx, in}); err != nil {
			return fmt.Errorf("reading the names in %q: %w", src.Path, err)
		}
	}
	return nil
}

// reader ends with its context.
type reader struct {
	ctx context.Context
	io.Reader
}

func (r reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}
