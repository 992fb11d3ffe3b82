package prose

import (
	"bytes"
	"regexp"
	"strings"

	"turns/model"
	"turns/model/format/described"
)

// heading is a way in which lines name who speaks next. The first group is the name;
// what follows the match on the line is the beginning of what is said.
type heading struct {
	name string
	is   *regexp.Regexp
}

// speaker is what may stand for a speaker in a heading.
const speaker = `([A-Za-z][A-Za-z _-]{0,24})`

// besides is what may stand behind a name: a time, a model, in brackets or behind a dash.
const besides = `(?: *[(\[][^)\]\n]{1,60}[)\]]| *[—–-] [^\n]{1,60})?`

var headings = []heading{
	{"sections under Markdown headings", regexp.MustCompile(`^#{1,6} +(?:[^\w\s]{1,8} *)?\**` + speaker + `\**:?\**` + besides + ` *:?\r?$`)},
	{"paragraphs that begin with a speaker in bold", regexp.MustCompile(`^(?:\*\*|__)` + speaker + besides + `(?::(?:\*\*|__)|(?:\*\*|__) *:|(?:\*\*|__) *\r?$)`)},
	{"paragraphs that begin with a speaker", regexp.MustCompile(`^(?:\[[^\]\n]{4,40}\] *)?` + speaker + besides + ` ?: *`)},
	{"paragraphs under a speaker in brackets", regexp.MustCompile(`^(?:\[|<\|?|=== *|--- *)` + speaker + `(?:\]|\|?>| *===| *---):? *`)},
}

// said are the words that pages put behind a speaker when they are copied.
var said = strings.NewReplacer(" said", "", " wrote", "", " says", "")

// lookForSections finds sections under headings that name speakers: a user and an
// assistant, who take turns.
func lookForSections(text []byte) *layout {
	var found *layout
	most := 0
	for _, h := range headings {
		users, assistants, turns, last, lead := 0, 0, 0, model.NoRole, -1
		s := sections{h}
		s.each(text, func(at int, role model.Role) bool {
			if lead < 0 {
				lead = at
			}
			switch role {
			case model.User:
				users++
			case model.Assistant:
				assistants++
			}
			if role != last {
				turns++
			}
			last = role
			return true
		})
		if users == 0 || assistants == 0 || turns*10 < (users+assistants)*6 || lead*3 > len(text) || turns <= most {
			continue
		}
		most, found = turns, &layout{h.name, true, s.cut, s.tell}
	}
	return found
}

// sections are texts under headings.
type sections struct{ heading }

// each gives the headings of a text until yield has enough; those in fences are part of what is
// said.
func (s sections) each(text []byte, yield func(at int, role model.Role) bool) {
	fence := []byte(nil)
	for at := 0; at < len(text); {
		line, _, _ := bytes.Cut(text[at:], []byte("\n"))
		if mark := fenceOf(line); fence == nil {
			if fence = mark; mark == nil {
				if role, _ := s.role(line); role != model.NoRole && !yield(at, role) {
					return
				}
			}
		} else if mark != nil && bytes.HasPrefix(mark, fence) {
			fence = nil
		}
		at += len(line) + 1
	}
}

// fenceOf is the mark of the fence that a line is; nil for none.
func fenceOf(line []byte) []byte {
	line = bytes.TrimLeft(line, " \t")
	if len(line) < 3 || line[0] != '`' && line[0] != '~' {
		return nil
	}
	n := len(line) - len(bytes.TrimLeft(line, string(line[0])))
	if n < 3 {
		return nil
	}
	return line[:n]
}

// role is who a line says speaks next, and how long its heading is.
func (s sections) role(line []byte) (model.Role, int) {
	m := s.is.FindSubmatchIndex(line)
	if m == nil {
		return model.NoRole, 0
	}
	name := strings.TrimSpace(said.Replace(string(line[m[2]:m[3]])))
	if role, ok := model.ParseRole(strings.ToLower(name)); ok {
		return role, m[1]
	}
	if strings.EqualFold(name, "you") || strings.EqualFold(name, "me") {
		return model.User, m[1]
	}
	if c := described.ClassOf(strings.ToLower(name)); strings.Count(name, " ") == 0 && c != described.Text && c != described.Call && c != described.Result && c != described.Reasoning {
		return c.Role(), m[1]
	}
	return model.NoRole, 0
}

// cut cuts before the next heading.
func (s sections) cut(text []byte, eof bool) ([]byte, int) {
	end := 0
	s.each(text, func(at int, _ model.Role) bool {
		end = at
		return at == 0
	})
	if end > 0 && (eof || bytes.IndexByte(text[end:], '\n') >= 0) {
		return text[:end], end
	}
	if eof {
		return text, len(text)
	}
	return nil, 0
}

// tell appends a section as a message.
func (s sections) tell(dst, piece []byte) []byte {
	line, _, _ := bytes.Cut(piece, []byte("\n"))
	role, n := s.role(line)
	if role == model.NoRole {
		return dst
	}
	return message(dst, role.String(), piece[n:])
}
