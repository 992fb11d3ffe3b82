package summary

import (
	"encoding/json"

	"turns/query"
	"turns/query/human"
)

// ToolNumbers is the use of one tool in JSON: the same fields for one session and for many.
type ToolNumbers struct {
	Name    string `json:"tool_name"`
	Calls   int64  `json:"call_count"`
	Errors  int64  `json:"tool_errors"`    // calls and results without a call that failed
	Denied  int64  `json:"denied_calls"`   // of the errors: the user or a rule refused the call
	Pending int64  `json:"pending_calls"`  // calls without a result
	Orphans int64  `json:"orphan_results"` // results without a call
	// Sessions is the number of sessions that used the tool.
	Sessions  int64          `json:"sessions"`
	Durations *CallDurations `json:"durations"` // null: no duration is known
	ArgsSize  int64          `json:"argument_bytes"`
	ResSize   int64          `json:"result_bytes"`
	// ArgsTokens and ResTokens are counted tokens; null: not counted.
	ArgsTokens *int64 `json:"argument_tokens"`
	ResTokens  *int64 `json:"result_tokens"`
}

// CallDurations is the duration of calls in seconds, by nearest-rank percentiles.
type CallDurations struct {
	P50     human.Millis `json:"p50_seconds"`
	P95     human.Millis `json:"p95_seconds"`
	Max     human.Millis `json:"max_seconds"`
	Total   human.Millis `json:"total_seconds"`
	Known   int64        `json:"known"`   // calls with a known duration
	Derived int64        `json:"derived"` // of them, upper bounds from the times of messages
}

// Numbers returns the numbers of a tool for JSON.
func (t *ToolStats) Numbers() ToolNumbers {
	n := ToolNumbers{
		Name: t.Name, Calls: int64(t.Calls), Errors: int64(t.Errors), Denied: int64(t.Denied), Pending: int64(t.Pending), Sessions: 1,
		ArgsSize: t.ArgsSize, ResSize: t.ResultSize, ArgsTokens: t.ArgsTokens, ResTokens: t.ResultTokens,
	}
	if t.Orphan {
		n.Orphans, n.Pending = int64(len(t.Rows)), 0
	}
	if t.Timed > 0 {
		n.Durations = &CallDurations{t.P50, t.P95, t.Max, t.Total, int64(t.Timed), int64(t.Derived)}
	}
	return n
}

// ToolsJSON is the output of turns tools for one session.
type ToolsJSON struct {
	Version int `json:"version"`
	// Tools are the calls of the session itself. A tool with results without a call has a
	// second row for them, with a call_count of 0.
	Tools []ToolRow `json:"tools"`
	// InSubagents are the calls of subagents that the transcript contains.
	InSubagents []ToolRow `json:"in_subagents"`
	// InOtherFiles are calls of subagents whose transcripts are separate files: they count there.
	InOtherFiles []ToolRow `json:"in_other_files"`
}

// ToolRow is one tool with its calls. The lists have an entry per call, in order.
type ToolRow struct {
	ToolNumbers
	AsksHuman bool              `json:"asks_human"` // it waits for the user: its time is in no sum
	Arguments []json.RawMessage `json:"arguments"`  // JSON as recorded, or a string; null: not recorded
	Results   []*string         `json:"results"`    // null: no result
	CallIDs   []string          `json:"tool_call_ids"`
	InText    []string          `json:"in_text"` // ids of calls that only the text of a script shows
	Indexes   []int             `json:"indexes"` // positions of the messages
}

// TimelineJSON is the output of turns timeline for one session.
type TimelineJSON struct {
	Version int        `json:"version"`
	Turns   []TurnJSON `json:"turns"`
}

// TurnJSON is one turn: a prompt and everything up to the next.
type TurnJSON struct {
	Index int `json:"index"` // from 0
	// UserContent is the prompt, AssistantContent the text of the model; null: no text.
	UserContent      *string        `json:"user_content"`
	AssistantContent *string        `json:"assistant_content"`
	Interactions     []CallJSON     `json:"tool_interactions"`
	SystemContext    *string        `json:"system_context"` // system messages and injected text
	Steps            []StepJSON     `json:"steps"`
	Messages         []int          `json:"messages"`     // positions
	Copied           int            `json:"copied_calls"` // calls inherited from another session
	Start            human.Stamp    `json:"first_time"`
	Took             human.Millis   `json:"duration_seconds"`
	Asked            human.Millis   `json:"asked_seconds"` // part of it: calls waiting for the user
	Usage            query.UsageSum `json:"usage"`
	Recorded         *float64       `json:"recorded_cost_usd"` // null: not recorded
	Cost             *Cost          `json:"cost"`              // with estimates; null: no usage
	Interrupted      bool           `json:"interrupted"`
	Failed           bool           `json:"failed"` // a request to the model failed
}

// StepJSON is one response of the model.
type StepJSON struct {
	Message int `json:"message"` // position
	Calls   int `json:"tool_calls"`
	Errors  int `json:"tool_errors"`
}

// CallJSON is one call with its result, or a result without a call.
type CallJSON struct {
	Tool      string          `json:"tool_name"`
	ID        *string         `json:"tool_call_id"` // null: not recorded
	Arguments json.RawMessage `json:"arguments"`    // JSON as recorded, or a string; null: no call
	Result    *string         `json:"result"`       // null: no result
	Outcome   string          `json:"outcome"`
	Error     bool            `json:"error"` // the outcome is a failure
	Took      *human.Millis   `json:"duration_seconds"`
	Derived   bool            `json:"duration_derived"` // an upper bound from the times of messages
	Orphan    bool            `json:"orphan"`           // a result without a call
	Subagent  *string         `json:"subagent"`         // name of the subagent that made it; null: the session itself
}
