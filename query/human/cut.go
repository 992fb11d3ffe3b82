package human

import (
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"turns/model"
	"turns/query/redact"
)

// All texts for people are cut here, after their secrets are replaced: half a token is still a
// secret, and a value without its name would no longer be found.

var secrets = sync.OnceValue(redact.New)

// CutText returns s, or as much of it as fits into room cells with an ellipsis. A cut text has no
// secrets.
func CutText(s string, room int) string {
	if room <= 0 {
		return ""
	}
	if n, cells := plain(s, room+1); cells <= room && (n == len(s) || ansi.StringWidth(s) <= room) {
		return s
	}
	kept := First(s, room-1)
	size := len(kept)
	if strings.IndexByte(s, '\x1b') >= 0 { // kept also has the colours of the rest
		size = len(s)
	}
	if safe := head(s, size); !strings.HasPrefix(s, safe) {
		kept = First(safe, room-1)
	}
	return strings.TrimRight(kept, " ") + "…"
}

// Clip returns s, cut to room cells with an ellipsis. It does not redact secrets, so use it
// only to draw recorded text on the screen, never for copies.
func Clip(s string, room int) string {
	if room <= 0 {
		return ""
	}
	if n, cells := plain(s, room+1); cells <= room && (n == len(s) || ansi.StringWidth(s) <= room) {
		return s
	}
	return strings.TrimRight(First(s, room-1), " ") + "…"
}

// CutFront returns s, or as much of its end as fits into room cells after an ellipsis. A cut text
// has no secrets.
func CutFront(s string, room int) string {
	over := Width(s) - room
	if over <= 0 {
		return s
	}
	if s = secrets().String(s); Width(s) <= room {
		return s
	}
	return ansi.TruncateLeft(s, Width(s)-room+1, "…")
}

// CutRunes returns s, or its first n-1 characters with an ellipsis. A cut text has no secrets.
func CutRunes(s string, n int) string {
	if r := []rune(s); len(r) <= n {
		return s
	}
	if s = secrets().String(s); utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}

// Uncover returns the part s[from:to] of a longer text for people, and the ranges of s inside it,
// moved. If the part is not all of s, it replaces the secrets of the complete text in it.
func Uncover(s string, from, to int, ranges [][2]int) (part string, moved [][2]int) {
	if from <= 0 && to >= len(s) {
		return s, ranges
	}
	near, far := max(0, from-around), min(len(s), to+around)
	text, at := s[near:far], from-near
	var b strings.Builder
	end := to - near
	var places [][3]int // of the unchanged text: from, to, position in the part
	for _, f := range append(secrets().Find([]byte(text)), redact.Finding{Start: len(text), End: len(text)}) {
		if stop := min(f.Start, end); stop > at {
			places = append(places, [3]int{at, stop, b.Len()})
			b.WriteString(text[at:stop])
		}
		if f.Start < end && f.End > at && f.Start < f.End {
			b.WriteString("[redacted:" + f.Rule + "]")
		}
		at = max(at, f.End)
	}
	for _, r := range ranges {
		for _, p := range places {
			if x, y := max(r[0]-near, p[0]), min(r[1]-near, p[1]); x < y {
				moved = append(moved, [2]int{x - p[0] + p[2], y - p[0] + p[2]})
			}
		}
	}
	return b.String(), moved
}

// CutMiddle returns s, or its beginning and its end with an ellipsis between them, for names that
// begin alike and end differently. A cut text has no secrets.
func CutMiddle(s string, room int) string {
	tail := room / 3
	if Width(s) <= room || tail < 4 { // a shorter end is not informative
		return CutText(s, room)
	}
	if s = secrets().String(s); Width(s) <= room {
		return s
	}
	return First(s, room-tail-1) + "…" + After(s, Width(s)-tail)
}

// OneLine returns s on one line for a table: cleaned, white space joined, cut to a number of
// columns. Its cost depends on the result, not on the length of s. A cut text has no secrets.
func OneLine(s string, columns int) string {
	most := 8*columns + 256
	if len(s) <= most {
		if line := model.CleanLine(s); Width(line) <= columns {
			return line
		}
	}
	near := 2 * columns // usually enough, and reading more takes time
	line := model.CleanLine(head(s, near))
	if Width(line) <= columns {
		line = model.CleanLine(head(s, most))
	}
	return Clip(line, columns)
}

// CutBytes returns s, or its first n bytes in whole characters. A cut text has no secrets.
func CutBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return Peek(head(s, n), n)
}

// Peek returns the first n bytes of s in whole characters, for use by programs: they may end in the
// middle of a secret.
func Peek(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// How far after a cut a secret is searched that begins before it: to the next blank, but at most to
// the second limit.
const (
	behind  = 128
	longest = 16 << 10
	around  = 4 << 10 // for a part from the middle
)

const keyBegins = "-----BEGIN "

// head returns the beginning of s without secrets, at least n bytes if nothing was replaced.
func head(s string, n int) string {
	end := min(len(s), n+behind)
	for end < len(s) && end-n < longest && !blank(s[end]) {
		end++
	}
	if strings.Contains(s[:end], keyBegins) { // a key of several lines
		i := strings.LastIndex(s[:end], keyBegins) // much slower than Contains
		if j := strings.Index(s[i+1:min(len(s), end+longest)], "-----END "); j >= 0 {
			end = max(end, min(len(s), i+1+j+behind))
		}
	}
	return secrets().String(Peek(s, end))
}

func blank(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }
