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
	"turns/query/redact"
)

// Format is a way of writing a selection.
type Format struct {
	Name     string // as typed after --to
	Help     string // its description in one line
	Ext      string // of a file, including the dot
	Provider bool   // a format for a provider or a framework
	People   bool   // for people: cleaned, with shortened paths, and only the matching parts
	Write    func(ctx context.Context, w io.Writer, view describe.View, opts Options) (Report, error)
}

// Options are the settings of an export. The zero value writes everything as recorded, JSON on one
// line, without token counts.
type Options struct {
	Metadata   bool     // json, jsonl: add index, token_count and timestamp
	Indent     int      // spaces per level of JSON; 0: everything on one line, or one message per line
	MaxContent int      // csv: characters of content; 0: all
	Columns    []string // csv: additional columns
	CSVRaw     bool     // csv: leave cells that a spreadsheet would run as formulas
	Redact     bool     // replace credentials
	// replaces names of people, machines and private repositories; nil: they stay
	Names *redact.Names
	// results from this position on are still unknown; 0: all are known
	Before   int
	Absolute bool // leave paths unchanged
	// the selection is a range of messages: formats for people omit results outside it
	Part        bool
	NoReasoning bool
	NoResults   bool    // omit the output of tools
	Model       string  // of a request; "": as recorded
	NoTools     bool    // a request declares no tools
	UntilUser   bool    // a request ends with the last prompt or result
	SDK         int     // version of the Vercel AI SDK; 0: the current one
	System      *string // in place of the system prompts; nil: they stay

	Now     time.Time      // the date of the export; zero: no date
	Zone    *time.Location // of times for people; nil: UTC
	Counter *query.Counter // nil: no token counts
	// messages written in parallel; 0: the number of cores, at most 4
	Workers int

	Labels *label.Here // labels of people; nil: none

	Title  string // for people; "": the session's own title, or the name of its file
	Source string // origin of the session; "": the path of the transcript
	Home   string // folder shown as ~; "": the home directory above the session's folder
}

// Verbatim returns an error if the options omit parts of messages that a format writes as recorded,
// so that the user does not rely on it.
func (o *Options) Verbatim() error {
	if o.NoReasoning || o.NoResults {
		return errors.New("records stay as they are, reasoning and results cannot be left out")
	}
	return nil
}

// Tokens counts the tokens of a selection; nil without a counter.
func (o *Options) Tokens(ctx context.Context, sel query.Selection) (*query.TokenColumn, error) {
	if o.Counter == nil || o.Counter.New == nil && o.Counter.Column == nil {
		return nil, nil
	}
	if o.Counter.New == nil || o.Counter.Column.Covers(sel) {
		return o.Counter.Column, nil
	}
	return query.CountTokens(ctx, sel, o.Counter)
}

// Report is the result of an export: its counts and its omissions.
type Report struct {
	Messages int
	Secrets  int      // number of replaced secrets
	Notes    []string // omissions and changes, for stderr, one per line
	Over     string   // limit of a usual target that the export passed, also in Notes; "" for none
}

// NoteCount adds a note about n things, unless n is 0. Its %s is "1 thing" or "2 things"; many is
// the plural of nouns with other endings than s.
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

// Outside notes the fate of results outside of the selection, with the ids of their calls.
func (r *Report) Outside(ids []string, what string) {
	names := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return id == "" })
	of := strings.Join(names[:min(len(names), 5)], ", ")
	if len(names) > 5 {
		of += ", …"
	}
	if of != "" {
		of = " (" + of + ")"
	}
	switch n := len(ids); n {
	case 0:
	case 1:
		r.Note("1 result%s is not selected, and was %s", of, what)
	default:
		r.Note("%d results%s are not selected, and were %s", n, of, what)
	}
}

// Unreadable notes the unreadable records, which the export lacks.
func (r *Report) Unreadable(snap *model.Snapshot) {
	r.NoteCount(snap.Unreadable(), "%s left out; raw has all", "damaged record")
}

// Note adds a sentence for the user, formatted as by fmt.Sprintf.
func (r *Report) Note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}
