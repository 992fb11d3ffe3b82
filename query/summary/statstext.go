package summary

import (
	"cmp"
	"context"
	"io"
	"maps"
	"slices"
	"strings"

	"turns/model"
	"turns/query"
	"turns/query/answer"
	"turns/query/describe"
	"turns/query/human"
	"turns/query/label"
	"turns/query/session"
)

// Describe fills in the subjects of the slowest and largest items, for which it reads their texts.
func (a *StatsAnswer) Describe(ctx context.Context) error {
	if a.sel.Everything() {
		v, err := session.JudgeFile(ctx, a.sel.Snap, false)
		if err != nil {
			return err
		}
		a.Why = v.Why
	}
	for i := range a.Slowest {
		x := &a.Slowest[i]
		about, err := a.about(ctx, x.ID, x.Call)
		if err != nil {
			return err
		}
		x.About = human.TextOrNull(about)
	}
	for i := range a.Largest {
		x := &a.Largest[i]
		about, err := a.about(ctx, x.ID, x.Call)
		if err != nil {
			return err
		}
		x.About = human.TextOrNull(about)
	}
	return nil
}

func (a *StatsAnswer) about(ctx context.Context, id model.ID, call model.CallID) (string, error) {
	s := a.sel.Snap
	if id == model.NoID {
		return "", nil
	}
	d := describe.NewDescriber(s.Session(id))
	if uint32(call) == model.NoRow {
		m, err := s.Body(ctx, id)
		if err != nil {
			return "", err
		}
		return describe.FirstWords(m), nil
	}
	c, err := query.ReadCall(ctx, s, call) // there are few large ones: no caching
	if err != nil {
		return "", err
	}
	if c.Call == nil {
		return d.Row(&c).About, nil
	}
	return d.Call(c.Call, c.Result, c.Row).About, nil
}

// WriteJSON writes the answer. Its only texts are those of Describe.
func (a *StatsAnswer) WriteJSON(_ context.Context, w io.Writer) error { return query.WriteJSON(w, a) }

// String returns the answer as text, without control characters.
func (a *StatsAnswer) String() string { return a.Doc().String() }

// Doc describes the answer.
func (a *StatsAnswer) Doc() *answer.Doc {
	d := &answer.Doc{}
	d.AddText(a.headline())
	d.AddTable("", answer.OfLines(answer.Text, a.CountLines()...))
	d.AddText(a.outcome()...)
	usage := answer.Section{Head: a.UsageHead(), Table: answer.OfLines(answer.Number, a.UsageLines()...)}
	if l := a.WindowLine(); l.Number != "" {
		usage.Notes = []string{strings.TrimSuffix("  "+l.Label+": "+l.Number+"; "+l.Note, "; ")}
	}
	d.Add(usage)
	head, tokens := TokensHead, a.TokenLines()
	if a.Encoding != "" {
		head += ", with " + human.OneLine(string(a.Encoding), 30)
	}
	d.AddTable(head, answer.OfLines(answer.Number, tokens...))
	d.AddText(a.time()...)
	d.AddTable("slowest", itemTable(a.SlowLines()))
	d.AddTable("largest", itemTable(a.LargeLines()))
	return d
}

func (a *StatsAnswer) headline() string {
	s := "Stats"
	if a.Format != "" {
		s += "   " + human.OneLine(a.Format, 40)
	}
	if span := human.Span(int64(a.FirstTime), int64(a.LastTime), a.Zone); span != "" {
		s += "   " + span
	}
	return s
}

// Overview returns the numbers of messages by role, of calls and of errors in one line.
func (a *StatsAnswer) Overview() string {
	s := human.Plural(a.TotalMessages, "message")
	if !a.sel.Whole() {
		s = a.sel.Scope()
	}
	var roles []string
	for _, l := range a.RoleLines() {
		roles = append(roles, l.Number+" "+l.Label)
	}
	if len(roles) > 0 {
		s += " (" + strings.Join(roles, ", ") + ")"
	}
	return strings.Join(append(append([]string{s}, counted(a.ToolCalls, "tool call")...), a.ErrorCounts()...), ", ")
}

// ErrorCounts returns the numbers of failed calls and of failed responses, except those that are 0.
func (a *StatsAnswer) ErrorCounts() []string {
	return append(counted(a.ToolErrors, "error"), counted(a.ModelErrors, "model error")...)
}

// usualRoles are the first roles of a list, in order; others follow.
var usualRoles = [...]string{"system", "developer", "user", "assistant", "tool"}

func roles(m map[string]int) []string {
	at := func(role string) int {
		if i := slices.Index(usualRoles[:], role); i >= 0 {
			return i
		}
		return len(usualRoles)
	}
	return slices.SortedFunc(maps.Keys(m), func(x, y string) int { return cmp.Or(at(x)-at(y), strings.Compare(x, y)) })
}

// CountLines returns the numbers of messages, turns, calls and events.
func (a *StatsAnswer) CountLines() (lines []answer.Line) {
	add := func(indent int, name string, n int, note string) {
		lines = append(lines, answer.CountLine(indent, name, n, note))
	}
	some := func(name string, n int, note string) {
		if n > 0 {
			add(0, name, n, note)
		}
	}
	if a.Sessions > 1 {
		add(0, "sessions", a.Sessions, "")
	}
	of := ""
	if !a.sel.Whole() {
		of = "of " + human.Count(a.OfMessages)
	}
	add(0, "messages", a.TotalMessages, of)
	lines = append(lines, a.RoleLines()...)
	if a.TotalReasoning > 0 {
		var by []string
		for _, name := range slices.Sorted(maps.Keys(a.ReasoningByModel)) {
			by = append(by, human.Count(a.ReasoningByModel[name])+" "+human.OneLine(name, 40))
		}
		add(2, "with reasoning", a.TotalReasoning, strings.Join(by, ", "))
	}
	add(0, "turns", a.Turns, human.Plural(a.Steps, "step"))
	lines = append(lines, a.CallLines()...)
	if a.Agents.Count+a.Agents.Calls > 0 {
		add(0, "agents", a.Agents.Count, human.Plural(a.Agents.Messages, "message")+", "+a.Agents.Words())
	}
	add(0, "model errors", a.ModelErrors, "")
	add(0, "unreadable records", a.UnreadableRecords, "")
	events, kinds := 0, []string{}
	for i, e := range a.Events {
		events += e.Count
		if i < 4 {
			kinds = append(kinds, human.Count(e.Count)+" "+human.OneLine(e.Kind, 30))
		}
	}
	if len(a.Events) > 4 {
		kinds = append(kinds, "…")
	}
	add(0, "events", events, strings.Join(kinds, ", "))
	n, text := label.CountLine(a.Labels)
	some("labels", n, human.OneLine(text, 80))
	apart := func(name string, messages, calls, errors int) {
		if messages+calls > 0 {
			add(0, name, messages, human.Plural(calls, "call")+", "+human.Plural(errors, "error"))
		}
	}
	apart("rewound", a.Rewound.Messages, a.Rewound.Calls, a.Rewound.Errors)
	apart("other branches", a.Branches.Messages, a.Branches.Calls, a.Branches.Errors)
	apart("inherited", a.Inherited.Messages, a.Inherited.Calls, a.Inherited.Errors)
	return lines
}

// RoleLines returns the numbers of messages by role.
func (a *StatsAnswer) RoleLines() (lines []answer.Line) {
	for _, role := range roles(a.MessagesByRole) {
		note := ""
		if role == model.User.String() && a.Injected > 0 {
			note = human.Count(a.Injected) + " injected"
		}
		lines = append(lines, answer.CountLine(2, role, a.MessagesByRole[role], note))
	}
	return lines
}

// CallLines returns lines with the numbers of calls and their results.
func (a *StatsAnswer) CallLines() []answer.Line {
	note := ""
	if a.ToolErrors > 0 {
		note = human.Plural(a.ToolErrors, "error") + ", " + human.Percent(a.ToolErrors, a.ToolCalls+a.OrphanResults)
		if a.OrphanResults > 0 { // their failures are errors, too
			note += " of calls and results without a call"
		}
	}
	calls := answer.CountLine(0, "calls", a.ToolCalls, note)
	calls.Parts = a.errorParts()
	lines := []answer.Line{
		calls, answer.CountLine(2, "results", a.ToolResults, ""),
		answer.CountLine(2, "pending", a.PendingCalls, ""), answer.CountLine(2, "results without a call", a.OrphanResults, ""),
	}
	if s := &a.Scripts; s.Calls > 0 {
		note := "counted apart: the calls inside of them are above"
		if s.Errors > 0 {
			note = human.Plural(s.Errors, "error") + ", " + note
		}
		lines = append(lines, answer.CountLine(2, "scripts", s.Calls, note))
	}
	return lines
}

// Words describes the counts of subagents, including the part that other numbers leave out.
func (a *AgentStats) Words() string {
	s := human.Plural(a.Calls, "call") + ", " + human.Plural(a.Errors, "error")
	switch {
	case a.Apart > 0 && a.Apart == a.Calls:
		s += ", counted apart"
	case a.Apart > 0:
		s += ", " + human.Plural(a.Apart, "call") + " counted apart"
	}
	return s
}

// errorParts returns the outcomes of the errors if not all are failures.
func (a *StatsAnswer) errorParts() (parts []answer.Line) {
	if len(a.ErrorsByOutcome) == 1 && a.ErrorsByOutcome[model.Failure.String()] > 0 {
		return nil
	}
	for _, o := range slices.Sorted(maps.Keys(a.ErrorsByOutcome)) {
		parts = append(parts, answer.CountLine(2, o, a.ErrorsByOutcome[o], ""))
	}
	return parts
}

// OutcomeLine returns how the session ended, with the recorded reason and score.
func (a *StatsAnswer) OutcomeLine() answer.Line {
	o := &a.Outcome
	l := answer.Line{Label: "outcome", Number: o.State.String()}
	switch o.State {
	case model.RunFailed:
		l.Sign, l.Tone = "✗", answer.Bad
	case model.RunInterrupted:
		l.Sign, l.Tone = "■", answer.Warn
	case model.RunFinished:
		l.Sign, l.Tone = "✓", answer.Good
	case model.RunUnknown:
		l.Tone = answer.Dim
	}
	if reason := human.OneLine(string(o.Reason), 100); reason != l.Number {
		l.Note = reason
	}
	if o.Score != nil {
		l.Note = strings.TrimSpace(l.Note + "   score " + human.ShortFloat(*o.Score, -1))
	}
	return l
}

// outcome returns lines about the end of the session and its models.
func (a *StatsAnswer) outcome() []string {
	l := a.OutcomeLine()
	lines := []string{"outcome   " + l.Number}
	if l.Note != "" {
		lines[0] += ": " + l.Note
	}
	if a.Why != "" {
		lines = append(lines, "why       "+human.OneLine(a.Why, 160))
	}
	if len(a.Models) > 0 {
		lines = append(lines, "models    "+human.OneLine(strings.Join(a.Models, ", "), 120))
	}
	return lines
}

// UsageLines returns the recorded tokens and the cost.
func (a *StatsAnswer) UsageLines() []answer.Line {
	u := &a.Usage
	input := int64(0)
	for _, n := range [...]*int64{u.Input, u.CacheRead, u.CacheWrite} {
		if n != nil {
			input += *n
		}
	}
	var lines []answer.Line
	add := func(indent int, name, number, note string) {
		tone := answer.Plain
		if number == human.NotSaid || number == human.Zero {
			tone = answer.Dim
		}
		lines = append(lines, answer.Line{Label: name, Indent: indent, Number: number, Note: note, Tone: tone})
	}
	row := func(indent int, name string, n *int64, share bool) {
		switch {
		case n == nil:
			add(indent, name, human.NotSaid, "not recorded")
		case share && *n > 0:
			add(indent, name, human.Short(*n), human.Percent(*n, input))
		default:
			add(indent, name, human.OrDot(*n, human.Short[int64]), "")
		}
	}
	row(2, "input, uncached", u.Input, true)
	row(2, "cache read", u.CacheRead, true)
	row(2, "cache write", u.CacheWrite, true)
	output, from := a.OutputText()
	add(2, "output", output, from)
	row(4, "reasoning", u.Reasoning, false)
	if a.UnrecordedOutput > 0 && u.Total != nil {
		add(2, "total", human.Short(*u.Total), "recorded")
	} else {
		row(2, "total", u.Total, false)
	}
	cost, priced := a.CostText()
	add(2, "cost", cost, priced)
	return lines
}

// WindowLine returns the fill of the context window and the number of compactions. Without recorded
// fill, it has no number.
func (a *StatsAnswer) WindowLine() answer.Line {
	l := answer.Line{Label: "context window"}
	if c := a.Context; c != nil {
		l.Number = human.Short(c.Last) + " now, " + human.Short(c.Most) + " peak"
		if c.Window > 0 {
			l.Number += ", of " + c.window()
		}
	}
	if a.Compactions > 0 {
		l.Note = "compacted " + human.Plural(a.Compactions, "time")
	}
	return l
}

// window returns the size of the window, or the two possible ones.
func (c *ContextUse) window() string {
	text := human.Short(int64(c.Window))
	if c.Or > 0 {
		text += " or " + human.Short(int64(c.Or))
	}
	return text
}

// Fill returns how full the window is now: "57 % of 200k", or "114k of 200k or 1.0M" if the
// transcript does not decide between two sizes. It returns "" without a known window.
func (c *ContextUse) Fill() string {
	switch {
	case c == nil || c.Window == 0:
		return ""
	case c.Or > 0:
		return human.Short(c.Last) + " of " + c.window()
	}
	return human.Percent(c.Last, int64(c.Window)) + " of " + c.window()
}

// UsageHead returns the heading of UsageLines.
func (a *StatsAnswer) UsageHead() string {
	return "usage, recorded in " + human.Plural(a.Responses, "response")
}

// OutputText returns the output tokens for people, and their source: the record, or an estimate by
// the size of the text, with a "~", if an agent recorded placeholders.
func (a *StatsAnswer) OutputText() (text, from string) {
	text = OutputCell(a.Usage.Output, a.UnrecordedOutput).Text
	switch n := a.Usage.Output; {
	case n == nil:
		from = "not recorded"
	case a.UnrecordedOutput > 0:
		from = "estimated; " + human.Count(*n) + " recorded"
	}
	return text, from
}

// OutputCell returns the cell of recorded output tokens. A "~" marks the sum with an estimate of
// missing ones.
func OutputCell(recorded *int64, missing int64) answer.Cell {
	switch {
	case recorded == nil:
		return answer.Unknown
	case missing > 0:
		return answer.Cell{Text: "~" + human.Short(*recorded+missing)}
	}
	return answer.Size(*recorded)
}

// outputOrder returns the number by which rows of OutputCell are sorted.
func outputOrder(output *int64, missing int64) int64 { return recorded(output) + missing }

// TokenKinds are the names of the kinds of text, in drawing order.
var TokenKinds = [...]string{"results", "arguments", "reasoning", "assistant", "user", "system, injected", "other"}

// ByKind returns the tokens in the order of [TokenKinds].
func (k *KindTokens) ByKind() [len(TokenKinds)]int64 {
	return [...]int64{k.Results, k.Arguments, k.Reasoning, k.Assistant, k.User, k.System, k.Other}
}

// TokensHead is the heading of [StatsAnswer.TokenLines].
const TokensHead = "tokens, counted by turns"

// TokenLines returns the counted tokens: all of them, then each kind, the largest first, with its
// share as Part.
func (a *StatsAnswer) TokenLines() (lines []answer.Line) {
	if a.TotalTokens == nil {
		return nil
	}
	lines = []answer.Line{{Label: "all", Indent: 2, Number: human.OrDot(*a.TotalTokens, human.Short[int64]), Note: human.ShortFloat(*a.AvgTokensPerMessage, 1) + " per message"}}
	for i, n := range a.TokensByKind.ByKind() {
		if n > 0 {
			part := float64(n) / float64(*a.TotalTokens)
			lines = append(lines, answer.Line{Label: TokenKinds[i], Indent: 2, Number: human.Short(n), Note: human.Percent(n, *a.TotalTokens), Part: part})
		}
	}
	slices.SortStableFunc(lines[1:], func(x, y answer.Line) int { return cmp.Compare(y.Part, x.Part) })
	return lines
}

// time returns lines about the use of time.
func (a *StatsAnswer) time() []string {
	s := &a.Time
	if s.Whole() == 0 {
		return nil
	}
	line := "time " + s.Whole().String()
	for _, part := range s.Parts() {
		line += "   " + part.Kind.String() + " " + part.Took.String()
	}
	switch a.DurationSource {
	case "derived":
		line += "   durations of calls are upper bounds"
	case "mixed":
		line += "   some durations of calls are upper bounds"
	}
	if a.Critical.Calls == 0 {
		return []string{line}
	}
	return []string{line, a.Critical.Line()}
}

// SlowLines returns the slowest calls and responses, with their durations and places.
func (a *StatsAnswer) SlowLines() []answer.Line {
	lines := make([]answer.Line, len(a.Slowest))
	for i := range a.Slowest {
		x := &a.Slowest[i]
		lines[i] = answer.Line{Label: x.Name, Number: x.Duration.String(), Note: string(x.About), Place: &answer.Place{ID: x.ID, Call: x.Call, Index: int(x.Index)}}
		if x.Kind != "call" {
			lines[i].Label = "model"
		}
	}
	return lines
}

// LargeLines returns the largest results, arguments and texts, with their sizes and places.
func (a *StatsAnswer) LargeLines() []answer.Line {
	lines := make([]answer.Line, len(a.Largest))
	for i := range a.Largest {
		x := &a.Largest[i]
		lines[i] = answer.Line{Label: x.Name, Number: model.SizeOf(x.Bytes), Note: string(x.About), Place: &answer.Place{ID: x.ID, Call: x.Call, Index: int(x.Index)}}
		if x.Tokens != nil {
			lines[i].Number = human.Short(*x.Tokens)
		}
		if x.Kind == "arguments" {
			lines[i].Label += " args"
		}
	}
	return lines
}

// itemTable returns a table of the first few of the slowest or largest items.
func itemTable(lines []answer.Line) *answer.Table {
	t := answer.NewTable(">", "", "", "")
	t.Columns[1].Room, t.Columns[2].Room = 24, 60
	for i := range lines[:min(5, len(lines))] {
		l := &lines[i]
		t.Add(l.Number, l.Label, l.Note, answer.At(l.Place.Index).Text).Indent = 2
	}
	return t
}
