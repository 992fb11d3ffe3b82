package panes

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/query"
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

// Columns of the lists; each list uses some of them.
const (
	ctxTokens = iota
	ctxShare
	ctxBar
	ctxTurn
	ctxResults
	ctxMeasured
	ctxTimes
	ctxSame
	ctxPlace
	ctxWhat
	ctxAbout
)

func (p *Context) makeLists() {
	cells := [contextLists]func(row int, out []screen.Cell){p.largestCells, p.growthCells, p.repeatedCells, p.unusedCells, p.toolCells}
	numbers := [contextLists]func(row, col int) int64{p.largestNumber, p.growthNumber, p.repeatedNumber, p.unusedNumber, p.toolNumber}
	shown := [contextLists][]int{
		listLargest:  {ctxTokens, ctxShare, ctxBar, ctxPlace, ctxWhat, ctxAbout},
		listGrowth:   {ctxTurn, ctxTokens, ctxResults, ctxMeasured, ctxPlace, ctxAbout},
		listRepeated: {ctxTokens, ctxTimes, ctxSame, ctxPlace, ctxWhat, ctxAbout},
		listUnused:   {ctxTokens, ctxPlace, ctxWhat, ctxAbout},
		ListTools:    {ctxTokens, ctxShare, ctxWhat, ctxBar},
	}
	for l := range p.lists {
		number := numbers[l]
		cols := []screen.Column{
			ctxTokens:   {Name: "tokens", Head: "tokens", Width: 7, Right: true},
			ctxShare:    {Head: "share", Width: 5, Right: true, Gap: 1, Drop: 5},
			ctxBar:      {Width: 10, Gap: 1, Drop: 8},
			ctxTurn:     {Name: "turn", Head: "turn", Width: 5, Right: true, Asc: true},
			ctxResults:  {Name: "results", Head: "results", Width: 7, Right: true, Gap: 1, Drop: 6},
			ctxMeasured: {Name: "measured", Head: "measured", Width: 8, Right: true, Gap: 1, Drop: 4},
			ctxTimes:    {Name: "times", Head: "times", Width: 5, Right: true, Gap: 1},
			ctxSame:     {Name: "same", Head: "same", Width: 4, Right: true, Gap: 1, Drop: 4},
			ctxPlace:    {Name: "place", Head: "#", Width: 7, Right: true, Gap: 1, Asc: true},
			ctxWhat:     {Head: "what", Width: 10, Gap: 2, Drop: 7},
			ctxAbout:    {Head: "about", Width: 10, Gap: 1, Flex: 1},
		}
		for i := range cols {
			cols[i].Hidden = !slices.Contains(shown[l], i)
		}
		p.lists[l] = screen.Table{SortBy: -1, Cols: cols, Cells: cells[l], Cmp: func(col, a, b int) int { return cmp.Compare(number(a, col), number(b, col)) }}
	}
	p.lists[listLargest].Cols[ctxAbout].Width = 16 // the item matters more than its size
	p.lists[listGrowth].Cols[ctxTokens].Head = "added"
	p.lists[ListTools].Cols[ctxWhat] = screen.Column{Head: "results of", Width: 12, Gap: 2, Flex: 1}
	p.lists[ListTools].Cols[ctxBar].Drop = 0
}

// fillLists sets the number of rows of each list.
func (p *Context) fillLists() tea.Cmd {
	c := p.Seen
	n := [contextLists]int{listGrowth: len(c.growth)}
	if c.answer != nil {
		n[listLargest], n[ListTools] = len(c.answer.Largest), len(c.answer.Tools)
	}
	if w := p.Wasted.Answer; w != nil {
		n[listRepeated], n[listUnused] = len(w.Repeats), len(w.Unused)
	}
	cmds := make([]tea.Cmd, 0, len(n))
	for l := range p.lists {
		cmds = append(cmds, p.lists[l].Reset(n[l]))
	}
	return tea.Batch(cmds...)
}

func (p *Context) largestCells(row int, out []screen.Cell) {
	it := &p.Seen.answer.Largest[row]
	out[ctxTokens] = sizeCell(it.Tokens)
	out[ctxShare] = screen.Cell{Text: human.Percent(int(it.Tokens), int(p.Seen.answer.Counted)), Ink: paint.InkDim}
	out[ctxBar] = screen.Cell{Text: paint.Bar(float64(it.Tokens), float64(p.Seen.answer.Largest[0].Tokens), 10), Ink: paint.InkBar}
	out[ctxPlace] = screen.Cell{Text: paint.PlaceOf(int(it.Index)), Ink: paint.InkDim}
	what, k := it.Role, paint.InkDim
	if it.Tool != "" {
		what, k = string(it.Tool), paint.InkText
	}
	out[ctxWhat] = screen.Cell{Text: paint.OneLine(what), Ink: k}
	about := paint.OneLine(it.About)
	if _, word, _ := describe.FamilyOf(string(it.Tool)); it.Tool != "" && slices.Contains(p.lists[listLargest].Shown, ctxWhat) {
		about = strings.TrimPrefix(about, paint.OneLine(word)+" ") // the previous column shows it
	}
	out[ctxAbout] = screen.Cell{Text: about}
}

func (p *Context) largestNumber(row, col int) int64 {
	it := &p.Seen.answer.Largest[row]
	if col == ctxPlace {
		return int64(it.Index)
	}
	return it.Tokens
}

func (p *Context) growthCells(row int, out []screen.Cell) {
	g := &p.Seen.growth[row]
	out[ctxTurn] = screen.Cell{Text: strconv.Itoa(g.Turn), Ink: paint.InkDim}
	out[ctxTokens] = sizeCell(g.Sum)
	out[ctxTokens].Text = plus(g.Sum, out[ctxTokens].Text)
	out[ctxResults] = sizeCell(g.Added.Results)
	out[ctxMeasured] = screen.Cell{Text: human.NotSaid, Ink: paint.InkDim}
	if g.Measured != nil {
		out[ctxMeasured] = screen.Cell{Text: human.Short(*g.Measured)}
	}
	out[ctxPlace] = screen.Cell{Text: paint.PlaceOf(int(g.Index)), Ink: paint.InkDim}
	about := paint.Span{}
	if g.Compacted > 0 {
		about = paint.Span{Text: "≡ ", Ink: paint.InkWarning}
	}
	text := ""
	if int(g.ID) < p.h.Snap.Rows() {
		if lines, _ := p.h.Described.Lines(g.ID); len(lines) > 0 {
			text = lines[0].About
		}
	}
	out[ctxAbout] = screen.Cell{Text: text, Lead: about}
}

func plus(n int64, text string) string {
	if n > 0 {
		return "+" + text
	}
	return text
}

func (p *Context) growthNumber(row, col int) int64 {
	g := &p.Seen.growth[row]
	switch col {
	case ctxTurn, ctxPlace:
		return int64(g.Turn)
	case ctxResults:
		return g.Added.Results
	case ctxMeasured:
		if g.Measured == nil {
			return -1
		}
		return *g.Measured
	}
	return g.Sum
}

func (p *Context) repeatedCells(row int, out []screen.Cell) {
	r := &p.Wasted.Answer.Repeats[row]
	out[ctxTokens] = sizeCell(r.Tokens)
	out[ctxTimes] = screen.Cell{Text: human.Count(r.Times)}
	out[ctxSame] = screen.NumberCell(r.Same, paint.InkWarning)
	out[ctxPlace] = screen.Cell{Text: paint.PlaceOf(r.At[len(r.At)-1]), Ink: paint.InkDim}
	out[ctxWhat] = screen.Cell{Text: paint.OneLine(string(r.Tool))}
	out[ctxAbout] = screen.Cell{Text: paint.OneLine(string(r.About))}
}

func (p *Context) repeatedNumber(row, col int) int64 {
	r := &p.Wasted.Answer.Repeats[row]
	switch col {
	case ctxTimes:
		return int64(r.Times)
	case ctxSame:
		return int64(r.Same)
	case ctxPlace:
		return int64(r.At[len(r.At)-1])
	}
	return r.Tokens
}

func (p *Context) unusedCells(row int, out []screen.Cell) {
	u := &p.Wasted.Answer.Unused[row]
	out[ctxTokens] = sizeCell(u.Tokens)
	out[ctxPlace] = screen.Cell{Text: paint.PlaceOf(int(u.Index)), Ink: paint.InkDim}
	out[ctxWhat] = screen.Cell{Text: paint.OneLine(string(u.Tool))}
	out[ctxAbout] = screen.Cell{Text: paint.OneLine(string(u.About))}
}

func (p *Context) unusedNumber(row, col int) int64 {
	u := &p.Wasted.Answer.Unused[row]
	if col == ctxPlace {
		return int64(u.Index)
	}
	return u.Tokens
}

func (p *Context) toolCells(row int, out []screen.Cell) {
	t := &p.Seen.answer.Tools[row]
	out[ctxTokens] = sizeCell(t.Tokens)
	out[ctxShare] = screen.Cell{Text: human.Percent(int(t.Tokens), int(p.Seen.answer.Tokens.Results)), Ink: paint.InkDim}
	out[ctxBar] = screen.Cell{Text: paint.Bar(float64(t.Tokens), float64(p.Seen.answer.Tools[0].Tokens), 10), Ink: paint.InkBar}
	out[ctxWhat] = screen.Cell{Text: paint.OneLine(string(t.Tool))}
}

func (p *Context) toolNumber(row, _ int) int64 { return p.Seen.answer.Tools[row].Tokens }

// goRow goes to the message or call of the row. The pane still shows the context of its own
// message.
func (p *Context) goRow() tea.Cmd {
	row := p.lists[p.List].Row()
	if row < 0 || p.Seen == nil {
		return screen.NoRow(p.h)
	}
	id, call := model.NoID, screen.NoCall
	switch p.List {
	case listLargest:
		id = p.Seen.answer.Largest[row].ID
	case listGrowth:
		id = p.Seen.growth[row].ID
	case listRepeated:
		r := &p.Wasted.Answer.Repeats[row]
		call = r.Calls[len(r.Calls)-1]
		id = callPlace(p.Wasted.snap.Call(call))
	case listUnused:
		id, call = p.Wasted.Answer.Unused[row].ID, p.Wasted.Answer.Unused[row].Call
	case ListTools:
		for i := range p.Seen.answer.Largest {
			if it := &p.Seen.answer.Largest[i]; it.Tool == p.Seen.answer.Tools[row].Tool {
				id = it.ID
				break
			}
		}
		if id == model.NoID {
			return p.h.Complain("no result of " + paint.OneLine(string(p.Seen.answer.Tools[row].Tool)) + " is among the largest")
		}
	}
	p.h.Ask(screen.GoTo{ID: id, Call: call})
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
			return fmt.Sprintf("%s of %s again, %s the same", human.Short(w.RepeatedTokens), human.Short(w.Results), human.Short(w.SameTokens))
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
	return screen.StartJob(p.h.Ctx, &w.job, func(ctx context.Context, tell func(done, total int64)) (*window.WasteAnswer, error) {
		return c.index.Waste(ctx, query.Everything(c.snap), func(done, total int) { tell(int64(done), int64(total)) })
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
	return tea.Batch(p.fillLists(), p.Follow())
}
