// Package library opens the transcript of an agent's session for a Go program. It is the one
// package to import: the rest of turns may change from version to version.
//
// A [Run] is a session, or some of its messages. [Open] reads a file, [Read] a reader, [Of]
// messages in memory:
//
//	run, err := library.Open("run.jsonl")
//	if err != nil {
//		return err
//	}
//	defer run.Close()
//	failed, err := run.Filter("role:tool is:error") // a smaller run
//	fmt.Println(failed.Len(), failed.Last(3))
//
// Filters are those of the command line ([Run.Filter]) or typed ([Run.Where]).
// [Run.Stats], [Run.Tools] and [Run.Turns] answer what happened, and [Run.Export] writes it.
package library

import (
	"context"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"turns/export"
	"turns/export/formats"
	"turns/model"
	"turns/model/load"
	"turns/model/token"
	"turns/query"
	"turns/query/describe"
	"turns/query/filter"
	"turns/query/label"
	"turns/query/lang"
	"turns/query/summary"
	"turns/ui/transcripts"
)

// Run is a conversation of an agent, or some of its messages. Filter, Slice and the
// like give smaller runs and leave the one that they were asked of as it is; all of
// them share what was read. A run is for use by several goroutines.
type Run struct {
	view describe.View
	all  query.Selection
	conv *load.Conversation // nil: the messages lie in memory
	said *label.Here        // what people said of it; nil: nobody asked
}

// Open reads a transcript: the path of a file, of a folder that is one, or a URL.
// Its format is found by what it holds. Close the run when its texts are not needed
// any more: they stay in the file and are read when they are asked for.
func Open(path string) (*Run, error) { return OpenWith(path, load.Options{}) }

// Read reads a transcript from r to its end.
func Read(r io.Reader) (*Run, error) { return OpenWith("-", load.Options{Stdin: r}) }

// OpenWith is Open for who wants to name the format, a session or limits.
func OpenWith(path string, o load.Options) (*Run, error) {
	ctx := context.Background()
	c, err := load.Open(ctx, path, o)
	if err != nil {
		return nil, err
	}
	s, err := c.Load(ctx)
	if err != nil {
		c.Close()
		return nil, err
	}
	r := whole(s)
	r.conv = c
	return r, nil
}

// Of is a run of messages that lie in memory. They need Role and Blocks only.
func Of(messages ...model.Message) *Run { return whole(model.FromMessages(messages)) }

func whole(s *model.Snapshot) *Run {
	sel := query.Everything(s)
	return &Run{view: describe.NewView(sel, nil), all: sel}
}

// Close frees what Open took. Runs that were made of this one end with it.
func (r *Run) Close() error {
	if r.conv == nil {
		return nil
	}
	return r.conv.Close()
}

// Filter is the messages that a query lets through, as it is typed after -q:
// role:tool tool:read_file text:"connection refused" /Error: \d+/. Terms that stand
// side by side must all hold; an empty query lets everything through.
func (r *Run) Filter(q string) (*Run, error) {
	f, err := lang.Parse(q)
	if err != nil {
		return nil, fmt.Errorf("reading the filter %q: %w", q, err)
	}
	res, err := filter.Apply(context.Background(), r.view.Selection, f, filter.Env{Now: time.Now(), Loc: time.Local, Labels: r.said})
	if err != nil {
		return nil, fmt.Errorf("filtering by %q: %w", q, err)
	}
	return r.seen(describe.NewView(res.Selection(r.all.Snap), &res)), nil
}

// Term is a part of a filter that needs no quoting.
type Term string

// Role is messages of any of these roles: system, user, assistant, tool, or what
// another format calls them. A role that nobody has lets nothing through.
func Role(names ...string) Term { return term("role", names) }

// Tool is calls of any of these tools and their results; * stands for anything.
func Tool(names ...string) Term { return term("tool", names) }

// Text is messages that hold one of these texts, whatever the case.
func Text(texts ...string) Term { return term("text", texts) }

func term(key string, values []string) Term {
	quoted := make([]string, len(values))
	for i, v := range values {
		if quoted[i] = v; key == "text" || lang.Quote(v) != v && !strings.Contains(v, "*") {
			quoted[i] = lang.Quote(v)
		}
	}
	return Term(key + ":" + strings.Join(quoted, ","))
}

// Where is the messages for which all terms hold.
func (r *Run) Where(terms ...Term) (*Run, error) {
	words := make([]string, len(terms))
	for i, t := range terms {
		words[i] = string(t)
	}
	return r.Filter(strings.Join(words, " "))
}

// Len is the number of messages.
func (r *Run) Len() int { return r.view.Len() }

// Slice is the messages from..to-1. Negative numbers count from the end, and what
// lies outside is cut off, as in Python.
func (r *Run) Slice(from, to int) *Run {
	return r.with(r.view.Slice(query.SliceSpec{From: from, To: to, HasFrom: true, HasTo: true}))
}

// First is the first n messages.
func (r *Run) First(n int) *Run { return r.with(r.view.First(n)) }

// Last is the last n messages.
func (r *Run) Last(n int) *Run { return r.with(r.view.Last(n)) }

func (r *Run) with(sel query.Selection) *Run {
	v := r.view
	v.Selection = sel
	return r.seen(v)
}

// seen is another view of the run.
func (r *Run) seen(v describe.View) *Run { return &Run{v, r.all, r.conv, r.said} }

// Labelled is the run with what a store says of it: filters ask for that (label:loop
// verdict:good) and exports show it.
func (r *Run) Labelled(l *transcripts.Labels) (*Run, error) {
	path := "-"
	if r.conv != nil {
		path = r.conv.Path()
	}
	here, err := l.Find(context.Background(), r.all.Snap, path)
	if err != nil {
		return nil, fmt.Errorf("looking for the places of labels: %w", err)
	}
	next := r.seen(r.view)
	next.said = here
	return next, nil
}

// At is message i of the run, from 0; negative numbers count from the end.
func (r *Run) At(i int) (*model.Message, error) {
	n := i
	if n < 0 {
		n += r.Len()
	}
	if n < 0 || n >= r.Len() {
		return nil, fmt.Errorf("no message %d: the run has %d", i, r.Len())
	}
	return r.body(r.view.IDs[n])
}

// Messages is all messages in order. It ends with the first one that cannot be read.
func (r *Run) Messages() iter.Seq2[*model.Message, error] {
	return func(yield func(*model.Message, error) bool) {
		for _, id := range r.view.IDs {
			if m, err := r.body(id); !yield(m, err) || err != nil {
				return
			}
		}
	}
}

func (r *Run) body(id model.ID) (*model.Message, error) {
	return r.all.Snap.Body(context.Background(), id)
}

// String is the run as linear text, as --to text writes it.
func (r *Run) String() string {
	var b strings.Builder
	if err := r.Export(&b, "text", export.Options{}); err != nil {
		return err.Error()
	}
	return b.String()
}

// Stats is the messages, tokens, calls, errors and times of the run. Tokens are
// counted as the model does that the transcript names.
func (r *Run) Stats() (*summary.StatsAnswer, error) {
	return summary.Stats(context.Background(), r.view.Selection, r.counter())
}

func (r *Run) counter() *query.Counter {
	name := ""
	if sessions := r.all.Snap.Sessions(); len(sessions) > 0 {
		name = sessions[0].Field("model")
	}
	enc := token.ForModel(name)
	return &query.Counter{New: func() query.TokenCounter { return token.New(enc) }, Encoding: enc.String()}
}

// Export writes the run in one of the formats that formats.Names lists: json, dict,
// markdown, csv, html, and those of providers. The zero Options will do.
func (r *Run) Export(w io.Writer, format string, o export.Options) error {
	f, err := formats.Find(format)
	if err != nil {
		return err
	}
	if o.Counter == nil {
		o.Counter = r.counter()
	}
	if o.Labels == nil {
		o.Labels = r.said
	}
	_, err = f.Write(context.Background(), w, r.view, o)
	return err
}
