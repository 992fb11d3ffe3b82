package compare

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"turns/export/outfile"
	"turns/model"
	"turns/query"
	"turns/query/answer"
	"turns/query/describe"
	"turns/query/human"
	"turns/query/redact"
	"turns/query/runs"
	"turns/ui/paint"
	"turns/ui/screen"
)

// compareTexts is the lower half of a comparison: the full texts of the row under the cursor, with
// differences marked.
type compareTexts struct {
	open   bool
	row    int32      // displayed or being read; -1: none
	lines  [][]string // sign and text of each line; nil: not read yet
	scroll int
}

// compareTextsMsg carries read texts.
type compareTextsMsg struct {
	of    *Runs
	row   int32
	lines [][]string
}

func (t *compareTexts) toggle() {
	if t.open {
		t.close()
		return
	}
	t.open = true
}

func (t *compareTexts) close() { t.open, t.row, t.lines, t.scroll = false, -1, nil, 0 }

// scrolled scrolls the texts. Down opens them, up at their beginning closes them.
func (t *compareTexts) scrolled(n int) {
	switch {
	case !t.open:
		t.open = n > 0
	case n < 0 && t.scroll == 0:
		t.close()
	default:
		t.scroll = max(t.scroll+n, 0)
	}
}

// height returns how many of h lines the texts use.
func (t *compareTexts) height(h int) int {
	if !t.open || h < 12 {
		return 0
	}
	return h / 2
}

// fetch returns the command that reads the texts of the row under the cursor, if they are visible.
func (t *compareTexts) fetch(d *Runs) tea.Cmd {
	row := d.row()
	if !t.open || d.Answer == nil || row < 0 || row == t.row {
		return nil
	}
	t.row, t.lines, t.scroll = row, nil, 0
	if d.ShownFold() {
		t.lines = [][]string{{" ", "the same in both; " + d.H.Key("l") + " shows them"}}
		return nil
	}
	ctx, runs, r := d.H.Opts.BaseContext(), d.Runs, d.Answer.Rows[row]
	return func() tea.Msg {
		parts := [2][3]string{sideTexts(ctx, runs[0].Snap, r.A), sideTexts(ctx, runs[1].Snap, r.B)}
		var lines [][]string
		for i, name := range [...]string{"text", "arguments", "result"} {
			a, b := parts[0][i], parts[1][i]
			if a == "" && b == "" {
				continue
			}
			lines = append(lines, []string{"@", name})
			switch {
			case r.A == nil:
				lines = append(lines, signed("+", b)...)
			case r.B == nil:
				lines = append(lines, signed("-", a)...)
			case a == b:
				lines = append(lines, signed(" ", a)...)
			default:
				for line := range strings.SplitSeq(strings.TrimSuffix(describe.LineDiff(a, b), "\n"), "\n") {
					lines = append(lines, []string{line[:1], paint.Expand(line[1:])})
				}
			}
		}
		return compareTextsMsg{d, row, lines}
	}
}

func signed(sign, text string) [][]string {
	var out [][]string
	if text == "" {
		return nil
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		out = append(out, []string{sign, paint.Expand(line)})
	}
	return out
}

// resultMost is the most bytes shown of a text.
const resultMost = 256 << 10

// sideTexts returns the text, the arguments and the result of an item, each "" if missing.
func sideTexts(ctx context.Context, s *model.Snapshot, it *runs.DiffSide) (out [3]string) {
	if it == nil {
		return out
	}
	bounded := func(text string) string {
		if len(text) > resultMost {
			text = text[:resultMost] + "\n… (cut here)"
		}
		return text
	}
	clean := func(text string) string { return model.Clean(bounded(text)) }
	if it.Kind == runs.DiffCall {
		c, err := query.ReadCall(ctx, s, it.Call)
		if err != nil {
			out[2] = clean("cannot be read: " + err.Error())
			return out
		}
		if c.Call != nil {
			out[1] = clean(screen.CallText(c.Call))
		}
		if c.Result != nil {
			out[2] = model.Printed(bounded(c.Result.Text))
		}
		return out
	}
	m, err := s.Body(ctx, it.ID)
	if err != nil {
		out[0] = clean("cannot be read: " + err.Error())
		return out
	}
	var words []string
	for i := range m.Blocks {
		if b := &m.Blocks[i]; b.Kind == model.Words && strings.TrimSpace(b.Text) != "" {
			words = append(words, strings.TrimSpace(b.Text))
		}
	}
	out[0] = clean(strings.Join(words, "\n\n"))
	return out
}

// read stores texts.
func (t *compareTexts) read(d *Runs, m compareTextsMsg) {
	if m.of == d && m.row == t.row {
		t.lines = m.lines
	}
}

// render draws a rule and the texts in h lines.
func (t *compareTexts) render(d *Runs, w, h int) []string {
	st := d.H.Styles
	head := " texts"
	if t.lines != nil {
		head += ", " + human.Plural(len(t.lines), "line", "lines")
	}
	out := []string{st.Line(w, paint.GroundNone, paint.Span{Text: "─" + head + " ", Ink: paint.InkDim}, paint.Span{Text: strings.Repeat("─", max(w-paint.Width(head)-2, 0)), Ink: paint.InkBorder})}
	if t.lines == nil {
		return append(out, st.Line(w, paint.GroundNone, paint.Span{Text: " reading …", Ink: paint.InkDim}))
	}
	t.scroll = max(min(t.scroll, len(t.lines)-h+1), 0)
	for i := t.scroll; i < len(t.lines) && len(out) < h; i++ {
		sign, text, k := t.lines[i][0], t.lines[i][1], paint.InkText
		switch sign {
		case "+":
			k = paint.InkAdd
		case "-":
			k = paint.InkDel
		case "@":
			sign, k = " ", paint.InkHeading
		}
		out = append(out, st.Line(w, paint.GroundNone, paint.Span{Text: " " + sign + " " + text, Ink: k}))
	}
	return out
}

// taken is a comparison that can be exported.
type taken interface {
	Doc(nameA, nameB string) *answer.Doc
}

// takenText returns a comparison as text, or for .md as Markdown, and the number of replaced
// secrets.
func takenText(names [2]string, ext string, c taken) (string, int) {
	d := c.Doc(names[0], names[1])
	text := d.Title + "\n\n" + d.String()
	if ext == ".md" {
		text = d.Markdown()
	}
	return redact.New().RedactString(model.Clean(text))
}

// copyText returns the command that copies the comparison.
func (d *Runs) copyText() tea.Cmd {
	names, answer := d.Names, d.Answer
	return func() tea.Msg {
		text, secrets := takenText(names, ".txt", answer)
		return screen.Copied{Text: text, What: "the comparison", Secrets: secrets}
	}
}

// write returns the command that writes the comparison under the next free name.
func (d *Runs) write(ext string) tea.Cmd {
	return writeComparison(d.H.ExportDir(), d.Names, ext, d.Answer)
}

func writeComparison(dir string, names [2]string, ext string, c taken) tea.Cmd {
	stem := outfile.Slug(stemOf(names[0]), 24, "a") + "-" + outfile.Slug(stemOf(names[1]), 24, "b")
	return func() tea.Msg {
		text, secrets := takenText(names, ext, c)
		path := outfile.FreeName(dir, stem, ext)
		size, err := outfile.WriteText(path, 0o666, text)
		status := "wrote " + screen.ShownPath(dir, path) + ": the comparison, " + model.SizeOf(size) + screen.RedactedNote(secrets)
		return screen.Wrote{Text: status, Err: err}
	}
}

// stemOf returns a name without its extension.
func stemOf(name string) string {
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		return name[:i]
	}
	return name
}
