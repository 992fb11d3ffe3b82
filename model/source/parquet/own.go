package parquet

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	pq "github.com/parquet-go/parquet-go"

	"turns/model"
)

// Details are the parts of a message that tables of turns store in addition to the columns that
// other programs know. With them a table contains the same as its transcript. Most messages need
// none.
type Details struct {
	Before []string `json:"before,omitempty"` // [Compacted], [Edited]: records before the message
	Missed string   `json:"missed,omitempty"` // see [model.Usage]
	Model  string   `json:"model,omitempty"`  // if the message has one, not only the conversation
	Thread int      `json:"thread,omitempty"` // number of the subagent that wrote it
	// id of the call that started the subagent, at its first message
	Call   string  `json:"call,omitempty"`
	Blocks []Block `json:"blocks,omitempty"` // none: the blocks that the columns imply
	Run    *Run    `json:"run,omitempty"`    // at the last message of a run
}

// The values of Before: a summary replaced the messages before, or some of them were removed.
const (
	Compacted = "compacted"
	Edited    = "edited"
)

// HourCache is a flag of a message: most of its cache-write tokens have a lifetime of an hour.
const HourCache = "hour-cache"

// FromSpan is a flag of a message: only the span of a tool records its call, and it is not a
// response of a model.
const FromSpan = "span-told"

// Block is a part of a message. Its text is the next piece of the column for its kind; newlines
// join the pieces.
type Block struct {
	Kind    string        `json:"kind"` // name of the [model.BlockKind]
	Bytes   int           `json:"n,omitempty"`
	Null    bool          `json:"null,omitempty"`
	ID      string        `json:"id,omitempty"` // of a result
	Name    string        `json:"name,omitempty"`
	Text    *string       `json:"text,omitempty"` // if no column has it
	Outcome model.Outcome `json:"outcome,omitzero"`
	Took    *uint32       `json:"took,omitempty"`  // ms
	Bound   bool          `json:"bound,omitempty"` // Took is an upper bound
	Again   bool          `json:"again,omitempty"` // continues the result that the call already has
	// of a call: [Script], [Poll] or [InText], and the id of the call that made it
	Nesting string `json:"nesting,omitempty"`
	Within  string `json:"within,omitempty"`
}

// The values of Nesting: a script that made calls, a wait for one, and a call that appears only in
// the text of its script.
const (
	Script = "script"
	Poll   = "poll"
	InText = "text"
)

// Run has the recorded values of a complete session.
type Run struct {
	Session string `json:"session,omitempty"`
	Title   string `json:"title,omitempty"`
	Project string `json:"cwd,omitempty"`
	Model   string `json:"model,omitempty"`
	Task    string `json:"task_id,omitempty"`
	End     *End   `json:"end,omitempty"`
	// why the last response ended, even if no message records it
	Stop  string  `json:"stop,omitempty"`
	Usage []Usage `json:"usage,omitempty"` // not of a single message
	// of records without a message, if they were first or last
	Times []int64 `json:"times,omitempty"`
}

// End is the recorded end of a session.
type End struct {
	Outcome model.Outcome `json:"outcome"`
	Reason  string        `json:"reason,omitempty"`
	Score   *float64      `json:"score,omitempty"`
	Turn    bool          `json:"turn,omitempty"` // the end of a turn
}

// Usage contains token counts; unrecorded numbers are nil.
type Usage struct {
	Total      bool     `json:"total,omitempty"` // total of the session, not an addition
	Input      *int64   `json:"input_tokens,omitempty"`
	CacheRead  *int64   `json:"input_tokens_cache_read,omitempty"`
	CacheWrite *int64   `json:"input_tokens_cache_write,omitempty"`
	Output     *int64   `json:"output_tokens,omitempty"`
	Reasoning  *int64   `json:"reasoning_tokens,omitempty"`
	Cost       *float64 `json:"cost,omitempty"`
}

// own is a message of our own tables, to be written as a line.
type own struct {
	Before []string   `json:"before,omitempty"`
	Role   string     `json:"role"`
	ID     string     `json:"id,omitempty"`
	Time   int64      `json:"time,omitempty"`
	Model  string     `json:"model,omitempty"`
	Thread int        `json:"thread,omitempty"`
	Name   string     `json:"name,omitempty"` // of the thread
	Call   string     `json:"call,omitempty"`
	Flags  string     `json:"flags,omitempty"`
	Stop   string     `json:"stop,omitempty"`
	Usage  *Usage     `json:"usage,omitempty"`
	Missed string     `json:"missed,omitempty"`
	Blocks []ownBlock `json:"blocks,omitempty"`
	Unread string     `json:"unread,omitempty"`
	Run    *Run       `json:"run,omitempty"`
}

type ownBlock struct {
	Kind    string        `json:"kind"`
	Text    *string       `json:"text,omitempty"`
	ID      string        `json:"id,omitempty"`
	Name    string        `json:"name,omitempty"`
	Outcome model.Outcome `json:"outcome,omitzero"`
	Took    *uint32       `json:"took,omitempty"`
	Bound   bool          `json:"bound,omitempty"`
	Again   bool          `json:"again,omitempty"`
	Nesting string        `json:"nesting,omitempty"`
	Within  string        `json:"within,omitempty"`
}

// ownRow has the columns that a line of our own tables of messages is made of.
type ownRow struct {
	TranscriptID string  `parquet:"transcript_id,optional"`
	MessageID    string  `parquet:"message_id,optional"`
	Role         string  `parquet:"role,optional"`
	Content      *string `parquet:"content,optional"`
	Reasoning    *string `parquet:"reasoning,optional"`
	ToolCalls    string  `parquet:"tool_calls,optional"`
	ToolCallID   string  `parquet:"tool_call_id,optional"`
	ToolName     string  `parquet:"tool_call_function,optional"`
	Timestamp    int64   `parquet:"timestamp,optional,timestamp(millisecond)"`
	Model        string  `parquet:"model,optional"`
	Thread       string  `parquet:"thread,optional"`
	Stop         string  `parquet:"stop_reason,optional"`
	Flags        string  `parquet:"flags,optional"`
	Unread       string  `parquet:"unread,optional"`
	Details      string  `parquet:"turns_details,optional"`

	Input      *int64   `parquet:"input_tokens,optional"`
	CacheRead  *int64   `parquet:"input_tokens_cache_read,optional"`
	CacheWrite *int64   `parquet:"input_tokens_cache_write,optional"`
	Output     *int64   `parquet:"output_tokens,optional"`
	Reasoned   *int64   `parquet:"reasoning_tokens,optional"`
	Cost       *float64 `parquet:"cost,optional"`
}

// line returns the message of a row.
func (r *ownRow) line() (own, error) {
	var d Details
	if r.Details != "" {
		if err := json.Unmarshal([]byte(r.Details), &d); err != nil {
			return own{}, err
		}
	}
	m := own{
		Before: d.Before, Missed: d.Missed, Role: r.Role, ID: r.MessageID, Time: r.Timestamp, Model: r.Model, Thread: d.Thread, Name: r.Thread, Call: d.Call,
		Flags: r.Flags, Stop: r.Stop, Unread: r.Unread, Run: d.Run,
	}
	m.Model = cmp.Or(m.Model, d.Model)
	if u := (Usage{false, r.Input, r.CacheRead, r.CacheWrite, r.Output, r.Reasoned, r.Cost}); u != (Usage{}) {
		m.Usage = &u
	}
	var calls []toolCall
	if r.ToolCalls != "" {
		if err := json.Unmarshal([]byte(r.ToolCalls), &calls); err != nil {
			return own{}, err
		}
	}
	if d.Blocks == nil {
		m.Blocks = r.plain(calls)
	} else {
		m.Blocks = r.pieces(d.Blocks, calls)
	}
	return m, nil
}

// toolCall is a call in the form of chat clients.
type toolCall struct {
	ID       string
	Function struct{ Name, Arguments string }
}

func (c *toolCall) block() ownBlock {
	return ownBlock{Kind: "call", ID: c.ID, Name: c.Function.Name, Text: &c.Function.Arguments}
}

// plain returns the blocks of a message without details.
func (r *ownRow) plain(calls []toolCall) (blocks []ownBlock) {
	if r.Reasoning != nil {
		blocks = append(blocks, ownBlock{Kind: "reasoning", Text: r.Reasoning})
	}
	switch {
	case r.Unread != "":
	case r.ToolCallID != "" || r.Role == "tool" && r.Content != nil:
		blocks = append(blocks, ownBlock{Kind: "result", ID: r.ToolCallID, Name: r.ToolName, Text: r.Content})
	case r.Content != nil:
		blocks = append(blocks, ownBlock{Kind: "text", Text: r.Content})
	}
	for i := range calls {
		blocks = append(blocks, calls[i].block())
	}
	return blocks
}

// pieces returns the blocks of a message as its details separate them.
func (r *ownRow) pieces(of []Block, calls []toolCall) []ownBlock {
	rest := map[string]*string{"text": r.Content, "result": r.Content, "reasoning": r.Reasoning}
	left := map[*string]string{}
	for _, s := range [...]*string{r.Content, r.Reasoning} {
		if s != nil {
			left[s] = *s
		}
	}
	blocks := make([]ownBlock, 0, len(of))
	for i := range of {
		b := &of[i]
		out := ownBlock{
			Kind: b.Kind, ID: b.ID, Name: b.Name, Text: b.Text, Outcome: b.Outcome, Took: b.Took, Bound: b.Bound, Again: b.Again,
			Nesting: b.Nesting, Within: b.Within,
		}
		switch column := rest[b.Kind]; {
		case b.Kind == "call" && len(calls) > 0:
			c := calls[0].block()
			out.ID, out.Name, out.Text = c.ID, c.Name, c.Text
			calls = calls[1:]
		case b.Text != nil || b.Null || column == nil:
		default:
			text := left[column]
			piece := text[:min(b.Bytes, len(text))]
			left[column] = strings.TrimPrefix(text[len(piece):], "\n")
			out.Text = &piece
		}
		blocks = append(blocks, out)
	}
	return blocks
}

// ownTable is a table written by our own export.
type ownTable struct {
	reader   *pq.GenericReader[ownRow]
	messages bool // otherwise rows of sessions
	rows     []ownRow
	left     []ownRow
	row, run []byte
}

// For speed only: ownRows is the number of rows per read: few, since a message may be long.
const ownRows = 16

func newOwnTable(file *pq.File, messages bool) *ownTable {
	return &ownTable{reader: pq.NewGenericReader[ownRow](file), messages: messages, rows: make([]ownRow, ownRows)}
}

func (t *ownTable) names() (run, list string) { return "turns_table", "rows" }

func (t *ownTable) next() (row, run []byte, err error) {
	if len(t.left) == 0 {
		clear(t.rows)
		n, err := t.reader.Read(t.rows)
		if n == 0 {
			if err == nil {
				err = io.ErrNoProgress
			}
			return nil, nil, err
		}
		t.left = t.rows[:n]
	}
	r := &t.left[0]
	t.left = t.left[1:]
	t.run = model.AppendQuoted(t.run[:0], []byte(r.TranscriptID))
	if !t.messages {
		t.row = append(append(append(t.row[:0], `{"turns_table":`...), t.run...), `,"run":`...)
		return append(append(t.row, cmp.Or(r.Details, "{}")...), '}'), nil, nil
	}
	line, err := r.line()
	if err != nil {
		return nil, nil, fmt.Errorf("message %s: %w", r.MessageID, err)
	}
	row, err = json.Marshal(&line)
	return row, t.run, err
}

// isOwn reports by the columns whether a table is one of ours: of messages, or of sessions.
func isOwn(columns []string) bool {
	return slices.Contains(columns, "turns_details") && slices.Contains(columns, "transcript_id")
}
