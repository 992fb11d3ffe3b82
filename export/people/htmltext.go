package people

import (
	"errors"
	"html"
	"io"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	gmhtml "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// writeProse writes Markdown as HTML. It does not parse HTML blocks and spans, so tags become text.
// A link to anything but a page, an email address or a file nearby loses its address, as in
// Markdown. An image becomes its words and its address, because the page must not load anything.
func writeProse(w io.Writer, text string) (err error) {
	if len(text) > proseMax {
		return errTooMuch
	}
	for line := range strings.Lines(text) {
		if len(line)-len(strings.TrimLeft(line, " \t>-*+")) > 60 {
			// nested lists and quotes: their cost grows exponentially
			return errTooMuch
		}
	}
	defer func() {
		if recover() != nil {
			err = errors.New("markdown cannot be rendered")
		}
	}()
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
		// after the search for links in text
		parser.WithASTTransformers(util.Prioritized(deadLinks{}, 2000)),
	)
	md := goldmark.New(goldmark.WithParser(p), goldmark.WithExtensions(extension.Linkify, extension.Strikethrough, extension.TaskList,
		extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignNone))),
		goldmark.WithRendererOptions(gmhtml.WithHardWraps(), renderer.WithNodeRenderers(util.Prioritized(imageLinks{}, 1))))
	return md.Convert([]byte(text), w)
}

// proseMax is the maximum size of a text that is parsed as Markdown.
const proseMax = 256 << 10

var errTooMuch = errors.New("too much to be read as Markdown")

// deadLinks removes the targets of links that mdTarget does not match: the address follows their
// words, and the link has no target.
type deadLinks struct{}

func (deadLinks) Transform(doc *ast.Document, _ text.Reader, _ parser.Context) {
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if l, ok := n.(*ast.Link); ok && entering && len(l.Destination) > 0 && !mdTarget.Match(l.Destination) {
			address := ast.NewString([]byte(" (" + string(l.Destination) + ")"))
			address.SetRaw(true)
			l.AppendChild(l, address)
			l.Destination = nil
		}
		return ast.WalkContinue, nil
	})
}

// imageLinks writes an image as its words and its address.
type imageLinks struct{}

func (imageLinks) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindImage, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			_, err := w.WriteString(" (" + html.EscapeString(string(n.(*ast.Image).Destination)) + ")")
			return ast.WalkContinue, err
		}
		return ast.WalkContinue, nil
	})
}
