package take

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"

	tea "charm.land/bubbletea/v2"

	"turns/export"
	"turns/model"
	"turns/query/human"
	"turns/ui/paint"
	"turns/ui/screen"
)

// Pipe asks for a command and passes it the selection, or the row of the cursor, as text on
// standard input.
func (d *Desk) Pipe() tea.Cmd {
	h := d.H
	if h.Snap == nil {
		return nil
	}
	what, name := ExportItem, "the item"
	if n := h.Rows.Taken().Len(); n > 0 {
		what, name = exportSelection, human.Plural(n, "message", "messages")
	} else if id, _ := h.Rows.Selected(); id == model.NoID {
		return h.Complain("nothing to pipe here")
	}
	h.Ask(screen.Show{Dialog: &screen.Prompt{H: h, Title: "Pipe " + name, Label: "| ", Help: "a shell command; empty: " + pagerOf(h.Opts.Env), Done: func(text string, ok bool) tea.Cmd {
		if !ok {
			return nil
		}
		c := *d.choices()
		c.Format = "text"
		return d.pipeInto(what, &c, text)
	}}})
	return nil
}

// pipeInto exports to a command, which gets the terminal until it ends.
func (d *Desk) pipeInto(what exportContent, c *exportChoices, command string) tea.Cmd {
	h := d.H
	ctx := h.Ctx
	j, err := d.job(ctx, what, c)
	if err != nil {
		return h.Complain(paint.OneLine(err.Error()))
	}
	pager := strings.TrimSpace(command) == ""
	if pager {
		command = pagerOf(h.Opts.Env)
	}
	return func() tea.Msg {
		var b bytes.Buffer
		r, err := j.write(ctx, &b)
		return pipedMsg{ctx, command, pager, b.Bytes(), r, err}
	}
}

// pipedMsg is an export ready for a command.
type pipedMsg struct {
	ctx     context.Context
	command string
	pager   bool
	text    []byte
	report  export.Report
	err     error
}

// run runs the command on the terminal; its output stays until Enter is pressed.
func (m *pipedMsg) run(h *screen.Host) tea.Cmd {
	if m.err != nil {
		return h.Complain(paint.OneLine(m.err.Error()))
	}
	script := m.command
	if !m.pager {
		script = "{ " + m.command + "\n}; code=$?; printf '\\n[%s] press Enter ' \"$code\" >/dev/tty; read -r _ </dev/tty; exit $code"
	}
	cmd := exec.CommandContext(m.ctx, "sh", "-c", script)
	cmd.Stdin = bytes.NewReader(m.text)
	text := fmt.Sprintf("gave %s to %s", model.SizeOf(int64(len(m.text))), m.command) + screen.RedactedNote(m.report.Secrets)
	done := h.Yielded()
	return tea.ExecProcess(cmd, func(err error) tea.Msg {
		done()
		if err != nil {
			err = fmt.Errorf("%s: %w", m.command, err)
		}
		return screen.Wrote{Text: text, Err: err}
	})
}

// pagerOf returns the user's pager.
func pagerOf(env []string) string { return envOf(env, "less", "PAGER") }

// envOf returns the first set variable of names, otherwise none.
func envOf(env []string, none string, names ...string) string {
	get := environment(env)
	for _, name := range names {
		if v := get(name); v != "" {
			return v
		}
	}
	return none
}
