package runs

import (
	"cmp"
	"slices"
	"time"

	"turns/model"
	"turns/query"
	"turns/query/describe"
	"turns/query/human"
)

// Recorded is a source's own record about its conversations, for the memory of an agent.
type Recorded struct {
	Days []DayShare   // with summaries and key moments
	Open []OpenThread // unresolved ones
}

// momentRecorded is the kind of a recorded key moment.
const momentRecorded = "moment"

// openRecorded is the kind of a recorded open thread.
const openRecorded = "thread"

const weightRecorded = 6 // recorded explicitly

// recordedOf reads the fields of a session. It skips resolved threads.
func recordedOf(r *Recorded, s *model.Session, source string) {
	for _, f := range s.Fields {
		kind := query.RecordedKind(f.Name)
		for _, row := range query.RecordedRows(&f) {
			switch {
			case kind == query.RecordedSummary: // the conversation itself has it
			case kind != query.RecordedThreads:
				r.day(&row)
			case !row.Resolved():
				r.thread(&row, source)
			}
		}
	}
}

func (r *Recorded) day(row *query.RecordedRow) {
	d := DayShare{Day: human.TextOrNull(row.Date), Summary: human.TextOrNull(cmp.Or(row.Summary, row.Content))}
	if len(d.Day) > len(time.DateOnly) {
		d.Day = d.Day[:len(time.DateOnly)]
	}
	for _, text := range row.MomentTexts() {
		d.Moments = append(d.Moments, KeyMoment{Kind: momentRecorded, Text: human.OneLine(text, describe.LineMax), Index: -1, ID: model.NoID})
	}
	if d.Summary != "" || len(d.Moments) > 0 {
		r.Days = append(r.Days, d)
	}
}

func (r *Recorded) thread(row *query.RecordedRow, source string) {
	if row.Content == "" {
		return
	}
	t := OpenThread{Kind: openRecorded, Text: human.OneLine(row.Content, describe.LineMax), Source: source, Index: -1, ID: model.NoID, Times: 1, Weight: weightRecorded}
	for _, layout := range [...]string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05", time.DateOnly} {
		if at, err := time.Parse(layout, row.Created); err == nil {
			t.Time = human.Stamp(at.UnixMilli())
			break
		}
	}
	r.Open = append(r.Open, t)
}

// empty reports whether there are no records.
func (r *Recorded) empty() bool { return len(r.Days) == 0 && len(r.Open) == 0 }

// within returns the records up to a day. Days without a date belong to the day of.
func (r *Recorded) within(today, of string) (days []DayShare) {
	for _, d := range r.Days {
		d.Day = cmp.Or(d.Day, human.TextOrNull(of))
		d.Moments = slices.Clone(d.Moments)
		if string(d.Day) <= today {
			days = append(days, d)
		}
	}
	return days
}
