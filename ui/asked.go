package ui

import (
	"context"
	"errors"
	"turns/ui/compare"
	"turns/ui/paint"
	"turns/ui/screen"

	tea "charm.land/bubbletea/v2"
)

// asked does what a part asks for. What is none of the requests is nothing to it.
func (a *app) asked(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.Said:
		return a.tell(msg)
	case screen.SetLetter:
		return a.labelled.setLetter(msg.Letter)
	case screen.LabelRun:
		return a.labelled.openRun(msg)
	case screen.UndoLabel:
		return a.labelled.undo(msg.Done)
	case screen.GoTo:
		cmd := a.list.GoTo(msg.ID, msg.Call)
		a.uncover()
		return cmd
	case screen.MoveTo:
		return a.list.GoTo(msg.ID, msg.Call)
	case screen.SetFilter:
		return a.filtering.set(msg.Text)
	case screen.AddTerm:
		return a.filtering.addTerm(msg.Term, msg.Negate)
	case screen.EditFilter:
		return a.editFilter()
	case screen.FilterOff:
		a.filtering.switchTo(false)
	case screen.ClosePane:
		return a.closePane()
	case screen.FillMiddle:
		return a.fillMiddle(msg.On)
	case screen.Show:
		return a.opened(msg.Dialog)
	case screen.Palette:
		return a.openPalette()
	case screen.TakeView:
		return a.viewBehind(msg.Key)
	case screen.Help:
		return a.openHelp()
	case saveState:
		return a.saveSoon()
	case screen.Wrote:
		a.desk.Message(msg)
		if errors.Is(msg.Err, context.Canceled) {
			return nil
		} else if msg.Err != nil {
			return a.complain(paint.OneLine(msg.Err.Error()))
		}
		return a.tell(screen.Said{Text: msg.Text, Ink: paint.InkText})
	}
	return a.travel(msg)
}

// travel does what leads to another session or run.
func (a *app) travel(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.OpenSession:
		return a.openSession(msg.Path, msg.Follow)
	case screen.OpenNewest:
		return a.openNewest(msg.Path)
	case screen.OpenPast:
		return a.openPast()
	case screen.OpenPlace:
		return a.openPlace(msg)
	case screen.Threads:
		return a.opened(compare.NewThreads(a.h, msg.Path, msg.All))
	case screen.Compare:
		return a.openCompare(msg)
	case screen.CompareParts:
		return a.openParts(msg.Names, msg.Runs)
	}
	return a.desk.Message(msg)
}

// tell puts a line into the status line; without a text it takes away what stands there.
func (a *app) tell(s screen.Said) tea.Cmd {
	if s.Text == "" {
		a.hush()
		return nil
	}
	a.sayIn(s.Ink, s.Text)
	return a.list.Moved()
}
