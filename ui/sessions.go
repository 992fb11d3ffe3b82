package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/query"
)

// sessions is the list of sessions, newest first under their days. It lies over the whole screen.
type sessions struct {
	h      *host
	all    []SessionInfo
	shown  []int // of all, as the table numbers them
	table  table
	filter field
	title  field
	typing sessionLine
	wasTxt string
	err    error
	parsed *query.Filter
	loaded bool
	count  int
	pick   picking
}

// sessionLine is which line of the list is typed into.
type sessionLine uint8

const (
	lineNone sessionLine = iota
	lineFilter
	lineTitle
)

// listedMsg are the sessions.
type listedMsg struct {
	list *sessions
	all  []SessionInfo
	err  error
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

func newSessions(h *host) dialog {
	d := &sessions{h: h}
	d.table = table{sortBy: -1, cells: d.cells, cmp: d.compare, group: d.day, cols: []tableColumn{
		sessWhen:     {name: "when", head: "  when", width: 7},
		sessAgent:    {name: "agent", head: "agent", width: 11, gap: 2, asc: true, drop: 2},
		sessProject:  {name: "project", head: "project", width: 12, gap: 2, asc: true, drop: 3},
		sessTitle:    {name: "title", head: "title or first prompt", width: 16, gap: 2, flex: 3, asc: true},
		sessMessages: {name: "messages", head: "msgs", width: 5, right: true, gap: 1, drop: 4},
		sessTokens:   {name: "tokens", head: "tok", width: 6, right: true, gap: 1, drop: 6},
		sessErrors:   {name: "errors", head: "err", width: 4, right: true, gap: 1},
		sessDur:      {name: "duration", head: "dur", width: 6, right: true, gap: 1, drop: 5},
		sessEnd:      {name: "end", head: "end", width: 12, gap: 2, flex: 1, asc: true},
	}}
	return d
}

// begin lists the sessions in the background.
func (d *sessions) begin() tea.Cmd {
	list := d.h.opts.List
	if list == nil {
		return nil
	}
	return func() tea.Msg {
		all, err := list()
		return listedMsg{d, all, err}
	}
}

// Message takes the sessions.
func (d *sessions) Message(msg tea.Msg) tea.Cmd {
	if m, ok := msg.(listedMsg); ok && m.list == d {
		d.loaded, d.all, d.err = true, m.all, m.err
		slices.SortStableFunc(d.all, func(a, b SessionInfo) int {
			if a.Live != b.Live && sameDate(a.When, b.When, d.h.zone) {
				if a.Live {
					return -1
				}
				return 1
			}
			return b.When.Compare(a.When)
		})
		d.narrow()
	}
	return nil
}

func sameDate(a, b time.Time, zone *time.Location) bool {
	ay, am, ad := a.In(zone).Date()
	by, bm, bd := b.In(zone).Date()
	return ay == by && am == bm && ad == bd
}

// narrow shows the sessions that the filter and the title let through.
func (d *sessions) narrow() {
	row, path := d.table.row(), ""
	if row >= 0 && row < len(d.shown) {
		path = d.all[d.shown[row]].Path
	}
	f, err := query.Parse(d.filter.text)
	if err == nil {
		d.parsed = f
	}
	d.shown = d.shown[:0]
	for i := range d.all {
		s := &d.all[i]
		if d.pick.offers(s) && (d.parsed.Empty() || d.holds(d.parsed.Root(), s)) && fuzzy(d.title.text, s.Title+" "+s.Project+" "+s.Agent) {
			d.shown = append(d.shown, i)
		}
	}
	d.table.reset(len(d.shown))
	for n, i := range d.shown {
		if d.all[i].Path == path {
			d.table.selectRow(n)
		}
	}
}

// fuzzy reports whether the letters of want are in s in their order; capitals and spaces do not matter.
func fuzzy(want, s string) bool {
	s = strings.ToLower(s)
	for _, r := range strings.ToLower(want) {
		if unicode.IsSpace(r) {
			continue
		}
		i := strings.IndexRune(s, r)
		if i < 0 {
			return false
		}
		s = s[i+len(string(r)):]
	}
	return true
}

// holds reports whether a filter holds for a session. What a list does not know (bodies, calls) does not narrow it.
func (d *sessions) holds(n query.Node, s *SessionInfo) bool {
	switch n := n.(type) {
	case *query.And:
		for _, k := range n.Kids {
			if !d.holds(k, s) {
				return false
			}
		}
		return true
	case *query.Or:
		for _, k := range n.Kids {
			if d.holds(k, s) {
				return true
			}
		}
		return false
	case *query.Not:
		return !d.holds(n.Kid, s)
	case *query.Term:
		return d.term(n, s)
	}
	return true
}

func (d *sessions) term(t *query.Term, s *SessionInfo) bool {
	switch t.Key {
	case query.KeyTime:
		return t.HoldsTime(s.When, query.TimeRef{Now: d.h.opts.now(), Loc: d.h.zone})
	case query.KeyTokens:
		return t.HoldsNum(float64(s.Tokens))
	case query.KeyDur:
		return t.HoldsDur(s.Took)
	}
	for i := range t.Values {
		v := &t.Values[i]
		text := strings.ToLower(v.Text)
		var ok bool
		switch t.Key {
		case query.KeyTitle:
			ok = strings.Contains(strings.ToLower(s.Title), text)
		case query.KeyProject:
			ok = v.MatchPath(s.Project) || strings.Contains(strings.ToLower(s.Project), text)
		case query.KeyThread, query.KeyName, query.KeyModel:
			ok = v.MatchWhole(s.Agent) || strings.Contains(strings.ToLower(s.Agent), text)
		case query.KeySession, query.KeyFile, query.KeyID:
			ok = v.MatchPath(s.Path) || strings.Contains(s.Path, v.Text)
		case query.KeyEnd:
			ok = endOf(s) == v.Text
		case query.KeyIs, query.KeyHas:
			ok = v.Text == "error" && s.Errors > 0 || v.Text == "pending" && s.Live || v.Text == "live" && s.Live
		default:
			ok = strings.Contains(strings.ToLower(s.Title+" "+s.Project+" "+s.Agent), text)
		}
		if ok {
			return true
		}
	}
	return false
}

// endOf is how a session ended as the key end: says it.
func endOf(s *SessionInfo) string {
	switch {
	case s.Live:
		return "open"
	case s.Outcome == model.Failure || s.Outcome == model.TimedOut:
		return "failed"
	case s.Outcome == model.Stopped || s.Outcome == model.Cancelled:
		return "interrupted"
	case s.Outcome == model.Success:
		return "finished"
	case s.Outcome == model.Running:
		return "open"
	}
	return "unknown"
}

// day is the heading of a session's day.
func (d *sessions) day(row int) string {
	s := &d.all[d.shown[row]]
	if s.When.IsZero() {
		return "no time recorded"
	}
	when, now := s.When.In(d.h.zone), d.h.opts.now().In(d.h.zone)
	text := when.Format("Mon 2 Jan")
	if when.Year() != now.Year() {
		text = when.Format("Mon 2 Jan 2006")
	}
	switch {
	case sameDate(when, now, d.h.zone):
		return "today, " + text
	case sameDate(when, now.AddDate(0, 0, -1), d.h.zone):
		return "yesterday, " + text
	}
	return text
}

func (d *sessions) cells(row int, out []tableCell) {
	s := &d.all[d.shown[row]]
	mark := span{text: "  "}
	if s.Live {
		mark = span{text: "● ", ink: inkRunning}
	}
	if slices.Contains(d.pick.marked, s.Path) {
		mark = span{text: "• ", ink: inkMark}
	}
	when := ""
	if !s.When.IsZero() {
		when = s.When.In(d.h.zone).Format("15:04")
		if d.table.sortBy >= 0 && !sameDate(s.When, d.h.opts.now(), d.h.zone) {
			when = s.When.In(d.h.zone).Format("02.01")
		}
	}
	out[sessWhen] = tableCell{text: when, lead: mark, ink: inkDim}
	out[sessAgent] = tableCell{text: oneLine(s.Agent), ink: inkAssistant}
	out[sessProject] = tableCell{text: oneLine(s.Project)}
	out[sessTitle] = tableCell{text: oneLine(s.Title)}
	out[sessMessages] = tableCell{text: short(int64(s.Messages)), ink: inkDim}
	out[sessTokens] = tableCell{text: query.NotSaid, ink: inkDim}
	if s.Tokens > 0 {
		out[sessTokens] = tableCell{text: short(s.Tokens), ink: inkDim}
	}
	out[sessErrors] = numberCell(s.Errors, inkError)
	out[sessDur] = tableCell{text: query.NotSaid, ink: inkDim}
	if s.Took > 0 {
		out[sessDur] = tableCell{text: took(s.Took), ink: inkDim}
	}
	k := inkDim
	switch endOf(s) {
	case "failed":
		k = inkError
	case "interrupted":
		k = inkWarning
	case "open":
		k = inkRunning
	}
	out[sessEnd] = tableCell{text: oneLine(s.End), ink: k}
}

func (d *sessions) compare(col, i, j int) int {
	a, b := &d.all[d.shown[i]], &d.all[d.shown[j]]
	switch col {
	case sessWhen:
		return a.When.Compare(b.When)
	case sessAgent:
		return strings.Compare(a.Agent, b.Agent)
	case sessProject:
		return strings.Compare(a.Project, b.Project)
	case sessTitle:
		return strings.Compare(strings.ToLower(a.Title), strings.ToLower(b.Title))
	case sessMessages:
		return a.Messages - b.Messages
	case sessTokens:
		return cmp.Compare(a.Tokens, b.Tokens)
	case sessErrors:
		return a.Errors - b.Errors
	case sessDur:
		return cmp.Compare(a.Took, b.Took)
	}
	return cmp.Or(strings.Compare(endOf(a), endOf(b)), strings.Compare(a.End, b.End))
}

// Render draws the list over the whole screen.
func (d *sessions) Render(w, h int) []string {
	st := d.h.styles
	live := 0
	for i := range d.all {
		if d.all[i].Live {
			live++
		}
	}
	right := []span{{text: plural(len(d.all), "session", "sessions"), ink: inkDim}}
	if live > 0 {
		right = append(right, span{text: fmt.Sprintf("   %d live", live), ink: inkRunning})
	}
	out := []string{st.spread(w, groundNone, []span{{text: " "}, {text: d.pick.title(), ink: inkAccent}, {text: "   " + d.folders(), ink: inkDim}}, append(right, span{text: " "}))}
	out = append(out, d.filterLine(w))
	if d.typing == lineTitle || d.title.text != "" {
		spans, _ := d.title.spans(w-12, inkText, d.typing == lineTitle)
		out = append(out, st.line(w, groundNone, append([]span{{text: " title   ", ink: inkDim}}, spans...)...))
	}
	switch {
	case d.err != nil:
		out = append(out, st.line(w, groundNone, span{text: " " + oneLine(d.err.Error()), ink: inkError}))
	case d.h.opts.List == nil:
		out = append(out, st.line(w, groundNone, span{text: " there is no list of sessions here", ink: inkDim}))
	case !d.loaded:
		out = append(out, st.line(w, groundNone, span{text: " looking for sessions …", ink: inkDim}))
	case len(d.all) == 0:
		out = append(out, st.line(w, groundNone, span{text: " no sessions found", ink: inkDim}))
	case len(d.shown) == 0:
		out = append(out, st.line(w, groundNone, span{text: " none of them matches: f edits the filter, esc takes it away", ink: inkDim}))
	}
	out = append(out, d.table.render(st, w, h-len(out), true)...)
	return fill(out, w, h)
}

// folders are where the sessions lie, the first few.
func (d *sessions) folders() string {
	var names []string
	for i := range d.all {
		path := tilde(d.all[i].Path, d.h.opts.Home)
		parts := strings.SplitN(path, "/", 4)
		n := 2
		if len(parts) > 1 && (parts[1] == ".local" || parts[1] == ".config" || parts[0] == "") {
			n = 3
		}
		name := strings.Join(parts[:min(n, max(len(parts)-1, 1))], "/")
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	text := strings.Join(names[:min(len(names), 3)], " ")
	if n := len(names) - 3; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return oneLine(text)
}

func (d *sessions) filterLine(w int) string {
	st := d.h.styles
	left := []span{{text: label, ink: inkDim}}
	if d.typing == lineFilter {
		spans, _ := d.filter.spans(w-40, inkText, true)
		left = append(left, spans...)
		if _, err := query.Parse(d.filter.text); err != nil {
			left = append(left, span{text: "  " + oneLine(err.Error()), ink: inkError})
		}
	} else if d.filter.text == "" {
		left = append(left, span{text: "f", ink: inkKey})
	} else {
		left = append(left, span{text: d.filter.text})
	}
	var right []span
	if len(d.shown) < len(d.all) {
		right = []span{{text: fmt.Sprintf("%s of %s ", thousands(len(d.shown)), thousands(len(d.all))), ink: inkDim}}
	}
	return st.spread(w, groundNone, left, right)
}

// Key moves, opens, filters and sorts.
func (d *sessions) Key(msg tea.KeyPressMsg) (bool, tea.Cmd) {
	if d.typing != lineNone {
		return false, d.typed(msg)
	}
	name := keyName(msg)
	if len(name) == 1 && name[0] >= '0' && name[0] <= '9' {
		d.count = min(d.count*10+int(name[0]-'0'), 1<<30)
		return false, nil
	}
	n := d.count
	d.count = 0
	if done, cmd, ok := d.pickKey(name); ok {
		return done, cmd
	}
	row := d.table.row()
	switch name {
	case "enter", "l", "right":
		if row >= 0 {
			return true, d.h.request.session(d.all[d.shown[row]].Path)
		}
	case "F":
		newest := -1
		for i := range d.all {
			if newest < 0 || d.all[i].When.After(d.all[newest].When) {
				newest = i
			}
		}
		if newest >= 0 {
			return true, d.h.request.session(d.all[newest].Path)
		}
	case "f":
		d.typing, d.wasTxt = lineFilter, d.filter.text
	case "/":
		d.typing, d.wasTxt = lineTitle, d.title.text
	case "y":
		if row >= 0 {
			return false, deliver(d.h, copied{text: d.all[d.shown[row]].Path, what: "the path"})
		}
	case "esc":
		if d.filter.text != "" || d.title.text != "" {
			d.filter.set("")
			d.title.set("")
			d.narrow()
			return false, nil
		}
		return true, nil
	case "q", "S":
		return true, nil
	case "Q", "ctrl+c":
		return true, tea.Quit
	default:
		_, cmd := d.table.key(d.h, name, n)
		return false, cmd
	}
	return false, nil
}

// typed edits the filter or the title; the list follows every key.
func (d *sessions) typed(msg tea.KeyPressMsg) tea.Cmd {
	f := &d.filter
	if d.typing == lineTitle {
		f = &d.title
	}
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
	d.narrow()
	return nil
}

// Hints are the keys of the list.
func (d *sessions) Hints() []hint {
	if d.typing != lineNone {
		return []hint{{"⏎", "done"}, {"↑ ↓", "move"}, {"esc", "back"}}
	}
	return []hint{{"⏎", "open"}, {"F", "follow the newest"}, {"/", "title"}, {"f", "filter"}, {"v D", "compare two"}, {"y", "copy path"}, {"< >", "sort"}, {"R", "reverse"}, {"esc", "close"}}
}
