package describe

import (
	"cmp"

	"turns/model"
)

// Glyph returns the sign in front of a line: the kind of row, or how a call ended.
func (l *Line) Glyph() string {
	if l.Kind == LineCall || l.Again || l.State.Failed() && (l.Kind == LineAssistant || l.Kind == LineOrphan) {
		return OutcomeGlyph(l.State)
	}
	return cmp.Or(lineGlyphs[l.Kind], "·")
}

// OutcomeGlyph returns the sign for how a call ended.
func OutcomeGlyph(o model.Outcome) string { return cmp.Or(outcomeGlyphs[o], "✓") }

var lineGlyphs = map[LineKind]string{
	LineUser: "❯", LineAssistant: "●", LineReasoning: "~", LineSystem: "▪", LineMedia: "▣", LineInjected: "◦",
	LineUnreadable: "?", LineOrphan: "?",
}

// outcomeGlyphs are the signs for how a call ended.
var outcomeGlyphs = map[model.Outcome]string{
	model.Failure: "✗", model.Denied: "⊘", model.Stopped: "■", model.Cancelled: "■", model.TimedOut: "■", model.Running: "◌", model.Unknown: "◌", model.Half: "½",
}
