package ui

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"turns/ui/compare"
	"turns/ui/paint"
	"turns/ui/screen"
)

// asked carries out a request of a part. It ignores other messages.
func (a *app) asked(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.Status:
		return a.showStatus(msg)
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
		return a.remembered.saveSoon()
	case screen.Wrote:
		a.desk.Message(msg)
		if errors.Is(msg.Err, context.Canceled) {
			return nil
		} else if msg.Err != nil {
			return a.complain(paint.OneLine(msg.Err.Error()))
		}
		return a.showStatus(screen.Status{Text: msg.Text, Ink: paint.InkText})
	}
	return a.travel(msg)
}

// travel carries out the requests that lead to another session or place.
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

// showStatus shows a line in the status line; an empty text clears it.
func (a *app) showStatus(s screen.Status) tea.Cmd {
	if s.Text == "" {
		a.hush()
		return nil
	}
	a.showStatusIn(s.Ink, s.Text)
	a.list.Moved()
	return nil
}
