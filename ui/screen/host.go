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

// Host is what the parts of the screen share: what is shown, how it looks, and the ways to ask for
// what concerns others. Parts read its fields and never write to them.
type Host struct {
	Opts     Options
	Ctx      context.Context // ends with the program
	Zone     *time.Location
	Styles   *paint.Styles
	Snap     *model.Snapshot
	State    transcripts.State // of the feed; its Snap is snap
	standing standing
	View     View // what the filter lets through
	Read     int  // rows that the reader saw before: is:unread selects those behind them
	Live     bool // somebody still writes the conversation
	Focus    PaneKind

	Whole bool // tools and stats answer for everything although a filter is on (key =)

	Answers
	Tokens   *query.TokenColumn  // counted tokens; nil until counted
	Counts   string              // "counting 41 %" while tokens are counted
	TurnNets map[int]changes.Net // net changes of files by turn; nil until computed

	Said Labelled // labels, notes, verdicts and scores

	Markdown  *paint.Markdown
	Described *describer // rows of messages
	Bodies    *bodies    // messages with their texts, read within a budget
	pictures  pictures   // of the items that are open
	Fetches   fetches    // texts that the transcript keeps elsewhere

	away atomic.Int32 // programs that have the terminal
	// asks the screen for what concerns others, or tells it; see requests.go
	Ask   func(msg tea.Msg) tea.Cmd
	Rows  selecting                                  // which rows of the timeline are selected
	Timer func(d time.Duration, msg tea.Msg) tea.Cmd // nil: the clock; tests have their own
}

// Answers are what is computed for a conversation in one round, all of it in the background. They
// are nil until then.
type Answers struct {
	Turns *query.TurnIndex        // of the whole conversation
	Table *summary.TimelineAnswer // the turns of the whole conversation
	Tools *summary.ToolsAnswer    // of the view, or of everything with whole
	Stats *summary.StatsAnswer    // likewise
	// what Tools and Stats answer for; a change of the view comes to them later
	Over query.Selection
	// which messages took the place of which; nil where none did
	Chains       *query.Replaced
	TurnOfPrompt map[model.ID]int    // number of the turn that a prompt opens, in table
	TurnTokens   []int64             // counted tokens of the turns of table
	Cost         *summary.CostAnswer // of the whole conversation
	Cached       *CacheUse           // of the prompt cache by the requests
	Split        *content.Split      // of the cost over the messages
	Quotas       model.Quotas        // last recorded limits of the user's plan
}

// CacheUse is the use of the prompt cache by the requests of a conversation. It never changes.
type CacheUse struct {
	Misses []summary.CacheRow // by arrival
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

// Miss returns one line with the reason why a request missed the cache; "" if it did not miss,
// or while the reason is unknown.
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

// NoCall is no row of the calls.
const NoCall = model.CallID(model.NoRow)

// Scope is the selection that tools and stats answer for.
func (h *Host) Scope() query.Selection {
	if h.Whole || !h.View.On {
		return query.Everything(h.Snap)
	}
	if h.View.Result == nil {
		return query.Selection{Snap: h.Snap}
	}
	return h.View.Result.Selection(h.Snap)
}

// ScopeWord says what Tools and Stats answer for: "whole session", or "21 of 323 messages".
func (h *Host) ScopeWord() string {
	if h.Over.Snap == nil {
		return ""
	}
	return h.Over.Scope()
}

// Narrowed reports whether Tools and Stats leave something out.
func (h *Host) Narrowed() bool { return h.Over.Snap != nil && !h.Over.Whole() }

// Session is what the conversation says about itself.
func (h *Host) Session() *model.Session {
	if s := h.Snap.Sessions(); len(s) > 0 {
		return &s[0]
	}
	return &model.Session{}
}

// Clock writes a time of day as the screen shows it.
func (h *Host) Clock(ms int64) string {
	if ms == 0 {
		return ""
	}
	return time.UnixMilli(ms).In(h.Zone).Format("15:04:05")
}

// TurnOf is the turn that a prompt opens, with its counted tokens.
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

// Minute is a time of day without seconds.
func (h *Host) Minute(ms int64) string {
	if c := h.Clock(ms); len(c) > 5 {
		return c[:5]
	}
	return ""
}

// ShortModel is the name of a model as columns show it: without provider and date.
func ShortModel(name string) string { return describe.ShortModel(paint.OneLine(name)) }

// FormatTitle is the agent that wrote the transcript, with its version.
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

// More is the sign of numbers that are not complete yet.
func (h *Host) More() string {
	if h.State.Preview || h.Snap != nil && h.State.Indexed < 1 {
		return "+"
	}
	return ""
}

// NewHost is a host without a conversation. Who makes it says who acts on what is asked, and which
// rows are selected.
func NewHost(ctx context.Context, o Options) *Host {
	h := &Host{Opts: o, Ctx: ctx, Zone: o.Zone()}
	h.Bodies = newBodies(ctx)
	h.Described = newDescriber(h)
	return h
}

// Show makes a snapshot the one that is shown.
func (h *Host) Show(s *model.Snapshot) { h.Snap, h.Bodies.Snap = s, s }

// Reset forgets what is known of the conversation: another one is shown.
func (h *Host) Reset(d describe.Describer) {
	h.Fetches.Known, h.pictures = nil, pictures{}
	h.Described.Known.Clear()
	clear(h.Described.Asked)
	h.Bodies.Held.Clear()
	h.Described.D = d
	h.Answers, h.Tokens, h.TurnNets = Answers{}, nil, nil
}

// SetStyles draws with other styles.
func (h *Host) SetStyles(st *paint.Styles) { h.Styles, h.Markdown = st, paint.NewMarkdown(st) }

// standing is what is known of the run that is open, without its counts.
type standing struct {
	snap  *model.Snapshot
	about model.Summary
}

// About is what is known of the run for how it stands.
func (h *Host) About() *model.Summary {
	st, s := &h.standing, h.Snap
	if s == nil {
		return &model.Summary{}
	}
	if st.snap != s {
		from := 0
		if was := st.snap; was != nil && was.Version() <= s.Version() && was.Rows() <= s.Rows() {
			// the same one has grown
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

// Doing is what the run does, or how it ended: as a list of sessions says it.
func (h *Host) Doing() session.State {
	about, now := *h.About(), h.Opts.Time()
	if h.Live {
		about.Grew = true // whoever follows it knows that it is no copy
		if about.Written == 0 {
			about.Written = now.UnixMilli() // a pipe that is open
		}
	}
	return session.StateOf(&about, now)
}

// WaitsFor is what a call without a result does, or waits for, Unknown for one that was left
// behind: as the state of the run says it.
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
