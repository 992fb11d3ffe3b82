package paint

import (
	"strconv"
	"strings"

	"turns/model"
)

// EditParts is a write, an edit or a patch as a diff; nil where the arguments are none of these.
func EditParts(args map[string]any, result *model.Content) []Part {
	str := func(names ...string) (string, bool) {
		for _, n := range names {
			if s, ok := args[n].(string); ok {
				return s, true
			}
		}
		return "", false
	}
	if patch, ok := str("patch", "diff", "input", "changes"); ok && (strings.Contains(patch, "*** ") || strings.Contains(patch, "@@")) {
		return PlainParts(Cleaned(patch), PartDiff, InkText, true)
	}
	if edits, ok := args["edits"].([]any); ok {
		var parts []Part
		for i, e := range edits {
			if m, ok := e.(map[string]any); ok {
				if p := EditParts(m, nil); p != nil {
					parts = append(parts, Part{Kind: PartRows, Rows: [][]Span{{{Text: "@@ edit " + strconv.Itoa(i+1) + " @@", Ink: inkHunk}}}})
					parts = append(parts, p...)
				}
			}
		}
		return parts
	}
	before, hasOld := str("old_string", "oldString", "old_str", "oldText", "search", "old", "target_content")
	after, hasNew := str("new_string", "newString", "new_str", "newText", "replace", "new", "replacement_content")
	if hasOld && hasNew {
		return PlainParts(Cleaned(DiffText(before, after)), PartDiff, InkText, true)
	}
	if text, ok := str("content", "contents", "file_text", "text", "code_edit", "new_string", "new_str"); ok {
		var b strings.Builder
		for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
			b.WriteString("+ " + line + "\n")
		}
		return PlainParts(Cleaned(b.String()), PartDiff, InkText, true)
	}
	return nil
}

// diffLimit is how many lines a side may have for the lines to be compared with one another.
const diffLimit = 400

// DiffText compares two texts line by line.
func DiffText(before, after string) string {
	a, b := SplitLines(before), SplitLines(after)
	var out strings.Builder
	put := func(sign string, lines []string) {
		for _, line := range lines {
			out.WriteString(sign + " " + line + "\n")
		}
	}
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	const around = 3
	if skip := head - around; skip > 0 {
		put(" ", []string{"⋯ " + Plural(skip, "line", "lines") + " as before"})
	}
	put(" ", a[max(head-around, 0):head])
	x, y := a[head:len(a)-tail], b[head:len(b)-tail]
	if len(x) > diffLimit || len(y) > diffLimit {
		put("-", x)
		put("+", y)
	} else {
		for _, e := range compare(x, y) {
			put(e.sign, []string{e.line})
		}
	}
	rest := a[len(a)-tail:]
	put(" ", rest[:min(len(rest), around)])
	if skip := len(rest) - around; skip > 0 {
		put(" ", []string{"⋯ " + Plural(skip, "line", "lines") + " as before"})
	}
	return out.String()
}

func SplitLines(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}

type edit struct{ sign, line string }

// compare is the shortest way from a to b, by their longest common subsequence.
func compare(a, b []string) []edit {
	n, m := len(a), len(b)
	table := make([]uint16, (n+1)*(m+1))
	at := func(i, j int) *uint16 { return &table[i*(m+1)+j] }
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			if a[i] == b[j] {
				*at(i, j) = *at(i+1, j+1) + 1
			} else {
				*at(i, j) = max(*at(i+1, j), *at(i, j+1))
			}
		}
	}
	var out []edit
	i, j := 0, 0
	for i < n || j < m {
		switch {
		case i < n && j < m && a[i] == b[j]:
			out = append(out, edit{" ", a[i]})
			i, j = i+1, j+1
		case j == m || i < n && *at(i+1, j) >= *at(i, j+1):
			out = append(out, edit{"-", a[i]})
			i++
		default:
			out = append(out, edit{"+", b[j]})
			j++
		}
	}
	return out
}
