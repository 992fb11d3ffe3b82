package compare

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"turns/query/runs"
	"turns/query/summary"
	"turns/ui/paint"
	"turns/ui/screen"
)

// The screen finds these interfaces by type assertions.
var _ interface {
	screen.FullScreen
	screen.Beginner
	screen.Teller
} = (*Runs)(nil)

// Runs shows two sessions side by side, aligned by prompts, answers and calls. It covers the
// screen.
type Runs struct {
	screen.Overlay
	Paths [2]string
	Names [2]string // as displayed
	Apart bool      // the cursor starts at their first substantial difference

	job    *screen.Job[compared]
	Runs   [2]runs.DiffRun
	Answer *runs.DiffAnswer // nil until computed

	Diffs  []int32 // rows that start a difference, ascending
	around int     // index in compareAround
	opened map[int32]bool
	Shown  []compareLine
	split  bool // two columns

	// Cur is the line of Shown under the cursor; Top is the first visible line, counted from the
	// summary on
	Cur, Top int
	Page     int
	Side     int // side that Enter opens: 0 left, 1 right
	count    int
	find     string

	texts compareTexts
	W     int // width of the last frame
	Drawn int // number of drawn lines, for tests
}

// compareLine is a line of the comparison: a row, one side of a row, or a fold of equal rows.
type compareLine struct {
	row  int32
	fold int32 // number of folded rows from row on; 0: not a fold
	side int8  // bothSides, 0 or 1
}

const bothSides = -1

// compareAround are the numbers of rows around a difference, selected by key a; the last shows all.
var compareAround = [...]int{3, 1, 0, -1}

// compared is the result of the job.
type compared struct {
	runs   [2]runs.DiffRun
	answer *runs.DiffAnswer
}

// NewRuns compares the sessions at two paths; Begin reads them.
func NewRuns(h *screen.Host, a, b string) *Runs {
	d := &Runs{Overlay: screen.Overlay{H: h}, Paths: [2]string{a, b}, Names: namesOf(a, b), opened: map[int32]bool{}}
	d.texts.row = -1
	return d
}

// namesOf returns the shortest different ends of two paths.
func namesOf(a, b string) [2]string {
	x, y := strings.Split(filepath.ToSlash(a), "/"), strings.Split(filepath.ToSlash(b), "/")
	for n := 1; n < min(len(x), len(y)); n++ {
		i, j := len(x)-n, len(y)-n
		if x[i] == y[j] {
			continue
		}
		out := [2]string{paint.ShortName(strings.Join(x[i:], "/")), paint.ShortName(strings.Join(y[j:], "/"))}
		if n > 1 {
			out = [2]string{paint.OneLine(strings.Join(x[i:], "/")), paint.OneLine(strings.Join(y[j:], "/"))}
		}
		if out[0] != out[1] {
			return out
		}
	}
	return [2]string{paint.OneLine(a), paint.OneLine(b)}
}

// Begin reads and compares both sessions in the background.
func (d *Runs) Begin() tea.Cmd {
	lib := d.H.Opts.Store
	if lib == nil && d.Runs[0].Snap == nil {
		d.Err = fmt.Errorf("runs cannot be compared here")
		return nil
	}
	paths, pair := d.Paths, d.Runs
	return screen.StartJob(d.H.Opts.BaseContext(), &d.job, func(ctx context.Context, report func(done, total int64)) (c compared, err error) {
		c.runs = pair
		for i := range paths {
			if pair[i].Snap != nil { // it is open already
				continue
			}
			// the rest is for the comparison
			if c.runs[i], err = lib.Run(ctx, paths[i], reportSide(report, i, 2200)); err != nil {
				return c, err
			}
		}
		c.answer, err = runs.Diff(ctx, c.runs[0], c.runs[1])
		return c, err
	})
}

// reportSide reports the progress of one side, which is 1,000 of all.
func reportSide(report func(done, total int64), side int, all int64) func(done, total int64) {
	return func(done, total int64) {
		if total > 0 {
			report(int64(side)*1000+done*1000/total, all)
		}
	}
}

// Message handles reports of the job, and texts.
func (d *Runs) Message(msg tea.Msg) tea.Cmd {
	if m, ok := msg.(compareTextsMsg); ok {
		d.texts.read(d, m)
		return nil
	}
	done, cmd := d.job.Message(msg)
	if done == nil {
		return cmd
	}
	d.job, d.Runs, d.Answer, d.Err = nil, done.Answer.runs, done.Answer.answer, done.Err
	if d.Answer == nil {
		return nil
	}
	for i := range d.Answer.Rows {
		if d.begins(i) {
			d.Diffs = append(d.Diffs, int32(i))
		}
	}
	d.fold()
	if at := d.Answer.Divergence(); d.Apart && at >= 0 {
		d.goRow(int32(at))
	}
	return nil
}

// begins reports whether a row starts a difference: each changed pair does, and the first of
// consecutive rows that only one session has.
func (d *Runs) begins(i int) bool {
	switch how := d.Answer.Rows[i].How; how {
	case runs.DiffSame:
		return false
	case runs.DiffAdded, runs.DiffMissing:
		return i == 0 || d.Answer.Rows[i-1].How != how
	}
	return true
}

// MoveTo moves the comparison to another screen.
func (d *Runs) MoveTo(h *screen.Host) {
	d.H = h
	if d.texts.lines == nil {
		d.texts.row = -1 // the previous screen received the texts being read
	}
}

// fold computes the displayed lines; the cursor stays on its row.
func (d *Runs) fold() {
	row, side := int32(0), int8(bothSides)
	if len(d.Shown) > 0 {
		row, side = d.Shown[d.Cur].row, d.Shown[d.Cur].side
	}
	rows := d.Answer.Rows
	d.Shown = d.Shown[:0]
	around := compareAround[d.around]
	for i := 0; i < len(rows); {
		if rows[i].How != runs.DiffSame {
			d.showRow(int32(i))
			i++
			continue
		}
		end := i
		for end < len(rows) && rows[end].How == runs.DiffSame {
			end++
		}
		from, to := i, end
		if i > 0 {
			from = min(i+around, end)
		}
		if end < len(rows) {
			to = max(end-around, from)
		}
		if around < 0 || to-from < 3 || d.opened[int32(from)] || len(d.Diffs) == 0 {
			from, to = end, end
		}
		for ; i < from; i++ {
			d.showRow(int32(i))
		}
		if to > from {
			d.Shown = append(d.Shown, compareLine{row: int32(from), fold: int32(to - from), side: bothSides})
			i = to
		}
		for ; i < end; i++ {
			d.showRow(int32(i))
		}
	}
	d.toRow(row)
	if side == 1 && d.Cur+1 < len(d.Shown) && d.Shown[d.Cur+1].row == d.Shown[d.Cur].row {
		d.Cur++
	}
}

// showRow adds a row; in one column a changed call or text has one line per side.
func (d *Runs) showRow(row int32) {
	if !d.split && d.Answer.Rows[row].How == runs.DiffArgs {
		d.Shown = append(d.Shown, compareLine{row: row, side: 0}, compareLine{row: row, side: 1})
		return
	}
	d.Shown = append(d.Shown, compareLine{row: row, side: bothSides})
}

// toRow moves the cursor to the first line of a row, or to the fold that hides it.
func (d *Runs) toRow(row int32) {
	i := sort.Search(len(d.Shown), func(i int) bool { return d.Shown[i].row > row }) - 1
	for i > 0 && d.Shown[i-1].row == row {
		i--
	}
	d.Cur = max(i, 0)
}

// goRow opens the fold that hides a row, and goes to the row.
func (d *Runs) goRow(row int32) {
	d.toRow(row)
	if l := d.Shown[d.Cur]; l.fold > 0 && row > l.row {
		d.opened[l.row] = true
		d.fold()
		d.toRow(row)
	}
}

// row returns the row under the cursor, -1 for none.
func (d *Runs) row() int32 {
	if d.Cur >= len(d.Shown) {
		return -1
	}
	return d.Shown[d.Cur].row
}

// At returns the side of the row under the cursor that Enter opens: the selected one, or the other
// if only that has the row.
func (d *Runs) At() (side int, it *runs.DiffSide) {
	if d.row() < 0 || d.Answer == nil {
		return 0, nil
	}
	r := &d.Answer.Rows[d.row()]
	items := [2]*runs.DiffSide{r.A, r.B}
	side = d.Side
	if s := d.Shown[d.Cur].side; s != bothSides {
		side = int(s)
	}
	if items[side] == nil {
		side = 1 - side
	}
	return side, items[side]
}

// Key moves, folds, and opens a place.
func (d *Runs) Key(msg tea.KeyPressMsg) (bool, tea.Cmd) {
	name := screen.KeyName(msg)
	if n, ok := screen.AddDigit(d.count, name); ok && n > 0 {
		d.count = n
		return false, nil
	}
	n := d.count
	d.count = 0
	if d.Answer == nil && !slices.Contains([]string{"q", "esc", "Q", "ctrl+c", "?", "f1"}, name) {
		return false, nil
	}
	handled, cmd := screen.Pressed(d.Keys(), name, n)
	if !handled && !d.motion(name, n) {
		d.H.Complain(d.H.Key(name) + " does nothing here: " + d.H.Key("?") + " lists the keys")
	}
	return d.Closed, tea.Batch(cmd, d.texts.fetch(d))
}

// Keys returns the keys of the comparison only.
func (d *Runs) Keys() []screen.Key {
	do := func(f func(n int)) func(int, string) tea.Cmd {
		return func(n int, _ string) tea.Cmd { f(max(n, 1)); return nil }
	}
	return []screen.Key{
		{Keys: []string{"n"}, Hint: d.nextWord(), Label: "n N", Help: "next difference, or next hit", Do: do(func(n int) { d.next(1, n) })},
		{Keys: []string{"N"}, Help: "previous one", Do: do(func(n int) { d.next(-1, n) })},
		{Keys: []string{"enter"}, Hint: "opens " + d.Names[d.Side], Help: "open the place in the session of the chosen side; esc returns", Do: func(int, string) tea.Cmd { return d.enter() }},
		{Keys: []string{"tab", "shift+tab"}, Hint: "side", Help: "choose the other side", Do: do(func(int) { d.otherSide() })},
		{Keys: []string{"q"}, Hint: d.BackWord(), Help: "back", Do: func(int, string) tea.Cmd { return d.back() }},
		{Keys: []string{"d"}, Hint: "texts", Help: "whole texts of the row, with the lines that differ; again closes them", Do: do(func(int) { d.texts.toggle() })},
		{Keys: []string{"J"}, Help: "scroll the texts", Do: do(func(n int) { d.texts.scrolled(n) })},
		{Keys: []string{"K"}, Help: "scroll the texts back", Do: do(func(n int) { d.texts.scrolled(-n) })},
		{Keys: []string{"a"}, Hint: "around", Help: "rows around each difference: 3, 1, none, all", Do: do(func(int) { d.nextAround() })},
		{Keys: []string{"l", "right"}, Help: "open the folded rows, or the texts of a row", Do: do(func(int) { d.openFold() })},
		{Keys: []string{"h", "left"}, Help: "fold them again", Do: do(func(int) { d.closeFold() })},
		{Keys: []string{"e"}, Hint: "failed call", Help: "next row with a call that failed", Do: do(func(int) { d.nextWhere(1, "failed call", failedRow) })},
		{Keys: []string{"E"}, Help: "previous row with a call that failed", Do: do(func(int) { d.nextWhere(-1, "failed call", failedRow) })},
		{Keys: []string{"/"}, Hint: "find", Help: "find in the rows; n and N go on, Esc ends it", Do: do(func(int) { d.openFind() })},
		{Keys: []string{"y"}, Hint: "copy", Help: "copy the comparison as text", Do: func(int, string) tea.Cmd { return d.copyText() }},
		{Keys: []string{"x"}, Hint: "write", Help: "write the comparison as Markdown under the next free name", Do: func(int, string) tea.Cmd { return d.write(".md") }},
		{Keys: []string{"X"}, Help: "write the comparison as text under the next free name", Do: func(int, string) tea.Cmd { return d.write(".txt") }},
		{Keys: []string{"esc"}, Help: "end the search, close the texts, go back", Do: func(int, string) tea.Cmd { return d.escape() }},
		{Keys: []string{"Q", "ctrl+c"}, Help: "quit", Do: func(int, string) tea.Cmd { return tea.Quit }},
		{Keys: []string{"?", "f1"}, Hint: "help", Help: "help", Do: func(int, string) tea.Cmd { return d.H.Ask(screen.Help{}) }},
	}
}

// nextWord names the target of n.
func (d *Runs) nextWord() string {
	if d.find != "" {
		return "hit"
	}
	return "difference"
}

// motion moves the cursor; it returns false for other keys.
func (d *Runs) motion(name string, n int) bool {
	step, page := max(n, 1), max(d.Page-1, 1)
	switch name {
	case "j", "down":
		d.move(step)
	case "k", "up":
		d.move(-step)
	case "ctrl+d":
		d.move(step * max(d.Page/2, 1))
	case "ctrl+u":
		d.move(-step * max(d.Page/2, 1))
	case "space", "ctrl+f", "pgdown":
		d.move(step * page)
	case "b", "ctrl+b", "pgup":
		d.move(-step * page)
	case "g", "home":
		d.Cur, d.Top = 0, 0
		d.move(max(n-1, 0))
	case "G", "end":
		d.Cur = max(len(d.Shown)-1, 0)
	default:
		return false
	}
	return true
}

// back closes the comparison, or the program if it was started for it.
func (d *Runs) back() tea.Cmd {
	d.job.Stop()
	return d.Back()
}

// escape goes one layer back.
func (d *Runs) escape() tea.Cmd {
	switch {
	case d.find != "":
		d.find = ""
	case d.texts.open:
		d.texts.close()
	default:
		return d.back()
	}
	return nil
}

func (d *Runs) nextAround() {
	d.around = (d.around + 1) % len(compareAround)
	clear(d.opened)
	d.fold()
	d.H.ShowStatus(d.aroundText())
}

func (d *Runs) enter() tea.Cmd {
	if d.ShownFold() {
		d.openFold()
		return nil
	}
	return d.open()
}

func (d *Runs) move(n int) {
	if d.Cur = max(min(d.Cur+n, len(d.Shown)-1), 0); d.Cur == 0 {
		d.Top = 0 // show the summary above
	}
}

// ShownFold reports whether the cursor is on a fold.
func (d *Runs) ShownFold() bool { return d.Cur < len(d.Shown) && d.Shown[d.Cur].fold > 0 }

// openFold opens the fold under the cursor, or the texts of the row.
func (d *Runs) openFold() {
	if !d.ShownFold() {
		d.texts.open = true
		return
	}
	d.opened[d.row()] = true
	d.fold()
}

// closeFold closes the texts, or the fold around the cursor.
func (d *Runs) closeFold() {
	if d.texts.open {
		d.texts.close()
		return
	}
	for row := d.row(); row >= 0 && d.Answer.Rows[row].How == runs.DiffSame; row-- {
		if d.opened[row] {
			delete(d.opened, row)
			d.fold()
			return
		}
	}
}

// otherSide selects the other session; in one column, also the other line of a changed row.
func (d *Runs) otherSide() {
	d.Side = 1 - d.Side
	if d.Cur < len(d.Shown) && d.Shown[d.Cur].side != bothSides {
		d.Cur += 1 - 2*int(d.Shown[d.Cur].side)
	}
}

// next goes to a difference, or during a search to a matching row.
func (d *Runs) next(dir, n int) {
	if d.find != "" {
		for range n {
			d.nextWhere(dir, "row with "+d.find, d.matches)
		}
		return
	}
	here := d.row()
	// number of differences up to the cursor
	at := sort.Search(len(d.Diffs), func(i int) bool { return d.Diffs[i] > here })
	to := at - 1 + n
	if dir < 0 {
		to = at - n
		if at > 0 && d.Diffs[at-1] == here && d.Shown[d.Cur].fold == 0 {
			to--
		}
	}
	switch {
	case len(d.Diffs) == 0:
		d.H.Complain("no differences")
	case to < 0 || to >= len(d.Diffs):
		d.H.Complain(fmt.Sprintf("no difference %s this one, of %d", map[bool]string{true: "after", false: "before"}[dir > 0], len(d.Diffs)))
	default:
		d.goRow(d.Diffs[to])
	}
}

func failedRow(r *runs.DiffRow) bool {
	return r.A != nil && r.A.Outcome == summary.WorkFailure || r.B != nil && r.B.Outcome == summary.WorkFailure
}

func (d *Runs) nextWhere(dir int, what string, ok func(r *runs.DiffRow) bool) {
	for i := int(d.row()) + dir; i >= 0 && i < len(d.Answer.Rows); i += dir {
		if ok(&d.Answer.Rows[i]) {
			d.goRow(int32(i))
			return
		}
	}
	d.H.Complain("no " + what + map[bool]string{true: " after this", false: " before this"}[dir > 0])
}

func (d *Runs) matches(r *runs.DiffRow) bool {
	want := strings.ToLower(d.find)
	has := func(s *runs.DiffSide) bool { return s != nil && strings.Contains(strings.ToLower(s.Text), want) }
	return has(r.A) || has(r.B)
}

// openFind asks for a text to find; the cursor follows while it is typed.
func (d *Runs) openFind() {
	if len(d.Shown) == 0 {
		d.H.Complain("nothing to find: both runs are empty")
		return
	}
	from, was := d.row(), d.find
	d.H.Ask(screen.Show{Dialog: &screen.Prompt{H: d.H, Title: "Find", Label: "/", Help: "finds in the rows; n and N go on, esc ends it", Live: func(text string) {
		d.find = text
		d.toRow(from)
		if text != "" && !d.matches(&d.Answer.Rows[from]) {
			for i := range d.Answer.Rows {
				if row := (int(from) + i) % len(d.Answer.Rows); d.matches(&d.Answer.Rows[row]) {
					d.goRow(int32(row))
					return
				}
			}
		}
	}, Done: func(text string, ok bool) tea.Cmd {
		if !ok || text == "" {
			d.find = was
			d.toRow(from)
		} else if !d.matches(&d.Answer.Rows[d.row()]) {
			d.find = ""
			d.H.Complain("no row with " + text)
		}
		return nil
	}}})
}

// open shows the place of the row under the cursor in its session.
func (d *Runs) open() tea.Cmd {
	side, it := d.At()
	if it == nil {
		return nil
	}
	at := ""
	if it.Index >= 0 {
		at = strconv.Itoa(int(it.Index))
	}
	return d.H.Ask(screen.OpenPlace{Path: d.Paths[side], At: at})
}

// Click selects a row and its side; a double click opens the place.
func (d *Runs) Click(x, y int, double bool) (done bool, cmd tea.Cmd) {
	line := d.Top + y - d.Above
	if d.Answer == nil || y < d.Above || y >= d.Above+d.Page {
		return false, nil
	}
	if line -= len(d.Summary(d.W)); line < 0 || line >= len(d.Shown) {
		return false, nil
	}
	d.Cur = line
	if d.split {
		d.Side = paint.BoolInt(x > d.W/2)
	}
	if d.ShownFold() {
		d.openFold()
	} else if double {
		return false, d.open()
	}
	return false, d.texts.fetch(d)
}

// Wheel scrolls; the cursor moves only to stay visible.
func (d *Runs) Wheel(n int) {
	if d.Answer == nil {
		return
	}
	head := len(d.Summary(d.W))
	d.Top = max(min(d.Top+n, head+len(d.Shown)-d.Page), 0)
	d.Cur = max(min(d.Cur, d.Top+d.Page-1-head), min(max(d.Top-head, 0), len(d.Shown)-1), 0)
}

// Hints returns the keys of the comparison.
func (d *Runs) Hints() []screen.Hint {
	keys := d.Keys()
	if d.Answer == nil {
		keys = slices.DeleteFunc(keys, func(k screen.Key) bool { return k.Keys[0] != "q" })
	}
	return screen.HintsOf(keys)
}
