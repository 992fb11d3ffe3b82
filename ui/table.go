package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"turns/export/redact"
	"turns/query"
)

// tableColumn is a column of a table.
type tableColumn struct {
	name  string // what sorting by it is called; "" cannot be sorted by
	head  string
	width int  // of its texts; 0 with flex
	right bool // numbers
	flex  int  // shares what is left with the other flexible columns; width is then the least it takes
	drop  int  // where there is no room, columns with the highest go first; 0 stays
	gap   int  // cells before it
	asc   bool // sorts upwards at first
	ends  bool // texts differ at their ends: where there is no room they lose their middle

	hidden bool // not in this form of the pane
}

// tableCell is what stands in a column of a row. lead comes before the text and is never cut.
type tableCell struct {
	text  string
	ink   ink
	lead  span
	parts []span // in place of text, where it has more than one colour
}

// table shows rows in columns, any number of them: only those on the screen are asked for their cells. Data rows are numbered by who owns them;
// order says in which order they are shown.
type table struct {
	cols  []tableColumn
	n     int
	cells func(row int, out []tableCell) // fills out, a cell per column
	cmp   func(col, a, b int) int        // orders two data rows by a column
	group func(row int) string           // the heading that a row stands under, while the order is the natural one; nil: none
	base  func(row int) ground           // what a row lies on; nil: groundNone

	order    []int32 // nil: as numbered
	sortBy   int     // column; -1: as numbered
	desc     bool
	gen      int // of sorting
	cur, top int // places in the order
	page     int // rows that fitted last time
	find     string

	shown  []int // columns that fit, and their widths, for laidOut cells
	widths []int
	laid   int
}

// sortInline is how many rows are sorted while a key waits; more take a command.
const sortInline = 50_000

// sortedMsg is an order that was found in the background.
type sortedMsg struct {
	table *table
	gen   int
	order []int32
}

// reset says that there are n rows now, perhaps others. The cursor stays on its place.
func (t *table) reset(n int) tea.Cmd {
	row := t.row()
	t.n = n
	if t.sortBy < 0 {
		t.order = nil
		t.moveTo(t.cur)
		return nil
	}
	return t.sort(row)
}

// row is the data row under the cursor, -1 without rows.
func (t *table) row() int {
	if t.cur < 0 || t.cur >= t.n {
		return -1
	}
	return t.at(t.cur)
}

// at is the data row at a place.
func (t *table) at(place int) int {
	if t.order != nil && place < len(t.order) {
		return int(t.order[place])
	}
	return place
}

// selectRow puts the cursor on a data row.
func (t *table) selectRow(row int) {
	if t.order == nil {
		t.moveTo(row)
	} else if i := slices.Index(t.order, int32(row)); i >= 0 {
		t.moveTo(i)
	}
}

func (t *table) moveTo(place int) { t.cur = max(min(place, t.n-1), 0) }

// sort orders the rows by the column that is chosen; keep is the data row that the cursor stays on, -1 for its place.
func (t *table) sort(keep int) tea.Cmd {
	t.gen++
	if t.sortBy < 0 {
		t.order = nil
		if keep >= 0 {
			t.moveTo(keep)
		}
		return nil
	}
	if t.n <= sortInline {
		t.order = sortedRows(t.n, t.sortBy, t.desc, t.cmp)
		if keep >= 0 {
			t.selectRow(keep)
		}
		t.moveTo(t.cur)
		return nil
	}
	if len(t.order) != t.n {
		t.order = nil
	}
	gen, n, by, desc, cmp := t.gen, t.n, t.sortBy, t.desc, t.cmp
	return background(func() tea.Msg { return sortedMsg{t, gen, sortedRows(n, by, desc, cmp)} })
}

// sorted takes an order over that was found in the background.
func (t *table) sorted(msg sortedMsg) {
	if msg.table == t && msg.gen == t.gen && len(msg.order) == t.n {
		row := t.row()
		t.order = msg.order
		t.selectRow(row)
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

// sortOn sorts by a column; -1 is the order of the rows as numbered.
func (t *table) sortOn(col int) tea.Cmd {
	if col == t.sortBy {
		t.desc = !t.desc
	} else {
		t.sortBy = col
		t.desc = col >= 0 && !t.cols[col].asc
	}
	return t.sort(-1)
}

// sortName says how the table is sorted: "total time ▾".
func (t *table) sortName() string {
	sign := "▾"
	if t.sortBy < 0 {
		return "in order " + sign
	}
	if !t.desc {
		sign = "▴"
	}
	return t.cols[t.sortBy].name + " " + sign
}

// next chooses the next column to sort by, in the order of the columns that are shown, with the order as numbered before the first.
func (t *table) next(dir int) tea.Cmd {
	choices := []int{-1}
	for i, c := range t.cols {
		if c.name != "" && (t.laid == 0 || slices.Contains(t.shown, i)) {
			choices = append(choices, i)
		}
	}
	i := slices.Index(choices, t.sortBy)
	col := choices[(i+dir+len(choices))%len(choices)]
	if col == t.sortBy {
		return nil
	}
	return t.sortOn(col)
}

// layOut chooses the columns that fit into w cells.
func (t *table) layOut(w int) {
	if t.laid == w {
		return
	}
	t.laid = w
	t.shown = t.shown[:0]
	for i := range t.cols {
		if !t.cols[i].hidden {
			t.shown = append(t.shown, i)
		}
	}
	need := func() (n, flex int) {
		for _, i := range t.shown {
			n += t.cols[i].gap + t.cols[i].width
			flex += t.cols[i].flex
		}
		return n, flex
	}
	n, flex := need()
	for n > w {
		worst := -1
		for at, i := range t.shown {
			if d := t.cols[i].drop; d > 0 && (worst < 0 || d > t.cols[t.shown[worst]].drop) {
				worst = at
			}
		}
		if worst < 0 {
			break
		}
		t.shown = slices.Delete(t.shown, worst, worst+1)
		n, flex = need()
	}
	left := max(w-n, 0)
	t.widths = t.widths[:0]
	for _, i := range t.shown {
		c := &t.cols[i]
		cw := c.width
		if c.flex > 0 {
			share := left * c.flex / flex
			flex, left, cw = flex-c.flex, left-share, cw+share
		}
		t.widths = append(t.widths, cw)
	}
}

// render draws the heads and as many rows as fit into h lines, each of w cells.
func (t *table) render(st *styles, w, h int, focus bool) []string {
	if h < 1 || w < 4 {
		return nil
	}
	room := w - 1
	if w >= 60 {
		room-- // a margin at the right
	}
	t.layOut(room)
	out := []string{t.heads(st, w)}
	if t.n == 0 {
		return out
	}
	t.page = h - 1
	t.reveal(h - 1)
	cells := make([]tableCell, len(t.cols))
	last := ""
	if t.top > 0 && t.group != nil && t.sortBy < 0 {
		last = t.group(t.at(t.top - 1))
	}
	for place := t.top; place < t.n && len(out) < h; place++ {
		row := t.at(place)
		if t.group != nil && t.sortBy < 0 {
			if g := t.group(row); g != last {
				last = g
				out = append(out, st.line(w, groundNone, span{text: " " + g, ink: inkHeading}))
				if len(out) >= h {
					break
				}
			}
		}
		clear(cells)
		t.cells(row, cells)
		out = append(out, t.line(st, w, row, cells, place == t.cur, focus))
	}
	return out
}

// linesAbove is how many lines the rows from top to place take, headings included.
func (t *table) linesAbove(top, place int) int {
	n := place - top + 1
	if t.group == nil || t.sortBy >= 0 {
		return n
	}
	last := ""
	if top > 0 {
		last = t.group(t.at(top - 1))
	}
	for i := top; i <= place; i++ {
		if g := t.group(t.at(i)); g != last {
			last = g
			n++
		}
	}
	return n
}

// reveal moves the top so that the cursor is in h lines.
func (t *table) reveal(h int) {
	if t.cur < t.top {
		t.top = t.cur
	}
	if t.cur-t.top > h {
		t.top = t.cur - h
	}
	for t.top < t.cur && t.linesAbove(t.top, t.cur) > h {
		t.top++
	}
	if t.group == nil || t.sortBy >= 0 {
		t.top = max(min(t.top, t.n-h), 0)
	}
	for t.top > 0 && t.n-t.top < h && t.linesAbove(t.top-1, t.n-1) <= h { // the last rows fill the page
		t.top--
	}
}

// bottom is the last place that is shown.
func (t *table) bottom() int {
	place := t.top
	for place+1 < t.n && t.linesAbove(t.top, place+1) <= t.page {
		place++
	}
	return place
}

func (t *table) heads(st *styles, w int) string {
	spans := []span{{text: " "}}
	for at, i := range t.shown {
		c := &t.cols[i]
		k := inkDim
		if i == t.sortBy {
			k = inkAccent
		}
		spans = append(spans, span{text: blanks(c.gap)})
		if c.right {
			spans = append(spans, span{text: fitRight(c.head, t.widths[at]), ink: k})
		} else {
			spans = append(spans, span{text: fit(c.head, t.widths[at]), ink: k})
		}
	}
	return st.line(w, groundNone, spans...)
}

func (t *table) line(st *styles, w, row int, cells []tableCell, cursor, focus bool) string {
	base := groundNone
	if t.base != nil {
		base = t.base(row)
	}
	lead := span{text: " "}
	if cursor && focus {
		lead = span{text: "›", ink: inkAccent}
		base = groundCursor
	}
	return st.line(w, base, t.spans(lead, cells)...)
}

// spans puts the cells of a row into the columns that are shown.
func (t *table) spans(lead span, cells []tableCell) []span {
	spans := []span{lead}
	for at, i := range t.shown {
		c, cell, cw := &t.cols[i], &cells[i], t.widths[at]
		if c.gap > 0 {
			spans = append(spans, span{text: blanks(c.gap)})
		}
		if cell.lead.text != "" {
			spans = append(spans, cell.lead)
			cw = max(cw-width(cell.lead.text), 0)
		}
		if cell.parts != nil {
			spans = append(spans, fitSpans(cell.parts, cw)...)
		} else if c.right {
			spans = append(spans, span{text: fitCount(cell.text, cw), ink: cell.ink})
		} else {
			if c.ends {
				cell.text = cutMiddle(cell.text, cw)
			}
			spans = append(spans, span{text: fit(cell.text, cw), ink: cell.ink})
		}
	}
	return spans
}

// widthOf is the width of a column as it was laid out last, 0 where it is not shown.
func (t *table) widthOf(col int) int {
	if at := slices.Index(t.shown, col); at >= 0 {
		return t.widths[at]
	}
	return 0
}

// key moves and sorts; false for a key that is none of the table's.
func (t *table) key(h *host, name string, n int) (bool, tea.Cmd) { return pressed(t.keys(h), name, n) }

// keys are those of every table.
func (t *table) keys(h *host) []paneKey {
	page, half := max(t.page-1, 1), max(t.page/2, 1)
	by := func(lines int) func(int, string) tea.Cmd {
		return func(n int, _ string) tea.Cmd { t.moveTo(t.cur + max(n, 1)*lines); return nil }
	}
	to := func(place func(n int) int) func(int, string) tea.Cmd {
		return func(n int, _ string) tea.Cmd { t.moveTo(place(n)); return nil }
	}
	return []paneKey{
		{keys: []string{"j", "down"}, help: "next row", do: by(1)},
		{keys: []string{"k", "up"}, help: "previous row", do: by(-1)},
		{keys: []string{"ctrl+d"}, help: "half a page on", do: by(half)},
		{keys: []string{"ctrl+u"}, help: "half a page back", do: by(-half)},
		{keys: []string{"space", "ctrl+f", "pgdown"}, help: "a page on", do: by(page)},
		{keys: []string{"b", "ctrl+b", "pgup"}, help: "a page back", do: by(-page)},
		{keys: []string{"g", "home"}, help: "first row; 5g goes to the fifth", do: to(func(n int) int { return max(n-1, 0) })},
		{keys: []string{"G", "end"}, help: "last row; 5G goes to the fifth", do: to(func(n int) int {
			if n == 0 {
				n = t.n
			}
			return n - 1
		})},
		{keys: []string{"H"}, help: "top row of the screen", do: to(func(int) int { return t.top })},
		{keys: []string{"M"}, help: "middle row of the screen", do: to(func(int) int { return (t.top + t.bottom()) / 2 })},
		{keys: []string{"L"}, help: "bottom row of the screen", do: to(func(int) int { return t.bottom() })},
		{keys: []string{"ctrl+e"}, help: "scroll one line", do: func(n int, _ string) tea.Cmd { t.scroll(max(n, 1)); return nil }},
		{keys: []string{"ctrl+y"}, help: "scroll one line back", do: func(n int, _ string) tea.Cmd { t.scroll(-max(n, 1)); return nil }},
		{keys: []string{">"}, help: "sort by the next column", do: func(int, string) tea.Cmd { return t.sortNext(h, 1) }},
		{keys: []string{"<"}, help: "sort by the previous column", do: func(int, string) tea.Cmd { return t.sortNext(h, -1) }},
		{keys: []string{"R"}, help: "turn the order", do: func(int, string) tea.Cmd { return t.reverse(h) }},
		{keys: []string{"/"}, help: "find in the rows of the table", do: func(int, string) tea.Cmd { t.openFind(h); return nil }},
		{keys: []string{"n"}, help: "next row that was found", do: func(int, string) tea.Cmd { return t.findOn(h, 1) }},
		{keys: []string{"N"}, help: "previous row that was found", do: func(int, string) tea.Cmd { return t.findOn(h, -1) }},
		{keys: []string{"y"}, help: "copy the row", do: func(int, string) tea.Cmd { return t.copyRow(h) }},
	}
}

func (t *table) sortNext(h *host, dir int) tea.Cmd {
	if t.n == 0 {
		h.complain("there is nothing to sort")
		return nil
	}
	if !slices.ContainsFunc(t.cols, func(c tableColumn) bool { return c.name != "" }) {
		h.complain("this table has one order")
		return nil
	}
	return t.next(dir)
}

// reverse turns the order of the rows.
func (t *table) reverse(h *host) tea.Cmd {
	if t.sortBy < 0 {
		h.complain("in order: < and > choose a column to sort by")
		return nil
	}
	t.desc = !t.desc
	return t.sort(-1)
}

// scroll moves what is shown; the cursor is taken along when it would leave the screen.
func (t *table) scroll(n int) {
	t.top = max(min(t.top+n, t.n-max(t.page, 1)), 0)
	t.cur = max(min(t.cur, t.top+max(t.page, 1)-1), min(t.top, t.n-1), 0)
}

// click selects the row at line y of what render drew, or sorts by the column whose head was clicked; hit says that a row was.
func (t *table) click(x, y int) (hit bool, cmd tea.Cmd) {
	if y == 0 {
		if col := t.columnAt(x); col >= 0 && t.cols[col].name != "" {
			return false, t.sortOn(col)
		}
		return false, nil
	}
	for place := t.top; place < t.n; place++ {
		switch n := t.linesAbove(t.top, place); {
		case n == y:
			t.cur = place
			return true, nil
		case n > y:
			return false, nil
		}
	}
	return false, nil
}

func (t *table) columnAt(x int) int {
	left := 1
	for at, i := range t.shown {
		left += t.cols[i].gap + t.widths[at]
		if x < left {
			return i
		}
	}
	return -1
}

// markdown is the table as a Markdown table, at most limit rows of it.
func (t *table) markdown(limit int) string {
	var b strings.Builder
	line := func(cell func(i int) string) {
		for _, i := range t.shown {
			b.WriteString("| " + strings.ReplaceAll(cell(i), "|", `\|`) + " ")
		}
		b.WriteString("|\n")
	}
	line(func(i int) string { return t.cols[i].head })
	line(func(i int) string {
		if t.cols[i].right {
			return "--:"
		}
		return "---"
	})
	cells := make([]tableCell, len(t.cols))
	for place := range min(t.n, limit) {
		clear(cells)
		t.cells(t.at(place), cells)
		line(func(i int) string { return strings.TrimSpace(cells[i].lead.text + cells[i].text) })
	}
	return b.String()
}

// copyRow is the command that copies what stands in the row under the cursor, its columns separated by tabs.
func (t *table) copyRow(h *host) tea.Cmd {
	row := t.row()
	if row < 0 {
		return noRow(h)
	}
	cells := make([]tableCell, len(t.cols))
	t.cells(row, cells)
	var words []string
	for _, i := range t.shown {
		if t.cols[i].head != "" {
			words = append(words, strings.TrimSpace(cells[i].lead.text+cells[i].text))
		}
	}
	text, secrets := redact.New().RedactString(strings.Join(words, "\t"))
	return h.ask(Copied{Text: text, What: "the row", Secrets: secrets})
}

// numberCell is a count, a dim dot where there is none.
func numberCell(n int, i ink) tableCell {
	if n == 0 {
		return tableCell{text: query.Zero, ink: inkDim}
	}
	return tableCell{text: count(n), ink: i}
}

// export is the table as Markdown for a file.
func (t *table) export(name string) Export {
	return Export{Name: name, Ext: ".md", What: plural(t.n, "row", "rows"), Text: t.markdown(100_000)}
}
