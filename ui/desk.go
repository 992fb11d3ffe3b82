package ui

import tea "charm.land/bubbletea/v2"

// desk is where things are taken away from: the clipboard, files, commands. It keeps what was chosen for exports last.
type desk struct {
	h       *host
	exports *exportChoices // nil until something was chosen
}

// Message takes what was asked of the desk, and what its own work ends with.
func (d *desk) Message(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case Copied:
		return d.deliver(msg)
	case Export:
		return d.write(msg)
	case pipedMsg:
		return msg.run(d.h)
	case Wrote:
		if d.exports != nil {
			d.exports.cancel = nil
		}
	}
	return nil
}
