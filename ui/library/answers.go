package library

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"turns/model"
	"turns/query"
	"turns/query/summary"
)

// Interaction is a call of a tool and what came of it.
type Interaction struct {
	ID        string // as recorded; "" where there is none
	Tool      string
	Arguments string // JSON mostly
	Result    string
	Outcome   string // success, failure …; pending where there is no result
}

// String is the interaction on one line.
func (i Interaction) String() string {
	return fmt.Sprintf("%s %s(%s) = %s: %s", i.ID, i.Tool, short(i.Arguments), i.Outcome, short(i.Result))
}

// ToolStats is one tool: how often it was called, with what, and what it gave.
type ToolStats struct {
	Name   string
	Calls  int
	Errors int
	All    []Interaction // in order
}

// String is the tool and its calls, one a line.
func (t ToolStats) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d calls, %d errors\n", t.Name, t.Calls, t.Errors)
	for _, i := range t.All {
		fmt.Fprintf(&b, "  %s\n", i)
	}
	return b.String()
}

// Tools is what each tool did, that of the first call first.
func (r *Run) Tools() ([]ToolStats, error) {
	answer := summary.ToolSummary(r.view.Selection, nil)
	pairs := query.NewPairs(r.all.Snap)
	tools := make([]ToolStats, 0, len(answer.Tools))
	for i := range answer.Tools {
		t := &answer.Tools[i]
		all, err := interactions(pairs, t.Rows)
		if err != nil {
			return nil, err
		}
		tools = append(tools, ToolStats{t.Name, t.Calls, t.Errors, all})
	}
	return tools, nil
}

func interactions(pairs *query.Pairs, rows []model.CallID) ([]Interaction, error) {
	var all []Interaction
	for _, id := range rows {
		c, err := pairs.Read(context.Background(), id)
		if err != nil {
			return nil, err
		}
		in := Interaction{Tool: query.ToolName(pairs.Snap, c.Row), Outcome: c.Row.Outcome.String()}
		if query.Pending(c.Row) {
			in.Outcome = "pending"
		}
		if c.Call != nil {
			in.ID, in.Arguments = c.Call.ID, c.Call.Text
		}
		if c.Result != nil {
			in.Result = c.Result.Text
			in.ID = cmp.Or(in.ID, c.Result.ID)
		}
		all = append(all, in)
	}
	return all, nil
}

// Turn is a prompt and what came of it. A system prompt before it is its context.
type Turn struct {
	Index        int // from 0
	System       string
	User         string
	Assistant    string
	Interactions []Interaction
}

// String is the turn at a glance: what was asked, the calls, what was answered.
func (t Turn) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "#%d user: %s\n", t.Index, short(t.User))
	for _, i := range t.Interactions {
		fmt.Fprintf(&b, "  %s\n", i)
	}
	if t.Assistant != "" {
		fmt.Fprintf(&b, "  assistant: %s\n", short(t.Assistant))
	}
	return b.String()
}

// Turns is the run as its turns, in order.
func (r *Run) Turns() ([]Turn, error) {
	answer := summary.Timeline(r.view.Selection)
	pairs := query.NewPairs(r.all.Snap)
	turns := make([]Turn, 0, len(answer.Turns))
	for i := range answer.Turns {
		t := Turn{Index: answer.Turns[i].Number}
		for _, id := range answer.Turns[i].Messages {
			if err := t.add(pairs, id); err != nil {
				return nil, err
			}
		}
		turns = append(turns, t)
	}
	return turns, nil
}

// add takes a message into the turn.
func (t *Turn) add(pairs *query.Pairs, id model.ID) error {
	m, err := pairs.Body(context.Background(), id)
	if err != nil {
		return err
	}
	text := map[model.Role]*string{
		model.System: &t.System, model.Developer: &t.System, model.User: &t.User, model.Assistant: &t.Assistant,
	}[m.Role]
	for i := range m.Blocks {
		if b := &m.Blocks[i]; text != nil && b.Kind == model.Words && b.Text != "" {
			*text = strings.TrimPrefix(*text+"\n"+b.Text, "\n")
		}
	}
	var made []model.CallID
	for _, c := range query.CallsOf(pairs.Snap, id) {
		made = append(made, c.ID)
	}
	more, err := interactions(pairs, made)
	t.Interactions = append(t.Interactions, more...)
	return err
}

// short is a text on one line, of at most 80 characters.
func short(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 80 {
		s = string(r[:79]) + "…"
	}
	return s
}
