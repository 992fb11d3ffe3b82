package ui

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"
)

// asked does what a part asks for. What is none of the requests is nothing to it.
func (a *app) asked(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case Said:
		return a.tell(msg)
	case Marked:
		return a.saveSoon()
	case GoTo:
		cmd := a.list.goTo(msg.ID, msg.Call)
		a.uncover()
		return cmd
	case SetFilter:
		return a.setFilter(msg.Text)
	case AddTerm:
		return a.addTerm(msg.Term, msg.Negate)
	case EditFilter:
		return a.editFilter()
	case FilterOff:
		a.switchFilter(false)
	case ClosePane:
		return a.closePane()
	case Show:
		return a.opened(msg.Dialog)
	case Help:
		return a.openHelp()
	case Wrote:
		a.desk.Message(msg)
		if errors.Is(msg.Err, context.Canceled) {
			return nil
		} else if msg.Err != nil {
			return a.complain(oneLine(msg.Err.Error()))
		}
		return a.tell(Said{msg.Text, inkText})
	}
	return a.travel(msg)
}

// travel does what leads to another session or run.
func (a *app) travel(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case OpenSession:
		return a.openSession(msg.Path, msg.Follow)
	case OpenNewest:
		return a.openNewest(msg.Path)
	case OpenPast:
		return a.openPast()
	case OpenPlace:
		return a.openPlace(msg.Path, msg.At)
	case Compare:
		return a.openCompare(msg.A, msg.B)
	case CompareParts:
		return a.openParts(msg.Names, msg.Runs)
	}
	return a.desk.Message(msg)
}

// tell puts a line into the status line; without a text it takes away what stands there.
func (a *app) tell(s Said) tea.Cmd {
	if s.Text == "" {
		a.said = ""
		return nil
	}
	a.say(s.Text)
	a.sayInk = s.Ink
	return a.list.moved()
}
