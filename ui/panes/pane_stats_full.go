package panes

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"turns/model"
	"turns/query/describe"
	"turns/query/human"
	"turns/query/label"
	"turns/query/summary"
	"turns/ui/paint"
)

// fullTitle is the first line of the full form: agent, from when to when, how tokens were counted,
// and what it answers for.
func (p *Stats) fullTitle(a *summary.StatsAnswer, w int, focus bool) string {
	h := p.h
	about := h.FormatTitle()
	if a.FirstTime != 0 {
		from, to := time.UnixMilli(int64(a.FirstTime)).In(h.Zone), time.UnixMilli(int64(a.LastTime)).In(h.Zone)
		when := from.Format("15:04:05") + " – " + to.Format("15:04:05") + ", " + from.Format("Mon 2 Jan 2006")
		if from.YearDay() != to.YearDay() || from.Year() != to.Year() {
			when = from.Format("Mon 2 Jan 2006 15:04") + " – " + to.Format("Mon 2 Jan 15:04")
			if w < 90 {
				when = from.Format("2 Jan 15:04") + " – " + to.Format("2 Jan 15:04")
			}
		}
		if w >= 90 {
			about += "   " + when
		} else {
			about = when
		}
	}
	enc := p.encoding(a)
	if a.TotalTokens != nil {
		enc = "counted with " + enc
	}
	return paneTitle(h, w, focus, "Stats", about, h.ScopeWord(), enc)
}

// fullForm is everything, in two columns where there is room.
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

// number is a line of a label and a number.
func numberLine(indent int, label, n, note string, k paint.Ink) []paint.Span {
	const w = 29
	left := " " + paint.Blanks(indent) + label
	pad := max(w-paint.Width(left)-paint.Width(n), 1)
	return []paint.Span{{Text: left, Ink: paint.InkDim}, {Text: paint.Blanks(pad) + n, Ink: k}, {Text: "   " + note, Ink: paint.InkDim}}
}

// counted are the numbers of messages, turns and calls.
func (p *Stats) counted(a *summary.StatsAnswer) (out [][]paint.Span) {
	more := p.h.More()
	add := func(indent int, label string, n int, note string) {
		k := paint.InkText
		if n == 0 {
			k = paint.InkDim
		}
		text := human.OrDot(n, human.Count)
		if n > 0 {
			text += more
		}
		out = append(out, numberLine(indent, label, text, note, k))
	}
	add(0, "messages", a.TotalMessages, "")
	for _, role := range sortedRoles(a.MessagesByRole) {
		note := ""
		switch role {
		case "user":
			if a.Injected > 0 {
				note = human.Plural(a.MessagesByRole[role]-a.Injected, "prompt", "prompts") + ", " + human.Count(a.Injected) + " injected"
			}
		case "assistant":
			note = "responses"
		case "tool":
			note = "results"
		}
		add(2, role, a.MessagesByRole[role], note)
	}
	if a.TotalReasoning > 0 {
		add(2, "with reasoning", a.TotalReasoning, "")
	}
	add(0, "turns", a.Turns, human.Plural(a.Steps, "step", "steps"))
	note := ""
	if a.ToolErrors > 0 {
		note = human.Plural(a.ToolErrors, "error", "errors") + ", " + human.Percent(a.ToolErrors, a.ToolCalls+a.OrphanResults)
	}
	add(0, "calls", a.ToolCalls, note)
	for _, o := range sortedRoles(a.ErrorsByOutcome) {
		if o != "failure" {
			add(2, o, a.ErrorsByOutcome[o], "")
		}
	}
	add(2, "pending", a.PendingCalls, "")
	add(2, "results without a call", a.OrphanResults, "")
	if a.Agents.Count+a.Agents.Calls > 0 {
		add(0, "agents", a.Agents.Count, a.Agents.Told())
	}
	if a.ModelErrors > 0 {
		add(0, "errors of the model", a.ModelErrors, "")
	}
	add(0, "unreadable records", a.UnreadableRecords, "")
	if n, note := eventNote(a.Events, 2); n > 0 {
		if apart := p.h.Snap.Notes() - n; apart > 0 && !p.h.Narrowed() {
			_, note = eventNote(a.Events, 1)
			note += "; " + human.Count(apart) + " more in agents"
			if a.Rewound.Messages > 0 {
				note += " and undone"
			}
		}
		add(0, "events folded", n, note)
	}
	if a.Rewound.Messages > 0 {
		add(0, "rewound", a.Rewound.Messages, fmt.Sprintf("messages, %s, in no other number", human.Plural(a.Rewound.Calls, "call", "calls")))
	}
	if n, said := label.CountLine(p.labels(a)); n > 0 {
		add(0, "labels", n, paint.OneLine(said))
	}
	return append(out, p.stop(a))
}

// stop says how the run ended.
func (p *Stats) stop(a *summary.StatsAnswer) []paint.Span {
	text, k := a.Outcome.State.String(), paint.InkText
	switch a.Outcome.State {
	case model.RunFailed:
		text, k = "✗ failed", paint.InkError
	case model.RunInterrupted:
		text, k = "■ interrupted", paint.InkWarning
	case model.RunFinished:
		text, k = "✓ finished", paint.InkOK
	case model.RunUnknown:
		text, k = "not recorded", paint.InkDim
	}
	note := ""
	if r := paint.OneLine(string(a.Outcome.Reason)); r != "" && !strings.HasSuffix(text, r) {
		note = r + "  "
	}
	if a.LastTime != 0 && a.Outcome.State != model.RunOpen {
		note += p.h.Clock(int64(a.LastTime))
	}
	if a.Outcome.Score != nil {
		note += fmt.Sprintf("  score %g", *a.Outcome.Score)
	}
	return numberLine(0, "stop", text, note, k)
}

// sortedRoles are the names of counts in a usual order, then by name.
func sortedRoles(m map[string]int) (out []string) {
	for _, r := range [...]string{"system", "developer", "user", "assistant", "tool", "failure", "denied", "interrupted", "cancelled", "timeout"} {
		if m[r] > 0 {
			out = append(out, r)
		}
	}
	for _, r := range slices.Sorted(maps.Keys(m)) {
		if m[r] > 0 && !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	return out
}

// eventNote sums bookkeeping up: its most frequent kinds and the rest.
func eventNote(events []describe.EventCount, kinds int) (n int, note string) {
	rest := 0
	for i, e := range events {
		n += e.Count
		if i < kinds {
			if note != "" {
				note += ", "
			}
			note += human.Count(e.Count) + " " + paint.OneLine(e.Kind)
		} else {
			rest += e.Count
		}
	}
	if rest > 0 {
		note += ", " + human.Count(rest) + " other"
	}
	return n, note
}

// tokens are what was recorded, and under a heading of its own what was counted.
func (p *Stats) tokens(a *summary.StatsAnswer, w int) (out [][]paint.Span) {
	u := &a.Usage
	out = append(out, []paint.Span{dim(" usage, recorded in " + human.Plural(a.Responses, "response"))})
	line := func(label, n, note string) {
		k := paint.InkText
		if n == human.NotSaid || n == human.Zero {
			k = paint.InkDim
		}
		room := max(paint.Width(n), 6) // a small price has many digits
		out = append(out, []paint.Span{dim("   " + paint.Fit(label, max(25-room, paint.Width(label)+1))), {Text: paint.FitRight(n, room), Ink: k}, dim("   " + note)})
	}
	part := func(n *int64) string {
		var in int64
		for _, x := range [...]*int64{u.Input, u.CacheRead, u.CacheWrite} {
			if x != nil {
				in += *x
			}
		}
		if n == nil || *n == 0 || in == 0 || in == *n {
			return ""
		}
		return fmt.Sprintf("%.1f %%", float64(*n)*100/float64(in))
	}
	line("input, uncached", known(u.Input), "")
	line("cache read", known(u.CacheRead), part(u.CacheRead))
	line("cache write", known(u.CacheWrite), part(u.CacheWrite))
	line("output", known(u.Output), "")
	note := ""
	if u.Reasoning == nil {
		note = "not recorded"
	}
	line("reasoning", known(u.Reasoning), note)
	cost, from := a.CostText()
	line("cost", cost, from)
	out = append(out, nil)
	if a.TokensByKind == nil || a.TotalTokens == nil {
		return append(out, []paint.Span{dim(" tokens, counted by turns   " + p.h.Counts)})
	}
	out = append(out, []paint.Span{dim(paint.Fit(" tokens, counted by turns", 32)), {Text: paint.FitRight(human.Short(*a.TotalTokens), 8)}})
	bw := max(w-34, 8)
	for _, k := range kindTokens(a) {
		out = append(out, []paint.Span{dim("   " + paint.Fit(k.name, 13)), {Text: paint.FitRight(human.Short(k.n), 9) + "  "},
			{Text: paint.Fit(paint.Bar(float64(k.n), float64(max(*a.TotalTokens, 1)), bw), bw), Ink: k.ink}, dim(paint.FitRight(human.Percent(int(k.n), int(*a.TotalTokens)), 5))})
	}
	return out
}

// contextLines are the context window over the run.
func (p *Stats) contextLines(a *summary.StatsAnswer, w int) {
	run := p.tracker.run
	if run == nil || len(run.Points) == 0 {
		return
	}
	window := p.windowSize(a)
	text := run.told(window)
	if n := run.compactions; n > 0 {
		text += "; ≡ compacted " + times(n)
		for _, m := range run.Marks {
			if m.Compact && n == 1 && m.Before > 0 {
				text += ", " + human.Short(m.Before) + " → " + human.Short(m.After) + " at " + p.h.Minute(m.Time)
			}
		}
	}
	p.add()
	p.add(paint.Span{Text: " context window", Ink: paint.InkDim}, paint.Span{Text: paint.Blanks(14) + text})
	for _, spans := range run.Chart(p.h, w-1, 5, window) {
		p.add(spans...)
	}
}

func times(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return human.Count(n) + " times"
}

// timeLines are the bar of where the time went, and its legend.
func (p *Stats) timeLines(a *summary.StatsAnswer, w int) {
	t := &a.Time
	all := t.Whole()
	if all <= 0 {
		return
	}
	p.add()
	parts := [...]struct {
		name  string
		n     human.Millis
		ink   paint.Ink
		glyph string
	}{{"tools", t.Tools, paint.InkBarTools, "█"}, {"model", t.Model, paint.InkBarModel, "▒"}, {"asked", t.Asked, paint.InkBarUser, "▓"}, {"user", t.User, paint.InkBarUser, "░"}, {"idle", t.Idle, paint.InkBarIdle, "·"}}
	const labels = 22
	bw := max(w-labels-2, 8)
	barLine := []paint.Span{{Text: " time", Ink: paint.InkDim}, {Text: paint.FitRight(human.Took(all.Duration()), 13) + "   "}}
	barLine[1].Text = paint.Fit(barLine[1].Text, labels-5)
	legend := []paint.Span{{Text: paint.Blanks(labels)}}
	used, done := 0, human.Millis(0)
	for _, part := range parts {
		if part.n == 0 && part.name == "asked" {
			continue
		}
		done += part.n
		end := int(float64(done)/float64(all)*float64(bw) + 0.5)
		n := end - used
		used = end
		barLine = append(barLine, paint.Span{Text: strings.Repeat(part.glyph, max(n, 0)), Ink: part.ink})
		legend = append(legend, paint.Span{Text: part.glyph + " ", Ink: part.ink}, paint.Span{Text: part.name + " ", Ink: paint.InkDim}, paint.Span{Text: human.Took(part.n.Duration()) + "   "})
	}
	p.add(barLine...)
	p.add(legend...)
}

// items are what took longest and what is largest, side by side where there is room; each leads to
// its place.
func (p *Stats) items(a *summary.StatsAnswer, w int) {
	if len(a.Slowest)+len(a.Largest) == 0 {
		return
	}
	p.add()
	two := w >= 100
	half := w
	if two {
		half = w / 2
	}
	slow := func(s *summary.SlowItem, w int) []paint.Span {
		name, text := paint.OneLine(s.Name), paint.OneLine(string(s.About))
		if s.Kind != "call" {
			name = "model"
		}
		return itemSpans(human.Took(s.Duration.Duration()), name, text, paint.PlaceOf(int(s.Index)), w)
	}
	large := func(l *summary.LargeItem, w int) []paint.Span {
		size := model.SizeOf(l.Bytes)
		if l.Tokens != nil {
			size = human.Short(*l.Tokens)
		}
		name := paint.OneLine(l.Name)
		if l.Kind == "arguments" {
			name += " args"
		}
		return itemSpans(size, name, paint.OneLine(string(l.About)), paint.PlaceOf(int(l.Index)), w)
	}
	heading := func(text string) []paint.Span { return []paint.Span{{Text: " " + text, Ink: paint.InkDim}} }
	if !two {
		p.add(heading("slowest")...)
		for i := range a.Slowest {
			p.target(a.Slowest[i].ID, a.Slowest[i].Call, len(p.lines), false)
			p.add(slow(&a.Slowest[i], w)...)
		}
		p.add()
		p.add(heading("largest")...)
		for i := range a.Largest {
			p.target(a.Largest[i].ID, a.Largest[i].Call, len(p.lines), false)
			p.add(large(&a.Largest[i], w)...)
		}
		return
	}
	p.add(append(paint.FitSpans(heading("slowest"), half), heading("largest")...)...)
	first := len(p.lines)
	for i := range max(len(a.Slowest), len(a.Largest)) {
		var line []paint.Span
		if i < len(a.Slowest) {
			line = slow(&a.Slowest[i], half)
			p.target(a.Slowest[i].ID, a.Slowest[i].Call, first+i, false)
		}
		line = paint.FitSpans(line, half)
		if i < len(a.Largest) {
			line = append(line, large(&a.Largest[i], w-half)...)
		}
		p.lines = append(p.lines, statLine{spans: line, half: half})
	}
	for i := range a.Largest {
		p.target(a.Largest[i].ID, a.Largest[i].Call, first+i, true)
	}
}

func (p *Stats) target(id model.ID, call model.CallID, line int, right bool) {
	p.Targets = append(p.Targets, statTarget{id, call, line, right})
}

// itemSpans is a line of w cells about one item.
func itemSpans(size, name, text, place string, w int) []paint.Span {
	room := max(w-1-7-2-14-1-6-2, 4)
	return []paint.Span{{Text: " "}, {Text: paint.FitRight(size, 7) + "  "}, {Text: paint.Fit(name, 14) + " ", Ink: paint.InkTool}, {Text: paint.Fit(text, room), Ink: paint.InkDim},
		{Text: paint.FitRight(place, 6), Ink: paint.InkDim}, {Text: "  "}}
}
