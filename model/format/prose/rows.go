package prose

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"turns/model"
	"turns/model/format/described"
)

// delimiters separate columns.
var delimiters = []byte{',', '\t', ';', '|'}

// lookForRows finds rows of columns under a row of their names.
func lookForRows(text []byte) *layout {
	for _, d := range delimiters {
		r := rows{delimiter: d}
		head, n := r.cut(text, true)
		if r.head(head); !r.named() || n >= len(text) {
			continue
		}
		fit, count, words := 0, 0, false
		for rest := text[n:]; len(rest) > 0 && count < maxSampled; count++ {
			row, n := r.cut(rest, true)
			if rest = rest[n:]; len(bytes.TrimSpace(row)) == 0 {
				count--
				continue
			}
			cells := r.cells(row)
			if len(cells) == r.width {
				fit++
			}
			words = words || slices.ContainsFunc(cells, isWord)
		}
		if pairs := r.pairs(); (words || !pairs) && (fit > 1 || fit == count && pairs) && fit*10 >= (count-1)*9 { // the last one may be cut off
			name := cmp.Or(map[byte]string{',': "rows of CSV", '\t': "rows of TSV"}[d], "rows of columns")
			return &layout{name, false, r.cut, r.appendTo}
		}
	}
	return nil
}

// isWord reports whether a cell has more than a number. A table of counts of prompts and responses
// is not a conversation.
func isWord(cell string) bool {
	cell = strings.TrimSpace(cell)
	_, err := strconv.ParseFloat(cell, 64)
	return cell != "" && err != nil
}

// pairs reports whether one column has questions and another one the answers. Such a table is read
// from its first row on.
func (r rows) pairs() bool {
	var has [described.Tool + 1]bool
	for _, name := range r.names {
		c := described.SideOf(name)
		if c == described.NoClass {
			c = described.SpeakerOf(name)
		}
		has[c] = true
	}
	return has[described.User] && has[described.Assistant]
}

// rows are rows of columns.
type rows struct {
	delimiter byte
	names     []string
	width     int // cells per row; spreadsheets write empty ones after the last name
}

// head sets the names of the columns. A first column without a name is an index, as in pandas.
func (r *rows) head(row []byte) {
	r.names = r.cells(row)
	for r.width = len(r.names); len(r.names) > 0 && strings.TrimSpace(r.names[len(r.names)-1]) == ""; {
		r.names = r.names[:len(r.names)-1]
	}
	if len(r.names) > 2 && r.names[0] == "" {
		r.names[0] = "index"
	}
}

// cut returns the first row; it includes line breaks in quoted cells.
func (r rows) cut(text []byte, eof bool) ([]byte, int) {
	quoted, start := false, true
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quoted:
			if c == '"' {
				quoted = i+1 < len(text) && text[i+1] == '"'
				if quoted {
					i++
				}
			}
		case c == '"' && start:
			quoted = true
		case c == '\n':
			return text[:i], i + 1
		}
		start = c == r.delimiter && !quoted
	}
	if eof {
		return text, len(text)
	}
	return nil, 0
}

func (r rows) cells(row []byte) []string {
	if row = bytes.TrimSpace(row); r.delimiter == '|' && len(row) > 2 && row[0] == '|' && row[len(row)-1] == '|' {
		return r.columns(row[1 : len(row)-1])
	}
	c := csv.NewReader(bytes.NewReader(row))
	c.Comma, c.LazyQuotes, c.FieldsPerRecord = rune(r.delimiter), true, -1
	cells, err := c.Read()
	if err != nil {
		return nil
	}
	return cells
}

// columns returns the cells of a row of a Markdown table; nil for the line below its header.
func (r rows) columns(row []byte) (cells []string) {
	if len(bytes.Trim(row, "|-: ")) == 0 {
		return r.names
	}
	for cell := range strings.SplitSeq(strings.ReplaceAll(string(row), `\|`, "\x00"), "|") {
		cells = append(cells, strings.TrimSpace(strings.ReplaceAll(cell, "\x00", "|")))
	}
	return cells
}

// named reports whether the first row has names of columns: distinct words.
func (r rows) named() bool {
	seen := map[string]bool{}
	for _, name := range r.names {
		name = strings.TrimSpace(name)
		if name == "" || len(name) > 40 || strings.Count(name, " ") > 2 || strings.ContainsAny(name, ".!?\"\n{}") || seen[name] {
			return false
		}
		seen[name] = true
	}
	return len(r.names) > 1
}

// isHead reports whether cells are the names of the columns.
func (r rows) isHead(cells []string) bool {
	if len(cells) != r.width {
		return false
	}
	for i, name := range r.names {
		if cells[i] != name && (i > 0 || cells[i] != "") {
			return false
		}
	}
	return true
}

// appendTo appends a row as an object, but not the row of names. Cells beyond the names become one
// further field.
func (r rows) appendTo(dst, row []byte) []byte {
	cells := r.cells(row)
	if len(cells) == 0 || r.isHead(cells) {
		return dst
	}
	dst = append(dst, '{')
	for i, cell := range cells {
		name := "more"
		if i < len(r.names) {
			name = strings.TrimSpace(r.names[i])
		}
		switch {
		case cell == "":
		// calls, or parts of a message
		case strings.HasPrefix(cell, "[{") && json.Valid([]byte(cell)):
			dst = append(key(dst, []byte(name)), cell...)
		case strings.HasPrefix(cell, "[{'"): // a list printed by Python
			list := emitLiteral(nil, []byte(cell))
			if len(list) == 0 {
				list = model.AppendQuoted(nil, []byte(cell))
			}
			dst = append(key(dst, []byte(name)), list...)
		default:
			dst = field(dst, []byte(name), []byte(cell))
		}
	}
	return append(dst, '}')
}
