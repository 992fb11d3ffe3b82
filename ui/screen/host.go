package screen

import (
	"context"
	"strings"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/query"
	"turns/query/changes"
	"turns/query/content"
	"turns/query/describe"
	"turns/query/human"
	"turns/query/session"
	"turns/query/summary"
	"turns/ui/paint"
	"turns/ui/transcripts"
)

// Host is the state shared by the parts of the screen: the session, the styles, and the ways to
// make requests to others. Parts read its fields and never write to them.
type Host struct {
	Opts        Options
	Ctx         context.Context // ends with the program
	Zone        *time.Location
	Styles      *paint.Styles
	Snap        *model.Snapshot
	State       transcripts.State // of the feed; its Snap is the Host's Snap
	openSummary openSummary
	View        View // result of the filter
	Read        int  // number of rows already read; is:unread selects the later ones
	Live        bool // the session is still being written
	Focus       PaneKind

	Whole bool // tools and stats cover everything despite a filter (key =)

	Answers
	Tokens   *query.TokenColumn  // counted tokens; nil until counted
	Counts   string              // "counting 41 %" while tokens are counted
	TurnNets map[int]changes.Net // net changes of files by turn; nil until computed

	Labelled Labelled // labels, notes, verdicts and scores

	Markdown  *paint.Markdown
	Described *describer // rows of messages
	Bodies    *bodies    // messages with their texts, read within a time budget
	pictures  pictures   // of open rows
	Fetches   fetches    // texts that the transcript stores elsewhere

	away atomic.Int32 // number of other programs using the terminal
	// Ask passes a request or report to the screen; see requests.go
	Ask   func(msg tea.Msg) tea.Cmd
	Rows  selecting                                  // the selected rows of the timeline
	Timer func(d time.Duration, msg tea.Msg) tea.Cmd // nil: the real clock; tests set it
}

// Answers are the results computed for a session in one background round. They are nil until then.
type Answers struct {
	Turns *query.TurnIndex        // of the entire session
	Table *summary.TimelineAnswer // turns of the entire session
	Tools *summary.ToolsAnswer    // of the view, or of everything with Whole
	Stats *summary.StatsAnswer    // as Tools
	// scope of Tools and Stats; it follows a change of the view with a delay
	Over query.Selection
	// which messages replaced which; nil if none did
	Chains       *query.Replaced
	TurnOfPrompt map[model.ID]int    // index in Table of the turn that a prompt opens
	TurnTokens   []int64             // counted tokens of the turns in Table
	Cost         *summary.CostAnswer // of the entire session
	Cached       *CacheUse           // use of the prompt cache by the requests
	Split        *content.Split      // of the cost among the messages
	Quotas       model.Quotas        // last recorded limits of the user's plan
}

// CacheUse is the use of the prompt cache by the requests of a session. It never changes.
type CacheUse struct {
	Misses []summary.CacheRow // in order of arrival
	at     map[model.ID]int
}

// NewCacheUse returns the misses of an answer.
func NewCacheUse(a *summary.CacheAnswer) *CacheUse {
	u := &CacheUse{at: map[model.ID]int{}}
	for i := range a.Requests {
		if r := &a.Requests[i]; r.Miss {
			u.at[r.ID] = len(u.Misses)
			u.Misses = append(u.Misses, *r)
		}
	}
	return u
}

// Miss returns why a request missed the cache, in one line; "" if it did not miss, or if the reason
// is unknown.
func (u *CacheUse) Miss(id model.ID) string {
	if u == nil {
		return ""
	}
	i, ok := u.at[id]
	if !ok {
		return ""
	}
	r := &u.Misses[i]
	text := "cache missed: " + string(r.Why) + "; " + human.Short(r.Again) + " tokens written again"
	if r.USD != nil {
		text += " ~" + human.Money(*r.USD)
	}
	return text
}

// NoCall means no call.
const NoCall = model.CallID(model.NoRow)

// Scope returns the selection that tools and stats cover.
func (h *Host) Scope() query.Selection {
	if h.Whole || !h.View.On {
		return query.Everything(h.Snap)
	}
	if h.View.Result == nil {
		return query.Selection{Snap: h.Snap}
	}
	return h.View.Result.Selection(h.Snap)
}

// ScopeWord describes the scope of Tools and Stats: "whole session", or "21 of 323 messages".
func (h *Host) ScopeWord() string {
	if h.Over.Snap == nil {
		return ""
	}
	return h.Over.Scope()
}

// Narrowed reports whether Tools and Stats leave something out.
func (h *Host) Narrowed() bool { return h.Over.Snap != nil && !h.Over.Whole() }

// Session returns the recorded data about the session.
func (h *Host) Session() *model.Session {
	if s := h.Snap.Sessions(); len(s) > 0 {
		return &s[0]
	}
	return &model.Session{}
}

// Clock formats a time of day for the screen, "" for 0.
func (h *Host) Clock(ms int64) string {
	if ms == 0 {
		return ""
	}
	return time.UnixMilli(ms).In(h.Zone).Format("15:04:05")
}

// TurnOf returns the turn that a prompt opens, with its counted tokens.
func (h *Host) TurnOf(prompt model.ID) (t *summary.Turn, tokens int64, ok bool) {
	n, ok := h.TurnOfPrompt[prompt]
	if !ok || h.Table == nil || n >= len(h.Table.Turns) {
		return nil, 0, false
	}
	if n < len(h.TurnTokens) {
		tokens = h.TurnTokens[n]
	}
	return &h.Table.Turns[n], tokens, true
}

// Minute formats a time of day without seconds.
func (h *Host) Minute(ms int64) string {
	if c := h.Clock(ms); len(c) > 5 {
		return c[:5]
	}
	return ""
}

// ShortModel returns a model name without provider and date, for columns.
func ShortModel(name string) string { return describe.ShortModel(paint.OneLine(name)) }

// FormatTitle returns the agent that wrote the transcript, with its version.
func (h *Host) FormatTitle() string {
	name := h.Snap.Format()
	if src := h.Snap.Sources(); len(src) > 0 && src[0].Title != "" {
		name = src[0].Title
	}
	name = strings.TrimSuffix(name, " session")
	if v := h.Session().Field("version"); v != "" {
		name += " " + v
	}
	return paint.OneLine(name)
}

// More returns "+" while numbers are incomplete, otherwise "".
func (h *Host) More() string {
	if h.State.Preview || h.Snap != nil && h.State.Indexed < 1 {
		return "+"
	}
	return ""
}

// NewHost returns a host without a session. The caller sets Ask and Rows.
func NewHost(ctx context.Context, o Options) *Host {
	h := &Host{Opts: o, Ctx: ctx, Zone: o.Zone()}
	h.Bodies = newBodies(ctx)
	h.Described = newDescriber(h)
	return h
}

// Show sets the displayed snapshot.
func (h *Host) Show(s *model.Snapshot) { h.Snap, h.Bodies.Snap = s, s }

// Reset discards all data about the session, because another one is shown.
func (h *Host) Reset(d describe.Describer) {
	h.Fetches.Known, h.pictures = nil, pictures{}
	h.Described.Known.Clear()
	clear(h.Described.Asked)
	h.Bodies.Held.Clear()
	h.Described.D = d
	h.Answers, h.Tokens, h.TurnNets = Answers{}, nil, nil
}

// SetStyles changes the styles.
func (h *Host) SetStyles(st *paint.Styles) { h.Styles, h.Markdown = st, paint.NewMarkdown(st) }

// openSummary caches the summary of the open session, without its counts.
type openSummary struct {
	snap  *model.Snapshot
	about model.Summary
}

// About returns the summary of the session that its state depends on.
func (h *Host) About() *model.Summary {
	st, s := &h.openSummary, h.Snap
	if s == nil {
		return &model.Summary{}
	}
	if st.snap != s {
		from := 0
		if was := st.snap; was != nil && was.Version() <= s.Version() && was.Rows() <= s.Rows() {
			// the same session has grown
			from = was.Rows()
		}
		st.snap, st.about = s, s.Standing(st.about, from)
	}
	st.about.Written = 0
	if at := h.State.LastWrite; !at.IsZero() {
		st.about.Written = at.UnixMilli()
	}
	return &st.about
}

// Doing returns the session's state as the session list shows it.
func (h *Host) Doing() session.State {
	about, now := *h.About(), h.Opts.Time()
	if h.Live {
		about.Grew = true // it is followed, so it is not a copy
		if about.Written == 0 {
			about.Written = now.UnixMilli() // an open pipe
		}
	}
	return session.StateOf(&about, now)
}

// WaitsFor returns what a call without a result does or waits for, consistent with the state of the
// session; Unknown for an abandoned call.
func (h *Host) WaitsFor(line *describe.Line) session.Doing {
	if !h.Pending(line.Call) {
		return session.Unknown
	}
	st, c := h.Doing(), h.Snap.Call(line.Call)
	latest := h.Snap.Pos(c.Msg) >= st.End.At
	if d := st.WaitsFor(h.Snap.Name(c.Tool), c.Flags&model.NeedsLeave != 0); latest && d != session.Running {
		return d
	}
	if h.Live || latest && st.Stage() == human.Running {
		return session.Running
	}
	return session.Unknown
}
