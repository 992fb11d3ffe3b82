package export

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
	"github.com/yuin/goldmark/util"
)

// saysOf writes Markdown as HTML. Blocks and spans of HTML are not looked for, so that a tag is
// text; links to scripts lose their address; an image is a link, since a page reaches for nothing.
func saysOf(w io.Writer, text string) (err error) {
	if len(text) > saysMax {
		return errTooMuch
	}
	for line := range strings.Lines(text) {
		if len(line)-len(strings.TrimLeft(line, " \t>-*+")) > 60 {
			return errTooMuch // lists and quotes in each other: what that costs grows with a power of it
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
	)
	md := goldmark.New(goldmark.WithParser(p), goldmark.WithExtensions(extension.Linkify, extension.Strikethrough, extension.TaskList,
		extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignNone))),
		goldmark.WithRendererOptions(gmhtml.WithHardWraps(), renderer.WithNodeRenderers(util.Prioritized(imageLinks{}, 1))))
	return md.Convert([]byte(text), w)
}

// saysMax is how long a text may be to be read as Markdown.
const saysMax = 256 << 10

var errTooMuch = errors.New("too much to be read as Markdown")

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
