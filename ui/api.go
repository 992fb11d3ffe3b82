package ui

import (
	"turns/model"
	"turns/ui/screen"
)

// What who starts the screen has to know; see package screen.
type (
	// Options say how the screen begins and where it may write.
	Options = screen.Options
	// Feed is where snapshots come from.
	Feed = screen.Feed
	// Update is the state of a feed after a change.
	Update = screen.Update
	// SessionInfo is a row of the session list.
	SessionInfo = screen.SessionInfo
	// SessionNews is what the session list learns.
	SessionNews = screen.SessionNews
	// SessionHit is what a session has for a filter.
	SessionHit = screen.SessionHit
	// SessionFound is what a session has for each of some filters.
	SessionFound = screen.SessionFound
)

// Still is a feed of one snapshot that never changes.
func Still(path string, snap *model.Snapshot) Feed { return screen.Still(path, snap) }

// Parsers is how many parsers of a transcript may run beside a screen.
func Parsers() int { return screen.Parsers() }
