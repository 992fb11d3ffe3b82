package ui

import (
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
)

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
	switch keyName(msg) {
	case "left", "ctrl+b":
		f.at -= f.before()
	case "right", "ctrl+f":
		f.at += f.after()
	case "home", "ctrl+a":
		f.at = 0
	case "end", "ctrl+e":
		f.at = len(f.text)
	case "alt+b", "ctrl+left", "alt+left":
		f.at = f.wordBefore()
	case "alt+f", "ctrl+right", "alt+right":
		f.at = f.wordAfter()
	case "backspace", "ctrl+h":
		f.replace(f.at-f.before(), f.at, "")
	case "delete", "ctrl+d":
		f.replace(f.at, f.at+f.after(), "")
	case "ctrl+w", "alt+backspace":
		f.replace(f.wordBefore(), f.at, "")
	case "alt+d":
		at := f.at
		f.replace(at, f.wordAfter(), "")
	case "ctrl+u":
		f.replace(0, f.at, "")
	case "ctrl+k":
		f.replace(f.at, len(f.text), "")
	default:
		k := tea.Key(msg)
		if k.Text == "" || k.Mod&(tea.ModAlt|tea.ModCtrl) != 0 {
			return false
		}
		f.insert(k.Text)
	}
	return true
}

func (f *field) before() int {
	_, n := utf8.DecodeLastRuneInString(f.text[:f.at])
	return n
}

func (f *field) after() int {
	_, n := utf8.DecodeRuneInString(f.text[f.at:])
	return n
}

func (f *field) wordBefore() int {
	head := strings.TrimRight(f.text[:f.at], " ")
	return strings.LastIndexByte(head, ' ') + 1
}

func (f *field) wordAfter() int {
	rest := f.text[f.at:]
	skip := len(rest) - len(strings.TrimLeft(rest, " "))
	if n := strings.IndexByte(rest[skip:], ' '); n >= 0 {
		return f.at + skip + n
	}
	return len(f.text)
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

// fitSpans makes spans exactly w cells wide: what is too much is cut, the rest filled.
func fitSpans(spans []span, w int) []span {
	out := make([]span, 0, len(spans)+1)
	for i, sp := range spans {
		n := width(sp.text)
		if n > w || n == w && i+1 < len(spans) && restWidth(spans[i+1:]) > 0 {
			if w > 0 {
				if n > w {
					sp.text = cut(sp.text, w)
				} else {
					sp.text = cut(sp.text+"  ", w)
				}
				w -= width(sp.text)
				out = append(out, sp)
			}
			break
		}
		w -= n
		out = append(out, sp)
	}
	return append(out, span{text: blanks(w)})
}
