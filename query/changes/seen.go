package changes

import (
	"strings"

	"turns/model"
	"turns/query/describe"
)

// seenText is the part of a file that a call showed.
type seenText struct {
	lines []string
	first int  // number of the first line, from 1
	all   bool // the whole file
	exact bool // identical to the file, including the final newline
	sure  bool // the text is only the file
	text  string
}

// fullText returns the complete file. It adds a final newline if that was not visible.
func (s *seenText) fullText() string {
	if s.exact || len(s.lines) == 0 {
		return s.text
	}
	return strings.Join(s.lines, "\n") + "\n"
}

// recordedLines returns lines that a transcript records separately from the result.
func recordedLines(t *model.FileText) *seenText {
	s := &seenText{text: t.Text.String(), first: max(int(t.First), 1), sure: true}
	s.lines = strings.Split(s.text, "\n")
	n := len(s.lines)
	if n > 1 && s.lines[n-1] == "" {
		s.exact = true // it ends with a newline
	}
	s.all = s.first == 1 && t.Total > 0 && n >= int(t.Total)
	if s.exact {
		s.lines = s.lines[:n-1]
	}
	s.exact = s.exact && s.all
	return s
}

// shown reads the lines in the result of a reading call.
func (e *evidence) shown() {
	texts := []string{e.result.Text}
	if e.acts[0].edit.Shell {
		texts[0] = describe.ShellOutput(e.result)
	} else if list := describe.ListItems(e.result.Text, filesMax); len(list) > 0 && len(list) == len(e.acts) {
		texts = list
	}
	for i := range e.acts {
		a := &e.acts[i]
		if a.edit.Kind != describe.EditRead || a.seen != nil || i >= len(texts) || len(texts[i]) > textMax {
			continue
		}
		a.seen = readShown(unwrap(texts[i]), &a.edit)
	}
}

// unwrap returns the text of a result that is an object, without what the agent's program adds.
func unwrap(text string) string {
	text = describe.Output(text)
	if strings.HasPrefix(text, "{") {
		fields := describe.CallArgs{Fields: describe.ObjectFields(text)}
		if raw := fields.Raw("result", "output", "content"); strings.HasPrefix(raw, `"`) {
			return stringOf(raw)
		}
	}
	return text
}

// cutMarks are the marks of tools for omitted text.
var cutMarks = []string{"truncated", "omitted", "[... ", "… +", "<system-reminder>", "characters remaining", "unchanged since last read", "<identical to result ["}

// readShown reads numbered lines, or the complete text if the call read the whole file.
func readShown(text string, e *describe.FileEdit) *seenText {
	if s := numberedLines(text); s != nil {
		s.all = s.all && !e.Part && e.First <= 1 && (e.Last == 0 || s.sure)
		return s
	}
	if e.First > 0 && e.Shell && !marked(text) { // sed -n 'A,Bp'
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		if text == "" || len(lines) > e.Last-e.First+1 {
			return nil
		}
		return &seenText{lines: lines, first: e.First}
	}
	if e.First > 0 || e.Last > 0 || e.Part || marked(text) || text == "" {
		return nil
	}
	if !e.Shell && (strings.HasPrefix(text, "<") || strings.HasPrefix(text, "[")) {
		return nil // some other envelope
	}
	return &seenText{lines: strings.Split(strings.TrimSuffix(text, "\n"), "\n"), first: 1, all: true, text: text}
}

// marked reports whether a text is marked as incomplete.
func marked(text string) bool {
	for _, part := range [...]string{text[:min(len(text), 400)], text[max(0, len(text)-400):]} {
		for _, mark := range cutMarks {
			if strings.Contains(part, mark) {
				return true
			}
		}
	}
	return strings.Contains(text, "tokens truncated") || strings.Contains(text, "[... omitted")
}

// numberedLines parses text with a number before each line, as most tools show files; nil for other
// text.
func numberedLines(text string) *seenText {
	s := &seenText{}
	rest, above := text, 0
	sep := ""
	for line := range strings.Lines(text) {
		plain := strings.TrimSuffix(line, "\n")
		n, content, with, ok := numberedLine(plain, sep)
		if len(s.lines) == 0 {
			if above++; above > 8 {
				return nil
			}
			if ok {
				s.first, sep = n, with
				s.lines = append(s.lines, content)
			}
		} else if !ok || n != s.first+len(s.lines) {
			break
		} else {
			s.lines = append(s.lines, content)
		}
		rest = rest[len(line):]
	}
	if len(s.lines) == 0 || len(s.lines) == 1 && strings.TrimSpace(rest) != "" && s.first != 1 {
		return nil
	}
	total, ok := statedTotal(rest)
	switch {
	case ok:
		s.sure = true
		s.all = s.first == 1 && total == len(s.lines)
	case strings.TrimSpace(rest) == "" || strings.HasPrefix(strings.TrimSpace(rest), "</"):
		s.all = s.first == 1
	}
	return s
}

// numberedLine cuts the number off a line; sep is the sign after it, "" if not yet known.
func numberedLine(line, sep string) (n int, content, with string, ok bool) {
	s := strings.TrimLeft(line, " ")
	digits := 0
	for digits < len(s) && s[digits] >= '0' && s[digits] <= '9' && digits < 8 {
		n = 10*n + int(s[digits]-'0')
		digits++
	}
	if digits == 0 || n == 0 {
		return 0, "", "", false
	}
	rest := s[digits:]
	for _, sign := range [...]string{"→", "\t", ": ", " | ", "| ", "|", ". ", ":", " |", "."} {
		if sep != "" && sign != sep && sign != strings.TrimRight(sep, " ") {
			continue
		}
		if content, ok := strings.CutPrefix(rest, sign); ok && (sep == "" || sign == sep || content == "") {
			return n, content, sign, true
		}
	}
	return 0, "", "", false
}

// statedTotal returns the number of lines of a file according to a tool: "(End of file - total 2
// lines)", "(File has 30 lines total.)".
func statedTotal(text string) (int, bool) {
	text = text[:min(len(text), 400)]
	for _, mark := range [...]string{"End of file - total ", "File has ", "total lines: "} {
		if _, rest, ok := strings.Cut(text, mark); ok {
			n, digits := 0, 0
			for digits < len(rest) && rest[digits] >= '0' && rest[digits] <= '9' && digits < 9 {
				n = 10*n + int(rest[digits]-'0')
				digits++
			}
			return n, digits > 0
		}
	}
	return 0, false
}
