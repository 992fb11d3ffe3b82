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

// saysOf writes Markdown as HTML. Blocks and spans of HTML are not looked for, so that a tag is
// text; a link that leads to anything but a page, a mail or a file beside loses its address, as in
// Markdown; an image is its words and its address, since a page reaches for nothing.
func saysOf(w io.Writer, says string) (err error) {
	if len(says) > saysMax {
		return errTooMuch
	}
	for line := range strings.Lines(says) {
		if len(line)-len(strings.TrimLeft(line, " \t>-*+")) > 60 {
			// lists and quotes in each other: what that costs grows with a power of it
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
		// behind what finds links in text
		parser.WithASTTransformers(util.Prioritized(deadLinks{}, 2000)),
	)
	md := goldmark.New(goldmark.WithParser(p), goldmark.WithExtensions(extension.Linkify, extension.Strikethrough, extension.TaskList,
		extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignNone))),
		goldmark.WithRendererOptions(gmhtml.WithHardWraps(), renderer.WithNodeRenderers(util.Prioritized(imageLinks{}, 1))))
	return md.Convert([]byte(says), w)
}

// saysMax is how long a text may be to be read as Markdown.
const saysMax = 256 << 10

var errTooMuch = errors.New("too much to be read as Markdown")

// deadLinks are links whose address mdTarget does not know: the address stands behind their words,
// and the link leads nowhere.
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
