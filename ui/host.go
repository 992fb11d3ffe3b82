package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/query"
)

// host is what the parts of the screen share: what is shown, how it looks, and the ways to ask for what concerns others. Parts read its fields
// and never write to them.
type host struct {
	opts   Options
	ctx    context.Context // ends with the program
	zone   *time.Location
	styles *styles
	snap   *model.Snapshot
	state  Update // of the feed; its Snap is snap
	view   view   // what the filter lets through
	live   bool   // somebody still writes the conversation
	focus  paneKind
	level  int // outline: 1 turns, 2 steps, 3 rows, 4 open

	whole bool // tools and stats answer for everything although a filter is on (key =)

	turns  *query.TurnIndex      // of the whole conversation; nil until computed
	table  *query.TimelineAnswer // the turns of the whole conversation; nil until computed
	tools  *query.ToolsAnswer    // of the view, or of everything with whole; nil until computed
	stats  *query.StatsAnswer    // likewise
	chains *query.Replaced       // which messages took the place of which; nil until known, and where none did
	tokens *query.TokenColumn    // counted tokens; nil until counted
	counts string                // "counting 41 %" while tokens are counted

	turnOfPrompt map[model.ID]int // number of the turn that a prompt opens, in table
	turnTokens   []int64          // counted tokens of the turns of table

	markdown  *markdown
	described *describer // rows of messages
	bodies    *bodies    // messages with their texts, read within a budget
	fetches   fetches    // texts that the transcript keeps elsewhere

	exports *exportChoices // what was chosen for exports last; nil until something was
	listed  *listMemory    // how the session list was left; nil until it was

	request requests
}

// requests is what a part may ask of the screen. The app fills them in. A command that is returned must be returned from the part's own method,
// so that it runs.
type requests struct {
	goTo      func(id model.ID, call model.CallID)    // select a row of the timeline, remember the jump; call may be noCall
	setFilter func(text string) tea.Cmd               // replace the filter, in the bar too, and apply it
	addTerm   func(term string, negate bool) tea.Cmd  // add a term to the filter
	apply     func(text string) (tea.Cmd, error)      // filter by what stands in the bar; the error has a column (*query.SyntaxError)
	say       func(text string)                       // a line in the status line for some seconds
	complain  func(text string)                       // the same, as a warning
	close     func()                                  // close the focused pane
	open      func(d dialog)                          // show a dialog
	selected  func() (id model.ID, call model.CallID) // the row the cursor is on; NoID, noCall for none
	block     func() int                              // block of its message that the row of the cursor is about; -1: the whole message
	selection func() query.Selection                  // messages of the rows taken with v; empty for none
	session   func(path string, follow bool) tea.Cmd  // show another session, at its end with follow
	newest    func(path string) tea.Cmd               // follow a session of the list, and newer ones after it
	help      func() tea.Cmd                          // show the keys
	compare   func(a, b string) tea.Cmd               // compare two runs
	compareTo func(names [2]string, runs [2]query.DiffRun) tea.Cmd
	place     func(path, at string) tea.Cmd              // show a place of a session; leaving it leads back to the dialogs that are open
	refresh   func() tea.Cmd                             // compute the answers again
	after     func(d time.Duration, msg tea.Msg) tea.Cmd // send a message after a while
}

// noCall is no row of the calls.
const noCall = model.CallID(model.NoRow)

// scope is the selection that tools and stats answer for.
func (h *host) scope() query.Selection {
	if h.whole || !h.view.on {
		return query.Everything(h.snap)
	}
	return query.Selection{Snap: h.snap, IDs: h.view.messages()}
}

// scopeWord says what scope is: "everything", or "21 of 323 messages".
func (h *host) scopeWord() string {
	if h.whole || !h.view.on {
		return "everything"
	}
	return thousands(len(h.view.messages())) + " of " + thousands(h.snap.Len()) + " messages"
}

// session is what the conversation says about itself.
func (h *host) session() *model.Session {
	if s := h.snap.Sessions(); len(s) > 0 {
		return &s[0]
	}
	return &model.Session{}
}

// clock writes a time of day as the screen shows it.
func (h *host) clock(ms int64) string {
	if ms == 0 {
		return ""
	}
	return time.UnixMilli(ms).In(h.zone).Format("15:04:05")
}

// view is what the filter lets through. Slots of the timeline are rows of the snapshot, or with a filter the matching ones.
type view struct {
	on      bool
	text    string                      // the filter as it was written; stays while it is off
	filter  *query.Filter               // nil for none
	ids     []model.ID                  // what has rows: matching messages, callers of matching results, neighbours; in the order of rows
	matched map[model.ID]query.BlockSet // matching messages with their blocks; callers have none of their own
	result  *query.Result
	errors  []int32 // slots with errors
	matcher *query.Matcher
	finder  *query.LineFinder // of the texts that the filter asks for; nil: none
	around  int               // rows shown around each match
	version uint64            // of the snapshot that was filtered
}

// messages are the messages that match.
func (v *view) messages() []model.ID {
	if v.result == nil {
		return nil
	}
	return v.result.IDs
}

// shows reports whether a line of a message in the view matches, or stands there as a neighbour.
func (v *view) shows(id model.ID, ln *query.Line) bool {
	if v.result == nil {
		return true
	}
	blocks, matches := v.matched[id]
	if ln.Call != noCall {
		return v.result.HasCall(ln.Call) || !matches
	}
	if !matches {
		return true
	}
	switch ln.Kind {
	case query.LineReasoning:
		return blocks&query.BlockReasoning != 0
	case query.LineMedia:
		return blocks&query.BlockMedia != 0
	case query.LineUser, query.LineAssistant, query.LineSystem, query.LineInjected:
		return blocks&(query.BlockWords|query.BlockOther) != 0
	}
	return blocks != 0
}

// turnOf is the turn that a prompt opens, with its counted tokens.
func (h *host) turnOf(prompt model.ID) (t *query.Turn, tokens int64, ok bool) {
	n, ok := h.turnOfPrompt[prompt]
	if !ok || h.table == nil || n >= len(h.table.Turns) {
		return nil, 0, false
	}
	if n < len(h.turnTokens) {
		tokens = h.turnTokens[n]
	}
	return &h.table.Turns[n], tokens, true
}
