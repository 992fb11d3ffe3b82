package paint

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"slices"
	"strings"
	"time"

	gansi "charm.land/glamour/v2/ansi"
	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark"

	"turns/model"
	"turns/query/human"
	"turns/themes"
)

// Markdown renders blocks of Markdown in the colours of a theme, with one glamour renderer per
// width.
type Markdown struct {
	St   *Styles
	made map[int]goldmark.Markdown
	Slow int // number of blocks that took too long; after a few, all text is plain

	drawn map[drawing][]string // the last texts: each is drawn again after a resize and in a pane
	bytes int                  // of the texts in drawn
}

// drawing is a text in a width.
type drawing struct {
	text string
	w    int
}

// drawnBytes is how much text stays drawn.
const drawnBytes = 1 << 20

// NewMarkdown makes a Markdown; the renderer of a width is made on its first use.
func NewMarkdown(st *Styles) *Markdown {
	return &Markdown{St: st, made: map[int]goldmark.Markdown{}, drawn: map[drawing][]string{}}
}

// Render returns lines of at most w cells, which the caller does not change. Text that glamour
// cannot render is only wrapped.
func (m *Markdown) Render(text string, w int) []string {
	text = expandTabs(text)
	if w < 8 || m.Slow > 3 || decodesUnfit(text) {
		return m.plain(text, w)
	}
	key := drawing{text, w}
	if lines, ok := m.drawn[key]; ok {
		return lines
	}
	lines, ok := m.blocks(text, w, 0)
	if !ok || !keepsLetters(text, ansi.Strip(strings.Join(lines, "\n"))) {
		return m.plain(text, w)
	}
	lines = slices.Clip(balance(lines))
	if m.bytes += len(text); m.bytes > drawnBytes {
		clear(m.drawn)
		m.bytes = len(text)
	}
	m.drawn[key] = lines
	return lines
}

// rendered renders a text with glamour, without blank lines at its ends; false if that failed.
func (m *Markdown) rendered(text string, w int) ([]string, bool) {
	in := linkWidth(text, w)
	r := m.made[in]
	if r == nil {
		r = newMarkdown(gansi.Options{WordWrap: in, PreserveNewLines: true, InlineTableLinks: true, Styles: m.config()})
		m.made[in] = r
	}
	began := time.Now()
	out, err := renderSafely(r, labelFences(text))
	if time.Since(began) > time.Second {
		m.Slow++
	}
	if err != nil {
		return nil, false
	}
	out = onlyColours(out)
	var lines []string
	for line := range strings.SplitSeq(strings.Trim(out, "\n"), "\n") {
		line = trimRight(line)
		switch {
		case Width(line) <= w:
			lines = append(lines, line)
		case in != w && !strings.HasPrefix(ansi.Strip(line), "  "):
			lines = append(lines, wrapWords(line, w)...)
		default: // a line of code
			lines = append(lines, strings.Split(ansi.Hardwrap(line, w, true), "\n")...)
		}
	}
	for len(lines) > 0 && ansi.Strip(lines[0]) == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && ansi.Strip(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	return lines, true
}

// decodesUnfit reports whether character references decode to characters that must not reach the
// screen: the renderer turns "&#27;" into an escape character, after cleaning, and "&#9;" into a
// tab. It decodes some references twice.
func decodesUnfit(text string) bool {
	for range 4 {
		if !strings.Contains(text, "&") {
			return false
		}
		next := html.UnescapeString(text)
		if next == text {
			return false
		}
		if model.Clean(next) != next || strings.Contains(next, "\t") {
			return true
		}
		text = next
	}
	return true
}

// onlyColours removes everything but text and colours from rendered text. The renderer makes a
// hyperlink of any link target, with any scheme, under any text; the address itself is in the text,
// where terminals find it.
func onlyColours(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for len(s) > 0 {
		i := strings.IndexByte(s, 0x1b)
		for i >= 0 && human.ColourLen(s[i:]) == 0 {
			j := strings.IndexByte(s[i+1:], 0x1b)
			if j < 0 {
				i = -1
				break
			}
			i += 1 + j
		}
		if i < 0 {
			b.WriteString(model.Printed(s))
			break
		}
		b.WriteString(model.Printed(s[:i]))
		n := human.ColourLen(s[i:])
		b.WriteString(s[i : i+n])
		s = s[i+n:]
	}
	return b.String()
}

// renderSafely turns a panic of the renderer into an error: its input may be any model output.
func renderSafely(r goldmark.Markdown, text string) (out string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = errors.New("markdown cannot be rendered")
		}
	}()
	var b bytes.Buffer
	err = r.Convert([]byte(text), &b)
	return b.String(), err
}

func (m *Markdown) plain(text string, w int) []string {
	d := Doc{St: m.St, Wrap: true}
	return d.each(text, max(w, 1), func(line string) []Span { return []Span{{Text: line}} })
}

// trimRight removes spaces, and the escape sequences around them, from the end of a line.
func trimRight(line string) string {
	plain := ansi.Strip(line)
	short := strings.TrimRight(plain, " ")
	if len(short) == len(plain) {
		return line
	}
	if short == "" {
		return ""
	}
	return ansi.Truncate(line, Width(short), "")
}

func expandTabs(s string) string { return strings.ReplaceAll(s, "\t", "    ") }

// labelFences adds a language to every fence without one: otherwise each searches all lexers.
func labelFences(s string) string {
	if !strings.Contains(s, "```") && !strings.Contains(s, "~~~") {
		return s
	}
	lines := strings.Split(s, "\n")
	open := ""
	for i, line := range lines {
		t := strings.TrimLeft(line, " ")
		mark := fenceOf(t)
		switch {
		case mark == "":
		case open == "":
			open = mark
			if strings.TrimSpace(t[len(mark):]) == "" {
				lines[i] = line[:len(line)-len(t)] + mark + "text"
			}
		case strings.HasPrefix(mark, open) && strings.TrimSpace(t[len(mark):]) == "":
			open = ""
		}
	}
	return strings.Join(lines, "\n")
}

// config converts the theme for glamour.
func (m *Markdown) config() gansi.StyleConfig {
	t := m.St.Theme
	color := func(s string) *string {
		if s == "" || m.St.NoColor {
			return nil
		}
		return &s
	}
	yes, zero := true, uint(0)
	one := uint(2)
	prim := func(fg string) gansi.StylePrimitive { return gansi.StylePrimitive{Color: color(fg)} }
	block := func(fg string) gansi.StyleBlock {
		return gansi.StyleBlock{StylePrimitive: prim(fg)}
	}
	heading := gansi.StyleBlock{StylePrimitive: gansi.StylePrimitive{Color: color(t.Heading), Bold: &yes, BlockSuffix: "\n"}}
	level := func(underlined bool) gansi.StyleBlock {
		p := gansi.StylePrimitive{Color: color(t.Heading), Bold: &yes}
		if underlined {
			p.Underline = &yes
		}
		return gansi.StyleBlock{StylePrimitive: p}
	}
	bar := "│ "
	asIs := prim
	prim = func(fg string) gansi.StylePrimitive { return asIs(codeColour(fg)) }
	chroma := &gansi.Chroma{
		Text: prim(t.Fg), Keyword: prim(t.SyntaxKeyword), KeywordReserved: prim(t.SyntaxKeyword), KeywordNamespace: prim(t.SyntaxKeyword),
		KeywordType: prim(t.SyntaxType), Comment: prim(t.SyntaxComment), CommentPreproc: prim(t.SyntaxComment), Name: prim(t.Fg),
		NameBuiltin: prim(t.SyntaxFunction), NameFunction: prim(t.SyntaxFunction), NameClass: prim(t.SyntaxType), NameTag: prim(t.SyntaxKeyword),
		NameAttribute: prim(t.SyntaxFunction), LiteralString: prim(t.SyntaxString), LiteralNumber: prim(t.SyntaxNumber),
		Operator: prim(t.SyntaxPunctuation), Punctuation: prim(t.SyntaxPunctuation), GenericDeleted: prim(t.DiffDel),
		GenericInserted: prim(t.DiffAdd), GenericSubheading: prim(t.DiffHunk),
	}
	prim = asIs
	if t.ANSI {
		chroma = nil
	}
	return gansi.StyleConfig{
		Document:   gansi.StyleBlock{StylePrimitive: prim(t.Fg), Margin: &zero},
		Paragraph:  gansi.StyleBlock{},
		BlockQuote: gansi.StyleBlock{StylePrimitive: prim(t.Dim), Indent: new(uint(1)), IndentToken: &bar},
		List:       gansi.StyleList{LevelIndent: 2},
		Heading:    heading,
		H1:         level(true), H2: level(true), H3: level(false), H4: level(false), H5: level(false), H6: level(false),
		Strikethrough:  gansi.StylePrimitive{CrossedOut: &yes},
		Emph:           gansi.StylePrimitive{Italic: &yes},
		Strong:         gansi.StylePrimitive{Bold: &yes},
		HorizontalRule: gansi.StylePrimitive{Color: color(t.Faint), Format: "\n────────\n"},
		Item:           gansi.StylePrimitive{BlockPrefix: "• "},
		Enumeration:    gansi.StylePrimitive{BlockPrefix: ". "},
		Task:           gansi.StyleTask{Ticked: "[x] ", Unticked: "[ ] "},
		Link:           gansi.StylePrimitive{Color: color(t.Link), Underline: &yes},
		LinkText:       gansi.StylePrimitive{Color: color(t.Link)},
		Image:          gansi.StylePrimitive{Color: color(t.Link)},
		ImageText:      gansi.StylePrimitive{Color: color(t.Link), Format: "image: {{.text}}"},
		Code:           block(t.SyntaxString),
		CodeBlock:      gansi.StyleCodeBlock{StyleBlock: gansi.StyleBlock{Margin: &one}, Chroma: chroma},
		Table:          gansi.StyleTable{},
		DefinitionDescription: gansi.StylePrimitive{
			BlockPrefix: "\n  ",
		},
	}
}

// codeColour converts a colour for the highlighter: an invalid one would panic with its lock held
// and block the next code block forever.
func codeColour(token string) string {
	c, ok := themes.RGBA(token)
	if !ok {
		return ""
	}
	return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B)
}
