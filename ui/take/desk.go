package take

import (
	"context"
	"sync"

	tea "charm.land/bubbletea/v2"

	"turns/query/redact"
	"turns/ui/screen"
)

// Desk copies and exports: to the clipboard, files, commands. It remembers the last export choices.
type Desk struct {
	H       *screen.Host
	Exports *exportChoices     // nil until the first choice
	Size    func() (w, h int)  // of the terminal; nil: unknown
	own     context.CancelFunc // cancels the running user's command; nil: none
	writing sync.WaitGroup     // running exports to files
	names   func() *redact.Names
}

// replacing returns the names to replace, the same in all exports and copies; nil if the program
// has no names.
func (d *Desk) replacing() *redact.Names {
	if d.H.Opts.Names == nil {
		return nil
	}
	if d.names == nil {
		d.names = sync.OnceValue(d.H.Opts.Names)
	}
	return d.names()
}

// copying returns the names to replace in copies; nil to replace none.
func (d *Desk) copying() *redact.Names {
	if !d.H.Opts.Anonymize {
		return nil
	}
	return d.replacing()
}

// clean replaces secrets, and names if the settings say so. It returns how many it replaced.
func (d *Desk) clean(text string) (string, int) {
	if names := d.copying(); names != nil {
		return names.Redactor(true).RedactString(text)
	}
	return redact.New().RedactString(text)
}

// Close waits until cancelled exports have removed their partial files.
func (d *Desk) Close() { d.writing.Wait() }

// StopOwn cancels the running user's command; false if there is none.
func (d *Desk) StopOwn() bool {
	if d.own == nil {
		return false
	}
	d.own()
	d.own = nil
	return true
}

// Message handles requests to the desk and the results of its own work.
func (d *Desk) Message(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.Copied:
		return d.deliver(msg)
	case screen.Export:
		return d.write(msg)
	case drawnMsg:
		return msg.run(d.H)
	case editMsg:
		return msg.run(d.H)
	case pipedMsg:
		return msg.run(d.H)
	case ownReady:
		return msg.ready(d)
	case ownDone:
		return msg.run(d)
	case screen.Wrote:
		if d.Exports != nil {
			d.Exports.cancel = nil
		}
	}
	return nil
}
