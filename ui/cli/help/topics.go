package help

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// pages are the topics: a new file TOPIC.md here is a new page of `turns help TOPIC`.
//
//go:embed *.md
var pages embed.FS

// Topics are the names of all pages, sorted.
func Topics() []string {
	files, _ := fs.Glob(pages, "*.md") // the pattern is right
	for i, f := range files {
		files[i] = strings.TrimSuffix(f, ".md")
	}
	return files
}

// Topic is the page of that name. The error is fs.ErrNotExist if there is none.
func Topic(name string) (*Page, error) {
	data, err := pages.ReadFile(path.Base(name) + ".md")
	if err != nil {
		return nil, fmt.Errorf("no help topic %q: %w", name, fs.ErrNotExist)
	}
	p := parseMarkdown(data)
	p.Name, p.Section = "turns-"+name, 7
	return p, nil
}

// parseMarkdown reads a page: its first heading is "NAME: title", and what follows are headings,
// paragraphs, lists, code and tables.
func parseMarkdown(src []byte) *Page {
	p := &Page{Sections: []Section{{}}}
	doc := goldmark.New(goldmark.WithExtensions(extension.Table)).Parser().Parse(text.NewReader(src))
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		s := &p.Sections[len(p.Sections)-1]
		switch n := n.(type) {
		case *ast.Heading:
			if title := plain(n, src); n.Level > 1 {
				p.Sections = append(p.Sections, Section{Heading: title})
			} else {
				_, rest, named := strings.Cut(title, ": ")
				p.Title = title
				if named {
					p.Title = rest
				}
			}
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			s.Blocks = append(s.Blocks, Block{Code: string(n.Lines().Value(src))})
		case *ast.List:
			s.Blocks = append(s.Blocks, Block{Rows: items(n, src)})
		case *extast.Table:
			s.Blocks = append(s.Blocks, Block{Rows: cells(n, src), Wide: true})
		case *ast.HTMLBlock: // marks where a table is generated
		default:
			s.Blocks = append(s.Blocks, Block{Text: plain(n, src)})
		}
	}
	return p
}

// items are the entries of a list, with a sign before each.
func items(list *ast.List, src []byte) (rows []Row) {
	n := list.Start
	for item := list.FirstChild(); item != nil; item = item.NextSibling() {
		sign := "•"
		if list.IsOrdered() {
			sign = fmt.Sprintf("%d.", n)
			n++
		}
		rows = append(rows, Row{Term: sign, Text: plain(item, src)})
	}
	return rows
}

func cells(table *extast.Table, src []byte) (rows []Row) {
	for r := table.FirstChild(); r != nil; r = r.NextSibling() {
		var row Row
		for c := r.FirstChild(); c != nil; c = c.NextSibling() {
			if c == r.FirstChild() {
				row.Term = plain(c, src)
			} else {
				row.Cells = append(row.Cells, plain(c, src))
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// plain is the text of a node: of a link its text and where it leads, if it leads out of the page.
func plain(n ast.Node, src []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the walker has no errors
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				text := n.Segment.Value(src)
				if n.Parent().Kind() != ast.KindCodeSpan {
					text = util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(text)))
				}
				b.Write(text)
				if n.SoftLineBreak() || n.HardLineBreak() {
					b.WriteByte(' ')
				}
			}
		case *ast.String:
			if entering {
				b.Write(n.Value)
			}
		case *ast.AutoLink:
			if entering {
				b.Write(n.URL(src))
			}
		case *ast.Link:
			if to := string(n.Destination); !entering && strings.Contains(to, "://") {
				b.WriteString(" (" + to + ")")
			}
		}
		return ast.WalkContinue, nil
	})
	return strings.TrimSpace(b.String())
}
