package ui

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"turns/ui/paint"
	"turns/ui/screen"
)

// View returns the frame drawn by the last Update.
func (a *app) View() tea.View {
	if a.picture.Content == "" && a.broken == nil {
		defer func() {
			if r := recover(); r != nil {
				a.broken = screen.FaultOf(r) // the next message ends the program
			}
		}()
		a.draw()
	}
	return a.picture
}

// draw makes the frame. Its cost depends on the visible rows only.
func (a *app) draw() {
	v := tea.NewView("")
	v.AltScreen = true
	if !a.mouseOff {
		v.MouseMode = tea.MouseModeCellMotion
	}
	a.picture = v
	if !a.sized || a.w <= 0 || a.h0 <= 0 {
		return
	}
	a.h.Bodies.Begin()
	lines, x, y := a.frame()
	content := strings.Join(lines, "\n")
	if a.h.Opts.ASCII {
		content = paint.AsciiOnly(content)
	}
	v.SetContent(a.h.Styles.PaintGround(content))
	v.WindowTitle = a.windowTitle()
	if x >= 0 {
		v.Cursor = tea.NewCursor(x, y)
		v.Cursor.Blink = false
	}
	a.picture = v
}

// frame returns exactly h lines of w cells, and the position of the cursor.
func (a *app) frame() (lines []string, x, y int) {
	st, l := a.h.Styles, &a.lay
	x, y = -1, 0
	if l.w != a.w || l.h != a.h0 {
		a.arrange()
	} else if l.keys && l.second != a.verdict.needsSecond() {
		a.rearrange()
	}
	if l.tiny {
		lines = append(lines, st.Line(a.w, paint.GroundNone, paint.Span{Text: "too small: " + strconv.Itoa(a.w) + "×" + strconv.Itoa(a.h0)}))
		return paint.Fill(lines, a.w, a.h0), 0, 0
	}
	if l.top {
		lines = append(lines, topLine{a.h, a.w}.draw())
	}
	var over []string
	if l.filter {
		line, drop, cx := a.filterLine()
		lines = append(lines, line)
		if l.second {
			lines = append(lines, a.verdict.secondLine())
		}
		over = drop
		if cx >= 0 {
			x, y = cx, len(lines)-1
		}
	}
	overAt := len(lines)
	body, cy := a.body()
	if x < 0 && cy >= 0 {
		x, y = 0, len(lines)+cy
	}
	lines = append(lines, body...)
	for i, s := range over {
		if overAt+i < len(lines) {
			lines[overAt+i] = paint.LaidOver(lines[overAt+i], s, a.bar.DropOver, paint.Width(s), a.w)
		}
	}
	for _, d := range a.dialogs { // a prompt covers the list it belongs to
		a.overlay(lines, d)
	}
	a.touring.draw(lines, a.w)
	status, cx := a.statusLine()
	lines = append(lines, status)
	if cx >= 0 {
		x, y = cx, len(lines)-1
	}
	if l.keys {
		lines = append(lines, a.keyLine())
	}
	return paint.Fill(lines, a.w, a.h0), x, y
}

// body returns the timeline with the panes next to or over it; cy is the line of the cursor's row.
func (a *app) body() (lines []string, cy int) {
	l := &a.lay
	height := l.side.h
	if l.side.w == 0 {
		height = l.list.h
		if l.head {
			height++
		}
	}
	cy = -1
	var side []string
	if l.side.w > 0 {
		side = a.sideLines(l.side.w, l.side.h)
		if a.covered() {
			return paint.Fill(side, a.w, height), -1
		}
	}
	if a.h.Snap == nil || a.h.Snap.Rows() == 0 && len(a.h.Opts.Opening) > 0 {
		lines = a.waiting(l.list.w, height)
	} else {
		if l.head {
			lines = append(lines, a.list.Heads())
		}
		rows := a.list.Render(a.h.Focus == screen.PaneNone)
		if cy = a.list.CursorLine(); cy >= 0 {
			cy += len(lines)
		}
		lines = append(lines, rows...)
	}
	for len(lines) < height {
		lines = append(lines, paint.Blanks(l.list.w))
	}
	lines = lines[:height]
	if l.side.w > 0 {
		i := paint.InkBorder
		if a.h.Focus != screen.PaneNone {
			i = paint.InkBorderFocus
		}
		bar := a.h.Styles.Paint(i, "│")
		for n := range lines {
			lines[n] += bar + side[n]
		}
	}
	return lines, cy
}

// waiting returns the lines shown in place of the timeline until it is loaded.
func (a *app) waiting(w, h int) []string {
	text := "reading …"
	if a.h.State.Waiting != "" {
		text = "waiting for " + paint.OneLine(a.h.State.Waiting)
	}
	lines := []string{paint.Blanks(w)}
	for _, line := range a.h.Opts.Opening {
		lines = append(lines, a.h.Styles.Line(w, paint.GroundNone, paint.Span{Text: "  " + paint.Tilde(paint.OneLine(line), a.h.Opts.Home)}))
	}
	if a.noticed != "" {
		lines = append(lines, paint.Blanks(w), a.h.Styles.Line(w, paint.GroundNone, paint.Span{Text: "  " + paint.OneLine(a.noticed), Ink: paint.InkWarning}))
	}
	if len(a.h.Opts.Opening) == 0 {
		lines = append(lines, a.h.Styles.Line(w, paint.GroundNone, paint.Span{Text: "  " + text, Ink: paint.InkDim}))
	}
	return paint.Fill(lines, w, h)
}

// overlay draws a dialog over lines.
func (a *app) overlay(lines []string, d screen.Dialog) {
	box := d.Render(a.w, len(lines))
	if len(box) == 0 {
		return
	}
	bw := 0
	for _, s := range box {
		bw = max(bw, paint.Width(s))
	}
	bw = min(bw, a.w)
	x, y := (a.w-bw)/2, max((len(lines)-len(box))/2, 0)
	a.dialogAt = rect{x, y, bw, len(box)}
	for i, s := range box {
		if y+i >= len(lines) {
			break
		}
		lines[y+i] = paint.LaidOver(lines[y+i], s, x, bw, a.w)
	}
}
