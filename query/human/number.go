package human

import (
	"cmp"
	"math"
	"strconv"
	"time"

	"turns/model"
)

// AnswerVersion is the version field of every JSON answer. It grows when a field is removed or
// changes its meaning, not for new fields.
const AnswerVersion = 1

// The signs for numbers in tables: zero, and unknown.
const (
	Zero    = "·"
	NotSaid = "–"
)

// Count formats an integer with commas: 1,134.
func Count[T int | int64 | int32 | uint32 | uint64](n T) string {
	s := strconv.FormatInt(int64(n), 10)
	sign := ""
	if s[0] == '-' {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// Short writes a number in at most four digits and signs: 15, 1.2k, 93.6k, 157k, 15.7M. Token
// counts use it.
func Short[T int | int64 | int32 | uint32 | uint64](n T) string {
	x := float64(n)
	if x < 0 {
		return "-" + Short(int64(-x))
	}
	switch {
	case x < 1000:
		return strconv.FormatInt(int64(n), 10)
	case x < 99_950:
		return ShortFloat(x/1e3, 1) + "k"
	case x < 999_500:
		return ShortFloat(x/1e3, 0) + "k"
	case x < 99_950_000:
		return ShortFloat(x/1e6, 1) + "M"
	case x < 999_500_000:
		return ShortFloat(x/1e6, 0) + "M"
	case x < 99_950_000_000:
		return ShortFloat(x/1e9, 1) + "G"
	}
	return ShortFloat(x/1e9, 0) + "G"
}

// ShortFloat formats x with that many digits after the point.
func ShortFloat(x float64, digits int) string { return strconv.FormatFloat(x, 'f', digits, 64) }

// Took writes a duration: 0.4s, 15.2s, 3m01s, 1h12m, 2d03h, 325d. From a minute on it rounds down,
// as clocks do.
func Took(d time.Duration) string {
	if d < 0 {
		return "-" + Took(-d)
	}
	if d < time.Minute {
		return ShortFloat(min(d.Seconds(), 59.9), 1) + "s"
	}
	s := int64(d / time.Second)
	switch {
	case s < 3600:
		return two(s/60, "m", s%60, "s")
	case s < 48*3600:
		return two(s/3600, "h", s%3600/60, "m")
	}
	if days := s / 86400; days >= 100 {
		return strconv.FormatInt(days, 10) + "d"
	}
	return two(s/86400, "d", s%86400/3600, "h")
}

func two(a int64, ua string, b int64, ub string) string {
	s := strconv.FormatInt(b, 10)
	if len(s) < 2 {
		s = "0" + s
	}
	return strconv.FormatInt(a, 10) + ua + s + ub
}

// Clock writes the time something has been running: 0:31, 12:05, 1:02:03, and from a day on like
// [Took].
func Clock(d time.Duration) string {
	if d >= 24*time.Hour {
		return Took(d)
	}
	s := max(int64(d/time.Second), 0)
	if s < 3600 {
		return two(s/60, ":", s%60, "")
	}
	return two(s/3600, ":", s%3600/60, ":") + two(0, "", s%60, "")[1:]
}

// Percent writes a share: 7.3 %, 17 %, 100 %; one digit after the point below ten. A share of an
// empty whole is 0 %.
func Percent[T int | int64](part, whole T) string {
	if whole == 0 || part == 0 {
		return "0 %"
	}
	p := 100 * float64(part) / float64(whole)
	if math.Abs(p) < 9.95 {
		return ShortFloat(p, 1) + " %"
	}
	return ShortFloat(p, 0) + " %"
}

// Money formats US dollars: $0.14, $30.33, $0.0021.
func Money(usd float64) string {
	if a := math.Abs(usd); a > 0 && a < 0.01 {
		return "$" + ShortFloat(usd, 4)
	}
	return "$" + ShortFloat(usd, 2)
}

// Plural returns "1 message", "2 messages", "1,134 events": a number and its noun, with an s unless
// the number is one. many is the plural of nouns with other endings.
func Plural[T int | int64](n T, one string, many ...string) string {
	if n == 1 {
		return "1 " + one
	}
	if len(many) > 0 {
		return Count(n) + " " + many[0]
	}
	return Count(n) + " " + one + "s"
}

// SessionOf names a session of a file with several by its number, as in FILE#2.
func SessionOf[T int | uint32](n T) string { return "session " + strconv.Itoa(int(n)) }

// Place names a message by its position in the session, as in #12; "" for negative ones.
func Place(index int) string {
	if index < 0 {
		return ""
	}
	return "#" + strconv.Itoa(index)
}

// OrDot returns s, or the dot of tables if n is zero.
func OrDot[T int | int64](n T, s func(T) string) string {
	if n == 0 {
		return Zero
	}
	return s(n)
}

// OrDash returns s, or the dash of tables if n is nil.
func OrDash[T any](n *T, s func(T) string) string {
	if n == nil {
		return NotSaid
	}
	return s(*n)
}

// Millis is a duration in milliseconds. In JSON it is a number of seconds.
type Millis int64

// Duration returns the duration for the standard library, at most 292 years.
func (m Millis) Duration() time.Duration {
	const most = math.MaxInt64 / time.Millisecond
	return min(max(time.Duration(m), -most), most) * time.Millisecond
}

// String formats the duration for people.
func (m Millis) String() string { return Took(m.Duration()) }

// MarshalJSON writes seconds.
func (m Millis) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(m)/1000, 'f', -1, 64), nil
}

// UnmarshalJSON reads seconds.
func (m *Millis) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	x, err := strconv.ParseFloat(string(b), 64)
	*m = Millis(math.Round(x * 1000))
	return err
}

// Stamp is a point in time in Unix milliseconds, 0 if unknown. In JSON it is RFC 3339 in UTC, or
// null.
type Stamp int64

// StampLayout is the layout of times in JSON: RFC 3339 with milliseconds, for package time.
const StampLayout = "2006-01-02T15:04:05.000Z07:00"

// Time returns the time for the standard library.
func (s Stamp) Time() time.Time { return time.UnixMilli(int64(s)).UTC() }

// MarshalJSON writes RFC 3339, or null for an unknown time.
func (s Stamp) MarshalJSON() ([]byte, error) {
	if s == 0 {
		return []byte("null"), nil
	}
	return []byte(`"` + s.Time().Format(StampLayout) + `"`), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (s *Stamp) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	t, err := time.Parse(`"`+StampLayout+`"`, string(b))
	*s = Stamp(t.UnixMilli())
	return err
}

// TimeOfDay formats the time on a clock in zone (nil: UTC), or – if unknown.
func TimeOfDay(ms int64, zone *time.Location) string {
	return StampIn(ms, zone, "15:04:05")
}

// DayAndTime formats the date and the time in zone (nil: UTC), or – if unknown.
func DayAndTime(ms int64, zone *time.Location) string {
	return StampIn(ms, zone, "2006-01-02 15:04:05")
}

// Span formats the time between two stamps in zone (nil: UTC), with a common date and an equal
// time once; "" if the first is unknown.
func Span(from, to int64, zone *time.Location) string {
	first, last := DayAndTime(from, zone), DayAndTime(to, zone)
	switch {
	case from == 0:
		return ""
	case first == last:
		return first
	case first[:len(time.DateOnly)] == last[:min(len(time.DateOnly), len(last))]:
		last = TimeOfDay(to, zone)
	}
	return first + " – " + last
}

// StampIn writes a time in Unix milliseconds, in a layout of package time and a zone (nil: UTC),
// or – if it is 0, unknown.
func StampIn(ms int64, zone *time.Location, layout string) string {
	if ms == 0 {
		return NotSaid
	}
	zone = cmp.Or(zone, time.UTC)
	return time.UnixMilli(ms).In(zone).Format(layout)
}

// Index is the position of a message, negative if it has none. In JSON it is a number or null.
type Index int

// MarshalJSON writes null for a negative position.
func (i Index) MarshalJSON() ([]byte, error) {
	if i < 0 {
		return []byte("null"), nil
	}
	return strconv.AppendInt(nil, int64(i), 10), nil
}

// UnmarshalJSON reads what MarshalJSON writes; null is -1.
func (i *Index) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*i = -1
		return nil
	}
	n, err := strconv.Atoi(string(b))
	*i = Index(n)
	return err
}

// CountOrNull is a number with 0 for unknown, which JSON writes as null.
type CountOrNull int64

// MarshalJSON writes null for 0.
func (n CountOrNull) MarshalJSON() ([]byte, error) {
	if n == 0 {
		return []byte("null"), nil
	}
	return strconv.AppendInt(nil, int64(n), 10), nil
}

// TextOrNull is a text that may be unknown: then it is empty, and null in JSON.
type TextOrNull string

// MarshalJSON writes null for an empty text.
func (t TextOrNull) MarshalJSON() ([]byte, error) {
	if t == "" {
		return []byte("null"), nil
	}
	return model.JSONOf(string(t))
}
