package query

import (
	"bytes"
	"encoding/json"
	"strings"

	"turns/model"
)

// RecordedText is a text about the conversation in its source: a summary, a key moment or a
// thread.
type RecordedText struct {
	Field string // its field
	Text  string
}

// RecordedRow is a row of a table of daily summaries or of threads.
type RecordedRow struct {
	Date    string          `json:"date"`
	Summary string          `json:"summary_text"`
	Moments json.RawMessage `json:"key_moments"`

	Status  string `json:"status"`
	Content string `json:"content"`
	Created string `json:"created_at"`
}

// The kinds of fields that describe a conversation.
const (
	RecordedNothing = iota
	RecordedDays
	RecordedThreads
	RecordedMoments
	RecordedSummary
)

// RecordedKind returns the kind of a conversation's field.
func RecordedKind(field string) int {
	switch {
	case strings.HasPrefix(field, "daily_summar"):
		return RecordedDays
	case strings.HasPrefix(field, "conversation_thread"), field == "open_threads":
		return RecordedThreads
	case field == "key_moments":
		return RecordedMoments
	case field == "conversation_summary":
		return RecordedSummary
	}
	return RecordedNothing
}

// RecordedTexts returns the summaries, key moments and threads of a conversation, including
// resolved ones.
func RecordedTexts(s *model.Session) (texts []RecordedText) {
	for _, f := range s.Fields {
		for _, row := range RecordedRows(&f) {
			for _, text := range append([]string{row.Summary}, append(row.MomentTexts(), row.Content)...) {
				if text != "" {
					texts = append(texts, RecordedText{f.Name, text})
				}
			}
		}
	}
	return texts
}

// RecordedRows returns the rows of a field: the elements of a JSON list, or one row for any other
// value.
func RecordedRows(f *model.KeyValue) (rows []RecordedRow) {
	data := bytes.TrimSpace([]byte(f.Value))
	switch kind := RecordedKind(f.Name); {
	case kind == RecordedNothing || len(data) == 0:
		return nil
	case kind == RecordedMoments:
		return []RecordedRow{{Moments: data}}
	case kind == RecordedSummary:
		return []RecordedRow{{Summary: f.Value}}
	}
	var list []json.RawMessage
	if json.Unmarshal(data, &list) != nil {
		list = []json.RawMessage{data}
	}
	for _, v := range list {
		var row RecordedRow
		if len(v) > 0 && v[0] == '{' {
			_ = json.Unmarshal(v, &row) // skip fields of another type
		} else if json.Unmarshal(v, &row.Content) != nil {
			row.Content = string(v)
		}
		rows = append(rows, row)
	}
	return rows
}

// MomentTexts returns the key moments of a row: texts, or the text in each object.
func (row *RecordedRow) MomentTexts() (texts []string) {
	var list []any
	_ = json.Unmarshal(row.Moments, &list)
	for _, v := range list {
		switch v := v.(type) {
		case string:
			texts = append(texts, v)
		case map[string]any:
			texts = append(texts, textOfMoment(v))
		}
	}
	return texts
}

func textOfMoment(v map[string]any) string {
	for _, name := range [...]string{"moment", "text", "content", "description", "summary"} {
		if s, ok := v[name].(string); ok {
			return s
		}
	}
	out, _ := json.Marshal(v)
	return string(out)
}

// Resolved reports whether a thread is closed.
func (row *RecordedRow) Resolved() bool {
	switch strings.ToLower(row.Status) {
	case "resolved", "closed", "done", "expired", "completed":
		return true
	}
	return false
}

// RecordedOf returns the recorded texts about the conversations of a snapshot, by the first
// message of each. Texts that belong to no conversation with messages, such as tables of a
// document, go to the first message of all, or to model.NoID if there is none.
func RecordedOf(s *model.Snapshot) map[model.ID][]RecordedText {
	sessions := s.Sessions()
	open := map[int][]RecordedText{}
	for i := range sessions {
		if texts := RecordedTexts(&sessions[i]); len(texts) > 0 {
			open[i] = texts
		}
	}
	if len(open) == 0 {
		return nil
	}
	by, threads := map[model.ID][]RecordedText{}, s.Threads()
	for _, id := range s.LiveIDs() {
		if len(open) == 0 {
			break
		}
		of := int(threads[s.HeadRow(id).Thread].Session)
		if texts := open[of]; texts != nil {
			by[id] = texts
			delete(open, of)
		}
	}
	first := model.NoID
	if ids := s.LiveIDs(); len(ids) > 0 {
		first = ids[0]
	}
	for i := range sessions { // in order
		by[first] = append(by[first], open[i]...)
	}
	return by
}
