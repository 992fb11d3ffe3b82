package take

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"turns/export/outfile"
	"turns/model"
	"turns/query/redact"
	"turns/ui/screen"
)

// Edit shows the text that yy copies from the cursor's row in the user's editor, as a read-only
// file.
func (d *Desk) Edit() tea.Cmd {
	h := d.H
	id, call := h.Rows.Selected()
	if id == model.NoID {
		return h.Complain("nothing to open in an editor here")
	}
	ctx, name := h.Ctx, d.itemName(id, call)
	h.ShowStatus("opening " + name + " in the editor …")
	t := Taking{Snap: h.Snap, ID: id, Call: call, Block: h.Rows.Block(), Path: h.State.Path}
	return func() tea.Msg {
		text, err := t.Text(ctx, "y")
		if err != nil {
			return screen.Wrote{Err: fmt.Errorf("reading %s: %w", name, err)}
		}
		text, secrets := redact.New().RedactString(model.Clean(text))
		m := editMsg{name: name, secrets: secrets}
		if m.path, err = readOnly(name, text); err != nil {
			return screen.Wrote{Err: fmt.Errorf("writing %s for the editor: %w", name, err)}
		}
		return m
	}
}

// editMsg is a file ready for the editor.
type editMsg struct {
	name, path string
	secrets    int
}

// itemName returns the file name for a row: session, number, and tool or role.
func (d *Desk) itemName(id model.ID, call model.CallID) string {
	h := d.H
	what := h.Snap.HeadRow(id).Role.String()
	if call != screen.NoCall {
		what = h.Snap.Name(h.Snap.Call(call).Tool)
	}
	base := filepath.Base(h.State.Path)
	stem := strings.TrimSuffix(base, filepath.Ext(base))
	return outfile.Slug(stem, 24, "item") + "-" + strconv.Itoa(h.Snap.Pos(id)) + "-" + outfile.Slug(what, 24, "item") + ".txt"
}

// readOnly writes a read-only file in a new folder.
func readOnly(name, text string) (string, error) {
	dir, err := os.MkdirTemp("", "turns-edit-*") // mode 0700
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o400); err != nil {
		os.RemoveAll(dir)
		return "", err
	}
	return path, nil
}

// run gives the terminal to the editor and deletes the file afterwards.
func (m editMsg) run(h *screen.Host) tea.Cmd {
	editor := envOf(h.Opts.Env, "vi", "VISUAL", "EDITOR")
	// the variable may contain arguments
	cmd := exec.CommandContext(h.Ctx, "sh", "-c", editor+` "$1"`, "sh", m.path)
	text := "showed " + m.name + " in " + editor + screen.RedactedNote(m.secrets)
	done := h.Yielded()
	return tea.ExecProcess(cmd, func(err error) tea.Msg {
		done()
		os.RemoveAll(filepath.Dir(m.path))
		if err != nil {
			err = fmt.Errorf("%s: %w ($EDITOR names the editor)", editor, err)
		}
		return screen.Wrote{Text: text, Err: err}
	})
}
