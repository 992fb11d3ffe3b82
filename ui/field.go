package ui

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
)

// filterLabel is what stands before a filter.
const filterLabel = " filter  "

// field is a line of text that is edited, with the keys of a shell.
type field struct {
	text string
	at   int // byte offset of the cursor
}

// set replaces the text; the cursor goes to its end.
func (f *field) set(text string) { f.text, f.at = text, len(text) }

// insert puts text at the cursor. Line breaks of what is pasted become spaces; other control characters go.
func (f *field) insert(s string) {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case unicode.IsControl(r) || r == utf8.RuneError:
			return -1
		}
		return r
	}, s)
	f.text = f.text[:f.at] + s + f.text[f.at:]
	f.at += len(s)
}

// replace puts s in the place of text[from:to], with the cursor behind it.
func (f *field) replace(from, to int, s string) {
	from = min(max(from, 0), len(f.text))
	to = min(max(to, from), len(f.text))
	f.text = f.text[:from] + s + f.text[to:]
	f.at = from + len(s)
}

// key edits; false for a key that does not.
func (f *field) key(msg tea.KeyPressMsg) bool {
	k := tea.Key(msg)
	switch {
	case k.Text != "" && k.Mod&(tea.ModAlt|tea.ModCtrl) == 0:
		f.insert(k.Text)
		return true
	case !key.Matches(msg, editing(textinput.DefaultKeyMap())...):
		return false
	}
	in := textinput.New()
	in.SetValue(f.text)
	in.SetCursor(utf8.RuneCountInString(f.text[:f.at]))
	in.Focus()
	in, _ = in.Update(msg)
	f.text = in.Value()
	f.at = len(firstRunes(f.text, in.Position()))
	return true
}

// editing are the keys that move in a line and change it. Pasting comes as a
// message of its own, and suggestions are the filter bar's.
func editing(m textinput.KeyMap) []key.Binding {
	return []key.Binding{
		m.CharacterForward, m.CharacterBackward, m.WordForward, m.WordBackward, m.DeleteWordBackward, m.DeleteWordForward,
		m.DeleteAfterCursor, m.DeleteBeforeCursor, m.DeleteCharacterBackward, m.DeleteCharacterForward, m.LineStart, m.LineEnd,
	}
}

// spans show the text in w cells; what does not fit scrolls out at the left. cursor is the cell of the cursor; mark draws one there, for lines
// that the cursor of the terminal does not stand in.
func (f *field) spans(w int, i ink, mark bool) (out []span, cursor int) {
	text, at := f.text, f.at
	for width(text[:at]) > w-2 && at > 0 {
		_, n := utf8.DecodeRuneInString(text)
		text, at = text[n:], at-n
	}
	cursor = width(text[:at])
	if !mark {
		return []span{{text: text, ink: i}}, cursor
	}
	if at == len(text) {
		return []span{{text: text, ink: i}, {text: "▏", ink: inkAccent}}, cursor
	}
	_, n := utf8.DecodeRuneInString(text[at:])
	return []span{{text: text[:at], ink: i}, {text: text[at : at+n], ink: i, ground: groundSelected}, {text: text[at+n:], ink: i}}, cursor
}

// promptDialog asks for one line of text: a command to pipe into, what to find in a table.
type promptDialog struct {
	h     *host
	title string
	label string // before the text: "| ", "/"
	help  string // under it
	field field
	live  func(text string)                  // at every change; may be nil
	done  func(text string, ok bool) tea.Cmd // at the end; ok is false after Esc
}

// Render draws a box of two lines.
func (d *promptDialog) Render(w, h int) []string {
	w = min(w, 78)
	if w < 8 {
		return nil
	}
	st := d.h.styles
	spans, _ := d.field.spans(w-4-width(d.label), inkText, true)
	body := []string{st.line(w-4, groundNone, append([]span{{text: d.label, ink: inkAccent}}, spans...)...)}
	if d.help != "" && h > 3 {
		body = append(body, st.line(w-4, groundNone, span{text: d.help, ink: inkDim}))
	}
	return frameBox(st, w, d.title, "", body)
}

// Key edits the line; Enter and Esc end it.
func (d *promptDialog) Key(msg tea.KeyPressMsg) (done bool, cmd tea.Cmd) {
	switch keyName(msg) {
	case "enter":
		return true, d.done(d.field.text, true)
	case "esc", "ctrl+c":
		return true, d.done(d.field.text, false)
	}
	before := d.field.text
	if d.field.key(msg) && d.live != nil && d.field.text != before {
		d.live(d.field.text)
	}
	return false, nil
}

// Hints are the two keys that end it.
func (d *promptDialog) Hints() []hint { return []hint{{"⏎", "done"}, {"esc", "cancel"}} }
