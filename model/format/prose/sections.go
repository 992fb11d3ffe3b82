package prose

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"turns/model"
	"turns/model/format/described"
)

// heading is a way in which lines name who speaks next. The first group holds the name, with a
// time, a model or a number beside it; what follows the match on the line is the beginning of
// what is said.
type heading struct {
	name string
	is   *regexp.Regexp
	// whole says that the name fills the line
	whole bool
}

var headings = []heading{
	{"sections under Markdown headings", regexp.MustCompile(`^#{1,6} +([^\n]{1,160})$`), true},
	{"paragraphs that begin with a speaker in bold", regexp.MustCompile(`^(?:_?\*\*_?|__)([^*\n]{1,100}?)(?:_?\*\*_?|__)(?: *[(\[][^)\]\n]{1,60}[)\]])? *:? *`), false},
	{"paragraphs that begin with a speaker", regexp.MustCompile(`^((?:\[[^\]\n]{4,40}\] *)?[^\s:：*#>|][^:：\n*#>|]{0,50}?) ?[:：](?: +|\r?$)`), false},
	{"paragraphs under a speaker in brackets", regexp.MustCompile(`^(?:\[|<\|?|=== *|--- *)([^\]>|=\n]{1,40}?)(?:\]|\|?>| *===| *---):? *`), false},
}

// maxOpening is how much of a text may come before the first heading, as one part of it.
const maxOpening = 3

// lookForSections finds sections under headings that name speakers: a user and an assistant. A
// question may have many answers, as those of agents that call tools.
func lookForSections(text []byte) *layout {
	var found *layout
	most := 0
	for _, h := range headings {
		s := sections{heading: h}
		if h.whole {
			s.levels = s.levelsOf(text)
		}
		t := s.tally(text)
		if t.users == 0 && t.assistants > 1 && !h.whole {
			s.user = s.opener(text)
			t = s.tally(text)
		}
		if !t.speaks(h) || t.lead*maxOpening > len(text) || t.users+t.assistants <= most {
			continue
		}
		most, found = t.users+t.assistants, &layout{h.name, true, s.cut, s.tell}
	}
	return found
}

// tally is how often the headings of a text name whom.
type tally struct {
	users, assistants int
	lead              int // where the first of them stands
	all               int // headings of the kind, whatever they say
}

func (s sections) tally(text []byte) tally {
	t := tally{lead: -1}
	s.each(text, func(at int, role model.Role) bool {
		if t.lead < 0 {
			t.lead = at
		}
		switch role {
		case model.User:
			t.users++
		case model.Assistant:
			t.assistants++
		}
		return true
	})
	if s.whole {
		for line := range bytes.Lines(text) {
			if s.is.Match(bytes.TrimRight(line, "\r\n")) {
				t.all++
			}
		}
	}
	return t
}

// speaks reports whether headings are those of a conversation. Few of them among many others are
// the chapters of a manual.
func (t tally) speaks(h heading) bool {
	n := t.users + t.assistants
	return t.users > 0 && t.assistants > 0 && (!h.whole || n >= 4 || n*2 >= t.all)
}

// sections are texts under headings.
type sections struct {
	heading
	user string // the name of the user, where it is one of their own
	// levels are the marks of the Markdown headings that count, as "###"; nil: all of them
	levels []string
}

// levelsOf are the levels of headings that name users and assistants most often: a title may
// name one, too.
func (s sections) levelsOf(text []byte) (levels []string) {
	count := map[model.Role]map[string]int{model.User: {}, model.Assistant: {}}
	s.each(text, func(at int, role model.Role) bool {
		if of := count[role]; of != nil {
			of[levelOf(text[at:])]++
		}
		return true
	})
	for _, of := range count {
		most := ""
		for level, n := range of {
			if n > of[most] || n == of[most] && len(level) > len(most) {
				most = level
			}
		}
		levels = append(levels, most)
	}
	return levels
}

// levelOf are the marks that a heading begins with.
func levelOf(line []byte) string {
	return string(line[:len(line)-len(bytes.TrimLeft(line, "#"))])
}

// each gives the headings of a text until yield has enough; those in fences are part of what is
// said.
func (s sections) each(text []byte, yield func(at int, role model.Role) bool) {
	fence := []byte(nil)
	for at := 0; at < len(text); {
		line, _, _ := bytes.Cut(text[at:], []byte("\n"))
		if mark := fenceOf(line); fence == nil {
			if fence = mark; mark == nil {
				if who, _ := s.speaker(line); who.role != model.NoRole && !yield(at, who.role) {
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

// opener is the name that a text begins with: of the user, where all others are the assistant's.
func (s sections) opener(text []byte) string {
	line, _, _ := bytes.Cut(bytes.TrimSpace(text), []byte("\n"))
	m := s.is.FindSubmatch(line)
	if m == nil || len(m[1]) > 40 || bytes.Count(m[1], []byte(" ")) > 2 {
		return ""
	}
	return string(m[1])
}

// who is what a heading says.
type who struct {
	role              model.Role
	name, model, time string
}

// speaker is who a line says speaks next, and how long its heading is.
func (s sections) speaker(line []byte) (who, int) {
	line = bytes.TrimRight(line, "\r")
	m := s.is.FindSubmatchIndex(line)
	if m == nil || s.levels != nil && !slices.Contains(s.levels, levelOf(line)) {
		return who{}, 0
	}
	if s.user != "" && string(line[m[2]:m[3]]) == s.user {
		return who{role: model.User, name: s.user}, m[1]
	}
	return speakerOf(string(line[:m[1]])), m[1]
}

var (
	// between are the borders of the parts of a heading: "Turn 1 — User (gpt-4o) [10:00]".
	between = regexp.MustCompile(`[()\[\]|·•]| +[—–-]+ +|[:：]+(?:\s|$)`)
	// numbered are parts that come before the speaker: "Turn 1", "#3", "10:00".
	numbered = regexp.MustCompile(`^(?:[\p{L}\p{M}]+ ?)?[#№]? ?[\d:. /T_Z+-]*\d[\d:. /T_Z+-]*[.)]?$`)
	dated    = regexp.MustCompile(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?: ?Z|[+-]\d\d:\d\d)?`)
	version  = regexp.MustCompile(`\b(?:claude|gpt|gemini|llama|mistral|qwen|deepseek|grok|o[134])-[\w.:-]+`)
	// decoration is what stands around words: emphasis, emoji, escapes.
	decoration = strings.NewReplacer("*", "", "`", "", `\`, "", "_**", "", "**_", "", " said", "", " wrote", "", " says", "", "#", "")
)

// speakerOf is whom a heading names.
func speakerOf(text string) who {
	w := who{time: dated.FindString(text), model: version.FindString(strings.ToLower(text))}
	for _, part := range between.Split(decoration.Replace(text), -1) {
		part = strings.TrimFunc(part, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) })
		if part == "" {
			continue
		}
		class := described.SpeakerOf(part)
		if class == described.NoClass && described.SpeakerOf(part[strings.LastIndexByte(part, '_')+1:]) == described.Assistant { // weather_agent
			class = described.Assistant
			w.name = part
		}
		if class != described.NoClass {
			w.role = class.Role()
			if described.NamesProduct(part) {
				w.name = part
			}
			return w
		}
		if !numbered.MatchString(part) {
			break
		}
	}
	return who{}
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
	who, n := s.speaker(line)
	if who.role == model.NoRole {
		return dst
	}
	return told(dst, who, withoutRules(piece[n:]))
}

// withoutRules is a text without the horizontal rules around it.
func withoutRules(text []byte) []byte {
	for {
		before := len(text)
		text = bytes.TrimSpace(text)
		if t, ok := bytes.CutPrefix(text, []byte("---\n")); ok {
			text = t
		}
		if t, ok := bytes.CutSuffix(text, []byte("\n---")); ok {
			text = t
		}
		if string(text) == "---" {
			return nil
		}
		if len(text) == before {
			return text
		}
	}
}
