package parquet

// A column is optional if its zero value means unknown. A number that may be known to be 0 is a
// pointer, or always set.

// runRow is a session. The first columns are those of Inspect Scout's transcripts.
type runRow struct {
	TranscriptID string `parquet:"transcript_id"`
	// name of the format, as in turns formats
	SourceType   string  `parquet:"source_type,optional,dict"`
	SourceID     string  `parquet:"source_id,optional"`  // the session as recorded
	SourceURI    string  `parquet:"source_uri,optional"` // the path
	Date         string  `parquet:"date,optional"`       // of the first record, ISO 8601
	TaskID       string  `parquet:"task_id,optional"`
	Agent        string  `parquet:"agent,optional,dict"`
	Model        string  `parquet:"model,optional,dict"`
	Score        string  `parquet:"score,optional"` // as JSON
	Success      *bool   `parquet:"success,optional"`
	MessageCount int64   `parquet:"message_count"`
	TotalTime    float64 `parquet:"total_time,optional"` // seconds
	TotalTokens  *int64  `parquet:"total_tokens,optional"`
	Error        string  `parquet:"error,optional"`

	Title   string `parquet:"title,optional"`
	Project string `parquet:"project,optional,dict"`
	// state, as in turns stats --by outcome
	Outcome         string  `parquet:"outcome,optional,dict"`
	Started         int64   `parquet:"started,optional,timestamp(millisecond)"`
	Ended           int64   `parquet:"ended,optional,timestamp(millisecond)"`
	TurnCount       int64   `parquet:"turn_count"`
	CallCount       int64   `parquet:"call_count"`
	ErrorCount      int64   `parquet:"error_count"`
	PendingCount    int64   `parquet:"pending_count"`
	InputTokens     *int64  `parquet:"input_tokens,optional"`
	CacheReadTokens *int64  `parquet:"input_tokens_cache_read,optional"`
	CacheMadeTokens *int64  `parquet:"input_tokens_cache_write,optional"`
	OutputTokens    *int64  `parquet:"output_tokens,optional"`
	ReasoningTokens *int64  `parquet:"reasoning_tokens,optional"`
	Cost            float64 `parquet:"cost,optional"`           // dollars
	CostEstimated   float64 `parquet:"cost_estimated,optional"` // part of it, by a price table
	Labels          string  `parquet:"labels,optional"`
	// unreadable ones, which are in no table
	Unread      int64 `parquet:"unread_records"`
	SourceBytes int64 `parquet:"source_bytes,optional"` // of the file when it was read
	SourceTime  int64 `parquet:"source_time,optional,timestamp(millisecond)"`
	// of a session without messages, which has no other rows
	Details string `parquet:"turns_details,optional"`
}

// messageRow is a message, or usage of a session outside of messages. Such a row has the role
// "usage" and the index -1; with it, the sums over messages are those of the sessions. If a
// message has results of several calls, the columns of a call are those of the first; the table
// of calls has all of them.
type messageRow struct {
	TranscriptID string  `parquet:"transcript_id,dict"`
	MessageIndex int64   `parquet:"message_index,delta"`
	MessageID    string  `parquet:"message_id,optional"`
	Role         string  `parquet:"role,dict"`
	Source       string  `parquet:"source,optional,dict"` // input or generate
	Content      *string `parquet:"content,optional"`
	Reasoning    *string `parquet:"reasoning,optional"`
	// as JSON, in the form of chat clients
	ToolCalls        string   `parquet:"tool_calls,optional"`
	ToolCallID       string   `parquet:"tool_call_id,optional"`
	ToolCallFunction string   `parquet:"tool_call_function,optional,dict"`
	ToolCallError    string   `parquet:"tool_call_error,optional"`
	Timestamp        int64    `parquet:"timestamp,optional,timestamp(millisecond),delta"`
	Model            string   `parquet:"model,optional,dict"`
	Turn             int64    `parquet:"turn,delta"` // -1: before the first prompt
	Thread           string   `parquet:"thread,optional,dict"`
	InputTokens      *int64   `parquet:"input_tokens,optional"`
	CacheReadTokens  *int64   `parquet:"input_tokens_cache_read,optional"`
	CacheMadeTokens  *int64   `parquet:"input_tokens_cache_write,optional"`
	OutputTokens     *int64   `parquet:"output_tokens,optional"`
	ReasoningTokens  *int64   `parquet:"reasoning_tokens,optional"`
	Cost             *float64 `parquet:"cost,optional"` // dollars, as recorded
	StopReason       string   `parquet:"stop_reason,optional,dict"`
	// injected, interrupted, …: properties other than its text
	Flags  string `parquet:"flags,optional,dict"`
	Labels string `parquet:"labels,optional"`
	Unread string `parquet:"unread,optional"` // error of its unreadable texts
	// as JSON, the data that turns needs to read the table back
	Details string `parquet:"turns_details,optional"`
}

// callRow is a call with its result.
type callRow struct {
	TranscriptID string `parquet:"transcript_id,dict"`
	// of the message that made it; -1: the call was not recorded, and the row is in the table of
	// orphans
	MessageIndex int64 `parquet:"message_index,delta"`
	// of the message with its result; -1: none
	ResultIndex int64    `parquet:"result_index,delta"`
	ToolCallID  string   `parquet:"tool_call_id,optional"`
	Function    string   `parquet:"tool_call_function,optional,dict"`
	Arguments   *string  `parquet:"tool_call_arguments,optional"`
	Result      *string  `parquet:"tool_call_result,optional"`
	Outcome     string   `parquet:"outcome,optional,dict"`
	Failed      bool     `parquet:"failed"`
	Pending     bool     `parquet:"pending"` // outcome is "pending"
	Orphan      bool     `parquet:"orphan"`  // a result without a recorded call
	Timestamp   int64    `parquet:"timestamp,optional,timestamp(millisecond),delta"`
	Time        *float64 `parquet:"time,optional"` // seconds
	Model       string   `parquet:"model,optional,dict"`
	Labels      string   `parquet:"labels,optional"`
}

// labelRow is an annotation of a session, a message or a call.
type labelRow struct {
	TranscriptID string   `parquet:"transcript_id,dict"`
	MessageIndex int64    `parquet:"message_index"` // -1: the session
	ToolCallID   string   `parquet:"tool_call_id,optional"`
	Scope        string   `parquet:"scope,dict"` // run, turn, message or call
	Kind         string   `parquet:"kind,dict"`  // label, verdict, score or note
	Name         string   `parquet:"name,optional,dict"`
	Value        *float64 `parquet:"value,optional"`
	Text         string   `parquet:"text,optional"`
	By           string   `parquet:"by,optional,dict"`
	Time         int64    `parquet:"time,optional,timestamp(millisecond)"`
}

// weight returns about the number of bytes of memory of a row.
func (r *runRow) weight() int64 {
	return int64(512 + len(r.SourceURI) + len(r.Title) + len(r.Project) + len(r.Error) + len(r.Labels))
}

func (r *messageRow) weight() int64 {
	return int64(384 + size(r.Content) + size(r.Reasoning) + len(r.ToolCallError) + len(r.ToolCalls) + len(r.MessageID) + len(r.ToolCallID) + len(r.Details))
}

func (r *callRow) weight() int64 {
	return int64(256 + size(r.Arguments) + size(r.Result) + len(r.ToolCallID))
}

func (r *labelRow) weight() int64 { return int64(256 + len(r.Text)) }

func size(s *string) int {
	if s == nil {
		return 0
	}
	return len(*s)
}

// unsorted are the columns of long texts, whose smallest and largest values are useless.
var unsorted = []string{"content", "reasoning", "tool_calls", "tool_call_arguments", "tool_call_result", "tool_call_error", "text", "title", "error", "turns_details"}
