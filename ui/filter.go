package ui

import (
	"context"
	"errors"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"turns/query"
	"turns/query/describe"
	"turns/query/filter"
	"turns/query/human"
	"turns/query/lang"
	"turns/ui/paint"
	"turns/ui/screen"
	"turns/ui/timeline"
)

// filtering is the filter of the session. It runs in the background; a new filter cancels it.
type filtering struct {
	h       *screen.Host
	list    *timeline.List
	bar     *screen.FilterBar
	stage   *stage
	answers *answers

	wanted  screen.View  // the view being computed, while busy
	waiting *screen.View // requested before there was a snapshot
	gen     int
	cancel  context.CancelFunc
	busy    bool
	place   *timeline.Saved // to go to once the filter is computed; nil: stay on the row
}

type filteredMsg struct {
	gen  int
	view screen.View
	err  error
}

// apply parses a filter and starts it. On a syntax error, which it returns, the old filter stays.
// An empty text shows all rows.
func (f *filtering) apply(text string) (tea.Cmd, error) {
	parsed, err := lang.Parse(text)
	if err != nil {
		return nil, err
	}
	if parsed.Empty() {
		f.stop()
		row := f.list.RowOnScreen()
		f.h.View = screen.View{Text: text}
		f.list.Filtered(row)
		return f.answers.start(), nil
	}
	v := screen.View{On: true, Text: text, Filter: parsed, Around: f.h.View.Around}
	if finder, err := filter.NewLineFinder(parsed); err == nil && !finder.Empty() {
		v.Finder = finder
	}
	return f.run(v), nil
}

func (f *filtering) stop() {
	if f.cancel != nil {
		f.cancel()
	}
	f.gen++
	f.busy = false
}

// run computes a view; the old one stays on the screen until then.
func (f *filtering) run(v screen.View) tea.Cmd {
	if f.h.Snap == nil {
		f.waiting = &v
		return nil
	}
	f.stop()
	ctx, cancel := context.WithCancel(f.h.Ctx)
	f.cancel, f.busy, f.wanted = cancel, true, v
	gen, snap, old := f.gen, f.h.Snap, f.h.View
	env := f.h.FilterEnv()
	return screen.Background(func() tea.Msg {
		defer cancel()
		var err error
		var r filter.Result
		if old.On && old.Matcher != nil && old.Filter == v.Filter && old.Result != nil && old.Version < snap.Version() {
			v.Matcher, r, err = old.Matcher.Update(ctx, *old.Result, snap, old.Version)
		} else {
			if v.Matcher, err = filter.NewMatcher(v.Filter, snap, env); err == nil {
				r, err = v.Matcher.Apply(ctx, snap.LiveIDs())
			}
		}
		if err == nil {
			v.Result, v.Version = &r, snap.Version()
			v.Arrange(snap)
			err = describe.CountRows(ctx, snap, v.Result)
		}
		return filteredMsg{gen, v, err}
	})
}

// filtered shows a computed view.
func (f *filtering) filtered(msg filteredMsg) tea.Cmd {
	if msg.gen != f.gen {
		return nil
	}
	f.busy = false
	if msg.err != nil {
		if errors.Is(msg.err, context.Canceled) {
			return nil
		}
		return f.h.Complain("the filter failed: " + paint.OneLine(msg.err.Error()))
	}
	row := f.list.RowOnScreen()
	same := f.h.View.On && f.h.View.Filter == msg.view.Filter
	f.h.View = msg.view
	if same && f.list.Follow {
		f.list.FilteredMore()
		return tea.Batch(f.answers.start(), f.stage.refreshPanes())
	}
	f.list.Filtered(row)
	if st := f.place; st != nil {
		f.place = nil
		f.list.RestorePlace(*st)
	}
	cmds := []tea.Cmd{f.answers.start(), f.stage.refreshPanes()}
	f.list.Moved()
	if f.h.View.Version != f.h.Snap.Version() { // the session grew during the computation
		cmds = append(cmds, f.run(f.h.View))
	}
	return tea.Batch(cmds...)
}

// again recomputes the filter if asks reports that it depends on changed data.
func (f *filtering) again(asks func(*lang.Filter) bool) tea.Cmd {
	v := f.h.View
	if !v.On || !asks(v.Filter) {
		return nil
	}
	v.Matcher, v.Result = nil, nil
	f.h.View.Matcher = nil
	return f.run(v)
}

// restart postpones the filter until resume, because another session is shown.
func (f *filtering) restart() {
	v := &f.h.View
	v.Matcher, v.Result = nil, nil
	switch {
	case f.busy: // it filters the previous session
		w := f.wanted
		w.Matcher, w.Result = nil, nil
		f.waiting = &w
		f.stop()
	case v.On:
		w := *v
		f.waiting = &w
	}
	v.On = false
}

// resume computes the filter for the grown session, or the postponed one.
func (f *filtering) resume() tea.Cmd {
	if v := f.h.View; v.On && v.Version != f.h.Snap.Version() {
		return f.run(v)
	}
	w := f.waiting
	if f.waiting = nil; w == nil {
		return nil
	}
	return f.run(*w)
}

// switchTo turns the current filter on or off.
func (f *filtering) switchTo(on bool) {
	if f.h.View.Filter == nil {
		return
	}
	row := f.list.RowOnScreen()
	f.h.View.On = on
	f.list.Filtered(row)
}

func (f *filtering) toggle() tea.Cmd {
	v := &f.h.View
	if v.Filter == nil || v.Filter.Empty() {
		return f.h.Ask(screen.EditFilter{})
	}
	if !v.On && v.Version != f.h.Snap.Version() {
		w := *v
		w.On = true
		return f.run(w)
	}
	f.switchTo(!v.On)
	cmd := f.answers.start()
	f.list.Moved()
	return cmd
}

func (f *filtering) nextAround() tea.Cmd {
	w := f.h.View
	w.Around = map[int]int{0: 1, 1: 3, 3: 0}[w.Around]
	w.Matcher, w.Result = nil, nil
	f.h.View.Matcher = nil
	f.h.ShowStatus([...]string{"no rows around matches", "1 message around each match", "", "3 messages around each match"}[w.Around])
	return f.run(w)
}

// like adds a term for the cursor's row, or its negation, to the filter.
func (f *filtering) like(negate bool) tea.Cmd {
	it, ok := f.list.CurItem()
	if !ok {
		return f.h.Complain("no row here")
	}
	term := ""
	s := f.h.Snap
	h := s.HeadRow(it.Key.ID)
	switch {
	case it.Call != screen.NoCall:
		term = "tool:" + lang.Quote(s.Name(s.Call(it.Call).Tool))
	case it.Kind == describe.LineReasoning:
		term = "has:reasoning"
	case it.Kind == describe.LineInjected:
		term = "is:injected"
	case it.Kind == describe.LineEvent || it.Kind == describe.LineUnreadable || it.Kind == describe.LineRule:
		return f.h.Complain("events are no messages: i hides them")
	default:
		term = "role:" + h.Role.String()
	}
	return f.addTerm(term, negate)
}

// addTerm adds a term to the filter.
func (f *filtering) addTerm(term string, negate bool) tea.Cmd {
	other := "-" + term
	if negate {
		term, other = other, term
	}
	text := term
	if v := &f.h.View; v.On && v.Text == other { // both terms would hide every row
		return f.set(text)
	} else if v.On && v.Text != "" {
		was := v.Text
		if _, or := v.Filter.Root().(*lang.Or); or {
			was = "(" + was + ")"
		}
		text = was + " " + term
	}
	return f.set(text)
}

// set writes a filter into the filter bar and applies it.
func (f *filtering) set(text string) tea.Cmd {
	cmd, err := f.apply(text)
	if err != nil {
		return f.h.Complain(paint.OneLine(err.Error()))
	}
	f.bar.Set(text)
	f.h.ShowStatus("filter " + text)
	return cmd
}

// forBar describes the session's rows to the filter bar.
func (f *filtering) forBar() screen.Filtered {
	return screen.Filtered{
		Apply: f.apply,
		Version: func() (uint64, bool) {
			if f.h.Snap == nil {
				return 0, false
			}
			return f.h.Snap.Version(), true
		},
		Values: func(key lang.Key, rest *lang.Filter) func(context.Context) ([]lang.Candidate, error) {
			all, env := query.Everything(f.h.Snap), f.h.FilterEnv()
			return func(ctx context.Context) ([]lang.Candidate, error) { return filter.Values(ctx, all, key, rest, env) }
		},
		Still: f.still,
	}
}

// still is the filter line while the reader does not edit it.
func (f *filtering) still() []paint.Span {
	v := &f.h.View
	spans := []paint.Span{{Text: screen.FilterLabel, Ink: paint.InkDim}}
	if f.bar.Field.Text == "" {
		return []paint.Span{{Text: " " + f.h.Key("f"), Ink: paint.InkKey}, {Text: " to filter", Ink: paint.InkDim}}
	}
	k := paint.InkText
	if !v.On {
		k = paint.InkDim
	}
	spans = append(spans, paint.Span{Text: paint.OneLine(f.bar.Field.Text), Ink: k})
	if !v.On && v.Filter != nil && !v.Filter.Empty() {
		spans = append(spans, paint.Span{Text: "  (off)", Ink: paint.InkWarning})
	}
	if v.On && v.Around > 0 {
		spans = append(spans, paint.Span{Text: "   ±" + strconv.Itoa(v.Around), Ink: paint.InkDim})
	}
	return spans
}

// counts returns the number of messages and errors, or of those that the filter shows.
func (f *filtering) counts() []paint.Span {
	h := f.h
	if h.Snap == nil {
		return nil
	}
	plus := ""
	if h.State.Preview || h.State.Indexed < 1 {
		plus = "+"
	}
	if v := &h.View; v.On && v.Result != nil {
		text := v.Result.String(h.Snap.Len()) + plus
		if v.Result.Counting > 0 {
			text += ", counting"
		}
		if f.busy {
			text += " …"
		}
		return []paint.Span{{Text: text + " ", Ink: paint.InkDim}}
	}
	if h.State.Preview {
		return []paint.Span{{Text: "indexing ", Ink: paint.InkDim}}
	}
	out := []paint.Span{{Text: human.Plural(h.Snap.Len(), "message", "messages") + plus, Ink: paint.InkDim}}
	if h.Stats != nil && !h.Narrowed() {
		if counts := h.Stats.ErrorCounts(); len(counts) > 0 { // one span: a narrow screen drops all or none
			out = append(out, paint.Span{Text: "   "}, paint.Span{Text: strings.Join(counts, plus+"   ") + plus, Ink: paint.InkError})
		}
	}
	return append(out, paint.Span{Text: " "})
}
