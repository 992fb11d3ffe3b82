package panes

import (
	"slices"
	"strings"

	"turns/model"
	"turns/query/answer"
	"turns/query/human"
	"turns/query/lanes"
	"turns/query/summary"
	"turns/ui/paint"
	"turns/ui/screen"
)

// fullTitle is the first line of the full form: the agent, the time span, how tokens were counted,
// and the scope.
func (p *Stats) fullTitle(a *summary.StatsAnswer, w int, focus bool) string {
	h := p.h
	about := human.Span(int64(a.FirstTime), int64(a.LastTime), h.Zone)
	if w >= 90 || about == "" {
		about = strings.TrimSpace(h.FormatTitle() + titleGap + about)
	}
	enc := p.encoding(a)
	if a.TotalTokens != nil {
		enc = "counted with " + enc
	}
	return paneTitle(h, w, focus, "Stats", about, h.ScopeWord(), enc)
}

// fullForm draws all statistics, in two columns if there is room.
func (p *Stats) fullForm(a *summary.StatsAnswer, w int) {
	left, right := p.counted(a), p.tokens(a, min(w, 58))
	p.add()
	if w >= 110 {
		half := w * 8 / 15
		for i := range max(len(left), len(right)) {
			var line []paint.Span
			if i < len(left) {
				line = append(line, left[i]...)
			}
			line = paint.FitSpans(line, half)
			if i < len(right) {
				line = append(line, right[i]...)
			}
			p.add(line...)
		}
	} else {
		for _, l := range left {
			p.add(l...)
		}
		p.add()
		for _, r := range right {
			p.add(r...)
		}
	}
	p.contextLines(a, w)
	p.timeLines(a, w)
	p.items(a, w)
}

// numberLine draws a label and a number.
func numberLine(l *answer.Line) []paint.Span {
	const w = 29
	left := " " + paint.Blanks(l.Indent) + paint.OneLine(l.Label)
	pad := max(w-paint.Width(left)-paint.Width(l.Number), 1)
	return []paint.Span{dim(left), {Text: paint.Blanks(pad) + l.Number, Ink: screen.ToneInks[l.Tone]}, dim("   " + l.Note)}
}

// counted returns the numbers of messages, turns and calls.
func (p *Stats) counted(a *summary.StatsAnswer) (out [][]paint.Span) {
	shown := *a
	shown.Labels = p.labels(a)
	lines := shown.CountLines()
	for i := range lines {
		l := &lines[i]
		switch {
		case l.Number == human.Zero && l.Indent == 0 && l.Label != "calls":
			continue
		case l.Number != human.Zero:
			l.Number += p.h.More()
		}
		if l.Label == "events" {
			l.Note += p.eventsApart(a)
		}
		out = append(out, numberLine(l))
		for k := range l.Parts {
			out = append(out, numberLine(&l.Parts[k]))
		}
	}
	return append(out, p.stop(a))
}

// eventsApart reports the uncounted events, which are in agents or undone; "" for none.
func (p *Stats) eventsApart(a *summary.StatsAnswer) string {
	apart := p.h.Snap.Notes()
	for _, e := range a.Events {
		apart -= e.Count
	}
	if apart <= 0 || p.h.Narrowed() {
		return ""
	}
	note := "; " + human.Count(apart) + " more in agents"
	if a.Rewound.Messages > 0 {
		note += " and undone"
	}
	return note
}

// stop shows how the session ended, and when.
func (p *Stats) stop(a *summary.StatsAnswer) []paint.Span {
	l := a.OutcomeLine()
	if a.LastTime != 0 && a.Outcome.State != model.RunOpen {
		l.Note = strings.TrimSpace(l.Note + "  " + p.h.Clock(int64(a.LastTime)))
	}
	l.Number = strings.TrimSpace(l.Sign + " " + l.Number)
	return numberLine(&l)
}

// tokens returns the recorded numbers, then the counted ones under their own heading.
func (p *Stats) tokens(a *summary.StatsAnswer, w int) (out [][]paint.Span) {
	out = append(out, []paint.Span{dim(" " + a.UsageHead())})
	lines := a.UsageLines()
	for i := range lines {
		l := &lines[i]
		room := max(paint.Width(l.Number), 6) // a small price has many digits
		name := paint.Blanks(l.Indent) + l.Label
		out = append(out, []paint.Span{dim(" " + paint.Fit(name, max(27-room, paint.Width(name)+1))), {Text: paint.FitRight(l.Number, room), Ink: screen.ToneInks[l.Tone]}, dim("   " + l.Note)})
	}
	out = append(out, nil)
	kinds := a.TokenLines()
	if len(kinds) == 0 {
		return append(out, []paint.Span{dim(" " + summary.TokensHead + "   " + p.h.Counts)})
	}
	out = append(out, []paint.Span{dim(paint.Fit(" "+summary.TokensHead, 32)), {Text: paint.FitRight(kinds[0].Number, 8)}})
	return append(out, kindLines(kinds[1:], w)...)
}

// contextLines draws the context window over the session.
func (p *Stats) contextLines(a *summary.StatsAnswer, w int) {
	run := p.tracker.run
	if run == nil || len(run.Points) == 0 {
		return
	}
	l := a.WindowLine()
	text := strings.TrimSuffix(l.Number+"; "+l.Note, "; ")
	if i := slices.IndexFunc(run.Marks, func(m ContextMark) bool { return m.Compact }); i >= 0 && a.Compactions == 1 && run.Marks[i].Before > 0 {
		m := &run.Marks[i]
		text += ", " + human.Short(m.Before) + " → " + human.Short(m.After) + " at " + p.h.Minute(m.Time)
	}
	p.add()
	p.add(paint.Span{Text: " context window", Ink: paint.InkDim}, paint.Span{Text: paint.Blanks(14) + text})
	for _, spans := range run.Chart(p.h, w-1, 5, p.windowSize(a)) {
		p.add(spans...)
	}
}

// timeLooks are the looks of the kinds of time in a bar.
var timeLooks = [...]paint.Span{lanes.Idle: {Text: "·", Ink: paint.InkBarIdle}, lanes.Model: {Text: "▒", Ink: paint.InkBarModel}, lanes.Tools: {Text: "█", Ink: paint.InkBarTools},
	lanes.Asked: {Text: "▓", Ink: paint.InkBarUser}, lanes.User: {Text: "░", Ink: paint.InkBarUser}}

// timeLines draws the bar of where the time went, and its legend.
func (p *Stats) timeLines(a *summary.StatsAnswer, w int) {
	t := &a.Time
	all := t.Whole()
	if all <= 0 {
		return
	}
	p.add()
	const labels = 22
	bw := max(w-labels-2, 8)
	barLine := []paint.Span{{Text: " time", Ink: paint.InkDim}, {Text: paint.FitRight(human.Took(all.Duration()), 13) + "   "}}
	barLine[1].Text = paint.Fit(barLine[1].Text, labels-5)
	legend := []paint.Span{{Text: paint.Blanks(labels)}}
	used, done := 0, human.Millis(0)
	for _, part := range t.Parts() {
		done += part.Took
		end := int(float64(done)/float64(all)*float64(bw) + 0.5)
		n := end - used
		used = end
		look := timeLooks[part.Kind]
		barLine = append(barLine, paint.Span{Text: strings.Repeat(look.Text, max(n, 0)), Ink: look.Ink})
		legend = append(legend, paint.Span{Text: look.Text + " ", Ink: look.Ink}, dim(part.Kind.String()+" "), paint.Span{Text: part.Took.String() + "   "})
	}
	p.add(barLine...)
	p.add(legend...)
}

// items lists the slowest and the largest calls, side by side if there is room. Each line is a
// target.
func (p *Stats) items(a *summary.StatsAnswer, w int) {
	slow, large := a.SlowLines(), a.LargeLines()
	if len(slow)+len(large) == 0 {
		return
	}
	p.add()
	heading := func(text string) []paint.Span { return []paint.Span{dim(" " + text)} }
	if w < 100 {
		list := func(head string, items []answer.Line) {
			p.add(heading(head)...)
			for i := range items {
				p.target(&items[i], len(p.lines), false)
				p.add(itemSpans(&items[i], w)...)
			}
		}
		list("slowest", slow)
		p.add()
		list("largest", large)
		return
	}
	half := w / 2
	p.add(append(paint.FitSpans(heading("slowest"), half), heading("largest")...)...)
	first := len(p.lines)
	for i := range max(len(slow), len(large)) {
		var line []paint.Span
		if i < len(slow) {
			line = itemSpans(&slow[i], half)
			p.target(&slow[i], first+i, false)
		}
		line = paint.FitSpans(line, half)
		if i < len(large) {
			line = append(line, itemSpans(&large[i], w-half)...)
		}
		p.lines = append(p.lines, statLine{spans: line, half: half})
	}
	for i := range large {
		p.target(&large[i], first+i, true)
	}
}

func (p *Stats) target(l *answer.Line, line int, right bool) {
	p.Targets = append(p.Targets, statTarget{l.Place.ID, l.Place.Call, line, right})
}

// itemSpans draws a line of w cells about one call or result.
func itemSpans(l *answer.Line, w int) []paint.Span {
	room := max(w-1-7-2-14-1-6-2, 4)
	return []paint.Span{{Text: " "}, {Text: paint.FitRight(l.Number, 7) + "  "}, {Text: paint.Fit(paint.OneLine(l.Label), 14) + " ", Ink: paint.InkTool},
		{Text: paint.Fit(paint.OneLine(l.Note), room), Ink: paint.InkDim}, {Text: paint.FitRight(human.Place(l.Place.Index), 6), Ink: paint.InkDim}, {Text: "  "}}
}
