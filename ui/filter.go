package ui

import (
	"context"
	"errors"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"turns/query"
	"turns/query/describe"
	"turns/query/filter"
	"turns/query/lang"
	"turns/ui/paint"
	"turns/ui/screen"
	"turns/ui/timeline"
)

// filterRun is the filter that is computed in the background. A new one stops it.
type filterRun struct {
	wanted  screen.View  // that is computed, while busy
	waiting *screen.View // asked for before there was a snapshot
	gen     int
	cancel  context.CancelFunc
	busy    bool
	place   *timeline.Saved // to go to when the filter holds; nil: the cursor stays on its row
}

type filteredMsg struct {
	gen  int
	view screen.View
	err  error
}

// applyFilter parses a text and filters by it; the error is that of the text, and what was filtered
// before stays. An empty text shows all.
func (a *app) applyFilter(text string) (tea.Cmd, error) {
	f, err := lang.Parse(text)
	if err != nil {
		return nil, err
	}
	if f.Empty() {
		a.stopFilter()
		row := a.list.RowOnScreen()
		a.h.View = screen.View{Text: text}
		a.list.Filtered(row)
		return a.ask(), nil
	}
	v := screen.View{On: true, Text: text, Filter: f, Around: a.h.View.Around}
	if finder, err := filter.NewLineFinder(f); err == nil && !finder.Empty() {
		v.Finder = finder
	}
	return a.runFilter(v), nil
}

func (a *app) stopFilter() {
	if a.filtering.cancel != nil {
		a.filtering.cancel()
	}
	a.filtering.gen++
	a.filtering.busy = false
}

// runFilter computes a view; the old one stays on the screen until it is there.
func (a *app) runFilter(v screen.View) tea.Cmd {
	if a.h.Snap == nil {
		a.filtering.waiting = &v
		return nil
	}
	a.stopFilter()
	ctx, cancel := context.WithCancel(a.h.Ctx)
	a.filtering.cancel, a.filtering.busy, a.filtering.wanted = cancel, true, v
	gen, snap, old := a.filtering.gen, a.h.Snap, a.h.View
	env := a.h.FilterEnv()
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

// filtered takes a view over.
func (a *app) filtered(msg filteredMsg) tea.Cmd {
	if msg.gen != a.filtering.gen {
		return nil
	}
	a.filtering.busy = false
	if msg.err != nil {
		if errors.Is(msg.err, context.Canceled) {
			return nil
		}
		return a.complain("the filter failed: " + paint.OneLine(msg.err.Error()))
	}
	row := a.list.RowOnScreen()
	same := a.h.View.On && a.h.View.Filter == msg.view.Filter
	a.h.View = msg.view
	if same && a.list.Follow {
		a.list.FilteredMore()
		return tea.Batch(a.ask(), a.refreshPanes())
	}
	a.list.Filtered(row)
	if st := a.filtering.place; st != nil {
		a.filtering.place = nil
		a.list.RestorePlace(*st)
	}
	cmds := []tea.Cmd{a.ask(), a.refreshPanes(), a.list.Moved()}
	if a.h.View.Version != a.h.Snap.Version() { // more came meanwhile
		cmds = append(cmds, a.runFilter(a.h.View))
	}
	return tea.Batch(cmds...)
}

// switchFilter switches the filter that is there off or on.
func (a *app) switchFilter(on bool) {
	if a.h.View.Filter == nil {
		return
	}
	row := a.list.RowOnScreen()
	a.h.View.On = on
	a.list.Filtered(row)
}

func (a *app) toggleFilter() tea.Cmd {
	v := &a.h.View
	if v.Filter == nil || v.Filter.Empty() {
		return a.editFilter()
	}
	if !v.On && v.Version != a.h.Snap.Version() {
		w := *v
		w.On = true
		return a.runFilter(w)
	}
	a.switchFilter(!v.On)
	return tea.Batch(a.ask(), a.list.Moved())
}

func (a *app) nextAround() tea.Cmd {
	w := a.h.View
	w.Around = map[int]int{0: 1, 1: 3, 3: 0}[w.Around]
	w.Matcher, w.Result = nil, nil
	a.h.View.Matcher = nil
	a.say([...]string{"no rows around matches", "1 message around each match", "", "3 messages around each match"}[w.Around])
	return a.runFilter(w)
}

// filterLike adds what the row of the cursor is to the filter, or its negation.
func (a *app) filterLike(negate bool) tea.Cmd {
	it, ok := a.list.CurItem()
	if !ok {
		return a.complain("no row here")
	}
	term := ""
	s := a.h.Snap
	h := s.HeadRow(it.Key.ID)
	switch {
	case it.Call != screen.NoCall:
		term = "tool:" + lang.Quote(s.Name(s.Call(it.Call).Tool))
	case it.Kind == describe.LineReasoning:
		term = "has:reasoning"
	case it.Kind == describe.LineInjected:
		term = "is:injected"
	case it.Kind == describe.LineEvent || it.Kind == describe.LineUnreadable || it.Kind == describe.LineRule:
		return a.complain("events are no messages: i hides them")
	default:
		term = "role:" + h.Role.String()
	}
	return a.addTerm(term, negate)
}

// addTerm adds a term to the filter.
func (a *app) addTerm(term string, negate bool) tea.Cmd {
	other := "-" + term
	if negate {
		term, other = other, term
	}
	text := term
	if v := &a.h.View; v.On && v.Text == other { // both at once would hide everything
		return a.setFilter(text)
	} else if v.On && v.Text != "" {
		f := v.Text
		if _, or := v.Filter.Root().(*lang.Or); or {
			f = "(" + f + ")"
		}
		text = f + " " + term
	}
	return a.setFilter(text)
}

// setFilter writes a text into the filter bar and applies it.
func (a *app) setFilter(text string) tea.Cmd {
	cmd, err := a.applyFilter(text)
	if err != nil {
		return a.complain(paint.OneLine(err.Error()))
	}
	a.bar.Set(text)
	a.say("filter " + text)
	return cmd
}

// filterOf describes the rows of the session for the filter bar.
func (a *app) filterOf() screen.Filtered {
	return screen.Filtered{
		Apply: a.applyFilter,
		Version: func() (uint64, bool) {
			if a.h.Snap == nil {
				return 0, false
			}
			return a.h.Snap.Version(), true
		},
		Values: func(key lang.Key, rest *lang.Filter) func(context.Context) ([]lang.Candidate, error) {
			all, env := query.Everything(a.h.Snap), a.h.FilterEnv()
			return func(ctx context.Context) ([]lang.Candidate, error) { return filter.Values(ctx, all, key, rest, env) }
		},
		Still: a.filterStill,
	}
}

// filterStill is the filter line while it is not edited.
func (a *app) filterStill() []paint.Span {
	v := &a.h.View
	spans := []paint.Span{{Text: screen.FilterLabel, Ink: paint.InkDim}}
	if a.bar.Field.Text == "" {
		return []paint.Span{{Text: " " + a.h.Key("f"), Ink: paint.InkKey}, {Text: " to filter", Ink: paint.InkDim}}
	}
	k := paint.InkText
	if !v.On {
		k = paint.InkDim
	}
	spans = append(spans, paint.Span{Text: paint.OneLine(a.bar.Field.Text), Ink: k})
	if !v.On && v.Filter != nil && !v.Filter.Empty() {
		spans = append(spans, paint.Span{Text: "  (off)", Ink: paint.InkWarning})
	}
	if v.On && v.Around > 0 {
		spans = append(spans, paint.Span{Text: "   ±" + strconv.Itoa(v.Around), Ink: paint.InkDim})
	}
	return spans
}
