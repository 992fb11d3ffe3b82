package human

import (
	"fmt"
	"slices"
	"strings"
)

// The glossary: the single definition of the words for states and things. The screen, ls, --status,
// --on, the filter key end:, JSON and the help pages use them.

// State is the state of a session, in one word.
type State uint8

// The states, in the order of need.
const (
	Unknown  State = iota // not recorded
	Waiting               // for an answer or a permission of its user
	Stuck                 // repeats a call, or has not written for too long
	Running               // the model or a tool works
	Failed                // ended badly
	Idle                  // awaits the next prompt, or was abandoned
	Finished              // reached its end
)

// Word is a word of the glossary.
type Word struct {
	Name    string
	Help    string   // its meaning in one line
	Aliases []string // other words that a person may type
}

var states = [...]Word{
	Unknown:  {"unknown", "the transcript does not tell", nil},
	Waiting:  {"waiting", "waits for an answer or a permission", nil},
	Stuck:    {"stuck", "repeats a call, or wrote nothing for too long", nil},
	Running:  {"running", "the model or a tool works", []string{"working", "live"}},
	Failed:   {"failed", "ended in an error", []string{"error", "failure"}},
	Idle:     {"idle", "awaits the next prompt, or was left before its end", []string{"gone"}},
	Finished: {"finished", "came to its end", []string{"ok", "success", "done"}},
}

// endings are the recorded ends of a session that are not states.
var endings = [...]Word{
	{"interrupted", "was stopped by its user", []string{"aborted"}},
	{"unfinished", "has not ended: waiting, stuck, running or left", []string{"open"}},
}

// States returns the words for states, unknown last.
func States() []Word { return append(append([]Word{}, states[1:]...), states[0]) }

// Endings returns the values of the filter key end: the states, interrupted and unfinished.
func Endings() []Word {
	all := append([]Word{}, states[1:]...)
	return append(append(all, endings[:]...), states[0])
}

// String returns the word for a state.
func (s State) String() string { return states[min(int(s), len(states)-1)].Name }

// MarshalText writes the word.
func (s State) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the word or one of its aliases.
func (s *State) UnmarshalText(b []byte) error {
	state, ok := ParseState(string(b))
	if !ok {
		return fmt.Errorf("unknown state %q", b)
	}
	*s = state
	return nil
}

// ParseState returns the state of a word or alias, in any case; false for another word.
func ParseState(word string) (State, bool) {
	word = strings.ToLower(word)
	for i := range states {
		if states[i].is(word) {
			return State(i), true
		}
	}
	return Unknown, false
}

func (w *Word) is(name string) bool {
	if w.Name == name {
		return true
	}
	return slices.Contains(w.Aliases, name)
}

// Needs reports whether a session in that state needs a person.
func (s State) Needs() bool { return s == Waiting || s == Stuck || s == Failed }

// Noun is the word for one thing and for several.
type Noun struct {
	One, Many string
	Help      string
	Not       []string // words that earlier versions used for it
}

// The nouns of sessions and their parts.
var nouns = [...]Noun{
	{"session", "sessions", "what an agent did from start to end", []string{"run", "dialog"}},
	{"transcript", "transcripts", "the file or database entry that records a session", []string{"log"}},
	{"trial", "trials", "one of several sessions of the same task", nil},
	{"conversation", "conversations", "one of several sessions in one file", nil},
	{"turn", "turns", "a prompt and everything up to the next one", []string{"interaction", "exchange"}},
	{"step", "steps", "one model response with its tool calls", nil},
	{"message", "messages", "a numbered unit of a session", nil},
	{"call", "calls", "a tool call", nil},
	{"result", "results", "what a tool call returned", nil},
	{"row", "rows", "a line of the screen", nil},
	{"record", "records", "a raw line or object of a transcript", nil},
	{"event", "events", "a bookkeeping record", nil},
	{"subagent", "subagents", "an agent that a call started", []string{"agent thread"}},
	{"error", "errors", "a call that failed", nil},
	{"label", "labels", "a word that a person gave to something", []string{"mark"}},
}

// Nouns returns the nouns of sessions and their parts, with the words they replace.
func Nouns() []Noun { return append([]Noun{}, nouns[:]...) }
