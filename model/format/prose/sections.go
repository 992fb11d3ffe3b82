package prose

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"turns/model"
	"turns/model/format/described"
)

// heading is a form of lines that name the next speaker. The first group matches the name, perhaps
// with a time, a model or a number. The text after the match on the line is the beginning of the
// message.
type heading struct {
	name string
	is   func() *regexp.Regexp
	// whole means that the name fills the line
	whole bool
	// stamped headings have a time before the name, so every name is a speaker
	stamped bool
	// tight headings have no space after the name: only known words are speakers
	tight bool
	// drawn headings are a program's own: each speaker other than the user is a named assistant
	drawn bool
	// timed headings have a time after the name, so two names that repeat are speakers
	timed bool
	// sign has characters; each heading has one of them near its beginning. Searching for them is
	// cheap.
	sign string
}

// signed is the maximum distance, in bytes, between the beginning of a heading and its sign.
const signed = 160

// stamp is the time before the name of a speaker: "[12/11/25, 14:03:22] ", "12/11/2025, 14:03 - ",
// "2025-11-03T09:12:01Z | ".
const stamp = `\x{200e}?(?:\[(?:\d{1,4}[./-]\d{1,2}[./-]\d{1,4},? *T?)?\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d+)?(?:[ \x{202f}]?[AaPp]\.?[Mm]\.?)?(?:Z|[+-]\d\d:?\d\d)?\]|` +
	`(?:\d{1,4}[./-]\d{1,2}[./-]\d{1,4},? *T?)\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d+)?(?:[ \x{202f}]?[AaPp]\.?[Mm]\.?)?(?:Z|[+-]\d\d:?\d\d)?|\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?) *[-–—|]? *\x{200e}?`

var headings = []heading{
	{name: "sections under Markdown headings", sign: "#", is: lazy(`^#{1,6} +([^\n]{1,160})$`), whole: true},
	{name: "paragraphs under a speaker in bold and a time", sign: "*_", timed: true, is: lazy(`^(?:\*\*|__)([^*\n]{1,60}?):?(?:\*\*|__) *[(\[][^)\]\n]{0,30}\d:\d\d[^)\]\n]{0,20}[)\]] *:?[ \t]*$`)},
	{name: "paragraphs that begin with a speaker in bold", sign: "*_", is: lazy(`^(?:> ?|[-*+] )?(?:_?\*\*_?|__)([^*\n]{1,100}?)(?:_?\*\*_?|__)(?: *[(\[][^)\]\n]{1,60}[)\]])? *:? *`)},
	{name: "lines with a time and a speaker", sign: "0123456789", is: lazy(`^` + stamp + `[\[<]?([^:\n\]>]{1,40}?)[\]>]? ?: *`), stamped: true},
	{name: "paragraphs that begin with a speaker", sign: ":：", is: lazy(`^((?:\[[^\]\n]{4,40}\] *)?[^\s:：*#>|][^:：\n*#>|]{0,50}?(?: #\d+)?) ?(?:[:：](?: +|\r?$)|：)(?:> )?`)},
	{name: "paragraphs that begin with a speaker", sign: ":", tight: true, is: lazy(`^(\p{L}[\p{L}\d _-]{0,30}?):`)},
	{name: "paragraphs under a speaker in brackets", sign: "]>|=-", is: lazy(`^(?:\[|<\|?|=== *|--- *)([^\]>|=\n]{1,40}?)(?:\]|\|?>| *===| *---):? *`)},
	{name: "paragraphs under a time and a speaker between signs", sign: "=-", timed: true, is: lazy(`^` + stamp + `(?:={3,}|-{3,}) *([^=\-\n]{1,40}?) *(?:={3,}|-{3,})[ \t]*$`)},
	{name: "folded sections that name a speaker", sign: "<", is: lazy(`^<details[^>\n]*> *<summary>(?:<\w+>)?([^<\n]{1,80}?)(?:</\w+>)?</summary>`)},
	{name: "lines behind the prompt of a speaker", sign: ">»❯", is: lazy(`^([\p{L}][\p{L}\d _-]{0,30}?) ?(?:>|»|❯)(?: +|\r?$)`)},
}

// shortOpening limits the text before the first of some Markdown headings, in bytes: who exported
// the conversation, and when.
const shortOpening = 600

// maxOpening: at most one part in this many of a text may precede its first heading.
const maxOpening = 3

// lookForSections finds sections under headings that name speakers: a user and an assistant. A
// question may have many answers, as those of agents that call tools.
func lookForSections(text []byte) *layout {
	var found *layout
	most := 0
	for _, sides := range [...]bool{false, true} {
		if sides && found != nil {
			break
		}
		for _, h := range slices.Concat(drawnHeadings, headings) {
			s := sections{heading: h, sides: sides}
			if h.whole {
				s.levels = s.levelsOf(text)
			}
			t := s.tally(text)
			switch {
			case sides:
			case h.drawn:
				s.names = s.team(text)
				t = s.tally(text)
			case h.whole && !sides && !t.speaks(s):
				if names, level := s.chapterNames(text); names != nil {
					s.names, s.levels = names, []string{level}
					t = s.tally(text)
				}
			case h.timed:
				s.names, s.day = s.timedNames(text), dayOf(text)
				t = s.tally(text)
			case h.stamped && (t.users == 0 || t.assistants == 0):
				s.names = s.partners(text)
				t = s.tally(text)
			case t.users == 0 && t.assistants == 0 && h.sign == ":：":
				if s.names = s.duo(text, false); s.names == nil && talk().Match(text[:min(len(text), shortOpening)]) {
					s.names = s.duo(text, true)
				}
				t = s.tally(text)
			case t.users > 1 && t.assistants == 0 && h.sign == ":：":
				s.names = s.companion(text)
				t = s.tally(text)
			case t.users == 0 && t.assistants > 1 && !h.whole && !h.tight:
				s.names = s.opener(text)
				t = s.tally(text)
			}
			if !t.speaks(s) || sides && !s.isConversation(text) || t.lead*maxOpening > len(text) && !(h.whole && t.lead < shortOpening) || t.users+t.assistants <= most {
				continue
			}
			most, found = t.users+t.assistants, &layout{h.name, true, s.cut, s.appendTo}
		}
	}
	return found
}

// tally counts the speakers in the headings of a text.
type tally struct {
	users, assistants int
	lead              int // offset of the first of them
	all               int // all headings of the kind
	again             int // headings of the same side as the one before
	more              int // those of them that are numbered answers
	last              model.Role
}

func (s sections) tally(text []byte) tally {
	t := tally{lead: -1}
	s.each(text, true, func(at int, role model.Role) bool {
		if t.lead < 0 {
			t.lead = at
		}
		if role == t.last {
			t.again++
			if line, _, _ := bytes.Cut(text[at:], []byte("\n")); role == model.Assistant && ordinal().Match(line) {
				t.more++
			}
		}
		t.last = role
		switch role {
		case model.User:
			t.users++
		case model.Assistant:
			t.assistants++
		}
		return true
	})
	if s.whole {
		deepest := 0 // deeper headings are part of a question or an answer
		for _, level := range s.levels {
			deepest = max(deepest, len(level))
		}
		for line := range bytes.Lines(text) {
			if s.is().Match(bytes.TrimRight(line, "\r\n")) && (!s.sides || len(levelOf(line)) <= deepest) {
				t.all++
			}
		}
	}
	return t
}

// speaks reports whether headings are those of a conversation. A few speakers among many other
// headings are chapters of a manual. Words for questions and answers must alternate from the first
// one on, because other texts also contain them. Only numbered answers may follow each other.
func (t tally) speaks(s sections) bool {
	n := t.users + t.assistants
	if t.users == 0 || t.assistants == 0 || s.whole && n < 4 && n*2 < t.all {
		return false
	}
	answered := t.assistants - t.more
	return !s.sides || t.users > 1 && t.users-answered <= 1 && t.users >= answered && t.again == t.more && (!s.whole || n*3 >= t.all*2)
}

// ordinal matches a Markdown heading with a number: "## Response 2".
var ordinal = lazy(`^#+ .*\d[ \t\r]*$`)

// chapter matches a Markdown heading; talk one that announces a conversation, and record also one
// of a log.
var (
	chapter = lazy(`(?m)^#{1,6} .*$`)
	record  = lazy(`(?i)chat|conversation|session|transcript|dialog|debate|\blog\b`)
	talk    = lazy(`(?i)chat|conversation|transcript|dialog|debate`)
)

// isConversation reports whether questions and answers are a conversation: the answers are
// sentences, and the text has no chapters, unlike an FAQ, or names who answers.
func (s sections) isConversation(text []byte) bool {
	if all := chapter().FindAll(text, 2); !s.whole && !s.areNamed(text) && len(all) > 0 && (len(all) > 1 || !record().Match(all[0])) {
		return false
	}
	replies, long, from := 0, 0, -1
	count := func(end int) {
		if from >= 0 {
			if replies++; len(bytes.Fields(text[from:end])) > 3 {
				long++
			}
		}
	}
	s.each(text, true, func(at int, role model.Role) bool {
		count(at)
		if from = -1; role == model.Assistant {
			from = at
		}
		return true
	})
	count(len(text))
	return long*2 > replies
}

// areNamed reports whether each answer is below a line that names who gives it: "AI RESPONSE:".
func (s sections) areNamed(text []byte) (named bool) {
	s.each(text, true, func(at int, role model.Role) bool {
		if role == model.Assistant {
			line, _, _ := bytes.Cut(text[at:], []byte("\n"))
			known := sections{heading: s.heading}
			who, n := known.speaker(line)
			named = who.role == role && len(bytes.TrimSpace(line[n:])) == 0
		}
		return named || role != model.Assistant
	})
	return named
}

// sections are texts under headings.
type sections struct {
	heading
	names map[string]described.Class // of speakers without a known word
	day   string                     // of clock times without a date
	sides bool                       // words for questions and answers are speakers: "Prompt 1"
	// levels are the marks of the relevant Markdown headings, such as "###"; nil: all
	levels []string
}

// levelsOf returns the most frequent levels of headings that name users and assistants: a title may
// also name one.
func (s sections) levelsOf(text []byte) (levels []string) {
	count := map[model.Role]map[string]int{model.User: {}, model.Assistant: {}}
	s.each(text, true, func(at int, role model.Role) bool {
		if of := count[role]; of != nil {
			of[levelOf(text[at:])]++
		}
		return true
	})
	for _, of := range count {
		most := ""
		for level, n := range of {
			if cmp.Or(n-of[most], len(level)-len(most), strings.Compare(level, most)) > 0 {
				most = level
			}
		}
		levels = append(levels, most)
	}
	return levels
}

// levelOf returns the marks at the beginning of a heading.
func levelOf(line []byte) string {
	return string(line[:len(line)-len(bytes.TrimLeft(line, "#"))])
}

// each yields the headings of a text; those in code fences are part of a message. Without eof, it
// stops before a heading that only the following text explains.
func (s sections) each(text []byte, eof bool, yield func(at int, role model.Role) bool) {
	var f fence
	matter := frontMatter(text)
	timed := -1 // offset of the line before, if it is only a time
	for at, line := range linesOf(text) {
		if at < matter {
			continue
		}
		begin := timed
		if timed = -1; s.isTime(line) {
			timed = at
		}
		if f.reads(at, line) {
			continue
		}
		who, _ := s.speaker(line)
		if who.role == model.NoRole {
			continue
		}
		if f.mark != nil {
			if !eof && len(text)-at < fenceAhead {
				return
			}
			if !s.endsFence(text[f.code:at], text[at:min(at+fenceAhead, len(text))]) {
				continue
			}
			f.mark = nil
		}
		if begin < 0 {
			begin = at
		}
		if !yield(begin, who.role) {
			return
		}
	}
}

// frontMatter returns the length of the YAML before a text: lines between two of "---", without a
// blank one, that begin with a name or a title. Its "model:" does not speak.
func frontMatter(text []byte) int {
	m := yamlMatter().FindIndex(text[:min(len(text), fenceAhead)])
	if m == nil {
		return 0
	}
	return m[1]
}

var yamlMatter = lazy(`^---[ \t]*\r?\n(?:name|title|description|id|date|author)s?:[^\n]*\n(?:[^\n]*[^\s][^\n]*\n){0,400}?---[ \t\r]*\n`)

// isTime reports whether a line is only the time of the message below it: "[2025-07-29 10:58:32]".
func (s sections) isTime(line []byte) bool {
	return !s.whole && len(line) >= len("2025-07-29 10:58") && len(line) < 60 && timeAlone().Match(line)
}

// fence is the open code fence of a text; its mark is nil if there is none.
type fence struct {
	mark []byte
	code int // offset of its text
}

// reads opens or closes the fence, and reports whether a line has the mark of one.
func (f *fence) reads(at int, line []byte) bool {
	mark := fenceOf(line)
	if f.mark == nil {
		f.mark, f.code = mark, at+len(line)
	} else if mark != nil && bytes.HasPrefix(mark, f.mark) {
		f.mark = nil
	}
	return mark != nil
}

// fenceAhead limits the text that explains a heading in an open code fence, in bytes.
const fenceAhead = 64 << 10

// endsFence reports whether a heading ends an open code fence, because the export cut the code
// short. If the heading is part of the code, the section that closes the fence has no other mark for
// that one: the number of its marks is odd.
func (s sections) endsFence(code, text []byte) bool {
	if !strings.ContainsAny(s.sign, "#*") || bytes.Count(code[len(bytes.TrimRight(code, " \t\r\n")):], []byte("\n")) < 2 {
		return false
	}
	if len(bytes.TrimSpace(code)) == 0 {
		return true
	}
	var f fence
	marks := 0
	for at, line := range linesOf(text) {
		if f.reads(at, line) {
			marks++
		} else if who, _ := s.speaker(line); who.role != model.NoRole && marks > 0 {
			return f.mark == nil || len(bytes.TrimSpace(text[f.code:at])) == 0
		}
	}
	return f.mark == nil
}

// fenceOf returns the mark of a code fence on a line; nil if there is none.
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

// opener returns a text's first name as the user's; other names are then the assistant's.
func (s sections) opener(text []byte) map[string]described.Class {
	line, _, _ := bytes.Cut(bytes.TrimSpace(text), []byte("\n"))
	m := s.is().FindSubmatch(line)
	if m == nil || len(m[1]) > 40 || bytes.Count(m[1], []byte(" ")) > 2 || bytes.HasPrefix(m[1], []byte("[")) || described.SpeakerOf(string(m[1])) != described.NoClass {
		return nil
	}
	return map[string]described.Class{string(m[1]): described.User}
}

// looksLikeName reports whether a text may be a person's name: short, of letters, and capitalised
// in scripts that have capitals.
func looksLikeName(name string) bool {
	words := strings.Fields(name)
	for _, w := range words {
		for i, r := range w {
			if !unicode.IsLetter(r) && r != '.' && r != '-' && r != '\'' || i == 0 && unicode.IsLower(r) {
				return false
			}
		}
	}
	return len(words) > 0 && len(words) <= 3
}

// partners returns the two names of a chat between a bot and a person. It returns nil for a chat
// with other speakers, or with only one.
func (s sections) partners(text []byte) map[string]described.Class {
	names, last, turns, n := map[string]described.Class{}, "", 0, 0
	for line := range bytes.Lines(text) {
		m := s.is().FindSubmatch(bytes.TrimRight(line, "\r\n"))
		if m == nil {
			continue
		}
		name := string(m[1])
		if n++; name != last {
			turns, last = turns+1, name
		}
		if names[name] = described.User; described.NamesBot(name) || described.SpeakerOf(name) == described.Assistant {
			names[name] = described.Assistant
		}
	}
	if len(names) != 2 || turns*2 < n || turns < 3 {
		return nil
	}
	for name, class := range names { // programs log under words in one case
		if class == described.User && (strings.ToLower(name) == name && strings.ToUpper(name) != name || strings.ToUpper(name) == name && len(name) > 3 && strings.ToLower(name) != name) {
			return nil
		}
	}
	return names
}

// who has the data of a heading.
type who struct {
	role              model.Role
	name, model, time string
	usage             string // JSON
	thinks            bool   // the text is the model's reasoning
}

// speaker returns the next speaker that a line names, and the length of the heading.
func (s sections) speaker(line []byte) (who, int) {
	line = bytes.TrimRight(line, "\r")
	if !bytes.ContainsAny(line[:min(len(line), signed)], s.sign) || s.whole && line[0] != '#' {
		return who{}, 0
	}
	m := s.is().FindSubmatchIndex(line)
	if m == nil || s.levels != nil && !slices.Contains(s.levels, levelOf(line)) {
		return who{}, 0
	}
	if name := string(line[m[2]:m[3]]); s.names[name] != described.NoClass {
		named := name
		if s.drawn && !strings.ContainsFunc(name, unicode.IsUpper) && described.SpeakerOf(name) != described.NoClass && !described.NamesProduct(name) {
			named = "" // only the role
		}
		return who{role: s.names[name].Role(), name: named, time: s.timeOf(line[:m[1]])}, m[1]
	}
	if bytes.HasPrefix(line, []byte("<details")) {
		return speakerOf(string(line[m[2]:m[3]]), s.sides), m[1]
	}
	if s.drawn { // no other text names a speaker
		return who{}, 0
	}
	if s.stamped { // other names may be those of any person or program
		w := speakerOf(string(line[m[2]:m[3]]), s.sides)
		w.time = dated().FindString(string(line[:m[2]]))
		return w, m[1]
	}
	w := speakerOf(string(line[:m[1]]), s.sides)
	w.time = s.timeOf(line[:m[1]])
	return w, m[1]
}

var (
	// between separates the parts of a heading: "Turn 1 — User (gpt-4o) [10:00]".
	between = lazy(`[()\[\]|·•]| +[—–-]+ +|[:：]+(?:\s|$)`)
	// numbered matches parts before the speaker: "Turn 1", "#3", "10:00".
	numbered = lazy(`^(?:[\p{L}\p{M}]+ ?)?[#№]? ?[\d:. /T_Z+-]*\d[\d:. /T_Z+-]*[.)]?$`)
	// labelled matches the number of a round in a Markdown heading: "R1 ", "Turn 2 ".
	labelled = lazy(`^ *\p{L}+ ?\d+ +`)
	thoughts = lazy(`(?i)^(?:thinking|reasoning|thoughts)\b`)
	dated    = lazy(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?: ?Z|[+-]\d\d:\d\d)?`)
	// timeAlone matches a line with a date and a time, perhaps in brackets
	timeAlone = lazy(`^[ \t]*[\[(<]?\d{4}-\d\d-\d\d[T ]\d\d:\d\d[\d:.]*(?: ?Z|[+-]\d\d:\d\d)?[\])>]?:?[ \t\r]*$`)
	version   = lazy(`\b(?:claude|gpt|gemini|llama|mistral|qwen|deepseek|grok|o[134])-[\w.:-]+`)
	// decoration removes the signs around words: emphasis, emoji, escapes.
	decoration = strings.NewReplacer("*", "", "`", "", `\`, "", "_**", "", "**_", "", " said", "", " wrote", "", " says", "", "#", "")
)

// speakerOf returns the speaker that a heading names. With sides, words for questions and
// answers are speakers.
func speakerOf(text string, sides bool) who {
	w := who{time: dated().FindString(text), model: version().FindString(strings.ToLower(text))}
	for _, part := range between().Split(decoration.Replace(text), -1) {
		class := described.SpeakerOf(part)
		if label := labelled().FindString(part); label != "" && text[0] == '#' && class == described.NoClass {
			w.thinks = thoughts().MatchString(part[len(label):])
			if w.thinks || described.HeadingOf(part[len(label):]) == described.Assistant {
				class = described.Assistant
			}
		}
		part = strings.TrimFunc(part, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) })
		if part == "" && class == described.NoClass {
			continue
		}
		if sides && class == described.NoClass {
			class = described.HeadingOf(strings.TrimRight(part, " 0123456789#.-"))
		}
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
		if !numbered().MatchString(part) {
			break
		}
	}
	return who{}
}

// cut cuts before the next heading.
func (s sections) cut(text []byte, eof bool) ([]byte, int) {
	end := 0
	s.each(text, eof, func(at int, _ model.Role) bool {
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

// appendTo appends a section as a message.
func (s sections) appendTo(dst, piece []byte) []byte {
	line, below, _ := bytes.Cut(piece, []byte("\n"))
	time := ""
	if s.isTime(line) {
		time, piece = s.timeOf(line), below
		line, _, _ = bytes.Cut(piece, []byte("\n"))
	}
	who, n := s.speaker(line)
	if who.role == model.NoRole {
		return dst
	}
	who.time = cmp.Or(who.time, time)
	text := piece[n:]
	if bytes.HasPrefix(line, []byte("> ")) {
		text = quoteMark().ReplaceAll(text, nil)
	}
	if bytes.HasPrefix(line, []byte("<details")) {
		text, _, _ = bytes.Cut(text, []byte("</details>"))
	}
	if s.drawn {
		return appendPrinted(dst, who, text)
	}
	return appendMessage(dst, who, withoutRules(text))
}

// quoteMark is the beginning of each quoted line.
var quoteMark = lazy(`(?m)^> ?`)

// withoutRules returns a text without the horizontal rules around it.
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
