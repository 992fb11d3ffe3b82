package summary

import (
	"context"
	"slices"
	"time"

	"turns/model"
	"turns/query"
	"turns/query/describe"
	"turns/query/human"
	"turns/query/label"
	"turns/query/lanes"
)

// StatsAnswer describes a selection in numbers. Counted numbers (tokens of the texts of messages)
// and recorded numbers (usage reported by the provider) are separate.
type StatsAnswer struct {
	Version             int              `json:"version"`
	Format              string           `json:"format"`
	TotalMessages       int              `json:"total_messages"`
	OfMessages          int              `json:"of_messages"` // messages in the transcript
	MessagesByRole      map[string]int   `json:"messages_by_role"`
	Injected            int              `json:"injected_messages"`
	TotalReasoning      int              `json:"total_reasoning"` // messages with reasoning
	ReasoningByModel    map[string]int   `json:"reasoning_by_model"`
	TotalTokens         *int64           `json:"total_tokens"` // null: not counted
	TokensByRole        map[string]int64 `json:"tokens_by_role"`
	TokensByKind        *KindTokens      `json:"tokens_by_kind"`
	AvgTokensPerMessage *float64         `json:"avg_tokens_per_message"`
	Encoding            human.TextOrNull `json:"encoding"` // of the counted tokens
	ToolCalls           int              `json:"tool_calls"`
	ToolResults         int              `json:"tool_results"`
	ToolErrors          int              `json:"tool_errors"`
	PendingCalls        int              `json:"pending_calls"`
	OrphanResults       int              `json:"orphan_results"`
	// failure, denied, interrupted, cancelled, timeout
	ErrorsByOutcome   map[string]int `json:"errors_by_outcome"`
	Turns             int            `json:"turns"`
	Steps             int            `json:"steps"`
	UnreadableRecords int            `json:"unreadable_records"`
	Usage             query.UsageSum `json:"usage"`
	// tokens of the text, by its size, beyond the placeholders recorded as its output
	UnrecordedOutput int64    `json:"-"`
	Cost             *float64 `json:"recorded_cost_usd"` // US dollars; null: not recorded
	// with estimates; null: Price was not called
	Spent     *Cost            `json:"cost"`
	Responses int              `json:"responses"`
	FirstTime human.Stamp      `json:"first_time"`
	LastTime  human.Stamp      `json:"last_time"`
	Models    []string         `json:"models"`
	Outcome   query.RunOutcome `json:"outcome"`
	// how a complete session ended, in words
	Why         string          `json:"why"`
	ModelErrors int             `json:"model_errors"`
	Time        lanes.TimeSplit `json:"time"`
	// the calls that determined the end
	Critical lanes.Critical `json:"critical_path"`
	// recorded, derived (upper bounds), mixed, or "" without any
	DurationSource string                `json:"duration_source"`
	Slowest        []SlowItem            `json:"slowest"`
	Largest        []LargeItem           `json:"largest"`
	Events         []describe.EventCount `json:"events"`
	Agents         AgentStats            `json:"agents"`
	Scripts        Scripts               `json:"scripts"`
	Rewound
	Branches
	Inherited
	Context     *ContextUse `json:"context"`
	Compactions int         `json:"compactions"`
	Sessions    int         `json:"sessions"`
	// labels of people, if any
	Labels []label.Count `json:"labels"`

	Zone *time.Location `json:"-"` // of the times in the text; nil is UTC
	sel  query.Selection
}

// KindTokens are token counts by kind of text.
type KindTokens struct {
	System    int64 `json:"system"` // system, developer and injected
	User      int64 `json:"user"`
	Assistant int64 `json:"assistant"`
	Reasoning int64 `json:"reasoning"`
	Arguments int64 `json:"arguments"` // with the names of the tools
	Results   int64 `json:"results"`
	Other     int64 `json:"other"`
}

// SlowItem is a slow call or response.
type SlowItem struct {
	Kind     string           `json:"kind"` // call or response
	Name     string           `json:"name"` // tool or model
	About    human.TextOrNull `json:"about"`
	ID       model.ID         `json:"-"`
	Call     model.CallID     `json:"-"` // NoRow for a response
	Index    human.Index      `json:"index"`
	Duration human.Millis     `json:"duration_seconds"`
	Derived  bool             `json:"derived"` // an upper bound
}

// LargeItem is a large result, argument or text.
type LargeItem struct {
	Kind   string           `json:"kind"` // result, arguments, or message
	Name   string           `json:"name"` // tool or role
	About  human.TextOrNull `json:"about"`
	ID     model.ID         `json:"-"`
	Call   model.CallID     `json:"-"` // NoRow for a message
	Index  human.Index      `json:"index"`
	Bytes  int64            `json:"bytes"`
	Tokens *int64           `json:"tokens"` // null: not counted
}

// AgentStats counts the subagents of the conversation. All other numbers include the messages and
// calls of those that run inside it; subagents with separate transcripts count there only.
type AgentStats struct {
	Count    int `json:"count"`
	Messages int `json:"messages"`
	Calls    int `json:"tool_calls"`
	Errors   int `json:"tool_errors"`
	Apart    int `json:"apart_tool_calls"` // in separate transcripts
}

// Rewound counts the rows that a rewind, a reset or a retraction erased. No other number includes
// them.
type Rewound struct {
	Messages int            `json:"rewound_messages"`
	Calls    int            `json:"rewound_tool_calls"`
	Errors   int            `json:"rewound_tool_errors"`
	Usage    query.UsageSum `json:"rewound_usage"`
}

// Scripts counts calls that only contain others: programs that run tools, and waits for one. Other
// numbers include only the calls that they made.
type Scripts struct {
	Calls  int `json:"calls"`
	Errors int `json:"errors"`
}

// Branches counts the rows of branches other than the live one. Other numbers include only their
// usage, because it was spent.
type Branches struct {
	Messages int `json:"branch_messages"`
	Calls    int `json:"branch_tool_calls"`
	Errors   int `json:"branch_tool_errors"`
}

// Inherited counts the messages copied from the continued conversation. Other
// numbers include the messages; their calls and usage count in the earlier conversation.
type Inherited struct {
	Messages int `json:"inherited_messages"`
	Calls    int `json:"inherited_tool_calls"`
	Errors   int `json:"inherited_tool_errors"`
}

// ContextUse is the fill of the context window.
type ContextUse struct {
	Last int64 `json:"last"` // tokens of the last request
	Most int64 `json:"most"` // tokens of the largest request
	// size of the window, if recorded or known by the model
	Window human.CountOrNull `json:"window"`
	Or     human.CountOrNull `json:"-"` // the larger possible window; 0: none
}

// Stats counts a selection. It reads heads only, except to count tokens; if c is nil, the token
// fields are null. Numbers of a whole conversation (its total usage, its bookkeeping, rewound
// rows, other branches) count if all of it is selected.
func Stats(ctx context.Context, sel query.Selection, c *query.Counter) (*StatsAnswer, error) {
	w := newStatsWalk(sel)
	var err error
	if w.tokens, err = countFor(ctx, sel, c); err != nil {
		return nil, err
	}
	if err = w.messages(ctx); err == nil && slices.Contains(w.Whole, true) {
		err = w.rows(ctx)
	}
	if err == nil {
		err = w.calls(ctx)
	}
	if err != nil {
		return nil, err
	}
	w.finish()
	return w.a, nil
}

// countFor counts the tokens of a selection, or returns existing counts.
func countFor(ctx context.Context, sel query.Selection, c *query.Counter) (*query.TokenColumn, error) {
	switch {
	case c == nil:
		return nil, nil
	case c.New == nil:
		return c.Column, nil
	}
	return query.CountTokens(ctx, sel, c)
}
