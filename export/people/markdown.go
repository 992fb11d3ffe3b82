package people

import (
	"cmp"
	"context"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"turns/export"
	"turns/export/shape"
	"turns/export/walk"
	"turns/model"
	"turns/model/jsonspan"
	"turns/query"
	"turns/query/describe"
	"turns/query/human"
)

// WriteMarkdown writes a document: a title, then a heading for each message. Texts of messages
// remain Markdown, as far as it cannot affect other messages (mdtext.go); arguments and results are
// in fences longer than any in them.
func WriteMarkdown(ctx context.Context, w io.Writer, view describe.View, opts export.Options) (export.Report, error) {
	var size letters
	m := markdown{people: newPeople(io.MultiWriter(w, &size), view, &opts)}
	m.title(ctx)
	report, err := m.end(m.Each(ctx, m.message))
	size.note(&report)
	return report, err
}

// Clip returns a selection as Markdown without the title, for the clipboard.
func Clip(ctx context.Context, view describe.View, opts export.Options) (string, export.Report, error) {
	var b strings.Builder
	names := opts.Names
	if names != nil {
		if err := export.LearnNames(ctx, names, view.Snap); err != nil {
			return "", export.Report{}, err
		}
		view.Snap = view.Snap.Mapped(names.String)
	}
	m := markdown{people: newPeople(&b, view, &opts), bare: true}
	report, err := m.end(m.Each(ctx, m.message))
	text := strings.TrimSuffix(b.String(), "\n")
	NoteLimits(&report, text)
	if names != nil {
		text = names.String(text)
	}
	return text, report, err
}

type markdown struct {
	*people
	bare  bool // no title
	wrote bool // a message
}

// issueLimit is the maximum number of characters in the body of an issue or of a comment on GitHub:
// https://github.com/dead-claudia/github-limits
const issueLimit = 65_536

// letters counts the characters written to it.
type letters int

func (l *letters) Write(p []byte) (int, error) {
	for _, c := range p {
		if c&0xc0 != 0x80 {
			*l++
		}
	}
	return len(p), nil
}

// note reports the limit if the count exceeds it.
func (l letters) note(r *export.Report) {
	if l > issueLimit {
		r.Over = "more than a GitHub issue holds (65 kB)"
		r.Note("%s", r.Over) // without its own size, which differs from that of the file
	}
}

// NoteLimits reports the limits that a text in Markdown exceeds.
func NoteLimits(r *export.Report, text string) { letters(utf8.RuneCountInString(text)).note(r) }

func (m *markdown) title(ctx context.Context) {
	o := m.overview(ctx)
	m.put("# ", human.MarkdownLine(o.title), "\n\n")
	if o.source != "" {
		m.put("- **Source:** ", mdCode(o.source))
		if o.format != "" {
			m.put(" (", human.MarkdownLine(o.format), ")")
		}
		m.put("\n")
	}
	if o.dates != "" {
		m.put("- **Date:** ", o.dates, "\n")
	}
	m.put("- **Messages:** ", human.MarkdownLine(o.counts), "\n")
	if !m.opts.Now.IsZero() {
		m.put("- **Exported:** ", m.opts.Now.In(m.zone).Format("2006-01-02 15:04:05"), "\n")
	}
}

func (m *markdown) message(s *walk.Paired) error {
	if !m.Visible(s, m.opts) {
		return nil
	}
	m.begin(s)
	if m.wrote || !m.bare {
		m.put("\n---\n\n")
	}
	m.wrote = true
	m.put("### ", human.MarkdownLine(m.speaker(s)), "\n\n*", human.MarkdownLine(strings.Join(m.about(s), " · ")), "*\n")
	m.shown(s, m.call, m.result, func(i int) { m.block(&s.Blocks[i]) })
	return nil
}

func (m *markdown) block(b *model.Content) {
	text := strings.Trim(m.text(b.Text), "\n")
	switch b.Kind {
	case model.Words:
		if strings.TrimSpace(text) != "" {
			m.put("\n", mdContain(text), "\n")
		}
	case model.Reasoning:
		if strings.TrimSpace(text) != "" {
			m.put("\n> **Reasoning**\n>\n", mdQuote(text))
		}
	case model.Media:
		m.put("\n*", human.MarkdownLine(m.mediaLine(b)), "*\n")
	default:
		m.put("\n**", human.MarkdownLine(cmp.Or(m.line(b.Name), "Other")), "**\n")
		m.fence(text, "")
	}
}

func (m *markdown) call(c *walk.Call) {
	m.heading("Tool Call", c)
	m.put("\n")
	m.given(c)
	if m.opts.NoResults {
		return
	}
	m.ending(c)
}

// given writes the arguments of a call: as a command or a diff if that shows all of them,
// otherwise as JSON.
func (m *markdown) given(c *walk.Call) {
	pieces := m.arguments(c)
	if m.wholly(c, pieces) {
		for i := range pieces {
			m.piece(&pieces[i])
		}
		return
	}
	text := m.counted(c.Call).Text
	if out, ok := (shape.Layout{Indent: 2}).AppendValue(nil, []byte(text), 0); ok {
		if string(out) != "{}" {
			m.fence(m.text(readable(string(out))), "json")
		}
	} else if text != "" {
		m.fence(m.text(text), "")
	}
}

// readable returns JSON with the letters that it escapes by number, unless they are invisible.
func readable(text string) string {
	if !strings.Contains(text, `\u`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			i++
			continue
		}
		n, r := 2, utf8.RuneError
		if text[i+1] == 'u' {
			if n, r = 6, codeUnit(text[i:]); utf16.IsSurrogate(r) {
				if r = utf16.DecodeRune(r, codeUnit(text[min(i+6, len(text)):])); r != utf8.RuneError {
					n = 12
				}
			}
		}
		if n = min(n, len(text)-i); r != '"' && r != '\\' && r != utf8.RuneError && unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(text[i : i+n])
		}
		i += n
	}
	return b.String()
}

// codeUnit returns the number of an escape such as \u00e9 at the beginning of a text, or RuneError.
func codeUnit(text string) rune {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return utf8.RuneError
	}
	n, err := strconv.ParseUint(text[2:6], 16, 16)
	if err != nil {
		return utf8.RuneError
	}
	return rune(n)
}

// wholly reports whether the only piece shows the complete arguments: a command that is the only
// argument, or a diff with the name of its file.
func (m *markdown) wholly(c *walk.Call, pieces []describe.Shown) bool {
	if len(pieces) != 1 {
		return false
	}
	switch s := &pieces[0]; s.Kind {
	case describe.ShownDiff:
		return onlyTexts(c.Call.Text, 3) && endsAsDrawn(c.Call.Text)
	case describe.ShownCode:
		return s.Head == "" && onlyTexts(c.Call.Text, 1)
	}
	return false
}

// endsAsDrawn reports whether a diff shows how the texts of a call end. It draws full lines. So
// the text of a new file must end in a line break, both texts of a replacement must not, and
// the replaced text must not be empty.
func endsAsDrawn(args string) bool {
	texts, breaks, empty := 0, 0, 0
	cur := jsonspan.New([]byte(args))
	for cur.Object(); cur.Key(); texts++ {
		switch text := model.EscapedText(cur.String()).String(); {
		case text == "":
			empty++
		case strings.HasSuffix(text, "\n"):
			breaks++
		}
	}
	switch texts {
	case 1: // a patch
		return true
	case 2:
		return breaks == 1
	}
	return breaks == 0 && empty == 0
}

// onlyTexts reports whether arguments are an object with at most that many fields, all of them
// texts.
func onlyTexts(args string, limit int) bool {
	n := 0
	cur := jsonspan.New([]byte(args))
	if cur.Kind() != jsonspan.Object {
		return false
	}
	for cur.Object(); cur.Key(); cur.Skip() {
		if n++; n > limit || cur.Kind() != jsonspan.String {
			return false
		}
	}
	return cur.Err == nil && n > 0
}

// heading begins a call or a result with the name of its tool and its id.
func (m *markdown) heading(what string, c *walk.Call) {
	m.put("\n**", what, ": ", human.MarkdownLine(cmp.Or(m.line(c.Name(m.View.Snap)), "unknown")), "**")
	if id := m.line(c.RecordedID()); id != "" {
		m.put(" ", mdCode(id))
	}
}

// result writes a result without a visible call.
func (m *markdown) result(c *walk.Call) {
	m.heading("Tool Result", c)
	if c.Orphan() {
		m.put(" *(", furtherResult(c).Standing(), ")*")
	}
	m.put("\n")
	m.ending(c)
}

func (m *markdown) ending(c *walk.Call) {
	m.put("\n**Result:**")
	outcome := c.Outcome()
	var parts []string
	if outcome != model.Unknown && outcome != model.Success {
		parts = append(parts, outcome.String())
	}
	if t := took(c); t != "" {
		parts = append(parts, t)
	}
	inText := c.Known && c.Row.InText()
	if inText {
		parts = append(parts, describe.OnlyInText)
	}
	if len(parts) > 0 {
		m.put(" *", strings.Join(parts, " · "), "*")
	}
	switch {
	case c.Result == nil && inText:
		m.put("\n")
	case c.Result == nil && query.Pending(&c.Row):
		m.put(" *none yet*\n")
	case c.Result == nil:
		m.put(" *none*\n")
	default:
		if c.Result.Text == "" {
			m.put(" *empty*")
		}
		m.put("\n")
		m.folded(m.returned(c))
	}
}

// foldedFrom is the maximum number of unfolded lines of a result.
const foldedFrom = 50

// folded writes the result of a tool, and folds a long one.
func (m *markdown) folded(pieces []describe.Shown) {
	lines := 0
	for i := range pieces {
		if pieces[i].Text != "" {
			lines += 1 + strings.Count(pieces[i].Text, "\n") // the last one lacks a newline
		}
	}
	if lines > foldedFrom {
		m.put("\n<details><summary>", human.Plural(lines, "line"), "</summary>\n")
		defer m.put("\n</details>\n")
	}
	for i := range pieces {
		m.piece(&pieces[i])
	}
}

// piece writes a piece of an opened call or result.
func (m *markdown) piece(s *describe.Shown) {
	if s.Head != "" {
		m.put("\n", mdCode(s.Head))
		if s.Kind == describe.ShownDiff {
			m.put(" ", s.Counts())
		}
		m.put("\n")
	}
	if s.Kind == describe.ShownMarkdown {
		if strings.TrimSpace(s.Text) != "" {
			m.put("\n", mdQuote(strings.Trim(s.Text, "\n")))
		}
		return
	}
	m.fence(s.Text, s.Language())
}

// fence writes text between fences that are longer than any run of backticks in it.
func (m *markdown) fence(text, lang string) {
	marks := strings.Repeat("`", max(3, longestRun(text, '`')+1))
	m.put("\n", marks, lang, "\n", text)
	if !strings.HasSuffix(text, "\n") {
		m.put("\n")
	}
	m.put(marks, "\n")
}

func longestRun(s string, c byte) int {
	longest, n := 0, 0
	for i := range len(s) {
		if s[i] == c {
			n++
			longest = max(longest, n)
		} else {
			n = 0
		}
	}
	return longest
}
