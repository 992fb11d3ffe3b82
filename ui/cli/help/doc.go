// Package help writes the help of the program: what --help prints, the pages of `turns help TOPIC`
// and the manual pages of `turns man`. All three are a Page, laid out for a terminal or for man(1).
package help

// Page is a text with headings, as a terminal or a manual shows it.
type Page struct {
	Name     string // of the manual page: turns-stats
	Title    string // one line that says what it is about
	Section  int    // of the manual: 1 for commands, 7 for topics
	Sections []Section
}

// Section is a heading and what is below it.
type Section struct {
	Heading string // "" continues the section before it
	Blocks  []Block
}

// Block is a paragraph, lines that are printed as they are, or rows of two columns.
type Block struct {
	Text string // a paragraph
	Code string // lines as they are
	Rows []Row
	Wide bool // rows of a table with several columns, the first of which leads
}

// Row is a term and what it means.
type Row struct {
	Term, Text string
	Cells      []string // further columns
}
