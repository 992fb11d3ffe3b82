package take

import (
	tea "charm.land/bubbletea/v2"
	"turns/ui/screen"
)

// Desk is where things are taken away from: the clipboard, files, commands. It keeps what was chosen for exports last.
type Desk struct {
	H       *screen.Host
	Exports *exportChoices // nil until something was chosen
}

// Message takes what was asked of the desk, and what its own work ends with.
func (d *Desk) Message(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.Copied:
		return d.deliver(msg)
	case screen.Export:
		return d.write(msg)
	case pipedMsg:
		return msg.run(d.H)
	case screen.Wrote:
		if d.Exports != nil {
			d.Exports.cancel = nil
		}
	}
	return nil
}
