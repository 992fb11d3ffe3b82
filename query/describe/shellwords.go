package describe

import (
	"iter"
	"path"
	"strings"
)

// simpleCommand is one program of a command line, with its unquoted words.
type simpleCommand struct {
	words []string
	dir   string // folder of a cd before it, "" if there is none
	piped bool   // it reads the output of the command before it
}

// shellCommands returns the programs of a command line in order. It parses quotes and the operators
// between programs, but expands nothing: variables stay as written.
func shellCommands(line, dir string) iter.Seq[simpleCommand] {
	return func(yield func(simpleCommand) bool) {
		c := simpleCommand{dir: dir}
		for word, sign := range shellWords(line) {
			if !sign {
				c.words = append(c.words, word)
				continue
			}
			next := simpleCommand{dir: c.dir, piped: word == "|" || word == "|&"}
			if len(c.words) == 2 && c.words[0] == "cd" {
				if next.dir = path.Join(c.dir, c.words[1]); path.IsAbs(c.words[1]) {
					next.dir = path.Clean(c.words[1])
				}
			}
			if len(c.words) > 0 && !yield(c) {
				return
			}
			c = next
		}
		if len(c.words) > 0 {
			yield(c)
		}
	}
}

// path returns the file that a word of the command names, "" if the word is not a plain name.
func (c *simpleCommand) path(word string) string {
	if word == "" || word[0] == '-' || strings.ContainsAny(word, "$*?{}<>&`()[]!\\\n") || strings.HasPrefix(word, "/dev/") {
		return ""
	}
	if c.dir != "" && !path.IsAbs(word) && word[0] != '~' {
		return path.Join(c.dir, word)
	}
	return word
}

// shellWords returns the words of a command line without quotes, and the signs between its
// programs: ; & && || | and line ends.
func shellWords(line string) iter.Seq2[string, bool] {
	return func(yield func(string, bool) bool) {
		var word strings.Builder
		open := false // a word has begun, possibly an empty one
		flush := func() bool {
			ok := !open || yield(word.String(), false)
			word.Reset()
			open = false
			return ok
		}
		for i := 0; i < len(line); i++ {
			switch ch := line[i]; {
			case ch == '\'' || ch == '"':
				inside, rest := quoted(line[i:])
				word.WriteString(inside)
				open = true
				i = len(line) - len(rest) - 1
			case ch == '\\' && i+1 < len(line):
				if i++; line[i] != '\n' {
					word.WriteByte(line[i])
					open = true
				}
			case ch == ' ' || ch == '\t':
				if !flush() {
					return
				}
			case ch == '#' && !open:
				end := strings.IndexByte(line[i:], '\n')
				if end < 0 {
					return
				}
				i += end - 1
			case strings.IndexByte(";|\n", ch) >= 0, ch == '&' && !strings.HasSuffix(word.String(), ">"):
				sign := line[i : i+1]
				if i+1 < len(line) && (line[i+1] == ch || ch == '|' && line[i+1] == '&') {
					sign = line[i : i+2]
					i++
				}
				if !flush() || !yield(sign, true) {
					return
				}
			default:
				word.WriteByte(ch)
				open = true
			}
		}
		flush()
	}
}

// quoted returns the text inside the quotes at the beginning of s, and the text after them.
func quoted(s string) (inside, rest string) {
	if s[0] == '\'' {
		inside, rest, _ = strings.Cut(s[1:], "'")
		return inside, rest
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return b.String(), s[i+1:]
		case s[i] == '\\' && i+1 < len(s) && strings.IndexByte("\"\\$`", s[i+1]) >= 0:
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String(), ""
}
