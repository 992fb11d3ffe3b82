package take

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"turns/export"
	"turns/export/formats"
	"turns/export/outfile"
	"turns/query/human"
	"turns/query/redact"
	"turns/ui/paint"
	"turns/ui/screen"
)

// Fields of the export dialog, in the order of Tab.
const (
	FieldWhat = iota
	FieldFormat
	FieldWith
	fieldSecrets
	fieldNames
	FieldPaths
	FieldTo
	fieldCount
)

// Destinations of an export.
const (
	ToFile = iota
	ToClipboard
	ToCommand
	toPlaces
)

var _ interface {
	screen.Beginner
	screen.Messenger
	screen.MouseDialog
	screen.ChoosingDialog
} = (*Dialog)(nil)

// Dialog asks what to export, in which format and where to. Size, number of secrets and preview
// come from a trial run in the background, which every change restarts.
type Dialog struct {
	h       *screen.Host
	desk    *Desk
	Choice  exportChoices
	What    exportContent
	Field   int
	With    int // check box under the cursor
	To      int
	Path    screen.Field
	command screen.Field
	plain   string // format before the content "context" changed it to a request; "" for none
	named   bool   // the user edited the path
	exists  string // existing path for which Enter was pressed once
	taken   bool   // the file exists

	labelled bool // the session has labels

	gen    int
	cancel context.CancelFunc
	trial  *trialMsg // nil: still running
	Where  string    // messages with secrets

	hot    hotSpots // of the last frame, for the mouse
	w      int
	RuleAt int // line of the rule above the preview
	From   int // first visible line of the preview
}

// trialMsg is the result of a trial run.
type trialMsg struct {
	dialog *Dialog
	gen    int
	head   string // beginning of the export, with secrets replaced
	size   int64
	more   bool // the trial stopped before the end
	tokens int64
	report export.Report
	names  []redact.Replaced // names to be replaced
	taken  bool              // the proposed file exists
	err    error
}

// whereMsg lists the messages with secrets.
type whereMsg struct {
	dialog *Dialog
	gen    int
	text   string
}

// NewDialog makes a dialog with the last choices.
func NewDialog(t *Desk) screen.Dialog {
	h := t.H
	d := &Dialog{h: h, desk: t, Choice: *t.choices(), labelled: len(h.Labelled.Here.All()) > 0}
	d.Choice.Redact = map[bool]bool{true: d.Choice.Redact[true], false: d.Choice.Redact[false]}
	d.Choice.cancel = nil
	if h.Rows.Taken().Len() > 0 {
		d.What = exportSelection
	}
	d.propose()
	return d
}

// Begin starts the first trial run.
func (d *Dialog) Begin() tea.Cmd { return d.try() }

func (d *Dialog) format() export.Format {
	if d.What == ExportReading {
		return readingFormat()
	}
	f, err := formats.Find(d.Choice.Format)
	if err != nil {
		f = formats.All()[0]
	}
	return f
}

// propose sets the file name, unless the user edited it.
func (d *Dialog) propose() {
	if !d.named {
		d.Path.Set(screen.ShownPath(d.h.ExportDir(), outfile.FreeName(d.h.ExportDir(), d.desk.exportStem(d.What, d.Choice.Anonymize), d.format().Ext)))
	}
}

// trialBytes is the size at which a trial run stops, trialHead that of the preview.
const (
	trialBytes = 32 << 20
	trialHead  = 4 << 10
)

var errEnough = errors.New("stopped after the preview")

// trialWriter stores the beginning of its input, counts the rest and stops at a limit.
type trialWriter struct {
	head []byte
	n    int64
}

func (t *trialWriter) Write(p []byte) (int, error) {
	if room := trialHead - len(t.head); room > 0 {
		t.head = append(t.head, p[:min(room, len(p))]...)
	}
	if t.n += int64(len(p)); t.n > trialBytes {
		return len(p), errEnough
	}
	return len(p), nil
}

// try returns the command of a trial run.
func (d *Dialog) try() tea.Cmd {
	d.gen++
	d.trial, d.Where, d.From = nil, "", 0
	if d.cancel != nil {
		d.cancel()
	}
	ctx, cancel := context.WithCancel(d.h.Ctx)
	d.cancel = cancel
	gen, path := d.gen, d.filePath()
	c := d.Choice
	j, err := d.desk.job(ctx, d.What, &c)
	if err != nil {
		cancel()
		d.trial = &trialMsg{err: err}
		return nil
	}
	j.opts.Redact = true // to count secrets; the preview never shows them
	j.opts.Names = nil
	if d.h.Opts.Names != nil {
		j.opts.Names = d.h.Opts.Names() // separate names, because they count
	}
	tokens := d.h.Tokens
	return func() tea.Msg {
		defer cancel()
		msg := trialMsg{dialog: d, gen: gen}
		w := &trialWriter{}
		msg.report, msg.err = j.write(ctx, w)
		if errors.Is(msg.err, errEnough) {
			msg.err, msg.more = nil, true
			msg.report.Messages = j.view.Len()
		}
		msg.head, msg.size = string(w.head), w.n
		if j.opts.Names != nil {
			msg.names = j.opts.Names.Replaced()
		}
		for _, id := range j.view.IDs {
			if t, ok := tokens.Message(id); ok {
				msg.tokens += t.Sum()
			}
		}
		_, serr := os.Lstat(path)
		msg.taken = serr == nil
		return msg
	}
}

// Message handles the results of the dialog's commands.
func (d *Dialog) Message(msg tea.Msg) tea.Cmd {
	switch m := msg.(type) {
	case trialMsg:
		if m.dialog == d && m.gen == d.gen {
			d.trial, d.taken = &m, m.taken
		}
	case whereMsg:
		if m.dialog == d && m.gen == d.gen {
			d.Where = m.text
		}
	}
	return nil
}

// showWhere returns the command that searches the messages with secrets.
func (d *Dialog) showWhere() tea.Cmd {
	ctx, gen := d.h.Ctx, d.gen
	view := d.desk.exportView(ctx, d.What)
	d.Where = "looking …"
	return func() tea.Msg {
		r := redact.New()
		var places []string
		n := 0
		for _, id := range view.IDs {
			m, err := view.Snap.Body(ctx, id)
			if err != nil {
				break
			}
			rules := map[string]bool{}
			for i := range m.Blocks {
				for _, f := range r.Find([]byte(m.Blocks[i].Text)) {
					rules[f.Rule] = true
				}
			}
			if len(rules) == 0 {
				continue
			}
			if n++; n <= 6 {
				places = append(places, human.Place(view.Snap.Pos(id))+" "+strings.Join(slices.Sorted(maps.Keys(rules)), " "))
			}
		}
		text := strings.Join(places, ", ")
		if n > 6 {
			text += fmt.Sprintf(" and %d more", n-6)
		}
		if n == 0 {
			text = "none in the texts"
		}
		return whereMsg{d, gen, text}
	}
}

// Key moves through the fields and changes them.
func (d *Dialog) Key(msg tea.KeyPressMsg) (bool, tea.Cmd) {
	name := screen.KeyName(msg)
	switch name {
	case "esc", "ctrl+c":
		if d.cancel != nil {
			d.cancel()
		}
		return true, nil
	case "enter":
		return d.enter()
	case "tab", "down":
		d.next(1)
		return false, nil
	case "shift+tab", "up":
		d.next(-1)
		return false, nil
	}
	if d.Field == FieldTo && d.To != ToClipboard {
		return false, d.typed(msg)
	}
	switch name {
	case "j":
		d.next(1)
		return false, nil
	case "k":
		if d.Field == fieldSecrets || d.secrets() > 0 {
			return false, d.change(fieldSecrets, 1)
		}
		d.next(-1)
		return false, nil
	case "s":
		return false, d.showWhere()
	case "a":
		return false, d.change(fieldNames, 1)
	case "right", "l":
		return false, d.change(d.Field, 1)
	case "left", "h":
		return false, d.change(d.Field, -1)
	case "space":
		if d.Field == FieldWith {
			d.toggle()
			return false, d.try()
		}
		return false, d.change(d.Field, 1)
	}
	return false, nil
}

// typed edits the path or the command; an arrow key at an end of the text changes the destination.
func (d *Dialog) typed(msg tea.KeyPressMsg) tea.Cmd {
	f := &d.Path
	if d.To == ToCommand {
		f = &d.command
	}
	switch name := screen.KeyName(msg); {
	case name == "right" && f.At == len(f.Text):
		return d.change(FieldTo, 1)
	case name == "left" && f.At == 0:
		return d.change(FieldTo, -1)
	}
	before := f.Text
	f.Key(msg)
	if d.To == ToFile && f.Text != before {
		d.named, d.exists = true, ""
		path := d.filePath()
		_, err := os.Lstat(path)
		d.taken = err == nil
	}
	return nil
}

func (d *Dialog) secrets() int {
	if d.trial == nil {
		return 0
	}
	return d.trial.report.Secrets
}

func (d *Dialog) next(dir int) {
	d.Field = (d.Field + dir + fieldCount) % fieldCount
	if d.Field == fieldNames && d.h.Opts.Names == nil {
		d.Field += dir
	}
}

// change changes a field.
func (d *Dialog) change(at, dir int) tea.Cmd {
	switch at {
	case FieldWhat:
		what := d.What
		for range exportWhats {
			what = (what + exportContent(dir) + exportWhats) % exportWhats
			if what != exportSelection || d.h.Rows.Taken().Len() > 0 {
				break
			}
		}
		d.choose(what)
	case FieldFormat:
		if d.What == ExportReading {
			return d.h.Complain("the reading mode is Markdown")
		}
		d.plain = ""
		names := formats.Names()
		i := slices.Index(names, d.Choice.Format)
		d.Choice.Format = names[(i+dir+len(names))%len(names)]
		d.propose()
	case FieldWith:
		n := len(d.boxes())
		d.With = (d.With + dir + n) % n
		return nil
	case fieldSecrets:
		people := d.format().People
		d.Choice.Redact[people] = !d.Choice.Redact[people]
		return nil
	case fieldNames:
		d.Choice.Anonymize = !d.Choice.Anonymize
		d.propose()
		return nil
	case FieldPaths:
		d.Choice.Relative = !d.Choice.Relative
	case FieldTo:
		d.To = (d.To + dir + toPlaces) % toPlaces
		return nil
	}
	return d.try()
}

// choose sets the content. A context is exported as a request, in the format of its provider.
func (d *Dialog) choose(what exportContent) {
	switch {
	case what == ExportContext && d.What != ExportContext && !d.format().Provider:
		d.plain, d.Choice.Format = d.Choice.Format, d.desk.requestFormat()
	case what != ExportContext && d.plain != "":
		d.Choice.Format, d.plain = d.plain, ""
	}
	d.What = what
	d.propose()
}

// checkBox is a check box of the dialog and its variable.
type checkBox struct {
	name string
	on   *bool
}

func (d *Dialog) boxes() []checkBox {
	c := &d.Choice
	boxes := []checkBox{{"reasoning", &c.reasoning}, {"results", &c.Results}, {"agents", &c.agents}, {"injected", &c.injected}, {"metadata", &c.metadata}}
	if d.labelled {
		boxes = append(boxes, checkBox{"labels", &c.Labels})
	}
	return boxes
}

func (d *Dialog) toggle() {
	b := d.boxes()[d.With]
	*b.on = !*b.on
}

// filePath returns the path to write.
func (d *Dialog) filePath() string {
	path := strings.TrimSpace(d.Path.Text)
	if rest, ok := strings.CutPrefix(path, "~/"); ok && d.h.Opts.Home != "" {
		return filepath.Join(d.h.Opts.Home, rest)
	}
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(d.h.ExportDir(), path)
}

// enter exports; it overwrites an existing file only after a second Enter.
func (d *Dialog) enter() (bool, tea.Cmd) {
	h := d.h
	path := d.filePath()
	if d.To == ToFile {
		if path == "" {
			h.Complain("no name for the file")
			return false, nil
		}
		if _, err := os.Lstat(path); err == nil && d.exists != path {
			d.exists, d.taken = path, true
			h.Complain(screen.ShownPath(h.ExportDir(), path) + " exists: ⏎ again overwrites it")
			return false, nil
		}
	}
	if d.To == ToCommand && strings.TrimSpace(d.command.Text) == "" {
		h.Complain("no command")
		return false, nil
	}
	if d.cancel != nil {
		d.cancel()
	}
	now, kept := d.Choice, d.Choice
	kept.Format = cmp.Or(d.plain, kept.Format)
	d.desk.Exports = &kept
	if d.To == ToCommand {
		return true, d.desk.pipeInto(d.What, &now, d.command.Text)
	}
	ctx, cancel := context.WithCancel(h.Ctx)
	j, err := d.desk.job(ctx, d.What, &now)
	if err != nil {
		cancel()
		h.Complain(paint.OneLine(err.Error()))
		return false, nil
	}
	d.desk.Exports.cancel = cancel
	overwrite := d.exists == path
	h.ShowStatus("exporting …")
	if d.To == ToClipboard {
		return true, screen.Background(func() tea.Msg {
			defer cancel()
			var b bytes.Buffer
			r, err := j.write(ctx, &b)
			if err != nil {
				return screen.Wrote{Err: err}
			}
			return screen.Copied{Text: b.String(), What: human.Plural(r.Messages, "message", "messages"), Secrets: r.Secrets, Over: r.Over}
		})
	}
	return true, screen.Background(func() tea.Msg {
		defer cancel()
		return j.toFile(ctx, h.ExportDir(), path, overwrite)
	})
}

// Hints returns the keys for the key line.
func (d *Dialog) Hints() []screen.Hint {
	out := []screen.Hint{{Key: "⏎", Text: strings.TrimPrefix(d.doing(), "⏎ ")}, {Key: "tab", Text: "field"}, {Key: "← →", Text: "change"}}
	if d.Field == FieldWith {
		out = append(out, screen.Hint{Key: "space", Text: "on, off"})
	}
	return append(out, screen.Hint{Key: "X", Text: "repeats last export"}, screen.Hint{Key: "esc", Text: "close"})
}
