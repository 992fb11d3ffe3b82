package lang

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// parseRange parses a scalar or a range into v and returns an error message.
func parseRange(key *KeyInfo, text string, v *Value) string {
	lo, hi, isRange := strings.Cut(text, "..")
	v.Form, v.Text = FormScalar, ""
	if !isRange {
		s, msg := parseScalar(key, text)
		v.Lo, v.Hi = s, s
		return msg
	}
	if lo == "" && hi == "" {
		return key.Name + " wants an end of the range: " + key.examples()
	}
	v.Form = FormRange
	var msg string
	if lo != "" {
		if v.Lo, msg = parseScalar(key, lo); msg != "" {
			return msg
		}
	}
	if hi != "" {
		if v.Hi, msg = parseScalar(key, hi); msg != "" {
			return msg
		}
	}
	if v.Lo == nil || v.Hi == nil {
		return ""
	}
	a, b := v.Lo, v.Hi
	if clock := MomentClock; key.Kind == TakesTime && (a.Time.Form == clock) != (b.Time.Form == clock) {
		return "a range goes from date to date, or from time of day to time of day"
	}
	dated := a.Time.Form == b.Time.Form && (a.Time.Form == MomentDate || a.Time.Form == MomentInstant) && a.Time.At.After(b.Time.At)
	days := a.Time.Form == b.Time.Form && a.Time.Days < b.Time.Days
	ago := a.Time.Form == MomentAgo && b.Time.Form == MomentAgo && a.Time.Dur < b.Time.Dur
	if a.Num > b.Num || a.Dur > b.Dur || dated || days || ago {
		return fmt.Sprintf("the range is empty: %s comes after %s", a.Text, b.Text)
	}
	return ""
}

// parseScalar parses one number, size, duration or time, and returns an error message.
func parseScalar(key *KeyInfo, text string) (*Scalar, string) {
	s := &Scalar{Text: text}
	var ok bool
	switch key.Kind {
	case TakesDuration:
		if s.Dur, s.Step, ok = parseDuration(text); ok {
			return s, ""
		}
		return nil, key.Name + " wants a unit: " + key.examples()
	case TakesTime:
		if s.Time, ok = parseMoment(text); ok {
			return s, ""
		}
		return nil, key.Name + " wants a time: " + key.examples()
	case TakesSize, TakesCount:
		s.Num, ok = parseUnits(text, key.Kind)
	case TakesCost:
		s.Num, ok = parseNumber(strings.TrimPrefix(text, "$"))
	case TakesDecimal:
		if s.Num, ok = parseNumber(strings.TrimPrefix(text, "-")); strings.HasPrefix(text, "-") {
			s.Num = -s.Num
		}
	default:
		s.Num, ok = parseNumber(text)
		ok = ok && s.Num == math.Trunc(s.Num)
	}
	if ok {
		return s, ""
	}
	return nil, key.Name + " wants a number: " + key.examples()
}

// parseNumber parses digits with at most one point; no signs, exponents or names of numbers.
func parseNumber(s string) (float64, bool) {
	if s == "" || strings.Trim(s, "0123456789.") != "" {
		return 0, false
	}
	x, err := strconv.ParseFloat(s, 64)
	return x, err == nil
}

// parseUnits parses 1.5k, 2M, 18kB. As elsewhere on the screen, a kB is 1000 bytes and a KiB 1024.
func parseUnits(s string, kind ValueKind) (float64, bool) {
	n := len(s) - len(strings.TrimLeft(s, "0123456789."))
	x, ok := parseNumber(s[:n])
	unit := strings.ToLower(strings.TrimSpace(s[n:]))
	base := 1000.0
	if kind == TakesSize {
		if strings.HasSuffix(unit, "ib") {
			base, unit = 1024, strings.TrimSuffix(unit, "ib")
		} else {
			unit = strings.TrimSuffix(unit, "b")
		}
	}
	switch unit {
	case "":
	case "k":
		x *= base
	case "m":
		x *= base * base
	case "g":
		x *= base * base * base
	default:
		return 0, false
	}
	return x, ok
}

// parseDuration parses 500ms, 1.5s, 1h30m, 2d and also returns the value of the last written place.
func parseDuration(s string) (d, step time.Duration, ok bool) {
	var total float64
	if s == "" {
		return 0, 0, false
	}
	for s != "" {
		n := len(s) - len(strings.TrimLeft(s, "0123456789."))
		x, isNumber := parseNumber(s[:n])
		_, decimals, _ := strings.Cut(s[:n], ".")
		s = s[n:]
		m := strings.IndexAny(s, "0123456789.")
		if m < 0 {
			m = len(s)
		}
		unit := unitOf(s[:m])
		if !isNumber || unit == 0 {
			return 0, 0, false
		}
		s = s[m:]
		total += x * float64(unit)
		step = unit
		for range min(len(decimals), 19) {
			step /= 10
		}
	}
	if step = max(step, 1); total >= math.MaxInt64/2 {
		return 0, 0, false
	}
	return time.Duration(math.Round(total)), step, true
}

func unitOf(s string) time.Duration {
	switch s {
	case "ns":
		return time.Nanosecond
	case "us", "µs", "μs":
		return time.Microsecond
	case "ms":
		return time.Millisecond
	case "s":
		return time.Second
	case "m", "min":
		return time.Minute
	case "h":
		return time.Hour
	case "d":
		return 24 * time.Hour
	case "w":
		return 7 * 24 * time.Hour
	}
	return 0
}

// parseMoment parses a time in one of its forms.
func parseMoment(s string) (Moment, bool) {
	switch strings.ToLower(s) {
	case "today":
		return Moment{Form: MomentDay, Unit: UnitDay}, true
	case "yesterday":
		return Moment{Form: MomentDay, Days: 1, Unit: UnitDay}, true
	}
	for _, l := range [...]struct {
		layout string
		form   MomentForm
		unit   time.Duration
	}{
		{"15:04", MomentClock, time.Minute},
		{"15:04:05", MomentClock, time.Second},
		{"2006-01-02", MomentDate, UnitDay},
		{"2006-01", MomentDate, UnitMonth},
		{"2006-01-02T15:04", MomentDate, time.Minute},
		{"2006-01-02 15:04", MomentDate, time.Minute},
		{"2006-01-02T15:04:05", MomentDate, time.Second},
		{"2006-01-02 15:04:05", MomentDate, time.Second},
		{"2006-01-02T15:04Z07:00", MomentInstant, time.Minute},
		{"2006-01-02T15:04:05Z07:00", MomentInstant, time.Second},
	} {
		t, err := time.Parse(l.layout, s)
		if err != nil {
			continue
		}
		m := Moment{Form: l.form, Unit: l.unit}
		if t.Nanosecond() > 0 {
			m.Unit = time.Millisecond
		}
		if l.form == MomentClock {
			m.Dur = time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute + time.Duration(t.Second())*time.Second +
				time.Duration(t.Nanosecond())
		} else {
			m.At = t.UTC()
		}
		return m, true
	}
	d, _, ok := parseDuration(s)
	return Moment{Form: MomentAgo, Dur: d}, ok
}
