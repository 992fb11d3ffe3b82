package source

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"turns/model"
)

// The limits of the rows read to recognise a database.
const (
	maxPeekTables = 8
	maxPeekRows   = 40
	maxPeekBytes  = 1 << 20
)

// Words in the names of text columns, and of columns with the speaker or the question. A table
// without both has no conversation, and turns never reads its rows.
var (
	textNames    = []string{"content", "text", "message", "body", "msg", "prompt", "question", "response", "answer", "reply", "output", "query", "input"}
	speakerWords = []string{"role", "sender", "author", "speaker", "from", "user", "bot", "assistant", "ai", "human", "type", "response", "answer", "reply", "output", "direction", "completion"}
)

// peek returns the first rows of the tables whose columns may be those of messages, as JSON.
func (d *database) peek(ctx context.Context) map[string][][]byte {
	timed, cancel := d.timed(ctx)
	defer cancel()
	var names []string
	for table, columns := range d.stored {
		if mayTalk(columns) && !strings.HasPrefix(table, "sqlite_") {
			names = append(names, table)
		}
	}
	slices.Sort(names)
	all := map[string][][]byte{}
	for _, name := range names[:min(len(names), maxPeekTables)] {
		if rows := d.firstRows(timed, name); len(rows) > 1 {
			all[name] = rows
		}
	}
	return all
}

// mayTalk reports whether a table has a text column and another one with the speaker.
func mayTalk(columns []string) bool {
	for i, c := range columns {
		if !hasWord(c, textNames) {
			continue
		}
		for j, other := range columns {
			if i != j && hasWord(other, speakerWords) {
				return true
			}
		}
	}
	return false
}

func hasWord(column string, words []string) bool {
	column = strings.ToLower(column)
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(column, w) })
}

// firstRows returns the first rows of a table. It returns none after an error, which the
// queries for the table report later.
func (d *database) firstRows(ctx context.Context, table string) (list [][]byte) {
	rows, err := d.conn.QueryContext(ctx, "SELECT * FROM "+quotedName(table)+" LIMIT ?", maxPeekRows)
	if err != nil {
		return nil
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil
	}
	e := rowEncoder{limit: d.limits.Value, values: make([]any, len(columns)), owner: -1}
	targets := make([]any, len(columns))
	for i, c := range columns {
		e.names = append(e.names, string(model.AppendQuoted(nil, []byte(c))))
		targets[i] = &e.values[i]
	}
	size := 0
	for rows.Next() && size < maxPeekBytes {
		if rows.Scan(targets...) != nil {
			break
		}
		line, _, _ := e.encode()
		size += len(line)
		list = append(list, bytes.Clone(line))
	}
	if rows.Err() != nil {
		return nil
	}
	return list
}
