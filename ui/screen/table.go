package screen

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/query/describe"
	"turns/query/human"
	"turns/query/redact"
	"turns/ui/paint"
)

// Column describes the look and sorting of a table column, and how it shrinks without room.
type Column struct {
	Name  string // name for sorting; "": not sortable
	Head  string
	Width int  // of its texts; 0 with Flex
	Right bool // numbers
	Want  int  // width of its longest text, allotted before the rest is shared
	// share of the remaining room among the flexible columns; Width is then the minimum
	Flex  int
	Drop  int  // if room is missing, columns with the highest number go first; 0: always shown
	Gap   int  // cells before the column
	Asc   bool // sorts ascending first
	Ends  bool // texts differ at their ends: to fit, the middle is cut
	Paths bool // texts are paths: to fit, folders are dropped

	Hidden bool // not shown in this form of the pane
}

// Cell is the content of a column in a row. Lead precedes the text and is never cut.
type Cell struct {
	Text  string
	Ink   paint.Ink
	Lead  paint.Span
	Parts []paint.Span // instead of Text, for several colours
}

// Table shows any number of rows in columns; it requests only the cells of visible rows. The owner
// numbers the data rows; order is their displayed order.
type Table struct {
	Cols  []Column
	N     int
	Cells func(row int, out []Cell) // fills out, one cell per column
	Cmp   func(col, a, b int) int   // compares two data rows by a column
	// heading of a row in the natural order; nil: no headings
	Group func(row int) string

	order    []int32 // nil: natural order
	SortBy   int     // column; -1: natural order
	Desc     bool
	gen      int // incremented by each sort
	Cur, top int // positions in the order
	page     int // rows that fitted in the last frame
	Find     string

	Shown  []int // visible columns and their widths, for Laid cells
	Widths []int
	Laid   int
}

// sortInline is the most rows sorted within a key press; for more, a command sorts.
const sortInline = 50_000

// SortedMsg is an order computed in the background.
type SortedMsg struct {
	table *Table
	gen   int
	order []int32
}

// Reset sets the number of rows, after they may have changed. The cursor keeps its position.
func (t *Table) Reset(n int) tea.Cmd {
	row := t.Row()
	t.N = n
	if t.SortBy < 0 {
		t.order = nil
		t.MoveTo(t.Cur)
		return nil
	}
	return t.Sort(row)
}

// Row returns the data row under the cursor, -1 without rows.
func (t *Table) Row() int {
	if t.Cur < 0 || t.Cur >= t.N {
		return -1
	}
	return t.At(t.Cur)
}

// At returns the data row at a position.
func (t *Table) At(place int) int {
	if t.order != nil && place < len(t.order) {
		return int(t.order[place])
	}
	return place
}

// SelectRow moves the cursor to a data row.
func (t *Table) SelectRow(row int) {
	if t.order == nil {
		t.MoveTo(row)
	} else if i := slices.Index(t.order, int32(row)); i >= 0 {
		t.MoveTo(i)
	}
}

// MoveTo moves the cursor to a position, or to the nearest valid one.
func (t *Table) MoveTo(place int) { t.Cur = max(min(place, t.N-1), 0) }

// Sort sorts the rows by the selected column. The cursor stays on the data row keep; -1: at its
// position.
func (t *Table) Sort(keep int) tea.Cmd {
	t.gen++
	if t.SortBy < 0 {
		t.order = nil
		if keep >= 0 {
			t.MoveTo(keep)
		}
		return nil
	}
	if t.N <= sortInline {
		t.order = sortedRows(t.N, t.SortBy, t.Desc, t.Cmp)
		if keep >= 0 {
			t.SelectRow(keep)
		}
		t.MoveTo(t.Cur)
		return nil
	}
	if len(t.order) != t.N {
		t.order = nil
	}
	gen, n, by, desc, cmp := t.gen, t.N, t.SortBy, t.Desc, t.Cmp
	return Background(func() tea.Msg { return SortedMsg{t, gen, sortedRows(n, by, desc, cmp)} })
}

// Sorted applies an order computed in the background.
func (t *Table) Sorted(msg SortedMsg) {
	if msg.table == t && msg.gen == t.gen && len(msg.order) == t.N {
		row := t.Row()
		t.order = msg.order
		t.SelectRow(row)
	}
}

func sortedRows(n, by int, desc bool, cmp func(col, a, b int) int) []int32 {
	order := make([]int32, n)
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int {
		c := cmp(by, int(a), int(b))
		if desc {
			c = -c
		}
		if c == 0 {
			return int(a) - int(b)
		}
		return c
	})
	return order
}

// SortOn sorts by a column; -1 is the natural order.
func (t *Table) SortOn(col int) tea.Cmd {
	if col == t.SortBy {
		t.Desc = !t.Desc
	} else {
		t.SortBy = col
		t.Desc = col >= 0 && !t.Cols[col].Asc
	}
	return t.Sort(-1)
}

// SortColumn returns the name of the sorted column, "" for the natural order.
func (t *Table) SortColumn() (name string, desc bool) {
	if t.SortBy < 0 || t.SortBy >= len(t.Cols) {
		return "", false
	}
	return t.Cols[t.SortBy].Name, t.Desc
}

// SortByName sorts by the column with a name; without one, the rows are in their natural order.
func (t *Table) SortByName(name string, desc bool) tea.Cmd {
	t.SortBy, t.Desc = -1, false
	if i := slices.IndexFunc(t.Cols, func(c Column) bool { return c.Name != "" && c.Name == name }); i >= 0 {
		t.SortBy, t.Desc = i, desc
	}
	return t.Sort(t.Row())
}

// SortName describes the sort order: "total time ▾".
func (t *Table) SortName() string {
	sign := "▾"
	if t.SortBy < 0 {
		return "in order " + sign
	}
	if !t.Desc {
		sign = "▴"
	}
	return t.Cols[t.SortBy].Name + " " + sign
}

// Next sorts by the next visible column; the natural order precedes the first.
func (t *Table) Next(dir int) tea.Cmd {
	choices := []int{-1}
	for i, c := range t.Cols {
		if c.Name != "" && (t.Laid == 0 || slices.Contains(t.Shown, i)) {
			choices = append(choices, i)
		}
	}
	i := slices.Index(choices, t.SortBy)
	col := choices[(i+dir+len(choices))%len(choices)]
	if col == t.SortBy {
		return nil
	}
	return t.SortOn(col)
}

// LayOut selects the columns that fit into w cells.
func (t *Table) LayOut(w int) {
	if t.Laid == w {
		return
	}
	t.Laid = w
	t.Shown = t.Shown[:0]
	for i := range t.Cols {
		if !t.Cols[i].Hidden {
			t.Shown = append(t.Shown, i)
		}
	}
	need := func() (n, flex int) {
		for _, i := range t.Shown {
			n += t.Cols[i].Gap + t.Cols[i].Width
			flex += t.Cols[i].Flex
		}
		return n, flex
	}
	n, flex := need()
	for n > w {
		worst := -1
		for at, i := range t.Shown {
			if d := t.Cols[i].Drop; d > 0 && (worst < 0 || d > t.Cols[t.Shown[worst]].Drop) {
				worst = at
			}
		}
		if worst < 0 {
			break
		}
		t.Shown = slices.Delete(t.Shown, worst, worst+1)
		n, flex = need()
	}
	left := max(w-n, 0)
	t.Widths = t.Widths[:0]
	for _, i := range t.Shown {
		c := &t.Cols[i]
		more := max(min(c.Want-c.Width, left), 0)
		left -= more
		t.Widths = append(t.Widths, c.Width+more)
	}
	for at, i := range t.Shown {
		if c := &t.Cols[i]; c.Flex > 0 {
			share := left * c.Flex / flex
			flex, left = flex-c.Flex, left-share
			t.Widths[at] += share
		}
	}
	for over := n - w; over > 0; over-- { // no more columns to drop
		widest := -1
		for at, i := range t.Shown {
			if t.Cols[i].Flex > 0 && t.Widths[at] > leastFlex && (widest < 0 || t.Widths[at] > t.Widths[widest]) {
				widest = at
			}
		}
		if widest < 0 {
			return
		}
		t.Widths[widest]--
	}
}

// leastFlex is the least width of a flexible column, on a screen without room for its minimum.
const leastFlex = 4

// Render draws the heads and the rows that fit into h lines of w cells.
func (t *Table) Render(st *paint.Styles, w, h int, focus bool) []string {
	if h < 1 || w < 4 {
		return nil
	}
	room := w - 1
	if w >= 60 {
		room-- // a margin at the right
	}
	t.LayOut(room)
	if t.N == 0 {
		return []string{t.heads(st, w)}
	}
	out := []string{""}
	t.page = h - 1
	t.reveal(h - 1)
	cells := make([]Cell, len(t.Cols))
	last := ""
	if t.top > 0 && t.Group != nil && t.SortBy < 0 {
		last = t.Group(t.At(t.top - 1))
	}
	for place := t.top; place < t.N && len(out) < h; place++ {
		row := t.At(place)
		if t.Group != nil && t.SortBy < 0 {
			if g := t.Group(row); g != last {
				last = g
				out = append(out, st.Line(w, paint.GroundNone, paint.Span{Text: " " + g, Ink: paint.InkHeading}))
				if len(out) >= h {
					break
				}
			}
		}
		clear(cells)
		t.Cells(row, cells)
		out = append(out, t.line(st, w, cells, place == t.Cur, focus))
	}
	out[0] = t.heads(st, w) // last: the rows may set the name of a column
	return out
}

// linesAbove returns the number of lines of the rows from top to place, including headings.
func (t *Table) linesAbove(top, place int) int {
	n := place - top + 1
	if t.Group == nil || t.SortBy >= 0 {
		return n
	}
	last := ""
	if top > 0 {
		last = t.Group(t.At(top - 1))
	}
	for i := top; i <= place; i++ {
		if g := t.Group(t.At(i)); g != last {
			last = g
			n++
		}
	}
	return n
}

// reveal scrolls so that the cursor is within h lines.
func (t *Table) reveal(h int) {
	if t.Cur < t.top {
		t.top = t.Cur
	}
	if t.Cur-t.top > h {
		t.top = t.Cur - h
	}
	for t.top < t.Cur && t.linesAbove(t.top, t.Cur) > h {
		t.top++
	}
	if t.Group == nil || t.SortBy >= 0 {
		t.top = max(min(t.top, t.N-h), 0)
	}
	// the last rows fill the page
	for t.top > 0 && t.N-t.top < h && t.linesAbove(t.top-1, t.N-1) <= h {
		t.top--
	}
}

// Bottom returns the last visible position.
func (t *Table) Bottom() int {
	place := t.top
	for place+1 < t.N && t.linesAbove(t.top, place+1) <= t.page {
		place++
	}
	return place
}

func (t *Table) heads(st *paint.Styles, w int) string {
	spans := []paint.Span{{Text: " "}}
	for at, i := range t.Shown {
		c := &t.Cols[i]
		k := paint.InkDim
		if i == t.SortBy {
			k = paint.InkAccent
		}
		spans = append(spans, paint.Span{Text: paint.Blanks(c.Gap)})
		if c.Right {
			spans = append(spans, paint.Span{Text: paint.FitRight(c.Head, t.Widths[at]), Ink: k})
		} else {
			spans = append(spans, paint.Span{Text: paint.Fit(c.Head, t.Widths[at]), Ink: k})
		}
	}
	return st.Line(w, paint.GroundNone, spans...)
}

func (t *Table) line(st *paint.Styles, w int, cells []Cell, cursor, focus bool) string {
	base, lead := paint.GroundNone, paint.Span{Text: " "}
	if cursor && focus {
		base, lead = paint.GroundCursor, paint.Span{Text: "›", Ink: paint.InkAccent}
	}
	return st.Line(w, base, t.Spans(lead, cells)...)
}

// Spans arranges the cells of a row in the visible columns.
func (t *Table) Spans(lead paint.Span, cells []Cell) []paint.Span {
	spans := []paint.Span{lead}
	for at, i := range t.Shown {
		c, cell, cw := &t.Cols[i], &cells[i], t.Widths[at]
		if c.Gap > 0 {
			spans = append(spans, paint.Span{Text: paint.Blanks(c.Gap)})
		}
		if cell.Lead.Text != "" {
			spans = append(spans, cell.Lead)
			cw = max(cw-paint.Width(cell.Lead.Text), 0)
		}
		if cell.Parts != nil {
			spans = append(spans, paint.FitSpans(cell.Parts, cw)...)
		} else if c.Right {
			spans = append(spans, paint.Span{Text: paint.FitCount(cell.Text, cw), Ink: cell.Ink})
		} else {
			if c.Paths {
				cell.Text = describe.ShortenPath(cell.Text, cw)
			}
			if c.Ends {
				cell.Text = paint.CutMiddle(cell.Text, cw)
			}
			spans = append(spans, paint.Span{Text: paint.Fit(cell.Text, cw), Ink: cell.Ink})
		}
	}
	return spans
}

// WidthOf returns the laid-out width of a column, 0 if it is hidden.
func (t *Table) WidthOf(col int) int {
	if at := slices.Index(t.Shown, col); at >= 0 {
		return t.Widths[at]
	}
	return 0
}

// Key moves and sorts; it returns false for other keys.
func (t *Table) Key(h *Host, name string, n int) (bool, tea.Cmd) { return Pressed(t.Keys(h), name, n) }

// OnRow makes a key action for the row under the cursor.
func (t *Table) OnRow(h *Host, do func(row int, key string) tea.Cmd) func(int, string) tea.Cmd {
	return func(_ int, key string) tea.Cmd {
		if row := t.Row(); row >= 0 {
			return do(row, key)
		}
		return NoRow(h)
	}
}

// Keys returns the keys of every table.
func (t *Table) Keys(h *Host) []Key {
	page, half := max(t.page-1, 1), max(t.page/2, 1)
	by := func(lines int) func(int, string) tea.Cmd {
		return func(n int, _ string) tea.Cmd { t.MoveTo(t.Cur + max(n, 1)*lines); return nil }
	}
	to := func(place func(n int) int) func(int, string) tea.Cmd {
		return func(n int, _ string) tea.Cmd { t.MoveTo(place(n)); return nil }
	}
	return []Key{
		{Keys: []string{"j", "down"}, Help: "next row", Do: by(1)},
		{Keys: []string{"k", "up"}, Help: "previous row", Do: by(-1)},
		{Keys: []string{"ctrl+d"}, Help: "half a page on", Do: by(half)},
		{Keys: []string{"ctrl+u"}, Help: "half a page back", Do: by(-half)},
		{Keys: []string{"space", "ctrl+f", "pgdown"}, Help: "a page on", Do: by(page)},
		{Keys: []string{"b", "ctrl+b", "pgup"}, Help: "a page back", Do: by(-page)},
		{Keys: []string{"g", "home"}, Help: "first row; 5g goes to the fifth", Do: to(func(n int) int { return max(n-1, 0) })},
		{Keys: []string{"G", "end"}, Help: "last row; 5G goes to the fifth", Do: to(func(n int) int {
			n = cmp.Or(n, t.N)
			return n - 1
		})},
		{Keys: []string{"H"}, Help: "top row of the screen", Do: to(func(int) int { return t.top })},
		{Keys: []string{"M"}, Help: "middle row of the screen", Do: to(func(int) int { return (t.top + t.Bottom()) / 2 })},
		{Keys: []string{"L"}, Help: "bottom row of the screen", Do: to(func(int) int { return t.Bottom() })},
		{Keys: []string{"ctrl+e"}, Help: "scroll one line", Do: func(n int, _ string) tea.Cmd { t.Scroll(max(n, 1)); return nil }},
		{Keys: []string{"ctrl+y"}, Help: "scroll one line back", Do: func(n int, _ string) tea.Cmd { t.Scroll(-max(n, 1)); return nil }},
		{Keys: []string{">"}, Help: "sort by the next column", Do: func(int, string) tea.Cmd { return t.sortNext(h, 1) }},
		{Keys: []string{"<"}, Help: "sort by the previous column", Do: func(int, string) tea.Cmd { return t.sortNext(h, -1) }},
		{Keys: []string{"R"}, Help: "turn the order", Do: func(int, string) tea.Cmd { return t.reverse(h) }},
		{Keys: []string{"/"}, Help: "find in the rows of the table", Do: func(int, string) tea.Cmd { t.openFind(h); return nil }},
		{Keys: []string{"n"}, Help: "next hit", Do: func(int, string) tea.Cmd { return t.findOn(h, 1) }},
		{Keys: []string{"N"}, Help: "previous hit", Do: func(int, string) tea.Cmd { return t.findOn(h, -1) }},
		{Keys: []string{"y"}, Help: "copy the row", Do: t.OnRow(h, func(row int, _ string) tea.Cmd { return t.copyRow(h, row) })},
	}
}

func (t *Table) sortNext(h *Host, dir int) tea.Cmd {
	if t.N == 0 {
		return h.Complain("there is nothing to sort")
	}
	if !slices.ContainsFunc(t.Cols, func(c Column) bool { return c.Name != "" }) {
		return h.Complain("this table has one order")
	}
	return t.Next(dir)
}

// reverse reverses the sort order.
func (t *Table) reverse(h *Host) tea.Cmd {
	if t.SortBy < 0 {
		return h.Complain("in order: " + h.Key("<") + " and " + h.Key(">") + " choose a column to sort by")
	}
	t.Desc = !t.Desc
	return t.Sort(-1)
}

// Scroll scrolls the rows; the cursor moves only to stay visible.
func (t *Table) Scroll(n int) {
	t.top = max(min(t.top+n, t.N-max(t.page, 1)), 0)
	t.Cur = max(min(t.Cur, t.top+max(t.page, 1)-1), min(t.top, t.N-1), 0)
}

// Click selects the row at line y of the drawn table, or sorts by a clicked column head; hit
// reports a selected row.
func (t *Table) Click(x, y int) (hit bool, cmd tea.Cmd) {
	if y == 0 {
		if col := t.columnAt(x); col >= 0 && t.Cols[col].Name != "" {
			return false, t.SortOn(col)
		}
		return false, nil
	}
	for place := t.top; place < t.N; place++ {
		switch n := t.linesAbove(t.top, place); {
		case n == y:
			t.Cur = place
			return true, nil
		case n > y:
			return false, nil
		}
	}
	return false, nil
}

func (t *Table) columnAt(x int) int {
	left := 1
	for at, i := range t.Shown {
		left += t.Cols[i].Gap + t.Widths[at]
		if x < left {
			return i
		}
	}
	return -1
}

// Markdown returns the table in Markdown, at most limit rows.
func (t *Table) Markdown(limit int) string {
	var b strings.Builder
	line := func(cell func(i int) string) {
		for _, i := range t.Shown {
			b.WriteString("| " + human.MarkdownLine(model.CleanLine(cell(i))) + " ")
		}
		b.WriteString("|\n")
	}
	line(func(i int) string { return t.Cols[i].Head })
	line(func(i int) string {
		if t.Cols[i].Right {
			return "--:"
		}
		return "---"
	})
	cells := make([]Cell, len(t.Cols))
	for place := range min(t.N, limit) {
		clear(cells)
		t.Cells(t.At(place), cells)
		line(func(i int) string { return strings.TrimSpace(cells[i].Lead.Text + cells[i].Text) })
	}
	return b.String()
}

// copyRow returns the command that copies the columns of the row under the cursor, separated by
// tabs.
func (t *Table) copyRow(h *Host, row int) tea.Cmd {
	cells := make([]Cell, len(t.Cols))
	t.Cells(row, cells)
	var words []string
	for _, i := range t.Shown {
		if t.Cols[i].Head != "" {
			words = append(words, strings.TrimSpace(cells[i].Lead.Text+cells[i].Text))
		}
	}
	text, secrets := redact.New().RedactString(model.Clean(strings.Join(words, "\t")))
	return h.Ask(Copied{Text: text, What: "the row", Secrets: secrets})
}

// Export returns the table as a Markdown export. Secrets are redacted when it is written.
func (t *Table) Export(name string) Export {
	return Export{Name: name, Ext: ".md", What: human.Plural(t.N, "row", "rows"), Text: t.Markdown(100_000)}
}
