package library

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"turns/model"
	"turns/query"
	"turns/query/human"
	"turns/query/summary"
)

// Stats returns the messages, tokens, calls, errors and times of the session in numbers. Its String
// method returns the text of turns stats.
func (s *Session) Stats() (*summary.StatsAnswer, error) {
	ctx := context.Background()
	stats, err := summary.Stats(ctx, s.view.Selection, s.counter())
	if err != nil {
		return nil, err
	}
	return stats, stats.Describe(ctx)
}

// Call is a tool call with its result.
type Call struct {
	ID        string // as recorded; "" if there is none
	Tool      string
	Arguments string // JSON for most tools
	Result    string // "" if there is none
	Outcome   string // success, failure, denied …, or pending without a result
	Orphan    bool   // a further result, or one without a call
	Standing  string // of an Orphan: result without a call, another result, or a repeated result
}

// String returns the call on one line.
func (c Call) String() string {
	if c.Orphan {
		return fmt.Sprintf("%s %s (%s): %s", name(c.ID), c.Standing, c.Outcome, short(c.Result))
	}
	return fmt.Sprintf("%s %s(%s) = %s: %s", name(c.ID), name(c.Tool), short(c.Arguments), c.Outcome, short(c.Result))
}

// ToolStats is a tool with its calls.
type ToolStats struct {
	Name   string
	Count  int // number of calls; results without a call are not counted
	Errors int
	Calls  []Call // in order
}

// String returns the tool and its calls, one per line.
func (t ToolStats) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s, %s\n", name(t.Name), human.Plural(t.Count, "call"), human.Plural(t.Errors, "error"))
	for _, c := range t.Calls {
		fmt.Fprintf(&b, "  %s\n", c)
	}
	return b.String()
}

// Tools returns each tool of the session, in the order of their first calls.
func (s *Session) Tools() ([]ToolStats, error) {
	answer := summary.ToolSummary(s.view.Selection, nil)
	pairs := query.NewPairs(s.all.Snap)
	tools := make([]ToolStats, 0, len(answer.Tools))
	for i := range answer.Tools {
		t := &answer.Tools[i]
		calls, err := readCalls(pairs, t.Rows)
		if err != nil {
			return nil, err
		}
		tools = append(tools, ToolStats{t.Name, t.Calls, t.Errors, calls})
	}
	return tools, nil
}

func readCalls(pairs *query.Pairs, rows []model.CallID) ([]Call, error) {
	var calls []Call
	for _, id := range rows {
		c, err := pairs.Read(context.Background(), id)
		if err != nil {
			return nil, err
		}
		call := Call{Tool: query.ToolName(pairs.Snap, c.Row), Outcome: c.Row.Outcome.String(), Orphan: c.Call == nil, Standing: c.Standing()}
		if query.Pending(c.Row) {
			call.Outcome = "pending"
		}
		if c.Call != nil {
			call.ID, call.Arguments = c.Call.ID, c.Call.Text
		}
		if c.Result != nil {
			call.Result = c.Result.Text
			call.ID = cmp.Or(call.ID, c.Result.ID)
		}
		calls = append(calls, call)
	}
	return calls, nil
}

// Turn is a prompt and everything up to the next prompt.
type Turn struct {
	Index     int // from 0, in the whole session
	System    string
	User      string
	Assistant string
	Calls     []Call
}

// String returns the prompt, the calls and the answer, one per line.
func (t Turn) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s user: %s\n", human.Place(t.Index), short(t.User))
	for _, c := range t.Calls {
		fmt.Fprintf(&b, "  %s\n", c)
	}
	if t.Assistant != "" {
		fmt.Fprintf(&b, "  assistant: %s\n", short(t.Assistant))
	}
	return b.String()
}

// Timeline lists the turns of a session in order.
type Timeline []Turn

// String returns all turns as text.
func (t Timeline) String() string {
	var b strings.Builder
	for _, turn := range t {
		b.WriteString(turn.String())
	}
	return b.String()
}

// Turns returns the session as its turns.
func (s *Session) Turns() (Timeline, error) {
	answer := summary.Timeline(s.view.Selection)
	pairs := query.NewPairs(s.all.Snap)
	covered := query.NewCoverage(s.view.Selection)
	turns := make(Timeline, 0, len(answer.Turns))
	for i := range answer.Turns {
		t := Turn{Index: answer.Turns[i].Number}
		for _, id := range answer.Turns[i].Messages {
			if err := t.add(pairs, &covered, id); err != nil {
				return nil, err
			}
		}
		turns = append(turns, t)
	}
	return turns, nil
}

// add adds a message to the turn.
func (t *Turn) add(pairs *query.Pairs, covered *query.Coverage, id model.ID) error {
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
	var rows []model.CallID
	for _, c := range covered.CallsAt(id) {
		rows = append(rows, c.ID)
	}
	calls, err := readCalls(pairs, rows)
	t.Calls = append(t.Calls, calls...)
	return err
}

// short returns a text on one line of at most 80 columns.
func short(s string) string { return human.OneLine(s, 80) }

func name(s string) string { return human.OneLine(s, 60) }
