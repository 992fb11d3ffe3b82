package prose

import (
	"bytes"
	"regexp"
	"strings"
)

// prompts are the input marks of chats in a terminal, and the banner that the program prints first:
// `ollama run`, `llm chat`, llama.cpp. Without a banner, the input must read like sentences,
// because interpreters use the same marks.
var prompts = []struct {
	mark   string
	banner func() *regexp.Regexp
	bare   bool // the mark without a banner is enough
}{
	{">>> ", lazy(`ollama run |Send a message \(/\? for help\)`), true},
	{"> ", lazy(`(?m)^Chatting with |llama-cli |== Running in interactive mode`), false},
	{"You> ", lazy(`^$`), true},
}

// lookForPrompts finds text copied from a chat in a terminal: each question is after a mark, its
// answer below.
func lookForPrompts(text []byte) *layout {
	for _, p := range prompts {
		l := prompt{p.mark}
		known := p.banner().Match(text)
		if !known && !p.bare {
			continue
		}
		asked, answered, plain := 0, 0, 0
		for rest := text; len(rest) > 0; {
			piece, n := l.cut(rest, true)
			rest = rest[n:]
			question, answer, ok := l.parts(piece)
			if !ok {
				continue
			}
			asked++
			if len(answer) > 0 {
				answered++
			}
			if sentence(question) && (len(answer) == 0 || bytes.Count(answer, []byte(" ")) > 2) {
				plain++
			}
		}
		if asked > 0 && answered > 0 && (known || asked > 1 && plain*5 >= asked*4) {
			return &layout{"a chat in a terminal", true, l.cut, l.appendTo}
		}
	}
	return nil
}

// code matches statements of programming languages but not sentences.
var code = lazy(`[=(){}\[\];]|^(?:import|from|def|class|print|for|if|while|with|return|del) `)

// sentence reports whether a text reads like a person's question: several words, and not a
// statement.
func sentence(text []byte) bool {
	return bytes.IndexByte(text, ' ') > 0 && !code().Match(text)
}

// prompt is the mark before each question.
type prompt struct{ mark string }

// cut cuts before the next mark.
func (p prompt) cut(text []byte, eof bool) ([]byte, int) {
	return cutBefore(text, eof, func(line []byte) bool { return bytes.HasPrefix(line, []byte(p.mark)) })
}

// parts returns the question and the answer of a piece.
func (p prompt) parts(piece []byte) (question, answer []byte, ok bool) {
	rest, ok := bytes.CutPrefix(piece, []byte(p.mark))
	if !ok {
		return nil, nil, false
	}
	question, answer, _ = bytes.Cut(rest, []byte("\n"))
	if block, after, ok := strings.Cut(string(rest), "\"\"\"\n"); ok && strings.HasPrefix(block, `"""`) { // several lines
		question, answer = []byte(strings.TrimPrefix(block, `"""`)), []byte(after)
	}
	for bytes.HasPrefix(answer, []byte("... ")) {
		line, after, _ := bytes.Cut(answer, []byte("\n"))
		question, answer = append(append(bytes.Clone(question), '\n'), line[4:]...), after
	}
	question, answer = bytes.TrimSpace(question), bytes.TrimSpace(answer)
	if len(question) == 0 || question[0] == '/' { // a command of the program
		return nil, nil, false
	}
	return question, answer, true
}

// appendTo appends a question and its answer as one JSON object.
func (p prompt) appendTo(dst, piece []byte) []byte {
	question, answer, ok := p.parts(piece)
	if !ok {
		return dst
	}
	dst = field(append(dst, '{'), []byte("user"), question)
	if len(answer) > 0 {
		dst = field(dst, []byte("assistant"), answer)
	}
	return append(dst, '}')
}
