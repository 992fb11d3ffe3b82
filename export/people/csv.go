package people

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"turns/export"
	"turns/export/walk"
	"turns/model"
	"turns/query/describe"
	"turns/query/human"
	"turns/query/label"
)

// csvColumns are always present, even for an empty conversation.
var csvColumns = []string{"index", "role", "content", "tool_name", "tool_call_id", "token_count"}

// csvMore are the columns on request.
var csvMore = []string{"time", "arguments", "duration", "outcome", "inside", "in_text", "labels"}

// Columns returns the names of the optional columns of a table.
func Columns() []string { return slices.Clone(csvMore) }

// csvRow is a message, a call or a result. The first call of a message is in the row of its words,
// and so is the result of a message that is one; every other call and result has a separate row.
type csvRow struct {
	role    string
	content []string
	first   bool       // of its message
	call    *walk.Call // or its result
	id      string
}

// WriteCSV writes a table of messages, calls and results.
func WriteCSV(ctx context.Context, w io.Writer, view describe.View, opts export.Options) (export.Report, error) {
	p := newPeople(w, view, &opts)
	p.tools = map[string]string{}
	for _, name := range opts.Columns {
		if !slices.Contains(csvMore, name) {
			return p.done(), fmt.Errorf("unknown column %q; known are %s", name, strings.Join(csvMore, ", "))
		}
	}
	if len(opts.Labels.All()) > 0 && !slices.Contains(opts.Columns, "labels") {
		opts.Columns = append(slices.Clone(opts.Columns), "labels")
	}
	tokens, err := opts.Tokens(ctx, view.Selection)
	if err != nil {
		return p.done(), err
	}
	line := human.AppendCSV(nil, append(slices.Clone(csvColumns), opts.Columns...)...)
	p.w.Write(line) // Flush returns the first error
	return p.end(p.Each(ctx, func(s *walk.Paired) error {
		p.begin(s)
		for i, row := range p.csvRows(s) {
			count := ""
			if n, ok := tokens.Message(s.ID); ok && i == 0 {
				count = strconv.FormatInt(n.Sum(), 10)
			}
			line = human.AppendCSV(line[:0], p.csvCells(s, &row, count)...)
			if _, err := p.w.Write(line); err != nil {
				return err
			}
		}
		return nil
	}))
}

func (p *people) csvRows(s *walk.Paired) []csvRow {
	rows := []csvRow{{role: p.line(p.View.Snap.RoleName(s.Head)), first: true}}
	results := 0
	var answers []model.CallRow
	var own []*walk.Call // the calls of the message with their result in it, so far
	if s.Head.Flags&model.HasResults != 0 {
		answers = p.View.Snap.Answers(s.ID)
	}
	add := func(c *walk.Call, id string, alone bool, content ...string) {
		if alone || rows[0].call != nil {
			role := rows[0].role
			if c.Call == nil {
				role = model.Tool.String()
			}
			rows = append(rows, csvRow{role: role})
		}
		row := &rows[len(rows)-1]
		row.call, row.id, row.content = c, id, append(row.content, content...)
	}
	for i := range s.Blocks {
		b := &s.Blocks[i]
		switch b.Kind {
		case model.Words, model.OtherBlock: // content of an unknown kind is its JSON
			if !b.Null && p.Shows(s, i, p.opts) {
				rows[0].content = append(rows[0].content, p.csvText(b.Text, model.Clean))
			}
		case model.Media:
			row := &rows[0]
			if n := slices.IndexFunc(rows, func(r csvRow) bool { return b.ID != "" && r.id == b.ID && r.call.Result != nil }); n >= 0 {
				row = &rows[n] // of the result that has it
			}
			if p.Shows(s, i, p.opts) {
				row.content = append(row.content, p.mediaLine(b))
			}
		case model.ToolCall:
			if c := s.Calls[i]; c != nil {
				add(c, b.ID, false)
			}
		case model.ToolResult:
			c := &walk.Call{Result: b}
			if made := callIn(s, b.ID, own); made != nil {
				c.Row, c.Known, c.ID, own = made.Row, made.Known, made.ID, append(own, made)
			} else {
				if results < len(answers) {
					c.Row, c.Known, c.ID = answers[results].Call, true, answers[results].ID
				}
				results++
			}
			if c.Known && !p.View.ShowsCall(c.ID) {
				continue // not requested
			}
			var content []string
			if !p.opts.NoResults && b.Text != "" {
				content = append(content, p.csvText(b.Text, model.Printed))
			}
			add(c, b.ID, s.Role != model.Tool, content...)
		}
	}
	return rows
}

// callIn returns the first call of a message with this recorded id, or without one, that has its
// result in the same message and is not among those used; nil: none.
func callIn(s *walk.Paired, id string, used []*walk.Call) *walk.Call {
	for i := range s.Blocks {
		if c := s.Calls[i]; c != nil && c.Known && c.Call != nil && c.Call.ID == id && c.Row.Result == s.ID && !slices.Contains(used, c) {
			return c
		}
	}
	return nil
}

// csvText returns a text for a cell. Carriage returns stay, and raw cells have every character.
func (p *people) csvText(s string, clean func(string) string) string {
	if p.opts.CSVRaw {
		return p.safe(s)
	}
	parts := strings.Split(s, "\r")
	for i := range parts {
		parts[i] = clean(parts[i])
	}
	return p.safe(strings.Join(parts, "\r"))
}

// annotations returns the annotations of the row: of its call, otherwise of the message.
func (p *people) annotations(s *walk.Paired, row *csvRow) string {
	var marks []label.Mark
	for _, l := range p.opts.Labels.Of(p.View.Snap, s.ID) {
		if none := l.Call == model.CallID(model.NoRow); none && row.first || !none && row.call != nil && row.call.Known && row.call.ID == l.Call {
			marks = append(marks, l.Mark)
		}
	}
	return p.line(label.Join(marks))
}

// csvCells returns the cells of a row.
func (p *people) csvCells(s *walk.Paired, row *csvRow, tokens string) []string {
	name, c := "", row.call
	if c != nil {
		if name = p.line(c.Name(p.View.Snap)); c.Call != nil {
			p.tools[row.id] = name
		} else if name == "" { // another result of the call
			name = p.tools[row.id]
		}
	}
	if c != nil && c.Call != nil && c.Known && c.Row.Flags&model.HasNested != 0 {
		p.scripts[c.ID] = row.id
	}
	cells := []string{strconv.Itoa(s.Pos), row.role, cutText(strings.Join(row.content, "\n"), p.opts.MaxContent), name, p.line(row.id), tokens}
	for _, column := range p.opts.Columns {
		cell := ""
		switch {
		case column == "labels":
			cell = p.annotations(s, row)
		case column == "time" && s.Time != 0:
			cell = time.UnixMilli(s.Time).UTC().Format("2006-01-02T15:04:05.000Z")
		case c == nil:
		case column == "arguments" && c.Call != nil:
			cell = cutText(p.csvText(c.Call.Text, model.Clean), p.opts.MaxContent)
		case column == "duration" && c.Known && c.Row.Took != model.NoTook:
			cell = strconv.FormatFloat(float64(c.Row.Took)/1000, 'f', -1, 64)
		case column == "outcome" && c.Outcome() != model.Unknown:
			cell = c.Outcome().String()
		case column == "inside" && c.Known:
			if maker, ok := c.Row.Parent(); ok {
				cell = p.line(p.scripts[maker])
			}
		case column == "in_text" && c.Known && c.Row.InText():
			cell = "true"
		}
		cells = append(cells, cell)
	}
	for i := range cells {
		if !p.opts.CSVRaw && i > 0 && i != 5 {
			cells[i] = human.CSVCell(cells[i])
		}
	}
	return cells
}

// cutText cuts a text after that many characters; 0 is no limit.
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
