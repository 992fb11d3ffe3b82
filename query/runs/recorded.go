package runs

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"turns/model"
	"turns/query/describe"
	"turns/query/human"
)

// Recorded is what a source itself says of its conversations, for an agent that is to
// remember them.
type Recorded struct {
	Days []DayShare   // with summaries and key moments
	Open []OpenThread // that are not resolved
}

// momentRecorded is the kind of a key moment that the source names.
const momentRecorded = "moment"

// OpenRecorded is the kind of an open thread that the source names.
const OpenRecorded = "thread"

const weightRecorded = 6 // somebody found it worth to be written down

// recordedRow is a row of a table of daily summaries or of threads.
type recordedRow struct {
	Date    string          `json:"date"`
	Summary string          `json:"summary_text"`
	Moments json.RawMessage `json:"key_moments"`

	Status  string `json:"status"`
	Content string `json:"content"`
	Created string `json:"created_at"`
}

// recordedOf reads the fields of a session: lists of rows, or one of them; threads that
// are resolved only where all are asked for.
func recordedOf(r *Recorded, s *model.Session, source string, all bool) {
	for _, f := range s.Fields {
		switch {
		case strings.HasPrefix(f.Name, "daily_summar"):
			for _, row := range recordedRows(f.Value) {
				r.day(&row)
			}
		case strings.HasPrefix(f.Name, "conversation_thread"), f.Name == "open_threads":
			for _, row := range recordedRows(f.Value) {
				if all || !row.resolved() {
					r.thread(&row, source)
				}
			}
		case f.Name == "key_moments":
			r.day(&recordedRow{Moments: json.RawMessage(f.Value)})
		}
	}
}

// RecordedText is a text of what a source says of its conversations.
type RecordedText struct {
	Field string // that holds it
	Text  string
}

// RecordedTexts are the summaries, key moments and threads that a source holds, the
// resolved ones too.
func RecordedTexts(s *model.Snapshot) (texts []RecordedText) {
	for i := range s.Sessions() {
		session := &s.Sessions()[i]
		for _, f := range session.Fields {
			texts = append(texts, fieldTexts(&f)...)
		}
	}
	return texts
}

func fieldTexts(f *model.KeyValue) (texts []RecordedText) {
	add := func(text string) {
		if text != "" {
			texts = append(texts, RecordedText{f.Name, text})
		}
	}
	if f.Name == "conversation_summary" {
		add(f.Value)
		return texts
	}
	var r Recorded
	recordedOf(&r, &model.Session{Fields: []model.KeyValue{*f}}, "", true)
	for i := range r.Days {
		add(r.Days[i].Summary)
		for k := range r.Days[i].Moments {
			add(r.Days[i].Moments[k].Text)
		}
	}
	for i := range r.Open {
		add(r.Open[i].Text)
	}
	return texts
}

// recordedRows are the rows of a JSON list, or one row alone. A text is a row, too.
func recordedRows(value string) (rows []recordedRow) {
	data := bytes.TrimSpace([]byte(value))
	if len(data) == 0 {
		return nil
	}
	var list []json.RawMessage
	if json.Unmarshal(data, &list) != nil {
		list = []json.RawMessage{data}
	}
	for _, v := range list {
		var row recordedRow
		if len(v) > 0 && v[0] == '{' {
			_ = json.Unmarshal(v, &row) // fields of another kind are left out
		} else if json.Unmarshal(v, &row.Content) != nil {
			row.Content = string(v)
		}
		rows = append(rows, row)
	}
	return rows
}

func (r *Recorded) day(row *recordedRow) {
	d := DayShare{Day: row.Date, Summary: cmp.Or(row.Summary, row.Content)}
	if len(d.Day) > len(time.DateOnly) {
		d.Day = d.Day[:len(time.DateOnly)]
	}
	var list []any
	_ = json.Unmarshal(row.Moments, &list)
	for _, v := range list {
		if text := momentText(v); text != "" {
			d.Moments = append(d.Moments, KeyMoment{Kind: momentRecorded, Text: human.OneLine(text, describe.LineMax), Index: -1, ID: model.NoID})
		}
	}
	if d.Summary != "" || len(d.Moments) > 0 {
		r.Days = append(r.Days, d)
	}
}

// momentText is a key moment: a text, or an object that holds one.
func momentText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case map[string]any:
		for _, name := range [...]string{"moment", "text", "content", "description", "summary"} {
			if s, ok := v[name].(string); ok {
				return s
			}
		}
		out, _ := json.Marshal(v)
		return string(out)
	}
	return ""
}

func (row *recordedRow) resolved() bool {
	switch strings.ToLower(row.Status) {
	case "resolved", "closed", "done", "expired", "completed":
		return true
	}
	return false
}

func (r *Recorded) thread(row *recordedRow, source string) {
	if row.Content == "" {
		return
	}
	t := OpenThread{Kind: OpenRecorded, Text: human.OneLine(row.Content, describe.LineMax), Source: source, Index: -1, ID: model.NoID, Times: 1, Weight: weightRecorded}
	for _, layout := range [...]string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05", time.DateOnly} {
		if at, err := time.Parse(layout, row.Created); err == nil {
			t.Time = human.Stamp(at.UnixMilli())
			break
		}
	}
	r.Open = append(r.Open, t)
}

// empty reports whether nothing was recorded.
func (r *Recorded) empty() bool { return len(r.Days) == 0 && len(r.Open) == 0 }

// within is what was recorded up to a day. Days without a date are those of the
// conversation that they were recorded with.
func (r *Recorded) within(today, of string) (days []DayShare) {
	for _, d := range r.Days {
		d.Day = cmp.Or(d.Day, of)
		d.Moments = slices.Clone(d.Moments)
		if d.Day <= today {
			days = append(days, d)
		}
	}
	return days
}
