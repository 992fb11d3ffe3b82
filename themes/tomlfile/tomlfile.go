// Package tomlfile finds the mistakes in a TOML file that a person wrote: the line and column of a
// mistake (Syntax), of every key (Places), and the known name that was likely meant (Nearest).
// Configuration, themes and descriptions of formats use it.
package tomlfile

import (
	"errors"
	"strconv"
	"strings"
	"unicode"

	"github.com/BurntSushi/toml"
)

// Place is a line and a column, both counted from 1; zero if unknown.
type Place struct{ Line, Col int }

// Syntax describes where the text stops being TOML, without the library's multi-line excerpt, which
// would print the file's bytes unescaped.
func Syntax(text string, err error) (Place, string) {
	if at, deep := asDeep(err); deep {
		return at, err.Error()
	}
	var pe toml.ParseError
	if !errors.As(err, &pe) {
		msg := strings.TrimPrefix(err.Error(), "toml: ")
		// a wrong type: describe it with its key
		if _, rest, ok := strings.Cut(msg, `(last key "`); ok {
			key, why, _ := strings.Cut(rest, `"): `)
			return Places(text)[key], printable(key + ": " + why)
		}
		return Place{}, printable(msg)
	}
	msg := pe.Message
	if msg == "" {
		msg = pe.Error()
		if i := strings.LastIndex(msg, ": "); i >= 0 {
			msg = msg[i+2:]
		}
	}
	before := text[:min(max(pe.Position.Start, 0), len(text))]
	at := Place{pe.Position.Line, len(before) - strings.LastIndexByte(before, '\n')}
	if strings.Contains(msg, `end table name, but got '\n'`) {
		at.Line-- // the library has counted the unexpected newline
	}
	return at, printable(msg)
}

func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '\uFFFD'
	}, s)
}

// Places finds the line and column of each key by its full name, because the TOML library does
// not return them. A key in a list of tables also has a name with a number, from 0: the key
// name of the second [[command]] is at command.name and at command.1.name. Only messages depend
// on it.
func Places(text string) map[string]Place {
	places := map[string]Place{}
	table, n := "", 0
	numbered, seen := "", map[string]int{} // a table of a list, and the number of its tables so far
	for full := range strings.Lines(text) {
		n++
		line := strings.TrimSpace(full)
		at := Place{n, 1 + len(full) - len(strings.TrimLeft(full, " \t"))}
		switch key, _, ok := strings.Cut(line, "="); {
		case strings.HasPrefix(line, "["):
			head, _, _ := strings.Cut(strings.TrimLeft(line, "["), "]")
			name := plainKey(head)
			table, numbered = name+".", ""
			places[name] = at
			if strings.HasPrefix(line, "[[") {
				numbered = name + "." + strconv.Itoa(seen[name])
				seen[name]++
				places[numbered] = at
			}
		case ok && !strings.HasPrefix(line, "#"):
			if name := table + plainKey(key); places[name] == (Place{}) {
				places[name] = at
			}
			if numbered != "" {
				places[numbered+"."+plainKey(key)] = at
			}
		}
	}
	return places
}

func plainKey(s string) string {
	s = strings.TrimSpace(s)
	if u, err := strconv.Unquote(s); err == nil {
		return u
	}
	return strings.NewReplacer(`"`, "", "'", "", " ", "", "\t", "").Replace(s)
}

// Nearest returns the candidate with the fewest edits from s, or "" if none is close enough to be
// meant.
func Nearest(s string, candidates []string) string {
	best, most := "", max(2, len(s)/3)
	if len(s) > 100 {
		return ""
	}
	for _, c := range candidates {
		if d := distance(s, c); d <= most {
			best, most = c, d-1
		}
	}
	return best
}

func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diag := row[0]
		row[0] = i + 1
		for j := range len(b) {
			d := diag
			if a[i] != b[j] {
				d++
			}
			diag = row[j+1]
			row[j+1] = min(d, row[j]+1, diag+1)
		}
	}
	return row[len(b)]
}
