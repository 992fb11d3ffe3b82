package query

import (
	"strings"
	"testing"
	"time"

	"turns/model"
)

func TestPlacesAreFound(t *testing.T) {
	at := func(text string) int64 {
		when, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return when.UnixMilli()
	}
	s := model.FromMessages([]model.Message{
		{Role: model.User, Time: at("2026-02-11T22:40:30Z")}, {Role: model.Assistant, Time: at("2026-02-11T23:00:00Z")}, {Role: model.User, Time: at("2026-02-12T01:00:00Z")},
	})
	for _, c := range []struct {
		place string
		want  int
		err   string
	}{
		{"0", 0, ""}, {"2", 2, ""}, {"-1", 2, ""}, {"-3", 0, ""}, {"end", 2, ""},
		{"3", 0, "no message 3: the last message is 2"}, {"-4", 0, "no message -4"}, {"x", 0, `"x" is not a place`},
		{"@22:40", 0, ""}, {"@22:41", 1, ""}, {"@23:00:00", 1, ""}, {"@00:30", 2, ""}, {"@2026-02-12", 2, ""}, {"@2026-02-11 22:50", 1, ""}, {"@2026-02-11T22:50", 1, ""},
		{"@2026-02-11 22:59:59", 1, ""}, {"@2026-02-11T23:00:01", 2, ""},
		{"@2026-02-13", 0, "no message at or after 2026-02-13"}, {"@noon", 0, `"noon" is not a time`},
	} {
		id, err := AtPlace(Everything(s), c.place, time.UTC)
		switch {
		case c.err == "" && (err != nil || s.Pos(id) != c.want):
			t.Errorf("%s: message %d, error %v, want %d", c.place, s.Pos(id), err, c.want)
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
			t.Errorf("%s: error %v, want %s", c.place, err, c.err)
		}
	}
	if _, err := AtPlace(Everything(model.FromMessages(nil)), "0", time.UTC); err == nil {
		t.Error("there is a message where there are none")
	}
	if _, err := AtTime(Everything(model.FromMessages([]model.Message{{Role: model.User}})), "10:00", time.UTC); err == nil || err.Error() != "no time in this format" {
		t.Errorf("without times: %v", err)
	}
}
