package panes

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/query/changes"
	"turns/ui/paint"
	"turns/ui/screen"
)

// fileDiff shows the net change of a file.
type fileDiff struct {
	viewer
	change *changes.Change
	job    *screen.Job[string]
	text   string
	ready  bool // the text is there
	err    error
	made   fileDiffKey
}

// fileDiffKey is what the body depends on.
type fileDiffKey struct {
	w, gen int
	wrap   bool
	ready  bool
}

// start makes the diff in the background. The history of the files is used by one job at a time:
// the pane shows one diff.
func (d *fileDiff) start(net *changes.Answer) tea.Cmd {
	change := d.change
	return screen.StartJob(d.h.Ctx, &d.job, func(ctx context.Context, _ func(done, total int64)) (string, error) {
		return net.Show(ctx, change)
	})
}

// take takes the diff, and asks for the next message of the job.
func (d *fileDiff) take(msg tea.Msg) tea.Cmd {
	done, cmd := d.job.Message(msg)
	if done != nil {
		d.job, d.text, d.err, d.ready = nil, done.Answer, done.Err, true
	}
	return cmd
}

// prepare makes the body, unless it is there already.
func (d *fileDiff) prepare(w int) {
	key := fileDiffKey{w, d.h.Styles.Gen, d.l.Wraps(), d.ready}
	if d.body != nil && d.made == key {
		return
	}
	d.made = key
	d.body = &paint.Doc{W: w, St: d.h.Styles, Wrap: d.l.Wraps(), Md: d.h.Markdown}
	d.body.Parts = paint.DiffParts(model.Clean(withoutHead(d.text)), d.change.Path)
	d.top = spot{}
}

// withoutHead is a patch without the lines that name its files: the title does.
func withoutHead(text string) string {
	var b strings.Builder
	head := true
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "diff --git "):
			head = true
			continue
		case strings.HasPrefix(line, "@@ "):
			head = false
		}
		if !head {
			b.WriteString(line)
		}
	}
	return b.String()
}

// render draws the diff below its title.
func (d *fileDiff) render(w, h int, focus bool) []string {
	st := d.h.Styles
	d.h0 = max(h-2, 1)
	d.prepare(max(w-2, 8))
	ink := paint.InkBorder
	if focus {
		ink = paint.InkBorderFocus
	}
	c := d.change
	said := changes.PlusMinus(c.Added, c.Removed) + "   " + c.Said()
	if places := c.Places(); places != "" {
		said += "   " + places
	}
	lines := []string{
		st.Spread(w, paint.GroundNone, []paint.Span{{Text: " Files › " + paint.OneLine(c.Path), Ink: paint.InkBold}}, []paint.Span{{Text: said + " ", Ink: paint.InkDim}}),
		st.Paint(ink, strings.Repeat("─", w)),
	}
	text := ""
	switch {
	case d.err != nil:
		text = paint.OneLine(d.err.Error())
	case !d.ready:
		text = "gathering …"
	case d.body.Len() == 0:
		text = "no net change"
	}
	if text != "" {
		return append(lines, st.Line(w, paint.GroundNone, paint.Span{Text: " " + text, Ink: paint.InkDim}))
	}
	n := -1
	if d.read.marked || d.read.found >= 0 {
		n = d.number(d.top)
	}
	s := d.top
	for range d.h0 {
		if part := d.body.Lines(s.part); s.line < len(part) {
			lines = append(lines, d.drawLine(part[s.line], n, w))
			if n >= 0 {
				n++
			}
		}
		next, ok := d.next(s)
		if !ok {
			break
		}
		s = next
	}
	return lines
}
