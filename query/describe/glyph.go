package describe

import "turns/model"

// Glyph is the sign in front of a line: what kind of row it is, or how a call
// ended.
func (l *Line) Glyph() string {
	switch l.Kind {
	case LineUser:
		return "❯"
	case LineAssistant:
		if l.State.Failed() {
			return outcomeGlyph(l.State)
		}
		return "●"
	case LineReasoning:
		return "~"
	case LineSystem:
		return "▪"
	case LineMedia:
		return "▣"
	case LineInjected:
		return "◦"
	case LineCall:
		return outcomeGlyph(l.State)
	case LineUnreadable, LineOrphan:
		return "?"
	}
	return "·"
}

// outcomeGlyph is the sign for how a call ended.
func outcomeGlyph(o model.Outcome) string {
	switch o {
	case model.Failure:
		return "✗"
	case model.Denied:
		return "⊘"
	case model.Stopped, model.Cancelled, model.TimedOut:
		return "■"
	case model.Running, model.Unknown:
		return "◌"
	}
	return "✓"
}
