package mcp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"turns/model"
	"turns/query/human"
)

// column is a named column of a table, and the path of its value in a JSON object: member names and
// list indexes.
type column struct {
	name, from string
	kind       kind
}

// kind is the format of a value.
type kind uint8

const (
	asText kind = iota
	asLong      // a longer text
	asTime
	asMoney
	asSeconds
	asPath
	asBase // the last part of a path
)

// table describes how JSON lines, or a list in an object, become rows with named columns.
type table struct {
	list         string // member of the answer with the rows; "": JSON lines
	noun, plural string
	note         string // after the number of rows
	group        string // path shared by rows, printed once above them; "": no groups
	columns      []column
	before       func(a, b map[string]any) int                // order of rows; nil: unchanged
	joins        func(rows []map[string]any) []map[string]any // merges rows; nil: none
	sum          string                                       // summed in the head; "": none
	sums         string                                       // its label
}

var (
	sessionTable = table{noun: "session", plural: "sessions", note: "the newest first", before: usefulFirst, columns: []column{
		{"path", "path", asPath}, {"time_utc", "last_time", asTime}, {"agent", "format", asText}, {"model", "model", asText}, {"title", "title", asText},
		{"messages", "total_messages", asText}, {"errors", "tool_errors", asText}, {"output_tokens", "output_tokens", asText},
		{"cost_usd", "cost.usd", asMoney}, {"seconds", "duration_seconds", asSeconds}, {"state", "state.state", asText}, {"project", "project", asBase},
	}}
	hitTable = table{noun: "message", plural: "messages", group: "path", columns: []column{
		{"at", "index", asText}, {"role", "role", asText}, {"tool", "tool_name", asText}, {"line", "line", asLong},
	}}
	failureTable = table{noun: "cause", plural: "causes", sum: "count", sums: "failed calls", columns: []column{
		{"count", "count", asText}, {"tool", "tool_name", asText}, {"outcome", "outcome", asText}, {"reason", "kind", asLong},
		{"sessions", "sessions", asText}, {"example", "examples.0.path", asPath}, {"at", "examples.0.index", asText},
	}}
	changeTable = table{list: "files", noun: "file", plural: "files", columns: []column{
		{"file", "path", asLong}, {"status", "status", asText}, {"state", "state", asText}, {"added", "added", asText}, {"removed", "removed", asText},
		{"edits", "edits", asText}, {"from", "first_index", asText}, {"to", "last_index", asText}, {"broken_after", "breaks.0.after_index", asText},
	}}
	totalTable = table{list: "totals", noun: "file", plural: "files", note: "the most edited first", columns: []column{
		{"file", "key", asLong}, {"sessions", "sessions", asText}, {"edits", "edits", asText}, {"added", "added", asText}, {"removed", "removed", asText},
		{"breaks", "breaks", asText},
	}}
	blameTable = table{list: "lines", noun: "part", plural: "parts", joins: joinLines, columns: []column{
		{"lines", "line", asText}, {"certainty", "certainty", asText}, {"path", "path", asPath}, {"at", "message", asText}, {"time_utc", "time", asTime},
		{"model", "model", asText}, {"prompt", "prompt", asText}, {"text", "text", asText}, {"also", "also.0", asPath},
	}}
	loopTable = table{noun: "loop", plural: "loops", columns: []column{
		{"times", "times", asText}, {"kind", "kind", asText}, {"call", "about", asLong}, {"path", "path", asPath}, {"from", "from", asText}, {"to", "to", asText},
	}}
)

// usefulFirst sorts sessions without messages last, and otherwise the newest first, with those
// without a time at the end.
func usefulFirst(a, b map[string]any) int {
	empty := func(m map[string]any) int {
		if n, _ := m["total_messages"].(float64); n == 0 {
			return 1
		}
		return 0
	}
	if d := empty(a) - empty(b); d != 0 {
		return d
	}
	x, _ := a["last_time"].(string)
	y, _ := b["last_time"].(string)
	return strings.Compare(y, x)
}

// rows decodes JSON lines. It skips lines that are not objects, which commands never print.
func rows(text string) []map[string]any {
	var all []map[string]any
	for line := range strings.Lines(text) {
		var m map[string]any
		if json.Unmarshal([]byte(line), &m) == nil {
			all = append(all, m)
		}
	}
	return all
}

// rowsOf returns the rows of an answer, and their table.
func rowsOf(tables []*table, text string) (*table, []map[string]any) {
	if tables[0].list == "" {
		return tables[0], rows(text)
	}
	var answer map[string]any
	_ = json.Unmarshal([]byte(text), &answer) // commands print JSON
	for _, t := range tables {
		list, ok := answer[t.list].([]any)
		if !ok {
			continue
		}
		all := make([]map[string]any, 0, len(list))
		for _, item := range list {
			if m, ok := item.(map[string]any); ok {
				all = append(all, m)
			}
		}
		return t, all
	}
	return tables[0], nil
}

// joinLines merges consecutive lines of one message into a row. Its text is the first line with
// letters.
func joinLines(lines []map[string]any) []map[string]any {
	var all []map[string]any
	for from := 0; from < len(lines); {
		row, to := lines[from], from+1
		for to < len(lines) && sameOrigin(row, lines[to]) {
			to++
		}
		first, last := row["line"], lines[to-1]["line"]
		for _, line := range lines[from:to] {
			if text, _ := line["text"].(string); strings.ContainsFunc(text, unicode.IsLetter) {
				row["text"] = strings.TrimSpace(text)
				break
			}
		}
		if row["line"] = fmt.Sprint(first); first != last {
			row["line"] = fmt.Sprintf("%v-%v", first, last)
		}
		all, from = append(all, row), to
	}
	return all
}

func sameOrigin(a, b map[string]any) bool {
	for _, name := range [...]string{"certainty", "path", "message", "also.0"} {
		if value(a, name) != value(b, name) {
			return false
		}
	}
	return true
}

// print writes the number of rows, the column names and at most most rows (0: all). short shortens
// paths, and plain redacts secrets.
func (t *table) print(all []map[string]any, most int, short, plain func(string) string) string {
	if t.before != nil {
		slices.SortStableFunc(all, t.before)
	}
	if t.joins != nil {
		all = t.joins(all)
	}
	var b strings.Builder
	b.WriteString(t.head(all, most))
	if most > 0 && len(all) > most {
		all = all[:most]
	}
	names := make([]string, len(t.columns))
	for i, c := range t.columns {
		names[i] = c.name
	}
	b.WriteString(strings.Join(names, " | ") + "\n")
	last := ""
	for _, m := range all {
		if path, ok := value(m, t.group).(string); ok && t.group != "" && path != last {
			last = path
			fmt.Fprintf(&b, "path %s\n", model.Clean(short(path)))
		}
		cells := make([]string, len(t.columns))
		for i, c := range t.columns {
			cells[i] = c.cell(value(m, c.from), short, plain)
		}
		b.WriteString(strings.Join(cells, " | ") + "\n")
	}
	return b.String()
}

// head describes the number of rows, and their sum.
func (t *table) head(all []map[string]any, most int) string {
	var b strings.Builder
	b.WriteString(human.Plural(len(all), t.noun, t.plural))
	if t.group != "" {
		paths := map[any]bool{}
		for _, m := range all {
			paths[value(m, t.group)] = true
		}
		b.WriteString(" in " + human.Plural(len(paths), "session"))
	}
	if t.sum != "" {
		total := 0.0
		for _, m := range all {
			n, _ := m[t.sum].(float64)
			total += n
		}
		fmt.Fprintf(&b, " of %.0f %s", total, t.sums)
	}
	if t.note != "" {
		b.WriteString(", " + t.note)
	}
	if most > 0 && len(all) > most {
		fmt.Fprintf(&b, ", the first %d", most)
	}
	return b.String() + "\n"
}

// value returns the value at a path of names and indexes; nil if there is none.
func value(m map[string]any, place string) any {
	var v any = m
	for name := range strings.SplitSeq(place, ".") {
		switch w := v.(type) {
		case map[string]any:
			v = w[name]
		case []any:
			n, err := strconv.Atoi(name)
			if err != nil || n >= len(w) {
				return nil
			}
			v = w[n]
		default:
			return nil
		}
	}
	return v
}

// Widths of texts in cells.
const (
	shortText = 60
	longText  = 160
)

// cell formats a value. "-" means that the session does not record it.
func (c *column) cell(v any, short, plain func(string) string) string {
	switch v := v.(type) {
	case string:
		return c.text(v, short, plain)
	case float64:
		switch c.kind {
		case asMoney:
			return strconv.FormatFloat(v, 'f', 4, 64)
		case asSeconds:
			return strconv.FormatFloat(v, 'f', 0, 64)
		}
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return "-"
}

func (c *column) text(v string, short, plain func(string) string) string {
	switch c.kind {
	case asTime:
		return strings.Replace(v[:min(len(v), len("2006-01-02T15:04"))], "T", " ", 1)
	case asPath:
		return model.Clean(short(v))
	case asBase:
		v = v[strings.LastIndexAny(v, `/\`)+1:]
	case asLong:
		v = human.CutText(plain(v), longText)
	default:
		v = human.CutText(plain(v), shortText)
	}
	return model.CleanLine(v)
}
