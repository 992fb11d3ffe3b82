package query

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"turns/model"
	"turns/query/human"
)

// Selection is some messages of a snapshot in display order: the result of a filter, a slice or a
// choice on the screen. Every answer is about one. Pairs are resolved in the whole snapshot, so a
// selected call has its result although the message of that result is not selected.
type Selection struct {
	Snap  *model.Snapshot
	IDs   []model.ID
	Calls CallSet // of a filter: the calls that it selected; nil: those of the messages
	// Of is the number of the only selected conversation of several, plus one; it may have no
	// messages. 0: the messages decide.
	Of int
}

// Everything selects all live messages.
func Everything(s *model.Snapshot) Selection { return Selection{Snap: s, IDs: s.LiveIDs()} }

// Whole reports whether the selection has every message and, under a filter, every call.
func (s Selection) Whole() bool { return s.Everything() && s.Calls == nil }

// Scope describes the selection: "everything", or "21 of 323 messages". Show it next to every
// number about a selection.
func (s Selection) Scope() string {
	if s.Whole() {
		return "whole session"
	}
	return human.Count(s.Len()) + " of " + human.Plural(s.Snap.Len(), "message")
}

// Len returns the number of selected messages.
func (s Selection) Len() int { return len(s.IDs) }

// First returns the first n messages, like Python's [:n]: a negative n omits that many at the end.
func (s Selection) First(n int) Selection { return s.Slice(SliceSpec{To: n, HasTo: true}) }

// Last returns the last n messages; none if n is not positive.
func (s Selection) Last(n int) Selection {
	if n <= 0 {
		return Selection{Snap: s.Snap, IDs: s.IDs[:0], Calls: s.Calls}
	}
	return s.Slice(SliceSpec{From: -n, HasFrom: true})
}

// Slice returns the part of the selection that Python's [from:to] selects: negative bounds count
// from the end, and bounds outside are clipped.
func (s Selection) Slice(spec SliceSpec) Selection {
	from, to := spec.bounds(len(s.IDs))
	return Selection{Snap: s.Snap, IDs: s.IDs[from:to], Calls: s.Calls}
}

// SliceSpec is the value of --slice.
type SliceSpec struct {
	From, To       int
	HasFrom, HasTo bool
}

// String returns the slice as typed.
func (p SliceSpec) String() string {
	var b strings.Builder
	if p.HasFrom {
		b.WriteString(strconv.Itoa(p.From))
	}
	b.WriteByte(':')
	if p.HasTo {
		b.WriteString(strconv.Itoa(p.To))
	}
	return b.String()
}

func (p SliceSpec) bounds(n int) (from, to int) {
	from, to = 0, n
	if p.HasFrom {
		from = sliceBound(p.From, n)
	}
	if p.HasTo {
		to = sliceBound(p.To, n)
	}
	return from, max(from, to)
}

func sliceBound(i, n int) int {
	if i < 0 {
		i += n
	}
	return min(max(i, 0), n)
}

// ParseSlice parses "A:B". Each bound is an integer or missing; negative ones count from the end.
// An error is a [SliceError] with its column.
func ParseSlice(s string) (SliceSpec, error) {
	var spec SliceSpec
	colon := strings.IndexByte(s, ':')
	if colon < 0 {
		hint := "write A:B, such as 5:10, -20: or :100"
		if n, err := strconv.Atoi(strings.TrimSpace(s)); err == nil && n >= 0 && n < n+1 {
			hint = fmt.Sprintf("one message is %d:%d", n, n+1)
		}
		return spec, sliceError(s, len(s), hint, "a colon is missing")
	}
	if second := strings.IndexByte(s[colon+1:], ':'); second >= 0 {
		return spec, sliceError(s, colon+1+second, "", "a second colon; steps are not supported")
	}
	var err error
	if spec.From, spec.HasFrom, err = sliceNumber(s, 0, colon); err != nil {
		return SliceSpec{}, err
	}
	if spec.To, spec.HasTo, err = sliceNumber(s, colon+1, len(s)); err != nil {
		return SliceSpec{}, err
	}
	return spec, nil
}

func sliceNumber(s string, from, to int) (n int, has bool, err error) {
	word := strings.TrimSpace(s[from:to])
	if word == "" {
		return 0, false, nil
	}
	n, err = strconv.Atoi(word)
	if err != nil {
		at := from + strings.Index(s[from:to], word)
		return 0, false, sliceError(s, at, "", "%q is no whole number", word)
	}
	return n, true, nil
}

// SliceError reports a mistake in a slice and its place.
type SliceError struct {
	Src  string // the slice as typed
	Col  int    // column of the mistake in runes, from 1
	Msg  string
	Hint string // what to write instead; may be empty
}

// Error names the slice and the column, then the message, then the hint.
func (e *SliceError) Error() string {
	s := fmt.Sprintf("slice %q, column %d: %s", e.Src, e.Col, e.Msg)
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return s
}

func sliceError(src string, off int, hint, format string, args ...any) *SliceError {
	return &SliceError{src, utf8.RuneCountInString(src[:off]) + 1, fmt.Sprintf(format, args...), hint}
}
