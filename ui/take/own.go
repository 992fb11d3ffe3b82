package take

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"turns/export"
	"turns/export/people"
	"turns/model"
	"turns/query"
	"turns/query/describe"
	"turns/query/filter"
	"turns/query/redact"
	"turns/ui/config"
	"turns/ui/screen"
	"turns/ui/transcripts"
)

// ownReady is a user's command with its values.
type ownReady struct {
	command *config.OwnCommand
	values  map[string]string
	secrets int // replaced secrets in the text
	err     error
}

// Own runs a user's command on the row, the selection or the open session.
func (d *Desk) Own(c *config.OwnCommand) tea.Cmd {
	h := d.H
	if h.Snap == nil {
		return h.Complain("no transcript is open yet")
	}
	ctx := h.Ctx
	m := ownReady{command: c, values: d.sessionValues()}
	switch c.Context {
	case config.OnSession:
		m.values["id"] = m.values["session"]
		m.values["text"] = h.Session().Field("title")
		return m.ready(d)
	case config.OnSelection:
		sel := h.Rows.Taken()
		if sel.Len() == 0 {
			return h.Complain("no rows are selected: " + h.Key("v") + " selects them")
		}
		first := sel.IDs[0]
		m.values["index"] = strconv.Itoa(h.Snap.Pos(first))
		view := describe.NewView(sel, d.match())
		opts := export.Options{Redact: true, Zone: h.Zone, Home: h.Opts.Home, Labels: h.Labelled.Here}
		return func() tea.Msg {
			text, r, err := people.Clip(ctx, view, opts)
			m.values["text"], m.secrets, m.err = text, r.Secrets, err
			return m
		}
	}
	id, call := h.Rows.Selected()
	if id == model.NoID {
		return h.Complain("no row here")
	}
	if n := h.Snap.Pos(id); n >= 0 {
		m.values["index"] = strconv.Itoa(n)
	}
	t := Taking{Snap: h.Snap, ID: id, Call: call, Block: h.Rows.Block(), Path: h.State.Path}
	home := h.Opts.Home
	return func() tea.Msg {
		m.err = t.ownValues(ctx, m.values, home)
		if text, err := t.Text(ctx, "y"); err == nil {
			m.values["text"], m.secrets = redact.New().RedactString(model.Clean(text))
		}
		return m
	}
}

// sessionValues returns the values common to all rows of the open session.
func (d *Desk) sessionValues() map[string]string {
	s := d.H.Session()
	path := d.H.State.Path
	// a relative path could start with - and be parsed as an option
	if file, _ := transcripts.PartOf(path); !transcripts.IsAddress(file) && file != "-" {
		if whole, err := filepath.Abs(path); err == nil {
			path = whole
		}
	}
	return map[string]string{"path": path, "session": s.Field("session"), "folder": s.Field("cwd")}
}

// ownValues adds the values of one row.
func (t *Taking) ownValues(ctx context.Context, values map[string]string, home string) error {
	values["id"], _ = t.Text(ctx, "i")
	if t.Call == screen.NoCall {
		return nil
	}
	c, err := query.ReadCall(ctx, t.Snap, t.Call)
	if err != nil || c.Call == nil {
		return err
	}
	if f, _, _ := describe.FamilyOf(c.Call.Name); f == describe.FamilyShell {
		command, err := pasteable("c", screen.CallText(c.Call))
		if err != nil {
			return fmt.Errorf("the command of this row: %w", err)
		}
		values["command"] = command
	}
	file, line := "", 0
	if edits := describe.FileEdits(c.Call); len(edits) > 0 && !edits[0].Within {
		file, line = edits[0].Path, max(edits[0].First, edits[0].Line)
	} else {
		filter.CallPaths(c.Call, func(p string) bool { file = p; return false })
	}
	if file == "" {
		return nil
	}
	if line == 0 {
		line = t.editedLine(ctx, &c)
	}
	values["file"], values["line"] = placed(file, values["folder"], home), strconv.Itoa(max(line, 1))
	return nil
}

// hunkAt matches the head of a hunk.
var hunkAt = regexp.MustCompile(`(?m)^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@`)

// editedLine returns the first line that an edit changed, 0 if the transcript does not record
// it.
func (t *Taking) editedLine(ctx context.Context, c *query.CallOf) int {
	var answer *model.Message
	if c.Row != nil && c.Row.Result != model.NoID {
		answer, _ = t.Snap.Body(ctx, c.Row.Result)
	}
	for _, s := range describe.Arguments(c.Call, c.Result, answer) {
		at := hunkAt.FindStringSubmatchIndex(s.Text)
		if s.Kind != describe.ShownDiff || at == nil {
			continue
		}
		line, _ := strconv.Atoi(s.Text[at[2]:at[3]])
		for row := range strings.SplitSeq(strings.TrimPrefix(s.Text[at[1]:], "\n"), "\n") {
			if !strings.HasPrefix(row, " ") {
				return line
			}
			line++
		}
	}
	return 0
}

// placed returns the path of a file that works from any folder. A path that stays relative
// begins with ./, so that no program mistakes it for an option.
func placed(file, folder, home string) string {
	if rest, ok := strings.CutPrefix(file, "~/"); ok && home != "" {
		return filepath.Join(home, rest)
	}
	switch {
	case filepath.IsAbs(file), strings.HasPrefix(file, "/"):
		return file
	case filepath.IsAbs(folder):
		return filepath.Join(folder, file)
	}
	return "." + string(filepath.Separator) + file
}

// OwnOf runs a user's command with values from a list.
func (d *Desk) OwnOf(c *config.OwnCommand, values map[string]string) tea.Cmd {
	m := ownReady{command: c, values: values}
	return m.ready(d)
}

// ready runs the command, after a confirmation if its settings require one.
func (m ownReady) ready(d *Desk) tea.Cmd {
	c, h := m.command, d.H
	if m.err != nil {
		return h.Complain(c.Name + ": " + model.CleanLine(m.err.Error()))
	}
	for name, value := range m.values {
		m.values[name] = strings.ReplaceAll(value, "\x00", "")
	}
	if why := missing(c, m.values); why != "" {
		return h.Complain(c.Name + ": " + why)
	}
	if !c.Confirm {
		return m.start(d)
	}
	note := &screen.Note{H: h, Title: "Run " + c.Name + "?", Yes: func() tea.Cmd { return m.start(d) }}
	note.Text = append(note.Text, c.Run, "")
	for _, name := range config.CommandValues() {
		if value := m.values[name]; value != "" && c.Uses(name) {
			const most = 2000
			if len(value) > most {
				value = value[:most] + " … " + model.SizeOf(int64(len(value)))
			}
			note.Text = append(note.Text, "{"+name+"}  "+value)
		}
	}
	return h.Ask(screen.Show{Dialog: note})
}

// missing describes a value that a command needs but does not have, "" for none.
func missing(c *config.OwnCommand, values map[string]string) string {
	for _, name := range config.CommandValues() {
		value := values[name]
		switch {
		case !c.Uses(name):
		case len(value) > maxValue:
			return fmt.Sprintf("%s is too long for an argument: the command can read it from standard input", model.SizeOf(int64(len(value))))
		case value == "" && name != "line" && name != "text":
			return "there is no " + cmp.Or(map[string]string{"command": "shell command", "id": "id", "folder": "recorded folder"}[name], name) + " here"
		}
	}
	return ""
}
