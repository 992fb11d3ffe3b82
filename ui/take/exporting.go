package take

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"

	"turns/export"
	"turns/export/formats"
	"turns/export/outfile"
	"turns/model"
	"turns/query"
	"turns/query/describe"
	"turns/query/human"
	"turns/query/lang"
	"turns/ui/paint"
	"turns/ui/screen"
)

// exportContent is the content of an export.
type exportContent uint8

const (
	ExportView exportContent = iota
	exportSelection
	ExportItem
	ExportAll
	ExportTurn
	ExportContext
	ExportReading
	exportWhats
)

// exportChoices are the last choices, for the dialog and for exports without it.
type exportChoices struct {
	Format                               string
	reasoning, Results, agents, injected bool
	metadata, Relative, Labels           bool
	Anonymize                            bool
	Redact                               map[bool]bool // by export.Format.People
	cancel                               context.CancelFunc
}

// choices returns the last choices, initially Markdown with everything.
func (d *Desk) choices() *exportChoices {
	if d.Exports == nil {
		d.Exports = &exportChoices{Format: "markdown", reasoning: true, Results: true, agents: true, injected: true, Relative: true, Labels: true, Anonymize: d.H.Opts.Anonymize, Redact: map[bool]bool{true: true, false: false}}
	}
	return d.Exports
}

// Stop cancels a running export; false if there is none.
func (d *Desk) Stop() bool {
	if d.Exports == nil || d.Exports.cancel == nil {
		return false
	}
	d.Exports.cancel()
	d.Exports.cancel = nil
	return true
}

// exportJob is an export with its choices, independent of the screen so that a command can run it.
type exportJob struct {
	view   describe.View
	format export.Format
	opts   export.Options
	inject bool // include injected text
	agents bool // include subagents

	writing *sync.WaitGroup // of the Desk
}

// job makes an export with the choices.
func (d *Desk) job(ctx context.Context, what exportContent, c *exportChoices) (exportJob, error) {
	h := d.H
	f, err := formats.Find(c.Format)
	if err != nil {
		return exportJob{}, err
	}
	if what == ExportReading {
		f = readingFormat()
	}
	j := exportJob{view: d.exportView(ctx, what), format: f, inject: c.injected || !f.People, agents: c.agents, writing: &d.writing}
	j.opts = export.Options{
		Metadata: c.metadata, Redact: c.Redact[f.People], Absolute: !c.Relative || !f.People, NoReasoning: !c.reasoning, NoResults: !c.Results,
		Now: h.Opts.Time(), Zone: h.Zone, Home: h.Opts.Home,
	}
	if what == ExportContext && f.Provider {
		j.opts.UntilUser, j.opts.Before = true, d.contextEnd()
	}
	if c.Anonymize {
		j.opts.Names = d.replacing()
	}
	if c.Labels {
		j.opts.Labels = h.Labelled.Here
	}
	if !f.People && strings.HasPrefix(f.Name, "json") {
		j.opts.Indent = 2
	}
	if h.Tokens != nil {
		j.opts.Counter = &query.Counter{Column: h.Tokens, Encoding: h.Opts.Encoding, New: h.Opts.Counter}
	} else if c.metadata && h.Opts.Counter != nil {
		j.opts.Counter = &query.Counter{Encoding: h.Opts.Encoding, New: h.Opts.Counter}
	}
	return j, nil
}

// write runs the export.
func (j *exportJob) write(ctx context.Context, w io.Writer) (export.Report, error) {
	view := j.view
	if !j.inject || !j.agents {
		view.IDs = j.kept()
	}
	r, err := j.format.Write(ctx, w, view, j.opts)
	if err != nil {
		return r, fmt.Errorf("exporting as %s: %w", j.format.Name, err)
	}
	return r, nil
}

// kept returns the messages without the excluded ones.
func (j *exportJob) kept() []model.ID {
	s := j.view.Snap
	threads := s.Threads()
	out := make([]model.ID, 0, len(j.view.IDs))
	for _, id := range j.view.IDs {
		h := s.HeadRow(id)
		if (j.inject || h.Flags&model.Injected == 0) && (j.agents || threads[h.Thread].Main) {
			out = append(out, id)
		}
	}
	return out
}

// exportStem returns an export's file name without number and extension: session and content.
func (d *Desk) exportStem(what exportContent, anonymous bool) string {
	h := d.H
	name := h.Session().Field("session")
	name = cmp.Or(name, strings.TrimSuffix(filepath.Base(h.State.Path), filepath.Ext(h.State.Path)))
	// of a UUID, the first group is enough
	if i := strings.IndexByte(name, '-'); i >= 8 && len(name) == 36 {
		name = name[:i]
	}
	part := "all"
	switch what {
	case exportSelection:
		part = "selection"
	case ExportItem:
		id, _ := h.Rows.Selected()
		part = "item"
		if n := h.Snap.Pos(id); n >= 0 {
			part = strconv.Itoa(n)
		}
	case ExportTurn:
		part = d.turnName("-")
	case ExportContext:
		part = "context"
		if n := h.Snap.Pos(d.contextAt()); n >= 0 {
			part += "-" + strconv.Itoa(n)
		}
	case ExportReading:
		part = "reading"
	case ExportView:
		if h.View.On {
			part = FilterSlug(h.View.Filter)
		}
	}
	if names := d.replacing(); anonymous && names != nil {
		name = names.String(name)
	}
	return outfile.Slug(name, 40, "run") + "-" + part
}

// FilterSlug returns a part of a file name for a filter, from its first term.
func FilterSlug(f *lang.Filter) string {
	out := outfile.Slug(f.String(), 24, "view")
	f.Terms(func(t *lang.Term, negated bool) bool {
		if len(t.Values) == 0 {
			return true
		}
		v := outfile.Slug(t.Values[0].Text, 24, "")
		switch {
		case v == "":
			return true
		case negated:
			out = "without-" + v
		case t.Key == lang.KeyIs && v == "error":
			out = "errors"
		default:
			out = v
		}
		return false
	})
	return out
}

// ExportAs is ExportNow in another format, which becomes the default of later exports.
func (d *Desk) ExportAs(format string) tea.Cmd {
	d.choices().Format = format
	return d.ExportNow()
}

// ExportNow exports immediately with the last choices: the selection, otherwise the view, under the
// next free name.
func (d *Desk) ExportNow() tea.Cmd {
	h := d.H
	if h.Snap == nil {
		return nil
	}
	c, what := d.choices(), ExportView
	if h.Rows.Taken().Len() > 0 {
		what = exportSelection
	}
	ctx, cancel := context.WithCancel(h.Ctx)
	j, err := d.job(ctx, what, c)
	if err != nil {
		cancel()
		return h.Complain(paint.OneLine(err.Error()))
	}
	c.cancel = cancel
	dir, stem := h.ExportDir(), d.exportStem(what, c.Anonymize)
	h.ShowStatus("exporting …")
	return screen.Background(func() tea.Msg {
		defer cancel()
		for {
			path := outfile.FreeName(dir, stem, j.format.Ext)
			msg := j.toFile(ctx, dir, path, false)
			if !errors.Is(msg.Err, os.ErrExist) {
				return msg
			}
		}
	})
}

// toFile writes the export to a file and reports what it wrote.
func (j *exportJob) toFile(ctx context.Context, dir, path string, overwrite bool) screen.Wrote {
	var r export.Report
	j.writing.Add(1)
	defer j.writing.Done()
	if err := ctx.Err(); err != nil {
		return screen.Wrote{Err: err}
	}
	size, err := outfile.Write(path, 0o600, overwrite, func(w io.Writer) (err error) {
		r, err = j.write(ctx, w)
		return err
	})
	return screen.Wrote{Text: wroteText(screen.ShownPath(dir, path), &r, size), Err: err}
}

func wroteText(where string, r *export.Report, size int64) string {
	text := fmt.Sprintf("wrote %s: %s, %s", where, human.Plural(r.Messages, "message", "messages"), model.SizeOf(size)) + screen.RedactedNote(r.Secrets)
	for _, n := range r.Notes[:min(len(r.Notes), 2)] {
		text += "; " + paint.OneLine(n)
	}
	return text
}

// write writes a text under the next free name.
func (d *Desk) write(x screen.Export) tea.Cmd {
	dir, stem := d.H.ExportDir(), strings.TrimSuffix(d.exportStem(ExportAll, d.H.Opts.Anonymize), "-all")+"-"+outfile.Slug(x.Name, 24, "table")
	return func() tea.Msg {
		text := x.Text
		if x.Value != nil {
			var err error
			if text, err = jsonOf(x.Value); err != nil {
				return screen.Wrote{Err: err}
			}
		}
		text, secrets := d.clean(text)
		x.What += screen.RedactedNote(secrets)
		path := outfile.FreeName(dir, stem, x.Ext)
		size, err := outfile.WriteText(path, 0o600, text)
		return screen.Wrote{Text: fmt.Sprintf("wrote %s: %s, %s", screen.ShownPath(dir, path), x.What, model.SizeOf(size)), Err: err}
	}
}

// jsonOf returns an answer as formatted JSON.
func jsonOf(v any) (string, error) {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return "", fmt.Errorf("writing JSON: %w", err)
	}
	return string(b) + "\n", nil
}
