package help

import (
	"fmt"
	"io"
	"strings"
)

// WriteMan writes a page in the man(7) language. The page has no date, so that the same program
// writes the same page.
func (p *Page) WriteMan(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s %d \"\" turns \"turns manual\"\n.SH NAME\n%s \\- %s\n", roffWord(strings.ToUpper(p.Name)), p.Section, roff(p.Name), roff(p.Title))
	for i := range p.Sections {
		s := &p.Sections[i]
		if s.Heading != "" {
			fmt.Fprintf(&b, ".SH %s\n", roffWord(strings.ToUpper(s.Heading)))
		} else if i == 0 {
			b.WriteString(".SH DESCRIPTION\n")
		}
		for j := range s.Blocks {
			s.Blocks[j].man(&b)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (block *Block) man(b *strings.Builder) {
	switch {
	case block.Rows != nil:
		for i := range block.Rows {
			r := &block.Rows[i]
			all := r.all()
			fmt.Fprintf(b, ".TP\n\\fB%s\\fR\n%s\n", roff(all[0]), roffLine(strings.Join(all[1:], ". ")))
		}
	case block.Code != "":
		b.WriteString(".PP\n.RS 4\n.nf\n")
		for line := range strings.Lines(block.Code) {
			b.WriteString(roffLine(strings.TrimRight(line, "\n")) + "\n")
		}
		b.WriteString(".fi\n.RE\n")
	default:
		for part := range strings.SplitSeq(block.Text, "\n\n") {
			b.WriteString(".PP\n" + roffLine(strings.Join(strings.Fields(part), " ")) + "\n")
		}
	}
}

// roff is a text in which nothing is a command of roff. Characters outside of ASCII are written by
// their code points, since troff reads bytes.
func roff(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\\':
			b.WriteString(`\e`)
		case r == '-':
			b.WriteString(`\-`)
		case r > '~':
			fmt.Fprintf(&b, `\[u%04X]`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// roffLine is a line of text: one that begins with a dot or an apostrophe would be a command.
func roffLine(s string) string {
	s = roff(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		return `\&` + s
	}
	return s
}

// roffWord is an argument of a command of roff.
func roffWord(s string) string { return `"` + strings.ReplaceAll(roff(s), `"`, `\(dq`) + `"` }
