package ui

import (
	tea "charm.land/bubbletea/v2"
	"turns/ui/screen"
)

// desk is where things are taken away from: the clipboard, files, commands. It keeps what was chosen for exports last.
type desk struct {
	h       *screen.Host
	exports *exportChoices // nil until something was chosen
}

// Message takes what was asked of the desk, and what its own work ends with.
func (d *desk) Message(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.Copied:
		return d.deliver(msg)
	case screen.Export:
		return d.write(msg)
	case pipedMsg:
		return msg.run(d.h)
	case screen.Wrote:
		if d.exports != nil {
			d.exports.cancel = nil
		}
	}
	return nil
}
