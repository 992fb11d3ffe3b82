package take

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/ui/config"
	"turns/ui/screen"
)

const (
	// maxValue is the maximum length of an argument or a variable in bytes: Linux allows 128
	// kB.
	maxValue = 100_000
	// maxOwnOutput limits the output of a command on the screen, in bytes.
	maxOwnOutput = 1 << 20
)

// ownProcess returns a user's command, ready to start. Text of a transcript reaches it in three
// ways only: as separate arguments, in environment variables, and (the text) on standard input.
// No shell parses it.
func ownProcess(ctx context.Context, c *config.OwnCommand, values map[string]string, env []string) (*exec.Cmd, error) {
	argv := []string{"sh", "-c", c.Script, c.Name}
	if c.Script == "" {
		argv = slices.Clone(c.Argv)
		for i := range argv {
			argv[i] = config.ReplaceValues(argv[i], func(name string) string { return values[name] })
		}
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	if cmd.Err != nil {
		return nil, cmd.Err
	}
	if ext := strings.ToLower(filepath.Ext(cmd.Path)); runtime.GOOS == "windows" && (ext == ".bat" || ext == ".cmd") {
		return nil, fmt.Errorf("%s is a script of cmd.exe: it could run words from a transcript", filepath.Base(cmd.Path))
	}
	if env == nil {
		env = os.Environ()
	}
	names := config.CommandValues()
	cmd.Env = slices.DeleteFunc(slices.Clone(env), func(v string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(v, config.ValueVariable(name)+"=") })
	})
	for _, name := range names {
		if value := values[name]; len(value) <= maxValue {
			cmd.Env = append(cmd.Env, config.ValueVariable(name)+"="+value)
		}
	}
	cmd.Stdin = strings.NewReader(values["text"])
	cmd.WaitDelay = time.Second
	return cmd, nil
}

// bounded is a buffer for the beginning of a stream. It counts the bytes it drops.
type bounded struct {
	bytes.Buffer
	lost int64
}

func (b *bounded) Write(p []byte) (int, error) {
	n := min(len(p), max(maxOwnOutput-b.Len(), 0))
	b.Buffer.Write(p[:n])
	b.lost += int64(len(p) - n)
	return len(p), nil
}

// ownDone is a finished user's command.
type ownDone struct {
	ownReady
	out    *bounded
	failed error
}

// start runs the command. A command with terminal output gets the terminal until it ends.
func (m ownReady) start(d *Desk) tea.Cmd {
	c, h := m.command, d.H
	ctx, cancel := context.WithCancel(h.Opts.BaseContext())
	cmd, err := ownProcess(ctx, c, m.values, h.Opts.Env)
	if err != nil {
		cancel()
		return h.Complain(c.Name + ": " + model.CleanLine(err.Error()))
	}
	if c.Output == config.ToTerminal {
		cmd.Stdin = nil // the command has the keyboard
		done := h.Yielded()
		return tea.ExecProcess(cmd, func(err error) tea.Msg {
			done()
			cancel()
			return ownDone{m, &bounded{}, err}
		})
	}
	h.ShowStatus("running " + c.Name + " …")
	d.own = cancel
	return func() tea.Msg {
		defer cancel()
		var out bounded
		cmd.Stdout, cmd.Stderr = &out, &out
		return ownDone{m, &out, cmd.Run()}
	}
}

// run shows the output of a finished command.
func (m ownDone) run(d *Desk) tea.Cmd {
	c, h := m.command, d.H
	d.own = nil
	text := strings.TrimRight(model.Printed(m.out.String()), "\n ")
	lines := strings.Split(text, "\n")
	status := ""
	var exit *exec.ExitError
	switch {
	case errors.As(m.failed, &exit) && exit.ExitCode() >= 0:
		status = fmt.Sprintf("exit %d", exit.ExitCode())
	case m.failed != nil:
		status = model.CleanLine(m.failed.Error())
	}
	if c.Output == config.ToPane && (text != "" || status != "") {
		note := &screen.Note{H: h, Title: c.Name, Text: lines}
		if status != "" {
			note.Title += " · " + status
		}
		if m.out.lost > 0 {
			note.Text = append(note.Text, "", "the first "+model.SizeOf(maxOwnOutput)+"; "+model.SizeOf(m.out.lost)+" more are not shown")
		}
		h.Ask(screen.Status{})
		return h.Ask(screen.Show{Dialog: note})
	}
	if status != "" {
		if last := lines[len(lines)-1]; last != "" {
			status += ": " + last
		}
		return h.Complain(c.Name + ": " + status)
	}
	outcome := c.Name + " is done"
	if c.Output == config.ToStatus && lines[0] != "" {
		outcome = lines[0]
	}
	h.ShowStatus(outcome + screen.RedactedNote(m.secrets))
	return nil
}
