package export

import (
	"context"
	"encoding/csv"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"turns/model"
	"turns/query/describe"
)

// csvColumns are always there, also of an empty conversation.
var csvColumns = []string{"index", "role", "content", "tool_name", "tool_call_id", "token_count"}

// writeCSV writes a table with a row for each message.
func writeCSV(ctx context.Context, w io.Writer, view describe.View, opts Options) (Report, error) {
	p := newPeople(view, &opts)
	tokens, err := countTokens(ctx, view.Selection, &opts)
	if err != nil {
		return p.done(), err
	}
	out := csv.NewWriter(w)
	if err := out.Write(csvColumns); err != nil {
		return p.done(), err
	}
	err = p.each(ctx, func(s *said) error {
		p.begin(s)
		row := p.csvRow(s)
		if n, ok := tokens.Message(s.ID); ok {
			row[5] = strconv.FormatInt(n.Sum(), 10)
		}
		if !opts.CSVRaw {
			for i := range row[:5] {
				row[i] = csvCell(row[i])
			}
		}
		return out.Write(row[:])
	})
	out.Flush()
	if err == nil {
		err = out.Error()
	}
	return p.done(), err
}

func (p *people) csvRow(s *said) (row [6]string) {
	row[0], row[1] = strconv.Itoa(s.Pos), p.line(roleName(p.view.Snap, s.head))
	var content, names, ids []string
	results := 0
	var answers []model.CallRow
	if s.head.Flags&model.HasResults != 0 {
		answers = p.view.Snap.Answers(s.ID)
	}
	for i := range s.Blocks {
		b := &s.Blocks[i]
		switch b.Kind {
		case model.Words:
			if !b.Null && p.shows(s, i, p.opts) {
				content = append(content, b.Text)
			}
		case model.ToolCall:
			if c := s.calls[i]; c != nil {
				names, ids = append(names, p.line(c.name(p.view.Snap))), append(ids, p.line(b.ID))
			}
		case model.ToolResult:
			c := saidCall{result: b}
			if results < len(answers) {
				c.row, c.known, c.id = answers[results].Call, true, answers[results].ID
			}
			results++
			if s.Role != model.Tool || c.known && !p.view.ShowsCall(c.id) {
				continue // of a call of its own message, or not what was asked for
			}
			names, ids = append(names, p.line(c.name(p.view.Snap))), append(ids, p.line(b.ID))
			if !p.opts.NoResults && !b.Null {
				content = append(content, b.Text)
			}
		}
	}
	row[2] = cutText(p.text(strings.Join(content, "\n")), p.opts.MaxContent)
	row[3], row[4] = strings.Join(names, ", "), strings.Join(ids, ", ")
	return row
}

// cutText cuts a text after so many characters; 0 is no limit.
func cutText(s string, limit int) string {
	if limit <= 0 || len(s) <= limit || utf8.RuneCountInString(s) <= limit {
		return s
	}
	n := 0
	for i := range s {
		if n == limit {
			return s[:i] + "..."
		}
		n++
	}
	return s
}

// csvCell keeps a spreadsheet from running a cell as a formula.
func csvCell(s string) string {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(s, " \n\r\t"))
	switch r {
	case '=', '+', '-', '@', '＝', '＋', '－', '＠':
		return "'" + s
	}
	if s != "" && (s[0] == '\t' || s[0] == '\r') {
		return "'" + s
	}
	return s
}
