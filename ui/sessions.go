package ui

import (
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"turns/query/lang"
	"turns/query/session"
	"turns/ui/library"
	"turns/ui/paint"
	"turns/ui/screen"
	"turns/ui/take"
)

// sessions is the list of sessions, newest first under their days. It lies over the whole screen. Rows come while the list is read, and texts are
// searched in them beside it.
type sessions struct {
	memory  *listMemory // how the list was left before
	h       *screen.Host
	all     []session.Session
	byPath  map[string]int // places in all
	shown   []int          // of all, as the table numbers them
	table   screen.Table
	filter  screen.Field
	title   screen.Field
	typing  sessionLine
	wasTxt  string
	err     error
	parsed  *lang.Filter
	sieve   *session.Filter // parsed, for sessions
	columns []session.Column
	loaded  bool
	count   int
	above   int    // lines over the table, for the mouse
	chord   string // first key of two
	done    bool   // a key closed the list
	first   bool   // turns began with it, or q came back to it from a session
	moved   bool   // the reader moved: the cursor is not put on the open session any more
	cancel  context.CancelFunc
	bodies  bodySearch
	news    library.News // the last
	ticking bool         // the ages of what is live will be drawn anew
	pick    picking
}

// sessionLine is which line of the list is typed into.
type sessionLine uint8

const (
	lineNone sessionLine = iota
	lineFilter
	lineTitle
)

// listMemory is what a list was narrowed to and how it was sorted, for the next time that it is opened.
type listMemory struct {
	left          bool // it was shown before
	filter, title string
	sortBy        int
	desc          bool
	path          string // of the row that was left
}

// listedMsg is news of the sessions.
type listedMsg struct {
	list *sessions
	news library.News
	err  error
	done bool // there will be no more
	more chan listedMsg
}

func newSessions(h *screen.Host, memory *listMemory) *sessions {
	d := &sessions{h: h, memory: memory, columns: session.Columns(), sieve: session.NewFilter(nil, lang.TimeRef{})}
	d.table = screen.Table{SortBy: -1, Cells: d.cells, Cmp: d.compare, Group: d.day}
	for _, c := range d.columns {
		d.table.Cols = append(d.table.Cols, screen.Column{
			Name: c.Name, Head: c.Head, Width: c.Width, Flex: c.Flex, Gap: c.Gap, Drop: c.Drop, Right: c.Right, Asc: c.Asc,
		})
	}
	d.recall()
	return d
}

// recall narrows and sorts the list as it was left.
func (d *sessions) recall() {
	m := d.memory
	if !m.left {
		return
	}
	d.filter.Set(m.filter)
	d.title.Set(m.title)
	d.table.SortBy, d.table.Desc = m.sortBy, m.desc
}

// End stops what the list does beside the screen, and remembers how it was left.
func (d *sessions) End() {
	if d.cancel != nil {
		d.cancel()
	}
	d.bodies.stop()
	if d.pick.with != "" {
		return
	}
	*d.memory = listMemory{true, d.filter.Text, d.title.Text, d.table.SortBy, d.table.Desc, d.path()}
}

// path is that of the session under the cursor, "" for none.
func (d *sessions) path() string {
	if s := d.cur(); s != nil {
		return s.Path
	}
	return ""
}

// cur is the session under the cursor, nil for none.
func (d *sessions) cur() *session.Session {
	if row := d.table.Row(); row >= 0 && row < len(d.shown) {
		return &d.all[d.shown[row]]
	}
	return nil
}

// Begin lists the sessions in the background.
func (d *sessions) Begin() tea.Cmd {
	lib := d.h.Opts.Library
	if lib == nil {
		return nil
	}
	ctx, cancel := context.WithCancel(d.h.Ctx)
	d.cancel = cancel
	more := make(chan listedMsg)
	tell := func(m listedMsg) {
		m.list, m.more = d, more
		select {
		case more <- m:
		case <-ctx.Done():
		}
	}
	go func() {
		err := lib.List(ctx, func(news library.News) { tell(listedMsg{news: news}) })
		tell(listedMsg{err: err, done: true})
	}()
	return receive(ctx, more)
}

// receive waits for the next message of a channel.
func receive[M any](ctx context.Context, from chan M) tea.Cmd {
	return func() tea.Msg {
		select {
		case m := <-from:
			return m
		case <-ctx.Done():
			return nil
		}
	}
}

// Message takes sessions, and what was found in them.
func (d *sessions) Message(msg tea.Msg) tea.Cmd {
	switch m := msg.(type) {
	case listedMsg:
		if m.list == d {
			return d.listed(m)
		}
	case sessionTickMsg:
		if m.list == d {
			d.ticking = false
			return d.tick()
		}
	case bodyMsg:
		if m.list == d {
			return d.searched(m)
		}
	case screen.SortedMsg:
		d.table.Sorted(m)
	}
	return nil
}

func sameDate(a, b time.Time, zone *time.Location) bool {
	ay, am, ad := a.In(zone).Date()
	by, bm, bd := b.In(zone).Date()
	return ay == by && am == bm && ad == bd
}

// Key moves, opens, filters and sorts.
func (d *sessions) Key(msg tea.KeyPressMsg) (bool, tea.Cmd) {
	if d.typing != lineNone {
		return false, d.typed(msg)
	}
	name := screen.KeyName(msg)
	if n, ok := screen.AddDigit(d.count, name); ok && d.chord == "" {
		d.count = n
		return false, nil
	}
	n := d.count
	d.count, d.moved = 0, true
	if d.chord != "" {
		name, d.chord = d.chord+" "+name, ""
	}
	if handled, cmd := screen.Pressed(d.keys(), name, n); handled {
		return d.done, cmd
	}
	if name == "y" {
		d.chord = name
		return false, nil
	}
	if handled, cmd := d.table.Key(d.h, name, n); handled {
		return false, cmd
	}
	if !strings.HasSuffix(name, " esc") {
		d.h.Complain(screen.KeyLabel(name) + " is no key of the list: ? shows them")
	}
	return false, nil
}

// keys are those that only the list takes.
func (d *sessions) keys() []screen.Key {
	return []screen.Key{
		{Keys: []string{"enter", "l", "right"}, Hint: "open", Help: "open the session", Do: d.open},
		{Keys: []string{"F"}, Hint: "follow the newest", Help: "open the newest session that is shown and follow it, and newer ones after it", Do: d.follow},
		{Keys: []string{"/"}, Hint: "title", Help: "sessions whose title, project or agent has these letters", Do: func(int, string) tea.Cmd { return d.edit(lineTitle) }},
		{Keys: []string{"f"}, Hint: "filter", Help: "filter the list; what it cannot tell is looked for in the sessions", Do: func(int, string) tea.Cmd { return d.edit(lineFilter) }},
		{Keys: []string{"+"}, Help: "only sessions of this project", Do: func(int, string) tea.Cmd { return d.like(false) }},
		{Keys: []string{"-"}, Help: "without sessions of this project", Do: func(int, string) tea.Cmd { return d.like(true) }},
		{Keys: []string{"v"}, Help: "take the session, to be compared with another", Do: func(int, string) tea.Cmd { return d.takeRow() }},
		{Keys: []string{"D"}, Hint: "compare two", Label: "v D", Help: "compare the two sessions that v took, or the one with this", Do: func(int, string) tea.Cmd { return d.compareTaken() }},
		{Keys: []string{"y y", "y p"}, Hint: "copy", Help: "copy the path", Do: func(int, string) tea.Cmd { return d.copyPath() }},
		{Keys: []string{"y r"}, Help: "copy the command that resumes it in its agent", Do: func(int, string) tea.Cmd { return d.copyResume() }},
		{Keys: []string{"x"}, Help: "export the list as a table", Do: func(int, string) tea.Cmd { return d.h.Ask(d.table.Export("sessions")) }},
		{Keys: []string{"ctrl+c"}, Help: "stop the search in the sessions; when none runs, quit", Do: func(int, string) tea.Cmd { return d.stop() }},
		{Keys: []string{"esc"}, Help: "stop the search, take the filter away, close the list", Do: func(int, string) tea.Cmd { return d.escape() }},
		{Keys: []string{"q"}, Help: "close the list; quit where it was begun with, or q came to it", Do: func(int, string) tea.Cmd { return d.leave() }},
		{Keys: []string{"S"}, Help: "close the list", Do: func(int, string) tea.Cmd { return d.close() }},
		{Keys: []string{"Q"}, Help: "quit", Do: func(int, string) tea.Cmd { return tea.Quit }},
		{Keys: []string{"?", "f1"}, Help: "help", Do: func(int, string) tea.Cmd { return d.h.Ask(screen.Help{}) }},
	}
}

// none says that there is no row to act on.
func (d *sessions) none() tea.Cmd {
	d.h.Complain("no session here")
	return nil
}

func (d *sessions) open(int, string) tea.Cmd {
	s := d.cur()
	if s == nil {
		return d.none()
	}
	d.done = true
	if d.pick.with != "" {
		return d.h.Ask(screen.Compare{A: d.pick.with, B: s.Path})
	}
	return d.h.Ask(screen.OpenSession{Path: s.Path, Follow: false})
}

// follow opens the newest of the sessions that are shown; of a list that is not narrowed newer ones take its place.
func (d *sessions) follow(int, string) tea.Cmd {
	if d.pick.with != "" {
		d.h.Complain("this list chooses what to compare with: ⏎ compares")
		return nil
	}
	newest := -1
	for _, i := range d.shown {
		if newest < 0 || d.all[i].When().After(d.all[newest].When()) {
			newest = i
		}
	}
	if newest < 0 {
		return d.none()
	}
	d.done = true
	if len(d.shown) == len(d.all) {
		return d.h.Ask(screen.OpenNewest{Path: d.all[newest].Path})
	}
	return d.h.Ask(screen.OpenSession{Path: d.all[newest].Path, Follow: true})
}

func (d *sessions) edit(line sessionLine) tea.Cmd {
	d.typing, d.wasTxt = line, d.line(line).Text
	return nil
}

func (d *sessions) line(line sessionLine) *screen.Field {
	if line == lineTitle {
		return &d.title
	}
	return &d.filter
}

// like adds the project of the row to the filter, its agent where it has none.
func (d *sessions) like(negate bool) tea.Cmd {
	s := d.cur()
	if s == nil {
		return d.none()
	}
	term := "agent:" + lang.Quote(s.AgentName())
	if s.Project != "" {
		term = "project:" + lang.Quote(s.Folder())
	}
	f, err := lang.Parse(d.filter.Text)
	if err == nil {
		f, err = f.Add(term, negate)
	}
	if err != nil {
		d.h.Complain(paint.OneLine(err.Error()))
		return nil
	}
	d.filter.Set(f.Source())
	return d.narrow()
}

func (d *sessions) copyPath() tea.Cmd {
	if s := d.cur(); s != nil {
		return d.h.Ask(take.CopyWord(s.Path, "the path"))
	}
	return d.none()
}

func (d *sessions) copyResume() tea.Cmd {
	s := d.cur()
	switch {
	case s == nil:
		return d.none()
	case s.NoResume != "":
		d.h.Complain(paint.OneLine(s.NoResume))
		return nil
	case s.Resume == "":
		d.h.Complain("no command is known that resumes a session of " + paint.OneLine(s.AgentName()))
		return nil
	}
	return d.h.Ask(screen.Copied{Text: s.Resume, What: "the command"})
}

func (d *sessions) stop() tea.Cmd {
	if d.bodies.running {
		d.halt()
		return nil
	}
	return tea.Quit
}

// escape goes one layer back.
func (d *sessions) escape() tea.Cmd {
	switch {
	case d.bodies.running:
		d.halt()
	case d.filter.Text != "" || d.title.Text != "":
		d.filter.Set("")
		d.title.Set("")
		return d.narrow()
	default:
		return d.close()
	}
	return nil
}

// quits reports whether q ends the program: there is nothing to come back to.
func (d *sessions) quits() bool { return d.pick.with == "" && (d.first || d.alone()) }

// alone reports whether no session is open behind the list.
func (d *sessions) alone() bool {
	return d.h.Snap == nil || d.h.State.Path == "" && d.h.Snap.Rows() == 0
}

func (d *sessions) leave() tea.Cmd {
	if d.quits() {
		return tea.Quit
	}
	d.done = true
	return nil
}

// close shows what is open behind the list.
func (d *sessions) close() tea.Cmd {
	if d.alone() && d.pick.with == "" {
		d.h.Complain("nothing is open behind the list: q quits")
		return nil
	}
	d.done = true
	return nil
}

// Click selects a row or sorts; a double click opens the session.
func (d *sessions) Click(x, y int, double bool) (done bool, cmd tea.Cmd) {
	if y == 1 && d.typing == lineNone {
		return false, d.edit(lineFilter)
	}
	d.moved = true
	hit, cmd := d.table.Click(x, y-d.above)
	if hit && double {
		return true, d.open(0, "")
	}
	return false, cmd
}

// Wheel scrolls.
func (d *sessions) Wheel(n int) { d.table.Scroll(n) }

// typed edits the filter or the title; the list follows every key.
func (d *sessions) typed(msg tea.KeyPressMsg) tea.Cmd {
	f := d.line(d.typing)
	switch screen.KeyName(msg) {
	case "enter":
		d.typing = lineNone
		return nil
	case "esc", "ctrl+c":
		d.typing = lineNone
		f.Set(d.wasTxt)
	case "down", "ctrl+n":
		d.table.MoveTo(d.table.Cur + 1)
		return nil
	case "up", "ctrl+p":
		d.table.MoveTo(d.table.Cur - 1)
		return nil
	default:
		f.Key(msg)
	}
	return d.narrow()
}

// Hints are the keys of the list.
func (d *sessions) Hints() []screen.Hint {
	switch {
	case d.typing != lineNone:
		return []screen.Hint{{Key: "⏎", Text: "done"}, {Key: "↑ ↓", Text: "move"}, {Key: "esc", Text: "back"}}
	case d.chord == "y":
		return []screen.Hint{{Key: "y", Text: "path"}, {Key: "r", Text: "command that resumes it"}, {Key: "esc", Text: "back"}}
	case d.bodies.running:
		return append([]screen.Hint{{Key: "esc", Text: "stop the search"}}, screen.HintsOf(d.keys())...)
	}
	hints := screen.HintsOf(d.keys())
	if d.pick.with != "" {
		hints[0].Text = "compare with it"
		hints = slices.DeleteFunc(hints, func(k screen.Hint) bool { return k.Key == "F" || k.Key == "v D" })
	}
	return append(hints, screen.Hint{Key: "< >", Text: "sort"}, screen.Hint{Key: "R", Text: "reverse"})
}
