package session

import (
	"turns/query/human"
	"turns/query/label"
	"turns/query/quota"
)

// Row is a session in the JSON of lists.
type Row struct {
	Path       string  `json:"path"`
	SessionID  *string `json:"session_id"` // as recorded; null: none
	SubagentOf *string `json:"subagent_of"`
	Format     string  `json:"format"`
	Agent      string  `json:"agent"`   // the product that wrote it
	Project    *string `json:"project"` // the folder that the agent worked in
	Title      *string `json:"title"`   // as recorded, or the first prompt
	Model      *string `json:"model"`   // of the last response

	State StateRow `json:"state"`

	FirstTime human.Stamp   `json:"first_time"`
	LastTime  human.Stamp   `json:"last_time"`
	Written   human.Stamp   `json:"written_time"` // when the transcript was last written
	Duration  *human.Millis `json:"duration_seconds"`
	Bytes     int64         `json:"bytes"`

	// Partial: turns read only the ends of a long transcript, so the counts are lower bounds.
	Partial       bool     `json:"partial"`
	TotalMessages int      `json:"total_messages"`
	Estimated     *int     `json:"estimated_messages"` // of a partial one, by its size; null: no estimate
	ToolCalls     int      `json:"tool_calls"`
	ToolErrors    int      `json:"tool_errors"`
	ModelErrors   int      `json:"model_errors"` // responses that failed or were interrupted
	PendingCalls  int      `json:"pending_calls"`
	OutputTokens  *int64   `json:"output_tokens"` // as recorded
	Cost          *CostRow `json:"cost"`          // null: unknown

	// filled tables and types of records in the file that no parser reads, with their numbers;
	// null: none
	Unread *string `json:"unread"`

	// Quota has the limits of the user's plan that have not reset since; empty: none recorded.
	Quota []quota.Row `json:"quota"`
	// Missed is the number of tokens that the last request of a live session wrote again because it
	// missed the prompt cache; null: it did not.
	Missed *int64 `json:"cache_missed_tokens"`

	Sessions int      `json:"sessions"` // in the same file
	Judged   int      `json:"judged"`   // number of those with a score
	Passed   int      `json:"passed"`   // number of those that passed
	Score    *float64 `json:"score"`

	Resume *string      `json:"resume_command"` // command that continues it in its agent
	Labels []label.Mark `json:"labels"`
}

// StateRow is the state of a session, or its end.
type StateRow struct {
	State      human.State      `json:"state"`
	Reason     human.TextOrNull `json:"reason"`      // in words, as in the list
	WaitingFor *string          `json:"waiting_for"` // tool, model, prompt, question, plan, approval, …; null: nothing
	Since      human.Stamp      `json:"since"`       // null: inactive, or unknown
	Running    int              `json:"running_calls"`
	// Subagent is the transcript of the subagent in this state; null: the session itself.
	Subagent *string `json:"subagent"`
}

// CostRow is the cost of a session.
type CostRow struct {
	Dollars   float64 `json:"usd"`
	Estimated float64 `json:"estimated_usd"` // part of it, by list prices
}

// Row returns the session for JSON.
func (s *Session) Row() Row {
	st := s.State()
	r := Row{
		Path: s.Path, SessionID: known(s.Session), SubagentOf: known(s.Starter), Format: s.Format, Agent: s.Agent, Project: known(s.Project),
		Title: known(s.Title), Model: known(s.Model),
		State:     StateRow{State: s.Stage, Reason: human.TextOrNull(s.Reason)},
		FirstTime: human.Stamp(s.Started), LastTime: human.Stamp(s.Last), Written: human.Stamp(s.Written), Bytes: s.Bytes,
		Partial: s.Partial, TotalMessages: s.Messages, ToolCalls: s.Calls, ToolErrors: s.Errors, ModelErrors: s.Failed, PendingCalls: s.Pending,
		OutputTokens: known(s.Tokens), Sessions: s.Sessions, Judged: s.Judged, Passed: s.Passed, Resume: known(s.Resume),
		Labels: append([]label.Mark{}, s.Labels...), Unread: known(s.Unread),
		Quota: quota.Rows(s.Quotas, s.now), Missed: known(s.Missed()),
	}
	if st.Live() {
		r.State.WaitingFor, r.State.Running = known(s.For), st.End.Runs
	}
	if !st.Since.IsZero() {
		r.State.Since = human.Stamp(st.Since.UnixMilli())
	}
	if s.Place != nil {
		r.State.Subagent = &s.Place.Path
	}
	if s.Started != 0 && s.Last > s.Started {
		took := human.Millis(s.Last - s.Started)
		r.Duration = &took
	}
	if s.Partial {
		r.Estimated = known(s.Estimate)
	}
	if s.Scored {
		r.Score = &s.Score
	}
	if s.Cost != 0 {
		r.Cost = &CostRow{Dollars: s.Cost}
		if s.Guessed {
			r.Cost.Estimated = s.Cost
		}
	}
	return r
}

// known returns a pointer to a value, nil for the zero value.
func known[T comparable](v T) *T {
	var none T
	if v == none {
		return nil
	}
	return &v
}
