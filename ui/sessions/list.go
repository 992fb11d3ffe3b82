package sessions

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"turns/query/human"
	"turns/query/lang"
	"turns/query/session"
	"turns/ui/config"
	"turns/ui/paint"
	"turns/ui/screen"
	"turns/ui/transcripts"
)

var _ interface {
	screen.FullScreen
	screen.Beginner
	screen.Ender
} = (*List)(nil)

// List is the list of sessions, the newest first, grouped by day. It covers the screen. Rows arrive
// while it is read, and a background search looks into their texts.
type List struct {
	memory  *Memory // state of the list when last closed
	H       *screen.Host
	All     []session.Session
	byPath  map[string]int // indexes in All
	family  *session.Families
	Shown   []int // indexes in All of the table's rows
	Table   screen.Table
	Bar     *screen.FilterBar
	Filter  *screen.Field // the field of Bar
	Title   screen.Field
	Typing  sessionLine
	wasTxt  string
	err     error
	parsed  *lang.Filter
	sieve   *session.Filter // parsed, in the form for sessions
	columns []session.Column
	Loaded  bool
	Count   int
	above   int    // lines above the table, for the mouse
	chord   string // first key of a chord
	done    bool   // a key closed the list
	First   bool   // turns started with it, or q returned to it from a session
	moved   bool   // the reader moved, so the cursor no longer goes to the open session
	// the cursor stays on the first row found by a search
	top     bool
	cancel  context.CancelFunc
	bodies  bodySearch
	news    transcripts.Update // latest update
	ticking bool               // a redraw of ages is scheduled
	drawn   atomic.Bool        // an update has drawn them since
	Pick    Picking
	look    looking
	opened  map[string]bool // paths of sessions with unfolded subagents
	folded  int             // number of matching but folded subagents
	over    overList        // the table over the list; nil: none
	left    int64           // when the reader last left the list, in milliseconds; 0: never
}

// Memory is the filter, search and order of a list, for the next time it is opened.
type Memory struct {
	left          bool // the list was shown before
	filter, title string
	sortBy        int
	desc          bool
	path          string // of the last row of the cursor
}

// listedMsg carries an update of the sessions.
type listedMsg struct {
	list *List
	news transcripts.Update
	err  error
	done bool // the last update
	more chan listedMsg
}

// New makes a list in the state of memory; Begin reads the sessions.
func New(h *screen.Host, memory *Memory) *List {
	d := &List{H: h, memory: memory, left: h.Opts.Reads.LeftList(), sieve: session.NewFilter(nil, lang.TimeRef{}), byPath: map[string]int{}, opened: map[string]bool{}}
	d.family = session.NewFamilies(d.byName)
	d.Bar = screen.NewFilterBar(h, d.filtered())
	d.Filter = &d.Bar.Field
	d.Table = screen.Table{SortBy: -1, Group: d.day}
	set := h.Labelled.Set
	if h.Opts.Labels != nil {
		set = h.Opts.Labels.Now()
	}
	d.makeColumns(len(set.Current()) > 0)
	d.recall()
	return d
}

// makeColumns makes the columns, including the one for labels if labelled.
func (d *List) makeColumns(labelled bool) {
	d.columns = session.Columns(labelled, d.H.Opts.Columns...)
	screen.Describe(&d.Table, d.columns, d.shown)
	d.Table.Cells = d.cells
	// the first cell starts with a mark
	if first := &d.Table.Cols[0]; !strings.HasPrefix(first.Head, "  ") {
		first.Head = "  " + first.Head
	}
}

// recall restores the filter, the search and the order of the list.
func (d *List) recall() {
	m := d.memory
	if !m.left {
		return
	}
	d.Filter.Set(m.filter)
	d.Title.Set(m.title)
	d.Table.SortBy, d.Table.Desc = m.sortBy, m.desc
}

// End stops the background work and saves the state of the list.
func (d *List) End() {
	if d.cancel != nil {
		d.cancel()
	}
	d.bodies.stop()
	if d.Pick.With != "" {
		return
	}
	_ = d.H.Opts.Reads.KeepList(d.H.Opts.Time().UnixMilli()) // a failure is harmless
	*d.memory = Memory{true, d.Filter.Text, d.Title.Text, d.Table.SortBy, d.Table.Desc, d.Path()}
}

// Path returns the path of the session under the cursor, "" for none.
func (d *List) Path() string {
	if s := d.cur(); s != nil {
		return s.Path
	}
	return ""
}

// cur returns the session under the cursor, nil for none.
func (d *List) cur() *session.Session {
	if row := d.Table.Row(); row >= 0 && row < len(d.Shown) {
		return &d.All[d.Shown[row]]
	}
	return nil
}

// moveTo moves the cursor for the reader, who ends the stay on the first row.
func (d *List) moveTo(place int) {
	d.top = false
	d.Table.MoveTo(place)
}

// Done reports whether the list is to be closed.
func (d *List) Done() bool { return d.done }

// Typed reports whether keys go into a line of text.
func (d *List) Typed() bool { return d.Typing != LineNone }

// Begin lists the sessions in the background.
func (d *List) Begin() tea.Cmd {
	lib := d.H.Opts.Store
	if lib == nil {
		return nil
	}
	ctx, cancel := context.WithCancel(d.H.Opts.BaseContext())
	d.cancel = cancel
	more := make(chan listedMsg)
	report := func(m listedMsg) {
		m.list, m.more = d, more
		select {
		case more <- m:
		case <-ctx.Done():
		}
	}
	go func() {
		err := lib.List(ctx, func(news transcripts.Update) { report(listedMsg{news: news}) })
		report(listedMsg{err: err, done: true})
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

// Message receives sessions and search results.
func (d *List) Message(msg tea.Msg) tea.Cmd {
	switch m := msg.(type) {
	case listedMsg:
		if m.list == d {
			return d.listed(m)
		}
	case sessionTickMsg:
		if m.list == d {
			return d.ticked()
		}
	case bodyMsg:
		if m.list == d {
			return d.searched(m)
		}
	case screen.SortedMsg:
		d.Table.Sorted(m)
	default:
		return d.Bar.Message(msg)
	}
	return nil
}

func sameDate(a, b time.Time, zone *time.Location) bool {
	ay, am, ad := a.In(zone).Date()
	by, bm, bd := b.In(zone).Date()
	return ay == by && am == bm && ad == bd
}

// Key moves, opens, filters and sorts.
func (d *List) Key(msg tea.KeyPressMsg) (bool, tea.Cmd) {
	if d.Typing != LineNone {
		return false, d.typed(msg)
	}
	name := screen.KeyName(msg)
	if n, ok := screen.AddDigit(d.Count, name); ok && d.chord == "" {
		d.Count = n
		return false, nil
	}
	n := d.Count
	d.Count, d.moved = 0, true
	if d.chord != "" {
		name, d.chord = d.chord+" "+name, ""
	}
	if key, view := strings.CutPrefix(name, "' "); view && key != "esc" {
		return false, d.H.Ask(screen.TakeView{Key: key})
	}
	if handled, cmd := screen.Pressed(d.Keys(), name, n); handled {
		return d.done, cmd
	}
	if name == "y" {
		d.chord = name
		return false, nil
	}
	if handled, cmd := d.Table.Key(d.H, name, n); handled {
		d.top = false
		return false, cmd
	}
	if !strings.HasSuffix(name, " esc") {
		d.H.Complain(d.H.Key(name) + " does nothing here: " + d.H.Key("?") + " lists the keys")
	}
	return false, nil
}

// Keys returns the keys of the list only.
func (d *List) Keys() []screen.Key {
	return []screen.Key{
		{Keys: []string{"enter", "l", "right"}, Name: "open", Hint: "open", Help: "open the session", Do: d.onSession(d.open)},
		{Keys: []string{"h", "left"}, Name: "subagents", Help: "unfold or fold the subagents of the session", Do: d.onSession(d.fold)},
		{Keys: []string{"F"}, Name: "follow-newest", Hint: "follow newest", Help: "open the newest listed session and follow it, then newer ones", Do: d.follow},
		{Keys: []string{"/"}, Name: "title", Hint: "find", Help: "find in titles, projects and agents, then in the texts of the sessions", Do: func(int, string) tea.Cmd { return d.edit(LineTitle) }},
		{Keys: []string{"i"}, Name: "injected", Help: "let / search system prompts and injected text too, or leave them out", Do: d.lookTogether},
		{Keys: []string{"f"}, Name: "filter", Hint: "filter", Help: "filter the list; words and terms about messages search the sessions", Do: func(int, string) tea.Cmd { return d.edit(lineFilter) }},
		{Keys: []string{"+"}, Name: "only-like-this", Help: "only sessions of this project", Do: d.onSession(d.like)},
		{Keys: []string{"-"}, Name: "without-like-this", Help: "without sessions of this project", Do: d.onSession(d.unlike)},
		{Keys: []string{"."}, Name: "label", Help: "label this session: #label, +good, -bad, word=3, or a note", Do: d.onSession(d.label)},
		{Keys: []string{";"}, Name: "undo-label", Help: "undo the last label", Do: func(int, string) tea.Cmd { return d.H.Ask(screen.UndoLabel{Done: d.relabel}) }},
		{Keys: []string{"v"}, Name: "select", Hint: "select", Help: "select the session", Do: d.onSession(d.takeRow)},
		{Keys: []string{"D"}, Name: "compare", Hint: "compare", Help: "compare the two selected sessions, or the selected one with this", Do: d.onSession(d.compareTaken)},
		{Keys: []string{"W"}, Name: "threads", Help: "unfinished work of the sessions of all folders; = only of this folder", Do: func(int, string) tea.Cmd { return d.H.Ask(screen.Threads{Path: d.Path(), All: true}) }},
		{Keys: []string{"t"}, Name: "tools", Hint: "tools", Help: "tool use in the listed (or selected) sessions", Do: func(int, string) tea.Cmd { return d.sums(sumTools) }},
		{Keys: []string{"s"}, Name: "stats", Hint: "stats", Help: "messages, calls, errors, tokens and time of the listed (or selected) sessions", Do: func(int, string) tea.Cmd { return d.sums(sumStats) }},
		{Keys: []string{"w"}, Name: "cost", Hint: "cost", Help: "cost of the listed (or selected) sessions", Do: func(int, string) tea.Cmd { return d.sums(sumCost) }},
		{Keys: []string{"!"}, Name: "failures", Hint: "failures", Help: "failures of the listed (or selected) sessions, grouped by cause", Do: func(int, string) tea.Cmd { return d.troubles(false) }},
		{Keys: []string{"I"}, Name: "loops", Hint: "loops", Help: "repeated calls in the listed (or selected) sessions", Do: func(int, string) tea.Cmd { return d.troubles(true) }},
		{Keys: []string{"e"}, Name: "next-error", Hint: "error", Help: "next session with an error", Do: func(n int, _ string) tea.Cmd { return d.toError(max(n, 1)) }},
		{Keys: []string{"E"}, Name: "previous-error", Help: "previous session with an error", Do: func(n int, _ string) tea.Cmd { return d.toError(-max(n, 1)) }},
		{Keys: []string{"y y", "y p"}, Name: "copy-path", Hint: "copy", Help: "copy the path", Do: d.onSession(d.copyPath)},
		{Keys: []string{"y r"}, Name: "copy-command", Help: "copy the command that resumes it in its agent", Do: d.onSession(d.copyResume)},
		{Keys: []string{"'"}, Help: "views: '1 shows the first; :save NAME saves one", Do: func(_ int, key string) tea.Cmd { d.chord = key; return nil }},
		{Keys: []string{"x"}, Name: "export", Help: "export the list as a table", Do: func(int, string) tea.Cmd { return d.H.Ask(d.Table.Export("sessions")) }},
		{Keys: []string{"ctrl+c"}, Help: "stop the search in the sessions; when none runs, quit", Do: func(int, string) tea.Cmd { return d.stop() }},
		{Keys: []string{"esc"}, Help: "stop the search, clear the filter, or close a list over an open session", Do: func(int, string) tea.Cmd { return d.escape() }},
		{Keys: []string{"q"}, Name: "close", Help: "close the list, or quit", Do: func(int, string) tea.Cmd { return d.leave() }},
		{Keys: []string{"S"}, Help: "close the list", Do: func(int, string) tea.Cmd { return d.close() }},
		{Keys: []string{"Q"}, Name: "quit", Help: "quit", Do: func(int, string) tea.Cmd { return tea.Quit }},
		{Keys: []string{":"}, Help: "command palette: filter end:failed, theme light, or the number of a row", Do: func(int, string) tea.Cmd { return d.H.Ask(screen.Palette{}) }},
		{Keys: []string{"?", "f1"}, Name: "help", Help: "help", Do: func(int, string) tea.Cmd { return d.H.Ask(screen.Help{}) }},
	}
}

// none reports that there is no row to act on.
func (d *List) none() tea.Cmd {
	return d.H.Complain("no session here")
}

// onSession makes a key action for the session under the cursor.
func (d *List) onSession(do func(*session.Session) tea.Cmd) func(int, string) tea.Cmd {
	return func(int, string) tea.Cmd {
		if s := d.cur(); s != nil {
			return do(s)
		}
		return d.none()
	}
}

func (d *List) open(s *session.Session) tea.Cmd {
	if d.H.Opts.Chosen != nil {
		return d.choose(s)
	}
	d.done, d.top = true, false
	if d.Pick.With != "" {
		return d.H.Ask(screen.Compare{A: d.Pick.With, B: s.Path})
	}
	if hit, text, ok := d.hitOf(d.Table.Row()); ok {
		d.done = false // the list continues in the background, and returns later
		return d.H.Ask(screen.OpenPlace{Path: s.Path, At: strconv.Itoa(hit.Index), Search: text})
	}
	if d.section(s) != sectionDays && (s.Stage.Needs() || s.Stage == human.Idle) {
		d.done = false
		at := "end"
		place := s.Where()
		if place.At >= 0 {
			at = strconv.Itoa(place.At)
		}
		return d.H.Ask(screen.OpenPlace{Path: place.Path, At: at})
	}
	return d.H.Ask(screen.OpenSession{Path: s.Path, Follow: false})
}

// follow opens the newest of the listed sessions; without a filter, it then follows newer ones.
func (d *List) follow(int, string) tea.Cmd {
	if d.Pick.With != "" {
		return d.H.Complain("this list chooses what to compare with: " + d.H.Key("enter") + " compares")
	}
	newest := -1
	for _, i := range d.Shown {
		if newest < 0 || d.All[i].When().After(d.All[newest].When()) {
			newest = i
		}
	}
	if newest < 0 {
		return d.none()
	}
	d.done = true
	if len(d.Shown)+d.folded == len(d.All) {
		return d.H.Ask(screen.OpenNewest{Path: d.All[newest].Path})
	}
	return d.H.Ask(screen.OpenSession{Path: d.All[newest].Path, Follow: true})
}

func (d *List) like(s *session.Session) tea.Cmd   { return d.addTerm(likeOf(s), false, func() {}) }
func (d *List) unlike(s *session.Session) tea.Cmd { return d.addTerm(likeOf(s), true, func() {}) }

// likeOf returns the filter term for the project of a session, or for its agent if it has none.
func likeOf(s *session.Session) string {
	if s.Project != "" {
		return "project:" + lang.Quote(s.Folder())
	}
	return "agent:" + lang.Quote(s.AgentName())
}

// addTerm adds a term to the filter; it calls first once the term is accepted.
func (d *List) addTerm(term string, negate bool, first func()) tea.Cmd {
	f, err := lang.Parse(d.Filter.Text)
	if err == nil {
		f, err = f.Add(term, negate)
	}
	if err != nil {
		return d.H.Complain(paint.OneLine(err.Error()))
	}
	first()
	d.Filter.Set(f.Source())
	return d.Narrow()
}

// toError goes to the n-th session from here with an error, wrapping around; backwards if n is
// negative.
func (d *List) toError(n int) tea.Cmd {
	var bad []int // rows of the table
	here := 0     // number of them before the cursor
	for line := range d.Table.N {
		s := &d.All[d.Shown[d.Table.At(line)]]
		if s.AllErrors() == 0 && s.State().Doing != session.Failed {
			continue
		}
		if line < d.Table.Cur || n > 0 && line == d.Table.Cur {
			here++
		}
		bad = append(bad, line)
	}
	if len(bad) == 0 {
		return d.H.Complain("no listed session has an error")
	}
	if n > 0 {
		n--
	}
	d.moveTo(bad[((here+n)%len(bad)+len(bad))%len(bad)])
	return nil
}

// choose passes on the command that resumes a session, and ends the screen.
func (d *List) choose(s *session.Session) tea.Cmd {
	if why := d.notResumed(s); why != "" {
		return d.H.Complain(why)
	}
	d.H.Opts.Chosen(s.Resume)
	return tea.Quit
}

// notResumed returns why a session cannot be resumed, "" if it can.
func (d *List) notResumed(s *session.Session) string {
	switch {
	case s.NoResume != "":
		return paint.OneLine(s.NoResume)
	case s.Resume == "":
		return "no command is known that resumes a session of " + paint.OneLine(s.AgentName())
	}
	return ""
}

func (d *List) copyPath(s *session.Session) tea.Cmd {
	return d.H.Ask(screen.CopyWord(s.Path, "the path"))
}

func (d *List) copyResume(s *session.Session) tea.Cmd {
	if why := d.notResumed(s); why != "" {
		return d.H.Complain(why)
	}
	return d.H.Ask(screen.Copied{Text: s.Resume, What: "the command"})
}

func (d *List) stop() tea.Cmd {
	if d.bodies.running {
		d.halt()
		return nil
	}
	return tea.Quit
}

// escape goes one layer back.
func (d *List) escape() tea.Cmd {
	switch {
	case d.bodies.running:
		d.halt()
	case d.Filter.Text != "" || d.Title.Text != "":
		d.Filter.Set("")
		d.Title.Set("")
		return d.Narrow()
	case d.Quits(): // the list is the root: esc never leads into a session
		d.H.ShowStatus("this is the list of all sessions: " + d.H.Key("q") + " quits")
	default:
		return d.close()
	}
	return nil
}

// Quits reports whether q ends the program, because there is nothing to return to.
func (d *List) Quits() bool { return d.Pick.With == "" && (d.First || d.alone()) }

// alone reports whether there is no open session behind the list.
func (d *List) alone() bool {
	return d.H.Snap == nil || d.H.State.Path == "" && d.H.Snap.Rows() == 0
}

func (d *List) leave() tea.Cmd {
	if d.Quits() {
		return tea.Quit
	}
	d.done = true
	return nil
}

// close closes the list to show the open session.
func (d *List) close() tea.Cmd {
	if d.alone() && d.Pick.With == "" {
		return d.H.Complain("no open session behind the list: q quits")
	}
	d.done = true
	return nil
}

// Click selects a row or sorts; a double click opens the session.
func (d *List) Click(x, y int, double bool) (done bool, cmd tea.Cmd) {
	if y == 1 && d.Typing == LineNone {
		return false, d.edit(lineFilter)
	}
	if d.Typing == lineFilter {
		if took, cmd := d.Bar.ClickDrop(x, y-belowFilter); took {
			return false, cmd
		}
		if y == 1 {
			d.Bar.ClickField(x)
			return false, nil
		}
	}
	d.moved, d.top = true, false
	hit, cmd := d.Table.Click(x, y-d.above)
	if hit && double {
		return true, d.onSession(d.open)(0, "")
	}
	return false, cmd
}

// Wheel scrolls by n rows.
func (d *List) Wheel(n int) { d.Table.Scroll(n) }

// Hints returns the keys for the key line.
func (d *List) Hints() []screen.Hint {
	switch {
	case d.Loaded && len(d.All) == 0 && d.Typing == LineNone:
		return nil
	case d.Typing == lineFilter && d.Bar.Open:
		return d.Bar.Hints()
	case d.Typing == lineFilter:
		return []screen.Hint{{Key: "⏎", Text: "apply"}, {Key: "tab", Text: "complete"}, {Key: "↑ ↓", Text: "move"}, {Key: "^r", Text: "history"}, {Key: "esc", Text: "back"}}
	case d.Typing != LineNone:
		return []screen.Hint{{Key: "⏎", Text: "done"}, {Key: "↑ ↓", Text: "move"}, {Key: "esc", Text: "back"}}
	case d.chord == "'":
		return append(screen.ViewHints(d.H.Opts.Views, config.ViewOfList), screen.Hint{Key: "esc", Text: "back"})
	case d.chord == "y":
		return []screen.Hint{{Key: "y", Text: "path"}, {Key: "r", Text: "command that resumes it"}, {Key: "esc", Text: "back"}}
	case d.bodies.running:
		return append([]screen.Hint{{Key: "esc", Text: "stop the search"}}, screen.HintsOf(d.Keys())...)
	}
	hints := screen.HintsOf(d.Keys())
	if s := d.cur(); s != nil && d.Pick.With == "" && len(d.family.Below(d.root(s))) > 0 {
		hints = slices.Insert(hints, 1, screen.Hint{Key: "h", Text: "subagents"})
	}
	if d.Pick.With != "" {
		hints[0].Text = "compare with it"
		hints = slices.DeleteFunc(hints, func(k screen.Hint) bool { return k.Key == "F" || k.Key == "v" || k.Key == "D" })
	}
	return append(hints, screen.Hint{Key: "< >", Text: "sort"}, screen.Hint{Key: "R", Text: "reverse"})
}
