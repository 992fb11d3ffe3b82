package answer

import (
	"slices"
	"strings"

	"turns/query/human"
)

// Doc is an answer for all of its drawings: a sequence of sections.
type Doc struct {
	Title    string // of a file; commands print none as text
	Level    int    // level of the title below a first-level heading in Markdown
	Sections []Section
}

// Section is a part of an answer. Drawing skips its empty parts.
type Section struct {
	Head  string                   // a heading
	Lead  bool                     // the heading begins the first sentence
	Text  []string                 // sentences and lines
	List  bool                     // the lines are items of a list
	Chart func(columns int) string // lines of equal width; columns 0: any number
	Table *Table
	Notes []string // below the table
	Only  Form
	Fold  bool // Markdown shows its heading first, and the rest on request
}

// Form is the kind of drawing that shows a section.
type Form uint8

// The forms.
const (
	Everywhere Form = iota
	InText          // includes answers for agents
	InMarkdown
)

// Alone returns an answer with one table.
func Alone(t *Table) *Doc {
	d := &Doc{}
	d.AddTable("", t)
	return d
}

// AddText adds a section of sentences, without empty ones.
func (d *Doc) AddText(text ...string) {
	d.Add(Section{Text: slices.DeleteFunc(text, func(s string) bool { return s == "" })})
}

// AddTable adds a section with a table.
func (d *Doc) AddTable(head string, t *Table) { d.Add(Section{Head: head, Table: t}) }

// Add adds a section unless it is empty. A heading over a table without rows counts as empty.
func (d *Doc) Add(s Section) {
	if s.Table != nil && len(s.Table.Rows) == 0 {
		s.Table = nil
	}
	if len(s.Text) > 0 || s.Chart != nil || s.Table != nil || len(s.Notes) > 0 {
		d.Sections = append(d.Sections, s)
	}
}

// Note adds sentences below the last section, in text and in Markdown.
func (d *Doc) Note(text ...string) {
	last := map[*Section]bool{}
	for _, form := range [...]Form{InText, InMarkdown} {
		if list := d.In(form); len(list) > 0 {
			last[list[len(list)-1]] = true
		}
	}
	if len(last) == 0 {
		d.AddText(text...)
	}
	for s := range last {
		s.Notes = append(s.Notes, text...)
	}
}

// Rest notes the number of rows that --limit left out.
func (d *Doc) Rest(left int) *Doc {
	if left > 0 {
		d.Note(human.Count(left) + " more left out by --limit")
	}
	return d
}

// In returns the sections of a form.
func (d *Doc) In(form Form) (list []*Section) {
	for i := range d.Sections {
		if s := &d.Sections[i]; s.Only == Everywhere || s.Only == form {
			list = append(list, s)
		}
	}
	return list
}

// Lines returns the sentences of a section above its table, its heading first.
func (s *Section) Lines() []string {
	switch {
	case s.Head == "":
		return s.Text
	case s.Lead && len(s.Text) > 0:
		return append([]string{s.Head + "  " + s.Text[0]}, s.Text[1:]...)
	}
	return append([]string{s.Head}, s.Text...)
}

// Print writes the answer as text, with a blank line between sections.
func (d *Doc) Print(p *Page) {
	for i, s := range d.In(InText) {
		if i > 0 {
			p.WriteByte('\n')
		}
		for _, line := range s.Lines() {
			p.WriteString(line + "\n")
		}
		if s.Chart != nil {
			p.WriteString(s.Chart(p.Columns))
		}
		if s.Table != nil {
			s.Table.write(p)
		}
		for _, line := range s.Notes {
			p.WriteString(line + "\n")
		}
	}
}

// String is Print without a limit on the width of lines.
func (d *Doc) String() string {
	var p Page
	d.Print(&p)
	return p.String()
}

// Markdown returns the answer as Markdown.
func (d *Doc) Markdown() string {
	var m markdown
	if d.Title != "" {
		m.add(strings.Repeat("#", d.Level+1) + " " + human.MarkdownLine(d.Title))
	}
	for _, s := range d.In(InMarkdown) {
		m.section(s, d.Level)
	}
	return strings.Join(m, "\n\n") + "\n"
}

// markdown collects the blocks of a text.
type markdown []string

func (m *markdown) add(block string) { *m = append(*m, block) }

func (m *markdown) section(s *Section, level int) {
	text := s.Text
	switch head := human.MarkdownLine(s.Head); {
	case s.Lead && len(text) > 0:
		m.add("**" + head + "**: " + human.MarkdownLine(text[0]))
		text = text[1:]
	case s.Fold:
		m.add("<details><summary>" + head + "</summary>")
	case head != "":
		m.add(strings.Repeat("#", level+2) + " " + head)
	}
	m.sentences(text, s.List)
	if s.Chart != nil {
		m.add("```\n" + s.Chart(0) + "```")
	}
	if s.Table != nil {
		m.table(s.Table)
	}
	m.sentences(s.Notes, false)
	if s.Fold {
		m.add("</details>")
	}
}

func (m *markdown) sentences(lines []string, list bool) {
	for i, line := range lines {
		switch line = human.MarkdownLine(strings.TrimSpace(line)); {
		case line == "":
		case list && i > 0:
			(*m)[len(*m)-1] += "\n- " + line
		case list:
			m.add("- " + line)
		default:
			m.add(line)
		}
	}
}

// table adds a table. Markdown tables require a line of names.
func (m *markdown) table(t *Table) {
	rows := t.lined(0).rows
	if !t.Named() {
		rows = slices.Insert(rows, 0, make([]string, len(t.Columns)))
	}
	var b strings.Builder
	for i, row := range rows {
		for _, c := range row {
			b.WriteString("| " + human.MarkdownLine(strings.TrimSpace(c)) + " ")
		}
		b.WriteString("|\n")
		if i == 0 {
			for _, c := range t.Columns {
				b.WriteString("| ---" + map[bool]string{true: ":"}[c.Kind.right()] + " ")
			}
			b.WriteString("|\n")
		}
	}
	m.add(strings.TrimSuffix(b.String(), "\n"))
}
