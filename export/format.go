package export

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"turns/model"
	"turns/query"
	"turns/query/describe"
	"turns/query/label"
)

// Format is a way of writing a selection.
type Format struct {
	Name     string // as it is typed after --to
	Help     string // what it is, in a line
	Ext      string // of a file, with its dot
	MIME     string
	Provider bool // a provider or a framework takes it
	People   bool // made to be read by people: cleaned, shortened paths, only what matched
	Write    func(ctx context.Context, w io.Writer, view describe.View, opts Options) (Report, error)
}

// Options say what an export holds. The zero value writes everything as it was
// recorded, JSON on one line, without token counts.
type Options struct {
	Metadata   bool     // json, jsonl: add index, token_count and timestamp
	Indent     int      // spaces a level of JSON; 0: everything on one line, or a message a line
	MaxContent int      // csv: characters of content; 0: all
	Columns    []string // csv: besides those that are always there
	CSVRaw     bool     // csv: leave cells that a spreadsheet would run as formulas
	Redact     bool     // replace credentials
	// results that stand at this position or behind it are not known yet; 0: all are
	Before   int
	Absolute bool // leave paths as they are
	// the selection is a part by place: formats for people leave results outside of it out
	Part        bool
	NoReasoning bool
	NoResults   bool    // leave out what tools answered
	Model       string  // of a request; "": the one that was recorded
	NoTools     bool    // a request declares no tools
	UntilUser   bool    // a request ends with the last prompt or result
	SDK         int     // version of the Vercel AI SDK; 0: the current one
	System      *string // in place of the system prompts; nil: they stay

	Now     time.Time      // the date of the export; zero: none is written
	Zone    *time.Location // of times for people; nil: UTC
	Counter *query.Counter // nil: no token counts
	// messages are written by so many at once; 0: as many as there are cores, at most 4
	Workers int

	Labels *label.Here // labels of people; nil: none

	Title  string // for people; "": what the session calls itself, or the name of its file
	Source string // where it comes from; "": the path of the transcript
	Home   string // what becomes ~; "": the home directory that the session's folder lies in
}

// Verbatim is an error where something is to be left out of messages that a format
// writes as they were recorded: who asks for it must not believe it was done.
func (o *Options) Verbatim() error {
	if o.NoReasoning || o.NoResults {
		return errors.New("records stay as they are, reasoning and results cannot be left out")
	}
	return nil
}

// Tokens counts the tokens of a selection; nil where nobody counts.
func (o *Options) Tokens(ctx context.Context, sel query.Selection) (*query.TokenColumn, error) {
	if o.Counter == nil || o.Counter.New == nil && o.Counter.Column == nil {
		return nil, nil
	}
	if o.Counter.New == nil || o.Counter.Column.Covers(sel) {
		return o.Counter.Column, nil
	}
	return query.CountTokens(ctx, sel, o.Counter)
}

// Report says what was written, and what was not.
type Report struct {
	Messages int
	Secrets  int      // credentials that were replaced
	Notes    []string // what was left out or changed, for stderr; each a line
}

// NoteCount adds a note about n things, where there are any. Its %s is "1 thing"
// or "2 things"; a plural that is not just an s more is given too.
func (r *Report) NoteCount(n int, format, one string, many ...string) {
	switch {
	case n == 0:
		return
	case n > 1 && len(many) > 0:
		one = many[0]
	case n > 1:
		one += "s"
	}
	r.Note(format, fmt.Sprintf("%d %s", n, one))
}

// Outside says what became of results that are not selected, and of which calls.
func (r *Report) Outside(ids []string, what string) {
	names := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return id == "" })
	of := strings.Join(names[:min(len(names), 5)], ", ")
	if len(names) > 5 {
		of += ", …"
	}
	if of != "" {
		of = " (" + of + ")"
	}
	switch n := len(ids); {
	case n == 1:
		r.Note("1 result%s is not selected, and was %s", of, what)
	case n > 1:
		r.Note("%d results%s are not selected, and were %s", n, of, what)
	}
}

// Unreadable says what could not be written since it could not be read.
func (r *Report) Unreadable(snap *model.Snapshot) {
	r.NoteCount(snap.Unreadable(), "%s left out; raw has all", "damaged record")
}

// Note adds a sentence to what the user is told once the export is written. It is worded as by
// fmt.Sprintf.
func (r *Report) Note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}
