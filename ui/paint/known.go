package paint

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	gansi "charm.land/glamour/v2/ansi"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// newMarkdown parses Markdown as people use it in conversations. It does not parse tags, addresses
// in angle brackets and link definitions: a renderer drops them, but in conversations they are
// types, XML prompts and e-mail addresses.
func newMarkdown(o gansi.Options) goldmark.Markdown {
	p := parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(parser.NewSetextHeadingParser(), 100), util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(parser.NewListParser(), 300), util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewCodeBlockParser(), 500), util.Prioritized(parser.NewATXHeadingParser(), 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700), util.Prioritized(parser.NewBlockquoteParser(), 800),
			util.Prioritized(parser.NewParagraphParser(), 1000),
		),
		parser.WithInlineParsers(
			util.Prioritized(parser.NewCodeSpanParser(), 100), util.Prioritized(parser.NewLinkParser(), 200),
			util.Prioritized(parser.NewEmphasisParser(), 500),
		),
		parser.WithASTTransformers(util.Prioritized(codeAsIs{}, 1000)),
	)
	md := goldmark.New(goldmark.WithParser(p), goldmark.WithExtensions(extension.GFM))
	md.SetRenderer(renderer.NewRenderer(renderer.WithNodeRenderers(util.Prioritized(gansi.NewRenderer(o), 1000))))
	return md
}

// codeAsIs preserves character references in code, which the renderer would decode.
type codeAsIs struct{}

func (codeAsIs) Transform(doc *ast.Document, r text.Reader, _ parser.Context) {
	source := r.Source()
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering || n.Kind() != ast.KindCodeSpan {
			return ast.WalkContinue, nil
		}
		var b strings.Builder
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			if t, ok := c.(*ast.Text); ok {
				b.Write(t.Segment.Value(source))
			}
		}
		if code := b.String(); strings.Contains(code, "&") {
			n.RemoveChildren(n)
			n.AppendChild(n, ast.NewString([]byte(strings.ReplaceAll(code, "&", "&amp;"))))
		}
		return ast.WalkSkipChildren, nil
	})
}

// keepsLetters reports whether the rendered text contains everything of the source. A renderer must
// not drop text, so a block that lost something is shown unrendered.
func keepsLetters(source, shown string) bool {
	letters := letterRunes(source)
	if subsequence(letters, shown) || strings.Contains(letters, "&") && subsequence(letterRunes(html.UnescapeString(source)), shown) {
		return true
	}
	// wrapped table cells change their order
	return strings.Contains(source, "|") && counted(letters, shown)
}

// letterRunes returns a text without spaces, Markdown marks and fence languages.
func letterRunes(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	open := ""
	for line := range strings.SplitSeq(s, "\n") {
		t := strings.TrimLeft(line, " >-*+.)0123456789\t")
		if mark := fenceOf(t); mark != "" && (open == "" || strings.HasPrefix(mark, open)) {
			if open == "" {
				open = mark
			} else {
				open = ""
			}
			continue
		}
		for _, r := range line {
			if !isMark(r) {
				b.WriteRune(r)
			}
		}
	}
	return b.String()
}

// isMark reports whether a rune may be part of Markdown syntax.
func isMark(r rune) bool {
	return r < utf8.RuneSelf && strings.IndexByte("*_~`#>-+|[]()!\\:=", byte(r)) >= 0 || unicode.IsSpace(r) || !unicode.IsPrint(r)
}

func subsequence(letters, shown string) bool {
	for _, r := range letters {
		i := strings.IndexRune(shown, r)
		if i < 0 {
			return false
		}
		shown = shown[i+utf8.RuneLen(r):]
	}
	return true
}

func counted(letters, shown string) bool {
	n := map[rune]int{}
	for _, r := range shown {
		n[r]++
	}
	for _, r := range letters {
		if n[r]--; n[r] < 0 {
			return false
		}
	}
	return true
}
