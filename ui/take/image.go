package take

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/iterm2"
	"github.com/charmbracelet/x/ansi/kitty"
	"github.com/charmbracelet/x/ansi/sixel"

	"turns/export/outfile"
	"turns/model"
	"turns/query"
	"turns/ui/paint"
	"turns/ui/screen"
)

// ImageHints describes the second keys of I.
const ImageHints = "o open in the system's viewer   s save   d draw in this terminal"

// media is a picture, a sound or a file in a message.
type media struct {
	what string // MIME type, as image/png
	data []byte
}

// Image opens, saves or draws the picture (or other media) of the cursor's row.
func (d *Desk) Image(what string) tea.Cmd {
	h := d.H
	do := map[string]func(context.Context, media) tea.Msg{"o": d.openMedia, "s": d.saveMedia, "d": d.drawMedia}[what]
	id, call := h.Rows.Selected()
	switch {
	case do == nil:
		return h.Complain("I" + screen.KeyLabel(what) + " does nothing: " + ImageHints)
	case h.Snap == nil || id == model.NoID:
		return h.Complain("no image here")
	}
	ctx, snap, block := h.Ctx, h.Snap, h.Rows.Block()
	return screen.Background(func() tea.Msg {
		m, err := mediaOf(ctx, snap, id, call, block)
		if err != nil {
			return screen.Wrote{Err: fmt.Errorf("the image of this row: %w", err)}
		}
		return do(ctx, m)
	})
}

// mediaOf reads the first media of a row: its block, or one in the result of its call.
func mediaOf(ctx context.Context, s *model.Snapshot, id model.ID, call model.CallID, block int) (media, error) {
	name := ""
	if call != screen.NoCall {
		m, err := s.Body(ctx, id)
		if err != nil {
			return media{}, err
		}
		if block >= 0 && block < len(m.Blocks) {
			name = m.Blocks[block].ID
		}
		if id, block = s.Call(call).Result, -1; id == model.NoID {
			return media{}, errors.New("there is none")
		}
	}
	m, err := s.Body(ctx, id)
	if err != nil {
		return media{}, err
	}
	blocks := []int{block}
	if block < 0 || block >= len(m.Blocks) || m.Blocks[block].Kind != model.Media {
		blocks = query.MediaOfResult(m, name)
	}
	if len(blocks) == 0 {
		return media{}, errors.New("there is none")
	}
	data, err := query.MediaBytes(ctx, s, id, blocks[0])
	return media{m.Blocks[blocks[0]].Name, data}, err
}

// extensions are file extensions by the first bytes of a file.
var extensions = [...]struct{ start, ext string }{
	{"\x89PNG", ".png"}, {"\xff\xd8", ".jpg"}, {"GIF8", ".gif"}, {"RIFF", ".webp"}, {"%PDF", ".pdf"}, {"ID3", ".mp3"}, {"OggS", ".ogg"},
}

// extension returns the file extension of the media. It selects the viewer, so it depends on the
// bytes rather than on the transcript.
func (m *media) extension() string {
	for _, e := range extensions {
		if bytes.HasPrefix(m.data, []byte(e.start)) {
			if e.ext == ".webp" && len(m.data) >= 12 && string(m.data[8:12]) == "WAVE" {
				return ".wav"
			}
			return e.ext
		}
	}
	return ".bin"
}

func (m *media) writeTo(path string) (int64, error) {
	return outfile.WriteText(path, 0o600, string(m.data))
}

// saveMedia writes the media to the export folder.
func (d *Desk) saveMedia(_ context.Context, m media) tea.Msg {
	dir := d.H.ExportDir()
	path := outfile.FreeName(dir, strings.TrimSuffix(d.exportStem(ExportAll, d.H.Opts.Anonymize), "-all")+"-image", m.extension())
	size, err := m.writeTo(path)
	return screen.Wrote{Text: fmt.Sprintf("wrote %s: %s, %s", screen.ShownPath(dir, path), m.what, model.SizeOf(size)), Err: err}
}

// openMedia opens the media in the system's viewer, from a file that only the user can read.
func (d *Desk) openMedia(_ context.Context, m media) tea.Msg {
	viewer := viewerOf(d.H.Opts.Env)
	switch {
	case viewer == nil:
		return screen.Wrote{Err: errors.New("no viewer of images here: Id draws the image, Is saves it")}
	case m.extension() == ".bin":
		// a viewer might run an unknown file
		return screen.Wrote{Err: fmt.Errorf("unknown image type %q: Is saves it", m.what)}
	}
	dir, err := os.MkdirTemp("", "turns-image-*") // mode 0700
	if err != nil {
		return screen.Wrote{Err: fmt.Errorf("opening the image: %w", err)}
	}
	path := filepath.Join(dir, "image"+m.extension())
	if _, err := m.writeTo(path); err != nil {
		return screen.Wrote{Err: fmt.Errorf("opening the image: %w", err)}
	}
	cmd := exec.Command(viewer[0], append(viewer[1:], path)...)
	if err := cmd.Start(); err != nil {
		return screen.Wrote{Err: fmt.Errorf("opening the image with %s: %w", viewer[0], err)}
	}
	go func() { _ = cmd.Wait() }() // the viewer stays when turns ends
	return screen.Wrote{Text: fmt.Sprintf("opened %s, %s, with %s", m.what, model.SizeOf(int64(len(m.data))), viewer[0])}
}

// viewerOf returns the program that opens a file on the desktop, nil without a desktop.
func viewerOf(env []string) []string {
	get := environment(env)
	if get("SSH_CONNECTION") != "" {
		return nil // its window would open on another machine
	}
	tries := [][]string{}
	switch {
	case runtime.GOOS == "darwin":
		tries = append(tries, []string{"open"})
	case runtime.GOOS == "windows":
		tries = append(tries, []string{"explorer.exe"})
	case get("DISPLAY") != "" || get("WAYLAND_DISPLAY") != "":
		tries = append(tries, []string{"xdg-open"}, []string{"gio", "open"}, []string{"wslview"})
	}
	if i := slices.IndexFunc(tries, func(t []string) bool { return !isMissing(t) }); i >= 0 {
		return tries[i]
	}
	return nil
}

// environment returns a lookup of variables in env; nil: in the process environment.
func environment(env []string) func(name string) string {
	if env == nil {
		return os.Getenv
	}
	return func(name string) string {
		for i := len(env) - 1; i >= 0; i-- {
			if v, ok := strings.CutPrefix(env[i], name+"="); ok {
				return v
			}
		}
		return ""
	}
}

// drawnMsg is a picture encoded for the terminal.
type drawnMsg struct {
	ctx  context.Context
	text string
}

// drawMedia draws a picture on the full terminal.
func (d *Desk) drawMedia(ctx context.Context, m media) tea.Msg {
	img, err := paint.DecodePicture(m.data)
	if err != nil {
		return screen.Wrote{Err: err}
	}
	text, err := drawn(img, &m, protocolOf(d.H.Opts.Env), d.size())
	if err != nil {
		return screen.Wrote{Err: fmt.Errorf("drawing the image: %w", err)}
	}
	return drawnMsg{ctx, text}
}

// size returns the size of the terminal in cells.
func (d *Desk) size() image.Point {
	if d.Size == nil {
		return image.Pt(80, 24)
	}
	return image.Pt(d.Size())
}

// protocols are the image protocols of terminals, by their environment variables.
var protocols = [...]struct{ name, part, protocol string }{
	{"TERM", "kitty", "kitty"}, {"KITTY_WINDOW_ID", "", "kitty"}, {"TERM", "ghostty", "kitty"}, {"TERM_PROGRAM", "ghostty", "kitty"},
	{"TERM_PROGRAM", "iTerm", "iterm2"}, {"TERM_PROGRAM", "WezTerm", "iterm2"}, {"LC_TERMINAL", "iTerm2", "iterm2"},
	{"TERM", "foot", "sixel"}, {"TERM", "mlterm", "sixel"}, {"TERM", "sixel", "sixel"}, {"TERM", "yaft", "sixel"},
}

// protocolOf returns the image protocol of the terminal, "" for half blocks, which work everywhere.
// A multiplexer such as tmux would have to pass the others through.
func protocolOf(env []string) string {
	get := environment(env)
	if get("TMUX") != "" || get("STY") != "" {
		return ""
	}
	for _, p := range protocols {
		if v := get(p.name); v != "" && strings.Contains(v, p.part) {
			return p.protocol
		}
	}
	return ""
}

// drawn encodes a picture for a terminal of some cells.
func drawn(img image.Image, m *media, protocol string, cells image.Point) (string, error) {
	const cellW, cellH = 8, 16 // approximate pixels
	w, h := max(cells.X-1, 1), max(cells.Y-3, 1)
	var b bytes.Buffer
	switch protocol {
	case "kitty":
		fits := paint.Thumbnail(img, w*cellW, h*cellH)
		err := kitty.EncodeGraphics(&b, fits, &kitty.Options{Action: kitty.TransmitAndPut, Format: kitty.PNG, Transmission: kitty.Direct, Chunk: true, Quiet: 2})
		return b.String(), err
	case "iterm2":
		data := []byte(base64.StdEncoding.EncodeToString(m.data))
		return ansi.ITerm2(iterm2.File{Width: iterm2.Cells(w), Height: iterm2.Cells(h), Inline: true, Size: int64(len(m.data)), Content: data}), nil
	case "sixel":
		err := new(sixel.Encoder).Encode(&b, paint.Thumbnail(img, w*cellW, h*cellH))
		return ansi.SixelGraphics(0, 1, 0, b.Bytes()), err
	}
	return strings.Join(paint.HalfBlocks(img, w, h), "\r\n"), nil
}

// run draws the picture on the terminal, where it stays until Enter is pressed.
func (m *drawnMsg) run(h *screen.Host) tea.Cmd {
	const script = `printf '\033[2J\033[H'; cat; printf '\n press Enter '; read -r _ </dev/tty; printf '\033[2J\033[H'`
	cmd := exec.CommandContext(m.ctx, "sh", "-c", script)
	cmd.Stdin = strings.NewReader(m.text)
	done := h.Yielded()
	return tea.ExecProcess(cmd, func(err error) tea.Msg {
		done()
		if err != nil {
			return screen.Wrote{Err: fmt.Errorf("drawing the image: %w", err)}
		}
		return nil
	})
}
