package ui

import (
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"turns/query"
)

// sessions is the list of sessions, newest first under their days. It lies over the whole screen. Rows come while the list is read, and texts are
// searched in them beside it.
type sessions struct {
	memory  *listMemory // how the list was left before
	h       *host
	all     []SessionInfo
	byPath  map[string]int // places in all
	shown   []int          // of all, as the table numbers them
	table   table
	filter  field
	title   field
	typing  sessionLine
	wasTxt  string
	err     error
	parsed  *query.Filter
	loaded  bool
	count   int
	above   int    // lines over the table, for the mouse
	chord   string // first key of two
	done    bool   // a key closed the list
	first   bool   // turns began with it, or q came back to it from a session
	moved   bool   // the reader moved: the cursor is not put on the open session any more
	cancel  context.CancelFunc
	bodies  bodySearch
	news    SessionNews // the last
	ticking bool        // the ages of what is live will be drawn anew
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
	news SessionNews
	err  error
	done bool // there will be no more
	more chan listedMsg
}

// Columns of the list.
const (
	sessWhen = iota
	sessAgent
	sessProject
	sessTitle
	sessMessages
	sessTokens
	sessErrors
	sessDur
	sessEnd
)

// Widths of columns where the screen is 120 wide or less.
const agentWidth, projectWidth = 11, 12

func newSessions(h *host, memory *listMemory) *sessions {
	d := &sessions{h: h, memory: memory}
	d.table = table{sortBy: -1, cells: d.cells, cmp: d.compare, group: d.day, cols: []tableColumn{
		sessWhen:     {name: "when", head: "  when", width: 7},
		sessAgent:    {name: "agent", head: "agent", width: agentWidth, gap: 2, asc: true, drop: 2},
		sessProject:  {name: "project", head: "project", width: projectWidth, gap: 2, asc: true, drop: 3},
		sessTitle:    {name: "title", head: "title or first prompt", width: 16, gap: 2, flex: 3, asc: true},
		sessMessages: {name: "messages", head: "msgs", width: 5, right: true, gap: 1, drop: 4},
		sessTokens:   {name: "tokens", head: "tok", width: 6, right: true, gap: 1, drop: 6},
		sessErrors:   {name: "errors", head: "err", width: 4, right: true, gap: 1},
		sessDur:      {name: "duration", head: "dur", width: 6, right: true, gap: 1, drop: 5},
		sessEnd:      {name: "end", head: "end", width: 12, gap: 2, flex: 1, asc: true},
	}}
	d.recall()
	return d
}

// recall narrows and sorts the list as it was left.
func (d *sessions) recall() {
	m := d.memory
	if !m.left {
		return
	}
	d.filter.set(m.filter)
	d.title.set(m.title)
	d.table.sortBy, d.table.desc = m.sortBy, m.desc
}

// end stops what the list does beside the screen, and remembers how it was left.
func (d *sessions) end() {
	if d.cancel != nil {
		d.cancel()
	}
	d.bodies.stop()
	if d.pick.with != "" {
		return
	}
	*d.memory = listMemory{true, d.filter.text, d.title.text, d.table.sortBy, d.table.desc, d.path()}
}

// path is that of the session under the cursor, "" for none.
func (d *sessions) path() string {
	if s := d.cur(); s != nil {
		return s.Path
	}
	return ""
}

// cur is the session under the cursor, nil for none.
func (d *sessions) cur() *SessionInfo {
	if row := d.table.row(); row >= 0 && row < len(d.shown) {
		return &d.all[d.shown[row]]
	}
	return nil
}

// begin lists the sessions in the background.
func (d *sessions) begin() tea.Cmd {
	list := d.h.opts.List
	if list == nil {
		return nil
	}
	ctx, cancel := context.WithCancel(d.h.ctx)
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
		err := list(ctx, func(news SessionNews) { tell(listedMsg{news: news}) })
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
	case sortedMsg:
		d.table.sorted(m)
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
	name := keyName(msg)
	if n, ok := addDigit(d.count, name); ok && d.chord == "" {
		d.count = n
		return false, nil
	}
	n := d.count
	d.count, d.moved = 0, true
	if d.chord != "" {
		name, d.chord = d.chord+" "+name, ""
	}
	if handled, cmd := pressed(d.keys(), name, n); handled {
		return d.done, cmd
	}
	if name == "y" {
		d.chord = name
		return false, nil
	}
	if handled, cmd := d.table.key(d.h, name, n); handled {
		return false, cmd
	}
	if !strings.HasSuffix(name, " esc") {
		d.h.complain(keyLabel(name) + " is no key of the list: ? shows them")
	}
	return false, nil
}

// keys are those that only the list takes.
func (d *sessions) keys() []paneKey {
	return []paneKey{
		{keys: []string{"enter", "l", "right"}, hint: "open", help: "open the session", do: d.open},
		{keys: []string{"F"}, hint: "follow the newest", help: "open the newest session that is shown and follow it, and newer ones after it", do: d.follow},
		{keys: []string{"/"}, hint: "title", help: "sessions whose title, project or agent has these letters", do: func(int, string) tea.Cmd { return d.edit(lineTitle) }},
		{keys: []string{"f"}, hint: "filter", help: "filter the list; what it cannot tell is looked for in the sessions", do: func(int, string) tea.Cmd { return d.edit(lineFilter) }},
		{keys: []string{"+"}, help: "only sessions of this project", do: func(int, string) tea.Cmd { return d.like(false) }},
		{keys: []string{"-"}, help: "without sessions of this project", do: func(int, string) tea.Cmd { return d.like(true) }},
		{keys: []string{"v"}, help: "take the session, to be compared with another", do: func(int, string) tea.Cmd { return d.takeRow() }},
		{keys: []string{"D"}, hint: "compare two", label: "v D", help: "compare the two sessions that v took, or the one with this", do: func(int, string) tea.Cmd { return d.compareTaken() }},
		{keys: []string{"y y", "y p"}, hint: "copy", help: "copy the path", do: func(int, string) tea.Cmd { return d.copyPath() }},
		{keys: []string{"y r"}, help: "copy the command that resumes it in its agent", do: func(int, string) tea.Cmd { return d.copyResume() }},
		{keys: []string{"x"}, help: "export the list as a table", do: func(int, string) tea.Cmd { return d.h.ask(d.table.export("sessions")) }},
		{keys: []string{"ctrl+c"}, help: "stop the search in the sessions; when none runs, quit", do: func(int, string) tea.Cmd { return d.stop() }},
		{keys: []string{"esc"}, help: "stop the search, take the filter away, close the list", do: func(int, string) tea.Cmd { return d.escape() }},
		{keys: []string{"q"}, help: "close the list; quit where it was begun with, or q came to it", do: func(int, string) tea.Cmd { return d.leave() }},
		{keys: []string{"S"}, help: "close the list", do: func(int, string) tea.Cmd { return d.close() }},
		{keys: []string{"Q"}, help: "quit", do: func(int, string) tea.Cmd { return tea.Quit }},
		{keys: []string{"?", "f1"}, help: "help", do: func(int, string) tea.Cmd { return d.h.ask(Help{}) }},
	}
}

// none says that there is no row to act on.
func (d *sessions) none() tea.Cmd {
	d.h.complain("no session here")
	return nil
}

func (d *sessions) open(int, string) tea.Cmd {
	s := d.cur()
	if s == nil {
		return d.none()
	}
	d.done = true
	if d.pick.with != "" {
		return d.h.ask(Compare{d.pick.with, s.Path})
	}
	return d.h.ask(OpenSession{s.Path, false})
}

// follow opens the newest of the sessions that are shown; of a list that is not narrowed newer ones take its place.
func (d *sessions) follow(int, string) tea.Cmd {
	if d.pick.with != "" {
		d.h.complain("this list chooses what to compare with: ⏎ compares")
		return nil
	}
	newest := -1
	for _, i := range d.shown {
		if newest < 0 || d.all[i].When.After(d.all[newest].When) {
			newest = i
		}
	}
	if newest < 0 {
		return d.none()
	}
	d.done = true
	if len(d.shown) == len(d.all) {
		return d.h.ask(OpenNewest{d.all[newest].Path})
	}
	return d.h.ask(OpenSession{d.all[newest].Path, true})
}

func (d *sessions) edit(line sessionLine) tea.Cmd {
	d.typing, d.wasTxt = line, d.line(line).text
	return nil
}

func (d *sessions) line(line sessionLine) *field {
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
	term := "agent:" + query.Quote(s.Agent)
	if s.Project != "" {
		term = "project:" + query.Quote(s.Project)
	}
	f, err := query.Parse(d.filter.text)
	if err == nil {
		f, err = f.Add(term, negate)
	}
	if err != nil {
		d.h.complain(oneLine(err.Error()))
		return nil
	}
	d.filter.set(f.Source())
	return d.narrow()
}

func (d *sessions) copyPath() tea.Cmd {
	if s := d.cur(); s != nil {
		return d.h.ask(copyWord(s.Path, "the path"))
	}
	return d.none()
}

func (d *sessions) copyResume() tea.Cmd {
	s := d.cur()
	switch {
	case s == nil:
		return d.none()
	case s.NoResume != nil:
		d.h.complain(oneLine(s.NoResume.Error()))
		return nil
	case s.Resume == "":
		d.h.complain("no command is known that resumes a session of " + oneLine(s.Agent))
		return nil
	}
	return d.h.ask(Copied{Text: s.Resume, What: "the command"})
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
	case d.filter.text != "" || d.title.text != "":
		d.filter.set("")
		d.title.set("")
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
	return d.h.snap == nil || d.h.state.Path == "" && d.h.snap.Rows() == 0
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
		d.h.complain("nothing is open behind the list: q quits")
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
	hit, cmd := d.table.click(x, y-d.above)
	if hit && double {
		return true, d.open(0, "")
	}
	return false, cmd
}

// Wheel scrolls.
func (d *sessions) Wheel(n int) { d.table.scroll(n) }

// typed edits the filter or the title; the list follows every key.
func (d *sessions) typed(msg tea.KeyPressMsg) tea.Cmd {
	f := d.line(d.typing)
	switch keyName(msg) {
	case "enter":
		d.typing = lineNone
		return nil
	case "esc", "ctrl+c":
		d.typing = lineNone
		f.set(d.wasTxt)
	case "down", "ctrl+n":
		d.table.moveTo(d.table.cur + 1)
		return nil
	case "up", "ctrl+p":
		d.table.moveTo(d.table.cur - 1)
		return nil
	default:
		f.key(msg)
	}
	return d.narrow()
}

// Hints are the keys of the list.
func (d *sessions) Hints() []hint {
	switch {
	case d.typing != lineNone:
		return []hint{{"⏎", "done"}, {"↑ ↓", "move"}, {"esc", "back"}}
	case d.chord == "y":
		return []hint{{"y", "path"}, {"r", "command that resumes it"}, {"esc", "back"}}
	case d.bodies.running:
		return append([]hint{{"esc", "stop the search"}}, hintsOf(d.keys())...)
	}
	hints := hintsOf(d.keys())
	if d.pick.with != "" {
		hints[0].text = "compare with it"
		hints = slices.DeleteFunc(hints, func(k hint) bool { return k.key == "F" || k.key == "v D" })
	}
	return append(hints, hint{"< >", "sort"}, hint{"R", "reverse"})
}
