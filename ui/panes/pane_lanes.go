package panes

import (
	"cmp"
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"turns/model"
	"turns/query"
	"turns/query/human"
	"turns/query/lanes"
	"turns/ui/paint"
	"turns/ui/screen"
)

var _ interface {
	screen.Messenger
	screen.ZeroKeyed
} = (*Lanes)(nil)

// Lanes is the timeline of the session with one lane per agent. Its cursor is that of the message
// list.
type Lanes struct {
	h      *screen.Host
	answer *lanes.Answer
	of     lanesOf
	job    *screen.Job[*lanes.Answer]
	err    error
	zoom   int         // the screen shows the total time, halved this many times
	from   human.Stamp // first time on the screen, if zoom is not 0
	top    int         // first line on the screen

	// of the last frame
	axis  *lanes.Axis
	lines []int // lane of each line, -1 for none
	left  int   // cells before the columns
}

// lanesOf identifies the state that the lanes were computed from.
type lanesOf struct {
	snap    *model.Snapshot
	version uint64
}

func newLanes(h *screen.Host) screen.Pane { return &Lanes{h: h} }

// Name returns the name of the pane.
func (p *Lanes) Name() string { return "lanes" }

// Refresh recomputes the lanes if the session has changed.
func (p *Lanes) Refresh() tea.Cmd {
	h := p.h
	if h.Snap == nil {
		return nil
	}
	of := lanesOf{h.Snap, h.Snap.Version()}
	if of == p.of {
		return nil
	}
	p.of = of
	p.job.Stop()
	snap := h.Snap
	return screen.StartJob(h.Ctx, &p.job, func(ctx context.Context, _ func(done, total int64)) (*lanes.Answer, error) {
		a, err := lanes.Of(ctx, query.Everything(snap))
		if err != nil {
			return nil, err
		}
		return a, a.Describe(ctx)
	})
}

// Message receives the computed lanes.
func (p *Lanes) Message(msg tea.Msg) tea.Cmd {
	done, cmd := p.job.Message(msg)
	if done == nil {
		return cmd
	}
	if p.job, p.err = nil, done.Err; p.err == nil {
		p.answer = done.Answer
	}
	return nil
}

// laneEvent is a possible cursor position in a lane.
type laneEvent struct {
	at   human.Stamp
	id   model.ID
	call model.CallID
}

// events returns the cursor positions of a lane, in order.
func events(l *lanes.Lane) []laneEvent {
	out := []laneEvent{{l.From, l.First, screen.NoCall}}
	for _, s := range l.Stretches {
		if s.Kind != lanes.Tools && s.Kind != lanes.Asked {
			out = append(out, laneEvent{s.To, s.ID, screen.NoCall})
		}
	}
	for i := range l.Calls {
		out = append(out, laneEvent{l.Calls[i].From, l.Calls[i].Msg, l.Calls[i].ID})
	}
	slices.SortStableFunc(out, func(x, y laneEvent) int { return cmp.Compare(x.at, y.at) })
	return out
}

// place returns the lane and time of the timeline's cursor; lane is -1 if no lane has the message.
func (p *Lanes) place() (lane int, at human.Stamp) {
	id, call := p.h.Rows.Selected()
	if p.answer == nil || id == model.NoID || int(id) >= p.h.Snap.Rows() {
		return -1, 0
	}
	h := p.h.Snap.HeadRow(id)
	lane = p.answer.LaneOf(h.Thread)
	if at = human.Stamp(h.Time); lane >= 0 && call != screen.NoCall {
		for i := range p.answer.Lanes[lane].Calls {
			if c := &p.answer.Lanes[lane].Calls[i]; c.ID == call {
				at = c.From
			}
		}
	}
	return lane, at
}

// step moves the cursor by n places of its lane.
func (p *Lanes) step(n int) tea.Cmd {
	lane, at := p.place()
	if lane < 0 {
		return p.nearest(0, at)
	}
	list := events(&p.answer.Lanes[lane])
	id, call := p.h.Rows.Selected()
	i := slices.IndexFunc(list, func(e laneEvent) bool { return e.id == id && e.call == call })
	if i < 0 {
		i, _ = slices.BinarySearchFunc(list, at, func(e laneEvent, at human.Stamp) int { return cmp.Compare(e.at, at) })
		if n > 0 {
			i-- // so that n = 1 selects the insertion point
		}
	}
	if to := i + n; to >= 0 && to < len(list) {
		return p.goTo(list[to])
	}
	if n > 0 {
		return p.h.Complain("the end of the lane")
	}
	return p.h.Complain("the beginning of the lane")
}

// nearest moves the cursor to the message of a lane that is closest in time.
func (p *Lanes) nearest(lane int, at human.Stamp) tea.Cmd {
	if lane < 0 || p.answer == nil || lane >= len(p.answer.Lanes) {
		return p.h.Complain("no lane there")
	}
	list := events(&p.answer.Lanes[lane])
	distance := func(e laneEvent) human.Stamp { return max(e.at-at, at-e.at) }
	return p.goTo(slices.MinFunc(list, func(x, y laneEvent) int { return cmp.Compare(distance(x), distance(y)) }))
}

func (p *Lanes) goTo(e laneEvent) tea.Cmd { return p.h.Ask(screen.MoveTo{ID: e.id, Call: e.call}) }

// lane moves the cursor n lanes down.
func (p *Lanes) lane(n int) tea.Cmd {
	lane, at := p.place()
	return p.nearest(lane+n, at)
}

// zoomBy halves or doubles the visible time; n = 0 shows all of it.
func (p *Lanes) zoomBy(n int) tea.Cmd {
	to := min(max(p.zoom+n, 0), 20)
	if n == 0 {
		to = 0
	}
	if to == p.zoom {
		return p.h.Complain("already showing the whole session")
	}
	_, at := p.place()
	if p.zoom, p.from = to, 0; p.answer != nil && to > 0 {
		p.from = at - p.span()/2
	}
	return nil
}

// span returns the length of the visible time.
func (p *Lanes) span() human.Stamp { return max((p.answer.To-p.answer.From)>>p.zoom, 1000) }

// part returns the visible time. It contains the cursor.
func (p *Lanes) part() (from, to human.Stamp) {
	a := p.answer
	if p.zoom == 0 {
		return a.From, a.To
	}
	span := p.span()
	if _, at := p.place(); at != 0 && (at < p.from || at > p.from+span) {
		p.from = at - span/2
	}
	p.from = max(min(p.from, a.To-span), a.From)
	return p.from, p.from + span
}

// TakesZero reports that 0 is a key of the pane.
func (p *Lanes) TakesZero() bool { return true }

// Hints returns the keys of the pane.
func (p *Lanes) Hints() []screen.Hint { return screen.HintsOf(p.Keys()) }

// Key acts on a key of the pane.
func (p *Lanes) Key(key string, n int) (bool, tea.Cmd) { return screen.Pressed(p.Keys(), key, n) }

// Keys returns the keys of this pane only.
func (p *Lanes) Keys() []screen.Key {
	by := func(do func(int) tea.Cmd, dir int) func(int, string) tea.Cmd {
		return func(n int, _ string) tea.Cmd { return do(dir * max(n, 1)) }
	}
	return []screen.Key{
		{Keys: []string{"l", "right"}, Label: "h l", Hint: "move", Help: "go to the next call or message of the lane", Do: by(p.step, 1)},
		{Keys: []string{"h", "left"}, Help: "back to the previous call or message of the lane", Do: by(p.step, -1)},
		{Keys: []string{"j", "down"}, Label: "j k", Hint: "lanes", Help: "next lane", Do: by(p.lane, 1)},
		{Keys: []string{"k", "up"}, Help: "previous lane", Do: by(p.lane, -1)},
		{Keys: []string{"+"}, Label: "+ -", Hint: "zoom", Help: "zoom in: show only the half of the time around the cursor", Do: by(p.zoomBy, 1)},
		{Keys: []string{"-"}, Help: "zoom out: twice the time", Do: by(p.zoomBy, -1)},
		{Keys: []string{"0"}, Hint: "all", Help: "show the whole time; after a digit it is part of a count", Do: func(int, string) tea.Cmd { return p.zoomBy(0) }},
		{Keys: []string{"enter"}, Hint: "jump", Help: "jump to the row in the timeline", Do: func(int, string) tea.Cmd { return p.leave() }},
	}
}

// leave shows the row of the cursor in the timeline.
func (p *Lanes) leave() tea.Cmd {
	id, call := p.h.Rows.Selected()
	if id == model.NoID {
		return screen.NoRow(p.h)
	}
	return p.h.Ask(screen.GoTo{ID: id, Call: call})
}

// Click moves the cursor to the clicked lane and time.
func (p *Lanes) Click(x, y int, _ bool) tea.Cmd {
	y -= lanesHead
	if p.axis == nil || y < 0 || y >= len(p.lines) || p.lines[y] < 0 || x < p.left || x-p.left >= len(p.axis.Slots) {
		return nil
	}
	return p.nearest(p.lines[y], p.axis.Slots[x-p.left].From)
}

// Wheel scrolls the lanes.
func (p *Lanes) Wheel(n int) { p.top = max(p.top+n, 0) }

// lanesHead is the number of lines above the lanes, and lanesFoot below.
const lanesHead, lanesFoot = 2, 7

// Render draws the pane.
func (p *Lanes) Render(w, h int, _, focus bool) []string {
	st := p.h.Styles
	paragraph := func(text string) []string {
		return []string{paneTitle(p.h, w, focus, "Lanes", ""), st.Line(w, paint.GroundNone, paint.Span{Text: " " + text, Ink: paint.InkDim})}
	}
	switch a := p.answer; {
	case p.err != nil:
		return paragraph(paint.OneLine(p.err.Error()))
	case a == nil:
		return paragraph("arranging …")
	case a.From == 0:
		return paragraph("no message has a time")
	}
	a := p.answer
	from, to := p.part()
	names := min(p.nameWidth(), max(w/4, 6))
	p.left = names + 2
	p.axis = a.Axis(max(w-p.left-1, 1), from, to)
	about := human.Took(human.Millis(to - from).Duration())
	if p.zoom > 0 {
		about += " of " + human.Took(human.Millis(a.To-a.From).Duration())
	}
	zone := p.h.Zone
	labels := p.axis.Labels(func(at human.Stamp) string { return human.StampIn(int64(at), zone, p.axis.Clock()) })
	out := []string{paneTitle(p.h, w, focus, "Lanes", about+titleGap+human.Plural(len(a.Lanes), "lane")+p.h.More()), p.line(w, "", paint.InkDim, []paint.Span{{Text: string(labels), Ink: paint.InkDim}})}
	body := p.body(w)
	room := max(h-lanesHead-lanesFoot, 1)
	p.show(room)
	body, p.lines = body[p.top:min(p.top+room, len(body))], p.lines[p.top:min(p.top+room, len(body))]
	out = append(out, body...)
	return append(out, p.foot(w)...)
}

// show scrolls to the lane of the cursor.
func (p *Lanes) show(room int) {
	p.top = max(min(p.top, len(p.lines)-room), 0)
	if lane, _ := p.place(); lane >= 0 {
		if at := slices.Index(p.lines, lane); at >= 0 && (at < p.top || at >= p.top+room) {
			p.top = max(min(at-room/2, len(p.lines)-room), 0)
		}
	}
}

// nameWidth returns the width of the names.
func (p *Lanes) nameWidth() int {
	most := len("context")
	for i := range p.answer.Lanes {
		most = max(most, paint.Width(p.answer.Label(i)))
	}
	return min(most, 30)
}

// line draws a name and cells.
func (p *Lanes) line(w int, name string, ink paint.Ink, cells []paint.Span) string {
	names := p.left - 2
	spans := append([]paint.Span{{Text: " " + paint.Fit(paint.Cut(name, names), names) + " ", Ink: ink}}, cells...)
	return p.h.Styles.Line(w, paint.GroundNone, spans...)
}

// cellInks are the colours of the cells. Their glyphs differ as well, for screens without colours.
var cellInks = map[lanes.Cell]paint.Ink{
	lanes.Blank: paint.InkText, lanes.ModelCell: paint.InkAssistant, lanes.ToolCell: paint.InkBar, lanes.WaitCell: paint.InkDim, lanes.ErrorCell: paint.InkError,
}

// body draws the lanes, with the cursor below its lane. It sets lines.
func (p *Lanes) body(w int) []string {
	var out []string
	p.lines = p.lines[:0]
	add := func(lane int, line string) {
		out = append(out, line)
		p.lines = append(p.lines, lane)
	}
	row := func(cells []lanes.Cell) []paint.Span {
		chart := make([]chartCell, len(cells))
		for i, c := range cells {
			chart[i] = chartCell{c.Glyph(), cellInks[c]}
		}
		return cellSpans(chart)
	}
	here, at := p.place()
	for i := range p.answer.Lanes {
		lane := &p.answer.Lanes[i]
		ink := paint.InkText
		if i == here {
			ink = paint.InkAccent
		}
		add(i, p.line(w, paint.OneLine(p.answer.Label(i)), ink, row(p.axis.Cells(lane))))
		for _, cells := range p.axis.Stacked(lane, 3) {
			add(i, p.line(w, "", paint.InkDim, row(cells)))
		}
		if column := p.axis.Column(at); i == here && column >= 0 {
			add(-1, p.line(w, "", paint.InkDim, p.cursor(column)))
		}
	}
	return out
}

// cursor draws the line with the position of the cursor and the number of its message.
func (p *Lanes) cursor(column int) []paint.Span {
	id, call := p.h.Rows.Selected()
	text := ""
	if at := p.h.Snap.Pos(id); at >= 0 {
		text = " " + human.Place(at)
	}
	if call != screen.NoCall {
		text += " " + paint.OneLine(query.ToolName(p.h.Snap, p.h.Snap.Call(call)))
	}
	if width := paint.Width(text); column+1+width > len(p.axis.Slots) {
		text = strings.TrimLeft(text, " ") + " "
		if column >= paint.Width(text) {
			return []paint.Span{{Text: paint.Blanks(column-paint.Width(text)) + text, Ink: paint.InkDim}, {Text: "▲", Ink: paint.InkAccent}}
		}
		text = ""
	}
	return []paint.Span{{Text: paint.Blanks(column)}, {Text: "▲", Ink: paint.InkAccent}, {Text: text, Ink: paint.InkDim}}
}

// foot draws the context, the legend and the sums.
func (p *Lanes) foot(w int) []string {
	a, st := p.answer, p.h.Styles
	var out []string
	if len(a.Context) > 0 {
		out = append(out, p.line(w, "context", paint.InkDim, []paint.Span{{Text: string(p.axis.Fill(a)), Ink: paint.InkBar}}))
	}
	out = append(out, "")
	for _, text := range []string{lanes.Legend, a.Shares()} {
		for _, spans := range paint.Flow(w-1, flowParts(text)) {
			out = append(out, st.Line(w, paint.GroundNone, append([]paint.Span{{Text: " "}}, spans...)...))
		}
	}
	for line := range strings.SplitSeq(ansi.Wordwrap(a.Critical.Line(), max(w-4, 10), ""), "\n") {
		out = append(out, st.Line(w, paint.GroundNone, paint.Span{Text: "  " + line}))
	}
	return out
}

// flowParts splits a line at its gaps, where it may wrap.
func flowParts(text string) (parts [][]paint.Span) {
	for part := range strings.SplitSeq(text, "   ") {
		parts = append(parts, []paint.Span{{Text: part, Ink: paint.InkDim}})
	}
	return parts
}
