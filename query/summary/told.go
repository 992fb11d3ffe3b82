package summary

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"turns/model"
	"turns/query"
	"turns/query/answer"
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
	long bool // all calls, with their ids, arguments and results
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

// call describes a call in one line: as its row on the screen, or in long form with its id, its
// arguments and its result. A named line begins with the tool.
func (t *callLines) call(ctx context.Context, id model.CallID, named bool) (string, error) {
	c, err := t.read.Read(ctx, id)
	if err != nil {
		return "", err
	}
	row := describe.NewDescriber(t.snap.Session(c.Row.Place())).Row(&c)
	words := []string{row.Glyph()}
	switch {
	case t.long:
		words = append(words, t.inFull(&c, row.Outcome))
	case named && c.Call != nil:
		words = append(words, row.Word)
		fallthrough
	default:
		words = append(words, t.cut(row.About))
		if row.Outcome != "" {
			words = append(words, "·", row.Outcome)
		}
	}
	return model.CleanLine(strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " ")), nil
}

// inFull describes a call by its id, its arguments and its result; by its outcome if it has none.
func (t *callLines) inFull(c *query.CallOf, outcome string) string {
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
	if c.Result != nil && strings.TrimSpace(c.Result.Text) != "" {
		outcome = t.cut(model.Printed(c.Result.Text))
		if c.Row.InText() {
			outcome += " · " + describe.OnlyInText
		}
	}
	return strings.Join(parts, " ") + " = " + outcome
}

// For speed only: callBatch is how many calls are described at a time, which reads their texts.
const callBatch = 1024

// Docs describes the tools, then the calls of each tool: some of them as the screen does, or all
// with their ids, arguments and results.
func (a *ToolsAnswer) Docs(ctx context.Context, long bool) iter.Seq2[*answer.Doc, error] {
	return func(yield func(*answer.Doc, error) bool) {
		if !yield(a.Doc(), nil) {
			return
		}
		t := newTeller(a.sel.Snap, long)
		for _, list := range [...][]ToolStats{a.Tools, a.InAgents} {
			for i := range list {
				head := []string{"", human.OneLine(list[i].Name, 60)}
				for rows := range slices.Chunk(list[i].Rows[:t.most(len(list[i].Rows))], callBatch) {
					s := answer.Section{Text: head, Only: answer.InText}
					head = nil
					err := t.calls(ctx, rows, &s)
					if more := len(list[i].Rows) - len(rows); more > 0 && !long {
						s.Notes = []string{"       … " + human.Count(more) + " more; --long shows all"}
					}
					if !yield(&answer.Doc{Sections: []answer.Section{s}}, err) || err != nil {
						return
					}
				}
			}
		}
	}
}

// calls adds lines with calls to a section: rows of a table, cut on a terminal, or long wrapped
// lines.
func (t *callLines) calls(ctx context.Context, rows []model.CallID, s *answer.Section) error {
	if !t.long {
		s.Table = &answer.Table{Columns: []answer.Head{{Kind: answer.Number, Least: 6}, {}}}
	}
	for _, row := range rows {
		line, err := t.call(ctx, row, t.long)
		if err != nil {
			return err
		}
		place := answer.At(t.snap.Pos(t.snap.Call(row).Place())).Text
		if t.long {
			s.Text = append(s.Text, fmt.Sprintf("%6s  %s", place, line))
		} else {
			s.Table.Add(place, line)
		}
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
		line, err := t.call(ctx, row, true)
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	if more := len(rows) - n; more > 0 {
		lines = append(lines, "… "+human.Plural(more, "call")+" more; --long shows all")
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
