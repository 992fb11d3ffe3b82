package export

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// mdEscape makes text on one line stand in Markdown as it is, where it does not
// begin a line. An underscore within a word means nothing, so names of tools
// stay as they are.
func mdEscape(s string) string {
	const active = "\\`*_[]<>&|~!"
	if !strings.ContainsAny(s, active) {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		if strings.ContainsRune(active, r) && (r != '_' || !withinWord(s, i)) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// withinWord reports whether the run of underscores at s[i] has letters on both
// sides.
func withinWord(s string, i int) bool {
	before, after := strings.TrimRight(s[:i], "_"), strings.TrimLeft(s[i:], "_")
	a, _ := utf8.DecodeLastRuneInString(before)
	z, _ := utf8.DecodeRuneInString(after)
	return isName(a) && isName(z)
}

// mdCode is text on one line as code.
func mdCode(s string) string {
	marks := strings.Repeat("`", longestRun(s, '`')+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return marks + s + marks
}

// mdContain is the Markdown of a message so that it ends where the message ends:
// raw HTML shows as text, since an unclosed comment or <pre> would swallow the
// rest of the document, and a fence that is left open is closed. Where it cannot
// be told whether a fence is open, because that hangs on lists and quotes around
// it, the whole text stands in a fence.
func mdContain(text string) string {
	c := container{}
	for line := range strings.SplitSeq(text, "\n") {
		if !c.line(line) {
			return mdVerbatim(text)
		}
	}
	if c.open {
		if c.col > 0 || c.marked {
			return mdVerbatim(text)
		}
		c.out.WriteString(strings.Repeat(string(c.mark), c.run))
		c.out.WriteByte('\n')
	}
	return strings.TrimSuffix(c.out.String(), "\n")
}

func mdVerbatim(text string) string {
	marks := strings.Repeat("`", max(3, longestRun(text, '`')+1))
	return marks + "markdown\n" + strings.TrimSuffix(text, "\n") + "\n" + marks
}

// mdQuote is the Markdown of a message as a quotation, which ends whatever is
// open in it.
func mdQuote(text string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(mdContain(text), "\n") {
		b.WriteString(strings.TrimRight("> "+line, " "))
		b.WriteByte('\n')
	}
	return b.String()
}

// container follows fences through a text, line by line.
type container struct {
	out    strings.Builder
	open   bool
	mark   byte
	run    int  // length of the fence
	col    int  // column of the fence
	marked bool // behind the mark of a list
	ticks  bool // a code span may be open in this paragraph
}

// line takes a line; it is false where it cannot be told what the line is.
func (c *container) line(line string) bool {
	indent, tab := indentOf(line)
	if c.open {
		return c.inside(line, indent, tab)
	}
	if strings.TrimSpace(line) == "" {
		c.ticks = false
	}
	at, quoted, marked := skipMarks(line)
	mark, run := fenceRun(line[at:])
	if run < 3 || mark == '`' && strings.IndexByte(line[at+run:], '`') >= 0 {
		c.out.WriteString(c.escape(line))
		c.out.WriteByte('\n')
		return true
	}
	if quoted || tab {
		return false
	}
	c.open, c.mark, c.run, c.col, c.marked, c.ticks = true, mark, run, at, marked, false
	c.out.WriteString(line[:at+run] + mdTags(line[at+run:]) + "\n")
	return true
}

// inside takes a line of a fence. Where the fence is indented it may belong to a
// list, which a line with less indentation would end, and the fence with it.
func (c *container) inside(line string, indent int, tab bool) bool {
	blank := strings.TrimSpace(line) == ""
	if !blank && (indent < c.col || tab && c.col > 0) {
		return false
	}
	if mark, run := fenceRun(line[min(indent, len(line)):]); !tab && mark == c.mark && run >= c.run && strings.TrimSpace(line[indent+run:]) == "" {
		if indent != c.col && (c.col > 0 || indent > 3) {
			if c.col == 0 { // indented that far it is code in the fence
				c.out.WriteString(line + "\n")
				return true
			}
			return false
		}
		c.open = false
	}
	if c.col > 3 || c.marked { // perhaps no fence at all
		line = mdTags(line)
	}
	c.out.WriteString(line + "\n")
	return true
}

func indentOf(line string) (spaces int, tab bool) {
	for spaces < len(line) && line[spaces] == ' ' {
		spaces++
	}
	return spaces, spaces < len(line) && line[spaces] == '\t'
}

func fenceRun(s string) (mark byte, run int) {
	if s == "" || s[0] != '`' && s[0] != '~' {
		return 0, 0
	}
	for run < len(s) && s[run] == s[0] {
		run++
	}
	return s[0], run
}

// skipMarks passes over indentation and the marks of lists and quotes.
func skipMarks(line string) (at int, quoted, marked bool) {
	for at < len(line) {
		switch c := line[at]; {
		case c == ' ':
			at++
		case c == '\t':
			return at, true, marked // columns are not bytes any more
		case c == '>':
			quoted = true
			at++
		case (c == '-' || c == '*' || c == '+') && at+1 < len(line) && (line[at+1] == ' ' || line[at+1] == '\t'):
			marked = true
			at++
		case c >= '0' && c <= '9':
			end := at
			for end < len(line) && line[end] >= '0' && line[end] <= '9' {
				end++
			}
			if end+1 >= len(line) || line[end] != '.' && line[end] != ')' || line[end+1] != ' ' && line[end+1] != '\t' {
				return at, quoted, marked
			}
			marked = true
			at = end + 1
		default:
			return at, quoted, marked
		}
	}
	return at, quoted, marked
}

// escape shows the raw HTML of a line as text, but for what stands in code.
func (c *container) escape(line string) string {
	if strings.IndexByte(line, '`') < 0 {
		return mdTags(line)
	}
	spans, closed := codeSpans(line)
	if !closed {
		c.ticks = true
	}
	if c.ticks { // a span may reach over several lines
		return mdTags(line)
	}
	var b strings.Builder
	last := 0
	for _, s := range spans {
		b.WriteString(mdTags(line[last:s[0]]))
		b.WriteString(line[s[0]:s[1]])
		last = s[1]
	}
	b.WriteString(mdTags(line[last:]))
	return b.String()
}

// codeSpans are the code spans of a line; closed is false where a backtick has no
// partner on it.
func codeSpans(line string) (spans [][2]int, closed bool) {
	if strings.Contains(line, "\\`") {
		return nil, false
	}
	for i := 0; i < len(line); {
		if line[i] != '`' {
			i++
			continue
		}
		_, n := fenceRun(line[i:])
		end := -1
		for j := i + n; j < len(line); {
			if line[j] != '`' {
				j++
				continue
			}
			_, k := fenceRun(line[j:])
			if k == n {
				end = j + k
				break
			}
			j += k
		}
		if end < 0 {
			return nil, false
		}
		spans = append(spans, [2]int{i, end})
		i = end
	}
	return spans, true
}

// mdAutolink is what may stand in angle brackets.
var mdAutolink = regexp.MustCompile(`^<(https?://|mailto:)[^\s<>` + "`" + `]*>`)

// mdTags escapes what could begin a tag, a comment or a declaration.
func mdTags(s string) string {
	if strings.IndexByte(s, '<') < 0 {
		return s
	}
	var b strings.Builder
	for i := range len(s) {
		if s[i] == '<' && i+1 < len(s) && startsTag(s[i+1]) && !mdAutolink.MatchString(s[i:]) {
			slashes := 0
			for slashes < i && s[i-1-slashes] == '\\' {
				slashes++
			}
			if slashes%2 == 0 {
				b.WriteByte('\\')
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func startsTag(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '/' || c == '!' || c == '?'
}
