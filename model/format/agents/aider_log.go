package agents

import (
	"bytes"
	"strings"

	"turns/model"
	"turns/model/format/kit"
)

// aiderLog is the variant of a match for the file of --llm-history-file. It has each request to
// the model, with all messages so far, and each answer. Every line of a message begins with its
// role.
const aiderLog = 1

const (
	aiderAsked    = "TO LLM "
	aiderAnswered = "LLM RESPONSE "
	aiderRule     = "-------"
)

// aiderPieceMax is the maximum length of a request before it is split.
const aiderPieceMax = 8 << 20

func aiderIsLog(text []byte) bool {
	line, rest, _ := bytes.Cut(text, []byte("\n"))
	return bytes.HasPrefix(line, []byte(aiderAsked)) && kit.ParseISO(line[len(aiderAsked):]).Ms != 0 && bytes.HasPrefix(rest, []byte(aiderRule))
}

// aiderLogSplitter splits before each request and each answer.
type aiderLogSplitter struct{}

// Split returns the first of them.
func (aiderLogSplitter) Split(buf []byte, eof bool) (model.Record, int) {
	for at := 0; at < len(buf); {
		n := bytes.IndexByte(buf[at:], '\n') + 1
		if n == 0 {
			break
		}
		if line := buf[at:]; at > 0 && (bytes.HasPrefix(line, []byte(aiderAsked)) || bytes.HasPrefix(line, []byte(aiderAnswered)) || at > aiderPieceMax) {
			return model.Record{Data: bytes.TrimRight(buf[:at], "\r\n")}, at
		}
		at += n
	}
	if !eof {
		return model.Record{}, 0
	}
	return model.Record{Data: bytes.TrimRight(buf, "\r\n")}, len(buf)
}

// aiderLogParse reads a request or an answer. A message that a later request repeats stays one.
func aiderLogParse(rec model.Record, fs *model.Facts) error {
	line, rest, _ := bytes.Cut(rec.Data, []byte("\n"))
	at := kit.ParseISO(line[bytes.LastIndexByte(line, ' ')+1:])
	role, n := model.NoRole, 0
	var text, system []byte
	end := func() {
		if words := bytes.TrimSpace(text); len(words) > 0 {
			if words = bytes.Clone(words); role == model.System {
				system = words
			} else if role == model.User {
				words = aiderWithoutReminder(words, system)
			}
			f := fs.Add(model.Say)
			f.Role, f.Time = role, at
			f.AddText(model.Words, model.PlainText(words))
			if n++; role == model.Assistant {
				n = 0
			}
			kit.Know(f, 0, n)
		}
		text = text[:0]
	}
	for line := range bytes.Lines(rest) {
		line = bytes.TrimRight(line, "\r\n")
		word, words, _ := bytes.Cut(line, []byte(" "))
		of, ok := model.ParseRole(strings.ToLower(string(word)))
		if !ok || of != role {
			end()
		}
		if role = of; ok {
			text = append(append(text, words...), '\n')
		}
	}
	if end(); fs.Len() == 0 {
		kit.Note(fs, "empty").AddText(model.Words, model.PlainText(rec.Data))
	}
	return nil
}

// aiderReminderMin is the minimum length of the rules that the newest question repeats.
const aiderReminderMin = 64

// aiderWithoutReminder returns a question without the rules at its end. Aider repeats those of the
// system prompt below the newest question, and only there.
func aiderWithoutReminder(words, system []byte) []byte {
	n := 0
	for n < min(len(words), len(system)) && words[len(words)-1-n] == system[len(system)-1-n] {
		n++
	}
	at := len(words) - n
	if at > 0 && words[at-1] != '\n' {
		at += bytes.IndexByte(words[at:], '\n') + 1
	}
	if question := bytes.TrimSpace(words[:at]); len(question) > 0 && len(bytes.TrimSpace(words[at:])) >= aiderReminderMin {
		return question
	}
	return words
}
