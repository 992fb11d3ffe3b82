package paint

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"turns/model"
	"turns/themes"
)

// Ink is the meaning of a text; the theme defines its style.
type Ink uint8

// The inks, most of them a token of the theme: see NewStyles.
const (
	InkText Ink = iota
	InkDim
	InkFaint
	InkHeading // bold
	inkLink
	InkAccent
	InkKey // a key in the key line: accent, bold
	InkOK
	InkError
	InkWarning
	InkRunning
	InkMark
	InkUser
	InkAssistant
	InkReasoning
	InkSystem
	InkTool
	InkInjected
	InkEvent
	InkAdd
	InkDel
	inkHunk
	inkKeyword
	inkString
	inkNumber
	inkComment
	inkFunction
	inkType
	inkPunct
	InkBorder
	InkBorderFocus
	InkThumb
	InkTrack
	InkBar
	inkBarTrack
	InkBarInput
	InkBarOutput
	InkBarCacheRead
	InkBarCacheWrite
	InkBarReasoning
	InkBarTools
	InkBarModel
	InkBarUser
	InkBarIdle
	InkBold
	inkAddWord // changed words in a line
	inkDelWord
	inks
)

// Ground is the background of a text.
type Ground uint8

// The grounds; GroundNone keeps the background below.
const (
	GroundNone     Ground = iota
	GroundCursor          // row of the cursor; texts keep their colours
	GroundSelected        // rows selected with v; texts in one colour
	GroundStatus
	GroundMatch
	GroundMatchCurrent
	GroundThumb // tick on the thumb of the scroll bar
	groundAdd   // added line of a diff
	groundDel
	grounds
)

// Span is a text of one meaning, without escape sequences and newlines.
type Span struct {
	Text   string
	Ink    Ink
	Ground Ground // GroundNone: the ground of the line
}

// Styles are the escape sequences of a theme, built once.
type Styles struct {
	Theme   themes.Theme
	NoColor bool
	Gen     int    // incremented with every theme, for caches
	base    string // of every cell, if the theme paints its background
	open    [grounds][inks]string
}

// NewStyles builds the escape sequences of a theme. With noColor they use only bold, underline and
// reverse; gen must differ from that of all other Styles.
func NewStyles(t themes.Theme, noColor bool, gen int) *Styles {
	s := &Styles{Theme: t, NoColor: noColor, Gen: gen}
	fg := [inks]string{
		InkText: t.Fg, InkDim: t.Dim, InkFaint: t.Faint, InkHeading: t.Heading, inkLink: t.Link, InkAccent: t.Accent, InkKey: t.Accent,
		InkOK: t.OK, InkError: t.Error, InkWarning: t.Warning, InkRunning: t.Running, InkMark: t.Mark,
		InkUser: t.RoleUser, InkAssistant: t.RoleAssistant, InkReasoning: t.RoleReasoning, InkSystem: t.RoleSystem, InkTool: t.RoleTool,
		InkInjected: t.RoleInjected, InkEvent: t.RoleEvent, InkAdd: t.DiffAdd, InkDel: t.DiffDel, inkHunk: t.DiffHunk,
		inkKeyword: t.SyntaxKeyword, inkString: t.SyntaxString, inkNumber: t.SyntaxNumber, inkComment: t.SyntaxComment,
		inkFunction: t.SyntaxFunction, inkType: t.SyntaxType, inkPunct: t.SyntaxPunctuation,
		InkBorder: t.Border, InkBorderFocus: t.BorderFocus, InkThumb: t.ScrollThumb, InkTrack: t.ScrollTrack,
		InkBar: t.Bar, inkBarTrack: t.BarTrack, InkBarInput: t.BarInput, InkBarOutput: t.BarOutput, InkBarCacheRead: t.BarCacheRead,
		InkBarCacheWrite: t.BarCacheWrite, InkBarReasoning: t.BarReasoning, InkBarTools: t.BarTools, InkBarModel: t.BarModel,
		InkBarUser: t.BarUser, InkBarIdle: t.BarIdle, InkBold: t.Fg,
		inkAddWord: t.DiffAdd, inkDelWord: t.DiffDel,
	}
	type pair struct{ fg, bg string }
	on := [grounds]pair{
		GroundNone: {"", ""}, GroundCursor: {"", t.CursorBg}, GroundSelected: {t.SelectionFg, t.SelectionBg}, GroundStatus: {"", t.StatusBg},
		GroundMatch: {t.MatchFg, t.MatchBg}, GroundMatchCurrent: {t.MatchCurrentFg, t.MatchCurrentBg},
		GroundThumb: {"", t.SelectionBg}, groundAdd: {"", tint(&t, t.DiffAdd)}, groundDel: {"", tint(&t, t.DiffDel)},
	}
	if t.Bg != "" && !noColor {
		s.base = look{}.escape(t.Fg, t.Bg)
	}
	for g := range grounds {
		for i := range inks {
			l := look{bold: i == InkHeading || i == InkKey || i == InkBold || g == GroundMatchCurrent, under: i == inkAddWord || i == inkDelWord}
			color := fg[i]
			if on[g].fg != "" {
				color = on[g].fg
			}
			switch g {
			case GroundStatus:
				if i == InkText {
					color = t.StatusFg
				}
				color = Readable(&t, color, t.StatusFg, t.StatusBg, TextContrast)
			case GroundThumb:
				color = Readable(&t, color, t.SelectionFg, t.SelectionBg, ShapeContrast)
			case groundAdd, groundDel:
				color = Readable(&t, color, t.Fg, on[g].bg, TextContrast)
			}
			back := on[g].bg
			l.rev = g != GroundNone && g != GroundStatus && back == "" && g != GroundCursor && g < groundAdd
			if noColor {
				color, back = "", ""
				l.rev = g == GroundThumb || g == GroundMatch || g == GroundMatchCurrent || g == GroundSelected
				l.bold = l.bold || g == GroundCursor
				l.faint = (i == InkDim || i == InkFaint) && g == GroundNone
			}
			s.open[g][i] = l.escape(color, back)
		}
	}
	return s
}

// Least contrast of readable text, and of a visible sign.
const (
	TextContrast  = 4.5
	ShapeContrast = 3.0
)

// Readable returns color if it is readable on ground, otherwise other, which is made for it. How a
// terminal renders the sixteen ANSI colours is unknown, so on a ground they always give other.
func Readable(t *themes.Theme, color, other, ground string, least float64) string {
	if ground != "" && (t.ANSI || themes.Contrast(color, ground) < least) {
		return other
	}
	return color
}

// escape returns the sequence that starts a look with two colours; an empty colour keeps the
// terminal's. Lines consist of many short texts, so the sequence is built once and written before
// each.
func (l look) escape(fg, bg string) string {
	var style ansi.Style
	if l.bold {
		style = style.Bold()
	}
	if l.italic {
		style = style.Italic(true)
	}
	if l.under {
		style = style.Underline(true)
	}
	if l.rev {
		style = style.Reverse(true)
	}
	if l.faint {
		style = style.Faint()
	}
	if fg != "" {
		style = style.ForegroundColor(lipgloss.Color(fg))
	}
	if bg != "" {
		style = style.BackgroundColor(lipgloss.Color(bg))
	}
	if len(style) == 0 {
		return ""
	}
	return style.String()
}

// PaintGround paints the theme's background under every cell of a frame.
func (s *Styles) PaintGround(content string) string {
	if s.base == "" {
		return content
	}
	return s.base + strings.NewReplacer("\x1b[m", "\x1b[m"+s.base, "\n", "\x1b[m\n"+s.base).Replace(content) + "\x1b[m"
}

// Put writes a span to b, on the ground of its line.
func (s *Styles) Put(b *strings.Builder, sp Span, base Ground) {
	if sp.Text == "" {
		return
	}
	if strings.ContainsAny(sp.Text, "\n\t") || model.Clean(sp.Text) != sp.Text {
		// the last check: any control character would break the frame
		sp.Text = model.CleanLine(sp.Text)
	}
	g := sp.Ground
	if g == GroundNone {
		g = base
	}
	open := s.open[g][sp.Ink]
	if open == "" {
		b.WriteString(sp.Text)
		return
	}
	b.WriteString(open)
	b.WriteString(sp.Text)
	b.WriteString("\x1b[m")
}

// Paint returns a span as a string.
func (s *Styles) Paint(i Ink, text string) string {
	var b strings.Builder
	s.Put(&b, Span{Text: text, Ink: i}, GroundNone)
	return b.String()
}

// Line fits spans into exactly w cells on a ground.
func (s *Styles) Line(w int, base Ground, spans ...Span) string {
	var b strings.Builder
	b.Grow(w * 2)
	s.LineTo(&b, w, base, spans)
	return b.String()
}

// LineTo is Line into a builder of the caller. Cut text ends with a sign.
func (s *Styles) LineTo(b *strings.Builder, w int, base Ground, spans []Span) {
	left := w
	for i, sp := range spans {
		n := Width(sp.Text)
		if n > left {
			if left > 0 {
				sp.Text = Cut(sp.Text, left)
				s.Put(b, sp, base)
				left -= Width(sp.Text)
			}
			break
		}
		if n == left && i+1 < len(spans) && RestWidth(spans[i+1:]) > 0 && n > 0 {
			sp.Text = ansi.Truncate(sp.Text, n-1, "") + "…"
			s.Put(b, sp, base)
			left -= Width(sp.Text)
			break
		}
		s.Put(b, sp, base)
		left -= n
	}
	if left > 0 {
		s.Put(b, Span{Text: Blanks(left)}, base)
	}
}

// RestWidth returns the width of spans.
func RestWidth(spans []Span) int {
	n := 0
	for _, sp := range spans {
		n += Width(sp.Text)
	}
	return n
}

// Spread draws a line with spans at both ends; the left ones are cut first.
func (s *Styles) Spread(w int, base Ground, left, right []Span) string {
	r := RestWidth(right)
	if r >= w {
		return s.Line(w, base, right...)
	}
	l := RestWidth(left)
	gap := w - l - r
	if gap < 1 && r > 0 {
		var b strings.Builder
		s.LineTo(&b, w-r-1, base, left)
		s.Put(&b, Span{Text: " "}, base)
		for _, sp := range right {
			s.Put(&b, sp, base)
		}
		return b.String()
	}
	all := append(append([]Span{}, left...), Span{Text: Blanks(gap)})
	return s.Line(w, base, append(all, right...)...)
}
