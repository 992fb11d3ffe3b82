package panes

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/query"
	"turns/query/describe"
	"turns/query/human"
	"turns/query/reading"
	"turns/ui/paint"
	"turns/ui/screen"
)

// Reading shows the session as running text on the full screen: prompts and answers in full, and
// one line for the work between them. The pane gathers it when it opens.
type Reading struct {
	viewer
	passages []reading.Passage
	parts    []int // of the body, at which the passages begin
	of       readingOf
	made     readingKey
	steps    bool // show one line per reasoning and call
	job      *screen.Job[[]reading.Passage]
	err      error
	from     model.ID // message to go to once it is read
	going    bool
}

// readingOf identifies the state that the passages were computed from.
type readingOf struct {
	snap    *model.Snapshot
	version uint64
	view    string
}

// readingKey is the state that the body depends on.
type readingKey struct {
	w, gen, n int
	steps     bool
	wrap      bool
}

var _ interface {
	screen.Opener
	screen.Messenger
} = (*Reading)(nil)

func newReading(h *screen.Host, l timeline) *Reading {
	return &Reading{viewer: newViewer(h, l, "the conversation")}
}

// Name returns the name of the pane.
func (p *Reading) Name() string { return "reading" }

// Opened goes to the message of the cursor.
func (p *Reading) Opened() {
	if r, ok := p.l.Current(); ok {
		p.from, p.going = r.Key.ID, true
	}
}

// Refresh recomputes the passages after a change of the session or the filter.
func (p *Reading) Refresh() tea.Cmd {
	h := p.h
	if h.Snap == nil {
		return nil
	}
	of := readingOf{snap: h.Snap, version: h.Snap.Version()}
	view := describe.NewView(query.Everything(h.Snap), nil)
	if h.View.On && h.View.Result != nil {
		of.view = h.View.Text
		view = describe.NewView(h.View.Result.Selection(h.Snap), h.View.Result)
	}
	if of == p.of {
		return nil
	}
	p.of = of
	p.job.Stop()
	turns := h.Turns
	return screen.StartJob(h.Ctx, &p.job, func(ctx context.Context, _ func(done, total int64)) ([]reading.Passage, error) {
		if turns == nil {
			turns = query.NewTurnIndex(view.Snap)
		}
		return reading.All(ctx, view, turns)
	})
}

// Message stores computed passages. The passage at the top stays there.
func (p *Reading) Message(msg tea.Msg) tea.Cmd {
	done, cmd := p.job.Message(msg)
	if done == nil {
		return cmd
	}
	if p.job, p.err = nil, done.Err; p.err != nil {
		return nil
	}
	if at := p.at(); at >= 0 && !p.going {
		p.from, p.going = p.passages[at].ID, true
	}
	p.passages, p.made = done.Answer, readingKey{}
	return nil
}

// at returns the passage at the top of the screen, -1 for none.
func (p *Reading) at() int {
	at := -1
	for i, part := range p.parts {
		if part > p.top.part || i >= len(p.passages) {
			break
		}
		at = i
	}
	return at
}

// Hints returns the keys for the key line while the pane has the focus.
func (p *Reading) Hints() []screen.Hint { return screen.HintsOf(p.Keys()) }

// Key acts on a key of the pane.
func (p *Reading) Key(key string, n int) (bool, tea.Cmd) {
	if handled, cmd := p.marking(key); handled {
		return true, cmd
	}
	return screen.Pressed(p.Keys(), key, n)
}

// Keys returns the keys of the reading mode only.
func (p *Reading) Keys() []screen.Key {
	leap := func(kind reading.Kind, dir int, none string) func(int, string) tea.Cmd {
		return func(n int, _ string) tea.Cmd { return p.leap(kind, dir*max(n, 1), none) }
	}
	return append(p.scrollKeys(), []screen.Key{
		{Keys: []string{"p"}, Hint: "prompt", Help: "next prompt", Do: leap(reading.Prompt, 1, "no prompt below")},
		{Keys: []string{"P"}, Help: "previous prompt", Do: leap(reading.Prompt, -1, "no prompt above")},
		{Keys: []string{"e"}, Hint: "error", Help: "next error", Do: leap(reading.Failure, 1, "no error below")},
		{Keys: []string{"E"}, Help: "previous error", Do: leap(reading.Failure, -1, "no error above")},
		{Keys: []string{"l", "right"}, Hint: "steps", Help: "open the work: a line for each reasoning and tool call; again folds them", Do: func(int, string) tea.Cmd { p.unfold(); return nil }},
		{Keys: []string{"enter"}, Hint: "show in the timeline", Help: "go to the passage at the top in the timeline", Do: func(int, string) tea.Cmd { return p.leave() }},
		{Keys: []string{"Y", "h", "left"}, Label: "Y", Hint: "back", Help: "back to the same place in the timeline", Do: func(int, string) tea.Cmd { p.h.Ask(screen.ClosePane{}); return nil }},
	}...)
}

// leap moves n passages of a kind forward, or back.
func (p *Reading) leap(kind reading.Kind, n int, none string) tea.Cmd {
	dir := 1
	if n < 0 {
		dir = -1
	}
	at, found := p.at(), -1
	if dir < 0 && at >= 0 && p.top != (spot{p.parts[at], 0}) {
		at++ // its beginning is above the screen
	}
	for i := at + dir; i >= 0 && i < len(p.passages) && n != 0; i += dir {
		if p.passages[i].Kind == kind {
			found = i
			n -= dir
		}
	}
	if found < 0 {
		return p.h.Complain(none)
	}
	p.top = spot{p.parts[found], 0}
	return nil
}

// unfold shows or hides the steps of the work. The passage at the top stays there.
func (p *Reading) unfold() {
	if at := p.at(); at >= 0 {
		p.from, p.going = p.passages[at].ID, true
	}
	p.steps = !p.steps
}

// leave shows the passage at the top in the timeline.
func (p *Reading) leave() tea.Cmd {
	at := p.at()
	if at < 0 {
		return p.h.Complain("no passage here")
	}
	return p.h.Ask(screen.GoTo{ID: p.passages[at].ID, Call: screen.NoCall})
}

// Click does nothing: there is nothing to select.
func (p *Reading) Click(_, _ int, _ bool) tea.Cmd { return nil }

// readingMargin is the distance of the text from the left edge.
const readingMargin = 3

// Render draws the pane.
func (p *Reading) Render(w, h int, _, focus bool) []string {
	st := p.h.Styles
	p.h0 = max(h-2, 1)
	text := max(min(w-2*readingMargin, screen.ReadingWidth), 8)
	p.prepare(text)
	place := ""
	if at := p.at(); at >= 0 {
		place = fmt.Sprintf("passage %s of %s ", human.Count(at+1), human.Count(len(p.passages)))
	}
	ink := paint.InkBorder
	if focus {
		ink = paint.InkBorderFocus
	}
	lines := []string{
		st.Spread(w, paint.GroundNone, []paint.Span{{Text: " Reading", Ink: paint.InkBold}}, []paint.Span{{Text: place, Ink: paint.InkDim}}),
		st.Paint(ink, strings.Repeat("─", w)),
	}
	paragraph := func(text string) []string {
		return append(lines, st.Line(w, paint.GroundNone, paint.Span{Text: paint.Blanks(readingMargin) + text, Ink: paint.InkDim}))
	}
	switch {
	case p.err != nil:
		return paragraph(paint.OneLine(p.err.Error()))
	case len(p.passages) == 0 && p.job != nil:
		return paragraph("gathering …")
	case len(p.passages) == 0:
		return paragraph("no prompts and no answers")
	}
	n := -1
	if p.read.marked || p.read.found >= 0 {
		n = p.number(p.top)
	}
	s := p.top
	for range p.h0 {
		part := p.body.Lines(s.part)
		if s.line < len(part) {
			lines = append(lines, paint.Blanks(readingMargin-1)+p.drawLine(part[s.line], n, text+2))
			if n >= 0 {
				n++
			}
		}
		next, ok := p.next(s)
		if !ok {
			break
		}
		s = next
	}
	return lines
}

// prepare builds the body unless it is current, and goes to the requested place.
func (p *Reading) prepare(w int) {
	key := readingKey{w, p.h.Styles.Gen, len(p.passages), p.steps, p.l.Wraps()}
	if p.body == nil || p.made != key {
		p.made = key
		p.body = &paint.Doc{W: w, St: p.h.Styles, Wrap: true, Md: p.h.Markdown}
		p.parts = p.parts[:0]
		clock := screen.ClockIn(p.h.Zone)
		for i := range p.passages {
			p.parts = append(p.parts, len(p.body.Parts))
			var next *reading.Passage
			if i+1 < len(p.passages) {
				next = &p.passages[i+1]
			}
			p.body.Parts = append(p.body.Parts, screen.ReadingParts(&p.passages[i], next, w, p.steps, clock)...)
		}
		p.top = spot{min(p.top.part, max(len(p.body.Parts)-1, 0)), 0}
	}
	if !p.going || len(p.passages) == 0 {
		return
	}
	p.going = false
	to, from := 0, p.h.Snap.RowNumber(p.from)
	for i := range p.passages {
		if p.h.Snap.RowNumber(p.passages[i].ID) > from {
			break
		}
		to = i
	}
	p.top = spot{p.parts[to], 0}
}
