package tomlfile

import (
	"errors"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
)

// maxNesting is the deepest nesting of keys, tables and lists. The library stores the full name of
// every key, so depth costs it the square: 16 kB took 800 MB.
const maxNesting = 32

// Decode decodes untrusted TOML.
func Decode(text string, into any) (toml.MetaData, error) {
	if line := tooDeep(text); line > 0 {
		return toml.MetaData{}, &deepError{line}
	}
	return toml.Decode(text, into)
}

// deepError is the error for a text nested too deeply at a line.
type deepError struct{ line int }

func (e *deepError) Error() string {
	return "keys, tables or lists are nested deeper than " + strconv.Itoa(maxNesting)
}

// tooDeep returns the line at which the text is nested too deeply, from 1; 0 for none.
func tooDeep(text string) int {
	line, dots := 1, 0
	var outer []int // values of dots at the open brackets
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\n', ',':
			dots = 0
			if len(outer) > 0 {
				dots = outer[len(outer)-1]
			}
			if text[i] == '\n' {
				line++
			}
		case '.':
			dots++
		case '[', '{':
			outer = append(outer, dots)
		case ']', '}':
			if len(outer) > 0 {
				dots, outer = outer[len(outer)-1], outer[:len(outer)-1]
			}
		case '#':
			i += max(strings.IndexByte(text[i:], '\n'), 1) - 1
		case '"', '\'':
			end := stringEnd(text, i)
			line += strings.Count(text[i:end], "\n")
			i = end - 1
		}
		if len(outer)+dots > maxNesting {
			return line
		}
	}
	return 0
}

// stringEnd returns the end of the string that starts at a place. An unterminated string ends with
// its line, so that the rest is checked.
func stringEnd(text string, at int) int {
	quote := text[at : at+1]
	if long := strings.Repeat(quote, 3); strings.HasPrefix(text[at:], long) {
		quote = long
	}
	for i := at + len(quote); i < len(text); i++ {
		switch {
		case text[i] == '\\' && quote[0] == '"':
			i++
		case text[i] == '\n' && len(quote) == 1:
			return i
		case strings.HasPrefix(text[i:], quote):
			return i + len(quote)
		}
	}
	return len(text)
}

// asDeep returns the place of a deepError; false for other errors.
func asDeep(err error) (Place, bool) {
	var deep *deepError
	if !errors.As(err, &deep) {
		return Place{}, false
	}
	return Place{deep.line, 1}, true
}
