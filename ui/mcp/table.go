package mcp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"turns/model"
	"turns/query/human"
)

// column is a named column of a table, and where its value is in a line of JSON: names of members,
// numbers of elements.
type column struct {
	name, from string
	kind       kind
}

// kind is how a value is written.
type kind uint8

const (
	asText kind = iota
	asLong      // more of a text
	asTime
	asMoney
	asSeconds
	asPath
	asBase // the last part of a path
)

// table is how lines of JSON become rows with named columns.
type table struct {
	noun, plural string
	note         string // behind the number of rows
	group        string // the path that rows have in common is a line above them; "": no groups
	columns      []column
	before       func(a, b map[string]any) int // order of rows; nil: unchanged
	sum          string                        // a number to add up in the head; "": none
	sums         string                        // its name
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
	loopTable = table{noun: "loop", plural: "loops", columns: []column{
		{"times", "times", asText}, {"kind", "kind", asText}, {"call", "about", asLong}, {"path", "path", asPath}, {"from", "from", asText}, {"to", "to", asText},
	}}
)

// usefulFirst puts sessions without messages last, then those without a time; the rest is in the
// order of time, the newest first.
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

// rows decodes lines of JSON. A line that is not an object is left out: commands print none.
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

// print writes the rows with their columns' names and number, at most most of them (0: all). short
// makes a path shorter, and plain takes the secrets out of a text.
func (t *table) print(all []map[string]any, most int, short, plain func(string) string) string {
	if t.before != nil {
		slices.SortStableFunc(all, t.before)
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

// head says how many rows there are, and what they add up to.
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

// value returns the value below the names and numbers of a place; nil if there is none.
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

// How many cells of a terminal a text gets.
const (
	shortText = 60
	longText  = 160
)

// cell writes a value. "-" is one that the session does not record.
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
