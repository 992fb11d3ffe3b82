package ui

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/query"
)

// filterRun is the filter that is computed in the background. A new one stops it.
type filterRun struct {
	gen    int
	cancel context.CancelFunc
	busy   bool
}

type filteredMsg struct {
	gen  int
	view view
	err  error
}

// applyFilter parses a text and filters by it; the error is that of the text, and what was filtered before stays. An empty text shows all.
func (a *app) applyFilter(text string) (tea.Cmd, error) {
	f, err := query.Parse(text)
	if err != nil {
		return nil, err
	}
	if f.Empty() {
		a.stopFilter()
		row := a.list.rowOnScreen()
		a.h.view = view{text: text}
		a.viewChanged(row)
		return a.ask(), nil
	}
	v := view{on: true, text: text, filter: f, around: a.h.view.around}
	if finder, err := query.NewLineFinder(f); err == nil && !finder.Empty() {
		v.finder = finder
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
func (a *app) runFilter(v view) tea.Cmd {
	if a.h.snap == nil {
		a.waitingFilter = &v
		return nil
	}
	a.stopFilter()
	ctx, cancel := context.WithCancel(a.h.ctx)
	a.filtering.cancel, a.filtering.busy = cancel, true
	gen, snap, old := a.filtering.gen, a.h.snap, a.h.view
	env := query.Env{Now: a.h.opts.now(), Loc: a.h.zone, Turns: a.h.turns, Marked: a.markedIDs()}
	if a.h.tokens != nil {
		env.Tokens = a.h.tokens
	}
	return background(func() tea.Msg {
		defer cancel()
		var err error
		var r query.Result
		if old.on && old.matcher != nil && old.filter == v.filter && old.result != nil && old.version < snap.Version() {
			v.matcher, r, err = old.matcher.Update(ctx, *old.result, snap, old.version)
		} else {
			if v.matcher, err = query.NewMatcher(v.filter, snap, env); err == nil {
				r, err = v.matcher.Apply(ctx, snap.LiveIDs())
			}
		}
		if err == nil {
			v.result, v.version = &r, snap.Version()
			v.arrange(snap)
		}
		return filteredMsg{gen, v, err}
	})
}

// markedIDs tells a filter which messages have marks. It is a copy: the filter runs beside the screen.
func (a *app) markedIDs() func(model.ID) bool {
	ids := map[model.ID]bool{}
	for _, k := range a.list.marks {
		ids[k.id] = true
	}
	return func(id model.ID) bool { return ids[id] }
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
		return a.complain("the filter failed: " + oneLine(msg.err.Error()))
	}
	row := a.list.rowOnScreen()
	same := a.h.view.on && a.h.view.filter == msg.view.filter
	a.h.view = msg.view
	if same && a.list.follow {
		a.list.made.clear()
		a.list.sync()
		a.list.toEnd()
		return tea.Batch(a.ask(), a.refreshPanes())
	}
	a.viewChanged(row)
	return tea.Batch(a.ask(), a.refreshPanes(), a.list.moved())
}

// viewChanged shows the timeline with another set of slots; the cursor stays on its row, or goes to the nearest that is left.
func (a *app) viewChanged(row int) {
	l := a.list
	l.made.clear()
	l.gen++
	l.taken = nil
	l.sync()
	l.center(row)
	l.reveal()
}

// switchFilter switches the filter that is there off or on.
func (a *app) switchFilter(on bool) {
	if a.h.view.filter == nil {
		return
	}
	row := a.list.rowOnScreen()
	a.h.view.on = on
	a.viewChanged(row)
}

func (a *app) toggleFilter() tea.Cmd {
	v := &a.h.view
	if v.filter == nil || v.filter.Empty() {
		return a.editFilter()
	}
	if !v.on && v.version != a.h.snap.Version() {
		w := *v
		w.on = true
		return a.runFilter(w)
	}
	a.switchFilter(!v.on)
	return tea.Batch(a.ask(), a.list.moved())
}

func (a *app) nextAround() tea.Cmd {
	w := a.h.view
	w.around = map[int]int{0: 1, 1: 3, 3: 0}[w.around]
	w.matcher, w.result = nil, nil
	a.h.view.matcher = nil
	a.say([...]string{"no rows around matches", "1 message around each match", "", "3 messages around each match"}[w.around])
	return a.runFilter(w)
}

// filterLike adds what the row of the cursor is to the filter, or its negation.
func (a *app) filterLike(negate bool) tea.Cmd {
	it, ok := a.list.curItem()
	if !ok {
		return a.complain("nothing here")
	}
	term := ""
	s := a.h.snap
	h := s.HeadRow(it.key.id)
	switch {
	case it.call != noCall:
		term = "tool:" + query.Quote(s.Name(s.Call(it.call).Tool))
	case it.kind == query.LineReasoning:
		term = "has:reasoning"
	case it.kind == query.LineInjected:
		term = "is:injected"
	case it.kind == query.LineEvent || it.kind == query.LineUnreadable || it.kind == query.LineRule:
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
	if v := &a.h.view; v.on && v.text == other { // both at once would hide everything
		return a.setFilter(text)
	} else if v.on && v.text != "" {
		f := v.text
		if _, or := v.filter.Root().(*query.Or); or {
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
		return a.complain(oneLine(err.Error()))
	}
	a.bar.set(text)
	a.say("filter " + text)
	return cmd
}
