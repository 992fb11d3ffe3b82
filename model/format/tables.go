package format

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"turns/model"
	"turns/model/format/described"
	"turns/model/format/infer"
	"turns/model/jsonspan"
)

// fromTables returns the format of an unknown database: it reads the table whose rows look like
// messages, as it would for JSON lines. Rows of one conversation follow each other, and the
// titles come from a table of conversations. It returns nil if no table has messages.
func fromTables(s *model.Sample) (*model.Format, model.Match) {
	var most *infer.Found
	table := ""
	var others []string
	for _, name := range slices.Sorted(maps.Keys(s.Rows)) {
		var rows [][]byte
		for _, row := range s.Rows[name] {
			rows = append(rows, opened(row))
		}
		found := Inferred(&model.Sample{Path: s.Path, Shape: model.Lines, Records: rows})
		if found == nil {
			continue
		}
		if most == nil || found.Exceeds(most) {
			if most != nil {
				others = append(others, table)
			}
			most, table = found, name
		} else {
			others = append(others, name)
		}
	}
	if most == nil {
		return nil, model.Match{}
	}
	d := most.Format
	d.Match, d.Each, d.Order = nil, "", ""
	title := joined(d, s.Tables, table)
	f, err := described.Compile(d, helpers)
	if err != nil {
		return nil, model.Match{}
	}
	m := model.Match{Score: inferredScore, Reason: fmt.Sprintf("the rows of the table %s: %s", table, most.Reason)}
	if title != "" {
		m.Reason += "; titles are those of the table " + title
	}
	if len(others) > 0 {
		m.Reason += "; not read: " + strings.Join(others, ", ")
	}
	f.Detect = func(*model.Sample) model.Match { return m }
	parse := f.Parse
	f.Parse = func(rec model.Record, fs *model.Facts) error {
		rec.Data = opened(rec.Data)
		return parse(rec, fs)
	}
	return f, m
}

// opened returns a row with its text columns parsed if they contain JSON lists: the calls of a
// message.
func opened(row []byte) []byte {
	if !bytes.Contains(row, []byte(`"[{`)) {
		return row
	}
	out := []byte{'{'}
	c := jsonspan.New(row)
	for c.Object(); c.Key(); {
		name := bytes.Clone(c.Name)
		v := c.Skip()
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(model.AppendQuoted(out, name), ':')
		if bytes.HasPrefix(v, []byte(`"[{`)) {
			if text := model.ValueText(v).Append(nil); json.Valid(text) {
				out = append(out, text...)
				continue
			}
		}
		out = append(out, v...)
	}
	if c.Err != nil {
		return row
	}
	return append(out, '}')
}

// joined adds to a description the queries for a table and for the titles of its conversations. It
// returns the table with the titles, "" if there is none.
func joined(d *described.Format, tables map[string][]string, table string) string {
	columns := tables[table]
	session, times := infer.SessionColumn(columns), ""
	for i := range d.Rules {
		r := &d.Rules[i]
		if r.At != "" {
			continue
		}
		if session != "" {
			r.Session = "session"
		}
		if times == "" && slices.Contains(columns, r.Time) {
			times = r.Time
		}
	}
	query := described.Query{Name: table, Needs: []string{table}, SQL: rowsOf(table, columns, session, times)}
	of, id, name := titled(tables, table, session)
	if of != "" {
		d.Queries = append(d.Queries, described.Query{Name: of, Needs: []string{of + "." + id, of + "." + name},
			SQL: "SELECT " + quoted(id) + " AS session, " + quoted(name) + " AS turns_title FROM " + quoted(of) + " ORDER BY rowid"})
		d.Rules = slices.Insert(d.Rules, 0, described.Rule{When: []string{"turns_title"}, As: "about", Session: "session", Keep: map[string]string{"title": "turns_title"}})
	}
	d.Queries = append(d.Queries, query)
	return of
}

// counting are names of columns that count the rows of a conversation.
var counting = []string{"seq", "sequence", "position", "idx", "message_index", "turn_index", "turn", "ordinal", "sort_order"}

// rowsOf returns the query for the rows of a table. Each row has its rowid first. Rows are
// sorted by conversation, then in the order of writing.
func rowsOf(table string, columns []string, session, times string) string {
	chosen, order := []string{"rowid AS turns_row"}, []string(nil)
	if session != "" {
		order = append(order, quoted(session))
		if session != "session" {
			chosen = append(chosen, quoted(session)+" AS session")
		}
	}
	if times != "" {
		order = append(order, quoted(times))
	}
	count := slices.IndexFunc(columns, func(c string) bool { return slices.Contains(counting, strings.ToLower(c)) })
	if count >= 0 && slices.Contains(columns, "id") { // there may be no rowid
		chosen[0] = "id AS turns_row"
		order = append(order, quoted(columns[count]))
	} else {
		order = append(order, "rowid")
	}
	return "SELECT " + strings.Join(chosen, ", ") + ", * FROM " + quoted(table) + " ORDER BY " + strings.Join(order, ", ")
}

// titled returns the table of conversations that a column of another table refers to, with its
// columns of ids and titles: conversations(id, title) for messages(conversation_id).
func titled(tables map[string][]string, table, session string) (of, id, title string) {
	stem := strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(session), "id"), "_")
	if stem == "" {
		return "", "", ""
	}
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		low := strings.TrimSuffix(strings.ToLower(name), "s")
		if name == table || low != stem && !strings.HasSuffix(low, "_"+stem) && !strings.HasSuffix(stem, "_"+low) && strings.ReplaceAll(low, "_", "") != strings.ReplaceAll(stem, "_", "") {
			continue
		}
		id, title := "", ""
		for _, c := range tables[name] {
			switch strings.ToLower(c) {
			case "id", strings.ToLower(session), "uuid":
				id = cmp.Or(id, c)
			case "title", "name", "topic", "subject":
				title = cmp.Or(title, c)
			}
		}
		if id != "" && title != "" {
			return name, id, title
		}
	}
	return "", "", ""
}

func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
