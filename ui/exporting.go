package ui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"turns/export"
	"turns/model"
	"turns/query"
)

// exportWhat is what an export holds.
type exportWhat uint8

const (
	exportView exportWhat = iota
	exportSelection
	exportItem
	exportAll
	exportWhats
)

// exportChoices are what the reader chose last, for the dialog and for exporting without asking.
type exportChoices struct {
	format                               string
	reasoning, results, agents, injected bool
	metadata, relative                   bool
	redact                               map[bool]bool // by whether the format is for people
	cancel                               context.CancelFunc
}

// choices are those of the last export, or the first ones: Markdown with everything.
func (h *host) choices() *exportChoices {
	if h.exports == nil {
		h.exports = &exportChoices{format: "markdown", reasoning: true, results: true, agents: true, injected: true, relative: true, redact: map[bool]bool{true: true, false: false}}
	}
	return h.exports
}

// stopExport stops an export that runs.
func stopExport(h *host) bool {
	if h.exports == nil || h.exports.cancel == nil {
		return false
	}
	h.exports.cancel()
	h.exports.cancel = nil
	return true
}

// exportJob is an export as it was chosen, apart from the screen so that a command can run it.
type exportJob struct {
	view   query.View
	format export.Format
	opts   export.Options
	inject bool // with text that a program put into the user's mouth
	agents bool // with what subagents said
}

// job makes an export of what is chosen. item is the row of the cursor.
func (h *host) job(ctx context.Context, what exportWhat, c *exportChoices) (exportJob, error) {
	f, err := export.Find(c.format)
	if err != nil {
		return exportJob{}, err
	}
	j := exportJob{view: h.exportView(ctx, what), format: f, inject: c.injected || !f.People, agents: c.agents}
	j.opts = export.Options{
		Metadata: c.metadata, Redact: c.redact[f.People], Absolute: !c.relative || !f.People, NoReasoning: !c.reasoning, NoResults: !c.results,
		Now: h.opts.now(), Zone: h.zone, Home: h.opts.Home,
	}
	if !f.People && strings.HasPrefix(f.Name, "json") {
		j.opts.Indent = 2
	}
	if h.tokens != nil {
		j.opts.Counter = &query.Counter{Column: h.tokens, Encoding: h.opts.Encoding, New: h.opts.Counter}
	} else if c.metadata && h.opts.Counter != nil {
		j.opts.Counter = &query.Counter{Encoding: h.opts.Encoding, New: h.opts.Counter}
	}
	return j, nil
}

// exportView is what an export may show.
func (h *host) exportView(ctx context.Context, what exportWhat) query.View {
	switch what {
	case exportSelection:
		return query.NewView(h.request.selection(), h.match())
	case exportItem:
		id, call := h.request.selected()
		return h.itemView(ctx, id, call)
	case exportView:
		if h.view.on && h.view.result != nil {
			return query.NewView(h.view.result.Selection(h.snap), h.view.result)
		}
	}
	return query.NewView(query.Everything(h.snap), nil)
}

// match is what the filter let through, nil where everything of a message is on the screen.
func (h *host) match() *query.Result {
	if h.view.on && h.view.around == 0 {
		return h.view.result
	}
	return nil
}

// itemView is one row: a message, or a call with its result and nothing else of their messages.
func (h *host) itemView(ctx context.Context, id model.ID, call model.CallID) query.View {
	sel := query.Selection{Snap: h.snap}
	if id != model.NoID {
		sel.IDs = []model.ID{id}
	}
	if call == noCall {
		return query.NewView(sel, nil)
	}
	c := h.snap.Call(call)
	sel.IDs = sel.IDs[:0]
	for _, m := range [...]model.ID{c.Msg, c.Result} {
		if m != model.NoID && (len(sel.IDs) == 0 || sel.IDs[0] != m) {
			sel.IDs = append(sel.IDs, m)
		}
	}
	if callID := h.callID(ctx, call); callID != "" {
		if f, err := query.Parse("id:" + query.Quote(callID)); err == nil {
			if r, err := query.Apply(ctx, sel, f, query.Env{}); err == nil && r.HasCall(call) {
				return query.NewView(r.Selection(h.snap), &r)
			}
		}
	}
	return query.NewView(sel, nil)
}

// callID is the recorded id of a call.
func (h *host) callID(ctx context.Context, call model.CallID) string {
	c, err := query.ReadCall(ctx, h.snap, call)
	switch {
	case err != nil:
		return ""
	case c.Call != nil:
		return c.Call.ID
	case c.Result != nil:
		return c.Result.ID
	}
	return ""
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

// kept are the messages without what was switched off.
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

// exportDir is where exports go.
func (h *host) exportDir() string {
	if h.opts.Dir != "" {
		return h.opts.Dir
	}
	return "."
}

// exportStem is the name of an export without number and extension: the session, and what of it.
func (h *host) exportStem(what exportWhat) string {
	name := h.session().Field("session")
	if name == "" {
		name = strings.TrimSuffix(filepath.Base(h.state.Path), filepath.Ext(h.state.Path))
	}
	if i := strings.IndexByte(name, '-'); i >= 8 && len(name) == 36 { // a UUID: its first group is enough
		name = name[:i]
	}
	part := "all"
	switch what {
	case exportSelection:
		part = "selection"
	case exportItem:
		id, _ := h.request.selected()
		part = "item"
		if n := h.snap.Pos(id); n >= 0 {
			part = strconv.Itoa(n)
		}
	case exportView:
		if h.view.on {
			part = filterSlug(h.view.filter)
		}
	}
	return slug(name, 40, "run") + "-" + part
}

// filterSlug is a filter as a part of a file name: what its first term asks for.
func filterSlug(f *query.Filter) string {
	out := slug(f.String(), 24, "view")
	f.Terms(func(t *query.Term, negated bool) bool {
		if len(t.Values) == 0 {
			return true
		}
		v := slug(t.Values[0].Text, 24, "")
		switch {
		case v == "":
			return true
		case negated:
			out = "without-" + v
		case t.Key == query.KeyIs && v == "error":
			out = "errors"
		default:
			out = v
		}
		return false
	})
	return out
}

// slug makes s fit for a file name.
func slug(s string, limit int, none string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '.':
			return r
		}
		return '-'
	}, s)
	for strings.Contains(s, "--") {
		s = strings.ReplaceAll(s, "--", "-")
	}
	if len(s) > limit {
		s = s[:limit]
	}
	if s = strings.Trim(s, "-."); s == "" {
		return none
	}
	return s
}

// freeName is the path with the lowest number that is not taken.
func freeName(dir, stem, ext string) string {
	for n := 1; ; n++ {
		path := filepath.Join(dir, stem+"-"+strconv.Itoa(n)+ext)
		if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) || n > 100_000 {
			return path
		}
	}
}

// countWriter counts what it passes on.
type countWriter struct {
	w io.Writer
	n int64
}

func (c *countWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// writeFile writes a file whole or not at all. Without overwrite a file that is there is an error (os.ErrExist).
func writeFile(path string, perm os.FileMode, overwrite bool, write func(w io.Writer) error) (size int64, err error) {
	if !overwrite {
		if _, err := os.Lstat(path); err == nil {
			return 0, fmt.Errorf("%s: %w", path, os.ErrExist)
		}
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return writeDevice(path, write)
	}
	f, err := Beside(path, perm)
	if err != nil {
		return 0, fmt.Errorf("writing %s: %w", path, err)
	}
	temp := f.Name()
	defer os.Remove(temp)
	c := &countWriter{w: f}
	if err = write(c); err == nil {
		err = f.Sync() // else a power cut could leave the name without the bytes
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return 0, err
	}
	if overwrite {
		err = os.Rename(temp, path)
	} else {
		err = os.Link(temp, path)
		if err != nil && !errors.Is(err, os.ErrExist) { // a file system without links
			err = os.Rename(temp, path)
		}
	}
	if err != nil {
		return 0, fmt.Errorf("writing %s: %w", path, err)
	}
	return c.n, nil
}

// writeDevice writes into what is no file, as /dev/null or a named pipe: a file put in its place would take it from everybody.
func writeDevice(path string, write func(w io.Writer) error) (size int64, err error) {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return 0, fmt.Errorf("writing %s: %w", path, err)
	}
	c := &countWriter{w: f}
	if err := errors.Join(write(c), f.Close()); err != nil {
		return 0, err
	}
	return c.n, nil
}

// wroteMsg is the end of an export.
type wroteMsg struct {
	text string
	err  error
}

// act says it in the status line.
func (m wroteMsg) act(a *app) tea.Cmd {
	if a.h.exports != nil {
		a.h.exports.cancel = nil
	}
	if m.err != nil {
		if errors.Is(m.err, context.Canceled) {
			return nil
		}
		return a.complain(oneLine(m.err.Error()))
	}
	a.say(m.text)
	return a.moved()
}

// exportNow exports at once with the last choices: the selection, else the view, under the next free name.
func exportNow(h *host) tea.Cmd {
	if h.snap == nil {
		return nil
	}
	c, what := h.choices(), exportView
	if h.request.selection().Len() > 0 {
		what = exportSelection
	}
	ctx, cancel := context.WithCancel(h.ctx)
	j, err := h.job(ctx, what, c)
	if err != nil {
		cancel()
		h.request.complain(oneLine(err.Error()))
		return nil
	}
	c.cancel = cancel
	dir, stem := h.exportDir(), h.exportStem(what)
	h.request.say("exporting …")
	return background(func() tea.Msg {
		defer cancel()
		for {
			path := freeName(dir, stem, j.format.Ext)
			msg := j.toFile(ctx, dir, path, false)
			if !errors.Is(msg.err, os.ErrExist) {
				return msg
			}
		}
	})
}

// toFile writes the export into a file and says what was written.
func (j *exportJob) toFile(ctx context.Context, dir, path string, overwrite bool) wroteMsg {
	var r export.Report
	size, err := writeFile(path, 0o600, overwrite, func(w io.Writer) (err error) {
		r, err = j.write(ctx, w)
		return err
	})
	return wroteMsg{wroteText(shownPath(dir, path), &r, size), err}
}

// shownPath is a path as the screen says it: ./ and its name within the folder of exports.
func shownPath(dir, path string) string {
	if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
		return oneLine("./" + rel)
	}
	return oneLine(path)
}

func wroteText(where string, r *export.Report, size int64) string {
	text := fmt.Sprintf("wrote %s: %s, %s", where, plural(r.Messages, "message", "messages"), model.SizeOf(size))
	if r.Secrets > 0 {
		text += ", " + plural(r.Secrets, "secret", "secrets") + " redacted"
	}
	for i, n := range r.Notes {
		if i == 2 {
			break
		}
		text += "; " + oneLine(n)
	}
	return text
}

// exportTable writes a table of a pane as Markdown under the next free name.
func exportTable(h *host, t *table, name string) tea.Cmd {
	text := t.markdown(100_000)
	return exportText(h, slug(name, 24, "table"), ".md", plural(t.n, "row", "rows"), func(context.Context) (string, error) { return text, nil })
}

// exportStats writes the statistics as JSON under the next free name.
func exportStats(h *host) tea.Cmd {
	if h.stats == nil {
		return nil
	}
	a := h.stats
	return exportText(h, "stats", ".json", "the statistics", func(context.Context) (string, error) { return jsonOf(a) })
}

func exportText(h *host, name, ext, what string, make func(ctx context.Context) (string, error)) tea.Cmd {
	dir, ctx := h.exportDir(), h.ctx
	stem := strings.TrimSuffix(h.exportStem(exportAll), "-all") + "-" + name
	return func() tea.Msg {
		text, err := make(ctx)
		if err != nil {
			return wroteMsg{err: err}
		}
		path := freeName(dir, stem, ext)
		size, err := writeFile(path, 0o600, false, func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		})
		return wroteMsg{fmt.Sprintf("wrote %s: %s, %s", shownPath(dir, path), what, model.SizeOf(size)), err}
	}
}
