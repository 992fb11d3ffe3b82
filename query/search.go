package query

import (
	"context"
	"io"
	"strconv"
	"strings"

	"turns/model"
)

// SearchAnswer is what a search found.
type SearchAnswer struct {
	Version  int           `json:"version"`
	Query    string        `json:"query"`
	Messages int           `json:"messages"` // that match
	Matches  []SearchMatch `json:"matches"`  // the first of each message
}

// SearchMatch is a message that matches and the first line of it that does.
type SearchMatch struct {
	ID    model.ID `json:"-"`
	Index int      `json:"index"` // -1 for bookkeeping
	Role  string   `json:"role"`
	Time  Stamp    `json:"time"`
	Where string   `json:"where"` // text, reasoning, call, result …
	Tool  string   `json:"tool,omitempty"`
	Line  string   `json:"line"`  // as recorded: one line of the text, or the part of it around the match
	Spans [][2]int `json:"spans"` // byte ranges of Line that match, ascending
	Count int      `json:"count"` // matches in the message; 0: not counted
}

// WriteJSON writes the answer.
func (a *SearchAnswer) WriteJSON(_ context.Context, w io.Writer) error {
	b := *a
	if b.Matches == nil {
		b.Matches = []SearchMatch{}
	}
	return writeJSON(w, &b)
}

// String is the answer as lines of index, role and text, and how many there are.
func (a *SearchAnswer) String() string {
	var b strings.Builder
	for i := range a.Matches {
		b.WriteString(a.Matches[i].String())
		b.WriteByte('\n')
	}
	if len(a.Matches) > 0 {
		b.WriteByte('\n')
	}
	b.WriteString(Plural(a.Messages, "message") + " match")
	if a.Messages == 1 {
		b.WriteString("es")
	}
	b.WriteByte('\n')
	return b.String()
}

// Fit makes a part of the line fit for people: of a result as a terminal would show it.
func (m *SearchMatch) Fit(part string) string {
	if m.Where == model.ToolResult.String() {
		return model.Printed(part)
	}
	return model.Clean(part)
}

// String is the match as one line without colours: index, role or tool, text.
func (m *SearchMatch) String() string {
	index := NotSaid
	if m.Index >= 0 {
		index = strconv.Itoa(m.Index)
	}
	who := m.Role
	if m.Tool != "" {
		who = m.Tool
	}
	t := newTable(">", "", "")
	t.rows = nil
	t.width = []int{6, 11, 0}
	var b strings.Builder
	t.line(&b, []string{index, oneLine(who, 24), strings.Join(strings.Fields(m.Fit(m.Line)), " ")})
	return strings.TrimRight(b.String(), "\n")
}
