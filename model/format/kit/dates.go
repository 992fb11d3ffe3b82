package kit

import (
	"bytes"
	"strings"
	"time"

	"turns/model"
)

// The lengths of dates in other forms than ISO 8601.
const (
	dateLeast = 16
	dateMost  = 80
)

// dates are the forms of dates that programs write for people. Day and month as numbers occur with
// a clock of twelve hours only, in American order.
var dates = [...]string{
	"January 2, 2006 3:04pm", "January 2, 2006 3:04 PM", "Jan 2, 2006 3:04 PM", "Jan 2, 2006, 3:04:05 PM", "Jan 2, 2006 15:04", // SillyTavern, web pages
	"1/2/2006, 3:04:05 PM", "1/2/2006 3:04:05 PM", "1/2/2006, 3:04 PM", // JavaScript in American English
	"2006/1/2 15:04:05", "2006-1-2 @15h 04m 05s", "2006-01-02@15h04m05s",
	"Mon, 2 Jan 2006 15:04:05 -0700", "Mon, 2 Jan 2006 15:04:05 MST", // HTTP, mail
	"Mon Jan _2 15:04:05 2006", "Mon Jan _2 15:04:05 MST 2006", "Mon Jan 02 2006 15:04:05 GMT-0700", // C, date, JavaScript
}

// parseWritten reads a date as people write it, such as "March 4, 2026 10:01am". It returns the zero
// Moment for other texts.
func parseWritten(b []byte) model.Moment {
	if len(b) < dateLeast || len(b) > dateMost || !bytes.ContainsAny(b[:1], "0123456789JFMASONDTW") || !bytes.ContainsAny(b, ":h") {
		return model.Moment{}
	}
	b = bytes.ReplaceAll(b, []byte("\u202f"), []byte(" ")) // browsers write it before PM
	b, _, _ = bytes.Cut(b, []byte(" ("))                   // JavaScript's name of the zone
	for _, form := range dates {
		t, err := time.Parse(form, string(b))
		if err != nil || t.Year() <= 1 {
			continue
		}
		name, _ := t.Zone()
		zoned := strings.Contains(form, "-0700") || strings.Contains(form, "MST") && (name == "UTC" || name == "GMT")
		return model.Moment{Ms: t.UnixMilli(), Zoned: zoned}
	}
	return model.Moment{}
}
