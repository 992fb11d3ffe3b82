package ui

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"turns/model"
	"turns/themes"
)

// ink says what a text means; the theme says how that looks.
type ink uint8

const (
	inkText ink = iota
	inkDim
	inkFaint
	inkHeading // bold
	inkLink
	inkAccent
	inkKey // a key in the key line: accent, bold
	inkOK
	inkError
	inkWarning
	inkRunning
	inkMark
	inkUser
	inkAssistant
	inkReasoning
	inkSystem
	inkTool
	inkInjected
	inkEvent
	inkAdd
	inkDel
	inkHunk
	inkKeyword
	inkString
	inkNumber
	inkComment
	inkFunction
	inkType
	inkPunct
	inkBorder
	inkBorderFocus
	inkThumb
	inkTrack
	inkBar
	inkBarTrack
	inkBarInput
	inkBarOutput
	inkBarCacheRead
	inkBarCacheWrite
	inkBarReasoning
	inkBarTools
	inkBarModel
	inkBarUser
	inkBarIdle
	inkBold
	inks
)

// ground is what a text lies on.
type ground uint8

const (
	groundNone     ground = iota
	groundCursor          // the row the cursor is on; texts keep their colours
	groundSelected        // rows taken with v; one colour of text
	groundStatus
	groundMatch
	groundMatchCurrent
	groundThumb // a tick on the thumb of the scroll bar
	grounds
)

// span is a text of one meaning. It holds no escape sequences and no newline.
type span struct {
	text   string
	ink    ink
	ground ground // groundNone: that of the line
}

// styles are the escape sequences of a theme, built once.
type styles struct {
	theme   themes.Theme
	noColor bool
	gen     int    // grows with every theme, for caches
	base    string // of every cell, where the theme paints its background
	open    [grounds][inks]string
}

func newStyles(t themes.Theme, noColor bool, gen int) *styles {
	s := &styles{theme: t, noColor: noColor, gen: gen}
	fg := [inks]string{
		inkText: t.Fg, inkDim: t.Dim, inkFaint: t.Faint, inkHeading: t.Heading, inkLink: t.Link, inkAccent: t.Accent, inkKey: t.Accent,
		inkOK: t.OK, inkError: t.Error, inkWarning: t.Warning, inkRunning: t.Running, inkMark: t.Mark,
		inkUser: t.RoleUser, inkAssistant: t.RoleAssistant, inkReasoning: t.RoleReasoning, inkSystem: t.RoleSystem, inkTool: t.RoleTool,
		inkInjected: t.RoleInjected, inkEvent: t.RoleEvent, inkAdd: t.DiffAdd, inkDel: t.DiffDel, inkHunk: t.DiffHunk,
		inkKeyword: t.SyntaxKeyword, inkString: t.SyntaxString, inkNumber: t.SyntaxNumber, inkComment: t.SyntaxComment,
		inkFunction: t.SyntaxFunction, inkType: t.SyntaxType, inkPunct: t.SyntaxPunctuation,
		inkBorder: t.Border, inkBorderFocus: t.BorderFocus, inkThumb: t.ScrollThumb, inkTrack: t.ScrollTrack,
		inkBar: t.Bar, inkBarTrack: t.BarTrack, inkBarInput: t.BarInput, inkBarOutput: t.BarOutput, inkBarCacheRead: t.BarCacheRead,
		inkBarCacheWrite: t.BarCacheWrite, inkBarReasoning: t.BarReasoning, inkBarTools: t.BarTools, inkBarModel: t.BarModel,
		inkBarUser: t.BarUser, inkBarIdle: t.BarIdle, inkBold: t.Fg,
	}
	type pair struct{ fg, bg string }
	on := [grounds]pair{
		groundNone: {"", ""}, groundCursor: {"", t.CursorBg}, groundSelected: {t.SelectionFg, t.SelectionBg}, groundStatus: {"", t.StatusBg},
		groundMatch: {t.MatchFg, t.MatchBg}, groundMatchCurrent: {t.MatchCurrentFg, t.MatchCurrentBg},
		groundThumb: {"", t.SelectionBg},
	}
	if t.Bg != "" && !noColor {
		s.base = escapeOf(coloured(lipgloss.NewStyle(), t.Fg, t.Bg))
	}
	for g := range grounds {
		for i := range inks {
			style := lipgloss.NewStyle().Bold(i == inkHeading || i == inkKey || i == inkBold || g == groundMatchCurrent)
			color := fg[i]
			if on[g].fg != "" {
				color = on[g].fg
			}
			switch g {
			case groundStatus:
				if i == inkText {
					color = t.StatusFg
				}
				color = readable(&t, color, t.StatusFg, t.StatusBg, textContrast)
			case groundThumb:
				color = readable(&t, color, t.SelectionFg, t.SelectionBg, shapeContrast)
			}
			swap := g != groundNone && g != groundStatus && on[g].bg == "" && (g != groundCursor)
			if noColor {
				swap = g == groundThumb || g == groundMatch || g == groundMatchCurrent || g == groundSelected
				if g == groundCursor {
					style = style.Bold(true)
				}
				style = style.Faint((i == inkDim || i == inkFaint) && g == groundNone)
			} else {
				style = coloured(style, color, on[g].bg)
			}
			s.open[g][i] = escapeOf(style.Reverse(swap))
		}
	}
	return s
}

// What a text needs to be read, and a sign to be seen.
const (
	textContrast  = 4.5
	shapeContrast = 3.0
)

// readable is a colour of text, or the one that the ground is made for where it could not be read there. Nobody knows what the sixteen colours of a
// terminal look like on one another.
func readable(t *themes.Theme, color, other, ground string, least float64) string {
	if ground != "" && (t.ANSI || themes.Contrast(color, ground) < least) {
		return other
	}
	return color
}

// coloured gives a style the colours of two tokens; an empty token leaves what the
// terminal has.
func coloured(style lipgloss.Style, fg, bg string) lipgloss.Style {
	if fg != "" {
		style = style.Foreground(lipgloss.Color(fg))
	}
	if bg != "" {
		style = style.Background(lipgloss.Color(bg))
	}
	return style
}

// escapeOf is the escape sequence that begins a style. Lines are put together from
// many short texts, so it is made once and written in front of each.
func escapeOf(style lipgloss.Style) string {
	open, _, _ := strings.Cut(style.Render("x"), "x")
	return open
}

// paintGround lays the background of the theme under every cell of a frame.
func (s *styles) paintGround(content string) string {
	if s.base == "" {
		return content
	}
	return s.base + strings.NewReplacer("\x1b[m", "\x1b[m"+s.base, "\n", "\x1b[m\n"+s.base).Replace(content) + "\x1b[m"
}

// put adds a span to b, on the ground of its line.
func (s *styles) put(b *strings.Builder, sp span, base ground) {
	if sp.text == "" {
		return
	}
	if strings.ContainsAny(sp.text, "\n\t") || model.Clean(sp.text) != sp.text { // the last gate: whatever slipped through would break the frame
		sp.text = model.CleanLine(sp.text)
	}
	g := sp.ground
	if g == groundNone {
		g = base
	}
	open := s.open[g][sp.ink]
	if open == "" {
		b.WriteString(sp.text)
		return
	}
	b.WriteString(open)
	b.WriteString(sp.text)
	b.WriteString("\x1b[m")
}

// paint is one span as a string.
func (s *styles) paint(i ink, text string) string {
	var b strings.Builder
	s.put(&b, span{text: text, ink: i}, groundNone)
	return b.String()
}

// line fits spans into exactly w cells on a ground.
func (s *styles) line(w int, base ground, spans ...span) string {
	var b strings.Builder
	b.Grow(w * 2)
	s.lineTo(&b, w, base, spans)
	return b.String()
}

func (s *styles) lineTo(b *strings.Builder, w int, base ground, spans []span) {
	left := w
	for i, sp := range spans {
		n := width(sp.text)
		if n > left {
			if left > 0 {
				sp.text = cut(sp.text, left)
				s.put(b, sp, base)
				left -= width(sp.text)
			}
			break
		}
		if n == left && i+1 < len(spans) && restWidth(spans[i+1:]) > 0 && n > 0 {
			sp.text = ansi.Truncate(sp.text, n-1, "") + "…"
			s.put(b, sp, base)
			left -= width(sp.text)
			break
		}
		s.put(b, sp, base)
		left -= n
	}
	if left > 0 {
		s.put(b, span{text: blanks(left)}, base)
	}
}

func restWidth(spans []span) int {
	n := 0
	for _, sp := range spans {
		n += width(sp.text)
	}
	return n
}

// spread is a line with spans at its left and right end; the left ones are cut first.
func (s *styles) spread(w int, base ground, left, right []span) string {
	r := restWidth(right)
	if r > w {
		return s.line(w, base, right...)
	}
	l := restWidth(left)
	gap := w - l - r
	if gap < 1 && r > 0 {
		var b strings.Builder
		s.lineTo(&b, w-r-1, base, left)
		s.put(&b, span{text: " "}, base)
		for _, sp := range right {
			s.put(&b, sp, base)
		}
		return b.String()
	}
	all := append(append([]span{}, left...), span{text: blanks(gap)})
	return s.line(w, base, append(all, right...)...)
}
