package paint

import (
	"context"
	"html"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"turns/model"
	"turns/model/load"
	"turns/model/modeltest"
	"turns/themes"
)

// fenceLine and reference match letters of the Markdown syntax: the language of a fence, and the
// name of a character.
var (
	fenceLine = regexp.MustCompile("(?m)^[ >*+\\-0-9.)\t]*(```+|~~~+)[^\n]*$")
	reference = regexp.MustCompile(`&#?[0-9A-Za-z]+;`)
)

// lostLetters returns how many letters of a text are missing from the rendered text, and which.
func lostLetters(source, shown string) (n int, which string) {
	have := map[rune]int{}
	for _, r := range shown {
		have[r]++
	}
	source = fenceLine.ReplaceAllString(source, "")
	source = reference.ReplaceAllStringFunc(source, func(s string) string {
		if strings.Contains(shown, s) {
			return s
		}
		return html.UnescapeString(s)
	})
	for _, r := range source {
		if !unicode.IsLetter(r) && r != '<' {
			continue
		}
		if have[r]--; have[r] < 0 {
			n++
			which += string(r)
		}
	}
	return n, which
}

// bodies draws texts, each in another width and theme.
type bodies struct {
	t           *testing.T
	md          []*Markdown
	texts, lost int
}

func newBodies(t *testing.T) *bodies {
	b := &bodies{t: t}
	for _, th := range themes.Builtin() {
		b.md = append(b.md, NewMarkdown(NewStyles(th, false, 0)))
	}
	return b
}

var bodyWidths = [...]int{20, 33, 47, 60, 78, 101, 116, 158, 200}

func (b *bodies) draw(source string) {
	md := b.md[b.texts%len(b.md)]
	md.Slow = 0
	w := bodyWidths[b.texts%len(bodyWidths)]
	b.texts++
	text := Cleaned(source)
	d := Doc{Parts: MarkdownParts(text), W: w, St: md.St, Wrap: true, Md: md}
	var out strings.Builder
	for i := range d.Parts {
		for _, line := range d.Lines(i) {
			if Width(line) > w {
				b.t.Errorf("width %d: a line of %d cells: %q", w, Width(line), line)
			}
			out.WriteString(ansi.Strip(line) + "\n")
		}
	}
	if n, which := lostLetters(text, out.String()); n > 0 {
		b.lost += n
		b.t.Errorf("width %d: %d letters are lost: %.40q\nof %.300q\nshown %.300q", w, n, which, text, out.String())
	}
}

// file draws the texts of a transcript.
func (b *bodies) file(path string, each int) {
	ctx := context.Background()
	c, err := load.Open(ctx, path, load.Options{})
	if err != nil {
		return // not a transcript
	}
	defer c.Close()
	snap, err := c.Load(ctx)
	if snap == nil {
		b.t.Logf("%s: %v", path, err)
		return
	}
	for i := range snap.Len() {
		id := snap.At(i)
		if snap.HeadRow(id).Flags&model.HasWords == 0 || !modeltest.Some(i, each) {
			continue
		}
		m, err := snap.Body(ctx, id)
		if err != nil || m == nil {
			continue
		}
		for j := range m.Blocks {
			if k := m.Blocks[j].Kind; k == model.Words && len(m.Blocks[j].Text) < 1<<18 {
				b.draw(m.Blocks[j].Text)
			}
		}
	}
}

func TestNoLetterIsLost(t *testing.T) {
	b := newBodies(t)
	for _, text := range []string{
		"A `Vec<String>` and a Vec<String>, a Map<K, V> <- here", "<task>\n  <shell>zsh</shell>\n</task>\nand more", "<!-- a note -->\ntext",
		"<environment_context>\n<cwd>/work</cwd>\n\n<shell>zsh</shell>\n</environment_context>", "Co-authored-by: A B <a@b.org>\n<https://example.org/x>",
		"[one]: https://example.org 'title'\n\nsee [one] and [two](https://example.org/two \"the title\")", "`&lt;b&gt;` and &lt;b&gt; and `a &amp;&amp; b`",
		"| a | b |\n|---|---|\n| " + strings.Repeat("word ", 60) + " | `x<y>` |", "```go title=x\nfunc F[T any](x <-chan T) {}\n" + strings.Repeat("x", 300) + "\n```",
		"~~gone <b>~~ **<i>bold</i>** _a<b>_", "1. one\n1. two\n\n- [x] done <ok>\n- [ ] not", "> quoted <tag>\n> <br>", "term\n: what it <is>",
		"Title <T>\n=====\n\n## Head <h1>", "![alt <b>](image.png)", "a &#65; &copy; &unknown; b",
	} {
		for range bodyWidths {
			b.draw(text)
		}
	}
	root, each := "../../testdata", 7
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && modeltest.SomeNamed(path, 1) {
			b.file(path, each)
		}
		return nil
	})
	t.Logf("%d texts, %d letters lost", b.texts, b.lost)
}

func TestNoLetterIsLostInTheCorpus(t *testing.T) {
	root := modeltest.Corpus(t)
	b, n := newBodies(t), 0
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		if info, err := d.Info(); err != nil || info.Size() > 4<<20 && !modeltest.Whole() {
			return nil
		}
		if n++; modeltest.Some(n, 25) {
			b.file(path, 3)
		}
		return nil
	})
	t.Logf("%d texts, %d letters lost", b.texts, b.lost)
}

// TestHighlighterReadsAllColours: an invalid colour would hang the highlighter.
func TestHighlighterReadsAllColours(t *testing.T) {
	numbered := themes.Builtin()[0]
	numbered.Fg, numbered.SyntaxKeyword = "208", "13"
	for _, th := range append(themes.Builtin(), numbered) {
		c := NewMarkdown(NewStyles(th, false, 0)).config().CodeBlock.Chroma
		if c == nil {
			continue
		}
		for _, p := range []*string{c.Text.Color, c.Keyword.Color, c.Comment.Color, c.LiteralString.Color, c.GenericInserted.Color} {
			if p != nil && !strings.HasPrefix(*p, "#") {
				t.Errorf("%s: %q", th.Name, *p)
			}
		}
	}
}
