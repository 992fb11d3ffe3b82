package summary

import (
	"context"
	"fmt"
	"io"
	"strings"

	"turns/model"
	"turns/query"
	"turns/query/describe"
	"turns/query/human"
)

// The numbers of calls of a tool and of a turn in a text, and the length of their texts.
const (
	shownCalls = 3
	callWidth  = 80
)

// callLines describes calls in one line each.
type callLines struct {
	snap *model.Snapshot
	read *query.Pairs
	long bool // all calls, and more of their texts
}

func newTeller(s *model.Snapshot, long bool) *callLines {
	return &callLines{snap: s, read: query.NewPairs(s), long: long}
}

// most returns how many of n calls to list.
func (t *callLines) most(n int) int {
	if t.long {
		return n
	}
	return min(n, shownCalls)
}

func (t *callLines) cut(s string) string {
	width := callWidth
	if t.long {
		width *= 10
	}
	return human.OneLine(s, width)
}

// call returns a line with the id, the arguments and the result of a call.
func (t *callLines) call(ctx context.Context, id model.CallID) (string, error) {
	c, err := t.read.Read(ctx, id)
	if err != nil {
		return "", err
	}
	line := describe.NewDescriber(t.snap.Session(c.Row.Place())).Row(&c)
	var parts []string
	for _, b := range [...]*model.Content{c.Call, c.Result} {
		if b != nil && b.ID != "" && len(parts) == 0 {
			parts = append(parts, human.OneLine(b.ID, 40))
		}
	}
	if c.Call != nil {
		parts = append(parts, query.ToolName(t.snap, c.Row)+"("+t.cut(c.Call.Text)+")")
	} else {
		parts = append(parts, "("+c.Standing()+")")
	}
	answer := line.Outcome
	if c.Result != nil && strings.TrimSpace(c.Result.Text) != "" {
		answer = t.cut(model.Printed(c.Result.Text))
		if c.Row.InText() {
			answer += " · " + describe.OnlyInText
		}
	}
	return line.Glyph() + " " + model.CleanLine(strings.Join(parts, " ")+" = "+answer), nil
}

// WriteCalls writes the calls of each tool with their ids, arguments and results: some of them, or
// all. It cuts lines to the columns of a terminal; 0: no terminal.
func (a *ToolsAnswer) WriteCalls(ctx context.Context, w io.Writer, columns int, long bool) error {
	t := newTeller(a.sel.Snap, long)
	for _, list := range [...][]ToolStats{a.Tools, a.InAgents} {
		for i := range list {
			if err := a.write(ctx, w, columns, t, &list[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (a *ToolsAnswer) write(ctx context.Context, w io.Writer, columns int, t *callLines, tool *ToolStats) error {
	if _, err := fmt.Fprintf(w, "\n%s\n", human.OneLine(tool.Name, 60)); err != nil {
		return err
	}
	n := t.most(len(tool.Rows))
	for _, row := range tool.Rows[:n] {
		line, err := t.call(ctx, row)
		if err != nil {
			return err
		}
		line = fmt.Sprintf("%6s %s", Place(a.sel.Snap.Pos(a.sel.Snap.Call(row).Place())), line)
		if columns > 0 && !t.long {
			line = human.CutText(line, columns)
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	if more := len(tool.Rows) - n; more > 0 {
		_, err := fmt.Fprintf(w, "       … %s more; --long tells all\n", human.Count(more))
		return err
	}
	return nil
}

// turn returns lines with the calls of a turn and its answer.
func (t *callLines) turn(ctx context.Context, covered *query.Coverage, turn *Turn) (lines []string, err error) {
	var rows []model.CallID
	for _, id := range turn.Messages {
		for _, row := range covered.CallsAt(id) {
			rows = append(rows, row.ID)
		}
	}
	n := t.most(len(rows))
	for _, row := range rows[:n] {
		line, err := t.call(ctx, row)
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	if more := len(rows) - n; more > 0 {
		lines = append(lines, "… "+human.Plural(more, "call")+" more; --long tells all")
	}
	for i := len(turn.Messages) - 1; i >= 0; i-- {
		h := t.snap.HeadRow(turn.Messages[i])
		if h.Role != model.Assistant || h.Flags&model.HasWords == 0 {
			continue
		}
		m, err := t.read.Body(ctx, turn.Messages[i])
		if err != nil {
			return nil, err
		}
		if text, _ := m.Content(); strings.TrimSpace(text) != "" {
			return append(lines, "● "+model.CleanLine(t.cut(text))), nil
		}
	}
	return lines, nil
}
