package patch

import (
	"errors"
	"strings"
	"unicode"
)

// errNotFound reports that a text does not have the lines that a hunk changes.
var errNotFound = errors.New("the lines before the change are not in the file")

// Apply applies hunks to a text, in order. It searches the lines of a hunk at their number, then
// after the previous hunk: first exactly, then without trailing blanks, then without any blanks
// around them, like apply_patch. It fails if a hunk does not match.
func Apply(text string, hunks []Hunk) (string, error) {
	lines, open := splitText(text)
	out := make([]string, 0, len(lines)+8)
	done, moved := 0, 0 // number of copied lines; shift of positions against their numbers
	for i := range hunks {
		h := &hunks[i]
		before, after := h.Sides()
		at, err := place(lines, done, moved, h, before)
		if err != nil {
			return "", err
		}
		if h.Old > 0 {
			moved = at - (h.Old - 1)
		}
		if n := at + len(before) - len(lines); n > 0 { // an empty last line missing in the text
			before = before[:len(before)-n]
			if len(after) > 0 && after[len(after)-1] == "" {
				after = after[:len(after)-1]
			}
		}
		out = append(append(out, lines[done:at]...), after...)
		done = at + len(before)
		if done == len(lines) {
			switch {
			case h.NewOpen:
				open = true
			case len(h.Lines) > 0 && h.Lines[len(h.Lines)-1][0] != ' ' || h.OldOpen:
				open = false
			}
		}
	}
	out = append(out, lines[done:]...)
	if len(out) == 0 {
		return "", nil
	}
	joined := strings.Join(out, "\n")
	if !open {
		joined += "\n"
	}
	return joined, nil
}

// place returns the index of the first line of a hunk.
func place(lines []string, from, moved int, h *Hunk, before []string) (int, error) {
	if h.Anchor != "" {
		if at := seek(lines, []string{h.Anchor}, from, false); at >= 0 {
			from = at + 1
		}
	}
	if h.Old > 0 {
		at := h.Old - 1 + moved
		if at >= from && at+len(before) <= len(lines) && sameLines(lines[at:at+len(before)], before, exactly) {
			return at, nil
		}
	}
	if len(before) == 0 {
		if h.Old > 0 || h.Anchor != "" {
			return min(max(h.Old-1, from), len(lines)), nil
		}
		return len(lines), nil
	}
	if at := seek(lines, before, from, h.End); at >= 0 {
		return at, nil
	}
	if n := len(before) - 1; n > 0 && before[n] == "" {
		if at := seek(lines, before[:n], from, h.End); at >= 0 && at+n == len(lines) {
			return at, nil
		}
	}
	return 0, errNotFound
}

// seek returns the first index of a sequence of lines, -1 if there is none.
func seek(lines, want []string, from int, end bool) int {
	for _, same := range [...]func(a, b string) bool{exactly, withoutEnd, withoutAround} {
		if last := len(lines) - len(want); end && last >= from && sameLines(lines[last:], want, same) {
			return last
		}
		for at := from; at+len(want) <= len(lines); at++ {
			if sameLines(lines[at:at+len(want)], want, same) {
				return at
			}
		}
	}
	return -1
}

func exactly(a, b string) bool { return a == b }

func withoutEnd(a, b string) bool {
	return strings.TrimRightFunc(a, unicode.IsSpace) == strings.TrimRightFunc(b, unicode.IsSpace)
}

func withoutAround(a, b string) bool { return strings.TrimSpace(a) == strings.TrimSpace(b) }

func sameLines(a, b []string, same func(a, b string) bool) bool {
	for i := range b {
		if !same(a[i], b[i]) {
			return false
		}
	}
	return true
}

// splitText cuts a text into lines; open reports that the last one has no newline.
func splitText(text string) (lines []string, open bool) {
	if text == "" {
		return nil, false
	}
	lines = strings.Split(text, "\n")
	if n := len(lines) - 1; lines[n] == "" {
		return lines[:n], false
	}
	return lines, true
}
