package session

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"turns/query/answer"
	"turns/query/human"
	"turns/query/label"
)

// View is the input of cells apart from the session.
type View struct {
	Now    time.Time
	Zone   *time.Location
	Layout string // of times
}

// Shown is a session in a view.
type Shown struct {
	*Session
	*View
}

// Column is a column of a list of sessions.
type Column = answer.Column[Shown]

// Columns returns the columns of a list of sessions, on the screen and on the command line, by name
// and in order; without names the default ones.
func Columns(labelled bool, names ...string) []Column {
	if len(names) == 0 {
		return slices.DeleteFunc(slices.Clone(columns), func(c Column) bool { return !labelled && c.Name == "labels" })
	}
	return answer.Pick(columns, names...)
}

// ColumnNames returns the names of all columns in order.
func ColumnNames() []string {
	var names []string
	for _, c := range columns {
		names = append(names, c.Name)
	}
	return names
}

var columns = []Column{
	{Name: "when", Head: "  when", JSON: "last_time", Width: 8, Cell: whenCell, Order: func(a, b Shown) int { return a.When().Compare(b.When()) }},
	{Name: "agent", Head: "agent", JSON: "agent", Width: 11, Most: 17, Gap: 2, Drop: 7, Asc: true, Cell: text(answer.Name, (*Session).AgentName), Order: byText((*Session).AgentName)},
	{Name: "project", Head: "project", JSON: "project", Width: 12, Most: 24, Gap: 2, Drop: 8, Asc: true, Cell: text(answer.Plain, (*Session).Folder), Order: byText((*Session).Folder)},
	{Name: "title", Head: "title or first prompt", JSON: "title", Width: 16, Gap: 2, Flex: 8, Asc: true, Cell: titleCell, Order: byText((*Session).Name)},
	{Name: "messages", Head: "msgs", JSON: "total_messages", Width: 5, Gap: 1, Drop: 3, Kind: answer.Number, Cell: messagesCell, Order: byNumber((*Session).messages)},
	{Name: "tokens", Head: "output", JSON: "output_tokens", Width: 6, Gap: 1, Drop: 5, Kind: answer.Number, Cell: tokensCell, Order: byNumber((*Session).output)},
	{Name: "errors", Head: "err", JSON: "tool_errors", Width: 4, Gap: 1, Kind: answer.Number, Cell: errorsCell, Order: byNumber(func(s *Session) int64 { return int64(s.AllErrors()) })},
	{Name: "duration", Head: "dur", JSON: "duration_seconds", Width: 6, Gap: 1, Drop: 9, Kind: answer.Number, Cell: tookCell, Order: byNumber(func(s *Session) int64 { return int64(s.Took()) })},
	{Name: "cost", Head: "cost", JSON: "cost", Width: 8, Gap: 1, Drop: 4, Kind: answer.Number, Cell: costCell, Order: func(a, b Shown) int { return cmp.Compare(a.Cost, b.Cost) }},
	{Name: "labels", Head: "labels", JSON: "labels", Width: 12, Most: 28, Gap: 2, Drop: 6, Asc: true, Cell: text(answer.Name, (*Session).labelText), Order: byText((*Session).labelText)},
	{Name: "end", Head: "end", JSON: "state", Width: 12, Want: 18, Most: 24, Gap: 2, Flex: 1, Asc: true, Cell: endCell, Order: byEnd},
}

func text(tone answer.Tone, of func(*Session) string) func(Shown) answer.Cell {
	return func(s Shown) answer.Cell { return answer.Cell{Text: of(s.Session), Tone: tone} }
}

func byText(of func(*Session) string) func(a, b Shown) int {
	return answer.ByText(func(s Shown) string { return of(s.Session) })
}

func byNumber(of func(*Session) int64) func(a, b Shown) int {
	return answer.By(func(s Shown) int64 { return of(s.Session) })
}

// titleCell begins with unread content of the store, because the row may describe only a part of
// the session.
func titleCell(s Shown) answer.Cell {
	switch {
	case s.Unread != "":
		return answer.Cell{Text: s.Warned(), Tone: answer.Bad}
	case s.Missed() > 0:
		return answer.Cell{Text: s.Warned(), Tone: answer.Warn}
	}
	return answer.Cell{Text: s.Name(), Tone: answer.Plain}
}

// labelText returns the annotations of a session, without repetitions.
func (s *Session) labelText() string {
	var marks []label.Mark
	for _, m := range s.Labels {
		if !slices.Contains(marks, m) {
			marks = append(marks, m)
		}
	}
	return label.Join(marks)
}

// more returns the mark of a lower bound.
func (s *Session) more() string {
	if s.Partial {
		return "+"
	}
	return ""
}

func whenCell(s Shown) answer.Cell {
	if s.When().IsZero() {
		return answer.Cell{}
	}
	return answer.Cell{Text: s.When().In(s.Zone).Format(s.Layout), Tone: answer.Dim}
}

func (s *Session) messages() int64 { return int64(max(s.Messages, s.Estimate)) }

func messagesCell(s Shown) answer.Cell {
	switch {
	case !s.Partial:
		return answer.Cell{Text: human.Short(s.messages()), Tone: answer.Dim}
	case s.Estimate > 0:
		return answer.Cell{Text: "~" + human.Short(s.messages()), Tone: answer.Dim}
	case s.Messages > 0:
		return answer.Cell{Text: human.Short(s.messages()) + "+", Tone: answer.Dim}
	}
	return answer.Unknown
}

// output returns the number of output tokens: recorded, or at least those of the text.
func (s *Session) output() int64 { return max(s.Tokens, s.OutputLeast) }

func tokensCell(s Shown) answer.Cell {
	switch {
	case s.OutputLeast > s.Tokens: // the recorded number is too low
		return answer.Cell{Text: "~" + human.Short(s.OutputLeast), Tone: answer.Dim}
	case s.Tokens == 0:
		return answer.Unknown
	}
	return answer.Cell{Text: human.Short(s.Tokens) + s.more(), Tone: answer.Dim}
}

// AllErrors returns the errors of calls and of the model.
func (s *Session) AllErrors() int { return s.Errors + s.Failed }

func errorsCell(s Shown) answer.Cell {
	switch {
	case s.AllErrors() > 0:
		return answer.Cell{Text: human.Count(s.AllErrors()) + s.more(), Tone: answer.Bad}
	case s.Partial:
		return answer.Unknown
	}
	return answer.Cell{Text: human.Zero, Tone: answer.Dim}
}

func tookCell(s Shown) answer.Cell {
	if s.Took() <= 0 {
		return answer.Unknown
	}
	return answer.Cell{Text: human.Took(s.Took()), Tone: answer.Dim}
}

func costCell(s Shown) answer.Cell {
	if s.Cost == 0 {
		return answer.Unknown
	}
	text := human.Money(s.Cost)
	if s.Guessed {
		text = "~" + text
	}
	return answer.Cell{Text: text, Tone: answer.Dim}
}

func endCell(s Shown) answer.Cell {
	st := s.stateAt(s.Now)
	if st.Judged > 0 {
		return answer.Cell{Text: human.Count(s.Passed) + " of " + human.Count(s.Judged), More: " passed", Tone: answer.Dim}
	}
	c := answer.Cell{Text: st.String(), Tone: st.Tone()}
	switch {
	case c.Text == "":
		return answer.Unknown
	case st.Several > 0 && strings.HasSuffix(c.Text, st.last()):
		c.Short = func(int) string { return st.glyph() + " " + st.last() }
	case st.Live():
		c.Text = st.Words() // the row begins with a mark
		if !st.Since.IsZero() {
			age := " " + human.Clock(s.Now.Sub(st.Since))
			c.More = age
			c.Short = func(room int) string { return st.short(age, room) }
		}
	}
	return c
}

// byEnd sorts by state, then by score, then by words.
func byEnd(a, b Shown) int {
	x, y := a.State(), b.State()
	return cmp.Or(strings.Compare(x.Key(), y.Key()), cmp.Compare(a.score(), b.score()), strings.Compare(x.Words(), y.Words()))
}

// score returns the score of a session, or the share of passed sessions in a file of many; without
// a score, less than any score.
func (s *Session) score() float64 {
	switch {
	case s.Judged > 0:
		return float64(s.Passed) / float64(s.Judged)
	case s.Scored:
		return s.Score
	}
	return math.Inf(-1)
}

// Warned returns the name of the session, after warnings: unread content of its store, and a missed
// prompt cache.
func (s *Session) Warned() string {
	name := s.Name()
	if n := s.Missed(); n > 0 {
		name = "cache missed, " + human.Short(n) + " again · " + name
	}
	if s.Unread != "" {
		name = "unread " + s.Unread + " · " + name
	}
	return name
}
