package screen

import (
	"turns/query/session"
	"turns/ui/paint"
)

// ToneInks are the colours of what lists of sessions say.
var ToneInks = [...]paint.Ink{
	session.Plain: paint.InkText, session.Dim: paint.InkDim, session.Name: paint.InkAssistant, session.Bad: paint.InkError, session.Warn: paint.InkWarning,
	session.Good: paint.InkOK, session.Going: paint.InkRunning,
}
