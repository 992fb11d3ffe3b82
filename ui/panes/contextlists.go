package panes

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/query"
	"turns/query/answer"
	"turns/query/describe"
	"turns/query/human"
	"turns/query/window"
	"turns/ui/paint"
	"turns/ui/screen"
)

// contextList is one of the lists of the context pane.
type contextList int

const (
	listLargest contextList = iota
	listGrowth
	listRepeated
	listUnused
	ListTools
	contextLists
)

// contextListNames are the tabs above the list.
var contextListNames = [contextLists]string{"largest", "growth", "repeated", "unused", "tools"}

// contextLargest is the most rows in the list of the largest items.
const contextLargest = 40

// describe sets the columns and the rows of each list.
func (p *Context) describe(c *contextSeen) tea.Cmd {
	a, w := c.answer, p.Wasted.Answer
	if a == nil {
		a = &window.Answer{}
	}
	if w == nil {
		w = &window.WasteAnswer{}
	}
	largest, growth := &p.lists[listLargest], &p.lists[listGrowth]
	describeList(p, listLargest, a.Largest, a.LargestColumns(), "tokens", "share", "bar", "place", "what", "about")
	describeList(p, listGrowth, c.growth, window.GrowthColumns(), "turn", "added", "results", "measured", "place")
	describeList(p, listRepeated, w.Repeats, window.RepeatColumns(), "tokens", "times", "same", "place", "what", "about")
	describeList(p, listUnused, w.Unused, window.UnusedColumns(), "tokens", "place", "what", "about")
	describeList(p, ListTools, a.Tools, a.ToolColumns(), "tokens", "share", "bar", "tool")
	largest.Cells = p.withoutTool(a, largest.Cells)
	growth.Cells = p.withTitle(c.growth, growth.Cells)
	growth.Cols = append(growth.Cols, screen.Column{Head: "about", Width: 10, Gap: 1, Flex: 1})
	cmds := make([]tea.Cmd, 0, len(p.lists))
	for l := range p.lists {
		cmds = append(cmds, p.lists[l].Reset([contextLists]int{len(a.Largest), len(c.growth), len(w.Repeats), len(w.Unused), len(a.Tools)}[l]))
	}
	return tea.Batch(cmds...)
}

func describeList[T any](p *Context, l contextList, rows []T, columns []answer.Column[*T], names ...string) {
	screen.Describe(&p.lists[l], answer.Pick(columns, names...), func(i int) *T { return &rows[i] })
}

// withoutTool drops the word of the tool from the last cell if the one before shows it.
func (p *Context) withoutTool(a *window.Answer, fill func(int, []screen.Cell)) func(int, []screen.Cell) {
	return func(row int, out []screen.Cell) {
		fill(row, out)
		about := len(out) - 1
		if tool := string(a.Largest[row].Tool); tool != "" && p.lists[listLargest].WidthOf(about-1) > 0 {
			_, word, _ := describe.FamilyOf(tool)
			out[about].Text = strings.TrimPrefix(out[about].Text, paint.OneLine(word)+" ")
		}
	}
}

// withTitle adds the first line of the turn, after a sign if it had a compaction.
func (p *Context) withTitle(growth []window.TurnGrowth, fill func(int, []screen.Cell)) func(int, []screen.Cell) {
	return func(row int, out []screen.Cell) {
		fill(row, out[:len(out)-1])
		g, about := &growth[row], &out[len(out)-1]
		if g.Compacted > 0 {
			about.Lead = paint.Span{Text: "≡ ", Ink: paint.InkWarning}
		}
		if int(g.ID) < p.h.Snap.Rows() {
			if lines, _ := p.h.Described.Lines(g.ID); len(lines) > 0 {
				about.Text = lines[0].About
			}
		}
	}
}

// goRow goes to the message or call of the row. The pane still shows the context of its own
// message.
func (p *Context) goRow() tea.Cmd {
	row := p.lists[p.List].Row()
	if row < 0 || p.Seen == nil {
		return screen.NoRow(p.h)
	}
	var at answer.Place
	switch a := p.Seen.answer; p.List {
	case listLargest:
		at = a.Largest[row].Place()
	case listGrowth:
		at = p.Seen.growth[row].Place()
	case listRepeated:
		at = p.Wasted.Answer.Repeats[row].Place()
	case listUnused:
		at = p.Wasted.Answer.Unused[row].Place()
	case ListTools:
		tool := a.Tools[row].Tool
		i := slices.IndexFunc(a.Largest, func(it window.Item) bool { return it.Tool == tool })
		if i < 0 {
			return p.h.Complain("no result of " + paint.OneLine(string(tool)) + " is among the largest")
		}
		at = a.Largest[i].Place()
	}
	p.h.Ask(screen.GoTo{ID: at.ID, Call: at.Call})
	p.pinned, _ = p.h.Rows.Selected()
	return nil
}

// show switches to a list; the lists form a ring.
func (p *Context) show(l contextList) tea.Cmd {
	if l = (l + contextLists) % contextLists; l == p.List {
		return nil
	}
	p.List = l
	p.Wasted.asked = p.Wasted.job == nil
	return p.Follow()
}

// onlySeen filters by the messages in the context.
func (p *Context) onlySeen() tea.Cmd {
	if p.Seen == nil || p.Seen.answer == nil {
		return p.h.Complain("no context is known here")
	}
	const most = 24 // more ranges make a filter unreadable
	var ranges []string
	from, to := -2, -2
	end := func() {
		switch {
		case from < 0:
		case from == to:
			ranges = append(ranges, strconv.Itoa(from))
		default:
			ranges = append(ranges, fmt.Sprintf("%d..%d", from, to))
		}
	}
	for _, id := range p.Seen.index.Seen(p.Seen.At) {
		pos := p.Seen.snap.Pos(id)
		if pos < 0 {
			continue
		}
		if pos == to+1 {
			to = pos
			continue
		}
		end()
		from, to = pos, pos
	}
	end()
	switch {
	case len(ranges) == 0:
		return p.h.Complain("none of it has a place in the timeline")
	case len(ranges) > most:
		return p.h.Complain(fmt.Sprintf("it consists of %d pieces: too many for a filter", len(ranges)))
	}
	p.pinned, _ = p.h.Rows.Selected()
	return p.h.Ask(screen.SetFilter{Text: "index:" + strings.Join(ranges, ",")})
}

type tabPlace struct{ From, to int }

// TabPlaces returns the positions of the list names.
func (p *Context) TabPlaces(w int) (places [contextLists]tabPlace) {
	gap := 3
	if w < 44 {
		gap = 1
	}
	x := 1
	for l := range places {
		n := paint.Width(contextListNames[l])
		places[l] = tabPlace{x, x + n}
		x += n + gap
	}
	return places
}

// tabs draws the names of the lists.
func (p *Context) tabs(w int, focus bool) string {
	var spans []paint.Span
	x := 0
	for l, at := range p.TabPlaces(w) {
		k := paint.InkDim
		if contextList(l) == p.List {
			k = paint.InkHeading
			if focus {
				k = paint.InkAccent
			}
		}
		spans = append(spans, paint.Span{Text: paint.Blanks(at.From - x)}, paint.Span{Text: contextListNames[l], Ink: k})
		x = at.to
	}
	note := []paint.Span{{Text: p.listNote() + " ", Ink: paint.InkDim}}
	if x+3+paint.RestWidth(note) > w {
		note = nil
	}
	return p.h.Styles.Spread(w, paint.GroundNone, spans, note)
}

// listNote is the note next to the names of the lists.
func (p *Context) listNote() string {
	w := p.Wasted.Answer
	switch p.List {
	case listRepeated:
		if w != nil {
			return w.RepeatedNote(human.Short)
		}
	case listUnused:
		if w != nil {
			return human.Short(w.UnusedTokens) + " not named again"
		}
	}
	return ""
}

func (p *Context) drawList(w, h int, focus bool) []string {
	st := p.h.Styles
	text := ""
	switch t := &p.lists[p.List]; {
	case (p.List == listRepeated || p.List == listUnused) && p.Wasted.Answer == nil:
		text = fmt.Sprintf(" reading the texts, %d %%", p.Wasted.percent())
		if p.Wasted.err != nil {
			text = " " + paint.OneLine(p.Wasted.err.Error())
		}
	case p.List == listGrowth && p.Seen.growth == nil:
		text = " reading …"
	case t.N == 0:
		text = " " + [contextLists]string{"the context is empty", "no turns", "no call was made twice with the same arguments", "every large result is named again", "no results"}[p.List]
	default:
		return t.Render(st, w, h, focus)
	}
	return []string{st.Line(w, paint.GroundNone, paint.Span{Text: text, Ink: paint.InkDim})}
}

// contextWaste holds the parts of the session that may not have been needed. It is computed when
// its list is opened.
type contextWaste struct {
	snap   *model.Snapshot // being or already examined
	asked  bool            // its list was opened
	Answer *window.WasteAnswer
	job    *screen.Job[*window.WasteAnswer]
	err    error
}

func (w *contextWaste) percent() int {
	if w.job == nil {
		return 0
	}
	return w.job.Percent
}

// waste returns the command that computes it. Because it reads all texts, it examines the additions
// of a growing file only when the list is opened again.
func (p *Context) waste() tea.Cmd {
	w, c := &p.Wasted, p.Seen
	if p.List != listRepeated && p.List != listUnused || c == nil || c.index == nil || w.snap == c.snap {
		return nil
	}
	if grew := w.snap != nil && w.snap.Version() <= c.snap.Version() && w.snap.Rows() <= c.snap.Rows(); grew && !w.asked {
		return nil
	}
	w.job.Stop()
	w.snap, w.asked, w.err = c.snap, false, nil
	return screen.StartJob(p.h.Ctx, &w.job, func(ctx context.Context, report func(done, total int64)) (*window.WasteAnswer, error) {
		return c.index.Waste(ctx, query.Everything(c.snap), func(done, total int) { report(int64(done), int64(total)) })
	})
}

func (p *Context) takeWaste(msg tea.Msg) tea.Cmd {
	done, cmd := p.Wasted.job.Message(msg)
	if done == nil {
		return cmd
	}
	if p.Wasted.job, p.Wasted.err = nil, done.Err; done.Err == nil {
		p.Wasted.Answer = done.Answer
	}
	return tea.Batch(p.describe(p.Seen), p.Follow())
}
