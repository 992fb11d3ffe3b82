package label

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"turns/model"
)

// Typed is the meaning of a typed line.
type Typed struct {
	Add  []Mark
	Drop []string // labels to remove, -#word
}

// Parse parses a typed line: "#loop - quality=2 reads the wrong file". Words with a sign go before
// or after the note; in quotes, everything is the note.
func Parse(text string) (Typed, error) {
	var typed Typed
	words := strings.Fields(text)
	for len(words) > 0 && typed.take(words[0], true) {
		words = words[1:]
	}
	behind := len(words)
	for behind > 0 && typed.take(words[behind-1], false) {
		behind--
	}
	words = words[:behind]
	if len(words) == 0 {
		if len(typed.Add)+len(typed.Drop) == 0 {
			return typed, errors.New("the label is empty: #word is a label, +good or -bad a verdict, word=3 a score, anything else a note")
		}
		return typed, nil
	}
	note := strings.Join(words, " ")
	if n := len(note); n > 1 && note[0] == '"' && note[n-1] == '"' {
		note = strings.TrimSpace(note[1 : n-1])
	}
	typed.Add = append(typed.Add, Mark{Kind: Note, Text: note})
	return typed, nil
}

// take parses a word with a sign; it returns false for a word of the note. After a note it only
// accepts labels.
func (s *Typed) take(word string, first bool) bool {
	if name, ok := strings.CutPrefix(word, "-#"); ok && isName(name) {
		s.Drop = append(s.Drop, name)
		return true
	}
	if name, ok := strings.CutPrefix(word, "#"); ok && isName(name) {
		s.add(Mark{Kind: Label, Name: name})
		return true
	}
	if !first {
		return false
	}
	switch word {
	case "+", "+" + Good:
		s.add(Mark{Kind: Verdict, Name: Good})
		return true
	case "-", "-" + Bad:
		s.add(Mark{Kind: Verdict, Name: Bad})
		return true
	}
	name, value, ok := strings.Cut(word, "=")
	if !ok || value == "" || !isName(name) {
		return false
	}
	s.add(ScoreOf(name, value))
	return true
}

func (s *Typed) add(m Mark) {
	for i := range s.Add {
		if s.Add[i] == m || m.replaces(&s.Add[i]) {
			s.Add[i] = m
			return
		}
	}
	s.Add = append(s.Add, m)
}

// ScoreOf returns a score with a number or a word as its value.
func ScoreOf(name, value string) Mark {
	if _, err := strconv.ParseFloat(value, 64); err == nil && json.Valid([]byte(value)) {
		return Mark{Kind: Score, Name: name, Value: json.Number(value)}
	}
	return Mark{Kind: Score, Name: name, Text: value}
}

// VerdictOf parses a verdict as written by people and files.
func VerdictOf(word string) (m Mark, err error) {
	switch strings.ToLower(word) {
	case Good, "+", "true", "yes", "pass", "passed", "correct", "1", "c":
		return Mark{Kind: Verdict, Name: Good}, nil
	case Bad, "-", "false", "no", "fail", "failed", "incorrect", "0", "i":
		return Mark{Kind: Verdict, Name: Bad}, nil
	}
	return Mark{}, fmt.Errorf("reading the verdict %q: neither good nor bad", word)
}

// LabelOf returns the label with a name, with or without its sign.
func LabelOf(name string) (Mark, error) {
	name = strings.TrimPrefix(name, "#")
	if !isName(name) {
		return Mark{}, fmt.Errorf("reading the label %q: a label is a word", name)
	}
	return Mark{Kind: Label, Name: name}, nil
}

// isName reports whether a word can be the name of a label or score.
func isName(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		hides := model.Invisible(r) && r != '\u200d' && !unicode.Is(unicode.Variation_Selector, r) // those two join emoji
		return hides || unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune(`"#=,`, r)
	})
}

// Valid returns why a line of a store cannot be used, nil if it can.
func (l *Line) Valid() error {
	switch {
	case l.ID == "":
		return errors.New("a line without an id")
	case l.Undo != "":
		return nil
	case l.Kind == Note && l.Text == "", l.Kind == Label && l.Name == "", l.Kind == Score && l.Name == "":
		return fmt.Errorf("the %s of line %s is empty", l.Kind, l.ID)
	case l.Kind == Verdict && l.Name != Good && l.Name != Bad:
		return fmt.Errorf("the verdict %q of line %s is neither good nor bad", l.Name, l.ID)
	case l.Kind != Note && l.Kind != Label && l.Kind != Verdict && l.Kind != Score:
		return fmt.Errorf("the kind %q of line %s is not known", l.Kind, l.ID)
	}
	return nil
}
