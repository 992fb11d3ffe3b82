package screen

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"turns/ui/paint"
)

// FilterLabel precedes the text of a filter.
const FilterLabel = " filter  "

// Field is an editable line of text with the keys of a shell.
type Field struct {
	Text string
	At   int // byte offset of the cursor

	in *textinput.Model // edits the text; made at the first key
}

// Set replaces the text; the cursor goes to its end.
func (f *Field) Set(text string) { f.Text, f.At = text, len(text) }

// Insert inserts text at the cursor. Line breaks become spaces; other control characters are
// removed.
func (f *Field) Insert(s string) {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\r' || r == '\t': // terminals paste line ends as carriage returns
			return ' '
		case unicode.IsControl(r) || r == utf8.RuneError:
			return -1
		}
		return r
	}, s)
	f.Text = f.Text[:f.At] + s + f.Text[f.At:]
	f.At += len(s)
}

// Replace replaces text[from:to] with s and puts the cursor after it.
func (f *Field) Replace(from, to int, s string) {
	from = min(max(from, 0), len(f.Text))
	to = min(max(to, from), len(f.Text))
	f.Text = f.Text[:from] + s + f.Text[to:]
	f.At = from + len(s)
}

// Key edits the text; it returns false for keys that do not edit.
func (f *Field) Key(msg tea.KeyPressMsg) bool {
	k := tea.Key(msg)
	switch {
	case k.Text != "" && k.Mod&(tea.ModAlt|tea.ModCtrl) == 0:
		f.Insert(k.Text)
		return true
	case !key.Matches(msg, editing(textinput.DefaultKeyMap())...):
		return false
	}
	in := f.input()
	*in, _ = in.Update(msg)
	f.Text = in.Value()
	f.At = len(paint.FirstRunes(f.Text, in.Position()))
	return true
}

// input returns the text input, updated to the current text and cursor.
func (f *Field) input() *textinput.Model {
	if f.in == nil {
		in := textinput.New()
		in.Focus()
		f.in = &in
	}
	if f.in.Value() != f.Text {
		f.in.SetValue(f.Text)
	}
	f.in.SetCursor(utf8.RuneCountInString(f.Text[:f.At]))
	return f.in
}

// editing returns the keys that move in a line and change it. Pasted text arrives as a separate
// message, and the filter bar has its own suggestions.
func editing(m textinput.KeyMap) []key.Binding {
	return []key.Binding{
		m.CharacterForward, m.CharacterBackward, m.WordForward, m.WordBackward, m.DeleteWordBackward, m.DeleteWordForward,
		m.DeleteAfterCursor, m.DeleteBeforeCursor, m.DeleteCharacterBackward, m.DeleteCharacterForward, m.LineStart, m.LineEnd,
	}
}

// Spans shows the text in w cells; if it is longer, its beginning scrolls out at the left. cursor
// is the cell of the cursor; mark draws one there, for lines without the terminal's cursor.
func (f *Field) Spans(w int, i paint.Ink, mark bool) (out []paint.Span, cursor int) {
	text, at := scrolled(f.Text, f.At, w, paint.Width)
	cursor = paint.Width(text[:at])
	if !mark {
		return []paint.Span{{Text: text, Ink: i}}, cursor
	}
	if at == len(text) {
		return []paint.Span{{Text: text, Ink: i}, {Text: "▏", Ink: paint.InkAccent}}, cursor
	}
	_, n := utf8.DecodeRuneInString(text[at:])
	return []paint.Span{{Text: text[:at], Ink: i}, {Text: text[at : at+n], Ink: i, Ground: paint.GroundSelected}, {Text: text[at+n:], Ink: i}}, cursor
}

// Prompt asks for one line of text, such as a command to pipe into or a text to find in a table.
type Prompt struct {
	H     *Host
	Title string
	Label string // before the text: "| ", "/"
	Help  string // below the text
	field Field
	Live  func(text string)                  // called at every change; may be nil
	Done  func(text string, ok bool) tea.Cmd // called at the end; ok is false after Esc
}

// Render draws a box of two lines.
func (d *Prompt) Render(w, h int) []string {
	w = min(w, 78)
	if w < 8 {
		return nil
	}
	st := d.H.Styles
	spans, _ := d.field.Spans(w-4-paint.Width(d.Label), paint.InkText, true)
	body := []string{st.Line(w-4, paint.GroundNone, append([]paint.Span{{Text: d.Label, Ink: paint.InkAccent}}, spans...)...)}
	if d.Help != "" && h > 3 {
		body = append(body, st.Line(w-4, paint.GroundNone, paint.Span{Text: d.Help, Ink: paint.InkDim}))
	}
	return paint.FrameBox(st, w, d.Title, "", body)
}

// Key edits the line; Enter and Esc end it.
func (d *Prompt) Key(msg tea.KeyPressMsg) (done bool, cmd tea.Cmd) {
	switch KeyName(msg) {
	case "enter":
		return true, d.Done(d.field.Text, true)
	case "esc", "ctrl+c":
		return true, d.Done(d.field.Text, false)
	}
	before := d.field.Text
	if d.field.Key(msg) && d.Live != nil && d.field.Text != before {
		d.Live(d.field.Text)
	}
	return false, nil
}

// Hints returns the two keys that close it.
func (d *Prompt) Hints() []Hint { return []Hint{{"⏎", "done"}, {"esc", "cancel"}} }

// scrolled cuts the beginning of a text until the cursor is within w cells; it returns the rest and
// the cursor's offset in it. It cuts in large steps: measuring the text after each rune would make
// every key in a long filter cost the square of its length.
func scrolled(text string, at, w int, width func(string) int) (rest string, cursor int) {
	for over := width(text[:at]) - (w - 2); over > 0 && at > 0; over = width(text[:at]) - (w - 2) {
		n := len(paint.FirstRunes(text[:at], max(over/2, 1))) // no rune is wider than two cells
		text, at = text[n:], at-n
	}
	return text, at
}
