package described

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"
)

// speakerWords are the words by which people and programs name who speaks.
//
//go:embed speakers.tsv
var speakerWords string

// words are the words of the file by their meaning.
type words struct {
	speakers map[string]Class
	sides    map[string]Class // names of questions (User) and answers (Assistant)
	headings map[string]Class // sides in headings
	named    []string         // how the names of bots end
	products map[string]bool  // speakers with a name of their own
	parts    map[string]bool  // speakers in talks of people
}

var theWords = sync.OnceValue(func() words {
	w := words{speakers: map[string]Class{}, sides: map[string]Class{"ask": User, "reply": Assistant}, headings: map[string]Class{}, products: map[string]bool{}, parts: map[string]bool{}}
	for line := range strings.Lines(speakerWords) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		class, rest, _ := strings.Cut(line, "\t")
		of, all, _ := strings.Cut(rest, "\t")
		for word := range strings.FieldsSeq(all) {
			word = strings.ReplaceAll(word, "-", " ")
			switch class {
			case "ask":
				w.sides[word] = User
			case "reply":
				w.sides[word] = Assistant
			case "asking":
				w.headings[word] = User
			case "replying":
				w.headings[word] = Assistant
			case "named":
				w.named = append(w.named, word)
			default:
				w.speakers[word], w.products[word] = meanings[class], of == "products" || of == "models"
				w.parts[word] = of == "parts"
			}
		}
	}
	return w
})

// NamesProduct reports whether the name of a speaker is that of a product or a model, not only of a
// kind: "Claude" and "GPT-4o", but neither "AI" nor "Assistent".
func NamesProduct(name string) bool {
	for word := range strings.FieldsSeq(strings.ToLower(name)) {
		if theWords().products[word] || versioned(word, theWords().speakers) {
			return true
		}
	}
	return false
}

// NamesPart reports whether the name of a speaker is a part in a talk that may be one of people:
// "customer" and "interviewer", but neither "user" nor "you".
func NamesPart(name string) bool { return theWords().parts[strings.ToLower(name)] }

// SideOf returns User for words that name questions, in any language, and Assistant for words that
// name answers: "question", "answer_text", "回答". It returns NoClass for others.
func SideOf(name string) Class {
	if c, ok := theWords().sides[strings.ToLower(strings.NewReplacer("_", " ", "-", " ").Replace(name))]; ok {
		return c
	}
	w := theWords() // "pytanie użytkownika", "the answer of the bot": whose they are
	found := NoClass
	for word := range splitWords(name) {
		c := w.sides[word]
		switch {
		case c == NoClass && !sideQualifiers[word] && (found == NoClass || w.speakers[word] == NoClass), found != NoClass && c != NoClass && c != found:
			return NoClass
		case c != NoClass:
			found = c
		}
	}
	return found
}

// HeadingOf returns User for words that head questions, in any language, and Assistant for words
// that head answers: "Prompt", "Response", "Q", "答". It returns NoClass for others.
func HeadingOf(name string) Class {
	return theWords().headings[strings.ToLower(strings.TrimFunc(name, func(r rune) bool { return !inWord(r) }))]
}

// NamesBot reports whether the last word of a name is that of a bot, as in "Weather Bot",
// "helpbot" and "TravelGPT".
func NamesBot(name string) bool {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !inWord(r) })
	if len(words) == 0 || len(words) > 5 || strings.HasSuffix(name, "[bot]") {
		return false
	}
	last := words[len(words)-1]
	for _, word := range theWords().named {
		if last == word || (word == "bot" || word == "gpt") && strings.HasSuffix(last, word) && !notBots[last] {
			return true
		}
	}
	return false
}

// notBots are names with the endings of bots: of people, and of programs that do not talk.
var notBots = map[string]bool{"abbot": true, "talbot": true, "cabot": true, "dependabot": true, "renovatebot": true, "googlebot": true, "bingbot": true}

// sideQualifiers are words that appear next to names of questions and answers.
var sideQualifiers = map[string]bool{"text": true, "content": true, "final": true, "raw": true, "full": true, "generated": true, "original": true, "the": true,
	"message": true, "body": true, "string": true, "predicted": true}

// SpeakerOf returns the class of a speaker named by one or a few words, in any language: "User",
// "Пользователь", "Claude Sonnet 4.5", "AI 답변". It returns NoClass for others.
func SpeakerOf(name string) Class {
	classes := theWords().speakers
	if c, ok := classes[strings.Trim(name, "#*_: \t")]; ok { // emoji
		return c
	}
	name = strings.ToLower(strings.TrimFunc(name, func(r rune) bool { return !inWord(r) }))
	if name == "" || len(name) > 60 {
		return NoClass
	}
	if c, ok := classes[name]; ok {
		return c
	}
	words := strings.FieldsFunc(name, func(r rune) bool { return !inWord(r) && r != '.' && r != '\'' })
	if len(words) == 0 || len(words) > 5 {
		return NoClass
	}
	if c, ok := classes[strings.Join(words, " ")]; ok {
		return c
	}
	// "사용자 질문", "user's question", "Claude Sonnet 4": exactly one class is named.
	found := NoClass
	for _, word := range words {
		word = strings.TrimSuffix(word, "'s")
		c, ok := classes[word]
		switch {
		case ok && (found == NoClass || found == c):
			found = c
		case ok:
			return NoClass
		case versioned(word, classes):
			found = Assistant
		case !speakerQualifiers[word] && !unicode.IsDigit(rune(word[0])):
			return NoClass
		}
	}
	return found
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) }

// speakerQualifiers are words that appear next to the name of a speaker.
var speakerQualifiers = map[string]bool{"message": true, "prompt": true, "question": true, "response": true, "reply": true, "answer": true, "답변": true, "질문": true, "回答": true, "質問": true, "提问": true, "frage": true, "antwort": true, "says": true,
	"said": true, "wrote": true, "turn": true, "query": true, "request": true, "input": true, "output": true, "text": true, "pro": true, "flash": true, "mini": true, "code": true,
	"the": true, "plus": true, "max": true, "turbo": true, "instruct": true, "chat": true, "preview": true, "nano": true, "lite": true, "thinking": true, "cli": true,
	"msg": true, "utterance": true, "content": true, "mensaje": true, "сообщение": true, "вопрос": true, "ответ": true, "respuesta": true, "pregunta": true, "summary": true}

// versioned reports whether a word is the name of a model with its version: gpt4, llama3.1, qwen2.
func versioned(word string, classes map[string]Class) bool {
	name := strings.TrimRightFunc(word, func(r rune) bool { return !unicode.IsLetter(r) })
	return name != word && classes[name] == Assistant
}
