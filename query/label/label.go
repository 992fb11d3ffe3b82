package label

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// Kind is the kind of an annotation.
type Kind string

// The kinds.
const (
	Note    Kind = "note"    // free text
	Label   Kind = "label"   // a word, #loop
	Verdict Kind = "verdict" // good or bad, + and -
	Score   Kind = "score"   // a number under a name, quality=3
)

// The two verdicts.
const (
	Good = "good"
	Bad  = "bad"
)

// Mark is one annotation.
type Mark struct {
	Kind  Kind        `json:"kind,omitempty"`
	Name  string      `json:"name,omitempty"`  // of a label or score; good or bad
	Value json.Number `json:"value,omitempty"` // of a score
	// of a note, or the value of a score if it is not a number
	Text string `json:"note,omitempty"`
}

// Number returns the value of a score; ok is false for other marks and without a number.
func (m *Mark) Number() (n float64, ok bool) {
	n, err := strconv.ParseFloat(string(m.Value), 64)
	return n, m.Kind == Score && err == nil
}

// replaces reports whether m replaces old at the same place: a later verdict replaces an earlier
// one, and so does a score of the same name.
func (m *Mark) replaces(old *Mark) bool {
	switch {
	case m.Kind != old.Kind:
		return false
	case m.Kind == Score:
		return m.Name == old.Name
	}
	return m.Kind == Verdict
}

// Scope is the part of a session that a mark is about.
type Scope string

// The scopes.
const (
	OfMessage Scope = ""
	OfCall    Scope = "call"
	OfTurn    Scope = "turn"
	OfRun     Scope = "run"
)

// Run names a session: by its recorded id, or by its opening, and by its path.
type Run struct {
	Session string `json:"session,omitempty"`
	Opens   string `json:"opens,omitempty"` // hashes of its first messages
	Path    string `json:"path,omitempty"`
	// from 1, in a file of many; 0: the only one, or all
	Number int `json:"number,omitempty"`
}

// Place identifies a message of a session, or a call of it. Any field may suffice.
type Place struct {
	Message string `json:"message,omitempty"` // hash of the recorded id
	Call    string `json:"call,omitempty"`    // recorded id
	Hash    string `json:"hash,omitempty"`    // of role and text
	Before  string `json:"before,omitempty"`  // of the message before it
	After   string `json:"after,omitempty"`
	Index   int    `json:"index"`          // its number when it was labelled; -1: none
	Line    uint16 `json:"line,omitempty"` // row of the message on the screen
	Rule    uint8  `json:"rule,omitempty"` // kind of that row
	Text    string `json:"text,omitempty"` // its beginning, for people
}

// Line is a line of a store: an annotation of a place, or an undo of an earlier line.
type Line struct {
	ID    string    `json:"id"`
	Time  time.Time `json:"time"`
	By    string    `json:"by,omitempty"`
	Undo  string    `json:"undo,omitempty"` // id of the line to undo
	Run   Run       `json:"run,omitzero"`
	Scope Scope     `json:"scope,omitempty"`
	At    *Place    `json:"at,omitempty"` // nil: the session
	Mark
}

// String returns a mark in its typed form.
func (m *Mark) String() string {
	switch m.Kind {
	case Label:
		return "#" + m.Name
	case Verdict:
		if m.Name == Good {
			return "+"
		}
		return "-"
	case Score:
		if m.Value != "" {
			return m.Name + "=" + string(m.Value)
		}
		return m.Name + "=" + m.Text
	}
	return m.Text
}

// Words returns a mark for people who did not type it.
func (m *Mark) Words() string {
	switch m.Kind {
	case Verdict:
		return m.Name
	case Score:
		return strings.Replace(m.String(), "=", " ", 1)
	case Note:
		return strconv.Quote(m.Text)
	}
	return m.String()
}

// Join formats marks in one line: verdicts, labels and scores, then notes.
func Join(marks []Mark) string {
	order := [...]Kind{Verdict, Label, Score, Note}
	var out []string
	for _, k := range order {
		for i := range marks {
			if marks[i].Kind == k {
				out = append(out, marks[i].Words())
			}
		}
	}
	return strings.Join(out, "  ")
}

// Glyph returns one character for the annotations of a place: the letter of a mark, a sign for a
// verdict or for others; 0 for none.
func Glyph(marks []Mark) (glyph rune) {
	rank := 0
	for i := range marks {
		g, r := marks[i].glyph()
		if r > rank {
			glyph, rank = g, r
		}
	}
	return glyph
}

func (m *Mark) glyph() (glyph rune, rank int) {
	switch m.Kind {
	case Label:
		if r, ok := m.Letter(); ok {
			return r, 5
		}
		return '#', 3
	case Verdict:
		return rune(m.String()[0]), 4
	case Score:
		return '=', 2
	}
	return '"', 1
}

// Letter returns the letter of a one-letter label, which a key sets and jumps to.
func (m *Mark) Letter() (r rune, ok bool) {
	runes := []rune(m.Name)
	if m.Kind != Label || len(runes) != 1 {
		return 0, false
	}
	return runes[0], true
}
