package take

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"turns/export"
	"turns/export/people"
	"turns/model"
	"turns/query"
	"turns/query/describe"
	"turns/query/filter"
	"turns/query/human"
	"turns/query/redact"
	"turns/ui/paint"
	"turns/ui/screen"
)

// ClipboardLimit is the most bytes sent to the terminal's clipboard: some terminals drop more than
// 100,000 characters of base64.
const ClipboardLimit = 74_994

// CopyHints describes the second keys of y.
func CopyHints(w int) []paint.Span {
	for _, words := range [...][]string{
		{"item", "command or arguments", "result", "markdown", "record", "call id", "path", "link to this place", "as is, nothing redacted"},
		{"item", "command", "result", "markdown", "record", "id", "path", "link", "as is"},
		{"item", "cmd", "res", "md", "rec", "id", "path", "link", "raw"},
	} {
		for _, gap := range [...]string{"  ", " ", ""} {
			var out []paint.Span
			for i, text := range words {
				out = append(out, paint.Span{Text: " "}, paint.Span{Text: copyKeys[i : i+1], Ink: paint.InkKey}, paint.Span{Text: " " + text + gap})
			}
			if paint.RestWidth(out) <= w {
				return out
			}
		}
	}
	return []paint.Span{{Text: " "}, {Text: strings.Join(strings.Split(copyKeys, ""), " "), Ink: paint.InkKey}}
}

// copyKeys are the keys that may follow y.
const copyKeys = "ycrmjiplY"

var copyWords = map[string]string{
	"y": "the item", "Y": "the item as is", "c": "the command", "r": "the result", "m": "the item as Markdown", "j": "the record",
	"i": "the id", "p": "the path", "l": "the link",
}

// Copy copies the part of the cursor's row for a key; with a selection, all of it as Markdown.
func (d *Desk) Copy(what string) tea.Cmd {
	h := d.H
	if h.Snap == nil {
		return nil
	}
	ctx := h.Ctx
	if sel := h.Rows.Taken(); sel.Len() > 0 {
		view := d.takenView(ctx)
		opts := export.Options{Redact: true, Names: d.copying(), Zone: h.Zone, Home: h.Opts.Home, Labels: h.Labelled.Here}
		return func() tea.Msg { return clip(ctx, view, opts, human.Plural(sel.Len(), "message", "messages")) }
	}
	word, ok := copyWords[what]
	if !ok {
		return h.Complain("y" + screen.KeyLabel(what) + " copies nothing: y, c, r, m, j, i, p, l or Y")
	}
	id, call := h.Rows.Selected()
	if id == model.NoID {
		return h.Complain("nothing to copy here")
	}
	if what == "l" {
		return func() tea.Msg {
			text, err := d.Link(id)
			if err != nil {
				return screen.Wrote{Err: fmt.Errorf("copying %s: %w", word, err)}
			}
			return screen.Copied{Text: text, What: word}
		}
	}
	if what == "m" {
		view := d.itemView(ctx, id, call)
		opts := export.Options{Redact: true, Names: d.copying(), Zone: h.Zone, Home: h.Opts.Home, Labels: h.Labelled.Here}
		return func() tea.Msg { return clip(ctx, view, opts, word) }
	}
	t := Taking{Snap: h.Snap, ID: id, Call: call, Block: h.Rows.Block(), Path: h.State.Path}
	return func() tea.Msg {
		text, err := t.Text(ctx, what)
		if err != nil {
			return screen.Wrote{Err: fmt.Errorf("copying %s: %w", word, err)}
		}
		if what == "Y" {
			return screen.Copied{Text: text, What: word, AsIs: true}
		}
		c := screen.Copied{What: word}
		if c.Text, err = pasteable(what, text); err != nil {
			return screen.Wrote{Err: fmt.Errorf("copying %s: %w", word, err)}
		}
		c.Text = model.Clean(c.Text)
		if what == "p" || what == "i" { // they are for this machine
			c.Text, c.Secrets = redact.New().RedactString(c.Text)
		} else {
			c.Text, c.Secrets = d.clean(c.Text)
		}
		return c
	}
}

func clip(ctx context.Context, view describe.View, opts export.Options, what string) tea.Msg {
	text, r, err := people.Clip(ctx, view, opts)
	if err != nil {
		return screen.Wrote{Err: fmt.Errorf("copying %s: %w", what, err)}
	}
	return screen.Copied{Text: text, What: what, Secrets: r.Secrets, Over: r.Over}
}

// Link returns a command that shows this place again.
func (d *Desk) Link(id model.ID) (string, error) {
	h := d.H
	path, err := model.ShellWord(paint.Tilde(h.State.Path, h.Opts.Home))
	if err != nil {
		return "", err
	}
	s := "turns " + path
	if strings.HasPrefix(path, "-") {
		s = "turns -- " + path
	}
	if n := h.Snap.Pos(id); n >= 0 {
		s += " --at " + strconv.Itoa(n)
	}
	if h.View.On && h.View.Text != "" {
		filter, err := model.ShellWord(h.View.Text)
		if err != nil {
			return "", err
		}
		s += " -q " + filter
	}
	return s, nil
}

// pasteable rejects a command, id or path with invisible characters, because it may be pasted into
// a shell.
func pasteable(what, text string) (string, error) {
	switch what {
	case "p":
		return model.ShellWord(text)
	case "c", "i":
		if n := model.Marks(text); n > 0 {
			return "", fmt.Errorf("it contains %s, invisible after pasting; yY copies it as is", human.Plural(n, "control or invisible character", "control or invisible characters"))
		}
	}
	return text, nil
}

// Taking is the row of the cursor for copying.
type Taking struct {
	Snap  *model.Snapshot
	ID    model.ID
	Call  model.CallID
	Block int
	Path  string
}

var errNothing = errors.New("there is none here")

// Text returns the text to copy, as recorded.
func (t *Taking) Text(ctx context.Context, what string) (string, error) {
	if t.Call != screen.NoCall {
		c, err := query.ReadCall(ctx, t.Snap, t.Call)
		if err != nil {
			return "", err
		}
		switch {
		case what == "Y":
			return t.ofCall(&c, "y")
		case what != "j":
			if c.Result != nil { // copied as displayed
				shown := *c.Result
				shown.Text = model.Printed(shown.Text)
				c.Result = &shown
			}
			return t.ofCall(&c, what)
		}
	}
	m, err := t.Snap.Body(ctx, t.ID)
	if err != nil {
		return "", err
	}
	switch what {
	case "j":
		return recordText(m)
	case "i":
		if m.Key == "" {
			return "", errNothing
		}
		return m.Key, nil
	case "p":
		return t.Path, nil
	case "c", "r":
		return "", errNothing
	}
	return t.words(m)
}

// ofCall returns the text to copy from a call.
func (t *Taking) ofCall(c *query.CallOf, what string) (string, error) {
	args, result := "", ""
	if c.Call != nil {
		args = askedFor(c.Call)
	}
	if c.Result != nil {
		result = c.Result.Text
	}
	switch what {
	case "c":
		if c.Call == nil {
			return "", errNothing
		}
		return args, nil
	case "r":
		if c.Result == nil {
			return "", errors.New("the call has no result")
		}
		return result, nil
	case "i":
		if c.Call != nil && c.Call.ID != "" {
			return c.Call.ID, nil
		}
		if c.Result != nil && c.Result.ID != "" {
			return c.Result.ID, nil
		}
		return "", errNothing
	case "p":
		path := ""
		if c.Call != nil {
			filter.CallPaths(c.Call, func(p string) bool { path = p; return false })
		}
		path = cmp.Or(path, t.Path)
		return path, nil
	}
	if result == "" {
		return args, nil
	}
	return args + "\n\n" + result, nil
}

// askedFor returns the arguments of a call as text: its command, plan, prompt or diffs, otherwise
// the JSON. The record has all of them.
func askedFor(call *model.Content) string {
	var texts []string
	if f, _, _ := describe.FamilyOf(call.Name); f == describe.FamilyShell {
		return screen.CallText(call)
	}
	for _, s := range describe.Arguments(call, nil, nil) {
		switch s.Kind {
		case describe.ShownDiff:
			texts = append(texts, s.Head+"\n"+strings.TrimSuffix(s.Text, "\n"))
		case describe.ShownMarkdown:
			texts = append(texts, strings.TrimSuffix(s.Text, "\n"))
		}
	}
	if len(texts) == 0 {
		return screen.CallText(call)
	}
	return strings.Join(texts, "\n\n")
}

// words returns the text of the row's block, or of all text blocks.
func (t *Taking) words(m *model.Message) (string, error) {
	if t.Block >= 0 && t.Block < len(m.Blocks) {
		return m.Blocks[t.Block].Text, nil
	}
	var parts []string
	for i := range m.Blocks {
		if b := &m.Blocks[i]; b.Kind == model.Words || b.Kind == model.Reasoning {
			parts = append(parts, b.Text)
		}
	}
	if len(parts) == 0 {
		return recordText(m)
	}
	return strings.Join(parts, "\n\n"), nil
}

func recordText(m *model.Message) (string, error) {
	var parts []string
	for i := range m.Records {
		parts = append(parts, string(bytes.TrimRight(m.Records[i].Data, "\r\n")))
	}
	if len(parts) == 0 {
		return "", errNothing
	}
	return strings.Join(parts, "\n"), nil
}

// deliver copies a text to the clipboard: through the terminal (OSC 52, which also works over ssh),
// and with a display through a helper as well. A text too long for the terminal, without a helper,
// goes into a temporary file. It is cleaned as for the screen: text pasted into a shell is typed
// there, and a newline hidden behind an escape sequence runs the line before it.
func (d *Desk) deliver(c screen.Copied) tea.Cmd {
	h := d.H
	if !c.AsIs {
		c.Text = model.Clean(c.Text)
	}
	note := screen.RedactedNote(c.Secrets)
	if c.Over != "" {
		note += ", " + c.Over
	}
	size := model.SizeOf(int64(len(c.Text)))
	var helpers [][]string
	if h.Opts.Display {
		helpers = clipboardHelpers(h.Opts.Env)
	}
	if len(c.Text) <= ClipboardLimit && len(helpers) == 0 {
		h.ShowStatus(fmt.Sprintf("copied %s, %s, to the clipboard (OSC 52)%s", c.What, size, note))
		return tea.SetClipboard(c.Text)
	}
	ctx := h.Ctx
	send := func() tea.Msg {
		for _, helper := range helpers { // tmux may remember a display that no longer exists
			if err := runHelper(ctx, helper, c.Text); err == nil {
				return screen.Wrote{Text: fmt.Sprintf("copied %s, %s, to the clipboard (%s)%s", c.What, size, helper[0], note)}
			}
		}
		if len(c.Text) <= ClipboardLimit {
			return screen.Wrote{Text: fmt.Sprintf("copied %s, %s, to the clipboard (OSC 52; %s failed)%s", c.What, size, helpers[0][0], note)}
		}
		path, err := copyFile(c.Text)
		return screen.Wrote{Text: fmt.Sprintf("too long for the clipboard of a terminal: %s, %s, is in %s%s", c.What, size, path, note), Err: err}
	}
	if len(c.Text) <= ClipboardLimit {
		return tea.Batch(tea.SetClipboard(c.Text), send)
	}
	return send
}

// clipboardHelpers returns programs that copy their input to the clipboard of the display or of the
// terminal around tmux, in the order to try them.
func clipboardHelpers(env []string) [][]string {
	get := environment(env)
	var tries [][]string
	if get("WAYLAND_DISPLAY") != "" {
		tries = append(tries, []string{"wl-copy"})
	}
	if get("DISPLAY") != "" {
		tries = append(tries, []string{"xclip", "-selection", "clipboard"}, []string{"xsel", "--clipboard", "--input"})
	}
	if get("TMUX") != "" {
		// tmux forwards OSC 52 only if configured; load-buffer -w sends the text to its terminal
		tries = append(tries, []string{"tmux", "load-buffer", "-w", "-"})
	}
	tries = append(tries, []string{"pbcopy"}, []string{"clip.exe"})
	return slices.DeleteFunc(tries, isMissing)
}

// isMissing reports whether a program is not installed.
func isMissing(command []string) bool {
	_, err := exec.LookPath(command[0])
	return err != nil
}

func runHelper(ctx context.Context, helper []string, text string) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, helper[0], helper[1:]...)
	cmd.Stdin = strings.NewReader(text)
	return cmd.Run()
}

// copyFile writes a text to a file that only the user can read.
func copyFile(text string) (string, error) {
	f, err := os.CreateTemp("", "turns-copy-*.txt") // mode 0600
	if err != nil {
		return "", fmt.Errorf("saving the copy: %w", err)
	}
	_, err = f.WriteString(text)
	if err = cmp.Or(err, f.Close()); err != nil {
		return "", fmt.Errorf("saving the copy: %w", err)
	}
	return f.Name(), nil
}
