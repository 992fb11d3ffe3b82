package parquet

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	pq "github.com/parquet-go/parquet-go"
)

// runColumns are the columns with the session of a message, the likeliest first.
var runColumns = []string{"transcript_id", "conversation_id", "session_id", "trajectory_id", "dialog_id", "thread_id", "chat_id"}

// runOf returns the column with the session of each row. It returns "" if rows are not messages, or
// no column has their session.
func runOf(names []string) string {
	if !slices.Contains(names, "role") || slices.Contains(names, "messages") {
		return ""
	}
	for _, name := range runColumns {
		if slices.Contains(names, name) {
			return name
		}
	}
	return ""
}

// anyTable is a table that only its columns describe.
type anyTable struct {
	file   *pq.File
	reader *pq.GenericReader[any]
	rows   []pq.Row
	run    string // column with the session of a message; "" if rows are not messages
	read   int64  // number of rows read
	unfit  error  // reported after the last row
}

func (t *anyTable) names() (run, list string) { return "transcript_id", "messages" }

func (t *anyTable) next() (row, run []byte, err error) {
	if t.reader == nil {
		t.reader = pq.NewGenericReader[any](t.file, t.file.Schema())
	}
	n, err := t.reader.ReadRows(t.rows)
	if n == 0 {
		switch {
		case err == nil:
			err = io.ErrNoProgress
		case errors.Is(err, io.EOF) && t.unfit != nil:
			err = t.unfit
		}
		return nil, nil, err
	}
	t.read++
	plain, err := t.row(t.rows[0])
	if err != nil {
		return nil, nil, err
	}
	if t.run != "" {
		asChat(plain)
		if run, err = json.Marshal(plain[t.run]); err != nil {
			return nil, nil, err
		}
		delete(plain, t.run)
	} else {
		t.unfit = lost(t.unfit, plain["messages"], t.read)
	}
	row, err = json.Marshal(plain)
	return row, run, err
}

// row returns a row as JSON values, without null columns: the library returns the zero value of the
// type for these.
func (t *anyTable) row(values pq.Row) (map[string]any, error) {
	var row any
	if err := t.file.Schema().Reconstruct(&row, values); err != nil {
		return nil, err
	}
	plain, ok := tidy(row, "").(map[string]any)
	if !ok {
		return nil, fmt.Errorf("a row is %T", row)
	}
	for _, v := range values {
		if v.IsNull() {
			if path := t.file.Schema().Columns()[v.Column()]; len(path) == 1 {
				delete(plain, path[0])
			}
		}
	}
	return plain, nil
}

// asChat renames columns of turns' own exports and of Inspect's data frames to the names that
// clients of chat servers use.
func asChat(row map[string]any) {
	if text, ok := row["reasoning"]; ok {
		row["reasoning_content"] = text
		delete(row, "reasoning")
	}
	if row["tool_call_error"] != nil {
		row["is_error"] = true
	}
	usage := map[string]any{}
	for _, c := range usageColumns {
		if n, ok := row[c[0]].(int64); ok {
			usage[c[1]] = n
		}
	}
	if len(usage) > 0 && row["usage"] == nil {
		row["usage"] = usage
	}
}

// usageColumns are columns of tokens, with their names in a usage whose input excludes tokens read
// from or written to the cache.
var usageColumns = [...][2]string{
	{"input_tokens", "input_tokens"}, {"output_tokens", "output_tokens"}, {"reasoning_tokens", "reasoning_tokens"},
	{"input_tokens_cache_read", "cache_read_input_tokens"}, {"input_tokens_cache_write", "cache_creation_input_tokens"},
}

// nested are columns with JSON as text.
var nested = []string{"messages", "tool_calls", "tools", "conversations", "trajectory", "events", "metadata", "agent_args", "model_options", "score"}

// tidy returns a value as JSON, without nulls.
func tidy(v any, name string) any {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if value = tidy(value, key); value == nil {
				delete(v, key)
			} else {
				v[key] = value
			}
		}
		return v
	case []any:
		for i := range v {
			v[i] = tidy(v[i], "")
		}
		return v
	case []byte:
		return tidy(string(v), name)
	case string:
		if !utf8.ValidString(v) {
			return map[string]any{"$blob": map[string]any{"bytes": len(v)}}
		}
		if s := strings.TrimSpace(v); slices.Contains(nested, name) && len(s) > 1 && (s[0] == '[' || s[0] == '{') && json.Valid([]byte(s)) {
			return json.RawMessage(s)
		}
		return v
	case time.Time:
		return v.UTC().Format(time.RFC3339Nano)
	case float64:
		if v != v || v > 1e308 || v < -1e308 { // not a JSON number
			return fmt.Sprint(v)
		}
	case float32:
		return tidy(float64(v), name)
	}
	return v
}
