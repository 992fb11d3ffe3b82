package ui

import (
	"context"
	"strings"
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

	ask   func(msg tea.Msg) tea.Cmd                  // asks the screen for what concerns others, or tells it; see requests.go
	rows  selecting                                  // which rows of the timeline are selected
	timer func(d time.Duration, msg tea.Msg) tea.Cmd // nil: the clock; tests have their own
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

// minute is a time of day without seconds.
func (h *host) minute(ms int64) string {
	if c := h.clock(ms); len(c) > 5 {
		return c[:5]
	}
	return ""
}

func shortModel(name string) string { return query.ShortModel(oneLine(name)) }

// formatTitle is the agent that wrote the transcript, with its version.
func (h *host) formatTitle() string {
	name := h.snap.Format()
	if src := h.snap.Sources(); len(src) > 0 && src[0].Title != "" {
		name = src[0].Title
	}
	name = strings.TrimSuffix(name, " session")
	if v := h.session().Field("version"); v != "" {
		name += " " + v
	}
	return oneLine(name)
}

// more is the sign of numbers that are not complete yet.
func (h *host) more() string {
	if h.state.Preview || h.snap != nil && h.state.Indexed < 1 {
		return "+"
	}
	return ""
}
