package kit

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"turns/model"
)

// writtenDate returns the date of a browser, whose zone has a name, with n bytes.
func writtenDate(n int) string {
	date := "Fri Jan 02 2026 10:00:00 GMT+0000 ("
	return date + strings.Repeat("x", n-len(date)-1) + ")"
}

// TestMoments reads times at both sides of each limit, as the moment that they name in UTC.
func TestMoments(t *testing.T) {
	for value, want := range map[string]string{
		`"0002-01-01"`:                      "0002-01-01T00:00:00",
		`"0001-12-31"`:                      "",
		`"Jan 2, 2026 3:04"`:                "2026-01-02T03:04:00",
		`"` + writtenDate(80) + `"`:         "2026-01-02T10:00:00Z",
		`"` + writtenDate(81) + `"`:         "",
		`"2024-02-29"`:                      "2024-02-29T00:00:00",
		`"2026-01-01"`:                      "2026-01-01T00:00:00",
		`"2026-12-31"`:                      "2026-12-31T00:00:00",
		`"2026-00-01"`:                      "",
		`"2026-13-01"`:                      "",
		`"2026-01-00"`:                      "",
		`"2026-01-32"`:                      "",
		`"2026-01-3"`:                       "",
		`"2026/01-02"`:                      "",
		`"2026-01/02"`:                      "",
		`"x026-01-02"`:                      "",
		`"2026-x1-02"`:                      "",
		`"2026-01-x2"`:                      "",
		`"2026-01-02T03:04"`:                "2026-01-02T03:04:00",
		`"2026-01-02t03:04:05"`:             "2026-01-02T03:04:05",
		`"2026-01-02 03:04:05"`:             "2026-01-02T03:04:05",
		`"2026-01-02_03:04:05"`:             "",
		`"2026-01-02T03:4"`:                 "",
		`"2026-01-02T03.04"`:                "",
		`"2026-01-02Tx3:04"`:                "",
		`"2026-01-02T03:x4"`:                "",
		`"2026-01-02T00:00:00"`:             "2026-01-02T00:00:00",
		`"2026-01-02T24:00:00"`:             "2026-01-03T00:00:00",
		`"2026-01-02T25:00:00"`:             "",
		`"2026-01-02T03:59:00"`:             "2026-01-02T03:59:00",
		`"2026-01-02T03:60:00"`:             "",
		`"2026-01-02T03:04:60"`:             "2026-01-02T03:05:00",
		`"2026-01-02T03:04:61"`:             "",
		`"2026-01-02T03:04:x5"`:             "",
		`"2026-01-02T03:04:5"`:              "",
		`"2026-01-02T03:04:05.090"`:         "2026-01-02T03:04:05.09",
		`"2026-01-02T03:04:05,9"`:           "2026-01-02T03:04:05.9",
		`"2026-01-02T03:04:05.9999999"`:     "2026-01-02T03:04:05.999",
		`"2026-01-02T03:04:05.9:"`:          "",
		`"2026-01-02T03:04:05.9/"`:          "",
		`"2026-01-02T03:04:05."`:            "",
		`"2026-01-02T03:04:05Z"`:            "2026-01-02T03:04:05Z",
		`"2026-01-02T03:04:05z"`:            "2026-01-02T03:04:05Z",
		`"2026-01-02T03:04:05  UTC"`:        "2026-01-02T03:04:05Z",
		`"2026-01-02T03:04:05 EST"`:         "",
		`"2026-01-02T03:04:05+01"`:          "2026-01-02T02:04:05Z",
		`"2026-01-02T03:04:05-01"`:          "2026-01-02T04:04:05Z",
		`"2026-01-02T03:04:05+1"`:           "",
		`"2026-01-02T03:04:05+01:30"`:       "2026-01-02T01:34:05Z",
		`"2026-01-02T03:04:05-0130"`:        "2026-01-02T04:34:05Z",
		`"2026-01-02T03:04:05+01:3"`:        "",
		`"2026-01-02T03:04:05+0x"`:          "",
		`"2026-01-02T03:04:05+01xx"`:        "",
		`99999999`:                          "",
		`100000000`:                         "1973-03-03T09:46:40Z",
		`"100000000"`:                       "1973-03-03T09:46:40Z",
		`1700000000.2504`:                   "2023-11-14T22:13:20.25Z",
		`1700000000.2506`:                   "2023-11-14T22:13:20.251Z",
		`99999999999`:                       "5138-11-16T09:46:39Z",
		`100000000000`:                      "1973-03-03T09:46:40Z",
		`99999999999999`:                    "5138-11-16T09:46:39.999Z",
		`100000000000000`:                   "1973-03-03T09:46:40Z",
		`99999999999999000`:                 "5138-11-16T09:46:39.999Z",
		`100000000000000000`:                "1973-03-03T09:46:40Z",
		`99999999999999000000`:              "5138-11-16T09:46:39.999Z",
		`100000000000000000000`:             "",
		`-100000000`:                        "",
		`"March 4, 2026 10:01am"`:           "2026-03-04T10:01:00",
		`"Mar 4, 2026, 10:01:02 PM"`:        "2026-03-04T22:01:02",
		`"3/4/2026, 10:01:02 PM"`:           "2026-03-04T22:01:02",
		"\"3/4/2026, 10:01\u202fPM\"":       "2026-03-04T22:01:00",
		`"4/3/2026, 22:01:02"`:              "", // the day may be first
		`"2026/03/04 10:01:02"`:             "2026-03-04T10:01:02",
		`"2026-3-4 @10h 01m 02s"`:           "2026-03-04T10:01:02",
		`"2026-03-04@10h01m02s"`:            "2026-03-04T10:01:02",
		`"Wed, 04 Mar 2026 10:01:02 GMT"`:   "2026-03-04T10:01:02Z",
		`"Wed, 04 Mar 2026 10:01:02 +0200"`: "2026-03-04T08:01:02Z",
		`"Wed Mar  4 10:01:02 2026"`:        "2026-03-04T10:01:02",
		`"Wed Mar  4 10:01:02 CET 2026"`:    "2026-03-04T10:01:02", // the offset of CET is not recorded
		`"Wed Mar 04 2026 10:01:02 GMT+0100 (Central European Standard Time)"`: "2026-03-04T09:01:02Z",
		`"March 4, 2026 10:01 PM"`:          "2026-03-04T22:01:00",
		`"Mar 4, 2026 10:01 PM"`:            "2026-03-04T22:01:00",
		`"Mar 4, 2026 22:01"`:               "2026-03-04T22:01:00",
		`"3/4/2026 10:01:02 PM"`:            "2026-03-04T22:01:02",
		`"2026/3/4 10:01:02"`:               "2026-03-04T10:01:02",
		`"Wed, 4 Mar 2026 10:01:02 GMT"`:    "2026-03-04T10:01:02Z",
		`"March 4: what we did at home"`:    "",
		`null`:                              "",
		``:                                  "",
		`"soon"`:                            "",
		`[]`:                                "",
		`"` + strings.Repeat("1", 40) + `"`: "",
	} {
		got := ""
		if m := MomentOf([]byte(value)); m != (model.Moment{}) {
			layout := "2006-01-02T15:04:05.999"
			if m.Zoned {
				layout += "Z07:00"
			}
			got = time.UnixMilli(m.Ms).UTC().Format(layout)
		}
		if got != want {
			t.Errorf("%s is %q, not %q", value, got, want)
		}
	}
}

// TestDaysOf compares the days of 800 years with those of the time package.
func TestDaysOf(t *testing.T) {
	for at := time.Date(1600, 1, 1, 0, 0, 0, 0, time.UTC); at.Year() < 2400; at = at.AddDate(0, 0, 27) {
		year, month, day := at.Date()
		if got, want := DaysOf(int64(year), int64(month), int64(day)), at.Unix()/86400; got != want {
			t.Fatalf("%v is day %d, not %d", at, got, want)
		}
	}
}

// TestTook reads durations at both sides of their limits.
func TestTook(t *testing.T) {
	for value, want := range map[string]time.Duration{
		"1.5": 1500 * time.Millisecond, "0": 0, "-1": 0, "999999999": 999999999 * time.Second, "1000000000": 0, `"x"`: 0, "null": 0, "": 0,
	} {
		if got := TookSeconds([]byte(value)); got != want {
			t.Errorf("%s seconds are %v, not %v", value, got, want)
		}
	}
	if got := TookMs([]byte("1.5")); got != 1500*time.Microsecond {
		t.Error(got)
	}
}

// TestRawValues tests the kind of complete and truncated values.
func TestRawValues(t *testing.T) {
	for value, want := range map[string]string{
		``: "null empty", `null`: "null empty", `""`: "string empty", `"`: "", `"a"`: "string", `[]`: "empty", `[ ]`: "empty", `[`: "",
		`[1]`: "", `{}`: "empty", `{ }`: "empty", `{"a":1}`: "", `7`: "", `77`: "", `true`: "true", `tru`: "", `false`: "", `"tr"`: "string",
	} {
		v, got := []byte(value), ""
		for _, is := range []struct {
			name string
			ask  func([]byte) bool
		}{{"null", IsNull}, {"string", IsString}, {"true", IsTrue}, {"empty", IsEmpty}} {
			if is.ask(v) {
				got += " " + is.name
			}
		}
		if got = strings.TrimSpace(got); got != want {
			t.Errorf("%s is %q, not %q", value, got, want)
		}
	}
	for value, want := range map[string]string{`"a"`: "a", `7`: "7", `true`: "", `""`: ""} {
		key := model.Key(0)
		if want != "" || value == `""` {
			key = model.HashString(want)
		}
		if got := HashValue([]byte(value)); got != key {
			t.Errorf("%s has the key %v, not %v", value, got, key)
		}
	}
	for text, want := range map[string]bool{"09": true, "0:": false, "/0": false, "": false} {
		if n, ok := Digits([]byte(text)); ok != want || ok && strconv.Itoa(int(n)) != strings.TrimLeft(text, "0") {
			t.Errorf("%q is %d, %v", text, n, ok)
		}
	}
}
