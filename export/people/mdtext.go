package people

import (
	"regexp"
	"slices"
	"strings"
)

// mdCode returns a text on one line as code.
func mdCode(s string) string {
	marks := strings.Repeat("`", longestRun(s, '`')+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return marks + s + marks
}

// mdContain returns the Markdown of a message such that it ends where the message ends: raw HTML
// becomes text, because an unclosed comment or <pre> would swallow the rest of the document; its
// headings become smaller than the document's; and an open fence is closed. If it is unclear
// whether a fence is open, because that depends on surrounding lists and quotes, the complete text
// is put into a fence.
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

// mdQuote returns the Markdown of a message as a quotation, which ends all open constructs.
func mdQuote(text string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(mdContain(text), "\n") {
		b.WriteString(strings.TrimRight("> "+line, " "))
		b.WriteByte('\n')
	}
	return b.String()
}

// container tracks fences in a text, line by line.
type container struct {
	out         strings.Builder
	open        bool
	mark        byte
	run         int  // length of the fence
	col         int  // column of the fence
	marked      bool // after a list mark
	ticks       bool // a code span may be open in this paragraph
	label       bool // this paragraph may define a reference
	inParagraph bool // the previous line belongs to a paragraph
}

// line adds a line; it returns false if the kind of the line is unclear.
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
	if quoted || tab || strings.IndexByte(line, '|') >= 0 { // the head of a table for some readers
		return false
	}
	c.open, c.mark, c.run, c.col, c.marked, c.ticks = true, mark, run, at, marked, false
	c.out.WriteString(line[:at+run] + mdDefuse(line[at+run:]) + "\n")
	c.label, c.inParagraph = false, false
	return true
}

// inside adds a line of a fence. An indented fence may belong to a list, which a line with less
// indentation would end, and the fence with it.
func (c *container) inside(line string, indent int, tab bool) bool {
	blank := strings.TrimSpace(line) == ""
	if !blank && (indent < c.col || tab && c.col > 0) {
		return false
	}
	rest := strings.TrimLeft(line, " \t")
	if mark, run := fenceRun(rest); mark == c.mark && run >= c.run && strings.TrimSpace(rest[run:]) == "" {
		// readers differ on whether it ends the fence
		if tab || indent != c.col && (c.col > 0 || indent > 3) {
			return false
		}
		c.open = false
	}
	if c.col > 3 || c.marked { // perhaps not a fence
		line = mdDefuse(line)
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

// skipMarks skips indentation and the marks of lists and quotes.
func skipMarks(line string) (at int, quoted, marked bool) {
	for at < len(line) {
		switch c := line[at]; {
		case c == ' ':
			at++
		case c == '\t':
			return at, true, marked // columns are no longer bytes
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

// escape defuses a line outside of code.
func (c *container) escape(line string) string {
	// the paragraph above would be a heading
	if rule := strings.TrimLeft(line, " \t>"); c.inParagraph && underlines(rule) {
		return line[:len(line)-len(rule)] + "\\" + rule
	}
	at, _, _ := skipMarks(line)
	for at < len(line) && line[at] == '\t' {
		n, _, _ := skipMarks(line[at+1:])
		at += 1 + n
	}
	head, text := line[:at], line[at:]
	if strings.TrimSpace(text) == "" {
		c.label, c.inParagraph = false, false
		return line
	}
	c.inParagraph = true
	c.label = c.label || strings.HasPrefix(text, "[")
	text = demote(text)
	if strings.IndexByte(text, '`') < 0 {
		return head + mdDefuse(text)
	}
	spans, closed := codeSpans(text)
	if !closed {
		c.ticks = true
	}
	// A span may extend over several lines, a table cuts it, an address takes precedence at its
	// start, and a definition ignores it.
	if c.ticks || slices.ContainsFunc(spans, func(s [2]int) bool { return inAddress(text[:s[0]]) }) || strings.IndexByte(text, '|') >= 0 || c.label && strings.Contains(text, "]:") {
		return head + mdDefuse(text)
	}
	var b strings.Builder
	b.WriteString(head)
	last := 0
	for _, s := range spans {
		b.WriteString(mdDefuse(text[last:s[0]]))
		b.WriteString(text[s[0]:s[1]])
		last = s[1]
	}
	b.WriteString(mdDefuse(text[last:]))
	return b.String()
}

// inAddress reports whether a text ends in a word that readers may turn into a link.
func inAddress(s string) bool {
	word := s[strings.LastIndexAny(s, " \t")+1:]
	return strings.Contains(word, ":") || strings.Contains(word, "www.") || strings.Contains(word, "@")
}

// underlines reports whether a line makes a heading of the paragraph above it.
func underlines(text string) bool {
	text = strings.TrimRight(text, " \t")
	return text != "" && (strings.Trim(text, "=") == "" || strings.Trim(text, "-") == "")
}

// ourWords matches the beginnings of lines that the export itself writes in a message.
var ourWords = regexp.MustCompile(`^[*_]+(Tool Call: |Tool Result: |Result:|Reasoning|#[0-9])`)

// demote makes headings of a message differ from those of the document, and lines like those of the
// document about calls differ from these.
func demote(text string) string {
	level := len(text) - len(strings.TrimLeft(text, "#"))
	if level > 0 && level <= 6 && (level == len(text) || text[level] == ' ' || text[level] == '\t') {
		return strings.Repeat("#", min(level+3, 6)) + text[level:]
	}
	if ourWords.MatchString(text) {
		return strings.Repeat("\\*", len(text)-len(strings.TrimLeft(text, "*_"))) + strings.TrimLeft(text, "*_")
	}
	return text
}

// codeSpans returns the code spans of a line; closed is false if a backtick has no partner on it.
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

// mdAutolink matches the valid content of angle brackets.
var mdAutolink = regexp.MustCompile(`^<(https?://|mailto:)[^\s<>` + "`" + `]*>`)

// mdDefuse turns into text: tags, comments and declarations, images that are loaded when the
// document is viewed, definitions that change the links of other messages, and links that run code.
func mdDefuse(s string) string {
	if !strings.ContainsAny(s, "<[]") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		rest := s[i:]
		switch {
		case s[i] == '<' && len(rest) > 1 && startsTag(rest[1]):
			if link := mdAutolink.FindString(rest); link != "" && !backslashed(s, i) {
				b.WriteString(link)
				i += len(link) - 1
			} else {
				b.WriteString("&lt;")
			}
		case strings.HasPrefix(rest, "!["):
			b.WriteString(`!\[`)
			i++
		case strings.HasPrefix(rest, "]("):
			if i++; mdTarget.MatchString(rest[2:]) {
				b.WriteString("](")
			} else {
				b.WriteString(`]\(`)
			}
		case strings.HasPrefix(rest, "]:"):
			b.WriteString(`]\:`)
			i++
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// backslashed reports whether a backslash escapes s[i].
func backslashed(s string, i int) bool {
	n := 0
	for n < i && s[i-1-n] == '\\' {
		n++
	}
	return n%2 == 1
}

// mdTarget matches permitted targets of links: the web, mail, the document itself or a file.
var mdTarget = regexp.MustCompile(`^(https?://|mailto:|#|\)|[\w./~%+-]+([/?#][^&\\\s]*)?( |\)|$))`)

func startsTag(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '/' || c == '!' || c == '?'
}
