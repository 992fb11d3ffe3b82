package people

import (
	"cmp"
	"context"
	"io"
	"strings"

	"turns/export"
	"turns/export/walk"
	"turns/model"
	"turns/query"
	"turns/query/describe"
)

// WriteText writes the view of the terminal, in full and without colour.
func WriteText(ctx context.Context, w io.Writer, view describe.View, opts export.Options) (export.Report, error) {
	t := textWriter{newPeople(w, view, &opts)}
	t.title(ctx)
	return t.end(t.Each(ctx, func(s *walk.Paired) error {
		t.message(s)
		return nil
	}))
}

type textWriter struct{ *people }

func (t *textWriter) title(ctx context.Context) {
	o := t.overview(ctx)
	t.put(o.title, "\n")
	if o.source != "" {
		t.put(o.source)
		if o.format != "" {
			t.put("  ", o.format)
		}
		t.put("\n")
	}
	if o.dates != "" {
		t.put(o.dates, "\n")
	}
	t.put(o.counts, "\n")
}

var roleGlyphs = map[model.Role]string{model.User: "❯", model.Assistant: "●", model.System: "▪", model.Developer: "▪"}

func (t *textWriter) message(s *walk.Paired) {
	if !t.Visible(s, t.opts) {
		return
	}
	t.begin(s)
	glyph := cmp.Or(roleGlyphs[s.Role], "·")
	if s.Head.Flags&model.Injected != 0 {
		glyph = "◦"
	}
	about := t.about(s)
	t.put("\n", about[0], " ", glyph, " ", t.line(t.View.Snap.RoleName(s.Head)))
	if len(about) > 1 {
		t.put("  ", strings.Join(about[1:], "  "))
	}
	t.put("\n")
	t.shown(s, t.call, t.call, func(i int) { t.block(&s.Blocks[i]) })
}

func (t *textWriter) block(b *model.Content) {
	switch b.Kind {
	case model.Words:
		t.indented("  ", t.text(b.Text))
	case model.Reasoning:
		if b.Text != "" {
			t.put("  ~ reasoning\n")
			t.indented("  ~ ", t.text(b.Text))
		}
	case model.Media:
		t.put("  ", t.mediaLine(b), "\n")
	default:
		t.put("  · ", cmp.Or(t.line(b.Name), "other"), "\n")
		t.indented("    ", t.text(b.Text))
	}
}

// call writes the row of a call as in the timeline, then all of its arguments and its result.
func (t *textWriter) call(c *walk.Call) {
	l := t.describe(c)
	t.put("  ", l.Glyph(), " ", l.Word)
	for _, s := range [...]string{l.About, l.Outcome, took(c)} {
		if s != "" {
			t.put("  ", s)
		}
	}
	t.put("\n")
	if c.Call != nil {
		for _, s := range t.arguments(c) {
			t.piece("    ", &s)
		}
	}
	if t.opts.NoResults {
		return
	}
	switch {
	case c.Result != nil:
		for _, s := range t.returned(c) {
			t.piece("    │ ", &s)
		}
	case query.Pending(&c.Row):
		t.put("    │ (no result yet)\n")
	}
}

// piece writes a piece of an opened call or result.
func (t *textWriter) piece(before string, s *describe.Shown) {
	if s.Head != "" {
		head := s.Head
		if s.Kind == describe.ShownDiff {
			head += "  " + s.Counts()
		}
		t.indented(before, head)
	}
	if s.Kind == describe.ShownCode {
		s.Text = "$ " + s.Text
	}
	t.indented(before, s.Text)
}

func (t *textWriter) indented(before, text string) {
	text = strings.Trim(text, "\n")
	if strings.TrimSpace(text) == "" {
		return
	}
	for line := range strings.SplitSeq(text, "\n") {
		t.put(strings.TrimRight(before+line, " \t"), "\n")
	}
}
